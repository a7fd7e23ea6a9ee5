/* SPDX-License-Identifier: BSD-3-Clause */
/* One run before a set of filters, and what became of it. */
#ifndef TESTS_SIM_JUDGE_H
#define TESTS_SIM_JUDGE_H

#include "cases.h"
#include "filters/filter.h"

#include <stdbool.h>
#include <stdint.h>

/* A filter at the end of a run. */
struct verdict_on_run {
    struct estimate estimate;
    double truth_bps;
    unsigned trains;
    unsigned decided_after; /* trains until it first decided; 0: never */
    unsigned undone;        /* times that it decided and took it back */
};

/* Converged or shaped: an answer that is meant to be used. */
bool judge_decided(const struct estimate *estimate);

/* Runs seed of the case through all count filters; results [count]. */
void judge_run(const struct sim_case *row, uint64_t seed,
               const struct filter *const *filters, unsigned count, unsigned window,
               struct verdict_on_run *results);

/* Prints the run train by train, with what each filter made of it. */
void judge_trace(const struct sim_case *row, uint64_t seed,
                 const struct filter *const *filters, unsigned count, unsigned window);

#endif
