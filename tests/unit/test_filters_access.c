/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that are no FIFO queue, each beside a path like it that is one. Packets have 1000 bytes, so
 * that a gap of 80 us is 100 Mbit/s. */
#include "tests/unit/filter_feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include "filters/dispersion.h"

#include <math.h>

enum { ROUNDS = 12, EIGHT = 8, LONG = 64 };

static struct feed feed;
static struct rng rng;

static void filters_access_setup(void)
{
    open_feed(&feed, "adaptive");
    rng = (struct rng){1}; /* the same each time */
}

static void filters_access_teardown(void)
{
    close_feed(&feed);
}

/* A train of so many that left within a hundredth of what it took, gaps as told. */
typedef int64_t gap_of(unsigned k);

static void give_train(gap_of *gap, unsigned count, int64_t delay_ns)
{
    int64_t offsets_ns[LONG] = {0};

    for (unsigned k = 1; k < count; k++)
        offsets_ns[k] = offsets_ns[k - 1] + gap(k);
    feed.departure_ns = offsets_ns[count - 1] / 100;
    give(&feed, offsets_ns, count, delay_ns);
}

static int64_t turn_ns(void)
{
    return rng_below(&rng, 1000) * 80;
}

/* --- Contention --- */

/* 500 us and 0 to 15 slots of 9 us: 567.5 us on average. */
static int64_t backoff(unsigned k)
{
    (void)k;
    return 500 * US + rng_below(&rng, 16) * 9 * US;
}

START_TEST(each_packet_waits_by_itself)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(backoff, i % EIGHT ? 2 : LONG, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_CONVERGED);
    ck_assert_int_eq(feed.estimate.why, WHY_CONTENTION);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 567.5e3, 0.02 * 8e12 / 567.5e3);
}
END_TEST

/* The same gaps where half of the first packets wait: traffic. */
START_TEST(where_first_packets_wait_it_is_traffic)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(backoff, i % EIGHT ? 2 : LONG, i % 2 * rng_below(&rng, 500) * US);
    ck_assert_int_ne(feed.estimate.why, WHY_CONTENTION);
}
END_TEST

/* --- A pause at the head --- */

static int64_t pause_then_even(unsigned k)
{
    return k == 1 ? 2000 * US : 100 * US;
}

START_TEST(what_follows_a_pause_is_the_rate)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(pause_then_even, i % EIGHT ? 2 : LONG, i * 7 % 20 * 50 * US);
    assert_capacity(&feed, STATE_CONVERGED, 80e6);
    ck_assert_int_eq(feed.estimate.why, WHY_HEAD_PAUSE);
}
END_TEST

/* An interrupt 100 us after the one before it, at the earliest, and a packet each 80 us: the second is seen 20 us late, the
 * third 40, the fifth with the sixth. In trains of 16 that lengthens the first quarter by three quarters of a gap. */
static int64_t seen_late_ns(unsigned k)
{
    return (int64_t)(80 * k + 99) / 100 * 100 * US;
}

static int64_t with_interrupts(unsigned k)
{
    return k % 5 ? 100 * US : US;
}

START_TEST(what_an_interrupt_holds_back_is_no_pause)
{
    for (unsigned k = 1; k < 5; k++)
        ck_assert_int_eq(seen_late_ns(k) - seen_late_ns(k - 1), with_interrupts(k));
    for (unsigned i = 0; i < 2 * EIGHT * ROUNDS; i++)
        give_train(with_interrupts, 16, rng_below(&rng, 2) * US);
    ck_assert_int_ne(feed.estimate.why, WHY_HEAD_PAUSE);
    ck_assert(!estimate_is_sure(&feed.estimate) || fabs(feed.estimate.capacity_bps / 100e6 - 1) < 0.05);
}
END_TEST

/* --- Trains that fit into a cycle --- */

/* All that waits goes at the line's rate of 100 Mbit/s, once in 4 ms; the first stamp is 30 us late. */
static int64_t first_late(unsigned k)
{
    return k == 1 ? 50 * US : 80 * US;
}

START_TEST(one_cycle_and_a_late_stamp_are_no_bucket)
{
    for (unsigned i = 0; i < 2 * EIGHT * ROUNDS; i++)
        give_train(first_late, 16, rng_below(&rng, 4000) * US);
    ck_assert(!estimate_is_sure(&feed.estimate));
}
END_TEST

/* --- Open in part --- */

/* Eight packets of 80 us each, and then the medium is shut for shut_ns. */
static int64_t shut_ns;

static int64_t eight_at_a_time(unsigned k)
{
    return k % 8 ? 80 * US : 80 * US + shut_ns;
}

/* Trains come at any time of a cycle, of which the medium is shut for shut_us, and wait while it is. A pair that comes
 * as it shuts is apart by as much. */
static void give_through_gate(int64_t shut_us, unsigned trains)
{
    shut_ns = shut_us * US;
    for (unsigned i = 0; i < trains; i++) {
        int64_t at_ns = (int64_t)rng_below(&rng, (uint32_t)(8 * 80 + shut_us)) * US;

        give_train(eight_at_a_time, i % EIGHT ? 2 : LONG, at_ns < shut_ns ? shut_ns - at_ns : 0);
        ck_assert(!estimate_is_sure(&feed.estimate) || feed.estimate.capacity_bps < 53e6);
    }
}

