/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs over the links that people have: media that are asked for, queues that
 * are shared, links side by side. The figures in comments are those of paths on which the
 * estimator was found wrong. */
#include "families.h"

#include "parts.h"

#include <math.h>

#define MS 1000000LL

/* --- Media that are asked for --- */

/* One of the PHY's rates within the case's range: 802.11a and g, multicast; or 802.11n on
 * 20 MHz, single frames with an acknowledgement of 28 us after a SIFS of 16. */
static double draw_phy(const struct sim_case *row, struct sim_rng *rng, bool acks)
{
    static const double multicast[] = {6, 9, 12, 18, 24, 36, 48, 54};
    static const double single[] = {6.5, 13, 19.5, 26, 39, 52, 58.5, 65};
    double bps;

    do
        bps = (acks ? single : multicast)[sim_rng_below(rng, 8)] * MBPS;
    while (bps < row->narrow_bps || bps > row->most_bps);
    return bps;
}

/* PHY 24 and 54 multicast, 65 with acknowledgements. */
static void build_wifi(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config, bool acks)
{
    struct sim_hop_config *hop;

    sim_draw_hosts(row, rng, config, 1500);
    if (sim_rng_chance(rng, 0.5))
        sim_add_hop(&config->path, rng, 1 * GBPS);
    hop = sim_add_hop(&config->path, rng, draw_phy(row, rng, acks));
    hop->shaper = SIM_SHAPER_CONTENTION;
    hop->ack_ns = acks ? 44000 : 0;
    hop->shaper_rate_bps = sim_hop_contended_bps(hop, config->sender.pattern[0].bytes);
}

void sim_build_multicast(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_wifi(row, rng, config, false);
}

/* Ends on busy hosts. */
void sim_build_multicast_busy(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_multicast(row, rng, config);
    sim_busy_ends(rng, config);
}

/* A tick of the stamps is up to half of the longest backoff. */
void sim_build_multicast_coarse(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_multicast(row, rng, config);
    config->receiver.granularity_ns = (int64_t)sim_rng_log_between(rng, 2e3, 60e3);
}

void sim_build_single_frames(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_wifi(row, rng, config, true);
}

/* Of what waits up to so many packets go together, that share of their time after those before on average, and are there when the
 * last of them is. */
static struct sim_hop_config *add_aggregates(struct sim_rng *rng, struct sim_config *config, double rate_bps,
                                             unsigned packets, double wait_share)
{
    double full_ns = 8e9 * config->sender.pattern[0].bytes * packets / rate_bps;
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, rate_bps / (1 - wait_share));

    hop->shaper = SIM_SHAPER_BATCH;
    hop->batch_packets = packets;
    hop->arrives_whole = true;
    hop->access_least_ns = (int64_t)(0.5 * wait_share * full_ns);
    hop->access_most_ns = (int64_t)(1.5 * wait_share * full_ns);
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    return hop;
}

/* Aggregates of which a train fills two or three, behind the first packet, which finds the medium idle: 48 packets at 100
 * Mbit/s, with 0.6 ms between them. */
void sim_build_aggregates_few(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    unsigned packets = 36 + sim_rng_below(rng, 25);
    double wait_share = sim_rng_between(rng, 0.05, 0.15);

    add_aggregates(rng, config, rate_bps, packets, wait_share)->idle_at_once = true;
}

/* Aggregates of 8 to 64 packets before a wire of 1.1 to 12 times the rate, which sends them on one after the other. */
void sim_build_aggregates_wired(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    unsigned packets = 8 + sim_rng_below(rng, 57);
    double wait_share = sim_rng_between(rng, 0.05, 0.3);
    struct sim_hop_config *hop = add_aggregates(rng, config, rate_bps, packets, wait_share);

    hop->idle_at_once = sim_rng_chance(rng, 0.5);
    sim_add_hop(&config->path, rng, rate_bps * sim_rng_log_between(rng, 1.1, 12));
}

static struct sim_hop_config *add_grants(struct sim_rng *rng, struct sim_config *config, double rate_bps,
                                         double line_bps, double cycle_ns)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, line_bps);

    hop->shaper = SIM_SHAPER_GRANTS;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = (int64_t)cycle_ns;
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * cycle_ns);
    return hop;
}

/* A train of 64 lasts for more than two. */
static double longest_cycle_ns(double rate_bps)
{
    return 64 * 8e9 * 1500 / 2.4 / rate_bps;
}

/* PON and DOCSIS upstream, 26 of 300 and 13 of 100 assured; the row's factor is the share,
 * within a half of it. On a line of 1.25 Gbit/s, or one as fast as all it grants. */
