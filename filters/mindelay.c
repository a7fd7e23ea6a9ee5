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

/* Fewer first packets make no line (FIELD: 10). */
enum { SKEW_LEAST_TRAINS = 10 };

/* Then the window of readings, then scratch: three numbers a reading and one index. */
struct mindelay {
    struct pace pace;
    struct epoch epoch;
    struct estimate estimate;
    struct readings *readings;
    double *scratch;
};

static size_t state_bytes(unsigned window)
{
    return sizeof(struct mindelay) + readings_bytes(window)
        + window * (3 * sizeof(double) + sizeof(uint32_t));
}

static void init(void *state, unsigned window)
{
    struct mindelay *mindelay = state;

    *mindelay = (struct mindelay){
        .estimate = {.state = STATE_INSUFFICIENT},
        .readings = (struct readings *)(mindelay + 1),
        .scratch = (double *)((char *)(mindelay + 1) + readings_bytes(window)),
    };
    readings_init(mindelay->readings, window);
}

static double rate_of(const struct reading *reading)
{
    return reading->bytes * 8e9 / reading->gap_ns;
}

static bool compares(const struct reading *reading, uint32_t bytes, uint16_t segment)
{
    return reading->bytes == bytes && reading->segment == segment;
}

/* sums [count] of the two delays, free of skew. Delays of different sizes do not
 * compare: the commonest size counts. */
static void add_delays(const struct readings *readings, double *sums, uint32_t *hull)
{
    double *at = sums + readings->room, *delay = at + readings->room;
    uint32_t bytes = readings_commonest(readings, 0);
    uint16_t segment = readings_segment(readings, 0);
    double slope = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < readings->count; i++) {
        if (!compares(readings_at(readings, i), bytes, segment))
            continue;
        at[n] = readings_at(readings, i)->at_s;
        delay[n++] = readings_at(readings, i)->delay_ns;
    }
    if (n >= SKEW_LEAST_TRAINS)
        slope = skew_slope(at, delay, n, hull);
    for (unsigned i = 0; i < readings->count; i++) {
        const struct reading *reading = readings_at(readings, i);

        sums[i] = compares(reading, bytes, segment)
            ? 2 * (reading->delay_ns - slope * reading->at_s) + reading->gap_ns
            : INFINITY;
    }
}

/* The least sum and what the next two of them say: CapProbe waits until these
 * agree, but a shaper or a coalescing adapter makes them agree on nonsense, so the
 * rule alone never calls itself converged. */
static void conclude(const struct readings *readings, const uint32_t *order,
                     struct estimate *estimate)
{
    const struct reading *best = readings_at(readings, order[0]);

    *estimate = (struct estimate){.state = STATE_TENTATIVE, .capacity_bps = rate_of(best)};
    estimate->low_bps = estimate->high_bps = estimate->capacity_bps;
    if (readings->count < 3)
        return;
    for (unsigned i = 1; i < 3; i++) {
        double rate_bps = rate_of(readings_at(readings, order[i]));

        estimate->low_bps = fmin(estimate->low_bps, rate_bps);
        estimate->high_bps = fmax(estimate->high_bps, rate_bps);
    }
}

static void work_out(struct mindelay *mindelay)
{
    struct readings *readings = mindelay->readings;
    uint32_t *order = (uint32_t *)(mindelay->scratch + 3 * readings->room);

    add_delays(readings, mindelay->scratch, order);
    sort_order(mindelay->scratch, order, readings->count);
    conclude(readings, order, &mindelay->estimate);
}

static void push(void *state, struct sample *sample)
{
    struct mindelay *mindelay = state;
    struct reading reading;

    if (!dispersion_usable(sample)
        || !reading_of_head(&mindelay->epoch, sample, &reading) || isnan(reading.delay_ns))
        return;
    readings_push(mindelay->readings, &reading);
    if (pace_due(&mindelay->pace, mindelay->readings->count))
        work_out(mindelay);
}

static void estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct mindelay *)state)->estimate;
}

const struct filter filter_mindelay = {
    .name = "mindelay",
    .usage = "the pair of least delay sum, clock skew removed (needs send times)",
    .state_bytes = state_bytes,
    .init = init,
    .push = push,
    .estimate = estimate,
};
