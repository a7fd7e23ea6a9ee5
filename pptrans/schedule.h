/* SPDX-License-Identifier: BSD-3-Clause */
/* When trains leave. Pure: time comes in as an argument. */
#ifndef PPTRANS_SCHEDULE_H
#define PPTRANS_SCHEDULE_H

#include <stdint.h>

enum schedule_spacing {
    SCHEDULE_UNIFORM, /* the delay, up to a tenth more or less */
    SCHEDULE_POISSON  /* exponential intervals (RFC 2330, section 11.1.1) */
};

struct schedule {
    enum schedule_spacing spacing;
    double due_ns; /* of the next train; fractions add up over a long run */
    uint64_t random;
};

/* The first train is due at start_ns. */
void schedule_init(struct schedule *schedule, enum schedule_spacing spacing, int64_t start_ns, uint64_t seed);

/* When the next train is due, on the clock of start_ns. */
int64_t schedule_due_ns(const struct schedule *schedule);

/* The due train has left, at now_ns: appoints the one after it, delay_ms later on average.
 * Intervals are counted from when it was due, so that being late does not lengthen the mean;
 * after a long stop (suspended host, stopped process) the missed trains are
 * let go instead of being sent in one burst. */
void schedule_advance(struct schedule *schedule, double delay_ms, int64_t now_ns);

/* The train that was due took time to leave, and has left now: the interval to the next one counts
 * from here. Before schedule_advance(). */
void schedule_restart(struct schedule *schedule, int64_t now_ns);

#endif
