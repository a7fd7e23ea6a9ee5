/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/comb.h"

#include "filters/same.h"
#include "filters/sort.h"

/* Trains whose teeth are as far apart as in the middle one: a few have an error, and as many as have none. */
enum { COMB_LEAST = 3 };
#define APART 0.1

/* At random, spans vary as much as all their gaps do; where one makes up for the next, far less. Half way,
 * by factors, from 1 to what is left of a train of a dozen gaps. */
#define MAKES_UP 0.3

/* A shaper's ticks make gaps of whole numbers of them, the lower tooth as well: to so much, and three
 * errors. Longer ticks, and interrupts, leave hardly any time within a batch. */
#define ERRORS 3
#define BATCH 0.5

/* Between the gap of the link and that of a half of it. */
#define AT_LINK 1.5

struct comb {
    struct moments apart, tooth; /* of the teeth; the lowest one */
    struct moments whole;        /* that in such steps, less whole ones */
    struct moments span, variance;
    unsigned trains;
    uint32_t bytes; /* of a packet */
};

/* The lowest tooth of another train may be some steps higher. */
static void comb_add_teeth(struct comb *comb, const struct shape *shape)
{
    double whole = shape->tooth_ns / shape->teeth_apart_ns;
    double near = comb->whole.count > 0 ? comb->whole.mean : 0;

    moments_add(&comb->apart, shape->teeth_apart_ns);
    moments_add(&comb->tooth, shape->tooth_ns);
    moments_add(&comb->whole, near + same_off_whole(whole - near));
}

static void comb_add(struct comb *comb, const struct shape *shape, double apart_ns)
{
    unsigned gaps = shape->packets - 1U;

    comb->trains++;
    moments_add(&comb->span, shape_span_ns(shape) / gaps);
    moments_add(&comb->variance, (double)shape->variance_ns2 / gaps);
    if (same_gap(shape->teeth_apart_ns, apart_ns, APART, 0))
        comb_add_teeth(comb, shape);
}

static bool stands(const struct comb *comb)
{
    return comb->apart.count >= COMB_LEAST && 2 * comb->apart.count >= comb->trains
        && moments_variance(&comb->span) <= MAKES_UP * comb->variance.mean;
}

static bool of_ticks(const struct comb *comb)
{
    double off = fabs(same_off_whole(comb->whole.mean));

    return comb->tooth.mean < BATCH * comb->apart.mean
        || off <= SAME_WAYS + ERRORS * moments_error(&comb->whole);
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
    return comb;
}

bool comb_denies(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);

    return stands(&comb) && !of_ticks(&comb)
        && gap_ns / bytes > (1 + SAME_WAYS) * comb.tooth.mean / comb.bytes;
}

double comb_packets(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);
    double longer_ns = comb.span.mean - comb.tooth.mean;

    return stands(&comb) && longer_ns > 0 && comb.tooth.mean / comb.bytes < AT_LINK * gap_ns / bytes
        ? comb.apart.mean / longer_ns
        : 1;
}
