/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without memory of its own: qsort() may allocate. Of values that are no numbers it makes any order. */
#ifndef FILTERS_SORT_H
#define FILTERS_SORT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Ascending, in place. */
void sort_numbers(double *values, unsigned count);

/* The one that would be at n, were they in order; puts them in some other. n < count. */
double sort_nth(double *values, unsigned count, unsigned n);

/* Of values in ascending order; count > 0. */
static inline double sort_quartiles_apart(const double *sorted, unsigned count)
{
    return sorted[count * 3 / 4] - sorted[count / 4];
}

/* Of normal values quartiles are so many standard deviations apart, and the middle one is so much further off than
 * their mean. */
#define SORT_QUARTILES 1.349
#define SORT_MIDDLE 1.25

/* Standard error of the middle one. */
static inline double sort_middle_error(const double *sorted, unsigned count)
{
    return SORT_MIDDLE * sort_quartiles_apart(sorted, count) / SORT_QUARTILES / sqrt(count);
}

/* How many of them are smaller than value, or not larger. */
static inline unsigned sort_rank(const double *sorted, unsigned count, double value, bool or_equal)
{
    unsigned low = 0;

    while (low < count) {
        unsigned middle = low + (count - low) / 2;

        if (sorted[middle] < value || (or_equal && sorted[middle] == value))
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* A number and whose it is: sorted together, they need no looking up. */
struct sort_key {
    double value;
    uint32_t index;
};

void sort_keys(struct sort_key *keys, unsigned count);

/* The same from the least on, and no further than is asked for (incremental quicksort, Paredes and Navarro
 * 2006). Invariant: the first count keys are where they belong, and each part, the last one first, goes from
 * there, or from the end of the part after it, to its own end. Of one count of keys there are no more parts
 * than splits. */
enum { SORT_SPLITS = 64 };

struct sort_order {
    struct sort_key *keys;
    unsigned count, left; /* in order; parts that are not */
    struct sort_part {
        unsigned end, splits;
    } parts[SORT_SPLITS + 1];
};

void sort_begin(struct sort_order *order, struct sort_key *keys, unsigned count);

/* Puts some more in order; not once all are. */
void sort_more(struct sort_order *order);

/* The n-th; n < how many there are. */
static inline const struct sort_key *sort_at(struct sort_order *order, unsigned n)
{
    while (n >= order->count)
        sort_more(order);
    return &order->keys[n];
}

#endif
