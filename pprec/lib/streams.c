/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include "common/stamp.h"
#include "pprec/lib/assembler.h"
#include "pprec/lib/endpoint.h"
#include "pprec/lib/path.h"

/* A new stream has this long to show that it goes on. */
#define TENURE_NS (2 * STAMP_NS_PER_S)

/* Nobody waits longer for one that never had a usable train. */
#define UNPROVEN_IDLE_NS (300 * STAMP_NS_PER_S)

/* Among the streams of one address, this many of each rank are looked at to find one that gives way. */
enum { LOOKED_AT = 16 };

int streams_init(struct streams *streams, const struct stream_settings *settings,
                 struct streams_bounds bounds, const struct keyed_hash *hash)
{
    const struct memory *memory = &settings->memory;
    size_t buckets = 1, max = bounds.streams;

    while (buckets < 2 * max)
        buckets *= 2;
    *streams = (struct streams){
        .settings = settings,
        .all = memory_get(memory, max * sizeof *streams->all),
        .named = memory_get(memory, max * sizeof *streams->named),
        .links = memory_get(memory, max * sizeof *streams->links),
        .due_ns = memory_get(memory, max * sizeof *streams->due_ns),
        .buckets = memory_get(memory, buckets * sizeof *streams->buckets),
        .bounds = bounds,
        .bucket_mask = buckets - 1,
        .hash = hash,
        .newest = STREAMS_NONE,
    };
    for (unsigned rank = 0; rank < STREAM_RANKS; rank++)
        streams->ranks[rank] = (struct streams_queue){STREAMS_NONE, STREAMS_NONE};
    if (streams->all == NULL || streams->named == NULL || streams->links == NULL || streams->due_ns == NULL
        || streams->buckets == NULL)
        return PPREC_ENOMEM;
    return bounds.of_address < bounds.streams ? origins_init(&streams->origins, memory, bounds.streams, hash)
                                              : 0;
}

void streams_fini(struct streams *streams)
{
    const struct memory *memory;

    if (streams->settings == NULL) /* streams_init() was not reached */
        return;
    memory = &streams->settings->memory;
    while (streams->count > 0) /* none is found any more when its memory goes */
        streams_remove(streams, streams->all[streams->count - 1]);
    origins_fini(&streams->origins, memory);
    memory_put(memory, streams->all);
    memory_put(memory, streams->named);
    memory_put(memory, streams->links);
    memory_put(memory, streams->due_ns);
    memory_put(memory, streams->buckets);
}

/* Streams of one name are in one bucket. */
static struct stream **streams_bucket_of(const struct streams *streams, const struct pprec_endpoint *source,
                                         uint32_t id)
{
    uint32_t words[1 + ENDPOINT_WORDS] = {id};
    size_t count = 1 + endpoint_name(words + 1, source);

    return &streams->buckets[keyed_hash(streams->hash, words, count) & streams->bucket_mask];
}

static bool is_named(const struct stream *stream, const struct pprec_endpoint *source, uint32_t id)
{
    return stream->id == id && endpoint_same(&stream->source, source);
}

struct stream *const *streams_place(const struct streams *streams, const struct pprec_endpoint *source,
                                    uint32_t id)
{
    struct stream *const *place = streams_bucket_of(streams, source, id);

    __builtin_prefetch(place);
    return place;
}

struct stream *streams_look_up(const struct streams *streams, const struct pprec_endpoint *source,
                               uint32_t id, enum pprec_kind kind)
{
    struct stream *stream;

    if (streams->count == 0) /* nor is there a table, at both ends of its life */
        return NULL;
    stream = *streams_bucket_of(streams, source, id);
    if (stream != NULL)
        stream_fetch(stream);
    while (stream != NULL && !(stream->kind == kind && is_named(stream, source, id)))
        stream = stream->next_in_bucket;
    if (stream != NULL)
        stream_fetch_rest(stream);
    return stream;
}

bool streams_tell_numbers(const struct streams *streams, const struct pprec_endpoint *source, uint32_t id,
                          enum pprec_kind kind, struct streams_numbers *numbers)
{
    const struct stream *stream = streams_find(streams, source, id, kind);

    if (stream == NULL)
        return false;
    numbers->train = stream->assembler.newest;
    numbers->first_seq = stream->assembler.newest_first_seq;
    numbers->next_seq = stream->assembler.next_seq;
    return true;
}

