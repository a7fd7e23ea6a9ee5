/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside turns: what the pairs with the fewest of others' packets in between tell of the link. */
#ifndef FILTERS_TURNS_SPARED_H
#define FILTERS_TURNS_SPARED_H

#include "filters/statistics.h"

/* A full packet's own time, by the lowest gaps that several pairs of a size share. 0: too few are smaller, or they are at
 * ticks, or all in proportion, as on a link without others. */
double turns_spared_ns(const struct seen *seen, const struct statistics *s);

#endif
