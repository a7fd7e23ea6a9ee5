/* SPDX-License-Identifier: BSD-3-Clause */
/* When on_estimate is called: estimate_change and estimate_interval_ms. */
#include "tests/unit/conclude.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { CHANGES_KEPT = 32, PAIR = 2 };

static struct feed feed;
static struct pprec_change changes[CHANGES_KEPT];
static unsigned changed;
static uint32_t next_train;

static void thresholds_on_estimate(void *user, const struct pprec_change *change)
{
    (void)user;
    if (changed < CHANGES_KEPT)
        changes[changed] = *change;
    changed++;
}

static void thresholds_start(double estimate_change, unsigned estimate_interval_ms)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.on_estimate = thresholds_on_estimate;
    config.estimate_change = estimate_change;
    config.estimate_interval_ms = estimate_interval_ms;
    changed = 0;
    next_train = 0;
    feed_start_with(&feed, config);
    feed.length = PAIR;
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){
        .state = STATE_CONVERGED, .capacity_bps = 10e6, .low_bps = 9.9e6, .high_bps = 10.1e6};
}

static void thresholds_tear_down(void)
{
    feed_end(&feed);
}

/* Another pair, FEED_SPACING_NS, 500 ms, after the last one; true: it was told of. */
static bool thresholds_told(void)
{
    unsigned before = changed;

    feed_train(&feed, next_train, next_train * (int64_t)FEED_SPACING_NS);
    next_train++;
    return changed > before;
}

START_TEST(without_a_share_every_figure_is_a_change)
{
    thresholds_start(0, 0);
    ck_assert(thresholds_told());
    ck_assert(!thresholds_told());
    conclude_next.capacity_bps *= 1 + 1e-12;
    ck_assert(thresholds_told());
    conclude_next.burst_bytes = 1;
    ck_assert(thresholds_told());
    conclude_next.seen_bytes = 1;
    ck_assert(thresholds_told());
}
END_TEST

#define RATE(name) offsetof(struct estimate, name)

static const size_t rates[] = {RATE(capacity_bps), RATE(low_bps),   RATE(high_bps),
                               RATE(peak_bps),     RATE(share_bps), RATE(policed_bps)};

enum { RATES = sizeof rates / sizeof rates[0] };

static void thresholds_set_rate(int which, double bps)
{
    memcpy((char *)&conclude_next + rates[which], &bps, sizeof bps);
}

START_TEST(a_rate_moves_by_the_share_of_what_was_told)
{
    thresholds_start(0.05, 0);
    thresholds_set_rate(_i, 10e6);
    ck_assert(thresholds_told());
    thresholds_set_rate(_i, 10.4e6);
    ck_assert(!thresholds_told());
    thresholds_set_rate(_i, 10.6e6); /* beside what was told, not beside the last train's */
    ck_assert(thresholds_told());
    ck_assert(!thresholds_told());
    thresholds_set_rate(_i, 10.1e6);
    ck_assert(!thresholds_told());
    thresholds_set_rate(_i, 10e6);
    ck_assert(thresholds_told());
    thresholds_set_rate(_i, 0);
    ck_assert(thresholds_told());
    thresholds_set_rate(_i, 1);
    ck_assert(thresholds_told());
}
END_TEST

/* As it was told last, and not as the train before left it. */
START_TEST(what_was_is_what_was_told)
{
    thresholds_start(0.05, 0);
    thresholds_told();
    conclude_next.capacity_bps = 10.4e6;
    thresholds_told();
    conclude_next.capacity_bps = 10.8e6;
    ck_assert(thresholds_told());
    ck_assert_uint_eq(changed, 2);
    ck_assert_double_eq(changes[1].was.capacity_bps, 10e6);
    ck_assert_double_eq(changes[1].capacity.capacity_bps, 10.8e6);
}
END_TEST

