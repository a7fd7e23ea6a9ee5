/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/decide.h"

#include "filters/same.h"

#include <math.h>

/* --- The rate --- */

static struct estimate of_candidate(const struct candidate *candidate)
{
    double bits = candidate->bytes * 8e9, gap_ns = candidate->gap_ns;
    double longest_ns = gap_ns + candidate->error_ns + candidate->above_ns;
    double shortest_ns = gap_ns - candidate->error_ns - candidate->below_ns;

    return (struct estimate){.state = STATE_CONVERGED,
                             .capacity_bps = bits / gap_ns,
                             .low_bps = bits / longest_ns,
                             .high_bps = bits / fmax(shortest_ns, gap_ns / 10)};
}

static enum why why_of(enum origin origin)
{
    switch (origin) {
    case ORIGIN_TURNS:
    case ORIGIN_SLOWER:
    case ORIGIN_TURNS_TOLD: return WHY_FAIR_QUEUE;
    case ORIGIN_MEAN: return WHY_RATE_VARIES;
    case ORIGIN_CONTENTION: return WHY_CONTENTION;
    case ORIGIN_TAIL: return WHY_HEAD_PAUSE;
    case ORIGIN_LAST: return WHY_LAST_GAPS_LONGER;
    default: return WHY_NONE;
    }
}

static void decide_set(struct estimate *estimate, enum why why, enum advice advice)
{
    estimate->why = why;
    estimate->advice = advice;
}

static struct estimate of_link(const struct proposal *link)
{
    struct estimate estimate = of_candidate(&link->candidate);

    estimate.why = why_of(link->candidate.origin);
    if (link->candidate.share_ns > 0)
        estimate.share_bps = link->candidate.bytes * 8e9 / link->candidate.share_ns;
    if (evidence_has(link->evidence, AGAINST_DEPARTURES))
        estimate.advice = ADVICE_SEND_TIMES;
    if (evidence_has(link->evidence, AGAINST_TURNS)) /* as where waits deny pairs */
        estimate.advice = ADVICE_SEND_LONGER_TRAINS;
    if (evidence_denied(link->evidence))
        estimate_doubt(&estimate);
    else if (link->candidate.origin == ORIGIN_TURNS_TOLD)
        estimate.state = STATE_FAIR;
    return estimate;
}

/* Trains end otherwise than the rate has it that is told: that is the guess, and its interval covers what was told. */
static void guess_ends(struct estimate *estimate, double bps, enum why why)
{
    estimate_doubt(estimate);
    estimate->capacity_bps = bps;
    estimate_widen(estimate, bps, ESTIMATE_GUESS);
    estimate->why = why;
}

static struct estimate of_bucket(const struct findings *findings)
{
    const struct shaped *shaped = &findings->shaped;
    struct estimate estimate = {.state = STATE_SHAPED,
                                .capacity_bps = shaped->bps,
                                .low_bps = shaped->low_bps,
                                .high_bps = shaped->high_bps,
                                .peak_bps = shaped->peak_bps,
                                .burst_bytes = shaped->burst_bytes};

    if (findings->turned_bps > 0) {
        guess_ends(&estimate, findings->turned_bps, WHY_FAIR_QUEUE);
    } else if (findings->waits) { /* the peak is the link's, then, and the rest a share of it */
        estimate_doubt(&estimate);
        estimate_widen(&estimate, fmax(shaped->peak_bps, shaped->bps), 0);
        estimate.why = WHY_FAIR_QUEUE;
    } else if (findings->end_bps > 0) {
        guess_ends(&estimate, findings->end_bps, WHY_LAST_GAPS_LONGER);
        estimate.advice = ADVICE_SEND_LONGER_TRAINS;
    } else if (findings->spared.most_bps > 0) {
        estimate.capacity_bps = fmax(shaped->bps, findings->spared.least_bps);
        estimate_doubt(&estimate);
        estimate_widen(&estimate, findings->spared.most_bps, 0);
    } else if (findings->cycles) { /* of the line, then, and a late first stamp looks like a bucket */
        estimate_doubt(&estimate);
        decide_set(&estimate, WHY_TICKS, ADVICE_SEND_LONGER_TRAINS);
    }
    if (findings->step_bps > 0)
        guess_ends(&estimate, findings->step_bps, WHY_RATE_VARIES);
    return estimate;
}

static struct estimate of_denial(const struct proposal *denial)
{
    struct estimate estimate = of_link(denial);

    estimate_doubt(&estimate);
    if (denial->candidate.origin != ORIGIN_MEAN)
        estimate.advice = ADVICE_SEND_LONGER_TRAINS;
    return estimate;
}

