/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/shown.h"

#include "filters/access.h"
#include "filters/cycles.h"
#include "filters/same.h"
#include "filters/turns.h"

/* --- Trains --- */

static bool is_faster(const struct reading *reading, double byte_ns)
{
    return (double)reading->gap_ns / reading->bytes < byte_ns;
}

unsigned shown_count_faster(const struct readings *readings, double byte_ns)
{
    unsigned faster = 0;

    EACH_READING(reading, readings)
        faster += is_faster(reading, byte_ns);
    return faster;
}

/* Whose gap, a byte, is that. */
static unsigned count_same(const struct readings *longs, double byte_ns)
{
    unsigned same = 0;

    EACH_READING(reading, longs)
        same += same_gap((double)reading->gap_ns / reading->bytes, byte_ns, SAME_RATE, 0);
    return same;
}

/* Traffic gets in between anywhere: what it makes several trains end with is found in as large a part of the pairs, or a
 * tenth of that. So many pairs are due that none of them is no chance, if a quarter of those ends has it. */
enum { ENDS_LEAST = 3, ENDS_DUE = 12 };

/* What each of the longest ends with, a byte. */
struct ends {
    unsigned count;
    double byte_ns[SHAPES_ROOM];
};

static struct ends ends_of(const struct shapes *shapes)
{
    struct ends ends;

    for (ends.count = 0; ends.count < shapes->longest; ends.count++) {
        const struct shape *shape = shapes_longest(shapes, ends.count);

        ends.byte_ns[ends.count] = (double)shape->end_ns / shape->bytes;
    }
    return ends;
}

static bool pairs_never_have(const struct seen *seen, const struct ends *ends, double byte_ns)
{
    unsigned same = 0, found = 0;
    double due;

    for (unsigned i = 0; i < ends->count; i++)
        same += same_gap(ends->byte_ns[i], byte_ns, SAME_COMMON, 0);
    due = (double)same * seen->pairs->count / ends->count;
    if (same < ENDS_LEAST || due < ENDS_DUE)
        return false;
    EACH_READING(reading, seen->pairs)
        found += same_gap(reading->gap_ns, byte_ns * reading->bytes, SAME_RATE, 0);
    return found <= HARDLY_ONE * due;
}

static bool end_otherwise(const struct seen *seen, double byte_ns)
{
    struct ends ends = ends_of(&seen->shapes);

    for (unsigned i = 0; i < ends.count; i++)
        if (ends.byte_ns[i] > (1 + SAME_FAR) * byte_ns && pairs_never_have(seen, &ends, ends.byte_ns[i]))
            return true;
    return false;
}

enum { FASTER_LEAST = 5 };

struct shown shown_read(const struct seen *seen, const struct candidate *told)
{
    double byte_ns = candidate_byte_ns(told), few = HARDLY_ONE * seen->longs->count;
    unsigned all = 0, same = 0, faster = 0;
    struct shown shown;

    EACH_LONGEST(shape, &seen->shapes) {
        double gap_ns = byte_ns * shape->bytes;
        double reach_ns = same_reach(gap_ns, SAME_RIGHT, seen->noise.tick_ns);

        if (shape->end_ns <= 0)
            continue;
        all++;
        same += same_gap(shape->end_ns, gap_ns, 0, reach_ns);
        faster += shape->end_ns < gap_ns - reach_ns;
    }
    shown.nowhere = same + faster < HARDLY_ONE * all;
    shown.otherwise = end_otherwise(seen, byte_ns);
    shown.mostly = all > 0 && same >= NEARLY_ALL * all
        && shown_count_faster(seen->longs, (1 - SAME_RATE) * byte_ns) <= few;
    shown.faster = seen->longs->count >= FASTER_LEAST
        && shown_count_faster(seen->longs, (1 - SAME_AGREED_TRAINS) * byte_ns) > few;
    return shown;
}

bool shown_short_are_faster(const struct readings *longs, const struct candidate *told)
{
    double byte_ns = (1 - SAME_AGREED_TRAINS) * told->gap_ns / told->bytes;
    uint32_t short_bytes = readings_short_bytes(longs, 0);
    unsigned all = 0, faster = 0;

    EACH_READING(reading, longs) {
        all += reading->bytes > short_bytes;
        faster += reading->bytes > short_bytes && is_faster(reading, byte_ns);
    }
    return faster < HARDLY_ONE * all;
}

