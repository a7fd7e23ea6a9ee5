/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides from the trains themselves which of the field's rules holds
 * on this path, and says how far it is to be believed. README.md explains it. */
#include "filters/curve.h"
#include "filters/dispersion.h"
#include "filters/floor.h"
#include "filters/pace.h"
#include "filters/readings.h"
#include "filters/rows.h"
#include "filters/shape.h"

#include <math.h>

/* Its memory: this, the readings of pairs and of long trains, scratch. */
struct adaptive {
    struct pace pace;
    struct epoch epoch;
    struct estimate estimate;
    struct floor floor; /* that the estimate stands on */
    struct floor held;  /* the last that was believed; none: gap_ns is 0 */
    const struct readings *held_readings; /* that it came from */
    const struct readings *floor_readings; /* that the floor came from */
    struct readings *pairs;
    struct readings *longs;
    struct scratch scratch;
    struct shapes shapes;
    int64_t divisor_ns; /* of every stamp so far */
    double tick_ns;     /* the resolution of the stamps; 0: fine */
    bool contested;  /* trains keep a clock, at a rate that pairs speak against */
    unsigned missed; /* pairs in a row that did not hit the estimate */
};

static size_t state_bytes(unsigned window)
{
    return sizeof(struct adaptive) + 2 * readings_bytes(window)
        + window * (FLOOR_NUMBERS * sizeof(double) + sizeof(struct sort_key));
}

static void init(void *state, unsigned window)
{
    struct adaptive *adaptive = state;
    char *memory = (char *)(adaptive + 1);

    *adaptive = (struct adaptive){
        .estimate = {.state = STATE_INSUFFICIENT},
        .pairs = (struct readings *)memory,
        .longs = (struct readings *)(memory + readings_bytes(window)),
        .scratch = {.room = window},
    };
    readings_init(adaptive->pairs, window);
    readings_init(adaptive->longs, window);
    adaptive->scratch.numbers = (double *)(memory + 2 * readings_bytes(window));
    adaptive->scratch.keys =
        (struct sort_key *)(adaptive->scratch.numbers + FLOOR_NUMBERS * window);
}

static const struct readings *counterpart(const struct adaptive *to, const struct adaptive *from,
                                          const struct readings *readings)
{
    return readings == NULL ? NULL : readings == from->longs ? to->longs : to->pairs;
}

static void grow(void *to, const void *from)
{
    const struct adaptive *old = from;
    struct adaptive *adaptive = to, made = *adaptive;

    *adaptive = *old;
    adaptive->pairs = made.pairs;
    adaptive->longs = made.longs;
    adaptive->scratch = made.scratch;
    adaptive->held_readings = counterpart(adaptive, old, old->held_readings);
    adaptive->floor_readings = counterpart(adaptive, old, old->floor_readings);
    readings_copy(adaptive->pairs, old->pairs);
    readings_copy(adaptive->longs, old->longs);
}

/* --- Change --- */

/* Trains since the last one that hit the believed rate, of which most agree on
 * another: if nothing had changed, each would do so with the share q of the old
 * readings that did (Laplace's rule for few), and m of k with chance
 * binomial(k, m) q^m. Below 1e-8 that is a change; a path that stays as it is gives
 * a run of misses that long less than once in some trains, so false alarms stay far
 * below one in 10 000 trains. */
#define CHANCE 1e-8
enum { RUN_LEAST = 5, RUN_MOST = 64, RUN_PACE = 8 /* looked at ever more rarely */ };
#define HIT 0.02

/* Misses in a row that make a new floor beside the held one a change in the making
 * rather than a better look at the same path. */
enum { CONTEST_LEAST = 3 };

static bool is_hit(const struct floor *floor, const struct reading *reading)
{
    double gap_ns = reading->gap_ns * floor->bytes / reading->bytes;

    return fabs(gap_ns - floor->gap_ns) <= fmax(HIT * floor->gap_ns, floor->noise_ns);
}

/* All that is older than the misses goes. */
static void change(struct adaptive *adaptive)
{
    bool of_longs = adaptive->held_readings == adaptive->longs;

    readings_keep(adaptive->pairs, of_longs ? 0 : adaptive->missed);
    readings_keep(adaptive->longs, of_longs ? adaptive->missed : 0);
    shapes_keep(&adaptive->shapes, of_longs ? adaptive->missed : 0);
    adaptive->missed = 0;
    adaptive->held.gap_ns = 0;
    adaptive->pace.waited = adaptive->scratch.room; /* work it out now */
}

