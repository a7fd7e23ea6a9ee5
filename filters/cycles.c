/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/cycles.h"

#include "filters/same.h"

#include <math.h>

/* What traffic may have lengthened cycles' gaps by: of packets of the least size that come at random as many
 * as what single trains hold varies by. */
double cycles_added(const struct statistics *s)
{
    return s->held.variance * s->held.one * s->bytes / FRAME_LEAST_BYTES;
}

static bool holds_cycles(const struct held *held)
{
    return held->gap.n > 0 && held->packets >= CYCLE_PACKETS && held->one <= CANDIDATE_ERROR_MOST;
}

/* Where a medium is granted (PON, DOCSIS, TTIs), or a shaper has ticks, each cycle lets as many bytes
 * pass. So behind the first batches of a train, which hold what was there or what is granted unasked, all
 * have as many packets, CYCLE_PACKETS or more, to one; and first packets wait for the next cycle, evenly for up to a
 * whole one. A host that makes batches lets no first packet wait, and traffic makes none. */
static bool in_cycles(const struct statistics *s, const struct held *held)
{
    return s->sooner && holds_cycles(held) && cycles_added(s) <= CANDIDATE_ERROR_MOST
        && statistics_hardly_idle(s) && s->uniform <= STATISTICS_SURELY_UNEVEN
        && same_gap(s->range_ns, held->each_ns, SAME_WAIT, 0);
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
    return holds_cycles(held) && shut_ns(held, gap_ns) > statistics_frame_ns(s, gap_ns);
}

static bool enough_wait(const struct statistics *s, double share)
{
    return s->busy >= share - BEYOND_CHANCE * sqrt(share * (1 - share) / s->waits);
}

static bool wait_for_long(const struct statistics *s, double longest_ns)
{
    return s->longest_wait_ns >= (1 - SAME_WAIT) * longest_ns
        && s->waiting_uniform <= STATISTICS_SURELY_UNEVEN;
}

/* Of fewer that wait none is sure to be long. */
#define GATE_WAITS 10

static bool behind_gate(const struct statistics *s, const struct held *held)
{
    double longest_ns = shut_ns(held, s->middle_ns);

    return s->sooner && s->waits >= STATISTICS_WAITS_LEAST && s->on_floor > STATISTICS_IDLE_MOST
        && s->busy * s->waits >= GATE_WAITS && shuts(s, held, s->middle_ns)
        && enough_wait(s, longest_ns / held->each_ns) && wait_for_long(s, longest_ns);
}

bool cycles_hold(const struct statistics *s)
{
    return s->held.gap.n >= HELD_LEAST && (in_cycles(s, &s->held) || behind_gate(s, &s->held));
}

/* None that waits denies nothing. And the longest of n even waits is below a share x of them all once in x^-n times. */
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

/* Of trains that no whole cycle fits into. Where these come in batches, the longest gap is a host's. */
static bool pauses_alike(const struct seen *seen, const struct statistics *s, unsigned least, double gap_ns)
{
    struct held held;

    if (s->batched)
        return false;
    held = held_apart(&seen->shapes, gap_ns, s->bytes);
    return held.gap.n >= least && may_be_shut(s, &held, gap_ns);
}

bool cycles_pause(const struct seen *seen, const struct statistics *s, double gap_ns)
{
    return pauses_alike(seen, s, HELD_PAUSES, gap_ns);
}

static bool may_be_open_in_part(const struct seen *seen, const struct statistics *s,
                                const struct candidate *told)
{
    double gap_ns = candidate_gap_ns(told, s->bytes);

    return (s->sooner && may_be_shut(s, &s->held, gap_ns)) || pauses_alike(seen, s, HELD_DOUBT, gap_ns);
}

/* Of n even waits that have nothing to do with each other, times the root of n: the distance of two is a third of the
 * range and varies by 1/18 of its square, and by 1/180 with that of the next two, on either side. */
#define FOLLOW_ERROR 0.775

/* Waits of a queue, even where they are even, follow one another; those for a clock have nothing to do with each other. */
static bool wait_by_a_clock(const struct statistics *s)
{
    return s->follow >= 1 - BEYOND_CHANCE * FOLLOW_ERROR / sqrt(s->waits);
}

