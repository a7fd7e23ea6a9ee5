/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/cycles.h"

#include "filters/witness.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>

/* Where a medium is granted (PON, DOCSIS, TTIs), or a shaper has ticks, each cycle lets as many bytes
 * pass. So behind the first batches of a train, which hold what was there or what is granted unasked, all
 * have as many packets, to one; and first packets wait for the next cycle, evenly for up to a
 * whole one. A host that makes batches lets no first packet wait, and traffic makes none. */
#define CYCLE_PACKETS 2

/* What traffic may have lengthened cycles' gaps by: of packets of the least size that come at random as many
 * as what single trains hold varies by. */
double cycles_added(const struct statistics *s, const struct held *held)
{
    return held->variance * held->one * s->bytes / LEAST_BYTES;
}

static bool holds_cycles(const struct statistics *s, const struct held *held)
{
    return held->gap.n > 0 && held->packets >= CYCLE_PACKETS && held->one <= CANDIDATE_ERROR_MOST
        && s->sooner;
}

static bool in_cycles(const struct statistics *s, const struct held *held)
{
    return holds_cycles(s, held) && cycles_added(s, held) <= CANDIDATE_ERROR_MOST
        && s->waits >= STATISTICS_WAITS_LEAST && s->idle <= STATISTICS_IDLE_MOST
        && s->uniform <= STATISTICS_SURELY_UNEVEN && same_gap(s->range_ns, held->each_ns, SAME_WAIT, 0);
}

/* A medium may be open for a part of each cycle (TDMA, TDD, the gates of IEEE 802.1Q). What comes then passes at the
 * line's rate, and pairs tell that. What comes while it is shut waits for the rest of that time: as many first packets
 * wait as it is shut, evenly for up to all of it; more of them, and longer, where others send. No packet of others takes
 * as long as it is shut, and bursts of theirs do not come one like the other. */
static double shut_ns(const struct held *held, double gap_ns)
{
    return held->each_ns - held->packets * gap_ns;
}

static bool shuts(const struct statistics *s, const struct held *held, double gap_ns)
{
    return holds_cycles(s, held) && shut_ns(held, gap_ns) > statistics_frame_ns(s, gap_ns);
}

static bool enough_wait(const struct statistics *s, double share)
{
    return s->on_floor > STATISTICS_IDLE_MOST
        && s->busy >= share - BEYOND_CHANCE * sqrt(share * (1 - share) / s->waits);
}

static bool wait_for_long(const struct statistics *s, double longest_ns)
{
    return s->longest_wait_ns >= (1 - SAME_WAIT) * longest_ns
        && s->waiting_uniform <= STATISTICS_SURELY_UNEVEN;
}

static bool behind_gate(const struct statistics *s, const struct held *held)
{
    double longest_ns = shut_ns(held, s->middle_ns);

    return s->waits >= STATISTICS_WAITS_LEAST && shuts(s, held, s->middle_ns)
        && enough_wait(s, longest_ns / held->each_ns) && wait_for_long(s, longest_ns);
}

bool cycles_hold(const struct statistics *s, const struct held *held)
{
    return in_cycles(s, held) || behind_gate(s, held);
}

/* Too few that wait deny nothing. And the longest of n even waits is below a share x of them all once in x^-n times. */
#define SO_SHORT 0.001

static bool may_be_shut(const struct statistics *s, const struct held *held, double gap_ns)
{
    double longest_ns = shut_ns(held, gap_ns), by_chance = pow(SO_SHORT, 1 / (s->busy * s->waits));

    if (!shuts(s, held, gap_ns))
        return false;
    return s->waits < STATISTICS_WAITS_LEAST
        || (enough_wait(s, longest_ns / held->each_ns)
            && (isinf(s->waiting_uniform) || wait_for_long(s, by_chance * longest_ns)));
}

static bool may_be_open_in_part(const struct seen *seen, const struct statistics *s,
                                const struct candidate *told)
{
    struct held held = held_read(&seen->shapes, HELD_DOUBT);

    return may_be_shut(s, &held, told->gap_ns * s->bytes / told->bytes);
}

/* Of trains that no whole cycle fits into. Where these come in batches, the longest gap is a host's. */
bool cycles_pause(const struct seen *seen, const struct statistics *s, double gap_ns)
{
    struct held held;

    if (s->batched)
        return false;
    held = held_apart(&seen->shapes, gap_ns, s->bytes);
    return may_be_shut(s, &held, gap_ns);
}

/* Of n even waits that have nothing to do with each other, times the root of n: the distance of two is a third of the
 * range and varies by 1/18 of its square, and by 1/180 with that of the next two, on either side. */
#define FOLLOW_ERROR 0.775

/* What waits in front of a medium for longer than the train itself takes is there as a whole when that opens (a receiver
 * that sleeps, a cycle that nothing outlasts), and no link before it shows. Waits of a queue, even where they are even,
 * follow one another; those for a clock have nothing to do with each other. */
static bool gathers(const struct statistics *s, double train_ns)
{
    return train_ns < s->range_ns && s->follow >= 1 - BEYOND_CHANCE * FOLLOW_ERROR / sqrt(s->pair.n);
}

static bool fit_in_one(const struct seen *seen, const struct statistics *s, const struct candidate *told)
{
    double train_ns = told->gap_ns / told->bytes * readings_longest(seen->longs, 0);

    return statistics_wait_evenly(s) && s->range_ns > noise_wait_ns(&seen->noise) && gathers(s, train_ns);
}

bool cycles_may_be(const struct seen *seen, const struct statistics *s, const struct candidate *told)
{
    return fit_in_one(seen, s, told) || may_be_open_in_part(seen, s, told);
}
