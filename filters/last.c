/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate of the last usable train: the paper's display, and the least that a
 * filter can be. */
#include "filters/recent.h"
#include "filters/rows.h"

static void last_init(void *state, unsigned window)
{
    (void)window; /* the last one is a window of one */
    recent_init(state, 1);
}

static size_t last_state_bytes(unsigned window)
{
    (void)window;
    return recent_bytes(1);
}

static void last_push(void *state, struct sample *sample)
{
    struct recent *recent = state;
    struct estimate *estimate = &recent->estimate;

    if (!recent_push(recent, sample) || recent_settles(recent, 1))
        return;
    estimate->capacity_bps = recent_usable(recent).values[0];
    estimate->low_bps = estimate->high_bps = estimate->capacity_bps;
}

const struct filter filter_last = {
    .name = "last",
    .usage = "the rate of the last usable train, unfiltered",
    .state_bytes = last_state_bytes,
    .init = last_init,
    .push = last_push,
    .estimate = recent_estimate,
};
