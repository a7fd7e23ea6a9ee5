/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/statistics.h"

#include "filters/mode.h"
#include "filters/moments.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>
#include <string.h>

/* Fewer pairs show no distribution. */
enum { PAIRS_LEAST = 10 };

/* --- Pairs --- */

/* Of the size that most have, to the byte. */
struct firsts {
    unsigned count;
    double *gap, *wait, *at; /* [count], each in order of time */
    double *scratch;         /* [count] */
};

/* Pairs beyond these are none that a path makes. */
struct fences {
    double gap_ns, gap_reach_ns; /* about it */
    double wait_most_ns;
};

static void statistics_load(const struct seen *seen, const struct floors *pairs, struct firsts *firsts)
{
    double *numbers = seen->scratch.numbers;
    unsigned room = seen->scratch.room;

    *firsts = (struct firsts){
        .gap = numbers, .wait = numbers + room, .at = numbers + 2 * room, .scratch = numbers + 3 * room};
    EACH_READING(reading, seen->pairs) {
        if (reading->bytes != pairs->bytes || !floors_first_counts(pairs, reading))
            continue;
        firsts->gap[firsts->count] = reading->gap_ns;
        firsts->at[firsts->count] = reading->at_s;
        firsts->wait[firsts->count++] = floors_first_wait_ns(pairs, reading);
    }
}

/* What is further out than this was the host's doing (Tukey 1977: one and a half times the quartiles' distance
 * beyond either of them, which is twice that distance from the middle one). */
#define FENCE 2

static bool within(const struct fences *fences, double gap_ns, double wait_ns)
{
    return wait_ns <= fences->wait_most_ns && fabs(gap_ns - fences->gap_ns) <= fences->gap_reach_ns;
}

/* Takes the place of times. */
static struct firsts keep_within(const struct firsts *firsts, const struct fences *fences)
{
    struct firsts kept = {.gap = firsts->scratch, .wait = firsts->at};

    for (unsigned i = 0; i < firsts->count; i++)
        if (within(fences, firsts->gap[i], firsts->wait[i])) {
            kept.gap[kept.count] = firsts->gap[i];
            kept.wait[kept.count++] = firsts->wait[i];
        }
    return kept;
}

static void read_together(const struct firsts *firsts, const struct fences *fences,
                          struct statistics *statistics)
{
    struct firsts kept = keep_within(firsts, fences);
    struct moments gap = moments_of(kept.gap, kept.count);
    struct moments wait = moments_of(kept.wait, kept.count);
    double product = 0;

    for (unsigned i = 0; i < kept.count; i++)
        product += (kept.gap[i] - gap.mean) * (kept.wait[i] - wait.mean);
    statistics->spread_ns = sqrt(moments_variance(&gap));
    if (gap.squares > 0 && wait.squares > 0) {
        statistics->together = product / sqrt(gap.squares * wait.squares);
        statistics->slope = product / wait.squares;
    }
}

/* Of the gaps, whose order stays. */
static double quartiles_apart(const struct firsts *firsts)
{
    unsigned n = firsts->count;

    memcpy(firsts->scratch, firsts->gap, n * sizeof *firsts->gap);
    return sort_nth(firsts->scratch, n, n * 3 / 4) - sort_nth(firsts->scratch, n, n / 4);
}

static double share_to(const double *values, unsigned n, double most)
{
    unsigned below = 0;

    for (unsigned i = 0; i < n; i++)
        below += values[i] <= most;
    return (double)below / n;
}

/* Of pairs of that mean gap. */
static double surely_ns(const struct noise *noise, const struct statistics *statistics, double gap_ns)
{
    return statistics->noise_ns + SAME_RATE * gap_ns + noise_gap_ns(noise);
}

static void statistics_read_idle(const struct firsts *firsts, const struct noise *noise,
                                 const struct moments *gap, struct statistics *statistics)
{
    double near_ns = statistics->noise_ns + SAME_RATE * gap->mean;
    double packet_ns = surely_ns(noise, statistics, gap->mean) + statistics_frame_ns(statistics, gap->mean);

    statistics->pair = moments_statistic(gap);
    statistics->idle = share_to(firsts->wait, firsts->count, near_ns);
    statistics->beyond = 1 - share_to(firsts->wait, firsts->count, packet_ns);
}

/* How far so many sorted values are from an even distribution over the range from there on: Kolmogorov's
 * distance, times the root of n. Those beyond it count as its end. */
