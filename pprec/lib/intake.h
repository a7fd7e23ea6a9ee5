/* SPDX-License-Identifier: BSD-3-Clause */
/* What those see of a handle who bring it packets: sources, readers of formats, recognisers. Streams,
 * paths and the passing of time are behind them (handle.h). */
#ifndef PPREC_LIB_INTAKE_H
#define PPREC_LIB_INTAKE_H

#include "common/error.h"
#include "common/keyed_hash.h"
#include "pprec/lib/guard.h"
#include "pprec/lib/memory.h"
#include "pprec/lib/source.h"
#include "pprec/source.h"

#include <stdbool.h>
#include <stdint.h>

/* The first member of every handle. */
struct intake {
    bool entered;                  /* a function that changes the handle runs: see handle_enter() */
    const struct memory *memory;   /* of the handle */
    const struct keyed_hash *hash; /* of its tables */

    unsigned expect; /* bits of kinds; all, unless some were asked for */
    bool expect_asked;
    uint8_t abs_send_time_id; /* 0: to be found */
    unsigned classic_length;  /* of trains in the classic format; 0: the format is version 1 */
    struct guard *guard;      /* NULL: no key */

    struct source *source; /* NULL: arrivals are pushed by the caller */
    struct flows *flows;   /* of media packets that the caller pushes; NULL: none yet */
    bool late;             /* packets that were held come: time has passed them by */
    bool counted;          /* their path counts them by itself */
    int64_t time_ns;       /* of the last arrival or record */

    uint64_t foreign;
    uint64_t refused[PPREC_REASONS];
    struct pprec_capture_counts captured;
    struct error error;
};

static inline struct intake *intake_of(struct pprec *pprec)
{
    return (struct intake *)pprec;
}

static inline const struct intake *intake_seen(const struct pprec *pprec)
{
    return (const struct intake *)pprec;
}

/* Every public function that changes the handle begins so, and ends with handle_leave(): from
 * one of them callbacks are called, and another inside a callback would change what the first
 * is about. 0, or PPREC_ENESTED with the error's text set: nothing may be done then. */
int handle_enter(struct pprec *pprec);

/* Returns the status it is given. */
static inline int handle_leave(struct pprec *pprec, int status)
{
    intake_of(pprec)->entered = false;
    return status;
}

/* Sets the error's text as printf() would; the status it is given. */
#define handle_fail(pprec, status, ...) (error_set(&intake_of(pprec)->error, __VA_ARGS__), (status))

/* Of what a program pushes: NULL is no packet, and no source. */
static inline int handle_want(struct pprec *pprec, bool given)
{
    if (given)
        return PPREC_OK;
    intake_of(pprec)->foreign++;
    return handle_fail(pprec, PPREC_EINVAL, "NULL: want a packet, and where it came from");
}

/* Asks the source what it dropped, before streams count what they miss. */
void handle_note_dropped(struct pprec *pprec);

/* What comes from now on is of this file of a capture. */
void handle_begin_file(struct pprec *pprec, uint32_t file);

#endif
