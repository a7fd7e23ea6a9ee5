/* SPDX-License-Identifier: BSD-3-Clause */
/* What stage propose denies by: contention, cycles, pauses, slots, batches, and ends that are slower. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/access.h"
#include "filters/cycles.h"
#include "filters/held.h"
#include "filters/slots.h"
#include "filters/turns.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

#include <stdlib.h>

/* A mean 70 us over the shortest, known to 4 us, where no first packet waits. */
START_TEST(contention_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct proposal link = access_read(&seen, &s);

    ck_assert_int_eq(link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(link.candidate.gap_ns, 570 * US);
    ck_assert_uint_eq(link.evidence.reasons, 0);
    s.idle = 0.92; /* packets that wait in a queue stretch gaps, too: by 95 us */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.least_ns = 400 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
    s.idle = 0.89; /* by 133, but so few are no medium */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Stamps move a gap by 8 us, and the mean has four errors of 4 us: of 70 us that leaves 46 for 0.553 of a tick, 83 us.
 * How far the gaps themselves scatter is no noise: contention does that. */
START_TEST(contention_is_seen_by_coarse_stamps)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.noise_ns = 60 * US;
    seen.noise.tick_ns = 82 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
    seen.noise.tick_ns = 84 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Three cycles of 6 ms with 15 packets each; trains have so many more and less by turns. */
static void add_cycles(struct seen *seen, struct statistics *s, unsigned more)
{
    for (unsigned i = 0; i < 8; i++)
        seen->shapes.at[i] = (struct shape){.bytes = BYTES,
                                            .sent = 64,
                                            .packets = 64,
                                            .held = (uint8_t)(i % 2 ? 45 + more : 45 - more),
                                            .held_batches = 3,
                                            .held_ns = 18000 * US};
    shapes_hold(&seen->shapes, 8);
    s->held = held_read(&seen->shapes);
}

/* First packets wait for up to a cycle. A packet in 45 may have gone with the one before. */
START_TEST(cycles_are_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct proposal link;

    s.idle = 0.02;
    s.waits = 40;
    s.uniform = 1;
    s.range_ns = 6500 * US;
    s.sooner = true;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    add_cycles(&seen, &s, 0);
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_CYCLES);
    ck_assert_double_eq_tol(link.candidate.gap_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(link.candidate.error_ns, 400 * US / 45, 400 * US * 0.001);
    ck_assert(!evidence_denied(link.evidence));
    s.range_ns = 7500 * US; /* over a fifth longer than a cycle */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.range_ns = 6500 * US;
    s.sooner = false;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Trains take 70 us, and first packets wait for up to 700 us, each by itself. */
START_TEST(trains_that_gather_fit_into_a_cycle)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct candidate told = {.gap_ns = 70 * US, .bytes = BYTES};

    s.waits = 40;
    s.on_floor = 0.01;
    s.uniform = 1;
    s.follow = 1;
    s.range_ns = 700 * US;
    stages_push_many(20, 70, 300);
    ck_assert(cycles_may_be(&seen, &s, &told));
    s.uniform = 1.4;
    ck_assert(!cycles_may_be(&seen, &s, &told));
    s.uniform = 1;
    s.follow = 0.5; /* a queue that moves slowly */
    ck_assert(!cycles_may_be(&seen, &s, &told));
    s.follow = 1;
    s.range_ns = 60 * US; /* a train is longer */
    ck_assert(!cycles_may_be(&seen, &s, &told));
}
END_TEST

/* 44 packets or 46: small ones of others come by the dozen. */
START_TEST(cycles_with_traffic_are_not)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.idle = 0.02;
    s.waits = 40;
    s.uniform = 1;
    s.range_ns = 6000 * US;
    s.sooner = true;
    add_cycles(&seen, &s, 1);
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* The first quarter is longer by over a quarter of a gap, and the last like the second. */
START_TEST(a_pause_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);
    struct proposal link;

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    s.end = s.tail;
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_TAIL);
    ck_assert(!evidence_denied(link.evidence));
    s.tail_spread = 0.06;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_VARIES));
    s.head.value = 100 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* What comes singly, and has no gap that trains agree on; or one that is shorter than the mean, which sums of independent gaps
 * make longer, or else a cycle. */
START_TEST(traffic_behind_a_pause)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_TAILS));
    s.end = (struct statistic){500 * US, 1 * US, 40};
    s.last_varies = 0.3;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_TAILS));
    ck_assert_double_eq(access_read(&seen, &s).candidate.gap_ns, 570 * US);
    s.last_varies = 0.4;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, 0);
    ck_assert_double_eq(access_read(&seen, &s).candidate.gap_ns, 500 * US);
}
END_TEST

/* Trains of 64 that hold three whole cycles of 15 packets each 6 ms: 400 us a packet, to one of 45. What the last three
 * quarters take begins and ends at the same places of a cycle each time. */
