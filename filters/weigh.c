/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/weigh.h"

#include "filters/even.h"
#include "filters/late.h"
#include "filters/later.h"
#include "filters/moments.h"
#include "filters/same.h"
#include "filters/settled.h"
#include "filters/shown.h"

#include <math.h>

/* By how much trains read slower or faster than pairs, as a share. */
static double apart_by(const struct candidate *longs, const struct candidate *pairs)
{
    return fabs(longs->gap_ns * pairs->bytes / (pairs->gap_ns * longs->bytes) - 1);
}

static struct witness read_newest_pairs(const struct seen *seen, unsigned last)
{
    return witness_read(seen->pairs, last, &seen->noise, &seen->scratch);
}

struct witness weigh_read_pairs(const struct seen *seen)
{
    return read_newest_pairs(seen, seen->pairs->count);
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

static bool weigh_may_be_stretched(const struct seen *seen, const struct candidate *longs)
{
    unsigned stretched = 0;

    EACH_READING(reading, seen->pairs) {
        double gap_ns = isnan(reading->last_ns) ? reading->gap_ns : reading->last_ns;
        double share = gap_ns * longs->bytes / (longs->gap_ns * reading->bytes);

        stretched += share > STRETCHED_LEAST && share < STRETCHED_MOST;
    }
    return stretched >= STRETCHED_SHARE * seen->pairs->count;
}

/* At ticks shorter than a gap pairs come early, too. If they are half a gap or less, no
 * first packet waits for longer, and the floors are as far apart as the packets of
 * trains; between half a gap and one, a link that never rests looks the same. */
static bool ticks_shorter(const struct seen *seen, const struct floors *pairs, double gap_ns, double longest)
{
    double longest_ns = longest * pairs->agreed.gap_ns + floors_near_ns(pairs, &seen->noise);

    return pairs->reached && even_share_below(seen, pairs, longest_ns) >= EVEN_SHARE
        && same_gap(pairs->apart_ns, gap_ns, SAME_FLOORS, 0);
}

/* Stamps must be good enough to see a wait, of a quarter of a gap at the most. */
#define NEAR_MOST 0.25

static bool waits_for_nothing(const struct seen *seen, const struct floors *pairs, double gap_ns)
{
    const struct noise *noise = &seen->noise;
    double near_ns = same_reach(gap_ns, SAME_RATE, noise_gap_ns(noise)) + noise->tick_ns;

    return near_ns <= NEAR_MOST * gap_ns && even_share_below(seen, pairs, near_ns) >= EVEN_SHARE;
}

/* Traffic that spares first packets, in a bucket or behind an idle link, gets into trains that
 * take long to leave; and a sender that is slow with trains alone looks like a clock. */
static bool kept_by_ticks(const struct seen *seen, const struct span *span, const struct floors *pairs,
                          const struct candidate *longs)
{
    double gap_ns = candidate_gap_ns(longs, pairs->bytes);

    return ticks_shorter(seen, pairs, gap_ns, span->ticked && span->at_once ? 1 : 0.5)
        || (span->at_once && waits_for_nothing(seen, pairs, gap_ns));
}

/* From end to end and along the envelope are two ways to read a train: where they
 * differ, up to a hundredth counts as error. (Batches that begin with the train
 * delay its first packet more than its last: there only the envelope is right.) */
static struct candidate read_span(const struct span *span, const struct candidate *longs)
{
    double differ_ns = fabs(span->gap_ns - longs->gap_ns);
    struct candidate candidate = *longs;

    if (span->steady && span->bytes == longs->bytes)
        candidate.error_ns += fmin(differ_ns, SAME_WAYS * candidate.gap_ns) + span->phase_ns;
    return candidate;
}

/* Trains that no traffic got into, or whole batches of them. */
static struct mean weigh_read_spared(const struct seen *seen, const struct statistics *statistics)
{
    struct mean spared = shapes_spared(&seen->shapes), held = statistics->held.gap;

