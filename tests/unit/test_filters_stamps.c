/* SPDX-License-Identifier: BSD-3-Clause */
/* The resolution of stamps, of whole nanoseconds that count from 0 and of others. */
#include "filters/stamps.h"

#include "tests/unit/suites.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define S INT64_C(1000000000)
#define START_NS (INT64_C(1700000000) * S + 1) /* no whole number of anything */

/* A clock: its tick is ns / per; and when it begins to count. */
struct clock {
    int64_t ns, per, from_ns;
};

static int64_t clock_read(const struct clock *clock, int64_t at_ns)
{
    int64_t ticks = (at_ns - clock->from_ns) * clock->per / clock->ns;

    return clock->from_ns + ticks * clock->ns / clock->per;
}

/* Trains of three, 100 to 300 ms apart, now more and now less, so that they meet the ticks anywhere. */
static void note_trains(struct stamps *stamps, const struct clock *clock, int64_t gap_ns, unsigned trains)
{
    int64_t at_ns = START_NS;

    for (unsigned i = 0; i < trains; i++) {
        struct sample_packet packets[3] = {{0}, {0}, {0}};
        struct sample sample = {.time_ns = clock_read(clock, at_ns), .received = 3, .packets = packets};

        for (unsigned k = 1; k < 3; k++)
            packets[k].offset_ns = clock_read(clock, at_ns + k * gap_ns) - sample.time_ns;
        stamps_note(stamps, &sample);
        at_ns += 100 * MS + i * i % 17 * 12345678;
    }
}

static double tick_of(const struct clock *clock, int64_t gap_ns, unsigned trains)
{
    struct stamps stamps;

    stamps_init(&stamps);
    note_trains(&stamps, clock, gap_ns, trains);
    return stamps_tick_ns(&stamps);
}

/* 10^9 / 32768 ns are 30517.578125. */
START_TEST(a_clock_of_32768_hertz)
{
    struct clock clock = {S, 32768, START_NS - 5 * S};

    ck_assert_double_eq_tol(tick_of(&clock, 400 * US, 60), 30517.578125, 0.01);
    ck_assert_double_eq_tol(tick_of(&clock, 10 * US, 60), 30517.578125, 1); /* one tick or none: rounded */
}
END_TEST

START_TEST(whole_nanoseconds_from_0)
{
    struct clock clock = {70 * US, 1, 0};

    ck_assert_double_eq(tick_of(&clock, 2300 * US, 10), 70e3); /* sooner than others */
}
END_TEST

START_TEST(times_that_were_shifted)
{
    struct clock clock = {MS, 1, START_NS - 123456};

    ck_assert_double_eq_tol(tick_of(&clock, 2300 * US, 60), 1e6, 0.01);
}
END_TEST

static bool hide(int64_t tick_ns, int64_t gap_ns, unsigned trains)
{
    struct clock clock = {tick_ns, 1, 0};
    struct stamps stamps;

    stamps_init(&stamps);
    note_trains(&stamps, &clock, gap_ns, trains);
    return stamps_hide(&stamps);
}

START_TEST(stamps_that_hide_whole_trains)
{
    ck_assert(hide(MS, 12 * US, 20));
    ck_assert(!hide(MS, 12 * US, 7));
    ck_assert(!hide(MS, 2300 * US, 60));
    ck_assert(!hide(1, 0, 60)); /* one batch: that is no tick */
}
END_TEST

START_TEST(stamps_as_good_as_exact)
{
    struct clock nanoseconds = {1, 1, 0}, fast = {100, 3, START_NS - S}; /* 33 ns */

    ck_assert_double_eq(tick_of(&nanoseconds, 161234, 60), 1);
    ck_assert_double_eq(tick_of(&fast, 161234, 60), 1);
}
END_TEST

/* Ten gaps of 1.25 ms fit between any two of these trains: no tick of the stamps, as all gaps are alike. */
START_TEST(an_idle_path_has_no_ticks)
{
    struct stamps stamps;

    stamps_init(&stamps);
    for (unsigned i = 0; i < 60; i++) {
        struct sample_packet packets[2] = {{0}, {.offset_ns = 1250 * US}};

        stamps_note(&stamps,
                    &(struct sample){.time_ns = START_NS + i * 125 * MS, .received = 2, .packets = packets});
    }
    ck_assert_double_eq(stamps_tick_ns(&stamps), 1);
}
END_TEST

START_TEST(few_trains_tell_no_tick)
{
    struct clock clock = {MS, 1, START_NS - 123456};

    ck_assert_double_lt(tick_of(&clock, 2300 * US, 3), 1e3);
}
END_TEST

/* A clock that was set to anything is one that has no ticks, or too short ones to matter. */
START_TEST(a_step_ends_it)
{
    struct clock clock = {MS, 1, START_NS - 123456}, set = {MS, 1, START_NS + 777777};
    struct stamps stamps;

    stamps_init(&stamps);
    note_trains(&stamps, &clock, 2300 * US, 60);
    ck_assert_double_eq_tol(stamps_tick_ns(&stamps), 1e6, 0.01);
    note_trains(&stamps, &set, 2300 * US, 60);
    ck_assert_double_lt(stamps_tick_ns(&stamps), 1e5);
}
END_TEST

Suite *filters_stamps_suite(void)
{
    Suite *suite = suite_create("filters_stamps");
    TCase *tcase = tcase_create("ticks");

    tcase_add_test(tcase, a_clock_of_32768_hertz);
    tcase_add_test(tcase, whole_nanoseconds_from_0);
    tcase_add_test(tcase, times_that_were_shifted);
    tcase_add_test(tcase, stamps_that_hide_whole_trains);
    tcase_add_test(tcase, stamps_as_good_as_exact);
    tcase_add_test(tcase, an_idle_path_has_no_ticks);
    tcase_add_test(tcase, few_trains_tell_no_tick);
    tcase_add_test(tcase, a_step_ends_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
