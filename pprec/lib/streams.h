/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams of a handle: found by source, id and kind, and bounded in number.
 *
 * Source and id are a stream's name for users. Whoever makes up streams may give them the name of
 * another's, but for their kind: of those the one that has measured longest has the name, and a
 * stream of tagged probes always.
 *
 * Whoever sends to an open port can make up streams. What has measured keeps its place
 * against them: a stream gives way to a new one only when it has been idle for two seconds,
 * or, where its trains have come for longer than that, about half as long as they came;
 * of those that may go the one of the lowest rank (stream.h) goes, the longest idle first. */
#ifndef PPREC_LIB_STREAMS_H
#define PPREC_LIB_STREAMS_H

#include "common/keyed_hash.h"
#include "pprec/lib/endpoint.h"
#include "pprec/lib/origins.h"
#include "pprec/lib/stream.h"

#include <stddef.h>

/* Streams by how long they have been idle: indices, STREAMS_NONE at the ends. The
 * links stand apart from the streams, whose neighbours need not be fetched then. */
#define STREAMS_NONE UINT32_MAX

struct streams_queue {
    uint32_t oldest, newest;
};

struct streams_links {
    uint32_t older, newer;
    int64_t heard_ns; /* when it was heard of last */
};

struct streams_bounds {
    uint32_t streams;    /* of all sources */
    uint32_t of_address; /* the same: no bound */
    int64_t idle_ns;     /* after which a stream ends; 0: never */
};

struct streams {
    const struct stream_settings *settings;
    struct stream **all;         /* [count], room for max */
    struct stream **named;       /* [named_count], those that have their name, likewise */
    struct streams_links *links; /* of each */
    int64_t *due_ns;             /* of each: as its assembler's, in a row to be looked over */
    struct stream **buckets;
    uint32_t count, named_count;
    struct streams_bounds bounds;
    size_t bucket_mask;
    const struct keyed_hash *hash;
    struct origins origins;
    struct streams_queue ranks[STREAM_RANKS];
    uint32_t newest; /* heard of; STREAMS_NONE */
    int64_t now_ns;  /* time that has passed since the handle was made: the owner's to set */
};

/* 0 or PPREC_ENOMEM; streams_fini() in any case. settings and hash stay the caller's. */
int streams_init(struct streams *streams, const struct stream_settings *settings,
                 struct streams_bounds bounds, const struct keyed_hash *hash);
void streams_fini(struct streams *streams);

/* As streams_find(), in the table. */
struct stream *streams_look_up(const struct streams *streams, const struct pprec_endpoint *source,
                               uint32_t id, enum pprec_kind kind);

/* NULL when there is none. Mostly it is the one heard last. */
static inline struct stream *streams_find(const struct streams *streams, const struct pprec_endpoint *source,
                                          uint32_t id, enum pprec_kind kind)
{
    struct stream *stream =
        streams->count > 0 && streams->newest != STREAMS_NONE ? streams->all[streams->newest] : NULL;

    return stream != NULL && stream->id == id && stream->kind == kind
            && endpoint_same(&stream->source, source)
        ? stream
        : streams_look_up(streams, source, id, kind);
}

/* The numbers that a stream has come to, for who numbers its packets. */
struct streams_numbers {
    uint32_t train;     /* the newest, ... */
    uint32_t first_seq; /* ... its first packet, and ... */
    uint32_t next_seq;  /* ... that after the newest of all */
};

/* False, and nothing told, when there is no such stream. */
bool streams_tell_numbers(const struct streams *streams, const struct pprec_endpoint *source, uint32_t id,
                          enum pprec_kind kind, struct streams_numbers *numbers);

/* The one that has that name; NULL. */
struct stream *streams_named(const struct streams *streams, const struct pprec_endpoint *source, uint32_t id);

/* Where in the table streams_find() will look, being fetched: for those who know what
 * comes next. */
struct stream *const *streams_place(const struct streams *streams, const struct pprec_endpoint *source,
                                    uint32_t id);

/* Adds one; there must be room for it. NULL when memory runs out. */
struct stream *streams_add(struct streams *streams, const struct pprec_arrival *arrival);

/* Whether there is no room for another; for another of this address. */
bool streams_full(const struct streams *streams);
bool streams_crowded(const struct streams *streams, const struct pprec_endpoint *source);

/* The stream that gives way to another, other than keep; of this address. NULL: none does. */
struct stream *streams_surplus(struct streams *streams, const struct stream *keep);
struct stream *streams_surplus_of(struct streams *streams, const struct pprec_endpoint *source);

/* A stream that has been idle for so long that it ends; NULL. */
struct stream *streams_idle(struct streams *streams);

/* Takes the stream out and frees it. */
void streams_remove(struct streams *streams, struct stream *stream);

/* The stream has another rank, was not the one of its rank heard of last, or has no name. */
void streams_move_up(struct streams *streams, struct stream *stream);

/* When a train of it may want to be ended has changed: streams_tick() looks at the row alone. */
static inline void streams_note_due(struct streams *streams, const struct stream *stream)
{
    streams->due_ns[stream->index] = stream->assembler.due_ns;
}

/* The stream has just been heard of. */
static inline void streams_touch(struct streams *streams, struct stream *stream)
{
    streams_note_due(streams, stream);
    streams->links[stream->index].heard_ns = streams->now_ns;
    streams->newest = stream->index;
    if (streams->ranks[stream->queued].newest != stream->index || stream->queued != stream->rank
        || stream->place == STREAMS_NONE)
        streams_move_up(streams, stream);
}

/* It is now_ns on that clock: ends trains stamped by it that will not complete. */
void streams_tick(struct streams *streams, uint8_t clock, int64_t now_ns);

#endif
