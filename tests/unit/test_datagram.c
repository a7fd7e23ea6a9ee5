/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP payloads into the library: version 1, the classic format, and neither. */
#include "common/wire.h"
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdbool.h>
#include <string.h>

static struct feed feed;

static void datagram_set_up(void)
{
    feed_start(&feed);
}

static void datagram_tear_down(void)
{
    feed_end(&feed);
}

static int test_datagram_push(const void *data, size_t data_bytes, size_t payload_bytes, int64_t ns)
{
    struct pprec_stamp received = {FEED_EPOCH_NS + ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};

    return pprec_push_datagram(feed.pprec, &feed.pattern.source, NULL, data, data_bytes, payload_bytes,
                               received);
}

/* --- Version 1 --- */

/* Pairs; departure is that of the train before. */
static int push_probe(uint32_t train, uint8_t position, uint16_t flags, uint32_t departure_ns, int64_t ns)
{
    struct wire_probe probe = {
        .length_log2 = 1,
        .position = position,
        .flags = flags,
        .stream = 0x5eed,
        .seq = 2 * train + position,
        .train = train,
        .sent_ns = 77 + (uint64_t)train * FEED_SPACING_NS,
        .departure_train = train - 1,
        .departure_span_ns = departure_ns,
    };
    uint8_t data[WIRE_MOST_BYTES];

    wire_encode(&probe, data, sizeof data);
    return test_datagram_push(data, sizeof data, FEED_PAYLOAD_BYTES, ns);
}

static void datagram_push_pair(uint32_t train, uint16_t flags, uint32_t departure_ns)
{
    int64_t ns = (int64_t)train * FEED_SPACING_NS;

    ck_assert_int_eq(push_probe(train, 0, flags, departure_ns, ns), PPREC_OK);
    ck_assert_int_eq(push_probe(train, 1, flags, departure_ns, ns + FEED_GAP_NS), PPREC_OK);
}

START_TEST(a_header_alone_is_enough)
{
    datagram_push_pair(0, 0, 0);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    ck_assert_uint_eq(feed.train[0].stream, 0x5eed);
    ck_assert_uint_eq(feed.train[0].size_bytes, 1000); /* the datagram's, not the 50 at hand */
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 2});
}
END_TEST

START_TEST(extensions_are_used)
{
    struct pprec_summary summary;

    datagram_push_pair(6, WIRE_TIME, 0);
    ck_assert_uint_eq(feed.trains, 0); /* its departure may still be told */
    datagram_push_pair(7, WIRE_TIME | WIRE_DEPARTURE, 4000);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_int_eq(feed.train[0].departure_span_ns, 4000);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.jitter_ns, 0); /* known: there were send times */
}
END_TEST

/* A departure span "over 4.29 s": nobody knows how wide the train left, so it may
 * have left as wide as it came, and be it 5.7 s, more than 1.1 times 4.29. */
START_TEST(a_departure_too_wide_to_tell_is_the_senders)
{
    feed.pattern.sent_ns = 0;
    for (unsigned i = 0; i < 4; i++)
        feed_packet(&feed, 0, i, i * 19 * FEED_SECOND_NS / 10);
    feed.pattern.departure_train = 0;
    feed.pattern.departure_span_ns = WIRE_SPAN_OVER;
    feed_packet(&feed, 1, 0, 6 * FEED_SECOND_NS);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_SENDER_LIMITED, 4, 57 * FEED_SECOND_NS / 10);
}
END_TEST

/* A pair's first packet; then one byte of it is changed. */
static const struct {
    size_t at;
    uint8_t value;
} damage[] = {
    {0, 'Q'}, {1, 'Q'},  {2, 0x01},  {2, 0x21},  {2, 0x10},        {2, 0x19},
    {3, 2},   {3, 0xff}, {16, 0x80}, {17, 0x10}, {17, WIRE_REACH}, {17, WIRE_AUTH},
};

START_TEST(damaged_headers_are_foreign)
{
    uint8_t data[WIRE_MOST_BYTES] = {'P', 'P', 0x11};

    ck_assert_int_eq(test_datagram_push(data, sizeof data, sizeof data, 0), PPREC_OK);
    data[damage[_i].at] = damage[_i].value;
    ck_assert_int_eq(test_datagram_push(data, sizeof data, sizeof data, 0), PPREC_EFOREIGN);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 1);
    ck_assert_uint_eq(feed_counts(&feed).packets, 1);
    ck_assert_uint_eq(feed_counts(&feed).duplicate, 0);
}
END_TEST

