/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/witness.h"

#include "filters/denial.h"
#include "filters/mode.h"
#include "filters/proof.h"
#include "filters/same.h"
#include "filters/skew.h"

/* --- Propose --- */

static struct candidate witness_of_mean(const struct floors *floors, struct mean mean, enum origin origin)
{
    return candidate_of(mean.gap_ns, mean.error_ns, floors->bytes, origin);
}

static struct candidate of_mode(const struct columns *columns)
{
    double gap_ns = mode_half_sample(columns->sorted, columns->count);

    return candidate_of(gap_ns, ESTIMATE_GUESS * gap_ns, columns->bytes, ORIGIN_MODE);
}

/* Where hardly a packet waits, this share of the first ones for less than a gap, and both floors
 * are reached often, they are the gap apart; what pairs agree on instead is a number of ticks. */
#define CALM 0.9

static bool denied_by_floors(const struct floors *floors, const struct noise *noise, double gap_ns)
{
    return floors->reached && floors->low >= CALM && floors_differ(floors, noise, gap_ns);
}

static struct proposal propose(struct columns *columns, const struct floors *floors,
                               const struct noise *noise)
{
    struct proposal proposal = {0};

    if (floors->agree)
        return (struct proposal){witness_of_mean(floors, floors->agreed, ORIGIN_AGREEMENT), {0}};
    if (floors->delays)
        proposal = proof_read(columns, floors, noise);
    if (proposal.candidate.gap_ns <= 0)
        proposal.candidate = of_mode(columns);
    if (evidence_has(proposal.evidence, FOR_PROVEN)
        && denied_by_floors(floors, noise, proposal.candidate.gap_ns)) {
        evidence_drop(&proposal.evidence, FOR_PROVEN);
        proposal.candidate.gap_ns = floors->apart_ns;
    }
    return proposal;
}

/* --- Weigh --- */

static void weigh_agreement(const struct floors *floors, const struct noise *noise, double gap_ns,
                            struct evidence *evidence)
{
    bool grounded = floors->agree && floors->reached && !floors_differ(floors, noise, floors->agreed.gap_ns);

    evidence_note(evidence, FOR_AGREED, floors->agree);
    evidence_note(evidence, FOR_GROUNDED, grounded);
    evidence_note(evidence, AGAINST_FLOORS, floors->agree && denied_by_floors(floors, noise, gap_ns));
}

struct witness witness_read(const struct readings *readings, unsigned last, const struct noise *noise,
                            const struct scratch *scratch)
{
    unsigned from = last < readings->count ? readings->count - last : 0;
    struct witness witness = {0};
    struct candidate *candidate = &witness.candidate;
    struct departures departures;
    struct proposal proposal;
    struct columns columns;

    columns_load(&columns, readings, from, scratch);
    witness.floors = columns_floors(&columns, FLOOR_LEAST);
    candidate->bytes = columns.bytes;
    if (columns.count < FLOOR_LEAST)
        return witness;
    columns_compare(&columns, noise, &witness.floors);
    proposal = propose(&columns, &witness.floors, noise);
    *candidate = proposal.candidate;
    departures = departures_read(readings, from, candidate->bytes, candidate->gap_ns, witness.floors.same_ns);
    candidate->limited = departures.limited;
    witness.evidence = denial_read(readings, from, noise, &witness.floors, candidate->gap_ns);
    witness.evidence.reasons |= proposal.evidence.reasons;
    evidence_note(&witness.evidence, AGAINST_DEPARTURES, departures.doubtful);
    weigh_agreement(&witness.floors, noise, candidate->gap_ns, &witness.evidence);
    return witness;
}

/* --- Trains of least delay --- */

/* A sixteenth of the trains, five at least: the error of their mean is then about
 * that of its bias. */
enum { LOWEST_LEAST = 5, LOWEST_SHARE = 16 };

static struct mean mean_of_lowest(struct columns *columns, const struct noise *noise)
{
    double *lowest = columns->scratch;
    unsigned n;

    for (n = 0; n < LOWEST_LEAST || n < columns->count / LOWEST_SHARE; n++)
        lowest[n] = columns->gap[sort_at(&columns->sums, n)->index];
    return columns_average(lowest, n, lowest[0], INFINITY, noise);
}

/* Ticks and batches alone: the mean stands. Otherwise what the lowest have not shed
 * of the cross traffic may be as much again as they have shed: the way from the
 * mean to them, once more. */
static struct candidate shed(const struct candidate *mean, const struct mean *lowest)
{
    struct candidate candidate = *mean;

