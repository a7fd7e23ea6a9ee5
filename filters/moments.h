/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean and variance: running (Welford 1962), or of values that are all there. */
#ifndef FILTERS_MOMENTS_H
#define FILTERS_MOMENTS_H

#include <math.h>

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

/* In two passes, which take no division for each value. */
static inline struct moments moments_of(const double *values, unsigned count)
{
    struct moments moments = {.count = count};

    for (unsigned i = 0; i < count; i++)
        moments.mean += values[i];
    moments.mean /= count > 0 ? count : 1;
    for (unsigned i = 0; i < count; i++)
        moments.squares += (values[i] - moments.mean) * (values[i] - moments.mean);
    return moments;
}

/* Of one value and more: besides, the least and the most. */
struct extent {
    struct moments of;
    double least, most;
};

/* In one pass: off a value that is one of them, squares lose no more than a few digits. */
static inline struct extent extent_of(const double *values, unsigned count)
{
    double first = values[0], sum = 0, squares = 0, least = first, most = first;

    for (unsigned i = 1; i < count; i++) { /* no branch: none is foreseen */
        double off = values[i] - first;

        sum += off;
        squares += off * off;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return (struct extent){{count, first + sum / count, squares - sum * sum / count}, least, most};
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
    double far = 0, over = all->mean - middle; /* far: to either side */
    unsigned count = 0;

    for (unsigned i = 0; i < all->count; i++) { /* no branch: of two levels none is foreseen */
        count += values[i] <= middle;
        far += fabs(values[i] - middle);
    }
    return (struct lower){count, (all->count * over - far) / 2 - count * over};
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

#endif
