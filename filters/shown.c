/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shown.h"

#include "filters/same.h"

/* By what share a gap is longer than the one told. */
static double longer_by(const struct candidate *told, double gap_ns, uint32_t bytes)
{
    return gap_ns / bytes * told->bytes / told->gap_ns - 1;
}

/* Traffic that comes at random leaves the commonest gap of some trains as it is, of nearly all where there is little;
 * and trains are faster as a whole only where they were compressed. */
#define ENDS_FEW 0.1
#define ENDS_MOST 0.8
#define TRAINS_FEW 0.1

/* Of whole trains. */
static unsigned count_faster(const struct readings *longs, const struct candidate *told)
{
    unsigned faster = 0;

    for (unsigned i = 0; i < longs->count; i++) {
        const struct reading *reading = readings_at(longs, i);

        faster += longer_by(told, reading->gap_ns, reading->bytes) < -SAME_RATE;
    }
    return faster;
}

struct shown shown_by_ends(const struct seen *seen, const struct candidate *told)
{
    struct longest longest = shapes_longest(&seen->shapes);
    unsigned all = 0, same = 0, faster = 0;

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
    return (struct shown){
        .nowhere = same + faster<ENDS_FEW * all, .mostly = all> 0 && same >= ENDS_MOST * all
            && count_faster(seen->longs, told) <= TRAINS_FEW * seen->longs->count,
    };
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
