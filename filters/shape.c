/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shape.h"

#include "filters/moments.h"
#include "filters/readings.h"
#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>
#include <string.h>

enum { SHAPES_LEAST = 5 };

/* Tail slopes within 6 %; batched from a tenth of tiny gaps on. */
#define TAIL_SPREAD 0.06
#define BATCHED_SHARE 0.1

static double departed_share(const struct sample *sample)
{
    return sample->departure_span_ns == SAMPLE_UNKNOWN_NS || sample->span_ns <= 0
        ? 0
        : (double)sample->departure_span_ns / (double)sample->span_ns;
}

static double rest_of(const struct curve *curve)
{
    return curve->knee > 0 ? curve->rest_gap_ns / curve->tail_gap_ns - 1 : 0;
}

static uint32_t shape_bytes_of(const struct shape *shape)
{
    return shape->sent * shape->bytes;
}

void shapes_hold(struct shapes *shapes, unsigned count)
{
    uint32_t most_bytes = 0;

    shapes->count = (uint16_t)count;
    shapes->longest = 0;
    for (unsigned i = 0; i < count; i++)
        if (shape_bytes_of(&shapes->at[i]) > most_bytes)
            most_bytes = shape_bytes_of(&shapes->at[i]);
    for (unsigned i = 0; i < count; i++)
        if (shape_bytes_of(&shapes->at[i]) > most_bytes / 2)
            shapes->at[shapes->longest++].place = (uint8_t)i;
}

static void shapes_drop(struct shapes *shapes, unsigned i)
{
    shapes->count--;
    memmove(&shapes->at[i], &shapes->at[i + 1], (shapes->count - i) * sizeof shapes->at[0]);
}

/* The oldest that is no witness, or if all are the oldest. */
static unsigned shapes_dispensable(const struct shapes *shapes)
{
    unsigned i = 0;

    while (i < shapes->longest && shapes->at[i].place == i)
        i++;
    return i < shapes->count ? i : 0;
}

static void shapes_make_room(struct shapes *shapes, unsigned window)
{
    while (shapes->count > 0 && shapes->pushed - shapes->at[0].number >= window)
        shapes_drop(shapes, 0);
    if (shapes->count == SHAPES_ROOM)
        shapes_drop(shapes, shapes_dispensable(shapes));
}

void shapes_push(struct shapes *shapes, const struct sample *sample, const struct curve *curve,
                 unsigned window)
{
    struct shape *shape;

    shapes_make_room(shapes, window);
    shape = &shapes->at[shapes->count++];
    *shape = (struct shape){
        .number = shapes->pushed++,
        .bytes = sample->packet_bytes,
        .sent = (unsigned)sample->sent & INT16_MAX,
        .knee = (uint8_t)curve->knee,
        .head_gap_ns = (float)curve->head_gap_ns,
        .tail_gap_ns = (float)curve->tail_gap_ns,
        .rest = shape_share_of(rest_of(curve)),
        .bucket_bytes = (float)curve->bucket_bytes,
        .gap_ns = (float)curve->gap_ns,
        .baseline = (uint8_t)curve->baseline,
        .departed = shape_share_of(departed_share(sample)),
        .tiny = shape_share_of(curve->tiny),
        .batches = (uint8_t)curve->batches,
        .held = (uint8_t)curve->held,
        .held_batches = curve->held_batches & CURVE_BATCHES_MOST,
        .held_ns = (float)curve->held_ns,
        .burst_ns = (float)curve->burst_ns,
        .pause_ns = (float)curve->pause_ns,
        .row_ns = (float)curve->row_ns,
        .row_soon = curve->row_soon,
        .variance_ns2 = (float)curve->variance_ns2,
        .last_variance_ns2 = (float)curve->last_variance_ns2,
        .end_ns = (float)curve->end_ns,
        .last_ns = (float)curve->last_ns,
        .longest_ns = (float)curve->longest_ns,
        .ratio = (float)curve->ratio,
        .short_share = shape_share_of(curve->short_share),
        .alike = (uint8_t)(curve->regular * (curve->packets - 1) + 0.5),
        .ticked = curve->ticks.found,
        .tick_ns = (float)curve->ticks.tick_ns,
        .tick_share = (float)curve->ticks.share,
        .tooth_ns = (float)curve->teeth.low_ns,
        .teeth_apart_ns = (float)curve->teeth.apart_ns,
        .teeth_mean_ns = (float)curve->teeth.mean_ns,
        .teeth_error = shape_share_of(curve->teeth.error_ns / curve->teeth.mean_ns),
        .packets = curve->packets & INT16_MAX,
        .in_runs = curve->teeth.in_runs,
        .scattered = curve->teeth.scattered,
    };
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        shape->quarter_ns[q] = (float)curve->quarter_ns[q];
    shapes_hold(shapes, shapes->count);
}

