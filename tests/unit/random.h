/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers for tests: from a printed seed, the same on every machine. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* Prints "test: PP_SEED=n" and starts from n: the number in the environment
 * variable PP_SEED, or one from the clock. */
struct rng rng_start(const char *test);

uint64_t rng_next(struct rng *rng);
uint32_t rng_below(struct rng *rng, uint32_t n); /* 0 to n - 1; n > 0 */
bool rng_percent(struct rng *rng, uint32_t percent);

#endif
