/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/floor.h"

#include "filters/mode.h"
#include "filters/skew.h"
#include "filters/sort.h"

#include <math.h>

/* Fewer first packets make no line (FIELD: 10). */
enum { SKEW_LEAST = 10 };

/* No clock that anyone steers runs off faster: 500 ppm (RFC 5905), ns/s. */
#define SKEW_MOST 5e5

/* Unanimous: this share of the readings agrees. More than any cross traffic that
 * loads a link by a fifth leaves untouched, so nothing has to be filtered out. */
#define UNANIMOUS_SHARE 0.8
enum { UNANIMOUS_LEAST = 5 };

/* Within reach of the middle is 2.5 times what the densest half spans: 3.4 standard
 * deviations of a normal distribution, 97 % of a two-sided exponential one. */
#define UNANIMOUS_REACH 2.5

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

/* Readings that make an atom: twice as many, as their delays say less. */
enum { ATOM_LEAST = 6 };
#define FLOOR_DEPTH 0.06

/* The columns of the readings that are compared: those of the commonest size. */
struct columns {
    unsigned count;
    double *at, *delay, *gap, *scratch;
    struct sort_key *sums; /* of the two delays, ascending */
    bool delays;
};

static void load(const struct readings *readings, unsigned last,
                 const struct scratch *scratch, struct columns *columns,
                 struct floor *floor)
{
    unsigned from = last < readings->count ? readings->count - last : 0;
    uint16_t segment;

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
    for (unsigned i = from; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (reading->bytes != floor->bytes || reading->segment != segment)
            continue;
        columns->at[columns->count] = reading->at_s;
        columns->delay[columns->count] = reading->delay_ns;
        columns->gap[columns->count++] = reading->gap_ns;
        columns->delays = columns->delays && !isnan(reading->delay_ns);
    }
    floor->segment = segment;
}

static void deskew(struct columns *columns, struct floor *floor)
{
    if (columns->count >= SKEW_LEAST)
        floor->slope =
            skew_slope(columns->at, columns->delay, columns->count, (uint32_t *)columns->scratch);
    if (fabs(floor->slope) > SKEW_MOST)
        floor->slope = 0;
    floor->first_ns = INFINITY;
    for (unsigned i = 0; i < columns->count; i++) {
        columns->delay[i] -= floor->slope * columns->at[i];
        floor->first_ns = fmin(floor->first_ns, columns->delay[i]);
        columns->sums[i] =
            (struct sort_key){2 * columns->delay[i] + columns->gap[i], i};
    }
    sort_keys(columns->sums, columns->count);
    floor->sum_ns = columns->sums[0].value;
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
    /* Stamps in ticks: where n gaps came out alike, the share that would have come out
     * one tick off is below 3 / n (the rule of three). */
    floor->error_ns += CLOCK_ERROR * floor->gap_ns + 3 * floor->tick_ns / n;
    return n;
}

static void read_unanimous(const struct columns *columns, double *sorted, double tick_ns,
                           struct floor *floor)
{
    unsigned count = columns->count;
    double middle = sorted[count / 2], reach = 1.2 * tick_ns, wide;
    unsigned half = (count + 1) / 2, from = mode_densest(sorted, count, half);

