/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guard remembers, as bytes, so that it outlives the program. Network byte order:
 *
 *   byte 0   8  "PPREPLAY"
 *        8   4  version, 1
 *       12   4  how many streams follow
 *       16   8  the latest TIME of a stream that went
 *       24      a stream, 144 bytes each: u32 id, u32 newest number, u64 latest TIME, and the
 *               window, 32 times u32
 *           32  a seal over all that with the key
 */
#include "pprec/lib/bytes.h"
#include "pprec/lib/intake.h"

#include <string.h>

enum { HEAD_BYTES = 24, WORDS = GUARD_WINDOW / 32, STREAM_BYTES = 16 + 4 * WORDS, VERSION = 1 };

static const char magic[8] = {'P', 'P', 'R', 'E', 'P', 'L', 'A', 'Y'};

static size_t sealed_bytes(size_t streams)
{
    return HEAD_BYTES + streams * STREAM_BYTES;
}

/* --- Writing --- */

static uint8_t *replays_put_stream(uint8_t *at, const struct guard_stream *stream)
{
    at = bytes_put_u32(at, stream->id);
    at = bytes_put_u32(at, stream->newest_seq);
    at = bytes_put_u64(at, (uint64_t)stream->newest_ns);
    for (unsigned i = 0; i < WORDS; i++)
        at = bytes_put_u32(at, stream->seen[i]);
    return at;
}

static void put_all(const struct guard *guard, uint8_t *room)
{
    uint8_t *at = room + sizeof magic;

    memcpy(room, magic, sizeof magic);
    at = bytes_put_u32(at, VERSION);
    at = bytes_put_u32(at, guard->count);
    at = bytes_put_u64(at, (uint64_t)guard->forgotten_ns);
    for (unsigned i = 0; i < guard->count; i++)
        at = replays_put_stream(at, &guard->streams[i]);
    auth_seal(&guard->key, room, sealed_bytes(guard->count), at);
}

size_t pprec_replays_save(const struct pprec *pprec, void *room, size_t room_bytes)
{
    const struct guard *guard = intake_seen(pprec)->guard;
    size_t bytes = guard != NULL ? sealed_bytes(guard->count) + AUTH_SEAL_BYTES : 0;

    if (guard != NULL && bytes <= room_bytes)
        put_all(guard, room);
    return bytes;
}

/* --- Reading --- */

/* How many streams there are; -1: nothing of it is to be believed. */
static int replays_check(const struct guard *guard, const uint8_t *data, size_t bytes)
{
    uint32_t count;

    if (bytes < HEAD_BYTES + AUTH_SEAL_BYTES || memcmp(data, magic, sizeof magic) != 0
        || bytes_u32(data + 8) != VERSION)
        return -1;
    count = bytes_u32(data + 12);
    if (count > GUARD_STREAMS || bytes != sealed_bytes(count) + AUTH_SEAL_BYTES
        || !auth_is_sealed(&guard->key, data, sealed_bytes(count), data + sealed_bytes(count)))
        return -1;
    return (int)count;
}

static void take_stream(struct guard *guard, const uint8_t *at)
{
    struct guard_stream stream = {
        .id = bytes_u32(at),
        .newest_seq = bytes_u32(at + 4),
        .newest_ns = (int64_t)bytes_u64(at + 8),
    };

    for (unsigned i = 0; i < WORDS; i++)
        stream.seen[i] = bytes_u32(at + 16 + 4 * i);
    guard_remember(guard, &stream);
}

static int replays_restore(struct pprec *pprec, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    int count;

    if (intake_of(pprec)->guard == NULL || intake_of(pprec)->guard->count > 0)
        return handle_fail(pprec, PPREC_EINVAL,
                           intake_of(pprec)->guard == NULL ? "only with a key replays are known"
                                                           : "probes were taken already");
    count = replays_check(intake_of(pprec)->guard, at, bytes);
    if (count < 0)
        return handle_fail(pprec, PPREC_EDAMAGED, "damaged, or of another key");
    intake_of(pprec)->guard->forgotten_ns = (int64_t)bytes_u64(at + 16);
    for (int i = 0; i < count; i++)
        take_stream(intake_of(pprec)->guard, at + sealed_bytes((size_t)i));
    return PPREC_OK;
}

int pprec_replays_restore(struct pprec *pprec, const void *data, size_t bytes)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, replays_restore(pprec, data, bytes));
}
