/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending, for real, to the loopback; nobody listens there. */
#include "tests/unit/suites.h"
#include "common/departure.h"
#include "common/transmit.h"
#include "pptrans/burst.h"
#include "pptrans/egress.h"
#include "pptrans/unreachable.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { DISCARD_PORT = 9, PATIENCE_MS = 2000 };

static const char *const hosts[] = {"127.0.0.1", "::1"};
static const struct transmit_config config = {.dscp = -1, .buffer_bytes = 1 << 16};

static struct address to;
static struct burst burst;
static struct payloads payloads;
static struct flight flight;
static struct transmit_path path;

/* Burst and train for host, or not if the machine has no such loopback. */
static bool open_burst(const char *host, uint32_t packets, uint32_t payload_bytes)
{
    int fd;

    ck_assert_int_eq(address_resolve(&to, host, DISCARD_PORT, AF_UNSPEC, NULL), 0);
    if (transmit_path(&to, &config, &path, NULL) < 0)
        return false;
    fd = transmit_open(&to, &config, NULL, NULL);
    ck_assert_int_ge(fd, 0);
    burst_init(&burst, fd, &to, false, transmit_stamps(fd));
    ck_assert_int_eq(payloads_init(&payloads, packets, payload_bytes, NULL), 0);
    flight = (struct flight){.packets = packets, .payload_bytes = payload_bytes};
    return true;
}

static void close_burst(void)
{
    close(burst.socket);
    payloads_fini(&payloads);
}

/* Reads stamps until the flight is settled, with a deadline on silence. */
static void transmit_collect(void)
{
    struct departure departures[DEPARTURE_BATCH];
    struct pollfd ready = {.fd = burst.socket};
    size_t count;

    while (!flight_settled(&flight) && poll(&ready, 1, PATIENCE_MS) > 0)
        while (departure_read(burst.socket, departures, &count) > 0)
            for (size_t i = 0; i < count; i++) {
                ck_assert_int_eq(departures[i].when.clock, STAMP_CLOCK_REALTIME);
                ck_assert_int_eq(departures[i].when.source, STAMP_SOURCE_KERNEL);
                flight_note(&flight, &departures[i]);
            }
}

/* Port unreachables come back for every packet and must not cut a train. */
START_TEST(test_whole_train_leaves_unheard)
{
    struct flight_spread spread;

    if (!open_burst(hosts[_i], 256, 100))
        return;
    for (int i = 0; i < 3; i++) {
        burst_prepare(&burst, &payloads, &flight);
        flight.handed_ns = stamp_now_ns(CLOCK_REALTIME);
        burst_send(&burst, &payloads, &flight);
        ck_assert_uint_eq(flight.failed, 0);
        if (!burst.stamped)
            continue;
        transmit_collect();
        flight_measure(&flight, &spread);
        ck_assert(spread.known);
        ck_assert_uint_eq(spread.gaps, 255);
        ck_assert_int_gt(spread.span_ns, 0);
    }
    close_burst();
}
END_TEST

/* The second socket hears the port unreachables, and the sends of the first still do not fail. */
START_TEST(test_listener_hears_that_nobody_receives)
{
    struct unreachable unreachable = {.port = false};
    struct pollfd heard;
    char from[ADDRESS_TEXT_BYTES], there[ADDRESS_TEXT_BYTES];

    if (!open_burst(hosts[_i], 256, 100))
        return;
    heard = (struct pollfd){.fd = transmit_listen(burst.socket, &to, &config)};
    ck_assert_int_ge(heard.fd, 0);
    ck_assert(!unreachable_read(heard.fd, &unreachable));
    for (int i = 0; i < 2; i++) {
        burst_prepare(&burst, &payloads, &flight);
        burst_send(&burst, &payloads, &flight);
        ck_assert_uint_eq(flight.failed, 0);
    }
    ck_assert_int_eq(poll(&heard, 1, PATIENCE_MS), 1);
    ck_assert(unreachable_read(heard.fd, &unreachable));
    ck_assert(unreachable.port);
    ck_assert_str_eq(unreachable.what, "port unreachable");
    address_set_port(&to, 0);
    ck_assert_str_eq(address_text(&unreachable.from, from), address_text(&to, there));
    close(heard.fd);
    close_burst();
}
END_TEST

/* A datagram over 64 KiB in every packet: all refused, and counted. After the
 * numbers were started again the next train is understood. */
