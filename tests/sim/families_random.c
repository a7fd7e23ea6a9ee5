/* SPDX-License-Identifier: BSD-3-Clause */
/* Any path: a prior to judge by. The rate comes first and stays; the rest is drawn until
 * the answer can be known, or cannot, as the case wants it, and until the run is cheap
 * enough (that leaves out loads near 1 over many hops, and bursts on fast ones). */
#include "families.h"

#include "parts.h"
#include "units.h"

#include <math.h>

#define SENDER_MOST_BPS (100 * GBPS)

/* --- The sender and the receiver --- */

static void families_random_send_some(const struct sim_case *row, struct sim_rng *rng, double narrow_bps,
                                      struct sim_sender_config *sender)
{
    uint32_t bytes =
        sim_rng_chance(rng, 0.6) ? sim_draw_size(rng) : (uint32_t)sim_rng_log_between(rng, 64, 1519);
    unsigned kind = sim_rng_below(rng, 3);

    if (row->longest == 2)
        sim_send_trains(sender, 2, bytes);
    else if (kind == 0 && narrow_bps > 0.3 * MBPS)
        sim_send_default(sender);
    else if (kind == 1)
        sim_send_mix(sender, bytes < 128 ? 128 : bytes); /* half of it is a frame, too */
    else
        sim_send_trains(sender, 4U << sim_rng_below(rng, 6), bytes);
}

/* Fast links have senders that can fill them. */
static void draw_sender(const struct sim_case *row, struct sim_rng *rng, double narrow_bps,
                        struct sim_sender_config *sender)
{
    double times = sim_rng_log_between(rng, 1, 1000);

    sender->rate_bps = (uint64_t)fmin(times * narrow_bps, SENDER_MOST_BPS);
    if (narrow_bps > 1 * GBPS) {
        sender->gap_ns = 50;
        sender->gap_jitter_ns = 10;
    }
    if (sim_rng_chance(rng, 0.15))
        sender->departure = SIM_DEPARTURE_NONE;
    sender->trains = (unsigned)sim_rng_log_between(rng, 20, 401);
    sender->delay_ns = (int64_t)sim_rng_log_between(rng, 5e6, 500e6);
    families_random_send_some(row, rng, narrow_bps, sender);
}

static void draw_receiver(struct sim_rng *rng, struct sim_receiver_config *receiver)
{
    if (sim_rng_chance(rng, 0.5))
        receiver->granularity_ns = (int64_t)sim_rng_log_between(rng, 1, 1e6);
    receiver->noise_ns = (int64_t)sim_rng_log_between(rng, 20, 5000);
    if (sim_rng_chance(rng, 0.4))
        receiver->late_first_ns = (int64_t)sim_rng_log_between(rng, 2e3, 20e3);
    if (sim_rng_chance(rng, 0.15)) {
        sim_hold_interrupts(rng, receiver, 10e3, 250e3);
        receiver->packet_cost_ns = (int64_t)sim_rng_between(rng, 0, 1000);
    }
    if (sim_rng_chance(rng, 0.2))
        receiver->loss = sim_rng_between(rng, 0, 0.05);
}

/* --- The links --- */

static double longest_ns(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;
    double longest = 0;

    for (unsigned i = 0; i < sender->pattern_length; i++)
        longest = fmax(longest, (sender->pattern[i].length - 1) * 8e9 * sender->pattern[i].bytes);
    return longest / (double)sim_path_capacity_bps(&config->path, 0);
}

static void shape(struct sim_rng *rng, const struct sim_config *config, struct sim_hop_config *hop)
{
    double peak_bps = (double)hop->rate_bps * sim_rng_log_between(rng, 3, 100);
    double kind = sim_rng_uniform(rng);

    if (kind > 0.17)
        return;
    hop->shaper_rate_bps = hop->rate_bps;
    hop->tick_ns = kind < 0.12 ? 0 : (int64_t)(longest_ns(config) * sim_rng_log_between(rng, 0.01, 0.5));
    hop->shaper = hop->tick_ns ? SIM_SHAPER_TICK : SIM_SHAPER_BUCKET;
    hop->rate_bps = (uint64_t)fmin(peak_bps, SENDER_MOST_BPS);
    hop->burst_bytes = (uint32_t)(1518 * sim_rng_log_between(rng, 1.05, 40));
}

