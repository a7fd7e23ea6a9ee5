/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/denial.h"

#include "filters/moments.h"
#include "filters/same.h"

/* What readings of other sizes must say of a gap that nearly all of one size agree
 * on: the same rate. Interrupts that wait, ticks and buckets do not ask for the size. */
enum { OTHERS_LEAST = 3 };

/* A bucket with room for smaller packets spares all of them, and most of the time they
 * would take; traffic spares some, or a little. */
#define SPARED 0.9
#define SPARED_GAP 0.7

struct others {
    unsigned count, spared, differ;
};

static void count_others(const struct readings *readings, unsigned from, const struct floor *floor,
                         struct others *others)
{
    *others = (struct others){0};
    for (unsigned i = from; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);
        double due_ns = floor->gap_ns * reading->bytes / floor->bytes;

        if (sizes_alike(reading->bytes, floor->bytes) || reading->segment != floor->segment)
            continue;
        others->count++;
        others->differ += !same_gap(reading->gap_ns, due_ns, SAME_SIZES, floor->noise_ns);
        others->spared += reading->gap_ns < SPARED_GAP * due_ns - floor->noise_ns;
    }
}

enum sizes sizes_read(const struct readings *readings, unsigned from,
                      const struct floor *floor)
{
    struct others others;

    count_others(readings, from, floor, &others);
    if (others.count < OTHERS_LEAST)
        return SIZES_AGREE;
    if (others.spared >= SPARED * others.count)
        return SIZES_SPARED;
    return floor->unanimous && 2 * others.differ > others.count ? SIZES_DIFFER : SIZES_AGREE;
}

bool sizes_bear_out(const struct readings *readings, const struct floor *floor)
{
    struct others others;

    count_others(readings, 0, floor, &others);
    return others.count >= OTHERS_LEAST && 2 * others.differ <= others.count;
}

/* Behind a queue, and nothing else, the last gap of a train is no other than the first,
 * on average. A bucket, or a sender that starts fast, make it longer. */

static bool tails_differ(const struct readings *readings, unsigned from,
                         const struct noise *noise, const struct floor *floor)
{
    struct moments longer = {0};

    for (unsigned i = from; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (!isnan(reading->last_ns) && reading->bytes == floor->bytes)
            moments_add(&longer, reading->last_ns - reading->gap_ns);
    }
    return longer.count >= OTHERS_LEAST && floor->mean_ns > BATCHED_TICKS * noise->tick_ns
        && fabs(longer.mean) > 3 * moments_error(&longer)
            + same_reach(floor->mean_ns, SAME_ENDS, noise_late_ns(noise, floor->mean_ns));
}

/* Whether the trains that the readings are the heads of came in batches. */
static bool are_batched(const struct readings *readings, unsigned from)
{
    unsigned batched = 0;

    for (unsigned i = from; i < readings->count; i++)
        batched += readings_at(readings, i)->batched;
    return 2 * batched > readings->count - from;
}

bool denial_found(const struct readings *readings, unsigned from, const struct noise *noise,
                  const struct floor *floor)
{
    return are_batched(readings, from) || tails_differ(readings, from, noise, floor);
}
