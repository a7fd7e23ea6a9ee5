/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains with shorter heads: where nearly all go on at one rate, and nearly all pairs are faster, what makes pairs short
 * (a first stamp that is late, a small bucket) is at the head of each train alone. */
#ifndef FILTERS_LATER_H
#define FILTERS_LATER_H

#include "filters/statistics.h"
#include "filters/witness.h"

/* In place of what was weighed, if that is not believed. Trains at ticks or in batches have gaps
 * of other kinds and are not asked. */
struct witness later_weigh(const struct seen *seen, const struct statistics *statistics,
                           const struct witness *pairs, const struct witness *weighed);

#endif
