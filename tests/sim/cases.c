/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

#include "units.h"

#include <math.h>
#include <string.h>

#define MBPS 1e6
#define GBPS 1e9
#define US 1000LL
#define MS 1000000LL
#define S 1000000000LL

/* --- Parts of a path --- */

static uint64_t near_rate(struct sim_rng *rng, double rate_bps)
{
    return (uint64_t)(rate_bps * sim_rng_log_between(rng, 0.8, 1.25));
}

static int64_t some_propagation_ns(struct sim_rng *rng)
{
    return (int64_t)sim_rng_log_between(rng, 50e3, 20e6);
}

static struct sim_hop_config *add_hop(struct sim_path_config *path, struct sim_rng *rng,
                                      double rate_bps)
{
    struct sim_hop_config *hop = &path->hop[path->hops++];

    hop->rate_bps = (uint64_t)rate_bps;
    hop->propagation_ns = some_propagation_ns(rng);
    return hop;
}

/* Poisson traffic across one hop only. */
static struct sim_traffic_config *load_hop(struct sim_path_config *path, unsigned hop,
                                           double load, enum sim_mix mix)
{
    struct sim_traffic_config *traffic = &path->traffic[path->traffics++];

    *traffic = (struct sim_traffic_config){
        .source = SIM_POISSON,
        .mix = mix,
        .rate_bps = load * (double)sim_hop_capacity_bps(&path->hop[hop], 0),
        .flows = 1,
        .enter = hop,
        .leave = hop + 1,
    };
    return traffic;
}

/* --- Sender and receiver --- */

/* Six pairs, one of a smaller size, and a long train: pairs find the capacity,
 * the train shows shapers and batching. */
static void send_mix(struct sim_sender_config *sender, uint32_t bytes)
{
    sender->pattern_length = 8;
    for (unsigned i = 0; i < 8; i++)
        sender->pattern[i] = (struct sim_train_kind){2, bytes};
    sender->pattern[3].bytes = bytes * 2 / 3;
    sender->pattern[7].length = 16;
}

static void send_trains(struct sim_sender_config *sender, unsigned length, uint32_t bytes)
{
    sender->pattern_length = 1;
    sender->pattern[0] = (struct sim_train_kind){(uint16_t)length, bytes};
}

static uint32_t some_size(struct sim_rng *rng)
{
    static const uint32_t sizes[] = {1000, 1200, 1500, 1518};

    return sizes[sim_rng_below(rng, 4)];
}

/* Pairs and the mix by turns, or trains of the case's length. */
static void send_some(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_sender_config *sender)
{
    uint32_t bytes = some_size(rng);

    if (row->train_length)
        send_trains(sender, row->train_length, bytes);
    else if (sim_rng_chance(rng, 0.5))
        send_trains(sender, 2, bytes);
    else
        send_mix(sender, bytes);
}

/* As measured on Linux: 0.2 us from packet to packet with segmentation offload,
 * 3.2 to 4.3 us without (DESIGN, section 5). Both kinds of departure stamp exist:
 * a driver that takes all at once, and one held back by byte queue limits. */
static void init_sender(struct sim_rng *rng, struct sim_sender_config *sender,
                        double rate_bps)
{
    bool offload = sim_rng_chance(rng, 0.5);

    sender->rate_bps = (uint64_t)rate_bps;
    sender->gap_ns = offload ? 200 : 3200;
    sender->gap_jitter_ns = offload ? 20 : 500;
    sender->delay_ns = (int64_t)sim_rng_between(rng, 100e6, 500e6);
    sender->spacing_jitter = 0.1;
    sender->departure =
        sim_rng_chance(rng, 0.5) ? SIM_DEPARTURE_HANDED : SIM_DEPARTURE_WIRE;
    sender->stamp_noise_ns = 100;
    sender->handover_ns = 3 * US;
}

/* Kernel stamps: around 2 us of noise, clocks some 40 ppm apart. */
static void init_receiver(struct sim_rng *rng, struct sim_receiver_config *receiver)
{
    receiver->granularity_ns = sim_rng_chance(rng, 0.5) ? 1 : 1000;
    receiver->noise = sim_rng_chance(rng, 0.5) ? SIM_NOISE_NORMAL : SIM_NOISE_EXPONENTIAL;
    receiver->noise_ns = 2 * US;
    receiver->skew_ppm = sim_rng_between(rng, -40, 40);
    receiver->epoch_ns = 1700000000 * S;
}

