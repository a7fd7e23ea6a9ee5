/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/recent.h"

#include "filters/dispersion.h"

/* Memory: struct recent, the usable and the limited rates as struct ranked,
 * and a byte for each train by age: whether it was limited. */
static size_t head_bytes(void)
{
    return (sizeof(struct recent) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

size_t recent_bytes(unsigned window)
{
    return head_bytes() + 2 * ranked_bytes(window) + window;
}

static struct ranked *part(const void *state, bool limited)
{
    const struct recent *recent = state;

    return (struct ranked *)((char *)state + head_bytes()
                             + (limited ? ranked_bytes(recent->room) : 0));
}

static bool *ages(const void *state)
{
    const struct recent *recent = state;

    return (bool *)((char *)state + head_bytes() + 2 * ranked_bytes(recent->room));
}

void recent_init(void *state, unsigned window)
{
    struct recent *recent = state;

    *recent = (struct recent){.room = window};
    ranked_init(part(state, false), window);
    ranked_init(part(state, true), window);
}

const struct ranked *recent_usable(const void *state)
{
    return part(state, false);
}

void recent_push(void *state, struct sample *sample)
{
    struct recent *recent = state;
    bool limited = sample->verdict == VERDICT_SENDER_LIMITED && sample->rate_bps > 0;

    if (!limited && !dispersion_usable(sample))
        return;
    if (recent->count < recent->room) {
        ages(state)[recent->count++] = limited;
        ranked_push(part(state, limited), sample->rate_bps);
        return;
    }
    if (ages(state)[recent->oldest] == limited) {
        ranked_replace(part(state, limited), sample->rate_bps);
    } else {
        ranked_drop(part(state, !limited));
        ranked_push(part(state, limited), sample->rate_bps);
    }
    ages(state)[recent->oldest] = limited;
    recent->oldest = (recent->oldest + 1) % recent->room;
}

bool recent_settles(const void *state, unsigned least, struct estimate *estimate)
{
    const struct ranked *usable = part(state, false);
    const struct ranked *limited = part(state, true);

    *estimate = (struct estimate){.state = STATE_TENTATIVE};
    if (limited->count > usable->count) {
        estimate->state = STATE_SENDER_LIMITED;
        estimate->capacity_bps = ranked_quantile(limited, 0.5);
        estimate->low_bps = estimate->capacity_bps;
        return true;
    }
    if (usable->count >= least)
        return false;
    estimate->state = STATE_INSUFFICIENT;
    return true;
}
