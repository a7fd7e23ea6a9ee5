/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/teeth.h"

#include "filters/moments.h"

#include <math.h>
#include <stdbool.h>

/* Stamps in ticks blur teeth that are nearer. */
#define TICKS_APART 3

/* --- Sharp ones, however many --- */

/* On one tooth, gaps are no further apart than this share of what all scatter by (by 1.1 steps on four teeth alike),
 * or than stamps in ticks make them. */
#define ON_ONE 0.25
#define TICKS_ON_ONE 1.5

/* Any more are no teeth. */
enum { STEPS_MOST = 1 << 20 };

/* What gaps are off, root mean square, in steps: of gaps spread evenly 0.29. At first two teeth alone tell the step,
 * and higher ones are off by what that is, as often as they are higher. */
#define OFF_FIRST 0.22
#define OFF 0.15

/* The least that is longer than so much. */
static double least_beyond(const double *gap_ns, unsigned count, double most_ns)
{
    static const double out_of_reach[] = {[false] = 0, [true] = INFINITY}; /* no branch: none is foreseen */
    double least_ns = INFINITY;

    for (unsigned i = 0; i < count; i++) {
        double beyond_ns = gap_ns[i] + out_of_reach[gap_ns[i] <= most_ns];

        least_ns = beyond_ns < least_ns ? beyond_ns : least_ns;
    }
    return least_ns;
}

/* None is one below the lowest. */
static double nearest_step(double steps)
{
    return (int)(steps + 0.5);
}

/* Teeth that miss the gaps by the least squares, where each is on the nearest of the teeth before; none: they miss
 * them by more than so many steps. */
static struct teeth teeth_fit(const double *gap_ns, const struct extent *all, struct teeth teeth,
                              double off_most)
{
    double per_ns = 1 / teeth.apart_ns, mean = (all->of.mean - teeth.low_ns) * per_ns, count = all->of.count;
    double at = count * mean, at2 = all->of.squares * per_ns * per_ns + at * mean;
    double steps = 0, steps2 = 0, both = 0, apart, low, off2;

    if (!((all->most - teeth.low_ns) * per_ns < STEPS_MOST))
        return (struct teeth){0};
    for (unsigned i = 0; i < all->of.count; i++) {
        double x = (gap_ns[i] - teeth.low_ns) * per_ns;
        double step = nearest_step(x);

        steps += step;
        steps2 += step * step;
        both += x * step;
    }
    apart = (count * both - steps * at) / (count * steps2 - steps * steps);
    low = (at - apart * steps) / count;
    off2 = (at2 - low * at - apart * both) / count;
    if (!(off2 <= off_most * off_most * apart * apart)) /* nor where all are on one */
        return (struct teeth){0};
    return (struct teeth){.low_ns = teeth.low_ns + low * teeth.apart_ns, .apart_ns = apart * teeth.apart_ns};
}

static struct teeth teeth_of_many(const double *gap_ns, const struct extent *all, double tick_ns)
{
    unsigned count = all->of.count;
    double jump_ns = fmax(ON_ONE * sqrt(all->of.squares / count), TICKS_ON_ONE * tick_ns);
    struct lower low = moments_lower(gap_ns, &all->of, all->least + jump_ns), both;
    struct teeth teeth;

    if (low.count == count)
        return (struct teeth){0}; /* they are all alike */
    both = moments_lower(gap_ns, &all->of, least_beyond(gap_ns, count, all->least + jump_ns) + jump_ns);
    teeth.low_ns = all->of.mean + low.off / low.count;
    teeth.apart_ns = all->of.mean + (both.off - low.off) / (both.count - low.count) - teeth.low_ns;
    teeth = teeth_fit(gap_ns, all, teeth, OFF_FIRST);
    if (teeth.apart_ns > 0)
        teeth = teeth_fit(gap_ns, all, teeth, OFF);
    return teeth.apart_ns < TICKS_APART * tick_ns ? (struct teeth){0} : teeth;
}

/* --- Two, that a host may blur --- */

/* What two levels leave of the variance of gaps. Of gaps spread evenly, or normally, any two leave a quarter
 * or a third. */
#define UNEXPLAINED 0.15

/* Levels that are the means of what is nearer to each: they settle in as many rounds where they are sharp. */
enum { ROUNDS = 4 };

static struct teeth teeth_of_two(const double *gap_ns, const struct moments *all, double tick_ns)
{
    unsigned count = all->count;
    double low_ns = 0, high_ns = 0, explained = 0; /* off the mean of all */
    unsigned before = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct lower lower = moments_lower(gap_ns, all, all->mean + (low_ns + high_ns) / 2);

        if (lower.count == before)
            break;
        before = lower.count;
        if (lower.count == 0 || lower.count == count)
            return (struct teeth){0}; /* they are all alike */
        low_ns = lower.off / lower.count;
        high_ns = -lower.off / (count - lower.count);
        explained = lower.off * (low_ns - high_ns);
    }
    if (high_ns - low_ns < TICKS_APART * tick_ns || all->squares - explained > UNEXPLAINED * all->squares)
        return (struct teeth){0};
    return (struct teeth){.low_ns = all->mean + low_ns, .apart_ns = high_ns - low_ns};
}

/* --- In a row --- */

enum { RUNS_LEAST = 2 };

static bool stand_in_runs(const double *gap_ns, unsigned count, const struct teeth *teeth)
{
    unsigned low = 0, high = 0;
    int before = -1;

    for (unsigned i = 0; i < count; i++) {
        int step = (int)fmin(fmax(round((gap_ns[i] - teeth->low_ns) / teeth->apart_ns), -1), 2);

        if (step > 1)
            return false;
        low += step == 0 && before == 0;
        high += step == 1 && before == 1;
        before = step;
    }
    return low >= RUNS_LEAST && high >= RUNS_LEAST;
}

/* At a clock gaps of one rate are on the two steps to either side of their mean, and vary by what that share of each makes.
 * Others, of which some come in between, put some further off: one gap in ten by a step. */
#define BEYOND_CLOCK 0.1

static bool are_scattered(const struct extent *all, const struct teeth *teeth)
{
    double steps = (all->of.mean - teeth->low_ns) / teeth->apart_ns, upper = steps - floor(steps);

    return all->of.squares / all->of.count
        > (upper * (1 - upper) + BEYOND_CLOCK) * teeth->apart_ns * teeth->apart_ns;
}

struct teeth teeth_read(const double *gap_ns, const struct extent *all, double tick_ns)
{
    struct teeth teeth = teeth_of_many(gap_ns, all, tick_ns);

    if (teeth.apart_ns <= 0)
        teeth = teeth_of_two(gap_ns, &all->of, tick_ns);
    teeth.in_runs = teeth.apart_ns > 0 && stand_in_runs(gap_ns, all->of.count, &teeth);
    teeth.scattered = teeth.apart_ns > 0 && are_scattered(all, &teeth);
    teeth.mean_ns = all->of.mean;
    teeth.error_ns = sqrt(all->of.squares) / all->of.count;
    return teeth;
}
