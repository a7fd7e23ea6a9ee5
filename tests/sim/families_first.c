/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs as a newcomer makes them: both programs without options, from the first
 * train on, through the kinds of links that people have. */
#include "families.h"

#include "parts.h"
#include "units.h"

/* A host on 1 Gbit/s Ethernet, a link, the default pattern. */
static struct sim_hop_config *families_first_begin(const struct sim_case *row, struct sim_rng *rng,
                                                   struct sim_config *config, double *rate_bps)
{
    struct sim_hop_config *hop;

    sim_draw_ends(row, rng, config);
    config->sender.rate_bps = (uint64_t)(1 * GBPS);
    sim_send_default(&config->sender);
    *rate_bps = sim_rng_log_between(rng, row->narrow_bps, row->most_bps);
    hop = sim_add_hop(&config->path, rng, *rate_bps);
    hop->queue_bytes = 400000;
    return hop;
}

void sim_build_first(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps;

    families_first_begin(row, rng, config, &rate_bps);
    config->receiver.coalesce_ns = row->coalesce_ns;
    if (row->load > 0)
        sim_load_hop(&config->path, 0, row->load, row->mix);
}

/* One frame and a little to 40 kB, at the sender's rate. */
void sim_build_first_bucket(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps;
    struct sim_hop_config *hop = families_first_begin(row, rng, config, &rate_bps);

    hop->rate_bps = (uint64_t)(1 * GBPS);
    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 1540, 40000);
}

/* The same in one host, or between virtual ones, that have no link's rate and are busy. */
void sim_build_first_busy(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_first_bucket(row, rng, config);
    config->sender.rate_bps = config->path.hop[0].rate_bps = (uint64_t)(10 * GBPS);
    sim_busy_ends(rng, config);
}

/* Released at ticks of 1 ms. */
void sim_build_first_tick(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps;
    struct sim_hop_config *hop = families_first_begin(row, rng, config, &rate_bps);

    hop->rate_bps = (uint64_t)(1 * GBPS);
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = 1000000;
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * 1e6);
}