/* Slow paths need pauses in which a train can pass. */
static void space_trains(struct sim_config *config)
{
    uint64_t rate_bps = sim_path_capacity_bps(&config->path, 0);

    for (unsigned i = 0; i < config->sender.pattern_length; i++) {
        const struct sim_train_kind *kind = &config->sender.pattern[i];
        int64_t took_ns = sim_transmit_ps((uint64_t)kind->length * kind->bytes, rate_bps) /
                          SIM_PS_PER_NS;
        config->sender.delay_ns = sim_later(config->sender.delay_ns, 4 * took_ns);
    }
}

/* Where the case does not say: a sender of 2, 10 or 100 times the capacity. Only
 * the slow one lets cross traffic get in between much. */
static double some_sender_bps(const struct sim_case *row, struct sim_rng *rng)
{
    static const double times[] = {2, 10, 100};

    if (row->sender_bps > 0)
        return row->sender_bps;
    return times[sim_rng_below(rng, 3)] * row->narrow_bps;
}

static void init_ends(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_config *config)
{
    init_sender(rng, &config->sender, some_sender_bps(row, rng));
    init_receiver(rng, &config->receiver);
    send_some(row, rng, &config->sender);
}

/* --- The families --- */

/* One to five hops, the narrow one anywhere. Fast links get what they take to be
 * measured at all: a fast sender, long trains, good stamps. */
static void build_idle(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, 5), narrow = sim_rng_below(rng, hops);
    double rate_bps = (double)near_rate(rng, row->narrow_bps);
    unsigned length_log2 = 1 + sim_rng_below(rng, 6);

    init_ends(row, rng, config);
    for (unsigned h = 0; h < hops; h++)
        add_hop(&config->path, rng,
                h == narrow ? rate_bps : rate_bps * sim_rng_log_between(rng, 1.3, 20));
    if (row->narrow_bps >= 10 * GBPS)
        length_log2 = 5 + sim_rng_below(rng, 4);
    send_trains(&config->sender, 1U << length_log2, some_size(rng));
    config->receiver.noise_ns = 500;
    if (row->narrow_bps >= 1 * GBPS) {
        config->sender.rate_bps = (uint64_t)(40 * GBPS);
        config->sender.gap_ns = 200;
        config->sender.gap_jitter_ns = 20;
        config->receiver.noise_ns = row->narrow_bps >= 10 * GBPS ? 50 : 100;
    }
}

static void build_loaded(const struct sim_case *row, struct sim_rng *rng,
                         struct sim_config *config)
{
    init_ends(row, rng, config);
    add_hop(&config->path, rng, (double)near_rate(rng, row->narrow_bps));
    load_hop(&config->path, 0, row->load, row->mix);
    if (sim_rng_chance(rng, 0.5))
        add_hop(&config->path, rng, 100 * MBPS);
}

/* A sender of twice the capacity: its adapter, or a first link. */
static void build_twice(const struct sim_case *row, struct sim_rng *rng,
                        struct sim_config *config)
{
    double narrow_bps = (double)near_rate(rng, row->narrow_bps);

    init_ends(row, rng, config);
    if (sim_rng_chance(rng, 0.5))
        config->sender.rate_bps = (uint64_t)(2 * narrow_bps);
    else
        add_hop(&config->path, rng, 2 * narrow_bps);
    add_hop(&config->path, rng, narrow_bps);
    load_hop(&config->path, config->path.hops - 1, row->load, row->mix);
}

/* The load is on a link of twice the capacity, behind the narrow one. */
static void build_after(const struct sim_case *row, struct sim_rng *rng,
                        struct sim_config *config)
{
    double narrow_bps = (double)near_rate(rng, row->narrow_bps);

    init_ends(row, rng, config);
    add_hop(&config->path, rng, narrow_bps);
    add_hop(&config->path, rng, 2 * narrow_bps);
    load_hop(&config->path, 1, row->load, row->mix);
}

static void build_hops(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    double narrow_bps = (double)near_rate(rng, row->narrow_bps);
    unsigned narrow = sim_rng_below(rng, row->hops);

    init_ends(row, rng, config);
    if (row->hops > 3)
        send_mix(&config->sender, some_size(rng));
    for (unsigned h = 0; h < row->hops; h++) {
        double factor = sim_rng_log_between(rng, 1.3, 4);
        add_hop(&config->path, rng, h == narrow ? narrow_bps : factor * narrow_bps);
        load_hop(&config->path, h, row->load, row->mix);
    }
}

