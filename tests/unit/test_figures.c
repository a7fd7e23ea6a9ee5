/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a stream by hand: jitter, reordering, percentiles, intervals. */
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <math.h>

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;

static void figures_set_up(void)
{
    feed_start(&feed);
}

static void figures_tear_down(void)
{
    feed_end(&feed);
}

static struct pprec_summary summary_now(void)
{
    struct pprec_summary summary;

    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    return summary;
}

/* --- Delay and packets of a train --- */

START_TEST(no_send_time_no_delay)
{
    feed_train(&feed, 0, T(0));
    ck_assert_int_eq(feed.train[0].delay_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(delay_is_that_of_packet_0)
{
    feed.pattern.sent_ns = FEED_EPOCH_NS + 1000;
    feed_train(&feed, 0, 0); /* the sender's clock is ahead */
    feed.pattern.sent_ns = FEED_EPOCH_NS + T(1);
    feed_part(&feed, 1, 1, 4, T(1)); /* its packet 0 is lost */
    feed_tick(&feed, T(10));
    ck_assert_uint_eq(feed.trains, 2);
    ck_assert_int_eq(feed.train[0].delay_ns, -1000);
    ck_assert_int_eq(feed.train[1].delay_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(packets_come_in_the_order_of_arrival)
{
    static const unsigned order[] = {0, 2, 1, 3};

    for (unsigned i = 0; i < 4; i++)
        feed_packet(&feed, 0, order[i], i * FEED_GAP_NS);
    feed_packet(&feed, 0, 3, 4 * FEED_GAP_NS); /* a copy */
    ck_assert_uint_eq(feed.trains, 1);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(feed.packet[i].position, order[i]);
        ck_assert_int_eq(feed.packet[i].offset_ns, i * FEED_GAP_NS);
        ck_assert_uint_eq(feed.packet[i].bytes, FEED_PAYLOAD_BYTES + 46);
    }
    feed.train[0].packets = NULL; /* gone with the callback */
    ck_assert_int_eq(pprec_train_packet(&feed.train[0], 0, &feed.packet[0]), PPREC_EINVAL);
}
END_TEST

/* --- Jitter --- */

START_TEST(no_send_times_no_jitter)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 1, T(1) + 5000);
    ck_assert_int_eq(summary_now().jitter_ns, PPREC_UNKNOWN_NS);
}
END_TEST

/* RFC 3550, section 6.4.1: J += (|D| - J) / 16. Transit times of 1000, 1160, 1000
 * and 1000 us:  |D| = 160: J = 10 us;  |D| = 160: 10 + 150 / 16 = 19.375 us;
 * |D| = 0: 19.375 - 19.375 / 16 = 18.1640625 us. The sender's clock is a year off. */
START_TEST(jitter_by_hand)
{
    static const int64_t transit_us[] = {1000, 1160, 1000, 1000};
    static const double jitter_ns[] = {0, 10000, 19375, 18164.0625};

    for (uint32_t train = 0; train < 4; train++) {
        feed.pattern.sent_ns = FEED_EPOCH_NS + T(train) - 31536000 * FEED_SECOND_NS;
        feed_train(&feed, train, T(train) + transit_us[train] * 1000);
        ck_assert_double_eq_tol((double)summary_now().jitter_ns, jitter_ns[train], 1);
    }
}
END_TEST

/* The others of a train are spaced by the path, not late by it. */
START_TEST(jitter_is_of_first_packets)
{
    for (uint32_t train = 0; train < 4; train++) {
        feed.pattern.sent_ns = T(train);
        feed_packet(&feed, train, 0, T(train));
        for (unsigned i = 1; i < 4; i++)
            feed_packet(&feed, train, i, T(train) + i * (1 + train) * FEED_GAP_NS);
    }
    ck_assert_int_eq(summary_now().jitter_ns, 0);
}
END_TEST

/* Transit times on two clocks are not compared. */
START_TEST(jitter_is_of_one_clock)
{
    feed.pattern.sent_ns = 0;
    feed_train(&feed, 0, T(0));
    feed.pattern.received.clock = PPREC_CLOCK_ADAPTER;
    feed.pattern.sent_ns = T(1);
    feed_train(&feed, 1, T(1) + 777777);
    ck_assert_int_eq(summary_now().jitter_ns, 0);
}
END_TEST

/* The largest transit times there can be: no overflow. */
START_TEST(jitter_of_nonsense)
{
    const int64_t most_ns = (INT64_C(1) << 62) - 1;

    feed.pattern.sent_ns = -most_ns;
    feed_train(&feed, 0, most_ns - FEED_EPOCH_NS - 3 * FEED_GAP_NS);
    feed.pattern.sent_ns = most_ns;
    feed_train(&feed, 1, -most_ns - FEED_EPOCH_NS);
    ck_assert_int_ge(summary_now().jitter_ns, 0);
}
END_TEST

/* Every filter, of every train: nothing overflows (a sanitizer would say), and what
 * comes out are numbers. */
START_TEST(filters_take_nonsense)
{
    const int64_t most_ns = (INT64_C(1) << 62) - 1;

    for (size_t i = 0; pprec_filter_name(i) != NULL; i++) {
        struct pprec_config config;

        pprec_config_init(&config);
        config.filter = pprec_filter_name(i);
        feed_end(&feed);
        feed_start_with(&feed, config);
        for (uint32_t train = 0; train < 200; train++) {
            int64_t end_ns = most_ns - (int64_t)(train + 1) * FEED_SPACING_NS;

            feed.pattern.sent_ns = train % 2 ? -end_ns : end_ns;
            feed_train(&feed, train, -feed.pattern.sent_ns - FEED_EPOCH_NS);
        }
        ck_assert(isfinite(summary_now().capacity.capacity_bps));
        ck_assert(isfinite(summary_now().capacity.low_bps));
        ck_assert(isfinite(summary_now().capacity.high_bps));
    }
}
END_TEST

/* --- Reordering --- */

/* RFC 4737, section 3.3: s < NextExp, which follows the largest seen. Of
 * 0 1 4 2 3 5 7 6 the numbers 2, 3 and 6 are reordered. */
START_TEST(reordering_by_hand)
{
    static const unsigned order[] = {0, 1, 4, 2, 3, 5, 7, 6};

    feed.length = 8;
    for (unsigned i = 0; i < 8; i++)
        feed_packet(&feed, 0, order[i], i * FEED_GAP_NS);
    ck_assert_uint_eq(feed_counts(&feed).reordered, 3);
}
END_TEST

/* A copy is not reordered, whenever it comes. */
START_TEST(duplicates_are_not_reordered)
{
    feed_part(&feed, 0, 0, 3, 0);
    feed_packet(&feed, 0, 0, 3 * FEED_GAP_NS);
    ck_assert_uint_eq(feed_counts(&feed).reordered, 0);
    ck_assert_uint_eq(feed_counts(&feed).duplicate, 1);
}
END_TEST

/* --- Rates, stamps, states --- */

/* Pairs at 1 to 5 Mbit/s: of n numbers the quantile at p lies at 1 + (n - 1) p. */
START_TEST(percentiles_by_hand)
{
    struct pprec_summary summary;

    feed.length = 2;
    for (uint32_t mbps = 1; mbps <= 5; mbps++) {
        feed_packet(&feed, mbps, 0, T(mbps));
        feed_packet(&feed, mbps, 1, T(mbps) + 8000000 / mbps); /* 3: 2.666666 ms */
    }
    summary = summary_now();
    ck_assert_double_eq_tol(summary.rate_p05_bps, 1.2e6, 1);
    ck_assert_double_eq_tol(summary.rate_p50_bps, 3e6, 1);
    ck_assert_double_eq_tol(summary.rate_p95_bps, 4.8e6, 1);
    ck_assert_double_eq(summary.adr_bps, 0); /* no long train */
    ck_assert_double_eq_tol(summary.capacity.capacity_bps, 3e6, 1);
    ck_assert_int_eq(summary.capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_int_eq(summary.time_to_converge_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(the_least_trustworthy_stamp_is_told)
{
    feed_train(&feed, 0, T(0));
    ck_assert_int_eq(summary_now().timestamps, PPREC_TIMESTAMPS_KERNEL);
    feed.pattern.received.source = PPREC_TIMESTAMPS_USER;
    feed_train(&feed, 1, T(1));
    feed.pattern.received.source = PPREC_TIMESTAMPS_HARDWARE;
    feed_train(&feed, 2, T(2));
    ck_assert_int_eq(summary_now().timestamps, PPREC_TIMESTAMPS_USER);
}
END_TEST

START_TEST(a_train_of_another_length_is_foreign_size)
{
    struct pprec_config config;

    feed_end(&feed);
    pprec_config_init(&config);
    config.train_length = 8;
    feed_start_with(&feed, config);
    feed_train(&feed, 0, T(0));
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_FOREIGN_SIZE, 4, 2400000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .packets = 4});
}
END_TEST

/* By more than headers differ (filters/dispersion.h). */
START_TEST(mixed_sizes_are_foreign_size)
{
    feed_part(&feed, 0, 0, 2, 0);
    feed.pattern.payload_bytes += FEED_PAYLOAD_BYTES / 50;
    feed_part(&feed, 0, 2, 4, 0);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_FOREIGN_SIZE, 4, 2400000);
    ck_assert_uint_eq(feed_counts(&feed).usable, 0);
}
END_TEST

/* --- Intervals --- */

static struct pprec_cursor cursor; /* of the test's only reader */

static struct pprec_summary interval_now(void)
{
    struct pprec_summary summary;

    ck_assert_int_eq(ask_interval(feed.pprec, 0, &cursor, &summary), PPREC_OK);
    return summary;
}

static void push_foreign(int count)
{
    struct pprec_stamp received = {FEED_EPOCH_NS, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};

    while (count-- > 0)
        pprec_push_datagram(feed.pprec, &feed.pattern.source, NULL, "junk", 4, 4, received);
}

static void assert_interval(struct pprec_counts want, uint64_t foreign)
{
    struct pprec_summary got = interval_now();

    ck_assert_uint_eq(got.counts.trains, want.trains);
    ck_assert_uint_eq(got.counts.usable, want.usable);
    ck_assert_uint_eq(got.counts.packets, want.packets);
    ck_assert_uint_eq(got.counts.lost, want.lost);
    ck_assert_uint_eq(got.counts.duplicate, want.duplicate);
    ck_assert_uint_eq(got.counts.reordered, want.reordered);
    ck_assert_uint_eq(got.counts.late, want.late);
    ck_assert_uint_eq(got.foreign, foreign);
}

/* Every counter over the interval alone; the totals stay what they are. */
START_TEST(intervals_count_from_the_last)
{
    push_foreign(5); /* before there was a stream */
    feed_train(&feed, 0, T(0));
    push_foreign(2);
    assert_interval((struct pprec_counts){.trains = 1, .usable = 1, .packets = 4}, 2);
    feed_part(&feed, 1, 0, 3, T(1));
    feed_packet(&feed, 1, 1, T(1) + 4 * FEED_GAP_NS);
    feed_train(&feed, 2, T(2));
    feed_packet(&feed, 1, 3, T(2) + 4 * FEED_GAP_NS);
    push_foreign(3);
    assert_interval(
        (struct pprec_counts){
            .trains = 2, .usable = 2, .packets = 8, .lost = 1, .duplicate = 1, .reordered = 1, .late = 1},
        3);
    assert_interval((struct pprec_counts){.trains = 0}, 0);
    ck_assert_uint_eq(summary_now().counts.packets, 12);
    ck_assert_uint_eq(summary_now().foreign, 10);
}
END_TEST

START_TEST(no_summary_past_the_last)
{
    struct pprec_summary summary;

    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_EINVAL);
    feed_train(&feed, 0, T(0));
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(ask_summary(feed.pprec, 1, &summary), PPREC_EINVAL);
    ck_assert_int_eq(ask_interval(feed.pprec, 1, &cursor, &summary), PPREC_EINVAL);
}
END_TEST