START_TEST(whole_cycles_behind_a_pause)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);
    struct candidate told;

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    s.end = s.tail;
    add_cycles(&seen, &s, 0);
    told = access_read(&seen, &s).candidate;
    ck_assert_int_eq(told.origin, ORIGIN_TAIL);
    ck_assert_double_eq_tol(told.gap_ns, 400 * US, NEAR);
    ck_assert_double_gt(told.error_ns, 400 * US / 46);
}
END_TEST

/* The whole rest in less than a fifth of the time: a host took it at once. */
START_TEST(a_batch_is_no_pause)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);

    s.least_ns = 570 * US;
    s.head = (struct statistic){2000 * US, 4 * US, 40};
    s.tail.value = 120 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_TAIL);
    s.tail.value = 110 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Batches of 8, whose time the first gap lasts: a host's, if the first packet did not wait. */
START_TEST(batches_that_were_asked_for_deny)
{
    struct statistics s = stages_of_trains(1);

    s.batched = true;
    s.batch = 8;
    s.pair.value = 8 * 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.idle = 0.1;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.pair.value = 3 * 570 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Of 48 packets fewer than six batches of 10: 500 us a packet are 16 Mbit/s. */
START_TEST(few_batches_have_a_rate)
{
    struct statistics s = stages_of_trains(1);

    s.batched = true;
    s.batch = 10;
    s.burst = (struct statistic){500 * US, US, 5};
    ck_assert_double_eq_tol(access_burst_bps(&s), 16e6, NEAR);
    s.burst.n = 4;
    ck_assert_double_eq(access_burst_bps(&s), 0);
    s.burst.n = 5;
    s.batch = 8;
    ck_assert_double_eq(access_burst_bps(&s), 0);
    s.batch = 10;
    s.batched = false;
    ck_assert_double_eq(access_burst_bps(&s), 0);
}
END_TEST

/* The first quarter is longer by more than batches make of it: 0.25 * 570 + 1.5 * 10 * 570 / 16 = 677 us. That is a pause
 * where the second batch is longer, too, by a quarter of the 500 us of all, and four errors. */
START_TEST(few_batches_make_no_pause)
{
    struct statistics s = stages_of_trains(1);

    s.batched = true;
    s.batch = 10;
    s.head = (struct statistic){700 * US, US, 40};
    s.burst = (struct statistic){500 * US, US, 5};
    s.pause = (struct statistic){124 * US, 0, 5};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.pause.value = 126 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.pause.sigma = US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.burst.n = 4;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
}
END_TEST

/* Five short trains, or so many, whose last gap is so long, beside long ones of 570 us whose last quarter is 660: the two
 * before it are (3 * 570 - 660) / 2 = 525 us. */
static struct proposal deny_beside_short(unsigned count, double last_us, double longer_us)
{
    struct statistics s = stages_of_trains(1);

    readings_keep(readings, 0);
    while (count--)
        stages_push(400, 0)->last_ns = (float)(last_us * US);
    s.last.value = 660 * US;
    s.longer = (struct statistic){longer_us * US, US, 40};
    s.head = (struct statistic){200 * US, 4 * US, 40};
    return deny(&s);
}

/* A quarter more than 525 us is 656. */
START_TEST(what_is_left_at_the_end_of_each_train_waits)
{
    struct proposal before = deny_beside_short(5, 660, 100);

    ck_assert_int_eq(before.candidate.origin, ORIGIN_TAIL);
    ck_assert_double_eq_tol(before.candidate.gap_ns, 525 * US, NEAR);
    ck_assert_int_eq(deny_beside_short(4, 660, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 525, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 650, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 300, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_double_eq(deny_beside_short(4, 660, 100).candidate.gap_ns, 660 * US);
}
END_TEST

/* Five short trains whose last gaps are 700 us on average and scatter by as much to either side, once each. */
static enum origin deny_beside_scatter(double by_us)
{
    struct statistics s = stages_of_trains(1);

    s.last.value = 660 * US;
    s.longer = (struct statistic){100 * US, US, 40};
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 5; i++)
        stages_push(400, 0)->last_ns = (float)((700 + (i == 0 ? by_us : i == 1 ? -by_us : 0)) * US);
    return deny(&s).candidate.origin;
}

/* The mean's error is by / sqrt(10), and 44 us are over four of them, or less: 34.8 makes 44.0. */
START_TEST(last_gaps_that_scatter_tell_nothing_of_it)
{
    ck_assert_int_eq(deny_beside_scatter(33), ORIGIN_TAIL);
    ck_assert_int_eq(deny_beside_scatter(36), ORIGIN_LAST);
}
END_TEST

/* Last quarters longer by 20 us are no slower end, but by four errors of 1 us they are longer; by 3 they are not. */
START_TEST(a_pause_and_what_is_left_at_the_end)
{
    ck_assert_int_eq(deny_beside_short(5, 660, 20).candidate.origin, ORIGIN_TAIL);
    ck_assert_double_eq_tol(deny_beside_short(5, 660, 20).candidate.gap_ns, 525 * US, NEAR);
    ck_assert_double_eq_tol(deny_beside_short(5, 660, 3).candidate.gap_ns, 570 * US, NEAR);
    ck_assert_double_eq_tol(deny_beside_short(4, 660, 20).candidate.gap_ns, 570 * US, NEAR);
}
END_TEST

/* The last gap of a long train is that of a bucket, and pairs have none. Half as long packets take half of the time. */
START_TEST(only_short_trains_tell_what_is_left_at_the_end)
{
    struct statistics s = stages_of_trains(1);

    s.last.value = 660 * US;
    s.longer = (struct statistic){100 * US, US, 40};
    stages_push_many(10, 400, 0);
    for (unsigned i = 0; i < 4; i++)
        stages_push(400, 0)->last_ns = (float)(700 * US);
    stages_push(200, 0)->last_ns = (float)(350 * US);
    readings_at(readings, readings->count - 1)->bytes = BYTES / 2;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    for (unsigned i = 0; i < readings->count; i++)
        readings_at(readings, i)->longer = true;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
}
END_TEST

/* Eight long trains, or four, so many of which have rows of such a gap, others of longer ones, and twenty pairs of 400 us,
 * but so many of that gap. */
struct rows {
    unsigned trains, others, pairs;
    double gap_us;
    bool soon, few;
};

static bool rows_deny(struct rows rows)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);
    struct proposal denial;

    readings_keep(readings, 0);
    stages_push_many(20 - rows.pairs, 400, 0);
    stages_push_many(rows.pairs, rows.gap_us, 0);
    s.train.n = rows.few ? 4 : 8;
    for (unsigned i = 0; i < s.train.n; i++) {
        double gap_us = i < rows.trains     ? rows.gap_us
            : i < rows.trains + rows.others ? (2 + i) * rows.gap_us
                                            : 0;

        seen.shapes.at[i] = (struct shape){.bytes = BYTES,
                                           .sent = 64,
                                           .packets = 64,
                                           .row_ns = (float)(gap_us * US),
                                           .row_soon = rows.soon && i == 0};
    }
    shapes_hold(&seen.shapes, s.train.n);
    denial = access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
    return denial.candidate.origin == ORIGIN_LAST
        && fabs(denial.candidate.gap_ns - rows.gap_us * US) < NEAR * rows.gap_us * US;
}

