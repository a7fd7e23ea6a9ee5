/* SPDX-License-Identifier: BSD-3-Clause */
/* Many senders, senders that begin anew, and more of them than there is room. */
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <string.h>

#define T(train) ((int64_t)(train) * FEED_SPACING_NS)

static struct feed feed;

static void set_up(void)
{
    feed_start(&feed);
}

static void set_up_small(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.streams_max = 4;
    feed_start_with(&feed, config);
}

static void tear_down(void)
{
    feed_end(&feed);
}

static struct pprec_summary summary_of(uint32_t stream)
{
    struct pprec_summary summary;

    for (size_t i = 0; pprec_summary(feed.pprec, i, &summary) == PPREC_OK; i++)
        if (summary.stream == stream)
            return summary;
    ck_abort_msg("no stream %08x", stream);
    return summary;
}

/* --- Restarts --- */

START_TEST(a_restart_under_a_new_name_is_a_new_stream)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 1, T(1));
    feed.pattern.stream = 0xbee;
    feed_train(&feed, 0, T(2));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 2);
    ck_assert_uint_eq(summary_of(0x5eed).counts.packets, 8);
    ck_assert_uint_eq(summary_of(0xbee).counts.packets, 4);
    ck_assert_uint_eq(summary_of(0xbee).counts.lost, 0);
    ck_assert_uint_eq(summary_of(0xbee).counts.reordered, 0);
}
END_TEST

static void send_run(uint32_t from, uint32_t end, int64_t start_ns)
{
    for (uint32_t train = from; train < end; train++) {
        feed.pattern.sent_ns = start_ns + T(train);
        feed_train(&feed, train, start_ns + T(train));
    }
}

/* The same id, the numbers from 0 again, sent later: nothing is late, reordered,
 * doubled or lost, and the last train before it is told. */
START_TEST(a_restart_under_the_old_name_is_told_by_its_send_time)
{
    send_run(0, 50, 0);
    feed_part(&feed, 50, 0, 3, T(50));
    send_run(0, 20, T(51)); /* before that train's time is up */
    ck_assert_uint_eq(feed.train[50].train, 50);
    ck_assert_uint_eq(feed.train[50].received, 3);
    ck_assert_uint_eq(feed.train[51].train, 0);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 71, .usable = 71,
                                                    .packets = 51 * 4 - 1 + 20 * 4, .lost = 1});
}
END_TEST

/* Sent before the newest train: late, however far behind. */
START_TEST(an_old_train_is_no_restart)
{
    send_run(10, 30, 0);
    send_run(12, 13, 0); /* copies */
    send_run(3, 4, 0);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 20, .usable = 20,
                                                    .packets = 88, .reordered = 8, .late = 8});
}
END_TEST

/* --- Senders --- */

START_TEST(ports_and_addresses_tell_senders_apart)
{
    struct pprec_endpoint first = feed.pattern.source;
    struct pprec_capacity capacity;

    feed_train(&feed, 0, T(0));
    feed.pattern.source.port++;
    feed_train(&feed, 0, T(1));
    feed.pattern.source.port--;
    feed.pattern.source.address[3]++;
    feed_train(&feed, 0, T(2));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 3);
    ck_assert_int_eq(pprec_estimate(feed.pprec, &first, 0x5eed, &capacity), PPREC_OK);
    ck_assert_int_eq(pprec_estimate(feed.pprec, &first, 0x5eee, &capacity), PPREC_EINVAL);
    first.port += 2;
    ck_assert_int_eq(pprec_estimate(feed.pprec, &first, 0x5eed, &capacity), PPREC_EINVAL);
}
END_TEST

/* Interleaved packet by packet, they do not disturb each other's gaps. */
START_TEST(senders_do_not_disturb_each_other)
{
    for (unsigned i = 0; i < 4; i++) {
        feed_packet(&feed, 0, i, i * FEED_GAP_NS);
        feed.pattern.source.port++;
        feed_packet(&feed, 0, i, i * FEED_GAP_NS + 1000);
        feed.pattern.source.port--;
    }
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_train(&feed, 1, 0, PPREC_VERDICT_OK, 4, 2400000);
}
END_TEST

/* "IPv4 takes the first 4 bytes of the address": what stands in the others does
 * not make another sender. */
START_TEST(ipv4_is_four_bytes)
{
    feed_part(&feed, 0, 0, 2, 0);
    memset(feed.pattern.source.address + 4, 0xaa, 12);
    feed_part(&feed, 0, 2, 4, 0);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
}
END_TEST

/* All 16 bytes of IPv6 count; 954 + 66 bytes at l2, so 3 * 1020 * 8 / 2.4 ms. */
START_TEST(ipv6_is_sixteen_bytes)
{
    feed.pattern.source = (struct pprec_endpoint){
        .address = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}, .port = 5000, .ip = 6};
    feed_train(&feed, 0, T(0));
    ck_assert_uint_eq(feed.train[0].size_bytes, 1020);
    ck_assert_double_eq_tol(feed.train[0].rate_bps, 10.2e6, 1e-3);
    feed.pattern.source.address[15]++;
    feed_train(&feed, 0, T(1));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 2);
}
END_TEST

/* --- More than there is room: streams_max is 4 --- */

