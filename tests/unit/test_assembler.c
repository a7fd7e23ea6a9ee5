/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains from packets: whole, lost, doubled, reordered. Trains of 4: a whole one
 * spans 3 * 800 = 2400 us. */
#include "tests/unit/feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;

static void assembler_set_up(void)
{
    feed_start(&feed);
}

static void assembler_tear_down(void)
{
    feed_end(&feed);
}

/* --- Whole trains and loss --- */

START_TEST(a_whole_train_is_told_at_once)
{
    const struct pprec_train *train = &feed.train[0];

    feed_part(&feed, 9, 0, 3, T(0));
    ck_assert_uint_eq(feed.trains, 0);
    feed_part(&feed, 9, 3, 4, T(0));
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 9, PPREC_VERDICT_OK, 4, 2400000);
    ck_assert_int_eq(train->time_ns, FEED_EPOCH_NS);
    ck_assert_mem_eq(&train->source, &feed.pattern.source, sizeof train->source);
    ck_assert_uint_eq(train->stream, 0x5eed);
    ck_assert_uint_eq(train->size_bytes, 1000);
    ck_assert_uint_eq(train->sent, 4);
    ck_assert_int_eq(train->departure_span_ns, PPREC_UNKNOWN_NS);
    ck_assert_double_eq_tol(train->rate_bps, 10e6, 1e-3); /* 3 * 8000 / 2.4 ms */
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 4});
}
END_TEST

static const struct {
    unsigned position;
    int64_t dispersion_ns; /* of the gaps that are left */
} losses[] = {
    {0, 1600000}, /* 1-2, 2-3 */
    {1, 800000},  /* 2-3 */
    {2, 800000},  /* 0-1 */
    {3, 1600000}, /* 0-1, 1-2 */
};

START_TEST(a_lost_packet_makes_the_train_partial)
{
    unsigned lost = losses[_i].position;

    feed_part(&feed, 0, 0, lost, T(0));
    feed_part(&feed, 0, lost + 1, 4, T(0));
    ck_assert_uint_eq(feed.trains, 0); /* it may still come */
    feed_train(&feed, 1, T(1));
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 3, losses[_i].dispersion_ns);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 2400000);
    ck_assert_double_eq_tol(feed.train[0].rate_bps, 10e6, 1e-3);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 7, .lost = 1});
}
END_TEST

/* Without a whole train behind it: the second train after it closes it. */
START_TEST(two_later_trains_close_a_partial_one)
{
    feed_part(&feed, 0, 0, 2, T(0));
    feed_part(&feed, 1, 0, 2, T(1));
    ck_assert_uint_eq(feed.trains, 0);
    feed_packet(&feed, 2, 0, T(2));
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 2, 800000);
}
END_TEST

/* Of 0 .. 3 only 0 and 3 come: 8 packets are missing in between. */
START_TEST(whole_trains_lost_are_counted_by_sequence)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 3, T(3));
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .lost = 8});
}
END_TEST

START_TEST(what_went_before_the_first_train_is_not_lost)
{
    feed_train(&feed, 1000, T(0));
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 4});
}
END_TEST

/* Two of the first train are lost; whether the last of the second one was sent, nobody knows. */
START_TEST(finish_tells_what_is_in_flight)
{
    feed_part(&feed, 0, 0, 2, T(0));
    feed_part(&feed, 1, 0, 3, T(1));
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 2, 800000);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 3, 1600000);
    ck_assert_uint_eq(feed.train[1].sent, 3);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].counts.trains, 2);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 2);
}
END_TEST

/* --- Duplicates --- */

/* The copy stands between 1 and 2: that gap is void, the others count. */
START_TEST(a_duplicate_at_once)
{
    feed_part(&feed, 0, 0, 2, T(0));
    feed_packet(&feed, 0, 1, T(0) + FEED_GAP_NS + 5000);
    feed_part(&feed, 0, 2, 4, T(0));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 1600000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 4, .duplicate = 1});
}
END_TEST

START_TEST(everything_doubled_leaves_no_gap)
{
    for (unsigned i = 0; i < 4; i++) {
        feed_packet(&feed, 0, i, T(0) + i * FEED_GAP_NS);
        feed_packet(&feed, 0, i, T(0) + i * FEED_GAP_NS + 5000);
    }
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_PARTIAL, 4, PPREC_UNKNOWN_NS);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .packets = 4, .duplicate = 4});
}
END_TEST

