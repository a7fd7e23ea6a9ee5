/* SPDX-License-Identifier: BSD-3-Clause */
#include "ladder.h"

#include <math.h>

/* Multiples of this, modulo 1, fill the range more evenly than those of any other number: the
 * golden ratio's (Knuth, The Art of Computer Programming, volume 3, section 6.4). */
#define GOLDEN 0.6180339887498949

static uint32_t ladder_common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : ladder_common_divisor(b, a % b);
}

/* The step nearest to the golden one that passes every rung before it comes back. */
static uint32_t golden_step(uint32_t rungs)
{
    uint32_t best = 1;

    for (uint32_t step = 2; step < rungs; step++)
        if (ladder_common_divisor(rungs, step) == 1
            && fabs(step - GOLDEN * rungs) < fabs(best - GOLDEN * rungs))
            best = step;
    return best;
}

void ladder_init(struct ladder *ladder, double low_bps, double high_bps)
{
    /* a range of whole decades has whole steps, whatever log10 rounds to */
    double steps = ceil(LADDER_DECADE * log10(high_bps / low_bps) - 1e-9);

    *ladder = (struct ladder){.low_bps = low_bps, .high_bps = high_bps};
    ladder->rungs = 1 + (uint32_t)fmin(fmax(steps, 1), LADDER_MOST - 1);
    ladder->step = golden_step(ladder->rungs);
}

double ladder_bps(const struct ladder *ladder, uint32_t rung)
{
    double share = (double)rung / (ladder->rungs - 1);

    return ladder->low_bps * pow(ladder->high_bps / ladder->low_bps, share);
}

uint32_t ladder_rung(const struct ladder *ladder, uint32_t turn)
{
    return (uint32_t)((uint64_t)turn * ladder->step % ladder->rungs);
}

double ladder_middle_bps(const struct ladder *ladder)
{
    return sqrt(ladder->low_bps * ladder->high_bps);
}
