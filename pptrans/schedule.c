/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule.h"

#include "common/stamp.h"
#include "random.h"

#include <math.h>

/* Lateness that counts as a long stop: so many delays, and at least so long. */
#define STOP_DELAYS 2.0
#define STOP_LEAST_NS (100.0 * (double)STAMP_NS_PER_MS)

void schedule_init(struct schedule *schedule, enum schedule_spacing spacing, int64_t start_ns, uint64_t seed)
{
    *schedule =
        (struct schedule){.spacing = spacing, .due_ns = (double)start_ns, .random = random_seed(seed)};
}

int64_t schedule_due_ns(const struct schedule *schedule)
{
    return (int64_t)schedule->due_ns;
}

/* Independent intervals, so that their sum drifts through every phase of
 * whatever period a scheduler or a link has. */
static double interval_ns(struct schedule *schedule, double delay_ns)
{
    double unit = random_unit(&schedule->random);

    if (schedule->spacing == SCHEDULE_POISSON)
        return -log(unit) * delay_ns;
    return (0.9 + 0.2 * unit) * delay_ns;
}

void schedule_advance(struct schedule *schedule, double delay_ms, int64_t now_ns)
{
    double delay_ns = delay_ms * (double)STAMP_NS_PER_MS;
    double late_ns = (double)now_ns - schedule->due_ns;

    if (late_ns > fmax(STOP_DELAYS * delay_ns, STOP_LEAST_NS))
        schedule->due_ns = (double)now_ns;
    schedule->due_ns += interval_ns(schedule, delay_ns);
}

void schedule_restart(struct schedule *schedule, int64_t now_ns)
{
    schedule->due_ns = (double)now_ns;
}
