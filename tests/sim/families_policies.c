/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs through what operators set: shapers behind links, in maps, two in a
 * row, and a policer. The figures in comments are those of paths on which the estimator
 * was found wrong. */
#include "families.h"

#include "parts.h"
#include "units.h"

#include <math.h>

static struct sim_hop_config *families_policies_add_bucket(struct sim_rng *rng, struct sim_config *config,
                                                           double rate_bps, double burst_bytes)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, 1 * GBPS);

    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)burst_bytes;
    return hop;
}

/* Load on the last hop, in half of the runs by what has come all the way. */
static void load_last(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_traffic_config *traffic = sim_load_hop(&config->path, config->path.hops - 1, row->load,
                                                      sim_rng_chance(rng, 0.5) ? SIM_MIX_IMIX : SIM_MIX_1500);

    if (sim_rng_chance(rng, 0.5))
        traffic->enter = 0;
}

/* A bucket of 42.6 kB at 50 Mbit/s, then maps of 2 ms on a line of 400, load .3. */
void sim_build_docsis(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop;

    families_policies_add_bucket(rng, config, rate_bps, sim_rng_between(rng, 30e3, 50e3));
    load_last(row, rng, config);
    config->path.traffic[0].leave = 2;
    hop = sim_add_hop(&config->path, rng, 8 * rate_bps);
    hop->shaper = SIM_SHAPER_GRANTS;
    hop->shaper_rate_bps = hop->rate_bps;
    hop->tick_ns = (int64_t)sim_rng_between(rng, 1.5e6, 2.5e6);
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)hop->tick_ns);
}

/* And first stamps that are late by a third of a gap to a whole one. */
void sim_build_docsis_late(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_docsis(row, rng, config);
    config->receiver.late_first_ns =
        (int64_t)(1500 * 8e9 / (double)config->path.hop[1].rate_bps * sim_rng_between(rng, 0.33, 1));
}

/* A bucket of about 20 kB behind a link so many times as fast as the row's factor, give or
 * take a third of it: 50 behind 200 to 300 or behind 75 to 150, loads .3 to .5. */
void sim_build_behind(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    sim_add_hop(&config->path, rng, rate_bps * row->factor * sim_rng_between(rng, 0.67, 1.33));
    families_policies_add_bucket(rng, config, rate_bps, sim_rng_between(rng, 15e3, 25e3));
    load_last(row, rng, config);
}

/* One flow at a constant rate, of packets of one size, across the last hop: as many of them, or one more, come between
 * any two of ours. */
static void share_last(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const enum sim_mix SIZES[] = {SIM_MIX_64,  SIM_MIX_128,  SIM_MIX_256,
                                         SIM_MIX_512, SIM_MIX_1000, SIM_MIX_1500};
    enum sim_mix size = SIZES[sim_rng_below(rng, 6)];
    double load = sim_rng_between(rng, 0.1, row->load);

    sim_load_hop(&config->path, config->path.hops - 1, load, size)->source = SIM_CONSTANT;
}

/* 33 Mbit/s behind 60, packets of 128 bytes, load .45. */
void sim_build_constant_bucket(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    sim_add_hop(&config->path, rng, rate_bps * sim_rng_log_between(rng, 1.3, 20));
    families_policies_add_bucket(rng, config, rate_bps, sim_rng_log_between(rng, 1540, 20e3));
    share_last(row, rng, config);
}

/* A bucket, then a link that is hardly faster, and one to three constant flows that leave less of it than the bucket lets pass:
 * 20 Mbit/s before 25, three flows of 3. */
void sim_build_constant_beyond(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500),
           faster = sim_rng_between(rng, 1.05, row->factor);
    unsigned flows = 1 + sim_rng_below(rng, 3);
    double load = sim_rng_between(rng, 1.05, 1.4) * (1 - 1 / faster);

    families_policies_add_bucket(rng, config, rate_bps, sim_rng_log_between(rng, 1540, 20e3));
    sim_add_hop(&config->path, rng, rate_bps * faster);
    for (unsigned i = 0; i < flows; i++) {
        enum sim_mix size = sim_rng_chance(rng, 0.5) ? SIM_MIX_1500 : SIM_MIX_256;

        sim_load_hop(&config->path, 1, load / flows, size)->source = SIM_CONSTANT;
    }
}

