/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides from the trains themselves which of the field's rules holds
 * on this path, and says how far it is to be believed. README.md explains it.
 *
 *   observe   a train -> an observation
 *   gather    observations -> statistics, and how well times are known
 *   propose   statistics -> candidates, each with its origin
 *   weigh     candidates and what else was seen -> evidence
 *   decide    evidence -> the estimate; and what of it is told (stand.h) */
#include "filters/access.h"
#include "filters/between.h"
#include "filters/blocks.h"
#include "filters/cycles.h"
#include "filters/decide.h"
#include "filters/late.h"
#include "filters/observe.h"
#include "filters/pace.h"
#include "filters/paced.h"
#include "filters/rows.h"
#include "filters/same.h"
#include "filters/sent.h"
#include "filters/slots.h"
#include "filters/stand.h"
#include "filters/turns.h"
#include "filters/turns_bucket.h"
#include "filters/turns_fitting.h"
#include "filters/weigh.h"

/* Its memory: this, then what seen keeps. */
struct adaptive {
    struct pace pace;
    struct epoch epoch;
    struct estimate estimate;
    struct seen seen;
    struct change change;
    struct load load;
    struct policer policer;
    struct paced paced;
    int64_t newest_ns; /* arrival of the last one that told something */
    unsigned trains;   /* so far; wraps */
    struct sent sent;
    struct stand stand;
};

static size_t adaptive_state_bytes(unsigned window)
{
    return sizeof(struct adaptive) + seen_bytes(window);
}

static void adaptive_init(void *state, unsigned window)
{
    struct adaptive *adaptive = state;

    *adaptive = (struct adaptive){
        .estimate = {.state = STATE_INSUFFICIENT, .why = WHY_FEW_TRAINS, .advice = ADVICE_WAIT}};
    seen_init(&adaptive->seen, adaptive + 1, window);
}

static void adaptive_grow(void *to, const void *from)
{
    struct adaptive *adaptive = to;
    struct seen made = adaptive->seen;

    *adaptive = *(const struct adaptive *)from;
    seen_copy(&made, &adaptive->seen);
    adaptive->seen = made;
}

/* --- Taking trains --- */

static void adaptive_keep(struct adaptive *adaptive, struct readings *readings, const struct reading *reading)
{
    readings_push(readings, reading);
    if (change_watch(&adaptive->change, &adaptive->seen, readings, adaptive->trains) == CHANGE_NONE)
        return;
    stand_forget(&adaptive->stand);
    pace_hurry(&adaptive->pace, adaptive->seen.scratch.room);
}

/* What is told of a bucket does not stand while the newest long trains end otherwise. */
static void follow_shaper(struct adaptive *adaptive)
{
    struct step step = seen_follow(&adaptive->seen, adaptive->change.bucket);

    if (!step.sure && (step.trains == 0 || adaptive->estimate.state != STATE_SHAPED))
        return;
    stand_forget(&adaptive->stand);
    pace_hurry(&adaptive->pace, adaptive->seen.scratch.room);
}

static void adaptive_take(struct adaptive *adaptive, const struct sample *sample,
                          struct observation *observation)
{
    struct seen *seen = &adaptive->seen;

    adaptive->trains++;
    sent_note(&adaptive->sent, sample);
    seen_stamps(seen, sample);
    load_add(&adaptive->load, sample);
    observe(&adaptive->epoch, sample, &seen->noise, observation);
    policer_push(&adaptive->policer, sample, observation->curved);
    if (observation->paired || observation->curved)
        adaptive->newest_ns = sample->time_ns;
    if (observation->paired)
        adaptive_keep(adaptive, seen->pairs, &observation->head);
    if (!observation->curved)
        return;
    if (!observation->whole.limited)
        shapes_push(&seen->shapes, sample, &observation->curve, seen->scratch.room);
    adaptive_keep(adaptive, seen->longs, &observation->whole);
    follow_shaper(adaptive);
}

/* --- Concluding --- */

