/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a train is waited for: for its rest, and for the sender's word on its
 * departure. Packets that stay alone. And clocks that step, or that are two. */
#include "tests/unit/feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)
#define MS(ms) ((int64_t)(ms)*1000000)

static struct feed feed;

static void waiting_set_up(void)
{
    feed_start(&feed);
}

static void waiting_tear_down(void)
{
    feed_end(&feed);
}

/* --- For the rest of a train --- */

/* Two seconds after its last packet and eight of its gaps (6.4 ms) more. */
START_TEST(an_incomplete_train_ends_by_time)
{
    feed_part(&feed, 0, 0, 2, 0);
    feed_tick(&feed, MS(1000));
    feed_tick(&feed, MS(2005));
    ck_assert_uint_eq(feed.trains, 0);
    feed_tick(&feed, MS(2010));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 2, 800000);
    feed_tick(&feed, MS(9000));
    ck_assert_uint_eq(feed.trains, 1); /* once */
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 2, .lost = 2});
}
END_TEST

START_TEST(a_lone_packet_ends_by_time)
{
    feed_packet(&feed, 0, 2, 0);
    feed_tick(&feed, MS(1999));
    ck_assert_uint_eq(feed.trains, 0);
    feed_tick(&feed, MS(2000));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
}
END_TEST

/* A packet a second, 8 kbit/s: 2 + 8 * 1 s of patience. */
START_TEST(a_slow_path_is_given_time)
{
    feed_packet(&feed, 0, 0, 0);
    feed_packet(&feed, 0, 1, MS(1000));
    feed_tick(&feed, MS(1000) + MS(9999));
    ck_assert_uint_eq(feed.trains, 0);
    feed_packet(&feed, 0, 2, MS(1000) + MS(9999)); /* and it is still of use */
    feed_packet(&feed, 0, 3, MS(2000) + MS(9999));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, MS(2000) + MS(9999));
}
END_TEST

/* Ten seconds a packet is as slow as it gets: 82 s at most, not 2 + 8 * 17. */
START_TEST(patience_has_an_end)
{
    feed_packet(&feed, 0, 0, 0);
    feed_packet(&feed, 0, 1, MS(1900));
    feed_packet(&feed, 0, 2, MS(1900) + MS(17000)); /* 17.2 s were granted */
    feed_tick(&feed, MS(18900) + MS(81999));
    ck_assert_uint_eq(feed.trains, 0);
    feed_tick(&feed, MS(18900) + MS(82000));
    ck_assert_uint_eq(feed.trains, 1);
}
END_TEST

/* Another stream's packets are enough to let time pass. */
START_TEST(time_passes_with_other_streams)
{
    feed_part(&feed, 0, 0, 2, 0);
    feed.pattern.stream++;
    feed_packet(&feed, 0, 0, MS(2000));
    ck_assert_uint_eq(feed.trains, 0);
    feed_packet(&feed, 0, 1, MS(2101)); /* looked over every 100 ms */
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].stream, 0x5eed);
}
END_TEST

START_TEST(what_comes_after_the_end_is_late)
{
    feed_part(&feed, 0, 0, 2, 0);
    feed_packet(&feed, 0, 2, MS(5000));
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_counts(&feed,
                       (struct pprec_counts){.trains = 1, .usable = 1, .packets = 3, .lost = 2, .late = 1});
}
END_TEST

/* --- Packets alone --- */

/* Of a train that announces no length; numbers go on from the last one's, as RTP's do. */
static void push_open(uint32_t train, uint32_t seq, uint16_t position)
{
    struct pprec_arrival arrival = feed_arrival(&feed, train, position, T(train) + position * FEED_GAP_NS);

    arrival.seq = seq;
    arrival.train_length = 0;
    ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
}

START_TEST(packets_alone_are_no_trains)
{
    for (uint32_t train = 0; train < 10; train++)
        push_open(train, train, 0);
    push_open(10, 10, 0);
    push_open(10, 11, 1);
    push_open(11, 14, 0); /* after two that are lost */
    pprec_finish(feed.pprec);
    feed_assert_train(&feed, 0, 10, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].capacity.trains, 1);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 13, .lost = 2});
}
END_TEST

