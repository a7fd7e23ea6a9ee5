/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/teeth.h"

#include "filters/moments.h"

/* What two levels leave of the variance of gaps. Of gaps spread evenly, or normally, any two leave a quarter
 * or a third; where stamps in ticks blur two levels, they stay as sharp if these are so many ticks apart. */
#define UNEXPLAINED 0.15
#define TICKS_APART 3

/* Levels that are the means of what is nearer to each: they settle in as many rounds where they are sharp. */
enum { ROUNDS = 4 };

struct levels {
    struct moments low, high;
};

static struct levels split(const double *gap_ns, unsigned count, double middle_ns)
{
    struct levels levels = {0};

    for (unsigned i = 0; i < count; i++)
        moments_add(gap_ns[i] <= middle_ns ? &levels.low : &levels.high, gap_ns[i]);
    return levels;
}

struct teeth teeth_read(const double *gap_ns, unsigned count, double tick_ns)
{
    struct levels levels = split(gap_ns, count, INFINITY);
    double squares = levels.low.squares, middle_ns = levels.low.mean, apart_ns;

    for (int round = 0; round < ROUNDS; round++) {
        levels = split(gap_ns, count, middle_ns);
        if (levels.low.count == 0 || levels.high.count == 0)
            return (struct teeth){0}; /* they are all alike */
        middle_ns = (levels.low.mean + levels.high.mean) / 2;
    }
    apart_ns = levels.high.mean - levels.low.mean;
    if (apart_ns < TICKS_APART * tick_ns || levels.low.squares + levels.high.squares > UNEXPLAINED * squares)
        return (struct teeth){0};
    return (struct teeth){levels.low.mean, apart_ns};
}
