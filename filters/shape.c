/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shape.h"

#include "filters/sort.h"

#include <math.h>

enum { SHAPES_LEAST = 5 };

/* FIELD: tail slopes within 6 %; batched from a tenth of tiny gaps on. */
#define TAIL_SPREAD 0.06
#define BATCHED_SHARE 0.1

void shapes_push(struct shapes *shapes, const struct sample *sample, const struct curve *curve)
{
    struct shape *shape = &shapes->ring[shapes->next];

    *shape = (struct shape){
        .bytes = sample->packet_bytes,
        .sent = sample->sent,
        .knee = (uint16_t)curve->knee,
        .head_gap_ns = (float)curve->head_gap_ns,
        .tail_gap_ns = (float)curve->tail_gap_ns,
        .bucket_bytes = (float)curve->bucket_bytes,
        .gap_ns = (float)curve->gap_ns,
        .tiny = (float)curve->tiny,
        .whole = curve->packets == sample->sent,
    };
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        shape->quarter_ns[q] = (float)curve->quarter_ns[q];
    shapes->next = (shapes->next + 1) % SHAPES_ROOM;
    shapes->count += shapes->count < SHAPES_ROOM;
}

/* A figure of each shape that has it. */
typedef double figure(const struct shape *shape);

static double knee_of(const struct shape *shape)
{
    return shape->knee;
}

static double tail_bps(const struct shape *shape)
{
    return shape->bytes * 8e9 / shape->tail_gap_ns;
}

static double head_bps(const struct shape *shape)
{
    return shape->head_gap_ns > 0 ? shape->bytes * 8e9 / shape->head_gap_ns : 0;
}

static double bucket_of(const struct shape *shape)
{
    return shape->bucket_bytes;
}

static unsigned collect(const struct shapes *shapes, figure *of, double *sorted)
{
    unsigned count = 0;

    for (unsigned i = 0; i < shapes->count; i++)
        if (shapes->ring[i].knee > 0)
            sorted[count++] = of(&shapes->ring[i]);
    sort_numbers(sorted, count);
    return count;
}

bool shapes_shaped(const struct shapes *shapes, struct estimate *estimate)
{
    double sorted[SHAPES_ROOM];
    unsigned count = collect(shapes, knee_of, sorted);
    double rate, half;

    if (count < SHAPES_LEAST || count * 10 < shapes->count * 6)
        return false;
    if (sorted[count * 3 / 4] - sorted[count / 4] > 1 + 0.15 * sorted[count / 2])
        return false;
    collect(shapes, tail_bps, sorted);
    rate = sorted[count / 2];
    if (sorted[count * 3 / 4] - sorted[count / 4] > TAIL_SPREAD * rate)
        return false;
    /* order statistics around the median, as in filter median */
    half = 0.98 * sqrt(count) + 0.5;
    *estimate = (struct estimate){
        .state = STATE_SHAPED,
        .capacity_bps = rate,
        .low_bps = sorted[(unsigned)fmax(count / 2.0 - half, 0)],
        .high_bps = sorted[(unsigned)fmin(count / 2.0 + half, count - 1.0)],
    };
    collect(shapes, head_bps, sorted);
    estimate->peak_bps = sorted[count / 2];
    collect(shapes, bucket_of, sorted);
    estimate->burst_bytes = sorted[count / 2];
    return true;
}

bool shapes_batched(const struct shapes *shapes)
{
    unsigned batched = 0;

    for (unsigned i = 0; i < shapes->count; i++)
        batched += shapes->ring[i].tiny > BATCHED_SHARE;
    return shapes->count >= SHAPES_LEAST && 2 * batched > shapes->count;
}

static double variance(const struct shapes *shapes, uint16_t sent, unsigned quarter,
                       unsigned *count)
{
    double sum = 0, squares = 0;

    *count = 0;
    for (unsigned i = 0; i < shapes->count; i++) {
        const struct shape *shape = &shapes->ring[i];
        double span = 0;

        if (!shape->whole || shape->sent != sent)
            continue;
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            if (quarter == q || quarter == CURVE_QUARTERS)
                span += shape->quarter_ns[q];
        sum += span;
        squares += span * span;
        ++*count;
    }
    return *count ? fmax(squares / *count - sum * sum / *count / *count, 0) : 0;
}

bool shapes_steady(const struct shapes *shapes)
{
    double parts = 0, whole;
    unsigned count;
    uint16_t sent;

    if (shapes->count < SHAPES_LEAST)
        return false;
    sent = shapes->ring[(shapes->next + SHAPES_ROOM - 1) % SHAPES_ROOM].sent;
    if (sent < 16)
        return false;
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        parts += variance(shapes, sent, q, &count) / CURVE_QUARTERS;
    whole = variance(shapes, sent, CURVE_QUARTERS, &count);
    return count >= SHAPES_LEAST && whole < 1.7 * parts;
}
