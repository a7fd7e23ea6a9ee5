/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/floor.h"

#include "filters/mode.h"
#include "filters/skew.h"
#include "filters/sort.h"

#include <math.h>

/* Fewer first packets make no line (FIELD: 10). */
enum { SKEW_LEAST = 10 };

/* Unanimous: this share of the readings agrees. More than any cross traffic that
 * loads a link by a fifth leaves untouched, so nothing has to be filtered out. */
#define UNANIMOUS_SHARE 0.8
enum { UNANIMOUS_LEAST = 5 };

/* Gaps agree within 0.7 %, or what the stamps make of one gap: one tick and a
 * half, or their noise as the densest readings show it, which is 2 us a stamp in
 * an idle kernel, so three deviations of a difference are 8 us; but never beyond
 * 3 %, half of what one 64-byte packet does to a gap of 1000 bytes. */
#define AGREE_LEAST 0.007
#define AGREE_TICKS 1.5
#define AGREE_STAMPS_NS 8e3
#define AGREE_MOST 0.03

/* What no number of readings averages out: clocks run up to 100 ppm apart. */
#define CLOCK_ERROR 1e-4

/* A floor has been reached when three readings stand on it: the third-lowest sum
 * within 6 % of a gap of the lowest (FIELD, step 5). */
enum { FLOOR_LEAST = 3 };
#define FLOOR_DEPTH 0.06

/* The columns of the readings that are compared: those of the commonest size. */
struct columns {
    unsigned count;
    double *at, *delay, *gap, *sum;
    uint32_t *order;
    bool delays;
};

static void load(const struct readings *readings, unsigned last,
                 const struct scratch *scratch, struct columns *columns,
                 struct floor *floor)
{
    *columns = (struct columns){
        .at = scratch->numbers,
        .delay = scratch->numbers + scratch->room,
        .gap = scratch->numbers + 2 * scratch->room,
        .sum = scratch->numbers + 3 * scratch->room,
        .order = scratch->indices,
        .delays = true,
    };
    floor->bytes = readings_commonest(readings);
    for (unsigned i = last < readings->count ? readings->count - last : 0;
         i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (reading->bytes != floor->bytes)
            continue;
        columns->at[columns->count] = reading->at_s;
        columns->delay[columns->count] = reading->delay_ns;
        columns->gap[columns->count++] = reading->gap_ns;
        columns->delays = columns->delays && !isnan(reading->delay_ns);
    }
}

static void deskew(struct columns *columns, struct floor *floor)
{
    if (columns->count >= SKEW_LEAST)
        floor->slope =
            skew_slope(columns->at, columns->delay, columns->count, columns->order);
    floor->first_ns = INFINITY;
    for (unsigned i = 0; i < columns->count; i++) {
        columns->delay[i] -= floor->slope * columns->at[i];
        floor->first_ns = fmin(floor->first_ns, columns->delay[i]);
        columns->sum[i] = 2 * columns->delay[i] + columns->gap[i];
    }
    sort_order(columns->sum, columns->order, columns->count);
    floor->sum_ns = columns->sum[columns->order[0]];
}

/* --- Agreement of nearly all --- */

static double agreement_ns(const struct columns *columns, const double *sorted, double gap_ns,
                           double tick_ns)
{
    unsigned part = columns->count / 4 > 3 ? columns->count / 4 : 3;
    unsigned from = mode_densest(sorted, columns->count, part);
    double noise = 1.5 * (sorted[from + part - 1] - sorted[from]);

    noise = fmax(fmin(noise, AGREE_STAMPS_NS), AGREE_TICKS * tick_ns);
    return fmax(fmin(noise, AGREE_MOST * gap_ns), AGREE_LEAST * gap_ns);
}

/* Mean of the gaps within reach of the middle, its interval, and how many. */
static unsigned average(const double *gaps, unsigned count, double middle, double reach,
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
    /* Student's t at 95 % for few degrees of freedom is close to 2 + 10 / n^1.5. */
    floor->error_ns = n > 1
        ? (2 + 10 / pow(n, 1.5)) * sqrt(fmax(squares / n - mean * mean, 0) / (n - 1))
        : reach;
    floor->error_ns += CLOCK_ERROR * floor->gap_ns;
    return n;
}

static void read_unanimous(const struct columns *columns, double *sorted, double tick_ns,
                           struct floor *floor)
{
    unsigned count = columns->count;
    double middle = sorted[count / 2], reach = 1.2 * tick_ns, wide;
    unsigned half = (count + 1) / 2, from = mode_densest(sorted, count, half);

