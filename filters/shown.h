/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether trains show the rate that is told: it need not be that of most of them, but where none ends with it, it is
 * not the path's. */
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

/* More second packets wait for nothing than where others take turns with ours. pairs: from these readings. */
bool shown_no_turns(const struct readings *readings, const struct floors *pairs);

#endif
