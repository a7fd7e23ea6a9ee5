/* SPDX-License-Identifier: BSD-3-Clause */
#include "tight.h"

#include "free_cases.h"
#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define MS 1000000LL

/* --- What is sent --- */

/* As pptrans --locate 1-9 --available sends: of four trains one of the mix, one that is paced, one to a hop back to
 * back and one to a hop that is paced, all hops at one rate after another. */
enum { FOURTH = 4, HOPS = 9, TRAINS_A_HOP = 40, MARKER_BYTES = 84, LOAD_BYTES = 1518 };
enum { MIX_START = 24, MIX_ROUND = 8, SHORT = 4, LONGER = 8, PACED = 16 };

static struct sim_train_kind to_hops(uint16_t length, bool paced)
{
    return (struct sim_train_kind){.length = length,
                                   .bytes = LOAD_BYTES,
                                   .paced = paced,
                                   .load_hops = 1,
                                   .hops_in_turn = HOPS,
                                   .marker_bytes = paced ? LOAD_BYTES : MARKER_BYTES};
}

static double tight_mean_bits(const struct sim_sender_config *sender, unsigned from, unsigned end)
{
    double bits = 0;

    for (unsigned i = from; i < end; i++)
        bits += 8.0 * sender->pattern[i].length * sender->pattern[i].bytes / (end - from);
    return bits;
}

/* Rates about the narrow one: its user knows as much. */
static void send_tight(struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = (double)sim_path_capacity_bps(&config->path, 0);
    double low_bps = narrow_bps / sim_rng_log_between(rng, 4, 8), load_bps = FREE_LOAD * narrow_bps;
    struct sim_sender_config *sender = &config->sender, plain = *sender;

    free_send_available(&plain, low_bps, 20 * low_bps, load_bps);
    sender->ladder = plain.ladder;
    for (unsigned i = 0; i < MIX_START + MIX_ROUND; i++) {
        sender->pattern[FOURTH * i] = plain.pattern[2 * i];
        sender->pattern[FOURTH * i + 1] = plain.pattern[2 * i + 1];
        sender->pattern[FOURTH * i + 2] = to_hops(i >= MIX_START && i % 2 == 1 ? LONGER : SHORT, false);
        sender->pattern[FOURTH * i + 3] = to_hops(plain.pattern[2 * i + 1].length, true);
    }
    sender->start = FOURTH * MIX_START;
    sender->pattern_length = FOURTH * (MIX_START + MIX_ROUND);
    sender->trains = FOURTH * HOPS * TRAINS_A_HOP;
    sender->start_delay_ns = (int64_t)(tight_mean_bits(sender, 0, sender->start) / load_bps * 1e9);
    sender->delay_ns =
        (int64_t)(tight_mean_bits(sender, sender->start, sender->pattern_length) / load_bps * 1e9);
    config->path.lasting = true;
    config->path.warm_ns = (int64_t)(2e9 * 10e6 / narrow_bps);
}

static void draw_ends(struct sim_rng *rng, struct sim_config *config)
{
    *config = (struct sim_config){.sender = {
                                      .rate_bps = 1000000000,
                                      .gap_ns = 3000,
                                      .gap_jitter_ns = 300,
                                      .spacing = SIM_SPACING_POISSON,
                                      .departure = SIM_DEPARTURE_HANDED,
                                      .stamp_noise_ns = 500,
                                      .handover_ns = 10000,
                                  }};
    config->receiver.epoch_ns = 1700000000 * INT64_C(1000000000);
    config->receiver.skew_ppm = sim_rng_between(rng, -50, 50);
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.noise_ns = 500;
}

/* --- Paths --- */

static double draw_narrow_bps(struct sim_rng *rng)
{
    return sim_rng_log_between(rng, 5e6, 80e6);
}

static enum sim_mix draw_mix(struct sim_rng *rng)
{
    return sim_rng_chance(rng, 0.6) ? SIM_MIX_IMIX : SIM_MIX_1500;
}

