/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/held.h"

#include "filters/skew.h"
#include "filters/sort.h"

#include <math.h>

/* Between the starts of two batches the path passes what the later ones hold: all of it where the
 * first packet of a batch starts the clock, to a packet where that ticks by itself. Traffic in
 * between would take the room of whole packets, of more than one now and then. If less than half of
 * a train is in batches alike, these are by chance, or of a host that takes its time for one. */
#define OFF_MOST 1.0
#define OFF_SHARE 0.9
#define HELD_SHARE 0.5

static struct held held_add_up(const struct longest *longest)
{
    double ns = 0, bytes = 0, packets = 0, batches = 0, all = 0;

    for (unsigned i = 0; i < longest->count; i++) {
        const struct shape *shape = longest->at[i];

        ns += shape->held_ns;
        packets += shape->held;
        batches += shape->held_batches;
        bytes += (double)shape->held * shape->bytes;
        all += shape->packets;
    }
    if (packets <= HELD_SHARE * all)
        return (struct held){0};
    return (struct held){.gap = {.gap_ns = ns / bytes},
                         .packet_ns = ns / packets,
                         .each_ns = ns / batches,
                         .packets = packets / batches,
                         .one = longest->count / packets};
}

struct held held_read(const struct shapes *shapes, unsigned least)
{
    struct longest longest = shapes_longest(shapes);
    struct held held = held_add_up(&longest);
    struct moments off = {0};
    double lacks[SHAPES_ROOM], spread;
    unsigned within = 0;

    for (unsigned i = 0; i < longest.count && held.packet_ns > 0; i++) {
        const struct shape *shape = longest.at[i];
        double lack = shape->held_ns / held.packet_ns - shape->held;

        if (shape->held == 0)
            continue;
        lacks[off.count] = lack;
        moments_add(&off, lack);
        within += fabs(lack) <= OFF_MOST;
    }
    if (off.count < least || within < OFF_SHARE * off.count)
        return (struct held){0};
    sort_numbers(lacks, off.count);
    spread = sort_quartiles_apart(lacks, off.count) / SORT_QUARTILES;
    held.variance = spread * spread;
    held.gap.error_ns = held.gap.gap_ns * (CLOCK_ERROR + moments_half_width(&off) * held.one);
    held.gap.n = off.count;
    return held;
}
