/* SPDX-License-Identifier: BSD-3-Clause */
#include "free_cases.h"

#include "cases.h"
#include "families.h"
#include "parts.h"

#include <math.h>

/* --- What is sent --- */

/* Of the mix (pptrans/plan.h), and packets of a paced train. */
enum { START = 24, CYCLE = 8, PACED = 16 };

/* Ten rates a decade. */
#define RATIO 1.2589254117941673

/* pathChirp's spread factor. */
#define CHIRP 1.2

/* Long trains, to begin with. */
static const uint16_t shorts[12] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 16};

static struct sim_train_kind pair_of(unsigned i)
{
    static const uint32_t bytes[8] = {1518, 1518, 1518, 1514, 1518, 759, 1518, 1518};

    return (struct sim_train_kind){.length = 2, .bytes = bytes[i % 8]};
}

static struct sim_train_kind free_cases_paced(uint16_t length)
{
    return (struct sim_train_kind){.length = length, .bytes = 1518, .paced = true};
}

static struct sim_train_kind mix_of(unsigned i)
{
    if (i < START && i % 2 == 0)
        return pair_of(1 + i / 2 % 7);
    if (i < START)
        return (struct sim_train_kind){.length = shorts[i / 2], .bytes = 1518};
    i = (i - START) % CYCLE;
    return i ? pair_of(i) : (struct sim_train_kind){.length = 64, .bytes = 1518};
}

/* Every other train is one of the mix. */
static void fill_pattern(struct sim_sender_config *sender)
{
    for (unsigned i = 0; i < START + CYCLE; i++) {
        sender->pattern[2 * i] = mix_of(i);
        sender->pattern[2 * i + 1] = free_cases_paced(i < 10 ? 4 : i == 10 ? 8 : PACED);
    }
    sender->start = 2 * START;
    sender->pattern_length = 2 * (START + CYCLE);
}

static double free_cases_mean_bits(const struct sim_train_kind *pattern, unsigned count)
{
    double bits = 0;

    for (unsigned i = 0; i < count; i++)
        bits += 8.0 * pattern[i].length * pattern[i].bytes / count;
    return bits;
}

void free_send_available(struct sim_sender_config *sender, double low_bps, double high_bps, double load_bps)
{
    sender->spacing = SIM_SPACING_POISSON;
    fill_pattern(sender);
    sender->ladder.ratio = RATIO;
    sender->ladder.least_bps = low_bps;
    sender->ladder.rungs = 1 + (unsigned)lround(log(high_bps / low_bps) / log(RATIO));
    sender->trains = FREE_TRAINS;
    sender->start_delay_ns = (int64_t)(free_cases_mean_bits(sender->pattern, sender->start) / load_bps * 1e9);
    sender->delay_ns =
        (int64_t)(free_cases_mean_bits(sender->pattern + sender->start, 2 * CYCLE) / load_bps * 1e9);
}

static double load_bps_of(const struct sim_sender_config *sender)
{
    return free_cases_mean_bits(sender->pattern + sender->start, 2 * CYCLE) * 1e9 / (double)sender->delay_ns;
}

void free_send_mix(struct sim_sender_config *sender)
{
    double load_bps = load_bps_of(sender);

    for (unsigned i = 0; i < START + CYCLE; i++)
        sender->pattern[i] = mix_of(i);
    sender->start = START;
    sender->pattern_length = START + CYCLE;
    sender->start_delay_ns = (int64_t)(free_cases_mean_bits(sender->pattern, START) / load_bps * 1e9);
    sender->delay_ns = (int64_t)(free_cases_mean_bits(sender->pattern + START, CYCLE) / load_bps * 1e9);
}

void free_send_chirps(struct sim_sender_config *sender, bool reflected)
{
    size_t packets = sim_sender_packets(sender);
    double load_bps = load_bps_of(sender);
    struct sim_train_kind chirp = {.bytes = 1518, .chirp = CHIRP, .reflected = reflected};
    double high = pow(RATIO, sender->ladder.rungs - 1);

    chirp.length = (uint16_t)((reflected ? 2 : 1) * (1 + (unsigned)lround(log(high) / log(CHIRP))));
    sender->pattern[0] = chirp;
    sender->pattern_length = 1;
    sender->start = 0;
    sender->trains = (unsigned)(packets / chirp.length);
    sender->delay_ns = (int64_t)(free_cases_mean_bits(&chirp, 1) / load_bps * 1e9);
}

