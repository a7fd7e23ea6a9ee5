/* SPDX-License-Identifier: BSD-3-Clause */
#include "gaps.h"

#include <stddef.h>

/* Below 128 a bucket a nanosecond; then the seven leading bits choose: 64
 * buckets for each power of two. */
enum { OCTAVE_BITS = 6, OCTAVE = 1 << OCTAVE_BITS };
#define MOST_NS ((INT64_C(1) << 41) - 1)

static unsigned shift_of(int64_t ns)
{
    int top_bit = 63 - __builtin_clzll((unsigned long long)ns | 1);

    return top_bit > OCTAVE_BITS ? (unsigned)(top_bit - OCTAVE_BITS) : 0;
}

static size_t gaps_bucket_of(int64_t ns)
{
    unsigned shift;

    ns = ns < 0 ? 0 : ns > MOST_NS ? MOST_NS : ns;
    shift = shift_of(ns);
    return (size_t)(ns >> shift) + shift * OCTAVE;
}

static int64_t middle_ns(size_t bucket)
{
    unsigned shift = bucket < 2 * OCTAVE ? 0 : (unsigned)(bucket / OCTAVE) - 1;
    int64_t low_ns = (int64_t)(bucket - (size_t)shift * OCTAVE) << shift;

    return low_ns + ((INT64_C(1) << shift) - 1) / 2;
}

void gaps_add(struct gaps *gaps, int64_t gap_ns)
{
    gap_ns = gap_ns < 0 ? 0 : gap_ns;
    if (gaps->count == 0 || gap_ns < gaps->least_ns)
        gaps->least_ns = gap_ns;
    gaps->count++;
    gaps->buckets[gaps_bucket_of(gap_ns)]++;
}

int64_t gaps_median_ns(const struct gaps *gaps)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < GAPS_BUCKETS; i++) {
        seen += gaps->buckets[i];
        if (seen > 0 && 2 * seen >= gaps->count)
            return middle_ns(i) > gaps->least_ns ? middle_ns(i) : gaps->least_ns;
    }
    return -1;
}

uint64_t gaps_above(const struct gaps *gaps, int64_t limit_ns)
{
    uint64_t above = 0;

    for (size_t i = gaps_bucket_of(limit_ns) + 1; i < GAPS_BUCKETS; i++)
        above += gaps->buckets[i];
    return above;
}
