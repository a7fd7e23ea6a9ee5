/* SPDX-License-Identifier: BSD-3-Clause */
#include "locate.h"

#include "filters/sort.h"
#include "gate.h"
#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define MS 1000000LL

/* As pptrans --locate sends: of three trains one of the mix, which begins with short ones, and two to
 * hops, all of them in turn, at first of the short load alone, then one round of each. */
enum { HOPS = 16, MARKER_BYTES = 84, LOAD_BYTES = 1518, SHORT_LOAD = 1, LONG_LOAD = 6 };
enum { MIX_START = 24, MIX_ROUND = 8 };

static struct sim_train_kind to_hop(unsigned k)
{
    bool longer = k >= 2 * MIX_START && (k - 2 * MIX_START) / HOPS % 2 == 0;

    return (struct sim_train_kind){
        .length = longer ? LONG_LOAD + 2 : SHORT_LOAD + 2,
        .bytes = LOAD_BYTES,
        .load_hops = (uint8_t)(1 + k % HOPS),
        .marker_bytes = MARKER_BYTES,
    };
}

static void send_locate(struct sim_sender_config *sender, unsigned trains_a_hop)
{
    unsigned mix = MIX_START + 2 * MIX_ROUND; /* trains of it to a round of both lengths */
    struct sim_sender_config plain = {.pattern_length = 0};

    sim_send_default(&plain);
    for (unsigned i = 0; i < 3 * mix; i++) {
        unsigned n = i / 3;

        sender->pattern[i] = i % 3 != 0 ? to_hop(i / 3 * 2 + i % 3 - 1)
            : n < MIX_START             ? plain.pattern[n]
                                        : plain.pattern[MIX_START + (n - MIX_START) % MIX_ROUND];
    }
    sender->start = 3 * MIX_START;
    sender->pattern_length = 3 * mix;
    sender->trains = HOPS * trains_a_hop * 3 / 2;
}

static void draw_ends(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    *config = (struct sim_config){.sender = {
                                      .rate_bps = 1000000000,
                                      .gap_ns = 3000,
                                      .gap_jitter_ns = 300,
                                      .delay_ns = 60 * MS,
                                      .spacing = SIM_SPACING_POISSON,
                                      .start_delay_ns = 60 * MS,
                                      .departure = SIM_DEPARTURE_HANDED,
                                      .stamp_noise_ns = 500,
                                      .handover_ns = 10000,
                                  }};
    config->receiver.epoch_ns = 1700000000 * INT64_C(1000000000);
    config->receiver.skew_ppm = sim_rng_between(rng, -50, 50);
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.noise_ns = 500;
    send_locate(&config->sender, row->trains_a_hop);
}

/* Time from train to train in which the narrow link can send them. */
static void locate_space(struct sim_config *config)
{
    double bits = 0;
    uint64_t bps = sim_path_capacity_bps(&config->path, 0);

    for (unsigned i = 0; i < config->sender.pattern_length; i++)
        bits += 8.0 * config->sender.pattern[i].length * config->sender.pattern[i].bytes;
    bits /= config->sender.pattern_length;
    if (bits * 1e9 / (double)bps * 5 > (double)config->sender.delay_ns)
        config->sender.delay_ns = (int64_t)(bits * 1e9 / (double)bps * 5);
    config->sender.start_delay_ns = config->sender.delay_ns;
}

static void load_all(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    for (unsigned h = 0; h < config->path.hops && row->load > 0; h++)
        sim_load_hop(&config->path, h, row->load, sim_rng_chance(rng, 0.7) ? SIM_MIX_IMIX : SIM_MIX_1500);
}

/* Six links, the narrow one anywhere behind the sender's, others 1.5 to 10 times as fast. */
static void build_six(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_rng_log_between(rng, 5e6, 80e6);
    unsigned narrow = sim_rng_below(rng, 5);

    draw_ends(row, rng, config);
    for (unsigned h = 0; h < 5; h++)
        sim_add_hop(&config->path, rng,
                    h == narrow ? narrow_bps : narrow_bps * sim_rng_log_between(rng, 1.5, 10));
    load_all(row, rng, config);
    locate_space(config);
}

