/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/comb.h"

#include "filters/same.h"
#include "filters/sort.h"
#include "filters/statistics.h"

#include <math.h>

/* Trains whose teeth are as far apart as in the middle one: a few have an error, and as many as have none. */
enum { COMB_LEAST = 3 };
#define APART 0.1

/* At random, means of trains vary as much as all their gaps do; where one makes up for the next, far less. Half way,
 * by factors, from 1 to what is left of a train of a dozen gaps. One train may be another: there others began, or a
 * host stalled. */
#define MAKES_UP 0.3

/* A shaper's ticks make gaps of whole numbers of them, the lower tooth as well; what others' packets make is anywhere
 * between two such numbers. Ticks are told from these where they are likelier, by the normal distribution's density. In
 * a bucket neither pairs nor their delays say anything: there they must be ten times as likely. Longer ticks, and
 * interrupts, leave hardly any time within a batch. */
#define ROOT_2_PI 2.50663
#define TICKS_LIKELIER 1
#define TICKS_BUCKET 10
#define BATCH 0.5

/* Between the gap of the link and that of a half of it. */
#define AT_LINK 1.5

struct comb {
    struct moments apart, tooth; /* of the teeth; the lowest one */
    double wholes[SHAPES_ROOM];  /* [apart.count]: that in such steps, less whole ones ... */
    double lowest[SHAPES_ROOM];  /* ... and as it is */
    double means[SHAPES_ROOM];   /* [error2.count]: of all gaps of a train ... */
    struct moments error2;       /* ... and the squares of their errors: see teeth.h */
    struct moments mean;         /* of all means but one */
    unsigned trains;
    unsigned scattered; /* of apart.count */
    uint32_t bytes;     /* of a packet */
};

/* The lowest tooth of another train may be some steps higher. */
static void comb_add_teeth(struct comb *comb, const struct shape *shape, double apart_ns)
{
    double whole = shape->tooth_ns / apart_ns;
    double near = comb->apart.count > 0 ? comb->wholes[0] : 0;

    comb->wholes[comb->apart.count] = near + same_off_whole(whole - near);
    comb->lowest[comb->apart.count] = shape->tooth_ns;
    comb->scattered += shape->scattered;
    moments_add(&comb->apart, apart_ns);
    moments_add(&comb->tooth, shape->tooth_ns);
}

/* A train whose teeth are so far apart, or, of those with steps in common, whole steps. */
static void comb_add(struct comb *comb, const struct shape *shape, double apart_ns, bool common)
{
    double error_ns = shape_share_is(shape->teeth_error) * shape->teeth_mean_ns;
    double steps = common ? fmax(round(shape->teeth_apart_ns / apart_ns), 1) : 1;

    comb->trains++;
    if (shape->teeth_mean_ns > 0) { /* else it came in batches, or is too short */
        comb->means[comb->error2.count] = shape->teeth_mean_ns;
        moments_add(&comb->error2, error_ns * error_ns);
    }
    if (same_gap(shape->teeth_apart_ns, steps * apart_ns, APART, 0))
        comb_add_teeth(comb, shape, shape->teeth_apart_ns / steps);
}

/* Without the one that is furthest off the middle one. */
static struct moments all_but_one(double *means, unsigned n)
{
    bool high;

    if (n <= COMB_LEAST)
        return moments_of(means, n);
    sort_numbers(means, n);
    high = means[n - 1] - means[n / 2] > means[n / 2] - means[0];
    return moments_of(means + !high, n - 1);
}

static bool stands(const struct comb *comb)
{
    return comb->apart.count >= COMB_LEAST && 2 * comb->apart.count >= comb->trains
        && moments_variance(&comb->mean) <= MAKES_UP * comb->error2.mean;
}

/* Smaller packets leave at ticks as well. Behind others' they have their own time beside that of whole ones of these: most of
 * them are nearer to half a tick than to a whole one, where others are twice as long. */
#define OFF_TICK 0.25
enum { SMALLER_LEAST = 5 };

struct smaller {
    unsigned all, off;
};

static struct smaller smaller_read(const struct readings *pairs, double step_ns, uint32_t bytes)
{
    struct smaller smaller = {0};

    for (unsigned i = 0; i < pairs->count; i++) {
        const struct reading *reading = readings_at(pairs, i);

        if (reading->limited || reading->bytes >= READING_SMALLER * bytes)
            continue;
        smaller.all++;
        smaller.off += fabs(same_off_whole(reading->gap_ns / step_ns)) > OFF_TICK;
    }
    return smaller;
}

static bool most_are_off(struct smaller smaller)
{
    return smaller.all >= SMALLER_LEAST && 2 * smaller.off > smaller.all;
}

/* The middle of them, as a train of few gaps on one tooth is far off. */
static bool of_ticks(struct comb *comb, const struct readings *pairs, double likelier)
{
    unsigned n = comb->apart.count;
    double error, off;

    if (most_are_off(smaller_read(pairs, comb->apart.mean, comb->bytes)))
        return false;
    sort_numbers(comb->wholes, n);
    error = fmax(sort_middle_error(comb->wholes, n), SAME_WAYS);
    off = same_off_whole(comb->wholes[n / 2]) / error;

    return comb->tooth.mean < BATCH * comb->apart.mean
        || exp(-off * off / 2) / (ROOT_2_PI * error) >= likelier;
}

/* How far apart teeth are in the trains that have some, the least first. */
static unsigned sort_apart(const struct shapes *shapes, double *apart_ns)
{
    unsigned count = 0;

    for (unsigned i = 0; i < shapes->longest; i++)
        if (shapes_long(shapes, i)->teeth_apart_ns > 0)
            apart_ns[count++] = shapes_long(shapes, i)->teeth_apart_ns;
    sort_numbers(apart_ns, count);
    return count;
}

