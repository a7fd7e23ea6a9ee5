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

/* Trains before the ramp, more than a window of them or not even half, and after it. */
enum { BEFORE = 300, BEFORE_FEW = 60, AFTER = 150 };
#define DELAY_NS 200000000LL

enum { LOADS = 2 };
static const double loads[LOADS] = {0, 0.3};

enum { LENGTHS_MOST = 3, SPEEDS_MOST = 4, FACTORS_MOST = 4 };

/* One link; its rate is the slower one of both. */
struct table {
    const char *change;
    unsigned before;
    bool shaped; /* by a bucket of 1.5 to 40 kB, at a peak of 3 to 20 times the faster rate */
    double least_bps, most_bps;
    double noise_ns;                /* of stamps, exponential where first ones of trains are ... */
    double late_ns;                 /* ... late by that, half more or less */
    double off;                     /* what is sure is wrong from there on ... */
    unsigned wrong_most[LOADS];     /* ... so many trains in a row at most, of nine runs in ten */
    unsigned lengths[LENGTHS_MOST]; /* 0: the mix */
    double speeds[SPEEDS_MOST];     /* a train; INFINITY: at once */
    double factors[FACTORS_MOST];
    unsigned length_count, speed_count, factor_count;
};

#define SHAPER_STEPS(CHANGE, TRAINS, LOADED)                                                                 \
    {                                                                                                        \
        .change = CHANGE, .before = TRAINS, .shaped = true, .least_bps = 5e6, .most_bps = 80e6,              \
        .noise_ns = 500, .off = 0.05, .wrong_most = {15, LOADED}, .lengths = {0, 64}, .length_count = 2,     \
        .speeds = {INFINITY}, .speed_count = 1, .factors = {0.5, 1 / 1.2, 1.2, 5}, .factor_count = 4         \
    }

/* While a rate drifts most pairs tell another one. At gaps of 15 to 80 us a step of some per cent is what stamps
 * make of one pair. */
static const struct table tables[] = {
    {.change = "goes to half or to twice itself",
     .before = BEFORE,
     .least_bps = 20e6,
     .most_bps = 80e6,
     .noise_ns = 500,
     .off = 0.1,
     .wrong_most = {30, 30},
     .lengths = {2, 0, 16},
     .length_count = 3,
     .speeds = {0.001, 0.003, 0.01, 0.03},
     .speed_count = 4,
     .factors = {0.5, 2},
     .factor_count = 2},
    {.change = "of a fast link steps",
     .before = BEFORE,
     .least_bps = 150e6,
     .most_bps = 800e6,
     .noise_ns = 1000,
     .late_ns = 1000,
     .off = 0.05,
     .wrong_most = {60, 60},
     .lengths = {0, 64},
     .length_count = 2,
     .speeds = {INFINITY},
     .speed_count = 1,
     .factors = {1 / 1.2, 1 / 1.1, 1.1, 1.2},
     .factor_count = 4},
    SHAPER_STEPS("of a shaper steps", BEFORE, 130),
    SHAPER_STEPS("of a shaper steps after few trains", BEFORE_FEW, 60),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct ramp {
    const struct table *table;
    unsigned length;
    double load, speed, factor;
    bool timed;
};

struct outcome {
    double wrong;    /* trains in a row */
    double followed; /* trains after the ramp until what is told is right, and stays so */
};

static void ramps_draw_ends(const struct ramp *ramp, double faster_bps, struct sim_rng *rng,
                            struct sim_config *config)
{
    struct sim_case row = {.sender_bps = faster_bps * sim_rng_log_between(rng, 2, 20),
                           .train_length = ramp->length};

    sim_draw_ends(&row, rng, config);
    config->sender.delay_ns = DELAY_NS;
    config->sender.spacing = SIM_SPACING_UNIFORM;
    config->sender.spacing_jitter = 0.01;
    config->receiver.noise_ns = (int64_t)ramp->table->noise_ns;
    if (ramp->table->late_ns == 0)
        return;
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.late_first_ns = (int64_t)ramp->table->late_ns;
}

/* One link, of whose slower rate the load is a share. */
static void ramps_draw(const struct ramp *ramp, struct sim_rng *rng, struct sim_config *config)
{
    double slower_bps = sim_rng_log_between(rng, ramp->table->least_bps, ramp->table->most_bps);
    double from_bps = ramp->factor > 1 ? slower_bps : slower_bps / ramp->factor;
    unsigned trains = (unsigned)(fabs(log(ramp->factor)) / ramp->speed);
    double faster_bps = from_bps * fmax(ramp->factor, 1);
    unsigned before = ramp->table->before;
    double peak_bps = ramp->table->shaped ? faster_bps * sim_rng_log_between(rng, 3, 20) : 0;
    struct sim_hop_config *hop;

    *config = (struct sim_config){.sender = {.trains = before + trains + AFTER}};
    ramps_draw_ends(ramp, fmax(faster_bps, peak_bps), rng, config);
    hop = sim_add_hop(&config->path, rng, peak_bps > 0 ? peak_bps : from_bps);
    if (peak_bps > 0) {
        hop->shaper = SIM_SHAPER_BUCKET;
        hop->shaper_rate_bps = (uint64_t)from_bps;
        hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 1540, 40000);
    }
    if (ramp->load > 0)
        sim_load_hop(&config->path, 0, ramp->load * slower_bps / from_bps, SIM_MIX_IMIX);
    hop->change_rate_bps = (uint64_t)(from_bps * ramp->factor);
    hop->change_at_ns = before * DELAY_NS;
    hop->change_until_ns = trains == 0 ? 0 : (before + trains) * DELAY_NS;
}

