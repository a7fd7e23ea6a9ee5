/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

static const uint8_t magic[2] = {'P', 'P'};

enum { VERSION = 1, KNOWN_FLAGS = WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH | WIRE_REACH };

static uint8_t *wire_put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

/* Written out, not in a loop: compilers make one load of it, and this is done for
 * every packet that arrives. */
static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint64_t get64(const uint8_t *at)
{
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

size_t wire_header_bytes(uint16_t flags)
{
    size_t bytes = WIRE_HEADER_BYTES;

    bytes += flags & WIRE_TIME ? WIRE_TIME_BYTES : 0;
    bytes += flags & WIRE_DEPARTURE ? WIRE_DEPARTURE_BYTES : 0;
    bytes += flags & WIRE_REACH ? WIRE_REACH_BYTES : 0;
    bytes += flags & WIRE_AUTH ? WIRE_AUTH_BYTES : 0;
    return bytes;
}

size_t wire_encode(const struct wire_probe *probe, uint8_t *room, size_t room_bytes)
{
    size_t bytes = wire_header_bytes(probe->flags);
    uint8_t *at = room;

    if (bytes > room_bytes)
        return 0;
    at = wire_put(at, magic[0], 1);
    at = wire_put(at, magic[1], 1);
    at = wire_put(at, VERSION << 4 | (probe->length_log2 & 0x0fU), 1);
    at = wire_put(at, probe->position, 1);
    at = wire_put(at, probe->stream, 4);
    at = wire_put(at, probe->seq, 4);
    at = wire_put(at, probe->train, 4);
    at = wire_put(at, probe->flags, 2);
    if (probe->flags & WIRE_TIME)
        at = wire_put(at, probe->sent_ns, WIRE_TIME_BYTES);
    if (probe->flags & WIRE_DEPARTURE) {
        at = wire_put(at, probe->departure_train, 4);
        at = wire_put(at, probe->departure_span_ns, 4);
    }
    if (probe->flags & WIRE_REACH) {
        at = wire_put(at, probe->reach_load_hops, 1);
        at = wire_put(at, probe->reach_marker_hops, 1);
        wire_put(at, probe->reach_load_bytes, 2);
    }
    return bytes;
}

static enum wire_error wire_check(const struct wire_probe *probe, size_t data_bytes)
{
    if (probe->length_log2 < WIRE_LOG2_MIN || probe->length_log2 > WIRE_LOG2_MAX)
        return WIRE_ELENGTH;
    if (probe->position >> probe->length_log2 != 0)
        return WIRE_EPOSITION;
    if (probe->flags & ~KNOWN_FLAGS)
        return WIRE_EFLAGS;
    if ((probe->flags & WIRE_AUTH) && !(probe->flags & WIRE_TIME))
        return WIRE_EFLAGS;
    return data_bytes < WIRE_MOST_BYTES && data_bytes < wire_header_bytes(probe->flags) ? WIRE_ESHORT
                                                                                        : WIRE_OK;
}

static enum wire_error read_reach(struct wire_probe *probe, const uint8_t *at)
{
    probe->reach_load_hops = at[0];
    probe->reach_marker_hops = at[1];
    probe->reach_load_bytes = get16(at + 2);
    return probe->reach_load_hops == 0 || probe->reach_marker_hops == 0 || probe->length_log2 == WIRE_LOG2_MIN
            || probe->reach_load_bytes < wire_header_bytes(probe->flags)
        ? WIRE_EREACH
        : WIRE_OK;
}

/* Three bytes. */
static enum wire_error check_mark(const uint8_t *data)
{
    if (data[0] != magic[0] || data[1] != magic[1])
        return WIRE_EMAGIC;
    return data[2] >> 4 == VERSION ? WIRE_OK : WIRE_EVERSION;
}

bool wire_begins(const uint8_t *data, size_t data_bytes)
{
    return data_bytes > 2 && check_mark(data) == WIRE_OK;
}

enum wire_error wire_decode(struct wire_probe *probe, const uint8_t *data, size_t data_bytes)
{
    enum wire_error error;

    if (data_bytes < WIRE_HEADER_BYTES)
        return WIRE_ESHORT;
    error = check_mark(data);
    if (error != WIRE_OK)
        return error;
    *probe = (struct wire_probe){
        .length_log2 = data[2] & 0x0f,
        .position = data[3],
        .stream = get32(data + 4),
        .seq = get32(data + 8),
        .train = get32(data + 12),
        .flags = get16(data + 16),
    };
    error = wire_check(probe, data_bytes);
    if (error != WIRE_OK)
        return error;
    data += WIRE_HEADER_BYTES;
    if (probe->flags & WIRE_TIME) {
        probe->sent_ns = get64(data);
        data += WIRE_TIME_BYTES;
    }
    if (probe->flags & WIRE_DEPARTURE) {
        probe->departure_train = get32(data);
        probe->departure_span_ns = get32(data + 4);
        data += WIRE_DEPARTURE_BYTES;
    }
    if (probe->flags & WIRE_REACH)
        return read_reach(probe, data);
    return WIRE_OK;
}
