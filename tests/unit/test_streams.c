/* SPDX-License-Identifier: BSD-3-Clause */
/* Many senders, senders that begin anew, and more of them than there is room. */
#include "pprec/lib/handle.h"
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <string.h>

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;

static void streams_set_up(void)
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

/* Four streams, two of one address; they end after ten seconds. */
static void set_up_bounded(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.streams_max = 4;
    config.address_streams_max = 2;
    config.idle_s = 10;
    feed_start_with(&feed, config);
}

static void streams_tear_down(void)
{
    feed_end(&feed);
}

static struct pprec_summary streams_summary_of(uint32_t stream)
{
    struct pprec_summary summary;

    for (size_t i = 0; ask_summary(feed.pprec, i, &summary) == PPREC_OK; i++)
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
    ck_assert_uint_eq(streams_summary_of(0x5eed).counts.packets, 8);
    ck_assert_uint_eq(streams_summary_of(0xbee).counts.packets, 4);
    ck_assert_uint_eq(streams_summary_of(0xbee).counts.lost, 0);
    ck_assert_uint_eq(streams_summary_of(0xbee).counts.reordered, 0);
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
    feed_assert_counts(&feed,
                       (struct pprec_counts){.trains = 71, .usable = 71, .packets = 51 * 4 - 1 + 20 * 4});
}
END_TEST

/* Sent before the newest train: late, however far behind. */
START_TEST(an_old_train_is_no_restart)
{
    send_run(10, 30, 0);
    send_run(12, 13, 0); /* copies */
    send_run(3, 4, 0);
    feed_assert_counts(
        &feed, (struct pprec_counts){.trains = 20, .usable = 20, .packets = 88, .reordered = 8, .late = 8});
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
    feed.pattern.source =
        (struct pprec_endpoint){.address = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}, .port = 5000, .ip = 6};
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

/* Whether the packet was taken; if not it was refused for want of room. */
static bool try_packet_as(uint32_t stream, unsigned position, int64_t ns)
{
    struct pprec_arrival arrival;
    uint64_t refused = pprec_refused(feed.pprec, PPREC_REASON_ROOM);
    int status;

    feed.pattern.stream = stream;
    arrival = feed_arrival(&feed, 0, position, ns);
    status = pprec_push(feed.pprec, &arrival);
    ck_assert(status == PPREC_OK || status == PPREC_EREFUSED);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_ROOM) - refused, status != PPREC_OK);
    return status == PPREC_OK;
}

START_TEST(the_longest_idle_goes)
{
    for (uint32_t stream = 1; stream <= 4; stream++)
        send_train_as(stream, 0, T(stream));
    send_train_as(1, 1, T(5)); /* now 2 is the longest idle */
    ck_assert_uint_eq(feed.summaries, 0);
    send_train_as(5, 0, T(7));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].stream, 2);
    ck_assert_uint_eq(streams_summary_of(1).counts.trains, 2);
}
END_TEST

START_TEST(what_never_measured_goes_first_and_silently)
{
    send_train_as(1, 0, T(1)); /* the longest idle, but proven */
    for (uint32_t stream = 2; stream <= 4; stream++)
        send_packet_as(stream, T(stream));
    send_packet_as(5, T(7));
    send_packet_as(6, T(8));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(feed.summaries, 0);
    ck_assert_uint_eq(streams_summary_of(1).counts.packets, 4);
    ck_assert_uint_eq(streams_summary_of(4).counts.packets, 1);
}
END_TEST

START_TEST(what_is_pushed_out_tells_its_trains)
{
    feed.pattern.stream = 1;
    feed_train(&feed, 0, T(0));
    feed_part(&feed, 1, 0, 3, T(1));
    for (uint32_t stream = 2; stream <= 5; stream++)
        send_train_as(stream, 0, T(stream + 1));
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
            try_packet_as(made_up++, 0, T(train) + 3 * FEED_GAP_NS + i * 1000);
    }
    ck_assert_uint_eq(feed.summaries, 0);
    ck_assert_uint_eq(streams_summary_of(1).counts.trains, 20);
    ck_assert_double_eq_tol(streams_summary_of(1).capacity.capacity_bps, 10e6, 1e-3);
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
        send_packet_as(stream, (stream + 1) * FEED_SECOND_NS);
    ck_assert_uint_eq(streams_summary_of(1).counts.packets, 3);
}
END_TEST

/* Pairs of streams that somebody made up, 2200 a second, each measured once: the stream that
 * was there before them keeps all its trains, and what had no room is counted. */
START_TEST(a_flood_of_pairs_does_not_push_out_a_measurement)
{
    uint32_t made_up = 0x10000, refused = 0;

    feed.length = 2;
    for (uint32_t train = 0; train < 60; train++) {
        send_train_as(1, train, T(train));
        for (int i = 1; i <= 1100; i++, made_up++)
            for (unsigned position = 0; position < 2; position++)
                refused +=
                    !try_packet_as(made_up, position, T(train) + (2 * i + (int)position) * (FEED_GAP_NS / 4));
    }
    ck_assert_uint_eq(streams_summary_of(1).counts.trains, 60);
    ck_assert_uint_gt(refused, 100000);
    for (size_t i = 0; i < feed.summaries; i++)
        ck_assert_uint_ne(feed.summary[i].stream, 1);
}
END_TEST