START_TEST(short_datagrams_are_foreign)
{
    static const uint8_t data[WIRE_HEADER_BYTES] = {'P', 'P', 0x11};

    for (size_t bytes = 0; bytes < sizeof data; bytes++)
        ck_assert_int_eq(test_datagram_push(data, bytes, bytes, 0), PPREC_EFOREIGN);
    ck_assert_int_eq(test_datagram_push(NULL, 0, 0, 0), PPREC_EFOREIGN);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), WIRE_HEADER_BYTES + 1);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* Sizes no UDP payload has. */
START_TEST(impossible_sizes_are_foreign)
{
    static const uint8_t data[WIRE_HEADER_BYTES] = {'P', 'P', 0x11};

    ck_assert_int_eq(test_datagram_push(data, sizeof data, 65536, 0), PPREC_EFOREIGN);
#if SIZE_MAX > UINT32_MAX /* one that is 100 in 32 bits */
    ck_assert_int_eq(test_datagram_push(data, sizeof data, (size_t)UINT32_MAX + 101, 0), PPREC_EFOREIGN);
#endif
    ck_assert_int_eq(test_datagram_push(data, sizeof data, 65535, 0), PPREC_OK);
}
END_TEST

static const uint64_t impossible_times_ns[] = {UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};

START_TEST(impossible_send_times_are_foreign)
{
    struct wire_probe probe = {.length_log2 = 1, .flags = WIRE_TIME, .sent_ns = impossible_times_ns[_i]};
    uint8_t data[WIRE_MOST_BYTES];
    size_t bytes = wire_encode(&probe, data, sizeof data);

    ck_assert_int_eq(test_datagram_push(data, bytes, FEED_PAYLOAD_BYTES, 0), PPREC_EFOREIGN);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 1);
}
END_TEST

/* --- Classic: numbers modulo 256, FEED_GAP_NS apart --- */

static void start_classic(unsigned train_length)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.classic = 1;
    config.train_length = train_length;
    feed_start_with(&feed, config);
}

static void datagram_push_number(unsigned number, int64_t ns)
{
    uint8_t data[18] = {(uint8_t)number, 0x50, 0x11};

    ck_assert_int_eq(test_datagram_push(data, sizeof data, FEED_PAYLOAD_BYTES, ns), PPREC_OK);
}

/* Numbers from to end - 1, as the sender counts them, before modulo 256. */
static void push_numbers(unsigned from, unsigned end)
{
    for (unsigned number = from; number < end; number++)
        datagram_push_number(number, (int64_t)number * FEED_GAP_NS);
}

START_TEST(classic_multiples_of_the_length_begin_trains)
{
    start_classic(4);
    push_numbers(0, 8);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 3 * FEED_GAP_NS);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 4, 3 * FEED_GAP_NS);
    ck_assert_double_eq_tol(feed.train[1].rate_bps, 10e6, 1e-3);
}
END_TEST

START_TEST(classic_numbers_wrap_at_256)
{
    start_classic(2);
    push_numbers(0, 1000);
    ck_assert_uint_eq(feed.trains, 500);
    feed_assert_train(&feed, 128, 128, PPREC_VERDICT_OK, 2, FEED_GAP_NS); /* numbers 0, 1 again */
    feed_assert_train(&feed, 499, 499, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 500, .usable = 500, .packets = 1000});
}
END_TEST

/* 255, 256 and 257 are missing: train 127 (254, 255) is half there, 128 is not. */
START_TEST(classic_loss_across_the_wrap)
{
    start_classic(2);
    push_numbers(0, 255);
    push_numbers(258, 512);
    ck_assert_uint_eq(feed.trains, 255);
    feed_assert_train(&feed, 127, 127, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
    feed_assert_train(&feed, 128, 129, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 255, .usable = 254, .packets = 509, .lost = 3});
}
END_TEST

/* 127 in a row is the most that a byte can tell. */
START_TEST(classic_long_loss)
{
    start_classic(2);
    push_numbers(0, 201);
    push_numbers(201 + 127, 600);
    feed_assert_counts(&feed,
                       (struct pprec_counts){.trains = 237, .usable = 236, .packets = 473, .lost = 127});
}
END_TEST