void sim_build_grants(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double line_bps = sim_rng_chance(rng, 0.7) ? 1.25 * GBPS : rate_bps;
    double cycle_ns = sim_rng_log_between(rng, 125e3, fmin(2e6, longest_cycle_ns(rate_bps)));
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, line_bps, cycle_ns);

    hop->assured_bps = (uint64_t)(row->factor * sim_rng_between(rng, 0.5, 1.5) * rate_bps);
    hop->report_ns = (int64_t)sim_rng_between(rng, 1e6, 2e6);
}

/* Cycles that a train takes 0.6 to 2.4 of. */
void sim_build_grants_few(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double line_bps = sim_rng_chance(rng, 0.7) ? 1.25 * GBPS : rate_bps;
    double cycle_ns = longest_cycle_ns(rate_bps) * sim_rng_between(rng, 1, 4);
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, line_bps, cycle_ns);

    hop->assured_bps = (uint64_t)(row->factor * sim_rng_between(rng, 0.5, 1.5) * rate_bps);
    hop->report_ns = (int64_t)sim_rng_between(rng, 1e6, 2e6);
}

/* Whose scheduler leaves to the assured bytes what these carry until a grant comes: the end of each train. */
void sim_build_grants_expecting(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_grants(row, rng, config);
    config->path.hop[0].expects = true;
}

/* Cycles of about 1 ms and 300 Mbit/s: what is there when one begins goes along, at the
 * line's rate. */
void sim_build_cycles(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    add_grants(rng, config, rate_bps, 1.25 * GBPS,
               sim_rng_between(rng, 0.5e6, fmin(2e6, longest_cycle_ns(rate_bps))));
}

/* TDMA, TDD, gates: the medium is ours for a quarter to four fifths of each cycle, at the line's rate, whatever is
 * there and whenever it comes. */
static void add_gate(struct sim_rng *rng, struct sim_config *config, double rate_bps, double cycle_ns)
{
    double line_bps = rate_bps / sim_rng_between(rng, 0.25, 0.8);
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, line_bps, cycle_ns);

    hop->assured_bps = hop->shaper_rate_bps;
}

void sim_build_gate(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double cycle_ns = sim_rng_log_between(rng, 1e6, fmin(10e6, longest_cycle_ns(rate_bps)));

    add_gate(rng, config, rate_bps, cycle_ns);
}

/* A train takes 0.6 to 2.4 of them. */
void sim_build_gate_long(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    add_gate(rng, config, rate_bps, longest_cycle_ns(rate_bps) * sim_rng_between(rng, 1, 4));
}

/* Shut for a tenth to a quarter of each cycle, as a radio that listens elsewhere, or beside others: a train takes 0.6 to 2.4
 * of them. A faster link behind it. */
void sim_build_gate_seldom(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double cycle_ns = longest_cycle_ns(rate_bps) * sim_rng_between(rng, 1, 4);
    double line_bps = rate_bps / sim_rng_between(rng, 0.75, 0.9);
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, line_bps, cycle_ns);

    hop->assured_bps = hop->shaper_rate_bps;
    sim_add_hop(&config->path, rng, line_bps * sim_rng_log_between(rng, 1.5, 10));
}

/* TTIs of 1 ms, 36 Mbit/s: what a block carries is there at its end. */
void sim_build_tti(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, 1 * GBPS, 1e6);

    hop->blocks = true;
    hop->assured_bps = hop->shaper_rate_bps;
}

/* What radio does to them: each block comes again with a chance of 2 to 20 %, in LTE 8 ms later (3GPP TS 36.321, 5.4.2),
 * and its size follows the channel, which holds for 5 to 200 ms. */
static void build_radio(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                        double tti_ns, double again_ns)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop = add_grants(rng, config, rate_bps, 1 * GBPS, tti_ns);

    hop->blocks = true;
    hop->assured_bps = hop->shaper_rate_bps;
    hop->again_share = sim_rng_log_between(rng, 0.02, 0.2);
    hop->again_ns = (int64_t)again_ns;
    hop->vary_ns = (int64_t)sim_rng_log_between(rng, 5e6, 200e6);
    hop->vary_share = sim_rng_between(rng, 0, row->factor);
}

void sim_build_lte_radio(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_radio(row, rng, config, 1e6, 8e6);
}

/* 5G: slots of half a millisecond, and sooner. */
void sim_build_nr_radio(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_radio(row, rng, config, 0.5e6, sim_rng_between(rng, 2e6, 5e6));
}

