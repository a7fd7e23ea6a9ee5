/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/held.h"

#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>

/* Between the starts of two batches the path passes what the later ones hold: all of it where the
 * first packet of a batch starts the clock, to a packet where that ticks by itself. Traffic in
 * between would take the room of whole packets, of more than one now and then. If less than half of
 * a train is in batches alike, these are by chance, or of a host that takes its time for one. */
#define OFF_MOST 1.0
#define OFF_SHARE 0.9
#define HELD_SHARE 0.5

static struct held held_add_up(const struct shapes *shapes)
{
    double ns = 0, bytes = 0, packets = 0, batches = 0, all = 0;

    EACH_LONGEST(shape, shapes) {
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
                         .one = shapes->longest / packets};
}

struct held held_read(const struct shapes *shapes)
{
    struct held held = held_add_up(shapes);
    struct moments off = {0};
    double lacks[SHAPES_ROOM], spread;
    unsigned within = 0;

    if (held.packet_ns <= 0)
        return (struct held){0};
    EACH_LONGEST(shape, shapes) {
        double lack = shape->held_ns / held.packet_ns - shape->held;

        if (shape->held == 0)
            continue;
        lacks[off.count] = lack;
        moments_add(&off, lack);
        within += fabs(lack) <= OFF_MOST;
    }
    if (off.count == 0 || within < OFF_SHARE * off.count)
        return (struct held){0};
    sort_numbers(lacks, off.count);
    spread = sort_quartiles_apart(lacks, off.count) / SORT_QUARTILES;
    held.variance = spread * spread;
    held.gap.error_ns = held.gap.gap_ns * (CLOCK_ERROR + moments_half_width(&off) * held.one);
    held.gap.n = off.count;
    return held;
}

/* A pause is one that a packet more or less is nothing to; so no few packets of others fill it, nor does a burst of theirs, which
 * would come in between several of ours. And what follows does not catch up, as behind a host that was late.
 * Of a train whose packets pass at gap_ns, and that left in less time than it would have without; 0: it has none. */
static double pause_of(const struct shape *shape, double gap_ns)
{
    double pause_ns = (double)shape->longest_ns - gap_ns, most_ns = (1 - SAME_WAIT) * pause_ns;
    double span_ns = shape_span_ns(shape), left = shape_share_is(shape->departed);
    bool sent_without = left > 0 && (1 - left) * span_ns > most_ns;

    return sent_without && SAME_WAIT * pause_ns > gap_ns && span_ns - (shape->packets - 1) * gap_ns > most_ns
        ? pause_ns
        : 0;
}

static unsigned collect_pauses(const struct shapes *shapes, double gap_ns, uint32_t bytes, double *sorted,
                               double *all_ns)
{
    unsigned n = 0;

    *all_ns = 0;
    EACH_LONGEST(shape, shapes) {
        if (shape->bytes != bytes)
            continue;
        *all_ns += shape_span_ns(shape);
        sorted[n] = pause_of(shape, gap_ns);
        n += sorted[n] > 0;
    }
    sort_numbers(sorted, n);
    return n;
}

struct held held_apart(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    double sorted[SHAPES_ROOM], all_ns, pause_ns;
    unsigned n = collect_pauses(shapes, gap_ns, bytes, sorted, &all_ns), alike = 0;

    pause_ns = n > 0 ? sorted[n / 2] : 0;
    for (unsigned i = 0; i < n; i++)
        alike += same_gap(sorted[i], pause_ns, SAME_WAIT, 0);
    if (n == 0 || alike < OFF_SHARE * n || n * pause_ns <= SAME_RIGHT * all_ns)
        return (struct held){0};
    return (struct held){.gap = {.gap_ns = gap_ns / bytes, .n = n},
                         .packet_ns = gap_ns,
                         .each_ns = all_ns / n,
                         .packets = (all_ns / n - pause_ns) / gap_ns};
}
