/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shown.h"

#include "filters/same.h"

/* By what share a gap is longer than the one told. */
static double longer_by(const struct candidate *told, double gap_ns, uint32_t bytes)
{
    return gap_ns / bytes * told->bytes / told->gap_ns - 1;
}

/* --- Ends --- */

/* Traffic that comes at random leaves the commonest gap of some trains as it is, and lengthens hardly a whole one
 * where it leaves nearly all ends. */
#define FEW 0.1
#define MOST 0.8

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

    for (unsigned i = 0; i < longest.count; i++) {
        const struct shape *shape = longest.at[i];
        double gap_ns = told->gap_ns * shape->bytes / told->bytes;
        double reach_ns = same_reach(gap_ns, SAME_RIGHT, seen->noise.tick_ns);

        all += shape->end_ns > 0;
        same += shape->end_ns > 0 && same_gap(shape->end_ns, gap_ns, 0, reach_ns);
        faster += shape->end_ns > 0 && shape->end_ns < gap_ns - reach_ns;
    }
    return (struct shown){.nowhere = same + faster<FEW * all, .mostly = all> 0 && same >= MOST * all
                              && count_faster(seen->longs, told) <= FEW * seen->longs->count};
}

/* --- Short trains --- */

/* A bucket shows in the longest of them first. */
enum { SHORT_LEAST = 3, SHORT_PACKETS = 3 };

/* Where others take turns with ours packets wait evenly, for up to half of a gap at the least: so many of them for next
 * to nothing. More than that by three standard errors, and there are no turns. */
#define TURN_LEAST 0.5
#define ERRORS 3

static bool more_than_turns(unsigned on_floor, unsigned count)
{
    double share = SAME_RIGHT / TURN_LEAST;

    return on_floor > share * count + ERRORS * sqrt(share * (1 - share) * count);
}

/* By the packets of their trains. */
struct tally {
    unsigned of[CURVE_LEAST_PACKETS], shown[CURVE_LEAST_PACKETS];
    unsigned count, held;
    unsigned on_floor; /* second packets that waited for nothing */
};

static double second_wait_ns(const struct reading *reading, const struct floors *pairs)
{
    double delay_ns = reading->delay_ns - pairs->slope * reading->at_s + reading->gap_ns;

    return reading->segment == pairs->segment ? delay_ns - pairs->first_ns - pairs->apart_ns : NAN;
}

static void tally_add(struct tally *tally, const struct reading *reading, const struct floors *pairs,
                      const struct candidate *told)
{
    bool goes_on = reading->level && fabs(longer_by(told, reading->last_ns, reading->bytes)) <= SAME_RIGHT;
    double near_ns = same_reach(reading->gap_ns, SAME_RIGHT, pairs->same_ns);

    tally->count++;
    tally->held += reading->held;
    tally->on_floor += second_wait_ns(reading, pairs) <= near_ns;
    if (reading->packets < CURVE_LEAST_PACKETS) {
        tally->of[reading->packets]++;
        tally->shown[reading->packets] += goes_on;
    }
}

/* Most of them, and most of as many of the longest as are needed. */
static bool most_go_on(const struct tally *tally)
{
    unsigned of = 0, shown = 0, at = CURVE_LEAST_PACKETS;

    while (at > SHORT_PACKETS && of < SHORT_LEAST) {
        of += tally->of[--at];
        shown += tally->shown[at];
    }
    if (of < SHORT_LEAST || 2 * shown <= of)
        return false;
    while (at > SHORT_PACKETS)
        shown += tally->shown[--at];
    return 2 * shown > tally->count;
}

bool shown_by_short(const struct seen *seen, const struct floors *pairs, const struct candidate *told)
{
    struct tally tally = {0};

    if (seen->longs->count > 0 || !pairs->delays || told->gap_ns <= 0)
        return false;
    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);

        if (sizes_alike(reading->bytes, pairs->bytes) && !reading->limited)
            tally_add(&tally, reading, pairs, told);
    }
    return more_than_turns(tally.on_floor, tally.count) && 2 * tally.held <= tally.count
        && most_go_on(&tally);
}
