/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that depend on the seed alone (and on the last bits of libm). */
#ifndef TESTS_SIM_RNG_H
#define TESTS_SIM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct sim_rng {
    uint64_t s[4];
};

/* Streams of one seed are independent: each part of the model draws from its
 * own, so that changing one part leaves the others as they were. */
void sim_rng_init(struct sim_rng *rng, uint64_t seed, uint64_t stream);

uint64_t sim_rng_u64(struct sim_rng *rng);
double sim_rng_uniform(struct sim_rng *rng); /* [0, 1) */
double sim_rng_between(struct sim_rng *rng, double low, double high);
double sim_rng_log_between(struct sim_rng *rng, double low, double high);
unsigned sim_rng_below(struct sim_rng *rng, unsigned n); /* 0..n-1 */
bool sim_rng_chance(struct sim_rng *rng, double probability);
double sim_rng_exponential(struct sim_rng *rng, double mean);
double sim_rng_normal(struct sim_rng *rng, double deviation);

/* shape above 1, or the mean would not exist. */
double sim_rng_pareto(struct sim_rng *rng, double mean, double shape);

/* The number in the environment variable PP_SEED, or fallback. */
uint64_t sim_seed(uint64_t fallback);

#endif