START_TEST(rows_of_several_trains_are_a_bucket)
{
    ck_assert(rows_deny((struct rows){3, 2, 2, 500, false, false}));
    ck_assert(!rows_deny((struct rows){2, 0, 0, 500, false, false}));
    ck_assert(!rows_deny((struct rows){3, 3, 0, 500, false, false})); /* no fewer have others */
    ck_assert(!rows_deny((struct rows){8, 0, 3, 500, false, false})); /* a constant flow's */
    ck_assert(!rows_deny((struct rows){8, 0, 0, 418, false, false})); /* as told, to 5 % */
    ck_assert(!rows_deny((struct rows){8, 0, 0, 500, true, false}));  /* turns */
    ck_assert(rows_deny((struct rows){2, 0, 0, 500, false, true}));
    ck_assert(!rows_deny((struct rows){1, 0, 0, 500, false, true}));
}
END_TEST

/* Eight trains of 64 packets 400 us apart, so many of them with one gap longer by this, the last of those by so much more; what
 * follows comes as far apart, or as much sooner as it was late. They left in a tenth of that time, or as they came. Of 40 first packets so many wait, evenly and for up to this. */
struct pauses {
    unsigned trains;
    double pause_us, more_us;
    unsigned waiting;
    double longest_us;
    bool caught_up, sent;
};

static bool pauses_deny(struct pauses pauses)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct proposal denial;

    for (unsigned i = 0; i < 8; i++) {
        double pause_us = i < pauses.trains ? pauses.pause_us + (i + 1 == pauses.trains) * pauses.more_us : 0;

        seen.shapes.at[i] = (struct shape){.bytes = BYTES,
                                           .sent = 64,
                                           .packets = 64,
                                           .departed = shape_share_of(pauses.sent ? 1 : 0.1),
                                           .longest_ns = (float)((400 + pause_us) * US),
                                           .quarter_ns = {6000 * US, 6400 * US, 6400 * US, 6400 * US}};
        seen.shapes.at[i].quarter_ns[1] += (float)(pauses.caught_up ? 0 : pause_us * US);
    }
    shapes_hold(&seen.shapes, 8);
    s.waits = 40;
    s.busy = pauses.waiting / 40.0;
    s.on_floor = 1 - s.busy;
    s.longest_wait_ns = pauses.longest_us * US;
    s.waiting_uniform = pauses.waiting < 10 ? INFINITY : 1;
    s.sooner = true;
    denial = access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
    return denial.candidate.origin == ORIGIN_CYCLES;
}