/* What trains go on with is what they end with. */
static bool ends_with(const struct witness *fifo, const struct candidate *ends)
{
    return fifo->candidate.origin == ORIGIN_LATER
        && same_gap(candidate_bps(ends), candidate_bps(&fifo->candidate), SAME_RATE, 0);
}

static struct estimate of_fifo(const struct findings *findings, bool *believed)
{
    const struct witness *fifo = &findings->fifo;
    bool proven = witness_believed(fifo, &findings->seen->noise);
    bool rivalled = evidence_has(fifo->evidence, AGAINST_CLOCK);
    struct estimate estimate = {.state = STATE_INSUFFICIENT};

    if (fifo->candidate.gap_ns <= 0)
        return estimate;
    estimate = of_candidate(&fifo->candidate);
    if (!proven)
        estimate_doubt(&estimate);
    if (fifo->candidate.limited) { /* statistics deny no bound */
        estimate.state = STATE_SENDER_LIMITED;
        estimate.high_bps = 0;
        return estimate;
    }
    if (findings->denial.candidate.origin != ORIGIN_NONE
        && !(proven && ends_with(fifo, &findings->denial.candidate)))
        return of_denial(&findings->denial);
    if (findings->drifts) {
        estimate_doubt(&estimate);
        estimate.why = WHY_RATE_VARIES;
    } else if (proven && (rivalled || findings->disputed)) {
        estimate_doubt(&estimate);
        if (rivalled)
            estimate.state = STATE_AMBIGUOUS;
    }
    *believed = estimate.state == STATE_CONVERGED;
    return estimate;
}

/* --- What else is known of it --- */

/* Two changes and more that the window saw: no single one is the path's rate. */
enum { LEFT_LEAST = 2 };

static void tell_levels(const struct left *left, struct estimate *estimate)
{
    if (estimate->state != STATE_CONVERGED || left->count < LEFT_LEAST)
        return;
    estimate->state = STATE_VARYING;
    estimate->why = WHY_RATE_VARIES;
    estimate->low_bps = fmin(estimate->low_bps, left->low_bps);
    estimate->high_bps = fmax(estimate->high_bps, left->high_bps);
}

/* Long trains that lose packets are a word beside what is sure. Where they end at one place nothing tells a policer from
 * a full queue. Longer ones would lose more, and with it what is sure. */
static void tell_losses(const struct findings *findings, struct estimate *estimate)
{
    if (!estimate_is_sure(estimate) || estimate->why != WHY_NONE)
        return;
    if (findings->policed.cut)
        decide_set(estimate, WHY_LOSSES, ADVICE_NONE);
    else if (findings->lossy)
        decide_set(estimate, WHY_LOSSES, ADVICE_SEND_LESS);
}

static void tell_policer(const struct findings *findings, struct estimate *estimate)
{
    const struct policed *policed = &findings->policed;

    if (!policed_holds(policed, estimate->capacity_bps)) {
        tell_losses(findings, estimate);
        return;
    }
    estimate->policed_bps = policed->bps;
    estimate->policed_burst_bytes = policed->burst_bytes;
    if (estimate->state == STATE_CONVERGED || (estimate->state == STATE_SENDER_LIMITED && policed->bps > 0))
        estimate->state = STATE_POLICED;
    estimate->why = WHY_LOSSES;
    if (estimate->state == STATE_SENDER_LIMITED) /* no rate is told that may be sent at */
        estimate->advice = ADVICE_SEND_LESS;
}

/* --- What long trains bear out --- */

/* A bucket shows in the longest trains first. Three of them have a mean with an error, which
 * pairs are held against (weigh.c, denial.c). Two do where the last quarter of each is no slower
 * than traffic makes it, and one does where it ends with the rate, and is no slower at all. */
enum { LONGEST_ENOUGH = 3, LONGEST_LEAST = 2 };

/* Of so many trains of pptrans's default pattern one is long; those before it are short, and a bucket passes them. */
enum { PAIRS_ENOUGH = 24 };

static bool borne_out(const struct findings *findings, double bps)
{
    bool shown =
        evidence_has(findings->fifo.evidence, FOR_SHOWN) && findings->seen->pairs->count >= PAIRS_ENOUGH;

    return findings->longest >= LONGEST_ENOUGH
        || (findings->longest >= LONGEST_LEAST && !shapes_slower(&findings->seen->shapes, bps, TRAINS_SLOWER))
        || (shown && !shapes_slower(&findings->seen->shapes, bps, 1 + SAME_RIGHT));
}

