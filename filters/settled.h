/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains whose gaps scatter, and make up for it: what is late in one gap is early in the next.
 * Late stamps, timers and interrupts do that; what gets in between stays. So trains tell the
 * rate, and how much of what pairs show is the host's doing. */
#ifndef FILTERS_SETTLED_H
#define FILTERS_SETTLED_H

#include "filters/statistics.h"
#include "filters/witness.h"

struct settled {
    struct mean gap;    /* of the last three quarters of trains, the middle one; n is 0: they do not
                          make up for it, or are too few */
    double spread_ns;   /* of single gaps, standard deviation, in the middle one of the trains */
    double short_share; /* of their gaps */
};

/* Of the longest trains, of packets of that size. */
struct settled settled_read(const struct shapes *shapes, uint32_t bytes);

/* By what share of them traffic may have lengthened the gaps of the longest trains, if its packets
 * are of the least size: the middle one. 0 where they are too short to tell. */
double settled_added(const struct shapes *shapes);

/* Where they are to be believed, whatever pairs say, what they do: ORIGIN_SETTLED. The same, and
 * what is against it, where pairs say otherwise and only they may be wrong. Else what pairs do. */
struct witness settled_weigh(const struct seen *seen, const struct statistics *statistics,
                             const struct witness *pairs);

/* Whether what scatters the gaps of the longest trains adds up over them, as traffic does: then
 * stamps are not what it is. False as well where they are too short to tell. */
bool settled_adds_up(const struct shapes *shapes);

#endif