START_TEST(classic_duplicates_and_reordering)
{
    static const uint8_t numbers[] = {0, 1, 1, 2, 4, 3, 5, 6, 7};

    start_classic(4);
    for (unsigned i = 0; i < sizeof numbers; i++)
        datagram_push_number(numbers[i], i * FEED_GAP_NS);
    feed_assert_counts(
        &feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .duplicate = 1, .reordered = 1});
}
END_TEST

/* The receiver was started inside a train, and the number that came second
 * belongs before the first: 0 255 1 2 3 ... */
START_TEST(classic_start_with_numbers_before_the_first)
{
    start_classic(2);
    datagram_push_number(256, 0);
    datagram_push_number(255, FEED_GAP_NS);
    for (unsigned i = 1; i < 100; i++)
        datagram_push_number(256 + i, (1 + i) * FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 51);
    feed_assert_train(&feed, 0, UINT32_MAX, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
    feed_assert_counts(
        &feed, (struct pprec_counts){.trains = 51, .usable = 49, .packets = 101, .lost = 1, .reordered = 1});
}
END_TEST

START_TEST(classic_trains_of_256)
{
    start_classic(256);
    push_numbers(0, 512);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 256, 255 * FEED_GAP_NS);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 256, 255 * FEED_GAP_NS);
}
END_TEST

START_TEST(classic_without_a_byte_is_foreign)
{
    start_classic(2);
    ck_assert_int_eq(test_datagram_push("", 0, 0, 0), PPREC_EFOREIGN);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 1);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

static void add_classic(Suite *suite)
{
    TCase *classic = tcase_create("classic");

    tcase_add_checked_fixture(classic, NULL, datagram_tear_down);
    tcase_add_test(classic, classic_multiples_of_the_length_begin_trains);
    tcase_add_test(classic, classic_numbers_wrap_at_256);
    tcase_add_test(classic, classic_loss_across_the_wrap);
    tcase_add_test(classic, classic_long_loss);
    tcase_add_test(classic, classic_duplicates_and_reordering);
    tcase_add_test(classic, classic_start_with_numbers_before_the_first);
    tcase_add_test(classic, classic_trains_of_256);
    tcase_add_test(classic, classic_without_a_byte_is_foreign);
    suite_add_tcase(suite, classic);
}

/* What the caller tells is the caller's mistake; what the datagram tells is a stranger's. */
START_TEST(mistakes_of_the_caller_and_of_others)
{
    struct pprec_stamp good = {FEED_EPOCH_NS, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    struct pprec_stamp unclocked = {FEED_EPOCH_NS, PPREC_CLOCK_NONE, PPREC_TIMESTAMPS_KERNEL};
    struct pprec_endpoint source = feed.pattern.source, nowhere = {.ip = 7};

    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &source, NULL, "junk", 4, 4, unclocked), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "received.clock 0"));
    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &nowhere, NULL, "junk", 4, 4, good), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "source.ip 7"));
    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &source, &nowhere, "junk", 4, 4, good), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "destination.ip 7"));
    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &source, NULL, "junk", 4, 4, good), PPREC_EFOREIGN);
    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &source, NULL, "", 0, 0, good), PPREC_EFOREIGN);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "no probe"));
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 5);
}
END_TEST

Suite *datagram_suite(void)
{
    Suite *suite = suite_create("datagram");
    TCase *version_1 = tcase_create("version_1");

    tcase_add_checked_fixture(version_1, datagram_set_up, datagram_tear_down);
    tcase_add_test(version_1, a_header_alone_is_enough);
    tcase_add_test(version_1, extensions_are_used);
    tcase_add_test(version_1, a_departure_too_wide_to_tell_is_the_senders);
    tcase_add_loop_test(version_1, damaged_headers_are_foreign, 0, sizeof damage / sizeof damage[0]);
    tcase_add_test(version_1, mistakes_of_the_caller_and_of_others);
    tcase_add_test(version_1, short_datagrams_are_foreign);
    tcase_add_test(version_1, impossible_sizes_are_foreign);
    tcase_add_loop_test(version_1, impossible_send_times_are_foreign, 0, 3);
    suite_add_tcase(suite, version_1);
    add_classic(suite);
    return suite;
}