/* Those of the middle one; 0: too few have any, as on most paths. */
static double middle_apart_ns(const struct shapes *shapes)
{
    double sorted[SHAPES_ROOM];
    unsigned count = sort_apart(shapes, sorted);

    return count < COMB_LEAST ? 0 : sorted[count / 2];
}

/* The shortest step that some trains have, and of which half of all have whole ones: a train of few gaps misses some teeth. */
static double common_apart_ns(const struct shapes *shapes)
{
    double sorted[SHAPES_ROOM];
    unsigned count = sort_apart(shapes, sorted);

    for (unsigned i = 0; i + COMB_LEAST <= count; i++) {
        double apart_ns = sorted[i + COMB_LEAST / 2];
        unsigned whole = 0;

        if (!same_gap(sorted[i], sorted[i + COMB_LEAST - 1], APART, 0))
            continue;
        for (unsigned j = i; j < count; j++)
            whole += same_gap(sorted[j], fmax(round(sorted[j] / apart_ns), 1) * apart_ns, APART, 0);
        if (2 * whole >= shapes->longest)
            return apart_ns;
    }
    return 0;
}

static struct comb comb_of(const struct shapes *shapes, bool common)
{
    double apart_ns = common ? common_apart_ns(shapes) : middle_apart_ns(shapes);
    struct comb comb = {0};

    if (apart_ns <= 0)
        return comb;
    for (unsigned i = shapes->longest; i-- > 0;) {
        const struct shape *shape = shapes_long(shapes, i);

        comb.bytes = comb.bytes > 0 ? comb.bytes : shape->bytes;
        if (shape->bytes == comb.bytes)
            comb_add(&comb, shape, apart_ns, common);
    }
    comb.mean = all_but_one(comb.means, comb.error2.count);
    return comb;
}

static struct comb comb_read(const struct shapes *shapes)
{
    return comb_of(shapes, false);
}

bool comb_denies(const struct shapes *shapes, const struct readings *pairs, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);

    return stands(&comb) && !of_ticks(&comb, pairs, TICKS_LIKELIER)
        && gap_ns / bytes > (1 + SAME_WAYS) * comb.tooth.mean / comb.bytes;
}

/* With p more packets in each gap than the lowest one has, on average, and one in that, the others take 1 + p of their times of a
 * mean gap, with us or without: so large a share of first packets finds one of them on the link. Surely fewer: two errors. */
#define SURELY 2
enum { SPARES_WAITS = 10 };

bool comb_spares(const struct shapes *shapes, double busy, unsigned waits)
{
    struct comb comb = comb_read(shapes);
    double share = (comb.mean.mean - comb.tooth.mean + comb.apart.mean) / comb.mean.mean;

    return stands(&comb) && waits >= SPARES_WAITS && share < 1
        && busy < share - SURELY * sqrt(share * (1 - share) / waits);
}

struct spared comb_spared(const struct shapes *shapes, const struct readings *pairs, double told_bps,
                          double head_bps)
{
    struct comb comb = comb_read(shapes);
    double bits = comb.bytes * 8e9, in_each;
    struct spared spared;

    if (!stands(&comb) || of_ticks(&comb, pairs, TICKS_BUCKET))
        return (struct spared){0};
    in_each = fmin(head_bps > 0 ? bits / head_bps / comb.apart.mean : INFINITY,
                   comb.tooth.mean / comb.apart.mean - comb.bytes / STATISTICS_FRAME_BYTES);
    spared = (struct spared){bits / comb.tooth.mean,
                             bits / (comb.tooth.mean - floor(fmax(in_each, 0)) * comb.apart.mean)};
    return spared.most_bps > (1 + SAME_WAYS) * told_bps ? spared : (struct spared){0};
}

double comb_packets(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);
    double longer_ns = comb.mean.mean - comb.tooth.mean;

    return stands(&comb) && longer_ns > 0 && comb.tooth.mean / comb.bytes < AT_LINK * gap_ns / bytes
        ? comb.apart.mean / longer_ns
        : 1;
}

/* Smaller pairs tell ticks; where there are none, three in four trains are on more teeth than a clock leaves. */
#define SCATTERED 0.75

static bool are_no_ticks(const struct comb *comb, const struct readings *pairs)
{
    struct smaller smaller = smaller_read(pairs, comb->apart.mean, comb->bytes);

    return smaller.all > 0 ? most_are_off(smaller) : comb->scattered >= SCATTERED * comb->apart.count;
}

/* Nobody's packet is longer than a frame, and one of ours is in each gap. */
static bool may_be_packets(const struct comb *comb, double lowest_ns)
{
    return comb->apart.mean * comb->bytes * (1 - SAME_RATE) <= lowest_ns * STATISTICS_FRAME_BYTES;
}

struct between comb_between(const struct shapes *shapes, const struct readings *pairs)
{
    struct comb comb = comb_of(shapes, true);
    double lowest_ns, others, bits = comb.bytes * 8e9;

    if (!stands(&comb) || !are_no_ticks(&comb, pairs))
        return (struct between){0};
    sort_numbers(comb.lowest, comb.apart.count);
    lowest_ns = comb.lowest[COMB_LEAST / 2]; /* a few have an error */
    if (!may_be_packets(&comb, lowest_ns))
        return (struct between){0};
    others = lowest_ns / comb.apart.mean - 1;
    others = others > 0 && fabs(same_off_whole(others)) <= APART ? round(others) : 0;
    return (struct between){bits / lowest_ns, bits / (lowest_ns - others * comb.apart.mean)};
}
