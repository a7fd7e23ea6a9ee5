/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/hops_cells.h"

#include "filters/moments.h"
#include "filters/noise.h"
#include "filters/shift.h"
#include "filters/sort.h"

#include <math.h>
#include <stddef.h>

/* Trains of a length at a hop that say something together. */
enum { CELL_LEAST = 4, INNER_MOST = 256 };

/* The floor under values that are dense from it on is below the least of them by no more than so many
 * times what the third is above it, in 95 of 100 draws: 1 - sqrt(0.05) of the way (Robson and
 * Whitlock, Estimation of a truncation point, Biometrika 51, 1964). Once that, in 75 of 100. */
#define FLOOR_95 3.47

/* Where any of k links delays most trains a little, they are the sparser towards the floor: as the power k of
 * how far they are above it. Then it is below the least of them by no more than k times so many times what
 * the sixth is above that, in 99 of 100: -1 / ln(1 - 0.01^(1/5)). */
#define FLOOR_99 1.97

/* What is told of a load is wrong by chance in one of 44 cases, and of a step in one of ten: a narrow link
 * makes no less of one, and mostly far more. */
#define LOAD_DEVIATIONS 2
#define STEP_DEVIATIONS 1.28

/* Behind a link k times as fast as the narrow one gaps are no less than its load's share of them, and
 * trains of the stream's own queue there where that is more than 1 - 1 / k: a fourth, and k is 4 / 3. */
#define LATE_SHARE 0.25

/* --- The least --- */

static void least_add(struct hops_least *least, double ns)
{
    unsigned at = least->n < HOPS_RANKS ? least->n : HOPS_RANKS;

    for (; at > 0 && least->ns[at - 1] > ns; at--)
        if (at < HOPS_RANKS)
            least->ns[at] = least->ns[at - 1];
    if (at < HOPS_RANKS)
        least->ns[at] = ns;
    least->n++;
}

static void least_merge(struct hops_least *least, const struct hops_least *other)
{
    unsigned n = least->n + other->n;

    for (unsigned i = 0; i < other->n && i < HOPS_RANKS; i++)
        least_add(least, other->ns[i]);
    least->n = n;
}

static double least_rise(const struct hops_least *least, unsigned rank)
{
    return least->ns[rank] - least->ns[0];
}

/* --- Cells --- */

/* The lengths with enough trains, as far apart as there are: 0 when there are no two. */
static void choose_lengths(struct hops_cells *cells, const struct hops_reading *reading, unsigned count)
{
    uint16_t of[INNER_MOST + 1] = {0};

    cells->shorter = cells->longer = 0;
    for (unsigned i = 0; i < count; i++)
        if (reading[i].inner <= INNER_MOST)
            of[reading[i].inner]++;
    for (unsigned inner = 1; inner <= INNER_MOST; inner++) {
        if (of[inner] < CELL_LEAST)
            continue;
        cells->shorter = cells->shorter == 0 ? inner : cells->shorter;
        cells->longer = inner;
    }
    if (cells->shorter == cells->longer)
        cells->shorter = cells->longer = 0;
}

static void fill_floors(struct hops_cells *cells, const struct hops_reading *reading, unsigned count)
{
    for (unsigned hop = 0; hop <= HOPS_MAX; hop++)
        cells->at[hop] = cells->from[hop] = (struct hops_pair){.shorter = {.n = 0}};
    for (unsigned i = 0; i < count; i++) {
        struct hops_pair *at = &cells->at[reading[i].hop];

        if (reading[i].inner == cells->shorter)
            least_add(&at->shorter, reading[i].value_ns);
        else if (reading[i].inner == cells->longer)
            least_add(&at->longer, reading[i].value_ns);
    }
}

static bool is_enough(const struct hops_pair *at)
{
    return at->shorter.n >= CELL_LEAST && at->longer.n >= CELL_LEAST;
}

/* What has crossed more links is no earlier: the floor at a hop is no higher than at any behind it. */
static void pool_floors(struct hops_cells *cells)
{
    struct hops_pair from = {.shorter = {.n = 0}};

    for (unsigned hop = cells->last; hop > 0; hop--) {
        if (is_enough(&cells->at[hop])) {
            least_merge(&from.shorter, &cells->at[hop].shorter);
            least_merge(&from.longer, &cells->at[hop].longer);
        }
        cells->from[hop] = from;
    }
}

/* Per packet of load, as the longer trains left; the second marker is a part of one. */
static double departed_of(const struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                          unsigned hop)
{
    double packets = cells->longer + (double)cells->marker_bytes / cells->load_bytes;
    struct moments departed = {0};

    for (unsigned i = 0; i < count; i++)
        if (reading[i].hop == hop && reading[i].inner == cells->longer && reading[i].departed_ns > 0)
            moments_add(&departed, reading[i].departed_ns / packets);
    return departed.mean;
}

