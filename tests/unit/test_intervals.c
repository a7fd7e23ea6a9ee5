/* SPDX-License-Identifier: BSD-3-Clause */
/* Interval reports of streams that come and go. */
#include "pprec/cmd/intervals.h"
#include "tests/unit/allocations.h"
#include "tests/unit/feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <string.h>

enum { STREAMS = 3, NAMES = 8 };

static struct feed feed;
static struct intervals intervals;
static int64_t now_ns;
static uint64_t trains[NAMES]; /* told of each name in the last round */

static void intervals_set_up(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.filter = "median";
    config.streams_max = STREAMS;
    feed_start_with(&feed, config);
    now_ns = 0;
}

static void intervals_tear_down(void)
{
    intervals_fini(&intervals);
    feed_end(&feed);
}

/* So long that any stream gives way, or ends; a jump of the clock would not age them so. */
static void let_time_pass(void)
{
    for (unsigned i = 0; i < 15; i++)
        feed_tick(&feed, now_ns += 50 * FEED_SECOND_NS);
}

static void intervals_push_train(uint32_t name, uint32_t train)
{
    now_ns += FEED_SECOND_NS;
    feed.pattern.stream = name;
    feed_train(&feed, train, now_ns);
}

/* A round; returns how many streams it told of. */
static size_t intervals_tell(void)
{
    struct pprec_summary summary;
    size_t count = 0;

    memset(trains, 0, sizeof trains);
    for (; intervals_next(&intervals, feed.pprec, count, &summary); count++)
        trains[summary.stream] = summary.counts.trains;
    return count;
}

START_TEST(each_stream_since_the_last_round)
{
    intervals_push_train(1, 0);
    intervals_push_train(2, 0);
    ck_assert_uint_eq(intervals_tell(), 2);
    ck_assert(trains[1] == 1 && trains[2] == 1);
    intervals_push_train(2, 1);
    intervals_push_train(2, 2);
    intervals_push_train(3, 0);
    ck_assert_uint_eq(intervals_tell(), 3);
    ck_assert(trains[1] == 0 && trains[2] == 2 && trains[3] == 1);
    ck_assert_uint_eq(intervals_tell(), 3);
    ck_assert(trains[1] == 0 && trains[2] == 0 && trains[3] == 0);
}
END_TEST

/* Beside a plain account of each name, whatever gives way to whom. */
START_TEST(streams_come_and_go)
{
    struct rng rng = rng_start("streams_come_and_go");
    uint64_t since[NAMES] = {0};
    uint32_t next[NAMES] = {0};

    for (unsigned i = 0; i < 500; i++) {
        uint32_t name = rng_below(&rng, NAMES);
        struct pprec_capacity none;

        let_time_pass();
        if (pprec_estimate(feed.pprec, &feed.pattern.source, name, &none) < 0)
            since[name] = 0; /* it begins */
        intervals_push_train(name, next[name]++);
        since[name]++;
        if (!rng_percent(&rng, 40))
            continue;
        ck_assert_uint_le(intervals_tell(), STREAMS);
        for (uint32_t known = 0; known < NAMES; known++)
            if (pprec_estimate(feed.pprec, &feed.pattern.source, known, &none) == PPREC_OK) {
                ck_assert_uint_eq(trains[known], since[known]);
                since[known] = 0;
            }
    }
}
END_TEST

START_TEST(without_memory_a_stream_waits_for_the_next_round)
{
    size_t told;

    intervals_push_train(1, 0);
    allocations_limit(0);
    told = intervals_tell();
    allocations_limit(-1);
    ck_assert_uint_eq(told, 0);
    intervals_push_train(1, 1);
    ck_assert_uint_eq(intervals_tell(), 1);
    ck_assert_uint_eq(trains[1], 2);
}
END_TEST

Suite *intervals_suite(void)
{
    Suite *suite = suite_create("intervals");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, intervals_set_up, intervals_tear_down);
    tcase_add_test(all, each_stream_since_the_last_round);
    tcase_add_test(all, streams_come_and_go);
    tcase_add_test(all, without_memory_a_stream_waits_for_the_next_round);
    suite_add_tcase(suite, all);
    return suite;
}