/* Five links behind the sender's; the others are 1.5 to 6 times as fast as the narrow one. */
static unsigned add_links(struct sim_rng *rng, struct sim_config *config, unsigned narrow)
{
    double narrow_bps = draw_narrow_bps(rng);

    draw_ends(rng, config);
    for (unsigned h = 0; h < 5; h++)
        sim_add_hop(&config->path, rng,
                    h == narrow ? narrow_bps : narrow_bps * sim_rng_log_between(rng, 1.5, 6));
    return narrow;
}

static void build_all(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    add_links(rng, config, sim_rng_below(rng, 5));
    for (unsigned h = 0; h < 5 && row->load > 0; h++)
        sim_load_hop(&config->path, h, row->load, draw_mix(rng));
    send_tight(rng, config);
}

static void build_narrow(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned narrow = add_links(rng, config, sim_rng_below(rng, 5));

    sim_load_hop(&config->path, narrow, sim_rng_between(rng, 0.2, row->load), draw_mix(rng));
    send_tight(rng, config);
}

/* Another link than the narrow one is left 0.3 to 0.8 of what that carries, which may be loaded, too. */
static void load_other(struct sim_rng *rng, struct sim_config *config, unsigned narrow, unsigned tight,
                       double load)
{
    struct sim_hop_config *hop = config->path.hop;
    double left_bps = (double)hop[narrow].rate_bps * sim_rng_between(rng, 0.3, 0.8) * (1 - load);

    hop[tight].rate_bps = (uint64_t)((double)hop[narrow].rate_bps * sim_rng_log_between(rng, 1.2, 3));
    sim_load_hop(&config->path, tight, 1 - left_bps / (double)hop[tight].rate_bps, draw_mix(rng));
    if (load > 0)
        sim_load_hop(&config->path, narrow, load, draw_mix(rng));
}

static void build_before(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned narrow = add_links(rng, config, 1 + sim_rng_below(rng, 4));

    load_other(rng, config, narrow, sim_rng_below(rng, narrow), row->load);
    send_tight(rng, config);
}

static void build_behind(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned narrow = add_links(rng, config, sim_rng_below(rng, 4));

    load_other(rng, config, narrow, narrow + 1 + sim_rng_below(rng, 4 - narrow), row->load);
    send_tight(rng, config);
}

static void tight_random_links(struct sim_rng *rng, struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, 7);

    draw_ends(rng, config);
    for (unsigned h = 0; h < hops; h++)
        sim_add_hop(&config->path, rng, sim_rng_log_between(rng, 5e6, 200e6));
}

/* Any links, each with a load of its own. */
static void tight_build_random(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    tight_random_links(rng, config);
    for (unsigned h = 0; h < config->path.hops; h++)
        sim_load_hop(&config->path, h, sim_rng_between(rng, 0, row->load), draw_mix(rng));
    send_tight(rng, config);
}

static void build_random_bursts(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    tight_random_links(rng, config);
    for (unsigned h = 0; h < config->path.hops; h++) {
        struct sim_traffic_config *traffic =
            sim_load_hop(&config->path, h, sim_rng_between(rng, 0, row->load), draw_mix(rng));

        traffic->source = SIM_PARETO;
        traffic->access_bps = (uint64_t)(traffic->rate_bps * sim_rng_between(rng, 2, 5));
        traffic->burst_packets = sim_rng_between(rng, 5, 50);
    }
    send_tight(rng, config);
}

/* As tbf has them: a bucket of about a frame at each link. */
static void tight_build_buckets(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config)
{
    add_links(rng, config, sim_rng_below(rng, 5));
    for (unsigned h = 0; h < 5; h++) {
        struct sim_hop_config *hop = &config->path.hop[h];

        hop->shaper = SIM_SHAPER_BUCKET;
        hop->shaper_rate_bps = hop->rate_bps;
        hop->rate_bps = 1000000000;
        hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 1600, 6000);
        if (row->load > 0) {
            struct sim_traffic_config *traffic = sim_load_hop(&config->path, h, row->load, draw_mix(rng));
            traffic->rate_bps = row->load * (double)hop->shaper_rate_bps;
        }
    }
    send_tight(rng, config);
}

