/* SPDX-License-Identifier: BSD-3-Clause */
/* From a packet to an arrival: which stream and train it belongs to. */
#ifndef PPREC_LIB_RECOGNISE_H
#define PPREC_LIB_RECOGNISE_H

#include "pprec/core.h"
#include "pprec/lib/flows.h"

/* Both take the packet as their own. Pushes what the packet is recognised as; counts it as foreign when it
 * is nothing that the handle expects. port: of probes, 0: any. What of a flow comes before it is recognised
 * is held, and pushed then. */
void recognise(struct pprec *pprec, struct flows *flows, struct packet *packet, uint16_t port);

/* The same of a flow whose nature, before FLOW_PLAIN, is told. PPREC_OK; PPREC_EFOREIGN for what
 * is none, as may share its ports, and counted; otherwise as pprec_push(). */
int recognise_told(struct pprec *pprec, struct flows *flows, struct packet *packet, enum flow_nature nature);

/* What there is to recognise in the flows of others. */
struct recogniser {
    enum pprec_kind kind;
    /* Whether the packet can be one of these. */
    bool (*looks_right)(const struct packet *packet);
    /* Whether it, which looks right, is the next one after the candidate's last;
     * remembers it as the last. */
    bool (*follows)(struct candidate *candidate, const struct packet *packet);
    /* Whether as many in a row as are wanted are enough: 1, or 0 for not yet, or -1 for never. NULL:
     * they are. */
    int (*proven)(const struct candidate *candidate, const struct packet *packet);
    /* Its number in its stream, and how many bits that has. */
    uint32_t (*number)(const struct packet *packet);
    unsigned number_bits;
    /* What tells the streams of one flow apart; not 0, which is the whole flow's. NULL: it has one,
     * whose name is the flow's number. */
    uint32_t (*id)(const struct packet *packet);
    /* Takes a packet that looks right, of a stream of its kind; as recognise_told(). apart: another
     * of the flow came since the stream's last. The arrival has all that does not depend on the
     * train. */
    int (*take)(struct pprec *pprec, struct flow *stream, const struct packet *packet, bool apart,
                struct pprec_arrival *arrival);
};

extern const struct recogniser recognise_rtp;
extern const struct recogniser recognise_srt;
extern const struct recogniser recognise_udpst; /* stamped.c */
extern const struct recogniser recognise_iperf3;
extern const struct recogniser recognise_iperf3_long;
extern const struct recogniser recognise_iperf2;
extern const struct recogniser recognise_stamp;

/* Packets of a flow that is nothing of the above. */
void recognise_plain(struct pprec *pprec, struct flow *flow, const struct packet *packet,
                     struct pprec_arrival *arrival);

#endif
