/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains that a clock let go, and trains that only look like it. */
#include "filters/ticks.h"
#include "tests/unit/suites.h"

#include <check.h>

#define US INT64_C(1000)

enum { COUNT = 64 };

static struct ticks ticks_at(const int64_t *at_us, unsigned count)
{
    double at_ns[COUNT], gap_ns[COUNT] = {0};
    struct extent behind;
    struct ticks ticks;

    for (unsigned k = 0; k < count; k++) {
        at_ns[k] = (double)((at_us[k] - at_us[0]) * US);
        gap_ns[k] = k > 0 ? at_ns[k] - at_ns[k - 1] : 0;
    }
    behind = extent_of(gap_ns + 2, count - 2);
    ticks_read(at_ns, gap_ns, &behind, &ticks);
    return ticks;
}

static struct ticks ticks_of(const int64_t *at_us)
{
    return ticks_at(at_us, COUNT);
}

/* Packet k, which needs 1000 us, goes at the first tick after its turn; up to 3 us late. */
static void filters_ticks_let_go(int64_t *at_us, int64_t tick_us, int64_t phase_us)
{
    for (int64_t k = 0; k < COUNT; k++) {
        int64_t turn_us = phase_us + k * 1000;

        at_us[k] = (turn_us + tick_us - 1) / tick_us * tick_us + k * 5 % 4;
    }
}

/* At any phase. */
static void assert_found(int64_t tick_us, int64_t step_us)
{
    int64_t at_us[COUNT];

    for (int64_t phase_us = 0; phase_us < tick_us; phase_us += step_us) {
        filters_ticks_let_go(at_us, tick_us, phase_us);
        ck_assert(ticks_of(at_us).found);
    }
    ck_assert_double_eq_tol(ticks_of(at_us).tick_ns, (double)(tick_us * US), 6e3);
}

START_TEST(ticks_longer_than_gaps)
{
    assert_found(3300, 100);
}
END_TEST

START_TEST(ticks_shorter_than_gaps)
{
    assert_found(300, 10);
}
END_TEST

/* Within a batch packets come at the peak rate, a third of a gap apart. */
START_TEST(batches_at_a_peak_rate)
{
    int64_t at_us[COUNT];

    filters_ticks_let_go(at_us, 3300, 700);
    for (unsigned k = 1; k < COUNT; k++)
        if (at_us[k] < at_us[k - 1] + 333)
            at_us[k] = at_us[k - 1] + 333;
    ck_assert(ticks_of(at_us).found);
}
END_TEST

/* A bucket with room for half a packet lets the second one go 500 us after the first. */
START_TEST(half_a_packet_before_the_ticks)
{
    int64_t at_us[COUNT];

    filters_ticks_let_go(at_us, 300, 0);
    at_us[0] = at_us[1] - 500;
    ck_assert(ticks_of(at_us).found);
}
END_TEST

/* A bucket of nine lets them go at once; the tenth has its turn after 3000 us. */
START_TEST(a_bucket_before_the_ticks)
{
    int64_t at_us[COUNT];

    filters_ticks_let_go(at_us, 3300, 3000 - 9 * 1000);
    for (unsigned k = 0; k < 9; k++)
        at_us[k] = 0;
    ck_assert(ticks_of(at_us).found);
}
END_TEST

/* Seven ticks in a train of 64 are few. */
START_TEST(batches_that_are_few)
{
    int64_t at_us[COUNT];

    filters_ticks_let_go(at_us, 9000, 0);
    ck_assert(!ticks_of(at_us).found);
}
END_TEST

/* Gaps of 1000 us, and of 1500 where a packet of other traffic lies in between. */
static void mix_in(int64_t *at_us, unsigned first, unsigned cross)
{
    at_us[0] = 0;
    for (unsigned k = 1; k < COUNT; k++)
        at_us[k] = at_us[k - 1] + (k >= first && k < first + cross ? 1500 : 1000);
}

/* 500 us: a tick of one in two or three, and no more than that is wrong with it. Of 1000 us,
 * nine tenths remain beside the line; that is less than a gap, but more than a tick. */
START_TEST(what_adds_up)
{
    int64_t at_us[COUNT];

    mix_in(at_us, 30, 1);
    ck_assert(ticks_of(at_us).found);
    mix_in(at_us, 30, 2);
    ck_assert(!ticks_of(at_us).found);
    mix_in(at_us, 30, 3);
    ck_assert(!ticks_of(at_us).found);
}
END_TEST

/* Every 3300 us an interrupt hands on what is there: 1500 us are less than that, but more than
 * a gap. */
START_TEST(what_adds_up_in_batches)
{
    int64_t at_us[COUNT];

    for (unsigned cross = 0; cross <= 3; cross += 3) {
        mix_in(at_us, 30, cross);
        for (unsigned k = 0; k < COUNT; k++)
            at_us[k] = (at_us[k] + 3299) / 3300 * 3300;
        ck_assert_int_eq(ticks_of(at_us).found, cross == 0);
    }
}
END_TEST

/* Constant traffic puts no packet, or one of 300 us, in turn between two of 1000 us: even
 * enough, but 3.3 of what they differ by. Of 333 us they are 3 and 4. */
START_TEST(what_is_on_no_lattice)
{
    int64_t at_us[COUNT] = {0};

    for (unsigned k = 1; k < COUNT; k++)
        at_us[k] = at_us[k - 1] + (k % 2 ? 1300 : 1000);
    ck_assert(!ticks_of(at_us).found);
    for (unsigned k = 1; k < COUNT; k++)
        at_us[k] = at_us[k - 1] + (k % 2 ? 1333 : 1000);
    ck_assert(ticks_of(at_us).found);
}
END_TEST

/* No packet, one or two, of 250 us each, in turn: between 1000 and 1500 us lie gaps that
 * are neither. */
START_TEST(gaps_of_three_lengths)
{
    static const int64_t GAP_US[] = {1000, 1500, 1250};
    int64_t at_us[COUNT] = {0};

    for (unsigned k = 1; k < COUNT; k++)
        at_us[k] = at_us[k - 1] + GAP_US[k % 3];
    ck_assert(!ticks_of(at_us).found);
}
END_TEST

/* Trains of every length, all packets at once or as even as can be. */
START_TEST(nothing_to_divide_by)
{
    int64_t at_us[COUNT];

    for (int64_t gap_us = 0; gap_us <= 1; gap_us++)
        for (unsigned count = 2; count <= COUNT; count++) {
            for (unsigned k = 0; k < count; k++)
                at_us[k] = k * gap_us;
            ck_assert(!ticks_at(at_us, count).found);
        }
}
END_TEST

Suite *filters_ticks_suite(void)
{
    Suite *suite = suite_create("filters ticks");
    TCase *tcase = tcase_create("ticks");

    tcase_add_test(tcase, ticks_longer_than_gaps);
    tcase_add_test(tcase, ticks_shorter_than_gaps);
    tcase_add_test(tcase, batches_at_a_peak_rate);
    tcase_add_test(tcase, half_a_packet_before_the_ticks);
    tcase_add_test(tcase, a_bucket_before_the_ticks);
    tcase_add_test(tcase, batches_that_are_few);
    tcase_add_test(tcase, what_adds_up);
    tcase_add_test(tcase, what_adds_up_in_batches);
    tcase_add_test(tcase, what_is_on_no_lattice);
    tcase_add_test(tcase, gaps_of_three_lengths);
    tcase_add_test(tcase, nothing_to_divide_by);
    suite_add_tcase(suite, tcase);
    return suite;
}
