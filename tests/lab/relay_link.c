/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_link.h"

#include <stdlib.h>

#include "relay_random.h"

int link_init(struct link *link, const struct link_config *config, size_t capacity)
{
    bool shaped = config->burst_bytes > 0;
    *link = (struct link){
        .config = *config,
        .capacity = capacity,
        .serial.rate_bps = shaped ? config->peak_bps : config->rate_bps,
        .draws = random_stream(config->seed, 1),
        .rates = random_stream(config->seed, 2),
        .origin_ns = INT64_MIN,
    };
    bucket_init(&link->bucket, shaped ? config->rate_bps : 0, config->burst_bytes);
    link->waiting = calloc(capacity, sizeof *link->waiting);
    return link->waiting ? 0 : -1;
}

void link_fini(struct link *link)
{
    free(link->waiting);
    *link = (struct link){0};
}

uint64_t link_bytes(const struct link *link, uint32_t frame_bytes)
{
    int64_t counted = (int64_t)frame_bytes + link->config.overhead_bytes;
    return counted > 0 ? (uint64_t)counted : 0;
}

/* --- The queue --- */

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
    link->waiting[last] = (struct link_waiting){departure_ns, bytes};
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

bool link_enter(struct link *link, uint32_t frame_bytes, int64_t arrival_ns, int64_t *departure_ns)
{
    uint64_t bytes = link_bytes(link, frame_bytes);
    forget_departed(link, arrival_ns);
    if (queue_is_full(link, bytes))
        return false;
    *departure_ns = link_serve(link, bytes, arrival_ns);
    remember(link, bytes, *departure_ns);
    return true;
}

/* --- The link --- */

static int64_t later(int64_t a_ns, int64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/* When the bits may begin. */
static int64_t win_access(struct link *link, int64_t arrival_ns)
{
    const struct link_access *access = &link->config.access;
    int64_t won_ns = later(arrival_ns, link->serial.ns + link->backoff_ns) + access->difs_ns;
    uint64_t slots = random_u64(&link->draws) % (access->most_slots + UINT64_C(1));
    link->backoff_ns = (int64_t)slots * access->slot_ns;
    link->access_ns += access->difs_ns + link->backoff_ns + access->preamble_ns;
    return won_ns + access->preamble_ns;
}

/* Each period's rate belongs to its number: none is drawn for what nobody asks about. */
static uint64_t rate_of_period(const struct link *link, int64_t period)
{
    double normal = random_normal(random_of(link->rates + (uint64_t)period * RANDOM_STEP));
    return (uint64_t)((double)link->config.rate_bps * (1 + link->config.vary_share * normal) + 0.5);
}

/* As meter_add, but each period's share of the bits at its own rate. */
static void serialise_varying(struct link *link, uint64_t bytes)
{
    struct meter *serial = &link->serial;
    uint64_t parts = bytes * 8 * METER_NS_PER_S + serial->carry;
    if (link->origin_ns == INT64_MIN)
        link->origin_ns = serial->ns;
    for (;;) {
        int64_t age_ns = serial->ns - link->origin_ns;
        int64_t left_ns = link->config.vary_ns - age_ns % link->config.vary_ns;
        serial->rate_bps = rate_of_period(link, age_ns / link->config.vary_ns);
        if (parts / serial->rate_bps < (uint64_t)left_ns)
            break;
        parts -= (uint64_t)left_ns * serial->rate_bps;
        serial->ns += left_ns;
    }
    serial->ns += (int64_t)(parts / serial->rate_bps);
    serial->carry = parts % serial->rate_bps;
}

static int64_t next_tick(int64_t now_ns, int64_t tick_ns)
{
    return tick_ns ? (now_ns + tick_ns - 1) / tick_ns * tick_ns : now_ns;
}

/* The rare kinds of link, and what they took. */
static void serve_unsteadily(struct link *link, uint64_t bytes, int64_t arrival_ns)
{
    if (link->config.access.contended)
        arrival_ns = win_access(link, arrival_ns);
    meter_not_before(&link->serial, arrival_ns);
    int64_t begin_ns = link->serial.ns;
    if (link->config.vary_ns)
        serialise_varying(link, bytes);
    else
        meter_add(&link->serial, bytes);
    link->serial_ns += link->serial.ns - begin_ns;
    link->served_bytes += bytes;
    link->served_frames++;
}

int64_t link_serve(struct link *link, uint64_t bytes, int64_t arrival_ns)
{
    if (link->config.access.contended || link->config.vary_ns) {
        serve_unsteadily(link, bytes, arrival_ns);
    } else {
        int64_t start_ns = later(arrival_ns, link->serial.ns);
        meter_not_before(&link->serial, bucket_take(&link->bucket, bytes, start_ns));
        meter_add(&link->serial, bytes);
    }
    return next_tick(link->serial.ns, link->config.tick_ns);
}

/* --- The account --- */

uint64_t link_service_bps(const struct link *link)
{
    int64_t ns = link->access_ns + link->serial_ns;
    if (ns == 0)
        return link->config.rate_bps;
    return (uint64_t)((double)link->served_bytes * 8e9 / (double)ns + 0.5);
}

int64_t link_access_ns(const struct link *link)
{
    return link->served_frames ? link->access_ns / (int64_t)link->served_frames : 0;
}
