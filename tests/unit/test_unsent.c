/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sender's kernel refused uses no sequence number: the receiver sees that it was not
 * sent, and does not miss it. Trains of 4, of which so many were sent. */
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

static struct feed feed;
static uint32_t next_seq;

static void unsent_set_up(void)
{
    feed_start(&feed);
    next_seq = 0;
}

static void unsent_tear_down(void)
{
    feed_end(&feed);
}

/* Of its packets the first were sent, and of those all but one (-1: all) arrive. */
static void unsent_send_train(uint32_t train, unsigned sent, int lost, int64_t ns)
{
    for (unsigned position = 0; position < sent; position++) {
        struct pprec_arrival arrival =
            feed_arrival(&feed, train, position, ns + (int64_t)position * FEED_GAP_NS);

        arrival.seq = next_seq + position;
        if ((int)position != lost)
            ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
    }
    next_seq += sent;
}

START_TEST(trains_that_were_not_sent_are_not_lost)
{
    unsent_send_train(0, 4, -1, T(0));
    unsent_send_train(1, 0, -1, T(1));
    unsent_send_train(7, 4, -1, T(7));
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 8});
}
END_TEST

START_TEST(a_train_that_was_cut_short_is_whole)
{
    unsent_send_train(0, 4, -1, T(0));
    unsent_send_train(1, 3, -1, T(1));
    unsent_send_train(2, 4, -1, T(2));
    unsent_send_train(3, 4, -1, T(3));
    ck_assert_uint_eq(feed.trains, 4);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_OK, 3, 1600000);
    ck_assert_uint_eq(feed.train[1].sent, 3);
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 4, .usable = 4, .packets = 15});
}
END_TEST

START_TEST(what_was_sent_of_it_may_be_lost)
{
    unsent_send_train(0, 3, 1, T(0));
    unsent_send_train(1, 4, -1, T(1));
    ck_assert_uint_eq(feed.train[0].sent, 3);
    ck_assert_uint_eq(feed.train[0].received, 2);
    ck_assert_uint_eq(feed_counts(&feed).lost, 1);
}
END_TEST

/* The train after it is lost: what is missing in all is known, but not of which of the two. */
START_TEST(a_lost_train_behind_it_is_counted_once)
{
    unsent_send_train(0, 2, -1, T(0));
    next_seq += 4;
    unsent_send_train(2, 4, -1, T(2));
    feed_assert_counts(&feed, (struct pprec_counts){.trains = 2, .usable = 2, .packets = 6, .lost = 4});
}
END_TEST

/* Nobody said in time that the rest would not come: the next loss is smaller by it. */
START_TEST(a_late_word_is_made_up_for)
{
    unsent_send_train(0, 2, -1, T(0));
    feed_tick(&feed, T(100));
    ck_assert_uint_eq(feed.train[0].sent, 4);
    ck_assert_uint_eq(feed_counts(&feed).lost, 2);
    unsent_send_train(1, 4, -1, T(101));
    ck_assert_uint_eq(feed_counts(&feed).lost, 2);
    next_seq += 8;
    unsent_send_train(4, 4, -1, T(104));
    ck_assert_uint_eq(feed_counts(&feed).lost, 8);
}
END_TEST

/* Over the end of the numbers, as everywhere. */
START_TEST(unsent_numbers_wrap)
{
    next_seq = UINT32_MAX;
    unsent_send_train(UINT32_MAX, 2, -1, T(0));
    unsent_send_train(0, 4, -1, T(1));
    unsent_send_train(1, 4, -1, T(2));
    ck_assert_uint_eq(feed.train[0].sent, 2);
    ck_assert_uint_eq(feed_counts(&feed).lost, 0);
}
END_TEST

Suite *unsent_suite(void)
{
    Suite *suite = suite_create("unsent");
    TCase *tests = tcase_create("unsent");

    tcase_add_checked_fixture(tests, unsent_set_up, unsent_tear_down);
    tcase_add_test(tests, trains_that_were_not_sent_are_not_lost);
    tcase_add_test(tests, a_train_that_was_cut_short_is_whole);
    tcase_add_test(tests, what_was_sent_of_it_may_be_lost);
    tcase_add_test(tests, a_lost_train_behind_it_is_counted_once);
    tcase_add_test(tests, a_late_word_is_made_up_for);
    tcase_add_test(tests, unsent_numbers_wrap);
    suite_add_tcase(suite, tests);
    return suite;
}
