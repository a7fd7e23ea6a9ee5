/* SPDX-License-Identifier: BSD-3-Clause */
/* In a turn of several packets these follow each other at the rate of the link, and so do pairs, of any size; then each of the
 * n - 1 others has a turn as long. So trains take n times as long as their packets do one after the other, the pause between two
 * batches of theirs is n - 1 turns, and first packets wait for up to one turn, as a flow that was away goes next. Where a medium is granted by cycles, packets of a cycle come one after the other as well, at the rate of a line behind it;
 * there first packets wait for up to a whole cycle, which is as many turns as trains are slower. */
#include "filters/turns_quanta.h"

#include "filters/same.h"
#include "filters/turns_link.h"

#include <math.h>

/* Trains begin with a whole batch, and end anywhere: their mean is off by a part of one, and so is the turn that few of even
 * waits show. */
#define QUANTA_TRAIN 0.12
#define QUANTA_TURN 0.25

static bool pairs_come_alone(const struct seen *seen, const struct statistics *s, double own_ns)
{
    struct answers all = turns_ask(seen, s, INFINITY, turns_in_proportion, turns_alike(own_ns));
    struct answers smaller = turns_ask(seen, s, READING_SMALLER, turns_in_proportion, turns_alike(own_ns));

    return smaller.all >= TURNS_FIT_LEAST && 2 * smaller.yes > smaller.all && 2 * all.yes > all.all;
}

static double longest_of(const struct shape *shape)
{
    return shape->longest_ns;
}

static double quanta_pause_ns(const struct seen *seen, const struct statistics *s, double own_ns)
{
    return shapes_middle(&seen->shapes, s->bytes, longest_of) - own_ns;
}

double turns_quanta_ns(const struct seen *seen, const struct statistics *s)
{
    double own_ns = s->middle_ns;

    if (own_ns <= 0 || s->train.n < STATISTICS_TRAINS_LEAST || !statistics_hardly_idle(s))
        return 0;
    for (unsigned flows = 2; flows <= TURNS_FLOWS_MOST + 1; flows++)
        if (same_gap(s->train.value, flows * own_ns, QUANTA_TRAIN, 0)
            && same_gap(quanta_pause_ns(seen, s, own_ns), (flows - 1) * s->range_ns, QUANTA_TURN, 0))
            return pairs_come_alone(seen, s, own_ns) ? own_ns : 0;
    return 0;
}