    return spared.n > 0 || !statistics->span.at_once || held.n < HELD_LEAST ? spared : held;
}

/* A rate that varies, and blocks that come again, make trains of least delays those of the highest rate. Where nothing
 * proves that it was traffic which the others met the mean is the better guess. */
static void guess_mean(struct witness *longs)
{
    if (!evidence_has(longs->evidence, FOR_PROVEN))
        longs->candidate.gap_ns += longs->candidate.below_ns;
}

/* Batches with cross traffic in between: what the least delays leave of it, if that is more than
 * the mean's error. */
static struct witness weigh_batches(const struct seen *seen, const struct statistics *statistics,
                                    const struct witness *lowest)
{
    const struct span *span = &statistics->span;
    bool hidden = shapes_hidden(&seen->shapes, span->ticked);
    struct mean spared = hidden ? weigh_read_spared(seen, statistics) : (struct mean){0};
    struct witness longs = *lowest;

    longs.evidence = (struct evidence){0};
    if (spared.n > 0) {
        longs.candidate = candidate_a_byte(&lowest->candidate, &spared);
        longs.candidate.below_ns = 0;
    }
    longs.candidate = read_span(span, &longs.candidate);
    longs.candidate.error_ns += shapes_batch_error(&seen->shapes, span->ticked) * longs.candidate.gap_ns;
    evidence_note(&longs.evidence, FOR_PROVEN, spared.n > 0 || evidence_has(lowest->evidence, FOR_PROVEN));
    evidence_note(&longs.evidence, FOR_AGREED, span->steady);
    evidence_note(&longs.evidence, FOR_GROUNDED, span->steady);
    evidence_note(&longs.evidence, AGAINST_HIDDEN, hidden && spared.n == 0);
    guess_mean(&longs);
    return longs;
}

/* Ticks: the mean of envelopes, as their phase is random. */
static struct witness weigh_steady(const struct seen *seen, const struct span *span,
                                   const struct witness *pairs, const struct witness *lowest)
{
    struct witness longs = *lowest;
    bool rival;

    longs.candidate = read_span(span, &longs.candidate);
    evidence_note(&longs.evidence, FOR_AGREED, true);
    evidence_note(&longs.evidence, FOR_GROUNDED, true);
    rival = witness_believed(&longs, &seen->noise) && weigh_may_be_stretched(seen, &longs.candidate)
        && !kept_by_ticks(seen, span, &pairs->floors, &longs.candidate);
    evidence_note(&longs.evidence, AGAINST_CLOCK, rival);
    return longs;
}

static struct witness weigh_longs(const struct seen *seen, const struct statistics *statistics,
                                  const struct witness *pairs)
{
    struct witness lowest = witness_read_lowest(seen->longs, &seen->noise, &seen->scratch);

    return statistics->batched ? weigh_batches(seen, statistics, &lowest)
                               : weigh_steady(seen, &statistics->span, pairs, &lowest);
}

/* --- Pairs, and trains beside them --- */

/* After a route has changed, or while a clock is slewed, no one line lies under all
 * delays: then those of the newest half may bear the gap out, or of half of these. */
enum { GROUND_FEWEST = 16 };

static bool find_ground(const struct seen *seen, const struct witness *pairs)
{
    if (!pairs->floors.delays || !pairs->floors.agree || evidence_has(pairs->evidence, FOR_GROUNDED))
        return false;
    for (unsigned last = pairs->floors.count / 2; last >= GROUND_FEWEST; last /= 2) {
        struct witness part = read_newest_pairs(seen, last);

        if (evidence_has(part.evidence, FOR_GROUNDED)
            && same_gap(part.candidate.gap_ns, pairs->candidate.gap_ns, SAME_RATE, 0))
            return true;
    }
    return false;
}

/* Long trains at the rate that pairs agree on: behind a saturated queue of another
 * link, or at a shaper's ticks, the two would differ. Of less than a dozen kilobytes,
 * trains of small packets, a whole one fits between two bursts. */
#define BEAR_LEAST_BYTES 12000

static bool bear_out(const struct witness *longs, const struct witness *pairs)
{
    return longs->floors.agree && pairs->floors.agree && longs->candidate.bytes >= BEAR_LEAST_BYTES
        && apart_by(&longs->candidate, &pairs->candidate) <= SAME_RATE;
}

/* A first stamp that is late shortens the first gap of a train, and leaves the last as long
 * as the mean. Light traffic, or a sender that is stopped now and then, stretches a few
 * gaps, and leaves the last as long as a pair's. Share of the last gaps that are nearer to
 * the mean of trains; NAN: too few are known. */
enum { LAST_LEAST = 5 };

static double last_like_mean(const struct seen *seen, const struct candidate *longs,
                             const struct candidate *pairs)
{
    unsigned known = 0, like = 0;

    EACH_READING(reading, seen->pairs) {
        double gap_ns = (double)reading->last_ns / reading->bytes; /* a byte */

        if (isnan(gap_ns))
            continue;
        known++;
        like += fabs(gap_ns - candidate_byte_ns(longs)) < fabs(gap_ns - candidate_byte_ns(pairs));
    }
    return known < LAST_LEAST ? NAN : (double)like / known;
}

/* Where the two differ by so little that stamps blur it, half of the last gaps are on either
 * side: then an idle path, where first packets wait for nothing, speaks for trains. */
#define LAST_MOST 0.5
#define LAST_FEW 0.25

static bool trains_are_right(const struct seen *seen, const struct candidate *longs,
                             const struct witness *witness, double gap_ns)
{
    const struct candidate *pairs = &witness->candidate;
    double share = last_like_mean(seen, longs, pairs);

    if (isnan(share) || candidate_byte_ns(pairs) > candidate_byte_ns(longs))
        return waits_for_nothing(seen, &witness->floors, gap_ns);
    return share > LAST_MOST || (share > LAST_FEW && waits_for_nothing(seen, &witness->floors, gap_ns));
}

/* Where nothing else is on the path, or the first stamp is late, that or what is left in a
 * bucket counts once in all the gaps of a train. */
static struct candidate read_longer(const struct candidate *longs, const struct candidate *pairs)
{
    double share = (double)pairs->bytes / longs->bytes;
    struct candidate candidate = *pairs;