/* How high the floor of the longer trains is, is told by those that died here: those that went on
 * have waited for later links too. */
static struct hops_link link_of(const struct hops_cells *cells, unsigned hop)
{
    const struct hops_pair *at = &cells->at[hop], *from = &cells->from[hop];
    const struct hops_least *longer = hop < cells->last ? &at->longer : &from->longer;
    struct noise noise = noise_prior();
    double packets = cells->longer - cells->shorter, stamps_ns = noise_near_ns(&noise);
    double floor_ns = from->longer.ns[0] - from->shorter.ns[0];
    double most_below_ns =
        longer->n < HOPS_RANKS ? INFINITY : hop * FLOOR_99 * least_rise(longer, HOPS_RANKS - 1);

    return (struct hops_link){
        .n = at->shorter.n + at->longer.n,
        .read_ns = floor_ns / packets,
        .low_ns = (floor_ns - least_rise(longer, 2)) / packets,
        .high_ns = (floor_ns + least_rise(&from->shorter, 2) + stamps_ns) / packets,
        .floor_ns = (floor_ns - most_below_ns - stamps_ns) / packets,
        .least_ns = (floor_ns - (hop + 1) / 2.0 * FLOOR_95 * least_rise(longer, 2) - stamps_ns) / packets,
        .most_ns = (floor_ns + FLOOR_95 * least_rise(&from->shorter, 2) + stamps_ns) / packets,
    };
}

/* --- Gaps --- */

static double delay_of(const struct hops_reading *reading)
{
    return reading->value_ns - reading->gap_ns;
}

/* That of three in four first markers: the others may wait for trains of the stream's own. */
static double usual_delay(struct hops_cells *cells, const struct hops_reading *reading, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cells->gap_ns[i] = delay_of(&reading[i]);
    sort_numbers(cells->gap_ns, count);
    return count > 0 ? cells->gap_ns[count * 3 / 4] : 0;
}

/* Where a first marker has waited long, the last one waits for less than that more than where it has not:
 * so much of the first one's delay gaps are short of. From each train to the next one like it. */
static double shortfall_of(const struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                           double usual_ns)
{
    const struct hops_reading *last[2][HOPS_MAX + 1] = {{NULL}};
    double product = 0, square = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct hops_reading *is = &reading[i], **was = &last[is->inner == cells->longer][is->hop];

        if ((is->inner != cells->shorter && is->inner != cells->longer) || delay_of(is) > usual_ns)
            continue;
        if (*was != NULL) {
            double step_ns = delay_of(is) - delay_of(*was);

            product += step_ns * ((*was)->gap_ns - is->gap_ns);
            square += step_ns * step_ns;
        }
        *was = is;
    }
    return square > 0 ? fmin(fmax(product / square, 0), 1) : 0;
}

/* Which trains, by what delayed their first marker. */
struct gaps_wanted {
    unsigned hop, inner;
    double above_ns, most_ns; /* more than that, up to this */
    double shortfall;
};

static unsigned sort_gaps(const struct hops_reading *reading, unsigned count,
                          const struct gaps_wanted *wanted, double *sorted)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++) {
        double delay_ns = delay_of(&reading[i]);

        if (reading[i].hop == wanted->hop && reading[i].inner == wanted->inner && delay_ns > wanted->above_ns
            && delay_ns <= wanted->most_ns)
            sorted[n++] = reading[i].gap_ns + wanted->shortfall * delay_ns;
    }
    sort_numbers(sorted, n);
    return n;
}

/* Returns where room is left. */
static double *fill_gaps(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                         double usual_ns, double shortfall)
{
    double *room = cells->gap_ns;

    for (unsigned hop = 1; hop <= cells->last; hop++) {
        struct gaps_wanted wanted = {hop, cells->shorter, -INFINITY, usual_ns, shortfall};
        struct hops_gaps *gaps = &cells->gaps[hop];

        gaps->sorted = room;
        room += gaps->shorter = sort_gaps(reading, count, &wanted, room);
        wanted.inner = cells->longer;
        room += gaps->longer = sort_gaps(reading, count, &wanted, room);
    }
    return room;
}

static double step_between(const struct hops_gaps *before, const struct hops_gaps *behind, double deviations)
{
    const struct shift_samples pairs[] = {
        {before->sorted, behind->sorted, before->shorter, behind->shorter},
        {before->sorted + before->shorter, behind->sorted + behind->shorter, before->longer, behind->longer},
    };

    return shift_most(pairs, 2, deviations);
}

static void fill_steps(struct hops_cells *cells)
{
    unsigned before = 0;

    for (unsigned hop = 1; hop <= cells->last; hop++) {
        struct hops_link *link = &cells->link[hop];

        if (link->n == 0)
            continue;
        link->before = before;
        link->step_ns = link->step_mid_ns = INFINITY;
        if (before != 0) {
            link->step_ns = step_between(&cells->gaps[before], &cells->gaps[hop], STEP_DEVIATIONS);
            link->step_mid_ns = step_between(&cells->gaps[before], &cells->gaps[hop], 0);
        }
        before = hop;
    }
}

