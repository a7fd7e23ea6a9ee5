/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage propose: turns of a fair queue. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/shown.h"
#include "filters/turns.h"
#include "filters/turns_bucket.h"
#include "filters/turns_fitting.h"
#include "filters/turns_link.h"
#include "filters/turns_quanta.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

static void add_of(uint32_t bytes, unsigned count, double gap_us)
{
    while (count--)
        stages_push(gap_us, 300)->bytes = bytes & 0xffffff;
}

/* Trains' gaps of 570 us are three packets of 190, as 190 us is the longest wait: pairs have none of the others in
 * between, or one, or two. 228 us would be two and a half. */
START_TEST(the_longest_wait_tells_the_link_of_turns)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair.value = 450 * US;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.range_ns = 192 * US;
    add_of(1518, 14, 380);
    add_of(1518, 10, 570);
    add_of(1518, 20, 500); /* a host's */
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 190 * US, NEAR);
    s.range_ns = 228 * US;
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.range_ns = 192 * US;
    s.uniform = 1.4; /* not evenly */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.uniform = 1;
    s.pair.value = 560 * US; /* nothing is spared: so it is where anything makes packets wait */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.pair.value = 450 * US;
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 190 * US, NEAR);
    add_of(1518, 4, 500); /* as many are in no turn */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
}
END_TEST

/* Pairs have 480 us, over a tenth less than trains, and first packets wait evenly for up to 100: turns, where gaps of trains are
 * alike. Where fewer than half of them are, and they add up by chance, each packet waits for the medium. */
static struct proposal read_late_host(double regular, double varies)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair = (struct statistic){480 * US, 2 * US, 40};
    s.middle_ns = 480 * US;
    s.least_ns = 450 * US;
    s.waits = 40;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.range_ns = 100 * US;
    s.regular = regular;
    s.varies = varies;
    add_of(1518, 40, 480);
    return access_read(&seen, &s);
}

START_TEST(packets_that_wait_by_themselves_are_in_no_turns)
{
    struct proposal proposal = read_late_host(0.4, 1);

    ck_assert_int_eq(proposal.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq_tol(proposal.candidate.gap_ns, 570 * US, NEAR);
    ck_assert(evidence_has(proposal.evidence, AGAINST_TURNS));
    ck_assert_int_eq(read_late_host(0.6, 1).candidate.origin, ORIGIN_TURNS);
    ck_assert_int_eq(read_late_host(0.4, 0.3).candidate.origin, ORIGIN_TURNS);
}
END_TEST

/* Two other flows take turns of 190 us with ours, and half of the frame fits into a quantum. Of 20 half pairs 12 have
 * none of the others in between, which waited for 100 us and longer: by chance once in 125970 times. Their second
 * packets come 195 us after the least wait, so the link before takes 390 us for a frame. */
static struct candidate read_turns_of_halves(bool late)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair.value = 500 * US;
    s.pair.n = 50;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.together = 0;
    s.regular = 1;
    s.range_ns = 190 * US;
    for (unsigned i = 0; i < 30; i++)
        stages_push(570, 6.0 * i)->bytes = 1518;
    for (unsigned i = 0; i < 20; i++)
        stages_push(i < 8 ? 285 : 95, late ? i < 8 ? 12.0 * i : 100 + 8.0 * (i - 8) : 9.0 * (19 - i))->bytes =
            759;
    for (unsigned i = 0; i < readings->count; i++)
        readings_at(readings, i)->spread_8ns = READING_UNTOLD;
    s.smaller = 20;
    ck_assert(turns_caught_up(&seen, &s, 190 * US) == late);
    return turns_read(&seen, &s);
}

START_TEST(pairs_that_catch_up_in_turns_come_from_a_slower_link)
{
    struct candidate candidate = read_turns_of_halves(true);

    ck_assert_uint_eq(candidate.origin, ORIGIN_SLOWER);
    ck_assert_double_eq_tol(candidate.gap_ns, 390 * US, NEAR);
}
END_TEST