static unsigned count_hits(const struct readings *readings, unsigned from, unsigned to,
                           const struct floor *floor)
{
    unsigned hits = 0;

    for (unsigned i = from; i < to; i++)
        hits += is_hit(floor, readings_at(readings, i));
    return hits;
}

/* Logarithm of the chance that so many of a run do what each does with chance q. */
static double log_chance(unsigned run, unsigned hits, double q)
{
    double sum = hits * log(q);

    for (unsigned i = 0; i < hits; i++)
        sum += log((double)(run - i) / (i + 1));
    return sum;
}

/* Whether the newest readings could be the old path's. */
static bool by_chance(const struct readings *readings, unsigned run, const struct floor *recent)
{
    unsigned old = readings->count - run;
    unsigned hits = count_hits(readings, old, readings->count, recent);
    double q = (count_hits(readings, 0, old, recent) + 1.0) / (old + 2.0);

    return 2 * hits < run || log_chance(run, hits, q) > log(CHANCE);
}

/* A run of misses whose members agree among themselves on another rate. */
static void watch(struct adaptive *adaptive, const struct readings *readings,
                  const struct reading *reading)
{
    const struct floor *held = &adaptive->held;
    struct floor recent;

    if (held->gap_ns <= 0 || adaptive->held_readings != readings)
        return;
    if (is_hit(held, reading)) {
        adaptive->missed = 0;
        return;
    }
    if (++adaptive->missed > readings->count)
        adaptive->missed = readings->count;
    if (adaptive->missed < RUN_LEAST || adaptive->missed > RUN_MOST
        || adaptive->missed % (1 + adaptive->missed / RUN_PACE) != 0)
        return;
    floor_read(readings, adaptive->missed, adaptive->tick_ns, &adaptive->scratch,
               &recent);
    if (recent.gap_ns > 0 && !by_chance(readings, adaptive->missed, &recent))
        change(adaptive);
}

/* --- Taking trains --- */

/* The resolution of the stamps is the greatest number that divides them all: the
 * stamps, not the gaps, which a path may well deliver in multiples of something. */
static void note_tick(struct adaptive *adaptive, const struct sample *sample)
{
    int64_t a = adaptive->divisor_ns, b = sample->time_ns;

    if (sample->received > 1)
        b += sample->packets[sample->received - 1].offset_ns;
    while (b != 0 && a != 1) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    adaptive->divisor_ns = a < 0 ? -a : a;
    adaptive->tick_ns = (double)adaptive->divisor_ns;
}

static void take_long(struct adaptive *adaptive, const struct sample *sample,
                      const struct reading *head)
{
    struct curve curve;
    struct reading reading = *head;

    if (!curve_read(sample, &curve))
        return;
    reading.limited = sample->verdict == VERDICT_SENDER_LIMITED;
    if (!reading.limited) {
        shapes_push(&adaptive->shapes, sample, &curve);
        shapes_follow(&adaptive->shapes);
    }
    reading.batched = false;
    reading.last_ns = NAN;
    reading.delay_ns += curve.lift_ns;
    reading.bytes = (uint32_t)(sample->sent - 1) * sample->packet_bytes;
    reading.gap_ns = curve.gap_ns * (sample->sent - 1);
    readings_push(adaptive->longs, &reading);
    watch(adaptive, adaptive->longs, &reading);
}

/* Takes what the train says; *head: its first two packets, or its times alone. */
static void take(struct adaptive *adaptive, const struct sample *sample,
                 struct reading *head)
{
    note_tick(adaptive, sample);
    if (reading_of_head(&adaptive->epoch, sample, adaptive->tick_ns, head)) {
        readings_push(adaptive->pairs, head);
        watch(adaptive, adaptive->pairs, head);
    }
    take_long(adaptive, sample, head);
}

/* --- Concluding --- */

/* A guess that nothing proves is shown no narrower. */
#define GUESS 0.1

static void fill(const struct floor *floor, struct estimate *estimate)
{
    double bits = floor->bytes * 8e9;

    estimate->capacity_bps = bits / floor->gap_ns;
    estimate->low_bps = bits / (floor->gap_ns + floor->error_ns);
    estimate->high_bps =
        bits / fmax(floor->gap_ns - floor->error_ns - floor->below_ns, floor->gap_ns / 10);
}

/* What is to be right within 5 % must have an interval that says so. */
#define ERROR_MOST 0.04

/* From four ticks on no gap is rounded to none and dropped, so that the mean of the
 * rounded ones is that of the gaps. */
enum { TICKS_LEAST = 4 };

