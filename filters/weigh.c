/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/weigh.h"

#include "filters/even.h"
#include "filters/held.h"
#include "filters/moments.h"
#include "filters/same.h"

#include <math.h>

/* By how much trains read slower or faster than pairs, as a share. */
static double apart_by(const struct floor *longs, const struct floor *pairs)
{
    return fabs(longs->gap_ns * pairs->bytes / (pairs->gap_ns * longs->bytes) - 1);
}

static void read_pairs(const struct seen *seen, unsigned last, struct floor *pairs)
{
    floor_read(seen->pairs, last, &seen->noise, &seen->scratch, pairs);
}

/* --- Trains where only long baselines mean something --- */

/* Traffic that keeps a clock of its own stretches trains as evenly as a shaper's ticks do:
 * to C R / (C + R) on one link that they enter at the rate R > C, half of C at the
 * least, on several links further. But then pairs are found that it did not stretch,
 * or not as far; at ticks they come at the peak rate, or later than on average. The last
 * gap of a train, where there is one, is spared a bucket. */
#define STRETCHED_LEAST 0.4
#define STRETCHED_MOST 0.95
#define STRETCHED_SHARE 0.1

static bool may_be_stretched(const struct seen *seen, const struct floor *longs)
{
    unsigned stretched = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double gap_ns = isnan(reading->last_ns) ? reading->gap_ns : reading->last_ns;
        double share = gap_ns * longs->bytes / (longs->gap_ns * reading->bytes);

        stretched += share > STRETCHED_LEAST && share < STRETCHED_MOST;
    }
    return stretched >= STRETCHED_SHARE * seen->pairs->count;
}

/* At ticks shorter than a gap pairs come early, too. If they are half a gap or less, no
 * first packet waits for longer, and the floors are as far apart as the packets of
 * trains; between half a gap and one, a link that never rests looks the same. */
static bool ticks_shorter(const struct floor *pairs, double gap_ns, double waits_less)
{
    return pairs->reached && waits_less >= EVEN_SHARE
        && same_gap(pairs->apart_ns, gap_ns, SAME_FLOORS, 0);
}

/* Stamps must be good enough to see a wait, of a quarter of a gap at the most. */
#define NEAR_MOST 0.25

static bool waits_for_nothing(const struct seen *seen, const struct floor *pairs,
                              double gap_ns)
{
    double near_ns = same_reach(gap_ns, SAME_RATE, noise_gap_ns(&seen->noise)) + seen->noise.tick_ns;

    return near_ns <= NEAR_MOST * gap_ns && even_share_below(seen, pairs, near_ns) >= EVEN_SHARE;
}

/* Traffic that spares first packets, in a bucket or behind an idle link, gets into trains that
 * take long to leave; and a sender that is slow with trains alone looks like a clock. */
static bool kept_by_ticks(const struct seen *seen, const struct span *span,
                          const struct floor *pairs, const struct floor *longs)
{
    double gap_ns = longs->gap_ns * pairs->bytes / longs->bytes;

    return ticks_shorter(pairs, gap_ns, span->ticked && span->at_once ? pairs->low : pairs->lowest)
        || (span->at_once && waits_for_nothing(seen, pairs, gap_ns));
}

/* From end to end and along the envelope are two ways to read a train: where they
 * differ, up to a hundredth counts as error. (Batches that begin with the train
 * delay its first packet more than its last: there only the envelope is right.) */
static void read_span(const struct span *span, struct floor *longs)
{
    double differ_ns = fabs(span->gap_ns - longs->gap_ns);

    if (!span->steady || span->bytes != longs->bytes)
        return;
    if (!span->batched && differ_ns < SAME_WAYS * longs->gap_ns) {
        longs->gap_ns = span->gap_ns;
        longs->error_ns = span->error_ns;
        longs->below_ns = 0;
    }
    longs->error_ns += fmin(differ_ns, SAME_WAYS * longs->gap_ns) + span->phase_ns;
}

/* Ticks: the mean, as their phase is random. Batches with cross traffic in between: what
 * the least delays leave of it, if that is more than the mean's error. */