/* Of 1280 us the line of 100 Mbit/s is open for 640. */
START_TEST(half_a_line_is_what_passes_while_it_is_open)
{
    give_through_gate(640, EIGHT * ROUNDS);
    assert_capacity(&feed, STATE_CONVERGED, 50e6);
}
END_TEST

/* Four long trains tell no rate, but that pairs may not. */
START_TEST(few_trains_through_a_gate_are_a_doubt)
{
    give_through_gate(640, 4 * EIGHT);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_TICKS);
}
END_TEST

/* The same trains where no first packet waits. */
START_TEST(where_nobody_waits_there_is_no_gate)
{
    shut_ns = 640 * US;
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(eight_at_a_time, i % EIGHT ? 2 : LONG, 0);
    ck_assert_int_ne(feed.estimate.why, WHY_TICKS);
    ck_assert(!estimate_is_sure(&feed.estimate));
}
END_TEST

/* --- Trains alone --- */

/* A late first stamp leaves the first gap of each train as it left. Later ones have 0 to 4 packets of 2 us
 * in between, 1.28 on average: trains agree on 17 % more than the 15 us of the link. */
static int64_t among_packets(unsigned k)
{
    int64_t gap_ns = 15 * US;

    if (k == 1)
        return 8 * US;
    for (unsigned i = 0; i < 4; i++)
        gap_ns += rng_below(&rng, 100) < 32 ? 2 * US : 0;
    return gap_ns;
}

START_TEST(trains_that_traffic_lengthens_are_no_proof)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0};

        for (unsigned k = 1; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + among_packets(k);
        feed.departure_ns = (LONG - 1) * 8 * US;
        give(&feed, offsets_ns, LONG, rng_below(&rng, 5) ? 0 : rng_below(&rng, 5) * US);
        ck_assert_int_ne(feed.estimate.state, STATE_CONVERGED);
    }
}
END_TEST

/* --- Turns --- */

/* Two other flows: a packet of ours, one of each of theirs, 80 us each. */
static int64_t third_of_the_link(unsigned k)
{
    (void)k;
    return 240 * US;
}

static int64_t at_the_link(unsigned k)
{
    (void)k;
    return 80 * US;
}

/* Told as a guess, for that. */
static void assert_may_be_turns(void)
{
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_FAIR_QUEUE);
}

static void give_turns(gap_of *near, bool ring)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        feed.bytes = i % EIGHT == 3 ? BYTES - 4 : BYTES;
        give_train(i % EIGHT == 3 ? near : third_of_the_link, i % EIGHT ? 2 : LONG,
                   ring && i % 9 ? 400 * US + turn_ns() : turn_ns());
    }
}

START_TEST(pairs_a_little_smaller_go_in_one_turn)
{
    give_turns(at_the_link, false);
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_int_eq(feed.estimate.why, WHY_FAIR_QUEUE);
    /* 996 bytes in 80 us */
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 99.6e6, 0.1e6);
    ck_assert_double_eq_tol(feed.estimate.share_bps, 8e12 / 240e3, 0.01e6);
}
END_TEST

/* Behind the queues stands the adapter's ring, full of the others' packets but for moments. */
START_TEST(turns_behind_a_full_ring)
{
    give_turns(at_the_link, true);
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 99.6e6, 0.1e6);
}
END_TEST

/* The ring is full at first, and then runs empty twice: the line under the delays hangs aslant on these, and
 * what is even over a packet's time lies even over far more. */
START_TEST(turns_behind_a_ring_that_runs_empty)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        feed.bytes = i % EIGHT == 3 ? BYTES - 4 : BYTES;
        give_train(i % EIGHT == 3 ? at_the_link : third_of_the_link, i % EIGHT ? 2 : LONG,
                   i == 44 || i == 46 ? turn_ns() : 480 * US + turn_ns());
        ck_assert_int_ne(feed.estimate.state, STATE_SHAPED);
        ck_assert_int_ne(feed.estimate.state, STATE_CONVERGED);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 99.6e6, 0.1e6);
}
END_TEST

/* Three packets of ours a turn, of 500 bytes and 40 us each; then one of each of two others, 120 us each. */
static int64_t three_a_turn(unsigned k)
{
    return k % 3 ? 40 * US : 280 * US;
}

/* First packets wait for up to so many times 80 us. */
static void give_small(double times)
{
    feed.bytes = 500;
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(three_a_turn, i % EIGHT ? 2 : LONG, (int64_t)(times * (double)turn_ns()));
}

START_TEST(small_packets_go_several_in_one_turn)
{
    give_small(1.5);
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 100e6, 0.1e6);
    ck_assert_double_eq_tol(feed.estimate.share_bps, 100e6 / 3, 0.7e6); /* 63 gaps end anywhere in a turn */
}
END_TEST