static double uneven(const double *sorted, unsigned n, double from, double range)
{
    double most = 0, scale = n / range;

    for (unsigned i = 0; i < n; i++) {
        double place = (sorted[i] - from) * scale;
        double behind = (place < n ? place : n) - i, ahead = 1 - behind;

        most = behind > most ? behind : most;
        most = ahead > most ? ahead : most;
    }
    return most / sqrt(n);
}

/* The line under all delays hangs on the lowest few. Where these are few indeed, as where others
 * fill the link all but for moments, the rest lies aslant on it: by the middle slope from one
 * half of them to the other. What is too few for a line leans no further than clocks run apart, ns/s. */
#define CLOCK_APART (CLOCK_ERROR * 1e9)

static void straighten(const struct firsts *firsts)
{
    unsigned half = firsts->count / 2;
    double slope;

    for (unsigned i = 0; i < half; i++)
        firsts->scratch[i] =
            (firsts->wait[i + half] - firsts->wait[i]) / (firsts->at[i + half] - firsts->at[i]);
    sort_numbers(firsts->scratch, half);
    slope = firsts->scratch[half / 2];
    if (firsts->count < SKEW_LEAST)
        slope = fmax(-CLOCK_APART, fmin(slope, CLOCK_APART));
    for (unsigned i = 0; i < firsts->count; i++)
        firsts->scratch[i] = firsts->wait[i] - slope * firsts->at[i];
    sort_numbers(firsts->scratch, firsts->count);
}

/* How far three quarters of the waits are from the middle one, free of any drift; of the fewest, all: even
 * ones are near each other too often. */
static double scatter(const struct firsts *firsts)
{
    double *waits = firsts->scratch, middle;

    if (firsts->count < 2)
        return 0;
    straighten(firsts);
    middle = waits[firsts->count / 2];
    for (unsigned i = 0; i < firsts->count; i++)
        waits[i] = fabs(waits[i] - middle);
    sort_numbers(waits, firsts->count);
    return waits[firsts->count < PAIRS_LEAST ? firsts->count - 1 : firsts->count * 3 / 4];
}

/* Of most of the waits, wherever they lie: where hardly one is nothing, others may fill the link
 * all but for moments, and their few packets hold the line aslant: that is even, too, but far wider. What is
 * really even over its range is so over three quarters of it, to a quarter of that. */
#define SAME_RANGE 0.75

static void read_most_waits(const struct firsts *firsts, struct statistics *statistics)
{
    unsigned n = firsts->count, most = n * 3 / 4;
    const double *from;
    double range_ns, uniform;

    straighten(firsts);
    from = firsts->scratch + mode_densest(firsts->scratch, n, most);
    range_ns = from[most - 1] - from[0];
    uniform = range_ns > 0 ? uneven(from, most, from[0], range_ns) : INFINITY;
    range_ns *= (double)n / most;
    if (uniform > STATISTICS_UNIFORM
        || (statistics->uniform <= STATISTICS_UNIFORM && range_ns > SAME_RANGE * statistics->range_ns))
        return;
    statistics->range_ns = range_ns;
    statistics->uniform = uniform;
}

static double floor_share(const double *sorted, unsigned n, double near_ns)
{
    unsigned near = sort_rank(sorted, n, sorted[0] + near_ns, true);

    return near > SKEW_HANGS ? (double)(near - SKEW_HANGS) / (n - SKEW_HANGS) : 0;
}

/* As they came, and sorted. */
static double read_follow(const double *waits, const double *sorted, unsigned n)
{
    double in_a_row = 0, any_two = 0;

    for (unsigned i = 1; i < n; i++)
        in_a_row += fabs(waits[i] - waits[i - 1]);
    for (unsigned i = 0; i < n; i++)
        any_two += (2.0 * i + 1 - n) * sorted[i];
    return any_two > 0 ? in_a_row * n / (2 * any_two) : 0;
}

/* Ten or more sorted waits, were they even: what their shortest nine tenths say. */
static double read_range(const double *sorted, unsigned n, double *uniform)
{
    unsigned most = n * 9 / 10;
    double range_ns = (sorted[most] - sorted[0]) * n / most;

    *uniform = range_ns > 0 ? uneven(sorted, n, sorted[0], range_ns) : INFINITY;
    return range_ns;
}

