/* SPDX-License-Identifier: BSD-3-Clause */
/* The last so many numbers in the order of their size: quantiles of a window
 * without sorting it anew.
 *
 * What comes and goes is put in its place a sixteenth of the window at a time, in one
 * pass: a number by itself is a search and a move all over a memory that, of one window
 * among thousands, is in no cache. */
#ifndef FILTERS_RANKED_H
#define FILTERS_RANKED_H

#include <stdbool.h>
#include <stddef.h>

struct ranked {
    unsigned room;
    unsigned count;   /* in order */
    unsigned pending; /* newer than those */
    unsigned next;    /* where in the ring the next one goes */
    double values[];  /* a ring by age: [room], and pending ones; then [room] by size */
};

size_t ranked_bytes(unsigned room);
void ranked_init(struct ranked *ranked, unsigned room);

/* Takes a number; past room the oldest one goes. True when all were put in order. */
bool ranked_push(struct ranked *ranked, double value);

/* Puts in order what is pending. */
void ranked_sort(struct ranked *ranked);

/* Pushes the numbers of another one, the oldest first. */
void ranked_copy(struct ranked *to, const struct ranked *from);

/* Numbers in ascending order, somebody else's. */
struct sorted {
    const double *values;
    unsigned count;
};

/* Those that are in order. */
struct sorted ranked_sorted(const struct ranked *ranked);

/* The quantile at share 0..1, interpolated between the nearest ranks (type 7 of
 * Hyndman and Fan 1996); 0 when there is no number. */
double sorted_quantile(struct sorted sorted, double share);

#endif