/* At the rate of pairs 3600 bytes would pass while first packets wait, more than two frames: a cycle's. */
START_TEST(what_waits_for_longer_than_a_frame_is_no_turn)
{
    give_small(3.6);
    ck_assert_int_ne(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq(feed.estimate.share_bps, 0);
}
END_TEST

/* First stamps are all 1.5 us late, which is 4 % of such a gap, and shortens pairs alone. The share knows: the interval
 * covers a third of what trains take. */
static int64_t three_late(unsigned k)
{
    return k == 1 ? 38500 : three_a_turn(k);
}

START_TEST(late_first_stamps_are_error_of_small_packets)
{
    feed.bytes = 500;
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        give_train(three_late, i % EIGHT ? 2 : LONG, turn_ns() * 3 / 2);
        ck_assert(!estimate_is_sure(&feed.estimate) || feed.estimate.low_bps <= 100.5e6);
    }
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 103.9e6, 0.1e6);
    ck_assert_double_le(feed.estimate.low_bps, 100.5e6);
}
END_TEST

START_TEST(pairs_alike_are_no_turns)
{
    give_turns(third_of_the_link, false);
    ck_assert_int_ne(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq(feed.estimate.share_bps, 0);
}
END_TEST

/* A small quantum: every pair of full size lets one packet of each flow in between, those of half
 * the size one or none: 40 us, or 120. */
static int64_t half_the_size(unsigned k)
{
    (void)k;
    return rng_below(&rng, 2) ? 40 * US : 120 * US;
}

START_TEST(first_packets_wait_for_one_of_the_others)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        feed.bytes = i % EIGHT == 5 ? BYTES / 2 : BYTES;
        give_train(i % EIGHT == 5 ? half_the_size : third_of_the_link, i % EIGHT ? 2 : LONG, turn_ns());
    }
    assert_capacity(&feed, STATE_FAIR, 100e6);
}
END_TEST

/* Four other flows: two packets of half the size have three of the others' in between, and only once none. */
static int64_t half_behind_three(unsigned k)
{
    (void)k;
    return 280 * US;
}

static int64_t half_at_the_link(unsigned k)
{
    (void)k;
    return 40 * US;
}

static int64_t full_behind_four(unsigned k)
{
    (void)k;
    return 400 * US;
}

static void give_behind_four(gap_of *once)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        bool half = i % EIGHT == 5;

        feed.bytes = half ? BYTES / 2 : BYTES;
        give_train(half ? (i == 5 ? once : half_behind_three) : full_behind_four, i % EIGHT ? 2 : LONG,
                   turn_ns());
    }
}

START_TEST(gaps_with_others_in_between_tell_the_link)
{
    give_behind_four(half_at_the_link);
    assert_capacity(&feed, STATE_FAIR, 100e6);
    ck_assert_double_eq_tol(feed.estimate.share_bps, 20e6, 0.01e6);
}
END_TEST

/* Three others, whose packets are three quarters as long: 60 us, four of them for each of ours. */
static int64_t half_behind_shorter(unsigned k)
{
    (void)k;
    return 40 * US + (int64_t)rng_below(&rng, 3) * 60 * US;
}

static int64_t full_behind_shorter(unsigned k)
{
    return k == 1 ? 260 * US : 320 * US;
}

START_TEST(others_may_have_shorter_packets)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        bool half = i % EIGHT == 5;

        feed.bytes = half ? BYTES / 2 : BYTES;
        give_train(half ? half_behind_shorter : full_behind_shorter, i % EIGHT ? 2 : LONG, turn_ns() * 3 / 4);
    }
    assert_capacity(&feed, STATE_FAIR, 100e6);
}
END_TEST

/* The same gaps if our packets took three times as long, beside the same of others: then none is alone. */
START_TEST(gaps_with_none_at_the_link_do_not_tell_it)
{
    give_behind_four(half_behind_three);
    assert_may_be_turns();
}
END_TEST

/* A bucket of four packets, on a host that wakes late: first packets wait as evenly, and some pairs
 * are as far apart as that. But most are closer, and so are the packets that the bucket let pass. */
static int64_t on_a_late_host(unsigned k)
{
    (void)k;
    return rng_below(&rng, 6) ? (20 + rng_below(&rng, 40)) * US : 80 * US;
}

static int64_t behind_a_bucket(unsigned k)
{
    return k < 4 ? 2 * US : 560 * US;
}

/* A packet at each tick of a clock, and first ones wait for that: in turns some of it would be ours. */
START_TEST(a_packet_at_each_tick_is_no_turn)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(at_the_link, LONG, turn_ns());
    assert_capacity(&feed, STATE_CONVERGED, 100e6);
}
END_TEST

/* Four other flows, of which a quantum of ours spares the first gap one. */
static int64_t fifth_of_the_link(unsigned k)
{
    return k == 1 ? 320 * US : 400 * US;
}

static void give_fifths(bool waits)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(fifth_of_the_link, LONG, waits ? turn_ns() : 0);
}

START_TEST(first_gaps_behind_even_waits_are_no_bucket)
{
    give_fifths(true);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
}
END_TEST

/* As wide where they left half as fast as they came, and where that is not told. */
static void give_slow_fifths(int64_t left_of_100)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0};

        for (unsigned k = 1; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + fifth_of_the_link(k);
        feed.departure_ns = offsets_ns[LONG - 1] * left_of_100 / 100;
        give(&feed, offsets_ns, LONG, turn_ns());
        ck_assert(!estimate_is_sure(&feed.estimate));
    }
}

START_TEST(even_waits_of_a_slow_sender_are_no_bucket)
{
    give_slow_fifths(50);
}
END_TEST