/* Those that waited for nothing have none in between as well. */
START_TEST(pairs_in_turns_that_waited_for_nothing_do_not)
{
    struct candidate candidate = read_turns_of_halves(false);

    ck_assert_uint_eq(candidate.origin, ORIGIN_TURNS_TOLD);
    ck_assert_double_eq_tol(candidate.gap_ns, 190 * US, NEAR);
}
END_TEST

/* Waits are not even, but hardly any is longer than for one packet: with nine in ten busy 0.75 of 50 would be on a FIFO
 * link. Of 20 full pairs so many have two others of 190 us in between, and so have trains; the rest have none, nor have
 * pairs of half the size. */
struct uneven {
    uint32_t bytes;
    double train_us, regular, uniform;
    unsigned between;
};

static enum origin read_uneven(struct uneven uneven)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = uneven.bytes;
    s.train.value = s.middle_tail_ns = uneven.train_us * US;
    s.pair = (struct statistic){200 * US, 4 * US, 50};
    s.middle_ns = s.range_ns = 190 * US;
    s.busy = 0.9;
    s.on_floor = 0.1;
    s.uniform = uneven.uniform;
    s.regular = uneven.regular;
    s.smaller = 20;
    for (unsigned i = 0; i < 40; i++) {
        struct reading *pair = stages_push(i >= 20 ? 95 : i < uneven.between ? 570 : 190, 9.0 * (i * 7 % 20));

        pair->bytes = (i < 20 ? uneven.bytes : uneven.bytes / 2) & READING_BYTES;
        pair->spread_8ns = READING_UNTOLD;
    }
    return turns_read(&seen, &s).origin;
}

START_TEST(uneven_waits_are_for_turns_where_others_show)
{
    const struct uneven shown = {1518, 570, 0.5, 2, 2};
    struct uneven uneven = shown;

    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
    uneven.regular = 0.49;
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_NONE);
    uneven.uniform = 1; /* even waits tell by themselves */
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
    uneven = shown;
    uneven.between = 1; /* of 20: several flows wait, and full frames come together */
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_NONE);
    uneven.uniform = 1;
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
}
END_TEST

/* Of one other flow each packet may have been over before ours came; a quantum holds two short ones. */
START_TEST(uneven_waits_for_one_other_or_of_short_packets)
{
    ck_assert_int_eq(read_uneven((struct uneven){1518, 570, 0.5, 2, 0}), ORIGIN_NONE);
    ck_assert_int_eq(read_uneven((struct uneven){1518, 380, 0.5, 2, 0}), ORIGIN_TURNS_TOLD);
    ck_assert_int_eq(read_uneven((struct uneven){1518, 380, 0.49, 2, 0}), ORIGIN_NONE);
    ck_assert_int_eq(read_uneven((struct uneven){1500, 570, 0.5, 2, 0}), ORIGIN_TURNS_TOLD);
}
END_TEST

/* Trains' gaps are 570 us, and so are those of full pairs, or full_us. First packets wait for up to 400 us, which is no
 * packet of anybody's. Of 20 pairs of half the size each has a gap of half_us. First stamps may be late by late_us. */
static double link_by_sizes_late_us(double full_us, double half_us, double on_floor, double late_us,
                                    enum origin origin)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair = (struct statistic){full_us * US, 4 * US, 50};
    s.middle_ns = full_us * US;
    s.on_floor = on_floor;
    s.uniform = 3;
    s.regular = 1;
    s.range_ns = 400 * US;
    s.late_ns = late_us * US;
    s.smaller = 20;
    for (unsigned i = 0; i < 40; i++) {
        struct reading *pair = stages_push(i < 20 ? full_us : half_us, 9.0 * (i * 7 % 20));

        pair->bytes = i < 20 ? 1518 : 759;
        pair->spread_8ns = READING_UNTOLD;
    }
    ck_assert_int_eq(turns_read(&seen, &s).origin, origin);
    return turns_link_ns(&seen, &s) / US;
}

static double link_by_sizes_us(double full_us, double half_us, double on_floor, enum origin origin)
{
    return link_by_sizes_late_us(full_us, half_us, on_floor, 0, origin);
}

