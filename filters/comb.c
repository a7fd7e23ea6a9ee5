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
    double wholes[SHAPES_ROOM];  /* [apart.count]: that in such steps, less whole ones */
    double means[SHAPES_ROOM];   /* [error2.count]: of all gaps of a train ... */
    struct moments error2;       /* ... and the squares of their errors: see teeth.h */
    struct moments mean;         /* of all means but one */
    unsigned trains;
    uint32_t bytes; /* of a packet */
};

/* The lowest tooth of another train may be some steps higher. */
static void comb_add_teeth(struct comb *comb, const struct shape *shape)
{
    double whole = shape->tooth_ns / shape->teeth_apart_ns;
    double near = comb->apart.count > 0 ? comb->wholes[0] : 0;

    comb->wholes[comb->apart.count] = near + same_off_whole(whole - near);
    moments_add(&comb->apart, shape->teeth_apart_ns);
    moments_add(&comb->tooth, shape->tooth_ns);
}

static void comb_add(struct comb *comb, const struct shape *shape, double apart_ns)
{
    double error_ns = shape_share_is(shape->teeth_error) * shape->teeth_mean_ns;

    comb->trains++;
    if (shape->teeth_mean_ns > 0) { /* else it came in batches, or is too short */
        comb->means[comb->error2.count] = shape->teeth_mean_ns;
        moments_add(&comb->error2, error_ns * error_ns);
    }
    if (same_gap(shape->teeth_apart_ns, apart_ns, APART, 0))
        comb_add_teeth(comb, shape);
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

static bool smaller_are_off(const struct readings *pairs, double step_ns, uint32_t bytes)
{
    unsigned all = 0, off = 0;

    for (unsigned i = 0; i < pairs->count; i++) {
        const struct reading *reading = readings_at(pairs, i);

        if (reading->limited || reading->bytes >= READING_SMALLER * bytes)
            continue;
        all++;
        off += fabs(same_off_whole(reading->gap_ns / step_ns)) > OFF_TICK;
    }
    return all >= SMALLER_LEAST && 2 * off > all;
}

/* The middle of them, as a train of few gaps on one tooth is far off. */
static bool of_ticks(struct comb *comb, const struct readings *pairs, double likelier)
{
    unsigned n = comb->apart.count;
    double error, off;

    if (smaller_are_off(pairs, comb->apart.mean, comb->bytes))
        return false;
    sort_numbers(comb->wholes, n);
    error = fmax(sort_middle_error(comb->wholes, n), SAME_WAYS);
    off = same_off_whole(comb->wholes[n / 2]) / error;

    return comb->tooth.mean < BATCH * comb->apart.mean
        || exp(-off * off / 2) / (ROOT_2_PI * error) >= likelier;
}

/* As far apart as teeth are in the middle one of the trains that have some; 0: too few have, as on most paths. */
static double middle_apart_ns(const struct longest *longest)
{
    double sorted[SHAPES_ROOM];
    unsigned count = 0;

    for (unsigned i = 0; i < longest->count; i++)
        if (longest->at[i]->teeth_apart_ns > 0)
            sorted[count++] = longest->at[i]->teeth_apart_ns;
    sort_numbers(sorted, count);
    return count < COMB_LEAST ? 0 : sorted[count / 2];
}

static struct comb comb_read(const struct shapes *shapes)
{
    struct longest longest = shapes_longest(shapes);
    double apart_ns = middle_apart_ns(&longest);
    struct comb comb = {0};

    if (apart_ns <= 0)
        return comb;
    for (unsigned i = longest.count; i-- > 0;) {
        comb.bytes = comb.bytes > 0 ? comb.bytes : longest.at[i]->bytes;
        if (longest.at[i]->bytes == comb.bytes)
            comb_add(&comb, longest.at[i], apart_ns);
    }
    comb.mean = all_but_one(comb.means, comb.error2.count);
    return comb;
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

/* Of the longest trains three in four, five at least, have the same such gap. */
enum { WHOLE_LEAST = 5 };
#define WHOLE_SHARE 0.75

double comb_whole_bps(const struct shapes *shapes, const struct readings *pairs)
{
    struct longest longest = shapes_longest(shapes);
    double sorted[SHAPES_ROOM], middle_ns;
    uint32_t bytes = 0;
    unsigned n = 0, same = 0;

    for (unsigned i = longest.count; i-- > 0;)
        if (longest.at[i]->whole_ns > 0 && (n == 0 || longest.at[i]->bytes == bytes)) {
            bytes = longest.at[i]->bytes;
            sorted[n++] = longest.at[i]->whole_ns;
        }
    if (n < WHOLE_LEAST)
        return 0;
    sort_numbers(sorted, n);
    middle_ns = sorted[n / 2];
    for (unsigned i = 0; i < n; i++)
        same += same_gap(sorted[i], middle_ns, SAME_RATE, 0);
    return same >= WHOLE_LEAST && same >= WHOLE_SHARE * longest.count
            && smaller_are_off(pairs, middle_ns, bytes)
        ? bytes * 8e9 / middle_ns
        : 0;
}
