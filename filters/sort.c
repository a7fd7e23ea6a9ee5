/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/sort.h"

/* Shell's sort with Ciura's gaps (2001), continued by 2.25: windows are small. */
static const unsigned gaps[] = {103032, 45792, 20352, 9045, 4020, 1750, 701, 301, 132, 57, 23, 10, 4, 1};

void sort_numbers(double *values, unsigned count)
{
    for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (unsigned i = gaps[g]; i < count; i++) {
            double value = values[i];
            unsigned j = i;

            for (; j >= gaps[g] && values[j - gaps[g]] > value; j -= gaps[g])
                values[j] = values[j - gaps[g]];
            values[j] = value;
        }
}

void sort_keys(struct sort_key *keys, unsigned count)
{
    for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (unsigned i = gaps[g]; i < count; i++) {
            struct sort_key key = keys[i];
            unsigned j = i;

            for (; j >= gaps[g] && keys[j - gaps[g]].value > key.value; j -= gaps[g])
                keys[j] = keys[j - gaps[g]];
            keys[j] = key;
        }
}
