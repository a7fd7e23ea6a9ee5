/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs find the capacity, trains diagnose: which of the two to believe. */
#ifndef FILTERS_WEIGH_H
#define FILTERS_WEIGH_H

#include "filters/statistics.h"
#include "filters/witness.h"

/* What all pairs say: to be read once, for weigh() and others. */
struct witness weigh_read_pairs(const struct seen *seen);

/* The gap that pairs and trains hold up together; floors.trains says which of them it was
 * read from. */
struct witness weigh(const struct seen *seen, const struct statistics *statistics,
                     const struct witness *pairs);

#endif
