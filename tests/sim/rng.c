/* SPDX-License-Identifier: BSD-3-Clause */
#include "rng.h"

#include <math.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014): spreads a seed over a larger state. */
static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

void sim_rng_init(struct sim_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;

    state = splitmix64(&state) ^ stream;
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix64(&state);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* xoshiro256** (Blackman, Vigna: Scrambled linear pseudorandom number
 * generators, ACM TOMS 47, 2021). */
uint64_t sim_rng_u64(struct sim_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double sim_rng_uniform(struct sim_rng *rng)
{
    return (double)(sim_rng_u64(rng) >> 11) * 0x1p-53;
}

double sim_rng_between(struct sim_rng *rng, double low, double high)
{
    return low + (high - low) * sim_rng_uniform(rng);
}

double sim_rng_log_between(struct sim_rng *rng, double low, double high)
{
    return low * pow(high / low, sim_rng_uniform(rng));
}

unsigned sim_rng_below(struct sim_rng *rng, unsigned n)
{
    return (unsigned)(sim_rng_uniform(rng) * n);
}

bool sim_rng_chance(struct sim_rng *rng, double probability)
{
    return probability > 0 && sim_rng_uniform(rng) < probability;
}

double sim_rng_exponential(struct sim_rng *rng, double mean)
{
    return -mean * log1p(-sim_rng_uniform(rng));
}

/* Box and Muller's transform; its second number is not worth a state. */
double sim_rng_normal(struct sim_rng *rng, double deviation)
{
    double radius = sqrt(sim_rng_exponential(rng, 2));

    return deviation * radius * cos(2 * M_PI * sim_rng_uniform(rng));
}

double sim_rng_pareto(struct sim_rng *rng, double mean, double shape)
{
    double least = mean * (shape - 1) / shape;

    return least * pow(1 - sim_rng_uniform(rng), -1 / shape);
}

uint64_t sim_seed(uint64_t fallback)
{
    const char *text = getenv("PP_SEED");

    return text && *text ? strtoull(text, NULL, 0) : fallback;
}
