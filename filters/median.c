/* SPDX-License-Identifier: BSD-3-Clause */
/* The median of the window: outliers on either side do not move it. */
#include "filters/recent.h"
#include "filters/rows.h"

#include <math.h>

/* With three trains a majority can outvote a wrong one. */
enum { LEAST_TRAINS = 3 };

static void estimate(const void *state, struct estimate *estimate)
{
    const struct ranked *rates = recent_usable(state);
    double half, middle;

    if (recent_settles(state, LEAST_TRAINS, estimate))
        return;
    /* Order statistics that hold the median in 95 of 100 cases: n/2 -+ 0.98
     * sqrt(n), the normal approximation of the binomial. Below six trains even
     * the extremes do not reach 95 %. */
    half = 0.98 * sqrt(rates->count);
    middle = rates->count / 2.0;
    estimate->capacity_bps = ranked_quantile(rates, 0.5);
    estimate->low_bps = ranked_at(rates, (unsigned)fmax(floor(middle - half), 0));
    estimate->high_bps = ranked_at(
        rates, (unsigned)fmin(ceil(middle + half), rates->count - 1.0));
}

const struct filter filter_median = {
    .name = "median",
    .usage = "the median rate of the window",
    .state_bytes = recent_bytes,
    .init = recent_init,
    .push = recent_push,
    .estimate = estimate,
    .grow = recent_grow,
};
