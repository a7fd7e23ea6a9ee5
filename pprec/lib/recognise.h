/* SPDX-License-Identifier: BSD-3-Clause */
/* From a dissected packet to an arrival: which stream and train it belongs to. */
#ifndef PPREC_LIB_RECOGNISE_H
#define PPREC_LIB_RECOGNISE_H

#include "pprec/core.h"
#include "pprec/lib/flows.h"

/* Pushes what the packet is recognised as; counts it as foreign when it is
 * nothing that the handle expects. port: of probes, 0: any. */
void recognise(struct pprec *pprec, struct flows *flows, const struct packet *packet,
               struct pprec_stamp received, uint16_t port);

/* What there is to recognise in the flows of others. */
struct recogniser {
    enum pprec_kind kind;
    /* Whether the packet can be one of these. */
    bool (*looks_right)(const struct packet *packet);
    /* Whether it, which looks right, is the next one after the candidate's last;
     * remembers it as the last. */
    bool (*follows)(struct candidate *candidate, const struct packet *packet);
    /* What tells the streams of one flow apart. */
    uint32_t (*id)(const struct packet *packet);
    /* Takes a packet of a stream of its kind. The arrival has all that does not
     * depend on the train. */
    void (*take)(struct pprec *pprec, struct flow *stream, const struct packet *packet,
                 struct pprec_arrival *arrival);
};

extern const struct recogniser recognise_rtp;
extern const struct recogniser recognise_srt;

/* Packets of a flow that is nothing of the above. */
void recognise_plain(struct pprec *pprec, struct flow *flow, const struct packet *packet,
                     struct pprec_arrival *arrival);

#endif