static void draw_links(struct sim_rng *rng, double narrow_bps, struct sim_config *config)
{
    unsigned hops = 1 + sim_rng_below(rng, SIM_HOPS_MAX), narrow = sim_rng_below(rng, hops);

    for (unsigned h = 0; h < hops; h++) {
        double times = h == narrow ? 1 : sim_rng_log_between(rng, 1.05, 30);
        sim_add_hop(&config->path, rng, fmin(narrow_bps * times, SENDER_MOST_BPS));
    }
    shape(rng, config, &config->path.hop[narrow]);
}

/* --- Cross traffic --- */

static double families_random_capacity_bps(const struct sim_path_config *path, unsigned hop)
{
    return (double)sim_hop_capacity_bps(&path->hop[hop], 0);
}

static void make_bursts(struct sim_traffic_config *traffic, enum sim_source source, double access_bps,
                        double packets)
{
    traffic->source = source;
    traffic->access_bps = (uint64_t)access_bps;
    traffic->burst_packets = fmax(packets, 1);
}

/* Poisson; Pareto batches; on and off; a constant rate; video of 30 frames a second. A
 * constant rate of small packets is a fluid, which no gap can show. */
static void draw_source(struct sim_rng *rng, double link_bps, struct sim_traffic_config *traffic)
{
    unsigned kind = sim_rng_below(rng, 8);
    double frame = traffic->rate_bps / 8 / sim_mix_mean_bytes(traffic->mix) / 30;

    if (kind >= 4 || traffic->rate_bps <= 0)
        return;
    traffic->flows = 1 + sim_rng_below(rng, 4);
    if (kind == 0)
        make_bursts(traffic, SIM_PARETO, 100 * link_bps, sim_rng_log_between(rng, 2, 30));
    else if (kind == 1)
        make_bursts(traffic, SIM_PARETO, link_bps * sim_rng_log_between(rng, 1, 3),
                    sim_rng_log_between(rng, 10, 100));
    else if (kind == 2)
        make_bursts(traffic, SIM_FRAMES, link_bps * sim_rng_log_between(rng, 1, 10),
                    fmin(frame / traffic->flows, 200));
    else if (traffic->mix != SIM_MIX_64)
        traffic->source = SIM_CONSTANT;
}

/* From one hop on to another, as much as each has room for; in most cases one hop only. */
static void add_traffic(struct sim_rng *rng, struct sim_path_config *path, double *room_bps, unsigned hop)
{
    unsigned more = path->hops - 1 - hop;
    unsigned leave = hop + 1 + (more && sim_rng_chance(rng, 0.3) ? 1 + sim_rng_below(rng, more) : 0);
    struct sim_traffic_config *traffic =
        sim_load_hop(path, hop, 0, (enum sim_mix)sim_rng_below(rng, SIM_MIX_COUNT));
    double rate_bps = room_bps[hop];

    for (unsigned h = hop; h < leave; h++)
        rate_bps = fmin(rate_bps, room_bps[h]);
    for (unsigned h = hop; h < leave; h++)
        room_bps[h] -= rate_bps;
    traffic->rate_bps = rate_bps;
    traffic->leave = leave;
    draw_source(rng, families_random_capacity_bps(path, hop), traffic);
}

static void draw_traffic(struct sim_rng *rng, struct sim_path_config *path)
{
    double room_bps[SIM_HOPS_MAX];

    for (unsigned h = 0; h < path->hops; h++)
        room_bps[h] = sim_rng_chance(rng, 0.4)
            ? 0
            : sim_rng_between(rng, 0, 0.95) * families_random_capacity_bps(path, h);
    for (unsigned h = 0; h < path->hops; h++)
        for (unsigned i = 0; i < 2 && room_bps[h] > 0; i++)
            add_traffic(rng, path, room_bps, h);
}

