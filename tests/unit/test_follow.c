/* SPDX-License-Identifier: BSD-3-Clause */
/* How many trains a change of the path takes until the estimate is within 5 % of what it is now:
 * frames of 4 packets, 30 a second, from 10 to 5 Mbit/s. What docs/library.md says. */
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { BEFORE = 300, AFTER = 300, FRAME_NS = 33333333 };

static struct feed feed;

static void follow_start(unsigned window, bool send_times)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.window = window;
    feed_start_with(&feed, config);
    if (!send_times)
        feed.pattern.kind = PPREC_KIND_RTP;
}

/* An idle path, whose delay differs by up to 20 us; drawn without luck. */
static void push_frame(uint32_t train, int64_t gap_ns, bool send_times)
{
    int64_t ns = (int64_t)train * FRAME_NS;

    for (unsigned position = 0; position < feed.length; position++) {
        struct pprec_arrival arrival =
            feed_arrival(&feed, train, position, ns + train * 2654435761U % 20000 + position * gap_ns);

        if (send_times) {
            arrival.sent_ns = FEED_EPOCH_NS + ns;
            arrival.departure_train = train - 1;
            arrival.departure_span_ns = train > 0 ? 15000 : PPREC_UNKNOWN_NS;
        } else {
            arrival.train_length = 0;
        }
        ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
    }
}

static unsigned trains_to_follow(unsigned window, bool send_times)
{
    struct pprec_capacity capacity;
    unsigned follows = AFTER;

    follow_start(window, send_times);
    for (uint32_t train = 0; train < BEFORE + AFTER; train++) {
        push_frame(train, train < BEFORE ? FEED_GAP_NS : 2 * FEED_GAP_NS, send_times);
        pprec_estimate(feed.pprec, &feed.pattern.source, 0x5eed, &capacity);
        if (train >= BEFORE && fabs(capacity.capacity_bps - 5e6) > 0.05 * 5e6)
            follows = AFTER;
        else if (train >= BEFORE && follows == AFTER)
            follows = train - BEFORE + 1;
    }
    feed_end(&feed);
    printf("follow: window %u, %s send times: %u trains, %.2f s\n", window, send_times ? "with" : "without",
           follows, follows / 30.0);
    return follows;
}

static const unsigned windows[] = {32, 64, 128, 256};

START_TEST(without_send_times_the_window_is_the_time_to_follow)
{
    ck_assert_uint_le(trains_to_follow(windows[_i], false), windows[_i]);
}
END_TEST

START_TEST(with_send_times_it_is_not)
{
    ck_assert_uint_le(trains_to_follow(windows[_i], true), 10);
}
END_TEST

Suite *follow_suite(void)
{
    Suite *suite = suite_create("follow");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, without_send_times_the_window_is_the_time_to_follow, 0, 4);
    tcase_add_loop_test(all, with_send_times_it_is_not, 0, 4);
    suite_add_tcase(suite, all);
    return suite;
}