/* Sorted, of the busy ones alone. Those of fewer than ten, were they even from nothing on: by the longest of them. */
static void read_waiting(const double *sorted, unsigned n, struct statistics *statistics)
{
    unsigned waiting = (unsigned)lround(statistics->busy * n);
    const double *from = sorted + (n - waiting);

    statistics->waiting_uniform = INFINITY;
    if (waiting >= PAIRS_LEAST)
        statistics->longest_wait_ns = read_range(from, waiting, &statistics->waiting_uniform);
    else if (waiting > 0) {
        statistics->longest_wait_ns = from[waiting - 1] * (waiting + 1) / waiting;
        statistics->waiting_uniform = uneven(from, waiting, 0, statistics->longest_wait_ns);
    }
}

/* Share of gaps that are that one, of pairs whose first packet waits for longer than that, or does not. */
static double share_of_gap(const struct firsts *firsts, bool waiting, double most_ns, double gap_ns,
                           double noise_ns)
{
    unsigned all = 0, have = 0;

    for (unsigned i = 0; i < firsts->count; i++) {
        if ((firsts->wait[i] > most_ns) != waiting)
            continue;
        all++;
        have += same_gap(firsts->gap[i], gap_ns, SAME_RATE, noise_ns);
    }
    return all > 0 ? (double)have / all : 0;
}

/* The middle one of those whose first packet does not; 0: there are none. */
static double idle_gap_ns(const struct firsts *firsts, double most_ns)
{
    double *gaps = firsts->scratch;
    unsigned n = 0;

    for (unsigned i = 0; i < firsts->count; i++)
        if (firsts->wait[i] <= most_ns)
            gaps[n++] = firsts->gap[i];
    return n > 0 ? sort_nth(gaps, n, n / 2) : 0;
}

#define AS_OFTEN 0.5

static bool as_idle(const struct firsts *firsts, double most_ns, double noise_ns)
{
    double middle_ns = idle_gap_ns(firsts, most_ns);

    return share_of_gap(firsts, true, most_ns, middle_ns, noise_ns)
        >= AS_OFTEN * share_of_gap(firsts, false, most_ns, middle_ns, noise_ns);
}

/* Those that are longer than so; however few there are. */
static void read_busy(const struct firsts *firsts, const double *sorted, double most_ns,
                      struct statistics *statistics)
{
    unsigned n = firsts->count;

    statistics->busy = 1 - share_to(sorted, n, most_ns);
    statistics->follow = read_follow(firsts->wait, sorted, n);
    read_waiting(sorted, n, statistics);
}

static void read_all_waits(const double *sorted, unsigned n, struct statistics *statistics)
{
    statistics->range_ns = read_range(sorted, n, &statistics->uniform);
    statistics->on_floor = floor_share(sorted, n, statistics->noise_ns + SAME_RATE * statistics->range_ns);
}

/* gap_ns: the mean of their gaps. Returns the longest wait within the fences. */
static double statistics_read_waits(const struct firsts *firsts, const struct noise *noise, double gap_ns,
                                    struct statistics *statistics)
{
    unsigned n = firsts->count;
    bool enough = n >= STATISTICS_WAITS_LEAST;
    double *sorted = firsts->scratch, surely = surely_ns(noise, statistics, gap_ns), most_ns = INFINITY;

    memcpy(sorted, firsts->wait, n * sizeof *sorted);
    sort_numbers(sorted, n);
    read_busy(firsts, sorted, surely, statistics);
    if (enough) {
        read_all_waits(sorted, n, statistics);
        most_ns = sorted[n / 2] + FENCE * sort_quartiles_apart(sorted, n);
    }
    if (statistics->waiting_uniform <= STATISTICS_UNIFORM) /* else nobody asks */
        statistics->as_idle = as_idle(firsts, surely, statistics->noise_ns);
    if (enough && statistics->idle <= STATISTICS_IDLE_MOST)
        read_most_waits(firsts, statistics);
    return most_ns;
}

/* Three quarters of the sorted gaps, from the shortest on: what has to be sent again takes twice as long. */
static void read_gaps(const double *sorted, unsigned n, struct statistics *statistics)
{
    unsigned most = n * 3 / 4;
    double range_ns = sorted[most - 1] - sorted[0];

    statistics->shortest_ns = sorted[0];
    statistics->gaps_range_ns = range_ns * n / most;
    statistics->gaps_uniform = range_ns > 0 ? uneven(sorted, most, sorted[0], range_ns) : INFINITY;
}

/* Returns whether there are any. */
static bool read_smaller(const struct seen *seen, const struct floors *pairs, const struct firsts *firsts,
                         struct statistics *statistics)
{
    double *sorted = firsts->wait; /* waits are not needed any more */
    struct moments near = {0};
    unsigned n = 0;
    bool any = false;

