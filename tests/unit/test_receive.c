/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams over the loopback interface: who stamped them, where they came from,
 * how long they were, and how many the socket had no room for. */
#include "common/receive.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20 };

static struct receive *receive;
static struct receive_socket receiver;
static struct loopback sender;
static struct error error;

static void open_pair(struct receive_options options, int sender_ip)
{
    error.text[0] = '\0';
    ck_assert_msg(receive_open(&receiver, &options, &error) == 0, "%s", error.text);
    sender = loopback_open(receiver.fd, sender_ip);
    receive = receive_new();
    ck_assert_ptr_nonnull(receive);
}

static void test_receive_set_up(void)
{
    open_pair((struct receive_options){.timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = BUFFER_BYTES}, 4);
}

static void receive_tear_down(void)
{
    loopback_close(&sender);
    close(receiver.fd);
    receive_free(receive);
    receive = NULL;
}

static struct receive_datagram sent_and_received(const void *data, size_t bytes)
{
    struct receive_datagram datagram;

    loopback_send(&sender, data, bytes);
    loopback_wait(receiver.fd);
    ck_assert_int_eq(receive_batch(receive, &receiver, RECEIVE_BATCH), 1);
    ck_assert(receive_get(receive, 0, &datagram));
    return datagram;
}

/* --- Stamps --- */

START_TEST(the_kernel_stamps)
{
    int64_t before_ns = stamp_now_ns(CLOCK_REALTIME);
    struct receive_datagram datagram = sent_and_received("hello", 5);

    if (!loopback_has_linux())
        return;
    ck_assert_int_eq(receiver.timestamps, STAMP_SOURCE_KERNEL);
    ck_assert_int_eq(datagram.stamp.source, STAMP_SOURCE_KERNEL);
    ck_assert_int_eq(datagram.stamp.clock, STAMP_CLOCK_REALTIME);
    ck_assert_int_ge(datagram.stamp.ns, before_ns);
    ck_assert_int_le(datagram.stamp.ns, stamp_now_ns(CLOCK_REALTIME));
}
END_TEST

/* The stamp is of the arrival, however late it is read. */
START_TEST(the_kernel_stamps_before_it_is_read)
{
    struct receive_datagram datagram;
    int64_t between_ns;

    if (!loopback_has_linux())
        return;
    loopback_send(&sender, "hello", 5);
    loopback_wait(receiver.fd);
    between_ns = stamp_now_ns(CLOCK_REALTIME);
    ck_assert_int_eq(receive_batch(receive, &receiver, 1), 1);
    ck_assert(receive_get(receive, 0, &datagram));
    ck_assert_int_lt(datagram.stamp.ns, between_ns);
}
END_TEST

START_TEST(the_user_stamps_on_request)
{
    struct receive_datagram datagram;
    int64_t between_ns;

    receive_tear_down();
    open_pair((struct receive_options){.timestamps = STAMP_SOURCE_USER, .buffer_bytes = BUFFER_BYTES}, 4);
    loopback_send(&sender, "hello", 5);
    loopback_wait(receiver.fd);
    between_ns = stamp_now_ns(CLOCK_REALTIME);
    ck_assert_int_eq(receive_batch(receive, &receiver, 1), 1);
    ck_assert(receive_get(receive, 0, &datagram));
    ck_assert_int_eq(datagram.stamp.source, STAMP_SOURCE_USER);
    ck_assert_int_eq(datagram.stamp.clock, STAMP_CLOCK_REALTIME);
    ck_assert_int_ge(datagram.stamp.ns, between_ns);
}
END_TEST

/* --- Addresses --- */

static void assert_destination(const struct receive_datagram *datagram, const char *address)
{
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, &datagram->destination, text, sizeof text);
    ck_assert_str_eq(text, address);
    ck_assert_uint_ne(receiver.port, 0);
    ck_assert_uint_ne(receiver.port, sender.port);
}

static void assert_source(const struct receive_datagram *datagram, const char *address)
{
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, &datagram->source, text, sizeof text);
    ck_assert_str_eq(text, address);
    ck_assert_uint_eq(datagram->port, sender.port);
}

START_TEST(ipv4_to_a_socket_for_both)
{
    struct receive_datagram datagram = sent_and_received("hello", 5);

    assert_source(&datagram, "::ffff:127.0.0.1");
}
END_TEST

static const struct {
    int ip, sender_ip;
    const char *address;
} destinations[] = {
    {0, 4, "::ffff:127.0.0.1"},
    {4, 4, "::ffff:127.0.0.1"},
    {0, 6, "::1"},
    {6, 6, "::1"},
};

START_TEST(where_it_was_sent_to_is_told)
{
    struct receive_datagram datagram;

    if (!loopback_has_linux() || (destinations[_i].sender_ip == 6 && !loopback_has_ipv6()))
        return;
    receive_tear_down();
    open_pair((struct receive_options){.ip = destinations[_i].ip,
                                       .timestamps = STAMP_SOURCE_KERNEL,
                                       .buffer_bytes = BUFFER_BYTES},
              destinations[_i].sender_ip);
    datagram = sent_and_received("hello", 5);
    assert_destination(&datagram, destinations[_i].address);
    ck_assert_uint_gt(datagram.hops_left, 1); /* of a host to itself: as it was sent */
    ck_assert_int_eq(datagram.stamp.source, STAMP_SOURCE_KERNEL);
}
END_TEST