/* Cross traffic that only lengthens trains hides behind coarse stamps; what can hide
 * in this many ticks is less than 4 % of them. */
enum { LONG_TICKS_LEAST = 24 };

static bool believed(const struct floor *floor)
{
    unsigned ticks = floor->trains ? LONG_TICKS_LEAST : TICKS_LEAST;

    return floor->gap_ns > 0 && !floor->doubtful && ((floor->unanimous && floor->grounded) || floor->proven)
        && floor->error_ns <= ERROR_MOST * floor->gap_ns
        && floor->gap_ns >= ticks * floor->tick_ns;
}

/* Whether a floor may be told beside what was believed before. */
static bool undisputed(struct adaptive *adaptive, const struct floor *floor)
{
    struct floor *held = &adaptive->held;

    if (floor->gap_ns > 0 && held->gap_ns > 0 && adaptive->missed >= CONTEST_LEAST
        && fabs(floor->gap_ns * held->bytes / floor->bytes - held->gap_ns)
            > HIT * held->gap_ns)
        return false;
    if (!believed(floor))
        return true;
    *held = *floor;
    if (adaptive->held_readings != adaptive->floor_readings)
        adaptive->missed = 0;
    adaptive->held_readings = adaptive->floor_readings;
    return true;
}

static void conclude_floor(const struct floor *floor, struct estimate *estimate)
{
    *estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    if (floor->gap_ns <= 0)
        return;
    fill(floor, estimate);
    if (!believed(floor)) {
        estimate->low_bps = fmin(estimate->low_bps, estimate->capacity_bps * (1 - GUESS));
        estimate->high_bps = fmax(estimate->high_bps, estimate->capacity_bps * (1 + GUESS));
    }
    estimate->state = floor->limited ? STATE_SENDER_LIMITED
        : believed(floor)            ? STATE_CONVERGED
                                     : STATE_TENTATIVE;
    if (floor->limited)
        estimate->high_bps = 0;
}

/* Where stamps are all that moves a gap, as on an idle link that is fast for its
 * clock, long gaps spread no wider than short ones, in nanoseconds, and measure that
 * much better. Random traffic spreads them by the square root of their packets. */
#define SPREAD_ALIKE 1.5
#define SPREAD_LEAST_NS 1e3

/* What two kernel stamps of 2 us of noise each make half of the gaps span is 4 us;
 * twice that is no stamp's doing any more. */
#define STAMP_SPREAD_NS 8e3

/* Pairs that agree as well as this need no help. */
#define PAIR_SPREAD 0.01

static bool scattered_by_stamps(const struct floor *pairs, double tick_ns)
{
    return pairs->half_ns + tick_ns > PAIR_SPREAD * pairs->gap_ns
        && pairs->half_ns <= fmax(STAMP_SPREAD_NS, tick_ns);
}

/* Ticks alone spread half of the gaps over 0.59 of one. */
#define TICK_SPREAD 0.8

static bool better(const struct floor *longs, const struct floor *pairs, double tick_ns)
{
    double most_ns = pairs->half_ns > tick_ns ? SPREAD_ALIKE * pairs->half_ns
                                              : TICK_SPREAD * tick_ns;

    return longs->unanimous && longs->half_ns <= fmax(most_ns, SPREAD_LEAST_NS);
}

/* From end to end and along the envelope are two ways to read a train: where they
 * differ, up to a hundredth counts as error. (Batches that begin with the train
 * delay its first packet more than its last: there only the envelope is right.) */
#define WAYS_DIFFER 0.01

/* Traffic that keeps a clock of its own stretches trains as evenly as a shaper's ticks do:
 * to C R / (C + R) on one link that they enter at the rate R > C, half of C at the
 * least, on several links further. But then pairs are found that it did not stretch,
 * or not as far; at ticks they come at the peak rate, or later than on average. */
#define STRETCHED_LEAST 0.4
#define STRETCHED_MOST 0.95
#define STRETCHED_SHARE 0.1

/* At ticks shorter than a gap pairs come early, too. If they are half a gap or less, no
 * first packet waits for longer, and the floors are as far apart as the packets of
 * trains; between half a gap and one, a link that never rests looks the same. */
#define TICKS_SHARE 0.9
#define TICKS_APART 0.05

