/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of a handle: what streams of one source and one destination have in common. A stream
 * belongs to the path of its first packet, and a path lives as long as it has streams. Nobody keeps
 * paths before somebody asks for them. Packets of media count as they come, those of others with
 * what their stream makes of them.
 *
 * Intervals begin with a packet, are of equal length on the time that passes for streams, and end
 * in the order that they began in: one look tells whether any is over. */
#ifndef PPREC_LIB_PATH_H
#define PPREC_LIB_PATH_H

#include "common/keyed_hash.h"
#include "filters/filter.h"
#include "pprec/lib/memory.h"
#include "pprec/lib/missing.h"
#include "pprec/lib/queueing.h"
#include "pprec/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct stream_settings;
struct paths;

struct path {
    struct paths *paths;
    struct pprec_endpoint source, destination;
    struct path *next_in_bucket;
    uint32_t streams;
    struct path *lone_older, *lone_newer; /* without any, among those ... */
    int64_t heard_passed_ns;              /* ... by when a packet came last */

    /* What goes on in the interval that is open */
    bool open;
    int64_t begun_passed_ns; /* on the time of streams, and ... */
    int64_t begun_ns;        /* ... on the clock of arrivals */
    uint64_t packets, lost;
    struct path *older, *newer; /* among those with open intervals */

    /* Delays, of one pair of clocks */
    struct queueing *queueing; /* NULL: no packet told when it left */
    uint8_t clock;             /* of the arrivals, and ... */
    enum pprec_kind kind;      /* ... whose the departures are */
    uint32_t stream;
    int64_t timed_passed_ns; /* when it told last */

    /* Capacity */
    uint32_t measuring;        /* streams with usable trains ... */
    const struct stream *best; /* ... of which this tells most; NULL: ask the next */
    void *filter_state;        /* of all their trains; NULL */
    enum pprec_kind filter_kind;
    int64_t filter_ns; /* the newest of them */
    struct estimate estimate;
    struct path *filter_older, *filter_newer; /* among those with filters */
};

struct paths {
    const struct stream_settings *settings; /* NULL: nobody asked for paths */
    const struct keyed_hash *hash;
    const int64_t *passed_ns; /* the time that passes for streams */
    int64_t now_ns;           /* the same on the clock of arrivals: the owner's to set */
    int64_t interval_ns;
    bool busy; /* beginning or ending: memory functions of the user may ask in between */
    void (*on_congestion)(void *user, const struct pprec_congestion *congestion);
    struct path **buckets;
    size_t bucket_mask;
    struct path *oldest, *newest; /* with open intervals, by when these began */
    struct path *filters;         /* with filters, the newest first */
    struct path *lone_oldest, *lone_newest;
    uint32_t lone, lone_most;
    uint64_t dropped_unmissed; /* packets that this host dropped and nobody has missed yet, of those
                                  that paths count; the owner's to add to */
};

/* What is wanted whether or not anybody asks for paths. on_congestion may be NULL. */
struct paths paths_of(int64_t interval_ns,
                      void (*on_congestion)(void *user, const struct pprec_congestion *));

/* Somebody asks for paths, of so many streams at most. 0 or PPREC_ENOMEM. All that is pointed to
 * stays the caller's. */
int paths_start(struct paths *paths, const struct stream_settings *settings, uint32_t streams_max,
                const struct keyed_hash *hash, const int64_t *passed_ns);
void paths_fini(struct paths *paths);

static inline bool paths_wanted(const struct paths *paths)
{
    return paths->settings != NULL;
}

/* NULL when there is none. */
struct path *paths_find(const struct paths *paths, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination);

/* The stream is new: it belongs to the path from its source to there, if that finds memory, and
 * until it leaves. */
void paths_join(struct paths *paths, struct stream *stream, const struct pprec_endpoint *destination);
void paths_leave(struct stream *stream);

/* A packet of media came, whether or not any stream takes it. Its path is kept without streams, too:
 * as many as there may be streams, those heard last, and for five minutes. */
void paths_count(struct paths *paths, const struct pprec_arrival *arrival, struct missing_news news);

/* The stream has taken an arrival, as stream_push() told, and counts so many packets more: what
 * paths_count() was told is left out. */
void paths_take(struct stream *stream, const struct pprec_arrival *arrival, int taken, uint64_t packets);

/* The stream has a train, measured but not told to its filter. */
void paths_push(struct stream *stream, const struct sample *sample);

/* Trains of the stream may be over: what they missed is told. */
void paths_note_losses(struct stream *stream);

/* The train has been told to the stream's filter. */
void paths_note(struct stream *stream);

/* All is forgotten about the stream, so what its path has learned is, too. */
void paths_reset(struct stream *stream);

struct pprec_capacity paths_capacity(const struct path *path);

/* Tells about intervals that are over; about all. */
void paths_end_due(struct paths *paths);
void paths_end_all(struct paths *paths);

/* Frees a filter, for what needs its memory more. False: there was none. */
bool paths_give_up(struct paths *paths);

/* --- Between path.c, who belongs to a path, and congestion.c, what its packets meet --- */

/* The arrival's path, kept without streams if it has none, as the one heard last. NULL where there
 * is no memory to spare. */
struct path *paths_find_or_add(struct paths *paths, const struct pprec_arrival *arrival);

/* Those without streams that have been idle for too long go. */
void paths_forget_idle(struct paths *paths);

/* Its interval, which is open, has lasted until now. */
void path_end_early(struct path *path);

/* Its estimate may have changed, and it has delays. */
void path_note_capacity(struct path *path);

#endif
