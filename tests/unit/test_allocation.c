/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path allocates nothing, and where memory runs out
 * the library says so and goes on. */
#include "common/wire.h"
#include "tests/unit/allocations.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;

static void allocation_set_up(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.whole_window = 1; /* else it may grow, once: test_memory.c */
    feed_start_with(&feed, config);
}

static void allocation_tear_down(void)
{
    allocations_limit(-1);
    feed_end(&feed);
}

/* Assertions allocate: refusals are counted here and looked at later. */
static unsigned allocation_push(uint32_t train, unsigned position, int64_t ns)
{
    struct pprec_arrival arrival = feed_arrival(&feed, train, position, ns);

    return pprec_push(feed.pprec, &arrival) != PPREC_OK;
}

/* Every fifth packet lost, every seventh doubled, two of each train swapped, a
 * train of half the length now and then, and trains missing. */
static unsigned push_damaged_trains(uint32_t from, uint32_t end)
{
    unsigned refused = 0;

    for (uint32_t train = from; train < end; train++) {
        unsigned length = feed.length;

        if (train % 11 == 0)
            continue;
        for (unsigned i = 0; i < length; i++) {
            unsigned position = i < 2 ? 1 - i : i;

            if ((train + i) % 5 == 0)
                continue;
            refused += allocation_push(train, position, T(train) + i * FEED_GAP_NS);
            if ((train + i) % 7 == 0)
                refused += allocation_push(train, position, T(train) + i * FEED_GAP_NS);
        }
    }
    return refused;
}

static const uint16_t lengths[] = {2, 8, 256};

START_TEST(pushing_allocates_nothing)
{
    uint64_t before, after;
    unsigned refused;

    feed.length = lengths[_i];
    feed_train(&feed, 0, T(0)); /* the stream, and room for trains of this length */
    before = allocations();
    refused = push_damaged_trains(1, 200);
    after = allocations();
    ck_assert_uint_eq(after, before);
    ck_assert_uint_eq(refused, 0);
    ck_assert_uint_gt(feed.trains, 100);
}
END_TEST

START_TEST(a_longer_train_allocates_once)
{
    uint64_t before, after;
    unsigned refused;

    feed_train(&feed, 0, T(0));
    feed.length = 32;
    before = allocations();
    refused = allocation_push(1, 0, T(1));
    after = allocations();
    ck_assert_uint_eq(after, before + 1);
    before = allocations();
    refused += push_damaged_trains(2, 50);
    feed.length = 16;
    refused += push_damaged_trains(50, 100);
    after = allocations();
    ck_assert_uint_eq(after, before);
    ck_assert_uint_eq(refused, 0);
}
END_TEST

/* That the counter counts at all. */
START_TEST(a_stream_allocates)
{
    uint64_t before = allocations();
    unsigned refused = allocation_push(0, 0, 0);
    uint64_t after = allocations();

    ck_assert_uint_eq(refused, 0);
    ck_assert_uint_gt(after, before);
}
END_TEST

START_TEST(datagrams_allocate_nothing)
{
    struct wire_probe probe = {.length_log2 = 1, .flags = WIRE_TIME | WIRE_DEPARTURE};
    struct pprec_stamp received = {FEED_EPOCH_NS, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    uint8_t data[WIRE_MOST_BYTES];
    uint64_t before = 0, after;

    for (uint32_t seq = 0; seq < 1000; seq++) {
        probe.seq = seq;
        probe.train = seq / 2;
        probe.position = seq % 2;
        wire_encode(&probe, data, sizeof data);
        data[0] ^= seq % 10 == 9; /* and junk */
        received.ns += FEED_GAP_NS;
        pprec_push_datagram(feed.pprec, &feed.pattern.source, NULL, data, sizeof data, 954, received);
        if (seq == 0)
            before = allocations();
    }
    after = allocations();
    ck_assert_uint_eq(after, before);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 100);
}
END_TEST

/* --- Where memory runs out --- */

START_TEST(a_handle_without_memory)
{
    struct pprec_config config;
    struct pprec *pprec;
    int64_t granted = 0;
    int status;

    pprec_config_init(&config);
    do {
        allocations_limit(granted++);
        status = pprec_new(&pprec, &config);
        allocations_limit(-1);
        if (status != PPREC_OK)
            ck_assert_int_eq(status, PPREC_ENOMEM);
        ck_assert(status == PPREC_OK || pprec_error(pprec)[0] != '\0');
        pprec_free(pprec);
    } while (status != PPREC_OK);
    ck_assert_int_gt(granted, 1);
}
END_TEST

/* Each allocation of the first packet in turn fails; then there is memory again,
 * and the train is measured all the same. */
START_TEST(a_stream_without_memory)
{
    struct pprec_arrival arrival = feed_arrival(&feed, 0, 0, 0);
    int64_t granted = 0;
    int status;

    do {
        allocations_limit(granted++);
        status = pprec_push(feed.pprec, &arrival);
        allocations_limit(-1);
        if (status != PPREC_OK)
            ck_assert_int_eq(status, PPREC_ENOMEM);
        ck_assert(status == PPREC_OK || pprec_error(feed.pprec)[0] != '\0');
    } while (status != PPREC_OK);
    ck_assert_int_gt(granted, 3);
    feed_part(&feed, 0, 1, 4, 0);
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
}
END_TEST

START_TEST(a_longer_train_without_memory)
{
    struct pprec_arrival longer;
    int status;

    feed_part(&feed, 0, 0, 3, T(0));
    feed.length = 64;
    longer = feed_arrival(&feed, 1, 0, T(1));
    allocations_limit(0);
    status = pprec_push(feed.pprec, &longer);
    allocations_limit(-1);
    ck_assert_int_eq(status, PPREC_ENOMEM);
    feed.length = 4;
    feed_part(&feed, 0, 3, 4, T(0)); /* what was there still is */
    feed_assert_train(&feed, 0, 0, PPREC_VERDICT_OK, 4, 2400000);
}
END_TEST

Suite *allocation_suite(void)
{
    Suite *suite = suite_create("allocation");
    TCase *none = tcase_create("none");
    TCase *no_memory = tcase_create("no_memory");

    tcase_add_checked_fixture(none, allocation_set_up, allocation_tear_down);
    tcase_add_loop_test(none, pushing_allocates_nothing, 0, sizeof lengths / sizeof lengths[0]);
    tcase_add_test(none, a_longer_train_allocates_once);
    tcase_add_test(none, a_stream_allocates);
    tcase_add_test(none, datagrams_allocate_nothing);
    tcase_add_checked_fixture(no_memory, allocation_set_up, allocation_tear_down);
    tcase_add_test(no_memory, a_handle_without_memory);
    tcase_add_test(no_memory, a_stream_without_memory);
    tcase_add_test(no_memory, a_longer_train_without_memory);
    suite_add_tcase(suite, none);
    suite_add_tcase(suite, no_memory);
    return suite;
}
