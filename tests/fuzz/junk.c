/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/junk.h"

#include "common/wire.h"
#include "tests/fuzz/measurement.h"

#include <stdbool.h>

static uint32_t any32(struct rng *rng)
{
    return (uint32_t)rng_next(rng);
}

static bool junk_one_in(struct rng *rng, uint32_t n)
{
    return rng_below(rng, n) == 0;
}

static size_t noise(struct rng *rng, uint8_t *room)
{
    size_t bytes = rng_below(rng, JUNK_BYTES_MAX + 1);

    for (size_t i = 0; i < bytes; i++)
        room[i] = (uint8_t)rng_next(rng);
    return bytes;
}

static size_t any_probe(struct rng *rng, uint8_t *room)
{
    struct wire_probe probe = {
        .length_log2 = (uint8_t)rng_below(rng, 16),
        .position = (uint8_t)rng_next(rng),
        .flags = (uint16_t)(junk_one_in(rng, 4) ? rng_next(rng) : rng_below(rng, 8)),
        .stream = any32(rng),
        .seq = any32(rng),
        .train = any32(rng),
        .sent_ns = rng_next(rng),
        .departure_train = any32(rng),
        .departure_span_ns = any32(rng),
    };

    return wire_encode(&probe, room, JUNK_BYTES_MAX);
}

/* Few streams, trains and positions, so that trains come together. */
static size_t likely_probe(struct rng *rng, uint8_t *room)
{
    uint8_t length_log2 = (uint8_t)(1 + rng_below(rng, 3));
    uint32_t train = rng_below(rng, 12) - 6;
    uint8_t position = (uint8_t)rng_below(rng, 1U << length_log2);
    struct wire_probe probe = {
        .length_log2 = length_log2,
        .position = position,
        .flags = (uint16_t)(rng_below(rng, 4) | (junk_one_in(rng, 3) ? WIRE_REACH : 0)),
        .stream = junk_one_in(rng, 2) ? 0x5eed5eed : rng_below(rng, 100),
        .seq = (train << length_log2) + position,
        .train = train,
        .sent_ns = rng_below(rng, 1000),
        .departure_train = train - rng_below(rng, 3),
        .departure_span_ns = any32(rng),
        .reach_load_hops = (uint8_t)rng_below(rng, 8),
        .reach_marker_hops = (uint8_t)(64 - rng_below(rng, 2)),
        .reach_load_bytes = (uint16_t)(700 * rng_below(rng, 3)),
    };

    return wire_encode(&probe, room, JUNK_BYTES_MAX);
}

static size_t junk_damage(struct rng *rng, uint8_t *room, size_t bytes)
{
    while (bytes > 0 && junk_one_in(rng, 2))
        room[rng_below(rng, (uint32_t)bytes)] ^= (uint8_t)(1U << rng_below(rng, 8));
    return junk_one_in(rng, 8) ? rng_below(rng, (uint32_t)bytes + 1) : bytes;
}

size_t junk_datagram(struct rng *rng, uint8_t room[JUNK_BYTES_MAX])
{
    switch (rng_below(rng, 4)) {
    case 0: return noise(rng, room);
    case 1: return any_probe(rng, room);
    default: return junk_damage(rng, room, likely_probe(rng, room));
    }
}

size_t junk_payload_bytes(struct rng *rng, size_t data_bytes)
{
    return junk_one_in(rng, 100) ? (size_t)rng_next(rng) : data_bytes + rng_below(rng, 1500);
}

struct pprec_stamp junk_stamp(struct rng *rng, int64_t *now_ns)
{
    struct pprec_stamp stamp = {.clock = PPREC_CLOCK_REALTIME, .source = PPREC_TIMESTAMPS_KERNEL};

    *now_ns += rng_below(rng, junk_one_in(rng, 20) ? UINT32_MAX : 1000000);
    if (junk_one_in(rng, 50))
        *now_ns = (int64_t)(rng_next(rng) >> (1 + rng_below(rng, 40))) - INT64_MAX / 4;
    if (*now_ns > INT64_MAX / 2)
        *now_ns = 0;
    stamp.ns = junk_one_in(rng, 100) ? (int64_t)rng_next(rng) : *now_ns;
    if (junk_one_in(rng, 10))
        stamp.clock = (uint8_t)rng_below(rng, 5);
    if (junk_one_in(rng, 10))
        stamp.source = (uint8_t)rng_below(rng, 6);
    return stamp;
}

struct pprec_arrival junk_arrival(struct rng *rng, int64_t *now_ns)
{
    uint16_t length = (uint16_t)(junk_one_in(rng, 10) ? rng_next(rng) : 2 + rng_below(rng, 255));
    uint32_t train = junk_one_in(rng, 10) ? any32(rng) : rng_below(rng, 12) - 6;
    uint16_t position = (uint16_t)rng_below(rng, junk_one_in(rng, 10) ? 65536 : length + 1U);
    bool located = junk_one_in(rng, 3);

    return (struct pprec_arrival){
        .source = measurement_source(rng_below(rng, MEASUREMENT_SOURCES)),
        .stream = rng_below(rng, 3),
        .train = train,
        .seq = junk_one_in(rng, 10) ? any32(rng) : train * length + position,
        .position = position,
        .train_length = length,
        .payload_bytes = junk_one_in(rng, 10) ? any32(rng) : rng_below(rng, 1500),
        .received = junk_stamp(rng, now_ns),
        .sent_ns = junk_one_in(rng, 2) ? PPREC_UNKNOWN_NS : (int64_t)rng_next(rng),
        .departure_train = train - 1,
        .departure_span_ns = junk_one_in(rng, 2) ? PPREC_UNKNOWN_NS : (int64_t)rng_next(rng),
        .departed_ns = junk_one_in(rng, 2) ? PPREC_UNKNOWN_NS : (int64_t)rng_next(rng),
        .hops_left = (uint8_t)rng_next(rng),
        .load_hops = (uint8_t)(located ? rng_next(rng) : 0),
        .marker_hops = (uint8_t)(located ? 64 : 0),
        .load_payload_bytes = (uint16_t)(located ? 700 * rng_below(rng, 3) : 0),
    };
}
