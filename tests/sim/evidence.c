/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of filter adaptive once more, as filters/adaptive.c calls them, with what each of them
 * returns. Changes of the path are not followed: for paths that stay as they are. */
#include "evidence.h"

#include "filters/access.h"
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "filters/observe.h"
#include "filters/settled.h"
#include "filters/weigh.h"
#include "memory.h"
#include "pprec/pprec.h"
#include "samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const origin_names[] = {
    [ORIGIN_NONE] = "none",       [ORIGIN_AGREEMENT] = "agreement",
    [ORIGIN_MODE] = "mode",       [ORIGIN_LEAST] = "least",
    [ORIGIN_FLOORS] = "floors",   [ORIGIN_TRAINS] = "trains",
    [ORIGIN_SPARED] = "spared",   [ORIGIN_EVEN] = "even",
    [ORIGIN_SETTLED] = "settled", [ORIGIN_TURNS] = "turns",
    [ORIGIN_SLOWER] = "slower",   [ORIGIN_TURNS_TOLD] = "turns_told",
    [ORIGIN_MEAN] = "mean",       [ORIGIN_CONTENTION] = "contention",
    [ORIGIN_CYCLES] = "cycles",   [ORIGIN_TAIL] = "tail",
    [ORIGIN_LAST] = "last",       [ORIGIN_LATER] = "later",
};

static const char *const reason_names[REASON_COUNT] = {
    [FOR_AGREED] = "+agreed",       [FOR_GROUNDED] = "+grounded",         [FOR_PROVEN] = "+proven",
    [FOR_SHOWN] = "+shown",         [AGAINST_DEPARTURES] = "-departures", [AGAINST_FLOORS] = "-floors",
    [AGAINST_BATCHES] = "-batches", [AGAINST_TAILS] = "-tails",           [AGAINST_SPARED] = "-spared",
    [AGAINST_SIZES] = "-sizes",     [AGAINST_MEANS] = "-means",           [AGAINST_TRAINS] = "-trains",
    [AGAINST_HIDDEN] = "-hidden",   [AGAINST_WAITS] = "-waits",           [AGAINST_TURNS] = "-turns",
    [AGAINST_UNTOLD] = "-untold",   [AGAINST_VARIES] = "-varies",         [AGAINST_TEETH] = "-teeth",
    [AGAINST_UNSHOWN] = "-unshown", [AGAINST_RESTLESS] = "-restless",     [AGAINST_CAUGHT_UP] = "-caught-up",
    [AGAINST_FASTER] = "-faster",   [AGAINST_CYCLES] = "-cycles",         [AGAINST_ADDED] = "-added",
    [AGAINST_CLOCK] = "-clock",
};

/* What is seen, and how it is printed. */
struct view {
    struct seen seen;
    struct epoch epoch;
    double truth_bps;
    double at_s;
};

/* --- Lines --- */

static double evidence_share_of(const struct view *view, double gap_ns, uint32_t bytes)
{
    return gap_ns * view->truth_bps / (bytes * 8e9);
}

static void print_gap(const struct view *view, const char *kind, double gap_ns, uint32_t bytes)
{
    printf("gap %.6f %s %.5f\n", view->at_s, kind, evidence_share_of(view, gap_ns, bytes));
}

/* Of the half-widths of an interval the one towards longer gaps. */
static void print_candidate(const struct view *view, const char *stage, const struct candidate *candidate,
                            struct evidence evidence)
{
    if (candidate->gap_ns <= 0)
        return;
    printf("candidate %.6f %s %s %.5f %.5f", view->at_s, stage, origin_names[candidate->origin],
           evidence_share_of(view, candidate->gap_ns, candidate->bytes),
           evidence_share_of(view, candidate->error_ns, candidate->bytes));
    for (enum reason reason = 0; reason < REASON_COUNT; reason++)
        if (evidence_has(evidence, reason))
            printf(" %s", reason_names[reason]);
    putchar('\n');
}