static bool weigh_longs(const struct seen *seen, const struct span *span,
                        const struct floor *pairs, struct floor *longs)
{
    double gap_ns, error_ns;
    bool hidden;

    if (!span->batched && !span->steady)
        return false;
    hidden = shapes_hidden(&seen->shapes, span->ticked);
    floor_read_lowest(seen->longs, &seen->noise, &seen->scratch, longs);
    if (span->batched && hidden
        && (shapes_spared(&seen->shapes, &gap_ns, &error_ns)
            || (span->at_once && held_told(&seen->shapes, &gap_ns, &error_ns)))) {
        hidden = false;
        longs->gap_ns = gap_ns * longs->bytes;
        longs->error_ns = error_ns * longs->bytes;
        longs->below_ns = 0;
        longs->proven = true;
    }
    longs->unanimous = longs->grounded = span->steady;
    read_span(span, longs);
    if (!span->batched) {
        longs->contested = floor_believed(longs) && may_be_stretched(seen, longs)
            && !kept_by_ticks(seen, span, pairs, longs);
        return floor_believed(longs) && !longs->contested;
    }
    longs->error_ns += shapes_batch_error(&seen->shapes, span->ticked) * longs->gap_ns;
    longs->doubtful = hidden;
    return true;
}

/* --- Pairs, and trains beside them --- */

/* After a route has changed, or while a clock is slewed, no one line lies under all
 * delays: then those of the newest half may bear the gap out, or of half of these. */
enum { GROUND_FEWEST = 16 };

static void seek_ground(const struct seen *seen, struct floor *pairs)
{
    struct floor part;

    for (unsigned last = pairs->count / 2;
         pairs->unanimous && !pairs->grounded && last >= GROUND_FEWEST; last /= 2) {
        read_pairs(seen, last, &part);
        pairs->grounded = part.grounded
            && same_gap(part.gap_ns, pairs->gap_ns, SAME_RATE, 0);
    }
}

/* Long trains at the rate that pairs agree on: behind a saturated queue of another
 * link, or at a shaper's ticks, the two would differ. Of less than a dozen kilobytes,
 * trains of small packets, a whole one fits between two bursts. */
#define BEAR_LEAST_BYTES 12000

static bool bear_out(const struct floor *longs, const struct floor *pairs)
{
    return longs->unanimous && pairs->unanimous && longs->bytes >= BEAR_LEAST_BYTES
        && apart_by(longs, pairs) <= SAME_RATE;
}

/* A first stamp that is late shortens the first gap of a train, and leaves the last as long
 * as the mean. Light traffic, or a sender that is stopped now and then, stretches a few
 * gaps, and leaves the last as long as a pair's. Share of the last gaps that are nearer to
 * the mean of trains; NAN: too few are known. */
enum { LAST_LEAST = 5 };

static double last_like_mean(const struct seen *seen, const struct floor *longs,
                             const struct floor *pairs)
{
    unsigned known = 0, like = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double gap_ns = (double)reading->last_ns / reading->bytes; /* a byte */

        if (isnan(gap_ns))
            continue;
        known++;
        if (fabs(gap_ns - longs->gap_ns / longs->bytes)
            < fabs(gap_ns - pairs->gap_ns / pairs->bytes))
            like++;
    }
    return known < LAST_LEAST ? NAN : (double)like / known;
}

/* Where the two differ by so little that stamps blur it, half of the last gaps are on either
 * side: then an idle path, where first packets wait for nothing, speaks for trains. */
#define LAST_MOST 0.5
#define LAST_FEW 0.25

static bool trains_are_right(const struct seen *seen, const struct floor *longs,
                             const struct floor *pairs, double gap_ns)
{
    double share = last_like_mean(seen, longs, pairs);

    if (isnan(share) || pairs->gap_ns / pairs->bytes > longs->gap_ns / longs->bytes)
        return waits_for_nothing(seen, pairs, gap_ns);
    return share > LAST_MOST || (share > LAST_FEW && waits_for_nothing(seen, pairs, gap_ns));
}

/* Where nothing else is on the path, or the first stamp is late, that or what is left in a
 * bucket counts once in all the gaps of a train. */