START_TEST(a_duplicate_after_the_train_was_told)
{
    feed_train(&feed, 0, T(0));
    feed_packet(&feed, 0, 3, T(0) + 4 * FEED_GAP_NS);
    feed_train(&feed, 1, T(1));
    feed_packet(&feed, 0, 0, T(1) + 4 * FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .duplicate = 2});
}
END_TEST

/* Between the packets of the next train it voids the gap there. */
START_TEST(a_duplicate_of_an_earlier_train_voids_a_gap)
{
    feed_train(&feed, 0, T(0));
    feed_part(&feed, 1, 0, 2, T(1));
    feed_packet(&feed, 0, 2, T(1) + FEED_GAP_NS + 5000);
    feed_part(&feed, 1, 2, 4, T(1));
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 1600000);
}
END_TEST

/* --- Reordering --- */

/* RFC 4737, section 3: only what comes after a larger number is reordered. */
START_TEST(reordering_inside_a_train)
{
    static const unsigned order[] = {0, 2, 1, 3};

    for (unsigned i = 0; i < 4; i++)
        feed_packet(&feed, 0, order[i], T(0) + i * FEED_GAP_NS);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_REORDERED, 4, PPREC_UNKNOWN_NS);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .packets = 4, .reordered = 1});
}
END_TEST

/* 3 comes first: 0, 1 and 2 were overtaken, and who knows what held them. */
START_TEST(one_early_packet_makes_the_others_reordered)
{
    static const unsigned order[] = {3, 0, 1, 2};

    for (unsigned i = 0; i < 4; i++)
        feed_packet(&feed, 0, order[i], T(0) + i * FEED_GAP_NS);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_REORDERED, 4, PPREC_UNKNOWN_NS);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .packets = 4, .reordered = 3});
}
END_TEST

/* 1 and 2 are held until 3 has passed and come at once: their gap is no gap. */
START_TEST(packets_held_together_do_not_follow)
{
    feed_packet(&feed, 0, 0, T(0));
    feed_packet(&feed, 0, 3, T(0) + 3 * FEED_GAP_NS);
    feed_packet(&feed, 0, 1, T(0) + 3 * FEED_GAP_NS + 1000);
    feed_packet(&feed, 0, 2, T(0) + 3 * FEED_GAP_NS + 2000);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_REORDERED, 4, PPREC_UNKNOWN_NS);
}
END_TEST

/* 0.0 0.1 0.2 1.0 0.3 1.1 1.2 1.3: the gaps 0.2-0.3 and 1.0-1.1 are void. */
START_TEST(reordering_across_trains)
{
    feed_part(&feed, 0, 0, 3, 0);
    feed_packet(&feed, 1, 0, 3 * FEED_GAP_NS);
    feed_packet(&feed, 0, 3, 4 * FEED_GAP_NS);
    for (unsigned i = 1; i < 4; i++)
        feed_packet(&feed, 1, i, (4 + i) * FEED_GAP_NS);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 1600000);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 1600000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .reordered = 1});
}
END_TEST

/* All of train 1 comes between 2.0 and 2.1: in time, and told before 2. */
START_TEST(a_train_overtaken_by_one_packet_is_in_time)
{
    feed_train(&feed, 0, 0);
    feed_packet(&feed, 2, 0, T(1));
    feed_train(&feed, 1, T(1) + FEED_GAP_NS);
    for (unsigned i = 1; i < 4; i++)
        feed_packet(&feed, 2, i, T(1) + (4 + i) * FEED_GAP_NS);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_train(&feed, 2, 2, PPREC_VERDICT_OK, 4, 1600000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 3, .usable = 3, .packets = 12, .reordered = 4});
}
END_TEST

/* --- Strangers --- */

static uint64_t strange(void)
{
    return pprec_refused(feed.pprec, PPREC_REASON_STRANGER);
}

/* A datagram that somebody made up, pushed at that time. */
static void push_stray(uint32_t train, uint32_t seq, uint16_t position, int64_t sent_ns, int64_t ns)
{
    struct pprec_arrival stray = feed_arrival(&feed, 0, position, ns);

    stray.train = train;
    stray.seq = seq;
    stray.sent_ns = sent_ns;
    ck_assert_int_eq(pprec_push(feed.pprec, &stray), PPREC_OK);
}