    EACH_READING(reading, seen->pairs) {
        any |= reading->bytes < pairs->bytes;
        statistics->smaller += reading->bytes < READING_SMALLER * pairs->bytes;
        if (reading->bytes < pairs->bytes && sizes_alike(reading->bytes, pairs->bytes)
            && floors_first_counts(pairs, reading))
            sorted[n++] = (double)reading->gap_ns / reading->bytes * pairs->bytes;
    }
    sort_numbers(sorted, n);
    for (unsigned i = 0; i < n; i++)
        if (same_gap(sorted[i], sorted[n / 2], SAME_NEAR, statistics->noise_ns))
            moments_add(&near, sorted[i]);
    statistics->near = moments_statistic(&near);
    statistics->as_near =
        share_to(firsts->gap, firsts->count, (1 + SAME_NEAR) * statistics->near.value + statistics->noise_ns);
    return any;
}

/* An eighth of all gaps, or more, at each of two levels. */
enum { LEVEL_SHARE = 8 };

struct levels {
    double low_ns, high_ns, reach_ns; /* low_ns 0: there are no two */
};

/* The middle of the densest eighth; NAN where it spans more than reach_ns. */
static double level_of(const double *sorted, unsigned n, unsigned part, double reach_ns)
{
    unsigned from = n < part ? 0 : mode_densest(sorted, n, part);

    if (n < part || sorted[from + part - 1] - sorted[from] > reach_ns)
        return NAN;
    return sorted[from + part / 2];
}

/* No lower one than half of the higher one: that others' packets or batches would make as well. */
static struct levels read_levels(double *sorted, unsigned n, double noise_ns)
{
    unsigned part = n / LEVEL_SHARE, kept = 0;
    double reach_ns = same_reach(sorted[n / 2], SAME_COMMON, noise_ns);
    double first_ns = level_of(sorted, n, part, reach_ns), second_ns;

    for (unsigned i = 0; i < n; i++)
        if (!same_gap(sorted[i], first_ns, SAME_FAR, noise_ns))
            sorted[kept++] = sorted[i];
    second_ns = level_of(sorted, kept, part, reach_ns);
    if (!(fmax(first_ns, second_ns) < 2 * fmin(first_ns, second_ns)))
        return (struct levels){0};
    return (struct levels){fmin(first_ns, second_ns), fmax(first_ns, second_ns), reach_ns};
}

/* Of pairs, as many as there are at each level, in proportion to their size, and at what the lower one would be with
 * what came in between. */
struct at_levels {
    unsigned low, high, added, all;
};

static void level_add(const struct levels *levels, double gap_ns, double share, struct at_levels *at)
{
    double low_ns = share * levels->low_ns, high_ns = share * levels->high_ns;

    at->all++;
    at->low += same_gap(gap_ns, low_ns, 0, levels->reach_ns);
    at->high += same_gap(gap_ns, high_ns, 0, levels->reach_ns);
    at->added += same_gap(gap_ns, low_ns + levels->high_ns - levels->low_ns, 0, levels->reach_ns);
}

/* So many smaller ones at either, and most of all at one of them. */
enum { PROPORTION_LEAST = 3 };
#define PROPORTION 0.7

static bool are_at(const struct at_levels *at)
{
    return at->low + at->high >= PROPORTION * at->all;
}

static bool in_proportion(const struct at_levels *smaller)
{
    return smaller->low >= PROPORTION_LEAST && smaller->high >= PROPORTION_LEAST
        && smaller->high > 2 * smaller->added && are_at(smaller);
}

/* Too few to tell, and they do not deny it. */
static bool may_be_in_proportion(const struct at_levels *smaller)
{
    return smaller->all > 0 && smaller->all < 2 * PROPORTION_LEAST && are_at(smaller)
        && (smaller->high > 0 || smaller->all < PROPORTION_LEAST);
}

/* Gaps ascend. */
static void read_proportion(const struct seen *seen, const struct floors *pairs, const struct firsts *firsts,
                            struct statistics *statistics)
{
    struct at_levels full = {0}, smaller = {0};
    struct levels levels;

