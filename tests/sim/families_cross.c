/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs whose cross traffic misleads. */
#include "families.h"

#include "parts.h"

#define MS 1000000LL
#define S 1000000000LL

static enum sim_mix draw_mix(struct sim_rng *rng)
{
    return (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT);
}

/* Two links of nearly the same rate, in either order, both loaded or none. */
void sim_build_two_narrow(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);
    double other_bps = narrow_bps * sim_rng_between(rng, 1, 1.15);
    bool first = sim_rng_chance(rng, 0.5);

    sim_add_hop(&config->path, rng, first ? narrow_bps : other_bps);
    sim_add_hop(&config->path, rng, first ? other_bps : narrow_bps);
    for (unsigned h = 0; h < 2 && row->load > 0; h++)
        sim_load_hop(&config->path, h, sim_rng_between(rng, 0.3, row->load), draw_mix(rng));
}

/* Small packets at a constant rate come close to a fluid, which no gap can show: see
 * sim_build_fluid(). */
static void make_constant(struct sim_rng *rng, struct sim_traffic_config *traffic)
{
    while (traffic->mix == SIM_MIX_64)
        traffic->mix = draw_mix(rng);
    traffic->source = SIM_CONSTANT;
    traffic->flows = 1 + sim_rng_below(rng, 20);
}

/* Calls and cameras: packets that come at their times. */
void sim_build_constant(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);

    sim_add_hop(&config->path, rng, narrow_bps);
    make_constant(rng, sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.2, row->load), draw_mix(rng)));
    if (sim_rng_chance(rng, 0.5))
        return;
    sim_add_hop(&config->path, rng, narrow_bps * sim_rng_log_between(rng, 1.3, 4));
    make_constant(rng, sim_load_hop(&config->path, 1, sim_rng_between(rng, 0.2, row->load), draw_mix(rng)));
}

/* A flow of them joins behind a faster link: a packet of theirs is between two of ours, or none. */
void sim_build_constant_joins(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, narrow_bps * sim_rng_log_between(rng, 1.2, 5));
    sim_add_hop(&config->path, rng, narrow_bps);
    traffic = sim_load_hop(&config->path, 1, sim_rng_between(rng, 0.1, row->load), draw_mix(rng));
    make_constant(rng, traffic);
    traffic->flows = 1;
}

/* So many small packets that they get between ours one by one. */
void sim_build_twice_small(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);

    config->sender.rate_bps = (uint64_t)(narrow_bps * sim_rng_between(rng, 1.5, 3));
    sim_add_hop(&config->path, rng, narrow_bps);
    sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.5, row->load), SIM_MIX_64);
}

/* As many small packets between any two of ours: the same as a slower link. */
void sim_build_fluid(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, narrow_bps);
    traffic = sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.2, row->load), SIM_MIX_64);
    traffic->source = SIM_CONSTANT;
    traffic->flows = 1 + sim_rng_below(rng, 20);
}

/* The narrow link is idle, a faster one after it is not. */
void sim_build_after_bursts(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, narrow_bps);
    sim_add_hop(&config->path, rng, narrow_bps * sim_rng_log_between(rng, 1.2, 4));
    traffic = sim_load_hop(&config->path, 1, sim_rng_between(rng, 0.3, row->load), draw_mix(rng));
    if (sim_rng_chance(rng, 0.5)) {
        make_constant(rng, traffic);
        return;
    }
    traffic->source = SIM_PARETO;
    traffic->flows = 16;
    traffic->access_bps = (uint64_t)(10 * narrow_bps);
    traffic->burst_packets = sim_rng_between(rng, 3, 30);
}

/* Transfers come and go on a faster link after the narrow one, and fill its queue, which drops its tail. */
void sim_build_after_transfers(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_draw_ends_to(row, rng, config);
    double after_bps = narrow_bps * sim_rng_log_between(rng, 1.2, 4);
    struct sim_hop_config *hop;
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, narrow_bps);
    hop = sim_add_hop(&config->path, rng, after_bps);
    hop->queue_packets = 20 + sim_rng_below(rng, 81);
    traffic = sim_load_hop(&config->path, 1, sim_rng_between(rng, 0.1, row->load), SIM_MIX_1500);
    traffic->source = SIM_PARETO;
    traffic->flows = 1 + sim_rng_below(rng, 3);
    traffic->access_bps = (uint64_t)(after_bps * sim_rng_between(rng, 0.8, 1.5));
    traffic->burst_packets = sim_rng_log_between(rng, 100, 3000);
}

