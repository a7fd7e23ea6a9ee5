/* SPDX-License-Identifier: BSD-3-Clause */
/* When to work out an estimate anew. Working it out costs O(window log window);
 * doing so at every train while there are few, and then after a share of the
 * window's content is new, makes that O(log window) a train. */
#ifndef FILTERS_PACE_H
#define FILTERS_PACE_H

#include <stdbool.h>

/* An eighth of new content moves no quantile or minimum far; what is beyond
 * PACE_SETTLED readings moves them less yet, and a quarter of it will do. */
enum { PACE_SHARE = 8, PACE_SETTLED = 128, PACE_SETTLED_SHARE = 4 };

struct pace {
    unsigned waited;
};

/* Counts a train; count: trains in the window. */
static inline bool pace_due(struct pace *pace, unsigned count)
{
    unsigned settled = count > PACE_SETTLED ? count - PACE_SETTLED : 0;

    if (++pace->waited < 1 + count / PACE_SHARE + settled / PACE_SETTLED_SHARE)
        return false;
    pace->waited = 0;
    return true;
}

#endif
