/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/comb.h"

#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>

/* Trains whose teeth are as far apart as in the middle one: a few have an error, and as many as have none. */
enum { COMB_LEAST = 3 };
#define COMB_APART 0.1

/* At random, means of trains vary as much as all their gaps do; where one makes up for the next, far less. Half way,
 * by factors, from 1 to what is left of a train of a dozen gaps. One train may be another: there others began, or a
 * host stalled. */
#define COMB_VARIES 0.3

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

/* What is added up over the trains. */
struct tally {
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
static void comb_add_teeth(struct tally *tally, const struct shape *shape, double apart_ns)
{
    double whole = shape->tooth_ns / apart_ns;
    double near = tally->apart.count > 0 ? tally->wholes[0] : 0;

    tally->wholes[tally->apart.count] = near + same_off_whole(whole - near);
    tally->lowest[tally->apart.count] = shape->tooth_ns;
    tally->scattered += shape->scattered;
    moments_add(&tally->apart, apart_ns);
    moments_add(&tally->tooth, shape->tooth_ns);
}

/* A train whose teeth are so far apart, or, of those with steps in common, whole steps. */
static void comb_add(struct tally *tally, const struct shape *shape, double apart_ns, bool common)
{
    double error_ns = shape_share_is(shape->teeth_error) * shape->teeth_mean_ns;
    double steps = common ? fmax(round(shape->teeth_apart_ns / apart_ns), 1) : 1;

    tally->trains++;
    if (shape->teeth_mean_ns > 0) { /* else it came in batches, or is too short */
        tally->means[tally->error2.count] = shape->teeth_mean_ns;
        moments_add(&tally->error2, error_ns * error_ns);
    }
    if (same_gap(shape->teeth_apart_ns, steps * apart_ns, COMB_APART, 0))
        comb_add_teeth(tally, shape, shape->teeth_apart_ns / steps);
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

static bool stands(const struct tally *tally)
{
    return tally->apart.count >= COMB_LEAST && 2 * tally->apart.count >= tally->trains
        && moments_variance(&tally->mean) <= COMB_VARIES * tally->error2.mean;
}

/* Smaller packets leave at ticks as well. Behind others' they have their own time beside that of whole ones of these: most of
 * them are nearer to half a tick than to a whole one, where others are twice as long. */
#define OFF_TICK 0.25
enum { COMB_SMALLER_LEAST = 5 };

struct smaller {
    unsigned all, off;
};

static struct smaller smaller_read(const struct readings *pairs, double step_ns, uint32_t bytes)
{
    struct smaller smaller = {0};

    EACH_READING(reading, pairs) {
        if (reading->limited || reading->bytes >= READING_SMALLER * bytes)
            continue;
        smaller.all++;
        smaller.off += fabs(same_off_whole(reading->gap_ns / step_ns)) > OFF_TICK;
    }
    return smaller;
}

static bool most_are_off(struct smaller smaller)
{
    return smaller.all >= COMB_SMALLER_LEAST && 2 * smaller.off > smaller.all;
}

/* The middle of them, as a train of few gaps on one tooth is far off. */
static double likelier_ticks(struct tally *tally, const struct readings *pairs)
{
    unsigned n = tally->apart.count;
    double error, off;

    if (most_are_off(smaller_read(pairs, tally->apart.mean, tally->bytes)))
        return 0;
    if (tally->tooth.mean < BATCH * tally->apart.mean)
        return INFINITY;
    sort_numbers(tally->wholes, n);
    error = fmax(sort_middle_error(tally->wholes, n), SAME_WAYS);
    off = same_off_whole(tally->wholes[n / 2]) / error;
    return exp(-off * off / 2) / (ROOT_2_PI * error);
}

/* How far apart teeth are in the trains that have some, the least first. */
static unsigned sort_apart(const struct shapes *shapes, double *apart_ns)
{
    unsigned count = 0;

    EACH_LONGEST(shape, shapes)
        if (shape->teeth_apart_ns > 0)
            apart_ns[count++] = shape->teeth_apart_ns;
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

        if (!same_gap(sorted[i], sorted[i + COMB_LEAST - 1], COMB_APART, 0))
            continue;
        for (unsigned j = i; j < count; j++)
            whole += same_gap(sorted[j], fmax(round(sorted[j] / apart_ns), 1) * apart_ns, COMB_APART, 0);
        if (2 * whole >= shapes->longest)
            return apart_ns;
    }
    return 0;
}

static struct tally tally_of(const struct shapes *shapes, double apart_ns, bool common)
{
    struct tally tally = {0};