/* Half of a packet's own time of 190 us is missing where as many of the others are between two smaller ones, and theirs
 * is half of that where none are. */
START_TEST(sizes_tell_turns_in_which_idle_flows_wait)
{
    ck_assert_double_eq_tol(link_by_sizes_us(570, 475, 0.05, ORIGIN_TURNS), 190, 1e-3);
    ck_assert_double_eq_tol(link_by_sizes_us(570, 95, 0.05, ORIGIN_TURNS), 190, 1e-3);
    ck_assert_double_eq(link_by_sizes_us(570, 95, 0.3, ORIGIN_NONE),
                        0); /* many wait for nothing: a bucket of two */
    ck_assert_double_eq(link_by_sizes_us(570, 285, 0.05, ORIGIN_NONE), 0); /* a queue */
    ck_assert_double_eq(link_by_sizes_us(570, 570, 0.05, ORIGIN_NONE), 0); /* a packet at each tick */
    ck_assert_double_eq(link_by_sizes_us(570, 15, 0.05, ORIGIN_NONE),
                        0); /* faster than of eight other flows */
}
END_TEST

/* At the most 1/1.4 of 570 us, 407: a late first stamp takes as much from either gap, and so nothing from their difference, but
 * from what one tells alone. */
START_TEST(late_first_stamps_take_nothing_from_what_sizes_differ_by)
{
    ck_assert_double_eq_tol(link_by_sizes_late_us(570, 375, 0.05, 20, ORIGIN_TURNS), 390, 1e-3);
    ck_assert_double_eq_tol(link_by_sizes_late_us(570, 195, 0.05, 16, ORIGIN_TURNS), 390, 1e-3);
    ck_assert_double_eq(link_by_sizes_late_us(570, 195, 0.05, 20, ORIGIN_NONE), 0);
}
END_TEST

/* Behind a narrower link pairs have its gap, whatever their size, and that is no part of a turn. */
START_TEST(pairs_of_a_narrower_link_behind_fit_turns)
{
    ck_assert_double_eq_tol(link_by_sizes_us(330, 165, 0.05, ORIGIN_TURNS), 330, 1e-3);
    ck_assert_double_eq(link_by_sizes_us(330, 40, 0.05, ORIGIN_NONE), 80); /* a bucket of one and a half */
}
END_TEST

/* Packets of ours of 759 bytes wait for a full frame of the others: 300 us are 150 of ours, a fifth of a turn of 750. */
START_TEST(short_packets_wait_for_full_ones)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.bytes = 759;
    s.train.value = s.middle_tail_ns = 750 * US;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.range_ns = 304 * US;
    add_of(759, 30, 450);
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 150 * US, NEAR);
}
END_TEST

/* Ten waits, which scatter by 70 us where stamps make 12 of it, and gaps of 570 us are no bucket's. Short packets, two
 * of which are no longer than a full frame, go several at a time, up to two of those: any others are batches. */
START_TEST(few_waits_may_be_those_of_turns)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    stages_push_many(10, 570, 300);
    s.waits = 10;
    s.scatter_ns = 70 * US;
    ck_assert(turns_may_wait(&seen, &s));
    s.batched = true;
    s.batch = 2;
    ck_assert(!turns_may_wait(&seen, &s));
    s.bytes = 700;
    s.batch = 4.3;
    ck_assert(turns_may_wait(&seen, &s));
    s.batch = 4.4;
    ck_assert(!turns_may_wait(&seen, &s));
    s.batched = false;
    s.waits = 20;
    ck_assert(!turns_may_wait(&seen, &s));
}
END_TEST

/* Trains of one gap, 570 us, whose first packets wait for less than that: half of it, where three quarters are told. */
START_TEST(the_fewest_waits_are_anywhere_in_a_turn)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.idle = 0;
    s.regular = 1;
    s.waits = 12;
    s.scatter_ns = 280 * US;
    ck_assert(turns_keep_back(&seen, &s));
    s.scatter_ns = 290 * US;
    ck_assert(!turns_keep_back(&seen, &s));
    s.waits = 5;
    s.pair.n = 0;
    ck_assert(turns_keep_back(&seen, &s));
    s.scatter_ns = 580 * US;
    ck_assert(!turns_keep_back(&seen, &s));
}
END_TEST

