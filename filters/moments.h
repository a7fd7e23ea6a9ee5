/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean and variance: running (Welford 1962), or of values that are all there. */
#ifndef FILTERS_MOMENTS_H
#define FILTERS_MOMENTS_H

#include <math.h>
#include <stdint.h>

struct moments {
    unsigned count;
    double mean, squares; /* squares: of what is off the mean */
};

static inline void moments_add(struct moments *moments, double value)
{
    double off = value - moments->mean;

    moments->mean += off / ++moments->count;
    moments->squares += off * (value - moments->mean);
}

/* Two side by side, as any processor has them; of a comparison -1 or 0. */
typedef double two_values __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t two_answers __attribute__((vector_size(2 * sizeof(int64_t))));

/* In one pass, off a value that is one of them: so squares lose no more than a few digits. */
static inline struct moments moments_of(const double *values, unsigned count)
{
    double first = count > 0 ? values[0] : 0, n = count > 0 ? count : 1, sum;
    two_values sums = {0, 0}, squares = {0, 0};

    for (unsigned i = count % 2; i < count;
         i += 2) { /* where they are odd, the first one is off by nothing */
        two_values two = {values[i], values[i + 1]}, off = two - first;

        sums += off;
        squares += off * off;
    }
    sum = sums[0] + sums[1];
    return (struct moments){count, first + sum / n, squares[0] + squares[1] - sum * sum / n};
}

/* Of one value and more: besides, the least and the most. */
struct extent {
    struct moments of;
    double least, most;
};

static inline struct extent extent_of(const double *values, unsigned count)
{
    double least = values[0], most = values[0];

    for (unsigned i = 1; i < count; i++) { /* no branch: none is foreseen */
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return (struct extent){moments_of(values, count), least, most};
}

static inline void extent_add(struct extent *extent, double value)
{
    moments_add(&extent->of, value);
    extent->least = value < extent->least ? value : extent->least;
    extent->most = value > extent->most ? value : extent->most;
}

/* Of values those that are not above the middle: how many, and the sum of what they are off the mean of all. */
struct lower {
    unsigned count;
    double off;
};

static inline struct lower moments_lower(const double *values, const struct moments *all, double middle)
{
    unsigned i = all->count % 2;
    double first = i > 0 ? values[0] : middle, over = all->mean - middle;
    two_values far = {fabs(first - middle), 0}; /* to either side */
    two_answers low = {-(int64_t)(i > 0 && first <= middle), 0};
    unsigned count;

    for (; i < all->count; i += 2) {
        two_values two = {values[i], values[i + 1]};

        low += two <= middle;
        far += (two_values)((two_answers)(two - middle) & INT64_MAX); /* without its sign */
    }
    count = (unsigned)-(low[0] + low[1]);
    return (struct lower){count, (all->count * over - far[0] - far[1]) / 2 - count * over};
}

static inline double moments_variance(const struct moments *moments)
{
    return moments->count > 1 ? moments->squares / (moments->count - 1) : 0;
}

/* Standard error of the mean. */
static inline double moments_error(const struct moments *moments)
{
    return moments->count > 0 ? sqrt(moments_variance(moments) / moments->count) : 0;
}

/* So many standard errors chance makes to either side once in 700 times: enough where something else must hold, too. */
#define BEYOND_CHANCE 3

/* A mean; sigma is its standard error. */
struct statistic {
    double value, sigma;
    unsigned n;
};

static inline struct statistic moments_statistic(const struct moments *moments)
{
    return (struct statistic){moments->mean, moments_error(moments), moments->count};
}

/* A mean gap, half the width of its 95 % interval, and of how many; n is 0 where there is none. */
struct mean {
    double gap_ns, error_ns;
    unsigned n;
};

/* What no number of readings averages out: clocks run up to 100 ppm apart. */
#define CLOCK_ERROR 1e-4

/* Student's t at 95 % for n values, few as they are, is close to this. */
static inline double student(unsigned n)
{
    return 2 + 10 / pow(n, 1.5);
}

/* Half the width of the mean's 95 % interval. */
static inline double moments_half_width(const struct moments *moments)
{
    return student(moments->count) * moments_error(moments);
}

/* Of gaps, with what clocks make of them. */
static inline struct mean moments_mean(const struct moments *gap)
{
    return (struct mean){gap->mean, moments_half_width(gap) + CLOCK_ERROR * gap->mean, gap->count};
}

#endif
