/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole batches of trains: interrupts that are held back, ticks or grants, each for many packets. */
#ifndef FILTERS_HELD_H
#define FILTERS_HELD_H

#include "filters/shape.h"

/* So many trains tell a rate; one makes a doubt. */
enum { HELD_LEAST = 5, HELD_DOUBT = 1 };

/* So many pauses deny the rate of what passes in between. */
enum { HELD_PAUSES = 3 };

struct held {
    struct mean gap;  /* a byte; n is 0: there are none, or traffic got in */
    double packet_ns; /* the same, a packet */
    double each_ns;   /* from the start of a batch to that of the next */
    double packets;   /* in a batch */
    double one;       /* packet, as a share of all that whole batches of a train hold */
    double variance;  /* of what a train holds in a time, in packets: of the middle half of trains, were
                         they normal. Batches that begin within a packet move few of these */
};

/* Of whole batches that hold what the time between them lets pass. */
struct held held_read(const struct shapes *shapes);

/* The same of trains too short for two pauses, whose packets pass at gap_ns but for one that is as long in all that
 * have it, and that no sender made; n: of these. Nothing tells where a cycle begins, so each_ns is a mean,
 * and there is no variance. */
struct held held_apart(const struct shapes *shapes, double gap_ns, uint32_t bytes);

#endif
