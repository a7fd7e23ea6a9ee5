/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether one train was let go by a clock: at the ticks of a shaper's timer, as many bytes
 * as an exact rate allows, and no cross traffic in between. */
#ifndef FILTERS_TICKS_H
#define FILTERS_TICKS_H

#include "filters/moments.h"

#include <stdbool.h>

/* Of fewer packets random traffic too often looks like it. */
enum { TICKS_LEAST_PACKETS = 32 };

struct ticks {
    bool found;
    double tick_ns; /* longest gap less the shortest, whether found or not */
    double share;   /* when found: the clock's gap, as a share of the mean from first packet
                       to last; a bucket that let the first ones pass makes it more */
};

/* When the packets of a train came, in that order, none missing; the gap before each but the first; and what all gaps but
 * the first two of these extend over. Three packets or more, SAMPLE_PACKETS_MOST at most. */
void ticks_read(const double *at_ns, const double *gap_ns, const struct extent *all, struct ticks *ticks);

#endif
