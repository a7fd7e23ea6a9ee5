/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of sink.h: a header, because cffi compiles one file. */
#ifndef SINK_CODE_H
#define SINK_CODE_H

#include "sink.h"

#include <stdlib.h>
#include <string.h>

enum { SINK_ROOM_FIRST = 64 };

void sink_init(struct sink *sink, const size_t *most)
{
    static const size_t row_bytes[SINK_KINDS] = {sizeof(struct sink_train), sizeof(struct sink_packet),
                                                 sizeof(struct pprec_summary), sizeof(struct pprec_change),
                                                 sizeof(struct pprec_congestion)};

    memset(sink, 0, sizeof *sink);
    for (int kind = 0; kind < SINK_KINDS; kind++) {
        sink->of[kind].row_bytes = row_bytes[kind];
        sink->of[kind].most = most[kind];
    }
}

static int sink_grow(struct sink_rows *of)
{
    size_t room = of->room > 0 ? 2 * of->room : SINK_ROOM_FIRST;
    char *rows = room <= SIZE_MAX / of->row_bytes ? realloc(of->rows, room * of->row_bytes) : NULL;

    if (rows == NULL)
        return -1;
    of->rows = rows;
    of->room = room;
    return 0;
}

/* Room for a row, or NULL. */
static void *sink_row(struct sink_rows *of)
{
    if (of->count >= of->most || (of->count == of->room && sink_grow(of) < 0)) {
        of->missed++;
        return NULL;
    }
    return of->rows + of->count++ * of->row_bytes;
}

static void sink_copy(struct sink_rows *of, const void *told)
{
    void *row = sink_row(of);

    if (row != NULL)
        memcpy(row, told, of->row_bytes);
}

static void sink_packets(struct sink_rows *of, const struct pprec_train *train, uint64_t train_row)
{
    struct pprec_packet packet;

    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++) {
        struct sink_packet *row = sink_row(of);

        if (row != NULL)
            *row = (struct sink_packet){.packet = packet, .train_row = train_row};
    }
}

static void sink_on_train(void *user, const struct pprec_train *train)
{
    struct sink_rows *trains = &((struct sink *)user)->of[SINK_TRAINS];
    struct sink_rows *packets = &((struct sink *)user)->of[SINK_PACKETS];
    struct sink_train *row = sink_row(trains);

    if (row == NULL)
        return;
    *row = (struct sink_train){.train = *train, .first_packet = packets->taken + packets->count};
    if (packets->most > 0)
        sink_packets(packets, train, trains->taken + trains->count - 1);
}

static void sink_on_summary(void *user, const struct pprec_summary *summary)
{
    sink_copy(&((struct sink *)user)->of[SINK_SUMMARIES], summary);
}

static void sink_on_estimate(void *user, const struct pprec_change *change)
{
    sink_copy(&((struct sink *)user)->of[SINK_CHANGES], change);
}

static void sink_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    sink_copy(&((struct sink *)user)->of[SINK_CONGESTION], congestion);
}

/* What nobody wants is not computed either: a callback that is set costs the library work. */
void sink_attach(struct sink *sink, struct pprec_config *config)
{
    config->user = sink;
    config->on_train = sink->of[SINK_TRAINS].most > 0 ? sink_on_train : NULL;
    config->on_summary = sink->of[SINK_SUMMARIES].most > 0 ? sink_on_summary : NULL;
    config->on_estimate = sink->of[SINK_CHANGES].most > 0 ? sink_on_estimate : NULL;
    config->on_congestion = sink->of[SINK_CONGESTION].most > 0 ? sink_on_congestion : NULL;
}

char *sink_take(struct sink *sink, enum sink_kind kind, size_t *count)
{
    struct sink_rows *of = &sink->of[kind];
    char *rows = of->rows;

    *count = of->count;
    of->taken += of->count;
    of->rows = NULL;
    of->count = of->room = 0;
    return rows;
}

void sink_release(char *rows)
{
    free(rows);
}

void sink_fini(struct sink *sink)
{
    for (int kind = 0; kind < SINK_KINDS; kind++)
        free(sink->of[kind].rows);
}

#endif