    candidate.gap_ns = longs->gap_ns * share;
    candidate.error_ns = longs->error_ns * share;
    candidate.below_ns = longs->below_ns * share;
    candidate.above_ns = longs->above_ns * share;
    return candidate;
}

/* On the way through a queue a packet falls back behind the one before it by what comes in
 * between, the first gap of a train as much as any other: the mean of all pairs' gaps is
 * that of trains. Where it is not, something else holds packets back: a bucket, a batch,
 * an interrupt, a second link. Or the first stamp was late, if it is not more than that:
 * in any case trains are right sooner than pairs. */
enum { MEANS_LEAST = 2 };

/* By how much the mean gaps differ, beyond three standard errors (of few trains more, as Student
 * has it). */
static double means_differ(const struct statistic *trains, const struct floors *pairs)
{
    if (trains->n < MEANS_LEAST)
        return pairs->agree && trains->value > TRAINS_SLOWER * pairs->mean_ns ? INFINITY : 0;
    return fabs(trains->value - pairs->mean_ns)
        - fmax(BEYOND_CHANCE, student(trains->n)) * hypot(trains->sigma, pairs->mean_error_ns);
}

/* Pairs that agree as well as this need no help. */
#define PAIR_SPREAD 0.01

/* Where stamps are all that moves a gap, as on an idle link that is fast for its
 * clock, long gaps spread no wider than short ones, in nanoseconds, and measure that
 * much better. Random traffic spreads them by the square root of their packets. Ticks
 * alone spread half of the gaps over 0.59 of one. */
#define SPREAD_ALIKE 1.5
#define TICK_SPREAD 0.8

static bool scattered_by_stamps(const struct witness *pairs, const struct noise *noise)
{
    double half_ns = pairs->floors.half_ns;

    return half_ns + noise->tick_ns > PAIR_SPREAD * pairs->candidate.gap_ns
        && half_ns <= fmax(noise_gap_ns(noise), noise->tick_ns);
}

static bool weigh_better(const struct floors *longs, const struct witness *pairs, const struct noise *noise)
{
    double half_ns = pairs->floors.half_ns;
    double most_ns = half_ns > noise->tick_ns ? SPREAD_ALIKE * half_ns : TICK_SPREAD * noise->tick_ns;

    return scattered_by_stamps(pairs, noise) && longs->close
        && longs->half_ns <= fmax(most_ns, noise->stamp_ns / 2);
}

/* First stamps that are late by up to what a host needs to hand a packet over shorten all pairs and
 * scatter them. Where that can make a gap wrong, and pairs scatter, none is believed that trains
 * are slower than: neither the mean of pairs nor those of least delay tell it from traffic. */
static bool late_stamps_hide(const struct witness *pairs, const struct statistic *trains,
                             const struct noise *noise)
{
    double gap_ns = pairs->candidate.gap_ns, slower_ns = trains->value - (1 + SAME_ENDS) * gap_ns;

    return (pairs->candidate.origin == ORIGIN_LEAST || pairs->candidate.origin == ORIGIN_AGREEMENT)
        && noise->handover_ns > SAME_ENDS * gap_ns && pairs->floors.same_ns > SAME_WAYS * gap_ns
        && trains->n >= MEANS_LEAST && slower_ns > fmax(BEYOND_CHANCE, student(trains->n)) * trains->sigma;
}

/* Trains agree on another gap than one that floors alone hold up, a few lucky stamps or ticks, or
 * that any host's timers may scatter, and it is further away than these. */
static bool deny(const struct witness *longs, const struct witness *pairs, const struct noise *noise)
{
    double half_ns = pairs->floors.half_ns;
    bool loose = pairs->candidate.origin == ORIGIN_FLOORS
        || (half_ns > SAME_FAR * pairs->candidate.gap_ns && half_ns <= noise->timers_ns);

    return loose && longs->floors.agree && apart_by(&longs->candidate, &pairs->candidate) > SAME_FAR;
}

/* Trains that are too few for more than their mean, a gap. */
static struct candidate guess_of_trains(double gap_ns, uint32_t bytes)
{
    return candidate_of(gap_ns, ESTIMATE_GUESS * gap_ns, bytes, ORIGIN_TRAINS);
}

/* Of the longest ones. */
static struct candidate mean_of_few(const struct readings *longs, uint32_t bytes)
{
    uint32_t short_bytes = readings_short_bytes(longs, 0);
    struct moments gaps = {0};