START_TEST(even_waits_of_an_unknown_sender_are_no_bucket)
{
    give_slow_fifths(0);
}
END_TEST

/* A packet of ours, one of each of two others, in turn: pairs and trains have one gap, in which no traffic that first
 * packets wait for came. */
START_TEST(gaps_that_are_alike_behind_even_waits_are_no_rate)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        give_train(third_of_the_link, i % EIGHT ? 2 : LONG, 2 * turn_ns());
        ck_assert(!estimate_is_sure(&feed.estimate));
    }
}
END_TEST

/* But smaller packets that take as much less time have no others between them. */
static int64_t half_of_a_third(unsigned k)
{
    return third_of_the_link(k) / 2;
}

START_TEST(gaps_in_proportion_behind_even_waits_are_a_rate)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        bool half = i % EIGHT == 5;

        feed.bytes = half ? BYTES / 2 : BYTES;
        give_train(half ? half_of_a_third : third_of_the_link, i % EIGHT ? 2 : LONG, 2 * turn_ns());
    }
    assert_capacity(&feed, STATE_CONVERGED, 8e12 / 240e3);
}
END_TEST

/* --- What gathers trains --- */

/* Behind a shaper of 40 Mbit/s a receiver sleeps: it wakes every 100 ms, and takes all that waits at 100 Mbit/s. */
static void give_to_sleeper(bool in_a_row)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(at_the_link, i % EIGHT ? 2 : LONG,
                   (in_a_row ? i * 100000 / (EIGHT * ROUNDS) : rng_below(&rng, 100000)) * US);
}

START_TEST(a_receiver_that_sleeps_shows_the_last_link)
{
    give_to_sleeper(false);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_TICKS);
}
END_TEST

/* The same waits, as of a queue that grows. */
START_TEST(waits_that_follow_one_another_are_a_queue)
{
    give_to_sleeper(true);
    ck_assert_int_ne(feed.estimate.why, WHY_TICKS);
}
END_TEST

/* --- A flow that does not always take its turn --- */

/* Two packets at the rate of the link, then a packet of another flow before each of ours: a bucket would do the same. */
static int64_t half_after_two(unsigned k)
{
    return k == 1 ? 80 * US : 160 * US;
}

/* Three first packets in ten wait for nothing, the others evenly for up to one packet; or, behind a queue that is
 * as busy, up to so many. */
static void give_half_after_two(unsigned packets)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(half_after_two, i % EIGHT ? 2 : LONG, rng_below(&rng, 10) < 3 ? 0 : packets * turn_ns());
}

START_TEST(packets_that_never_wait_for_more_than_one_go_first)
{
    give_half_after_two(1);
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 100e6, 0.1e6);
    ck_assert_double_eq_tol(feed.estimate.share_bps, 50e6, 0.1e6);
}
END_TEST

START_TEST(packets_that_wait_for_several_meet_a_bucket)
{
    give_half_after_two(3);
    assert_capacity(&feed, STATE_SHAPED, 50e6);
}
END_TEST

static int64_t half_of_the_link(unsigned k)
{
    (void)k;
    return 160 * US;
}

/* Four first packets in five wait for nothing. Pairs of four bytes less fit into a quantum, or not. */
static void give_half_of_the_link(gap_of *near)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        feed.bytes = i % EIGHT == 3 ? BYTES - 4 : BYTES;
        give_train(i % EIGHT == 3 ? near : half_of_the_link, i % EIGHT ? 2 : LONG,
                   rng_below(&rng, 5) ? 0 : turn_ns());
    }
}

START_TEST(what_a_few_bytes_change_is_no_link)
{
    give_half_of_the_link(at_the_link);
    assert_may_be_turns();
}
END_TEST

START_TEST(what_a_few_bytes_do_not_change_is_one)
{
    give_half_of_the_link(half_of_the_link);
    assert_capacity(&feed, STATE_CONVERGED, 50e6);
}
END_TEST

/* Even waits are few, and by chance some are short beside a gap, which is that of five packets. */
START_TEST(short_waits_of_few_packets_are_no_bucket)
{
    for (unsigned i = 0; i < 5 * EIGHT; i++) {
        give_train(fifth_of_the_link, EIGHT, i % 5 ? turn_ns() : turn_ns() / 10);
        ck_assert(!estimate_is_sure(&feed.estimate));
    }
    assert_may_be_turns();
}
END_TEST

/* Five times as slow: even waits of up to 400 us that by chance are within 60 are still more than stamps make. */
static int64_t fifth_of_a_slow_link(unsigned k)
{
    return 5 * fifth_of_the_link(k);
}

START_TEST(few_waits_that_are_near_each_other_are_no_bucket)
{
    for (unsigned i = 0; i < EIGHT; i++) {
        give_train(fifth_of_a_slow_link, LONG, rng_below(&rng, 60) * US);
        ck_assert(!estimate_is_sure(&feed.estimate));
    }
}
END_TEST

static int64_t quarter_of_a_slow_link(unsigned k)
{
    (void)k;
    return INT64_C(4) * 400 * US;
}

/* Round robin beside three, no longer new: pairs are all of four packets of 400 us, and first ones wait for any part of
 * one. One long train of the same gaps does not say that nobody was waited for. */