START_TEST(ipv4_to_a_socket_of_its_own)
{
    struct receive_datagram datagram;

    if (!loopback_has_linux())
        return;
    receive_tear_down();
    open_pair(
        (struct receive_options){.ip = 4, .timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = BUFFER_BYTES},
        4);
    datagram = sent_and_received("hello", 5);
    assert_source(&datagram, "::ffff:127.0.0.1");
    ck_assert_uint_gt(datagram.hops_left, 1);
    ck_assert_int_eq(datagram.stamp.source, STAMP_SOURCE_KERNEL);
}
END_TEST

static const int ips[] = {0, 6};

START_TEST(ipv6_to_either)
{
    struct receive_datagram datagram;

    if (!loopback_has_linux())
        return;
    if (!loopback_has_ipv6())
        return;
    receive_tear_down();
    open_pair((struct receive_options){.ip = ips[_i],
                                       .timestamps = STAMP_SOURCE_KERNEL,
                                       .buffer_bytes = BUFFER_BYTES},
              6);
    datagram = sent_and_received("hello", 5);
    assert_source(&datagram, "::1");
    ck_assert_int_eq(datagram.stamp.source, STAMP_SOURCE_KERNEL);
}
END_TEST

/* --- Lengths and batches --- */

static const size_t payloads_bytes[] = {
    0, 1, RECEIVE_DATA_BYTES - 1, RECEIVE_DATA_BYTES, RECEIVE_DATA_BYTES + 1, 1472, 60000};

/* What does not fit is not at hand, but its length is known. */
START_TEST(payloads_of_any_length)
{
    static uint8_t data[60000];
    size_t bytes = payloads_bytes[_i];
    size_t at_hand = bytes < RECEIVE_DATA_BYTES ? bytes : RECEIVE_DATA_BYTES;
    struct receive_datagram datagram;

    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(i * 7 + 1);
    datagram = sent_and_received(data, bytes);
    ck_assert_uint_eq(datagram.payload_bytes, bytes);
    ck_assert_uint_eq(datagram.data_bytes, at_hand);
    ck_assert_mem_eq(datagram.data, data, at_hand);
}
END_TEST

START_TEST(a_batch_is_read_in_order)
{
    struct receive_datagram datagram;

    for (uint8_t i = 0; i < 10; i++)
        loopback_send(&sender, &i, 1);
    for (unsigned done = 0; done < 10;) {
        int got;

        loopback_wait(receiver.fd);
        got = receive_batch(receive, &receiver, 4);
        ck_assert_int_ge(got, 1);
        ck_assert_int_le(got, 4);
        for (int i = 0; i < got; i++) {
            ck_assert(receive_get(receive, (unsigned)i, &datagram));
            ck_assert_uint_eq(datagram.data[0], done++);
        }
    }
    ck_assert_int_eq(receive_batch(receive, &receiver, RECEIVE_BATCH), 0);
}
END_TEST

/* After a short one, nothing of a longer one before it may be left over. */
START_TEST(buffers_are_used_again)
{
    struct receive_datagram datagram = sent_and_received("a long payload", 14);

    datagram = sent_and_received("short", 5);
    ck_assert_uint_eq(datagram.data_bytes, 5);
    ck_assert_uint_eq(datagram.payload_bytes, 5);
    ck_assert_mem_eq(datagram.data, "short", 5);
}
END_TEST

START_TEST(nothing_there_is_no_error)
{
    ck_assert_int_eq(receive_batch(receive, &receiver, RECEIVE_BATCH), 0);
    ck_assert_uint_eq(receive_dropped(receive, &receiver), 0);
}
END_TEST

START_TEST(a_closed_socket_is_an_error)
{
    struct receive_socket closed = {.fd = -1};

    ck_assert_int_eq(receive_batch(receive, &closed, 1), -1);
}
END_TEST

/* --- Datagrams the socket had no room for --- */

static unsigned receive_drain(void)
{
    unsigned total = 0;
    int got;

    while ((got = receive_batch(receive, &receiver, RECEIVE_BATCH)) > 0)
        total += (unsigned)got;
    return total;
}

/* The smallest buffer, a flood, and a datagram after it that carries the count;
 * and again, since the counter goes on from where it was. */
START_TEST(what_the_socket_dropped_is_counted)
{
    static const uint8_t data[1000];
    unsigned received = 0, sent = 0;

    if (!loopback_has_linux())
        return;
    receive_tear_down();
    open_pair((struct receive_options){.timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = 1}, 4);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 100; i++, sent++)
            loopback_send(&sender, data, sizeof data);
        loopback_wait(receiver.fd);
        received += receive_drain();
        loopback_send(&sender, data, 1);
        sent++;
        loopback_wait(receiver.fd);
        received += receive_drain();
        ck_assert_uint_lt(received, sent);
        ck_assert_uint_eq(receive_dropped(receive, &receiver), sent - received);
    }
}
END_TEST