/* Nor are they when others have overtaken them. */
START_TEST(a_late_packet_alone_is_no_train)
{
    push_open(0, 0, 0);
    push_open(0, 1, 1);
    push_open(5, 4, 0);
    push_open(5, 5, 1);
    push_open(6, 6, 0);
    push_open(4, 3, 0);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_counts(
        &feed,
        (struct pprec_counts){.trains = 2, .usable = 2, .packets = 6, .lost = 2, .reordered = 1, .late = 1});
}
END_TEST

START_TEST(a_packet_whose_train_is_known_is_not_alone)
{
    feed_packet(&feed, 0, 0, 0); /* of 4 */
    push_open(1, 5, 1);          /* the second of two or more */
    pprec_finish(feed.pprec);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
    ck_assert_uint_eq(feed.train[1].sent, 2);
}
END_TEST

/* --- For the departure --- */

/* A sender that tells departures: train n carries that of train n - 1. */
static void send_timed(uint32_t train, int64_t ns, int64_t departure_span_ns)
{
    feed.pattern.sent_ns = 5 + ns; /* a clock of its own */
    feed.pattern.departure_train = train - 1;
    feed.pattern.departure_span_ns = departure_span_ns;
    feed_train(&feed, train, ns);
}

START_TEST(a_train_waits_for_its_departure)
{
    send_timed(0, T(0), PPREC_UNKNOWN_NS); /* nobody can tell yet */
    ck_assert_uint_eq(feed.trains, 0);
    send_timed(1, T(1), 60000);
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
    ck_assert_int_eq(feed.train[0].departure_span_ns, 60000);
    send_timed(2, T(2), 70000);
    ck_assert_uint_eq(feed.trains, 2);
    ck_assert_int_eq(feed.train[1].departure_span_ns, 70000);
}
END_TEST

/* It left as wide as it came: 2400 us, and up to 2640. */
START_TEST(a_departure_as_wide_is_the_senders)
{
    send_timed(0, T(0), PPREC_UNKNOWN_NS);
    send_timed(1, T(1), 2400000);
    send_timed(2, T(2), 2181000); /* 1.1 * 2181 = 2399.1: just not */
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_SENDER_LIMITED, 4, 2400000);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 2400000);
    ck_assert_uint_eq(feed_counts(&feed).usable, 1);
}
END_TEST