/* --- Paths --- */

/* Long enough to forget how it began. */
static void run_on(struct sim_path_config *path, double rate_bps)
{
    path->lasting = true;
    path->warm_ns = (int64_t)(2e9 * 10e6 / rate_bps);
}

/* The narrow link is somewhere on a ladder of two decades; the sender is 10 or 50 times as fast. */
static void free_cases_send(struct sim_rng *rng, struct sim_config *config, double rate_bps)
{
    double low_bps = rate_bps / sim_rng_log_between(rng, 5, 25);

    free_send_available(&config->sender, low_bps, 100 * low_bps, FREE_LOAD * rate_bps);
    run_on(&config->path, rate_bps);
}

static double begin_at(struct sim_rng *rng, struct sim_config *config, double rate_bps)
{
    double times = sim_rng_chance(rng, 0.5) ? 10 : 50;

    sim_draw_ends(&(struct sim_case){.sender_bps = times * rate_bps, .train_length = 2}, rng, config);
    free_cases_send(rng, config, rate_bps);
    return rate_bps;
}

static double free_cases_begin(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    return begin_at(rng, config, (double)sim_draw_rate(rng, row->rate_bps));
}

/* Sources of that kind at a hop; load: a share of its rate. */
static struct sim_traffic_config *load_with(struct sim_rng *rng, struct sim_path_config *path, unsigned hop,
                                            double load, enum sim_source source, enum sim_mix mix)
{
    double hop_bps = (double)path->hop[hop].rate_bps;
    struct sim_traffic_config *traffic = sim_load_hop(path, hop, load, mix);

    traffic->source = source;
    if (source == SIM_PARETO) {
        traffic->flows = 1 + sim_rng_below(rng, 8);
        traffic->access_bps =
            (uint64_t)(hop_bps * sim_rng_log_between(rng, fmax(0.3, 1.5 * load / traffic->flows), 3));
        traffic->burst_packets = sim_rng_log_between(rng, 5, 50);
    }
    if (source == SIM_CONSTANT)
        traffic->flows = 2 + sim_rng_below(rng, 20);
    return traffic;
}

static void free_cases_load(const struct free_case *row, struct sim_rng *rng, struct sim_path_config *path,
                            unsigned hop, double share)
{
    static const enum sim_mix mixes[] = {SIM_MIX_IMIX, SIM_MIX_IMIX, SIM_MIX_1500, SIM_MIX_512};

    load_with(rng, path, hop, share, row->source, mixes[sim_rng_below(rng, 4)]);
}

static void build_one(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = free_cases_begin(row, rng, config);

    sim_add_hop(&config->path, rng, rate_bps);
    free_cases_load(row, rng, &config->path, 0, sim_rng_between(rng, 0, row->most_load));
}

static void build_two(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = free_cases_begin(row, rng, config);
    unsigned narrow = sim_rng_below(rng, 2);

    for (unsigned h = 0; h < 2; h++) {
        double factor = h == narrow ? 1 : sim_rng_log_between(rng, 1.1, 4);

        sim_add_hop(&config->path, rng, rate_bps * factor);
        free_cases_load(row, rng, &config->path, h, sim_rng_between(rng, 0.05, row->most_load));
    }
}

/* The narrow link carries nothing else: the tight one is another. */
static void free_cases_build_tight(const struct free_case *row, struct sim_rng *rng,
                                   struct sim_config *config)
{
    double rate_bps = free_cases_begin(row, rng, config), left = sim_rng_between(rng, 0.3, 0.9);
    unsigned narrow = sim_rng_below(rng, 2);

    for (unsigned h = 0; h < 2; h++) {
        double factor = h == narrow ? 1 : sim_rng_log_between(rng, 1.2, 4);

        sim_add_hop(&config->path, rng, rate_bps * factor);
        if (h != narrow)
            free_cases_load(row, rng, &config->path, h, 1 - left / factor);
    }
}

static void build_three(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = free_cases_begin(row, rng, config);

    for (unsigned h = 0; h < 3; h++) {
        double factor = h == 1 ? 1 : sim_rng_log_between(rng, 1, 3);

        sim_add_hop(&config->path, rng, rate_bps * factor);
        free_cases_load(row, rng, &config->path, h, sim_rng_between(rng, 0.1, row->most_load));
    }
}

