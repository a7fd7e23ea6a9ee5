/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/held.h"

#include "filters/skew.h"

#include <math.h>

/* Between the starts of two batches the path passes what the later ones hold: all of it where the
 * first packet of a batch starts the clock, to a packet where that ticks by itself. Traffic in
 * between would take the room of whole packets, of more than one now and then. */
#define OFF_MOST 1.0
#define OFF_SHARE 0.9
enum { HELD_LEAST = 5 };

/* Of more of them in half a train the envelope tells. */
enum { FEW = 4 };

struct mean held_read(const struct shapes *shapes)
{
    struct moments off = {0};
    double ns = 0, bytes = 0, packets = 0, batches = 0, error;
    struct longest longest = shapes_longest(shapes);
    unsigned within = 0;

    for (unsigned i = 0; i < longest.count; i++) {
        ns += longest.at[i]->held_ns;
        packets += longest.at[i]->held;
        batches += longest.at[i]->batches;
        bytes += (double)longest.at[i]->held * longest.at[i]->bytes;
    }
    if (packets <= 0 || batches >= FEW * longest.count)
        return (struct mean){0};
    for (unsigned i = 0; i < longest.count; i++) {
        const struct shape *shape = longest.at[i];
        double lacks = shape->held_ns * packets / ns - shape->held;

        if (shape->held == 0)
            continue;
        moments_add(&off, lacks);
        within += fabs(lacks) <= OFF_MOST;
    }
    if (off.count < HELD_LEAST || within < OFF_SHARE * off.count)
        return (struct mean){0};
    error = CLOCK_ERROR + moments_half_width(&off) * off.count / packets;
    return (struct mean){ns / bytes, ns / bytes * error, off.count};
}