/* Gaps of trains that are not alike, and of pairs, 570 us on average; most first packets wait, for up to so long. */
static struct statistics of_spared(double range_us)
{
    struct statistics s = stages_of_trains(4);

    s.bytes = 1518;
    s.waits = STATISTICS_WAITS_LEAST;
    s.idle = 0.1;
    s.varies = 0.1;
    s.regular = 0.3;
    s.range_ns = range_us * US;
    s.middle_tail_ns = s.train.value;
    return s;
}

/* Two others with packets of 190 us, as a full one of ours, and not always one: of some pairs of either size they spare a
 * turn. So the lowest gap that three share is 380 us of full ones, 285 of halves: half a frame takes 95 us. */
START_TEST(sizes_tell_turns_of_which_some_are_spared)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_spared(190);

    seen.scratch = scratch;
    add_of(1518, 2, 190); /* too few: by chance */
    add_of(1518, 3, 380);
    add_of(1518, 20, 570);
    add_of(759, 3, 285);
    ck_assert(!turns_deny(&seen, &s)); /* three of half the size say nothing */
    add_of(759, 5, 475);
    for (unsigned k = 0; k < readings->count; k++)
        readings_at(readings, k)->spread_8ns = READING_UNTOLD;
    ck_assert(turns_deny(&seen, &s));
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 190 * US, NEAR);
    s.varies = 0.4; /* as beside random traffic */
    ck_assert(!turns_deny(&seen, &s));
    s.varies = 0.1;
    s.idle = 0.3;
    ck_assert(!turns_deny(&seen, &s));
    s.idle = 0.1;
    s.pair.value = 400 * US; /* a bucket spares pairs any part of their time */
    ck_assert(!turns_deny(&seen, &s));
    s.pair.value = s.train.value;
    s.uniform = 9; /* nor do first packets wait as for turns */
    ck_assert(!turns_deny(&seen, &s));
}
END_TEST

/* At ticks of 190 us halves have whole ones, too; and on a link of its own a half takes half as long. */
START_TEST(sizes_at_ticks_or_in_proportion_tell_no_turns)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_spared(300);

    seen.scratch = scratch;
    add_of(1518, 10, 380);
    add_of(1518, 10, 570);
    add_of(759, 8, 190);
    ck_assert(!turns_deny(&seen, &s));
    readings_keep(readings, 0);
    add_of(1518, 10, 310);
    add_of(759, 8, 155);
    ck_assert(!turns_deny(&seen, &s));
}
END_TEST

/* In line for its second packet, too, a pair takes 700 us where trains have 570 a packet, in gaps that are not alike. */
START_TEST(pairs_that_take_longer_than_trains_may_wait_in_line)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    s.waits = STATISTICS_WAITS_LEAST;
    s.idle = s.on_floor = 0.05;
    s.uniform = 1;
    s.together = 0;
    s.regular = 0.3;
    s.range_ns = 500 * US;
    s.pair.n = 50;
    s.pair.value = 700 * US;
    ck_assert(turns_wait(&seen, &s));
    s.range_ns = 690 * US; /* leaves no room for ours */
    ck_assert(!turns_wait(&seen, &s));
    s.range_ns = 500 * US;
    s.pair.value = 570 * US; /* at ticks gaps are not alike, either */
    ck_assert(!turns_wait(&seen, &s));
}
END_TEST

/* Of 20 halves two have none of the others in between, and waited for 126 us and more: 14 waited for less, which is so by
 * chance once in 13 times, but a link of 442 us a frame would explain it. Where one of them waited for nothing there is none. */