START_TEST(one_long_train_may_be_in_turns)
{
    for (unsigned i = 0; i < 5 * EIGHT; i++)
        give_train(quarter_of_a_slow_link, i == 20 ? LONG : 2, rng_below(&rng, 400) * US);
    ck_assert(!estimate_is_sure(&feed.estimate));
}
END_TEST

/* But a range of 80 us is that of no packet of others where eight of them would take 2 ms: a late host's. */
START_TEST(waits_far_shorter_than_a_turn_are_no_turn)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(fifth_of_a_slow_link, LONG, turn_ns());
    assert_capacity(&feed, STATE_SHAPED, 4e6);
}
END_TEST

/* Their packets are a little longer, so that now and then one is left out: gaps of a train are no more alike than at
 * ticks, but those of pairs are shorter. */
static int64_t fifth_of_longer_packets(unsigned k)
{
    return k % 3 == 1 ? 320 * US : 400 * US;
}

START_TEST(gaps_that_differ_by_a_packet_are_no_ticks)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(fifth_of_longer_packets, LONG, turn_ns());
    assert_may_be_turns();
}
END_TEST

START_TEST(first_gaps_of_packets_that_wait_for_nothing_are_a_bucket)
{
    give_fifths(false);
    assert_capacity(&feed, STATE_SHAPED, 20e6);
}
END_TEST

START_TEST(closer_than_the_link_is_no_turn)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(i % EIGHT ? on_a_late_host : behind_a_bucket, i % EIGHT ? 2 : LONG, turn_ns());
    ck_assert_int_ne(feed.estimate.state, STATE_FAIR);
    ck_assert_double_eq(feed.estimate.share_bps, 0);
}
END_TEST

/* A bucket of two packets, and a host that stamps first packets up to 80 us late. Pairs leave 40 to 99 us apart, and
 * come that far apart but for so much of the 59. */
static int64_t behind_two(unsigned k)
{
    return k < 2 ? 30 * US : 560 * US;
}

/* In 80 us 26 of them would pass. */
static int64_t behind_two_at_once(unsigned k)
{
    return k < 2 ? 3 * US : 560 * US;
}

/* Six packets: a turn has two frames and a packet. */
static int64_t behind_five(unsigned k)
{
    return k < 5 ? 30 * US : 560 * US;
}

/* And leave it between packets of others, which take 140 us, now and then. */
static int64_t behind_five_and_others(unsigned k)
{
    return behind_five(k) + (k >= 5 && rng_below(&rng, 4) == 0 ? 140 * US : 0);
}

static void give_late_pairs(int64_t follows_of_100, gap_of *train)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t pair_ns[2] = {0}, more_ns = rng_below(&rng, 60) * US;

        if (i % EIGHT == 0) {
            give_train(train, LONG, turn_ns());
            continue;
        }
        feed.departure_ns = 40 * US + more_ns;
        pair_ns[1] = 20 * US + rng_below(&rng, 4) * US + more_ns * follows_of_100 / 100;
        give(&feed, pair_ns, 2, turn_ns());
    }
}

START_TEST(pairs_that_come_as_they_left_meet_no_turns)
{
    give_late_pairs(100, behind_two);
    assert_capacity(&feed, STATE_SHAPED, 8e12 / 560e3);
}
END_TEST

START_TEST(pairs_that_come_alike_may_be_in_turns)
{
    give_late_pairs(0, behind_two);
    assert_may_be_turns();
}
END_TEST

START_TEST(what_comes_at_once_is_faster_than_any_turn)
{
    give_late_pairs(0, behind_two_at_once);
    assert_capacity(&feed, STATE_SHAPED, 8e12 / 560e3);
}
END_TEST

/* A quantum of two packets, that an interrupt takes together, and another flow's in between: nobody says what one of ours
 * takes, but first packets wait for one of the other's. */
static int64_t two_at_once(unsigned k)
{
    return k < 2 ? US : 400 * US;
}

START_TEST(pairs_that_come_at_once_may_be_in_turns)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(two_at_once, i % EIGHT ? 2 : LONG, rng_below(&rng, 200) * US);
    assert_may_be_turns();
}
END_TEST

/* And so may heads of trains, before there are twenty waits. */
START_TEST(heads_that_come_at_once_may_be_in_turns)
{
    for (unsigned i = 0; i < 12; i++)
        give_train(two_at_once, LONG, i * 7 % 12 * 17 * US);
    assert_may_be_turns();
}
END_TEST

START_TEST(pairs_that_come_at_once_and_wait_for_nothing_are_from_a_bucket)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        give_train(two_at_once, i % EIGHT ? 2 : LONG, 0);
    assert_capacity(&feed, STATE_SHAPED, 20e6);
}
END_TEST

START_TEST(what_is_longer_than_a_turn_is_a_bucket)
{
    give_late_pairs(0, behind_five);
    assert_capacity(&feed, STATE_SHAPED, 8e12 / 560e3);
}
END_TEST

START_TEST(what_others_lengthen_behind_a_bucket_may_be_in_turns)
{
    give_late_pairs(0, behind_five_and_others);
    assert_may_be_turns();
}
END_TEST

