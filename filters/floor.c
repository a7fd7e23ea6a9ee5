/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/floor.h"

#include "filters/columns.h"
#include "filters/denial.h"
#include "filters/mode.h"
#include "filters/moments.h"
#include "filters/proof.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>

/* Unanimous: this share of the readings agrees. More than any cross traffic that
 * loads a link by a fifth leaves untouched, so nothing has to be filtered out. */
#define UNANIMOUS_SHARE 0.8
enum { UNANIMOUS_LEAST = 5 };

/* Within reach of the middle is 2.5 times what the densest half spans: 3.4 standard
 * deviations of a normal distribution, 97 % of a two-sided exponential one. */
#define UNANIMOUS_REACH 2.5

/* Pairs that all wait behind one saturated queue agree as well, on the gap of that
 * queue. But then no queue is ever empty, and the least delay stands alone; on an idle
 * path, or on a loaded one where nothing gets in between, it is reached again and
 * again: within a tenth of a gap, or what kernels need to hand a packet over. */
#define GROUND 0.1
enum { GROUND_LEAST = 3, GROUND_SHARE = 32 };

/* And pairs that leave at the ticks of a shaper agree on a number of ticks; but the
 * floors of first and second packets, each reached at some tick, are the true gap
 * apart (2 %). */

/* What the stamps make of one gap: a tick and a half, or their noise as the densest readings
 * show it. */
#define AGREE_TICKS 1.5

/* --- Agreement of nearly all --- */

static double agreement_ns(const struct columns *columns, const double *sorted, double gap_ns,
                           const struct noise *noise)
{
    unsigned part = columns->count / 4 > 3 ? columns->count / 4 : 3;
    unsigned from = mode_densest(sorted, columns->count, part);
    double near_ns = 1.5 * (sorted[from + part - 1] - sorted[from]);

    near_ns = fmax(fmin(near_ns, noise_gap_ns(noise)), AGREE_TICKS * noise->tick_ns);
    return same_reach(gap_ns, SAME_PAIRS, fmin(near_ns, SAME_PAIRS_MOST * gap_ns));
}

/* Where hardly a packet waits for longer than a gap, and both floors are reached often,
 * they are the gap apart; what pairs agree on instead is a number of ticks. */

static bool floors_apart(const struct floor *floor, const struct noise *noise)
{
    double reach_ns = same_reach(floor->gap_ns, SAME_RATE, noise_gap_ns(noise));

    return !same_gap(floor->apart_ns, floor->gap_ns, 0, reach_ns + noise->tick_ns);
}

static bool denied_by_floors(const struct floor *floor, const struct noise *noise)
{
    return floor->reached && floor->low >= CALM && floors_apart(floor, noise);
}

/* Whether first and second packets reach their floors often enough to trust these, and
 * how many first ones stay below a gap, and half a gap, above theirs. */
static void read_floors(const struct columns *columns, const struct noise *noise,
                        struct floor *floor)
{
    double near_ns = same_reach(floor->gap_ns, GROUND, noise->handover_ns) + noise->tick_ns;
    double second_ns = floor->first_ns + floor->apart_ns;
    unsigned enough = GROUND_LEAST + columns->count / GROUND_SHARE;
    unsigned first = 0, second = 0, low = 0, lowest = 0;

    for (unsigned i = 0; i < columns->count; i++) {
        first += columns->delay[i] - floor->first_ns <= near_ns;
        low += columns->delay[i] - floor->first_ns <= floor->gap_ns + near_ns;
        lowest += columns->delay[i] - floor->first_ns <= floor->gap_ns / 2 + near_ns;
        second += columns->delay[i] + columns->gap[i] - second_ns <= near_ns;
    }
    floor->reached = first >= enough && second >= enough;
    floor->low = (double)low / columns->count;
    floor->lowest = (double)lowest / columns->count;
}

static bool agree_within(const double *sorted, unsigned count, double reach,
                         struct floor *floor)
{
    unsigned agree = columns_average(sorted, count, sorted[count / 2], reach, floor);

    floor->support = (double)agree / count;
    return count >= UNANIMOUS_LEAST && floor->support >= UNANIMOUS_SHARE;
}

static void read_unanimous(const struct columns *columns, double *sorted,
                           const struct noise *noise, struct floor *floor)
{
    unsigned count = columns->count;
    double middle = sorted[count / 2], reach = 1.2 * noise->tick_ns, wide;
    unsigned half = (count + 1) / 2, from = mode_densest(sorted, count, half);

    floor->half_ns = sorted[from + half - 1] - sorted[from];
    wide = UNANIMOUS_REACH * floor->half_ns;
    reach = fmax(reach, fmin(fmax(wide, noise_near_ns(noise)), SAME_AGREED_MOST * middle));
    reach = same_reach(middle, SAME_AGREED, reach);
    floor->tight = agree_within(sorted, count, reach, floor);
    reach = same_reach(middle, SAME_AGREED_TRAINS, reach);
    floor->unanimous = floor->tight
        || (floor->trains && agree_within(sorted, count, reach, floor));
    if (columns->delays)
        read_floors(columns, noise, floor);
    floor->grounded = floor->reached && floor->unanimous && !floors_apart(floor, noise);
}

/* Whether the readings that agree with the gap left the sender that way: then it is a bound. And
 * whether it is in doubt, as some of them did, or as others passed at once that left as close (a
 * bucket that is not always empty). One in so many is doubt enough. */
enum { LIMITED_SHARE = 4, PASSED_SHARE = 8 };
#define PASSED_GAP 0.7