/* Calls and cameras of six, each at its own time, load what is 2 to 5 times as fast as the bucket: what one of ours waits for
 * them looks as if it were turns. 20 Mbit/s before 60. */
static void add_six(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                    double rate_bps)
{
    static const enum sim_mix SIZES[] = {SIM_MIX_256, SIM_MIX_512, SIM_MIX_1000, SIM_MIX_1500};
    double faster = (2 + sim_rng_below(rng, 4)) * sim_rng_between(rng, 0.97, 1.05);
    double load = sim_rng_between(rng, 0.3, row->load);
    unsigned hop = config->path.hops, flows = 6;

    sim_add_hop(&config->path, rng, rate_bps * faster);
    for (unsigned i = 0; i < flows; i++)
        sim_load_hop(&config->path, hop, load / flows, SIZES[sim_rng_below(rng, 4)])->source = SIM_CONSTANT;
}

static void add_bucket_of_frames(struct sim_rng *rng, struct sim_config *config, double rate_bps,
                                 double least, double most)
{
    uint32_t bytes = config->sender.pattern[0].bytes;

    families_policies_add_bucket(rng, config, rate_bps, bytes * sim_rng_between(rng, least, most));
}

void sim_build_bucket_turns(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    add_bucket_of_frames(rng, config, rate_bps, 2, 4);
    add_six(row, rng, config, rate_bps);
}

void sim_build_bucket_turns_before(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    add_six(row, rng, config, rate_bps);
    add_bucket_of_frames(rng, config, rate_bps, 2, 4);
}

/* The link before the only hop that there is, and the flow. */
static void share_behind(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config hop = config->path.hop[0];

    config->path.hop[0] = (struct sim_hop_config){0};
    config->path.hops = 0;
    sim_add_hop(&config->path, rng,
                (double)sim_hop_capacity_bps(&hop, 0) * sim_rng_log_between(rng, 1.3, 20));
    config->path.hop[config->path.hops++] = hop;
    share_last(row, rng, config);
}

void sim_build_constant_grants(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_grants(row, rng, config);
    share_behind(row, rng, config);
}

void sim_build_constant_tti(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_tti(row, rng, config);
    share_behind(row, rng, config);
}

void sim_build_constant_bonded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_bonded(row, rng, config);
    share_behind(row, rng, config);
}

/* 200 and 80 Mbit/s, in either order, loads .3. */
void sim_build_two_shapers(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double other_bps = rate_bps * sim_rng_between(rng, 2, 3);
    bool first = sim_rng_chance(rng, 0.5);

    for (unsigned h = 0; h < 2; h++) {
        families_policies_add_bucket(rng, config, (h == 0) == first ? rate_bps : other_bps,
                                     sim_rng_between(rng, 15e3, 25e3));
        sim_load_hop(&config->path, h, row->load, SIM_MIX_IMIX);
    }
}

/* 10 behind 100 Mbit/s, or before it; 20 to 30 kB. */
void sim_build_policer(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double link_bps = sim_draw_hosts(row, rng, config, 1500);
    bool before = sim_rng_chance(rng, 0.5);
    struct sim_hop_config *hop;

    if (!before)
        sim_add_hop(&config->path, rng, link_bps);
    hop = families_policies_add_bucket(rng, config, link_bps / sim_rng_log_between(rng, 4, 20),
                                       sim_rng_between(rng, 20e3, 30e3));
    hop->shaper = SIM_SHAPER_POLICER;
    if (before)
        sim_add_hop(&config->path, rng, link_bps);
}

/* In half of the runs up to the row's load. */
static void build_queue(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                        unsigned least_packets, unsigned most_packets)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 1500));

    hop->queue_packets = least_packets + sim_rng_below(rng, most_packets - least_packets + 1);
    if (sim_rng_chance(rng, 0.5))
        sim_load_hop(&config->path, 0, sim_rng_between(rng, 0, row->load), SIM_MIX_IMIX);
}

/* A queue of 8 to 32 packets overflows in every long train, and cuts it as a policer does. */
void sim_build_short_queue(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_queue(row, rng, config, 8, 32);
}

void sim_build_promised_queue(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_queue(row, rng, config, 4, 48);
}

