/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains of even gaps: nothing got in between, so they tell the rate by themselves. */
#ifndef FILTERS_EVEN_H
#define FILTERS_EVEN_H

#include "filters/statistics.h"
#include "filters/witness.h"

/* Nine in ten first packets, of many things that are asked of them. */
#define EVEN_SHARE 0.9

/* Behind traffic that stretches trains first packets wait as well. Share of those that wait no
 * longer than this, but for those that wait for our own; a bucket lets the first one pass. */
double even_share_below(const struct seen *seen, const struct floors *pairs, double wait_ns);

/* Where trains of even gaps are to be believed, whatever pairs say, what they do: ORIGIN_EVEN. Else
 * what pairs do, off by as much as a few such trains are. */
struct witness even_weigh(const struct seen *seen, const struct statistics *statistics,
                          const struct witness *pairs);

/* A better guess than what pairs say and is not believed: what trains of even gaps do, or those
 * that left in no time and agree from end to end. */
struct witness even_guess(const struct seen *seen, const struct statistics *statistics,
                          const struct witness *pairs);

#endif
