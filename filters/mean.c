/* SPDX-License-Identifier: BSD-3-Clause */
/* The mean of the window, which the paper reports (sections 4 and 5). */
#include "filters/recent.h"
#include "filters/rows.h"

#include <math.h>

/* Two trains are the fewest that have a variance. */
enum { LEAST_TRAINS = 2 };

static void estimate(const void *state, struct estimate *estimate)
{
    const struct ranked *rates = recent_usable(state);
    double mean = 0, squares = 0, half;

    if (recent_settles(state, LEAST_TRAINS, estimate))
        return;
    for (unsigned i = 0; i < rates->count; i++)
        mean += ranked_at(rates, i) / rates->count;
    for (unsigned i = 0; i < rates->count; i++)
        squares += (ranked_at(rates, i) - mean) * (ranked_at(rates, i) - mean);
    /* 95 % of a normal distribution; rates are not, hence never converged */
    half = 1.96 * sqrt(squares / (rates->count - 1) / rates->count);
    estimate->capacity_bps = mean;
    estimate->low_bps = fmax(mean - half, 0);
    estimate->high_bps = mean + half;
}

const struct filter filter_mean = {
    .name = "mean",
    .usage = "the mean rate of the window, as in the paper",
    .state_bytes = recent_bytes,
    .init = recent_init,
    .push = recent_push,
    .estimate = estimate,
    .grow = recent_grow,
};
