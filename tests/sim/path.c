/* SPDX-License-Identifier: BSD-3-Clause */
/* Open-loop traffic needs no event queue: hop after hop, all that arrives there
 * is one sorted stream, merged from what the hop before let through and the
 * sources that enter here.
 *
 * Between trains far apart nothing need be simulated either. Trains are taken
 * in groups; before each the hops start empty and warm up with cross traffic
 * until the start is forgotten. */
#include "path.h"

#include "events.h"
#include "memory.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>

enum { NOT_A_PROBE = -1 };

struct packet {
    int64_t at_ps;
    uint32_t bytes;
    unsigned leave;
    ptrdiff_t probe;
};

struct packets {
    struct packet *item;
    size_t count;
    size_t room;
};

struct walk {
    const struct sim_path_config *path;
    struct sim_hop hop[SIM_HOPS_MAX];
    struct sim_flow *flow;
    size_t flows;
    struct sim_rng loss;
    struct sim_probe *probes;
    struct sim_background *background;
    uint64_t crossed_bytes; /* through the hop at hand */
    struct packets in;      /* reach the hop at hand */
    struct packets out;     /* leave it; ... */
    size_t aggregate;       /* ... from this one on, in the aggregate at hand */
};

/* --- What the path is --- */

uint64_t sim_path_capacity_bps(const struct sim_path_config *path, int64_t at_ns)
{
    uint64_t least_bps = UINT64_MAX;

    for (unsigned i = 0; i < path->hops; i++) {
        uint64_t bps = sim_hop_capacity_bps(&path->hop[i], at_ns);
        least_bps = bps < least_bps ? bps : least_bps;
    }
    return least_bps;
}

static bool crosses(const struct sim_traffic_config *traffic, unsigned hop)
{
    return traffic->source != SIM_TCP && traffic->enter <= hop && hop < traffic->leave;
}

double sim_path_load(const struct sim_path_config *path, unsigned hop)
{
    double sum_bps = 0;

    for (unsigned i = 0; i < path->traffics; i++)
        if (crosses(&path->traffic[i], hop))
            sum_bps += path->traffic[i].rate_bps;
    return sum_bps / (double)sim_hop_capacity_bps(&path->hop[hop], 0);
}

/* Relaxation time of the queue, about that of an M/M/1 queue, 1/(mu (1 -
 * sqrt(rho))^2) (Cohen, The Single Server Queue, 1982), scaled to the spread of
 * the sizes; a bucket takes a while to empty besides. Eight of it leave e^-8 of
 * an empty start. */
static double warmup_of_hop_ps(const struct sim_path_config *path, unsigned hop)
{
    const struct sim_hop_config *config = &path->hop[hop];
    double load = fmin(sim_path_load(path, hop), 0.97);
    double bits = 0, slack = pow(1 - sqrt(load), 2);

    for (unsigned i = 0; i < path->traffics; i++)
        if (crosses(&path->traffic[i], hop))
            bits = fmax(bits,
                        8 * sim_mix_mean_bytes(path->traffic[i].mix) * 0.5
                            * (1 + sim_mix_spread(path->traffic[i].mix)));
    if (bits > 0 && config->shaper == SIM_SHAPER_BUCKET)
        bits += 8.0 * config->burst_bytes;
    return 8 * bits * (double)SIM_PS_PER_S / (double)sim_hop_capacity_bps(config, 0) / slack;
}

/* Sources that do not forget are given this long, and then never stopped. */
#define WARMUP_OF_BURSTS_PS (20 * SIM_PS_PER_S)

int64_t sim_path_warmup_ps(const struct sim_path_config *path)
{
    double longest_ps = 0;

    if (path->lasting && path->warm_ns)
        return path->warm_ns * SIM_PS_PER_NS;
    if (path->lasting)
        return WARMUP_OF_BURSTS_PS;
    for (unsigned i = 0; i < path->traffics; i++)
        if (!sim_traffic_forgets(&path->traffic[i]))
            return WARMUP_OF_BURSTS_PS;
    for (unsigned i = 0; i < path->hops; i++)
        if (!sim_hop_forgets(&path->hop[i]))
            return WARMUP_OF_BURSTS_PS;
    for (unsigned i = 0; i < path->hops; i++)
        longest_ps = fmax(longest_ps, warmup_of_hop_ps(path, i));
    return (int64_t)longest_ps;
}

/* --- Through one hop --- */

static void path_append(struct packets *packets, const struct packet *packet)
{
    packets->item = sim_grow(packets->item, &packets->room, packets->count + 1, sizeof(*packet));
    packets->item[packets->count++] = *packet;
}

