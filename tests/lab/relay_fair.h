/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue a flow, served in turn: the scheduler of Linux's fq_codel (sch_fq_codel.c; RFC 8290,
 * sections 4.1 and 4.2) without CoDel. Pure: which frame is next, not when.
 *
 * A flow that was idle begins with a quantum and goes before those that were not; whoever has
 * spent his quantum stands behind all others with a new one added. So a flow is served
 * while its deficit is above 0, and in between two of its turns every other flow has one.
 * Limits and quantum count frames as captured, IP + 14, as the kernel does. Above a limit one frame
 * goes at a time, where the kernel drops up to 64, or half of the longest queue.
 */
#ifndef RELAY_FAIR_H
#define RELAY_FAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay_frame.h"

enum { FAIR_FLOWS = 1024, FAIR_QUANTUM_LEAST = 256 }; /* both as fq_codel has them */

struct fair_flow {
    struct frame *first, *last;
    int64_t deficit_bytes;
    struct fair_flow *next; /* in one of the two lists */
    bool listed;
    bool seen; /* a frame has been here */
};

struct fair_list {
    struct fair_flow *first, *last;
};

struct fair {
    int64_t quantum_bytes;
    uint64_t most_bytes, most_frames; /* of all flows; 0: no limit */
    struct fair_list fresh, old;
    struct fair_flow flows[FAIR_FLOWS];
    uint64_t backlog_bytes[FAIR_FLOWS];
    uint64_t bytes, frames;
    unsigned flows_seen; /* of the queues: two flows may share one */
};

void fair_init(struct fair *fair, uint64_t quantum_bytes, uint64_t most_bytes, uint64_t most_frames);

/* frame->flow says which queue; the frame is kept until it comes out of one of these. */
void fair_enter(struct fair *fair, struct frame *frame);

/* The frame whose turn it is. NULL: none waits, and every flow counts as idle again. */
struct frame *fair_next(struct fair *fair);

/* Above a limit: the oldest frame of the queue with the most bytes, to be dropped; else NULL. */
struct frame *fair_excess(struct fair *fair);

#endif
