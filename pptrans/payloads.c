/* SPDX-License-Identifier: BSD-3-Clause */
#include "payloads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static int fill_random(uint8_t *at, size_t bytes)
{
    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);

        if (got < 0 && errno != EINTR)
            return -1;
        at += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int payloads_init(struct payloads *payloads, uint32_t packets, uint32_t payload_bytes, struct error *error)
{
    size_t bytes = (size_t)packets * payload_bytes;

    *payloads = (struct payloads){.bytes = malloc(bytes), .stride_bytes = payload_bytes};
    if (payloads->bytes == NULL || fill_random(payloads->bytes, bytes) != 0) {
        error_set(error, "cannot prepare a train of %zu bytes: %s", bytes, strerror(errno));
        payloads_fini(payloads);
        return -1;
    }
    return 0;
}

void payloads_fini(struct payloads *payloads)
{
    free(payloads->bytes);
    *payloads = (struct payloads){0};
}

static uint8_t *payload(struct payloads *payloads, uint32_t position)
{
    return payloads->bytes + position * payloads->stride_bytes;
}

const uint8_t *payloads_at(const struct payloads *payloads, uint32_t position)
{
    return payloads->bytes + position * payloads->stride_bytes;
}

uint16_t payloads_flags(uint32_t payload_bytes, bool have_departure, bool tagged)
{
    uint16_t flags = 0;

    if (tagged)
        flags = WIRE_TIME | WIRE_AUTH;
    else if (payload_bytes >= wire_header_bytes(WIRE_TIME))
        flags = WIRE_TIME;
    if (have_departure && payload_bytes >= wire_header_bytes(flags | WIRE_DEPARTURE))
        flags |= WIRE_DEPARTURE;
    return flags;
}

void payloads_write(struct payloads *payloads, const struct wire_probe *first)
{
    struct wire_probe probe = *first;
    uint32_t packets = 1U << first->length_log2;

    for (uint32_t position = 0; position < packets; position++) {
        probe.position = (uint8_t)position;
        probe.seq = first->seq + position;
        wire_encode(&probe, payload(payloads, position), payloads->stride_bytes);
    }
}

void payloads_set_time(struct payloads *payloads, const struct wire_probe *first, uint64_t sent_ns)
{
    uint32_t packets = 1U << first->length_log2;
    struct wire_probe probe = *first;
    const uint8_t *encoded = payload(payloads, 0);

    if (!(first->flags & WIRE_TIME))
        return;
    probe.sent_ns = sent_ns;
    wire_encode(&probe, payload(payloads, 0), payloads->stride_bytes);
    /* TIME is the first extension: the same eight bytes for every packet. */
    for (uint32_t position = 1; position < packets; position++)
        memcpy(payload(payloads, position) + WIRE_HEADER_BYTES, encoded + WIRE_HEADER_BYTES, WIRE_TIME_BYTES);
}

void payloads_tag(struct payloads *payloads, const struct wire_probe *first, const struct auth_key *key,
                  const struct auth_destination *to)
{
    uint32_t packets = 1U << first->length_log2;

    for (uint32_t position = 0; position < packets; position++)
        auth_tag(key, to, payload(payloads, position), first->flags);
}

void payloads_write_classic(struct payloads *payloads, uint32_t packets, uint32_t first_seq)
{
    for (uint32_t position = 0; position < packets; position++)
        payload(payloads, position)[0] = (uint8_t)(first_seq + position);
}
