/* SPDX-License-Identifier: BSD-3-Clause */
/* A small generator with its state in the caller's hands (Marsaglia's xorshift,
 * with Vigna's multiplier: "xorshift64*"), for schedules that can be repeated. */
#ifndef PPTRANS_RANDOM_H
#define PPTRANS_RANDOM_H

#include <stdint.h>

/* Any seed will do; 0 is xorshift's one fixed point. */
static inline uint64_t random_seed(uint64_t seed)
{
    return seed != 0 ? seed : 0x9e3779b97f4a7c15U;
}

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dU;
}

/* 0 < result < 1, evenly. */
static inline double random_unit(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
}

#endif
