/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/even.h"

#include "filters/denial.h"
#include "filters/same.h"

#include <math.h>

double even_share_below(const struct seen *seen, const struct floor *pairs, double wait_ns)
{
    unsigned below = 0, count = 0;

    for (unsigned i = 0; i < seen->pairs->count && pairs->delays; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);

        if (reading->bytes != pairs->bytes || reading->segment != pairs->segment
            || reading->behind)
            continue;
        count++;
        below += reading->delay_ns - pairs->slope * reading->at_s - pairs->first_ns <= wait_ns;
    }
    return count > 0 ? (double)below / count : 0;
}

/* Traffic gets into a train while that enters the narrow link, after a slow adapter or behind a
 * loaded link even into one that left at once. But then gaps differ, by a packet or some; where
 * it keeps turns with ours (fair queues), first packets wait for up to a gap. Where neither is
 * so, what trains of even gaps agree on is the path's, whatever shortens or blurs a pair: a
 * late stamp, a bucket of some packets. */
#define WAIT 0.5

/* So many need no pairs beside them. */
enum { EVEN_LEAST = 5 };

static bool trains_are_regular(const struct seen *seen, const struct span *span,
                               const struct floor *pairs, struct regular *regular)
{
    return span->at_once && !span->batched
        && shapes_regular(&seen->shapes, pairs->bytes, regular);
}

/* A fair queue's turn does not ask for the size; where pairs of half the size take half as long,
 * to what late stamps make of it, there is none. */
static bool sizes_in_proportion(const struct seen *seen, const struct floor *pairs,
                                const struct regular *regular)
{
    struct floor floor = *pairs;

    floor.gap_ns = regular->gap_ns;
    floor.noise_ns = noise_late_ns(&seen->noise, regular->gap_ns);
    return sizes_bear_out(seen->pairs, &floor);
}

static bool hardly_waits(const struct seen *seen, const struct floor *pairs,
                         const struct regular *regular)
{
    return even_share_below(seen, pairs, WAIT * regular->gap_ns) >= EVEN_SHARE;
}

/* A few trains are even by chance, now and then; not at the rate that pairs tell. */
static bool as_pairs(const struct floor *pairs, const struct regular *regular)
{
    return same_gap(pairs->gap_ns, regular->gap_ns, SAME_RATE, 0);
}

/* Where pairs are believed, too, or agree, one of the two is off by what they differ by. */
static void read_regular(const struct regular *regular, struct floor *pairs)
{
    bool speaks = floor_believed(pairs) || as_pairs(pairs, regular);
    double short_ns = speaks ? regular->gap_ns - pairs->gap_ns : 0;

    pairs->gap_ns = regular->gap_ns;
    pairs->error_ns = regular->error_ns;
    pairs->below_ns = fmax(short_ns, 0);
    pairs->unanimous = pairs->grounded = true;
    pairs->doubtful = pairs->limited = pairs->alone = false;
    pairs->sizes = SIZES_AGREE;
}

/* A few trains that agree with pairs: the surer of the two is told, but where stamps do not explain
 * what they differ by: then trains, as the first stamp is late. Either way it counts as error. */
static bool few_told(const struct regular *regular, struct floor *pairs)
{
    double off_ns = fabs(pairs->gap_ns - regular->gap_ns);

    if (!as_pairs(pairs, regular))
        return false;
    if (regular->error_ns < pairs->error_ns
        || off_ns > hypot(regular->error_ns, pairs->error_ns)) {
        read_regular(regular, pairs);
        return true;
    }
    pairs->error_ns += off_ns;
    return false;
}

bool even_told(const struct seen *seen, const struct span *span, struct floor *pairs)
{
    struct regular regular;

    if (!trains_are_regular(seen, span, pairs, &regular))
        return false;
    if (regular.count < EVEN_LEAST)
        return few_told(&regular, pairs);
    if (!hardly_waits(seen, pairs, &regular) && !sizes_in_proportion(seen, pairs, &regular))
        return false;
    read_regular(&regular, pairs);
    return true;
}

void even_guess(const struct seen *seen, const struct span *span, struct floor *floor)
{
    struct regular regular;
    double gap_ns, error_ns;

    if (floor_believed(floor) || floor->trains)
        return;
    if (trains_are_regular(seen, span, floor, &regular) && regular.count >= EVEN_LEAST) {
        read_regular(&regular, floor);
        floor->doubtful = true;
    } else if (shapes_spared(&seen->shapes, &gap_ns, &error_ns)) {
        floor->gap_ns = gap_ns * floor->bytes;
        floor->error_ns = error_ns * floor->bytes;
    }
}
