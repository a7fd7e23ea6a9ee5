/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the path model share. Random tests print their seed and take
 * it back from PP_SEED. */
#ifndef TESTS_UNIT_SIM_FIXTURE_H
#define TESTS_UNIT_SIM_FIXTURE_H

#include "tests/sim/sim.h"

#include <check.h>

#define FAST_BPS 1000000000000U /* a link that takes no time worth naming */
#define EPOCH_NS 1700000000000000000

/* Trains of length packets, a second apart, through one hop of 1 ms. */
struct sim_config sim_fixture_plain(unsigned trains, uint16_t length, uint32_t bytes, uint64_t rate_bps);

/* Cross traffic over the first hop. */
void sim_fixture_cross(struct sim_config *config, enum sim_source source, enum sim_mix mix, double rate_bps);

/* At the receiver, between a probe and the one before it. */
int64_t sim_fixture_gap_ps(const struct sim_run *run, size_t probe);

uint64_t sim_fixture_seed(const char *test);

/* Fails unless count is within five standard deviations of a binomial's mean: a
 * right model fails one time in 1.7 million. */
void sim_fixture_check_count(size_t count, size_t trials, double share);

/* The parts of sim_suite(). */
TCase *sim_exact_tcase(void);
TCase *sim_links_tcase(void);
TCase *sim_ends_tcase(void);
TCase *sim_cross_tcase(void);
TCase *sim_judge_tcase(void);
TCase *sim_reliability_tcase(void);
TCase *sim_twin_tcase(void);

#endif