/* --- Drawn otherwise --- */

static double draw_new_rate(struct sim_rng *rng)
{
    return sim_rng_log_between(rng, 3e6, 300e6);
}

static void build_new_sizes(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const enum sim_mix mixes[] = {SIM_MIX_64, SIM_MIX_128, SIM_MIX_256, SIM_MIX_1000};
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));

    sim_add_hop(&config->path, rng, rate_bps);
    load_with(rng, &config->path, 0, sim_rng_between(rng, 0, row->most_load), row->source,
              mixes[sim_rng_below(rng, 4)]);
}

static void build_new_bursts(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));
    double share = sim_rng_between(rng, 0, row->most_load);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, rate_bps);
    traffic = load_with(rng, &config->path, 0, share, SIM_PARETO, SIM_MIX_1000);
    traffic->shape = sim_rng_between(rng, 1.3, 1.9);
    traffic->burst_packets = sim_rng_log_between(rng, 50, 300);
    traffic->access_bps =
        (uint64_t)(rate_bps * sim_rng_log_between(rng, fmax(0.1, 1.5 * share / traffic->flows), 10));
}

static void build_new_frames(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));
    double share = sim_rng_between(rng, 0, row->most_load);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, rate_bps);
    traffic = load_with(rng, &config->path, 0, share, SIM_FRAMES, SIM_MIX_1500);
    traffic->flows = 1 + sim_rng_below(rng, 10);
    traffic->burst_packets = sim_rng_log_between(rng, 4, 40);
    traffic->access_bps = (uint64_t)(rate_bps * sim_rng_log_between(rng, 1.2, 10));
}

/* The sender's own link is twice as fast as the narrow one. */
static void build_new_access(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));

    config->sender.rate_bps = (uint64_t)(2 * rate_bps);
    sim_add_hop(&config->path, rng, 20 * rate_bps);
    sim_add_hop(&config->path, rng, rate_bps);
    sim_add_hop(&config->path, rng, 5 * rate_bps);
    free_cases_load(row, rng, &config->path, 1, sim_rng_between(rng, 0, row->most_load));
}

/* The way to the narrow link is one of twice its rate; one flow of full frames, in bursts of some 60 ms or at a
 * constant rate, enters behind it. */
static void build_new_frame(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng)),
           share = sim_rng_between(rng, 0.1, row->most_load);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, 2 * rate_bps);
    sim_add_hop(&config->path, rng, rate_bps);
    traffic = load_with(rng, &config->path, 1, share, row->source, SIM_MIX_1500);
    traffic->flows = 1;
    traffic->access_bps = (uint64_t)(2 * share * rate_bps);
    traffic->burst_packets = fmax(2, 0.06 * (double)traffic->access_bps / (8 * 1518));
}

static void build_new_tcp(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, sim_rng_log_between(rng, 5e6, 20e6));
    struct sim_traffic_config *tcp;

    sim_add_hop(&config->path, rng, rate_bps)->queue_packets = 20 + sim_rng_below(rng, 100);
    tcp = sim_load_hop(&config->path, 0, 0, SIM_MIX_1500);
    tcp->source = SIM_TCP;
    tcp->flows = 1 + sim_rng_below(rng, 4);
    tcp->access_bps = (uint64_t)(rate_bps * sim_rng_log_between(rng, 0.1, 0.8 / tcp->flows));
    tcp->return_ns = (int64_t)sim_rng_log_between(rng, 5e6, 50e6);
    free_cases_load(row, rng, &config->path, 0, sim_rng_between(rng, 0, row->most_load));
}

static void build_new_four(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));

    for (unsigned h = 0; h < 4; h++) {
        sim_add_hop(&config->path, rng, rate_bps * (h == 2 ? 1 : sim_rng_log_between(rng, 1, 6)));
        free_cases_load(row, rng, &config->path, h, sim_rng_between(rng, 0, row->most_load));
    }
}