static const struct {
    uint32_t trains, packets; /* from train 10, packet 40 */
    int64_t sent_ns;
} strays[] = {
    {1000000000, 2, PPREC_UNKNOWN_NS}, /* the train alone */
    {1000000000, 2, INT64_MAX / 4},
    {1, 1000000000, 0},          /* the packet alone */
    {1000000000, 1000000000, 0}, /* both */
    {1, 0 - UINT32_C(1000000000), 0},
    {9, 38, INT64_MAX / 4},
    {0 - UINT32_C(10), 0 - UINT32_C(40), INT64_MAX / 4}, /* as if it had begun anew */
    {0 - UINT32_C(1000000000), 0 - UINT32_C(1000000000), INT64_MAX / 4},
};

/* One datagram with numbers from nowhere ends nothing: 250 trains, all told, none lost. */
START_TEST(one_stray_number_ends_nothing)
{
    for (uint32_t train = 0; train < 250; train++) {
        feed.pattern.sent_ns = T(train);
        feed_train(&feed, train, T(train));
        if (train == 10)
            push_stray(10 + strays[_i].trains, 40 + strays[_i].packets, 0, strays[_i].sent_ns,
                       T(train) + 10 * FEED_GAP_NS);
    }
    pprec_finish(feed.pprec);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 250, .usable = 250, .packets = 1000});
    ck_assert_uint_eq(strange(), 1);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 0);
}
END_TEST

/* A number that is not far costs no more trains than it is ahead. */
START_TEST(a_near_number_costs_few_trains)
{
    for (uint32_t train = 0; train < 250; train++) {
        feed.pattern.sent_ns = T(train);
        feed_train(&feed, train, T(train));
        if (train == 10)
            push_stray(18, 18 * 4, 0, INT64_MAX / 4, T(train) + 10 * FEED_GAP_NS);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_ge(feed_counts(&feed).usable, 250 - 8);
}
END_TEST

/* Two that go on from one another are believed; the stream shows up behind them. */
START_TEST(strays_that_go_on_cost_three_trains)
{
    for (uint32_t train = 0; train < 250; train++) {
        feed_train(&feed, train, T(train));
        for (uint32_t i = 0; train == 10 && i < 20; i++) {
            push_stray(1000000000 * (1 + i % 4), 1000000000, 0, PPREC_UNKNOWN_NS,
                       T(train) + (10 + 2 * i) * FEED_GAP_NS);
            push_stray(1000000000 * (1 + i % 4), 1000000001, 1, PPREC_UNKNOWN_NS,
                       T(train) + (11 + 2 * i) * FEED_GAP_NS);
        }
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_ge(feed_counts(&feed).usable, 250 - 3);
    ck_assert_uint_lt(feed_counts(&feed).lost, 100);
}
END_TEST

/* So does a stream of which somebody made up the first packet. */
START_TEST(a_stray_that_came_first)
{
    push_stray(0x7fffffff, 12345, 0, INT64_MAX / 4, 0);
    for (uint32_t train = 0; train < 50; train++) {
        feed.pattern.sent_ns = T(train);
        feed_train(&feed, train, T(train + 1));
    }
    ck_assert_uint_ge(feed_counts(&feed).usable, 50 - 3);
}
END_TEST

/* Two that go on from one another are a stream that went far while nobody listened, and
 * the first of them is not lost. */
START_TEST(a_number_that_goes_on_is_no_stray)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 0x60000000, T(2));
    feed_assert_train(&feed, 1, 0x60000000, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8});
    ck_assert_uint_eq(strange(), 0);
}
END_TEST

/* Of the stream, near its place, where it will be, or from anywhere; several in a row go on
 * from one another. */
static void push_made_up(struct rng *rng, uint32_t train, int64_t ns)
{
    struct pprec_arrival forged = feed_arrival(&feed, 0, (unsigned)rng_below(rng, 4), ns);
    uint32_t near_by = rng_below(rng, 40);

    forged.train = rng_percent(rng, 50) ? train + near_by - 20 : (uint32_t)rng_next(rng);
    forged.seq = (rng_percent(rng, 50) ? 4 * forged.train : (uint32_t)rng_next(rng)) + forged.position;
    forged.sent_ns = rng_percent(rng, 30) ? PPREC_UNKNOWN_NS
        : rng_percent(rng, 50)            ? T(train)
                                          : (int64_t)(rng_next(rng) >> 3);
    for (uint32_t more = rng_below(rng, 5); more < 5; more++) {
        pprec_push(feed.pprec, &forged);
        forged.seq++;
        forged.position = (uint16_t)((forged.position + 1) % 4);
        forged.train += forged.position == 0;
    }
}