/* What waits in front of a medium for longer than the train itself takes is there as a whole when that opens (a receiver
 * that sleeps, a cycle that nothing outlasts), and no link before it shows. */
static bool fit_in_one(const struct seen *seen, const struct statistics *s, const struct candidate *told)
{
    double train_ns = candidate_byte_ns(told) * readings_longest(seen->longs, 0);

    return statistics_wait_evenly(s) && s->range_ns > noise_wait_ns(&seen->noise) && train_ns < s->range_ns
        && wait_by_a_clock(s);
}

/* --- Trains that no pause falls into --- */

/* They pass at the line's rate, as pairs do, and end with it. Say the medium is shut for a share x of the time, for as long as
 * the longest wait w each time, and so is open for o = w (1 - x) / x in between. A train that takes T meets no pause if it
 * came while that was shut, and T < o, or with the chance 1 - T / o. */
struct whole {
    unsigned count;
    double ns[SHAPES_ROOM];
};

static double chance_of_whole(const struct whole *whole, double wait_ns, double share)
{
    double open_ns = wait_ns * (1 - share) / share, chance = 1;

    for (unsigned i = 0; i < whole->count && chance > 0; i++)
        chance *= whole->ns[i] < open_ns ? 1 - (1 - share) * whole->ns[i] / open_ns : 0;
    return chance;
}

/* Of n first packets k wait with the chance x^k (1 - x)^(n - k), which is greatest where x is their share. */
static double chance_of_waits(const struct statistics *s, double share)
{
    double waiting = round(s->busy * s->waits);

    return pow(share / s->busy, waiting) * pow((1 - share) / (1 - s->busy), s->waits - waiting);
}

/* The chance of both, for the share that makes it greatest: beside the waits alone. */
enum { SHARES = 20 };

static double whole_by_chance(const struct statistics *s, const struct whole *whole)
{
    double most = 0;

    for (unsigned i = 1; i < SHARES; i++) {
        double share = s->busy * i / SHARES;

        most = fmax(most, chance_of_waits(s, share) * chance_of_whole(whole, s->longest_wait_ns, share));
    }
    return most;
}

/* No train that anything got into tells that the medium was open for so long: then others let first packets wait. */
static bool most_are_whole(const struct seen *seen, const struct statistics *s, const struct candidate *told,
                           struct whole *whole)
{
    double gap_ns = candidate_gap_ns(told, s->bytes), error_ns = told->error_ns * s->bytes / told->bytes;
    unsigned all = 0;

    whole->count = 0;
    EACH_LONGEST(shape, &seen->shapes) {
        unsigned gaps = shape->packets - 1U;
        double stamps_ns = noise_gap_ns(&seen->noise) + seen->noise.tick_ns;

        if (shape->bytes != s->bytes)
            continue;
        all++;
        if (shape_span_ns(shape) <= gaps * (gap_ns + error_ns) + stamps_ns)
            whole->ns[whole->count++] = gaps * gap_ns;
    }
    return 2 * whole->count > all;
}

/* Fewer wait for a host that sleeps now and then. */
#define SHUT_LEAST 0.1

/* Waits that are no packet's of others', and even, each for itself; and where others let packets wait, they come in between as well. */
static bool wait_for_more(const struct seen *seen, const struct statistics *s, double gap_ns)
{
    return s->busy > SHUT_LEAST
        && s->longest_wait_ns > fmax(statistics_frame_ns(s, gap_ns), noise_wait_ns(&seen->noise))
        && s->waiting_uniform <= STATISTICS_UNIFORM && wait_by_a_clock(s) && s->as_idle;
}

static bool may_pass_whole(const struct seen *seen, const struct statistics *s, const struct candidate *told)
{
    struct whole whole;

    return wait_for_more(seen, s, candidate_gap_ns(told, s->bytes)) && most_are_whole(seen, s, told, &whole)
        && whole_by_chance(s, &whole) > SO_SHORT;
}

bool cycles_may_be(const struct seen *seen, const struct statistics *s, const struct candidate *told)
{
    return fit_in_one(seen, s, told) || may_be_open_in_part(seen, s, told) || may_pass_whole(seen, s, told);
}
