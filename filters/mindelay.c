/* SPDX-License-Identifier: BSD-3-Clause */
/* CapProbe's rule (Kapoor, Chen, Lao, Gerla and Sanadidi, SIGCOMM 2004): the pair
 * whose two delays have the least sum met no queue, so its spacing is that of the
 * narrow link. Their probes echo and use one clock; here the delays are one way,
 * so the clocks' skew is taken out first. */
#include "filters/dispersion.h"
#include "filters/pace.h"
#include "filters/readings.h"
#include "filters/rows.h"
#include "filters/skew.h"
#include "filters/sort.h"

#include <math.h>

/* Then the window of readings; then scratch, a key, two numbers and an index each. */
struct mindelay {
    struct pace pace;
    struct epoch epoch;
    struct estimate estimate;
    struct readings *readings;
    struct sort_key *sums;
};

static size_t mindelay_state_bytes(unsigned window)
{
    return sizeof(struct mindelay) + readings_bytes(window)
        + window * (sizeof(struct sort_key) + 2 * sizeof(double) + sizeof(uint32_t));
}

static void mindelay_init(void *state, unsigned window)
{
    struct mindelay *mindelay = state;

    *mindelay = (struct mindelay){
        .estimate = {.state = STATE_INSUFFICIENT},
        .readings = (struct readings *)(mindelay + 1),
        .sums = (struct sort_key *)((char *)(mindelay + 1) + readings_bytes(window)),
    };
    readings_init(mindelay->readings, window, false);
}

static void mindelay_grow(void *to, const void *from)
{
    const struct mindelay *old = from;
    struct mindelay *mindelay = to, made = *mindelay;

    *mindelay = *old;
    mindelay->readings = made.readings;
    mindelay->sums = made.sums;
    readings_copy(mindelay->readings, old->readings);
}

static double mindelay_rate_of(const struct reading *reading)
{
    return reading->bytes * 8e9 / reading->gap_ns;
}

static bool compares(const struct reading *reading, uint32_t bytes, uint16_t segment)
{
    return reading->bytes == bytes && reading->segment == segment;
}

/* The sums of the two delays, free of skew, in order; returns how many. Delays of
 * different sizes do not compare: the commonest size counts. */
static unsigned sort_sums(const struct readings *readings, struct sort_key *sums)
{
    double *at = (double *)(sums + readings->room), *delay = at + readings->room;
    uint32_t bytes = readings_commonest(readings, 0);
    uint16_t segment = readings_segment(readings, 0);
    unsigned n = 0;

    for (unsigned i = 0; i < readings->count; i++) {
        if (!compares(readings_at(readings, i), bytes, segment))
            continue;
        at[n] = readings_at(readings, i)->at_s;
        delay[n] = readings_at(readings, i)->delay_ns;
        sums[n++].index = i;
    }
    skew_level(at, delay, n, (uint32_t *)(delay + readings->room));
    for (unsigned i = 0; i < n; i++)
        sums[i].value = 2 * delay[i] + readings_at(readings, sums[i].index)->gap_ns;
    sort_keys(sums, n);
    return n;
}

/* The least sum and what the next two of them say: CapProbe waits until these
 * agree, but a shaper or a coalescing adapter makes them agree on nonsense, so the
 * rule alone never calls itself converged. */
static void mindelay_work_out(struct mindelay *mindelay, int64_t newest_ns)
{
    const struct readings *readings = mindelay->readings;
    struct estimate *estimate = &mindelay->estimate;
    unsigned count = sort_sums(readings, mindelay->sums);

    *estimate = (struct estimate){.state = STATE_TENTATIVE};
    estimate_rest_on(estimate, readings->count, newest_ns);
    estimate->capacity_bps = mindelay_rate_of(readings_at(readings, mindelay->sums[0].index));
    estimate->low_bps = estimate->high_bps = estimate->capacity_bps;
    for (unsigned i = 1; i < 3 && i < count; i++) {
        double rate_bps = mindelay_rate_of(readings_at(readings, mindelay->sums[i].index));

        estimate->low_bps = fmin(estimate->low_bps, rate_bps);
        estimate->high_bps = fmax(estimate->high_bps, rate_bps);
    }
}

static void mindelay_push(void *state, struct sample *sample)
{
    struct mindelay *mindelay = state;
    struct noise noise = noise_prior();
    struct reading reading;

    if (!dispersion_usable(sample) || !reading_of_head(&mindelay->epoch, sample, &noise, &reading)
        || isnan(reading.delay_ns))
        return;
    readings_push(mindelay->readings, &reading);
    if (pace_due(&mindelay->pace, mindelay->readings->count, sample->time_ns))
        mindelay_work_out(mindelay, sample->time_ns);
}

static void mindelay_estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct mindelay *)state)->estimate;
}

const struct filter filter_mindelay = {
    .name = "mindelay",
    .usage = "the pair of least delay sum, clock skew removed (needs send times)",
    .state_bytes = mindelay_state_bytes,
    .init = mindelay_init,
    .push = mindelay_push,
    .estimate = mindelay_estimate,
    .grow = mindelay_grow,
};
