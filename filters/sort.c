/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/sort.h"

static const unsigned gaps[] = {103032, 45792, 20352, 9045, 4020, 1750, 701, 301, 132, 57, 23, 10, 4, 1};

enum { GAPS = sizeof gaps / sizeof *gaps };

/* Up to so many items insertion is the fastest; less than such a part before the pivot means that many
 * may equal it. */
enum { QUICK_LEAST = 16, QUICK_EQUAL = 8 };

#define ITEM double
#define BEFORE(a, b) ((a) < (b))
#define QUICK(name) quick_numbers_##name
#include "filters/quicksort.inc"

#define ITEM struct sort_key
#define BEFORE(a, b) ((a).value < (b).value)
#define QUICK(name) quick_keys_##name
#include "filters/quicksort.inc"

/* Twice as many as it takes if each halves what is left. */
static unsigned splits_of(unsigned count)
{
    unsigned splits = 0;

    for (; count > 0; count /= 2)
        splits += 2;
    return splits;
}

void sort_numbers(double *values, unsigned count)
{
    quick_numbers_sort(values, count, splits_of(count));
}

double sort_nth(double *values, unsigned count, unsigned n)
{
    while (count > QUICK_LEAST) {
        double pivot =
            quick_numbers_middle(values[count / 4], values[count / 2], values[count - 1 - count / 4]);
        unsigned less = quick_numbers_split(values, count, pivot, false);
        unsigned end = less + quick_numbers_split(values + less, count - less, pivot, true);

        if (n >= less && n < end)
            return pivot;
        if (n < less) {
            count = less;
        } else {
            values += end;
            count -= end;
            n -= end;
        }
    }
    quick_numbers_finish(values, count);
    return values[n];
}

void sort_keys(struct sort_key *keys, unsigned count)
{
    quick_keys_sort(keys, count, splits_of(count));
}
