/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures that show no path: what counts as come as it left, and when it is said. */
#include "pprec/lib/as_left.h"
#include "pprec/cmd/finish.h"
#include "tests/unit/suites.h"

enum { US = 1000, MS = 1000 * US, PACKETS = 2 };

static struct pprec_capture_counts as_left_counts;

static void as_left_set_up(void)
{
    as_left_counts = (struct pprec_capture_counts){.packets = 0};
}

static struct sample as_left_sample(int64_t left_ns, int64_t came_ns, int64_t delay_ns)
{
    static const struct sample_packet packets[PACKETS];

    return (struct sample){.time_ns = 1000 + delay_ns,
                           .sent_ns = 1000,
                           .departure_span_ns = left_ns,
                           .sent = PACKETS,
                           .received = PACKETS,
                           .packets = packets,
                           .gaps = 1,
                           .span_ns = came_ns};
}

static void assert_counted(struct sample sample, unsigned departed, unsigned as_left, unsigned at_once)
{
    as_left_set_up();
    as_left_note(&as_left_counts, &sample);
    ck_assert_uint_eq(as_left_counts.departed, departed);
    ck_assert_uint_eq(as_left_counts.as_left, as_left);
    ck_assert_uint_eq(as_left_counts.at_once, at_once);
}

START_TEST(as_left_is_to_a_tenth_and_ten_us)
{
    assert_counted(as_left_sample(500 * US, 500 * US, 30 * US), 1, 1, 1);
    assert_counted(as_left_sample(500 * US, 559 * US, 30 * US), 1, 1, 1);
    assert_counted(as_left_sample(500 * US, 561 * US, 30 * US), 1, 0, 1);
    assert_counted(as_left_sample(500 * US, 441 * US, 30 * US), 1, 1, 1);
    assert_counted(as_left_sample(500 * US, 439 * US, 30 * US), 1, 0, 1);
}
END_TEST

START_TEST(as_left_at_once_is_within_a_ms)
{
    assert_counted(as_left_sample(500 * US, 500 * US, 0), 1, 1, 1);
    assert_counted(as_left_sample(500 * US, 500 * US, MS), 1, 1, 0);
    assert_counted(as_left_sample(500 * US, 500 * US, -1), 1, 1, 0); /* another host's clock */
}
END_TEST

START_TEST(as_left_asks_whole_trains_that_tell)
{
    struct sample sample =
        as_left_sample(99 * US, 99 * US, 30 * US); /* the stamps' own error is too much of it */

    assert_counted(sample, 0, 0, 0);
    assert_counted(as_left_sample(SAMPLE_UNKNOWN_NS, 500 * US, 30 * US), 0, 0, 0);
    assert_counted(as_left_sample(SAMPLE_SPAN_OVER_NS, 500 * US, 30 * US), 0, 0, 0);
    sample = as_left_sample(500 * US, 500 * US, 30 * US);
    sample.sent_ns = SAMPLE_UNKNOWN_NS;
    assert_counted(sample, 0, 0, 0);
    sample = as_left_sample(500 * US, 500 * US, 30 * US);
    sample.sent = PACKETS + 1;
    assert_counted(sample, 0, 0, 0);
}
END_TEST

static bool shown(uint64_t departed, uint64_t as_left, uint64_t at_once)
{
    const struct pprec_capture_counts counts = {.departed = departed, .as_left = as_left, .at_once = at_once};

    return finish_shows_no_path(&counts);
}

START_TEST(as_left_is_said_of_nine_in_ten)
{
    ck_assert(shown(8, 8, 8));
    ck_assert(!shown(7, 7, 7));
    ck_assert(!shown(0, 0, 0));
    ck_assert(shown(100, 90, 90));
    ck_assert(!shown(100, 89, 100)); /* the network shows */
    ck_assert(!shown(100, 100, 89)); /* a path's delay, or its queue */
}
END_TEST

Suite *as_left_suite(void)
{
    Suite *suite = suite_create("as_left");
    TCase *cases = tcase_create("cases");

    tcase_add_checked_fixture(cases, as_left_set_up, NULL);
    tcase_add_test(cases, as_left_is_to_a_tenth_and_ten_us);
    tcase_add_test(cases, as_left_at_once_is_within_a_ms);
    tcase_add_test(cases, as_left_asks_whole_trains_that_tell);
    tcase_add_test(cases, as_left_is_said_of_nine_in_ten);
    suite_add_tcase(suite, cases);
    return suite;
}
