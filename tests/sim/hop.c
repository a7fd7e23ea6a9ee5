/* SPDX-License-Identifier: BSD-3-Clause */
#include "hop.h"

#include "hop_shapers.h"
#include "memory.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>

void sim_hop_init(struct sim_hop *hop, const struct sim_hop_config *config, uint64_t seed, unsigned index)
{
    *hop = (struct sim_hop){.config = *config, .seed = seed + 0x68f0 * (index + 1ULL)};
    sim_rng_init(&hop->rng, seed, 900 + index);
    sim_hop_reset(hop);
}

void sim_hop_fini(struct sim_hop *hop)
{
    free(hop->ring);
    hop->ring = NULL;
}

void sim_hop_reset(struct sim_hop *hop)
{
    for (unsigned i = 0; i < SIM_LINKS_MAX; i++)
        hop->free_ps[i] = INT64_MIN;
    hop->link = 0;
    hop->end_ps = INT64_MIN;
    hop->full_ps = INT64_MIN;
    hop->virtual_ps = INT64_MIN;
    hop->turn_ps = INT64_MIN;
    hop->batched = 0;
    hop->fair.clock_ps = INT64_MIN;
    hop->cycle_ps = INT64_MIN;
    hop->block_ps = INT64_MIN;
    hop->followed_ps = INT64_MAX;
    hop->ring_head = 0;
    hop->waiting = 0;
    hop->waiting_bytes = 0;
}

static bool changed(const struct sim_hop_config *config, int64_t at_ps)
{
    return at_ps >= config->change_at_ns * SIM_PS_PER_NS;
}

/* What a rate that changes is at that time. */
static uint64_t changed_bps(const struct sim_hop_config *config, uint64_t rate_bps, int64_t at_ps)
{
    double share = ((double)at_ps / SIM_PS_PER_NS - (double)config->change_at_ns)
        / (double)(config->change_until_ns - config->change_at_ns);

    if (config->change_rate_bps == 0 || !changed(config, at_ps))
        return rate_bps;
    if (config->change_until_ns == 0 || share >= 1)
        return config->change_rate_bps;
    if (rate_bps == 0) /* no shaper */
        return 0;
    return (uint64_t)((double)rate_bps * pow((double)config->change_rate_bps / (double)rate_bps, share));
}

static uint64_t line_rate_bps(const struct sim_hop_config *config, int64_t at_ps)
{
    return config->shaper == SIM_SHAPER_NONE ? changed_bps(config, config->rate_bps, at_ps)
                                             : config->rate_bps;
}

static int64_t propagation_ps(const struct sim_hop_config *config, int64_t at_ps)
{
    int64_t ns = config->propagation_ns;

    if (config->change_propagation_ns && changed(config, at_ps))
        ns = config->change_propagation_ns;
    return ns * SIM_PS_PER_NS;
}

static uint64_t shaper_rate_bps(const struct sim_hop_config *config, int64_t at_ps)
{
    return changed_bps(config, config->shaper_rate_bps, at_ps);
}

uint64_t sim_hop_capacity_bps(const struct sim_hop_config *config, int64_t at_ns)
{
    int64_t at_ps = at_ns * SIM_PS_PER_NS;
    uint64_t line_bps = line_rate_bps(config, at_ps);
    uint64_t shaped_bps = shaper_rate_bps(config, at_ps);

    if (config->shaper == SIM_SHAPER_NONE || config->shaper == SIM_SHAPER_POLICER)
        return line_bps;
    return shaped_bps == 0 || line_bps < shaped_bps ? line_bps : shaped_bps;
}

bool sim_hop_forgets(const struct sim_hop_config *config)
{
    return config->shaper == SIM_SHAPER_NONE || config->shaper == SIM_SHAPER_BUCKET
        || config->shaper == SIM_SHAPER_TICK;
}

static unsigned links_of(const struct sim_hop_config *config)
{
    return config->links ? config->links : 1;
}

/* --- The queue's limit --- */

static bool limited(const struct sim_hop_config *config)
{
    return config->queue_packets || config->queue_bytes;
}

static void forget_started(struct sim_hop *hop, int64_t now_ps)
{
    while (hop->waiting && hop->ring[hop->ring_head].start_ps <= now_ps) {
        hop->waiting_bytes -= hop->ring[hop->ring_head].bytes;
        hop->ring_head = (hop->ring_head + 1) & (hop->ring_slots - 1);
        hop->waiting--;
    }
}