/* --- Pairs --- */

/* Where others take turns with ours packets wait evenly, for up to half of a gap and more: so many of them for next to
 * nothing. More than that by three standard errors, and there are no turns. */
#define TURN_LEAST 0.5

bool shown_no_turns(const struct readings *readings, const struct floors *pairs)
{
    double share = SAME_RIGHT / TURN_LEAST;
    unsigned all = 0, on_floor = 0;

    EACH_READING(reading, readings) {
        double near_ns = same_reach(reading->gap_ns, SAME_RIGHT, pairs->same_ns);

        if (!sizes_alike(reading->bytes, pairs->bytes) || !floors_first_counts(pairs, reading))
            continue;
        all++;
        on_floor += floors_first_wait_ns(pairs, reading) + reading->gap_ns - pairs->apart_ns <= near_ns;
    }
    return on_floor > share * all + BEYOND_CHANCE * sqrt(share * (1 - share) * all);
}

/* What a floor is off by, as in proof.c. */
#define ON_FLOOR 0.03

bool shown_caught_up(const struct seen *seen, const struct floors *pairs, const struct candidate *told)
{
    double byte_ns = candidate_byte_ns(told), gap_ns = byte_ns * pairs->bytes;
    unsigned idle = 0;

    EACH_READING(reading, seen->pairs) {
        if (reading->bytes != pairs->bytes || !floors_first_counts(pairs, reading)
            || floors_first_wait_ns(pairs, reading) > ON_FLOOR * gap_ns + pairs->same_ns)
            continue;
        if (reading->gap_ns <= (1 + SAME_RIGHT) * gap_ns)
            return false;
        idle++;
    }
    return idle > 0 && count_same(seen->longs, byte_ns) <= NEARLY_ALL * seen->longs->count;
}

/* No three second packets stand on one floor: none tells whether faster trains were compressed. */
static bool is_alone(const struct floors *pairs)
{
    return pairs->delays && pairs->second_deep_ns > pairs->same_ns;
}

/* Trains that left at once take longer than pairs, and some pairs do: they came to a loaded link as far apart as a slower
 * one sends them, whatever their size, or out of a bucket, which had room for all of the smaller ones. */
enum { SPARED_LEAST = 3 };

bool shown_spares_smaller(const struct seen *seen, const struct statistics *statistics,
                          const struct floors *pairs, const struct candidate *told)
{
    double byte_ns = candidate_byte_ns(told),
           longer_ns = statistics->train.value - BEYOND_CHANCE * statistics->train.sigma;
    unsigned full = 0, expanded = 0, smaller = 0;

    if (!statistics->at_once || longer_ns <= (1 + SAME_RIGHT) * byte_ns * statistics->bytes)
        return false;
    EACH_READING(reading, seen->pairs) {
        bool longer = reading->gap_ns > (1 + SAME_RIGHT) * byte_ns * reading->bytes + pairs->same_ns;

        if (sizes_alike(reading->bytes, pairs->bytes)) {
            full++;
            expanded += longer;
        } else if (longer) {
            return false;
        } else {
            smaller++;
        }
    }
    return smaller >= SPARED_LEAST && expanded > HARDLY_ONE * full;
}

/* --- What it says --- */

/* Whole trains, or what they go on with, may be a fair queue's share: where pairs have another gap, and too few first
 * packets came to show how they wait. */
static bool may_be_turns(const struct seen *seen, const struct statistics *statistics,
                         const struct floors *pairs, const struct candidate *told)
{
    return !same_gap(pairs->mean_ns, told->gap_ns, SAME_UNTURNED, noise_late_ns(&seen->noise, told->gap_ns))
        && turns_may_wait(seen, statistics);
}

/* First packets that wait, but surely for nobody's turn, are no reason against what nearly all trains end with. Turns
 * make heads shorter, too: what trains go on with takes that, and not only no sign of them. Where there are no turns
 * for sure nothing keeps back either. */