/* From end to end. */
static void build_new_through(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = begin_at(rng, config, draw_new_rate(rng));

    for (unsigned h = 0; h < 3; h++) {
        double factor = h == 0 ? 1 : sim_rng_log_between(rng, 1.05, 3);

        sim_add_hop(&config->path, rng, rate_bps * factor);
    }
    free_cases_load(row, rng, &config->path, 0, sim_rng_between(rng, 0, row->most_load));
    config->path.traffic[0].leave = 3;
    free_cases_load(row, rng, &config->path, 1, sim_rng_between(rng, 0, 0.4));
}

static void build_like(const struct free_case *row, struct sim_rng *rng, struct sim_config *config)
{
    const struct sim_case *like = sim_case_find(row->like);

    config->sender.trains = like->trains;
    like->build(like, rng, config);
    free_cases_send(rng, config, (double)sim_path_capacity_bps(&config->path, 0));
}

/* --- The table --- */

#define ONE(RATE, SUFFIX, TEXT, SOURCE)                                                                      \
    {                                                                                                        \
        .name = "one-" #RATE SUFFIX, .text = "one link of about " #RATE " Mbit/s, " TEXT, .group = FREE_ONE, \
        .build = build_one, .rate_bps = (RATE)*MBPS, .source = SOURCE, .most_load = 0.85                     \
    }
#define ONES(RATE)                                                                                           \
    ONE(RATE, "", "Poisson traffic of up to 0.85", SIM_POISSON),                                             \
        ONE(RATE, "-bursts", "Pareto bursts of 5 to 50 packets", SIM_PARETO),                                \
        ONE(RATE, "-constant", "2 to 21 flows of constant rate", SIM_CONSTANT)
#define SEVERAL(NAME, TEXT, BUILD, MOST)                                                                     \
    {.name = NAME,                                                                                           \
     .text = TEXT,                                                                                           \
     .group = FREE_SEVERAL,                                                                                  \
     .build = BUILD,                                                                                         \
     .rate_bps = 30 * MBPS,                                                                                  \
     .source = SIM_POISSON,                                                                                  \
     .most_load = MOST},                                                                                     \
    {                                                                                                        \
        .name = NAME "-bursts", .text = "the same, Pareto bursts", .group = FREE_SEVERAL, .build = BUILD,    \
        .rate_bps = 30 * MBPS, .source = SIM_PARETO, .most_load = MOST                                       \
    }
#define NEW(NAME, TEXT, BUILD, SOURCE, MOST)                                                                 \
    {                                                                                                        \
        .name = NAME, .text = TEXT, .group = FREE_NEW_ONE, .build = BUILD, .source = SOURCE,                 \
        .most_load = MOST                                                                                    \
    }
#define NEW_SEVERAL(NAME, TEXT, BUILD, SOURCE, MOST)                                                         \
    {                                                                                                        \
        .name = NAME, .text = TEXT, .group = FREE_NEW_SEVERAL, .build = BUILD, .source = SOURCE,             \
        .most_load = MOST                                                                                    \
    }
#define LIKE(NAME, TEXT)                                                                                     \
    {                                                                                                        \
        .name = "like-" NAME, .text = TEXT, .group = FREE_LINKS, .build = build_like, .like = NAME           \
    }

