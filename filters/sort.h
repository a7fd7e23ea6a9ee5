/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without memory of its own: qsort() may allocate. */
#ifndef FILTERS_SORT_H
#define FILTERS_SORT_H

#include <stdint.h>

/* Ascending, in place. */
void sort_numbers(double *values, unsigned count);

/* Puts into order [count] the indices of keys, the one of the least key first. */
void sort_order(const double *keys, uint32_t *order, unsigned count);

#endif
