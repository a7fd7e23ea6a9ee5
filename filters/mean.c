/* SPDX-License-Identifier: BSD-3-Clause */
/* The mean of the window, which the paper reports (sections 4 and 5). */
#include "filters/recent.h"
#include "filters/rows.h"

#include <math.h>

/* Two trains are the fewest that have a variance. */
enum { LEAST_TRAINS = 2 };

static void mean_work_out(struct sorted rates, struct estimate *estimate)
{
    double mean = 0, squares = 0, half;

    for (unsigned i = 0; i < rates.count; i++)
        mean += rates.values[i] / rates.count;
    for (unsigned i = 0; i < rates.count; i++)
        squares += (rates.values[i] - mean) * (rates.values[i] - mean);
    /* 95 % of a normal distribution; rates are not, hence never converged */
    half = 1.96 * sqrt(squares / (rates.count - 1) / rates.count);
    estimate->capacity_bps = mean;
    estimate->low_bps = fmax(mean - half, 0);
    estimate->high_bps = mean + half;
}

static void mean_push(void *state, struct sample *sample)
{
    struct recent *recent = state;

    if (recent_push(recent, sample) && !recent_settles(recent, LEAST_TRAINS))
        mean_work_out(recent_usable(recent), &recent->estimate);
}

const struct filter filter_mean = {
    .name = "mean",
    .usage = "the mean rate of the window, as in the paper",
    .state_bytes = recent_bytes,
    .init = recent_init,
    .push = mean_push,
    .estimate = recent_estimate,
    .grow = recent_grow,
};