static void read_longer(const struct floor *longs, struct floor *pairs)
{
    double share = (double)pairs->bytes / longs->bytes;

    pairs->gap_ns = longs->gap_ns * share;
    pairs->error_ns = longs->error_ns * share;
    pairs->below_ns = longs->below_ns * share;
}

/* On the way through a queue a packet falls back behind the one before it by what comes in
 * between, the first gap of a train as much as any other: the mean of all pairs' gaps is
 * that of trains. Where it is not, something else holds packets back: a bucket, a batch,
 * an interrupt, a second link. Or the first stamp was late, if it is not more than that:
 * in any case trains are right sooner than pairs. */
enum { MEANS_LEAST = 2 };

/* What pairs agree on, traffic stretches by a fifth of a large packet a gap; one train that
 * is slower than that tells a bucket. */
#define FEW_DIFFER 1.5

/* By how much the mean gaps differ, beyond three standard errors (of few trains more, as Student
 * has it); the mean of trains. */
static double means_differ(const struct seen *seen, const struct floor *pairs, double *gap_ns)
{
    double error_ns;
    unsigned count = shapes_gap(&seen->shapes, pairs->bytes, gap_ns, &error_ns);

    if (count < MEANS_LEAST)
        return pairs->unanimous && *gap_ns > FEW_DIFFER * pairs->mean_ns ? INFINITY : 0;
    return fabs(*gap_ns - pairs->mean_ns)
        - fmax(3, student(count)) * hypot(error_ns, pairs->mean_error_ns);
}

/* Pairs that agree as well as this need no help. */
#define PAIR_SPREAD 0.01

/* Where stamps are all that moves a gap, as on an idle link that is fast for its
 * clock, long gaps spread no wider than short ones, in nanoseconds, and measure that
 * much better. Random traffic spreads them by the square root of their packets. Ticks
 * alone spread half of the gaps over 0.59 of one. */
#define SPREAD_ALIKE 1.5
#define TICK_SPREAD 0.8

static bool scattered_by_stamps(const struct floor *pairs, const struct noise *noise)
{
    return pairs->half_ns + noise->tick_ns > PAIR_SPREAD * pairs->gap_ns
        && pairs->half_ns <= fmax(noise_gap_ns(noise), noise->tick_ns);
}

static bool better(const struct floor *longs, const struct floor *pairs,
                   const struct noise *noise)
{
    double most_ns = pairs->half_ns > noise->tick_ns ? SPREAD_ALIKE * pairs->half_ns
                                                     : TICK_SPREAD * noise->tick_ns;

    return scattered_by_stamps(pairs, noise) && longs->tight
        && longs->half_ns <= fmax(most_ns, noise->stamp_ns / 2);
}

/* Trains agree on another gap than one that stamps scatter, or that floors alone hold up: a
 * few lucky stamps, or ticks. Further apart, than one that any host's timers may scatter.
 * On a fast link so does traffic, which then keeps a clock; the two cannot be told apart. */
static bool deny(const struct floor *longs, const struct floor *pairs, const struct noise *noise)
{
    double off = apart_by(longs, pairs);
    bool loose = pairs->alone || (pairs->half_ns > SAME_FAR * pairs->gap_ns
                                  && pairs->half_ns <= noise->timers_ns);

    return longs->unanimous
        && ((off > SAME_RATE && scattered_by_stamps(pairs, noise)) || (off > SAME_FAR && loose));
}

/* Trains that arrived as they left, of the longest. */
static bool longs_limited(const struct readings *longs)
{
    uint32_t least_bytes = readings_longest(longs, 0) / 2;
    int more = 0;

    for (unsigned i = 0; i < longs->count; i++)
        if (readings_at(longs, i)->bytes > least_bytes)
            more += readings_at(longs, i)->limited ? 1 : -1;
    return more >= 0;
}

/* Pairs that arrived as they left, and trains that did not: a bucket let the pairs pass, or
 * the sender is slower with pairs. Pairs say nothing then, and trains that begin faster than
 * they end not enough. */
