/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without memory of its own: qsort() may allocate. */
#ifndef FILTERS_SORT_H
#define FILTERS_SORT_H

#include <stdint.h>

/* Ascending, in place. */
void sort_numbers(double *values, unsigned count);

/* A number and whose it is: sorted together, they need no looking up. */
struct sort_key {
    double value;
    uint32_t index;
};

void sort_keys(struct sort_key *keys, unsigned count);

#endif