    EACH_READING(reading, longs)
        if (reading->bytes > short_bytes)
            moments_add(&gaps, (double)reading->gap_ns * bytes / reading->bytes);
    return guess_of_trains(gaps.mean, bytes);
}

/* The sender went on slowly: no word of the path. What a bucket of its own let pairs have is no bound; nor is one of few pairs
 * that came otherwise than the most. */
static struct witness weigh_limited(const struct seen *seen, const struct witness *pairs,
                                    const struct witness *longs)
{
    struct witness witness = *longs;

    if (!pairs->candidate.limited && !readings_limited(seen->pairs, 0, 0, UINT32_MAX))
        return *pairs;
    if (longs->candidate.gap_ns <= 0)
        witness.candidate = mean_of_few(seen->longs, pairs->candidate.bytes);
    witness.candidate.limited = true;
    return witness;
}

/* Pairs that arrived as they left, and trains that did not: a bucket let the pairs pass, or
 * the sender is slower with pairs. Pairs say nothing then. */
static struct witness tell_trains(const struct seen *seen, const struct witness *longs, uint32_t bytes)
{
    struct statistic trains = shapes_gap(&seen->shapes, bytes);
    struct witness witness = *longs;

    evidence_note(&witness.evidence, AGAINST_ADDED, settled_added(&seen->shapes) > CANDIDATE_ERROR_MOST);
    if (longs->candidate.gap_ns <= 0 && trains.n > 0)
        witness.candidate = guess_of_trains(trains.value, bytes);
    return witness;
}

/* In place of what their own gaps have against trains, but for sizes, what pairs have. */
static struct evidence as_pairs_doubt(struct evidence longs, struct evidence pairs)
{
    uint32_t own = ~EVIDENCE_AGAINST | 1U << AGAINST_SPARED | 1U << AGAINST_SIZES;

