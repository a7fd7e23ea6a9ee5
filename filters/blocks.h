/* SPDX-License-Identifier: BSD-3-Clause */
/* What lets packets go in blocks: an aggregating radio, power lines, a host that reads all that has come and then writes it. No
 * link that passes packets one after the other delays the first two for what follows them. Where the second packets of long trains
 * come later than those of pairs, something gathers what it lets go together; within a block gaps are those of the link behind. */
#ifndef FILTERS_BLOCKS_H
#define FILTERS_BLOCKS_H

#include "filters/statistics.h"

struct blocks {
    double later_ns;  /* second packets of long trains come so much later; 0: not surely, or nobody knows */
    double gap_ns;    /* of these trains, for a packet of ... */
    double bytes;     /* ... so many */
    unsigned packets; /* of the longest */
};

struct blocks blocks_read(const struct seen *seen, const struct statistics *statistics);

/* The gap of the link that fills blocks, if this one, for as many bytes, is that of the link behind; 0: it need not be. */
double blocks_gap_ns(const struct blocks *blocks, double gap_ns);

#endif
