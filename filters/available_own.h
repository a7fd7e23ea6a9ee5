/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own trains are part of the load that first packets meet. */
#ifndef FILTERS_AVAILABLE_OWN_H
#define FILTERS_AVAILABLE_OWN_H

#include "filters/available_train.h"

/* For which share of the time each of our trains left, at which rate. */
struct own {
    double time_ns; /* from the first to the last of them */
    double bps;     /* on average */
    double busy;    /* share of the time in which one was leaving */
    bool random;    /* at times that nothing on the way can be in step with */
};

/* All 0 when they took no time. */
struct own own_read(const struct available_trains *trains);

/* Chance sends a train when none of ours is leaving; while one is, what is left over, or the rate
 * of the train if that is more, is taken: A = C (1 - busy) p0 + sum of busy_k max(A, R_k).
 * share: p0. Bit/s. */
double own_by_idle_share(const struct available_trains *trains, const struct own *own, double capacity_bps,
                         double share);

#endif
