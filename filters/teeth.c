/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/teeth.h"

#include "filters/moments.h"

#include <stdbool.h>

/* What two levels leave of the variance of gaps. Of gaps spread evenly, or normally, any two leave a quarter
 * or a third; where stamps in ticks blur two levels, they stay as sharp if these are so many ticks apart. */
#define UNEXPLAINED 0.15
#define TICKS_APART 3

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

struct teeth teeth_read(const double *gap_ns, unsigned count, double tick_ns)
{
    struct moments all = moments_of(gap_ns, count);
    double low_ns = 0, high_ns = 0, explained = 0; /* off the mean of all */
    unsigned before = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct lower lower = below(gap_ns, count, all.mean + (low_ns + high_ns) / 2, all.mean);

        if (lower.count == before)
            break;
        before = lower.count;
        if (lower.count == 0 || lower.count == count)
            return (struct teeth){0}; /* they are all alike */
        low_ns = lower.off_ns / lower.count;
        high_ns = -lower.off_ns / (count - lower.count);
        explained = lower.off_ns * (low_ns - high_ns);
    }
    if (high_ns - low_ns < TICKS_APART * tick_ns || all.squares - explained > UNEXPLAINED * all.squares)
        return (struct teeth){0};
    return (struct teeth){all.mean + low_ns, high_ns - low_ns};
}