/* A packet of 1518 bytes takes 120 us, and one of the only other flow as long; first stamps are late by that much.
 * Pairs of 1514 bytes, and of 759, are the quantum's. */
static void give_half_late(int64_t late_ns)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0};

        feed.bytes = i % EIGHT == 5 ? 759 : i % EIGHT == 3 ? 1514 : 1518;
        offsets_ns[1] = feed.bytes * 120 * US / 1518 + (feed.bytes == 1518) * 120 * US - late_ns;
        for (unsigned k = 2; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + 240 * US;
        feed.departure_ns = US;
        give(&feed, offsets_ns, i % EIGHT ? 2 : LONG, turn_ns() * 3 / 2);
    }
}

#define HALF_LATE_BPS (1518 * 8e9 / 120e3)

/* A packet takes 120 us, and two others share the link; one of theirs gets between two of ours, and none where these
 * have half the size. First stamps are late by 15 us, more or less, so that waits spread over 140. 90 us for ours and
 * 135 for theirs would explain gaps of 45, 225 and 360 us, but no frame is half as long again. */
START_TEST(others_are_no_longer_than_a_frame)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0, 225 * US};

        feed.bytes = i % EIGHT == 5 ? 759 : 1518;
        offsets_ns[1] -= feed.bytes == 759 ? 180 * US : 0;
        for (unsigned k = 2; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + 360 * US;
        feed.departure_ns = US;
        give(&feed, offsets_ns, i % EIGHT ? 2 : LONG, turn_ns() * 7 / 4);
    }
    ck_assert(!estimate_is_sure(&feed.estimate));
}
END_TEST

START_TEST(late_first_stamps_take_as_much_from_short_packets)
{
    give_half_late(10 * US);
    ck_assert_double_le(feed.estimate.low_bps, HALF_LATE_BPS);
    ck_assert_double_ge(feed.estimate.high_bps, HALF_LATE_BPS);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, HALF_LATE_BPS, 0.06 * HALF_LATE_BPS);
}
END_TEST

START_TEST(half_of_a_link_with_stamps_in_time)
{
    give_half_late(0);
    assert_capacity(&feed, STATE_FAIR, HALF_LATE_BPS);
}
END_TEST

/* The link adds 20 bytes to each of those packets: to one of 759 bytes twice as large a part. */
START_TEST(what_a_link_adds_is_no_time_of_full_packets)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0};

        feed.bytes = i % EIGHT == 5 ? 759 : i % EIGHT == 3 ? 1514 : 1518;
        offsets_ns[1] = (feed.bytes + 20) * 120 * US / 1538 + (feed.bytes == 1518) * 120 * US;
        for (unsigned k = 2; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + 240 * US;
        feed.departure_ns = US;
        give(&feed, offsets_ns, i % EIGHT ? 2 : LONG, turn_ns() * 3 / 2);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_FAIR);
    ck_assert_double_le(feed.estimate.low_bps, HALF_LATE_BPS);
    ck_assert_double_ge(feed.estimate.high_bps, HALF_LATE_BPS);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, HALF_LATE_BPS, 0.001 * HALF_LATE_BPS);
}
END_TEST

/* A shaper of 600 us a packet whose bucket spares the second one a part of that, and smaller ones all of it: these come
 * 40 us apart, as they left. A late host makes first packets wait evenly for up to 70. With seven others whose packets
 * take 65 us to our 75 gaps of 335 and 600 would fit turns, too. */
static void give_from_bucket(unsigned pair_us)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        int64_t offsets_ns[LONG] = {0};
        bool half = i % EIGHT == 5;

        feed.bytes = half ? 759 : 1518;
        feed.departure_ns = half ? 40 * US : 75 * US;
        offsets_ns[1] = half ? 40 * US : pair_us * US;
        for (unsigned k = 2; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + 600 * US;
        give(&feed, offsets_ns, i % EIGHT ? 2 : LONG, turn_ns() * 7 / 8);
    }
}

#define BUCKET_BPS (1518 * 8e9 / 600e3)

START_TEST(pairs_out_of_a_bucket_are_no_turns)
{
    give_from_bucket(335);
    ck_assert(estimate_is_sure(&feed.estimate));
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, BUCKET_BPS, 0.01 * BUCKET_BPS);
}
END_TEST

/* Half of a train's gap: one other would have it. */
START_TEST(pairs_out_of_a_bucket_may_be_turns)
{
    give_from_bucket(300);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_le(feed.estimate.low_bps, BUCKET_BPS);
    ck_assert_double_ge(feed.estimate.high_bps, 2 * BUCKET_BPS * 0.99);
}
END_TEST

/* Packets of 1518 bytes take 120 us on the link, and a shaper has 480: so have three others beside, but not from the
 * 13th packet on, now and then sooner. */
START_TEST(thirteen_packets_are_no_turn)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++) {
        unsigned knee = 10 + rng_below(&rng, 4);
        int64_t offsets_ns[LONG] = {0};

        feed.bytes = i % EIGHT == 5 ? 759 : 1518;
        for (unsigned k = 1; k < LONG; k++)
            offsets_ns[k] = offsets_ns[k - 1] + (k < knee ? feed.bytes * 120 * US / 1518 : 480 * US);
        feed.departure_ns = US;
        give(&feed, offsets_ns, i % EIGHT ? 2 : LONG, turn_ns() * 3 / 2);
    }
    ck_assert_int_ne(feed.estimate.state, STATE_FAIR);
}
END_TEST

