/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What crossed the link, of the marked flow and of all others, in steps of 0.1 s: the truth about
 * what was free. Kept in memory and written at the end.
 */
#ifndef RELAY_LOAD_H
#define RELAY_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LOAD_STEP_NS = 100 * 1000 * 1000, LOAD_STEPS = 36000 }; /* of an hour */

struct load_step {
    uint64_t marked_bytes, cross_bytes; /* as the link counts them */
};

struct load {
    struct load_step *steps; /* NULL: nobody wants it */
    int64_t begun_ns;        /* of the first */
    uint32_t count;
};

/* 0, or -1 when out of memory, all of which is touched. */
int load_init(struct load *load);
void load_fini(struct load *load);

/* A frame has left. Time passes with them. */
void load_left(struct load *load, uint64_t bytes, bool marked, int64_t now_ns);

/* A line a step: when it ended (ns of CLOCK_REALTIME), bytes of the marked flow, of all others. */
void load_write(const struct load *load, FILE *out);

#endif