    return (struct evidence){(longs.reasons & own) | (pairs.reasons & EVIDENCE_AGAINST)};
}

static struct witness weigh_both(const struct seen *seen, struct witness pairs, struct witness longs)
{
    bool holds = bear_out(&longs, &pairs), slower;
    struct statistic trains = shapes_gap(&seen->shapes, pairs.floors.bytes);
    double gap_ns = trains.value, differ_ns = means_differ(&trains, &pairs.floors);
    struct evidence before;

    evidence_note(&pairs.evidence, FOR_GROUNDED, holds);
    evidence_note(&longs.evidence, FOR_GROUNDED, holds);
    if (holds) /* what trains bear out is no bucket's doing */
        evidence_drop(&pairs.evidence, AGAINST_SPARED);
    before = pairs.evidence;
    slower = differ_ns > same_reach(gap_ns, SAME_MEANS, noise_late_ns(&seen->noise, gap_ns));
    evidence_note(&pairs.evidence, AGAINST_MEANS, slower);
    evidence_note(&pairs.evidence, AGAINST_TRAINS,
                  deny(&longs, &pairs, &seen->noise) || late_stamps_hide(&pairs, &trains, &seen->noise));
    if (holds && trains_are_right(seen, &longs.candidate, &pairs, gap_ns))
        pairs.candidate = read_longer(&longs.candidate, &pairs.candidate);
    if (!settled_adds_up(&seen->shapes) && weigh_better(&longs.floors, &pairs, &seen->noise)) {
        longs.evidence = as_pairs_doubt(longs.evidence, before);
        return longs;
    }
    if (!longs.floors.agree || (!evidence_denied(pairs.evidence) && differ_ns <= SAME_RATE * gap_ns))
        return pairs;
    /* a better guess, and no more where it is not the first stamp's doing, or where steps of stamps
     * may be all that pairs agree on: traffic in trains cannot be told then */
    longs.evidence = as_pairs_doubt(longs.evidence, pairs.evidence);
    evidence_note(&longs.evidence, AGAINST_TRAINS, scattered_by_stamps(&pairs, &seen->noise));
    return longs;
}

static struct witness weigh_pairs(const struct seen *seen, const struct statistics *statistics,
                                  const struct witness *as_read)
{
    struct witness pairs = *as_read, longs, settled, even;

    evidence_note(&pairs.evidence, FOR_GROUNDED, find_ground(seen, &pairs));
    pairs.candidate.above_ns = late_above(seen, &pairs);
    if (seen->longs->count == 0)
        return pairs;
    longs = witness_read(seen->longs, seen->longs->count, &seen->noise, &seen->scratch);
    if (readings_limited(seen->longs, 0, readings_short_bytes(seen->longs, 0) + 1, UINT32_MAX))
        return weigh_limited(seen, &pairs, &longs);
    settled = settled_weigh(seen, statistics, &pairs);
    if (settled.candidate.origin == ORIGIN_SETTLED && !evidence_denied(settled.evidence))
        return settled;
    even = even_weigh(seen, statistics, &pairs);
    if (even.candidate.origin == ORIGIN_EVEN)
        return even;
    if (settled.candidate.origin == ORIGIN_SETTLED)
        return settled;
    pairs = even;
    if (pairs.candidate.limited)
        return tell_trains(seen, &longs, pairs.candidate.bytes);
    return weigh_both(seen, pairs, longs);
}

/* A few trains that left at once and show ticks: read as steady ones where pairs are not
 * believed, or agree on a whole number of ticks instead: off by no more than one. Where pairs
 * are believed, what the two differ by counts as error. */
static struct witness weigh_ticked(const struct seen *seen, const struct statistics *statistics,
                                   const struct witness *pairs, const struct witness *weighed)
{
    const struct span *span = &statistics->span;
    const struct candidate *candidate = &weighed->candidate;
    double differ_ns = fabs(span->gap_ns * candidate->bytes / span->bytes - candidate->gap_ns);
    struct witness witness = *weighed, longs;
    struct statistics steady = *statistics;

    if (witness_believed(weighed, &seen->noise)
        && (differ_ns <= SAME_RATE * candidate->gap_ns || differ_ns > span->tick_ns)) {
        witness.candidate.error_ns += fmin(differ_ns, SAME_RATE * candidate->gap_ns);
        return witness;
    }
    steady.span.steady = true;
    longs = weigh_longs(seen, &steady, pairs);
    return witness_believed(&longs, &seen->noise) ? longs : witness;
}

/* Traffic that stretches trains stretches most pairs as far, and spares some: the floors of their
 * delays are the gap of those apart, which is less. What a bucket, a late stamp or another link does
 * to pairs, it does to all of them: there their mean is near the floors' distance. */
static bool floors_deny(const struct floors *pairs, const struct candidate *told, const struct noise *noise)
{
    double gap_ns = candidate_gap_ns(told, pairs->bytes);

    return pairs->delays && pairs->apart_ns < gap_ns
        && !same_gap(pairs->apart_ns, gap_ns, SAME_MEANS, noise_gap_ns(noise) + noise->tick_ns)
        && fabs(pairs->mean_ns - gap_ns) < fabs(pairs->mean_ns - pairs->apart_ns);
}

/* Others' packets in gaps of ours keep no clock of the path's, however even our trains are, and spare some gaps. */
static bool is_comb(const struct statistics *statistics)
{
    const struct span *span = &statistics->span;

    return span->bytes > 0 && (span->ticked || span->steady) && !statistics->batched
        && comb_denies(&statistics->comb, span->gap_ns, span->bytes)
        && comb_spares(&statistics->comb, statistics->busy, statistics->waits);
}

static struct witness weigh_all(const struct seen *seen, const struct statistics *statistics,
                                const struct witness *pairs)
{
    const struct span *span = &statistics->span;
    struct witness longs = {0}, witness;
    bool comb = is_comb(statistics), rival;
    bool few = span->ticked && span->at_once && !span->steady && !comb;

    if (!few && (statistics->batched || (span->steady && !comb)))
        longs = weigh_longs(seen, statistics, pairs);
    rival = evidence_has(longs.evidence, AGAINST_CLOCK);
    if (!few && statistics->batched) /* of the first few trains the mean is all that there is */
        return longs.candidate.gap_ns > 0 ? longs : tell_trains(seen, &longs, pairs->floors.bytes);
    if (!few && witness_believed(&longs, &seen->noise) && !rival)
        return longs;
    witness = weigh_pairs(seen, statistics, pairs);
    witness = even_guess(seen, statistics, &witness);
    evidence_note(&witness.evidence, AGAINST_CLOCK, rival);
    if (few)
        witness = weigh_ticked(seen, statistics, pairs, &witness);
    return witness;
}

struct witness weigh(const struct seen *seen, const struct statistics *statistics,
                     const struct witness *pairs)
{
    struct witness witness = weigh_all(seen, statistics, pairs);

    witness = later_weigh(seen, statistics, pairs, &witness);
    shown_weigh(seen, statistics, &pairs->floors, &witness);
    evidence_note(&witness.evidence, AGAINST_TEETH,
                  !statistics->batched
                      && comb_denies(&statistics->comb, witness.candidate.gap_ns, witness.candidate.bytes));
    evidence_note(&witness.evidence, AGAINST_FLOORS,
                  !statistics->span.ticked && floors_deny(&pairs->floors, &witness.candidate, &seen->noise));
    return witness;
}
