/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/proof.h"

#include <math.h>

/* On the floor: the third-lowest sum within 6 % of a gap of the lowest. */
#define FLOOR_DEPTH 0.06

/* Readings that make an atom: twice as many, as their delays say less. */
enum { PROOF_ATOM = 6 };

/* As many times the readings of any other atom a little lower: which of two like
 * ones is the first tooth, a few sums cannot say. */
enum { RIVAL = 2 };

/* Three of so many agree by chance: what has not agreed by then stands on nothing. */
enum { SEARCH_MOST = 64 };

/* Going up in delay sum: the first gap that is found thrice. Gaps seen so far
 * stand sorted in seen. Returns how many readings it took, 0 if none. */
static unsigned first_agreement(struct columns *columns, double reach, double *seen, double *gap_ns)
{
    for (unsigned n = 0; n < columns->count && n < SEARCH_MOST; n++) {
        double gap = columns->gap[sort_at(&columns->sums, n)->index];
        unsigned at = n, low;

        for (; at > 0 && seen[at - 1] > gap; at--)
            seen[at] = seen[at - 1];
        seen[at] = gap;
        for (low = at > 1 ? at - 2 : 0; low <= at && low + 2 <= n; low++)
            if (seen[low + 2] - seen[low] <= reach) {
                *gap_ns = seen[low + 1];
                return n + 1;
            }
    }
    return 0;
}

/* Readings that agree with a gap, those that lie up to one small packet or so above
 * it, and the most of the latter that agree among themselves. */
#define ABOVE 0.15
struct atom {
    unsigned on, above, next;
    unsigned below; /* the most that agree among themselves as far down */
};

static unsigned proof_between(const double *sorted, unsigned count, double low, double high)
{
    return sort_rank(sorted, count, high, true) - sort_rank(sorted, count, low, false);
}

static struct atom atom_at(const double *sorted, unsigned count, double gap_ns, double reach)
{
    struct atom atom = {.on = proof_between(sorted, count, gap_ns - reach, gap_ns + reach)};
    unsigned first = 0;

    for (unsigned i = 0; i < count && sorted[i] <= gap_ns * (1 + ABOVE); i++) {
        unsigned *most = sorted[i] < gap_ns ? &atom.below : &atom.next;

        if (sorted[i] < gap_ns * (1 - ABOVE) || fabs(sorted[i] - gap_ns) <= reach) {
            first = i + 1;
            continue;
        }
        atom.above += sorted[i] > gap_ns;
        while (sorted[i] - sorted[first] > 2 * reach)
            first++;
        if (i - first + 1 > *most)
            *most = i - first + 1;
    }
    return atom;
}

/* Cross packets of one size between the two make gaps of G, G + d, G + 2d..., in
 * numbers that follow Poisson's law: n0, n0 m, n0 m^2 / 2. If what looks like the
 * first tooth were the second, on^2 / (2 next) readings would be expected on a lower
 * one. Three, and that none is there would be one chance in twenty. */
enum { EXPECTED = 3 };

static bool lowest_tooth(unsigned on, unsigned next)
{
    return on >= FLOOR_LEAST && on * on >= 2 * EXPECTED * next;
}

/* The same among the readings whose first packet is on the floor: the second's
 * wait alone. */
static struct atom floor_atom(const struct columns *columns, const struct floors *floors, double gap_ns,
                              double reach)
{
    struct atom atom = {0};

    for (unsigned i = 0; i < columns->count; i++) {
        double off = columns->gap[i] - gap_ns;

        if (columns->delay[i] - floors->first_ns > FLOOR_DEPTH / 2 * gap_ns + reach)
            continue;
        atom.on += fabs(off) <= reach;
        atom.above += off > reach && off < ABOVE * gap_ns;
    }
    return atom;
}

/* The least delay sum of readings with this gap. */
static double least_sum(struct columns *columns, double gap_ns, double reach)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct sort_key *sum = sort_at(&columns->sums, i);

        if (fabs(columns->gap[sum->index] - gap_ns) <= reach)
            return sum->value;
    }
    return INFINITY;
}

/* A lower gap than the one on the floor, that many readings agree on: if the lower
 * one is true, the higher one's sums lie above the floor by the difference of the
 * two gaps at least (its second packets waited that long); if the higher one is,
 * the lower one's do (its first packets waited). */
#define LOWER_MOST 0.45

static double lower_atom(struct columns *columns, double gap_ns, double reach)
{
    const double *sorted = columns->sorted;
    unsigned most = proof_between(sorted, columns->count, gap_ns - reach, gap_ns + reach);
    double sum = least_sum(columns, gap_ns, reach);

    for (unsigned i = 0, flank = 0, above = 0, end = 0; i < columns->count && sorted[i] < gap_ns - reach;
         i = above) {
        double low = sorted[i] + reach;

        while (sorted[flank] < sorted[i] - 3 * reach)
            flank++;
        while (above < columns->count && sorted[above] <= sorted[i])
            above++;
        while (end < columns->count && sorted[end] <= low + reach)
            end++;
        if (low >= LOWER_MOST * gap_ns && end - i >= FLOOR_LEAST && 4 * (end - i) >= most
            && end - i >= 2 * (above - flank) && least_sum(columns, low, reach) - sum < 0.8 * (gap_ns - low))
            return low;
    }
    return gap_ns;
}

