/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts.h"

#include "units.h"

#define US 1000LL
#define S 1000000000LL

/* --- Parts of a path --- */

uint64_t sim_draw_rate(struct sim_rng *rng, double rate_bps)
{
    return (uint64_t)(rate_bps * sim_rng_log_between(rng, 0.8, 1.25));
}

int64_t sim_draw_propagation_ns(struct sim_rng *rng)
{
    return (int64_t)sim_rng_log_between(rng, 50e3, 20e6);
}

struct sim_hop_config *sim_add_hop(struct sim_path_config *path, struct sim_rng *rng, double rate_bps)
{
    struct sim_hop_config *hop = &path->hop[path->hops++];

    hop->rate_bps = (uint64_t)rate_bps;
    hop->propagation_ns = sim_draw_propagation_ns(rng);
    return hop;
}

struct sim_traffic_config *sim_load_hop(struct sim_path_config *path, unsigned hop, double load,
                                        enum sim_mix mix)
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

/* As pptrans does (pptrans/plan.h), once it has begun. */
static void fill_mix(struct sim_train_kind *pattern, uint32_t bytes)
{
    for (unsigned i = 0; i < 8; i++)
        pattern[i] = (struct sim_train_kind){.length = 2, .bytes = bytes};
    pattern[0].length = 64;
    pattern[3].bytes = bytes - 4;
    pattern[5].bytes = bytes / 2;
}

void sim_send_mix(struct sim_sender_config *sender, uint32_t bytes)
{
    sender->pattern_length = 8;
    fill_mix(sender->pattern, bytes);
}

void sim_busy_ends(struct sim_rng *rng, struct sim_config *config)
{
    config->sender.gap_ns = (int64_t)sim_rng_log_between(rng, 10e3, 80e3);
    config->sender.gap_jitter_ns = config->sender.gap_ns / 4;
    config->receiver.late_first_ns = (int64_t)sim_rng_log_between(rng, 10e3, 80e3);
    config->receiver.noise = SIM_NOISE_EXPONENTIAL;
    config->receiver.noise_ns = 2000;
}

void sim_send_default(struct sim_sender_config *sender)
{
    static const uint16_t shorts[12] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 16};
    struct sim_train_kind mix[8];

    fill_mix(mix, 1518);
    sender->start = 24;
    sender->pattern_length = 32;
    for (unsigned i = 0; i < 12; i++) {
        sender->pattern[2 * i] = mix[1 + i % 7];
        sender->pattern[2 * i + 1] = (struct sim_train_kind){.length = shorts[i], .bytes = 1518};
    }
    fill_mix(sender->pattern + sender->start, 1518);
    sender->spacing = SIM_SPACING_POISSON;
    sender->start_delay_ns = 175000000;
    sender->delay_ns = 468000000;
}

void sim_send_trains(struct sim_sender_config *sender, unsigned length, uint32_t bytes)
{
    sender->pattern_length = 1;
    sender->pattern[0] = (struct sim_train_kind){.length = (uint16_t)length, .bytes = bytes};
}

uint32_t sim_draw_size(struct sim_rng *rng)
{
    static const uint32_t sizes[] = {1000, 1200, 1500, 1518};

    return sizes[sim_rng_below(rng, 4)];
}

/* The mix, or trains of the case's length. */
static void parts_send_some(const struct sim_case *row, struct sim_rng *rng, struct sim_sender_config *sender)
{
    uint32_t bytes = sim_draw_size(rng);

    if (row->train_length)
        sim_send_trains(sender, row->train_length, bytes);
    else
        sim_send_mix(sender, bytes);
}

/* As measured on Linux's veth: 0.2 us from packet to packet with segmentation offload,
 * 3.2 to 4.3 us without. Both kinds of departure stamp exist:
 * a driver that takes all at once, and one held back by byte queue limits. */
