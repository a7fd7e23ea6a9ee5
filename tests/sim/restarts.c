/* SPDX-License-Identifier: BSD-3-Clause */
#include "restarts.h"

#include "filters/change.h"
#include "filters/dispersion.h"
#include "filters/observe.h"
#include "filters/pace.h"
#include "filters/weigh.h"
#include "memory.h"
#include "samples.h"

#include <stdio.h>
#include <stdlib.h>

/* Filter adaptive up to what it weighs: what is believed there is held. */
struct view {
    struct epoch epoch;
    struct seen seen;
    struct change change;
    struct pace pace;
    unsigned trains, restarts;
};

static void restarts_keep(struct view *view, struct readings *readings, const struct reading *reading)
{
    enum change_seen seen;

    readings_push(readings, reading);
    seen = change_watch(&view->change, &view->seen, readings, view->trains);
    if (seen == CHANGE_NONE)
        return;
    view->restarts += seen != CHANGE_BACK;
    pace_hurry(&view->pace, view->seen.scratch.room);
}

static void restarts_take(struct view *view, const struct sample *sample)
{
    struct seen *seen = &view->seen;
    struct observation observation;

    view->trains++;
    seen_stamps(seen, sample);
    observe(&view->epoch, sample, &seen->noise, &observation);
    if (observation.paired)
        restarts_keep(view, seen->pairs, &observation.head);
    if (!observation.curved)
        return;
    if (!observation.whole.limited)
        shapes_push(&seen->shapes, sample, &observation.curve, seen->scratch.room);
    restarts_keep(view, seen->longs, &observation.whole);
    seen_follow(seen, false);
}

static void restarts_conclude(struct view *view)
{
    struct witness pairs = weigh_read_pairs(&view->seen);
    struct statistics statistics = statistics_read(&view->seen, &pairs.floors);
    struct witness told = weigh(&view->seen, &statistics, &pairs);

    change_hold(&view->change, &view->seen, &told, &pairs, witness_believed(&told, &view->seen.noise));
}

static void restarts_push(struct view *view, struct sample sample, bool timed)
{
    unsigned pairs = view->seen.pairs->count, longs = view->seen.longs->count;

    if (!timed)
        sim_sample_untime(&sample);
    dispersion_measure(&sample);
    if (sample.verdict == VERDICT_FOREIGN_SIZE)
        return;
    restarts_take(view, &sample);
    if (pace_due(&view->pace, pairs > longs ? pairs : longs, sample.time_ns))
        restarts_conclude(view);
}

void restarts_add(struct restarts *restarts, const struct sim_samples *samples, unsigned window, bool timed)
{
    void *memory = sim_allocate(1, seen_bytes(window));
    struct view view = {.trains = 0};

    seen_init(&view.seen, memory, window);
    for (size_t i = 0; i < samples->count; i++)
        restarts_push(&view, samples->item[i], timed);
    restarts->trains += view.trains;
    restarts->count += view.restarts;
    free(memory);
}

/* Where the path stays as it is. */
static void add_run(const struct sim_case *row, uint64_t seed, unsigned window, struct restarts *timed,
                    struct restarts *untimed)
{
    struct sim_samples samples;
    struct sim_config config;
    struct sim_run run;

    sim_case_config(row, seed, &config);
    if (!sim_config_stationary(&config))
        return;
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    restarts_add(timed, &samples, window, true);
    restarts_add(untimed, &samples, window, false);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

static double in_10000(const struct restarts *restarts)
{
    return restarts->trains ? 1e4 * (double)restarts->count / (double)restarts->trains : 0;
}

static void restarts_print_row(const char *name, const struct restarts *timed, const struct restarts *untimed)
{
    printf("| %s | %lu | %lu (%.2f) | %lu (%.2f) |\n", name, timed->trains, timed->count, in_10000(timed),
           untimed->count, in_10000(untimed));
}

static void sim_restarts_add(struct restarts *to, const struct restarts *from)
{
    to->trains += from->trains;
    to->count += from->count;
}

void restarts_table(const struct sim_case *const *cases, unsigned count, uint64_t first_seed, unsigned seeds,
                    unsigned window)
{
    struct restarts all_timed = {0}, all_untimed = {0};

    printf("Paths that stay as they are and were taken for changed ones (in 10 000 trains).\n\n"
           "| case | trains | with send times | without |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < count; i++) {
        struct restarts timed = {0}, untimed = {0};

        for (unsigned seed = 0; seed < seeds; seed++)
            add_run(cases[i], first_seed + seed, window, &timed, &untimed);
        if (timed.count + untimed.count > 0)
            restarts_print_row(cases[i]->name, &timed, &untimed);
        sim_restarts_add(&all_timed, &timed);
        sim_restarts_add(&all_untimed, &untimed);
    }
    restarts_print_row("all", &all_timed, &all_untimed);
}
