/* SPDX-License-Identifier: BSD-3-Clause */
/* What is between the packets of pairs where others take turns with ours. */
#include "filters/between.h"
#include "tests/unit/suites.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { WINDOW = 64, FULL = 1518, HALF = 759 };
#define RATE_BPS 10e6

static void *memory;
static struct seen seen;

static void filters_between_setup(void)
{
    memory = malloc(seen_bytes(WINDOW));
    seen_init(&seen, memory, WINDOW);
}

static void filters_between_teardown(void)
{
    free(memory);
}

/* So many pairs, with so many packets of others in between, at 10 Mbit/s. */
static void add_pairs(unsigned count, uint32_t bytes, double others, uint32_t others_bytes)
{
    struct reading reading = {.delay_ns = NAN,
                              .last_ns = NAN,
                              .gap_ns = (float)((bytes + others * others_bytes) * 8e9 / RATE_BPS),
                              .bytes = bytes & READING_BYTES};

    while (count-- > 0)
        readings_push(seen.pairs, &reading);
}

static void add_turns(uint32_t others_bytes)
{
    add_pairs(8, FULL, 2, others_bytes);
    add_pairs(8, FULL, 3, others_bytes);
    add_pairs(4, FULL, 5, others_bytes);
    add_pairs(1, HALF, 0, others_bytes);
    add_pairs(3, HALF, 1, others_bytes);
}

/* Trains, of which none is asked, get a third of it or less. */
START_TEST(whole_packets_tell_the_link)
{
    add_turns(FULL);
    ck_assert_double_eq_tol(between_bps(&seen, FULL), RATE_BPS, 1e-4 * RATE_BPS);
}
END_TEST

/* A few pairs that something else is between change nothing. */
START_TEST(some_are_off)
{
    add_turns(FULL);
    for (unsigned i = 0; i < 8; i++)
        add_pairs(1, FULL, 0.3 + i, FULL);
    ck_assert_double_eq_tol(between_bps(&seen, FULL), RATE_BPS, 1e-4 * RATE_BPS);
    add_pairs(12, FULL, 2.4, FULL);
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

/* Ours are shorter than the others' full frames. */
START_TEST(others_are_longer)
{
    add_pairs(8, 1000, 2, FULL);
    add_pairs(8, 1000, 3, FULL);
    add_pairs(2, 500, 0, FULL);
    add_pairs(3, 500, 1, FULL);
    ck_assert_double_eq_tol(between_bps(&seen, 1000), RATE_BPS, 1e-4 * RATE_BPS);
}
END_TEST

/* Gaps of whole ticks whatever the size: nothing has its own time. */
START_TEST(ticks_are_no_turns)
{
    for (unsigned ticks = 1; ticks <= 4; ticks++) {
        add_pairs(6, FULL, ticks - 1.0, FULL);
        add_pairs(3, HALF, ticks - 0.5, FULL);
    }
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

/* On a FIFO link most pairs have nobody in between. */
START_TEST(others_that_pause_are_no_turns)
{
    add_turns(FULL);
    add_pairs(24, FULL, 0, FULL);
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

/* Of one size, or all behind as many, any part of it would fit. */
START_TEST(numbers_must_differ)
{
    add_pairs(20, FULL, 3, FULL);
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
    add_pairs(8, HALF, 0, FULL);
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

START_TEST(stamps_in_ticks_tell_nothing)
{
    add_turns(FULL);
    seen.noise.tick_ns = 0.06 * FULL * 8e9 / RATE_BPS;
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

START_TEST(packets_at_once_tell_nothing)
{
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
    add_pairs(20, FULL, -1, FULL);
    add_pairs(10, HALF, -0.5, FULL);
    ck_assert_double_eq(between_bps(&seen, FULL), 0);
}
END_TEST

Suite *filters_between_suite(void)
{
    Suite *suite = suite_create("filters_between");
    TCase *tcase = tcase_create("filters_between");

    tcase_add_checked_fixture(tcase, filters_between_setup, filters_between_teardown);
    tcase_add_test(tcase, whole_packets_tell_the_link);
    tcase_add_test(tcase, some_are_off);
    tcase_add_test(tcase, others_are_longer);
    tcase_add_test(tcase, ticks_are_no_turns);
    tcase_add_test(tcase, others_that_pause_are_no_turns);
    tcase_add_test(tcase, numbers_must_differ);
    tcase_add_test(tcase, stamps_in_ticks_tell_nothing);
    tcase_add_test(tcase, packets_at_once_tell_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
