/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the packets of a path queue, interval by interval: their one-way delays over the
 * floor (floor.h). Memory is fixed, and work per packet constant. */
#ifndef PPREC_LIB_QUEUEING_H
#define PPREC_LIB_QUEUEING_H

#include "pprec/lib/floor.h"

#include <stdint.h>

enum {
    QUEUEING_KEPT = 64,      /* of an interval with more packets as many, drawn by lot */
    QUEUEING_INTERVALS = 8,  /* that the trend is told from ... */
    QUEUEING_TREND_LEAST = 3 /* ... at least */
};

/* The middle of an interval's delays. */
struct queueing_middle {
    double at_ns, ns; /* since the floor's first packet */
};

struct queueing {
    struct floor floor;
    struct delay kept[QUEUEING_KEPT];
    struct delay most; /* the greatest of the interval */
    uint32_t timed;    /* packets of the interval */
    uint64_t random;
    struct delay first;                                 /* what the middles are since */
    struct queueing_middle middles[QUEUEING_INTERVALS]; /* the oldest first */
    unsigned middle_count;
};

/* Of one interval. */
struct queueing_figures {
    int64_t median_ns, most_ns; /* over the floor; 0 with none timed */
    double trend;               /* s/s; 0: not known */
    uint32_t timed;
};

/* All is zero at first. As floor_push(). */
void queueing_push(struct queueing *queueing, struct delay delay);

/* The delays to come are of other clocks. */
void queueing_begin_anew(struct queueing *queueing);

/* As floor_set_byte(). */
void queueing_set_byte(struct queueing *queueing, double byte_ns);

/* Ends the interval of that length. The trend is the median of the slopes between any two of
 * the last intervals' medians (Theil 1950, Sen 1968): every fourth of them may be wrong. */
struct queueing_figures queueing_end(struct queueing *queueing, int64_t interval_ns);

#endif