/* --- Names --- */

struct stream *streams_named(const struct streams *streams, const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = streams->count > 0 ? *streams_bucket_of(streams, source, id) : NULL;

    while (stream != NULL && (stream->place == STREAMS_NONE || !is_named(stream, source, id)))
        stream = stream->next_in_bucket;
    return stream;
}

static void name_at(struct streams *streams, struct stream *stream, uint32_t place)
{
    streams->named[place] = stream;
    stream->place = place;
}

/* What a key vouches for goes before all else, then what has measured longer. */
static bool deserves_more(const struct stream *a, const struct stream *b)
{
    bool vouched_a = stream_is_vouched(a), vouched_b = stream_is_vouched(b);

    if (vouched_a != vouched_b)
        return vouched_a;
    return a->rank > 0 && (b->rank == 0 || a->measured_ns > b->measured_ns);
}

/* The stream is new, or has measured. The name is its own, or belongs to a stream of another kind. */
static void claim_name(struct streams *streams, struct stream *stream)
{
    struct stream *holder = streams_named(streams, &stream->source, stream->id);

    if (holder == NULL) {
        name_at(streams, stream, streams->named_count++);
    } else if (deserves_more(stream, holder)) {
        name_at(streams, stream, holder->place);
        holder->place = STREAMS_NONE;
    }
}

/* The stream goes. Another one of its name, or the last stream that has a name, takes its place. */
static void leave_name(struct streams *streams, struct stream *stream)
{
    uint32_t place = stream->place;
    struct stream *best = NULL;

    if (place == STREAMS_NONE)
        return;
    for (struct stream *other = *streams_bucket_of(streams, &stream->source, stream->id); other != NULL;
         other = other->next_in_bucket)
        if (other != stream && is_named(other, &stream->source, stream->id)
            && (best == NULL || deserves_more(other, best)))
            best = other;
    name_at(streams, best != NULL ? best : streams->named[--streams->named_count], place);
}

static struct streams_queue *queue_of(struct streams *streams, const struct stream *stream)
{
    return &streams->ranks[stream->queued];
}

/* Makes the neighbours of index, or the ends of the queue, point to these. */
static void join_up(struct streams *streams, struct streams_queue *queue, const struct streams_links *links,
                    uint32_t older, uint32_t newer)
{
    *(links->older != STREAMS_NONE ? &streams->links[links->older].newer : &queue->oldest) = newer;
    *(links->newer != STREAMS_NONE ? &streams->links[links->newer].older : &queue->newest) = older;
}

/* As the newest of its rank. */
static void streams_enqueue(struct streams *streams, struct stream *stream)
{
    struct streams_links *links = &streams->links[stream->index];
    struct streams_queue *queue;

    stream->queued = stream->rank;
    queue = queue_of(streams, stream);
    links->older = queue->newest;
    links->newer = STREAMS_NONE;
    join_up(streams, queue, links, stream->index, stream->index);
}

static void streams_dequeue(struct streams *streams, struct stream *stream)
{
    struct streams_links *links = &streams->links[stream->index];

    join_up(streams, queue_of(streams, stream), links, links->older, links->newer);
}

void streams_move_up(struct streams *streams, struct stream *stream)
{
    if (stream->place == STREAMS_NONE)
        claim_name(streams, stream);
    if (queue_of(streams, stream)->newest == stream->index && stream->queued == stream->rank)
        return;
    streams_dequeue(streams, stream);
    streams_enqueue(streams, stream);
}

struct stream *streams_add(struct streams *streams, const struct pprec_arrival *arrival)
{
    struct stream *stream = stream_new(streams->settings, arrival);
    struct stream **bucket = streams_bucket_of(streams, &arrival->source, arrival->stream);

    if (stream == NULL)
        return NULL;
    stream->origin = origins_add(&streams->origins, &arrival->source);
    stream->index = streams->count++;
    streams->all[stream->index] = stream;
    streams_note_due(streams, stream);
    streams->links[stream->index].heard_ns = streams->now_ns;
    stream->next_in_bucket = *bucket;
    *bucket = stream;
    stream->place = STREAMS_NONE;
    claim_name(streams, stream);
    streams_enqueue(streams, stream);
    return stream;
}

/* --- Who goes --- */