/* A plan's shaper before it; what a block carries is handed to several queues of the receiver, and up to half of the packets
 * are overtaken: 10 Mbit/s and 15 kB before 150, blocks again with a chance of .1. */
void sim_build_overtaken(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, 1 * GBPS);

    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 3e3, 32e3);
    hop = add_grants(rng, config, rate_bps * sim_rng_log_between(rng, 3, 15), 1 * GBPS, 1e6);
    hop->blocks = true;
    hop->assured_bps = hop->shaper_rate_bps;
    hop->again_share = sim_rng_log_between(rng, 0.02, 0.2);
    hop->again_ns = 8 * MS;
    config->receiver.reorder = sim_rng_between(rng, 0.1, 0.5);
    config->receiver.reorder_delay_ns = (int64_t)sim_rng_log_between(rng, 2e3, 50e3);
}

/* And a link of 1 Gbit/s behind. */
void sim_build_tti_behind(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_tti(row, rng, config);
    sim_add_hop(&config->path, rng, 1 * GBPS);
}

/* Others send through the last hop, in the same cycles where it has any: a load of a tenth up to the case's, of any sizes. */
static void load_last(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double load = sim_rng_between(rng, 0.1, row->load);

    sim_load_hop(&config->path, config->path.hops - 1, load, (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT));
}

void sim_build_grants_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_grants(row, rng, config);
    load_last(row, rng, config);
}

void sim_build_cycles_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_cycles(row, rng, config);
    load_last(row, rng, config);
}

void sim_build_gate_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_gate(row, rng, config);
    load_last(row, rng, config);
}

void sim_build_tti_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_tti(row, rng, config);
    load_last(row, rng, config);
}

/* --- Links side by side --- */

/* Two of 50 Mbit/s, one of them 2 or 5 ms longer. */
void sim_build_bonded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 1500));

    hop->links = 2;
    hop->last_longer_ns = (int64_t)sim_rng_between(rng, 1e6, 6e6);
}

/* A slower link behind it, which others load. */
static void add_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double share = sim_rng_between(rng, 0.2, 0.85);

    sim_add_hop(&config->path, rng, share * (double)sim_hop_capacity_bps(&config->path.hop[0], 0));
    load_last(row, rng, config);
}

void sim_build_grants_before(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_grants(row, rng, config);
    add_loaded(row, rng, config);
}

void sim_build_bonded_before(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_bonded(row, rng, config);
    add_loaded(row, rng, config);
}

/* --- Others --- */

/* 50 Mbit/s on average. */
void sim_build_varied(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const int64_t each_ns[] = {5 * MS, 20 * MS, 100 * MS};
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 1500));

    hop->vary_ns = each_ns[sim_rng_below(rng, 3)];
    hop->vary_share = sim_rng_between(rng, 0.05, 0.1);
}

/* Two rates by turns of 0.5 to 50 ms, as powerline has them within a period of the mains. */
void sim_build_varied_turns(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 1500));

    hop->vary_turns = true;
    hop->vary_ns = (int64_t)sim_rng_log_between(rng, 0.5 * MS, 50 * MS);
    hop->vary_share = sim_rng_log_between(rng, 0.06, 0.3);
    if (sim_rng_below(rng, 2))
        sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.05, row->load), SIM_MIX_IMIX);
}

/* Ends on busy hosts. */
void sim_build_varied_busy(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_varied(row, rng, config);
    sim_busy_ends(rng, config);
}

/* 300 Mbit/s, load .3, trains of 64 x 1000 bytes, 2 us. */
void sim_build_late_first(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    if (row->shortest)
        config->sender.pattern[0].bytes = 1000;
    sim_add_hop(&config->path, rng, rate_bps);
    sim_load_hop(&config->path, 0, row->load, (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT));
    config->receiver.late_first_ns = (int64_t)sim_rng_log_between(rng, 2e3, 20e3);
    config->receiver.noise_ns = 200;
}

/* A transfer that fills the queue, which drops its tail: 40 s of pairs. */
void sim_build_full_queue(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, sim_draw_hosts(row, rng, config, 1500));

    hop->queue_packets = 50 + sim_rng_below(rng, 51);
    config->path.traffic[config->path.traffics++] = (struct sim_traffic_config){
        .source = SIM_TCP,
        .mix = SIM_MIX_1500,
        .flows = row->flows,
        .leave = 1,
        .access_bps = (uint64_t)(1 * GBPS),
        .return_ns = sim_draw_propagation_ns(rng),
        .window_packets = 1000,
    };
}
