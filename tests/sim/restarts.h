/* SPDX-License-Identifier: BSD-3-Clause */
/* How often filter adaptive takes a path that stays as it is for one that changed. */
#ifndef TESTS_SIM_RESTARTS_H
#define TESTS_SIM_RESTARTS_H

#include "cases.h"
#include "samples.h"

struct restarts {
    unsigned long trains, count;
};

/* Adds those of a run, with its send times or without. */
void restarts_add(struct restarts *restarts, const struct sim_samples *samples, unsigned window, bool timed);

/* Prints a line for each of the cases that has any, and the sum. */
void restarts_table(const struct sim_case *const *cases, unsigned count, uint64_t first_seed, unsigned seeds,
                    unsigned window);

#endif
