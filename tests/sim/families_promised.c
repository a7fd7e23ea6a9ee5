/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs of which something is promised (promised.h): wider than those that were tuned on. What
 * pptrans sends without options, or trains of the case's lengths. */
#include "families.h"

#include "parts.h"

#include <math.h>

/* One to as many greedy flows as the row has; its factor is the quantum. */
void sim_build_promised_fair(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 0));
    unsigned rivals = row->flows ? 1 + sim_rng_below(rng, row->flows) : 0;

    sim_share_hop(row, rng, config, hop, rivals, (uint32_t)row->factor);
}

void sim_build_promised_fifo(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_promised_fair(row, rng, config);
    config->path.hop[0].shaper = SIM_SHAPER_NONE;
}

/* Packets of the longest train that pass once the bucket is empty. */
static double passes_by_rate(const struct sim_sender_config *sender, double link_bps, double rate_bps,
                             double burst_bytes)
{
    double bytes = sender->pattern[sender->start].bytes;
    double rest_bytes = bytes * sim_longest_train(sender) - burst_bytes / (1 - rate_bps / link_bps);

    return rest_bytes / bytes * rate_bps / link_bps;
}

/* 2 to 100 Mbit/s behind the row's links, 12 to 100 kB. Of the longest train, from the row's load to its factor packets
 * pass by rate. */
void sim_build_promised_policer(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double link_bps = sim_draw_hosts(row, rng, config, 0), rate_bps, burst_bytes, passes;
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, link_bps);

    do {
        rate_bps = sim_rng_log_between(rng, 2 * MBPS, fmin(100 * MBPS, link_bps));
        burst_bytes = sim_rng_log_between(rng, 12e3, 100e3);
        passes = passes_by_rate(&config->sender, link_bps, rate_bps, burst_bytes);
    } while (passes < row->load || passes > row->factor);
    hop = sim_add_hop(&config->path, rng, 1 * GBPS);
    hop->shaper = SIM_SHAPER_POLICER;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)burst_bytes;
}

/* Ticks of 1 ms, trains of 1000-byte packets. */
void sim_build_promised_ticks(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1000);
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, 1 * GBPS);

    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = 1000000;
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * 1e6);
}

/* TCP flows from hosts as fast as ours. */
void sim_build_promised_tcp(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_full_queue(row, rng, config);
    config->path.traffic[0].access_bps = (uint64_t)row->sender_bps;
}
