/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases that the estimators are judged on: each a family of paths, from
 * which every seed draws one. */
#ifndef TESTS_SIM_CASES_H
#define TESTS_SIM_CASES_H

#include "case.h"

/* Seeds to tune on, and seeds to judge by: never look at the latter's runs one
 * by one. */
enum { SIM_SEEDS_TUNING = 1, SIM_SEEDS_HELD_BACK = 1000000 };

extern const struct sim_case sim_cases[];
extern const unsigned sim_case_count;

/* NULL when there is none of that name. */
const struct sim_case *sim_case_find(const char *name);

/* The run that seed draws from the case. */
void sim_case_config(const struct sim_case *row, uint64_t seed, struct sim_config *config);

/* The capacity to be found at the end of the run. An adapter narrower than the path
 * is the narrow link, unless departures show it: then the path is what is asked for,
 * and only `sender_limited` an honest answer. */
double sim_case_truth_bps(const struct sim_config *config);

/* What a long train gets of a fair queue among flows that never pause; infinite: there
 * is none. */
double sim_case_share_bps(const struct sim_config *config);

/* What a policer lets pass; infinite: there is none. */
double sim_case_policed_bps(const struct sim_config *config);

#endif