/* Transfers with windows over the narrow link: one path in forty, where links are slow. */
static void draw_transfers(struct sim_rng *rng, double narrow_bps, struct sim_path_config *path)
{
    unsigned hop = sim_rng_below(rng, path->hops);
    struct sim_traffic_config *traffic = &path->traffic[path->traffics];

    if (narrow_bps > 5 * MBPS || path->traffics == SIM_TRAFFICS_MAX || !sim_rng_chance(rng, 0.05))
        return;
    path->traffics++;
    path->hop[hop].queue_packets = 50 + sim_rng_below(rng, 51);
    *traffic = (struct sim_traffic_config){
        .source = SIM_TCP,
        .mix = SIM_MIX_1500,
        .flows = 1 + sim_rng_below(rng, 4),
        .enter = hop,
        .leave = hop + 1,
        .access_bps = (uint64_t)(10 * narrow_bps),
        .return_ns = sim_draw_propagation_ns(rng),
        .window_packets = 4U << sim_rng_below(rng, 5),
    };
}

/* --- What it costs --- */

/* Nanoseconds of a processor: a packet at a hop, what each flow adds to the search for
 * the next packet, a packet with events. */
#define COST_MOST_NS 200e6
enum { PACKET_NS = 50, FLOW_NS = 2, EVENT_NS = 400 };

static bool transfers(const struct sim_path_config *path)
{
    return path->traffics && path->traffic[path->traffics - 1].source == SIM_TCP;
}

static double others_per_s(const struct sim_path_config *path)
{
    double sum = 0;

    for (unsigned i = 0; i < path->traffics; i++) {
        const struct sim_traffic_config *traffic = &path->traffic[i];
        double rate_bps = traffic->source == SIM_TCP ? families_random_capacity_bps(path, traffic->enter)
                                                     : traffic->rate_bps;
        sum += rate_bps / 8 / sim_mix_mean_bytes(traffic->mix) * (traffic->leave - traffic->enter);
    }
    return sum;
}

static double cost_ns(const struct sim_config *config)
{
    const struct sim_path_config *path = &config->path;
    double trains = config->sender.trains;
    double warm_s = (double)sim_path_warmup_ps(path) * 1e-12, packet_ns = PACKET_NS;
    double all_s = warm_s + trains * (double)config->sender.delay_ns * 1e-9;
    double near_s = trains * (warm_s + 2e-9 * longest_ns(config));

    for (unsigned i = 0; i < path->traffics; i++)
        packet_ns += FLOW_NS * path->traffic[i].flows;
    if (transfers(path))
        packet_ns = EVENT_NS;
    return others_per_s(path) * packet_ns * (path->lasting ? all_s : fmin(all_s, near_s));
}

/* What others leave of the path. */
static double spare_bps(const struct sim_path_config *path)
{
    double least_bps = INFINITY;

    for (unsigned h = 0; h < path->hops; h++)
        least_bps = fmin(least_bps, (1 - sim_path_load(path, h)) * families_random_capacity_bps(path, h));
    return least_bps;
}

/* Half of that is for trains, at the most: the least time from one to the next. */
static double least_delay_ns(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;
    double bits = 0;

    for (unsigned i = 0; i < sender->pattern_length; i++)
        bits += 8.0 * sender->pattern[i].length * sender->pattern[i].bytes;
    return 2e9 * bits / sender->pattern_length / spare_bps(&config->path);
}

/* Bursts need a path that runs on; then trains come faster, the faster the path. */
static void draw_lasting(struct sim_rng *rng, double narrow_bps, struct sim_config *config)
{
    struct sim_path_config *path = &config->path;
    double faster = fmax(narrow_bps / (1 * MBPS), 1);

    path->lasting = sim_rng_chance(rng, 0.3);
    for (unsigned i = 0; i < path->traffics; i++)
        path->lasting |= !sim_traffic_forgets(&path->traffic[i]);
    if (!path->lasting || transfers(path))
        return;
    path->warm_ns = (int64_t)(20e9 / faster);
    if (config->sender.start == 0)
        config->sender.delay_ns = (int64_t)((double)config->sender.delay_ns / faster);
}