/* --- Words --- */

/* By how much long trains' gap is longer than this one, less than 0 where it is shorter; 0 within
 * three standard errors. */
static double trains_longer_ns(const struct findings *findings)
{
    const struct candidate *candidate = &findings->fifo.candidate;
    struct statistic trains = shapes_gap(&findings->seen->shapes, candidate->bytes);
    double longer_ns = trains.value - candidate->gap_ns;

    if (findings->fifo.floors.trains || trains.n == 0)
        return 0;
    return fabs(longer_ns) > BEYOND_CHANCE * trains.sigma ? longer_ns : 0;
}

/* The first that holds is what to mend first. */
static void give_tentative(const struct findings *findings, struct estimate *estimate)
{
    const struct witness *fifo = &findings->fifo;
    double gap_ns = fifo->candidate.gap_ns, longer_ns = trains_longer_ns(findings);
    bool pairs_alone = findings->seen->longs->count == 0 && findings->seen->pairs->count >= PAIRS_ENOUGH;
    enum advice more = pairs_alone ? ADVICE_SEND_MIX : ADVICE_WAIT;

    if (estimate->why != WHY_NONE)
        estimate->advice = estimate->advice == ADVICE_NONE ? more : estimate->advice;
    else if (findings->unread && !borne_out(findings, estimate->capacity_bps))
        decide_set(estimate, WHY_LOSSES, ADVICE_SEND_LESS);
    else if (pairs_alone)
        decide_set(estimate, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    else if (!borne_out(findings, estimate->capacity_bps))
        decide_set(estimate, WHY_FEW_TRAINS, ADVICE_WAIT);
    else if (evidence_has(fifo->evidence, AGAINST_TURNS))
        decide_set(estimate, WHY_FAIR_QUEUE, ADVICE_WAIT);
    else if (evidence_has(fifo->evidence, AGAINST_VARIES))
        decide_set(estimate, WHY_RATE_VARIES, ADVICE_WAIT);
    else if (evidence_has(fifo->evidence, AGAINST_CYCLES) || findings->link.candidate.origin == ORIGIN_CYCLES)
        decide_set(estimate, WHY_TICKS, ADVICE_SEND_LONGER_TRAINS);
    else if (findings->shaped.bps > 0) /* tails that differ; no FIFO link was asked for */
        decide_set(estimate, WHY_TWO_RATES, ADVICE_WAIT);
    else if (!fifo->floors.delays)
        decide_set(estimate, WHY_NO_SEND_TIMES, ADVICE_SEND_TIMES);
    else if (findings->batched)
        decide_set(estimate, WHY_BATCHES, ADVICE_SEND_LONGER_TRAINS);
    else if (witness_hidden(fifo, &findings->seen->noise))
        decide_set(estimate, WHY_STAMPS_COARSE, ADVICE_SEND_LARGER);
    else if (longer_ns > 0 && longer_ns <= noise_late_ns(&findings->seen->noise, gap_ns + longer_ns))
        decide_set(estimate, WHY_LATE_FIRST_STAMP, ADVICE_SEND_LONGER_TRAINS);
    else if (longer_ns > 0)
        decide_set(estimate, WHY_TRAINS_SLOWER, ADVICE_SEND_LONGER_TRAINS);
    else if (longer_ns < 0 /* and than pairs on average, too */
             && (gap_ns + longer_ns) * fifo->floors.bytes < fifo->floors.mean_ns * fifo->candidate.bytes)
        decide_set(estimate, WHY_TRAINS_FASTER, ADVICE_WAIT);
    else if (!fifo->floors.reached)
        decide_set(estimate, WHY_NEVER_IDLE, ADVICE_WAIT);
    else
        decide_set(estimate, WHY_TWO_RATES, ADVICE_WAIT);
}

static void decide_give(const struct findings *findings, struct estimate *estimate)
{
    switch (estimate->state) {
    case STATE_INSUFFICIENT: decide_set(estimate, WHY_FEW_TRAINS, ADVICE_WAIT); break;
    case STATE_TENTATIVE: give_tentative(findings, estimate); break;
    case STATE_AMBIGUOUS: decide_set(estimate, WHY_TICKS, ADVICE_SEND_LONGER_TRAINS); break;
    case STATE_SENDER_LIMITED:
        if (estimate->why == WHY_NONE)
            decide_set(estimate, WHY_SENDER, ADVICE_NONE);
        break;
    default: break;
    }
}

/* Which of the ways to read it is right, a guess does not know; and what they differ by where one
 * is decided on, but all mean the same rate, is error as well. */
static void widen(const struct ways *ways, struct estimate *estimate)
{
    bool guess = estimate->state == STATE_TENTATIVE || estimate->state == STATE_AMBIGUOUS;

    for (unsigned i = 0; i < ways->count; i++) {
        double bps = 8e9 / ways->gap_ns[i];

        if (guess)
            estimate_widen(estimate, bps, ESTIMATE_GUESS);
        else if (estimate_claims(estimate) && estimate->high_bps > 0
                 && same_gap(bps, estimate->capacity_bps, SAME_RATE, 0))
            estimate_widen(estimate, bps, 0);
    }
}

/* What is to be right within 5 % has an interval that says so. */
static bool too_wide(const struct estimate *estimate)
{
    return estimate_claims(estimate) && estimate->high_bps > 0
        && (estimate->low_bps * (1 + CANDIDATE_ERROR_MOST) < estimate->capacity_bps
            || estimate->high_bps * (1 - CANDIDATE_ERROR_MOST) > estimate->capacity_bps);
}

/* There are no longer ones: then it takes more of them. */
static void advise_possible(const struct findings *findings, struct estimate *estimate)
{
    if (estimate->advice == ADVICE_SEND_LONGER_TRAINS
        && shapes_sent(&findings->seen->shapes) >= SAMPLE_PACKETS_MOST)
        estimate->advice = ADVICE_WAIT;
}

bool decide_is_a_share(const struct findings *findings, const struct estimate *estimate)
{
    return estimate->state == STATE_CONVERGED
        && (findings->between.least_bps > (1 + SAME_RIGHT) * estimate->capacity_bps
            || estimate->capacity_bps < (1 + SAME_RIGHT) * findings->shared_bps);
}

/* What fills the blocks; 0: nothing does. */
static double fills_blocks_bps(const struct findings *findings, double told_bps)
{
    const struct blocks *blocks = &findings->blocks;
    double bits = blocks->bytes * 8e9;
    double gap_ns = blocks->later_ns > 0 && told_bps > 0 ? blocks_gap_ns(blocks, bits / told_bps) : 0;

    return gap_ns > 0 ? bits / gap_ns : 0;
}

bool decide_is_in_blocks(const struct findings *findings, const struct estimate *estimate)
{
    return estimate_claims(estimate) && fills_blocks_bps(findings, estimate->capacity_bps) > 0;
}

struct estimate decide(const struct findings *findings, bool *believed)
{
    struct estimate estimate;

    *believed = false;
    if (findings->link.candidate.origin != ORIGIN_NONE)
        estimate = of_link(&findings->link);
    else if (findings->shaped.bps > 0)
        estimate = of_bucket(findings);
    else
        estimate = of_fifo(findings, believed);
    widen(&findings->ways, &estimate);
    if (decide_is_a_share(findings, &estimate)
        || (findings->turns_deny && estimate.state == STATE_CONVERGED)) {
        estimate_doubt(&estimate);
        estimate.why = WHY_FAIR_QUEUE;
    }
    if (decide_is_in_blocks(findings, &estimate)) {
        estimate_doubt(&estimate);
        decide_set(&estimate, WHY_BATCHES, ADVICE_SEND_LONGER_TRAINS);
    }
    if (too_wide(&estimate))
        estimate_doubt(&estimate);
    tell_levels(&findings->left, &estimate);
    tell_policer(findings, &estimate);
    if (estimate_claims(&estimate) && !borne_out(findings, estimate.capacity_bps)) {
        estimate_doubt(&estimate);
        estimate.why = WHY_NONE;
    }
    if (!estimate_claims(&estimate))
        widen(&findings->ways, &estimate);
    decide_give(findings, &estimate);
    if (estimate.state != STATE_SENDER_LIMITED && load_crowds(findings->load, estimate.capacity_bps))
        decide_set(&estimate, WHY_OWN_LOAD, ADVICE_SEND_LESS);
    advise_possible(findings, &estimate);
    estimate.seen_bytes = findings->seen_bytes;
    return estimate;
}

/* Least delays whose floors are further from the gap than it is long, and that nothing bears out, tell less than the
 * middle one does. */
static bool tells_nothing(const struct witness *fifo)
{
    return fifo->candidate.origin == ORIGIN_LEAST && fifo->candidate.error_ns > fifo->candidate.gap_ns
        && !evidence_supports(fifo->evidence);
}

/* Whole trains of even gaps that agree: others that come and go lengthen the rest, and the ends of all. No rate that
 * varies lets as many pass so, and a bucket seldom does. */
static bool some_are_even(const struct findings *findings)
{
    return findings->denial.candidate.origin != ORIGIN_NONE && findings->fifo.candidate.origin == ORIGIN_EVEN
        && evidence_has(findings->fifo.evidence, FOR_GROUNDED);
}

/* What trains get on average is no more than the link has; 0: that is no news. */
static double at_least_bps(const struct findings *findings)
{
    const struct witness *fifo = &findings->fifo;
    double longer_ns = trains_longer_ns(findings), gap_ns = fifo->candidate.gap_ns + longer_ns;

    return longer_ns < 0 && gap_ns > 0 && !evidence_supports(fifo->evidence)
        ? fifo->candidate.bytes * 8e9 / gap_ns
        : 0;
}

/* Where whole packets of others lie between ours; 0: they do not. */
static double link_of_turns(const struct findings *findings)
{
    return findings->between_bps > 0 ? findings->between_bps : findings->turned_bps;
}

/* By more than waits and sizes. */
static bool tells_turns(const struct candidate *link)
{
    return link->origin == ORIGIN_SLOWER || link->origin == ORIGIN_TURNS_TOLD;
}

/* 0: there is none. */
static double better_guess(const struct findings *findings, const struct estimate *estimate)
{
    enum why why = estimate->why;
    const struct witness *fifo = &findings->fifo;
    double at_least = at_least_bps(findings), fills_bps = fills_blocks_bps(findings, estimate->capacity_bps);

    if (why == WHY_BATCHES && fills_bps > 0)
        return fills_bps;
    if (findings->link.candidate.origin != ORIGIN_SLOWER && link_of_turns(findings) > 0)
        return link_of_turns(findings);
    if (why == WHY_FAIR_QUEUE && findings->turns_bps > 0 && !tells_turns(&findings->link.candidate))
        return findings->turns_bps;
    if (findings->between.guess_bps > 0 && findings->shaped.bps <= 0
        && !tells_turns(&findings->link.candidate))
        return findings->between.guess_bps;
    if (some_are_even(findings))
        return candidate_bps(&fifo->candidate);
    if (findings->denial.candidate.origin != ORIGIN_NONE || findings->drifts)
        return 0;
    if (findings->burst_bps > 0)
        return findings->burst_bps;
    if (at_least > 0)
        return at_least;
    if (findings->later_bps <= 0 && tells_nothing(fifo))
        return fifo->floors.bytes * 8e9 / fifo->floors.middle_ns;
    return findings->later_bps;
}

void decide_guess(const struct findings *findings, struct estimate *estimate)
{
    double bps;

    if (estimate->state != STATE_TENTATIVE)
        return;
    bps = findings->leaves_for_bps > 0 ? findings->leaves_for_bps : better_guess(findings, estimate);
    if (bps <= 0)
        return;
    estimate->capacity_bps = bps;
    estimate_widen(estimate, bps, ESTIMATE_GUESS);
    if (findings->leaves_for_bps > 0)
        decide_set(estimate, WHY_RATE_VARIES, ADVICE_WAIT);
    else if (bps == link_of_turns(findings) && estimate->why != WHY_OWN_LOAD)
        decide_set(estimate, WHY_FAIR_QUEUE, ADVICE_WAIT);
    if (findings->late && estimate->why == WHY_TWO_RATES)
        decide_set(estimate, WHY_LATE_FIRST_STAMP, ADVICE_SEND_LONGER_TRAINS);
    advise_possible(findings, estimate);
}

/* Ticks scatter gaps by the root of a sixth of a tick squared: from here on by 5 %, and what else gaps show may be theirs. */
#define COARSE_TICK (1.0 / 8)

/* What stamps do not make: it stays to be mended, or others read it. */
static bool is_of_trains(enum why why)
{
    return why == WHY_FEW_TRAINS || why == WHY_PAIRS_ALONE || why == WHY_NO_SEND_TIMES || why == WHY_OWN_LOAD
        || why == WHY_LOSSES || why == WHY_LAST_GAPS_LONGER;
}

void decide_coarse(const struct findings *findings, uint32_t bytes, struct estimate *estimate)
{
    bool coarse = findings->seen->noise.tick_ns * estimate->capacity_bps > COARSE_TICK * 8e9 * bytes;

    if (estimate->state == STATE_INSUFFICIENT
            ? findings->within
            : !estimate_claims(estimate) && bytes > 0 && coarse && !is_of_trains(estimate->why))
        decide_set(estimate, WHY_STAMPS_COARSE, ADVICE_SEND_LARGER);
}