static unsigned shapes_since(const struct shapes *shapes, const struct shape *first)
{
    return shapes->pushed - first->number;
}

unsigned shapes_sent(const struct shapes *shapes)
{
    unsigned most = 0;

    for (unsigned i = 0; i < shapes->count; i++)
        most = shapes->at[i].sent > most ? shapes->at[i].sent : most;
    return most;
}

double shapes_middle(const struct shapes *shapes, uint32_t bytes, double (*say)(const struct shape *))
{
    double said[SHAPES_ROOM];
    unsigned n = 0;

    EACH_LONGEST(shape, shapes)
        if (!isnan(shape->ratio) && (bytes == 0 || shape->bytes == bytes))
            said[n++] = say(shape);
    sort_numbers(said, n);
    return n > 0 ? said[n / 2] : 0;
}

void shapes_keep(struct shapes *shapes, unsigned keep)
{
    while (shapes->count > 0 && shapes_since(shapes, &shapes->at[0]) > keep)
        shapes_drop(shapes, 0);
    shapes_hold(shapes, shapes->count);
}

/* A figure of each shape that has it. */
typedef double figure(const struct shape *shape);

static double tail_bps(const struct shape *shape)
{
    return shape->bytes * 8e9 / shape->tail_gap_ns;
}

static double rest_bps(const struct shape *shape)
{
    return tail_bps(shape) / (1 + shape_share_is(shape->rest));
}

static double head_bps(const struct shape *shape)
{
    return shape->head_gap_ns > 0 ? shape->bytes * 8e9 / shape->head_gap_ns : 0;
}

static double shape_bucket_of(const struct shape *shape)
{
    return shape->bucket_bytes;
}

static unsigned shape_collect(const struct shapes *shapes, figure *of, double *sorted)
{
    unsigned count = 0;

    EACH_LONGEST(shape, shapes)
        if (shape->knee > 0)
            sorted[count++] = of(shape);
    sort_numbers(sorted, count);
    return count;
}

/* Of tails that vary independently, and are together within what tails may spread, the newest eight are all further off
 * the eight before than that, on one side, once in far more than 10 000 trains. Traffic that shares the bucket makes
 * tails longer, but scatters them: so fewer do that agree more closely. And none makes a tail faster. Two or three are a
 * doubt. */
enum { STEP_LEAST = 2, STEP_SPREAD = 3, STEP_FASTER = 3, STEP_CLOSE = 5, STEP = 8 };

static double end_bps(const struct shape *shape)
{
    return shape->knee > 0 ? tail_bps(shape)
                           : shape->bytes * 8e9 / shape_quarter_ns(shape, CURVE_QUARTERS - 1);
}

struct range {
    double least, most;
};

