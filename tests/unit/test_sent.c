/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice against what the sender sends already: by hand, and on modelled paths. */
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "filters/sent.h"
#include "tests/sim/cases.h"
#include "tests/sim/samples.h"
#include "tests/unit/suites.h"

#include <check.h>
#include <stdlib.h>

static struct sent sent;

static void note(unsigned trains, uint16_t packets)
{
    struct sample sample = {.sent = packets, .received = 1};

    for (unsigned i = 0; i < trains; i++)
        sent_note(&sent, &sample);
}

static enum advice advised_for(enum why why, enum advice advice)
{
    struct estimate estimate = {.why = why, .advice = advice};

    sent_advise(&sent, &estimate);
    ck_assert_int_eq(estimate.why, why);
    return estimate.advice;
}

static enum advice advised(enum advice advice)
{
    return advised_for(WHY_TRAINS_SLOWER, advice);
}

/* Of the default pattern: 20 pairs and fours, an eight, a sixteen, then one of 64 in eight. */
START_TEST(longer_ones_are_not_asked_for_before_the_longest_came)
{
    sent = (struct sent){.trains = 0};
    note(20, 4);
    note(1, 8);
    note(1, 2);
    note(1, 16);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_WAIT);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_WAIT);
        note(1, 64);
    }
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_SEND_LONGER_TRAINS);
    ck_assert_int_eq(advised(ADVICE_SEND_LESS), ADVICE_SEND_LESS);
    ck_assert_int_eq(advised(ADVICE_NONE), ADVICE_NONE);
}
END_TEST

/* A sender of one length, and one whose longest are too rare or too short to wait for. */
START_TEST(who_sends_no_longer_ones_is_asked_for_them)
{
    sent = (struct sent){.trains = 0};
    note(2, 16);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_WAIT);
    note(1, 16);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_SEND_LONGER_TRAINS);
    sent = (struct sent){.trains = 0};
    note(47, 4);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_WAIT);
    note(1, 4);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_SEND_LONGER_TRAINS);
    note(300, 2);
    note(1, 256);
    ck_assert_int_eq(advised(ADVICE_SEND_LONGER_TRAINS), ADVICE_SEND_LONGER_TRAINS);
}
END_TEST

/* As behind a bucket that passes trains of 8 whole; the default pattern's may show it yet. */
START_TEST(faster_trains_that_stay_short_are_not_waited_for)
{
    sent = (struct sent){.trains = 0};
    note(47, 8);
    ck_assert_int_eq(advised_for(WHY_TRAINS_FASTER, ADVICE_WAIT), ADVICE_WAIT);
    note(1, 63);
    ck_assert_int_eq(advised_for(WHY_TRAINS_FASTER, ADVICE_WAIT), ADVICE_SEND_LONGER_TRAINS);
    ck_assert_int_eq(advised_for(WHY_NEVER_IDLE, ADVICE_WAIT), ADVICE_WAIT);
    note(1, 64);
    ck_assert_int_eq(advised_for(WHY_TRAINS_FASTER, ADVICE_WAIT), ADVICE_WAIT);
}
END_TEST

START_TEST(the_mix_is_asked_for_where_no_long_trains_are_sent)
{
    struct estimate estimate = {.why = WHY_PAIRS_ALONE, .advice = ADVICE_SEND_MIX};

    sent = (struct sent){.trains = 0};
    note(100, 7);
    ck_assert_int_eq(advised(ADVICE_SEND_MIX), ADVICE_SEND_MIX);
    note(1, 8);
    ck_assert_int_eq(advised(ADVICE_SEND_MIX), ADVICE_WAIT);
    sent_advise(&sent, &estimate);
    ck_assert_int_eq(estimate.why, WHY_FEW_TRAINS);
    ck_assert_int_eq(estimate.advice, ADVICE_WAIT);
}
END_TEST

/* Where long trains are slower than pairs, of whatever reason: it was asked for longer ones from the 22nd train on, or sooner. */
static const char *const slower[] = {"access-constant", "access-cake", "access-fair", "access-bonded"};

enum { SLOWER = sizeof slower / sizeof slower[0] };

START_TEST(modelled_senders_are_not_asked_for_what_is_about_to_come)
{
    const struct filter *filter = filter_find("adaptive");
    void *state = malloc(filter->state_bytes(FILTER_WINDOW_DEFAULT));
    struct sim_samples samples;
    struct sim_config config;
    struct sim_run run;
    unsigned longest = 0;

    sim_case_config(sim_case_find(slower[_i]), 1, &config);
    sim_run_init(&run, &config, 1);
    sim_samples_init(&samples, &run);
    filter->init(state, FILTER_WINDOW_DEFAULT);
    for (size_t i = 0; i < samples.count; i++) {
        struct estimate estimate;

        dispersion_measure(&samples.item[i]);
        longest += samples.item[i].sent == 64;
        filter->push(state, &samples.item[i]);
        filter->estimate(state, &estimate);
        if (estimate.advice == ADVICE_SEND_LONGER_TRAINS)
            ck_assert_uint_ge(longest, 3);
    }
    ck_assert_uint_gt(longest, 3);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
    free(state);
}
END_TEST

Suite *sent_suite(void)
{
    Suite *suite = suite_create("sent");
    TCase *tests = tcase_create("sent");

    tcase_add_test(tests, longer_ones_are_not_asked_for_before_the_longest_came);
    tcase_add_test(tests, who_sends_no_longer_ones_is_asked_for_them);
    tcase_add_test(tests, faster_trains_that_stay_short_are_not_waited_for);
    tcase_add_test(tests, the_mix_is_asked_for_where_no_long_trains_are_sent);
    tcase_add_loop_test(tests, modelled_senders_are_not_asked_for_what_is_about_to_come, 0, SLOWER);
    suite_add_tcase(suite, tests);
    return suite;
}
