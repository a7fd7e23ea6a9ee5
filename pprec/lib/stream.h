/* SPDX-License-Identifier: BSD-3-Clause */
/* One stream: its assembler, its filter and its figures. */
#ifndef PPREC_LIB_STREAM_H
#define PPREC_LIB_STREAM_H

#include "pprec/lib/stream_state.h"
#include "pprec/lib/stream_told.h"

#include <stddef.h>

/* The stream that begins with this arrival, which it does not take yet. NULL when
 * memory runs out. settings stay the caller's. */
struct stream *stream_new(const struct stream_settings *settings, const struct pprec_arrival *arrival);
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

/* Everything but what belongs to the handle: foreign, dropped_here. */
void stream_summary(const struct stream *stream, struct pprec_summary *summary);

/* Adds the stream's counts to those of others. */
void stream_add_counts(const struct stream *stream, struct pprec_counts *counts);

/* Makes a whole summary, the handle's counts included, one since the last call with the cursor,
 * which may be another stream's, or new: since the stream began. */
void stream_interval(const struct stream *stream, struct pprec_cursor *cursor, struct pprec_summary *summary);

#endif