START_TEST(a_sender_that_does_not_tell_is_not_waited_for)
{
    send_timed(0, T(0), PPREC_UNKNOWN_NS);
    ck_assert_uint_eq(feed.trains, 0);
    send_timed(1, T(1), PPREC_UNKNOWN_NS);
    ck_assert_uint_eq(feed.trains, 2);
    ck_assert_int_eq(feed.train[0].departure_span_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(the_first_departure_is_waited_for_a_second)
{
    send_timed(0, 0, PPREC_UNKNOWN_NS);
    feed_tick(&feed, MS(1000)); /* the last packet came at 2.4 ms */
    ck_assert_uint_eq(feed.trains, 0);
    feed_tick(&feed, MS(1003));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
    send_timed(1, MS(2000), 60000); /* too late for train 0 */
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_int_eq(feed.train[0].departure_span_ns, PPREC_UNKNOWN_NS);
}
END_TEST

/* Five times the spacing of the trains, 500 ms. */
START_TEST(later_departures_are_waited_for_by_spacing)
{
    send_timed(0, T(0), PPREC_UNKNOWN_NS);
    send_timed(1, T(1), 60000);
    feed_tick(&feed, T(1) + MS(2500));
    ck_assert_uint_eq(feed.trains, 1);
    feed_tick(&feed, T(1) + MS(2503));
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 2400000);
}
END_TEST

/* Trains 4 ms apart: five spacings are no time. The first two wait for a second, as they may be two by chance ... */
START_TEST(two_departures_at_once_are_waited_for_a_second)
{
    send_timed(0, MS(0), PPREC_UNKNOWN_NS);
    send_timed(1, MS(4), 60000);
    feed_tick(&feed, MS(6) + MS(1000));
    ck_assert_uint_eq(feed.trains, 1);
    feed_tick(&feed, MS(7) + MS(1000));
    ck_assert_uint_eq(feed.trains, 2);
}
END_TEST

/* ... and after fifty of them the last one for 100 ms. */
START_TEST(a_departure_is_waited_for_100_ms_at_least)
{
    for (uint32_t train = 0; train < 50; train++)
        send_timed(train, MS(4) * train, train > 0 ? 60000 : PPREC_UNKNOWN_NS);
    feed_tick(&feed, MS(4) * 49 + MS(102));
    ck_assert_uint_eq(feed.trains, 49);
    feed_tick(&feed, MS(4) * 49 + MS(103));
    ck_assert_uint_eq(feed.trains, 50);
}
END_TEST

/* The last look was 99 ms ago, and none is due with this packet; but the train is. */
START_TEST(a_departure_that_comes_too_late_is_not_taken)
{
    send_timed(0, 0, PPREC_UNKNOWN_NS);
    feed_tick(&feed, MS(960));
    send_timed(1, MS(1020), 60000);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
    ck_assert_int_eq(feed.train[0].departure_span_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(a_partial_train_gets_its_departure_too)
{
    send_timed(0, T(0), PPREC_UNKNOWN_NS);
    feed.pattern.departure_train = 0;
    feed.pattern.departure_span_ns = 60000;
    feed_part(&feed, 1, 0, 3, T(1));
    send_timed(2, T(2), 2400000); /* 2 of 3 gaps: 1600 us, as they left */
    send_timed(3, T(3), 60000);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_SENDER_LIMITED, 3, 1600000);
    ck_assert_int_eq(feed.train[1].departure_span_ns, 2400000);
}
END_TEST

START_TEST(a_departure_of_no_train_in_sight_is_ignored)
{
    feed.pattern.departure_train = 77;
    feed.pattern.departure_span_ns = 60000;
    feed_train(&feed, 0, T(0));
    feed.pattern.departure_train = 1; /* its own: not an earlier train */
    feed_train(&feed, 1, T(1));
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.trains, 2);
    ck_assert_int_eq(feed.train[0].departure_span_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(feed.train[1].departure_span_ns, PPREC_UNKNOWN_NS);
}
END_TEST

/* --- Who looks when --- */

enum { LOOKED_TRAINS = 300 };

struct looked {
    int64_t sent_ns[LOOKED_TRAINS];
    uint8_t came[LOOKED_TRAINS]; /* a bit for each packet */
};

/* At random: 2 s apart on average, every fourth behind a train that left just before. One packet in 20 is lost. */
static void looked_send(struct looked *looked, struct rng *rng)
{
    int64_t ns = 0;

    for (unsigned train = 0; train < LOOKED_TRAINS; train++) {
        unsigned most_ms = rng_percent(rng, 25) ? 10 : rng_percent(rng, 10) ? 20000 : 3000;

        ns += MS(5 + rng_below(rng, most_ms));
        looked->sent_ns[train] = ns;
        looked->came[train] = 0;
        for (unsigned i = 0; i < 4; i++)
            looked->came[train] |= (uint8_t)(!rng_percent(rng, 5) << i);
    }
}

/* Time passes in steps of tick_ns, 0: with the packets alone, as in a capture. */
static void looked_take(struct feed *to, const struct looked *looked, int64_t tick_ns)
{
    int64_t now_ns = looked->sent_ns[0];

    feed_start(to);
    for (uint32_t train = 0; train < LOOKED_TRAINS; train++) {
        for (; tick_ns > 0 && now_ns < looked->sent_ns[train]; now_ns += tick_ns)
            feed_tick(to, now_ns);
        to->pattern.sent_ns = 5 + looked->sent_ns[train];
        to->pattern.departure_train = train - 1;
        to->pattern.departure_span_ns = train > 0 ? 60000 : PPREC_UNKNOWN_NS;
        for (unsigned i = 0; i < 4; i++)
            if (looked->came[train] & 1U << i)
                feed_packet(to, train, i, looked->sent_ns[train] + i * FEED_GAP_NS);
    }
    pprec_finish(to->pprec);
}

/* A capture tells what was told live, whatever the steps in which time passed there. */
START_TEST(whoever_looks_when_gets_the_same_trains)
{
    static const int64_t ticks_ns[] = {MS(7), MS(10), MS(33), MS(90), MS(99), MS(250), MS(1900)};
    struct rng rng = rng_start("whoever_looks_when_gets_the_same_trains");
    static struct looked looked;
    static struct feed live;
    unsigned told = 0;

    looked_send(&looked, &rng);
    looked_take(&live, &looked, ticks_ns[_i % 7]);
    waiting_tear_down();
    looked_take(&feed, &looked, 0);
    ck_assert_uint_eq(feed.trains, live.trains);
    for (size_t i = 0; i < feed.trains; i++) {
        feed_assert_train(&live, i, feed.train[i].train, feed.train[i].verdict, feed.train[i].received,
                          feed.train[i].dispersion_ns);
        ck_assert_int_eq(live.train[i].departure_span_ns, feed.train[i].departure_span_ns);
        told += feed.train[i].departure_span_ns != PPREC_UNKNOWN_NS;
    }
    feed_assert_counts(&live, feed_counts(&feed));
    ck_assert_uint_gt(told, LOOKED_TRAINS / 2);
    ck_assert_uint_lt(told, feed.trains - 1); /* some came too late */
    feed_end(&live);
}
END_TEST

/* --- Clocks --- */

START_TEST(a_step_back_between_trains_harms_nothing)
{
    feed_train(&feed, 0, MS(3600000));
    feed_train(&feed, 1, 0);
    feed_train(&feed, 2, T(1));
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 3, .usable = 3, .packets = 12});
}
END_TEST

