/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/available_own.h"

#include "filters/moments.h"

#include <math.h>

static double passed_bits(const struct available_train *train)
{
    return 8.0 * train->sent_bytes * train->received / train->sent;
}

static double available_own_span_ns(const struct available_train *train)
{
    return isnan(train->span_ns) ? 0 : (double)train->span_ns;
}

/* Nobody sends all the time: where spans say so they are wrong. */
#define BUSY_MOST 0.9

/* Intervals of a Poisson process have a variance of their mean squared; a clock's have none. */
#define RANDOM_LEAST 0.25

static bool at_random(const struct available_trains *trains)
{
    struct moments intervals = {0};

    for (unsigned i = 1; i < trains->count; i++)
        moments_add(&intervals,
                    available_train_at(trains, i)->at_s - available_train_at(trains, i - 1)->at_s);
    return moments_variance(&intervals) >= RANDOM_LEAST * intervals.mean * intervals.mean;
}

struct own own_read(const struct available_trains *trains)
{
    struct own own = {0};

    if (trains->count < 2)
        return own;
    own.time_ns =
        (available_train_at(trains, trains->count - 1)->at_s - available_train_at(trains, 0)->at_s) * 1e9;
    if (!(own.time_ns > 0))
        return (struct own){0};
    for (unsigned i = 0; i + 1 < trains->count; i++) {
        own.bps += passed_bits(available_train_at(trains, i)) * 1e9 / own.time_ns;
        own.busy += available_own_span_ns(available_train_at(trains, i)) / own.time_ns;
    }
    own.busy = fmin(own.busy, BUSY_MOST);
    own.random = at_random(trains);
    return own;
}

/* The right side grows by less than A does: it is soon found. */
enum { ROUNDS = 8 };

double own_by_idle_share(const struct available_trains *trains, const struct own *own, double capacity_bps,
                         double share)
{
    double available_bps = capacity_bps * share;

    for (unsigned round = 0; round < ROUNDS; round++) {
        double sum_bps = capacity_bps * (1 - own->busy) * share;
        for (unsigned i = 0; i + 1 < trains->count; i++) {
            const struct available_train *train = available_train_at(trains, i);

            sum_bps +=
                fmax(available_bps * available_own_span_ns(train), passed_bits(train) * 1e9) / own->time_ns;
        }
        available_bps = sum_bps;
    }
    return fmin(available_bps, capacity_bps);
}