/* Sixteen sources that send bursts of ten packets at 100 Mbit/s. */
static void build_pareto(const struct sim_case *row, struct sim_rng *rng,
                         struct sim_config *config)
{
    struct sim_traffic_config *traffic;

    init_ends(row, rng, config);
    add_hop(&config->path, rng, (double)near_rate(rng, row->narrow_bps));
    traffic = load_hop(&config->path, 0, sim_rng_between(rng, 0.5, 0.6), row->mix);
    traffic->source = SIM_PARETO;
    traffic->flows = 16;
    traffic->access_bps = (uint64_t)(100 * MBPS);
    traffic->burst_packets = 10;
}

static void build_sizes(const struct sim_case *row, struct sim_rng *rng,
                        struct sim_config *config)
{
    init_ends(row, rng, config);
    add_hop(&config->path, rng, (double)near_rate(rng, row->narrow_bps));
    load_hop(&config->path, 0, sim_rng_between(rng, 0.5, 0.6), row->mix);
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
static void build_bucket(const struct sim_case *row, struct sim_rng *rng,
                         struct sim_config *config)
{
    double rate_bps = sim_rng_log_between(rng, 1 * MBPS, 100 * MBPS);
    double ratio = sim_rng_log_between(rng, 3, 100);
    double packets = sim_rng_log_between(rng, 2, 40);
    uint32_t bytes = some_size(rng);
    struct sim_hop_config *hop;

    init_ends(row, rng, config);
    if (sim_rng_chance(rng, 0.5))
        add_hop(&config->path, rng, 1 * GBPS);
    hop = add_hop(&config->path, rng, fmin(rate_bps * ratio, 1 * GBPS));
    ratio = (double)hop->rate_bps / rate_bps;
    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->burst_bytes = (uint32_t)(packets * bytes) + 1;
    send_trains(&config->sender, power_of_two_from(2 * packets / (1 - 1 / ratio) + 8),
                bytes);
    config->sender.delay_ns =
        sim_later(config->sender.delay_ns,
                  2 * sim_transmit_ps(hop->burst_bytes, hop->shaper_rate_bps) / SIM_PS_PER_NS);
    if (row->load > 0)
        load_hop(&config->path, config->path.hops - 1, row->load, row->mix);
}

/* Trains that last for a dozen ticks, as far as 256 packets reach. */
static void build_tick(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    double tick_s = sim_rng_log_between(rng, 0.1e-3, 10e-3);
    uint32_t bytes = some_size(rng);
    double most_bps = fmin(256 * 8.0 * bytes / (12 * tick_s), 100 * MBPS);
    double rate_bps = sim_rng_log_between(rng, 1 * MBPS, most_bps);
    struct sim_hop_config *hop;

    init_ends(row, rng, config);
    hop = add_hop(&config->path, rng,
                  fmin(rate_bps * sim_rng_log_between(rng, 3, 100), 1 * GBPS));
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)rate_bps;
    hop->tick_ns = (int64_t)(tick_s * 1e9);
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)hop->tick_ns);
    send_trains(&config->sender, power_of_two_from(12 * tick_s * rate_bps / (8.0 * bytes)),
                bytes);
}

static void build_coalescing(const struct sim_case *row, struct sim_rng *rng,
                             struct sim_config *config)
{
    init_ends(row, rng, config);
    config->sender.rate_bps = (uint64_t)(10 * GBPS);
    config->sender.gap_ns = 200;
    config->sender.gap_jitter_ns = 20;
    add_hop(&config->path, rng, (double)near_rate(rng, row->narrow_bps));
    load_hop(&config->path, 0, row->load, row->mix);
    config->receiver.coalescing =
        sim_rng_chance(rng, 0.5) ? SIM_COALESCE_DELAY : SIM_COALESCE_THROTTLE;
    config->receiver.coalesce_ns = row->coalesce_ns;
    config->receiver.packet_cost_ns = (int64_t)sim_rng_between(rng, 300, 1000);
    config->receiver.noise_ns = 100;
}

static void build_loss(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    build_loaded(row, rng, config);
    config->receiver.loss = 0.05;
}

static void build_disorder(const struct sim_case *row, struct sim_rng *rng,
                           struct sim_config *config)
{
    build_loaded(row, rng, config);
    config->receiver.reorder = 0.05;
    config->receiver.reorder_delay_ns = 5 * MS;
    config->receiver.duplicate = 0.05;
    config->receiver.duplicate_delay_ns = 5 * MS;
}