/* Between 1 and 2: that gap is void, 0-1 and 2-3 are not. */
START_TEST(a_step_back_inside_a_train_voids_one_gap)
{
    feed_part(&feed, 0, 0, 2, MS(3600000));
    feed_part(&feed, 0, 2, 4, 0);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 1600000);
    ck_assert_double_eq_tol(feed.train[0].rate_bps, 10e6, 1e-3);
}
END_TEST

/* The wait for what was in flight at the step starts anew with the clock. */
START_TEST(after_a_step_back_time_still_passes)
{
    feed_part(&feed, 0, 0, 2, MS(3600000));
    feed.pattern.stream++;
    feed_part(&feed, 0, 0, 2, 0);
    feed_tick(&feed, MS(2100));
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].stream, 0x5eee);
    feed.pattern.stream--;
    feed_train(&feed, 1, MS(3000));
    ck_assert_uint_eq(feed.trains, 3);
    ck_assert_uint_eq(feed.train[1].train, 0);
}
END_TEST

/* With arrivals alone: those of another stream, for 2.2 s of the new time. */
START_TEST(after_a_step_back_time_passes_with_arrivals)
{
    feed_train(&feed, 0, MS(3600000));
    feed_part(&feed, 1, 0, 2, 0);
    feed.pattern.stream++;
    feed_packet(&feed, 0, 0, MS(1100));
    feed_packet(&feed, 0, 1, MS(2200));
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_PARTIAL, 2, 800000);
}
END_TEST

START_TEST(a_step_forth_between_trains_harms_nothing)
{
    feed_train(&feed, 0, 0);
    feed_train(&feed, 1, MS(3600000));
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8});
}
END_TEST

/* Stamps at either end of what is taken: nothing overflows, nothing is used. */
START_TEST(the_longest_step_there_is)
{
    const int64_t most_ns = (INT64_C(1) << 62) - 1;

    for (unsigned i = 0; i < 4; i++)
        feed_packet(&feed, 0, i, (i % 2 != 0 ? most_ns : -most_ns) - FEED_EPOCH_NS);
    feed_tick(&feed, most_ns - FEED_EPOCH_NS);
    feed_tick(&feed, -most_ns - FEED_EPOCH_NS);
    pprec_tick(feed.pprec, INT64_MAX);
    pprec_tick(feed.pprec, INT64_MIN);
    feed_train(&feed, 1, 0);
    ck_assert_uint_eq(feed_counts(&feed).usable, 1);
}
END_TEST

/* Two clocks never make a gap, not even when a third packet is back on the first. */
START_TEST(gaps_across_clocks_are_void)
{
    feed_packet(&feed, 0, 0, 0);
    feed.pattern.received.clock = PPREC_CLOCK_ADAPTER;
    feed_packet(&feed, 0, 1, 700000);
    feed.pattern.received.clock = PPREC_CLOCK_REALTIME;
    feed_packet(&feed, 0, 2, 1600000);
    feed_packet(&feed, 0, 3, 2400000);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 800000); /* 2-3 */
}
END_TEST

/* The same clock read by the kernel and by a program: microseconds apart. */
START_TEST(gaps_across_stamp_sources_are_void)
{
    feed_packet(&feed, 0, 0, 0);
    feed_packet(&feed, 0, 1, 800000);
    feed.pattern.received.source = PPREC_TIMESTAMPS_USER;
    feed_packet(&feed, 0, 2, 1700000);
    feed_packet(&feed, 0, 3, 2500000);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 1600000); /* 0-1, 2-3 */
}
END_TEST