bool streams_full(const struct streams *streams)
{
    return streams->count >= streams->bounds.streams;
}

bool streams_crowded(const struct streams *streams, const struct pprec_endpoint *source)
{
    const struct origin *origin = origins_find(&streams->origins, source);

    return origin != NULL && origin->streams >= streams->bounds.of_address;
}

static int64_t idle_ns(const struct streams *streams, uint32_t index)
{
    return streams->now_ns - streams->links[index].heard_ns;
}

static bool streams_gives_way(const struct streams *streams, uint32_t index, unsigned rank)
{
    return idle_ns(streams, index) >= (rank < 2 ? TENURE_NS : stream_rank_ns(rank));
}

/* Trains end by the clock, too: a stream may have risen since it was heard of. */
static uint32_t oldest_of(struct streams *streams, unsigned rank)
{
    uint32_t oldest;

    while ((oldest = streams->ranks[rank].oldest) != STREAMS_NONE && streams->all[oldest]->rank != rank) {
        streams_dequeue(streams, streams->all[oldest]);
        streams_enqueue(streams, streams->all[oldest]);
    }
    return oldest;
}

struct stream *streams_surplus(struct streams *streams, const struct stream *keep)
{
    for (unsigned rank = 0; rank < STREAM_RANKS; rank++) {
        uint32_t oldest = oldest_of(streams, rank);

        if (oldest != STREAMS_NONE && streams->all[oldest] != keep
            && streams_gives_way(streams, oldest, rank))
            return streams->all[oldest];
    }
    return NULL;
}

static struct stream *surplus_of(struct streams *streams, const struct origin *origin, unsigned rank)
{
    uint32_t at = oldest_of(streams, rank);

    for (int i = 0; i < LOOKED_AT && at != STREAMS_NONE && streams_gives_way(streams, at, rank); i++) {
        if (streams->all[at]->origin == origin)
            return streams->all[at];
        at = streams->links[at].newer;
    }
    return NULL;
}

struct stream *streams_surplus_of(struct streams *streams, const struct pprec_endpoint *source)
{
    const struct origin *origin = origins_find(&streams->origins, source);
    struct stream *stream = NULL;

    for (unsigned rank = 0; rank < STREAM_RANKS && stream == NULL; rank++)
        stream = surplus_of(streams, origin, rank);
    return stream;
}

struct stream *streams_idle(struct streams *streams)
{
    int64_t most_ns = streams->bounds.idle_ns;

    for (unsigned rank = 0; rank < STREAM_RANKS && most_ns > 0; rank++) {
        uint32_t oldest = oldest_of(streams, rank);
        bool shorter = rank == 0 && most_ns > UNPROVEN_IDLE_NS;

        if (oldest != STREAMS_NONE && idle_ns(streams, oldest) >= (shorter ? UNPROVEN_IDLE_NS : most_ns))
            return streams->all[oldest];
    }
    return NULL;
}

/* The last stream takes the index that has become free. */
static void move_last(struct streams *streams, uint32_t index)
{
    struct stream *stream = streams->all[--streams->count];
    uint32_t last = stream->index;

    if (last == index)
        return;
    join_up(streams, queue_of(streams, stream), &streams->links[last], index, index);
    streams->links[index] = streams->links[last];
    if (streams->newest == last)
        streams->newest = index;
    streams->due_ns[index] = streams->due_ns[last];
    streams->all[index] = stream;
    stream->index = index;
}

void streams_remove(struct streams *streams, struct stream *stream)
{
    struct stream **link = streams_bucket_of(streams, &stream->source, stream->id);

    leave_name(streams, stream);
    while (*link != stream)
        link = &(*link)->next_in_bucket;
    *link = stream->next_in_bucket;
    streams_dequeue(streams, stream);
    origins_take_off(&streams->origins, stream->origin);
    if (streams->newest == stream->index)
        streams->newest = STREAMS_NONE;
    move_last(streams, stream->index);
    stream_free(stream);
}

void streams_tick(struct streams *streams, uint8_t clock, int64_t now_ns)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        if (streams->due_ns[i] > now_ns)
            continue;
        assembler_tick(&streams->all[i]->assembler, clock, now_ns);
        paths_note_losses(streams->all[i]);
        streams_note_due(streams, streams->all[i]);
    }
}
