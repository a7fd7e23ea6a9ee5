/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/recent.h"

#include "filters/dispersion.h"
#include "filters/sort.h"

/* Memory: struct recent, then the rates as struct ranked. Those that the sender limited
 * are negative, and so stand apart from the usable ones, before them. */
static struct ranked *recent_rates_of(const void *state)
{
    return (struct ranked *)((char *)state + sizeof(struct recent));
}

size_t recent_bytes(unsigned window)
{
    return sizeof(struct recent) + ranked_bytes(window);
}

void recent_init(void *state, unsigned window)
{
    *(struct recent *)state = (struct recent){.estimate = {.state = STATE_INSUFFICIENT}};
    ranked_init(recent_rates_of(state), window);
}

bool recent_push(void *state, const struct sample *sample)
{
    bool limited = sample->verdict == VERDICT_SENDER_LIMITED && sample->rate_bps > 0;

    if (!limited && !dispersion_usable(sample))
        return false;
    ((struct recent *)state)->newest_ns = sample->time_ns;
    return ranked_push(recent_rates_of(state), limited ? -sample->rate_bps : sample->rate_bps);
}

void recent_sort(void *state)
{
    ranked_sort(recent_rates_of(state));
}

void recent_grow(void *to, const void *from)
{
    *(struct recent *)to = *(const struct recent *)from;
    ranked_copy(recent_rates_of(to), recent_rates_of(from));
}

void recent_estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct recent *)state)->estimate;
}

static struct sorted limited_rates(const void *state)
{
    struct sorted all = ranked_sorted(recent_rates_of(state));

    return (struct sorted){all.values, sort_rank(all.values, all.count, 0, false)};
}

struct sorted recent_usable(const void *state)
{
    struct sorted all = ranked_sorted(recent_rates_of(state));
    unsigned limited = limited_rates(state).count;

    return (struct sorted){all.values + limited, all.count - limited};
}

bool recent_settles(struct recent *recent, unsigned least)
{
    struct estimate *estimate = &recent->estimate;
    struct sorted usable = recent_usable(recent);
    struct sorted limited = limited_rates(recent);

    *estimate = (struct estimate){.state = STATE_TENTATIVE};
    estimate_rest_on(estimate, usable.count, recent->newest_ns);
    if (limited.count > usable.count) {
        estimate->state = STATE_SENDER_LIMITED;
        estimate->trains = limited.count;
        estimate->capacity_bps = -sorted_quantile(limited, 0.5);
        estimate->low_bps = estimate->capacity_bps;
        return true;
    }
    if (usable.count >= least)
        return false;
    estimate->state = STATE_INSUFFICIENT;
    return true;
}
