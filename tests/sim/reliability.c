/* SPDX-License-Identifier: BSD-3-Clause */
#include "reliability.h"

#include "score.h"

#include <math.h>

#define WITHIN_A_LITTLE 0.02
#define WITHIN_A_LOT 0.1
#define BOUND_OFF 0.01 /* clocks and stamps alone make less */

static const double half_widths[RELIABILITY_CLASSES - 1] = {0.0003, 0.003, 0.01};

unsigned reliability_class(const struct estimate *estimate)
{
    double half = (estimate->high_bps - estimate->low_bps) / 2 / estimate->capacity_bps;
    unsigned class = 0;

    while (class < RELIABILITY_CLASSES - 1 && half > half_widths[class])
        class ++;
    return class;
}

static void add_decided(struct reliability *reliability, const struct verdict_on_run *result)
{
    unsigned class = reliability_class(&result->estimate);

    reliability->decided++;
    reliability->wrong += score_wrong(result);
    reliability->held += score_holds(result);
    reliability->width[class].decided++;
    reliability->width[class].held += score_holds(result);
}

static void add_tentative(struct reliability *reliability, const struct verdict_on_run *result)
{
    reliability->tentative++;
    reliability->within_2 += score_error(result) <= WITHIN_A_LITTLE;
    reliability->within_10 += score_error(result) <= WITHIN_A_LOT;
    reliability->tentative_held += score_holds(result);
    reliability->pairs_alone += result->estimate.why == WHY_PAIRS_ALONE;
}

static void add_bound(struct reliability *reliability, const struct verdict_on_run *result)
{
    reliability->bounds++;
    reliability->bounds_off += result->estimate.capacity_bps > (1 + BOUND_OFF) * result->truth_bps;
}

void reliability_add(struct reliability *reliability, const struct verdict_on_run *results, unsigned runs)
{
    reliability->runs += runs;
    for (unsigned i = 0; i < runs; i++) {
        const struct estimate *estimate = &results[i].estimate;
        if (judge_decided(estimate))
            add_decided(reliability, &results[i]);
        else if (estimate->state == STATE_TENTATIVE)
            add_tentative(reliability, &results[i]);
        else if (estimate->state == STATE_SENDER_LIMITED)
            add_bound(reliability, &results[i]);
    }
}

static void add_decisions(struct stability *stability, const struct verdict_on_run *result)
{
    stability->decided++;
    stability->lost += result->undone > 0;
    stability->jumped += result->resets > 0;
    stability->first_wrong += fabs(result->first_bps / result->truth_bps - 1) > JUDGE_WRONG;
}

void stability_add(struct stability *stability, const struct verdict_on_run *results, unsigned runs)
{
    for (unsigned i = 0; i < runs; i++) {
        if (!results[i].stationary)
            continue;
        stability->runs++;
        if (results[i].decided_after)
            add_decisions(stability, &results[i]);
    }
}
