/* SPDX-License-Identifier: BSD-3-Clause */
/* When to work out an estimate anew. Working it out costs O(window log window);
 * doing so at every train while there are few, and then after a share of the
 * window's content is new, makes that O(log window) a train. Trains may come faster
 * than anybody looks, though, and then even that is most of what their packets cost:
 * with many of them, not more often than every PACE_LEAST_NS of their time, as often as a screen
 * that moves shows another picture. */
#ifndef FILTERS_PACE_H
#define FILTERS_PACE_H

#include "filters/sample.h"

#include <stdbool.h>
#include <stdint.h>

/* An eighth of new content moves no quantile or minimum far; what is beyond
 * PACE_SETTLED readings moves them less yet, and half of it will do: an eighth and three more. */
enum { PACE_SHARE = 8, PACE_SETTLED = 128, PACE_SETTLED_SHARES = 3 };

#define PACE_LEAST_NS INT64_C(40000000)

/* So many trains have decided already, should no other come. */
enum { PACE_MANY = 64 };

struct pace {
    unsigned waited;
    int64_t worked_ns; /* time of the train at which it was last due */
};

/* Counts a train that arrived at now_ns; count: trains in the window. */
static inline bool pace_due(struct pace *pace, unsigned count, int64_t now_ns)
{
    unsigned settled = count > PACE_SETTLED ? count - PACE_SETTLED : 0;
    int64_t since_ns = sample_difference_ns(now_ns, pace->worked_ns);

    if (++pace->waited < 1 + (count + PACE_SETTLED_SHARES * settled) / PACE_SHARE)
        return false;
    if (count >= PACE_MANY && since_ns >= 0 && since_ns < PACE_LEAST_NS)
        return false;
    pace->waited = 0;
    pace->worked_ns = now_ns;
    return true;
}

/* Due at once, but for PACE_LEAST_NS. */
static inline void pace_hurry(struct pace *pace, unsigned window)
{
    pace->waited = window;
}

#endif
