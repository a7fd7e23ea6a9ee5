/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include <string.h>

int streams_init(struct streams *streams, const struct stream_settings *settings, uint32_t max)
{
    const struct memory *memory = &settings->memory;
    size_t buckets = 1;

    while (buckets < 2 * (size_t)max)
        buckets *= 2;
    *streams = (struct streams){
        .settings = settings,
        .all = memory_get(memory, max * sizeof *streams->all),
        .links = memory_get(memory, max * sizeof *streams->links),
        .due_ns = memory_get(memory, max * sizeof *streams->due_ns),
        .buckets = memory_get(memory, buckets * sizeof *streams->buckets),
        .max = max,
        .bucket_mask = buckets - 1,
        .unproven = {STREAMS_NONE, STREAMS_NONE},
        .proven = {STREAMS_NONE, STREAMS_NONE},
    };
    return streams->all == NULL || streams->links == NULL || streams->due_ns == NULL
            || streams->buckets == NULL ? PPREC_ENOMEM : 0;
}

void streams_fini(struct streams *streams)
{
    const struct memory *memory;

    if (streams->settings == NULL) /* streams_init() was not reached */
        return;
    memory = &streams->settings->memory;
    for (size_t i = 0; i < streams->count; i++)
        stream_free(streams->all[i]);
    memory_put(memory, streams->all);
    memory_put(memory, streams->links);
    memory_put(memory, streams->due_ns);
    memory_put(memory, streams->buckets);
}

/* Lengths that are constants cost a load; this is done for every packet. */
static bool same_source(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    if (a->port != b->port || a->ip != b->ip)
        return false;
    return a->ip == 4 ? memcmp(a->address, b->address, 4) == 0
                      : memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* FNV-1a's constants, word by word. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* What tells streams apart. */
static struct stream **bucket_of(const struct streams *streams,
                                 const struct pprec_endpoint *source, uint32_t id)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325),
                        (uint64_t)id << 32 | (uint64_t)source->port << 8 | source->ip);
    uint64_t words[2];
    uint32_t word;

    if (source->ip == 4) {
        memcpy(&word, source->address, sizeof word);
        return &streams->buckets[mix(hash, word) & streams->bucket_mask];
    }
    memcpy(words, source->address, sizeof words);
    return &streams->buckets[mix(mix(hash, words[0]), words[1]) & streams->bucket_mask];
}

static bool is(const struct stream *stream, const struct pprec_endpoint *source, uint32_t id)
{
    return stream->id == id && same_source(&stream->source, source);
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
    uint32_t newest = streams->proven.newest;
    struct stream *stream = newest != STREAMS_NONE ? streams->all[newest] : NULL;

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
    return stream->in_proven ? &streams->proven : &streams->unproven;
}

/* The neighbours of index, or the ends of the queue, shall point to these. */
static void join_up(struct streams *streams, struct streams_queue *queue,
                    const struct streams_links *links, uint32_t older, uint32_t newer)
{
    *(links->older != STREAMS_NONE ? &streams->links[links->older].newer : &queue->oldest) = newer;
    *(links->newer != STREAMS_NONE ? &streams->links[links->newer].older : &queue->newest) = older;
}

static void enqueue(struct streams *streams, struct stream *stream)
{
    struct streams_links *links = &streams->links[stream->index];
    struct streams_queue *queue;

    stream->in_proven = stream->proven;
    queue = queue_of(streams, stream);
    *links = (struct streams_links){.older = queue->newest, .newer = STREAMS_NONE};
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
    if (queue_of(streams, stream)->newest == stream->index && stream->in_proven == stream->proven)
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
    stream->index = streams->count++;
    streams->all[stream->index] = stream;
    streams->due_ns[stream->index] = stream->assembler.due_ns;
    stream->next_in_bucket = *bucket;
    *bucket = stream;
    enqueue(streams, stream);
    return stream;
}

struct stream *streams_surplus(struct streams *streams)
{
    uint32_t oldest;

    if (streams->count < streams->max)
        return NULL;
    while ((oldest = streams->unproven.oldest) != STREAMS_NONE && streams->all[oldest]->proven)
        streams_touch(streams, streams->all[oldest]); /* proven since it was last heard of */
    return streams->all[oldest != STREAMS_NONE ? oldest : streams->proven.oldest];
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
    move_last(streams, stream->index);
    stream_free(stream);
}

void streams_tick(struct streams *streams, uint8_t clock, int64_t now_ns)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        if (streams->due_ns[i] > now_ns)
            continue;
        assembler_tick(&streams->all[i]->assembler, clock, now_ns);
        streams->due_ns[i] = streams->all[i]->assembler.due_ns;
    }
}