static void print_told(const struct view *view, const struct estimate *told)
{
    const char *why = pprec_why_name((enum pprec_why)told->why);

    printf("told %.6f %.5f %s %s\n", view->at_s,
           told->capacity_bps > 0 ? view->truth_bps / told->capacity_bps : 0,
           pprec_state_name((enum pprec_state)told->state), why != NULL ? why : "-");
}

/* --- The stages --- */

static void evidence_take(struct view *view, const struct sample *sample)
{
    struct seen *seen = &view->seen;
    struct observation observation;

    seen_stamps(seen, sample);
    observe(&view->epoch, sample, &seen->noise, &observation);
    if (observation.paired) {
        readings_push(seen->pairs, &observation.head);
        print_gap(view, "pair", observation.head.gap_ns, observation.head.bytes);
    }
    if (!observation.curved)
        return;
    if (!observation.whole.limited)
        shapes_push(&seen->shapes, sample, &observation.curve, seen->scratch.room);
    readings_push(seen->longs, &observation.whole);
    seen_follow(seen, false);
    print_gap(view, "train", observation.whole.gap_ns, observation.whole.bytes);
}

static void print_bucket(const struct view *view, const char *origin, const struct shaped *shaped)
{
    if (shaped->bps > 0)
        printf("candidate %.6f shaped %s %.5f %.5f\n", view->at_s, origin, view->truth_bps / shaped->bps,
               view->truth_bps / shaped->low_bps - view->truth_bps / shaped->bps);
}

static void print_candidates(const struct view *view)
{
    const struct seen *seen = &view->seen;
    struct witness pairs = weigh_read_pairs(seen), weighed;
    struct statistics statistics = statistics_read(seen, &pairs.floors);
    struct proposal link = access_read(seen, &statistics), denial;
    struct shaped shaped = shapes_shaped(&seen->shapes);
    struct shaped shared = access_shared(&statistics, &pairs.candidate);

    print_candidate(view, "pairs", &pairs.candidate, pairs.evidence);
    if (seen->longs->count > 0) {
        struct witness longs = witness_read(seen->longs, seen->longs->count, &seen->noise, &seen->scratch);

        print_candidate(view, "trains", &longs.candidate, longs.evidence);
    }
    print_candidate(view, "link", &link.candidate, link.evidence);
    print_bucket(view, shaped.bps > 0 ? "knee" : "shared", shaped.bps > 0 ? &shaped : &shared);
    weighed = weigh(seen, &statistics, &pairs);
    print_candidate(view, "weighed", &weighed.candidate, weighed.evidence);
    denial = access_deny(seen, &statistics, &weighed);
    print_candidate(view, "denial", &denial.candidate, denial.evidence);
}

static void *adaptive_new(const struct filter *adaptive, unsigned window)
{
    void *state = sim_allocate(1, adaptive->state_bytes(window));

    adaptive->init(state, window);
    return state;
}

static void evidence_print_trains(struct view *view, struct sim_samples *samples, unsigned window)
{
    const struct filter *adaptive = filter_find("adaptive");
    void *state = adaptive_new(adaptive, window);
    struct estimate told;

    for (size_t i = 0; i < samples->count; i++) {
        struct sample *sample = &samples->item[i];

        dispersion_measure(sample);
        if (sample->received == 0)
            continue;
        view->at_s = (double)(sample->time_ns - samples->item[0].time_ns) * 1e-9;
        evidence_take(view, sample);
        print_candidates(view);
        adaptive->push(state, sample);
        adaptive->estimate(state, &told);
        print_told(view, &told);
    }
    free(state);
}

void evidence_trace(const struct sim_case *row, uint64_t seed, unsigned window)
{
    void *memory = sim_allocate(1, seen_bytes(window));
    struct sim_samples samples;
    struct sim_config config;
    struct sim_run run;
    struct view view;

    sim_case_config(row, seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    view = (struct view){.truth_bps = sim_case_truth_bps(&config)};
    seen_init(&view.seen, memory, window);
    printf("# %s, seed %" PRIu64 ", %.0f bit/s\n", row->name, seed, view.truth_bps);
    evidence_print_trains(&view, &samples, window);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
    free(memory);
}