/* A stream on the adapter's clock, 50 years behind, is not timed out by another
 * on the host's. */
START_TEST(one_clock_does_not_time_the_other)
{
    feed.pattern.received.clock = PPREC_CLOCK_ADAPTER;
    feed_part(&feed, 0, 0, 2, -FEED_EPOCH_NS);
    feed.pattern.stream++;
    feed.pattern.received.clock = PPREC_CLOCK_REALTIME;
    feed_part(&feed, 0, 0, 2, 0);
    ck_assert_uint_eq(feed.trains, 0);
    feed_tick(&feed, MS(2100)); /* of the last arrival's clock */
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].stream, 0x5eee);
}
END_TEST

static void add_departure(Suite *suite)
{
    TCase *departure = tcase_create("departure");

    tcase_add_checked_fixture(departure, waiting_set_up, waiting_tear_down);
    tcase_add_test(departure, a_train_waits_for_its_departure);
    tcase_add_test(departure, a_departure_as_wide_is_the_senders);
    tcase_add_test(departure, a_sender_that_does_not_tell_is_not_waited_for);
    tcase_add_test(departure, the_first_departure_is_waited_for_a_second);
    tcase_add_test(departure, later_departures_are_waited_for_by_spacing);
    tcase_add_test(departure, two_departures_at_once_are_waited_for_a_second);
    tcase_add_test(departure, a_departure_is_waited_for_100_ms_at_least);
    tcase_add_test(departure, a_departure_that_comes_too_late_is_not_taken);
    tcase_add_test(departure, a_partial_train_gets_its_departure_too);
    tcase_add_test(departure, a_departure_of_no_train_in_sight_is_ignored);
    suite_add_tcase(suite, departure);
}

static void add_looks(Suite *suite)
{
    TCase *looks = tcase_create("looks");

    tcase_add_checked_fixture(looks, waiting_set_up, waiting_tear_down);
    tcase_add_loop_test(looks, whoever_looks_when_gets_the_same_trains, 0, 7);
    suite_add_tcase(suite, looks);
}

static void add_alone(Suite *suite)
{
    TCase *alone = tcase_create("alone");

    tcase_add_checked_fixture(alone, waiting_set_up, waiting_tear_down);
    tcase_add_test(alone, packets_alone_are_no_trains);
    tcase_add_test(alone, a_late_packet_alone_is_no_train);
    tcase_add_test(alone, a_packet_whose_train_is_known_is_not_alone);
    suite_add_tcase(suite, alone);
}

static void add_clocks(Suite *suite)
{
    TCase *clocks = tcase_create("clocks");

    tcase_add_checked_fixture(clocks, waiting_set_up, waiting_tear_down);
    tcase_add_test(clocks, a_step_back_between_trains_harms_nothing);
    tcase_add_test(clocks, a_step_back_inside_a_train_voids_one_gap);
    tcase_add_test(clocks, after_a_step_back_time_still_passes);
    tcase_add_test(clocks, after_a_step_back_time_passes_with_arrivals);
    tcase_add_test(clocks, a_step_forth_between_trains_harms_nothing);
    tcase_add_test(clocks, the_longest_step_there_is);
    tcase_add_test(clocks, gaps_across_clocks_are_void);
    tcase_add_test(clocks, gaps_across_stamp_sources_are_void);
    tcase_add_test(clocks, one_clock_does_not_time_the_other);
    suite_add_tcase(suite, clocks);
}

Suite *waiting_suite(void)
{
    Suite *suite = suite_create("waiting");
    TCase *rest = tcase_create("rest");

    tcase_add_checked_fixture(rest, waiting_set_up, waiting_tear_down);
    tcase_add_test(rest, an_incomplete_train_ends_by_time);
    tcase_add_test(rest, a_lone_packet_ends_by_time);
    tcase_add_test(rest, a_slow_path_is_given_time);
    tcase_add_test(rest, patience_has_an_end);
    tcase_add_test(rest, time_passes_with_other_streams);
    tcase_add_test(rest, what_comes_after_the_end_is_late);
    suite_add_tcase(suite, rest);
    add_alone(suite);
    add_departure(suite);
    add_looks(suite);
    add_clocks(suite);
    return suite;
}