static void read_limited(const struct readings *readings, unsigned from, struct floor *floor)
{
    unsigned alike = 0, all = 0, agree = 0, limited = 0, passed = 0;

    for (unsigned i = from; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (reading->bytes != floor->bytes)
            continue;
        alike++;
        all += reading->limited;
        passed += reading->limited && reading->gap_ns < PASSED_GAP * floor->gap_ns;
        if (!same_gap(reading->gap_ns, floor->gap_ns, 0,
                      same_reach(floor->gap_ns, SAME_RATE, floor->noise_ns)))
            continue;
        agree++;
        limited += reading->limited;
    }
    floor->limited = 2 * limited > agree && 2 * all > alike;
    floor->doubtful = !floor->limited
        && (LIMITED_SHARE * limited > agree || PASSED_SHARE * passed > alike);
}

static void read_mean(const struct columns *columns, struct floor *floor)
{
    struct moments gap = {0};

    for (unsigned i = 0; i < columns->count; i++)
        moments_add(&gap, columns->gap[i]);
    floor->mean_ns = gap.mean;
    floor->mean_error_ns = moments_error(&gap);
}

static void read_columns(struct columns *columns, const struct noise *noise, struct floor *floor)
{
    double *sorted;

    read_mean(columns, floor);
    if (columns->delays)
        columns_deskew(columns, floor);
    sorted = columns->at; /* times are not needed any more */
    for (unsigned i = 0; i < columns->count; i++)
        sorted[i] = columns->gap[i];
    sort_numbers(sorted, columns->count);
    floor->middle_ns = sorted[columns->count / 2];
    floor->noise_ns = agreement_ns(columns, sorted, floor->middle_ns, noise);
    read_unanimous(columns, sorted, noise, floor);
    if (floor->unanimous)
        return;
    floor->gap_ns = mode_half_sample(sorted, columns->count);
    floor->error_ns = 0.1 * floor->gap_ns;
    if (!columns->delays)
        return;
    proof_read(columns, sorted, floor->noise_ns, floor);
    if (floor->proven && denied_by_floors(floor, noise)) {
        floor->proven = false;
        floor->gap_ns = floor->apart_ns;
    }
}

void floor_read(const struct readings *readings, unsigned last, const struct noise *noise,
                const struct scratch *scratch, struct floor *floor)
{
    unsigned from = last < readings->count ? readings->count - last : 0;
    struct columns columns;

    *floor = (struct floor){.tick_ns = noise->tick_ns, .trains = readings->trains};
    columns_load(&columns, readings, from, scratch, floor);
    floor->count = columns.count;
    floor->delays = columns.delays;
    if (columns.count < FLOOR_LEAST)
        return;
    read_columns(&columns, noise, floor);
    read_limited(readings, from, floor);
    if (floor->doubtful)
        floor->gap_ns = floor->middle_ns;
    floor->sizes = sizes_read(readings, from, floor);
    floor->doubtful = floor->doubtful || (floor->unanimous && denied_by_floors(floor, noise))
        || denial_found(readings, from, noise, floor);
}

/* A sixteenth of the trains, five at least: the error of their mean is then about
 * that of its bias. */
enum { LOWEST_LEAST = 5, LOWEST_SHARE = 16 };

/* Where they shed more than that, too much may be left. */
#define REST_MOST 0.025

void floor_read_lowest(const struct readings *readings, const struct noise *noise,
                       const struct scratch *scratch, struct floor *floor)
{
    struct columns columns;
    double mean_ns, mean_error_ns, *lowest;
    unsigned n;

    *floor = (struct floor){.tick_ns = noise->tick_ns, .trains = readings->trains};
    columns_load(&columns, readings, 0, scratch, floor);
    floor->count = columns.count;
    floor->delays = columns.delays;
    if (columns.count < LOWEST_LEAST)
        return;
    columns_average(columns.gap, columns.count, columns.gap[0], INFINITY, floor);
    mean_ns = floor->gap_ns;
    mean_error_ns = floor->error_ns;
    if (!columns.delays || columns.count < 2 * LOWEST_LEAST)
        return;
    columns_deskew(&columns, floor);
    lowest = columns.scratch;
    for (n = 0; n < LOWEST_LEAST || n < columns.count / LOWEST_SHARE; n++)
        lowest[n] = columns.gap[columns.sums[n].index];
    columns_average(lowest, n, lowest[0], INFINITY, floor);
    /* Ticks and batches alone: the mean stands. Otherwise what the lowest have not shed
     * of the cross traffic may be as much again as they have shed: the way from the
     * mean to them, once more. */
    if (mean_ns - floor->gap_ns > mean_error_ns) {
        floor->below_ns = mean_ns - floor->gap_ns;
    } else {
        floor->below_ns = 0;
        floor->gap_ns = mean_ns;
        floor->error_ns = mean_error_ns;
    }
    floor->proven = columns.count >= SKEW_LEAST
        && floor->below_ns <= REST_MOST * floor->gap_ns;
    read_limited(readings, 0, floor);
}

/* From four ticks on no gap is rounded to none and dropped, so that the mean of the
 * rounded ones is that of the gaps. */
enum { TICKS_LEAST = 4 };

/* Cross traffic that only lengthens trains hides behind coarse stamps; what can hide
 * in this many ticks is less than 4 % of them. */
enum { LONG_TICKS_LEAST = 24 };

bool floor_believed(const struct floor *floor)
{
    unsigned ticks = floor->trains ? LONG_TICKS_LEAST : TICKS_LEAST;

    return floor->gap_ns > 0 && !floor->doubtful && floor->sizes == SIZES_AGREE
        && ((floor->unanimous && floor->grounded) || floor->proven)
        && floor->error_ns <= FLOOR_ERROR_MOST * floor->gap_ns
        && floor->gap_ns >= ticks * floor->tick_ns;
}
