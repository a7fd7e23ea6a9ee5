/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair queueing: flows that never pause take turns with ours. */
#ifndef FILTERS_TURNS_H
#define FILTERS_TURNS_H

#include "filters/statistics.h"

/* A packet's gap behind such a queue, and in a train. */
struct turns {
    double gap_ns;   /* of the link */
    double error_ns; /* half width of its 95 % interval */
    double share_ns; /* mean gap of a long train */
    bool told;       /* some packets came at the rate of the link; else gap_ns is the train's */
};

bool turns_found(const struct seen *seen, const struct floor *pairs,
                 const struct statistics *statistics, struct turns *turns);

#endif