const struct tight_case tight_cases[] = {
    {"idle", "six links, nothing else on them", build_all, 0, 0.99, 0},
    {"loaded-.3", "six links, a load of .3 on each", build_all, 0.3, 0.68, 0},
    {"narrow", "the narrow link loaded by .2 to .7, no other", build_narrow, 0.7, 0.7, 0},
    {"before", "a loaded link before the narrow one, which is idle", build_before, 0, 0.5, 0},
    {"before-.3", "the same, the narrow one loaded by .3", build_before, 0.3, 0.2, 0},
    {"behind", "a loaded link behind the narrow one, which is idle", build_behind, 0, 0.8, 0},
    {"behind-.3", "the same, the narrow one loaded by .3", build_behind, 0.3, 0.38, 0.01},
    {"buckets", "a bucket of 1600 to 6000 bytes at each link, loads of .3", tight_build_buckets, 0.3, 0.68,
     0},
    {"random", "two to eight links of 5 to 200 Mbit/s, loads of 0 to .7", tight_build_random, 0.7, 0.47,
     0.01},
    {"random-bursts", "the same, bursts of 5 to 50 packets", build_random_bursts, 0.7, 0.13, 0.03},
};
const unsigned tight_case_count = sizeof tight_cases / sizeof tight_cases[0];

void tight_config(const struct tight_case *row, uint64_t seed, struct sim_config *config)
{
    struct sim_rng rng;

    sim_rng_init(&rng, seed, 78);
    row->build(row, &rng, config);
}

/* --- The truth --- */

/* Links that have so little more are as tight. */
#define EQUAL 1.1

/* What crosses one by the count of each, from the first train to the last. */
static void find_truth(const struct sim_config *config, const struct sim_run *run,
                       struct tight_result *result)
{
    result->free_bps[0] = (double)config->sender.rate_bps;
    result->tight = 1;
    for (unsigned h = 0; h < config->path.hops; h++) {
        const struct sim_crossed *a = &run->crossed[0][h], *b = &run->crossed[run->train_count - 1][h];
        double s = (double)(b->at_ps - a->at_ps) * 1e-12;

        result->free_bps[h + 1] =
            (double)sim_hop_capacity_bps(&config->path.hop[h], 0) - (double)(b->bytes - a->bytes) * 8 / s;
        if (result->free_bps[h + 1] < result->free_bps[result->tight - 1])
            result->tight = h + 2;
    }
}

static bool holds_tight(const struct tight_result *result, unsigned links)
{
    for (unsigned i = result->summary.tight_hop; i <= result->summary.tight_hop_last && i <= links; i++)
        if (result->free_bps[i - 1] <= EQUAL * result->free_bps[result->tight - 1])
            return true;
    return false;
}

static void tight_judge(const struct sim_config *config, struct tight_result *result)
{
    const struct pprec_hops_summary *told = &result->summary;
    unsigned links = config->path.hops + 1;
    double least_bps = INFINITY;

    result->verdict = locate_verdict_on(told->tight_hop, told->tight_hop_last,
                                        told->tight_hop > 0 && holds_tight(result, links));
    for (unsigned i = 0; i < links && i < told->hops_told; i++) {
        const struct pprec_hop *hop = &result->hop[i];

        least_bps = fmin(least_bps, result->free_bps[i]);
        if (hop->available_bps > 0) {
            result->guesses++;
            result->near += fabs(hop->available_bps - least_bps) <= 0.25 * least_bps;
        }
        if (hop->available_low_bps > 0) {
            result->bounds++;
            result->bounds_held += hop->available_low_bps <= least_bps;
        }
    }
}

void tight_run(const struct sim_config *config, uint64_t seed, struct tight_result *result)
{
    struct pprec *pprec;
    struct sim_run run;

    *result = (struct tight_result){.tight = 0};
    sim_run_init(&run, config, seed);
    pprec = locate_push(&run);
    if (run.arrival_count > 0) {
        const struct pprec_endpoint *source = &run.arrivals[0].source;
        uint32_t stream = run.arrivals[0].stream;

        pprec_get_hops(pprec, source, stream, result->hop, 64, &result->summary);
        pprec_get_available(pprec, source, stream, &result->available);
        pprec_estimate(pprec, source, stream, &result->capacity);
    }
    find_truth(config, &run, result);
    tight_judge(config, result);
    pprec_free(pprec);
    sim_run_fini(&run);
}