static void ways_add(struct ways *ways, double gap_ns, uint32_t bytes)
{
    double byte_ns = gap_ns / bytes;

    if (byte_ns > 0 && isfinite(byte_ns))
        ways->gap_ns[ways->count++] = byte_ns;
}

/* A bucket that ends in the last gap of short trains, where none is long, leaves of a packet's time what it had too few tokens
 * for: any part of it, one time in ten a tenth and less. */
#define PART_LEAST 0.1

static double last_gap_at_most(const struct readings *pairs, double byte_ns)
{
    double most_ns = 0;

    EACH_READING(reading, pairs)
        if (reading->last_ns > most_ns * reading->bytes)
            most_ns = reading->last_ns / reading->bytes;
    return most_ns > (1 + SAME_ENDS) * byte_ns ? most_ns / PART_LEAST : 0;
}

/* Whole trains and their ends; pairs, their floors and mean, where quarters and ends of trains do not deny them. */
static struct ways read_ways(const struct seen *seen, const struct witness *witness,
                             const struct statistics *statistics)
{
    const struct candidate *candidate = &witness->candidate;
    const struct floors *pairs = &witness->floors;
    struct proposal denial = access_deny(seen, statistics, witness);
    struct ways ways = {0};

    if (seen->longs->count == 0 && candidate->gap_ns > 0)
        ways_add(&ways, last_gap_at_most(seen->pairs, candidate_byte_ns(candidate)), 1);
    ways_add(&ways, statistics->train.value, statistics->bytes);
    ways_add(&ways, statistics->last.value, statistics->bytes);
    ways_add(&ways, denial.candidate.gap_ns, denial.candidate.bytes);
    if (denial.candidate.origin == ORIGIN_LAST || denial.candidate.origin == ORIGIN_TAIL)
        return ways;
    ways_add(&ways, candidate->gap_ns, candidate->bytes);
    ways_add(&ways, pairs->apart_ns, pairs->bytes);
    ways_add(&ways, pairs->mean_ns, pairs->bytes);
    return ways;
}

/* The better guess that later gaps make. */
static void find_later(const struct seen *seen, const struct statistics *statistics,
                       const struct witness *pairs, struct findings *findings)
{
    struct mean later = late_guess(seen, statistics, pairs, &findings->fifo);

    if (later.n == 0)
        return;
    findings->later_bps = pairs->floors.bytes * 8e9 / later.gap_ns;
    findings->late = pairs->floors.middle_ns < later.gap_ns
        && later.gap_ns <= pairs->candidate.gap_ns + seen->noise.handover_ns;
}

/* What else may look like a bucket, and what others leave of it. */
static void find_shaper(const struct seen *seen, const struct statistics *statistics, bool turns_fit,
                        struct findings *findings)
{
    double bps = findings->shaped.bps, turned_bps;
    struct candidate told = {.gap_ns = statistics->bytes * 8e9 / bps, .bytes = statistics->bytes};

    findings->waits = turns_fit || turns_wait(seen, statistics) || turns_may_wait(seen, statistics);
    findings->spared = comb_spared(&statistics->comb, bps, findings->shaped.peak_bps);
    if (findings->spared.most_bps <= 0)
        findings->spared = access_spared(statistics, bps);
    turned_bps = turns_bucket_bps(seen, statistics, bps);
    if (turned_bps > 0)
        findings->turned_bps = turned_bps;
    findings->step_bps = shapes_step(&seen->shapes, true).bps;
    findings->end_bps = access_end_slower(statistics, bps);
    findings->cycles = cycles_may_be(seen, statistics, &told);
}