START_TEST(test_refusals_are_counted)
{
    if (!open_burst(hosts[_i], 4, 70000))
        return;
    burst_prepare(&burst, &payloads, &flight);
    burst_send(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.failed, 4);
    ck_assert(flight.uncertain);
    ck_assert_int_eq(burst.failures.reasons[0].number, EMSGSIZE);
    ck_assert_uint_eq(burst.failures.reasons[0].packets, 4);
    burst_renumber(&burst);
    flight.payload_bytes = 100;
    burst_prepare(&burst, &payloads, &flight);
    burst_send(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.failed, 0);
    transmit_collect();
    ck_assert(flight_settled(&flight));
    close_burst();
}
END_TEST

/* 130 packets of 1000 bytes: stretches of 64, 64 and 1, and the last alone. */
START_TEST(test_segmented_train_is_cut_up)
{
    if (!open_burst(hosts[_i], 130, 1000))
        return;
    burst.segment = true;
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.messages, 4);
    ck_assert_uint_eq(flight.position[1], 64);
    ck_assert_uint_eq(flight.position[2], 128);
    ck_assert_uint_eq(flight.position[3], 129);
    ck_assert_uint_eq(burst.stretches[1].iov_len, 64000);
    ck_assert_ptr_null(burst.messages[2].msg_hdr.msg_control);
    close_burst();
}
END_TEST

/* A stretch stays under 64 KiB: 46 packets of 1400 bytes. */
START_TEST(test_segmented_train_is_cut_at_64_kib)
{
    if (!open_burst(hosts[_i], 64, 1400))
        return;
    burst.segment = true;
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.messages, 3);
    ck_assert_uint_eq(flight.position[1], 46);
    ck_assert_uint_eq(flight.position[2], 63);
    close_burst();
}
END_TEST

/* Without checksums the kernel segments no IPv4 (EINVAL): the train leaves as
 * single packets, whole. */
START_TEST(test_train_leaves_when_segments_are_refused)
{
    int yes = 1;

    if (!open_burst("127.0.0.1", 16, 1000))
        return;
    burst.segment = true;
    ck_assert_int_eq(setsockopt(burst.socket, SOL_SOCKET, SO_NO_CHECK, &yes, sizeof yes), 0);
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.messages, 2);
    burst_send(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.failed, 0);
    ck_assert_uint_eq(flight.messages, 16);
    ck_assert(burst.refused_segments);
    ck_assert(!burst.segment);
    ck_assert(flight.uncertain);
    close_burst();
}
END_TEST

START_TEST(test_unknown_interface_is_named)
{
    struct transmit_config wrong = {.interface = "no-such-if", .dscp = -1};
    struct error error = {""};

    ck_assert_int_eq(address_resolve(&to, "127.0.0.1", DISCARD_PORT, AF_UNSPEC, NULL), 0);
    ck_assert_int_eq(transmit_open(&to, &wrong, NULL, &error), -1);
    ck_assert_str_eq(error.text, "interface 'no-such-if': there is none of that name");
}
END_TEST

/* The first is one of the loopback's network, the other of any. */
START_TEST(test_broadcast_is_named)
{
    static const char *const all[] = {"127.255.255.255", "255.255.255.255"};
    struct error error = {""};

    ck_assert_int_eq(address_resolve(&to, all[_i], DISCARD_PORT, AF_UNSPEC, NULL), 0);
    ck_assert_int_eq(transmit_path(&to, &config, &path, &error), -1);
    ck_assert_msg(strstr(error.text, ": a broadcast address") != NULL, "%s", error.text);
}
END_TEST

START_TEST(test_loopback_is_the_way_to_itself)
{
    struct egress egress;

    ck_assert_int_eq(address_resolve(&to, hosts[_i], DISCARD_PORT, AF_UNSPEC, NULL), 0);
    if (transmit_path(&to, &config, &path, NULL) < 0)
        return;
    egress_find(&egress, &to, NULL);
    ck_assert_str_eq(egress.name, "lo");
}
END_TEST

Suite *transmit_suite(void)
{
    Suite *suite = suite_create("transmit");
    TCase *tests = tcase_create("transmit");

    tcase_add_loop_test(tests, test_whole_train_leaves_unheard, 0, 2);
    tcase_add_loop_test(tests, test_listener_hears_that_nobody_receives, 0, 2);
    tcase_add_loop_test(tests, test_refusals_are_counted, 0, 2);
    tcase_add_loop_test(tests, test_segmented_train_is_cut_up, 0, 2);
    tcase_add_loop_test(tests, test_segmented_train_is_cut_at_64_kib, 0, 2);
    tcase_add_test(tests, test_train_leaves_when_segments_are_refused);
    tcase_add_test(tests, test_unknown_interface_is_named);
    tcase_add_loop_test(tests, test_broadcast_is_named, 0, 2);
    tcase_add_loop_test(tests, test_loopback_is_the_way_to_itself, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
