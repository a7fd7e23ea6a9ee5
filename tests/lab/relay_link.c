/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_link.h"

#include <stdlib.h>

enum { NS_PER_S = 1000000000 };

/* Whoever has been idle until now starts with a clean fraction. */
static void meter_not_before(struct link_meter *meter, int64_t now_ns)
{
    if (meter->ns < now_ns) {
        meter->ns = now_ns;
        meter->carry = 0;
    }
}

static void meter_add(struct link_meter *meter, uint64_t bytes)
{
    if (meter->rate_bps == 0)
        return;
    uint64_t parts = bytes * 8 * NS_PER_S + meter->carry;
    meter->ns += (int64_t)(parts / meter->rate_bps);
    meter->carry = parts % meter->rate_bps;
}

int link_init(struct link *link, const struct link_config *config, size_t capacity)
{
    bool bucket = config->burst_bytes > 0;
    *link = (struct link){ .config = *config, .capacity = capacity };
    link->serial.rate_bps = bucket ? config->peak_bps : config->rate_bps;
    link->bucket.rate_bps = bucket ? config->rate_bps : 0;
    struct link_meter depth = { .rate_bps = link->bucket.rate_bps };
    meter_add(&depth, config->burst_bytes);
    link->bucket_depth_ns = depth.ns;
    link->waiting = calloc(capacity, sizeof *link->waiting);
    return link->waiting ? 0 : -1;
}

void link_fini(struct link *link)
{
    free(link->waiting);
    *link = (struct link){ 0 };
}

static void forget_departed(struct link *link, int64_t now_ns)
{
    while (link->count && link->waiting[link->first].departure_ns <= now_ns) {
        link->waiting_bytes -= link->waiting[link->first].bytes;
        link->first = (link->first + 1) % link->capacity;
        link->count--;
    }
}

static void remember(struct link *link, uint64_t bytes, int64_t departure_ns)
{
    size_t last = (link->first + link->count) % link->capacity;
    link->waiting[last] = (struct link_waiting){ departure_ns, bytes };
    link->count++;
    link->waiting_bytes += bytes;
}

static bool queue_is_full(const struct link *link, uint64_t bytes)
{
    const struct link_config *config = &link->config;
    if (config->queue_bytes && link->waiting_bytes + bytes > config->queue_bytes)
        return true;
    if (config->queue_frames && link->count >= config->queue_frames)
        return true;
    return link->count == link->capacity;
}

/* The earliest time from start_ns on at which the bucket holds the frame's tokens: it was
 * or will be full at bucket.ns, and is empty one depth before that. */
static int64_t pass_bucket(struct link *link, uint64_t bytes, int64_t start_ns)
{
    if (link->bucket.rate_bps == 0)
        return start_ns;
    meter_not_before(&link->bucket, start_ns);
    meter_add(&link->bucket, bytes);
    int64_t enough_ns = link->bucket.ns - link->bucket_depth_ns;
    return enough_ns > start_ns ? enough_ns : start_ns;
}

static int64_t next_tick(int64_t now_ns, int64_t tick_ns)
{
    return tick_ns ? (now_ns + tick_ns - 1) / tick_ns * tick_ns : now_ns;
}

bool link_enter(struct link *link, uint32_t frame_bytes, int64_t arrival_ns,
                int64_t *departure_ns)
{
    int64_t counted = (int64_t)frame_bytes + link->config.overhead_bytes;
    uint64_t bytes = counted > 0 ? (uint64_t)counted : 0;
    forget_departed(link, arrival_ns);
    if (queue_is_full(link, bytes))
        return false;
    int64_t start_ns = arrival_ns > link->serial.ns ? arrival_ns : link->serial.ns;
    meter_not_before(&link->serial, pass_bucket(link, bytes, start_ns));
    meter_add(&link->serial, bytes);
    *departure_ns = next_tick(link->serial.ns, link->config.tick_ns);
    remember(link, bytes, *departure_ns);
    return true;
}
