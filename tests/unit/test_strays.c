/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that come too late or fit no train, and numbers that wrap. Trains of 4: a
 * whole one spans 3 * 800 = 2400 us. */
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stddef.h>
#include <string.h>

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;

static void strays_set_up(void)
{
    feed_start(&feed);
}

static void strays_tear_down(void)
{
    feed_end(&feed);
}

/* --- Late --- */

START_TEST(a_late_packet_is_counted_and_changes_nothing)
{
    feed_part(&feed, 0, 0, 3, T(0));
    feed_train(&feed, 1, T(1));
    ck_assert_uint_eq(feed.trains, 2);
    feed_packet(&feed, 0, 3, T(1) + 4 * FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_counts(
        &feed,
        (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8, .lost = 1, .reordered = 1, .late = 1});
}
END_TEST

/* 0.3 comes between 2.1 and 2.2. */
START_TEST(a_late_packet_voids_the_gap_it_sits_in)
{
    feed_part(&feed, 0, 0, 3, T(0));
    feed_train(&feed, 1, T(1));
    feed_part(&feed, 2, 0, 2, T(2));
    feed_packet(&feed, 0, 3, T(2) + FEED_GAP_NS + 5000);
    feed_part(&feed, 2, 2, 4, T(2));
    feed_assert_train(&feed, 2, 2, PPREC_VERDICT_OK, 4, 1600000);
}
END_TEST

START_TEST(a_late_train_is_told_as_late)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 2, T(2));
    feed_train(&feed, 1, T(2) + 5 * FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 3);
    feed_assert_train(&feed, 2, 1, PPREC_VERDICT_LATE, 4, 2400000);
    feed_assert_counts(
        &feed,
        (struct pprec_counts){.trains = 3, .usable = 2, .packets = 12, .lost = 4, .reordered = 4, .late = 4});
}
END_TEST

START_TEST(a_packet_from_long_ago_is_late)
{
    feed_train(&feed, 0, T(0));
    feed_train(&feed, 50, T(50));
    feed_packet(&feed, 3, 1, T(50) + 5 * FEED_GAP_NS);
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_counts(
        &feed,
        (struct pprec_counts){
            .trains = 2, .usable = 2, .packets = 9, .lost = 49 * 4, .reordered = 1, .late = 1});
}
END_TEST

/* --- Foreign --- */

static void strays_assert_refused(struct pprec_arrival arrival, int status, const char *text)
{
    uint64_t foreign = pprec_foreign(feed.pprec);

    ck_assert_int_eq(pprec_push(feed.pprec, &arrival), status);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), foreign + 1);
    ck_assert_msg(strstr(pprec_error(feed.pprec), text) != NULL, "not '%s': %s", text,
                  pprec_error(feed.pprec));
}

START_TEST(headers_that_contradict_their_train)
{
    struct pprec_arrival arrival = feed_arrival(&feed, 0, 2, 2 * FEED_GAP_NS);

    feed_part(&feed, 0, 0, 2, 0);
    arrival.train_length = 8; /* of another length */
    strays_assert_refused(arrival, PPREC_EFOREIGN, "not those of its train 0");
    arrival.train_length = 4;
    arrival.seq++; /* elsewhere in the sequence */
    strays_assert_refused(arrival, PPREC_EFOREIGN, "not those of its train 0");
    feed_part(&feed, 0, 2, 4, 0);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 1, .usable = 1, .packets = 4});
}
END_TEST

static const struct {
    uint16_t train_length;
    uint16_t position;
    const char *text;
} impossible[] = {
    {0, 256, "position 256: want less than 256"},
    {1, 0, "train_length 1: want 2 to 256"},
    {257, 0, "train_length 257"},
    {65535, 256, "train_length 65535"},
    {4, 4, "position 4: want less than train_length"},
    {2, 2, "position 2"},
    {256, 256, "position 256"},
};