static bool hop_fits(const struct sim_hop *hop, uint32_t bytes)
{
    const struct sim_hop_config *config = &hop->config;

    if (config->queue_packets && hop->waiting >= config->queue_packets)
        return false;
    return !config->queue_bytes || hop->waiting_bytes + bytes <= config->queue_bytes;
}

static void grow_ring(struct sim_hop *hop)
{
    size_t slots = hop->ring_slots ? 2 * hop->ring_slots : 64;
    struct sim_waiting *ring = sim_allocate(slots, sizeof(*ring));

    for (size_t i = 0; i < hop->waiting; i++)
        ring[i] = hop->ring[(hop->ring_head + i) & (hop->ring_slots - 1)];
    free(hop->ring);
    hop->ring = ring;
    hop->ring_slots = slots;
    hop->ring_head = 0;
}

static void remember_waiting(struct sim_hop *hop, int64_t start_ps, uint32_t bytes)
{
    if (hop->waiting == hop->ring_slots)
        grow_ring(hop);
    hop->ring[(hop->ring_head + hop->waiting) & (hop->ring_slots - 1)] =
        (struct sim_waiting){.start_ps = start_ps, .bytes = bytes};
    hop->waiting++;
    hop->waiting_bytes += bytes;
}

/* --- The shapers --- */

/* The bucket is kept as the time when it would be full again: then tokens of S
 * bytes are there from full_ps - (B - S) * 8 / R on, and no fraction of a token
 * is ever rounded away. */
int64_t sim_bucket_start_ps(struct sim_hop *hop, int64_t ready_ps, uint32_t bytes)
{
    uint64_t rate_bps = shaper_rate_bps(&hop->config, ready_ps);
    int64_t spare_ps = sim_transmit_ps(hop->config.burst_bytes - bytes, rate_bps);

    if (hop->full_ps != INT64_MIN)
        ready_ps = sim_later(ready_ps, hop->full_ps - spare_ps);
    hop->full_ps = sim_later(hop->full_ps, ready_ps) + sim_transmit_ps(bytes, rate_bps);
    return ready_ps;
}

/* Tokens are kept as in a bucket that shapes, and are taken when a packet comes. */
static bool hop_policed(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    uint64_t rate_bps = shaper_rate_bps(&hop->config, now_ps);
    int64_t spare_ps = sim_transmit_ps(hop->config.burst_bytes - bytes, rate_bps);

    if (hop->full_ps != INT64_MIN && now_ps < hop->full_ps - spare_ps)
        return true;
    hop->full_ps = sim_later(hop->full_ps, now_ps) + sim_transmit_ps(bytes, rate_bps);
    return false;
}

static int64_t next_tick_ps(const struct sim_hop_config *config, int64_t at_ps)
{
    return sim_next_step_ps(at_ps, config->tick_phase_ns * SIM_PS_PER_NS, config->tick_ns * SIM_PS_PER_NS);
}

static int64_t tick_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    int64_t begin_ps = sim_later(hop->virtual_ps, now_ps);
    uint64_t rate_bps = shaper_rate_bps(&hop->config, begin_ps);

    hop->virtual_ps = begin_ps + sim_transmit_ps(bytes, rate_bps);
    return sim_later(hop->free_ps[hop->link], next_tick_ps(&hop->config, hop->virtual_ps));
}

/* A turn that finds us without a packet is over at once; the next one comes when each
 * rival has sent. */
static int64_t turn_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t round_ps = config->rivals * sim_transmit_ps(config->rival_bytes, config->rate_bps);
    int64_t phase_ps = hop->turn_ps == INT64_MIN ? 0 : hop->turn_ps;
    int64_t start_ps = hop->turn_ps;

    if (start_ps < now_ps)
        start_ps = sim_next_step_ps(now_ps, phase_ps, round_ps);
    hop->turn_ps = start_ps + sim_transmit_ps(bytes, config->rate_bps) + round_ps;
    return start_ps;
}

/* Who comes while the medium is awaited goes along, as far as there is room. */
static int64_t batch_start_ps(struct sim_hop *hop, int64_t ready_ps, int64_t now_ps)
{
    const struct sim_hop_config *config = &hop->config;

    if (now_ps > hop->turn_ps || hop->batched == config->batch_packets) {
        double wait_ns =
            sim_rng_between(&hop->rng, (double)config->access_least_ns, (double)config->access_most_ns);
        if (config->idle_at_once && ready_ps == now_ps)
            wait_ns = 0;
        hop->turn_ps = ready_ps + (int64_t)(wait_ns * (double)SIM_PS_PER_NS);
        hop->batched = 0;
    }
    hop->batched++;
    return sim_later(ready_ps, hop->turn_ps);
}

