/* SPDX-License-Identifier: BSD-3-Clause */
#include "families.h"

#include "parts.h"
#include "units.h"

#include <math.h>

#define MS 1000000LL
#define S 1000000000LL

/* One to five hops, the narrow one anywhere. Fast links get what they take to be
 * measured at all: a fast sender, long trains, good stamps. */
void sim_build_idle(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, 5), narrow = sim_rng_below(rng, hops);
    double rate_bps = (double)sim_draw_rate(rng, row->narrow_bps);
    unsigned length_log2 = 1 + sim_rng_below(rng, 6);

    sim_draw_ends(row, rng, config);
    for (unsigned h = 0; h < hops; h++)
        sim_add_hop(&config->path, rng,
                    h == narrow ? rate_bps : rate_bps * sim_rng_log_between(rng, 1.3, 20));
    if (row->narrow_bps < 1 * MBPS)
        length_log2 = 1 + sim_rng_below(rng, 4); /* trains of seconds, not minutes */
    if (row->narrow_bps >= 10 * GBPS)
        length_log2 = 5 + sim_rng_below(rng, 4);
    if (length_log2 >= 3) /* shorter ones cannot know: the mix then */
        sim_send_trains(&config->sender, 1U << length_log2, sim_draw_size(rng));
    config->receiver.noise_ns = 500;
    if (row->narrow_bps >= 1 * GBPS) {
        config->sender.rate_bps = (uint64_t)(40 * GBPS);
        config->sender.gap_ns = 200;
        config->sender.gap_jitter_ns = 20;
        config->receiver.noise_ns = row->narrow_bps >= 10 * GBPS ? 50 : 100;
    }
}

void sim_build_loaded(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_ends(row, rng, config);
    sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    sim_load_hop(&config->path, 0, row->load, row->mix);
    if (sim_rng_chance(rng, 0.5))
        sim_add_hop(&config->path, rng, 100 * MBPS);
}

/* A sender of twice the capacity: its adapter, or a first link. */
void sim_build_twice(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_draw_rate(rng, row->narrow_bps);

    sim_draw_ends(row, rng, config);
    if (sim_rng_chance(rng, 0.5))
        config->sender.rate_bps = (uint64_t)(2 * narrow_bps);
    else
        sim_add_hop(&config->path, rng, 2 * narrow_bps);
    sim_add_hop(&config->path, rng, narrow_bps);
    sim_load_hop(&config->path, config->path.hops - 1, row->load, row->mix);
}

/* The load is on a link of twice the capacity, behind the narrow one. */
void sim_build_after(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_draw_rate(rng, row->narrow_bps);

    sim_draw_ends(row, rng, config);
    sim_add_hop(&config->path, rng, narrow_bps);
    sim_add_hop(&config->path, rng, 2 * narrow_bps);
    sim_load_hop(&config->path, 1, row->load, row->mix);
}

void sim_build_hops(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_draw_rate(rng, row->narrow_bps);
    unsigned narrow = sim_rng_below(rng, row->hops);

    sim_draw_ends(row, rng, config);
    if (row->hops > 3)
        sim_send_mix(&config->sender, sim_draw_size(rng));
    for (unsigned h = 0; h < row->hops; h++) {
        double factor = sim_rng_log_between(rng, 1.3, 4);
        sim_add_hop(&config->path, rng, h == narrow ? narrow_bps : factor * narrow_bps);
        sim_load_hop(&config->path, h, row->load, row->mix);
    }
}

/* Sixteen sources that send bursts of ten packets at 100 Mbit/s. */
void sim_build_pareto(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_traffic_config *traffic;

    sim_draw_ends(row, rng, config);
    sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    traffic = sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.5, 0.6), row->mix);
    traffic->source = SIM_PARETO;
    traffic->flows = 16;
    traffic->access_bps = (uint64_t)(100 * MBPS);
    traffic->burst_packets = 10;
}

void sim_build_sizes(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_ends(row, rng, config);
    sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.5, 0.6), row->mix);
}

static unsigned power_of_two_from(double least)
{
    unsigned length = 16;

    while (length < least && length < 256)
        length *= 2;
    return length;
}

/* Trains of more than twice what passes at the peak rate: a shorter one cannot
 * show the sustained rate. */
