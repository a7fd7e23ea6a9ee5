/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own socket: from probes on the loopback interface to trains. */
#include "common/auth.h"
#include "common/stamp.h"
#include "common/wire.h"
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static struct feed feed;
static struct loopback sender;

static int socket_listen_on(int ip, enum pprec_timestamps timestamps)
{
    struct pprec_socket_options options;

    pprec_socket_options_init(&options);
    options.ip = ip; /* and port 0: whatever is free */
    options.timestamps = timestamps;
    return pprec_listen(feed.pprec, &options);
}

static void socket_set_up(void)
{
    feed_start(&feed);
    ck_assert_int_eq(socket_listen_on(0, PPREC_TIMESTAMPS_KERNEL), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
}

static void socket_tear_down(void)
{
    loopback_close(&sender);
    feed_end(&feed);
}

static void socket_send_probe(uint32_t seq)
{
    struct wire_probe probe = {
        .length_log2 = 1, .position = seq % 2, .stream = 0x5eed, .seq = seq, .train = seq / 2};
    uint8_t data[FEED_PAYLOAD_BYTES] = {0};

    wire_encode(&probe, data, sizeof data);
    loopback_send(&sender, data, sizeof data);
}

/* Until so many have been read. */
static void test_socket_dispatch(int datagrams)
{
    while (datagrams > 0) {
        int got;

        loopback_wait(pprec_fd(feed.pprec));
        got = pprec_dispatch(feed.pprec, 0);
        ck_assert_int_gt(got, 0);
        datagrams -= got;
    }
    ck_assert_int_eq(datagrams, 0);
}

START_TEST(probes_become_trains)
{
    static const uint8_t loopback_address[4] = {127, 0, 0, 1};
    const struct pprec_train *train = &feed.train[0];
    struct pprec_summary summary;

    if (!loopback_has_linux())
        return;
    for (uint32_t seq = 0; seq < 20; seq++)
        socket_send_probe(seq);
    test_socket_dispatch(20);
    ck_assert_uint_eq(feed.trains, 10);
    ck_assert_uint_eq(train->source.ip, 4);
    ck_assert_mem_eq(train->source.address, loopback_address, 4);
    ck_assert_uint_eq(train->source.port, sender.port);
    ck_assert_uint_eq(train->size_bytes, 1000);
    ck_assert_int_gt(train->dispersion_ns, 0);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.timestamps, PPREC_TIMESTAMPS_KERNEL);
    ck_assert_uint_eq(summary.counts.packets, 20);
    ck_assert_uint_eq(summary.counts.lost, 0);
    ck_assert_uint_eq(summary.dropped_here, 0);
}
END_TEST

START_TEST(ipv6_probes_become_trains)
{
    if (!loopback_has_ipv6())
        return;
    loopback_close(&sender);
    sender = loopback_open(pprec_fd(feed.pprec), 6);
    socket_send_probe(0);
    socket_send_probe(1);
    test_socket_dispatch(2);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].source.ip, 6);
    ck_assert_uint_eq(feed.train[0].source.address[15], 1);
    ck_assert_uint_eq(feed.train[0].size_bytes, 1020); /* 954 + 66 */
}
END_TEST

START_TEST(stamps_of_the_user_are_called_so)
{
    struct pprec_summary summary;

    socket_tear_down();
    feed_start(&feed);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_USER), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
    ck_assert_int_eq(pprec_source_timestamps(feed.pprec), PPREC_TIMESTAMPS_USER);
    for (uint32_t seq = 0; seq < 4; seq++)
        socket_send_probe(seq);
    test_socket_dispatch(4);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.timestamps, PPREC_TIMESTAMPS_USER);
    ck_assert_uint_eq(feed.trains, 2);
    ck_assert_int_gt(feed.train[1].dispersion_ns, 0); /* each read by itself */
}
END_TEST

static const uint8_t key[PPREC_KEY_BYTES] = {1, 2, 3};

/* Tagged for an address of this host, sent to 127.0.0.1. */
static void send_tagged(uint32_t seq, const uint8_t address[4], uint16_t port)
{
    struct wire_probe probe = {.length_log2 = 1,
                               .position = seq % 2,
                               .stream = 0x5eed,
                               .seq = seq,
                               .train = seq / 2,
                               .flags = WIRE_TIME | WIRE_AUTH,
                               .sent_ns = (uint64_t)stamp_now_ns(CLOCK_REALTIME)};
    uint8_t data[FEED_PAYLOAD_BYTES] = {0};
    struct auth_destination to;
    struct auth_key tagging;

    memcpy(tagging.bytes, key, sizeof key);
    wire_encode(&probe, data, sizeof data);
    auth_set_destination(&to, 4, address, port);
    auth_tag(&tagging, &to, data, probe.flags);
    loopback_send(&sender, data, sizeof data);
}