    floor->half_ns = sorted[from + half - 1] - sorted[from];
    wide = UNANIMOUS_REACH * floor->half_ns;
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
        double gap = columns->gap[columns->sums[n].index];
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

/* Readings that agree with a gap, those that lie up to one small packet or so above
 * it, and the most of the latter that agree among themselves. */
#define ABOVE 0.15
struct atom {
    unsigned on, above, next;
};

/* How many are smaller than value, or not larger. */
static unsigned rank_of(const double *sorted, unsigned count, double value, bool or_equal)
{
    unsigned low = 0;

    while (low < count) {
        unsigned middle = low + (count - low) / 2;

        if (sorted[middle] < value || (or_equal && sorted[middle] == value))
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static unsigned between(const double *sorted, unsigned count, double low, double high)
{
    return rank_of(sorted, count, high, true) - rank_of(sorted, count, low, false);
}

static struct atom atom_at(const double *sorted, unsigned count, double gap_ns, double reach)
{
    struct atom atom = {between(sorted, count, gap_ns - reach, gap_ns + reach), 0, 0};
    unsigned first = 0;

    for (unsigned i = 0; i < count && sorted[i] <= gap_ns * (1 + ABOVE); i++) {
        if (sorted[i] <= gap_ns + reach) {
            first = i + 1;
            continue;
        }
        atom.above++;
        while (sorted[i] - sorted[first] > 2 * reach)
            first++;
        if (i - first + 1 > atom.next)
            atom.next = i - first + 1;
    }
    return atom;
}

/* Cross packets of one size between the two make gaps of G, G + d, G + 2d..., in
 * numbers that follow Poisson's law: n0, n0 m, n0 m^2 / 2. If what looks like the
 * first tooth were the second, on^2 / (2 next) readings would be expected on a lower
 * one. Three, and that none is there would be one chance in twenty. */
static bool lowest_tooth(unsigned on, unsigned next, double expected)
{
    return on >= FLOOR_LEAST && on * on >= 2 * expected * next;
}

/* The same among the readings whose first packet is on the floor: the second's
 * wait alone. */
static struct atom floor_atom(const struct columns *columns, const struct floor *floor,
                              double reach)
{
    struct atom atom = {0, 0, 0};

    for (unsigned i = 0; i < columns->count; i++) {
        double off = columns->gap[i] - floor->gap_ns;

        if (columns->delay[i] - floor->first_ns > FLOOR_DEPTH / 2 * floor->gap_ns + reach)
            continue;
        atom.on += fabs(off) <= reach;
        atom.above += off > reach && off < ABOVE * floor->gap_ns;
    }
    return atom;
}

/* The least delay sum of readings with this gap. */
static double least_sum(const struct columns *columns, double gap_ns, double reach)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (fabs(columns->gap[columns->sums[i].index] - gap_ns) <= reach)
            return columns->sums[i].value;
    return INFINITY;
}

/* A lower gap than the one on the floor, that many readings agree on: if the lower
 * one is true, the higher one's sums lie above the floor by the difference of the
 * two gaps at least (its second packets waited that long); if the higher one is,
 * the lower one's do (its first packets waited). */
#define LOWER_MOST 0.45

static double lower_atom(const struct columns *columns, const double *sorted, double gap_ns,
                         double reach)
{
    unsigned most = between(sorted, columns->count, gap_ns - reach, gap_ns + reach);
    double sum = least_sum(columns, gap_ns, reach);

    for (unsigned i = 0; i < columns->count && sorted[i] < gap_ns - reach; i++) {
        unsigned n, flank;
        double low = sorted[i] + reach;

        if (low < LOWER_MOST * gap_ns)
            continue;
        n = between(sorted, columns->count, low - reach, low + reach);
        flank = between(sorted, columns->count, low - 4 * reach, low - reach);
        if (n >= FLOOR_LEAST && 4 * n >= most && n >= 2 * flank
            && least_sum(columns, low, reach) - sum < 0.8 * (gap_ns - low))
            return low;
    }
    return gap_ns;
}

/* Gaps that noise carried beyond reach are missing from the average: a normal
 * distribution cut at 1.5 deviations shows 0.74 of its own. */
#define TRUNCATED 1.35

/* Averages the lower half, by delay, of those that agree. */
static void average_lowest(const struct columns *columns, double *seen, double gap_ns,
                           double reach, struct floor *floor)
{
    unsigned agree = 0, n = 0;

    for (unsigned i = 0; i < columns->count; i++)
        agree += fabs(columns->gap[i] - gap_ns) <= reach;
    floor->support = (double)agree / columns->count;
    for (unsigned i = 0; i < columns->count && (n < FLOOR_LEAST || 2 * n < agree); i++) {
        double gap = columns->gap[columns->sums[i].index];

        if (fabs(gap - gap_ns) <= reach)
            seen[n++] = gap;
    }
    average(seen, n, gap_ns, reach, floor);
    floor->error_ns *= TRUNCATED;
}

/* Proof by delay: the lowest sums agree, close together, and so do most second
 * packets whose first was on the floor. Where the lowest three agree at once and
 * closer yet, half the expectation will do. */
static bool floor_proves(const struct columns *columns, const struct floor *floor,
                         unsigned took, double reach)
{
    double depth = columns->sums[FLOOR_LEAST - 1].value - floor->sum_ns;
    struct atom atom = floor_atom(columns, floor, reach);
    bool at_once = took == FLOOR_LEAST && depth <= FLOOR_DEPTH / 2 * floor->gap_ns + reach;

    return took <= FLOOR_LEAST + 1 && depth <= FLOOR_DEPTH * floor->gap_ns + 2 * reach
        && lowest_tooth(atom.on, atom.above, at_once ? 1.5 : 3);
}

/* How far the third-lowest of the first packets' delays lies above the lowest. */
static double first_depth(const struct columns *columns)
{
    double least[FLOOR_LEAST] = {INFINITY, INFINITY, INFINITY};

    for (unsigned i = 0; i < columns->count; i++) {
        double delay = columns->delay[i];

        for (unsigned k = 0; k < FLOOR_LEAST; k++)
            if (delay < least[k]) {
                double next = least[k];

                least[k] = delay;
                delay = next;
            }
    }
    return least[FLOOR_LEAST - 1] - least[0];
}

/* Proof by numbers: an atom three times what the gaps above it would put there if
 * they were spread evenly, which the reading of least delay stands in. It needs a
 * floor none the less, of first packets at least: on a path that is never idle gaps
 * agree on whatever the neighbours' packets make of them. */
static bool atom_proves(const struct columns *columns, const double *sorted,
                        const struct floor *floor, double reach)
{
    struct atom atom = atom_at(sorted, columns->count, floor->gap_ns, reach);
    double spread = atom.above * 2 * reach / (ABOVE * floor->gap_ns - reach);

    double depth = columns->sums[FLOOR_LEAST - 1].value - floor->sum_ns;

    return atom.on >= ATOM_LEAST && atom.on >= 3 * spread
        && depth <= 1.5 * FLOOR_DEPTH * floor->gap_ns + reach
        && first_depth(columns) <= FLOOR_DEPTH / 2 * floor->gap_ns + reach
        && lowest_tooth(atom.on, atom.next, 3)
        && least_sum(columns, floor->gap_ns, reach) - floor->sum_ns
            <= FLOOR_DEPTH / 2 * floor->gap_ns + reach;
}

/* A gap that stands out against the gaps just below it. Where stamps scatter gaps
 * further than reach, the gaps within it are a slice of that and no atom. */
static bool stands_out(const struct columns *columns, const double *sorted, double gap_ns,
                       double reach)
{
    unsigned on = between(sorted, columns->count, gap_ns - reach, gap_ns + reach);
    unsigned low = between(sorted, columns->count, gap_ns - 3 * reach, gap_ns - reach);

    return on >= 2 * low;
}

static void read_floor(const struct columns *columns, const double *sorted, double *seen,
                       double reach, struct floor *floor)
{
    double gap_ns;
    unsigned took = first_agreement(columns, reach, seen, &gap_ns);

    if (took == 0)
        return;
    gap_ns = lower_atom(columns, sorted, gap_ns, reach);
    average_lowest(columns, seen, gap_ns, reach, floor);
    floor->proven = (floor_proves(columns, floor, took, reach)
                     || atom_proves(columns, sorted, floor, reach))
        && stands_out(columns, sorted, floor->gap_ns, reach);
}

/* Whether the readings that agree with the gap left the sender that way. */
static bool is_limited(const struct readings *readings, unsigned last,
                       const struct floor *floor)
{
    unsigned agree = 0, limited = 0;

    for (unsigned i = last < readings->count ? readings->count - last : 0;
         i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        if (reading->bytes != floor->bytes
            || fabs(reading->gap_ns - floor->gap_ns)
                > fmax(floor->noise_ns, 0.02 * floor->gap_ns))
            continue;
        agree++;
        limited += reading->limited;
    }
    return 2 * limited > agree;
}

static void read_columns(struct columns *columns, double tick_ns, struct floor *floor)
{
    double *sorted;

    if (columns->delays)
        deskew(columns, floor);
    sorted = columns->at; /* times are not needed any more */
    for (unsigned i = 0; i < columns->count; i++)
        sorted[i] = columns->gap[i];
    sort_numbers(sorted, columns->count);
    floor->noise_ns = agreement_ns(columns, sorted, sorted[columns->count / 2], tick_ns);
    read_unanimous(columns, sorted, tick_ns, floor);
    if (floor->unanimous)
        return;
    floor->gap_ns = mode_half_sample(sorted, columns->count);
    floor->error_ns = 0.1 * floor->gap_ns;
    if (columns->delays)
        read_floor(columns, sorted, columns->scratch, floor->noise_ns, floor);
}

void floor_read(const struct readings *readings, unsigned last, double tick_ns,
                const struct scratch *scratch, struct floor *floor)
{
    struct columns columns;

    *floor = (struct floor){.tick_ns = tick_ns};
    load(readings, last, scratch, &columns, floor);
    floor->count = columns.count;
    floor->delays = columns.delays;
    if (columns.count < FLOOR_LEAST)
        return;
    read_columns(&columns, tick_ns, floor);
    floor->limited = is_limited(readings, last, floor);
}

/* A sixteenth of the trains, five at least: the error of their mean is then about
 * that of its bias. */
enum { LOWEST_LEAST = 5, LOWEST_SHARE = 16 };

/* Where they shed more than that, too much may be left. */
#define REST_MOST 0.03

void floor_read_lowest(const struct readings *readings, const struct scratch *scratch,
                       struct floor *floor)
{
    struct columns columns;
    double mean_ns, mean_error_ns, *lowest;
    unsigned n;

    *floor = (struct floor){0};
    load(readings, readings->count, scratch, &columns, floor);
    floor->count = columns.count;
    floor->delays = columns.delays;
    if (columns.count < 2 * LOWEST_LEAST)
        return;
    average(columns.gap, columns.count, columns.gap[0], INFINITY, floor);
    mean_ns = floor->gap_ns;
    mean_error_ns = floor->error_ns;
    if (!columns.delays)
        return;
    deskew(&columns, floor);
    lowest = columns.scratch;
    for (n = 0; n < LOWEST_LEAST || n < columns.count / LOWEST_SHARE; n++)
        lowest[n] = columns.gap[columns.sums[n].index];
    average(lowest, n, lowest[0], INFINITY, floor);
    /* Ticks and batches alone: the mean stands. Otherwise what the lowest have not shed of the cross traffic, they may have shed as
     * much of as there is left: the way from the mean to them, once more. */
    if (mean_ns - floor->gap_ns > mean_error_ns) {
        floor->below_ns = mean_ns - floor->gap_ns;
    } else {
        floor->below_ns = 0;
        floor->gap_ns = mean_ns;
        floor->error_ns = mean_error_ns;
    }
    floor->proven = columns.count >= SKEW_LEAST
        && floor->below_ns <= REST_MOST * floor->gap_ns;
    floor->limited = is_limited(readings, readings->count, floor);
}