/* Of 8 trains of 25.2 ms half have a pause of 10 ms: 0.17 of the time, 6.6 of 40 packets, and all but three errors are none. */
START_TEST(pauses_alike_are_a_medium_that_is_shut)
{
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 7, 0, false, false}));
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 12, 10000, false, false}));
    ck_assert(!pauses_deny((struct pauses){2, 10000, 0, 7, 0, false, false}));    /* too few */
    ck_assert(!pauses_deny((struct pauses){4, 10000, 3000, 7, 0, false, false})); /* one of four is longer */
    ck_assert(!pauses_deny(
        (struct pauses){8, 1900, 0, 7, 0, false, false})); /* a packet more or less is over a fifth */
    ck_assert(pauses_deny((struct pauses){8, 2100, 0, 7, 0, false, false}));
    ck_assert(!pauses_deny((struct pauses){4, 2500, 0, 7, 0, false, false})); /* 4.7 % of the time */
    ck_assert(!pauses_deny((struct pauses){4, 10000, 0, 7, 0, true, false}));
    ck_assert(!pauses_deny((struct pauses){4, 10000, 0, 7, 0, false, true})); /* the sender's */
}
END_TEST

/* Twelve even waits are all below 0.45 of what they may be once in over a thousand times: 0.001^(1/12) = 0.56, less a fifth. */
START_TEST(first_packets_wait_while_it_is_shut)
{
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 12, 4600, false, false}));
    ck_assert(!pauses_deny((struct pauses){4, 10000, 0, 12, 4400, false, false}));
    ck_assert(
        !pauses_deny((struct pauses){8, 20000, 0, 8, 0, false, false})); /* 0.44 of the time, and 0.2 wait */
}
END_TEST

/* Of 40 first packets so many wait for up to longest_us; so many trains of 64 packets take 25.2 ms each, and more_us. */
struct gate {
    unsigned trains;
    double more_us;
    unsigned waiting;
    double longest_us;
};

static bool may_pass(struct gate gate, bool as_idle, double uniform, double follow)
{
    struct candidate told = {.gap_ns = 400 * US, .error_ns = 1 * US, .bytes = BYTES};
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    for (unsigned i = 0; i < gate.trains; i++)
        seen.shapes.at[i] = (struct shape){
            .bytes = BYTES,
            .sent = 64,
            .packets = 64,
            .longest_ns = 400 * US,
            .quarter_ns = {(float)((6000 + gate.more_us) * US), 6400 * US, 6400 * US, 6400 * US}};
    shapes_hold(&seen.shapes, gate.trains);
    s.waits = 40;
    s.busy = gate.waiting / 40.0;
    s.longest_wait_ns = gate.longest_us * US;
    s.waiting_uniform = uniform;
    s.follow = follow;
    s.as_idle = as_idle;
    return cycles_may_be(&seen, &s, &told);
}

/* Shut for 20 ms each time, and a quarter of the time, it is open for 60. That ten trains meet no pause has a chance of 0.042 at
 * best, beside that of the waits (by 0.15 of the time), and that 48 do not one of 0.00004. Shut for half of the time it is open for
 * 20 ms, and would have to be so for 25.2: 0.14 for two trains, 0.0005 for ten. */
START_TEST(trains_may_pass_whole_by_chance)
{
    ck_assert(may_pass((struct gate){10, 0, 10, 20000}, true, 1, 1));
    ck_assert(!may_pass((struct gate){48, 0, 10, 20000}, true, 1, 1));
    ck_assert(may_pass((struct gate){2, 0, 20, 20000}, true, 1, 1));
    ck_assert(!may_pass((struct gate){10, 0, 20, 20000}, true, 1, 1));
    ck_assert(!may_pass((struct gate){10, 0, 3, 20000}, true, 1, 1));    /* a host's */
    ck_assert(!may_pass((struct gate){1, 0, 10, 600}, true, 1, 1));      /* a packet of others */
    ck_assert(!may_pass((struct gate){10, 100, 10, 20000}, true, 1, 1)); /* something got in */
    ck_assert(!may_pass((struct gate){10, 0, 10, 20000}, false, 1, 1));  /* where others let them wait */
    ck_assert(!may_pass((struct gate){10, 0, 10, 20000}, true, 1.4, 1));
    ck_assert(!may_pass((struct gate){10, 0, 10, 20000}, true, 1,
                        0.6)); /* a queue's: 1 - 3 0.775 / 40^0.5 = 0.63 */
}
END_TEST

