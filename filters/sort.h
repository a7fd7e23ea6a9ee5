/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without memory of its own: qsort() may allocate. */
#ifndef FILTERS_SORT_H
#define FILTERS_SORT_H

#include <stdint.h>

/* Ascending, in place. */
void sort_numbers(double *values, unsigned count);

/* Of values in ascending order; count > 0. */
static inline double sort_quartiles_apart(const double *sorted, unsigned count)
{
    return sorted[count * 3 / 4] - sorted[count / 4];
}

/* A number and whose it is: sorted together, they need no looking up. */
struct sort_key {
    double value;
    uint32_t index;
};

void sort_keys(struct sort_key *keys, unsigned count);

#endif
