/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include "common/stamp.h"
#include "pprec/lib/path.h"

#include <string.h>

/* A new stream has this long to show that it goes on. */
#define TENURE_NS (2 * STAMP_NS_PER_S)

/* Nobody waits longer for one that never had a usable train. */
#define UNPROVEN_IDLE_NS (300 * STAMP_NS_PER_S)

/* Of one address's streams so many of each rank are looked at for one that gives way. */
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
    if (streams->all == NULL || streams->links == NULL || streams->due_ns == NULL
        || streams->buckets == NULL)
        return PPREC_ENOMEM;
    return bounds.of_address < bounds.streams
        ? origins_init(&streams->origins, memory, bounds.streams, hash) : 0;
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
    memory_put(memory, streams->links);
    memory_put(memory, streams->due_ns);
    memory_put(memory, streams->buckets);
}

/* Lengths that are constants cost a load; this is done for every packet. */
bool streams_same_source(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    if (a->port != b->port || a->ip != b->ip)
        return false;
    return a->ip == 4 ? memcmp(a->address, b->address, 4) == 0
                      : memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* What tells streams apart. */
static struct stream **bucket_of(const struct streams *streams,
                                 const struct pprec_endpoint *source, uint32_t id)
{
    uint32_t words[6] = {id, (uint32_t)source->port << 8 | source->ip};
    size_t count = source->ip == 4 ? 3 : 6;

    memcpy(words + 2, source->address, source->ip == 4 ? 4 : sizeof source->address);
    return &streams->buckets[keyed_hash(streams->hash, words, count) & streams->bucket_mask];
}

static bool is(const struct stream *stream, const struct pprec_endpoint *source, uint32_t id)
{
    return stream->id == id && streams_same_source(&stream->source, source);
}

struct stream *const *streams_place(const struct streams *streams,
                                    const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *const *place = bucket_of(streams, source, id);

    __builtin_prefetch(place);
    return place;
}

/* Mostly it is the one heard last. */
struct stream *streams_find(const struct streams *streams,
                            const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream;

    if (streams->count == 0) /* nor is there a table, at both ends of its life */
        return NULL;
    stream = streams->newest != STREAMS_NONE ? streams->all[streams->newest] : NULL;
    if (stream != NULL && is(stream, source, id))
        return stream;
    stream = *bucket_of(streams, source, id);
    if (stream != NULL)
        stream_fetch(stream);
    while (stream != NULL && !is(stream, source, id))
        stream = stream->next_in_bucket;
    return stream;
}

static struct streams_queue *queue_of(struct streams *streams, const struct stream *stream)
{
    return &streams->ranks[stream->queued];
}

/* The neighbours of index, or the ends of the queue, shall point to these. */
static void join_up(struct streams *streams, struct streams_queue *queue,
                    const struct streams_links *links, uint32_t older, uint32_t newer)
{
    *(links->older != STREAMS_NONE ? &streams->links[links->older].newer : &queue->oldest) = newer;
    *(links->newer != STREAMS_NONE ? &streams->links[links->newer].older : &queue->newest) = older;
}

/* As the newest of its rank. */
static void enqueue(struct streams *streams, struct stream *stream)
{
    struct streams_links *links = &streams->links[stream->index];
    struct streams_queue *queue;

    stream->queued = stream->rank;
    queue = queue_of(streams, stream);
    links->older = queue->newest;
    links->newer = STREAMS_NONE;
    join_up(streams, queue, links, stream->index, stream->index);
}

static void dequeue(struct streams *streams, struct stream *stream)
{
    struct streams_links *links = &streams->links[stream->index];

    join_up(streams, queue_of(streams, stream), links, links->older, links->newer);
}

void streams_touch(struct streams *streams, struct stream *stream)
{
    streams->due_ns[stream->index] = stream->assembler.due_ns;
    streams->links[stream->index].heard_ns = streams->now_ns;
    streams->newest = stream->index;
    if (queue_of(streams, stream)->newest == stream->index && stream->queued == stream->rank)
        return; /* as most packets find it */
    dequeue(streams, stream);
    enqueue(streams, stream);
}

struct stream *streams_add(struct streams *streams, const struct pprec_arrival *arrival)
{
    struct stream *stream = stream_new(streams->settings, arrival);
    struct stream **bucket = bucket_of(streams, &arrival->source, arrival->stream);

    if (stream == NULL)
        return NULL;
    stream->origin = origins_add(&streams->origins, &arrival->source);
    stream->index = streams->count++;
    streams->all[stream->index] = stream;
    streams->due_ns[stream->index] = stream->assembler.due_ns;
    streams->links[stream->index].heard_ns = streams->now_ns;
    stream->next_in_bucket = *bucket;
    *bucket = stream;
    enqueue(streams, stream);
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

static bool gives_way(const struct streams *streams, uint32_t index, unsigned rank)
{
    return idle_ns(streams, index) >= (rank < 2 ? TENURE_NS : stream_rank_ns(rank));
}

/* Trains end by the clock, too: a stream may have risen since it was heard of. */
static uint32_t oldest_of(struct streams *streams, unsigned rank)
{
    uint32_t oldest;

    while ((oldest = streams->ranks[rank].oldest) != STREAMS_NONE
           && streams->all[oldest]->rank != rank) {
        dequeue(streams, streams->all[oldest]);
        enqueue(streams, streams->all[oldest]);
    }
    return oldest;
}

struct stream *streams_surplus(struct streams *streams, const struct stream *keep)
{
    for (unsigned rank = 0; rank < STREAM_RANKS; rank++) {
        uint32_t oldest = oldest_of(streams, rank);

        if (oldest != STREAMS_NONE && streams->all[oldest] != keep
            && gives_way(streams, oldest, rank))
            return streams->all[oldest];
    }
    return NULL;
}

static struct stream *surplus_of(struct streams *streams, const struct origin *origin,
                                 unsigned rank)
{
    uint32_t at = oldest_of(streams, rank);

    for (int i = 0; i < LOOKED_AT && at != STREAMS_NONE && gives_way(streams, at, rank); i++) {
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

        if (oldest != STREAMS_NONE
            && idle_ns(streams, oldest) >= (shorter ? UNPROVEN_IDLE_NS : most_ns))
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
    struct stream **link = bucket_of(streams, &stream->source, stream->id);

    while (*link != stream)
        link = &(*link)->next_in_bucket;
    *link = stream->next_in_bucket;
    dequeue(streams, stream);
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
        streams->due_ns[i] = streams->all[i]->assembler.due_ns;
    }
}