    wide = 1.5 * (sorted[from + half - 1] - sorted[from]);
    reach = fmax(fmax(reach, 0.005 * middle), fmin(wide, 0.04 * middle));
    floor->support = (double)average(sorted, count, middle, reach, floor) / count;
    floor->unanimous = count >= UNANIMOUS_LEAST && floor->support >= UNANIMOUS_SHARE;
}

/* --- Agreement on the floor --- */

/* Going up in delay sum: the first gap that is found thrice. Gaps seen so far
 * stand sorted in seen. Returns how many readings it took, 0 if none. */
static unsigned first_agreement(const struct columns *columns, double reach, double *seen,
                                double *gap_ns)
{
    for (unsigned n = 0; n < columns->count; n++) {
        double gap = columns->gap[columns->order[n]];
        unsigned at = n, low;

        for (; at > 0 && seen[at - 1] > gap; at--)
            seen[at] = seen[at - 1];
        seen[at] = gap;
        for (low = at > 1 ? at - 2 : 0; low <= at && low + 2 <= n; low++)
            if (seen[low + 2] - seen[low] <= reach) {
                *gap_ns = seen[low + 1];
                return n + 1;
            }
    }
    return 0;
}

/* With the first packet on the floor, the second one's wait has an atom at none.
 * The readings in it, and those a little above. */
struct atom {
    unsigned on, above;
};

static struct atom count_atom(const struct columns *columns, const struct floor *floor,
                              double reach)
{
    struct atom atom = {0, 0};

    for (unsigned i = 0; i < columns->count; i++) {
        double off = columns->gap[i] - floor->gap_ns;

        if (columns->delay[i] - floor->first_ns > FLOOR_DEPTH / 2 * floor->gap_ns + reach)
            continue;
        atom.on += fabs(off) <= reach;
        atom.above += off > reach && off < 0.15 * floor->gap_ns;
    }
    return atom;
}

static void read_floor(const struct columns *columns, double *seen, double reach,
                       struct floor *floor)
{
    double gap_ns;
    unsigned took = first_agreement(columns, reach, seen, &gap_ns);
    unsigned agree = 0, n = 0;
    struct atom atom;
    double depth;

    if (took == 0)
        return;
    for (unsigned i = 0; i < columns->count; i++)
        agree += fabs(columns->gap[i] - gap_ns) <= reach;
    floor->support = (double)agree / columns->count;
    /* the lower half of those that agree, and no fewer than it took */
    for (unsigned i = 0, taken = 0; i < columns->count; i++) {
        double gap = columns->gap[columns->order[i]];

        if (fabs(gap - gap_ns) <= reach && (taken++ < (agree + 1) / 2 || i < took))
            seen[n++] = gap;
    }
    average(seen, n, gap_ns, reach, floor);
    atom = count_atom(columns, floor, reach);
    depth = columns->sum[columns->order[FLOOR_LEAST - 1]] - floor->sum_ns;
    floor->proven = took <= FLOOR_LEAST + 1 && depth <= FLOOR_DEPTH * floor->gap_ns + 2 * reach
        && atom.on >= FLOOR_LEAST && atom.on * atom.on >= 6 * atom.above;
}

void floor_read(const struct readings *readings, unsigned last, double tick_ns,
                const struct scratch *scratch, struct floor *floor)
{
    struct columns columns;
    double *sorted;

    *floor = (struct floor){0};
    load(readings, last, scratch, &columns, floor);
    floor->count = columns.count;
    floor->delays = columns.delays;
    if (columns.count < FLOOR_LEAST)
        return;
    if (columns.delays)
        deskew(&columns, floor);
    sorted = columns.at; /* times are not needed any more */
    for (unsigned i = 0; i < columns.count; i++)
        sorted[i] = columns.gap[i];
    sort_numbers(sorted, columns.count);
    floor->noise_ns = agreement_ns(&columns, sorted, sorted[columns.count / 2], tick_ns);
    read_unanimous(&columns, sorted, tick_ns, floor);
    if (floor->unanimous)
        return;
    floor->gap_ns = mode_half_sample(sorted, columns.count);
    floor->error_ns = 0.1 * floor->gap_ns;
    if (columns.delays)
        read_floor(&columns, sorted, floor->noise_ns, floor);
}
