/* SPDX-License-Identifier: BSD-3-Clause */
/* A month's worth of durations in fixed memory: a histogram whose buckets grow
 * with their values, so that every quantile is right to 1 %. */
#ifndef PPTRANS_GAPS_H
#define PPTRANS_GAPS_H

#include <stdint.h>

enum { GAPS_BUCKETS = 2304 }; /* 64 an octave, up to 2^41 ns (36 minutes) */

struct gaps {
    uint64_t count;
    int64_t least_ns;
    uint64_t buckets[GAPS_BUCKETS];
};

/* *gaps of zeros is empty. Negative durations count as 0. */
void gaps_add(struct gaps *gaps, int64_t gap_ns);

/* The middle of the bucket that holds the median, but not below the least; -1
 * when empty. */
int64_t gaps_median_ns(const struct gaps *gaps);

/* How many lie above limit_ns, to the precision of a bucket. */
uint64_t gaps_above(const struct gaps *gaps, int64_t limit_ns);

#endif