    memcpy(firsts->scratch, firsts->gap, firsts->count * sizeof *firsts->gap);
    levels = read_levels(firsts->scratch, firsts->count, statistics->noise_ns);
    if (levels.low_ns <= 0)
        return;
    for (unsigned i = 0; i < firsts->count; i++)
        level_add(&levels, firsts->gap[i], 1, &full);
    if (!are_at(&full))
        return;
    EACH_READING(reading, seen->pairs) {
        double share = (double)reading->bytes / pairs->bytes;

        if ((1 - share) * (levels.high_ns - levels.low_ns) > 2 * levels.reach_ns)
            level_add(&levels, reading->gap_ns, share, &smaller);
    }
    statistics->in_proportion = in_proportion(&smaller);
    statistics->levels_open = may_be_in_proportion(&smaller);
}

/* --- Trains --- */

/* What is added up over them. */
struct parts {
    struct moments gap, head, tail, longer, last, variance, tiny, regular, departed;
    struct moments end, very_last, last_variance, burst, pause;
    double tails[SHAPES_ROOM], lasts[SHAPES_ROOM]; /* of each */
};

static void parts_add(struct parts *parts, const struct shape *shape, unsigned later)
{
    double first_ns = shape_quarter_ns(shape, 0), span_ns = shape_span_ns(shape);
    double last_ns = shape_quarter_ns(shape, CURVE_QUARTERS - 1);
    double later_ns = (span_ns - shape->quarter_ns[0]) / later;

    moments_add(&parts->gap, span_ns / (shape->packets - 1U));
    parts->tails[parts->tail.count] = later_ns;
    moments_add(&parts->tail, later_ns);
    moments_add(&parts->head, first_ns - later_ns);
    moments_add(&parts->longer, last_ns - shape_quarter_ns(shape, 1));
    moments_add(&parts->last, last_ns);
    moments_add(&parts->tiny, shape_share_is(shape->tiny));
    moments_add(&parts->regular, shape_regular(shape));
    moments_add(&parts->variance, shape->variance_ns2);
    parts->lasts[parts->very_last.count] = shape->last_ns;
    moments_add(&parts->very_last, shape->last_ns);
    moments_add(&parts->last_variance, shape->last_variance_ns2);
    if (shape->end_ns > 0)
        moments_add(&parts->end, shape->end_ns);
    if (shape->burst_ns > 0) {
        moments_add(&parts->burst, shape->burst_ns);
        moments_add(&parts->pause, shape->pause_ns);
    }
    if (shape->departed > 0)
        moments_add(&parts->departed, shape_share_is(shape->departed));
}

static void statistics_read_parts(const struct parts *parts, unsigned gaps, struct statistics *statistics)
{
    unsigned in_last = gaps - gaps * (CURVE_QUARTERS - 1) / CURVE_QUARTERS;

    statistics->train = moments_statistic(&parts->gap);
    statistics->head = moments_statistic(&parts->head);
    statistics->tail = moments_statistic(&parts->tail);
    statistics->longer = moments_statistic(&parts->longer);
    statistics->last = moments_statistic(&parts->last);
    statistics->end = moments_statistic(&parts->end);
    statistics->very_last = moments_statistic(&parts->very_last);
    statistics->burst = moments_statistic(&parts->burst);
    statistics->pause = moments_statistic(&parts->pause);
    statistics->told = parts->departed.count * 2 > parts->gap.count;
    statistics->at_once = statistics->told && parts->departed.mean <= DEPARTED_MOST;
    statistics->sooner = statistics->told && parts->departed.mean <= DEPARTED_HALF;
    statistics->regular = parts->regular.mean;
    statistics->batch = 1 / (1 - parts->tiny.mean);
    if (parts->tail.count > 0)
        statistics->tail_spread = sqrt(moments_variance(&parts->tail)) / parts->tail.mean;
    if (parts->variance.mean > 0)
        statistics->varies = moments_variance(&parts->gap) * gaps / parts->variance.mean;
    if (parts->last_variance.mean > 0)
        statistics->last_varies = moments_variance(&parts->last) * in_last / parts->last_variance.mean;
}

/* The middle of their commonest gaps, where half of these have the same rate and stamps can tell. What moves one
 * of them moves all: more trains do not make the error less. */
static struct statistic read_common(const struct shapes *shapes, uint32_t bytes, double tick_ns)
{
    double sorted[SHAPES_ROOM], apart_ns;
    unsigned n = 0;

    EACH_LONGEST(shape, shapes)
        if (shape->bytes == bytes)
            sorted[n++] = shape->end_ns;
    sort_numbers(sorted, n);
    apart_ns = n > 0 ? sort_quartiles_apart(sorted, n) : 0;
    if (n == 0 || !(fmax(apart_ns, tick_ns) < SAME_RATE * sorted[n / 2]))
        return (struct statistic){0};
    return (struct statistic){sorted[n / 2], apart_ns + tick_ns, n};
}