/* Those that came next after the usual ones. */
static unsigned sort_late(const struct hops_reading *reading, unsigned count, unsigned hop, unsigned inner,
                          double usual_ns, double *sorted)
{
    struct gaps_wanted wanted = {.hop = hop, .inner = inner, .above_ns = usual_ns};
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        if (reading[i].hop == hop && reading[i].inner == inner && delay_of(&reading[i]) > usual_ns)
            sorted[n++] = delay_of(&reading[i]);
    sort_numbers(sorted, n);
    if (n == 0)
        return 0;
    wanted.most_ns = sorted[n < CELL_LEAST ? n - 1 : CELL_LEAST - 1];
    return sort_gaps(reading, count, &wanted, sorted);
}

/* By how much longer loads are later where the first marker came later than usual: it waited for a train of
 * the stream's own, behind which gaps shrink at a busy link, but hardly to less than LATE_SHARE of them. */
static double late_shift(const struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                         unsigned hop, double usual_ns, double *room)
{
    unsigned shorter = sort_late(reading, count, hop, cells->shorter, usual_ns, room);
    unsigned longer = sort_late(reading, count, hop, cells->longer, usual_ns, room + shorter);
    const struct shift_samples samples = {room, room + shorter, shorter, longer};

    return fmax(shift_most(&samples, 1, LOAD_DEVIATIONS), 0) / LATE_SHARE;
}

/* Whatever else is on its way, a longer load is later than a shorter one by what it takes, or more. At hops
 * whose trains follow long ones of the stream's own, hardly any may be as early as usual. */
static void bound_by_gaps(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                          double usual_ns)
{
    double packets = cells->longer - cells->shorter;
    double *room = fill_gaps(cells, reading, count, usual_ns, 0);

    for (unsigned hop = 1; hop <= cells->last; hop++) {
        const struct hops_gaps *gaps = &cells->gaps[hop];
        struct shift_samples samples = {gaps->sorted, gaps->sorted + gaps->shorter, gaps->shorter,
                                        gaps->longer};
        struct hops_link *link = &cells->link[hop];

        if (link->n == 0)
            continue;
        link->high_ns = fmin(link->high_ns, shift_most(&samples, 1, LOAD_DEVIATIONS) / packets);
        link->high_ns = fmin(link->high_ns, late_shift(cells, reading, count, hop, usual_ns, room) / packets);
    }
}

/* The first links are no slower than more of them. */
static void bound_by_later(struct hops_cells *cells)
{
    double slope_ns = INFINITY, high_ns = INFINITY, most_ns = INFINITY;

    for (unsigned hop = cells->last; hop > 0; hop--) {
        struct hops_link *link = &cells->link[hop];

        if (link->n == 0)
            continue;
        link->slope_ns = slope_ns = fmin(slope_ns, link->read_ns);
        link->high_ns = high_ns = fmin(high_ns, link->high_ns);
        link->most_ns = most_ns = fmin(most_ns, link->most_ns);
    }
}

/* More links are no faster than the first of them. */
static void bound_by_earlier(struct hops_cells *cells)
{
    double least_ns = -INFINITY;

    for (unsigned hop = 1; hop <= cells->last; hop++) {
        struct hops_link *link = &cells->link[hop];

        if (link->n > 0)
            link->least_ns = least_ns = fmin(fmax(link->least_ns, least_ns), link->slope_ns);
    }
}

void hops_cells_fill(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                     uint32_t load_bytes, uint32_t marker_bytes)
{
    double usual_ns;

    cells->load_bytes = load_bytes;
    cells->marker_bytes = marker_bytes;
    cells->last = 0;
    for (unsigned i = 0; i < count; i++)
        if (reading[i].hop > cells->last)
            cells->last = reading[i].hop;
    choose_lengths(cells, reading, count);
    fill_floors(cells, reading, count);
    pool_floors(cells);
    cells->link[0] = (struct hops_link){.n = 0};
    for (unsigned hop = 1; hop <= cells->last; hop++) {
        cells->link[hop] = (struct hops_link){.n = 0};
        if (is_enough(&cells->at[hop])) {
            cells->link[hop] = link_of(cells, hop);
            cells->link[hop].departed_ns = departed_of(cells, reading, count, hop);
        }
    }
    bound_by_later(cells);
    bound_by_earlier(cells);
    usual_ns = usual_delay(cells, reading, count);
    fill_gaps(cells, reading, count, usual_ns, shortfall_of(cells, reading, count, usual_ns));
    fill_steps(cells);
    bound_by_gaps(cells, reading, count, usual_ns);
}
