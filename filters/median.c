/* SPDX-License-Identifier: BSD-3-Clause */
/* The median of the window: outliers on either side do not move it. */
#include "filters/recent.h"
#include "filters/rows.h"

#include <math.h>

/* With three trains a majority can outvote a wrong one. */
enum { LEAST_TRAINS = 3 };

static void median_work_out(struct sorted rates, struct estimate *estimate)
{
    /* Order statistics that hold the median in 95 of 100 cases: n/2 -+ 0.98
     * sqrt(n), the normal approximation of the binomial. Below six trains even
     * the extremes do not reach 95 %. */
    double half = 0.98 * sqrt(rates.count);
    double middle = rates.count / 2.0;

    estimate->capacity_bps = sorted_quantile(rates, 0.5);
    estimate->low_bps = rates.values[(unsigned)fmax(floor(middle - half), 0)];
    estimate->high_bps = rates.values[(unsigned)fmin(ceil(middle + half), rates.count - 1.0)];
}

static void median_push(void *state, struct sample *sample)
{
    struct recent *recent = state;

    if (recent_push(recent, sample) && !recent_settles(recent, LEAST_TRAINS))
        median_work_out(recent_usable(recent), &recent->estimate);
}

const struct filter filter_median = {
    .name = "median",
    .usage = "the median rate of the window",
    .state_bytes = recent_bytes,
    .init = recent_init,
    .push = median_push,
    .estimate = recent_estimate,
    .grow = recent_grow,
};
