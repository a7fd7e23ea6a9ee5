/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shown.h"

#include "filters/same.h"

/* --- Reading --- */

/* Of none nothing is known. */
static double shown_share(unsigned part, unsigned all)
{
    return all > 0 ? (double)part / all : NAN;
}

/* By what share a gap is longer than the one told. */
static double longer_by(const struct candidate *told, double gap_ns, uint32_t bytes)
{
    return gap_ns / bytes * told->bytes / told->gap_ns - 1;
}

static void read_trains(const struct readings *longs, const struct candidate *told, struct shown *shown)
{
    unsigned same = 0, faster = 0;

    for (unsigned i = 0; i < longs->count; i++) {
        const struct reading *reading = readings_at(longs, i);
        double longer = longer_by(told, reading->gap_ns, reading->bytes);

        same += fabs(longer) <= SAME_RIGHT;
        faster += longer < -SAME_RIGHT;
    }
    shown->trains = shown_share(same, longs->count);
    shown->faster = shown_share(faster, longs->count);
}

static void read_ends(const struct shapes *shapes, const struct candidate *told, struct shown *shown)
{
    struct longest longest = shapes_longest(shapes);
    unsigned all = 0, same = 0;
    double regular = 0;

    for (unsigned i = 0; i < longest.count; i++) {
        const struct shape *shape = longest.at[i];

        regular += shape_regular(shape);
        if (shape->end_ns <= 0)
            continue;
        all++;
        same += fabs(longer_by(told, shape->end_ns, shape->bytes)) <= SAME_RIGHT;
    }
    shown->ends = shown_share(same, all);
    shown->regular = longest.count > 0 ? regular / longest.count : NAN;
}

static void read_lasts(const struct readings *pairs, uint32_t bytes, const struct candidate *told,
                       struct shown *shown)
{
    unsigned all = 0, same = 0;

    for (unsigned i = 0; i < pairs->count; i++) {
        const struct reading *reading = readings_at(pairs, i);

        if (isnan(reading->last_ns) || !sizes_alike(reading->bytes, bytes))
            continue;
        all++;
        same += fabs(longer_by(told, reading->last_ns, reading->bytes)) <= SAME_RIGHT;
    }
    shown->lasts = shown_share(same, all);
}

struct shown shown_read(const struct seen *seen, const struct floors *pairs, const struct candidate *told)
{
    struct shown shown = {NAN, NAN, NAN, NAN, NAN};

    if (told->gap_ns <= 0 || seen->longs->count == 0)
        return shown;
    read_trains(seen->longs, told, &shown);
    read_ends(&seen->shapes, told, &shown);
    read_lasts(seen->pairs, pairs->bytes, told, &shown);
    return shown;
}

/* --- Nowhere --- */

/* Traffic that comes at random spares more ends than a quarter, and makes fewer gaps alike. Chosen on
 * 20 000 random paths (seeds 60000000 and 80000000 on): of 8827 rates that were proven there, 27 show
 * nowhere, 20 of them wrong; of 4404 of families 5, 2 of them wrong. */
#define ENDS_FEW 0.25
#define TRAINS_HARDLY 0.01
#define LASTS_HARDLY 0.08
#define REGULAR_SOME 0.08

bool shown_nowhere(const struct shown *shown)
{
    return shown->trains <= TRAINS_HARDLY && shown->ends <= ENDS_FEW && shown->lasts <= LASTS_HARDLY
        && shown->regular > REGULAR_SOME;
}

/* Half as much again as what is wrong. Of the same rates 28 and 3, 12 and none of them wrong. */
#define CLOSER 0.07
#define FASTER_SOME 0.03

bool shown_closer(const struct shown *shown, const struct floors *pairs, const struct candidate *told)
{
    return pairs->delays && pairs->apart_ns > 0 && longer_by(told, pairs->apart_ns, pairs->bytes) < -CLOSER
        && shown->faster > FASTER_SOME && shown->ends <= ENDS_FEW;
}
