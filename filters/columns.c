/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/columns.h"

#include "filters/mode.h"
#include "filters/moments.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>

/* No clock that anyone steers runs off faster: 500 ppm (RFC 5905), ns/s. */
#define SKEW_MOST 5e5

/* As if it had carried so many bytes: the gap in proportion, and the first packet would have
 * taken longer by as much. (On faster links a little longer yet: a few bytes of it.) */
static void columns_add(struct columns *columns, const struct reading *reading, uint32_t bytes)
{
    double gap_ns = reading->gap_ns * ((double)bytes / reading->bytes);

    columns->at[columns->count] = reading->at_s;
    columns->delay[columns->count] = reading->delay_ns + gap_ns - reading->gap_ns;
    columns->gap[columns->count++] = gap_ns;
}

void columns_load(struct columns *columns, const struct readings *readings, unsigned from,
                  const struct scratch *scratch)
{
    bool limited;

    *columns = (struct columns){
        .at = scratch->numbers,
        .delay = scratch->numbers + scratch->room,
        .gap = scratch->numbers + 2 * scratch->room,
        .scratch = scratch->numbers + 3 * scratch->room,
        .sums = {.keys = scratch->keys},
        .sorted = scratch->numbers,
        .trains = readings->trains,
        .delays = true,
    };
    if (readings->count == 0)
        return;
    columns->bytes = readings_commonest(readings, from);
    columns->segment = readings_segment(readings, from);
    limited = readings_limited(readings, from, columns->bytes, columns->bytes);
    EACH_READING_FROM(reading, readings, from) {
        if (!sizes_alike(reading->bytes, columns->bytes) || reading->segment != columns->segment
            || (reading->limited && !limited))
            continue;
        columns_add(columns, reading, columns->bytes);
        columns->delays = columns->delays && !isnan(reading->delay_ns);
    }
}

/* --- Floors --- */