static void tell_trains(const struct seen *seen, const struct floor *longs, struct floor *floor)
{
    double error_ns, gap_ns;
    uint32_t bytes = floor->bytes;

    *floor = *longs;
    floor->doubtful = longs->doubtful || !shapes_even(&seen->shapes);
    if (longs->gap_ns > 0 || shapes_gap(&seen->shapes, bytes, &gap_ns, &error_ns) == 0)
        return;
    floor->bytes = bytes;
    floor->gap_ns = gap_ns;
    floor->error_ns = 0.1 * gap_ns;
}

static void weigh_pairs(const struct seen *seen, const struct span *span,
                        const struct floor *as_read, struct floor *floor)
{
    struct floor pairs = *as_read, longs;
    double differ_ns, gap_ns;
    bool borne_out;

    if (pairs.delays)
        seek_ground(seen, &pairs);
    *floor = pairs;
    if (seen->longs->count == 0)
        return;
    floor_read(seen->longs, seen->longs->count, &seen->noise, &seen->scratch, &longs);
    if (longs_limited(seen->longs)) { /* the sender went on slowly: no word of the path */
        if (pairs.limited && longs.gap_ns > 0) {
            *floor = longs;
            floor->limited = true;
        }
        return;
    }
    if (even_told(seen, span, &pairs)) {
        *floor = pairs;
        return;
    }
    if (pairs.limited) {
        tell_trains(seen, &longs, floor);
        return;
    }
    borne_out = bear_out(&longs, &pairs);
    if (borne_out)
        pairs.grounded = longs.grounded = true;
    if (borne_out && pairs.sizes == SIZES_SPARED)
        pairs.sizes = SIZES_AGREE;
    longs.doubtful = pairs.doubtful = pairs.doubtful || pairs.sizes != SIZES_AGREE;
    differ_ns = means_differ(seen, &pairs, &gap_ns);
    if (differ_ns > same_reach(gap_ns, SAME_MEANS, noise_late_ns(&seen->noise, gap_ns)))
        pairs.doubtful = true;
    pairs.doubtful = pairs.doubtful || deny(&longs, &pairs, &seen->noise);
    if (borne_out && trains_are_right(seen, &longs, &pairs, gap_ns))
        read_longer(&longs, &pairs);
    *floor = pairs;
    if (better(&longs, &pairs, &seen->noise)) {
        *floor = longs;
    } else if (longs.unanimous && (pairs.doubtful || differ_ns > SAME_RATE * gap_ns)) {
        *floor = longs;
        /* a better guess, and no more where it is not the first stamp's doing */
        floor->doubtful = pairs.doubtful || gap_ns <= BATCHED_TICKS * seen->noise.tick_ns;
    }
}

/* A few trains that left at once and show ticks: read as steady ones where pairs are not
 * believed, or agree on a whole number of ticks instead: off by no more than one. Where pairs
 * are believed, what the two differ by counts as error. */
static void weigh_ticked(const struct seen *seen, struct span *span, const struct floor *pairs,
                         struct floor *floor)
{
    double differ_ns = fabs(span->gap_ns * floor->bytes / span->bytes - floor->gap_ns);
    struct floor longs = {0};

    if (floor_believed(floor)
        && (differ_ns <= SAME_RATE * floor->gap_ns || differ_ns > span->tick_ns)) {
        floor->error_ns += fmin(differ_ns, SAME_RATE * floor->gap_ns);
        return;
    }
    span->steady = true;
    weigh_longs(seen, span, pairs, &longs);
    if (floor_believed(&longs))
        *floor = longs;
    else if (floor_believed(floor))
        floor->doubtful = true;
}

void weigh_read_pairs(const struct seen *seen, struct floor *pairs)
{
    read_pairs(seen, seen->pairs->count, pairs);
}

void weigh(const struct seen *seen, const struct floor *pairs, struct floor *floor)
{
    struct floor longs = {0};
    struct span span;
    bool few;

    shapes_span(&seen->shapes, &seen->noise, &span);
    few = span.ticked && span.at_once && !span.steady;
    if (!few && weigh_longs(seen, &span, pairs, &longs)) {
        *floor = longs;
        return;
    }
    weigh_pairs(seen, &span, pairs, floor);
    even_guess(seen, &span, floor);
    floor->contested = longs.contested;
    if (few)
        weigh_ticked(seen, &span, pairs, floor);
}
