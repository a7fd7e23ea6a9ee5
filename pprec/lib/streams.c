/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include <stdlib.h>
#include <string.h>

int streams_init(struct streams *streams, const struct stream_settings *settings, size_t max)
{
    size_t buckets = 1;

    while (buckets < max)
        buckets *= 2;
    *streams = (struct streams){
        .settings = settings,
        .all = calloc(max, sizeof *streams->all),
        .buckets = calloc(buckets, sizeof *streams->buckets),
        .max = max,
        .bucket_mask = buckets - 1,
    };
    return streams->all == NULL || streams->buckets == NULL ? PPREC_ENOMEM : 0;
}

void streams_fini(struct streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        stream_free(streams->all[i]);
    free(streams->all);
    free(streams->buckets);
}

/* Lengths that are constants cost a load; this is done for every packet. */
static bool same_source(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    if (a->port != b->port || a->ip != b->ip)
        return false;
    return a->ip == 4 ? memcmp(a->address, b->address, 4) == 0
                      : memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* What tells streams apart, mixed word by word with the constants of FNV-1a. */
static struct stream **bucket_of(const struct streams *streams,
                                 const struct pprec_endpoint *source, uint32_t id)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    uint64_t words[4] = {0, 0, id, (uint64_t)source->port << 8 | source->ip};

    if (source->ip == 4)
        memcpy(words, source->address, 4);
    else
        memcpy(words, source->address, sizeof source->address);
    for (size_t i = 0; i < 4; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    return &streams->buckets[hash & streams->bucket_mask];
}

static bool is(const struct stream *stream, const struct pprec_endpoint *source, uint32_t id)
{
    return stream->id == id && same_source(&stream->source, source);
}

/* Mostly it is the one heard last. */
struct stream *streams_find(const struct streams *streams,
                            const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = streams->proven.newest;

    if (stream != NULL && is(stream, source, id))
        return stream;
    stream = *bucket_of(streams, source, id);
    while (stream != NULL && !is(stream, source, id))
        stream = stream->next_in_bucket;
    return stream;
}

static struct streams_queue *queue_of(struct streams *streams, const struct stream *stream)
{
    return stream->in_proven ? &streams->proven : &streams->unproven;
}

static void enqueue(struct streams *streams, struct stream *stream)
{
    struct streams_queue *queue;

    stream->in_proven = stream->proven;
    queue = queue_of(streams, stream);
    stream->newer = NULL;
    stream->older = queue->newest;
    *(queue->newest != NULL ? &queue->newest->newer : &queue->oldest) = stream;
    queue->newest = stream;
}

static void dequeue(struct streams *streams, struct stream *stream)
{
    struct streams_queue *queue = queue_of(streams, stream);

    *(stream->older != NULL ? &stream->older->newer : &queue->oldest) = stream->newer;
    *(stream->newer != NULL ? &stream->newer->older : &queue->newest) = stream->older;
}

void streams_touch(struct streams *streams, struct stream *stream)
{
    if (stream->newer == NULL && stream->in_proven == stream->proven)
        return; /* as most packets find it */
    dequeue(streams, stream);
    enqueue(streams, stream);
}

struct stream *streams_add(struct streams *streams, const struct pprec_endpoint *source,
                           uint32_t id)
{
    struct stream *stream = stream_new(streams->settings, source, id);
    struct stream **bucket = bucket_of(streams, source, id);

    if (stream == NULL)
        return NULL;
    stream->index = streams->count;
    streams->all[streams->count++] = stream;
    stream->next_in_bucket = *bucket;
    *bucket = stream;
    enqueue(streams, stream);
    return stream;
}

struct stream *streams_surplus(struct streams *streams)
{
    struct stream *oldest;

    if (streams->count < streams->max)
        return NULL;
    while ((oldest = streams->unproven.oldest) != NULL && oldest->proven)
        streams_touch(streams, oldest); /* it was proven after it was last heard of */
    return oldest != NULL ? oldest : streams->proven.oldest;
}

void streams_remove(struct streams *streams, struct stream *stream)
{
    struct stream **link = bucket_of(streams, &stream->source, stream->id);

    while (*link != stream)
        link = &(*link)->next_in_bucket;
    *link = stream->next_in_bucket;
    dequeue(streams, stream);
    streams->all[stream->index] = streams->all[--streams->count];
    streams->all[stream->index]->index = stream->index;
    stream_free(stream);
}