static void statistics_read_trains(const struct shapes *shapes, double tick_ns, struct statistics *statistics)
{
    struct parts parts = {0};
    unsigned gaps = 0, in_runs = 0, later;

    statistics->least_train_ns = INFINITY;
    EACH_LONGEST(shape, shapes) {
        if (shape->bytes != statistics->bytes)
            continue;
        gaps = shape->packets - 1U;
        later = gaps - gaps / CURVE_QUARTERS;
        parts_add(&parts, shape, later);
        in_runs += shape->in_runs;
        statistics->tail_packets = later;
        statistics->most_train_ns = fmax(statistics->most_train_ns, shape_span_ns(shape) / gaps);
        statistics->least_train_ns = fmin(statistics->least_train_ns, shape_span_ns(shape) / gaps);
    }
    statistics_read_parts(&parts, gaps, statistics);
    statistics->in_runs = 2 * in_runs > parts.gap.count;
    sort_numbers(parts.tails, parts.tail.count);
    statistics->middle_tail_ns = parts.tails[parts.tail.count / 2]; /* 0 where there is none */
    sort_numbers(parts.lasts, parts.very_last.count);
    statistics->least_last_ns = parts.lasts[parts.very_last.count / 4];
    statistics->ratio = shapes_middle(shapes, statistics->bytes, shape_ratio);
    if (!statistics->batched)
        statistics->end = read_common(shapes, statistics->bytes, tick_ns);
}

/* How waits are spread says something beside long trains alone. */
static void statistics_read_pairs(const struct seen *seen, const struct floors *pairs, bool trains,
                                  struct statistics *statistics)
{
    struct fences fences = {.gap_reach_ns = INFINITY, .wait_most_ns = INFINITY};
    struct firsts firsts;
    struct moments gap;

    statistics_load(seen, pairs, &firsts);
    statistics->waits = firsts.count;
    if (firsts.count < STATISTICS_WAITS_LEAST)
        statistics->scatter_ns = scatter(&firsts);
    if (firsts.count == 0)
        return;
    gap = moments_of(firsts.gap, firsts.count);
    if (firsts.count >= PAIRS_LEAST)
        statistics_read_idle(&firsts, &seen->noise, &gap, statistics);
    if (trains)
        fences.wait_most_ns = statistics_read_waits(&firsts, &seen->noise, gap.mean, statistics);
    if (firsts.count < PAIRS_LEAST)
        return;
    if (trains && firsts.count >= STATISTICS_WAITS_LEAST) {
        fences.gap_ns = pairs->middle_ns;
        fences.gap_reach_ns = FENCE * fmax(pairs->half_ns, quartiles_apart(&firsts));
    }
    read_together(&firsts, &fences, statistics);
    sort_numbers(firsts.gap, firsts.count); /* their order is not needed any more */
    read_gaps(firsts.gap, firsts.count, statistics);
    statistics->least_ns = firsts.gap[firsts.count / 10];
    statistics->middle_ns = firsts.gap[firsts.count / 2];
    if (read_smaller(seen, pairs, &firsts, statistics))
        read_proportion(seen, pairs, &firsts, statistics);
}

struct statistics statistics_read(const struct seen *seen, const struct floors *pairs)
{
    struct statistics statistics = {.bytes = pairs->bytes,
                                    .noise_ns = pairs->same_ns + seen->noise.tick_ns,
                                    .late_ns = seen->noise.handover_ns,
                                    .slope_ns = pairs->slope,
                                    .segment = pairs->segment,
                                    .shaped = shapes_shaped(&seen->shapes),
                                    .batched = shapes_batched(&seen->shapes, &seen->noise),
                                    .comb = comb_read(&seen->shapes, seen->pairs),
                                    .held = held_read(&seen->shapes)};

    if (pairs->delays)
        statistics_read_pairs(seen, pairs, seen->shapes.longest > 0, &statistics);
    if (statistics.pair.n == 0 && seen->shapes.longest > 0)
        statistics.bytes = shapes_longest(&seen->shapes, seen->shapes.longest - 1)->bytes;
    statistics.span = shapes_span(&seen->shapes, statistics.batched);
    statistics_read_trains(&seen->shapes, seen->noise.tick_ns, &statistics);
    return statistics;
}