START_TEST(words_are_told_whatever_the_share)
{
    thresholds_start(1e9, 0);
    ck_assert(thresholds_told());
    conclude_next.capacity_bps *= 100;
    ck_assert(!thresholds_told());
    conclude_next.why = WHY_BATCHES;
    ck_assert(thresholds_told());
    conclude_next.advice = ADVICE_WAIT;
    ck_assert(thresholds_told());
    conclude_next.state = STATE_TENTATIVE;
    ck_assert(thresholds_told());
    ck_assert(!thresholds_told());
}
END_TEST

/* Pairs come every 500 ms: of 1200 ms the third is the first after them. */
START_TEST(not_more_often_than_that)
{
    thresholds_start(0, 1200);
    for (unsigned pair = 0; pair < 10; pair++) {
        conclude_next.capacity_bps += 1;
        ck_assert_int_eq(thresholds_told(), pair % 3 == 0);
    }
    ck_assert_double_eq(changes[1].was.capacity_bps, 10e6 + 1);
    ck_assert_double_eq(changes[1].capacity.capacity_bps, 10e6 + 4);
}
END_TEST

/* Told once though nothing changed any more. */
START_TEST(what_was_held_back_is_told_later)
{
    thresholds_start(0, 1200);
    ck_assert(thresholds_told());
    conclude_next.why = WHY_BATCHES;
    ck_assert(!thresholds_told());
    ck_assert(!thresholds_told());
    ck_assert(thresholds_told());
    ck_assert(!thresholds_told());
    ck_assert_int_eq(changes[1].capacity.why, PPREC_WHY_BATCHES);
}
END_TEST

START_TEST(another_state_is_never_held_back)
{
    thresholds_start(0.5, 3600000);
    ck_assert(thresholds_told());
    conclude_next.state = STATE_TENTATIVE;
    ck_assert(thresholds_told());
    conclude_next.why = WHY_BATCHES;
    ck_assert(!thresholds_told());
    conclude_next.state = STATE_CONVERGED;
    ck_assert(thresholds_told());
}
END_TEST

/* The clock of the stamps: one that was set back by more does not silence the stream. */
START_TEST(a_clock_that_was_set_silences_nobody)
{
    thresholds_start(0, 1200);
    ck_assert(thresholds_told());
    conclude_next.capacity_bps += 1;
    feed_train(&feed, next_train, -3600 * FEED_SECOND_NS);
    ck_assert_uint_eq(changed, 2);
}
END_TEST

START_TEST(a_reset_stream_is_told_of_anew)
{
    thresholds_start(0.5, 3600000);
    ck_assert(thresholds_told());
    ck_assert_int_eq(pprec_reset_stream(feed.pprec, &feed.pattern.source, 0x5eed), PPREC_OK);
    ck_assert(thresholds_told());
    ck_assert_int_eq(changes[1].was.state, PPREC_STATE_INSUFFICIENT);
}
END_TEST

START_TEST(shares_that_are_none)
{
    const double bad[] = {-0.01, NAN, INFINITY};
    struct pprec_config config;
    struct pprec *pprec;

    thresholds_start(0, 0);
    for (unsigned i = 0; i < 3; i++) {
        pprec_config_init(&config);
        config.estimate_change = bad[i];
        ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
        ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "estimate_change"));
        pprec_free(pprec);
    }
}
END_TEST

Suite *thresholds_suite(void)
{
    Suite *suite = suite_create("thresholds");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, thresholds_tear_down);
    tcase_add_test(all, without_a_share_every_figure_is_a_change);
    tcase_add_loop_test(all, a_rate_moves_by_the_share_of_what_was_told, 0, RATES);
    tcase_add_test(all, what_was_is_what_was_told);
    tcase_add_test(all, words_are_told_whatever_the_share);
    tcase_add_test(all, not_more_often_than_that);
    tcase_add_test(all, what_was_held_back_is_told_later);
    tcase_add_test(all, another_state_is_never_held_back);
    tcase_add_test(all, a_clock_that_was_set_silences_nobody);
    tcase_add_test(all, a_reset_stream_is_told_of_anew);
    tcase_add_test(all, shares_that_are_none);
    suite_add_tcase(suite, all);
    return suite;
}