/* Slots of 1 ms, which first packets reach at any time, in any order: n waits of a part in n of it each. */
#define SLOT_US 1000.0

static double slot_wait_us(unsigned i, unsigned n)
{
    return (i * 37 % n + 0.5) * SLOT_US / n;
}

/* So many pairs, trains have 570 us. The second packet of a pair misses the slot of the first one where that waits for less
 * than it comes behind it, and now and then, where both packets waited for others, up to blur_us later or sooner. */
static bool hides(const struct statistics *s, unsigned n, double behind_us, double blur_us, double missed_us)
{
    struct seen seen = {.pairs = readings, .longs = readings, .scratch = scratch, .noise = noise};

    readings_keep(readings, 0);
    for (unsigned i = 0; i < n; i++) {
        double wait_us = slot_wait_us(i, n), later_us = i % 2 ? blur_us : -blur_us;

        stages_push(wait_us < behind_us + later_us ? missed_us : 20, wait_us);
    }
    return slots_hide_turns(&seen, s);
}

static struct statistics of_slots(void)
{
    struct statistics s = stages_of_trains(4);

    s.batched = true;
    s.uniform = 1;
    s.on_floor = 0.2;
    s.range_ns = SLOT_US * US;
    s.least_ns = 20 * US;
    return s;
}

/* Two errors of the mean of 64 pairs are 120 us. */
START_TEST(slots_may_hide_turns)
{
    struct statistics s = of_slots();

    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 460, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 560, 0, SLOT_US)); /* as long as trains */
    s.train.sigma = 80 * US;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

/* Pairs have the mean of trains, but some second packets come 200 us sooner behind the floor of the first ones: with 64 pairs
 * that is over seven parts in 64 of a slot, with 32 not over seven in 32. */
START_TEST(floors_that_are_closer_show_turns_before_slots)
{
    struct statistics s = of_slots();

    ck_assert(hides(&s, 64, 570, 200, SLOT_US));
    ck_assert(!hides(&s, 32, 570, 200, SLOT_US));
    ck_assert(!hides(&s, 64, 570, 0, SLOT_US));
}
END_TEST

/* Two packets that slots hold come in two where they end in the 20 us between them: one of 64. Others that fill slots, or a
 * block that comes again, make any pair miss one. And what was asked for takes more than the next slot. */
START_TEST(a_medium_that_holds_both_packets_hides_no_turns)
{
    struct statistics s = of_slots();

    ck_assert(!hides(&s, 64, 20, 0, SLOT_US));
    ck_assert(hides(&s, 64, 100, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 0, SLOT_US, SLOT_US));
    ck_assert(!hides(&s, 64, 400, 0, 1.8 * SLOT_US));
    ck_assert(!hides(&s, 64, SLOT_US, 0, SLOT_US)); /* all do */
}
END_TEST