/* pptrans has a pace of its own unless told otherwise: then it may be too much. */
static bool families_random_space(struct sim_config *config)
{
    int64_t least_ns = (int64_t)least_delay_ns(config);

    if (config->sender.start > 0)
        return config->sender.delay_ns >= least_ns;
    config->sender.delay_ns = sim_later(config->sender.delay_ns, least_ns);
    return true;
}

/* --- What can be known --- */

/* Of the departures, as the software and the adapter let them go. */
static double departure_bps(const struct sim_sender_config *sender)
{
    double bits = 8.0 * sender->pattern[0].bytes;

    return fmin((double)sender->rate_bps, bits * 1e9 / (double)(sender->gap_ns + sender->gap_jitter_ns));
}

/* The longest train takes more than twice the bucket out of it, and arrives no faster than the
 * slowest of the other links lets it: before the bucket that one fills it less, and behind it hides
 * the rate until what was in it has passed. */
static bool emptied(const struct sim_config *config, const struct sim_hop_config *hop)
{
    double sent_bytes = longest_ns(config) * (double)hop->shaper_rate_bps / 8e9;
    double peak = departure_bps(&config->sender);

    for (unsigned h = 0; h < config->path.hops; h++)
        peak = fmin(peak, (double)config->path.hop[h].rate_bps);

    return sent_bytes * (1 - (double)hop->shaper_rate_bps / peak) > 2.0 * hop->burst_bytes;
}

static bool shapers_show(const struct sim_config *config)
{
    for (unsigned h = 0; h < config->path.hops; h++) {
        const struct sim_hop_config *hop = &config->path.hop[h];
        if (hop->shaper == SIM_SHAPER_BUCKET && !emptied(config, hop))
            return false;
        if (hop->shaper == SIM_SHAPER_TICK && longest_ns(config) < 12.0 * (double)hop->tick_ns)
            return false;
    }
    return true;
}

/* Of the pattern's first kind, on the narrow link. */
static double families_random_gap_ns(const struct sim_config *config)
{
    return 8e9 * config->sender.pattern[0].bytes / (double)sim_path_capacity_bps(&config->path, 0);
}

/* The longest train lasts for ten steps of the stamps, ten times their noise, four batches
 * of packets that the driver takes faster than they come; pairs have but the gap that a late
 * first stamp shortens. */
static bool stamps_show(const struct sim_config *config)
{
    const struct sim_receiver_config *receiver = &config->receiver;
    double coarse_ns = (double)(receiver->granularity_ns > receiver->noise_ns ? receiver->granularity_ns
                                                                              : receiver->noise_ns);
    double late_ns = sim_longest_train(&config->sender) > 2 ? 0 : (double)receiver->late_first_ns;
    double shown_ns = fmax(10 * coarse_ns, 100 * late_ns);

    if (receiver->coalescing != SIM_COALESCE_NONE)
        shown_ns = fmax(shown_ns, 4 * (double)receiver->coalesce_ns);
    return longest_ns(config) > shown_ns
        && families_random_gap_ns(config) > 3 * (double)receiver->packet_cost_ns;
}

/* Whether trains like these, enough of them, can tell the capacity: they leave faster, and
 * what hides it (a bucket, a clock) is smaller than the longest of them. */
static bool knowable(const struct sim_config *config)
{
    double narrow_bps = (double)sim_path_capacity_bps(&config->path, 0);

    return departure_bps(&config->sender) > 1.1 * narrow_bps && shapers_show(config) && stamps_show(config);
}

void sim_build_random(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double narrow_bps = sim_rng_log_between(rng, row->narrow_bps, row->most_bps);
    bool fits;

    do {
        *config = (struct sim_config){0};
        sim_draw_ends(row, rng, config);
        draw_sender(row, rng, narrow_bps, &config->sender);
        draw_receiver(rng, &config->receiver);
        draw_links(rng, narrow_bps, config);
        draw_traffic(rng, &config->path);
        draw_transfers(rng, narrow_bps, &config->path);
        draw_lasting(rng, narrow_bps, config);
        fits = families_random_space(config) && cost_ns(config) < COST_MOST_NS;
    } while (!fits || knowable(config) == row->unknowable);
}
