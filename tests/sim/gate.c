/* SPDX-License-Identifier: BSD-3-Clause */
#include "gate.h"

#include "report.h"

#include <math.h>
#include <stdio.h>

#define SURE 0.999 /* chance fails a figure one time in a thousand */

static double probability(unsigned trials, unsigned count, double rate)
{
    double ways = lgamma(trials + 1.0) - lgamma(count + 1.0) - lgamma(trials - count + 1.0);

    return exp(ways + count * log(rate) + (trials - count) * log1p(-rate));
}

unsigned gate_most(unsigned trials, double rate)
{
    double sum = 0;

    for (unsigned count = 0; count < trials; count++) {
        sum += probability(trials, count, rate);
        if (sum >= SURE)
            return count;
    }
    return trials;
}

unsigned gate_least(unsigned trials, double rate)
{
    return trials - gate_most(trials, 1 - rate);
}

/* What `adaptive` reaches on seeds 1 to 150, anew with
 *
 *   build/bin/accuracy --filters adaptive --seeds 150 --gate 2
 */
static const struct reached {
    enum accuracy_group group;
    const char *name;
    unsigned runs, decided;
    unsigned wrong;   /* of these, off by over 5 %, or policed by nobody */
    unsigned outside; /* and the interval without the truth */
} reached[] = {
    {ACCURACY_GOALS, "the table", 7200, 5524, 2, 43},
    {ACCURACY_BEYOND, "beyond it", 35250, 17639, 570, 1080},
    {ACCURACY_RANDOM, "random prior", 300, 57, 3, 4},
};

static bool gate_passes(const struct reached *row, const struct accuracy_total *total)
{
    unsigned least = gate_least(total->runs, (double)row->decided / row->runs);
    unsigned wrong = gate_most(total->decided, (double)row->wrong / row->decided);
    unsigned outside = gate_most(total->decided, (double)row->outside / row->decided);
    unsigned missed = total->decided - total->covered;

    printf("gate, %s: %u of %u runs decided (%u or more pass), %u wrong (%u or fewer), %u "
           "intervals without the truth (%u or fewer)\n",
           row->name, total->decided, total->runs, least, total->wrong, wrong, missed, outside);
    return total->decided >= least && total->wrong <= wrong && missed <= outside;
}

bool accuracy_gate(const struct report *report, unsigned misses)
{
    struct accuracy_total goals = accuracy_total(report, 0, ACCURACY_GOALS);
    bool pass = goals.goals - goals.met <= misses;

    printf("\ngate: %u goals missed (%u or fewer pass)\n", goals.goals - goals.met, misses);
    for (size_t i = 0; i < sizeof(reached) / sizeof(reached[0]); i++) {
        struct accuracy_total total = accuracy_total(report, 0, reached[i].group);
        pass = gate_passes(&reached[i], &total) && pass;
    }
    return pass;
}
