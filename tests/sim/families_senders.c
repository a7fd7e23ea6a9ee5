/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs whose senders do not send as they should, or do not say how. */
#include "families.h"

#include "parts.h"

/* An adapter of 0.2 to 2 times the path's rate. */
static void build_slow_adapter(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                               enum sim_departure departure)
{
    double rate_bps = sim_draw_link(row, rng, config);

    config->sender.rate_bps = (uint64_t)(rate_bps * sim_rng_log_between(rng, 0.2, 2));
    config->sender.departure = departure;
}

/* The whole train is handed over at once, and that is what is told. */
void sim_build_handed(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_slow_adapter(row, rng, config, SIM_DEPARTURE_HANDED);
    config->sender.gap_ns = (int64_t)sim_rng_between(rng, 0, 200);
    config->sender.gap_jitter_ns = 0;
}

void sim_build_untold(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_slow_adapter(row, rng, config, SIM_DEPARTURE_NONE);
}

void sim_build_noisy_departure(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_slow_adapter(row, rng, config, SIM_DEPARTURE_WIRE);
    config->sender.stamp_noise_ns = (int64_t)sim_rng_log_between(rng, 100, 1e6);
}

/* Two to four packets back to back, the rest slower than the path. */
void sim_build_short_head(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_link(row, rng, config);
    double packet_ns = 8e9 * config->sender.pattern[0].bytes / rate_bps;

    config->sender.head = 2 + sim_rng_below(rng, 3);
    config->sender.tail_gap_ns = (int64_t)(packet_ns * sim_rng_log_between(rng, 1.2, 10));
}

void sim_build_descheduled(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_link(row, rng, config);
    config->sender.deschedule = row->deschedule;
    config->sender.deschedule_ns = (int64_t)sim_rng_log_between(rng, 0.1e6, 5e6);
}
