/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether trains show the rate that is told: it need not be that of most of them, but where none ends with it, or more
 * than a few are faster, it is not the path's. */
#ifndef FILTERS_SHOWN_H
#define FILTERS_SHOWN_H

#include "filters/seen.h"
#include "filters/statistics.h"
#include "filters/witness.h"

/* Traffic that comes at random leaves the commonest gap of some trains as it is, of nearly all where there is little;
 * and trains are faster as a whole only where they were compressed. */
#define HARDLY_ONE 0.1
#define NEARLY_ALL 0.8

struct shown {
    bool nowhere;   /* hardly one of the longest trains ends with it (curve.h, end_ns), or faster */
    bool mostly;    /* nearly all do, and hardly one train is faster as a whole */
    bool otherwise; /* some end with a longer gap that pairs do not have */
    bool faster;    /* more are, by what trains agree to */
};

/* Of pairs, or of whole trains: how many have a gap, a byte, that is less than that. */
unsigned shown_count_faster(const struct readings *readings, double byte_ns);

/* told: a gap. */
struct shown shown_read(const struct seen *seen, const struct candidate *told);

/* Hardly one train is faster that is longer than half of the longest: a batch may hold shorter ones, which are faster,
 * however the path is. */
bool shown_short_are_faster(const struct readings *longs, const struct candidate *told);

/* More second packets wait for nothing than where others take turns with ours. pairs: from these readings. */
bool shown_no_turns(const struct readings *readings, const struct floors *pairs);

/* All pairs that have the gap waited at their head: those whose first packet did not are longer, and not nearly all
 * trains have it. */
bool shown_caught_up(const struct seen *seen, const struct floors *pairs, const struct candidate *told);

/* Trains, and some pairs, take longer than that, and no smaller pair does: a bucket may have had room for those. */
bool shown_spares_smaller(const struct seen *seen, const struct statistics *statistics,
                          const struct floors *pairs, const struct candidate *told);

/* Notes all that for what is told, and drops what it says nothing of. */
void shown_weigh(const struct seen *seen, const struct statistics *statistics, const struct floors *pairs,
                 struct witness *witness);

#endif