/* --- Rates that vary --- */

START_TEST(delay_and_gap_grow_together)
{
    for (unsigned i = 0; i < 160; i++) {
        int64_t gap_ns = (700 + rng_below(&rng, 200)) * US;

        give_pair(&feed, gap_ns, gap_ns - 700 * US);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_RATE_VARIES);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 0.5e6);
}
END_TEST

/* --- A policer --- */

/* Of 64 packets, 80 us apart, 20 pass and then every tenth, or none. */
static void swap_behind_head(void)
{
    uint16_t position = feed.packets[21].position;

    feed.packets[21].position = feed.packets[22].position;
    feed.packets[22].position = position;
}

static bool swapped;      /* two behind the head overtook one another */
static unsigned rows = 1; /* of so many the packets behind it come that the policer lets pass */

static void give_cut(int64_t departure_ns, bool holes, bool none)
{
    int64_t sent_ns = INT64_C(1700000000000000000) + feed.trains * 200 * MS;
    unsigned n = 0;

    for (unsigned i = 0; i < LONG; i++) {
        if (i >= 20 && (none || i % (10 * rows) < 9 || i % (10 * rows) >= 9 + rows))
            continue;
        feed.packets[n] = (struct sample_packet){.offset_ns = (holes ? i : n) * 80 * US,
                                                 .bytes = BYTES,
                                                 .position = (uint16_t)i,
                                                 .follows = n > 0 && i < 20};
        n++;
    }
    if (swapped)
        swap_behind_head();
    feed.sample = (struct sample){
        .time_ns = sent_ns + 5 * MS,
        .sent_ns = sent_ns,
        .departure_span_ns = departure_ns,
        .train = feed.trains++,
        .sent = LONG,
        .received = (uint16_t)n,
        .packet_bytes = BYTES,
        .packets = feed.packets,
    };
    dispersion_measure(&feed.sample);
    feed.filter->push(feed.state, &feed.sample);
    feed.filter->estimate(feed.state, &feed.estimate);
}

static void give_policed(int64_t departure_ns, bool holes, bool none)
{
    for (unsigned i = 0; i < EIGHT * ROUNDS; i++)
        if (i % EIGHT)
            give_train(at_the_link, 2, 0);
        else
            give_cut(departure_ns, holes, none);
}

/* A tenth of 100 Mbit/s; 20 packets less what came while they passed, 0.1 each. */
START_TEST(holes_tell_a_policer)
{
    give_policed(63 * 8 * US, true, false);
    assert_capacity(&feed, STATE_POLICED, 100e6);
    ck_assert_double_eq_tol(feed.estimate.policed_bps, 10e6, 0.1e6);
    ck_assert_double_eq_tol(feed.estimate.policed_burst_bytes, 18500, 600);
}
END_TEST

/* Its tokens come at ticks, of two packets each: 29, 30, 49 and 50 pass, two of those in the time of 20. */
START_TEST(rows_between_holes_tell_a_policer_with_ticks)
{
    rows = 2;
    give_policed(63 * 8 * US, true, false);
    rows = 1;
    assert_capacity(&feed, STATE_POLICED, 100e6);
    ck_assert_double_eq_tol(feed.estimate.policed_bps, 10e6, 0.1e6);
}
END_TEST

START_TEST(holes_tell_a_policer_behind_which_packets_overtake)
{
    swapped = true;
    give_policed(63 * 8 * US, true, false);
    swapped = false;
    assert_capacity(&feed, STATE_POLICED, 100e6);
    ck_assert_double_eq_tol(feed.estimate.policed_bps, 10e6, 0.1e6);
}
END_TEST

/* Before the link: 8 us apart there, a tenth of them is 100 Mbit/s, what the link carries: a
 * queue that was full. */
START_TEST(a_full_queue_is_no_policer)
{
    give_policed(63 * 8 * US, false, false);
    ck_assert_int_ne(feed.estimate.state, STATE_POLICED);
    ck_assert_double_eq(feed.estimate.policed_bps, 0);
}
END_TEST

/* All 43 leave within 61 us: while the queue that they find full sends its first packet. */
START_TEST(a_full_queue_sends_nothing_meanwhile)
{
    give_policed(90 * US, false, true);
    assert_capacity(&feed, STATE_CONVERGED, 100e6);
}
END_TEST

/* 40 us apart there: of 44 packets behind the head a full queue would have sent 22, and 4 came. No
 * arrival tells when they passed, so no rate is told. */
START_TEST(too_few_for_a_full_queue)
{
    give_policed(63 * 40 * US, false, false);
    assert_capacity(&feed, STATE_POLICED, 100e6);
    ck_assert_double_eq(feed.estimate.policed_bps, 0);
    ck_assert_double_eq_tol(feed.estimate.policed_burst_bytes, 20500, 1);
}
END_TEST

