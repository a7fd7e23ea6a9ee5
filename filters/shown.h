/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether trains show the rate that is told: it need not be that of most of them, but where none ends with it, it is
 * not the path's; and where trains of a few packets all go on with it, it is more than what the first two say. */
#ifndef FILTERS_SHOWN_H
#define FILTERS_SHOWN_H

#include "filters/seen.h"
#include "filters/witness.h"

/* How many of the longest trains end with it (curve.h, end_ns). */
struct shown {
    bool nowhere; /* hardly one so fast, or faster */
    bool mostly;  /* nearly all, and hardly one is faster as a whole */
};

struct shown shown_by_ends(const struct seen *seen, const struct candidate *told);

/* There are no long trains, but those of three packets and more go on with the rate told to their last gap, the longest
 * of them, too, and their second packets wait for nothing. pairs: their first two packets. */
bool shown_by_short(const struct seen *seen, const struct floors *pairs, const struct candidate *told);

#endif