/* 26 kB at 1 Mbit/s behind 10, for trains of 32 x 1000 bytes: it is empty for the last. */
void sim_build_bucket_tail(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1000), link_bps = 10 * rate_bps;
    double sent_bytes = 1000.0 * sim_longest_train(&config->sender);

    sim_add_hop(&config->path, rng, link_bps);
    families_policies_add_bucket(rng, config, rate_bps, sent_bytes * sim_rng_between(rng, 0.7, 0.85));
    config->sender.delay_ns = sim_later(config->sender.delay_ns, (int64_t)(2 * 8e9 * sent_bytes / rate_bps));
}

/* As between namespaces of one host: no link's rate before it, and a host whose pace hand-over and gaps share. */
static void build_uneven(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                         double bucket_bytes)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    sim_add_hop(&config->path, rng, 10 * GBPS);
    families_policies_add_bucket(rng, config, rate_bps, bucket_bytes);
    config->sender.rate_bps = (uint64_t)(10 * GBPS);
    config->sender.gap_ns = (int64_t)sim_rng_log_between(rng, 10e3, 30e3);
    config->sender.gap_jitter_ns = config->sender.gap_ns / 10;
    config->sender.handover_ns = (int64_t)sim_rng_log_between(rng, 10e3, 50e3);
    config->sender.slow_share = sim_rng_between(rng, 0.2, 0.6);
    config->receiver.noise_ns = 1000;
}

void sim_build_bucket_uneven(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_uneven(row, rng, config, sim_rng_log_between(rng, 12e3, 40e3));
}

enum { LONGEST_BYTES = 64 * 1500 };

/* It ends in the last one to thirteen packets of trains of 64. */
void sim_build_bucket_end(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_uneven(row, rng, config, LONGEST_BYTES * sim_rng_between(rng, 0.8, 0.985));
}

/* No train of 64 empties it. */
void sim_build_bucket_over(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_uneven(row, rng, config, LONGEST_BYTES * sim_rng_log_between(rng, 1.05, 3));
}

/* 20 kB at 10 Mbit/s behind 100, stamps in steps of 1 ms, trains of 64 x 1000 bytes. */
void sim_build_bucket_coarse(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1000);

    sim_add_hop(&config->path, rng, 10 * rate_bps);
    families_policies_add_bucket(rng, config, rate_bps, sim_rng_between(rng, 15e3, 25e3));
    config->receiver.granularity_ns = 1000000;
}

/* The same, but what leaves the bucket leaves on ticks. */
void sim_build_bucket_ticks(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_build_bucket_coarse(row, rng, config);
    config->receiver.granularity_ns = 1;
    hop = sim_add_hop(&config->path, rng, 1 * GBPS);
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = hop->rate_bps;
    hop->tick_ns = 1000000;
}

/* Ticks so long that one packet leaves at each, and at few of them none: 11.4 Mbit/s, ticks of 1 ms. */
void sim_build_bucket_ticked(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const int64_t TICKS_NS[] = {1000000, 4000000, 10000000};
    int64_t tick_ns = TICKS_NS[sim_rng_below(rng, 3)];
    struct sim_hop_config *hop;
    double full_bps;

    sim_draw_hosts(row, rng, config, 1500);
    full_bps = config->sender.pattern[0].bytes * 8e9 / (double)tick_ns;
    add_bucket_of_frames(rng, config, full_bps * sim_rng_between(rng, 0.86, 0.985), 8, 20);
    hop = sim_add_hop(&config->path, rng, 1 * GBPS);
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = hop->rate_bps;
    hop->tick_ns = tick_ns;
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)tick_ns);
}

/* A first bucket, and a second that is empty only when 74 to 88 of 97 kB have come there: its size is what these take out of
 * it, less what the first let pass at once. */
void sim_build_bucket_second_late(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1518);
    double slower = 1 / sim_rng_between(rng, 1.5, 2.2);
    double first_bytes = sim_rng_between(rng, 8e3, 16e3), emptied_bytes = sim_rng_between(rng, 74e3, 88e3);

    families_policies_add_bucket(rng, config, rate_bps / slower, first_bytes);
    families_policies_add_bucket(rng, config, rate_bps, emptied_bytes * (1 - slower) + first_bytes * slower);
}

/* 4.4 kB at 2.88 Mbit/s behind 42.6, 23 trains of the mix: two or three of them long. */
void sim_build_bucket_mix(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    sim_send_mix(&config->sender, 1500);
    sim_add_hop(&config->path, rng, rate_bps * sim_rng_between(rng, 10, 20));
    families_policies_add_bucket(rng, config, rate_bps, sim_rng_between(rng, 3.1e3, 6e3));
}
