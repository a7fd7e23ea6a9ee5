/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/held.h"

#include "filters/moments.h"
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

bool held_told(const struct shapes *shapes, double *gap_ns, double *error_ns)
{
    struct moments off = {0};
    double ns = 0, bytes = 0, packets = 0, batches = 0;
    struct longest longest;
    unsigned within = 0;

    shapes_longest(shapes, &longest);
    for (unsigned i = 0; i < longest.count; i++) {
        ns += longest.at[i]->held_ns;
        packets += longest.at[i]->held;
        batches += longest.at[i]->batches;
        bytes += (double)longest.at[i]->held * longest.at[i]->bytes;
    }
    if (packets <= 0 || batches >= FEW * longest.count)
        return false;
    for (unsigned i = 0; i < longest.count; i++) {
        const struct shape *shape = longest.at[i];
        double lacks = shape->held_ns * packets / ns - shape->held;

        if (shape->held == 0)
            continue;
        moments_add(&off, lacks);
        within += fabs(lacks) <= OFF_MOST;
    }
    *gap_ns = ns / bytes;
    *error_ns = *gap_ns * (CLOCK_ERROR + moments_half_width(&off) * off.count / packets);
    return off.count >= HELD_LEAST && within >= OFF_SHARE * off.count;
}