/* Nor do they leave a stream behind. */
START_TEST(packets_of_no_possible_train)
{
    struct pprec_arrival arrival = feed_arrival(&feed, 0, 0, 0);

    arrival.train_length = impossible[_i].train_length;
    arrival.position = impossible[_i].position;
    strays_assert_refused(arrival, PPREC_EINVAL, impossible[_i].text);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* One field, so many bytes of it, is something else. */
#define FIELD(name, type, ...)                                                                               \
    {                                                                                                        \
#name " ", offsetof(struct pprec_arrival, name), sizeof(type), &(const type)                         \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

static const struct {
    const char *name;
    size_t offset, bytes;
    const void *value;
} beyond_sense[] = {
    FIELD(source.ip, uint8_t, 5),
    FIELD(source.ip, uint8_t, 0),
    FIELD(destination.ip, uint8_t, 5),
    FIELD(kind, enum pprec_kind, PPREC_KINDS),
    FIELD(payload_bytes, uint32_t, 0),
    FIELD(payload_bytes, uint32_t, 65536),
    FIELD(header_bytes, uint32_t, 65536),
    FIELD(received.clock, uint8_t, PPREC_CLOCK_NONE),
    FIELD(received.clock, uint8_t, PPREC_CLOCK_OTHER + 1),
    FIELD(received.source, uint8_t, PPREC_TIMESTAMPS_USER + 1),
    FIELD(received.ns, int64_t, INT64_MAX),
    FIELD(received.ns, int64_t, PPREC_UNKNOWN_NS),
    FIELD(sent_ns, int64_t, INT64_MAX),
    FIELD(departure_span_ns, int64_t, -1),
    FIELD(departed_ns, int64_t, INT64_MAX),
    FIELD(departed_ns, int64_t, INT64_MIN + 1),
};

START_TEST(arrivals_beyond_sense)
{
    struct pprec_arrival bad = feed_arrival(&feed, 0, 0, 0);

    memcpy((char *)&bad + beyond_sense[_i].offset, beyond_sense[_i].value, beyond_sense[_i].bytes);
    strays_assert_refused(bad, PPREC_EINVAL, beyond_sense[_i].name);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), ": want "));
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

START_TEST(a_tick_beyond_sense)
{
    ck_assert_int_eq(pprec_tick(feed.pprec, INT64_MAX), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "now_ns"));
    ck_assert_int_eq(pprec_tick(feed.pprec, PPREC_UNKNOWN_NS), PPREC_EINVAL);
    ck_assert_int_eq(pprec_tick(feed.pprec, 0), PPREC_OK);
}
END_TEST

/* --- Wrap --- */

/* Train numbers and, since 2^32 / 4 is whole, sequence numbers pass 2^32 together
 * between trains 0xffffffff and 0; trains 0xfffffffe and 1 are damaged. */
START_TEST(strays_numbers_wrap)
{
    feed_train(&feed, 0xfffffffd, T(0));
    feed_part(&feed, 0xfffffffe, 1, 4, T(1));
    feed_train(&feed, 0xffffffff, T(2));
    feed_train(&feed, 0, T(3));
    feed_packet(&feed, 0xffffffff, 1, T(3) + 4 * FEED_GAP_NS); /* a duplicate */
    feed_train(&feed, 2, T(5));
    ck_assert_uint_eq(feed.trains, 5);
    feed_assert_train(&feed, 1, 0xfffffffe, PPREC_VERDICT_PARTIAL, 3, 1600000);
    feed_assert_train(&feed, 3, 0, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_counts(
        &feed, (struct pprec_counts){.trains = 5, .usable = 5, .packets = 19, .lost = 1 + 4, .duplicate = 1});
}
END_TEST

/* Only the sequence wraps, inside a train: train 7 starts at 2^32 - 2. */
START_TEST(sequence_wraps_inside_a_train)
{
    for (unsigned train = 7; train < 9; train++) {
        for (unsigned i = 0; i < 4; i++) {
            struct pprec_arrival arrival = feed_arrival(&feed, train, i, T(train) + i * FEED_GAP_NS);

            arrival.seq = 0xfffffffe + (train - 7) * 4 + i;
            ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
        }
    }
    feed_assert_train(&feed, 0, 7, PPREC_VERDICT_OK, 4, 2400000);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8});
}
END_TEST

Suite *strays_suite(void)
{
    Suite *suite = suite_create("strays");
    TCase *late = tcase_create("late");
    TCase *foreign = tcase_create("foreign");
    TCase *wrap = tcase_create("wrap");

    tcase_add_checked_fixture(late, strays_set_up, strays_tear_down);
    tcase_add_test(late, a_late_packet_is_counted_and_changes_nothing);
    tcase_add_test(late, a_late_packet_voids_the_gap_it_sits_in);
    tcase_add_test(late, a_late_train_is_told_as_late);
    tcase_add_test(late, a_packet_from_long_ago_is_late);
    tcase_add_checked_fixture(foreign, strays_set_up, strays_tear_down);
    tcase_add_test(foreign, headers_that_contradict_their_train);
    tcase_add_loop_test(foreign, packets_of_no_possible_train, 0, sizeof impossible / sizeof impossible[0]);
    tcase_add_loop_test(foreign, arrivals_beyond_sense, 0, sizeof beyond_sense / sizeof beyond_sense[0]);
    tcase_add_test(foreign, a_tick_beyond_sense);
    tcase_add_checked_fixture(wrap, strays_set_up, strays_tear_down);
    tcase_add_test(wrap, strays_numbers_wrap);
    tcase_add_test(wrap, sequence_wraps_inside_a_train);
    suite_add_tcase(suite, late);
    suite_add_tcase(suite, foreign);
    suite_add_tcase(suite, wrap);
    return suite;
}
