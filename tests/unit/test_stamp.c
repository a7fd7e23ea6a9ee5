/* SPDX-License-Identifier: BSD-3-Clause */
/* Stamps of different clocks are never subtracted. */
#include "common/stamp.h"
#include "tests/unit/suites.h"

static const struct stamp early = {1000, STAMP_CLOCK_REALTIME, STAMP_SOURCE_KERNEL};

START_TEST(one_clock_is_subtracted)
{
    struct stamp later = {1750, STAMP_CLOCK_REALTIME, STAMP_SOURCE_USER};
    int64_t elapsed_ns = 0;

    ck_assert(stamp_elapsed(early, later, &elapsed_ns));
    ck_assert_int_eq(elapsed_ns, 750);
    ck_assert(stamp_elapsed(later, early, &elapsed_ns));
    ck_assert_int_eq(elapsed_ns, -750);
}
END_TEST

static const uint8_t other_clocks[] = {STAMP_CLOCK_NONE, STAMP_CLOCK_ADAPTER, STAMP_CLOCK_OTHER};

START_TEST(two_clocks_are_refused)
{
    struct stamp other = {1750, other_clocks[_i], STAMP_SOURCE_KERNEL};
    int64_t elapsed_ns = -7;

    ck_assert(!stamp_elapsed(early, other, &elapsed_ns));
    ck_assert(!stamp_elapsed(other, early, &elapsed_ns));
    ck_assert_int_eq(elapsed_ns, -7); /* not written */
}
END_TEST

START_TEST(no_clock_is_refused)
{
    struct stamp none = {0};
    int64_t elapsed_ns = -7;

    ck_assert(!stamp_elapsed(none, none, &elapsed_ns));
    ck_assert_int_eq(elapsed_ns, -7);
}
END_TEST

START_TEST(timespec_and_back)
{
    struct timespec time = {.tv_sec = 1700000000, .tv_nsec = 999999999};
    struct timespec back;

    ck_assert_int_eq(stamp_from_timespec(&time), INT64_C(1700000000999999999));
    back = stamp_to_timespec(INT64_C(1700000000999999999));
    ck_assert_int_eq(back.tv_sec, 1700000000);
    ck_assert_int_eq(back.tv_nsec, 999999999);
}
END_TEST

/* Past the 32 bits of seconds of 2038. */
START_TEST(timespec_beyond_2038)
{
    struct timespec time = {.tv_sec = INT64_C(4294967296), .tv_nsec = 1};

    ck_assert_int_eq(stamp_from_timespec(&time), INT64_C(4294967296000000001));
}
END_TEST

Suite *stamp_suite(void)
{
    Suite *suite = suite_create("stamp");
    TCase *elapsed = tcase_create("elapsed");
    TCase *timespec = tcase_create("timespec");

    tcase_add_test(elapsed, one_clock_is_subtracted);
    tcase_add_loop_test(elapsed, two_clocks_are_refused, 0, sizeof other_clocks);
    tcase_add_test(elapsed, no_clock_is_refused);
    tcase_add_test(timespec, timespec_and_back);
    tcase_add_test(timespec, timespec_beyond_2038);
    suite_add_tcase(suite, elapsed);
    suite_add_tcase(suite, timespec);
    return suite;
}
