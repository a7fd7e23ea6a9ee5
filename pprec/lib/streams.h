/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams of a handle: found by source and id, and bounded in number. */
#ifndef PPREC_LIB_STREAMS_H
#define PPREC_LIB_STREAMS_H

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
};

struct streams {
    const struct stream_settings *settings;
    struct stream **all; /* [count], room for max */
    struct streams_links *links; /* of each */
    int64_t *due_ns; /* of each: as its assembler's, in a row to be looked over */
    struct stream **buckets;
    uint32_t count;
    uint32_t max;
    size_t bucket_mask;
    /* A flood of made-up stream ids must not push out a measurement: streams
     * without a usable train go first. */
    struct streams_queue unproven, proven;
};

/* 0 or PPREC_ENOMEM. settings stay the caller's. */
int streams_init(struct streams *streams, const struct stream_settings *settings, uint32_t max);
void streams_fini(struct streams *streams);

/* NULL when there is none. */
struct stream *streams_find(const struct streams *streams,
                            const struct pprec_endpoint *source, uint32_t id);

/* Where in the table streams_find() will look, being fetched: for those who know what
 * comes next. */
struct stream *const *streams_place(const struct streams *streams,
                                    const struct pprec_endpoint *source, uint32_t id);

/* Adds one; there must be room for it. NULL when memory runs out. */
struct stream *streams_add(struct streams *streams, const struct pprec_arrival *arrival);

/* The stream to give up when there is no room; NULL as long as there is. */
struct stream *streams_surplus(struct streams *streams);

/* Takes the stream out and frees it. */
void streams_remove(struct streams *streams, struct stream *stream);

/* The stream has just been heard of. */
void streams_touch(struct streams *streams, struct stream *stream);

/* It is now_ns on that clock: ends trains stamped by it that will not complete. */
void streams_tick(struct streams *streams, uint8_t clock, int64_t now_ns);

#endif