static void add_intervals(Suite *suite)
{
    TCase *intervals = tcase_create("intervals");

    tcase_add_checked_fixture(intervals, figures_set_up, figures_tear_down);
    tcase_add_test(intervals, intervals_count_from_the_last);
    tcase_add_test(intervals, no_summary_past_the_last);
    suite_add_tcase(suite, intervals);
}

Suite *figures_suite(void)
{
    Suite *suite = suite_create("figures");
    TCase *jitter = tcase_create("jitter");
    TCase *order = tcase_create("order");
    TCase *rates = tcase_create("rates");

    tcase_add_checked_fixture(jitter, figures_set_up, figures_tear_down);
    tcase_add_test(jitter, no_send_time_no_delay);
    tcase_add_test(jitter, delay_is_that_of_packet_0);
    tcase_add_test(jitter, packets_come_in_the_order_of_arrival);
    tcase_add_test(jitter, no_send_times_no_jitter);
    tcase_add_test(jitter, jitter_by_hand);
    tcase_add_test(jitter, jitter_is_of_first_packets);
    tcase_add_test(jitter, jitter_is_of_one_clock);
    tcase_add_test(jitter, jitter_of_nonsense);
    tcase_add_test(jitter, filters_take_nonsense);
    tcase_add_checked_fixture(order, figures_set_up, figures_tear_down);
    tcase_add_test(order, reordering_by_hand);
    tcase_add_test(order, duplicates_are_not_reordered);
    tcase_add_checked_fixture(rates, figures_set_up, figures_tear_down);
    tcase_add_test(rates, percentiles_by_hand);
    tcase_add_test(rates, the_least_trustworthy_stamp_is_told);
    tcase_add_test(rates, a_train_of_another_length_is_foreign_size);
    tcase_add_test(rates, mixed_sizes_are_foreign_size);
    suite_add_tcase(suite, jitter);
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, rates);
    add_intervals(suite);
    return suite;
}
