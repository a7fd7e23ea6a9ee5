/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the gaps of one train stand on teeth as far apart each, with nothing in between: ticks, or packets of one
 * size of which some come between any two of ours. A host scatters gaps over all that lies between. */
#ifndef FILTERS_TEETH_H
#define FILTERS_TEETH_H

#include "filters/moments.h"

#include <stdbool.h>

struct teeth {
    double low_ns;   /* the lowest one */
    double apart_ns; /* 0: they do not */
    bool in_runs;    /* two in a row stand on the lowest, two on the next, again and again, and none higher:
                        packets at a constant rate are in some gaps, or missing in some, but not both in a row */
    bool scattered;  /* on more of them than a clock leaves, which sends packets of one rate one of two
                        steps apart */
    double mean_ns;  /* of all gaps, wherever they stand ... */
    double error_ns; /* ... and its error, if no gap made up for another */
};

/* Of gaps, and what all of them extend over, without the first: a late stamp or a bucket may have made it. What stamps in ticks
 * make of one tooth is none. */
struct teeth teeth_read(const double *gap_ns, const struct extent *all, double tick_ns);

#endif