void sim_build_bucket(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_rng_log_between(rng, 1 * MBPS, 100 * MBPS);
    double ratio = sim_rng_log_between(rng, 3, 100);
    double packets = sim_rng_log_between(rng, 2, 40);
    uint32_t bytes = sim_draw_size(rng);
    struct sim_hop_config *hop;

    sim_draw_ends(row, rng, config);
    if (sim_rng_chance(rng, 0.5))
        sim_add_hop(&config->path, rng, 1 * GBPS);
    hop = sim_add_hop(&config->path, rng, fmin(rate_bps * ratio, 1 * GBPS));
    ratio = (double)hop->rate_bps / rate_bps;
    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)(packets * bytes) + 1;
    sim_send_trains(&config->sender, power_of_two_from(2 * packets / (1 - 1 / ratio) + 8), bytes);
    config->sender.delay_ns = sim_later(
        config->sender.delay_ns, 2 * sim_transmit_ps(hop->burst_bytes, hop->shaper_rate_bps) / SIM_PS_PER_NS);
    if (row->load > 0)
        sim_load_hop(&config->path, config->path.hops - 1, row->load, row->mix);
}

/* Trains that last for a dozen ticks, as far as 256 packets reach. */
void sim_build_tick(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double tick_s = sim_rng_log_between(rng, 0.1e-3, 10e-3);
    uint32_t bytes = sim_draw_size(rng);
    double most_bps = fmin(256 * 8.0 * bytes / (12 * tick_s), 100 * MBPS);
    double rate_bps = sim_rng_log_between(rng, 1 * MBPS, most_bps);
    struct sim_hop_config *hop;

    sim_draw_ends(row, rng, config);
    hop = sim_add_hop(&config->path, rng, fmin(rate_bps * sim_rng_log_between(rng, 3, 100), 1 * GBPS));
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = (int64_t)(tick_s * 1e9);
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)hop->tick_ns);
    sim_send_trains(&config->sender, power_of_two_from(12 * tick_s * rate_bps / (8.0 * bytes)), bytes);
}

void sim_build_coalescing(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_draw_ends(row, rng, config);
    config->sender.rate_bps = (uint64_t)(10 * GBPS);
    config->sender.gap_ns = 200;
    config->sender.gap_jitter_ns = 20;
    sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    sim_load_hop(&config->path, 0, row->load, row->mix);
    config->receiver.coalescing = sim_rng_chance(rng, 0.5) ? SIM_COALESCE_DELAY : SIM_COALESCE_THROTTLE;
    config->receiver.coalesce_ns = row->coalesce_ns;
    /* Some drivers stamp each packet as they come to it, some the batch. */
    if (sim_rng_chance(rng, 0.7))
        config->receiver.packet_cost_ns = (int64_t)sim_rng_between(rng, 300, 1000);
    config->receiver.noise_ns = 100;
}

void sim_build_loss(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->receiver.loss = 0.05;
}

void sim_build_disorder(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->receiver.reorder = 0.05;
    config->receiver.reorder_delay_ns = 5 * MS;
    config->receiver.duplicate = 0.05;
    config->receiver.duplicate_delay_ns = 5 * MS;
}

void sim_build_skew(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->receiver.skew_ppm = sim_rng_chance(rng, 0.5) ? 100 : -100;
}

void sim_build_step(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double trains = sim_rng_between(rng, 0.2, 0.8) * row->trains;

    sim_build_loaded(row, rng, config);
    config->receiver.step_ns = sim_rng_chance(rng, 0.5) ? S : -S;
    config->receiver.step_at_ns = (int64_t)(trains * (double)config->sender.delay_ns);
}

/* Trains after a rate change in which the estimate must settle. */
enum { TRAINS_TO_SETTLE = 20 };

void sim_build_change(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_draw_ends(row, rng, config);
    config->sender.spacing = SIM_SPACING_UNIFORM;
    config->sender.spacing_jitter = 0.01;
    hop = sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    hop->change_rate_bps = (uint64_t)(row->factor * (double)hop->rate_bps);
    /* The load holds for the slower of the two rates. */
    sim_load_hop(&config->path, 0, row->load * fmin(row->factor, 1), row->mix);
    sim_space_trains(config);
    /* Between two trains: the jitter of 80 pauses stays below half a one. */
    hop->change_at_ns = (int64_t)((row->trains - TRAINS_TO_SETTLE + 0.5) * (double)config->sender.delay_ns);
}

/* Another way of the same capacity: only the delay changes. */
void sim_build_reroute(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop = &config->path.hop[0];

    sim_build_change(row, rng, config);
    hop->change_rate_bps = 0;
    hop->change_propagation_ns = sim_draw_propagation_ns(rng);
}

