/* SPDX-License-Identifier: BSD-3-Clause */
/* When to work out an estimate anew. Working it out costs O(window log window);
 * doing so at every train while there are few, and then once in every
 * PACE_SHARE-th of the window's content, makes that O(log window) a train. */
#ifndef FILTERS_PACE_H
#define FILTERS_PACE_H

#include <stdbool.h>

/* An eighth of new content moves no quantile or minimum far. */
enum { PACE_SHARE = 8 };

struct pace {
    unsigned waited;
};

/* Counts a train; count: trains in the window. */
static inline bool pace_due(struct pace *pace, unsigned count)
{
    if (++pace->waited < 1 + count / PACE_SHARE)
        return false;
    pace->waited = 0;
    return true;
}

#endif