/* It measured for 20 s, so that it may be silent for 16 of them; made-up ones are not. */
START_TEST(what_has_lasted_may_be_silent_for_long)
{
    for (uint32_t train = 0; train <= 40; train++)
        send_train_as(1, train, T(train));
    for (int s = 21; s < 36; s++)
        for (uint32_t stream = 0; stream < 5; stream++)
            try_packet_as((uint32_t)s << 8 | stream, 0, s * FEED_SECOND_NS + stream);
    ck_assert_uint_eq(streams_summary_of(1).counts.trains, 41);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

/* Fifty minutes lie between its trains; for ten seconds' silence it has measured too little. */
START_TEST(two_trains_far_apart_do_not_last)
{
    send_train_as(1, 0, 0);
    send_train_as(1, 1, T(6000));
    for (uint32_t train = 0; train < 20; train++)
        for (uint32_t stream = 2; stream <= 4; stream++)
            send_train_as(stream, train, T(6001 + train) + stream * 10000000);
    ck_assert(try_packet_as(5, 0, T(6021)));
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].stream, 1);
}
END_TEST

/* A stream that goes on for as long as the made-up ones go on keeps its place, too. */
START_TEST(what_lasts_gives_way_to_nobody)
{
    for (uint32_t train = 0; train < 20; train++)
        for (uint32_t stream = 1; stream <= 4; stream++)
            send_train_as(stream, train, T(train) + stream * 10000000);
    for (uint32_t stream = 5; stream < 50; stream++)
        ck_assert(!try_packet_as(stream, 0, T(20)));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

/* --- No more than two streams of an address --- */

static void send_from(uint8_t host, uint16_t port, int64_t ns)
{
    feed.pattern.source = (struct pprec_endpoint){.address = {192, 0, 2, host}, .port = port, .ip = 4};
    send_train_as(7, 0, ns);
}

START_TEST(an_address_has_its_share)
{
    struct pprec_arrival third;

    send_from(1, 1, T(0));
    send_from(1, 2, T(1));
    send_from(2, 1, T(2));
    feed.pattern.source.address[3] = 1;
    feed.pattern.source.port = 3;
    third = feed_arrival(&feed, 0, 0, T(3));
    ck_assert_int_eq(pprec_push(feed.pprec, &third), PPREC_EREFUSED);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_CROWD), 1);
    send_from(2, 2, T(3)); /* another address has room */
    ck_assert_uint_eq(feed.summaries, 0);
    send_from(1, 3, T(5)); /* the first has been idle for long enough */
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].source.port, 1);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 4);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_ROOM), 0);
}
END_TEST

/* One host may have all addresses of its /64. */
START_TEST(an_ipv6_network_counts_as_one_address)
{
    struct pprec_arrival arrival;

    feed.pattern.source = (struct pprec_endpoint){.address = {0x20, 1}, .port = 1, .ip = 6};
    for (uint8_t host = 1; host <= 3; host++) {
        feed.pattern.source.address[15] = host;
        arrival = feed_arrival(&feed, 0, 0, 0);
        ck_assert_int_eq(pprec_push(feed.pprec, &arrival), host < 3 ? PPREC_OK : PPREC_EREFUSED);
    }
    feed.pattern.source.address[7] = 1;
    arrival = feed_arrival(&feed, 0, 0, 0);
    ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
}
END_TEST

/* --- Idle for too long: ten seconds --- */

static void tick_through(int64_t from_ns, int64_t end_ns)
{
    for (int64_t ns = from_ns; ns < end_ns; ns += FEED_SECOND_NS)
        feed_tick(&feed, ns);
}

START_TEST(an_idle_stream_ends)
{
    struct pprec_totals totals;

    send_train_as(1, 0, 0);
    send_packet_as(2, T(1)); /* of which there is nothing to tell */
    tick_through(0, 9 * FEED_SECOND_NS);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 2);
    send_packet_as(1, 9 * FEED_SECOND_NS); /* a copy is a sign of life */
    tick_through(9 * FEED_SECOND_NS, 18 * FEED_SECOND_NS);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    ck_assert_uint_eq(feed.summaries, 0);
    tick_through(18 * FEED_SECOND_NS, 21 * FEED_SECOND_NS);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].stream, 1);
    pprec_get_totals(feed.pprec, &totals);
    ck_assert_uint_eq(totals.streams_idle, 2);
    ck_assert_uint_eq(totals.streams_gone, 0);
    ck_assert_uint_eq(totals.counts.packets, 5);
}
END_TEST

