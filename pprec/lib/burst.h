/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of a flow that left together, as trains whose length is known only when
 * they end. The first one is held back until a second joins it: what comes alone
 * is no train, and founds no stream. */
#ifndef PPREC_LIB_BURST_H
#define PPREC_LIB_BURST_H

#include "pprec/core.h"

#include <stdbool.h>
#include <stdint.h>

/* One that has ended. */
struct burst_past {
    bool known;
    uint32_t train;
    int64_t first_ns;
    int64_t span_ns;
};

struct burst {
    bool open;         /* another packet may join */
    int32_t alone;     /* packets that came alone and are not counted yet; -1: a counted one is not alone */
    bool started;      /* train and number go on from the last ones */
    uint16_t position; /* of its last packet */
    uint32_t train;    /* number */
    uint32_t number;   /* of the next packet: those pushed, and those known lost */
    struct pprec_arrival first;
    int64_t last_ns;
    int64_t gap_ns;        /* before its last packet, ... */
    int64_t gap_before_ns; /* ... and before the one before; 0: there is none */
    int64_t departed_ns;   /* of its last packet */
    int64_t pause_ns;      /* the longest between departures; PPREC_UNKNOWN_NS: none known */
    uint8_t close;         /* of pauses so far: how often they were none */

    struct burst_past past; /* the last train before that which is open, or the last packet */

    /* what is known of how the last train left, told with the next one */
    bool told;
    uint32_t told_train;
    int64_t told_span_ns;
};

/* The packet is the first of what may become a burst; the one before has ended. As long as it is alone it counts
 * among the packets of its stream, once that is founded. */
void burst_begin(struct burst *burst, struct pprec *pprec, const struct pprec_arrival *arrival);

/* The packet belongs to the burst that is open. Kind, stream and addresses are
 * those of its first, and it gets train and numbers. As pprec_push(). */
int burst_join(struct burst *burst, struct pprec *pprec, struct pprec_arrival *arrival);

/* Whether a burst is open, not at its longest, and the packet of the size of the
 * others and soon after. One of another size, such as the rest of a frame, is
 * queued differently. */
bool burst_fits(const struct burst *burst, const struct pprec_arrival *arrival);

/* Whether the packet left with the others: one that its sender sent far later than these, or far
 * closer, begins a burst of its own. True where that is not known. To be asked once of each packet
 * that would join. */
bool burst_left_with(struct burst *burst, const struct pprec_arrival *arrival);

/* Nothing may join it any more. */
void burst_end(struct burst *burst);

/* The flow lost so many packets here. */
void burst_lose(struct burst *burst, uint32_t packets);

/* The last train left within span_ns; to be said before the next one begins. */
void burst_tell_departure(struct burst *burst, int64_t span_ns);

/* True when the last train filled most of the time until next_ns, the begin of the
 * next: its sender spread it, as far as can be told. */
bool burst_looks_paced(const struct burst *burst, int64_t next_ns);

/* Whether its packets, three at least, carry one departure. */
bool burst_left_as_one(const struct burst *burst);

/* The last train's time from first to last packet; 0 where there is none. */
int64_t burst_span_ns(const struct burst *burst);

#endif
