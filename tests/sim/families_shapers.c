/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs through shapers, probed by trains that may be too short for them. */
#include "families.h"

#include "parts.h"
#include "units.h"

#include <math.h>

#define PEAK_MOST_BPS (1 * GBPS)

/* What a shaper lets through at once: 3 to 100 times its rate. */
static double draw_peak(struct sim_rng *rng, double rate_bps)
{
    return fmin(rate_bps * sim_rng_log_between(rng, 3, 100), PEAK_MOST_BPS);
}

/* The longest train lasts for row->factor ticks, if that is given. */
void sim_build_tick_drawn(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_ends_to(row, rng, config), longest_s;
    double tick_s = sim_rng_log_between(rng, 0.1e-3, 10e-3);
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, draw_peak(rng, rate_bps));

    longest_s = sim_longest_train(&config->sender) * 8.0 * config->sender.pattern[0].bytes / rate_bps;
    if (row->factor > 0)
        tick_s = fmin(tick_s, longest_s / row->factor);
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = (int64_t)(tick_s * 1e9);
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)hop->tick_ns);
}

/* Gives the path its one hop; the bucket is still to be filled. */
static struct sim_hop_config *families_shapers_add_bucket(const struct sim_case *row, struct sim_rng *rng,
                                                          struct sim_config *config)
{
    double rate_bps = sim_draw_ends_to(row, rng, config);
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, draw_peak(rng, rate_bps));

    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    return hop;
}

/* Pauses let it fill up again. */
static void fill_bucket(struct sim_config *config, struct sim_hop_config *hop, double packets)
{
    hop->burst_bytes = (uint32_t)(packets * config->sender.pattern[0].bytes) + 1;
    config->sender.delay_ns = sim_later(
        config->sender.delay_ns, 2 * sim_transmit_ps(hop->burst_bytes, hop->shaper_rate_bps) / SIM_PS_PER_NS);
}

/* What the longest train takes out of the bucket at the peak rate, packets. */
static double taken(const struct sim_config *config, const struct sim_hop_config *hop)
{
    return sim_longest_train(&config->sender) * (1 - (double)hop->shaper_rate_bps / (double)hop->rate_bps);
}

/* More than half of the longest train is sent at the sustained rate. */
void sim_build_bucket_shown(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = families_shapers_add_bucket(row, rng, config);

    fill_bucket(config, hop, sim_rng_log_between(rng, 1.05, taken(config, hop) / 2));
}

/* No train empties the bucket: that there is one cannot be known. */
void sim_build_bucket_blind(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = families_shapers_add_bucket(row, rng, config);
    double least = fmax(taken(config, hop), 1.05);

    fill_bucket(config, hop, least * sim_rng_log_between(rng, 1, 3));
}

/* Room for one frame and a bit, released by a timer that is late by 15 us. */
void sim_build_bucket_shallow(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = families_shapers_add_bucket(row, rng, config);

    fill_bucket(config, hop, sim_rng_between(rng, 1.05, 2));
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.noise_ns = 15000;
}

/* Room for one frame of full size: smaller ones pass two at a time. */
void sim_build_bucket_frame(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    fill_bucket(config, families_shapers_add_bucket(row, rng, config), 1);
}

/* Each flow gets as much as any other, however many packets wait: we see our share. */
void sim_build_turns(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    hop = sim_add_hop(&config->path, rng, sim_draw_ends_to(row, rng, config));
    hop->shaper = SIM_SHAPER_TURNS;
    hop->rivals = 1 + sim_rng_below(rng, 8);
    hop->rival_bytes = 1518;
    sim_space_trains(config);
    config->sender.delay_ns *= 2 * (1 + hop->rivals); /* our packets may be smaller */
}

/* Two links of half the rate, packet by packet. */
void sim_build_parallel(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_ends_to(row, rng, config);

    sim_add_hop(&config->path, rng, rate_bps)->links = 2;
}

/* Batches of up to 4 to 32 packets, each after 0.1 to 3 ms for the medium. The rate is
 * that of full batches of our packets. */
void sim_build_batches(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double line_bps = sim_draw_ends_to(row, rng, config), batch_ns, wait_ns;
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, line_bps);
    unsigned longest = sim_longest_train(&config->sender);

    hop->shaper = SIM_SHAPER_BATCH;
    hop->batch_packets = 4U << sim_rng_below(rng, 4);
    if (row->unknowable && hop->batch_packets < longest)
        hop->batch_packets = longest;
    if (!row->unknowable && hop->batch_packets > longest / 4)
        hop->batch_packets = longest / 4;
    hop->access_least_ns = (int64_t)sim_rng_log_between(rng, 100e3, 3e6);
    hop->access_most_ns = (int64_t)sim_rng_between(rng, (double)hop->access_least_ns, 3e6);
    wait_ns = ((double)hop->access_least_ns + (double)hop->access_most_ns) / 2;
    batch_ns = 8e9 * config->sender.pattern[0].bytes * hop->batch_packets;
    hop->shaper_rate_bps = (uint64_t)(batch_ns / (wait_ns + batch_ns / line_bps));
}
