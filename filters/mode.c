/* SPDX-License-Identifier: BSD-3-Clause */
/* The mode of the logarithms of the rates: what cross traffic spreads out is
 * outvoted by what passed unharmed, however far off the rest is. */
#include "filters/mode.h"

#include "filters/pace.h"
#include "filters/recent.h"
#include "filters/rows.h"

#include <math.h>

/* Three values are the fewest of which two can be closer than the others. */
enum { LEAST_TRAINS = 3 };

unsigned mode_densest(const double *sorted, unsigned count, unsigned part)
{
    double least = sorted[part - 1] - sorted[0];
    unsigned best = 0;

    for (unsigned i = 1; i + part <= count; i++) {
        double spans = sorted[i + part - 1] - sorted[i];

        if (spans < least) {
            least = spans;
            best = i;
        }
    }
    return best;
}

double mode_half_sample(const double *sorted, unsigned count)
{
    while (count > 3) {
        unsigned half = (count + 1) / 2;

        sorted += mode_densest(sorted, count, half);
        count = half;
    }
    if (count == 3 && sorted[2] - sorted[1] == sorted[1] - sorted[0])
        return sorted[1];
    if (count == 3)
        sorted += mode_densest(sorted, 3, 2);
    return count == 1 ? sorted[0] : (sorted[0] + sorted[1]) / 2;
}

/* --- The filter --- */

/* Before struct recent and its window. */
struct mode {
    struct pace pace;
};

static struct recent *mode_window_of(const void *state)
{
    return (struct recent *)((char *)state + sizeof(struct mode));
}

static size_t mode_state_bytes(unsigned window)
{
    return sizeof(struct mode) + recent_bytes(window);
}

static void mode_init(void *state, unsigned window)
{
    *(struct mode *)state = (struct mode){.pace = {0}};
    recent_init(mode_window_of(state), window);
}

/* The half of the rates that lie closest together in proportion, which is what
 * distance between logarithms is. */
static const double *closest_half(const double *rates, unsigned count)
{
    unsigned half = (count + 1) / 2, best = 0;

    for (unsigned i = 1; i + half <= count; i++)
        if (rates[i + half - 1] * rates[best] < rates[best + half - 1] * rates[i])
            best = i;
    return rates + best;
}

/* As mode_half_sample(), by proportion: no logarithm needs to be taken. */
static double log_mode(const double *rates, unsigned count)
{
    while (count > 3) {
        rates = closest_half(rates, count);
        count = (count + 1) / 2;
    }
    if (count == 3)
        rates += rates[2] * rates[0] < rates[1] * rates[1];
    return count == 1 ? rates[0] : sqrt(rates[0] * rates[1]);
}

static void mode_work_out(struct sorted rates, struct estimate *estimate)
{
    const double *half = closest_half(rates.values, rates.count);

    estimate->low_bps = half[0];
    estimate->high_bps = half[(rates.count + 1) / 2 - 1];
    estimate->capacity_bps = log_mode(rates.values, rates.count);
}

static void mode_push(void *state, struct sample *sample)
{
    struct mode *mode = state;
    struct recent *window = mode_window_of(state);

    recent_push(window, sample);
    if (!pace_due(&mode->pace, recent_usable(window).count, sample->time_ns))
        return;
    recent_sort(window);
    if (!recent_settles(window, LEAST_TRAINS))
        mode_work_out(recent_usable(window), &window->estimate);
}

static void mode_estimate(const void *state, struct estimate *estimate)
{
    recent_estimate(mode_window_of(state), estimate);
}

static void mode_grow(void *to, const void *from)
{
    *(struct mode *)to = *(const struct mode *)from;
    recent_grow(mode_window_of(to), mode_window_of(from));
}

const struct filter filter_mode = {
    .name = "mode",
    .usage = "where most rates of the window agree (half-sample mode of their logarithms)",
    .state_bytes = mode_state_bytes,
    .init = mode_init,
    .push = mode_push,
    .estimate = mode_estimate,
    .grow = mode_grow,
};
