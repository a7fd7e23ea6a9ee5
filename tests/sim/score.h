/* SPDX-License-Identifier: BSD-3-Clause */
/* From many runs to the figures of the table. */
#ifndef TESTS_SIM_SCORE_H
#define TESTS_SIM_SCORE_H

#include "judge.h"

struct score {
    unsigned runs;
    unsigned decided;
    unsigned wrong;             /* decided, and score_wrong() */
    unsigned covered;           /* decided, and low..high holds the truth */
    double error_p90;           /* of |estimate / truth - 1|, decided runs; NAN: none */
    double error_all_p90;       /* all runs; no estimate counts as an error of 1 */
    double width_p50;           /* of (high - low) / truth, decided runs; NAN: none */
    unsigned decided_after_p50; /* trains, of runs that ever decided; 0: none */
    unsigned undone;
    unsigned resets; /* decisions that contradict the one before */
    unsigned long trains;
    double spent_ns; /* on a train */
};

/* |estimate / truth - 1| */
double score_error(const struct verdict_on_run *result);

/* Off by over JUDGE_WRONG, or a policer where there is none. Of decided runs. */
bool score_wrong(const struct verdict_on_run *result);

/* Whether low..high holds the truth. */
bool score_holds(const struct verdict_on_run *result);

void score_runs(const struct verdict_on_run *results, unsigned runs, struct score *score);

/* Whether the case's own goal is met (a case without one: yes). */
bool score_passes(const struct score *score, const struct sim_case *row);

#endif
