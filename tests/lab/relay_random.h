/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers of the relay, all from its one seed: splitmix64 (Steele, Lea, Flood 2014),
 * one word of state, and any seed will do.
 */
#ifndef RELAY_RANDOM_H
#define RELAY_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The number that belongs to a state. */
static inline uint64_t random_of(uint64_t state)
{
    state = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    state = (state ^ state >> 27) * UINT64_C(0x94d049bb133111eb);
    return state ^ state >> 31;
}

static inline uint64_t random_u64(uint64_t *state)
{
    return random_of(*state += RANDOM_STEP);
}

/* Another stream of the same seed, that shares nothing with the first. */
static inline uint64_t random_stream(uint64_t seed, uint64_t number)
{
    return random_of(random_of(seed) + number);
}

/* Mean 0, deviation 1, never beyond 3.47: the sum of the number's four quarters (Irwin and
 * Hall), each uniform from 0 to 65535. */
static inline double random_normal(uint64_t number)
{
    uint64_t sum = (number & 0xffff) + (number >> 16 & 0xffff) + (number >> 32 & 0xffff) + (number >> 48);
    return ((double)sum - 131070.0) / 37837.2;
}

#endif
