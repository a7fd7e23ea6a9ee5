/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs whose stamps mislead. */
#include "families.h"

#include "parts.h"

/* A clock of coarse ticks: any, or one that kernels have (1000, 250, 100 Hz). */
void sim_build_coarse(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const int64_t usual_ns[] = {1000000, 4000000, 10000000};

    sim_draw_link(row, rng, config);
    config->receiver.granularity_ns = sim_rng_chance(rng, 0.3)
        ? usual_ns[sim_rng_below(rng, 3)]
        : (int64_t)sim_rng_log_between(rng, 10e3, 10e6);
}

/* Somebody set the times of such a capture right. */
void sim_build_shifted(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_coarse(row, rng, config);
    config->receiver.shift_ns = (int64_t)sim_rng_between(rng, 0, (double)config->receiver.granularity_ns);
}

/* Stamps of a program on a busy host: late, now and then very late. */
void sim_build_jittery(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_link(row, rng, config);
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.noise_ns = (int64_t)sim_rng_log_between(rng, 20e3, 200e3);
}

/* Interrupts held back, for trains that may be shorter than a batch. */
void sim_build_throttle(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_link(row, rng, config);
    config->sender.gap_ns = 200;
    config->sender.gap_jitter_ns = 20;
    sim_hold_interrupts(rng, &config->receiver, 20e3, 250e3);
    if (sim_rng_chance(rng, 0.7))
        config->receiver.packet_cost_ns = (int64_t)sim_rng_between(rng, 300, 1000);
    config->receiver.noise_ns = 100;
}

/* An idle link, and an interrupt each half a gap to four. */
void sim_build_held(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500), gap_ns = 1518 * 8e9 / rate_bps;

    sim_add_hop(&config->path, rng, rate_bps);
    sim_hold_back(rng, &config->receiver, gap_ns / 2, 4 * gap_ns);
}

static double run_ns(const struct sim_config *config)
{
    return (double)config->sender.trains * (double)config->sender.delay_ns;
}

/* A crystal that warms up and cools down. */
void sim_build_wander(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->receiver.wander_ppm = sim_rng_between(rng, 5, 20);
    config->receiver.wander_period_ns = (int64_t)sim_rng_log_between(rng, 60e9, 1200e9);
}

/* NTP makes up for some ms, as fast as it may. */
void sim_build_slew(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double from_ns;

    sim_build_wander(row, rng, config);
    from_ns = sim_rng_between(rng, 0, 0.8) * run_ns(config);
    config->receiver.slew_ppm = sim_rng_chance(rng, 0.5) ? 500 : -500;
    config->receiver.slew_from_ns = (int64_t)from_ns;
    config->receiver.slew_until_ns = (int64_t)(from_ns + sim_rng_between(rng, 0.05, 0.5) * run_ns(config));
}

/* Another way of the same rates, at some time. */
void sim_build_rerouted(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = &config->path.hop[0];

    sim_build_wander(row, rng, config);
    hop->change_at_ns = (int64_t)(sim_rng_between(rng, 0.1, 0.9) * run_ns(config));
    hop->change_propagation_ns = sim_draw_propagation_ns(rng);
}
