/* SPDX-License-Identifier: BSD-3-Clause */
/* The last so many numbers, kept in the order of their size: quantiles of a
 * window without sorting it anew. */
#ifndef FILTERS_RANKED_H
#define FILTERS_RANKED_H

#include <stddef.h>

struct ranked {
    unsigned room;
    unsigned count;
    unsigned oldest;
    double values[]; /* [room] by age, a ring; then [room] by size */
};

size_t ranked_bytes(unsigned room);
void ranked_init(struct ranked *ranked, unsigned room);

/* Takes a number; past room the oldest one goes. A binary search and a move of
 * at most room numbers. */
void ranked_push(struct ranked *ranked, double value);

/* Forgets the oldest number; there must be one. */
void ranked_drop(struct ranked *ranked);

/* Both at once: takes a number and forgets the oldest, which there must be. */
void ranked_replace(struct ranked *ranked, double value);

/* For windows that take numbers far more often than they are looked at: adds one,
 * past room in place of the oldest, and leaves the order to ranked_sort(). Until
 * then nothing but another ranked_append() may be done to it. */
void ranked_append(struct ranked *ranked, double value);
void ranked_sort(struct ranked *ranked);

/* The i-th smallest, i < count. */
double ranked_at(const struct ranked *ranked, unsigned i);

/* The quantile at share 0..1, interpolated between the nearest ranks (type 7 of
 * Hyndman and Fan 1996); 0 when there is no number. */
double ranked_quantile(const struct ranked *ranked, double share);

#endif