/* What turns hold of ours says how fast the link is, or that it is not as fast as trains are, whatever they are taken for. */
static void find_turns(const struct seen *seen, const struct statistics *statistics,
                       const struct estimate *before, double fit_ns, struct findings *findings)
{
    struct fitting fitting = turns_fitting(seen, statistics);
    double turns_ns = fitting.own_ns > 0 ? fitting.own_ns : turns_link_ns(seen, statistics);

    turns_ns = turns_ns > 0 ? turns_ns : fit_ns;
    if (turns_ns > 0)
        findings->turns_bps = statistics->bytes * 8e9 / turns_ns;
    if (findings->link.candidate.origin != ORIGIN_NONE
        || (estimate_is_sure(before) && same_gap(before->capacity_bps, findings->turns_bps, SAME_RIGHT, 0)))
        return; /* it is told already */
    if (fitting.found)
        findings->shared_bps = statistics->bytes * 8e9 / statistics->middle_tail_ns;
    if (fitting.own_ns > 0)
        findings->turned_bps = findings->turns_bps;
}

static struct findings adaptive_find(const struct adaptive *adaptive, const struct witness *pairs,
                                     const struct statistics *statistics)
{
    const struct seen *seen = &adaptive->seen;
    struct findings findings = {
        .link = access_read(seen, statistics),
        .shaped = statistics->shaped,
        .left = change_left(&adaptive->change, adaptive->trains, seen->scratch.room),
        .policed = policer_read(&adaptive->policer),
        .load = &adaptive->load,
        .seen = seen,
        .batched = statistics->batched,
        .within = stamps_hide(&seen->stamps),
        .unread = policer_hides(&adaptive->policer),
        .lossy = policer_loses(&adaptive->policer),
        .longest = seen_longest(seen),
        .ways = read_ways(seen, pairs, statistics),
        .turns_deny = slots_hide_turns(seen, statistics) || turns_deny(seen, statistics),
        .burst_bps = access_burst_bps(statistics),
        .seen_bytes = seen_burst_bytes(seen),
        .leaves_for_bps = change_leaves_for_bps(&adaptive->change),
    };
    double fit_ns = turns_fit_ns(&seen->noise, statistics);

    if (!statistics->batched && !turns_do_not_wait(seen, statistics, false))
        findings.between = comb_between(&seen->shapes, seen->pairs);
    findings.blocks = blocks_read(seen, statistics);
    find_turns(seen, statistics, &adaptive->estimate, fit_ns, &findings);
    if (findings.shaped.bps <= 0)
        findings.shaped = access_shared(statistics, &pairs->candidate);
    if (findings.shaped.bps > 0)
        find_shaper(seen, statistics, fit_ns > 0, &findings);
    if (findings.link.candidate.origin != ORIGIN_NONE || findings.shaped.bps > 0)
        return findings;
    findings.fifo = weigh(seen, statistics, pairs);
    findings.denial = access_deny(seen, statistics, &findings.fifo);
    findings.disputed = change_disputes(&adaptive->change, &findings.fifo.candidate);
    findings.drifts = change_drifts(&adaptive->change);
    find_later(seen, statistics, pairs, &findings);
    return findings;
}

/* Another rate is named: what was told lacks no proof that later trains may bring. */
static bool findings_name_another(const struct findings *findings, const struct estimate *before)
{
    return findings->turns_deny || findings->turned_bps > 0 || decide_is_a_share(findings, before)
        || decide_is_in_blocks(findings, before);
}

static bool findings_deny(const struct findings *findings, const struct estimate *before)
{
    return findings->link.candidate.origin != ORIGIN_NONE || findings->denial.candidate.origin != ORIGIN_NONE
        || findings->spared.most_bps > 0 || findings->end_bps > 0 || evidence_refutes(findings->fifo.evidence)
        || findings_name_another(findings, before);
}

/* The link that whole packets of others are between pairs on, unless these came from a slower one. */
static double find_between(const struct seen *seen, const struct floors *pairs,
                           const struct statistics *statistics)
{
    double bps = between_bps(seen, pairs->bytes);

    return bps > 0 && !turns_caught_up(seen, statistics, statistics->bytes * 8e9 / bps) ? bps : 0;
}

