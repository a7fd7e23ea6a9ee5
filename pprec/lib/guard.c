/* SPDX-License-Identifier: BSD-3-Clause */
#include "guard.h"

#include "common/serial.h"
#include "common/stamp.h"

#include <stdbool.h>
#include <string.h>

/* Within it nobody can send so many packets that their numbers come again, or half of
 * them, from where they would look ahead. */
enum { MAX_AGE_MOST_S = 3600 };

_Static_assert(PPREC_KEY_BYTES == (int)AUTH_KEY_BYTES, "keys");

static bool is_group(const struct pprec_endpoint *endpoint)
{
    return endpoint->ip == 4 ? endpoint->address[0] >> 4 == 0xe : endpoint->address[0] == 0xff;
}

static int lib_guard_check(const struct pprec_config *config, struct error *error)
{
    if (config->max_age_s < 1 || config->max_age_s > MAX_AGE_MOST_S)
        return error_set(error, "max_age_s %u: want 1 to %d", config->max_age_s, MAX_AGE_MOST_S);
    if (auth_is_zero(config->key))
        return error_set(error, "key: all its bytes are 0");
    if (config->sent_to.ip != 0 && config->sent_to.ip != 4 && config->sent_to.ip != 6)
        return error_set(error, "sent_to: want ip 4, 6, or 0 for where packets come to");
    if (config->sent_to.ip != 0 && is_group(&config->sent_to))
        return error_set(error, "sent_to: a group is its own destination");
    if (config->classic)
        return error_set(error, "key: the classic format has no room for a tag");
    return auth_init(error);
}

int guard_new(struct guard **made, const struct memory *memory, const struct pprec_config *config,
              struct error *error)
{
    struct guard *guard;

    *made = NULL;
    if (config->key == NULL)
        return 0;
    if (lib_guard_check(config, error) < 0)
        return PPREC_EINVAL;
    *made = guard = memory_get(memory, sizeof *guard);
    if (guard == NULL) {
        error_set(error, "no memory for what the key guards");
        return PPREC_ENOMEM;
    }
    memcpy(guard->key.bytes, config->key, sizeof guard->key.bytes);
    guard->sent_to = config->sent_to;
    guard->max_age_ns = config->max_age_s * STAMP_NS_PER_S;
    guard->forgotten_ns = INT64_MIN;
    return 0;
}

void guard_free(struct guard *guard, const struct memory *memory)
{
    if (guard != NULL)
        auth_forget_key(&guard->key);
    memory_put(memory, guard);
}

/* --- Streams --- */

/* Ids are random numbers of the holders of the key. */
static struct guard_stream **guard_bucket_of(struct guard *guard, uint32_t id)
{
    return &guard->buckets[id % GUARD_STREAMS];
}

static struct guard_stream *guard_find(struct guard *guard, uint32_t id)
{
    struct guard_stream *stream = *guard_bucket_of(guard, id);

    while (stream != NULL && stream->id != id)
        stream = stream->next;
    return stream;
}

/* Forgets the stream of the oldest TIME, and returns its place. */
static struct guard_stream *guard_give_up(struct guard *guard)
{
    struct guard_stream *oldest = &guard->streams[0];
    struct guard_stream **link;

    for (unsigned i = 1; i < GUARD_STREAMS; i++)
        if (guard->streams[i].newest_ns < oldest->newest_ns)
            oldest = &guard->streams[i];
    if (oldest->newest_ns > guard->forgotten_ns)
        guard->forgotten_ns = oldest->newest_ns;
    link = guard_bucket_of(guard, oldest->id);
    while (*link != oldest)
        link = &(*link)->next;
    *link = oldest->next;
    return oldest;
}

static void guard_put_in(struct guard *guard, struct guard_stream *place, const struct guard_stream *stream)
{
    struct guard_stream **bucket = guard_bucket_of(guard, stream->id);

    *place = *stream;
    place->next = *bucket;
    *bucket = place;
}

static void guard_begin(struct guard *guard, uint32_t id, uint32_t seq, int64_t sent_ns)
{
    struct guard_stream stream = {.id = id, .newest_seq = seq, .newest_ns = sent_ns};

    guard_put_in(guard, guard->count < GUARD_STREAMS ? &guard->streams[guard->count++] : guard_give_up(guard),
                 &stream);
}

bool guard_remember(struct guard *guard, const struct guard_stream *stream)
{
    if (guard->count == GUARD_STREAMS || guard_find(guard, stream->id) != NULL)
        return false;
    guard_put_in(guard, &guard->streams[guard->count++], stream);
    return true;
}