/* A turn spares trains two frames and a packet of 1000 bytes: 144 us a packet of their first quarter, of 16. */
START_TEST(what_passes_more_than_a_turn_before_slots_is_a_bucket)
{
    struct statistics s = of_slots();

    s.head = (struct statistic){-100 * US, 1 * US, 40};
    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
    s.head.value = -150 * US;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s.head.sigma = 5 * US;
    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

START_TEST(slots_hide_no_turns_without_even_waits)
{
    struct statistics s = of_slots();

    s.uniform = 1.37;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.on_floor = 0.21;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.waits = 19;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.batched = false;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.train.n = 4;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

/* Traffic that gets into trains while they leave lengthens no quarter more than another. */
START_TEST(a_pause_denies_trains_of_any_pace)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(1);

    s.least_ns = 570 * US;
    s.at_once = false;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.head.value = 100 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Three trains whose last quarters are longer by 60 us: by twice 4.3 errors of 6 us, and less of 8. */
START_TEST(few_trains_that_end_slower_are_in_doubt)
{
    struct statistics s = stages_of_trains(4);

    s.train.n = 3;
    s.longer = (struct statistic){60 * US, 6 * US, 3};
    ck_assert(access_may_end_slower(&s));
    s.longer.sigma = 8 * US;
    ck_assert(!access_may_end_slower(&s));
    s.longer.sigma = 6 * US;
    s.train.n = 5;
    ck_assert(!access_may_end_slower(&s));
    s.train.n = 3;
    s.at_once = false;
    ck_assert(!access_may_end_slower(&s));
}
END_TEST

/* Packets of 1000 bytes, of which hardly a first one waits for nothing, through such a bucket. */
static double fit_of(double peak_mbps, double mbps, double burst_bytes)
{
    struct statistics s = stages_of_trains(4);

    s.waits = 20;
    s.idle = 0.2;
    s.shaped = (struct shaped){.bps = mbps * 1e6, .peak_bps = peak_mbps * 1e6, .burst_bytes = burst_bytes};
    return turns_fit_ns(&noise, &s) / US;
}

/* A packet takes 800 us at 10 Mbit/s. Two others: gaps of two, then of three; or first a packet of ours alone. */
START_TEST(a_bucket_of_a_frame_may_be_turns)
{
    ck_assert_double_eq_tol(fit_of(5, 10 / 3.0, 1333), 800, 0.1);
    ck_assert_double_eq_tol(fit_of(10, 10 / 3.0, 1900), 800, 0.1);
    ck_assert_double_eq(fit_of(5, 10 / 3.0, 1700), 0); /* it ends with the third gap */
    ck_assert_double_eq(fit_of(5, 10 / 3.2, 1333), 0); /* no part of it */
    ck_assert_double_eq(fit_of(9, 8, 1111), 0);        /* eight or nine: nobody can tell */
    ck_assert_double_eq(fit_of(1000, 500, 1500), 0);   /* no wait for 8 us would show */
}
END_TEST

/* Without a knee trains tell, if they are alike. */
START_TEST(trains_that_pairs_are_a_part_of_may_be_turns)
{
    struct statistics s = stages_of_trains(4);

    s.waits = 20;
    s.idle = 0.2;
    s.regular = 0.6;
    s.middle_ns = 400 * US;
    s.middle_tail_ns = 600 * US;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 200 * US);
    s.regular = 0.4;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.regular = 0.6;
    s.tail_spread = 0.02;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.tail_spread = 0;
    s.idle = 0.3;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.idle = 0.2;
    s.waits = 19;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
}
END_TEST

/* Of 40 pairs whose gaps scatter by 25 us. */
static struct statistics of_scattered(double ratio, double together, double slope)
{
    struct statistics s = stages_of_trains(4);

    s.least_ns = 570 * US;
    s.spread_ns = 25 * US;
    s.ratio = ratio;
    s.together = together;
    s.slope = slope;
    return s;
}

static enum origin proposed_of(double varies, double ratio, double together, double slope)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_scattered(ratio, together, slope);

    s.varies = varies;
    return access_read(&seen, &s).candidate.origin;
}

/* Delays and gaps that grow together by seven tenths, where spans vary by more than the three times that
 * independent gaps may make; nine tenths where they do not. */
START_TEST(a_rate_that_varies_is_proposed)
{
    ck_assert_int_eq(proposed_of(1, 0, 0.7, 0.8), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 0, 0.7, 0.8), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(1, 0, 0.95, 0.8), ORIGIN_MEAN);
}
END_TEST

/* Spans of trains that are longer than a rate holds vary less than independent gaps make them. */
START_TEST(gaps_in_a_row_show_a_rate_that_trains_outlast)
{
    ck_assert_int_eq(proposed_of(0.1, 3, 0.5, 0.3), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(0.1, 1, 0.5, 0.3), ORIGIN_NONE);
}
END_TEST

/* Behind a bucket gaps are alike on either side of its end, and pairs, that pass it, go with their host. */
START_TEST(pairs_through_a_bucket_show_no_rate_that_varies)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_scattered(3, 0.95, 0.95);

    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_MEAN);
    ck_assert(access_may_vary(&s));
    s.shaped.bps = 10e6;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    ck_assert(!access_may_vary(&s));
}
END_TEST

/* Nor does one too near the end of trains to be told: these end slower, by a tenth. */
START_TEST(trains_that_end_slower_show_no_rate_that_varies)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_scattered(3, 0.95, 0.95);

    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_MEAN);
    s.last.value = 1.1 * s.tail.value;
    s.longer.value = 0.1 * s.tail.value;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* A late host adds so much to delays that they go with gaps by half, and vary by three times as much. Of 40 pairs chance
 * makes them go together by 0.47 once in 700 times. That is enough where gaps in a row are alike. */
START_TEST(gaps_in_a_row_show_a_rate_behind_a_late_host)
{
    ck_assert_int_eq(proposed_of(3.5, 1, 0.5, 0.3), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.5, 0.3), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.45, 0.3), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.5, 0.2), ORIGIN_NONE);
}
END_TEST