/* One to seven links, loads of their own, heavier ones before the narrow link, too. */
static void build_any(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_rng_log_between(rng, 2e6, 200e6);
    unsigned hops = 1 + sim_rng_below(rng, 7), narrow = sim_rng_below(rng, hops);

    draw_ends(row, rng, config);
    for (unsigned h = 0; h < hops; h++) {
        sim_add_hop(&config->path, rng,
                    h == narrow ? narrow_bps : narrow_bps * sim_rng_log_between(rng, 1.1, 30));
        sim_load_hop(&config->path, h, sim_rng_between(rng, 0, row->load),
                     sim_rng_chance(rng, 0.5) ? SIM_MIX_IMIX
                                              : (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT));
    }
    locate_space(config);
}

static void build_near(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const double mbps[] = {400, 90, 80, 300};

    draw_ends(row, rng, config);
    for (unsigned h = 0; h < 4; h++)
        sim_add_hop(&config->path, rng, 1e6 * mbps[h]);
    load_all(row, rng, config);
    locate_space(config);
}

/* The tight link before the narrow one. */
static void locate_build_tight(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    draw_ends(row, rng, config);
    sim_add_hop(&config->path, rng, 200e6);
    sim_add_hop(&config->path, rng, 100e6);
    sim_add_hop(&config->path, rng, 80e6);
    sim_add_hop(&config->path, rng, 300e6);
    sim_load_hop(&config->path, 1, row->load, SIM_MIX_IMIX);
    locate_space(config);
}

/* The narrow link lets the first packet pass at once. */
static void build_tight_bucket(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *narrow = &config->path.hop[2];

    locate_build_tight(row, rng, config);
    narrow->shaper_rate_bps = narrow->rate_bps;
    narrow->rate_bps = 1000000000;
    narrow->shaper = SIM_SHAPER_BUCKET;
    narrow->burst_bytes = 1600;
}

static void build_fast_first(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    draw_ends(row, rng, config);
    config->sender.rate_bps = 10000000000;
    config->sender.gap_ns = 300;
    sim_add_hop(&config->path, rng, 1e9);
    sim_add_hop(&config->path, rng, 20e6);
    load_all(row, rng, config);
    locate_space(config);
}

/* A bucket of 1600 bytes at each link, as tbf has it, or one of some frames at the narrow one. */
static void build_buckets(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_rng_log_between(rng, 5e6, 50e6);
    unsigned narrow = sim_rng_below(rng, 5);

    draw_ends(row, rng, config);
    for (unsigned h = 0; h < 5; h++) {
        double bps = h == narrow ? narrow_bps : narrow_bps * sim_rng_log_between(rng, 1.5, 5);
        struct sim_hop_config *hop = sim_add_hop(&config->path, rng, 1e9);

        hop->shaper = SIM_SHAPER_BUCKET;
        hop->shaper_rate_bps = (uint64_t)bps;
        hop->burst_bytes = 1600;
    }
    load_all(row, rng, config);
    locate_space(config);
}

static void build_deep(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned narrow = sim_rng_below(rng, 5);

    build_buckets(row, rng, config);
    for (unsigned h = 0; h < 5; h++)
        if (config->path.hop[h].shaper_rate_bps == sim_path_capacity_bps(&config->path, 0))
            narrow = h;
    config->path.hop[narrow].burst_bytes = 3000 + sim_rng_below(rng, 40000);
}

static void build_coalesced(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_six(row, rng, config);
    config->receiver.coalescing = SIM_COALESCE_DELAY;
    config->receiver.coalesce_ns = 50000 + (int64_t)sim_rng_below(rng, 200000);
    config->receiver.packet_cost_ns = 1000;
}

/* --- Topologies that nobody tuned on --- */