/* --- The paper's chain, as ns-3 has it --- */

enum { LINKS = 4, PLACES = 5 };

/* Where transfers enter; all leave at the last router. */
enum place { SPREAD, FROM_END_TO_END, LAST_LINKS };

static void add_transfers(struct sim_config *config, unsigned enter, unsigned flows, double access_bps)
{
    struct sim_traffic_config *traffic = &config->path.traffic[config->path.traffics++];
    int64_t propagation_ns = config->path.hop[0].propagation_ns;

    *traffic = (struct sim_traffic_config){
        .source = SIM_TCP,
        .mix = SIM_MIX_1000,
        .flows = flows,
        .enter = enter,
        .leave = LINKS,
        .access_bps = (uint64_t)access_bps,
        .return_ns = (LINKS - enter) * propagation_ns + 2 * MS,
        .window_packets = 20,
    };
}

/* Dealt out in turn, the last of five to a place past all links. */
static void place_transfers(struct sim_rng *rng, struct sim_config *config, unsigned flows, double access_bps)
{
    unsigned last = 2 + sim_rng_below(rng, 2);

    switch ((enum place)sim_rng_below(rng, 3)) {
    case SPREAD:
        for (unsigned h = 0; h < LINKS; h++)
            add_transfers(config, h, (flows + PLACES - 1 - h) / PLACES, access_bps);
        break;
    case FROM_END_TO_END: add_transfers(config, 0, flows, access_bps); break;
    case LAST_LINKS: add_transfers(config, last, flows, access_bps); break;
    }
}

/* Rates that are whole multiples of each other and stamps without noise: what is
 * compressed is compressed alike. */
void sim_build_chain(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const double rates_bps[] = {0.1 * MBPS, 1 * MBPS, 1 * MBPS, 10 * MBPS};
    static const unsigned flows[] = {5, 10, 20, 40};
    static const uint32_t sizes[] = {64, 500, 1000, 1500};
    double narrow_bps = rates_bps[sim_rng_below(rng, 4)];
    double rate_bps = row->factor > 1 ? narrow_bps : 8 * narrow_bps;
    int64_t propagation_ns = sim_rng_chance(rng, 0.5) ? 1 * MS : 100 * MS;
    uint32_t queue_packets = sim_rng_chance(rng, 0.5) ? 50 : 200;

    sim_draw_ends_to(row, rng, config);
    for (unsigned i = 0; i < config->sender.pattern_length; i++)
        config->sender.pattern[i].bytes = sizes[sim_rng_below(rng, 4)];
    config->sender.rate_bps = (uint64_t)(10 * narrow_bps);
    config->sender.gap_ns = config->sender.gap_jitter_ns = 0;
    config->sender.delay_ns = S / 2;
    for (unsigned h = 0; h < LINKS; h++, rate_bps *= row->factor) {
        struct sim_hop_config *hop = sim_add_hop(&config->path, rng, rate_bps);
        hop->propagation_ns = propagation_ns;
        hop->queue_packets = queue_packets;
    }
    place_transfers(rng, config, flows[sim_rng_below(rng, 4)], 10 * narrow_bps);
    if (sim_rng_chance(rng, 0.5))
        config->receiver.noise_ns = 0;
}

/* --- Hardly any, or only for a while --- */

/* Pairs so far apart that what little there is can be missed. */
void sim_build_quiet(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_add_hop(&config->path, rng, sim_draw_ends_to(row, rng, config));
    sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.01, row->load), row->mix);
    config->sender.delay_ns = (int64_t)sim_rng_log_between(rng, 0.5e9, 10e9);
}

/* For the first third of the run, or the second, or the last. */
void sim_build_episode(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_traffic_config *traffic;
    unsigned third = sim_rng_below(rng, 3);
    int64_t third_ns;

    sim_add_hop(&config->path, rng, sim_draw_ends_to(row, rng, config));
    traffic = sim_load_hop(&config->path, 0, row->load, row->mix);
    sim_space_trains(config);
    third_ns = config->sender.trains * config->sender.delay_ns / 3;
    traffic->from_ns = third * third_ns;
    if (third < 2)
        traffic->until_ns = (third + 1) * third_ns;
}