START_TEST(with_a_key_the_destination_counts)
{
    static const uint8_t here[4] = {127, 0, 0, 1}, elsewhere[4] = {127, 0, 0, 2};
    struct sockaddr_in6 own;
    socklen_t own_bytes = sizeof own;
    struct pprec_summary summary;
    struct pprec_config config;
    uint16_t port;

    if (!loopback_has_linux() || auth_init(NULL) != 0)
        return;
    socket_tear_down();
    pprec_config_init(&config);
    config.key = key;
    feed_start_with(&feed, config);
    ck_assert_int_eq(socket_listen_on(_i, PPREC_TIMESTAMPS_KERNEL), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
    getsockname(pprec_fd(feed.pprec), (struct sockaddr *)&own, &own_bytes);
    port = ntohs(own.sin6_port); /* IPv4's is in the same place */
    for (uint32_t seq = 0; seq < 4; seq++) {
        send_tagged(seq, elsewhere, port);
        send_tagged(seq, here, (uint16_t)(port ^ 1));
        send_tagged(seq, here, port);
    }
    test_socket_dispatch(12);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_BAD_TAG), 8);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.counts.packets, 4);
    ck_assert_uint_eq(summary.destination.port, port);
    ck_assert_mem_eq(summary.destination.address, here, sizeof here);
}
END_TEST

/* Of a socket that takes what is sent to any address of the host. */
START_TEST(a_summary_tells_where_its_packets_were_sent)
{
    struct sockaddr_in6 own;
    socklen_t own_bytes = sizeof own;
    struct pprec_summary summary;
    char text[64], expected[64];

    if (!loopback_has_linux())
        return;
    getsockname(pprec_fd(feed.pprec), (struct sockaddr *)&own, &own_bytes);
    for (uint32_t seq = 0; seq < 4; seq++)
        socket_send_probe(seq);
    test_socket_dispatch(4);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    pprec_endpoint_text(&summary.destination, text, sizeof text);
    snprintf(expected, sizeof expected, "127.0.0.1:%u", ntohs(own.sin6_port));
    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(junk_is_counted)
{
    loopback_send(&sender, "junk", 4);
    loopback_send(&sender, "", 0);
    test_socket_dispatch(2);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 2);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

START_TEST(no_more_is_read_than_asked_for)
{
    for (uint32_t seq = 0; seq < 10; seq++)
        socket_send_probe(seq);
    loopback_wait(pprec_fd(feed.pprec));
    ck_assert_int_eq(pprec_dispatch(feed.pprec, 1), 1);
    ck_assert_int_le(pprec_dispatch(feed.pprec, 5), 5);
    ck_assert_uint_le(feed_counts(&feed).packets, 6);
}
END_TEST

START_TEST(nothing_to_read_is_nothing_read)
{
    ck_assert_int_eq(pprec_dispatch(feed.pprec, 0), 0);
    ck_assert_str_eq(pprec_error(feed.pprec), "");
}
END_TEST

/* --- Whom to take datagrams from --- */

static int listen_to(const char *const *sources)
{
    struct pprec_socket_options options;

    socket_tear_down();
    feed_start(&feed);
    pprec_socket_options_init(&options);
    options.sources = sources;
    if (pprec_listen(feed.pprec, &options) < 0)
        return PPREC_EINVAL;
    sender = loopback_open(pprec_fd(feed.pprec), 4);
    return PPREC_OK;
}

START_TEST(sources_listed_are_taken)
{
    static const char *const sources[] = {"192.0.2.0/24", "127.0.0.0/8", NULL};

    ck_assert_int_eq(listen_to(sources), PPREC_OK);
    socket_send_probe(0);
    socket_send_probe(1);
    test_socket_dispatch(2);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_SOURCE), 0);
}
END_TEST

/* Junk too: it is not looked at. */
START_TEST(socket_others_are_refused)
{
    static const char *const other[] = {"127.0.0.2", "::/0", NULL};
    static const char *const none[] = {NULL};

    ck_assert_int_eq(listen_to(_i == 0 ? other : none), PPREC_OK);
    socket_send_probe(0);
    socket_send_probe(1);
    loopback_send(&sender, "junk", 4);
    test_socket_dispatch(3);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 0);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_SOURCE), 3);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASONS), 0);
}
END_TEST