/* One to seven links behind the sender's, of any rate, load and bucket. */
static void random_links(struct sim_rng *rng, struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, 7);

    for (unsigned h = 0; h < hops; h++) {
        double bps = sim_rng_log_between(rng, 2e6, 500e6);
        struct sim_hop_config *hop = sim_add_hop(&config->path, rng, bps);

        if (!sim_rng_chance(rng, 0.2))
            continue;
        hop->rate_bps = 1000000000;
        hop->shaper = SIM_SHAPER_BUCKET;
        hop->shaper_rate_bps = (uint64_t)bps;
        hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 1600, 20000);
    }
}

static enum sim_mix random_mix(struct sim_rng *rng)
{
    return sim_rng_chance(rng, 0.5) ? SIM_MIX_IMIX : (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT);
}

/* Each link with a load of its own. */
static void build_random(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    draw_ends(row, rng, config);
    random_links(rng, config);
    for (unsigned h = 0; h < config->path.hops; h++)
        sim_load_hop(&config->path, h, sim_rng_between(rng, 0, row->load), random_mix(rng));
    locate_space(config);
}

/* Traffic of which each part stays for some links, and bursts: no link has more than that load. */
static void build_random_stays(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    unsigned parts = 1 + sim_rng_below(rng, 4);

    draw_ends(row, rng, config);
    random_links(rng, config);
    for (unsigned i = 0; i < parts; i++) {
        unsigned enter = sim_rng_below(rng, config->path.hops);
        unsigned leave = enter + 1 + sim_rng_below(rng, config->path.hops - enter);
        struct sim_traffic_config *traffic =
            sim_load_hop(&config->path, enter, row->load / parts, random_mix(rng));

        for (unsigned h = enter; h < leave; h++)
            traffic->rate_bps = fmin(
                traffic->rate_bps, row->load / parts * (double)sim_hop_capacity_bps(&config->path.hop[h], 0));
        traffic->leave = leave;
        if (!sim_rng_chance(rng, 0.3))
            continue;
        traffic->source = SIM_PARETO;
        traffic->access_bps = (uint64_t)(traffic->rate_bps * sim_rng_between(rng, 2, 5));
        traffic->burst_packets = sim_rng_between(rng, 2, 10);
    }
    locate_space(config);
}

/* The tight link, which is a little faster than the narrow one, and somewhere before it. */
static void build_random_tight(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_rng_log_between(rng, 5e6, 200e6), tight_bps;
    unsigned hops = 2 + sim_rng_below(rng, 6), narrow = 1 + sim_rng_below(rng, hops - 1);
    unsigned tight = sim_rng_below(rng, narrow);

    draw_ends(row, rng, config);
    tight_bps = narrow_bps * sim_rng_between(rng, 1.05, 2);
    for (unsigned h = 0; h < hops; h++) {
        sim_add_hop(&config->path, rng,
                    h == narrow      ? narrow_bps
                        : h == tight ? tight_bps
                                     : narrow_bps * sim_rng_log_between(rng, 1.2, 20));
        sim_load_hop(&config->path, h,
                     h == tight ? sim_rng_between(rng, 0.3, row->load) : sim_rng_between(rng, 0, 0.3),
                     random_mix(rng));
    }
    locate_space(config);
}

