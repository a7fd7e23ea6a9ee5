/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/teeth.h"

/* What two levels leave of the variance of gaps. Of gaps spread evenly, or normally, any two leave a quarter
 * or a third; where stamps in ticks blur two levels, they stay as sharp if these are so many ticks apart. */
#define UNEXPLAINED 0.15
#define TICKS_APART 3

/* Levels that are the means of what is nearer to each: they settle in as many rounds where they are sharp. */
enum { ROUNDS = 4 };

struct levels {
    unsigned low, high; /* how many gaps are on either */
    double low_ns, high_ns;
};

static struct levels split(const double *gap_ns, unsigned count, double sum_ns, double middle_ns)
{
    double low_ns = 0;
    unsigned low = 0;

    for (unsigned i = 0; i < count; i++)
        if (gap_ns[i] <= middle_ns) {
            low_ns += gap_ns[i];
            low++;
        }
    return (struct levels){low, count - low, low_ns / low, (sum_ns - low_ns) / (count - low)};
}

static double teeth_sum(const double *gap_ns, unsigned count)
{
    double sum_ns = 0;

    for (unsigned i = 0; i < count; i++)
        sum_ns += gap_ns[i];
    return sum_ns;
}

static double squares_about(const double *gap_ns, unsigned count, double mean_ns)
{
    double squares = 0;

    for (unsigned i = 0; i < count; i++)
        squares += (gap_ns[i] - mean_ns) * (gap_ns[i] - mean_ns);
    return squares;
}

struct teeth teeth_read(const double *gap_ns, unsigned count, double tick_ns)
{
    double sum_ns = teeth_sum(gap_ns, count), middle_ns = sum_ns / count, apart_ns, explained;
    double squares = squares_about(gap_ns, count, middle_ns);
    struct levels levels = {0};

    for (int round = 0; round < ROUNDS; round++) {
        levels = split(gap_ns, count, sum_ns, middle_ns);
        if (levels.low == 0 || levels.high == 0)
            return (struct teeth){0}; /* they are all alike */
        middle_ns = (levels.low_ns + levels.high_ns) / 2;
    }
    apart_ns = levels.high_ns - levels.low_ns;
    explained = apart_ns * apart_ns * levels.low * levels.high / count;
    if (apart_ns < TICKS_APART * tick_ns || explained < (1 - UNEXPLAINED) * squares)
        return (struct teeth){0};
    return (struct teeth){levels.low_ns, apart_ns};
}