/* Gaps that noise carried beyond reach are missing from the average: a normal
 * distribution cut at 1.5 deviations shows 0.74 of its own. */
#define TRUNCATED 1.35

/* Averages the lower half, by delay, of those that agree. */
static struct mean average_lowest(struct columns *columns, double gap_ns, double reach,
                                  const struct noise *noise)
{
    double *seen = columns->scratch;
    unsigned agree = proof_between(columns->sorted, columns->count, gap_ns - reach, gap_ns + reach), n = 0;
    struct mean mean;

    for (unsigned i = 0; i < columns->count && (n < FLOOR_LEAST || 2 * n < agree); i++) {
        double gap = columns->gap[sort_at(&columns->sums, i)->index];

        if (fabs(gap - gap_ns) <= reach)
            seen[n++] = gap;
    }
    mean = columns_average(seen, n, gap_ns, reach, noise);
    mean.error_ns *= TRUNCATED;
    return mean;
}

/* Proof by delay: the lowest sums agree, close together, and so do most second
 * packets whose first was on the floor. That they agree at once says nothing of a
 * lower tooth: if that is empty, those of the next one have the least sums. */
static bool floor_proves(struct columns *columns, const struct floors *floors, double gap_ns, unsigned took,
                         double reach)
{
    double depth = sort_at(&columns->sums, FLOOR_LEAST - 1)->value - floors->sum_ns;
    struct atom atom = floor_atom(columns, floors, gap_ns, reach);

    return took <= FLOOR_LEAST + 1 && depth <= FLOOR_DEPTH * gap_ns + 2 * reach
        && lowest_tooth(atom.on, atom.above);
}

/* The most of so many sorted numbers that are within reach of each other. */
static unsigned most_together(const double *sorted, unsigned count, double reach)
{
    unsigned most = 0;

    for (unsigned i = 0, first = 0; i < count; i++) {
        while (sorted[i] - sorted[first] > reach)
            first++;
        if (i - first + 1 > most)
            most = i - first + 1;
    }
    return most;
}

/* How many second packets stand on their floor, and the most that agree among themselves
 * a little above it. */
static struct atom second_atom(const struct columns *columns, double gap_ns, double reach)
{
    double *second = columns->scratch, least = INFINITY;
    struct atom atom = {0};
    unsigned n = 0;

    for (unsigned i = 0; i < columns->count; i++) {
        second[i] = columns->delay[i] + columns->gap[i];
        least = second[i] < least ? second[i] : least;
    }
    for (unsigned i = 0; i < columns->count; i++)
        if (second[i] <= least + ABOVE * gap_ns)
            second[n++] = second[i];
    sort_numbers(second, n);
    while (atom.on < n && second[atom.on] <= second[0] + reach)
        atom.on++;
    atom.next = most_together(second + atom.on, n - atom.on, reach);
    return atom;
}

/* So many second packets on a floor that nothing near it looks like hold up a gap that no
 * pair shows. On six loaded hops that is not seen, and their floor is too high in one
 * run of three. */
enum { SECOND_LEAST = 5 };

/* Of pairs that were compressed each waited at its head for as long as it happened to. Where most of those on the second
 * floor have one gap, that is theirs, and all their first packets were late alike. */
static bool share_a_gap(const struct columns *columns, double gap_ns, double reach)
{
    double *gaps = columns->scratch, least = INFINITY;
    unsigned all = 0, shorter = 0;

    for (unsigned i = 0; i < columns->count; i++)
        least = fmin(least, columns->delay[i] + columns->gap[i]);
    for (unsigned i = 0; i < columns->count; i++) {
        if (columns->delay[i] + columns->gap[i] > least + reach)
            continue;
        all++;
        if (columns->gap[i] < gap_ns - reach)
            gaps[shorter++] = columns->gap[i];
    }
    sort_numbers(gaps, shorter);
    return 2 * most_together(gaps, shorter, reach) > all;
}

/* Proof by two floors. The least delay of all second packets less that of all first ones,
 * from different trains, is the gap too (minimum delay difference, Chan et al. 2009):
 * on several loaded hops single packets meet empty queues far more often than pairs do.
 * Each floor must be reached three times, and the second packets' not look like a second
 * tooth. Where pairs agree on another gap, this one is the better guess, and proof if it
 * is reached often. */
static bool floors_prove(const struct columns *columns, const struct floors *floors, double reach,
                         struct candidate *candidate)
{
    double deepest = FLOOR_DEPTH / 2 * candidate->gap_ns + reach;
    struct atom atom = second_atom(columns, candidate->gap_ns, reach);