    if (mean->gap_ns - lowest->gap_ns <= mean->error_ns)
        return candidate;
    candidate.gap_ns = lowest->gap_ns;
    candidate.error_ns = lowest->error_ns;
    candidate.below_ns = mean->gap_ns - lowest->gap_ns;
    return candidate;
}

/* Where they shed more than that, too much may be left. */
#define REST_MOST 0.025

struct witness witness_read_lowest(const struct readings *readings, const struct noise *noise,
                                   const struct scratch *scratch)
{
    struct witness witness = {0};
    struct candidate *candidate = &witness.candidate;
    struct departures departures;
    struct columns columns;
    struct mean mean, lowest;

    columns_load(&columns, readings, 0, scratch);
    witness.floors = columns_floors(&columns, 2 * LOWEST_LEAST);
    candidate->bytes = columns.bytes;
    if (columns.count < LOWEST_LEAST)
        return witness;
    mean = columns_average(columns.gap, columns.count, columns.gap[0], INFINITY, noise);
    *candidate = witness_of_mean(&witness.floors, mean, ORIGIN_TRAINS);
    if (!columns.delays || columns.count < 2 * LOWEST_LEAST)
        return witness;
    lowest = mean_of_lowest(&columns, noise);
    *candidate = shed(candidate, &lowest);
    departures = departures_read(readings, 0, candidate->bytes, candidate->gap_ns, 0);
    candidate->limited = departures.limited;
    evidence_note(&witness.evidence, FOR_PROVEN,
                  columns.count >= SKEW_LEAST && candidate->below_ns <= REST_MOST * candidate->gap_ns);
    evidence_note(&witness.evidence, AGAINST_DEPARTURES, departures.doubtful);
    return witness;
}

/* Cross traffic that only lengthens gaps hides behind coarse stamps, which scatter them by a sixth
 * of a tick squared. Packets of so many bytes scatter them as far when they take that, over the
 * time of one, of the gap. For a train the mean of IMIX (7 of 40, 4 of 576, 1 of 1500); a pair has
 * room for the least ones, or none. */
#define OTHERS_BYTES 340

bool witness_hidden(const struct witness *witness, const struct noise *noise)
{
    const struct candidate *candidate = &witness->candidate;
    bool trains = witness->floors.trains || witness->train_bytes > 0;
    double bytes = fmax(candidate->bytes, witness->train_bytes);
    double ticks = fmax(noise->tick_ns, noise->perhaps_ns) / (candidate_byte_ns(candidate) * bytes);
    double packets = bytes / (trains ? OTHERS_BYTES : FRAME_LEAST_BYTES);

    return ticks * ticks / 6 * packets > CANDIDATE_ERROR_MOST;
}

bool witness_believed(const struct witness *witness, const struct noise *noise)
{
    const struct candidate *candidate = &witness->candidate;

    return candidate->gap_ns > 0 && evidence_proves(witness->evidence)
        && !(candidate->error_ns > CANDIDATE_ERROR_MOST * candidate->gap_ns)
        && !witness_hidden(witness, noise);
}

bool witness_agrees(const struct witness *pairs, const struct mean *trains)
{
    return same_gap(pairs->candidate.gap_ns, trains->gap_ns, SAME_RATE, 0);
}

/* Traffic lengthens pairs as much as trains, on average: by what their mean is over the gap that they tell. */
static double lengthened_ns(const struct witness *pairs)
{
    const struct floors *floors = &pairs->floors;

    return fmax(floors->mean_ns + BEYOND_CHANCE * floors->mean_error_ns - pairs->candidate.gap_ns, 0);
}

/* Where pairs are believed, too, or agree, one of the two is off by what they differ by: trains by no more than
 * traffic explains. */
struct witness witness_of_trains(const struct mean *trains, const struct readings *longs,
                                 const struct witness *pairs, const struct noise *noise)
{
    bool speaks = witness_believed(pairs, noise) || witness_agrees(pairs, trains);
    double short_ns = speaks ? fmin(trains->gap_ns - pairs->candidate.gap_ns, lengthened_ns(pairs)) : 0;
    struct witness witness = {
        .floors = pairs->floors,
        .candidate = {.gap_ns = trains->gap_ns,
                      .error_ns = trains->error_ns,
                      .below_ns = fmax(short_ns, 0),
                      .bytes = pairs->floors.bytes,
                      .origin = ORIGIN_EVEN},
        .train_bytes = readings_longest(longs, 0),
    };

    evidence_note(&witness.evidence, FOR_AGREED, true);
    evidence_note(&witness.evidence, FOR_GROUNDED, true);
    return witness;
}
