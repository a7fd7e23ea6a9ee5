/* SPDX-License-Identifier: BSD-3-Clause */
/* First stamps that are late: what they may take from a gap that pairs tell. */
#ifndef FILTERS_LATE_H
#define FILTERS_LATE_H

#include "filters/statistics.h"
#include "filters/witness.h"

/* By how much the gap may be longer, as later gaps of trains bound it; 0 where pairs are a bound
 * themselves. */
double late_above(const struct seen *seen, const struct witness *pairs);

/* A guess of the pairs' gap, where trains tell another one and pairs deny it: traffic lengthens trains and late stamps
 * shorten pairs, so it is between the two, where later gaps agree. n is 0 where none do, or trains keep a clock or come in batches,
 * whose gaps are nobody's rate. */
struct mean late_guess(const struct seen *seen, const struct statistics *statistics,
                       const struct witness *pairs, const struct witness *told);

#endif