static void send_train_as(uint32_t stream, uint32_t train, int64_t ns)
{
    feed.pattern.stream = stream;
    feed_train(&feed, train, ns);
}

static void send_packet_as(uint32_t stream, int64_t ns)
{
    feed.pattern.stream = stream;
    feed_packet(&feed, 0, 0, ns);
}

START_TEST(the_longest_idle_goes)
{
    for (uint32_t stream = 1; stream <= 4; stream++)
        send_train_as(stream, 0, T(stream));
    send_train_as(1, 1, T(5)); /* now 2 is the longest idle */
    ck_assert_uint_eq(feed.summaries, 0);
    send_train_as(5, 0, T(6));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].stream, 2);
    ck_assert_uint_eq(summary_of(1).counts.trains, 2);
}
END_TEST

START_TEST(what_never_measured_goes_first_and_silently)
{
    send_train_as(1, 0, T(1)); /* the longest idle, but proven */
    for (uint32_t stream = 2; stream <= 4; stream++)
        send_packet_as(stream, T(stream));
    send_packet_as(5, T(5));
    send_packet_as(6, T(6));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(feed.summaries, 0);
    ck_assert_uint_eq(summary_of(1).counts.packets, 4);
    ck_assert_uint_eq(summary_of(4).counts.packets, 1);
}
END_TEST

START_TEST(what_is_pushed_out_tells_its_trains)
{
    feed.pattern.stream = 1;
    feed_train(&feed, 0, T(0));
    feed_part(&feed, 1, 0, 3, T(1));
    for (uint32_t stream = 2; stream <= 5; stream++)
        send_train_as(stream, 0, T(1) + (int64_t)stream * 10000000);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].stream, 1);
    ck_assert_uint_eq(feed.summary[0].counts.trains, 2);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 1);
}
END_TEST

/* Between any two trains, and right after the first, a hundred made-up streams. */
START_TEST(a_flood_does_not_push_out_a_measurement)
{
    uint32_t made_up = 0x10000;

    for (uint32_t train = 0; train < 20; train++) {
        send_train_as(1, train, T(train));
        for (int i = 0; i < 100; i++)
            send_packet_as(made_up++, T(train) + 3 * FEED_GAP_NS + i * 1000);
    }
    ck_assert_uint_eq(feed.summaries, 0);
    ck_assert_uint_eq(summary_of(1).counts.trains, 20);
    ck_assert_double_eq_tol(summary_of(1).capacity.capacity_bps, 10e6, 1e-3);
}
END_TEST

/* A stream proven by the clock alone, no packet of it since. */
START_TEST(a_timed_out_train_proves_its_stream)
{
    feed.pattern.stream = 1;
    feed_part(&feed, 0, 0, 3, 0);
    feed_tick(&feed, 3 * FEED_SECOND_NS);
    ck_assert_uint_eq(feed.trains, 1);
    for (uint32_t stream = 2; stream <= 9; stream++)
        send_packet_as(stream, 3 * FEED_SECOND_NS + stream);
    ck_assert_uint_eq(summary_of(1).counts.packets, 3);
}
END_TEST

/* Found again after others were taken out from before, behind and beneath. */
START_TEST(streams_are_found_after_many_came_and_went)
{
    for (uint32_t stream = 1; stream <= 200; stream++) {
        send_train_as(stream, 0, T(stream));
        ck_assert_uint_le(pprec_streams(feed.pprec), 4);
    }
    for (uint32_t stream = 197; stream <= 200; stream++)
        ck_assert_uint_eq(summary_of(stream).counts.packets, 4);
    ck_assert_uint_eq(feed.summaries, 196);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.summaries, 200);
}
END_TEST

static void add_eviction(Suite *suite)
{
    TCase *room = tcase_create("room");

    tcase_add_checked_fixture(room, set_up_small, tear_down);
    tcase_add_test(room, the_longest_idle_goes);
    tcase_add_test(room, what_never_measured_goes_first_and_silently);
    tcase_add_test(room, what_is_pushed_out_tells_its_trains);
    tcase_add_test(room, a_flood_does_not_push_out_a_measurement);
    tcase_add_test(room, a_timed_out_train_proves_its_stream);
    tcase_add_test(room, streams_are_found_after_many_came_and_went);
    suite_add_tcase(suite, room);
}

Suite *streams_suite(void)
{
    Suite *suite = suite_create("streams");
    TCase *restart = tcase_create("restart");
    TCase *senders = tcase_create("senders");

    tcase_add_checked_fixture(restart, set_up, tear_down);
    tcase_add_test(restart, a_restart_under_a_new_name_is_a_new_stream);
    tcase_add_test(restart, a_restart_under_the_old_name_is_told_by_its_send_time);
    tcase_add_test(restart, an_old_train_is_no_restart);
    tcase_add_checked_fixture(senders, set_up, tear_down);
    tcase_add_test(senders, ports_and_addresses_tell_senders_apart);
    tcase_add_test(senders, senders_do_not_disturb_each_other);
    tcase_add_test(senders, ipv4_is_four_bytes);
    tcase_add_test(senders, ipv6_is_sixteen_bytes);
    suite_add_tcase(suite, restart);
    suite_add_tcase(suite, senders);
    add_eviction(suite);
    return suite;
}