START_TEST(few_pairs_that_waited_leave_room_for_a_slower_link)
{
    for (unsigned first = 0; first <= 14; first += 14) {
        struct seen seen = seen_of_no_pairs();
        struct statistics s = stages_of_trains(4);
        struct candidate candidate;
        seen.scratch = scratch;
        s.bytes = 1518;
        s.middle_tail_ns = s.train.value;
        s.pair.value = 500 * US;
        s.pair.n = 50;
        s.on_floor = 0.05;
        s.uniform = 1;
        s.together = 0;
        s.regular = 1;
        s.range_ns = 190 * US;
        readings_keep(readings, 0);
        for (unsigned i = 0; i < 30; i++)
            stages_push(570, 6.0 * i)->bytes = 1518;
        for (unsigned i = 0; i < 20; i++)
            stages_push(i == first || i == 19 ? 95 : 285, 9.0 * i)->bytes = 759;
        for (unsigned i = 0; i < readings->count; i++)
            readings_at(readings, i)->spread_8ns = READING_UNTOLD;
        s.smaller = 20;
        candidate = turns_read(&seen, &s);
        ck_assert_uint_eq(candidate.origin, first == 0 ? ORIGIN_TURNS_TOLD : ORIGIN_SLOWER);
        ck_assert_double_eq_tol(candidate.gap_ns, 190 * US, 1);
        ck_assert(first == 0 || candidate.above_ns > 379 * US); /* up to what trains get */
    }
}
END_TEST

/* Turns of four packets of 100 us, and two others: pairs take 100 us, halves 50; trains 300 a packet, with pauses of two turns, 800
 * us, beside the packet after. First packets wait for up to one turn; for a whole cycle of grants it would be 1200. */
static struct statistics of_quanta(struct seen *seen, double pause_us, double range_us)
{
    struct statistics s = stages_of_trains(4);

    *seen = seen_of_no_pairs();
    readings_keep(readings, 0);
    add_of(1518, 20, 100);
    add_of(759, 6, 50);
    for (unsigned i = 0; i < 8; i++)
        seen->shapes.at[i] = (struct shape){.bytes = 1518,
                                            .sent = 64,
                                            .packets = 64,
                                            .ratio = 1,
                                            .longest_ns = (float)((100 + pause_us) * US)};
    shapes_hold(&seen->shapes, 8);
    s.bytes = 1518;
    s.waits = STATISTICS_WAITS_LEAST;
    s.idle = 0.1;
    s.train.value = 290 * US;
    s.middle_ns = 100 * US;
    s.range_ns = range_us * US;
    return s;
}

START_TEST(turns_of_several_packets_tell_the_link)
{
    struct seen seen;
    struct statistics s = of_quanta(&seen, 800, 400);

    ck_assert_double_eq(turns_quanta_ns(&seen, &s), 100 * US);
    ck_assert(turns_deny(&seen, &s));
    ck_assert_double_eq(turns_link_ns(&seen, &s), 100 * US);
    s = of_quanta(&seen, 800, 1200);
    ck_assert_double_eq(turns_quanta_ns(&seen, &s), 0);
    s = of_quanta(&seen, 800, 400);
    s.train.value = 250 * US; /* two and a half times as long */
    ck_assert_double_eq(turns_quanta_ns(&seen, &s), 0);
    s = of_quanta(&seen, 800, 400);
    s.idle = 0.3;
    ck_assert_double_eq(turns_quanta_ns(&seen, &s), 0);
    s = of_quanta(&seen, 800, 400);
    add_of(759, 6, 100); /* a clock, which asks for no size */
    ck_assert_double_eq(turns_quanta_ns(&seen, &s), 0);
}
END_TEST

/* A shaper of 100 us a packet that one other shares: trains go on with 200 us. So many of them find its bucket empty, and begin with
 * first_us; the others pass what it holds, at 10 us. Of 20 pairs so many have 100 us. */
struct emptied {
    unsigned trains;
    double first_us, tail_us;
    unsigned pairs;
};