static int64_t start_of(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    int64_t ready_ps = sim_later(now_ps, hop->free_ps[hop->link]);

    switch (hop->config.shaper) {
    case SIM_SHAPER_BUCKET: return sim_bucket_start_ps(hop, ready_ps, bytes);
    case SIM_SHAPER_TICK: return tick_start_ps(hop, now_ps, bytes);
    case SIM_SHAPER_TURNS: return turn_start_ps(hop, now_ps, bytes);
    case SIM_SHAPER_BATCH: return batch_start_ps(hop, ready_ps, now_ps);
    case SIM_SHAPER_FAIR: return sim_fair_start_ps(hop, now_ps, bytes);
    case SIM_SHAPER_CONTENTION: return sim_contention_start_ps(hop, now_ps, bytes);
    case SIM_SHAPER_GRANTS: return sim_grant_start_ps(hop, now_ps, bytes);
    case SIM_SHAPER_POLICER:
    case SIM_SHAPER_NONE: break;
    }
    return ready_ps;
}

/* What a rate varies by is a function of the time: nothing to remember, nothing to forget. */
#define VARIED_LEAST 0.2

uint64_t sim_varied_bps(const struct sim_hop *hop, uint64_t rate_bps, int64_t at_ps)
{
    const struct sim_hop_config *config = &hop->config;
    struct sim_rng rng;
    uint64_t turn;

    if (config->vary_ns == 0)
        return rate_bps;
    turn = (uint64_t)(at_ps / (config->vary_ns * SIM_PS_PER_NS));
    if (config->vary_turns)
        return (uint64_t)((double)rate_bps * (turn % 2 ? 1 - config->vary_share : 1 + config->vary_share));
    sim_rng_init(&rng, hop->seed, turn);
    return (uint64_t)((double)rate_bps * fmax(VARIED_LEAST, 1 + sim_rng_normal(&rng, config->vary_share)));
}

/* How long the packet that starts then takes on the link whose turn it is. */
static int64_t service_ps(const struct sim_hop *hop, int64_t start_ps, uint32_t bytes)
{
    uint64_t rate_bps = line_rate_bps(&hop->config, start_ps);

    if (hop->config.shaper != SIM_SHAPER_GRANTS)
        rate_bps = sim_varied_bps(hop, rate_bps, start_ps);
    return sim_transmit_ps(bytes, rate_bps / links_of(&hop->config));
}

static int64_t longer_ps(const struct sim_hop *hop)
{
    bool last = hop->link + 1 == links_of(&hop->config);

    return last ? hop->config.last_longer_ns * SIM_PS_PER_NS : 0;
}

/* Before any queue: too large for the bucket, or more than a policer lets pass. */
static bool hop_refused(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    bool policer = hop->config.shaper == SIM_SHAPER_POLICER;
    bool bucket = policer || hop->config.shaper == SIM_SHAPER_BUCKET;

    if (bucket && bytes > hop->config.burst_bytes)
        return true;
    return policer && hop_policed(hop, now_ps, bytes);
}

bool sim_hop_accept(struct sim_hop *hop, int64_t now_ps, uint32_t bytes, int64_t *start_ps, int64_t *end_ps)
{
    int64_t done_ps, far_ps;

    if (limited(&hop->config))
        forget_started(hop, now_ps);
    if (hop_refused(hop, now_ps, bytes) || !hop_fits(hop, bytes)) {
        hop->dropped++;
        return false;
    }
    *start_ps = start_of(hop, now_ps, bytes);
    done_ps = *start_ps + service_ps(hop, *start_ps, bytes);
    far_ps = done_ps + propagation_ps(&hop->config, *start_ps) + longer_ps(hop);
    hop->free_ps[hop->link] = done_ps;
    hop->link = (hop->link + 1) % links_of(&hop->config);
    if (limited(&hop->config) && *start_ps > now_ps)
        remember_waiting(hop, *start_ps, bytes);
    hop->end_ps = sim_later(hop->end_ps, far_ps);
    *end_ps = hop->end_ps;
    return true;
}