Suite *filters_access_suite(void)
{
    Suite *suite = suite_create("filters_access");
    TCase *tcase = tcase_create("access");

    tcase_add_checked_fixture(tcase, filters_access_setup, filters_access_teardown);
    tcase_add_test(tcase, each_packet_waits_by_itself);
    tcase_add_test(tcase, where_first_packets_wait_it_is_traffic);
    tcase_add_test(tcase, what_follows_a_pause_is_the_rate);
    tcase_add_test(tcase, what_an_interrupt_holds_back_is_no_pause);
    tcase_add_test(tcase, one_cycle_and_a_late_stamp_are_no_bucket);
    tcase_add_test(tcase, half_a_line_is_what_passes_while_it_is_open);
    tcase_add_test(tcase, few_trains_through_a_gate_are_a_doubt);
    tcase_add_test(tcase, where_nobody_waits_there_is_no_gate);
    tcase_add_test(tcase, a_receiver_that_sleeps_shows_the_last_link);
    tcase_add_test(tcase, waits_that_follow_one_another_are_a_queue);
    tcase_add_test(tcase, pairs_a_little_smaller_go_in_one_turn);
    tcase_add_test(tcase, turns_behind_a_full_ring);
    tcase_add_test(tcase, turns_behind_a_ring_that_runs_empty);
    tcase_add_test(tcase, small_packets_go_several_in_one_turn);
    tcase_add_test(tcase, what_waits_for_longer_than_a_frame_is_no_turn);
    tcase_add_test(tcase, late_first_stamps_are_error_of_small_packets);
    tcase_add_test(tcase, pairs_alike_are_no_turns);
    tcase_add_test(tcase, trains_that_traffic_lengthens_are_no_proof);
    tcase_add_test(tcase, a_packet_at_each_tick_is_no_turn);
    tcase_add_test(tcase, first_gaps_behind_even_waits_are_no_bucket);
    tcase_add_test(tcase, even_waits_of_a_slow_sender_are_no_bucket);
    tcase_add_test(tcase, even_waits_of_an_unknown_sender_are_no_bucket);
    tcase_add_test(tcase, gaps_that_are_alike_behind_even_waits_are_no_rate);
    tcase_add_test(tcase, gaps_in_proportion_behind_even_waits_are_a_rate);
    tcase_add_test(tcase, packets_that_never_wait_for_more_than_one_go_first);
    tcase_add_test(tcase, packets_that_wait_for_several_meet_a_bucket);
    tcase_add_test(tcase, what_a_few_bytes_change_is_no_link);
    tcase_add_test(tcase, what_a_few_bytes_do_not_change_is_one);
    tcase_add_test(tcase, short_waits_of_few_packets_are_no_bucket);
    tcase_add_test(tcase, few_waits_that_are_near_each_other_are_no_bucket);
    tcase_add_test(tcase, one_long_train_may_be_in_turns);
    tcase_add_test(tcase, waits_far_shorter_than_a_turn_are_no_turn);
    tcase_add_test(tcase, gaps_that_differ_by_a_packet_are_no_ticks);
    tcase_add_test(tcase, first_gaps_of_packets_that_wait_for_nothing_are_a_bucket);
    tcase_add_test(tcase, closer_than_the_link_is_no_turn);
    tcase_add_test(tcase, pairs_that_come_as_they_left_meet_no_turns);
    tcase_add_test(tcase, pairs_that_come_alike_may_be_in_turns);
    tcase_add_test(tcase, what_comes_at_once_is_faster_than_any_turn);
    tcase_add_test(tcase, pairs_that_come_at_once_may_be_in_turns);
    tcase_add_test(tcase, heads_that_come_at_once_may_be_in_turns);
    tcase_add_test(tcase, pairs_that_come_at_once_and_wait_for_nothing_are_from_a_bucket);
    tcase_add_test(tcase, what_is_longer_than_a_turn_is_a_bucket);
    tcase_add_test(tcase, what_others_lengthen_behind_a_bucket_may_be_in_turns);
    tcase_add_test(tcase, others_are_no_longer_than_a_frame);
    tcase_add_test(tcase, late_first_stamps_take_as_much_from_short_packets);
    tcase_add_test(tcase, what_a_link_adds_is_no_time_of_full_packets);
    tcase_add_test(tcase, pairs_out_of_a_bucket_are_no_turns);
    tcase_add_test(tcase, pairs_out_of_a_bucket_may_be_turns);
    tcase_add_test(tcase, thirteen_packets_are_no_turn);
    tcase_add_test(tcase, half_of_a_link_with_stamps_in_time);
    tcase_add_test(tcase, first_packets_wait_for_one_of_the_others);
    tcase_add_test(tcase, gaps_with_others_in_between_tell_the_link);
    tcase_add_test(tcase, others_may_have_shorter_packets);
    tcase_add_test(tcase, gaps_with_none_at_the_link_do_not_tell_it);
    tcase_add_test(tcase, delay_and_gap_grow_together);
    tcase_add_test(tcase, holes_tell_a_policer);
    tcase_add_test(tcase, rows_between_holes_tell_a_policer_with_ticks);
    tcase_add_test(tcase, holes_tell_a_policer_behind_which_packets_overtake);
    tcase_add_test(tcase, a_full_queue_is_no_policer);
    tcase_add_test(tcase, a_full_queue_sends_nothing_meanwhile);
    tcase_add_test(tcase, too_few_for_a_full_queue);
    suite_add_tcase(suite, tcase);
    return suite;
}
