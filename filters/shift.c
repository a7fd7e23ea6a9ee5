/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shift.h"

#include <math.h>

/* To one in 2^40 of where it begins. */
enum { SHIFT_HALVINGS = 40 };

/* Pairs of values of which the one of more, less the shift, is below that of less. */
static double count_below(const struct shift_samples *samples, double shift)
{
    unsigned below = 0;
    double pairs = 0;

    for (unsigned i = 0; i < samples->less_count; i++) {
        while (below < samples->more_count && samples->more[below] - shift < samples->less[i])
            below++;
        pairs += below;
    }
    return pairs;
}

/* Deviations by which the second samples are less than so much above the first. */
static double shift_deviations(const struct shift_samples *pairs, unsigned count, double shift)
{
    double excess = 0, variance = 0;

    for (unsigned i = 0; i < count; i++) {
        double product = (double)pairs[i].less_count * pairs[i].more_count;

        excess += count_below(&pairs[i], shift) - product / 2;
        variance += product * (pairs[i].less_count + pairs[i].more_count + 1) / 12;
    }
    return variance > 0 ? excess / sqrt(variance) : 0;
}

double shift_most(const struct shift_samples *pairs, unsigned count, double deviations)
{
    double low = INFINITY, high = -INFINITY;

    for (unsigned i = 0; i < count; i++) {
        if (pairs[i].less_count == 0 || pairs[i].more_count == 0)
            continue;
        low = fmin(low, pairs[i].more[0] - pairs[i].less[pairs[i].less_count - 1]);
        high = fmax(high, pairs[i].more[pairs[i].more_count - 1] - pairs[i].less[0] + 1);
    }
    if (high < low || shift_deviations(pairs, count, high) < deviations)
        return INFINITY;
    for (int i = 0; i < SHIFT_HALVINGS; i++) {
        double middle = low + (high - low) / 2;

        if (shift_deviations(pairs, count, middle) < deviations)
            low = middle;
        else
            high = middle;
    }
    return high;
}