static void weigh_waits(const struct seen *seen, const struct statistics *statistics,
                        const struct floors *pairs, bool mostly, bool second_rest, struct witness *witness)
{
    bool no_turns = turns_do_not_wait(seen, statistics, second_rest);

    if (mostly && no_turns)
        evidence_drop(&witness->evidence, AGAINST_WAITS);
    evidence_note(&witness->evidence, AGAINST_TURNS, turns_keep_back(seen, statistics));
    evidence_note(&witness->evidence, AGAINST_VARIES, access_may_vary(statistics));
    if (witness_by_trains(witness))
        evidence_note(&witness->evidence, AGAINST_WAITS,
                      (witness->candidate.origin == ORIGIN_LATER && !no_turns)
                          || may_be_turns(seen, statistics, pairs, &witness->candidate));
}

/* Behind the narrow link a queue that never empties presses our packets together, several at a time, and pairs have
 * its gap; trains as a whole take as long as the narrow link made them. */
static bool is_restless(const struct seen *seen, const struct floors *pairs, const struct candidate *told)
{
    struct statistic trains = shapes_gap(&seen->shapes, pairs->bytes);

    return pairs->delays && !pairs->reached && trains.n > 0
        && trains.value * told->bytes > TRAINS_SLOWER * told->gap_ns * pairs->bytes;
}

/* No queue lengthens most trains so far. What holds each up for a while, or lets no more of them pass, is narrower. */
static bool are_stopped(const struct statistics *statistics, const struct candidate *told)
{
    return statistics->middle_tail_ns * told->bytes * TRAINS_SLOWEST > told->gap_ns * statistics->bytes;
}

/* What nearly all trains end with, while hardly one is faster, a bucket has left when it is empty, whatever it spares before;
 * batches add up to it, and it does not vary. Where the floor of delays holds it up as well neither trains nor a clock deny it. */
static void drop_denials(bool mostly, struct evidence *evidence)
{
    if (evidence_has(*evidence, FOR_SHOWN)) {
        evidence_drop(evidence, AGAINST_SPARED);
        evidence_drop(evidence, AGAINST_BATCHES);
        evidence_drop(evidence, AGAINST_VARIES);
        evidence_drop(evidence, AGAINST_TAILS); /* of pairs */
    }
    if (mostly && evidence_has(*evidence, FOR_PROVEN)) {
        evidence_drop(evidence, AGAINST_TRAINS);
        evidence_drop(evidence, AGAINST_CLOCK);
    }
}

void shown_weigh(const struct seen *seen, const struct statistics *statistics, const struct floors *pairs,
                 struct witness *witness)
{
    const struct candidate *told = &witness->candidate;
    struct shown shown;
    struct evidence *evidence = &witness->evidence;
    bool clock = statistics->span.ticked || statistics->span.steady, second_rest;

    if (told->gap_ns <= 0)
        return;
    shown = shown_read(seen, told);
    evidence_note(evidence, AGAINST_UNSHOWN,
                  (!statistics->span.ticked && !witness_by_trains(witness) && shown.nowhere)
                      || access_may_end_slower(statistics));
    second_rest = (shown.mostly || told->origin == ORIGIN_LATER) && shown_no_turns(seen->pairs, pairs);
    evidence_note(evidence, FOR_SHOWN, shown.mostly && second_rest);
    evidence_note(evidence, FOR_GROUNDED, shown.mostly && pairs->delays);
    evidence_note(evidence, AGAINST_RESTLESS,
                  is_restless(seen, pairs, told) || are_stopped(statistics, told));
    evidence_note(evidence, AGAINST_CAUGHT_UP,
                  !clock && told->origin != ORIGIN_FLOORS && !evidence_has(*evidence, FOR_SHOWN)
                      && shown_caught_up(seen, pairs, told));
    evidence_note(evidence, AGAINST_FASTER,
                  !clock && told->origin != ORIGIN_LATER && shown.faster && is_alone(pairs)
                      && !(statistics->batched && shown_short_are_faster(seen->longs, told)));
    evidence_note(evidence, AGAINST_SPARED,
                  !clock && !witness_by_trains(witness)
                      && shown_spares_smaller(seen, statistics, pairs, told));
    evidence_note(evidence, AGAINST_CYCLES, cycles_may_be(seen, statistics, told));
    weigh_waits(seen, statistics, pairs, shown.mostly, second_rest, witness);
    drop_denials(shown.mostly, evidence);
    evidence_note(evidence, AGAINST_TAILS, !clock && shown.otherwise);
}