static double rate_of_emptied(struct emptied emptied)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    add_of(1518, emptied.pairs, 100);
    add_of(1518, 20 - emptied.pairs, 10);
    for (unsigned i = 0; i < 8; i++) {
        bool empty = i < emptied.trains;

        seen.shapes.at[i] = (struct shape){.bytes = 1518,
                                           .sent = 64,
                                           .packets = 64,
                                           .knee = empty ? 1 : 8,
                                           .head_gap_ns = (float)((empty ? emptied.first_us : 10) * US),
                                           .tail_gap_ns = (float)((empty ? emptied.tail_us : 200) * US)};
    }
    shapes_hold(&seen.shapes, 8);
    s.bytes = 1518;
    return turns_bucket_bps(&seen, &s, 1518 * 8e9 / (200 * US)) * 1e-6;
}

START_TEST(who_finds_a_shared_bucket_empty_begins_in_turn)
{
    const double mbps = 1518 * 8e3 / (100 * US);

    ck_assert_double_eq_tol(rate_of_emptied((struct emptied){2, 100, 200, 2}), mbps, 0.1);
    ck_assert_double_eq(rate_of_emptied((struct emptied){1, 100, 200, 2}), 0);
    ck_assert_double_eq(rate_of_emptied((struct emptied){2, 100, 200, 1}), 0);
    ck_assert_double_eq(rate_of_emptied((struct emptied){2, 120, 200, 2}), 0); /* any part of a gap */
    ck_assert_double_eq(rate_of_emptied((struct emptied){8, 100, 200, 20}),
                        0); /* all alike: a small bucket of ours */
    ck_assert_double_eq_tol(rate_of_emptied((struct emptied){2, 100, 100, 2}), mbps,
                            0.1); /* nobody else sent */
}
END_TEST

/* Three turns of 2000 us fit what trains get, 6000 us, and most pairs, to a tenth of one; but of four halves with none of the
 * others in between three take 850 us, and not 1000. */
static double own_time_beside(double alone_us)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = 6000 * US;
    s.range_ns = 2000 * US;
    add_of(1518, 14, 4000);
    add_of(1518, 14, 6000);
    add_of(759, 10, 3000);
    add_of(759, 1, 1000);
    add_of(759, 3, alone_us);
    return turns_read_link(&seen, &s).turn.own_ns;
}

START_TEST(packets_alone_deny_another_own_time)
{
    ck_assert_double_eq_tol(own_time_beside(1000), 2000 * US, US);
    ck_assert_double_eq(own_time_beside(850), 0);
    ck_assert_double_eq_tol(own_time_beside(300), 2000 * US, US); /* through a bucket */
}
END_TEST

/* Trains have 500 us a packet, which scatters by so much. So many full pairs, four gaps over and over; eight of half the size, of
 * one gap. */
enum { FITTING_PAIRS = 40 };

static struct fitting fitting_of(const double *full_us, double smaller_us, double spread_us)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    for (unsigned i = 0; i < FITTING_PAIRS; i++)
        add_of(1518, 1, full_us[i % 4]);
    add_of(759, 8, smaller_us);
    seen.scratch = scratch;
    for (unsigned i = 0; i < 8; i++)
        seen.shapes.at[i] = (struct shape){.bytes = 1518,
                                           .sent = 64,
                                           .packets = 64,
                                           .ratio = 1,
                                           .variance_ns2 = (float)(spread_us * spread_us * US * US)};
    shapes_hold(&seen.shapes, 8);
    s.bytes = 1518;
    s.middle_tail_ns = 500 * US;
    return turns_fitting(&seen, &s);
}

static const double any_part_us[] = {402, 455, 430, 480}, all_alike_us[] = {441, 441, 441, 441},
                    nearly_us[] = {438, 444, 440, 446}, longer_us[] = {490, 560, 530, 600};

