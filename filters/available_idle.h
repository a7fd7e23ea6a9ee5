/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a first packet met an empty path: the waits over the floor of the delays. */
#ifndef FILTERS_AVAILABLE_IDLE_H
#define FILTERS_AVAILABLE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* Fewer first packets show no share. */
enum { IDLE_LEAST = 16 };

/* First packets in order of time. hull, sorted: room for as many. */
struct idle_delays {
    const double *at_s;
    double *delay_ns;   /* idle_level() makes it the wait over the floor, free of skew */
    const bool *counts; /* left by chance, not right behind another train of ours */
    unsigned count;
    uint32_t *hull;
    double *sorted;
};

struct idle {
    unsigned n;                    /* packets that it rests on; 0: nothing is known */
    double share;                  /* on the floor */
    double error;                  /* one standard deviation: of chance and of the floor's width */
    double width_ns;               /* of the floor, as far as it was looked at */
    double queue_ns, queue_p95_ns; /* of all waits; negative: not known */
};

/* How wide the floor may be: no less than stamps tell, no more than what waits surely. */
struct idle_width {
    double least_ns, most_ns;
};

/* False when there are too few. */
bool idle_level(struct idle_delays *delays);

/* Of those from the index on; delays are levelled. */
struct idle idle_read(const struct idle_delays *delays, unsigned from, struct idle_width width);

/* The index since when waits are as they are now: 0 when they always were. width_ns: of the floor,
 * or 0. */
unsigned idle_since(const struct idle_delays *delays, double width_ns);

#endif
