/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library's callbacks tell, kept as rows for numpy: a call of Python for each train would
 * cost more than the train. Rows begin with the library's own struct, as it was at build.
 *
 * One sink serves one handle. Nothing here knows of Python, so nothing needs its lock. */
#ifndef SINK_H
#define SINK_H

#include <pprec/pprec.h>

enum sink_kind { SINK_TRAINS, SINK_PACKETS, SINK_SUMMARIES, SINK_CHANGES, SINK_CONGESTION, SINK_KINDS };

struct sink_train {
    struct pprec_train train;
    uint64_t first_packet; /* number of its first packet among all that were kept */
};

struct sink_packet {
    struct pprec_packet packet;
    uint64_t train_row; /* number of its train among all that were kept */
};

/* Of one kind: count rows from `rows`; missed are those past most, or for which memory ran out. */
struct sink_rows {
    char *rows;
    size_t row_bytes;
    size_t count;
    size_t room;
    size_t most;
    uint64_t missed;
    uint64_t taken; /* rows that were handed over before those that are here */
};

struct sink {
    struct sink_rows of[SINK_KINDS]; /* most 0: not wanted */
};

/* All zero. most: rows of a kind, 0 for those that are not wanted. */
void sink_init(struct sink *sink, const size_t *most);

/* Sets the callbacks of a configuration, which come to the sink as user. */
void sink_attach(struct sink *sink, struct pprec_config *config);

/* Hands over the rows of a kind, to be freed with sink_release(), and begins anew. */
char *sink_take(struct sink *sink, enum sink_kind kind, size_t *count);
void sink_release(char *rows);
void sink_fini(struct sink *sink);

#endif