/* A hop whose load lasts from end to end and a few whose load does not. */
void sim_build_through(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_draw_rate(rng, row->narrow_bps);
    unsigned narrow = sim_rng_below(rng, row->hops);

    sim_draw_ends(row, rng, config);
    for (unsigned h = 0; h < row->hops; h++) {
        double factor = sim_rng_log_between(rng, 1.3, 4);
        sim_add_hop(&config->path, rng, h == narrow ? narrow_bps : factor * narrow_bps);
    }
    sim_load_hop(&config->path, narrow, row->load, row->mix);
    config->path.traffic[0].enter = 0;
    config->path.traffic[0].leave = row->hops + 1;
}

/* The narrowest thing is the sender: no more than a lower bound can be known. */
void sim_build_slow_sender(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_draw_rate(rng, row->narrow_bps);

    sim_draw_ends(row, rng, config);
    config->sender.rate_bps = (uint64_t)(narrow_bps / sim_rng_log_between(rng, 1.5, 10));
    config->sender.departure = SIM_DEPARTURE_WIRE;
    sim_add_hop(&config->path, rng, narrow_bps);
    sim_load_hop(&config->path, 0, row->load, row->mix);
}

/* Loses its processor within a train now and then, for 1 ms on average. */
void sim_build_busy_sender(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->sender.deschedule = row->deschedule;
    config->sender.deschedule_ns = 1 * MS;
}

/* No send times: 64-byte frames have no room for them, classic no place. */
void sim_build_tiny(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    sim_send_trains(&config->sender, row->train_length, 64);
}

void sim_build_classic(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_loaded(row, rng, config);
    config->sender.classic = true;
}

static struct sim_traffic_config *add_tcp(struct sim_path_config *path, unsigned flows, enum sim_mix mix,
                                          double access_bps)
{
    struct sim_traffic_config *traffic = &path->traffic[path->traffics++];

    *traffic = (struct sim_traffic_config){
        .source = SIM_TCP,
        .mix = mix,
        .flows = flows,
        .leave = path->hops,
        .access_bps = (uint64_t)access_bps,
        .return_ns = 5 * MS,
    };
    return traffic;
}

/* Bulk transfers across one link with a queue of 50 to 100 packets. */
void sim_build_tcp(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_draw_ends(row, rng, config);
    hop = sim_add_hop(&config->path, rng, (double)sim_draw_rate(rng, row->narrow_bps));
    hop->queue_packets = 50 + sim_rng_below(rng, 51);
    add_tcp(&config->path, row->flows, SIM_MIX_1500, 1 * GBPS)->return_ns = sim_draw_propagation_ns(rng);
}

/* The paper's section 4: four links, each of twice the rate of the one before, or
 * of half; as many transfers enter at each, and all leave at the end. */
void sim_build_paper(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = row->factor > 1 ? row->narrow_bps : 8 * row->narrow_bps;

    sim_draw_ends(row, rng, config);
    sim_send_trains(&config->sender, 2, 1000);
    config->sender.delay_ns = S / 2;
    for (unsigned h = 0; h < 4; h++, rate_bps *= row->factor) {
        struct sim_hop_config *hop = sim_add_hop(&config->path, rng, rate_bps);
        hop->propagation_ns = row->propagation_ns;
        hop->queue_packets = 50;
    }
    for (unsigned h = 0; h < 4; h++)
        add_tcp(&config->path, row->flows / 4, SIM_MIX_1000, 10 * MBPS)->enter = h;
}

/* Whatever comes: one to six hops, each loaded or not, shaped or not. */
void sim_build_any(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, 6);
    double rate_bps = sim_rng_log_between(rng, 1 * MBPS, 500 * MBPS);

    sim_draw_ends(row, rng, config);
    config->sender.rate_bps = (uint64_t)(rate_bps * sim_rng_log_between(rng, 1.5, 100));
    sim_send_trains(&config->sender, 2U << sim_rng_below(rng, 6), sim_draw_size(rng));
    if (sim_rng_chance(rng, 0.5))
        sim_send_mix(&config->sender, sim_draw_size(rng));
    for (unsigned h = 0; h < hops; h++) {
        sim_add_hop(&config->path, rng, rate_bps * sim_rng_log_between(rng, 1, 10));
        if (sim_rng_chance(rng, 0.5))
            sim_load_hop(&config->path, h, sim_rng_between(rng, 0, 0.8),
                         (enum sim_mix)sim_rng_below(rng, SIM_MIX_1500 + 1));
    }
    config->receiver.loss = sim_rng_chance(rng, 0.3) ? sim_rng_between(rng, 0, 0.05) : 0;
    config->receiver.noise_ns = (int64_t)sim_rng_between(rng, 0, 5e3);
}
