/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides from the trains themselves which of the field's rules holds
 * on this path, and says how far it is to be believed. README.md explains it. */
#include "filters/access.h"
#include "filters/curve.h"
#include "filters/dispersion.h"
#include "filters/pace.h"
#include "filters/policer.h"
#include "filters/readings.h"
#include "filters/reason.h"
#include "filters/rows.h"
#include "filters/same.h"
#include "filters/weigh.h"

#include <math.h>

/* Rates that were believed and then changed. */
enum { LEVELS_ROOM = 4 };

struct levels {
    unsigned count;
    struct level {
        double bps;
        unsigned until; /* trains so far */
    } at[LEVELS_ROOM]; /* the oldest first */
};

/* Its memory: this, the readings of pairs and of long trains, scratch. */
struct adaptive {
    struct pace pace;
    struct epoch epoch;
    struct estimate estimate;
    struct floor floor; /* that the estimate stands on */
    struct floor held;  /* the last that was believed; none: gap_ns is 0 */
    struct seen seen;
    struct own_load load;
    struct policer policer;
    struct levels levels;
    int64_t divisor_ns; /* of every stamp so far */
    unsigned trains; /* so far; wraps */
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
        .seen = {.pairs = (struct readings *)memory,
                 .longs = (struct readings *)(memory + readings_bytes(window)),
                 .scratch = {.room = window},
                 .noise = noise_prior()},
    };
    readings_init(adaptive->seen.pairs, window, false);
    readings_init(adaptive->seen.longs, window, true);
    adaptive->seen.scratch.numbers = (double *)(memory + 2 * readings_bytes(window));
    adaptive->seen.scratch.keys =
        (struct sort_key *)(adaptive->seen.scratch.numbers + FLOOR_NUMBERS * window);
}