const struct locate_case locate_cases[] = {
    {"idle-six", "six links, nothing else on them", build_six, 0, 0.98, 0, 20},
    {"loaded-.3", "six links, a load of .3 on each", build_six, 0.3, 0.99, 0, 60},
    {"loaded-.5", "six links, a load of .5 on each", build_six, 0.5, 0.87, 0, 60},
    {"near-idle", "90 before 80 Mbit/s", build_near, 0, 0.99, 0, 60},
    {"near-.3", "90 before 80 Mbit/s, loads of .3", build_near, 0.3, 0.22, 0, 60},
    {"tight-.5", "100 Mbit/s with a load of .5 before an idle 80", locate_build_tight, 0.5, 0.98, 0, 60},
    {"tight-.7", "100 Mbit/s with a load of .7 before an idle 80", locate_build_tight, 0.7, 0.89, 0, 60},
    {"bucket-.7", "the same, the narrow link with a bucket of 1600 bytes", build_tight_bucket, 0.7, 0.67,
     0.03, 60},
    {"fast-first", "1 Gbit/s before 20 Mbit/s", build_fast_first, 0, 0.99, 0, 60},
    {"buckets", "a bucket of 1600 bytes at each link", build_buckets, 0, 0.97, 0, 20},
    {"buckets-.3", "the same, loads of .3", build_buckets, 0.3, 0.95, 0, 60},
    {"deep", "a bucket of 3 to 43 kB at the narrow link", build_deep, 0, 0, 0.06, 20},
    {"coalesced", "a receiver that is interrupted each 50 to 250 us", build_coalesced, 0, 0.94, 0.01, 60},
    {"any-.5", "two to eight links, loads of 0 to .5", build_any, 0.5, 0.93, 0.01, 60},
    {"any-.9", "two to eight links, loads of 0 to .9", build_any, 0.9, 0.78, 0.01, 60},
    {"random", "two to eight links of 2 to 500 Mbit/s, one in five a bucket, loads of 0 to .7", build_random,
     0.7, 0.70, 0.02, 60},
    {"random-stays", "the same links, traffic that stays for some of them, bursts", build_random_stays, 0.7,
     0.78, 0.02, 60},
    {"random-tight", "a link 1.05 to 2 times as fast, load of .3 to .9, before the narrow one",
     build_random_tight, 0.9, 0.87, 0.01, 60},
};
const unsigned locate_case_count = sizeof locate_cases / sizeof locate_cases[0];

void locate_config(const struct locate_case *row, uint64_t seed, struct sim_config *config)
{
    struct sim_rng rng;

    sim_rng_init(&rng, seed, 77);
    row->build(row, &rng, config);
}

/* --- The truth --- */

#define EQUAL 1.02

static double link_bps(const struct sim_config *config, unsigned link)
{
    return link == 1 ? (double)config->sender.rate_bps
                     : (double)sim_hop_capacity_bps(&config->path.hop[link - 2], 0);
}

static double least_bps(const struct sim_config *config, unsigned links)
{
    double least = INFINITY;

    for (unsigned link = 1; link <= links; link++)
        least = fmin(least, link_bps(config, link));
    return least;
}

/* Links within EQUAL are equally narrow. */
static bool holds_narrow(const struct sim_config *config, unsigned first, unsigned last)
{
    unsigned links = config->path.hops + 1;

    for (unsigned link = first; link <= last && link <= links; link++)
        if (link_bps(config, link) <= EQUAL * least_bps(config, links))
            return true;
    return false;
}

enum locate_verdict locate_verdict_on(unsigned first, unsigned last, bool holds)
{
    if (first == 0)
        return LOCATE_SILENT;
    if (!holds)
        return LOCATE_WRONG;
    return first == last ? LOCATE_RIGHT : LOCATE_RANGE;
}

static void judge_hops(const struct sim_config *config, struct locate_result *result)
{
    for (unsigned i = 0; i < result->summary.hops_told && i <= config->path.hops; i++) {
        const struct pprec_hop *hop = &result->hop[i];
        double truth_bps = least_bps(config, i + 1);

        if (hop->state == PPREC_HOP_CONVERGED) {
            result->hops_told++;
            result->hops_held += hop->low_bps <= truth_bps && truth_bps <= hop->high_bps;
        } else if (hop->state == PPREC_HOP_AT_LEAST) {
            result->bounds++;
            result->bounds_held += hop->low_bps <= truth_bps * EQUAL;
        }
    }
}

