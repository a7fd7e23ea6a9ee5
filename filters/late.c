/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/late.h"

#include "filters/moments.h"

#include <math.h>

/* A processor that slept stamps the first packet of each train late, and so shortens all that pairs
 * tell by as much: they agree on it, and no error that is computed from how they scatter knows.
 * Later gaps of trains have no such stamp. */

/* --- What later gaps say --- */

/* Those from least to most of so many bytes, in order. */
struct late_gaps {
    uint32_t bytes;
    double least_ns, most_ns, reach;
    double *sorted;
    unsigned count, all; /* all: shorter and longer ones, too */
};

static void late_collect(struct late_gaps *gaps, const struct readings *readings)
{
    EACH_READING(reading, readings) {
        double gap_ns = (double)reading->last_ns * gaps->bytes / reading->bytes;

        if (isnan(gap_ns) || !(readings->trains || sizes_alike(reading->bytes, gaps->bytes)))
            continue;
        gaps->all++;
        gaps->sorted[gaps->count] = gap_ns; /* no branch: none is foreseen */
        gaps->count += (gap_ns >= gaps->least_ns) & (gap_ns <= gaps->most_ns);
    }
}

/* Behind the last one within reach of the one at from; end: no further than that. */
static unsigned late_end(const struct late_gaps *gaps, unsigned from, unsigned end)
{
    while (end < gaps->count && gaps->sorted[end] <= gaps->sorted[from] + 2 * gaps->reach)
        end++;
    return end;
}

static unsigned late_within(const struct late_gaps *gaps, unsigned from)
{
    return late_end(gaps, from, from) - from;
}

/* The place from that on, up to so far, where most lie within reach. */
static unsigned late_densest(const struct late_gaps *gaps, unsigned from, double most_ns)
{
    unsigned best = from, n = 0, end = from;

    for (unsigned i = from; i < gaps->count && gaps->sorted[i] <= most_ns; i++) {
        end = late_end(gaps, i, end);
        best = end - i > n ? i : best;
        n = end - i > n ? end - i : n;
    }
    return best;
}

/* The lowest place that at least half as many share as any other: what traffic lengthens lies
 * above it. */
enum { ATOM_LEAST = 3 };

static struct mean lowest_atom(const struct late_gaps *gaps, const struct noise *noise)
{
    unsigned most = gaps->count > 0 ? late_within(gaps, late_densest(gaps, 0, INFINITY)) : 0;
    unsigned least = (most + 1) / 2 > ATOM_LEAST ? (most + 1) / 2 : ATOM_LEAST, from = 0, end = 0;

    if (most < ATOM_LEAST)
        return (struct mean){0};
    while ((end = late_end(gaps, from, end)) - from < least)
        from++;
    from = late_densest(gaps, from, gaps->sorted[from] + 2 * gaps->reach);
    return columns_average(gaps->sorted + from, late_within(gaps, from), gaps->sorted[from], 2 * gaps->reach,
                           noise);
}

/* From least to most, if at least that share of all later gaps has it. */
static struct mean atom_between(const struct seen *seen, const struct floors *pairs, double least_ns,
                                double most_ns, double share)
{
    struct late_gaps gaps = {pairs->bytes, least_ns, most_ns, pairs->same_ns, seen->scratch.numbers, 0, 0};
    struct mean atom;

    late_collect(&gaps, seen->pairs);
    late_collect(&gaps, seen->longs);
    sort_numbers(gaps.sorted, gaps.count);
    atom = lowest_atom(&gaps, &seen->noise);
    return atom.n >= share * gaps.all ? atom : (struct mean){0};
}

/* Traffic only lengthens trains, on average: so their gap is no shorter than the link's. */
enum { LATE_TRAINS = 2 };

static struct mean mean_of_trains(const struct shapes *shapes, uint32_t bytes)
{
    struct moments later = {0};

    EACH_LONGEST(shape, shapes)
        moments_add(&later, shape_later_gap_ns(shape) * bytes / shape->bytes);
    return later.count < LATE_TRAINS ? (struct mean){0} : moments_mean(&later);
}

/* --- How far the interval reaches --- */

/* By how much the one's reaches beyond the other's. */
static double late_beyond(const struct mean *mean, const struct candidate *told)
{
    return fmax(mean->gap_ns + mean->error_ns - told->gap_ns - told->error_ns, 0);
}

/* Where later gaps show nothing, a stamp is late by no more than was measured. */
double late_above(const struct seen *seen, const struct witness *pairs)
{
    const struct candidate *told = &pairs->candidate;
    double most_ns = fmin(seen->noise.handover_ns, told->gap_ns / 2), reach = pairs->floors.same_ns;
    struct mean atom, trains;

    if (told->gap_ns <= 0 || told->limited || seen->shapes.count == 0)
        return 0;
    trains = mean_of_trains(&seen->shapes, pairs->floors.bytes);
    if (trains.n > 0)
        most_ns = fmin(most_ns, late_beyond(&trains, told));
    atom = atom_between(seen, &pairs->floors, told->gap_ns - reach, told->gap_ns + most_ns + reach, 0);
    return fmin(most_ns, atom.n > 0 ? late_beyond(&atom, told) : noise_late_ns(&seen->noise, told->gap_ns));
}

/* --- Between pairs and trains --- */

/* Of all later gaps so many have it, where the link is idle half of the time. By chance two in ten lie as close where
 * each packet waits by itself (802.11: for up to 15 slots). */
#define SHARED (1.0 / 3)

struct mean late_guess(const struct seen *seen, const struct statistics *statistics,
                       const struct witness *pairs, const struct witness *told)
{
    double pair_ns = pairs->candidate.gap_ns;
    double train_ns = candidate_gap_ns(&told->candidate, pairs->floors.bytes);
    bool clock = statistics->batched || statistics->span.steady || statistics->span.ticked;

    if (!told->floors.trains || !evidence_has(told->evidence, AGAINST_TRAINS) || clock
        || witness_hidden(pairs, &seen->noise) || pair_ns <= 0 || pair_ns >= train_ns)
        return (struct mean){0};
    return atom_between(seen, &pairs->floors, pair_ns, train_ns, SHARED);
}