static void init_sender(struct sim_rng *rng, struct sim_sender_config *sender, double rate_bps)
{
    bool offload = sim_rng_chance(rng, 0.5);

    sender->rate_bps = (uint64_t)rate_bps;
    sender->gap_ns = offload ? 200 : 3200;
    sender->gap_jitter_ns = offload ? 20 : 500;
    sender->delay_ns = (int64_t)sim_rng_between(rng, 100e6, 500e6);
    sender->spacing = sim_rng_chance(rng, 0.2) ? SIM_SPACING_POISSON : SIM_SPACING_UNIFORM;
    sender->spacing_jitter = 0.1;
    sender->departure = sim_rng_chance(rng, 0.5) ? SIM_DEPARTURE_HANDED : SIM_DEPARTURE_WIRE;
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

void sim_space_trains(struct sim_config *config)
{
    uint64_t rate_bps = sim_path_capacity_bps(&config->path, 0);

    if (config->sender.start > 0) /* its pace is its own */
        return;
    for (unsigned i = 0; i < config->sender.pattern_length; i++) {
        const struct sim_train_kind *kind = &config->sender.pattern[i];
        int64_t took_ns = sim_transmit_ps((uint64_t)kind->length * kind->bytes, rate_bps) / SIM_PS_PER_NS;
        config->sender.delay_ns = sim_later(config->sender.delay_ns, 4 * took_ns);
    }
}

/* Where the case does not say: a sender of 2, 10 or 100 times the capacity. Only
 * the slow one lets cross traffic get in between much. */
static double draw_times(struct sim_rng *rng)
{
    static const double times[] = {2, 10, 100};

    return times[sim_rng_below(rng, 3)];
}

static double some_sender_bps(const struct sim_case *row, struct sim_rng *rng)
{
    return row->sender_bps > 0 ? row->sender_bps : draw_times(rng) * row->narrow_bps;
}

void sim_draw_ends(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    init_sender(rng, &config->sender, some_sender_bps(row, rng));
    init_receiver(rng, &config->receiver);
    parts_send_some(row, rng, &config->sender);
}

static unsigned draw_length(const struct sim_case *row, struct sim_rng *rng)
{
    unsigned lengths = 1;

    while (row->shortest << lengths <= row->longest)
        lengths++;
    return row->shortest << sim_rng_below(rng, lengths);
}

double sim_draw_ends_to(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_rng_log_between(rng, row->narrow_bps, row->most_bps);
    uint32_t bytes = sim_draw_size(rng);

    sim_draw_ends(row, rng, config);
    if (row->sender_bps == 0)
        config->sender.rate_bps = (uint64_t)(draw_times(rng) * rate_bps);
    if (row->shortest)
        sim_send_trains(&config->sender, draw_length(row, rng), bytes);
    else
        sim_send_mix(&config->sender, bytes);
    return rate_bps;
}

double sim_draw_hosts(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                      uint32_t bytes)
{
    double rate_bps = sim_draw_ends_to(row, rng, config);

    if (!row->shortest)
        sim_send_default(&config->sender);
    else if (bytes > 0)
        config->sender.pattern[0].bytes = bytes;
    config->receiver.noise_ns = (int64_t)sim_rng_log_between(rng, 200, 2000);
    return rate_bps;
}

void sim_hold_interrupts(struct sim_rng *rng, struct sim_receiver_config *receiver, double least_ns,
                         double most_ns)
{
    receiver->coalescing = sim_rng_chance(rng, 0.5) ? SIM_COALESCE_DELAY : SIM_COALESCE_THROTTLE;
    receiver->coalesce_ns = (int64_t)sim_rng_log_between(rng, least_ns, most_ns);
}

void sim_hold_back(struct sim_rng *rng, struct sim_receiver_config *receiver, double least_ns, double most_ns)
{
    sim_hold_interrupts(rng, receiver, least_ns, most_ns);
    receiver->packet_cost_ns = (int64_t)sim_rng_between(rng, 0, 1500);
    if (sim_rng_chance(rng, 0.3))
        receiver->late_first_ns = (int64_t)sim_rng_log_between(rng, 1e3, 60e3);
}

void sim_share_hop(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                   struct sim_hop_config *hop, unsigned rivals, uint32_t quantum_bytes)
{
    hop->shaper = SIM_SHAPER_FAIR;
    hop->rivals = rivals;
    hop->rival_bytes = sim_rng_chance(rng, 0.5) ? 1500 : 1518;
    hop->quantum_bytes = quantum_bytes;
    sim_space_trains(config);
    if (row->shortest)
        config->sender.delay_ns *= 1 + rivals;
}

static double draw_some_load(const struct sim_case *row, struct sim_rng *rng)
{
    return sim_rng_chance(rng, 0.5) ? 0 : sim_rng_between(rng, 0, row->load);
}

double sim_draw_link(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_ends_to(row, rng, config);

    sim_add_hop(&config->path, rng, rate_bps);
    sim_load_hop(&config->path, 0, draw_some_load(row, rng), row->mix);
    return rate_bps;
}

unsigned sim_longest_train(const struct sim_sender_config *sender)
{
    unsigned longest = 0;

    for (unsigned i = 0; i < sender->pattern_length; i++)
        if (sender->pattern[i].length > longest)
            longest = sender->pattern[i].length;
    return longest;
}