/* A datagram tells what had been dropped when it was queued, which is less than what
 * the socket knows by now: the count must not go back, nor round. */
START_TEST(a_datagram_that_waited_takes_nothing_back)
{
    static const uint8_t data[1000];
    uint64_t dropped;

    if (!loopback_has_linux())
        return;
    receive_tear_down();
    open_pair((struct receive_options){.timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = 1}, 4);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++)
            loopback_send(&sender, data, sizeof data);
        loopback_wait(receiver.fd);
        dropped = receive_dropped(receive, &receiver);
        ck_assert_uint_gt(dropped, 0);
        receive_drain();
        ck_assert_uint_eq(receive_dropped(receive, &receiver), dropped);
        loopback_send(&sender, data, 1); /* waits, and carries the count of now */
    }
}
END_TEST

/* --- Opening --- */

START_TEST(a_port_in_use_is_named)
{
    struct sockaddr_in6 bound;
    socklen_t bytes = sizeof bound;
    struct receive_options options = {.timestamps = STAMP_SOURCE_KERNEL};
    struct receive_socket second;
    char port[16];

    ck_assert_int_eq(getsockname(receiver.fd, (struct sockaddr *)&bound, &bytes), 0);
    options.port = ntohs(bound.sin6_port);
    snprintf(port, sizeof port, "%u", options.port);
    ck_assert_int_eq(receive_open(&second, &options, &error), -1);
    ck_assert_int_eq(second.fd, -1);
    ck_assert_ptr_nonnull(strstr(error.text, port));
    ck_assert_ptr_nonnull(strstr(error.text, "in use"));
}
END_TEST

START_TEST(an_unknown_interface_is_named)
{
    struct receive_options options = {.interface_name = "moon0", .timestamps = STAMP_SOURCE_KERNEL};
    struct receive_socket second;

    ck_assert_int_eq(receive_open(&second, &options, &error), -1);
    ck_assert_int_eq(second.fd, -1);
    ck_assert_ptr_nonnull(strstr(error.text, "moon0"));
}
END_TEST

START_TEST(an_adapter_that_cannot_stamp_is_named)
{
    struct receive_options options = {.interface_name = "lo", .timestamps = STAMP_SOURCE_HARDWARE};
    struct receive_socket second;

    ck_assert_int_eq(receive_open(&second, &options, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "'lo'"));
    options.interface_name = NULL;
    ck_assert_int_eq(receive_open(&second, &options, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "interface"));
}
END_TEST

START_TEST(the_buffer_is_what_the_kernel_says)
{
    int got = 0;
    socklen_t bytes = sizeof got;

    ck_assert_int_eq(getsockopt(receiver.fd, SOL_SOCKET, SO_RCVBUF, &got, &bytes), 0);
    ck_assert_int_eq(receiver.buffer_bytes, got);
    ck_assert_int_gt(got, 0);
}
END_TEST

static void add_opening(Suite *suite)
{
    TCase *opening = tcase_create("opening");

    tcase_add_checked_fixture(opening, test_receive_set_up, receive_tear_down);
    tcase_add_test(opening, a_port_in_use_is_named);
    tcase_add_test(opening, an_unknown_interface_is_named);
    tcase_add_test(opening, an_adapter_that_cannot_stamp_is_named);
    tcase_add_test(opening, the_buffer_is_what_the_kernel_says);
    suite_add_tcase(suite, opening);
}

Suite *receive_suite(void)
{
    Suite *suite = suite_create("receive");
    TCase *stamps = tcase_create("stamps");
    TCase *reading = tcase_create("reading");

    tcase_add_checked_fixture(stamps, test_receive_set_up, receive_tear_down);
    tcase_add_test(stamps, the_kernel_stamps);
    tcase_add_test(stamps, the_kernel_stamps_before_it_is_read);
    tcase_add_test(stamps, the_user_stamps_on_request);
    tcase_add_checked_fixture(reading, test_receive_set_up, receive_tear_down);
    tcase_add_test(reading, ipv4_to_a_socket_for_both);
    tcase_add_loop_test(reading, where_it_was_sent_to_is_told, 0, 4);
    tcase_add_test(reading, ipv4_to_a_socket_of_its_own);
    tcase_add_loop_test(reading, ipv6_to_either, 0, 2);
    tcase_add_loop_test(reading, payloads_of_any_length, 0, sizeof payloads_bytes / sizeof payloads_bytes[0]);
    tcase_add_test(reading, a_batch_is_read_in_order);
    tcase_add_test(reading, buffers_are_used_again);
    tcase_add_test(reading, nothing_there_is_no_error);
    tcase_add_test(reading, a_closed_socket_is_an_error);
    tcase_add_test(reading, what_the_socket_dropped_is_counted);
    tcase_add_test(reading, a_datagram_that_waited_takes_nothing_back);
    suite_add_tcase(suite, stamps);
    suite_add_tcase(suite, reading);
    add_opening(suite);
    return suite;
}