/* With the default of an hour, a clock that is set forward by a day ages it by a minute. */
START_TEST(a_clock_that_is_set_ends_no_stream)
{
    feed_train(&feed, 0, 0);
    feed_tick(&feed, 86400 * FEED_SECOND_NS);
    feed_tick(&feed, 2 * 86400 * FEED_SECOND_NS);
    feed_tick(&feed, 0);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    tick_through(0, 3600 * FEED_SECOND_NS);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* --- Chosen names --- */

enum { CHOSEN = 500, OLD_BUCKETS = 2048 };

/* What everybody could read: FNV-1a's constants, word by word. */
static uint64_t streams_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* Ids that fell into one bucket. */
static uint32_t next_chosen(uint32_t id, const struct pprec_endpoint *source)
{
    uint32_t address;
    uint64_t hash;

    memcpy(&address, source->address, sizeof address);
    do {
        hash = streams_mix(UINT64_C(0xcbf29ce484222325),
                           (uint64_t)++id << 32 | (uint64_t)source->port << 8 | source->ip);
    } while (streams_mix(hash, address) % OLD_BUCKETS != 0);
    return id;
}

static unsigned streams_longest_chain(const struct streams *streams)
{
    unsigned longest = 0;

    for (size_t i = 0; i <= streams->bucket_mask; i++) {
        unsigned chain = 0;

        for (const struct stream *at = streams->buckets[i]; at != NULL; at = at->next_in_bucket)
            chain++;
        longest = chain > longest ? chain : longest;
    }
    return longest;
}

/* Of 500 random ones among 2048 buckets 12 in one is a chance of 1e-12. */
START_TEST(chosen_names_do_not_fall_together)
{
    uint32_t id = 0;

    for (unsigned i = 0; i < CHOSEN; i++) {
        id = next_chosen(id, &feed.pattern.source);
        send_packet_as(id, i * 1000);
    }
    ck_assert_uint_eq(pprec_streams(feed.pprec), CHOSEN);
    ck_assert_uint_lt(streams_longest_chain(&feed.pprec->streams), 12);
}
END_TEST

/* Found again after others were taken out from before, behind and beneath. */
START_TEST(streams_are_found_after_many_came_and_went)
{
    for (uint32_t stream = 1; stream <= 200; stream++) {
        send_train_as(stream, 0, T(2 * stream));
        ck_assert_uint_le(pprec_streams(feed.pprec), 4);
    }
    for (uint32_t stream = 197; stream <= 200; stream++)
        ck_assert_uint_eq(streams_summary_of(stream).counts.packets, 4);
    ck_assert_uint_eq(feed.summaries, 196);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.summaries, 200);
}
END_TEST

static void add_bounds(Suite *suite)
{
    TCase *bounded = tcase_create("bounded");
    TCase *plain = tcase_create("plain");

    tcase_add_checked_fixture(bounded, set_up_bounded, streams_tear_down);
    tcase_add_test(bounded, an_address_has_its_share);
    tcase_add_test(bounded, an_ipv6_network_counts_as_one_address);
    tcase_add_test(bounded, an_idle_stream_ends);
    suite_add_tcase(suite, bounded);
    tcase_add_checked_fixture(plain, streams_set_up, streams_tear_down);
    tcase_add_test(plain, a_clock_that_is_set_ends_no_stream);
    tcase_add_test(plain, chosen_names_do_not_fall_together);
    suite_add_tcase(suite, plain);
}

static void add_eviction(Suite *suite)
{
    TCase *room = tcase_create("room");

    tcase_add_checked_fixture(room, set_up_small, streams_tear_down);
    tcase_add_test(room, the_longest_idle_goes);
    tcase_add_test(room, what_never_measured_goes_first_and_silently);
    tcase_add_test(room, what_is_pushed_out_tells_its_trains);
    tcase_add_test(room, a_flood_does_not_push_out_a_measurement);
    tcase_add_test(room, a_flood_of_pairs_does_not_push_out_a_measurement);
    tcase_add_test(room, what_has_lasted_may_be_silent_for_long);
    tcase_add_test(room, two_trains_far_apart_do_not_last);
    tcase_add_test(room, what_lasts_gives_way_to_nobody);
    tcase_add_test(room, a_timed_out_train_proves_its_stream);
    tcase_add_test(room, streams_are_found_after_many_came_and_went);
    suite_add_tcase(suite, room);
}

Suite *streams_suite(void)
{
    Suite *suite = suite_create("streams");
    TCase *restart = tcase_create("restart");
    TCase *senders = tcase_create("senders");

    tcase_add_checked_fixture(restart, streams_set_up, streams_tear_down);
    tcase_add_test(restart, a_restart_under_a_new_name_is_a_new_stream);
    tcase_add_test(restart, a_restart_under_the_old_name_is_told_by_its_send_time);
    tcase_add_test(restart, an_old_train_is_no_restart);
    tcase_add_checked_fixture(senders, streams_set_up, streams_tear_down);
    tcase_add_test(senders, ports_and_addresses_tell_senders_apart);
    tcase_add_test(senders, senders_do_not_disturb_each_other);
    tcase_add_test(senders, ipv4_is_four_bytes);
    tcase_add_test(senders, ipv6_is_sixteen_bytes);
    suite_add_tcase(suite, restart);
    suite_add_tcase(suite, senders);
    add_eviction(suite);
    add_bounds(suite);
    return suite;
}