const struct free_case free_cases[] = {
    ONES(10),
    ONES(100),
    ONES(500),
    SEVERAL("two", "two loaded links, either the narrow one", build_two, 0.7),
    SEVERAL("tight", "the narrow link carries nothing, another less than it", free_cases_build_tight, 0),
    SEVERAL("three", "three loaded links", build_three, 0.6),

    NEW("new-sizes", "3 to 300 Mbit/s, packets of 64 to 1000 bytes", build_new_sizes, SIM_POISSON, 0.85),
    NEW("new-sizes-constant", "the same at constant rates", build_new_sizes, SIM_CONSTANT, 0.85),
    NEW("new-bursts", "bursts of 50 to 300 packets", build_new_bursts, SIM_PARETO, 0.85),
    NEW("new-frames", "frames of video", build_new_frames, SIM_FRAMES, 0.85),
    NEW("new-full", "one flow of full frames at a constant rate", build_new_frame, SIM_CONSTANT, 0.7),
    NEW("new-full-bursts", "the same in bursts of twice the mean rate", build_new_frame, SIM_PARETO, 0.7),
    NEW("new-access", "a sender of twice the rate", build_new_access, SIM_POISSON, 0.85),
    NEW("new-tcp", "1 to 4 TCP flows from slower links, drop tail", build_new_tcp, SIM_POISSON, 0.3),
    NEW_SEVERAL("new-four", "four loaded links", build_new_four, SIM_POISSON, 0.6),
    NEW_SEVERAL("new-four-constant", "the same at constant rates", build_new_four, SIM_CONSTANT, 0.6),
    NEW_SEVERAL("new-through", "three links, load from end to end", build_new_through, SIM_POISSON, 0.7),

    LIKE("after-0.8", "load behind the narrow link"),
    LIKE("loss", "5 % of packets lost"),
    LIKE("skew", "clocks 100 ppm apart"),
    LIKE("step", "a clock is set by 1 s"),
    LIKE("wander", "a clock that wanders"),
    LIKE("coarse-mix", "stamps of 10 us to 10 ms"),
    LIKE("jittery-mix", "stamps late by 20 to 200 us"),
    LIKE("coalesce-60us", "1 Gbit/s, interrupts held back"),
    LIKE("throttle-mix", "interrupts held back by up to 250 us"),
    LIKE("busy-sender", "a sender that loses its processor"),
    LIKE("twice-64-mix", "64-byte traffic, sender of 1.5 to 3 times"),
    LIKE("fluid-mix", "64-byte traffic at a constant rate"),
    LIKE("bucket-0.3", "a token bucket with a load of 0.3"),
    LIKE("tick-mix-any", "a shaper of ticks"),
    LIKE("fair-mix", "fair queueing by turns"),
    LIKE("access-fair", "fq_codel with others"),
    LIKE("batches-mix", "Wi-Fi's batches"),
    LIKE("access-wifi-24", "Wi-Fi, single frames"),
    LIKE("access-grants", "cycles, 5 to 15 % assured, nobody else"),
    LIKE("access-pon", "cycles, all that is there goes along, nobody else"),
    LIKE("access-pon-loaded", "the same, load 0.1 to 0.5"),
    LIKE("access-lte", "TTIs of 1 ms, nobody else"),
    LIKE("access-lte-loaded", "the same, load 0.1 to 0.5"),
    LIKE("parallel-mix", "two links of half the rate by turns"),
    LIKE("random-trains", "any path"),
    LIKE("any", "one to six hops, loads, sizes, loss"),
};
const unsigned free_case_count = sizeof(free_cases) / sizeof(free_cases[0]);

void free_case_config(const struct free_case *row, uint64_t seed, struct sim_config *config)
{
    struct sim_rng rng;
    uint64_t stream = 0;

    for (const char *c = row->name; *c; c++)
        stream = stream * 31 + (unsigned char)*c;
    sim_rng_init(&rng, seed, stream);
    *config = (struct sim_config){.path = {.hops = 0}};
    row->build(row, &rng, config);
}

/* --- The truth --- */

static double free_cases_rate_of(const struct sim_hop_config *hop)
{
    double bps = (double)sim_hop_capacity_bps(hop, 0);

    if (hop->shaper == SIM_SHAPER_FAIR || hop->shaper == SIM_SHAPER_TURNS)
        bps = fmin(bps, (double)hop->rate_bps / (hop->rivals + 1));
    if (hop->shaper == SIM_SHAPER_POLICER)
        bps = fmin(bps, (double)hop->shaper_rate_bps);
    return bps;
}

/* Some never came there. */
static const struct sim_crossed *free_cases_nearest(const struct sim_run *run, unsigned hop, uint32_t train,
                                                    int step)
{
    while (run->crossed[train][hop].at_ps == 0 && train > 0 && train + 1 < run->train_count)
        train = (uint32_t)((int)train + step);
    return &run->crossed[train][hop];
}

double free_truth_bps(const struct sim_config *config, const struct sim_run *run, uint32_t from, uint32_t to)
{
    double least_bps = (double)config->sender.rate_bps;

    for (unsigned h = 0; h < config->path.hops; h++) {
        const struct sim_crossed *a = free_cases_nearest(run, h, from, 1),
                                 *b = free_cases_nearest(run, h, to, -1);
        double s = (double)(b->at_ps - a->at_ps) * 1e-12;

        least_bps =
            fmin(least_bps, free_cases_rate_of(&config->path.hop[h]) - (double)(b->bytes - a->bytes) * 8 / s);
    }
    return fmax(least_bps, 0);
}
