/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/settled.h"

#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>

/* --- What they show --- */

enum { DOUBT_LEAST = 2, SETTLED_LEAST = 5 };

/* A sender that nobody knows the pace of may have made it. */
static bool left_faster(const struct shape *shape)
{
    return shape->departed > 0 && shape_share_is(shape->departed) <= DEPARTED_HALF;
}

struct settled settled_read(const struct shapes *shapes, uint32_t bytes)
{
    double ratios[SHAPES_ROOM], gaps[SHAPES_ROOM], spreads[SHAPES_ROOM], shorts = 0, error_ns;
    unsigned n = 0;

    EACH_LONGEST(shape, shapes) {
        if (shape->bytes != bytes || isnan(shape->ratio) || !left_faster(shape))
            continue;
        ratios[n] = shape->ratio;
        gaps[n] = shape_later_gap_ns(shape);
        spreads[n++] = sqrt(shape->variance_ns2);
        shorts += shape_share_is(shape->short_share);
    }
    sort_numbers(ratios, n);
    if (n < DOUBT_LEAST || ratios[n / 2] > CURVE_MADE_UP)
        return (struct settled){0};
    sort_numbers(gaps, n);
    sort_numbers(spreads, n);
    error_ns = sort_middle_error(gaps, n);
    return (struct settled){.gap = {gaps[n / 2], student(n) * error_ns + CLOCK_ERROR * gaps[n / 2], n},
                            .spread_ns = spreads[n / 2],
                            .short_share = shorts / n};
}

bool settled_adds_up(const struct shapes *shapes)
{
    return shapes_middle(shapes, 0, shape_ratio) > CURVE_MADE_UP;
}

/* What adds up, of the scatter of gaps: late stamps alone leave a quarter of it. At random, packets
 * of the least size lengthen gaps by as much of their time as the variance is. */
static double added(const struct shape *shape)
{
    double gap_ns = shape_span_ns(shape) / (shape->packets - 1);
    double adds_up = fmax((shape->ratio - 1.0 / CURVE_BLOCK) / (1 - 1.0 / CURVE_BLOCK), 0);

    return adds_up * shape->variance_ns2 / (gap_ns * gap_ns) * shape->bytes / FRAME_LEAST_BYTES;
}

double settled_added(const struct shapes *shapes)
{
    return shapes_middle(shapes, 0, added);
}

/* --- What else makes up for it --- */

/* Traffic with a clock of its own stretches trains as evenly, the first gap as much as any
 * other: as many of the first ones are short, their mean is the trains', and those that it
 * spared are what the link makes. Where first gaps are of another kind, late stamps, timers or a
 * bucket made them so. */
static bool first_gaps_alike(const struct seen *seen, const struct floors *pairs,
                             const struct settled *settled)
{
    unsigned all = 0, fewer = 0;
    double share;

    EACH_READING(reading, seen->pairs) {
        if (!sizes_alike(reading->bytes, pairs->bytes))
            continue;
        all++;
        fewer += (double)reading->gap_ns * pairs->bytes < CURVE_SHORT * settled->gap.gap_ns * reading->bytes;
    }
    share = (fewer + 1.0) / (all + 2);
    return fabs(share - settled->short_share) <= BEYOND_CHANCE * sqrt(share * (1 - share) / (all + 2))
        && fabs(pairs->mean_ns - settled->gap.gap_ns) <= BEYOND_CHANCE * pairs->mean_error_ns;
}

static bool settled_may_be_stretched(const struct seen *seen, const struct witness *pairs,
                                     const struct settled *settled)
{
    return pairs->candidate.gap_ns < (1 - SAME_FAR) * settled->gap.gap_ns
        && first_gaps_alike(seen, &pairs->floors, settled);
}

/* Others that take turns with ours, one packet each, make even gaps as well; but then first
 * packets of pairs wait for anything up to a packet of each. So these must wait as long as each
 * other: to a tenth of a gap, eight in ten of them, or, but for batches, to what the gaps of
 * trains scatter by; or the second ones, as late stamps move the first alone. Waits are compared from pair to
 * pair: that needs no floor. */
#define WAITS_SPREAD 0.1
#define WAITS_NOISE 1.5
enum { WAITS_LEAST = 10 };

static unsigned settled_read_waits(const struct seen *seen, const struct floors *pairs, bool second,
                                   double *waits)
{
    double wait_ns, last_ns = NAN;
    unsigned count = 0;

    EACH_READING(reading, seen->pairs) {
        if (reading->bytes != pairs->bytes || !floors_first_counts(pairs, reading)
            || !isnan(reading->last_ns))
            continue;
        wait_ns = floors_first_wait_ns(pairs, reading) + (second ? reading->gap_ns : 0);
        if (!isnan(last_ns))
            waits[count++] = (wait_ns - last_ns) / sqrt(2);
        last_ns = wait_ns;
    }
    sort_numbers(waits, count);
    return count;
}

static bool wait_alike(const struct seen *seen, const struct floors *pairs, const struct settled *settled,
                       bool second, bool batched)
{
    double *waits = seen->scratch.numbers;
    unsigned n = settled_read_waits(seen, pairs, second, waits);

    if (n < WAITS_LEAST)
        return false;
    return waits[n * 9 / 10] - waits[n / 10] <= WAITS_SPREAD * settled->gap.gap_ns
        || (!batched && sort_quartiles_apart(waits, n) <= WAITS_NOISE * SORT_QUARTILES * settled->spread_ns);
}

/* --- Which to believe --- */

struct witness settled_weigh(const struct seen *seen, const struct statistics *statistics,
                             const struct witness *pairs)
{
    const struct floors *floors = &pairs->floors;
    struct settled settled = settled_read(&seen->shapes, floors->bytes);
    double noise_ns = floors->same_ns + seen->noise.tick_ns;
    struct witness trains;
    bool sure;

    if (settled.gap.n == 0 || settled_may_be_stretched(seen, pairs, &settled)
        || comb_denies(&statistics->comb, settled.gap.gap_ns, floors->bytes))
        return *pairs;
    sure = settled.gap.n >= SETTLED_LEAST
        && (wait_alike(seen, floors, &settled, false, statistics->batched)
            || wait_alike(seen, floors, &settled, true, statistics->batched));
    if (!sure && same_gap(pairs->candidate.gap_ns, settled.gap.gap_ns, SAME_MEANS, noise_ns))
        return *pairs;
    trains = witness_of_trains(&settled.gap, seen->longs, pairs, &seen->noise);
    trains.candidate.origin = ORIGIN_SETTLED;
    evidence_note(&trains.evidence, AGAINST_WAITS, !sure);
    return trains;
}