    if (floors->apart_ns <= 0 || floors->first_deep_ns > deepest || floors->second_deep_ns > deepest
        || !lowest_tooth(atom.on, atom.next))
        return false;
    if (fabs(floors->apart_ns - candidate->gap_ns) <= reach)
        return true;
    candidate->gap_ns = floors->apart_ns;
    candidate->error_ns = reach;
    candidate->origin = ORIGIN_FLOORS;
    return floors->reached && atom.on >= SECOND_LEAST && atom.on >= RIVAL * atom.next
        && !share_a_gap(columns, candidate->gap_ns, reach);
}

/* Stamps of two different trains scatter their difference half as much again as gaps. */
#define REFUTE 1.5

/* No second packet comes sooner after the floor of the first ones than the gap: one
 * that does refutes it, if first packets have reached their floor. What is left is
 * the better guess. */
static bool floors_refute(const struct floors *floors, double gap_ns, double reach)
{
    return floors->first_deep_ns <= FLOOR_DEPTH / 2 * gap_ns + reach && floors->apart_ns > 0
        && floors->apart_ns < gap_ns - REFUTE * reach;
}

/* Where the floors are further apart, the first packets of all pairs that have the gap waited, and
 * may have been caught up with by that much. */
static bool all_waited(const struct floors *floors, double gap_ns, double reach)
{
    return floors->apart_ns > (1 + FLOOR_DEPTH / 2) * gap_ns + REFUTE * reach;
}

/* Proof by numbers: an atom three times what the gaps above it would put there if
 * they were spread evenly, which the reading of least delay stands in. It needs a
 * floor none the less, of first packets at least: on a path that is never idle gaps
 * agree on whatever the neighbours' packets make of them. */
static bool atom_proves(struct columns *columns, const struct floors *floors, double gap_ns, double reach)
{
    struct atom atom = atom_at(columns->sorted, columns->count, gap_ns, reach);
    double spread = atom.above * 2 * reach / (ABOVE * gap_ns - reach);
    double depth = sort_at(&columns->sums, FLOOR_LEAST - 1)->value - floors->sum_ns;

    return atom.on >= PROOF_ATOM && atom.on >= 3 * spread && atom.on >= RIVAL * atom.below
        && depth <= 1.5 * FLOOR_DEPTH * gap_ns + reach
        && floors->first_deep_ns <= FLOOR_DEPTH / 2 * gap_ns + reach && lowest_tooth(atom.on, atom.next)
        && least_sum(columns, gap_ns, reach) - floors->sum_ns <= FLOOR_DEPTH / 2 * gap_ns + reach;
}

/* A gap that stands out against the gaps just below it. Where stamps scatter gaps
 * further than reach, the gaps within it are a slice of that and no atom. */
static bool stands_out(const struct columns *columns, double gap_ns, double reach)
{
    unsigned on = proof_between(columns->sorted, columns->count, gap_ns - reach, gap_ns + reach);
    unsigned low = proof_between(columns->sorted, columns->count, gap_ns - 3 * reach, gap_ns - reach);

    return on >= 2 * low;
}

/* May move the candidate to the floors' distance. */
static bool is_proven(struct columns *columns, const struct floors *floors, unsigned took,
                      struct candidate *candidate)
{
    double gap_ns = candidate->gap_ns, reach = floors->same_ns;

    return (floor_proves(columns, floors, gap_ns, took, reach) || atom_proves(columns, floors, gap_ns, reach)
            || floors_prove(columns, floors, reach, candidate))
        && stands_out(columns, candidate->gap_ns, reach);
}

/* How far the floor of first packets is from being reached thrice, and the floors' distance from
 * the gap, are errors of it as well. */
struct proposal proof_read(struct columns *columns, const struct floors *floors, const struct noise *noise)
{
    double gap_ns, reach = floors->same_ns;
    unsigned took = first_agreement(columns, reach, columns->scratch, &gap_ns);
    struct proposal proof = {0};
    struct mean mean;
    bool proven;

    if (took == 0)
        return proof;
    mean = average_lowest(columns, lower_atom(columns, gap_ns, reach), reach, noise);
    proof.candidate = candidate_of(mean.gap_ns, mean.error_ns, floors->bytes, ORIGIN_LEAST);
    proven = is_proven(columns, floors, took, &proof.candidate);
    if (floors_refute(floors, proof.candidate.gap_ns, reach)
        || (proven && all_waited(floors, proof.candidate.gap_ns, reach))) {
        proof.candidate.gap_ns = floors->apart_ns;
        proven = false;
    }
    proof.candidate.error_ns += floors->first_deep_ns + fabs(floors->apart_ns - proof.candidate.gap_ns);
    evidence_note(&proof.evidence, FOR_PROVEN, proven);
    return proof;
}
