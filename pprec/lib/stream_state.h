/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of a stream. */
#ifndef PPREC_LIB_STREAM_STATE_H
#define PPREC_LIB_STREAM_STATE_H

#include "common/layer.h"
#include "common/stamp.h"
#include "filters/filter.h"
#include "filters/rates.h"
#include "pprec/core.h"
#include "pprec/source.h"
#include "pprec/lib/assembly.h"
#include "pprec/lib/frames.h"
#include "pprec/lib/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path;
struct stream_reach;
struct stream_free;

/* What is told of the tight link takes up to 0.1 s, and a page of metrics tells it of each stream: whoever makes up
 * many must not cost as much for each. */
enum { STREAM_TIGHT_MOST = 16 };

/* What the streams of a handle have in common. */
struct stream_settings {
    struct memory memory;
    struct layer layer;
    const struct filter *filter;
    unsigned window;
    bool whole_window;      /* taken with the first train */
    bool keyed;             /* tags vouch for probes */
    double *scratch;        /* [window] */
    unsigned train_length;  /* 0: any */
    uint64_t *dropped_here; /* packets that this host dropped and no stream has missed yet */
    uint64_t *strangers;    /* as struct assembler has them */
    struct stream **tight;  /* [STREAM_TIGHT_MOST] that keep paced trains for it; NULL: a free place */
    void *user;
    void (*on_train)(void *user, const struct pprec_train *train);
    void (*on_estimate)(void *user, const struct pprec_change *change);
    double estimate_change; /* as struct pprec_config has them */
    int64_t estimate_interval_ns;
    uint32_t file; /* of a capture: which is read */
    struct pprec_capture_counts *captured;
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

/* Trains that a window begins with, where that of the settings takes much. */
enum { STREAM_WINDOW_FIRST = 16 };

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
    uint32_t place; /* among those that have their name, or STREAMS_NONE */
    uint8_t queued; /* the rank whose queue it stands in */
    uint8_t rank;
    uint8_t timestamps; /* the least trustworthy source so far */
    bool jitter_known;
    uint8_t jitter_clock;
    bool measures;    /* its path knows that it has a usable train */
    bool counted;     /* its path counts its packets without it */
    bool located : 1; /* it has trains for reach */
    bool longest : 1; /* one of its trains has as many packets as any may have */
    enum pprec_kind kind;
    unsigned window;    /* of rates and filter: it may grow to the settings' */
    uint32_t told_lost; /* of the counts, wrapped, to its path */
    uint32_t repeating; /* the file that has again what one before it had, and 1; 0: none */
    void *filter_state;
    const struct stream_settings *settings;
    struct assembler assembler;
    struct rates rates;
    struct frames *frames;         /* of RTP; else NULL */
    struct stream_free *available; /* available.h; NULL: it has none */
    struct stream_reach *reach;    /* once a train of it had inner packets that were to die; else NULL */
    struct pprec_counts counts;
    struct estimate estimate; /* after the last train */
    int64_t last_ns;
    struct path *path; /* path.h; NULL: nobody asked for it, or there was no memory */

    /* RFC 3550, section 6.4.1, between the first packets of trains */
    int64_t jitter_transit_ns;
    int64_t jitter_ns;

    int64_t first_ns;
    int64_t usable_ns;                 /* its last usable train */
    int64_t measured_ns;               /* for how long they have come: see count_usable() */
    struct origin *origin;             /* of its address; held by struct streams */
    int64_t converge_ns;               /* when the estimate first was sure */
    struct pprec_endpoint destination; /* of its first packet */
    uint32_t first_file, last_file;    /* of its packets */
    uint32_t since_train;              /* the files so far have it from there on without a break */
    struct stream_told told;
    uint64_t number;        /* of all that the handle ever had; the owner's, as are ... */
    uint64_t begun_foreign; /* ... the handle's counts when it began */
    uint64_t begun_dropped;
};

/* Whether nobody else can have made up streams of that kind; that stream. */
static inline bool stream_vouched_kind(const struct stream_settings *settings, enum pprec_kind kind)
{
    return settings->keyed && kind == PPREC_KIND_PROBE;
}

static inline bool stream_is_vouched(const struct stream *stream)
{
    return stream_vouched_kind(stream->settings, stream->kind);
}

#endif
