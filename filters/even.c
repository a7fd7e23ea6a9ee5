/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/even.h"

#include "filters/denial.h"
#include "filters/settled.h"

#include <math.h>

double even_share_below(const struct seen *seen, const struct floors *pairs, double wait_ns)
{
    unsigned below = 0, count = 0;

    EACH_READING(reading, seen->pairs) {
        if (reading->bytes != pairs->bytes || !floors_first_counts(pairs, reading))
            continue;
        count++;
        below += floors_first_wait_ns(pairs, reading) <= wait_ns;
    }
    return count > 0 ? (double)below / count : 0;
}

/* Traffic gets into a train while that enters the narrow link, after a slow adapter or behind a
 * loaded link even into one that left at once. But then gaps differ, by a packet or some; where
 * it keeps turns with ours (fair queues), first packets wait for up to half a gap. Where neither is
 * so, what trains of even gaps agree on is the path's, whatever shortens or blurs a pair: a
 * late stamp, a bucket of some packets. */
#define WAIT 0.2

/* So many need no pairs beside them. */
enum { EVEN_LEAST = 5 };

static struct mean even_read_trains(const struct seen *seen, const struct statistics *statistics,
                                    const struct floors *pairs)
{
    struct mean regular = {0};

    if (statistics->span.at_once && !statistics->batched)
        regular = shapes_regular(&seen->shapes, pairs->bytes);
    return regular.n > 0 && comb_denies(&statistics->comb, regular.gap_ns, pairs->bytes) ? (struct mean){0}
                                                                                         : regular;
}

/* A fair queue's turn does not ask for the size; where pairs of half the size take half as long,
 * to what late stamps make of it, there is none. */
static bool sizes_in_proportion(const struct seen *seen, const struct floors *pairs,
                                const struct mean *regular)
{
    return denial_sizes_bear_out(seen->pairs, pairs, regular->gap_ns,
                                 noise_late_ns(&seen->noise, regular->gap_ns));
}

static bool hardly_waits(const struct seen *seen, const struct floors *pairs, const struct mean *regular)
{
    return even_share_below(seen, pairs, WAIT * regular->gap_ns) >= EVEN_SHARE;
}

/* Where others keep turns with ours in every train that is even, as large a share of first packets waits, but for a few. A
 * constant flow spares as many, and so that is a guess. */
static bool others_rest(const struct seen *seen, const struct floors *pairs, const struct mean *regular)
{
    double nothing_ns = SAME_RATE * regular->gap_ns + noise_gap_ns(&seen->noise);
    double turns = (1 - STATISTICS_IDLE_MOST) * regular->n / seen->shapes.longest;
    double error = sqrt(turns * (1 - turns) / seen->pairs->count);

    return 1 - even_share_below(seen, pairs, nothing_ns) < turns - BEYOND_CHANCE * error;
}

/* Turns of a fair queue do not ask for the size, and have one gap in pairs and trains. */
static bool sizes_deny(const struct witness *pairs)
{
    return evidence_has(pairs->evidence, AGAINST_SIZES) || evidence_has(pairs->evidence, AGAINST_SPARED);
}

/* A few trains are even by chance, now and then; not at the rate that pairs tell. Where the two agree
 * the surer is told, but where stamps do not explain what they differ by: then trains, as the first
 * stamp is late. Either way it counts as error. */
static struct witness weigh_few(const struct seen *seen, const struct mean *regular,
                                const struct witness *pairs)
{
    double off_ns = fabs(pairs->candidate.gap_ns - regular->gap_ns);
    struct witness wider = *pairs;

    if (!witness_agrees(pairs, regular))
        return *pairs;
    if (regular->error_ns < pairs->candidate.error_ns
        || off_ns > hypot(regular->error_ns, pairs->candidate.error_ns))
        return witness_of_trains(regular, seen->longs, pairs, &seen->noise);
    wider.candidate.error_ns += off_ns;
    return wider;
}

struct witness even_weigh(const struct seen *seen, const struct statistics *statistics,
                          const struct witness *pairs)
{
    struct mean regular = even_read_trains(seen, statistics, &pairs->floors);
    bool agrees, surely;
    double added_ns;
    struct witness even;

    if (regular.n == 0)
        return *pairs;
    surely =
        hardly_waits(seen, &pairs->floors, &regular) || sizes_in_proportion(seen, &pairs->floors, &regular);
    if (regular.n < EVEN_LEAST)
        return surely || !sizes_deny(pairs) ? weigh_few(seen, &regular, pairs) : *pairs;
    agrees = witness_agrees(pairs, &regular);
    added_ns = agrees ? 0 : settled_added(&seen->shapes) * regular.gap_ns;
    if ((!surely && (agrees || !others_rest(seen, &pairs->floors, &regular)))
        || added_ns > CANDIDATE_ERROR_MOST * regular.gap_ns)
        return *pairs;
    even = witness_of_trains(&regular, seen->longs, pairs, &seen->noise);
    evidence_note(&even.evidence, AGAINST_WAITS, !surely);
    even.candidate.below_ns = fmax(even.candidate.below_ns, added_ns);
    return even;
}

struct witness even_guess(const struct seen *seen, const struct statistics *statistics,
                          const struct witness *pairs)
{
    struct witness guess = *pairs;
    struct mean regular, spared;

    if (witness_believed(pairs, &seen->noise) || pairs->floors.trains)
        return guess;
    regular = even_read_trains(seen, statistics, &pairs->floors);
    if (regular.n >= EVEN_LEAST) {
        guess = witness_of_trains(&regular, seen->longs, pairs, &seen->noise);
        evidence_note(&guess.evidence, AGAINST_WAITS, true);
        return guess;
    }
    spared = shapes_spared(&seen->shapes);
    if (spared.n > 0)
        guess.candidate = candidate_a_byte(&guess.candidate, &spared);
    return guess;
}