static void build_skew(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    build_loaded(row, rng, config);
    config->receiver.skew_ppm = sim_rng_chance(rng, 0.5) ? 100 : -100;
}

static void build_step(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config)
{
    double trains = sim_rng_between(rng, 0.2, 0.8) * row->trains;

    build_loaded(row, rng, config);
    config->receiver.step_ns = sim_rng_chance(rng, 0.5) ? S : -S;
    config->receiver.step_at_ns = (int64_t)(trains * (double)config->sender.delay_ns);
}

/* Trains after a rate change in which the estimate must settle. */
enum { TRAINS_TO_SETTLE = 20 };

static void build_change(const struct sim_case *row, struct sim_rng *rng,
                         struct sim_config *config)
{
    struct sim_hop_config *hop;

    init_ends(row, rng, config);
    config->sender.spacing_jitter = 0.01;
    hop = add_hop(&config->path, rng, (double)near_rate(rng, row->narrow_bps));
    hop->change_rate_bps = (uint64_t)(row->factor * (double)hop->rate_bps);
    /* The load holds for the slower of the two rates. */
    load_hop(&config->path, 0, row->load * fmin(row->factor, 1), row->mix);
    space_trains(config);
    /* Between two trains: the jitter of 80 pauses stays below half a one. */
    hop->change_at_ns =
        (int64_t)((row->trains - TRAINS_TO_SETTLE + 0.5) * (double)config->sender.delay_ns);
}

/* --- The table --- */

#define LOADED(NAME, TEXT, BUILD, LOAD, SENDER, TRAINS, TOLERANCE, SHARE)                  \
    {                                                                                     \
        .name = NAME, .text = TEXT, .build = BUILD, .trains = TRAINS,                     \
        .tolerance = TOLERANCE, .share = SHARE, .load = LOAD, .narrow_bps = 10 * MBPS,    \
        .sender_bps = SENDER                                                              \
    }

