/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains of even gaps: nothing got in between, so they tell the rate by themselves. */
#ifndef FILTERS_EVEN_H
#define FILTERS_EVEN_H

#include "filters/weigh.h"

/* Nine in ten first packets, of many things that are asked of them. */
#define EVEN_SHARE 0.9

/* Behind traffic that stretches trains first packets wait as well. Share of those that wait no
 * longer than this, but for those that wait for our own; a bucket lets the first one pass. */
double even_share_below(const struct seen *seen, const struct floor *pairs, double wait_ns);

/* Whether trains of even gaps are to be believed, whatever pairs say; *pairs then tells what
 * they do. */
bool even_told(const struct seen *seen, const struct span *span, struct floor *pairs);

/* Gives a floor of pairs that is not believed a better guess: what trains of even gaps say, or
 * those that left in no time and agree from end to end. */
void even_guess(const struct seen *seen, const struct span *span, struct floor *floor);

#endif