static struct sim_flow *earliest(struct walk *walk, unsigned hop)
{
    struct sim_flow *best = NULL;

    for (size_t i = 0; i < walk->flows; i++) {
        struct sim_flow *flow = &walk->flow[i];
        if (flow->config->enter == hop && (!best || flow->next_ps < best->next_ps))
            best = flow;
    }
    return best;
}

static void path_count(struct walk *walk, unsigned h, const struct packet *packet)
{
    const struct sim_probe *probe = &walk->probes[packet->probe];

    if (walk->background && walk->background->crossed && probe->position == 0)
        walk->background->crossed[probe->train][h] = (struct sim_crossed){packet->at_ps, walk->crossed_bytes};
}

/* What an aggregate carries is handed on when all of it has come. */
static void hold_aggregate(struct walk *walk, const struct sim_hop *hop, int64_t end_ps)
{
    if (hop->batched == 1)
        walk->aggregate = walk->out.count;
    for (size_t i = walk->aggregate; i < walk->out.count; i++)
        walk->out.item[i].at_ps = end_ps;
}

static void path_pass(struct walk *walk, unsigned h, struct packet packet)
{
    struct sim_hop *hop = &walk->hop[h];
    int64_t start_ps, end_ps;

    if (packet.probe != NOT_A_PROBE)
        path_count(walk, h, &packet);
    if (sim_rng_chance(&walk->loss, hop->config.loss)
        || !sim_hop_accept(hop, packet.at_ps, packet.bytes, &start_ps, &end_ps))
        return;
    if (packet.probe != NOT_A_PROBE)
        walk->probes[packet.probe].wait_ps += start_ps - packet.at_ps;
    else
        walk->crossed_bytes += packet.bytes;
    packet.at_ps = end_ps;
    if (hop->config.arrives_whole)
        hold_aggregate(walk, hop, end_ps);
    if (packet.leave > h + 1)
        path_append(&walk->out, &packet);
}

/* When so many more bytes have come behind a packet that is there: those from the next one on, of the hop before. */
static int64_t followed_ps(const struct walk *walk, size_t next, int64_t at_ps, double bytes)
{
    for (; bytes > 0; next++) {
        if (next == walk->in.count)
            return INT64_MAX;
        bytes -= walk->in.item[next].bytes;
        at_ps = walk->in.item[next].at_ps;
    }
    return at_ps;
}

static void cross_hop(struct walk *walk, unsigned h)
{
    struct sim_hop *hop = &walk->hop[h];
    size_t next = 0, probes = 0;

    for (size_t i = 0; i < walk->in.count; i++)
        probes += walk->in.item[i].probe != NOT_A_PROBE;
    walk->out.count = 0;
    walk->crossed_bytes = 0;
    while (probes > 0) {
        struct packet packet = walk->in.item[next];
        struct sim_flow *flow = earliest(walk, h);
        if (flow && flow->next_ps < packet.at_ps) {
            packet = (struct packet){flow->next_ps, flow->next_bytes, flow->config->leave, NOT_A_PROBE};
            sim_flow_advance(flow);
        } else {
            next++;
            probes -= packet.probe != NOT_A_PROBE;
        }
        if (hop->config.expects)
            hop->followed_ps = followed_ps(walk, next, packet.at_ps, sim_hop_expected_bytes(&hop->config));
        path_pass(walk, h, packet);
    }
}

/* --- A group of trains --- */

static void start_group(struct walk *walk, int64_t from_ps)
{
    for (unsigned h = 0; h < walk->path->hops; h++) {
        sim_hop_reset(&walk->hop[h]);
        for (size_t i = 0; i < walk->flows; i++)
            if (walk->flow[i].config->enter == h)
                sim_flow_start(&walk->flow[i], from_ps);
        from_ps += walk->path->hop[h].propagation_ns * SIM_PS_PER_NS;
    }
}

static void path_enter(struct walk *walk, size_t first, size_t end)
{
    walk->out.count = 0;
    for (size_t i = first; i < end; i++) {
        unsigned past = walk->path->hops + 1;
        unsigned leave =
            walk->probes[i].hops != 0 && walk->probes[i].hops < past ? walk->probes[i].hops - 1U : past;
        struct packet packet = {walk->probes[i].left_ps, walk->probes[i].bytes, leave, (ptrdiff_t)i};
        walk->probes[i].arrived_ps = SIM_NEVER_PS;
        walk->probes[i].wait_ps = 0;
        if (leave > 0) /* else it dies in the first router */
            path_append(&walk->out, &packet);
    }
}

