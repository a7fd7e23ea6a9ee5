/* SPDX-License-Identifier: BSD-3-Clause */
/* One stream: its assembler, its filter and its figures. */
#ifndef PPREC_LIB_STREAM_H
#define PPREC_LIB_STREAM_H

#include "common/layer.h"
#include "common/stamp.h"
#include "filters/filter.h"
#include "filters/rates.h"
#include "pprec/core.h"
#include "pprec/lib/assembler.h"
#include "pprec/lib/frames.h"
#include "pprec/lib/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path;

/* What the streams of a handle have in common. */
struct stream_settings {
    struct memory memory;
    struct layer layer;
    const struct filter *filter;
    unsigned window;
    bool whole_window; /* taken with the first train */
    double *scratch;   /* [window] */
    unsigned train_length; /* 0: any */
    uint64_t *dropped_here; /* as struct assembler has them */
    uint64_t *strangers;
    void *user;
    void (*on_train)(void *user, const struct pprec_train *train);
    void (*on_estimate)(void *user, const struct pprec_change *change);
    double estimate_change; /* as struct pprec_config has them */
    int64_t estimate_interval_ns;
};

/* What on_estimate was told last, and of which train. */
struct stream_told {
    bool any;
    struct estimate estimate;
    int64_t time_ns;
};

/* Streams rank by how long usable trains of them have come: 0 for none, 1 for less than 2 s,
 * 2 for less than 4 s, and so on. */
enum { STREAM_RANKS = 16 };

/* From 2 on, after how long that rank begins. */
static inline int64_t stream_rank_ns(unsigned rank)
{
    return 2 * STAMP_NS_PER_S << (rank - 2);
}

/* What packets and trains touch comes first: see stream_fetch(). */
struct stream {
    struct pprec_endpoint source;
    uint32_t id;
    struct stream *next_in_bucket; /* held by struct streams, as is ... */
    uint32_t index;
    uint8_t queued; /* the rank whose queue it stands in */
    uint8_t rank;
    uint8_t timestamps; /* the least trustworthy source so far */
    bool jitter_known;
    uint8_t jitter_clock;
    bool measures; /* its path knows that it has a usable train */
    enum pprec_kind kind;
    unsigned window; /* of rates and filter: it may grow to the settings' */
    uint32_t told_lost; /* of the counts, wrapped, to its path */
    void *filter_state;
    const struct stream_settings *settings;
    struct assembler assembler;
    struct rates rates;
    struct frames *frames; /* of RTP; else NULL */
    struct pprec_counts counts;
    struct estimate estimate; /* after the last train */
    int64_t last_ns;
    struct path *path; /* path.h; NULL: nobody asked for it, or there was no memory */

    /* RFC 3550, section 6.4.1, between the first packets of trains */
    int64_t jitter_transit_ns;
    int64_t jitter_ns;

    int64_t first_ns;
    int64_t usable_ns;   /* its last usable train */
    int64_t measured_ns; /* for how long they have come: see count_usable() */
    struct origin *origin; /* of its address; held by struct streams */
    int64_t converge_ns; /* when the estimate first was sure */
    struct pprec_endpoint destination; /* of its first packet */
    struct stream_told told;
    uint64_t number;        /* of all that the handle ever had; the owner's, as are ... */
    uint64_t begun_foreign; /* ... the handle's counts when it began */
    uint64_t begun_dropped;
};

/* The stream that begins with this arrival, which it does not take yet. NULL when
 * memory runs out. settings stay the caller's. */
struct stream *stream_new(const struct stream_settings *settings,
                          const struct pprec_arrival *arrival);
void stream_free(struct stream *stream);

/* As a new one, under its name; it allocates nothing, and keeps its rank. */
void stream_reset(struct stream *stream);

/* Among thousands of streams one is in no cache: its lines, all at once, cost little
 * more than the first of them. Then, with those at hand, what they lead to. */
static inline void stream_fetch(const struct stream *stream)
{
    for (size_t i = 0; i < offsetof(struct stream, first_ns); i += 64)
        __builtin_prefetch((const char *)stream + i, 1);
}

static inline void stream_fetch_rest(const struct stream *stream)
{
    __builtin_prefetch(stream->filter_state, 1);
    __builtin_prefetch(stream->assembler.packets, 1);
    __builtin_prefetch(&stream->rates.ring[stream->rates.oldest], 1);
}

/* As assembler_push(); PPREC_ENOMEM also when the window cannot grow, and the packet
 * is not taken then. */
int stream_push(struct stream *stream, const struct pprec_arrival *arrival);

/* The estimate after the last train: cheap enough to be asked for every packet. */
struct pprec_capacity stream_capacity(const struct stream *stream);

/* An estimate of its path as it is told: what is in doubt of the stream is of the path. NULL: as it is. */
struct pprec_capacity stream_told(const struct stream *stream, const struct estimate *estimate);

/* Everything but what belongs to the handle: foreign, dropped_here. */
void stream_summary(const struct stream *stream, struct pprec_summary *summary);

/* Adds the stream's counts to those of others. */
void stream_add_counts(const struct stream *stream, struct pprec_counts *counts);

/* Makes a whole summary, the handle's counts included, one since the last call with the cursor,
 * which may be another stream's, or new: since the stream began. */
void stream_interval(const struct stream *stream, struct pprec_cursor *cursor,
                     struct pprec_summary *summary);

#endif
