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

/* Gaps from some one on, up to a jump: their mean, and the least of what lies beyond. */
struct tooth {
    double mean_ns, beyond_ns;
};

static struct tooth tooth_from(const double *gap_ns, unsigned count, double from_ns, double jump_ns)
{
    double sum_ns = 0, beyond_ns = INFINITY; /* off from_ns */
    unsigned on = 0;

    for (unsigned i = 0; i < count; i++) { /* no branch: none is foreseen */
        double off_ns = gap_ns[i] - from_ns, further_ns = off_ns > jump_ns ? off_ns : INFINITY;
        bool is_on = (off_ns >= 0) & (off_ns <= jump_ns);

        on += is_on;
        sum_ns += is_on * off_ns;
        beyond_ns = further_ns < beyond_ns ? further_ns : beyond_ns;
    }
    return (struct tooth){from_ns + sum_ns / on, from_ns + beyond_ns};
}

static double least_of(const double *gap_ns, unsigned count)
{
    double least_ns = gap_ns[0];

    for (unsigned i = 1; i < count; i++)
        least_ns = gap_ns[i] < least_ns ? gap_ns[i] : least_ns;
    return least_ns;
}

/* None is one below the lowest. */
static double nearest_step(double steps)
{
    return (int)(fabs(steps) < STEPS_MOST ? steps + 0.5 : STEPS_MOST);
}

/* Teeth that miss the gaps by the least squares, where each is on the nearest of the teeth before; none: they miss
 * them by more than so many steps. */
static struct teeth teeth_fit(const double *gap_ns, unsigned count, struct teeth teeth, double off_most)
{
    double at = 0, at2 = 0, steps = 0, steps2 = 0, both = 0, apart, low, off2;

    for (unsigned i = 0; i < count; i++) {
        double x = (gap_ns[i] - teeth.low_ns) / teeth.apart_ns;
        double step = nearest_step(x);

        at += x;
        at2 += x * x;
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

static struct teeth teeth_of_many(const double *gap_ns, const struct moments *all, double tick_ns)
{
    unsigned count = all->count;
    double jump_ns = fmax(ON_ONE * sqrt(all->squares / count), TICKS_ON_ONE * tick_ns);
    struct tooth low = tooth_from(gap_ns, count, least_of(gap_ns, count), jump_ns), next;
    struct teeth teeth;

    if (isinf(low.beyond_ns))
        return (struct teeth){0}; /* they are all alike */
    next = tooth_from(gap_ns, count, low.beyond_ns, jump_ns);
    teeth = (struct teeth){.low_ns = low.mean_ns, .apart_ns = next.mean_ns - low.mean_ns};
    teeth = teeth_fit(gap_ns, count, teeth, OFF_FIRST);
    if (teeth.apart_ns > 0)
        teeth = teeth_fit(gap_ns, count, teeth, OFF);
    return teeth.apart_ns < TICKS_APART * tick_ns ? (struct teeth){0} : teeth;
}

/* --- Two, that a host may blur --- */

/* What two levels leave of the variance of gaps. Of gaps spread evenly, or normally, any two leave a quarter
 * or a third. */
#define UNEXPLAINED 0.15

/* Levels that are the means of what is nearer to each: they settle in as many rounds where they are sharp. */
enum { ROUNDS = 4 };

/* Those not above the middle: how many, and the sum of what they are off the mean of all. */
struct lower {
    unsigned count;
    double off_ns;
};

static struct lower below(const double *gap_ns, unsigned count, double middle_ns, double mean_ns)
{
    struct lower lower = {0, 0};

    for (unsigned i = 0; i < count; i++) {
        bool is_low = gap_ns[i] <= middle_ns;

        lower.count += is_low;
        lower.off_ns += is_low * (gap_ns[i] - mean_ns); /* no branch: of two levels none is foreseen */
    }
    return lower;
}

static struct teeth teeth_of_two(const double *gap_ns, const struct moments *all, double tick_ns)
{
    unsigned count = all->count;
    double low_ns = 0, high_ns = 0, explained = 0; /* off the mean of all */
    unsigned before = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct lower lower = below(gap_ns, count, all->mean + (low_ns + high_ns) / 2, all->mean);

        if (lower.count == before)
            break;
        before = lower.count;
        if (lower.count == 0 || lower.count == count)
            return (struct teeth){0}; /* they are all alike */
        low_ns = lower.off_ns / lower.count;
        high_ns = -lower.off_ns / (count - lower.count);
        explained = lower.off_ns * (low_ns - high_ns);
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

struct teeth teeth_read(const double *gap_ns, unsigned count, double tick_ns)
{
    struct moments all = moments_of(gap_ns, count);
    struct teeth teeth = teeth_of_many(gap_ns, &all, tick_ns);

    if (teeth.apart_ns <= 0)
        teeth = teeth_of_two(gap_ns, &all, tick_ns);
    teeth.in_runs = teeth.apart_ns > 0 && stand_in_runs(gap_ns, count, &teeth);
    teeth.mean_ns = all.mean;
    teeth.error_ns = sqrt(all.squares) / count;
    return teeth;
}

/* --- Whole multiples --- */

/* Within so much of the shortest gap: by chance one in ten is. Nearly all are, and some are longer; the mean of these is
 * nearer, which of a pause that is always as long one in thirty is. */
#define OFF_WHOLE 0.05
#define OFF_MEAN 0.015
#define WHOLE_SHARE 0.9
#define SHORTEST 0.1
enum { LONGER_LEAST = 4 };

/* Whether too many are too long for one and too short for two, whatever of SHORTEST the mean of these is. */
static bool lie_between(const double *gap_ns, unsigned count, double least_ns)
{
    double most = count - WHOLE_SHARE * count;
    double low_ns = (1 + SHORTEST) * (1 + OFF_WHOLE) * least_ns, high_ns = (2 - OFF_WHOLE) * least_ns;
    unsigned between = 0;

    for (unsigned i = 0; i < count && between <= most; i++)
        between += (gap_ns[i] > low_ns) & (gap_ns[i] < high_ns);
    return between > most;
}

double teeth_whole_ns(const double *gap_ns, unsigned count, double tick_ns)
{
    double least_ns = least_of(gap_ns, count), both = 0, wholes2 = 0, off = 0, one_ns;
    unsigned on = 0, longer = 0;

    if (least_ns <= 0 || lie_between(gap_ns, count, least_ns))
        return 0;
    one_ns = tooth_from(gap_ns, count, least_ns, SHORTEST * least_ns).mean_ns;
    if (tick_ns > OFF_WHOLE * one_ns)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        double ones = gap_ns[i] / one_ns;
        double whole = nearest_step(ones);
        bool is_on = fabs(ones - whole) <= OFF_WHOLE, is_longer = is_on && whole > 1;

        on += is_on;
        longer += is_longer;
        off += is_longer ? ones - whole : 0;
        both += is_on ? ones * whole : 0;
        wholes2 += is_on ? whole * whole : 0;
    }
    return on >= WHOLE_SHARE * count && longer >= LONGER_LEAST && fabs(off) <= OFF_MEAN * longer
        ? one_ns * both / wholes2
        : 0;
}