enum { MADE_UP_UNTIL = 60, BACK_AT = MADE_UP_UNTIL + 12, TO_THE_END = BACK_AT + 20 };

/* Whatever somebody made up, twelve trains after the last of it the stream is itself. */
START_TEST(a_stream_comes_back_from_anywhere)
{
    struct rng rng = rng_start("a_stream_comes_back_from_anywhere");
    size_t before = 0;

    for (unsigned run = 0; run < 300; run++) {
        for (uint32_t train = 0; train < TO_THE_END; train++) {
            feed.pattern.sent_ns = run % 2 == 0 ? T(train) : PPREC_UNKNOWN_NS;
            for (unsigned i = 0; i < 4; i++) {
                struct pprec_arrival arrival = feed_arrival(&feed, train, i, T(train) + i * FEED_GAP_NS);

                pprec_push(feed.pprec, &arrival);
            }
            if (train == BACK_AT)
                before = feed.trains;
            for (uint32_t i = rng_below(&rng, 4); train < MADE_UP_UNTIL && i > 0; i--)
                push_made_up(&rng, train, T(train) + (10 + i) * FEED_GAP_NS);
        }
        ck_assert_uint_le(feed.trains, FEED_KEPT);
        ck_assert_uint_ge(feed.trains - before, TO_THE_END - BACK_AT - 2);
        for (size_t i = before; i < feed.trains; i++) {
            ck_assert_uint_eq(feed.train[i].received, 4);
            ck_assert_uint_gt(feed.train[i].train, BACK_AT - 3);
            ck_assert_uint_lt(feed.train[i].train, TO_THE_END);
            ck_assert_int_ne(feed.train[i].verdict, PPREC_VERDICT_LATE);
        }
        assembler_tear_down();
        assembler_set_up();
    }
}
END_TEST

/* After an hour without a packet, what was lost is counted. */
START_TEST(an_outage_is_counted)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 7200, T(7200));
    feed_assert_counts(&feed,
                       (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .lost = 7199 * 4});
}
END_TEST

Suite *assembler_suite(void)
{
    Suite *suite = suite_create("assembler");
    TCase *whole = tcase_create("whole_and_lost");
    TCase *strangers = tcase_create("strangers");
    TCase *order = tcase_create("doubled_and_reordered");

    tcase_add_checked_fixture(strangers, assembler_set_up, assembler_tear_down);
    tcase_add_loop_test(strangers, one_stray_number_ends_nothing, 0, sizeof strays / sizeof strays[0]);
    tcase_add_test(strangers, a_near_number_costs_few_trains);
    tcase_add_test(strangers, strays_that_go_on_cost_three_trains);
    tcase_add_test(strangers, a_stray_that_came_first);
    tcase_add_test(strangers, a_number_that_goes_on_is_no_stray);
    tcase_add_test(strangers, a_stream_comes_back_from_anywhere);
    tcase_add_test(strangers, an_outage_is_counted);
    suite_add_tcase(suite, strangers);
    tcase_add_checked_fixture(whole, assembler_set_up, assembler_tear_down);
    tcase_add_test(whole, a_whole_train_is_told_at_once);
    tcase_add_loop_test(whole, a_lost_packet_makes_the_train_partial, 0, 4);
    tcase_add_test(whole, two_later_trains_close_a_partial_one);
    tcase_add_test(whole, whole_trains_lost_are_counted_by_sequence);
    tcase_add_test(whole, what_went_before_the_first_train_is_not_lost);
    tcase_add_test(whole, finish_tells_what_is_in_flight);
    tcase_add_checked_fixture(order, assembler_set_up, assembler_tear_down);
    tcase_add_test(order, a_duplicate_at_once);
    tcase_add_test(order, everything_doubled_leaves_no_gap);
    tcase_add_test(order, a_duplicate_after_the_train_was_told);
    tcase_add_test(order, a_duplicate_of_an_earlier_train_voids_a_gap);
    tcase_add_test(order, reordering_inside_a_train);
    tcase_add_test(order, one_early_packet_makes_the_others_reordered);
    tcase_add_test(order, packets_held_together_do_not_follow);
    tcase_add_test(order, reordering_across_trains);
    tcase_add_test(order, a_train_overtaken_by_one_packet_is_in_time);
    suite_add_tcase(suite, whole);
    suite_add_tcase(suite, order);
    return suite;
}