    for (unsigned i = shapes->longest; i-- > 0 && apart_ns > 0;) {
        const struct shape *shape = shapes_longest(shapes, i);

        tally.bytes = tally.bytes > 0 ? tally.bytes : shape->bytes;
        if (shape->bytes == tally.bytes)
            comb_add(&tally, shape, apart_ns, common);
    }
    tally.mean = all_but_one(tally.means, tally.error2.count);
    return tally;
}

struct comb comb_read(const struct shapes *shapes, const struct readings *pairs)
{
    struct tally tally = tally_of(shapes, middle_apart_ns(shapes), false);

    if (!stands(&tally))
        return (struct comb){0};
    return (struct comb){.apart_ns = tally.apart.mean,
                         .tooth_ns = tally.tooth.mean,
                         .mean_ns = tally.mean.mean,
                         .ticks = likelier_ticks(&tally, pairs),
                         .bytes = tally.bytes};
}

bool comb_denies(const struct comb *comb, double gap_ns, uint32_t bytes)
{
    return comb->apart_ns > 0 && comb->ticks < TICKS_LIKELIER
        && gap_ns / bytes > (1 + SAME_WAYS) * comb->tooth_ns / comb->bytes;
}

/* With p more packets in each gap than the lowest one has, on average, and one in that, the others take 1 + p of their times of a
 * mean gap, with us or without: so large a share of first packets finds one of them on the link. Surely fewer: two errors. */
#define SURELY 2
enum { SPARES_WAITS = 10 };

bool comb_spares(const struct comb *comb, double busy, unsigned waits)
{
    double share = (comb->mean_ns - comb->tooth_ns + comb->apart_ns) / comb->mean_ns;

    return comb->apart_ns > 0 && waits >= SPARES_WAITS && share < 1
        && busy < share - SURELY * sqrt(share * (1 - share) / waits);
}

struct spared comb_spared(const struct comb *comb, double told_bps, double head_bps)
{
    double bits = comb->bytes * 8e9, in_each;
    struct spared spared;

    if (comb->apart_ns <= 0 || comb->ticks >= TICKS_BUCKET)
        return (struct spared){0};
    in_each = fmin(head_bps > 0 ? bits / head_bps / comb->apart_ns : INFINITY,
                   comb->tooth_ns / comb->apart_ns - comb->bytes / FRAME_MOST_BYTES);
    spared = (struct spared){bits / comb->tooth_ns,
                             bits / (comb->tooth_ns - floor(fmax(in_each, 0)) * comb->apart_ns)};
    return spared.most_bps > (1 + SAME_WAYS) * told_bps ? spared : (struct spared){0};
}

double comb_packets(const struct comb *comb, double gap_ns, uint32_t bytes)
{
    double longer_ns = comb->mean_ns - comb->tooth_ns;

    return longer_ns > 0 && comb->tooth_ns / comb->bytes < AT_LINK * gap_ns / bytes
        ? comb->apart_ns / longer_ns
        : 1;
}

/* Smaller pairs tell ticks; where there are none, three in four trains are on more teeth than a clock leaves. */
#define SCATTERED 0.75

static bool are_no_ticks(const struct tally *tally, const struct readings *pairs)
{
    struct smaller smaller = smaller_read(pairs, tally->apart.mean, tally->bytes);

    return smaller.all > 0 ? most_are_off(smaller) : tally->scattered >= SCATTERED * tally->apart.count;
}

/* Nobody's packet is longer than a frame, and one of ours is in each gap. */
static bool may_be_packets(const struct tally *tally, double lowest_ns)
{
    return tally->apart.mean * tally->bytes * (1 - SAME_RATE) <= lowest_ns * FRAME_MOST_BYTES;
}

struct between comb_between(const struct shapes *shapes, const struct readings *pairs)
{
    struct tally tally = tally_of(shapes, common_apart_ns(shapes), true);
    double lowest_ns, others, bits = tally.bytes * 8e9;

    if (!stands(&tally) || !are_no_ticks(&tally, pairs))
        return (struct between){0};
    sort_numbers(tally.lowest, tally.apart.count);
    lowest_ns = tally.lowest[COMB_LEAST / 2]; /* a few have an error */
    if (!may_be_packets(&tally, lowest_ns))
        return (struct between){0};
    others = lowest_ns / tally.apart.mean - 1;
    others = others > 0 && fabs(same_off_whole(others)) <= COMB_APART ? round(others) : 0;
    return (struct between){bits / lowest_ns, bits / (lowest_ns - others * tally.apart.mean)};
}