static bool kept_by_ticks(struct adaptive *adaptive, const struct floor *longs)
{
    struct floor pairs;
    double gap_ns;

    floor_read(adaptive->pairs, adaptive->pairs->count, adaptive->tick_ns,
               &adaptive->scratch, &pairs);
    gap_ns = longs->gap_ns * pairs.bytes / longs->bytes;
    return pairs.reached && pairs.lowest >= TICKS_SHARE
        && fabs(pairs.apart_ns - gap_ns) <= TICKS_APART * gap_ns;
}

static bool may_be_stretched(const struct adaptive *adaptive, const struct floor *longs)
{
    unsigned stretched = 0;

    for (unsigned i = 0; i < adaptive->pairs->count; i++) {
        const struct reading *reading = readings_at(adaptive->pairs, i);
        double share = reading->gap_ns * longs->bytes / (longs->gap_ns * reading->bytes);

        if (!isnan(reading->last_ns))
            share *= reading->last_ns / reading->gap_ns;
        stretched += share > STRETCHED_LEAST && share < STRETCHED_MOST;
    }
    return stretched >= STRETCHED_SHARE * adaptive->pairs->count;
}

/* Where only long baselines mean something. Ticks: the mean, as their phase is
 * random. Batches with cross traffic in between: what the least delays leave of it,
 * if that is more than the mean's error. */
static bool read_long(struct adaptive *adaptive, struct floor *floor)
{
    bool batched = shapes_batched(&adaptive->shapes, adaptive->tick_ns);
    struct span span;

    adaptive->floor_readings = adaptive->longs;
    adaptive->contested = false;
    shapes_span(&adaptive->shapes, adaptive->tick_ns, &span);
    if (!batched && !span.steady)
        return false;
    floor_read_lowest(adaptive->longs, adaptive->tick_ns, &adaptive->scratch, floor);
    floor->trains = true;
    floor->unanimous = floor->grounded = span.steady;
    if (span.steady && span.bytes == floor->bytes) {
        double differ_ns = fabs(span.gap_ns - floor->gap_ns);

        if (!batched && differ_ns < WAYS_DIFFER * floor->gap_ns) {
            floor->gap_ns = span.gap_ns;
            floor->error_ns = span.error_ns;
            floor->below_ns = 0;
        }
        floor->error_ns += fmin(differ_ns, WAYS_DIFFER * floor->gap_ns);
    }
    if (batched) {
        double error = shapes_batch_error(&adaptive->shapes);

        floor->doubtful = isinf(error);
        floor->error_ns += isinf(error) ? 0 : error * floor->gap_ns;
        return true;
    }
    adaptive->contested = floor->gap_ns > 0 && believed(floor)
        && may_be_stretched(adaptive, floor) && !kept_by_ticks(adaptive, floor);
    return floor->gap_ns > 0 && believed(floor) && !adaptive->contested;
}

/* Long trains at the rate that pairs agree on: behind a saturated queue of another
 * link, or at a shaper's ticks, the two would differ. */
static bool bear_out(const struct floor *longs, const struct floor *pairs)
{
    double rate = longs->gap_ns * pairs->bytes / (pairs->gap_ns * longs->bytes);

    return longs->unanimous && fabs(rate - 1) <= HIT;
}

/* On the way through a queue a packet falls back behind the one before it by what comes in
 * between, the first gap of a train as much as any other: the mean of all pairs' gaps is
 * that of trains. Where it is not, something else holds packets back: a bucket, a batch,
 * an interrupt, a second link. Three standard errors, and what stamps may do. */
enum { GROUND_FEWEST = 16 };
#define MEANS_DIFFER 0.03
enum { MEANS_LEAST = 3 };

static bool means_differ(const struct adaptive *adaptive, const struct floor *pairs)
{
    double gap_ns, error_ns;
    unsigned count = shapes_gap(&adaptive->shapes, pairs->bytes, &gap_ns, &error_ns);

    return count >= MEANS_LEAST
        && fabs(gap_ns - pairs->mean_ns)
            > 3 * hypot(error_ns, pairs->mean_error_ns)
                + fmax(MEANS_DIFFER * gap_ns, pairs->noise_ns);
}

/* After a route has changed, or while a clock is slewed, no one line lies under all
 * delays: then those of the newest half may bear the gap out, or of half of these. */
static void seek_ground(struct adaptive *adaptive, struct floor *floor)
{
    struct floor part;

    for (unsigned last = floor->count / 2;
         floor->unanimous && !floor->grounded && last >= GROUND_FEWEST; last /= 2) {
        floor_read(adaptive->pairs, last, adaptive->tick_ns, &adaptive->scratch, &part);
        floor->grounded = part.grounded
            && fabs(part.gap_ns - floor->gap_ns) <= HIT * floor->gap_ns;
    }
}

