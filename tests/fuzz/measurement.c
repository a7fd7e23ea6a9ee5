/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/measurement.h"

#include "common/wire.h"
#include "tests/fuzz/exact.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM = 0x5eed5eed,
    STREAM_AT = 4,   /* byte of the header */
    GAP_NS = 800000, /* 1000 bytes on 10 Mbit/s */
    JUNK_NS = 100,
    PAYLOAD_BYTES = 954,
    DEPARTURE_NS = 4000,
    STARTING_PACKETS = 6
};

#define EPOCH_NS INT64_C(1700000000000000000)
#define CAPACITY_BPS 10e6

static void measurement_require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz: the measurement was disturbed: %s\n", what);
    abort();
}

/* A tenth of a bit/s for the rounding of doubles. */
static bool is_capacity(double rate_bps)
{
    return rate_bps > CAPACITY_BPS - 0.1 && rate_bps < CAPACITY_BPS + 0.1;
}

static bool is_own(const struct pprec_endpoint *source, uint32_t stream)
{
    return stream == STREAM && source->port == measurement_source(0).port;
}

static void measurement_on_train(void *user, const struct pprec_train *train)
{
    struct measurement *measurement = user;

    if (!is_own(&train->source, train->stream))
        return;
    measurement_require(train->train == measurement->trains, "a train is missing, or told twice");
    measurement_require(train->verdict == PPREC_VERDICT_OK, "a train is not ok");
    measurement_require(train->dispersion_ns == GAP_NS && is_capacity(train->rate_bps), "a rate moved");
    if (train->capacity.state != PPREC_STATE_INSUFFICIENT)
        measurement_require(is_capacity(train->capacity.capacity_bps), "the estimate moved");
    measurement->trains++;
}

static void measurement_on_summary(void *user, const struct pprec_summary *summary)
{
    const struct measurement *measurement = user;

    if (!is_own(&summary->source, summary->stream))
        return;
    measurement_require(summary->counts.packets == measurement->sent, "it was pushed out, or packets missed");
    measurement_require(summary->counts.lost == 0 && summary->counts.duplicate == measurement->copies
                            && summary->counts.reordered == 0 && summary->counts.late == 0,
                        "a count moved");
    measurement_require(is_capacity(summary->capacity.capacity_bps), "the last estimate moved");
}

struct pprec_endpoint measurement_source(unsigned source)
{
    source %= MEASUREMENT_SOURCES;
    return (struct pprec_endpoint){
        .address = {192, 0, 2, 1},
        .port = (uint16_t)(5000 + source),
        .ip = source % 4 == 3 ? 6 : 4,
    };
}

static int measurement_push(struct measurement *measurement, const struct pprec_endpoint *source,
                            const void *data, size_t data_bytes, size_t payload_bytes)
{
    struct pprec_stamp received = {measurement->now_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};

    return exact_push(measurement->pprec, source, data, data_bytes, payload_bytes, received);
}

void measurement_start(struct measurement *measurement, const struct auth_key *key)
{
    struct pprec_config config;

    *measurement = (struct measurement){.now_ns = EPOCH_NS, .key = key};
    pprec_config_init(&config);
    config.key = key != NULL ? key->bytes : NULL;
    config.streams_max = MEASUREMENT_STREAMS_MAX;
    config.user = measurement;
    config.on_train = measurement_on_train;
    config.on_summary = measurement_on_summary;
    measurement_require(pprec_new(&measurement->pprec, &config) == PPREC_OK, "no handle");
    while (measurement->sent < STARTING_PACKETS)
        measurement_send(measurement);
}

/* Pairs follow each other as closely as their packets do. */
static int64_t due_ns(uint32_t seq)
{
    return EPOCH_NS + (int64_t)seq * GAP_NS;
}

void measurement_send(struct measurement *measurement)
{
    struct pprec_endpoint source = measurement_source(0);
    uint32_t seq = measurement->sent++;
    struct wire_probe probe = {
        .length_log2 = 1,
        .position = seq % 2,
        .flags = WIRE_TIME | WIRE_DEPARTURE | (measurement->key != NULL ? WIRE_AUTH : 0),
        .stream = STREAM,
        .seq = seq,
        .train = seq / 2,
        .sent_ns = (uint64_t)due_ns(seq - seq % 2),
        .departure_train = seq / 2 - 1,
        .departure_span_ns = DEPARTURE_NS,
    };
    uint8_t *data = measurement->packet;
    struct auth_destination to;

    auth_set_destination(&to, 4, exact_destination.address, exact_destination.port);
    wire_encode(&probe, data, MEASUREMENT_PROBE_BYTES);
    if (measurement->key != NULL)
        auth_tag(measurement->key, &to, data, probe.flags);
    measurement->now_ns = due_ns(seq);
    measurement_require(measurement_push(measurement, &source, data, MEASUREMENT_PROBE_BYTES, PAYLOAD_BYTES)
                            == PPREC_OK,
                        "refused");
}

int measurement_attack(struct measurement *measurement, unsigned number, const uint8_t *data,
                       size_t data_bytes, size_t payload_bytes)
{
    struct pprec_endpoint source = measurement_source(number);

    if (measurement->now_ns + JUNK_NS < due_ns(measurement->sent))
        measurement->now_ns += JUNK_NS;
    return measurement_push(measurement, &source, data, data_bytes, payload_bytes);
}

void measurement_junk(struct measurement *measurement, unsigned number, const uint8_t *data,
                      size_t data_bytes, size_t payload_bytes)
{
    static const uint8_t own[] = {STREAM >> 24, STREAM >> 16 & 0xff, STREAM >> 8 & 0xff, STREAM & 0xff};

    if (number % MEASUREMENT_SOURCES == 0 && data_bytes >= STREAM_AT + sizeof own
        && memcmp(data + STREAM_AT, own, sizeof own) == 0)
        number = 1;
    measurement_attack(measurement, number, data, data_bytes, payload_bytes);
    measurement_require(pprec_streams(measurement->pprec) <= MEASUREMENT_STREAMS_MAX, "too many streams");
}

void measurement_end(struct measurement *measurement)
{
    if (measurement->sent % 2 != 0)
        measurement_send(measurement);
    pprec_finish(measurement->pprec);
    measurement_require(measurement->trains == measurement->sent / 2, "a train was not told");
    pprec_free(measurement->pprec);
    measurement->pprec = NULL;
}
