/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind struct pprec. */
#ifndef PPREC_LIB_HANDLE_H
#define PPREC_LIB_HANDLE_H

#include "common/error.h"
#include "pprec/lib/guard.h"
#include "pprec/lib/path.h"
#include "pprec/lib/source.h"
#include "pprec/lib/streams.h"
#include "pprec/source.h"

#include <stdbool.h>
#include <stdint.h>

struct pprec {
    bool entered; /* a function that changes the handle runs: see handle_enter() */
    struct stream_settings settings;
    struct memory_use memory; /* of this handle */
    struct keyed_hash hash;   /* of its tables */
    struct streams streams;
    struct paths paths;
    void (*on_summary)(void *user, const struct pprec_summary *summary);
    bool classic;
    struct guard *guard; /* NULL: no key */
    uint64_t foreign;
    uint64_t refused[PPREC_REASONS];
    uint64_t begun;            /* streams so far, those included that began anew */
    uint64_t pushed_out;       /* streams that went for want of room */
    uint64_t idled;            /* and those that were idle for too long */
    struct pprec_counts gone;  /* of those, and of streams before a reset */
    uint64_t dropped_seen;     /* of what the source dropped, until now */
    uint64_t dropped_marked;   /* until the last interval report */
    uint64_t dropped_unmissed; /* and that no stream has missed yet */
    unsigned looks_since_dropped;
    uint8_t clock;   /* of the last arrival */
    int64_t time_ns; /* of the last arrival or record */
    struct handle_clock {
        bool started;
        int64_t looked_ns; /* when trains were last looked over */
        int64_t newest_ns;
        int64_t passed_ns; /* on it, as streams.now_ns */
    } clocks[PPREC_CLOCK_OTHER + 1];
    struct error error;
    struct error *why; /* the same, for who asks and may change nothing else */

    unsigned expect; /* bits of kinds; all, unless some were asked for */
    bool expect_asked;
    struct pprec_capture_counts captured;
    uint64_t captured_bytes;
    struct source *source;    /* NULL: arrivals are pushed by the caller */
    struct flows *flows;      /* of media packets that the caller pushes; NULL: none yet */
    uint8_t abs_send_time_id; /* 0: to be found */
    bool late;                /* packets that were held come: time has passed them by */
    bool counted;             /* their path counts them by itself */
};

/* Every public function that changes the handle begins so, and ends with handle_leave(): from
 * one of them callbacks are called, and another inside a callback would change what the first
 * is about. 0, or PPREC_ENESTED with the error's text set: nothing may be done then. */
int handle_enter(struct pprec *pprec);

/* Returns the status it is given. */
static inline int handle_leave(struct pprec *pprec, int status)
{
    pprec->entered = false;
    return status;
}

/* Sets the error's text as printf() would; the status it is given. */
#define handle_fail(pprec, status, ...) (error_set(&(pprec)->error, __VA_ARGS__), (status))

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

/* Asks the source what it dropped, before streams count what they miss. */
void handle_note_dropped(struct pprec *pprec);

#endif
