/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/later.h"

#include "filters/same.h"
#include "filters/shown.h"

enum { LATER_LEAST = 5 };

static bool pairs_are_faster(const struct readings *pairs, double byte_ns)
{
    return pairs->count >= LATER_LEAST
        && shown_count_faster(pairs, (1 - SAME_RATE) * byte_ns) >= NEARLY_ALL * pairs->count;
}

/* Two links side by side let every other gap be long, and batches every one between two: then trains are faster than
 * most of their gaps. Or may be, where none is long enough to tell. */
static bool trains_are_faster(const struct shapes *shapes, double byte_ns)
{
    struct moments behind = {0};

    EACH_LONGEST(shape, shapes)
        moments_add(&behind, shape_later_gap_ns(shape) / shape->bytes);
    return behind.mean < (1 - SAME_RATE) * byte_ns;
}

/* How many there are now. */
static unsigned add_last(const struct readings *readings, double *byte_ns, unsigned n)
{
    EACH_READING(reading, readings)
        if (!isnan(reading->last_ns))
            byte_ns[n++] = (double)reading->last_ns / reading->bytes;
    return n;
}

/* The gap, a byte, that nearly all trains go on with, the shortest as well; n 0: they do not agree. In ticks of stamps
 * the commonest one is nearly the same in all of them, and off by up to one. */
static struct mean read_later(const struct seen *seen)
{
    double *byte_ns = seen->scratch.numbers, middle_ns;
    struct moments alike = {0};
    unsigned n = add_last(seen->longs, byte_ns, 0);

    n = add_last(seen->pairs, byte_ns, n);
    if (n < LATER_LEAST)
        return (struct mean){0};
    middle_ns = sort_nth(byte_ns, n, n / 2);
    for (unsigned i = 0; i < n; i++)
        if (same_gap(byte_ns[i], middle_ns, SAME_RATE, 0))
            moments_add(&alike, byte_ns[i]);
    return alike.count < NEARLY_ALL * n ? (struct mean){0} : moments_mean(&alike);
}

struct witness later_weigh(const struct seen *seen, const struct statistics *statistics,
                           const struct witness *pairs, const struct witness *weighed)
{
    struct mean later;
    struct witness witness;

    if (statistics->span.ticked || statistics->batched || witness_believed(weighed, &seen->noise))
        return *weighed;
    later = read_later(seen);
    if (later.n == 0 || !pairs_are_faster(seen->pairs, later.gap_ns)
        || trains_are_faster(&seen->shapes, later.gap_ns))
        return *weighed;
    later.gap_ns *= pairs->floors.bytes;
    later.error_ns = later.error_ns * pairs->floors.bytes + seen->noise.tick_ns;
    witness = witness_of_trains(&later, seen->longs, pairs, &seen->noise);
    witness.candidate.below_ns = 0; /* pairs are off, by their heads */
    witness.candidate.origin = ORIGIN_LATER;
    return witness;
}