static void range_add(struct range *range, double value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

static bool are_within(const struct range *range, double share)
{
    return range->most - range->least <= share * range->most;
}

static bool step_shows(unsigned trains, const struct range *newest)
{
    return trains >= STEP_SPREAD || (trains >= STEP_LEAST && are_within(newest, SAME_RATE));
}

static bool step_is_sure(unsigned trains, const struct range *newest, const struct range *before)
{
    return trains >= STEP || (trains >= STEP_FASTER && newest->least > before->most)
        || (trains >= STEP_CLOSE && are_within(newest, SAME_RATE));
}

/* What the few before the newest so many end with; false: not behind a bucket. */
static bool range_before(const struct shapes *shapes, unsigned newest, bool bucket, struct range *before)
{
    unsigned end = shapes->longest > newest ? shapes->longest - newest : 0;
    unsigned begin = end > STEP ? end - STEP : 0, knees = 0;

    *before = (struct range){INFINITY, 0};
    for (unsigned i = begin; i < end; i++) {
        knees += shapes_longest(shapes, i)->knee > 0;
        range_add(before, end_bps(shapes_longest(shapes, i)));
    }
    return knees >= SHAPES_LEAST || (bucket && end - begin >= SHAPES_LEAST);
}

/* By more than 2 %, and than those before spread. */
static bool is_beyond(const struct range *newest, const struct range *before)
{
    double apart = before->most - before->least;

    return newest->least > before->most + fmax(SAME_RATE * before->most, apart)
        || newest->most < before->least - fmax(SAME_RATE * before->least, apart);
}

/* From what those before end with, whether or not a train lies between that the step came in. */
static bool has_stepped(const struct shapes *shapes, unsigned trains, bool bucket, const struct range *newest,
                        struct range *before)
{
    return (range_before(shapes, trains, bucket, before) && is_beyond(newest, before))
        || (range_before(shapes, trains + 1, bucket, before) && is_beyond(newest, before));
}

static bool show_bucket(const struct shapes *shapes)
{
    unsigned knees = 0;

    for (unsigned i = 0; i < shapes->count; i++)
        knees += shapes->at[i].knee > 0;
    return knees >= SHAPES_LEAST;
}

struct step shapes_step(const struct shapes *shapes, bool bucket)
{
    struct range newest = {INFINITY, 0}, before;
    struct step step = {0};

    if (!bucket && !show_bucket(shapes))
        return step;
    for (unsigned trains = 1; trains <= STEP && trains < shapes->longest; trains++) {
        const struct shape *first = shapes_longest(shapes, shapes->longest - trains);

        range_add(&newest, end_bps(first));
        if (!are_within(&newest, TAIL_SPREAD))
            break;
        if (!step_shows(trains, &newest) || !has_stepped(shapes, trains, bucket, &newest, &before))
            continue;
        step = (struct step){.trains = trains,
                             .since = shapes_since(shapes, first),
                             .bps = (newest.least + newest.most) / 2,
                             .sure = step_is_sure(trains, &newest, &before)};
    }
    return step;
}

/* A tail that took no time at all, as coarse stamps may show it, has no rate. */
static bool shape_tails_differ(const double *rates, unsigned count)
{
    return !(sort_quartiles_apart(rates, count) <= SAME_RATE * rates[count / 2]);
}

/* Order statistics around the median, as in filter median; traffic that shares the
 * bucket only ever takes from the rate, hence further up. */
static void read_sustained(const double *rates, unsigned count, struct shaped *shaped)
{
    double half = 0.98 * sqrt(count) + 0.5;

    shaped->bps = rates[count / 2];
    shaped->low_bps = rates[(unsigned)fmax(count / 2.0 - half, 0)] * (1 - CLOCK_ERROR);
    shaped->high_bps = (2 * rates[(count - 1) * 19 / 20] - shaped->bps) * (1 + CLOCK_ERROR);
}

struct shaped shapes_shaped(const struct shapes *shapes)
{
    double sorted[SHAPES_ROOM];
    struct shaped shaped = {0};
    unsigned count = shape_collect(shapes, tail_bps, sorted);

    if (count < SHAPES_LEAST || count * 10 < shapes->longest * 6 || shape_tails_differ(sorted, count))
        return shaped;
    read_sustained(sorted, count, &shaped);
    shape_collect(shapes, rest_bps, sorted);
    shaped.low_bps = fmin(shaped.low_bps, sorted[count / 2] * (1 - CLOCK_ERROR));
    shape_collect(shapes, head_bps, sorted);
    shaped.peak_bps = sorted[count / 2];
    shape_collect(shapes, shape_bucket_of, sorted);
    shaped.burst_bytes = sorted[count / 2];
    return shaped;
}

struct mean shapes_crawl(const struct shapes *shapes, double pair_bps)
{
    struct moments last = {0};

    EACH_LONGEST(shape, shapes) {
        if (shape->bytes * 8e9 / shape->gap_ns >= TRAINS_SLOWEST * pair_bps)
            return (struct mean){0};
        moments_add(&last, shape_quarter_ns(shape, CURVE_QUARTERS - 1) / shape->bytes);
    }
    return (struct mean){last.mean, moments_half_width(&last), last.count};
}

double shape_span_ns(const struct shape *shape)
{
    double span_ns = 0;

    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        span_ns += shape->quarter_ns[q];
    return span_ns;
}

double shape_quarter_ns(const struct shape *shape, unsigned quarter)
{
    unsigned gaps = shape->packets - 1U;

    return shape->quarter_ns[quarter]
        / (double)(gaps * (quarter + 1) / CURVE_QUARTERS - gaps * quarter / CURVE_QUARTERS);
}

double shape_later_gap_ns(const struct shape *shape)
{
    double sum_ns = 0;

    for (unsigned q = 1; q < CURVE_QUARTERS; q++)
        sum_ns += shape_quarter_ns(shape, q);
    return sum_ns / (CURVE_QUARTERS - 1);
}

/* If this share of a train's gaps is alike, nothing got in between, and no host was late. */
#define REGULAR_SHARE 0.8
enum { REGULAR_LEAST = 2 };

static bool is_regular(const struct shape *shape, uint32_t bytes)
{
    return shape->bytes == bytes && shape_regular(shape) >= REGULAR_SHARE;
}

static double regular_middle(const struct shapes *shapes, uint32_t bytes)
{
    double sorted[SHAPES_ROOM];
    unsigned count = 0;

    EACH_LONGEST(shape, shapes)
        if (is_regular(shape, bytes))
            sorted[count++] = shape->gap_ns;
    sort_numbers(sorted, count);
    return count > 0 ? sorted[count / 2] : 0;
}

struct mean shapes_regular(const struct shapes *shapes, uint32_t bytes)
{
    struct moments gap = {0}, longer = {0};
    double middle_ns = regular_middle(shapes, bytes);

    EACH_LONGEST(shape, shapes) {
        if (!is_regular(shape, bytes) || !same_gap(shape->gap_ns, middle_ns, SAME_REGULAR, 0))
            continue;
        moments_add(&gap, shape->gap_ns);
        moments_add(&longer, shape_quarter_ns(shape, CURVE_QUARTERS - 1) - shape_quarter_ns(shape, 0));
    }
    if (gap.count < REGULAR_LEAST || 2 * gap.count < shapes->longest
        || fabs(longer.mean) > SAME_QUARTERS * gap.mean)
        return (struct mean){0};
    return moments_mean(&gap);
}

bool shapes_slower(const struct shapes *shapes, double bps, double times)
{
    EACH_LONGEST(shape, shapes)
        if (shape_quarter_ns(shape, CURVE_QUARTERS - 1) * bps > times * shape->bytes * 8e9)
            return true;
    return false;
}

bool shapes_batched(const struct shapes *shapes, const struct noise *noise)
{
    unsigned batched = 0;

    EACH_LONGEST(shape, shapes)
        batched +=
            shape_share_is(shape->tiny) > BATCHED_SHARE && shape->gap_ns > BATCHED_TICKS * noise->tick_ns;
    return 2 * batched > shapes->longest;
}

struct statistic shapes_gap(const struct shapes *shapes, uint32_t bytes)
{
    struct moments gap = {0};

    EACH_LONGEST(shape, shapes)
        if (shape->bytes == bytes)
            moments_add(&gap, shape_span_ns(shape) / (shape->packets - 1));
    return moments_statistic(&gap);
}

/* If independent parts add up, the variance of the whole is that of a quarter times four, and that of a gap
 * times their number. Ticks, batches and stamps only move the ends, so whole and parts vary alike. 2 is half
 * way between these ratios, in proportion. */
#define STEADY_RATIO 2.0

/* Of fewer trains a ratio of variances is off by a factor of two too often. */
enum { STEADY_LEAST = 24, STEADY_LEAST_SENT = 16 };

/* A train of a dozen ticks varies by half a tick at most, 5 % of it. */
#define STEADY_SPREAD 0.05

/* What is added up over the trains. */
struct sums {
    struct moments span, gap_variance, quarter[CURVE_QUARTERS], envelope, inverse_baseline;
    struct moments ticked, tick, tick_share, told, departed;
};

static void sums_add(struct sums *sums, const struct shape *shape)
{
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        moments_add(&sums->quarter[q], shape->quarter_ns[q]);
    moments_add(&sums->span, shape_span_ns(shape));
    moments_add(&sums->envelope, shape->gap_ns);
    moments_add(&sums->inverse_baseline, 1.0 / shape->baseline);
    moments_add(&sums->gap_variance, shape->variance_ns2);
    moments_add(&sums->ticked, shape->ticked);
    moments_add(&sums->tick, shape->tick_ns);
    if (shape->ticked)
        moments_add(&sums->tick_share, shape->tick_share);
    moments_add(&sums->told, shape->departed > 0);
    moments_add(&sums->departed, shape_share_is(shape->departed));
}

static double part_variance(const struct sums *sums)
{
    double quarters = 0;

    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        quarters += moments_variance(&sums->quarter[q]) / CURVE_QUARTERS;
    return quarters;
}

static bool varies_as_parts(const struct sums *sums)
{
    return moments_variance(&sums->span) < STEADY_RATIO * fmax(part_variance(sums), sums->gap_variance.mean);
}

/* Batches move the ends of trains, and hide half of what traffic adds. The envelope they move
 * by some 0.4 of a gap. */
#define EVEN 0.6

static bool envelopes_even(const struct sums *sums)
{
    return sqrt(moments_variance(&sums->envelope))
        <= EVEN * sums->envelope.mean * sums->inverse_baseline.mean;
}

static bool keeps_a_clock(const struct sums *sums, bool batched)
{
    return varies_as_parts(sums) && (!batched || envelopes_even(sums));
}

/* Of trains of 64 that enter a load of a half at ten times the capacity one in thirteen looks
 * ticked (at twice, hardly any): four of five do so once in 6000 times. */
#define TICKED_SHARE 0.8
enum { TICKED_LEAST = 5 };

/* A bucket that let the first packets pass makes trains shorter than their clock would. */
static bool are_ticked(const struct sums *sums)
{
    return sums->ticked.count >= TICKED_LEAST && sums->ticked.mean >= TICKED_SHARE
        && same_gap(sums->tick_share.mean, 1, SAME_LINE, 0);
}

/* How the last train left is told by the next one. */
#define TOLD_SHARE 0.8

static bool shape_told(const struct sums *sums)
{
    return sums->told.mean >= TOLD_SHARE;
}

/* The envelope goes through the last packet of a batch in the first stretch of the train and
 * one in the last: there must be several in each half. And what cross traffic is left takes
 * many trains to tell. */
enum { BATCHES_LEAST = 4, BATCHED_LEAST = 24 };

bool shapes_hidden(const struct shapes *shapes, bool ticked)
{
    struct moments batches = {0}, departed = {0};

    EACH_LONGEST(shape, shapes) {
        moments_add(&batches, shape->batches);
        moments_add(&departed, shape_share_is(shape->departed));
    }
    return departed.mean > DEPARTED_MOST
        || (!ticked && (shapes->longest < BATCHED_LEAST || batches.mean < BATCHES_LEAST));
}

/* If batches begin anywhere in a train, its span varies by a gap or more, and slopes are right on average;
 * with few trains, or few batches, they are off by half a packet at most. If the span varies by less than a
 * tenth of a gap, batches begin with the train. */
#define LOCKED 0.1

double shapes_batch_error(const struct shapes *shapes, bool ticked)
{
    struct moments span = {0}, error = {0};

    EACH_LONGEST(shape, shapes) {
        moments_add(&span, shape_span_ns(shape) / shape->gap_ns - shape->packets);
        moments_add(&error, 1.0 / shape->baseline);
    }
    if (sqrt(moments_variance(&span)) <= LOCKED)
        return error.mean;
    return shapes_hidden(shapes, ticked) ? error.mean / 2 : 0;
}

/* Traffic does not get into trains that left in no time, unless a loaded link spread them before. Then their
 * envelopes vary by more than batches move them. A host that is late now and then spoils at most one in
 * three. */
#define SPARED_DEPARTED 0.04
enum { SPARED_OF_THREE = 2 };

/* The envelopes within a packet over their length of the middle one; where no batch begins in the second half, nothing
 * tells how long the last one was held. */
static void shape_read_spared(const struct shapes *shapes, double reach, struct moments *gap)
{
    double byte_ns[SHAPES_ROOM], sorted[SHAPES_ROOM], middle;

    for (unsigned i = 0; i < shapes->longest; i++) {
        const struct shape *shape = shapes_longest(shapes, i);

        byte_ns[i] = sorted[i] = (double)shape->gap_ns / shape->bytes;
    }
    sort_numbers(sorted, shapes->longest);
    middle = sorted[shapes->longest / 2];
    for (unsigned i = 0; i < shapes->longest; i++)
        if (shapes_longest(shapes, i)->batches > 0 && same_gap(byte_ns[i], middle, reach, 0))
            moments_add(gap, byte_ns[i]);
}

struct mean shapes_spared(const struct shapes *shapes)
{
    struct sums sums = {0};
    struct moments gap = {0};

    EACH_LONGEST(shape, shapes)
        sums_add(&sums, shape);
    if (shapes->longest < SHAPES_LEAST || !shape_told(&sums) || sums.departed.mean > SPARED_DEPARTED)
        return (struct mean){0};
    shape_read_spared(shapes, sums.inverse_baseline.mean, &gap);
    if (gap.count < SHAPES_LEAST || 3 * gap.count < SPARED_OF_THREE * shapes->longest
        || sqrt(moments_variance(&gap)) > EVEN * gap.mean * sums.inverse_baseline.mean)
        return (struct mean){0};
    return (struct mean){gap.mean, CLOCK_ERROR * gap.mean + 2 * moments_error(&gap), gap.count};
}

/* n trains that took the same number of ticks: the share that would have taken one more is
 * below 3 / n (the rule of three). */
enum { RULE_OF_THREE = 3 };

static struct sums add_up(const struct shapes *shapes)
{
    const struct shape *last = shapes_longest(shapes, shapes->longest - 1);
    struct sums sums = {0};

    EACH_LONGEST(shape, shapes)
        if (shape->packets == shape->sent && shape->sent == last->sent && shape->bytes == last->bytes)
            sums_add(&sums, shape);
    return sums;
}

struct span shapes_span(const struct shapes *shapes, bool batched)
{
    const struct shape *last;
    struct sums sums;
    struct span span = {0};

    if (shapes->longest == 0)
        return span;
    last = shapes_longest(shapes, shapes->longest - 1);
    sums = add_up(shapes);
    span.at_once = shape_told(&sums) && sums.departed.mean <= DEPARTED_MOST;
    span.count = sums.span.count;
    span.gap_ns = sums.span.mean;
    span.bytes = (last->sent - 1U) * last->bytes;
    span.tick_ns = sums.tick.mean;
    span.phase_ns = RULE_OF_THREE * sums.tick.mean / fmax(span.count, 1);
    if (sqrt(moments_variance(&sums.span)) > STEADY_SPREAD * sums.span.mean)
        return span;
    span.steady =
        span.count >= STEADY_LEAST && last->sent >= STEADY_LEAST_SENT && keeps_a_clock(&sums, batched);
    span.ticked = are_ticked(&sums);
    return span;
}