const struct sim_case sim_cases[] = {
    {.name = "idle-100k", .text = "idle path, about 100 kbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 0.1 * MBPS},
    {.name = "idle-1M", .text = "idle path, about 1 Mbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 1 * MBPS},
    {.name = "idle-10M", .text = "idle path, about 10 Mbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 10 * MBPS},
    {.name = "idle-100M", .text = "idle path, about 100 Mbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 100 * MBPS},
    {.name = "idle-1G", .text = "idle path, about 1 Gbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.02, .share = 0.9, .narrow_bps = 1 * GBPS},
    {.name = "idle-10G", .text = "idle path, about 10 Gbit/s", .build = build_idle,
     .trains = 20, .tolerance = 0.02, .share = 0.9, .narrow_bps = 10 * GBPS},

    LOADED("loaded-0.5-100M", "one loaded link, sender 100 Mbit/s", build_loaded,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    LOADED("loaded-0.8-100M", "the same, more load", build_loaded,
           0.8, 100 * MBPS, 60, 0.02, 0.7),
    LOADED("loaded-0.9-100M", "the same, more load", build_loaded,
           0.9, 100 * MBPS, 120, 0.05, 0.5),
    LOADED("loaded-0.5-1G", "one loaded link, sender 1 Gbit/s", build_loaded,
           0.5, 1 * GBPS, 30, 0.02, 0.9),
    LOADED("loaded-0.8-1G", "the same, more load", build_loaded,
           0.8, 1 * GBPS, 60, 0.02, 0.7),
    LOADED("loaded-0.9-1G", "the same, more load", build_loaded,
           0.9, 1 * GBPS, 120, 0.05, 0.5),
    LOADED("twice-0.8", "one loaded link, sender of only twice its capacity", build_twice,
           0.8, 1 * GBPS, 120, 0.02, 0.6),
    LOADED("twice-0.9", "the same, more load", build_twice, 0.9, 1 * GBPS, 240, 0.05, 0.5),
    LOADED("after-0.5", "load on a link after the narrow one", build_after,
           0.5, 0, 60, 0.02, 0.8),
    LOADED("after-0.8", "the same, more load", build_after, 0.8, 0, 120, 0.02, 0.7),
    LOADED("after-0.9", "the same, more load", build_after, 0.9, 0, 240, 0.05, 0.4),
    {.name = "three-0.5", .text = "three loaded hops", .build = build_hops, .trains = 120,
     .tolerance = 0.02, .share = 0.6, .load = 0.5, .narrow_bps = 10 * MBPS, .hops = 3},
    {.name = "six-0.5", .text = "six loaded hops, --mix", .build = build_hops,
     .trains = 400, .tolerance = 0.05, .share = 0.5, .load = 0.5, .narrow_bps = 10 * MBPS,
     .hops = 6},

    {.name = "pareto", .text = "Pareto bursts, load 0.5 to 0.6", .build = build_pareto,
     .trains = 120, .tolerance = 0.02, .share = 0.7, .narrow_bps = 10 * MBPS},
    {.name = "cross-64", .text = "cross traffic of 64 bytes, 0.5 to 0.6",
     .build = build_sizes, .trains = 120, .tolerance = 0.02, .share = 0.7,
     .narrow_bps = 10 * MBPS, .mix = SIM_MIX_64},
    {.name = "cross-1500", .text = "cross traffic of 1500 bytes, 0.5 to 0.6",
     .build = build_sizes, .trains = 120, .tolerance = 0.02, .share = 0.7,
     .narrow_bps = 10 * MBPS, .mix = SIM_MIX_1500},

    {.name = "bucket", .text = "token bucket of 2 to 40 packets", .build = build_bucket,
     .trains = 60, .tolerance = 0.02, .share = 0.9, .sender_bps = 1 * GBPS},
    {.name = "tick", .text = "tick shaper of 0.1 to 10 ms", .build = build_tick,
     .trains = 60, .tolerance = 0.03, .share = 0.8, .sender_bps = 1 * GBPS},
    {.name = "coalesce-60us", .text = "1 Gbit/s, interrupts coalesced, load 0.3",
     .build = build_coalescing, .trains = 80, .tolerance = 0.02, .share = 0.7, .load = 0.3,
     .narrow_bps = 1 * GBPS, .train_length = 128, .coalesce_ns = 60 * US},
    {.name = "coalesce-125us", .text = "the same, longer", .build = build_coalescing,
     .trains = 80, .tolerance = 0.02, .share = 0.7, .load = 0.3, .narrow_bps = 1 * GBPS,
     .train_length = 128, .coalesce_ns = 125 * US},
    {.name = "loss", .text = "5 % of packets lost, trains of 8, load 0.3",
     .build = build_loss, .trains = 80, .tolerance = 0.02, .share = 0.8, .load = 0.3,
     .narrow_bps = 10 * MBPS, .train_length = 8},
    {.name = "disorder", .text = "5 % reordered, 5 % doubled, trains of 8, load 0.3",
     .build = build_disorder, .trains = 80, .tolerance = 0.02, .share = 0.8, .load = 0.3,
     .narrow_bps = 10 * MBPS, .train_length = 8},
    LOADED("skew", "loaded-0.5-100M, clocks 100 ppm apart", build_skew,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    LOADED("step", "loaded-0.5-100M, a clock step of 1 s", build_step,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    {.name = "halved", .text = "the rate halves 20 trains before the end, load 0.3",
     .build = build_change, .trains = 80, .tolerance = 0.02, .share = 0.9, .load = 0.3,
     .narrow_bps = 10 * MBPS, .factor = 0.5},
    {.name = "doubled", .text = "the rate doubles 20 trains before the end, load 0.3",
     .build = build_change, .trains = 80, .tolerance = 0.02, .share = 0.9, .load = 0.3,
     .narrow_bps = 10 * MBPS, .factor = 2},
};

const unsigned sim_case_count = sizeof(sim_cases) / sizeof(sim_cases[0]);

const struct sim_case *sim_case_find(const char *name)
{
    for (unsigned i = 0; i < sim_case_count; i++)
        if (strcmp(sim_cases[i].name, name) == 0)
            return &sim_cases[i];
    return NULL;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U; /* FNV-1a: a stream of draws for each case */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    return hash;
}

void sim_case_config(const struct sim_case *row, uint64_t seed, struct sim_config *config)
{
    struct sim_rng rng;

    *config = (struct sim_config){0};
    sim_rng_init(&rng, seed, hash_name(row->name));
    config->sender.trains = row->trains;
    row->build(row, &rng, config);
    space_trains(config);
}

double sim_case_truth_bps(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;

    return (double)sim_path_capacity_bps(&config->path,
                                         (sender->trains + 1) * sender->delay_ns);
}
