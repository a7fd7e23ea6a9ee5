/* SPDX-License-Identifier: BSD-3-Clause */
/* How much may be written to the log, and for whom. There is a limit of bytes per second, of which
 * strangers have to leave some to streams that are known.
 *
 *   room <= depth, grows by rate per second, shrinks by what is written
 *   a row is written while room >= its bytes + (1 - standing) * depth / 2
 *
 * where a stranger has the standing 0, and the stream that has lasted longest 1. So made-up
 * streams can use half of the room, never all of it, and a stream that has lasted less long
 * than another leaves it its rows. */
#ifndef PPREC_CMD_RATION_H
#define PPREC_CMD_RATION_H

#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RATION_SOURCES = 64 };

/* What is left of an allowance, and when it was. */
struct room {
    double bytes;
    int64_t now_ns;
};

/* Grows it by rate a second since, up to most. */
void room_refill(struct room *room, double rate_bytes, double most_bytes, int64_t now_ns);

/* Takes so many; false, and none, where there are fewer. */
bool room_take(struct room *room, double bytes);

struct ration {
    double rate_bytes; /* a second; 0: no limit */
    double depth_bytes;
    struct room room;
    struct room sources[RATION_SOURCES];
    uint64_t left_out; /* lines, all in all */
    uint64_t untold;   /* of those, the ones that no line has told of */
    int64_t told_ns;
};

void ration_init(struct ration *ration, uint32_t rate_bytes, int64_t now_ns);

/* Whether so many bytes of a stream may be written; then they are taken. Strangers of one
 * source get three quarters of all at most, so that those of others get something. */
bool ration_take(struct ration *ration, const struct pprec_endpoint *source, double standing, size_t bytes,
                 int64_t now_ns);

/* Of how many lines left out a line should tell now, every ten seconds at most; 0: none. */
uint64_t ration_untold(struct ration *ration, int64_t now_ns);

#endif
