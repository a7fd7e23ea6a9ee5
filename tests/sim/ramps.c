/* SPDX-License-Identifier: BSD-3-Clause */
#include "ramps.h"

#include "filters/dispersion.h"
#include "filters/sort.h"
#include "memory.h"
#include "parts.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Trains before the ramp, more than a window of them, and after it. */
enum { BEFORE = 300, AFTER = 150 };
#define DELAY_NS 200000000LL

/* What is sure is wrong that far off; so long in a row at most, of nine runs in ten. */
#define OFF 0.1
enum { WRONG_MOST = 30 };

static const unsigned lengths[] = {2, 0, 16}; /* 0: the mix */
static const char *const names[] = {"pairs", "the mix", "16"};
static const double loads[] = {0, 0.3};
static const double speeds[] = {0.001, 0.003, 0.01, 0.03}; /* a train */
static const double factors[] = {0.5, 2};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct ramp {
    unsigned length;
    double load, speed, factor;
    bool timed;
};

struct outcome {
    double wrong;    /* trains in a row */
    double followed; /* trains after the ramp until what is told is right, and stays so */
};

/* One link of 20 to 80 Mbit/s, at its slower rate, of which the load is a share. */
static void ramps_draw(const struct ramp *ramp, struct sim_rng *rng, struct sim_config *config)
{
    double slower_bps = sim_rng_log_between(rng, 20e6, 80e6);
    double from_bps = ramp->factor > 1 ? slower_bps : slower_bps / ramp->factor;
    unsigned trains = (unsigned)(fabs(log(ramp->factor)) / ramp->speed);
    struct sim_case row = {.sender_bps = from_bps * fmax(ramp->factor, 1) * sim_rng_log_between(rng, 2, 20),
                           .train_length = ramp->length};
    struct sim_hop_config *hop;

    *config = (struct sim_config){.sender = {.trains = BEFORE + trains + AFTER}};
    sim_draw_ends(&row, rng, config);
    config->receiver.noise_ns = 500;
    config->sender.delay_ns = DELAY_NS;
    config->sender.spacing = SIM_SPACING_UNIFORM;
    config->sender.spacing_jitter = 0.01;
    hop = sim_add_hop(&config->path, rng, from_bps);
    if (ramp->load > 0)
        sim_load_hop(&config->path, 0, ramp->load * slower_bps / from_bps, SIM_MIX_IMIX);
    hop->change_rate_bps = (uint64_t)(from_bps * ramp->factor);
    hop->change_at_ns = BEFORE * DELAY_NS;
    hop->change_until_ns = (BEFORE + trains) * DELAY_NS;
}

static void ramps_note(struct outcome *outcome, double *in_row, const struct estimate *estimate, double off,
                       unsigned after)
{
    *in_row = estimate_is_sure(estimate) && off > OFF ? *in_row + 1 : 0;
    outcome->wrong = fmax(outcome->wrong, *in_row);
    if (off > OFF)
        outcome->followed = after;
}

static struct outcome ramps_run(const struct filter *filter, unsigned window, const struct ramp *ramp,
                                const struct sim_config *config, const struct sim_samples *samples)
{
    unsigned end = config->sender.trains - AFTER;
    void *state = sim_allocate(1, filter->state_bytes(window));
    struct outcome outcome = {0};
    struct estimate estimate;
    double in_row = 0;

    filter->init(state, window);
    for (size_t i = 0; i < samples->count; i++) {
        struct sample sample = samples->item[i];
        double truth_bps = (double)sim_path_capacity_bps(&config->path, sample.train * DELAY_NS);

        if (!ramp->timed)
            sim_sample_untime(&sample);
        dispersion_measure(&sample);
        filter->push(state, &sample);
        filter->estimate(state, &estimate);
        if (sample.train >= BEFORE)
            ramps_note(&outcome, &in_row, &estimate, fabs(estimate.capacity_bps / truth_bps - 1),
                       sample.train > end ? sample.train - end : 0);
    }
    free(state);
    return outcome;
}

static struct outcome ramps_seed(const struct filter *filter, unsigned window, const struct ramp *ramp,
                                 uint64_t seed)
{
    struct sim_samples samples;
    struct sim_config config;
    struct outcome outcome;
    struct sim_rng rng;
    struct sim_run sim;

    sim_rng_init(&rng, seed, 0);
    ramps_draw(ramp, &rng, &config);
    sim_run_init(&sim, &config, seed);
    sim_samples_init(&samples, &sim);
    sim_run_fini(&sim);
    outcome = ramps_run(filter, window, ramp, &config, &samples);
    sim_samples_fini(&samples);
    return outcome;
}

/* Prints them of half of the runs and of nine in ten, which is returned for those that are wrong. */
static double ramps_print_cell(const struct filter *filter, unsigned window, const struct ramp *ramp,
                               uint64_t first_seed, unsigned seeds)
{
    double *wrong = sim_allocate(2 * seeds, sizeof(*wrong)), *followed = wrong + seeds, most;

    for (unsigned i = 0; i < seeds; i++) {
        struct outcome outcome = ramps_seed(filter, window, ramp, first_seed + i);

        wrong[i] = outcome.wrong;
        followed[i] = outcome.followed;
    }
    sort_numbers(wrong, seeds);
    sort_numbers(followed, seeds);
    most = wrong[seeds * 9 / 10];
    printf(" %.0f / %.0f, %.0f |", wrong[seeds / 2], most, followed[seeds * 9 / 10]);
    free(wrong);
    return most;
}

static bool ramps_print_row(const struct filter *filter, unsigned window, struct ramp ramp, const char *name,
                            uint64_t first_seed, unsigned seeds)
{
    bool seldom = true;

    printf("| %s | %.0f %% | %s |", name, 100 * ramp.load, ramp.timed ? "yes" : "no");
    for (unsigned f = 0; f < COUNT(factors); f++)
        for (unsigned s = 0; s < COUNT(speeds); s++) {
            ramp.factor = factors[f];
            ramp.speed = speeds[s];
            seldom = ramps_print_cell(filter, window, &ramp, first_seed, seeds) <= WRONG_MOST && seldom;
        }
    printf("\n");
    fflush(stdout);
    return seldom;
}

bool ramps_table(const struct filter *filter, unsigned window, uint64_t first_seed, unsigned seeds)
{
    bool seldom = true;

    printf(
        "Trains in a row that filter %s is sure and a tenth off, while the rate of the path goes to half or\n"
        "to twice itself: half of the runs / nine in ten; and until it is right after that, nine in ten.\n\n"
        "| trains | load | send times |",
        filter->name);
    for (unsigned f = 0; f < COUNT(factors); f++)
        for (unsigned s = 0; s < COUNT(speeds); s++)
            printf(" %s %.1f %% |", factors[f] < 1 ? "-" : "+", 100 * speeds[s]);
    printf("\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned t = 0; t < COUNT(lengths); t++)
        for (unsigned l = 0; l < COUNT(loads); l++)
            for (unsigned timed = 0; timed < 2; timed++)
                seldom = ramps_print_row(
                             filter, window,
                             (struct ramp){.length = lengths[t], .load = loads[l], .timed = timed == 1},
                             names[t], first_seed, seeds)
                    && seldom;
    return seldom;
}