static void ramps_note(struct outcome *outcome, double *in_row, bool sure, bool off, unsigned after)
{
    *in_row = sure && off ? *in_row + 1 : 0;
    outcome->wrong = fmax(outcome->wrong, *in_row);
    if (off)
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
        if (sample.train >= ramp->table->before)
            ramps_note(&outcome, &in_row, estimate_is_sure(&estimate),
                       fabs(estimate.capacity_bps / truth_bps - 1) > ramp->table->off,
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

static bool ramps_print_row(const struct filter *filter, unsigned window, struct ramp ramp,
                            uint64_t first_seed, unsigned seeds)
{
    const struct table *table = ramp.table;
    bool seldom = true;

    if (ramp.length == 0)
        printf("| the mix |");
    else
        printf("| %u |", ramp.length);
    printf(" %.0f %% | %s |", 100 * ramp.load, ramp.timed ? "yes" : "no");
    for (unsigned f = 0; f < table->factor_count; f++)
        for (unsigned s = 0; s < table->speed_count; s++) {
            ramp.factor = table->factors[f];
            ramp.speed = table->speeds[s];
            seldom =
                ramps_print_cell(filter, window, &ramp, first_seed, seeds) <= table->wrong_most[ramp.load > 0]
                && seldom;
        }
    printf("\n");
    fflush(stdout);
    return seldom;
}

static void ramps_print_head(const struct table *table, const char *filter)
{
    printf("Trains in a row that filter %s is sure and over %.0f %% off, when the rate %s:\n"
           "half of the runs / nine in ten; and until it is right after that, nine in ten.\n\n"
           "| trains | load | send times |",
           filter, 100 * table->off, table->change);
    for (unsigned f = 0; f < table->factor_count; f++)
        for (unsigned s = 0; s < table->speed_count; s++)
            if (isinf(table->speeds[s]))
                printf(" x %.2f |", table->factors[f]);
            else
                printf(" %s %.1f %% |", table->factors[f] < 1 ? "-" : "+", 100 * table->speeds[s]);
    printf("\n|---|---|---|");
    for (unsigned i = 0; i < table->factor_count * table->speed_count; i++)
        printf("---|");
    printf("\n");
}

static bool ramps_print_table(const struct filter *filter, unsigned window, const struct table *table,
                              uint64_t first_seed, unsigned seeds)
{
    struct ramp ramp = {.table = table};
    bool seldom = true;

    ramps_print_head(table, filter->name);
    for (unsigned t = 0; t < table->length_count; t++)
        for (unsigned l = 0; l < COUNT(loads); l++)
            for (unsigned timed = 0; timed < 2; timed++) {
                ramp.length = table->lengths[t];
                ramp.load = loads[l];
                ramp.timed = timed == 1;
                seldom = ramps_print_row(filter, window, ramp, first_seed, seeds) && seldom;
            }
    return seldom;
}

bool ramps_tables(const struct filter *filter, unsigned window, uint64_t first_seed, unsigned seeds)
{
    bool seldom = true;

    for (unsigned i = 0; i < COUNT(tables); i++) {
        if (i > 0)
            printf("\n");
        seldom = ramps_print_table(filter, window, &tables[i], first_seed, seeds) && seldom;
    }
    return seldom;
}