/* --- The window --- */

static bool guard_mark_seen(struct guard_stream *stream, uint32_t seq)
{
    uint32_t *word = &stream->seen[seq % GUARD_WINDOW / 32];
    uint32_t bit = UINT32_C(1) << seq % 32;
    bool seen = *word & bit;

    *word |= bit;
    return seen;
}

/* The numbers between have not come yet; their places held older ones. */
static void guard_advance(struct guard_stream *stream, uint32_t seq)
{
    uint32_t ahead = seq - stream->newest_seq;

    if (ahead >= GUARD_WINDOW)
        memset(stream->seen, 0, sizeof stream->seen);
    else
        for (uint32_t at = stream->newest_seq + 1; at != seq; at++)
            stream->seen[at % GUARD_WINDOW / 32] &= ~(UINT32_C(1) << at % 32);
    stream->seen[seq % GUARD_WINDOW / 32] &= ~(UINT32_C(1) << seq % 32);
    stream->newest_seq = seq;
}

static enum pprec_reason check_known(struct guard_stream *stream, uint32_t seq, int64_t sent_ns,
                                     int64_t max_age_ns)
{
    int32_t ahead = serial_distance(stream->newest_seq, seq);

    /* TIMEs are not negative: this does not overflow. */
    if (stream->newest_ns - sent_ns > max_age_ns || ahead <= -GUARD_WINDOW)
        return PPREC_REASON_STALE;
    if (ahead > 0)
        guard_advance(stream, seq);
    if (guard_mark_seen(stream, seq))
        return PPREC_REASON_REPLAYED;
    if (sent_ns > stream->newest_ns)
        stream->newest_ns = sent_ns;
    return PPREC_REASONS;
}

/* --- The check --- */

static bool guard_near(int64_t a_ns, int64_t b_ns, int64_t most_ns)
{
    uint64_t apart = a_ns > b_ns ? (uint64_t)a_ns - (uint64_t)b_ns : (uint64_t)b_ns - (uint64_t)a_ns;

    return apart <= (uint64_t)most_ns;
}

/* A translator of addresses leaves groups alone. */
static struct pprec_endpoint sent_to(const struct guard *guard, const struct pprec_endpoint *came_to)
{
    struct pprec_endpoint to = guard->sent_to;

    if (to.ip == 0 || (came_to->ip != 0 && is_group(came_to)))
        return *came_to;
    if (to.port == 0)
        to.port = came_to->port;
    return to;
}

bool guard_knows(const struct guard *guard, const struct pprec_endpoint *came_to)
{
    struct pprec_endpoint to = sent_to(guard, came_to);

    return (to.ip == 4 || to.ip == 6) && to.port != 0;
}

static bool is_tagged(const struct guard *guard, const struct wire_probe *probe, const uint8_t *data,
                      const struct pprec_endpoint *came_to)
{
    struct pprec_endpoint to = sent_to(guard, came_to);
    struct auth_destination destination;

    auth_set_destination(&destination, to.ip, to.address, to.port);
    return auth_verify(&guard->key, &destination, data, probe->flags);
}

/* An adapter's clock may tell any time. */
static int64_t time_of_day_ns(const struct pprec_stamp *received)
{
    return received->clock == PPREC_CLOCK_ADAPTER ? stamp_now_ns(CLOCK_REALTIME) : received->ns;
}

enum pprec_reason guard_check(struct guard *guard, const struct wire_probe *probe, const uint8_t *data,
                              const struct pprec_endpoint *came_to, const struct pprec_stamp *received)
{
    struct guard_stream *stream;
    int64_t sent_ns;

    if (!(probe->flags & WIRE_AUTH))
        return PPREC_REASON_UNTAGGED;
    if (!is_tagged(guard, probe, data, came_to))
        return PPREC_REASON_BAD_TAG;
    if (probe->sent_ns > INT64_MAX)
        return PPREC_REASON_STALE;
    sent_ns = (int64_t)probe->sent_ns;
    stream = guard_find(guard, probe->stream);
    if (stream != NULL)
        return check_known(stream, probe->seq, sent_ns, guard->max_age_ns);
    if (!guard_near(sent_ns, time_of_day_ns(received), guard->max_age_ns) || sent_ns <= guard->forgotten_ns)
        return PPREC_REASON_STALE;
    guard_begin(guard, probe->stream, probe->seq, sent_ns);
    guard_mark_seen(guard_find(guard, probe->stream), probe->seq);
    return PPREC_REASONS;
}
