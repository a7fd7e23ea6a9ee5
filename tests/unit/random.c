/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t seed_of_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000007U + (uint64_t)now.tv_nsec;
}

struct rng rng_start(const char *test)
{
    const char *text = getenv("PP_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : seed_of_clock();

    printf("%s: PP_SEED=%" PRIu64 "\n", test, seed);
    fflush(stdout); /* before a crash can lose it */
    return (struct rng){seed};
}

/* SplitMix64: Steele, Lea and Flood, OOPSLA 2014, figure 17. */
uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t rng_below(struct rng *rng, uint32_t n)
{
    return (uint32_t)((rng_next(rng) >> 32) * n >> 32);
}

bool rng_percent(struct rng *rng, uint32_t percent)
{
    return rng_below(rng, 100) < percent;
}