/* How far the third-lowest of some sums lies above the lowest, which is returned. */
static double lowest_of(const double *numbers, const double *added, unsigned count, double *depth)
{
    double least[FLOOR_LEAST] = {INFINITY, INFINITY, INFINITY};

    for (unsigned i = 0; i < count; i++) {
        double number = numbers[i] + (added ? added[i] : 0);

        if (number >= least[FLOOR_LEAST - 1])
            continue;
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

/* Takes the skew out of the delays; least_ns: of the sums. */
static double deskew(struct columns *columns, double *least_ns)
{
    struct sort_key *sums = columns->sums.keys;
    double slope = columns->count < SKEW_LEAST
        ? 0
        : skew_slope(columns->at, columns->delay, columns->count, (uint32_t *)columns->scratch);

    if (fabs(slope) > SKEW_MOST)
        slope = 0;
    *least_ns = INFINITY;
    for (unsigned i = 0; i < columns->count; i++) {
        columns->delay[i] -= slope * columns->at[i];
        sums[i].value = 2 * columns->delay[i] + columns->gap[i];
        sums[i].index = i;
        *least_ns = sums[i].value < *least_ns ? sums[i].value : *least_ns;
    }
    sort_begin(&columns->sums, sums, columns->count);
    return slope;
}

struct floors columns_floors(struct columns *columns, unsigned least)
{
    struct floors floors = {.count = columns->count,
                            .bytes = columns->bytes,
                            .segment = columns->segment,
                            .trains = columns->trains,
                            .delays = columns->delays};

    if (!columns->delays || columns->count < least)
        return floors;
    floors.slope = deskew(columns, &floors.sum_ns);
    floors.first_ns = lowest_of(columns->delay, NULL, columns->count, &floors.first_deep_ns);
    floors.apart_ns =
        lowest_of(columns->delay, columns->gap, columns->count, &floors.second_deep_ns) - floors.first_ns;
    return floors;
}

/* Pairs that leave at the ticks of a shaper agree on a number of ticks; but the floors of first and
 * second packets, each reached at some tick, are the true gap apart. */
bool floors_differ(const struct floors *floors, const struct noise *noise, double gap_ns)
{
    double reach_ns = same_reach(gap_ns, SAME_RATE, noise_gap_ns(noise));

    return !same_gap(floors->apart_ns, gap_ns, 0, reach_ns + noise->tick_ns);
}

/* --- Agreement --- */

struct mean columns_average(const double *gaps, unsigned count, double middle, double reach,
                            const struct noise *noise)
{
    double sum = 0, squares = 0, mean, error_ns, gap_ns;
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
        return (struct mean){0};
    mean = sum / n;
    gap_ns = middle + mean;
    error_ns = n > 1 ? student(n) * sqrt(fmax(squares / n - mean * mean, 0) / (n - 1)) : reach;
    /* Stamps in ticks: where n gaps came out alike, the share that would have come out
     * one tick off is below 3 / n (the rule of three). */
    error_ns += CLOCK_ERROR * gap_ns + 3 * noise->tick_ns / n;
    return (struct mean){gap_ns, error_ns, n};
}

/* What the stamps make of one gap: a tick and a half, or their noise as the densest readings
 * show it. */
#define AGREE_TICKS 1.5

static double agreement_ns(const struct columns *columns, const struct noise *noise, double gap_ns)
{
    unsigned part = columns->count / 4 > 3 ? columns->count / 4 : 3;
    unsigned from = mode_densest(columns->sorted, columns->count, part);
    double near_ns = 1.5 * (columns->sorted[from + part - 1] - columns->sorted[from]);

    near_ns = fmax(fmin(near_ns, noise_gap_ns(noise)), AGREE_TICKS * noise->tick_ns);
    return same_reach(gap_ns, SAME_PAIRS, fmin(near_ns, SAME_PAIRS_MOST * gap_ns));
}

/* Nearly all: this share of the readings agrees. More than any cross traffic that
 * loads a link by a fifth leaves untouched, so nothing has to be filtered out. */
#define AGREED_SHARE 0.8
enum { AGREED_LEAST = 5 };

static bool agree_within(const struct columns *columns, double reach, const struct noise *noise,
                         struct mean *agreed)
{
    unsigned count = columns->count;

    *agreed = columns_average(columns->sorted, count, columns->sorted[count / 2], reach, noise);
    return count >= AGREED_LEAST && (double)agreed->n / count >= AGREED_SHARE;
}

/* Within reach of the middle is 2.5 times what the densest half spans: 3.4 standard deviations of a
 * normal distribution, 97 % of a two-sided exponential one. But at least what stamps make of a gap,
 * however close half of them lie, a little over a tick, and half a hundredth. */
#define AGREED_REACH 2.5
#define AGREED_TICKS 1.2

static void read_agreement(const struct columns *columns, const struct noise *noise, struct floors *floors)
{
    double middle = floors->middle_ns, wide = AGREED_REACH * floors->half_ns, reach;

    reach = fmin(fmax(wide, noise_near_ns(noise)), SAME_AGREED_MOST * middle);
    reach = fmax(AGREED_TICKS * noise->tick_ns, reach);
    reach = same_reach(middle, SAME_AGREED, reach);
    floors->close = agree_within(columns, reach, noise, &floors->agreed);
    reach = same_reach(middle, SAME_AGREED_TRAINS, reach);
    floors->agree =
        floors->close || (columns->trains && agree_within(columns, reach, noise, &floors->agreed));
}

/* Pairs that all wait behind one saturated queue agree as well, on the gap of that
 * queue. But then no queue is ever empty, and the least delay stands alone; on an idle
 * path, or on a loaded one where nothing gets in between, it is reached again and
 * again: within a tenth of a gap, or what kernels need to hand a packet over. */
#define GROUND 0.1
enum { GROUND_LEAST = 3, GROUND_SHARE = 32 };

double floors_near_ns(const struct floors *floors, const struct noise *noise)
{
    return same_reach(floors->agreed.gap_ns, GROUND, noise->handover_ns) + noise->tick_ns;
}

static void read_reached(const struct columns *columns, const struct noise *noise, struct floors *floors)
{
    double gap_ns = floors->agreed.gap_ns, near_ns = floors_near_ns(floors, noise);
    double second_ns = floors->first_ns + floors->apart_ns;
    unsigned enough = GROUND_LEAST + columns->count / GROUND_SHARE;
    unsigned first = 0, second = 0, low = 0;

    for (unsigned i = 0; i < columns->count; i++) {
        first += columns->delay[i] - floors->first_ns <= near_ns;
        low += columns->delay[i] - floors->first_ns <= gap_ns + near_ns;
        second += columns->delay[i] + columns->gap[i] - second_ns <= near_ns;
    }
    floors->reached = first >= enough && second >= enough;
    floors->low = (double)low / columns->count;
}

static void read_mean(const struct columns *columns, struct floors *floors)
{
    struct moments gap = moments_of(columns->gap, columns->count);

    floors->mean_ns = gap.mean;
    floors->mean_error_ns = moments_error(&gap);
}

void columns_compare(struct columns *columns, const struct noise *noise, struct floors *floors)
{
    unsigned count = columns->count, half = (count + 1) / 2, from;

    read_mean(columns, floors);
    for (unsigned i = 0; i < count; i++)
        columns->sorted[i] = columns->gap[i];
    sort_numbers(columns->sorted, count);
    from = mode_densest(columns->sorted, count, half);
    floors->half_ns = columns->sorted[from + half - 1] - columns->sorted[from];
    floors->middle_ns = columns->sorted[count / 2];
    floors->same_ns = agreement_ns(columns, noise, floors->middle_ns);
    read_agreement(columns, noise, floors);
    if (columns->delays)
        read_reached(columns, noise, floors);
}
