/* SPDX-License-Identifier: BSD-3-Clause */
#include "following.h"

#include "filters/dispersion.h"
#include "filters/sort.h"
#include "memory.h"
#include "parts.h"
#include "restarts.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define S 1000000000LL

/* Trains before the change, more than a window of them, and after it. */
enum { BEFORE = 300, AFTER = 400 };

/* The new rate is followed from the first estimate on that is this near, as so many of those that
 * come next are. */
#define NEAR 0.1
enum { NEXT = 10, NEXT_NEAR = 9 };

/* What a second has of frames of video. */
enum { SECOND = 30 };

/* So many of the runs are to follow within that, on paths that carry nothing else and on others. */
#define WITHIN 0.9
#define WITHIN_LOADED 0.75

struct trains {
    const char *name;
    uint16_t shortest, longest; /* packets, as often */
    double a_second;
};

static const struct trains trains_table[] = {
    {"pairs", 2, 2, SECOND}, {"3 to 7", 3, 7, SECOND},        {"2 to 9", 2, 9, SECOND},
    {"16", 16, 16, SECOND},  {"2 to 9, 2 a second", 2, 9, 2},
};
static const double loads[] = {0, 0.3, 0.6};
static const double factors[] = {0.1, 0.2, 0.5, 1 / 1.5, 1.5, 2, 5, 10};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct row {
    const struct trains *trains;
    double load;
    bool timed;
};

static void following_send(struct sim_rng *rng, const struct trains *trains, struct sim_sender_config *sender)
{
    unsigned lengths = trains->longest - trains->shortest + 1U;

    sender->pattern_length = SIM_PATTERN_MAX;
    for (unsigned i = 0; i < SIM_PATTERN_MAX; i++)
        sender->pattern[i] = (struct sim_train_kind){
            .length = (uint16_t)(trains->shortest + sim_rng_below(rng, lengths)), .bytes = 1200};
    sender->trains = BEFORE + AFTER;
    sender->delay_ns = (int64_t)(S / trains->a_second);
    sender->spacing = SIM_SPACING_UNIFORM;
    sender->spacing_jitter = 0.01;
}

/* One link of 10 to 80 Mbit/s at its slower rate, of which the load is a share; the sender is
 * 2 to 20 times as fast as the faster one. */
static void following_draw(const struct row *row, double factor, struct sim_rng *rng,
                           struct sim_config *config)
{
    double slower_bps = sim_rng_log_between(rng, 10e6, 80e6);
    double faster_bps = slower_bps * fmax(factor, 1 / factor);
    double from_bps = factor > 1 ? slower_bps : faster_bps;
    struct sim_hop_config *hop;

    *config = (struct sim_config){.path = {.hops = 0}};
    sim_draw_ends(&(struct sim_case){.sender_bps = faster_bps * sim_rng_log_between(rng, 2, 20)}, rng,
                  config);
    config->receiver.noise_ns = 500; /* pairs on the faster ones take 12 us */
    following_send(rng, row->trains, &config->sender);
    hop = sim_add_hop(&config->path, rng, from_bps);
    if (row->load > 0)
        sim_load_hop(&config->path, 0, row->load * slower_bps / from_bps, SIM_MIX_IMIX);
    hop->change_rate_bps = (uint64_t)(from_bps * factor);
    hop->change_at_ns = (int64_t)((BEFORE + 0.5) * (double)config->sender.delay_ns);
}

/* Trains after the change until it was followed; infinite: never. */
static double count_until(const bool *near, unsigned count)
{
    for (unsigned i = 0; i + NEXT < count; i++) {
        unsigned next = 0;

        for (unsigned k = 1; k <= NEXT; k++)
            next += near[i + k];
        if (near[i] && next >= NEXT_NEAR)
            return i + 1;
    }
    return INFINITY;
}