/* The last quarter is longer by a twentieth, or by less than four of its errors. */
START_TEST(ends_that_are_slower_deny)
{
    struct statistics s = stages_of_trains(1);

    s.longer = (struct statistic){0.05 * 570 * US, 5 * US, 40};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
    s.longer.sigma = 8 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Pairs and trains have a mean of 570 us, the shortest gap is what is told, 400, and they are even from there on to 600. */
START_TEST(even_gaps_deny_the_shortest_of_them)
{
    struct statistics s = stages_of_trains(4);

    s.shortest_ns = 400 * US;
    s.gaps_range_ns = 200 * US;
    s.gaps_uniform = 1.36;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.gaps_uniform = 1.37;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.gaps_uniform = 1.36;
    s.shortest_ns = 380 * US; /* 400 is more than a twentieth longer */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.shortest_ns = 400 * US;
    s.gaps_range_ns = 39 * US; /* less than a tenth */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.gaps_range_ns = 200 * US;
    s.pair.value = 610 * US; /* pairs and trains differ by 7 % */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Trains of 570 us a gap, beside what is told, 400: no traffic made them slower where gaps make up for each other, four
 * in a row by half or more, and spans vary by less than a third of what gaps that do not would make of them. */
START_TEST(gaps_that_make_up_deny_what_trains_are_slower_than)
{
    struct statistics s = stages_of_trains(4);

    s.varies = 0.33;
    s.ratio = 0.5;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TRAINS);
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.ratio = 0.51;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.ratio = 0.5;
    s.varies = 0.34;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.varies = 0.33;
    s.at_once = false;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.at_once = true;
    s.train.sigma = 43 * US; /* four of them are more than the 170 us between the two */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.train.sigma = 42 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TRAINS);
}
END_TEST

/* Two trains of eight at 1400 us a gap, but for a first one at the peak rate, beside pairs of 400 us: no traffic
 * slows a train to less than 0.3 of that. A third train at 1300 us is not too slow. */
static struct proposal deny_few(float third_us)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = {0};

    for (unsigned i = 0; i < 3; i++) {
        struct shape *shape = &seen.shapes.at[i];

        *shape = (struct shape){.bytes = BYTES, .sent = 8, .packets = 8};
        shape->gap_ns = (i < 2 ? 1400 : third_us) * (float)US;
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (q > 0 ? 2.0F : 1.0F) * 1400 * (float)US;
    }
    shapes_hold(&seen.shapes, third_us > 0 ? 3 : 2);
    return access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
}

START_TEST(few_trains_that_crawl_deny)
{
    ck_assert_int_eq(deny_few(0).candidate.origin, ORIGIN_TRAINS);
    ck_assert_double_eq_tol(deny_few(0).candidate.gap_ns, 1400 * US, 1);
    ck_assert_int_eq(deny_few(1400).candidate.origin, ORIGIN_TRAINS);
    ck_assert_int_eq(deny_few(1300).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Slow trains whose last quarter comes at once say nothing of how fast they end. */
START_TEST(few_trains_that_end_at_once_do_not)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = {0};
    struct shape *shape = seen.shapes.at;

    *shape = (struct shape){.bytes = BYTES, .sent = 8, .packets = 8, .gap_ns = (float)(1400 * US)};
    shape->quarter_ns[1] = (float)(9800 * US);
    shapes_hold(&seen.shapes, 1);
    ck_assert_int_eq(
        access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}})
            .candidate.origin,
        ORIGIN_NONE);
}
END_TEST

/* Last quarters of 570 us a gap and last gaps of 720, a quarter more and over. */
START_TEST(last_gap_is_the_end_of_a_late_bucket)
{
    struct statistics s = stages_of_trains(1);

    s.longer = (struct statistic){100 * US, US, 40};
    s.very_last = (struct statistic){720 * US, US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 720 * US);
    s.very_last.value = 700 * US;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.very_last = (struct statistic){900 * US, 82 * US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
}
END_TEST

/* Last quarters of 570 us a gap, most of whose gaps are 500: that is the link's, if they add up at random. */
START_TEST(commonest_gap_is_the_end_under_traffic)
{
    struct statistics s = stages_of_trains(1);

    s.longer = (struct statistic){100 * US, US, 40};
    s.end = (struct statistic){500 * US, US, 40};
    s.last_varies = 0.34;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 500 * US);
    s.last_varies = 0.33;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.last_varies = 1;
    s.end.n = 0; /* trains do not agree on it */
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
}
END_TEST

/* Most gaps of the ends are 500 us, all of them 570 on average, and those of first quarters 400. */
static struct statistics of_shared_bucket(void)
{
    struct statistics s = stages_of_trains(1);

    s.head = (struct statistic){-170 * US, US, 40};
    s.end = (struct statistic){500 * US, US, 40};
    s.last_varies = 1;
    return s;
}

static double shared_us(const struct statistics *s)
{
    struct shaped shaped = access_shared(s, &(struct candidate){.gap_ns = 100 * US, .bytes = BYTES});

    return shaped.bps > 0 ? BYTES * 8e9 / shaped.bps / US : 0;
}

START_TEST(a_bucket_that_traffic_shares)
{
    struct statistics s = of_shared_bucket();

    ck_assert_double_eq_tol(shared_us(&s), 500, 1e-6);
    s.last.value = 519 * US; /* ticks of a shaper */
    ck_assert_double_eq(shared_us(&s), 0);
    s.last.value = 521 * US;
    ck_assert_double_gt(shared_us(&s), 0);
}
END_TEST