static void read_floor(struct adaptive *adaptive)
{
    double tick_ns = adaptive->tick_ns;
    struct floor *pairs = &adaptive->floor, longs;
    bool scattered;

    adaptive->floor_readings = adaptive->pairs;
    floor_read(adaptive->pairs, adaptive->pairs->count, tick_ns, &adaptive->scratch, pairs);
    if (pairs->delays)
        seek_ground(adaptive, pairs);
    scattered = scattered_by_stamps(pairs, tick_ns);
    if (adaptive->longs->count < MEANS_LEAST)
        return;
    floor_read(adaptive->longs, adaptive->longs->count, tick_ns, &adaptive->scratch, &longs);
    longs.trains = true;
    longs.doubtful = pairs->doubtful;
    if (pairs->unanimous && bear_out(&longs, pairs))
        pairs->grounded = true;
    pairs->doubtful = pairs->doubtful || means_differ(adaptive, pairs);
    if (!scattered || !better(&longs, pairs, tick_ns))
        return;
    adaptive->floor = longs;
    adaptive->floor_readings = adaptive->longs;
}

static void work_out(struct adaptive *adaptive)
{
    struct estimate *estimate = &adaptive->estimate;

    if (shapes_shaped(&adaptive->shapes, estimate))
        return;
    if (!read_long(adaptive, &adaptive->floor))
        read_floor(adaptive);
    conclude_floor(&adaptive->floor, estimate);
    if (estimate->state != STATE_CONVERGED)
        return;
    if (adaptive->contested
        || (adaptive->floor_readings == adaptive->pairs
            && shapes_doubt(&adaptive->shapes, estimate->capacity_bps)))
        estimate->state = STATE_AMBIGUOUS;
    else if (!undisputed(adaptive, &adaptive->floor))
        estimate->state = STATE_TENTATIVE;
}

/* --- Verdicts --- */

/* How far off the believed rate a train may be before something is said of it. */
#define VERDICT_OFF 0.05

/* By the identity span = true span + last wait - first wait, a span that is short is
 * a first packet that waited that long, or else the path is no longer the one
 * believed in; its delay over the floor tells which. */
static bool first_waited(const struct floor *held, const struct reading *reading,
                         double short_ns)
{
    double wait_ns = reading->delay_ns - held->slope * reading->at_s - held->first_ns;

    return isnan(reading->delay_ns) || !held->delays
        || (reading->segment == held->segment
            && wait_ns >= (1 - VERDICT_OFF) * short_ns - held->noise_ns);
}

static void give_verdict(const struct adaptive *adaptive, const struct reading *reading,
                         struct sample *sample)
{
    const struct floor *held = &adaptive->held;
    double true_ns;

    if (sample->verdict != VERDICT_OK || adaptive->estimate.state == STATE_SHAPED)
        return;
    if (sample->sent < CURVE_LEAST_PACKETS && shapes_batched(&adaptive->shapes, adaptive->tick_ns))
        sample->verdict = VERDICT_BATCHED;
    if (sample->verdict != VERDICT_OK || held->gap_ns <= 0
        || adaptive->held_readings != adaptive->pairs)
        return;
    true_ns = held->gap_ns / held->bytes * (double)sample->span_bytes;
    if ((double)sample->span_ns > (1 + VERDICT_OFF) * true_ns)
        sample->verdict = VERDICT_EXPANDED;
    else if ((double)sample->span_ns < (1 - VERDICT_OFF) * true_ns
             && first_waited(held, reading, true_ns - (double)sample->span_ns))
        sample->verdict = VERDICT_COMPRESSED;
}

static void push(void *state, struct sample *sample)
{
    struct adaptive *adaptive = state;
    struct reading head;
    unsigned most;

    if (sample->received == 0 || sample->verdict == VERDICT_LATE
        || sample->verdict == VERDICT_FOREIGN_SIZE)
        return;
    take(adaptive, sample, &head);
    give_verdict(adaptive, &head, sample);
    most = adaptive->pairs->count > adaptive->longs->count ? adaptive->pairs->count
                                                           : adaptive->longs->count;
    if (pace_due(&adaptive->pace, most, sample->time_ns))
        work_out(adaptive);
}

static void estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct adaptive *)state)->estimate;
}

const struct filter filter_adaptive = {
    .name = "adaptive",
    .usage = "least delays, modes and arrival curves weighed against each other",
    .state_bytes = state_bytes,
    .init = init,
    .grow = grow,
    .push = push,
    .estimate = estimate,
};