static double follow(const struct filter *filter, unsigned window, const struct sim_config *config,
                     bool timed, const struct sim_samples *samples)
{
    double truth_bps = sim_case_truth_bps(config);
    void *state = sim_allocate(1, filter->state_bytes(window));
    bool near[AFTER] = {false};
    struct estimate estimate;

    filter->init(state, window);
    for (size_t i = 0; i < samples->count; i++) {
        struct sample sample = samples->item[i];

        if (!timed)
            sim_sample_untime(&sample);
        dispersion_measure(&sample);
        filter->push(state, &sample);
        filter->estimate(state, &estimate);
        if (sample.train >= BEFORE)
            near[sample.train - BEFORE] = fabs(estimate.capacity_bps / truth_bps - 1) <= NEAR;
    }
    free(state);
    return count_until(near, AFTER);
}

/* Draws a run of the row, without a change where the factor is 1. */
static void following_run(const struct row *row, double factor, uint64_t seed, struct sim_config *config,
                          struct sim_samples *samples)
{
    struct sim_rng rng;
    struct sim_run sim;

    sim_rng_init(&rng, seed, 0);
    following_draw(row, factor, &rng, config);
    sim_run_init(&sim, config, seed);
    sim_samples_init(samples, &sim);
    sim_run_fini(&sim);
}

static double follow_seed(const struct filter *filter, unsigned window, const struct row *row, double factor,
                          uint64_t seed)
{
    struct sim_samples samples;
    struct sim_config config;
    double trains;

    following_run(row, factor, seed, &config, &samples);
    trains = follow(filter, window, &config, row->timed, &samples);
    sim_samples_fini(&samples);
    return trains;
}

/* --- The table --- */

static void following_print_trains(double trains)
{
    if (isinf(trains))
        printf("-");
    else
        printf("%.0f", trains);
}

/* Returns the share of runs that take no longer than a second has frames. */
static double print_cell(const double *sorted, unsigned seeds)
{
    unsigned soon = 0;

    while (soon < seeds && sorted[soon] <= SECOND)
        soon++;
    printf(" ");
    following_print_trains(sorted[seeds / 2]);
    printf(" / ");
    following_print_trains(sorted[seeds * 9 / 10]);
    printf(" |");
    return (double)soon / seeds;
}

static void print_restarts(const struct row *row, unsigned window, uint64_t first_seed, unsigned seeds)
{
    struct restarts restarts = {0};
    struct sim_samples samples;
    struct sim_config config;

    for (unsigned i = 0; i < seeds; i++) {
        following_run(row, 1, first_seed + i, &config, &samples);
        restarts_add(&restarts, &samples, window, row->timed);
        sim_samples_fini(&samples);
    }
    printf(" %lu of %lu |\n", restarts.count, restarts.trains);
}

static bool following_print_row(const struct filter *filter, unsigned window, const struct row *row,
                                uint64_t first_seed, unsigned seeds)
{
    double within = row->load > 0 ? WITHIN_LOADED : WITHIN;
    double *trains = sim_allocate(seeds, sizeof(*trains));
    bool soon = true;

    printf("| %s | %.0f %% | %s |", row->trains->name, 100 * row->load, row->timed ? "yes" : "no");
    for (unsigned f = 0; f < COUNT(factors); f++) {
        for (unsigned i = 0; i < seeds; i++)
            trains[i] = follow_seed(filter, window, row, factors[f], first_seed + i);
        sort_numbers(trains, seeds);
        soon = print_cell(trains, seeds) >= within && soon;
    }
    print_restarts(row, window, first_seed, seeds);
    fflush(stdout);
    free(trains);
    return soon;
}

bool following_table(const struct filter *filter, unsigned window, uint64_t first_seed, unsigned seeds)
{
    bool soon = true;

    printf("Trains until filter %s follows a change of the rate: half of the runs / nine in ten;\n"
           "and how often change.c sees one where there is none, in so many trains.\n\n",
           filter->name);
    printf("| trains | load | send times | / 10 | / 5 | / 2 | / 1.5 | x 1.5 | x 2 | x 5 | x 10 "
           "| no change |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned t = 0; t < COUNT(trains_table); t++)
        for (unsigned l = 0; l < COUNT(loads); l++)
            for (unsigned timed = 0; timed < 2; timed++)
                soon =
                    following_print_row(filter, window, &(struct row){&trains_table[t], loads[l], timed == 1},
                                        first_seed, seeds)
                    && soon;
    return soon;
}
