/* SPDX-License-Identifier: BSD-3-Clause */
/* What speaks for and against each candidate of a run, for whoever wants to see why filter
 * adaptive decides as it does. */
#ifndef TESTS_SIM_EVIDENCE_H
#define TESTS_SIM_EVIDENCE_H

#include "cases.h"

/* Prints seed of the case train by train: gaps, candidates with their evidence, what is told. Gaps
 * as shares of the true one. */
void evidence_trace(const struct sim_case *row, uint64_t seed, unsigned window);

#endif