static void grow(void *to, const void *from)
{
    const struct adaptive *old = from;
    struct adaptive *adaptive = to, made = *adaptive;

    *adaptive = *old;
    adaptive->seen.pairs = made.seen.pairs;
    adaptive->seen.longs = made.seen.longs;
    adaptive->seen.scratch = made.seen.scratch;
    readings_copy(adaptive->seen.pairs, old->seen.pairs);
    readings_copy(adaptive->seen.longs, old->seen.longs);
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

/* Misses in a row that make a new floor beside the held one a change in the making
 * rather than a better look at the same path. */
enum { CONTEST_LEAST = 3 };

static bool is_hit(const struct floor *floor, const struct reading *reading)
{
    double gap_ns = (double)reading->gap_ns * floor->bytes / reading->bytes;

    return same_gap(gap_ns, floor->gap_ns, 0,
                    same_reach(floor->gap_ns, SAME_RATE, floor->noise_ns));
}

static unsigned count_since(const struct readings *readings, double at_s)
{
    unsigned count = 0;

    while (count < readings->count
           && readings_at(readings, readings->count - 1 - count)->at_s >= at_s)
        count++;
    return count;
}

static void levels_push(struct levels *levels, double bps, unsigned until)
{
    if (levels->count == LEVELS_ROOM) {
        for (unsigned i = 1; i < LEVELS_ROOM; i++)
            levels->at[i - 1] = levels->at[i];
        levels->count--;
    }
    levels->at[levels->count++] = (struct level){bps, until};
}

/* All that is older than the misses goes. */
static void change(struct adaptive *adaptive, const struct readings *missed)
{
    double since_s = readings_at(missed, missed->count - adaptive->missed)->at_s;
    unsigned longs = count_since(adaptive->seen.longs, since_s);

    levels_push(&adaptive->levels, adaptive->held.bytes * 8e9 / adaptive->held.gap_ns,
                adaptive->trains);
    readings_keep(adaptive->seen.pairs, count_since(adaptive->seen.pairs, since_s));
    readings_keep(adaptive->seen.longs, longs);
    shapes_keep(&adaptive->seen.shapes, longs);
    adaptive->missed = 0;
    adaptive->held.gap_ns = 0;
    adaptive->pace.waited = adaptive->seen.scratch.room; /* work it out now */
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
static bool by_chance(const struct readings *readings, unsigned run,
                      const struct floor *recent)
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

    if (held->gap_ns <= 0 || held->trains != readings->trains)
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
    floor_read(readings, adaptive->missed, &adaptive->seen.noise, &adaptive->seen.scratch,
               &recent);
    if (recent.gap_ns > 0 && !by_chance(readings, adaptive->missed, &recent))
        change(adaptive, readings);
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
    adaptive->seen.noise.tick_ns = (double)adaptive->divisor_ns;
}

static void take_long(struct adaptive *adaptive, const struct sample *sample,
                      const struct reading *head)
{
    struct curve curve;
    struct reading reading = *head;

    if (!curve_read(sample, &adaptive->seen.noise, &curve))
        return;
    reading.limited = reading_limited(sample);
    if (!reading.limited) {
        shapes_push(&adaptive->seen.shapes, sample, &curve);
        shapes_follow(&adaptive->seen.shapes);
    }
    reading.batched = false;
    reading.last_ns = NAN;
    reading.delay_ns += curve.lift_ns;
    reading.bytes = (uint32_t)(sample->sent - 1) * sample->packet_bytes;
    reading.gap_ns = (float)(curve.gap_ns * (sample->sent - 1));
    reading_bound(&reading, sample);
    readings_push(adaptive->seen.longs, &reading);
    watch(adaptive, adaptive->seen.longs, &reading);
}

/* Takes what the train says; *head: its first two packets, or its times alone. */
static void take(struct adaptive *adaptive, const struct sample *sample,
                 struct reading *head)
{
    adaptive->trains++;
    note_tick(adaptive, sample);
    own_load_add(&adaptive->load, sample);
    policer_push(&adaptive->policer, sample);
    if (reading_of_head(&adaptive->epoch, sample, &adaptive->seen.noise, head)) {
        readings_push(adaptive->seen.pairs, head);
        watch(adaptive, adaptive->seen.pairs, head);
    }
    take_long(adaptive, sample, head);
}

/* --- Concluding --- */

/* Whether a floor may be told beside what was believed before. */
static bool undisputed(struct adaptive *adaptive, const struct floor *floor)
{
    struct floor *held = &adaptive->held;

    if (floor->gap_ns > 0 && held->gap_ns > 0 && adaptive->missed >= CONTEST_LEAST
        && !same_gap(floor->gap_ns * held->bytes / floor->bytes, held->gap_ns, SAME_RATE, 0))
        return false;
    if (!floor_believed(floor))
        return true;
    if (held->trains != floor->trains)
        adaptive->missed = 0;
    *held = *floor;
    return true;
}

static void conclude_floor(const struct floor *floor, struct estimate *estimate)
{
    *estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    if (floor->gap_ns <= 0)
        return;
    estimate_from_gap(estimate, floor->bytes, floor->gap_ns, floor->error_ns, floor->below_ns);
    if (!floor_believed(floor))
        estimate_widen(estimate);
    estimate->state = floor->limited ? STATE_SENDER_LIMITED
        : floor_believed(floor)            ? STATE_CONVERGED
                                     : STATE_TENTATIVE;
    if (floor->limited)
        estimate->high_bps = 0;
}

static void conclude(struct adaptive *adaptive)
{
    struct estimate *estimate = &adaptive->estimate;
    struct statistics statistics;
    struct floor pairs;

    adaptive->floor.gap_ns = 0;
    weigh_read_pairs(&adaptive->seen, &pairs);
    statistics_read(&adaptive->seen, &pairs, &statistics);
    if (access_told(&adaptive->seen, &pairs, &statistics, estimate)
        || shapes_shaped(&adaptive->seen.shapes, estimate))
        return;
    weigh(&adaptive->seen, &pairs, &adaptive->floor);
    conclude_floor(&adaptive->floor, estimate);
    access_doubt(&statistics, estimate);
    if (estimate->state != STATE_CONVERGED)
        return;
    if (adaptive->floor.contested
        || (!adaptive->floor.trains
            && shapes_doubt(&adaptive->seen.shapes, estimate->capacity_bps)))
        estimate->state = STATE_AMBIGUOUS;
    else if (!undisputed(adaptive, &adaptive->floor))
        estimate->state = STATE_TENTATIVE;
    else
        return;
    estimate_widen(estimate);
}

/* Two changes and more that the newest so many trains saw: no single one is the path's rate. */
enum { LEVELS_LEAST = 2 };

static void tell_levels(const struct adaptive *adaptive, struct estimate *estimate)
{
    const struct levels *levels = &adaptive->levels;
    unsigned seen = 0;

    for (unsigned i = 0; i < levels->count; i++)
        seen += adaptive->trains - levels->at[i].until <= adaptive->seen.scratch.room;
    if (estimate->state != STATE_CONVERGED || seen < LEVELS_LEAST)
        return;
    estimate->state = STATE_VARYING;
    estimate->why = WHY_RATE_VARIES;
    for (unsigned i = levels->count - seen; i < levels->count; i++) {
        estimate->low_bps = fmin(estimate->low_bps, levels->at[i].bps);
        estimate->high_bps = fmax(estimate->high_bps, levels->at[i].bps);
    }
}

static void tell_policer(const struct adaptive *adaptive, struct estimate *estimate)
{
    if (!policer_found(&adaptive->policer, estimate))
        return;
    if (estimate->state == STATE_CONVERGED || estimate->state == STATE_SENDER_LIMITED)
        estimate->state = STATE_POLICED;
    estimate->why = WHY_LOSSES;
}

static void work_out(struct adaptive *adaptive)
{
    conclude(adaptive);
    tell_levels(adaptive, &adaptive->estimate);
    tell_policer(adaptive, &adaptive->estimate);
    reason_give(&adaptive->seen, &adaptive->floor, &adaptive->load, &adaptive->estimate);
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
    if (sample->sent < CURVE_LEAST_PACKETS
        && shapes_batched(&adaptive->seen.shapes, &adaptive->seen.noise))
        sample->verdict = VERDICT_BATCHED;
    if (sample->verdict != VERDICT_OK || held->gap_ns <= 0
        || held->trains)
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
    const struct seen *seen = &adaptive->seen;
    struct reading head;
    unsigned most;

    if (sample->received == 0 || sample->verdict == VERDICT_LATE
        || sample->verdict == VERDICT_FOREIGN_SIZE)
        return;
    take(adaptive, sample, &head);
    give_verdict(adaptive, &head, sample);
    most = seen->pairs->count > seen->longs->count ? seen->pairs->count : seen->longs->count;
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
