/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind struct pprec, for those who keep it: all others see intake.h, or are given the
 * part that they want. */
#ifndef PPREC_LIB_HANDLE_H
#define PPREC_LIB_HANDLE_H

#include "pprec/lib/intake.h"
#include "pprec/lib/path.h"
#include "pprec/lib/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprec {
    struct intake intake;
    struct stream_settings settings;
    struct memory_use memory; /* of this handle */
    struct keyed_hash hash;   /* of its tables */
    struct streams streams;
    struct paths paths;
    void (*on_summary)(void *user, const struct pprec_summary *summary);
    uint64_t begun;            /* streams so far, those included that began anew */
    uint64_t pushed_out;       /* streams that went for want of room */
    uint64_t idled;            /* and those that were idle for too long */
    struct pprec_counts gone;  /* of those, and of streams before a reset */
    uint64_t dropped_seen;     /* of what the source dropped, until now */
    uint64_t dropped_marked;   /* until the last interval report */
    uint64_t dropped_unmissed; /* and that no stream has missed yet */
    unsigned looks_since_dropped;
    struct stream *tight[STREAM_TIGHT_MOST]; /* as struct stream_settings has them */
    uint8_t clock;                           /* of the last arrival */
    struct handle_clock {
        bool started;
        int64_t looked_ns; /* when trains were last looked over */
        int64_t newest_ns;
        int64_t passed_ns; /* on it, as streams.now_ns */
    } clocks[PPREC_CLOCK_OTHER + 1];
    struct error *why; /* the intake's, for who asks and may change nothing else */
};

_Static_assert(offsetof(struct pprec, intake) == 0, "intake_of() finds it there");

/* NULL when there is none, which the handle's error says then. */
struct stream *handle_find_stream(const struct pprec *pprec, const struct pprec_endpoint *source,
                                  uint32_t id);

/* The stream begins, or begins anew: its number, and the handle's counts from which its first
 * interval is counted. */
void handle_number_stream(struct pprec *pprec, struct stream *stream, uint64_t dropped_here);

/* Fills in what does not belong to the stream. */
void handle_complete_summary(const struct pprec *pprec, struct pprec_summary *summary);

/* Tells what is in flight, and the summary. */
void handle_end_stream(const struct pprec *pprec, struct stream *stream);

/* Keeps paths from now on, of the streams that there are already, too. 0 or PPREC_ENOMEM. */
int handle_want_paths(struct pprec *pprec);

#endif
