/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/change.h"

#include "filters/same.h"

/* Trains since the last one that hit the believed rate, of which most agree on
 * another: if nothing had changed, each would do so with the share q of the old
 * readings that did (Laplace's rule for few), and m of k with chance
 * binomial(k, m) q^m. Below 1e-8 that is a change; a path that stays as it is gives
 * a run of misses that long less than once in some trains, so false alarms stay far
 * below one in 10 000 trains. */
#define CHANCE 1e-8
enum { RUN_LEAST = 5, RUN_MOST = 64, RUN_PACE = 8 };

/* Misses in a row that make another gap beside the held one a change in the making
 * rather than a better look at the same path. */
enum { CONTEST_LEAST = 3 };

static bool is_hit(const struct witness *witness, const struct reading *reading)
{
    const struct candidate *candidate = &witness->candidate;
    double gap_ns = (double)reading->gap_ns * candidate->bytes / reading->bytes;

    return same_gap(gap_ns, candidate->gap_ns, 0,
                    same_reach(candidate->gap_ns, SAME_RATE, witness->floors.same_ns));
}

static void push_level(struct change *change, double bps, unsigned until)
{
    if (change->count == LEVELS_ROOM)
        for (change->count = 0; change->count < LEVELS_ROOM - 1; change->count++)
            change->levels[change->count] = change->levels[change->count + 1];
    change->levels[change->count++] = (struct level){bps, until};
}

/* All that is older than the misses goes. */
static void change_level(struct change *change, struct seen *seen,
                         const struct readings *missed, unsigned trains)
{
    push_level(change, candidate_bps(&change->held.candidate), trains);
    seen_keep_since(seen, readings_at(missed, missed->count - change->missed)->at_s);
    change->missed = 0;
    change->held.candidate.gap_ns = 0;
}

static unsigned count_hits(const struct readings *readings, unsigned from, unsigned to,
                           const struct witness *witness)
{
    unsigned hits = 0;

    for (unsigned i = from; i < to; i++)
        hits += is_hit(witness, readings_at(readings, i));
    return hits;
}

/* Logarithm of the chance that so many of a run do what each does with chance q. */
static double log_chance(unsigned run, unsigned hits, double q)
{
    double sum = hits * log(q);

    for (unsigned i = 0; i < hits; i++)
        sum += log((double)(run - i) / (i + 1));
    return sum;
}

/* Whether the newest readings could be the old path's. */
static bool by_chance(const struct readings *readings, unsigned run, const struct witness *recent)
{
    unsigned old = readings->count - run;
    unsigned hits = count_hits(readings, old, readings->count, recent);
    double q = (count_hits(readings, 0, old, recent) + 1.0) / (old + 2.0);

    return 2 * hits < run || log_chance(run, hits, q) > log(CHANCE);
}

/* Looked at ever more rarely. */
static bool is_due(unsigned missed)
{
    return missed >= RUN_LEAST && missed <= RUN_MOST && missed % (1 + missed / RUN_PACE) == 0;
}

bool change_watch(struct change *change, struct seen *seen, const struct readings *readings,
                  unsigned trains)
{
    const struct witness *held = &change->held;
    struct witness recent;

    if (held->candidate.gap_ns <= 0 || held->floors.trains != readings->trains)
        return false;
    if (is_hit(held, readings_at(readings, readings->count - 1))) {
        change->missed = 0;
        return false;
    }
    if (++change->missed > readings->count)
        change->missed = readings->count;
    if (!is_due(change->missed))
        return false;
    recent = witness_read(readings, change->missed, &seen->noise, &seen->scratch);
    if (recent.candidate.gap_ns <= 0 || by_chance(readings, change->missed, &recent))
        return false;
    change_level(change, seen, readings, trains);
    return true;
}

bool change_disputes(const struct change *change, const struct candidate *candidate)
{
    const struct candidate *held = &change->held.candidate;

    return candidate->gap_ns > 0 && held->gap_ns > 0 && change->missed >= CONTEST_LEAST
        && !same_gap(candidate->gap_ns * held->bytes / candidate->bytes, held->gap_ns, SAME_RATE,
                     0);
}

void change_hold(struct change *change, const struct witness *witness)
{
    if (change->held.floors.trains != witness->floors.trains)
        change->missed = 0;
    change->held = *witness;
}

struct left change_left(const struct change *change, unsigned trains, unsigned newest)
{
    struct left left = {.low_bps = INFINITY};

    for (unsigned i = 0; i < change->count; i++)
        left.count += trains - change->levels[i].until <= newest;
    for (unsigned i = change->count - left.count; i < change->count; i++) {
        left.low_bps = fmin(left.low_bps, change->levels[i].bps);
        left.high_bps = fmax(left.high_bps, change->levels[i].bps);
    }
    return left;
}