static void locate_judge(const struct sim_config *config, struct locate_result *result)
{
    const struct pprec_hops_summary *told = &result->summary;
    unsigned links = config->path.hops + 1;

    result->truth_bps = least_bps(config, links);
    for (result->narrow = 1; link_bps(config, result->narrow) > result->truth_bps;)
        result->narrow++;
    result->verdict = locate_verdict_on(told->narrow_hop, told->narrow_hop_last,
                                        told->narrow_hop > 0
                                            && holds_narrow(config, told->narrow_hop, told->narrow_hop_last));
    judge_hops(config, result);
}

/* --- Who knows more --- */

enum { GAPS_ROOM = 1024, LINKS_ROOM = 16 };

/* From marker to marker of all trains that died there and had so many packets of load, at the median. */
static double median_gap_ns(const struct sim_run *run, unsigned links, unsigned hop, unsigned load)
{
    static double gaps[GAPS_ROOM];
    int64_t first_ns = 0;
    unsigned count = 0;

    for (size_t i = 0; i < run->arrival_count; i++) {
        const struct pprec_arrival *arrival = &run->arrivals[i];
        unsigned died = arrival->load_hops < links ? arrival->load_hops : links;

        if (died != hop || run->trains[arrival->train].length != load + 2)
            continue;
        if (arrival->position == 0)
            first_ns = arrival->received.ns;
        else if (arrival->position == load + 1 && count < GAPS_ROOM)
            gaps[count++] = (double)(arrival->received.ns - first_ns);
    }
    sort_numbers(gaps, count);
    return count > 0 ? gaps[count / 2] : 0;
}

/* The narrow link for one who knows its rate, and that all others are KNOWN times as fast or more: the
 * first whose longer load is later than the shorter one by what it is at the end, or short of that by
 * no more than such a link is faster. */
#define KNOWN 1.5

static unsigned known_narrow(const struct sim_config *config, const struct sim_run *run)
{
    double growth_ns[LINKS_ROOM + 1], least_ns;
    unsigned links = config->path.hops + 1;

    for (unsigned hop = 1; hop <= links; hop++)
        growth_ns[hop] =
            median_gap_ns(run, links, hop, LONG_LOAD) - median_gap_ns(run, links, hop, SHORT_LOAD);
    least_ns = growth_ns[links]
        - (1 - 1 / KNOWN) * (LONG_LOAD - SHORT_LOAD) * LOAD_BYTES * 8e9 / least_bps(config, links);
    for (unsigned hop = 1; hop < links; hop++)
        if (growth_ns[hop] > least_ns)
            return hop;
    return links;
}

bool locate_passes(double right, double wrong, unsigned seeds, const unsigned of[LOCATE_VERDICTS])
{
    unsigned least = right >= 1 ? seeds : right > 0 ? gate_least(seeds, right) : 0;
    unsigned most = wrong > 0 ? gate_most(seeds, wrong) : 0;

    return of[LOCATE_RIGHT] >= least && of[LOCATE_WRONG] <= most;
}

struct pprec *locate_push(const struct sim_run *run)
{
    struct pprec_config settings;
    struct pprec *pprec = NULL;

    pprec_config_init(&settings);
    if (pprec_new(&pprec, &settings) < 0)
        abort();
    for (size_t i = 0; i < run->arrival_count; i++)
        pprec_push(pprec, &run->arrivals[i]);
    if (run->arrival_count > 0)
        pprec_tick(pprec, run->arrivals[run->arrival_count - 1].received.ns + 100000 * MS);
    return pprec;
}

void locate_run(const struct sim_config *config, uint64_t seed, struct locate_result *result)
{
    struct pprec *pprec;
    struct sim_run run;

    *result = (struct locate_result){.narrow = 0};
    sim_run_init(&run, config, seed);
    pprec = locate_push(&run);
    if (run.arrival_count > 0)
        pprec_get_hops(pprec, &run.arrivals[0].source, run.arrivals[0].stream, result->hop, 64,
                       &result->summary);
    locate_judge(config, result);
    result->known = known_narrow(config, &run);
    pprec_free(pprec);
    sim_run_fini(&run);
}
