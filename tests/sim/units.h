/* SPDX-License-Identifier: BSD-3-Clause */
/* Time inside the model: picoseconds, whole numbers, from the start of the run.
 * Nanoseconds would round a 64-byte packet at 10 Gbit/s (51.2 ns) by 0.4 %;
 * 63 bits of picoseconds last for 106 days. */
#ifndef TESTS_SIM_UNITS_H
#define TESTS_SIM_UNITS_H

#include <stdint.h>

#define SIM_PS_PER_NS 1000LL
#define SIM_PS_PER_S 1000000000000LL
#define SIM_NEVER_PS INT64_MAX

/* How long bytes take at a rate, to the nearest picosecond; bytes below 2^20. */
static inline int64_t sim_transmit_ps(uint64_t bytes, uint64_t rate_bps)
{
    return (int64_t)((bytes * 8 * (uint64_t)SIM_PS_PER_S + rate_bps / 2) / rate_bps);
}

/* The first of phase_ps, phase_ps + step_ps, ... (and before) that is not before at_ps. */
static inline int64_t sim_next_step_ps(int64_t at_ps, int64_t phase_ps, int64_t step_ps)
{
    int64_t past_ps = (at_ps - phase_ps) % step_ps;

    if (past_ps < 0)
        past_ps += step_ps;
    return past_ps ? at_ps + step_ps - past_ps : at_ps;
}

static inline int64_t sim_later(int64_t a_ps, int64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

#endif