START_TEST(sources_of_nonsense)
{
    static const char *const sources[] = {"127.0.0.1", "127.0.0.1/8", NULL};

    ck_assert_int_eq(listen_to(sources), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "source '127.0.0.1/8'"));
    ck_assert_int_eq(pprec_fd(feed.pprec), -1);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_KERNEL), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
}
END_TEST

/* What this host's own socket dropped is told apart from what the network lost. */
START_TEST(dropped_here_is_told)
{
    struct pprec_socket_options options;
    struct pprec_summary summary, interval;
    struct pprec_cursor cursor = {0};
    struct pprec_counts counts;

    if (!loopback_has_linux())
        return;
    socket_tear_down();
    feed_start(&feed);
    pprec_socket_options_init(&options);
    options.buffer_bytes = 1;
    ck_assert_int_eq(pprec_listen(feed.pprec, &options), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
    for (uint32_t seq = 0; seq < 100; seq++)
        socket_send_probe(seq);
    loopback_wait(pprec_fd(feed.pprec));
    pprec_dispatch(feed.pprec, 0);
    for (uint32_t seq = 100; seq < 102; seq++) { /* carry the count */
        socket_send_probe(seq);
        test_socket_dispatch(1);
    }
    counts = feed_counts(&feed);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.dropped_here, 102 - counts.packets);
    ck_assert_uint_gt(summary.dropped_here, 0);
    ck_assert_uint_eq(counts.lost, 0);
    ck_assert_int_eq(ask_interval(feed.pprec, 0, &cursor, &interval), PPREC_OK);
    ck_assert_uint_eq(interval.dropped_here, summary.dropped_here);
    ck_assert_int_eq(ask_interval(feed.pprec, 0, &cursor, &interval), PPREC_OK);
    ck_assert_uint_eq(interval.dropped_here, 0);
}
END_TEST

START_TEST(one_socket_a_handle)
{
    ck_assert_int_eq(socket_listen_on(0, PPREC_TIMESTAMPS_KERNEL), PPREC_EINVAL);
    ck_assert_str_ne(pprec_error(feed.pprec), "");
}
END_TEST

START_TEST(options_beyond_sense)
{
    struct pprec_socket_options options = {.struct_bytes = 3};

    socket_tear_down();
    feed_start(&feed);
    ck_assert_int_eq(socket_listen_on(5, PPREC_TIMESTAMPS_KERNEL), PPREC_EINVAL);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_PCAP), PPREC_EINVAL);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_NONE), PPREC_EINVAL);
    ck_assert_int_eq(pprec_listen(feed.pprec, &options), PPREC_EINVAL);
    ck_assert_int_eq(pprec_fd(feed.pprec), -1);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_KERNEL), PPREC_OK); /* after all that */
    sender = loopback_open(pprec_fd(feed.pprec), 4);
}
END_TEST

START_TEST(a_socket_that_cannot_be_had_is_an_error)
{
    struct pprec_socket_options options;

    socket_tear_down();
    feed_start(&feed);
    pprec_socket_options_init(&options);
    options.interface_name = "moon0";
    ck_assert_int_eq(pprec_listen(feed.pprec, &options), PPREC_EIO);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "moon0"));
    ck_assert_int_eq(pprec_fd(feed.pprec), -1);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_KERNEL), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
}
END_TEST

/* --- What others send --- */

enum { FRAME = 4, MEDIA_BYTES = 1000 };

static void listen_for(unsigned kinds)
{
    struct pprec_config config;

    socket_tear_down();
    pprec_config_init(&config);
    config.expect = kinds;
    feed_start_with(&feed, config);
    ck_assert_int_eq(socket_listen_on(4, PPREC_TIMESTAMPS_KERNEL), PPREC_OK);
    sender = loopback_open(pprec_fd(feed.pprec), 4);
}