static void deliver(struct walk *walk)
{
    for (size_t i = 0; i < walk->out.count; i++) {
        const struct packet *packet = &walk->out.item[i];
        if (packet->probe != NOT_A_PROBE)
            walk->probes[packet->probe].arrived_ps = packet->at_ps;
        else
            sim_background_add(walk->background, packet->at_ps);
    }
}

static void run_group(struct walk *walk, size_t first, size_t end, int64_t warm_ps)
{
    start_group(walk, walk->probes[first].left_ps - warm_ps);
    path_enter(walk, first, end);
    for (unsigned h = 0; h < walk->path->hops; h++) {
        struct packets in = walk->in;
        walk->in = walk->out;
        walk->out = in;
        cross_hop(walk, h);
    }
    deliver(walk);
}

/* Time in which the path has surely sent bits of ours on, cross traffic
 * included. */
static int64_t drain_ps(const struct sim_path_config *path, double bits)
{
    double slowest_ps = 0;

    for (unsigned i = 0; i < path->hops; i++) {
        const struct sim_hop_config *hop = &path->hop[i];
        double rate_bps = (double)sim_hop_capacity_bps(hop, 0);
        if (hop->change_rate_bps)
            rate_bps = fmin(rate_bps, (double)hop->change_rate_bps);
        rate_bps *= 1 - fmin(sim_path_load(path, i), 0.97);
        slowest_ps =
            fmax(slowest_ps, bits / rate_bps * (double)SIM_PS_PER_S + (double)(hop->tick_ns * SIM_PS_PER_NS));
    }
    return (int64_t)slowest_ps;
}

/* Where the group that begins at first ends: before a pause long enough for the
 * path to empty, to refill its buckets and to warm up again. */
static size_t group_end(const struct walk *walk, size_t first, size_t count, int64_t warm_ps)
{
    const struct sim_probe *probes = walk->probes;
    uint64_t burst_bytes = 0;
    int64_t clear_ps = INT64_MIN;
    size_t i = first;

    if (walk->path->lasting)
        return count;
    for (unsigned h = 0; h < walk->path->hops; h++)
        if (walk->path->hop[h].burst_bytes > burst_bytes)
            burst_bytes = walk->path->hop[h].burst_bytes;
    while (i < count) {
        double bits = 0;
        uint32_t train = probes[i].train;
        if (i > first && probes[i].left_ps - warm_ps > clear_ps)
            break;
        for (; i < count && probes[i].train == train; i++)
            bits += 8.0 * probes[i].bytes;
        clear_ps = sim_later(clear_ps, probes[i - 1].left_ps)
            + drain_ps(walk->path, bits + 8.0 * (double)burst_bytes);
    }
    return i;
}

/* --- All of it --- */

static void open_flows(struct walk *walk, uint64_t seed)
{
    const struct sim_path_config *path = walk->path;
    size_t room = 0;

    for (unsigned i = 0; i < path->traffics; i++) {
        unsigned flows = path->traffic[i].flows ? path->traffic[i].flows : 1;
        walk->flow = sim_grow(walk->flow, &room, walk->flows + flows, sizeof(*walk->flow));
        for (unsigned j = 0; j < flows; j++)
            sim_flow_init(&walk->flow[walk->flows++], &path->traffic[i], seed, 1000 * (i + 1) + j);
    }
}

static void run_open_loop(const struct sim_path_config *path, uint64_t seed, struct sim_probe *probes,
                          size_t count, struct sim_background *background)
{
    struct walk walk = {.path = path, .probes = probes, .background = background};
    int64_t warm_ps = sim_path_warmup_ps(path);

    for (unsigned h = 0; h < path->hops; h++)
        sim_hop_init(&walk.hop[h], &path->hop[h], seed, h);
    sim_rng_init(&walk.loss, seed, 999);
    open_flows(&walk, seed);
    for (size_t first = 0, end; first < count; first = end) {
        end = group_end(&walk, first, count, warm_ps);
        run_group(&walk, first, end, warm_ps);
    }
    for (unsigned h = 0; h < path->hops; h++)
        sim_hop_fini(&walk.hop[h]);
    free(walk.flow);
    free(walk.in.item);
    free(walk.out.item);
}

void sim_path_run(const struct sim_path_config *path, uint64_t seed, struct sim_probe *probes, size_t count,
                  struct sim_background *background)
{
    for (unsigned i = 0; i < path->traffics; i++)
        if (path->traffic[i].source == SIM_TCP) {
            sim_events_run(path, seed, probes, count, background);
            return;
        }
    run_open_loop(path, seed, probes, count, background);
}
