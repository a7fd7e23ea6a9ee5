/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of paced trains, and when their packets are due. */
#include "tests/unit/suites.h"
#include "pptrans/ladder.h"
#include "pptrans/pace.h"

#include <check.h>
#include <math.h>
#include <string.h>

static struct ladder ladder;

static const struct {
    double low_bps, high_bps;
    uint32_t rungs;
} ranges[] = {
    {1e6, 100e6, 21},  {1e6, 10e6, 11},  {5e6, 50e6, 11}, {1e6, 2e6, 5},
    {10e6, 10.1e6, 2}, {1e6, 1.26e6, 3}, {1e5, 1e9, 41},  {1e3, 1e12, LADDER_MOST},
};

/* Both ends, and the same ratio from rung to rung. */
START_TEST(test_rungs_are_geometric)
{
    double ratio;

    ladder_init(&ladder, ranges[_i].low_bps, ranges[_i].high_bps);
    ck_assert_uint_eq(ladder.rungs, ranges[_i].rungs);
    ratio = ladder_bps(&ladder, 1) / ladder_bps(&ladder, 0);
    ck_assert_double_gt(ratio, 1);
    for (uint32_t rung = 1; rung < ladder.rungs; rung++)
        ck_assert_double_eq_tol(ladder_bps(&ladder, rung) / ladder_bps(&ladder, rung - 1), ratio, 1e-9);
    ck_assert_double_eq_tol(ladder_bps(&ladder, 0) / ranges[_i].low_bps, 1, 1e-12);
    ck_assert_double_eq_tol(ladder_bps(&ladder, ladder.rungs - 1) / ranges[_i].high_bps, 1, 1e-12);
    ck_assert_double_eq_tol(ladder_middle_bps(&ladder) / sqrt(ranges[_i].low_bps * ranges[_i].high_bps), 1,
                            1e-12);
}
END_TEST

/* Each round has every rung once, in whatever turn it begins, also where turns wrap in 32 bits. */
START_TEST(test_every_round_has_every_rung)
{
    for (uint32_t rungs = 2; rungs <= LADDER_MOST; rungs++) {
        ladder_init(&ladder, 1e6, 1e6 * pow(10, (rungs - 1) / 10.0));
        ck_assert_uint_eq(ladder.rungs, rungs);
        for (uint32_t start = 0; start < 2 * rungs; start++) {
            uint8_t seen[LADDER_MOST] = {0};

            for (uint32_t turn = start; turn < start + rungs; turn++)
                ck_assert_uint_eq(seen[ladder_rung(&ladder, turn)]++, 0);
        }
        ck_assert_uint_lt(ladder_rung(&ladder, UINT32_MAX), rungs);
    }
}
END_TEST

/* Any eight in a row of 21 are spread over the ladder: no two neighbours are further apart than five
 * rungs, nor are the ends from the nearest of them. */
START_TEST(test_few_turns_reach_all_of_the_range)
{
    enum { IN_A_ROW = 8, FURTHEST = 5 };

    ladder_init(&ladder, 1e6, 100e6);
    for (uint32_t start = 0; start < ladder.rungs; start++) {
        uint8_t seen[LADDER_MOST] = {0};
        int last = -1, widest = 0;

        for (uint32_t turn = start; turn < start + IN_A_ROW; turn++)
            seen[ladder_rung(&ladder, turn)] = 1;
        for (int rung = 0; rung <= (int)ladder.rungs; rung++)
            if (rung == (int)ladder.rungs || seen[rung]) {
                widest = rung - last > widest ? rung - last : widest;
                last = rung;
            }
        ck_assert_int_le(widest, FURTHEST);
    }
}
END_TEST

/* 1518 bytes at 100 Mbit/s: 121.44 us. Of 256 packets the last is due 255 gaps after the first:
 * nothing is rounded off on the way. */
START_TEST(test_due_times_do_not_drift)
{
    struct pace pace = {.start_ns = INT64_C(1) << 62, .gap_ns = 1518 * 8 * 10.0 + 0.3};

    ck_assert_int_eq(pace_due_ns(&pace, 0), pace.start_ns);
    ck_assert_int_eq(pace_due_ns(&pace, 1) - pace.start_ns, 121440);
    ck_assert_int_eq(pace_due_ns(&pace, 2) - pace.start_ns, 242881);
    ck_assert_int_eq(pace_due_ns(&pace, 255) - pace.start_ns, 30967277);
}
END_TEST

START_TEST(test_sleep_ends_before_the_packet_is_due)
{
    int64_t now_ns = 1000000;

    ck_assert_int_eq(pace_wake_ns(now_ns + 10 * PACE_SPIN_NS, now_ns), now_ns + 9 * PACE_SPIN_NS);
    ck_assert_int_eq(pace_wake_ns(now_ns + PACE_SPIN_NS + 1, now_ns), now_ns + 1);
    ck_assert_int_eq(pace_wake_ns(now_ns + PACE_SPIN_NS, now_ns), 0);
    ck_assert_int_eq(pace_wake_ns(now_ns, now_ns), 0);
    ck_assert_int_eq(pace_wake_ns(now_ns - 1, now_ns), 0); /* late */
}
END_TEST

Suite *ladder_suite(void)
{
    Suite *suite = suite_create("ladder");
    TCase *tests = tcase_create("ladder");

    tcase_add_loop_test(tests, test_rungs_are_geometric, 0, sizeof ranges / sizeof ranges[0]);
    tcase_add_test(tests, test_every_round_has_every_rung);
    tcase_add_test(tests, test_few_turns_reach_all_of_the_range);
    tcase_add_test(tests, test_due_times_do_not_drift);
    tcase_add_test(tests, test_sleep_ends_before_the_packet_is_due);
    suite_add_tcase(suite, tests);
    return suite;
}