/* Those of the window: heads of long trains are among the pairs. */
static void adaptive_work_out(struct adaptive *adaptive, unsigned trains)
{
    const struct seen *seen = &adaptive->seen;
    struct witness pairs = weigh_read_pairs(seen);
    struct statistics statistics = statistics_read(seen, &pairs.floors);
    struct findings findings = adaptive_find(adaptive, &pairs, &statistics);
    struct estimate estimate;
    bool believed, sure;

    estimate = decide(&findings, &believed);
    adaptive->change.bucket = findings.shaped.bps > 0;
    sure = estimate_is_sure(&estimate);
    if (findings_name_another(&findings, &adaptive->estimate))
        stand_forget(&adaptive->stand);
    stand_take(&adaptive->stand, &adaptive->estimate, &estimate, trains, adaptive->trains,
               findings_deny(&findings, &adaptive->estimate));
    if (!sure) {
        findings.between_bps = find_between(seen, &pairs.floors, &statistics);
        decide_guess(&findings, &estimate);
    }
    decide_coarse(&findings, pairs.floors.bytes, &estimate);
    sent_advise(&adaptive->sent, &estimate);
    adaptive->estimate = estimate;
    estimate_rest_on(&adaptive->estimate, trains, adaptive->newest_ns);
    if (estimate.state == STATE_SHAPED) /* pairs came at the peak rate: they say nothing of what is told */
        change_forget(&adaptive->change);
    else
        change_hold(&adaptive->change, seen, &findings.fifo, &pairs, believed);
}

/* --- Verdicts --- */

/* By the identity span = true span + last wait - first wait, a span that is short is
 * a first packet that waited that long, or else the path is no longer the one
 * believed in; its delay over the floor tells which. */
static bool first_waited(const struct floors *held, const struct reading *reading, double short_ns)
{
    return isnan(reading->delay_ns) || !held->delays
        || (reading->segment == held->segment
            && floors_first_wait_ns(held, reading) >= (1 - SAME_RIGHT) * short_ns - held->same_ns);
}

static void give_verdict(const struct adaptive *adaptive, const struct reading *reading,
                         struct sample *sample)
{
    const struct witness *held = &adaptive->change.held;
    double true_ns;

    if (sample->verdict != VERDICT_OK || adaptive->estimate.state == STATE_SHAPED)
        return;
    if (sample->sent < SAMPLE_LONG && shapes_batched(&adaptive->seen.shapes, &adaptive->seen.noise))
        sample->verdict = VERDICT_BATCHED;
    if (sample->verdict != VERDICT_OK || held->candidate.gap_ns <= 0 || held->floors.trains)
        return;
    true_ns = candidate_byte_ns(&held->candidate) * (double)sample->span_bytes;
    if ((double)sample->span_ns > (1 + SAME_RIGHT) * true_ns)
        sample->verdict = VERDICT_EXPANDED;
    else if ((double)sample->span_ns < (1 - SAME_RIGHT) * true_ns
             && first_waited(&held->floors, reading, true_ns - (double)sample->span_ns))
        sample->verdict = VERDICT_COMPRESSED;
}

static void adaptive_push(void *state, struct sample *sample)
{
    struct adaptive *adaptive = state;
    const struct seen *seen = &adaptive->seen;
    struct observation observation;
    unsigned most;

    if (sample->received == 0 || sample->verdict == VERDICT_LATE || sample->verdict == VERDICT_FOREIGN_SIZE
        || paced_push(&adaptive->paced, sample, adaptive->estimate.capacity_bps))
        return;
    adaptive_take(adaptive, sample, &observation);
    give_verdict(adaptive, &observation.head, sample);
    most = seen->pairs->count > seen->longs->count ? seen->pairs->count : seen->longs->count;
    if (pace_due(&adaptive->pace, most, sample->time_ns))
        adaptive_work_out(adaptive, most);
}

static void adaptive_estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct adaptive *)state)->estimate;
}

const struct filter filter_adaptive = {
    .name = "adaptive",
    .usage = "least delays, modes and arrival curves weighed against each other",
    .state_bytes = adaptive_state_bytes,
    .init = adaptive_init,
    .grow = adaptive_grow,
    .push = adaptive_push,
    .estimate = adaptive_estimate,
};
