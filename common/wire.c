/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

static const uint8_t magic[2] = {'P', 'P'};

enum { VERSION = 1, KNOWN_FLAGS = WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH };

static uint8_t *put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

static uint64_t get(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

size_t wire_header_bytes(uint16_t flags)
{
    size_t bytes = WIRE_HEADER_BYTES;

    bytes += flags & WIRE_TIME ? WIRE_TIME_BYTES : 0;
    bytes += flags & WIRE_DEPARTURE ? WIRE_DEPARTURE_BYTES : 0;
    bytes += flags & WIRE_AUTH ? WIRE_AUTH_BYTES : 0;
    return bytes;
}

size_t wire_encode(const struct wire_probe *probe, uint8_t *room, size_t room_bytes)
{
    size_t bytes = wire_header_bytes(probe->flags);
    uint8_t *at = room;

    if (bytes > room_bytes)
        return 0;
    at = put(at, magic[0], 1);
    at = put(at, magic[1], 1);
    at = put(at, VERSION << 4 | (probe->length_log2 & 0x0fU), 1);
    at = put(at, probe->position, 1);
    at = put(at, probe->stream, 4);
    at = put(at, probe->seq, 4);
    at = put(at, probe->train, 4);
    at = put(at, probe->flags, 2);
    if (probe->flags & WIRE_TIME)
        at = put(at, probe->sent_ns, WIRE_TIME_BYTES);
    if (probe->flags & WIRE_DEPARTURE) {
        at = put(at, probe->departure_train, 4);
        put(at, probe->departure_span_ns, 4);
    }
    return bytes;
}

static enum wire_error check(const struct wire_probe *probe, size_t data_bytes)
{
    if (probe->length_log2 < WIRE_LOG2_MIN || probe->length_log2 > WIRE_LOG2_MAX)
        return WIRE_ELENGTH;
    if (probe->position >> probe->length_log2 != 0)
        return WIRE_EPOSITION;
    if (probe->flags & ~KNOWN_FLAGS)
        return WIRE_EFLAGS;
    if ((probe->flags & WIRE_AUTH) && !(probe->flags & WIRE_TIME))
        return WIRE_EFLAGS;
    return data_bytes < wire_header_bytes(probe->flags) ? WIRE_ESHORT : WIRE_OK;
}

enum wire_error wire_decode(struct wire_probe *probe, const uint8_t *data, size_t data_bytes)
{
    enum wire_error error;

    if (data_bytes < WIRE_HEADER_BYTES)
        return WIRE_ESHORT;
    if (data[0] != magic[0] || data[1] != magic[1])
        return WIRE_EMAGIC;
    if (data[2] >> 4 != VERSION)
        return WIRE_EVERSION;
    *probe = (struct wire_probe){
        .length_log2 = data[2] & 0x0f,
        .position = data[3],
        .stream = (uint32_t)get(data + 4, 4),
        .seq = (uint32_t)get(data + 8, 4),
        .train = (uint32_t)get(data + 12, 4),
        .flags = (uint16_t)get(data + 16, 2),
    };
    error = check(probe, data_bytes);
    if (error != WIRE_OK)
        return error;
    data += WIRE_HEADER_BYTES;
    if (probe->flags & WIRE_TIME) {
        probe->sent_ns = get(data, WIRE_TIME_BYTES);
        data += WIRE_TIME_BYTES;
    }
    if (probe->flags & WIRE_DEPARTURE) {
        probe->departure_train = (uint32_t)get(data, 4);
        probe->departure_span_ns = (uint32_t)get(data + 4, 4);
    }
    return WIRE_OK;
}
