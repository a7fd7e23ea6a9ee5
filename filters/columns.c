/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/columns.h"

#include "filters/moments.h"
#include "filters/skew.h"

#include <math.h>

/* No clock that anyone steers runs off faster: 500 ppm (RFC 5905), ns/s. */
#define SKEW_MOST 5e5

/* What arrived as it left could have been closer, for all that the path did: where most
 * readings are of that kind they are a bound, and else they say nothing. */
static bool mostly_limited(const struct readings *readings, unsigned from, uint32_t bytes)
{
    int more = 0;

    for (unsigned i = from; i < readings->count; i++)
        if (readings_at(readings, i)->bytes == bytes)
            more += readings_at(readings, i)->limited ? 1 : -1;
    return more >= 0;
}

/* As if it had carried so many bytes: the gap in proportion, and the first packet would have
 * taken longer by as much. (On faster links a little longer yet: a few bytes of it.) */
static void add(struct columns *columns, const struct reading *reading, uint32_t bytes)
{
    double gap_ns = reading->gap_ns * ((double)bytes / reading->bytes);

    columns->at[columns->count] = reading->at_s;
    columns->delay[columns->count] = reading->delay_ns + gap_ns - reading->gap_ns;
    columns->gap[columns->count++] = gap_ns;
}

void columns_load(struct columns *columns, const struct readings *readings, unsigned from,
                  const struct scratch *scratch, struct floor *floor)
{
    uint16_t segment;
    bool limited;

    *columns = (struct columns){
        .at = scratch->numbers,
        .delay = scratch->numbers + scratch->room,
        .gap = scratch->numbers + 2 * scratch->room,
        .scratch = scratch->numbers + 3 * scratch->room,
        .sums = scratch->keys,
        .delays = true,
    };
    if (readings->count == 0)
        return;
    floor->bytes = readings_commonest(readings, from);
    segment = readings_segment(readings, from);
    limited = mostly_limited(readings, from, floor->bytes);
    for (unsigned i = from; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (!sizes_alike(reading->bytes, floor->bytes) || reading->segment != segment
            || (reading->limited && !limited))
            continue;
        add(columns, reading, floor->bytes);
        columns->delays = columns->delays && !isnan(reading->delay_ns);
    }
    floor->segment = segment;
}

/* How far the third-lowest of some sums lies above the lowest, which is returned. */
static double lowest_of(const double *numbers, const double *added, unsigned count,
                        double *depth)
{
    double least[FLOOR_LEAST] = {INFINITY, INFINITY, INFINITY};

    for (unsigned i = 0; i < count; i++) {
        double number = numbers[i] + (added ? added[i] : 0);

        for (unsigned k = 0; k < FLOOR_LEAST; k++)
            if (number < least[k]) {
                double next = least[k];

                least[k] = number;
                number = next;
            }
    }
    *depth = least[FLOOR_LEAST - 1] - least[0];
    return least[0];
}

void columns_deskew(struct columns *columns, struct floor *floor)
{
    if (columns->count >= SKEW_LEAST)
        floor->slope = skew_slope(columns->at, columns->delay, columns->count,
                                  (uint32_t *)columns->scratch);
    if (fabs(floor->slope) > SKEW_MOST)
        floor->slope = 0;
    for (unsigned i = 0; i < columns->count; i++) {
        columns->delay[i] -= floor->slope * columns->at[i];
        columns->sums[i] =
            (struct sort_key){2 * columns->delay[i] + columns->gap[i], i};
    }
    sort_keys(columns->sums, columns->count);
    floor->sum_ns = columns->sums[0].value;
    floor->first_ns = lowest_of(columns->delay, NULL, columns->count, &floor->first_deep_ns);
    floor->apart_ns = lowest_of(columns->delay, columns->gap, columns->count,
                                &floor->second_deep_ns) - floor->first_ns;
}

/* Mean of the gaps within reach of the middle, its interval, and how many. */
unsigned columns_average(const double *gaps, unsigned count, double middle, double reach,
                        struct floor *floor)
{
    double sum = 0, squares = 0, mean;
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++) {
        double off = gaps[i] - middle;

        if (fabs(off) > reach)
            continue;
        n++;
        sum += off;
        squares += off * off;
    }
    if (n == 0)
        return 0;
    mean = sum / n;
    floor->gap_ns = middle + mean;
    floor->error_ns = n > 1
        ? student(n) * sqrt(fmax(squares / n - mean * mean, 0) / (n - 1))
        : reach;
    /* Stamps in ticks: where n gaps came out alike, the share that would have come out
     * one tick off is below 3 / n (the rule of three). */
    floor->error_ns += CLOCK_ERROR * floor->gap_ns + 3 * floor->tick_ns / n;
    return n;
}