static void socket_put(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Frames of four packets (RFC 3550: version 2, payload type 96). */
static void send_rtp(uint32_t seq)
{
    uint8_t data[MEDIA_BYTES] = {0};

    socket_put(data, 0x80600000 | (seq & 0xffff));
    socket_put(data + 4, seq / FRAME * 3000);
    socket_put(data + 8, 0x1234);
    loopback_send(&sender, data, sizeof data);
}

/* Data packets, 10 ms from message to message. */
static void send_srt(uint32_t seq)
{
    uint8_t data[MEDIA_BYTES] = {0};

    socket_put(data, seq);
    socket_put(data + 4, 0xe0000000 | (seq + 1));
    socket_put(data + 8, seq * 10000);
    socket_put(data + 12, 0x5678);
    loopback_send(&sender, data, sizeof data);
}

/* The first four of a flow decide what it is, and count; of 17 frames the last is in flight. */
START_TEST(rtp_on_a_port_becomes_trains)
{
    struct pprec_summary summary;

    if (!loopback_has_linux())
        return;
    listen_for(1U << PPREC_KIND_RTP | 1U << PPREC_KIND_PROBE);
    for (uint32_t seq = 0; seq < 17 * FRAME; seq++)
        send_rtp(seq);
    test_socket_dispatch(17 * FRAME);
    socket_send_probe(0);
    socket_send_probe(1);
    test_socket_dispatch(2);
    pprec_finish(feed.pprec);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.kind, PPREC_KIND_RTP);
    ck_assert_uint_eq(summary.stream, 0x1234);
    ck_assert_uint_eq(summary.source.port, sender.port);
    ck_assert_int_eq(summary.timestamps, PPREC_TIMESTAMPS_KERNEL);
    ck_assert_uint_eq(summary.counts.trains, 17);
    ck_assert_uint_eq(summary.counts.packets, 17 * FRAME);
    ck_assert_uint_eq(feed.train[1].size_bytes, MEDIA_BYTES + 46);
    ck_assert_uint_eq(feed.train[1].received, FRAME);
    ck_assert_int_eq(ask_summary(feed.pprec, 1, &summary), PPREC_OK);
    ck_assert_int_eq(summary.kind, PPREC_KIND_PROBE);
    ck_assert_uint_eq(summary.counts.trains, 1);
}
END_TEST

/* Pairs at 0 and 1 modulo 16; the others are 10 ms apart. */
START_TEST(srt_on_a_port_becomes_trains)
{
    struct pprec_summary summary;

    listen_for(1U << PPREC_KIND_SRT);
    for (uint32_t seq = 8; seq < 8 + 64; seq++)
        send_srt(seq);
    test_socket_dispatch(64);
    socket_send_probe(0); /* none is expected */
    test_socket_dispatch(1);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.kind, PPREC_KIND_SRT);
    ck_assert_uint_eq(summary.stream, 0x5678);
    ck_assert_uint_eq(summary.counts.trains, 4); /* 16 32 48 64 */
    ck_assert_uint_eq(summary.counts.packets, 64);
}
END_TEST

START_TEST(media_that_nobody_asked_for_is_foreign)
{
    for (uint32_t seq = 0; seq < 5 * FRAME; seq++)
        send_rtp(seq);
    test_socket_dispatch(5 * FRAME);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 5 * FRAME);
}
END_TEST

Suite *socket_suite(void)
{
    Suite *suite = suite_create("socket");
    TCase *trains = tcase_create("trains");
    TCase *opening = tcase_create("opening");

    tcase_add_checked_fixture(trains, socket_set_up, socket_tear_down);
    tcase_add_test(trains, probes_become_trains);
    tcase_add_test(trains, ipv6_probes_become_trains);
    tcase_add_test(trains, stamps_of_the_user_are_called_so);
    tcase_add_loop_test(trains, with_a_key_the_destination_counts, 4, 5);
    tcase_add_loop_test(trains, with_a_key_the_destination_counts, 0, 1);
    tcase_add_test(trains, a_summary_tells_where_its_packets_were_sent);
    tcase_add_test(trains, junk_is_counted);
    tcase_add_test(trains, sources_listed_are_taken);
    tcase_add_loop_test(trains, socket_others_are_refused, 0, 2);
    tcase_add_test(opening, sources_of_nonsense);
    tcase_add_test(trains, no_more_is_read_than_asked_for);
    tcase_add_test(trains, nothing_to_read_is_nothing_read);
    tcase_add_test(trains, dropped_here_is_told);
    tcase_add_checked_fixture(opening, socket_set_up, socket_tear_down);
    tcase_add_test(opening, one_socket_a_handle);
    tcase_add_test(opening, options_beyond_sense);
    tcase_add_test(opening, a_socket_that_cannot_be_had_is_an_error);
    tcase_add_test(trains, rtp_on_a_port_becomes_trains);
    tcase_add_test(trains, srt_on_a_port_becomes_trains);
    tcase_add_test(trains, media_that_nobody_asked_for_is_foreign);
    suite_add_tcase(suite, trains);
    suite_add_tcase(suite, opening);
    return suite;
}