START_TEST(a_turn_spares_smaller_pairs_and_any_part_of_full_ones)
{
    struct fitting fitting = fitting_of(any_part_us, 50, 10);

    ck_assert(fitting.found);
    ck_assert_double_eq_tol(fitting.own_ns, 100 * US, NEAR);
    ck_assert(!fitting_of(all_alike_us, 50, 10).found); /* a bucket's tokens */
    ck_assert(!fitting_of(nearly_us, 50, 1).found);
    ck_assert(!fitting_of(longer_us, 230, 10).found);   /* smaller ones are hardly faster than trains */
    ck_assert(!fitting_of(any_part_us, 50, 30).found);  /* ticks, or traffic, scatter gaps of trains as far */
    ck_assert(!fitting_of(any_part_us, 250, 10).found); /* in proportion */
    ck_assert(!fitting_of(any_part_us, 191, 10).found); /* a late first stamp takes 59 us from either */
    ck_assert(!fitting_of(any_part_us, 10, 10).found);  /* more flows than anybody tells */
}
END_TEST

/* Of others whose packets take 100 us, two or three are in between. Where always three are, a medium may pause for as long. */
START_TEST(a_turn_has_whole_packets_in_it)
{
    static const double two_or_three_us[] = {300, 400, 400, 300}, three_us[] = {400, 400, 400, 400},
                        or_none_us[] = {500, 600, 100, 100}, no_whole_ones_us[] = {340, 430, 430, 340};

    ck_assert(fitting_of(two_or_three_us, 50, 200).found);
    ck_assert(!fitting_of(three_us, 50, 200).found);
    ck_assert(!fitting_of(or_none_us, 50, 200).found);
    ck_assert(!fitting_of(no_whole_ones_us, 50, 200).found);
}
END_TEST

/* Smaller pairs of several sizes come at the rate of a bucket's peak, and full ones when it has the tokens. */
START_TEST(smaller_pairs_of_several_sizes_are_alike)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    add_of(1518, 12, 441);
    for (unsigned i = 0; i < 4; i++) {
        add_of(1214, 1, 80);
        add_of(304, 1, 20);
    }
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = 500 * US;
    ck_assert(!turns_fitting(&seen, &s).found);
}
END_TEST

/* Of some 402 and some 480 us all of the former came first. */
START_TEST(a_rate_that_changed_is_no_turn)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    readings_keep(readings, 0);
    for (unsigned i = 0; i < 12; i++)
        add_of(1518, 1, (i < 6 ? 402 : 480) + i % 2 * 2.0);
    add_of(759, 8, 50);
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = 500 * US;
    ck_assert(!turns_fitting(&seen, &s).found);
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 6; i++) {
        add_of(1518, 1, 402);
        add_of(1518, 1, 480);
    }
    add_of(759, 8, 50);
    ck_assert(turns_fitting(&seen, &s).found);
    for (unsigned i = 0; i < readings->count; i++)
        readings_at(readings, i)->behind = true; /* the train before took some of its time */
    ck_assert(!turns_fitting(&seen, &s).found);
}
END_TEST

Suite *filters_turns_suite(void)
{
    Suite *suite = suite_create("filters_turns");

    STAGES_ADD(
        suite, "turns", the_longest_wait_tells_the_link_of_turns,
        packets_that_wait_by_themselves_are_in_no_turns, pairs_that_catch_up_in_turns_come_from_a_slower_link,
        pairs_in_turns_that_waited_for_nothing_do_not, few_pairs_that_waited_leave_room_for_a_slower_link,
        uneven_waits_are_for_turns_where_others_show, uneven_waits_for_one_other_or_of_short_packets,
        sizes_tell_turns_in_which_idle_flows_wait, late_first_stamps_take_nothing_from_what_sizes_differ_by,
        pairs_of_a_narrower_link_behind_fit_turns, short_packets_wait_for_full_ones,
        sizes_tell_turns_of_which_some_are_spared, sizes_at_ticks_or_in_proportion_tell_no_turns,
        pairs_that_take_longer_than_trains_may_wait_in_line, few_waits_may_be_those_of_turns,
        the_fewest_waits_are_anywhere_in_a_turn, turns_of_several_packets_tell_the_link,
        who_finds_a_shared_bucket_empty_begins_in_turn, packets_alone_deny_another_own_time,
        a_turn_spares_smaller_pairs_and_any_part_of_full_ones, a_turn_has_whole_packets_in_it,
        smaller_pairs_of_several_sizes_are_alike, a_rate_that_changed_is_no_turn);
    return suite;
}
