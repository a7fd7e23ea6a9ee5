/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shown.h"

#include "filters/same.h"

/* Traffic that comes at random leaves the commonest gap of some trains as it is, of nearly all where there is little;
 * and trains are faster as a whole only where they were compressed. */
#define HARDLY_ONE 0.1
#define NEARLY_ALL 0.8

/* Of whole trains. */
static unsigned count_faster(const struct readings *longs, const struct candidate *told)
{
    double least_ns = (1 - SAME_RATE) * told->gap_ns / told->bytes; /* a byte */
    unsigned faster = 0;

    for (unsigned i = 0; i < longs->count; i++) {
        const struct reading *reading = readings_at(longs, i);

        faster += (double)reading->gap_ns / reading->bytes < least_ns;
    }
    return faster;
}

struct shown shown_by_ends(const struct seen *seen, const struct candidate *told)
{
    struct longest longest = shapes_longest(&seen->shapes);
    unsigned all = 0, same = 0, faster = 0;
    struct shown shown;

    for (unsigned i = 0; i < longest.count && told->gap_ns > 0; i++) {
        const struct shape *shape = longest.at[i];
        double gap_ns = told->gap_ns * shape->bytes / told->bytes;
        double reach_ns = same_reach(gap_ns, SAME_RIGHT, seen->noise.tick_ns);

        if (shape->end_ns <= 0)
            continue;
        all++;
        same += same_gap(shape->end_ns, gap_ns, 0, reach_ns);
        faster += shape->end_ns < gap_ns - reach_ns;
    }
    shown.nowhere = same + faster < HARDLY_ONE * all;
    shown.mostly = all > 0 && same >= NEARLY_ALL * all
        && count_faster(seen->longs, told) <= HARDLY_ONE * seen->longs->count;
    return shown;
}

/* Where others take turns with ours packets wait evenly, for up to half of a gap and more: so many of them for next to
 * nothing. More than that by three standard errors, and there are no turns. */
#define TURN_LEAST 0.5
#define ERRORS 3

bool shown_no_turns(const struct readings *readings, const struct floors *pairs)
{
    double share = SAME_RIGHT / TURN_LEAST;
    unsigned all = 0, on_floor = 0;

    for (unsigned i = 0; i < readings->count && pairs->delays; i++) {
        const struct reading *reading = readings_at(readings, i);
        double near_ns = same_reach(reading->gap_ns, SAME_RIGHT, pairs->same_ns);

        if (!sizes_alike(reading->bytes, pairs->bytes) || !floors_first_counts(pairs, reading))
            continue;
        all++;
        on_floor += floors_first_wait_ns(pairs, reading) + reading->gap_ns - pairs->apart_ns <= near_ns;
    }
    return on_floor > share * all + ERRORS * sqrt(share * (1 - share) * all);
}