START_TEST(no_bucket_that_traffic_shares)
{
    struct statistics s = of_shared_bucket();

    s.head.value = -110 * US; /* 460: not a tenth less than 500, as behind a queue */
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.last_varies = 3.1;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.end.n = 0;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.at_once = false;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.batched = true;
    ck_assert_double_eq(shared_us(&s), 0);
}
END_TEST

/* 64 packets of 570 us, in batches of 8: a batch more or less makes 71 of it. */
START_TEST(batches_that_end_slower_deny)
{
    struct statistics s = stages_of_trains(1);

    s.batched = true;
    s.batch = 8;
    s.head = (struct statistic){-50 * US, US, 40};
    s.longer = (struct statistic){300 * US, US, 40};
    s.end = (struct statistic){680 * US, US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 680 * US);
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
    s.end.value = 660 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.end.value = 680 * US;
    s.head.value = 50 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Slots of 1 ms: 24 pairs of four and five of them by turns, four of half the size of two and three, or of so many us, and trains
 * of 4.5 a packet, beside such a gap. */
static enum origin slots_deny(double told_us, double smaller_us)
{
    struct statistics s = stages_of_trains(10);
    struct seen seen = seen_of_no_pairs();

    readings_keep(readings, 0);
    for (unsigned i = 0; i < 28; i++)
        stages_push(i % 2 ? 4000 : 5000, 0);
    for (unsigned i = 0; i < 28; i += 7) {
        struct reading *smaller = readings_at(readings, i);

        smaller->bytes = BYTES / 2;
        smaller->gap_ns = (float)((smaller_us > 0 ? smaller_us : i % 2 ? 2000 : 3000) * US);
    }
    s.train.value = s.pair.value = s.tail.value = s.last.value = s.middle_tail_ns = 4500 * US;
    s.least_ns = 4000 * US;
    s.on_floor = 0.1;
    s.uniform = 1;
    s.range_ns = 1100 * US;
    return access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = told_us * US, .bytes = BYTES}})
        .candidate.origin;
}

/* Those four are a seventh: nine in ten have to be whole multiples. What is near the mean, three errors of 10 us and 2 % of 4.4 ms, stays. */
START_TEST(pairs_of_whole_slots_tell_no_rate)
{
    ck_assert_int_eq(slots_deny(4000, 0), ORIGIN_MEAN);
    ck_assert_int_eq(slots_deny(4000, 2250), ORIGIN_NONE);
    ck_assert_int_eq(slots_deny(4400, 0), ORIGIN_NONE);
}
END_TEST

Suite *filters_deny_suite(void)
{
    Suite *suite = suite_create("filters_deny");

    STAGES_ADD(suite, "deny", contention_is_proposed, contention_is_seen_by_coarse_stamps,
               cycles_are_proposed, trains_that_gather_fit_into_a_cycle, cycles_with_traffic_are_not,
               a_pause_is_proposed, whole_cycles_behind_a_pause, traffic_behind_a_pause, a_batch_is_no_pause,
               batches_that_were_asked_for_deny, few_batches_have_a_rate, few_batches_make_no_pause,
               last_gaps_that_scatter_tell_nothing_of_it, what_is_left_at_the_end_of_each_train_waits,
               a_pause_and_what_is_left_at_the_end, only_short_trains_tell_what_is_left_at_the_end,
               rows_of_several_trains_are_a_bucket, pauses_alike_are_a_medium_that_is_shut,
               first_packets_wait_while_it_is_shut, trains_may_pass_whole_by_chance, slots_may_hide_turns,
               floors_that_are_closer_show_turns_before_slots,
               a_medium_that_holds_both_packets_hides_no_turns,
               what_passes_more_than_a_turn_before_slots_is_a_bucket, slots_hide_no_turns_without_even_waits,
               a_pause_denies_trains_of_any_pace, a_rate_that_varies_is_proposed,
               gaps_in_a_row_show_a_rate_behind_a_late_host, gaps_in_a_row_show_a_rate_that_trains_outlast,
               pairs_through_a_bucket_show_no_rate_that_varies,
               trains_that_end_slower_show_no_rate_that_varies, few_trains_that_end_slower_are_in_doubt,
               a_bucket_of_a_frame_may_be_turns, trains_that_pairs_are_a_part_of_may_be_turns,
               ends_that_are_slower_deny, last_gap_is_the_end_of_a_late_bucket,
               commonest_gap_is_the_end_under_traffic, batches_that_end_slower_deny,
               even_gaps_deny_the_shortest_of_them, gaps_that_make_up_deny_what_trains_are_slower_than,
               few_trains_that_crawl_deny, few_trains_that_end_at_once_do_not, a_bucket_that_traffic_shares,
               no_bucket_that_traffic_shares, pairs_of_whole_slots_tell_no_rate);
    return suite;
}
