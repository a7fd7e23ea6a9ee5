/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/comb.h"

#include "filters/same.h"

/* Trains of two teeth as far apart, of which a few have an error, and as many as have none. */
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
    struct moments apart, whole; /* of the teeth; the lower one, in such steps */
    struct moments span, variance;
    unsigned trains;
    uint32_t bytes; /* of a packet */
};

static void comb_add(struct comb *comb, const struct shape *shape)
{
    unsigned gaps = shape->packets - 1U;

    comb->trains++;
    moments_add(&comb->span, shape_span_ns(shape) / gaps);
    moments_add(&comb->variance, (double)shape->variance_ns2 / gaps);
    if (shape->teeth_apart_ns <= 0)
        return;
    moments_add(&comb->apart, shape->teeth_apart_ns);
    moments_add(&comb->whole, shape->tooth_ns / shape->teeth_apart_ns);
}

static bool stands(const struct comb *comb)
{
    return comb->apart.count >= COMB_LEAST && 2 * comb->apart.count >= comb->trains
        && sqrt(moments_variance(&comb->apart)) <= APART * comb->apart.mean
        && moments_variance(&comb->span) <= MAKES_UP * comb->variance.mean;
}

static bool of_ticks(const struct comb *comb)
{
    double off = fabs(comb->whole.mean - round(comb->whole.mean));

    return comb->whole.mean < BATCH || off <= SAME_WAYS + ERRORS * moments_error(&comb->whole);
}

/* As on most paths. */
static bool few_teeth(const struct longest *longest)
{
    unsigned count = 0;

    for (unsigned i = 0; i < longest->count; i++)
        count += longest->at[i]->teeth_apart_ns > 0;
    return count < COMB_LEAST;
}

static struct comb comb_read(const struct shapes *shapes)
{
    struct longest longest = shapes_longest(shapes);
    struct comb comb = {0};

    if (few_teeth(&longest))
        return comb;
    for (unsigned i = longest.count; i-- > 0;) {
        comb.bytes = comb.bytes > 0 ? comb.bytes : longest.at[i]->bytes;
        if (longest.at[i]->bytes == comb.bytes)
            comb_add(&comb, longest.at[i]);
    }
    return comb;
}

/* The mean gap on the lower tooth. */
static double comb_tooth_ns(const struct comb *comb)
{
    return comb->whole.mean * comb->apart.mean;
}

bool comb_denies(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);

    return stands(&comb) && !of_ticks(&comb)
        && gap_ns / bytes > (1 + SAME_WAYS) * comb_tooth_ns(&comb) / comb.bytes;
}

double comb_packets(const struct shapes *shapes, double gap_ns, uint32_t bytes)
{
    struct comb comb = comb_read(shapes);
    double tooth_ns = comb_tooth_ns(&comb), longer_ns = comb.span.mean - tooth_ns;

    return stands(&comb) && longer_ns > 0 && tooth_ns / comb.bytes < AT_LINK * gap_ns / bytes
        ? comb.apart.mean / longer_ns
        : 1;
}
