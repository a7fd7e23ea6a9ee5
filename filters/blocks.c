/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/blocks.h"

#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>

enum { BLOCKS_PAIRS = 10 };

/* Standard errors, as each estimate is one more test; packets that a block holds besides those two; and the part of a train's time
 * at the rate told that even a link of twice that rate takes to fill a block with all of it. */
#define LATER_SURELY 4
#define BLOCK_GAPS 2
#define LATER_FILLS 0.5

/* Delays of second packets, free of drift: first ones may find the medium idle. */
struct delays {
    double *of_pairs, *of_longs;
    unsigned pairs, longs;
};

static struct delays delays_of(const struct seen *seen, const struct statistics *statistics)
{
    struct delays delays = {.of_pairs = seen->scratch.numbers,
                            .of_longs = seen->scratch.numbers + seen->scratch.room};

    EACH_READING(reading, seen->pairs) {
        double delay_ns = reading_delay_ns(reading, statistics->slope_ns) + reading->gap_ns;

        if (!reading_counts_wait(reading, statistics->segment)
            || !sizes_alike(reading->bytes, statistics->bytes))
            continue;
        if (reading->longer)
            delays.of_longs[delays.longs++] = delay_ns;
        else if (isnan(reading->last_ns))
            delays.of_pairs[delays.pairs++] = delay_ns;
    }
    return delays;
}

/* How much more often a long train's is later than a pair's than not, in standard errors of that if both come from one distribution (Mann
 * and Whitney 1947). Both are in order. */
static double errors_later(const struct delays *delays)
{
    double longs = delays->longs, pairs = delays->pairs, later = 0;
    unsigned below = 0;

    for (unsigned i = 0; i < delays->longs; i++) {
        while (below < delays->pairs && delays->of_pairs[below] < delays->of_longs[i])
            below++;
        later += below;
    }
    return (later / (longs * pairs) - 0.5) / sqrt((longs + pairs + 1) / (12 * longs * pairs));
}

struct blocks blocks_read(const struct seen *seen, const struct statistics *statistics)
{
    struct delays delays;
    double later_ns;

    if (seen->longs->count < STATISTICS_TRAINS_LEAST || statistics->train.n < STATISTICS_TRAINS_LEAST)
        return (struct blocks){0};
    delays = delays_of(seen, statistics);
    if (delays.longs < STATISTICS_TRAINS_LEAST || delays.pairs < BLOCKS_PAIRS)
        return (struct blocks){0};
    sort_numbers(delays.of_pairs, delays.pairs);
    sort_numbers(delays.of_longs, delays.longs);
    later_ns = delays.of_longs[delays.longs / 2] - delays.of_pairs[delays.pairs / 2];
    if (later_ns <= noise_wait_ns(&seen->noise) || errors_later(&delays) <= LATER_SURELY)
        return (struct blocks){0};
    return (struct blocks){.later_ns = later_ns,
                           .gap_ns = statistics->train.value,
                           .bytes = statistics->bytes,
                           .packets = shapes_longest(&seen->shapes, seen->shapes.longest - 1)->sent};
}

/* Trains of several blocks have the gap of the link that fills them on average. Where a train is one block that link takes what the
 * block waits and takes. */
double blocks_gap_ns(const struct blocks *blocks, double gap_ns)
{
    if (blocks->later_ns <= BLOCK_GAPS * gap_ns)
        return 0;
    if (blocks->gap_ns > (1 + SAME_RIGHT) * gap_ns)
        return blocks->gap_ns;
    if (blocks->later_ns > LATER_FILLS * blocks->packets * gap_ns)
        return blocks->gap_ns + blocks->later_ns / blocks->packets;
    return 0;
}
