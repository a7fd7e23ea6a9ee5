/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry, what every filter must keep to, and the simple ones by hand. */
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair at that rate. */
static struct sample pair_at(double rate_bps, enum sample_verdict verdict)
{
    return (struct sample){
        .sent_ns = 0,
        .departure_span_ns = SAMPLE_UNKNOWN_NS,
        .sent = 2,
        .received = 2,
        .packet_bytes = 1000,
        .gaps = 1,
        .span_bytes = 1000,
        .span_ns = (int64_t)(8e12 / rate_bps),
        .rate_bps = rate_bps,
        .verdict = verdict,
    };
}

static void filters_push(const struct filter *filter, void *state, double rate_bps,
                         enum sample_verdict verdict)
{
    struct sample sample = pair_at(rate_bps, verdict);
    struct sample_packet packets[] = {{0, 1000, 0, false}, {sample.span_ns, 1000, 1, true}};

    sample.packets = packets;
    filter->push(state, &sample);
}

static void *state_of(const struct filter *filter, unsigned window)
{
    void *state = malloc(filter->state_bytes(window));

    ck_assert_ptr_nonnull(state);
    filter->init(state, window);
    return state;
}

/* The estimate of the named filter after usable pairs at these rates. */
static struct estimate estimated(const char *name, unsigned window, const double *rates, size_t count)
{
    const struct filter *filter = filter_find(name);
    struct estimate estimate;
    void *state;

    ck_assert_ptr_nonnull(filter);
    state = state_of(filter, window);
    for (size_t i = 0; i < count; i++)
        filters_push(filter, state, rates[i], VERDICT_OK);
    filter->estimate(state, &estimate);
    free(state);
    return estimate;
}

static void assert_estimate(const struct estimate *estimate, enum estimate_state state, double capacity_bps,
                            double low_bps, double high_bps)
{
    ck_assert_int_eq(estimate->state, state);
    ck_assert_double_eq_tol(estimate->capacity_bps, capacity_bps, 1e-6);
    ck_assert_double_eq_tol(estimate->low_bps, low_bps, 1e-6);
    ck_assert_double_eq_tol(estimate->high_bps, high_bps, 1e-6);
}

/* --- Registry --- */

START_TEST(every_filter_is_found_by_its_name)
{
    size_t count = 0;

    for (; filter_table[count] != NULL; count++) {
        const struct filter *filter = filter_table[count];

        ck_assert_ptr_eq(filter_find(filter->name), filter); /* so names differ, too */
        ck_assert_uint_gt(strlen(filter->usage), 0);
        ck_assert_ptr_null(strchr(filter->usage, '\n'));
    }
    ck_assert_uint_ge(count, 3);
    ck_assert_ptr_nonnull(filter_find("median"));
    ck_assert_ptr_nonnull(filter_find("mean"));
    ck_assert_ptr_nonnull(filter_find("last"));
}
END_TEST

START_TEST(no_filter_of_another_name)
{
    ck_assert_ptr_null(filter_find(""));
    ck_assert_ptr_null(filter_find("Median"));
    ck_assert_ptr_null(filter_find("medians"));
    ck_assert_ptr_null(filter_find("medi"));
}
END_TEST

/* --- What every filter keeps to --- */

static const unsigned windows[] = {1, 2, 3, 7, 256};

enum { CANARY = 0xa5, CANARY_BYTES = 64, FILTERED_TRAINS = 700 };

static void assert_canary(const unsigned char *canary)
{
    for (size_t i = 0; i < CANARY_BYTES; i++)
        ck_assert_uint_eq(canary[i], CANARY);
}

static void assert_sane(const struct estimate *estimate)
{
    ck_assert(estimate->state < STATE_COUNT);
    ck_assert(isfinite(estimate->capacity_bps) && estimate->capacity_bps >= 0);
    ck_assert(isfinite(estimate->low_bps) && estimate->low_bps >= 0);
    ck_assert(isfinite(estimate->high_bps) && estimate->high_bps >= 0);
    ck_assert(estimate->low_bps <= estimate->capacity_bps);
    ck_assert(estimate->high_bps == 0 || estimate->capacity_bps <= estimate->high_bps);
    ck_assert((estimate->state == STATE_INSUFFICIENT) == (estimate->capacity_bps == 0));
}

/* Stays within its memory and within sense, whatever comes. */
static void check_filter(const struct filter *filter, unsigned window, struct rng *rng)
{
    size_t bytes = filter->state_bytes(window);
    unsigned char *state = malloc(bytes + CANARY_BYTES);
    struct estimate estimate;

    memset(state, CANARY, bytes + CANARY_BYTES);
    filter->init(state, window);
    for (int i = 0; i < FILTERED_TRAINS; i++) {
        double rate_bps = exp(log(1e3) + rng_below(rng, 1000) / 1000.0 * log(1e7));
        enum sample_verdict verdict =
            rng_percent(rng, 60) ? VERDICT_OK : (enum sample_verdict)rng_below(rng, VERDICT_COUNT);

        filters_push(filter, state, rate_bps, verdict);
        filter->estimate(state, &estimate);
        assert_sane(&estimate);
    }
    assert_canary(state + bytes);
    free(state);
}

START_TEST(filters_keep_to_their_memory_and_to_sense)
{
    struct rng rng = rng_start("filters_keep_to_their_memory_and_to_sense");

    for (size_t i = 0; filter_table[i] != NULL; i++)
        for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++)
            check_filter(filter_table[i], windows[w], &rng);
}
END_TEST

START_TEST(init_resets)
{
    for (size_t i = 0; filter_table[i] != NULL; i++) {
        const struct filter *filter = filter_table[i];
        void *state = state_of(filter, 16);
        struct estimate estimate;

        filter->estimate(state, &estimate);
        assert_estimate(&estimate, STATE_INSUFFICIENT, 0, 0, 0);
        for (int train = 0; train < 40; train++)
            filters_push(filter, state, 10e6, VERDICT_OK);
        filter->estimate(state, &estimate);
        ck_assert_int_ne(estimate.state, STATE_INSUFFICIENT);
        filter->init(state, 16);
        filter->estimate(state, &estimate);
        assert_estimate(&estimate, STATE_INSUFFICIENT, 0, 0, 0);
        free(state);
    }
}
END_TEST

/* --- Last --- */

START_TEST(last_is_the_last_usable)
{
    static const double rates[] = {10e6, 20e6, 5e6};
    struct estimate estimate = estimated("last", 256, rates, 3);

    assert_estimate(&estimate, STATE_TENTATIVE, 5e6, 5e6, 5e6);
}
END_TEST

START_TEST(last_passes_over_what_is_unusable)
{
    const struct filter *last = filter_find("last");
    void *state = state_of(last, 256);
    struct estimate estimate;

    filters_push(last, state, 10e6, VERDICT_OK);
    filters_push(last, state, 99e6, VERDICT_LATE);
    filters_push(last, state, 99e6, VERDICT_FOREIGN_SIZE);
    last->estimate(state, &estimate);
    assert_estimate(&estimate, STATE_TENTATIVE, 10e6, 10e6, 10e6);
    free(state);
}
END_TEST

/* --- Mean --- */

/* 10, 12, 14: mean 12; sum of squares 4 + 0 + 4, variance 8 / 2 = 4, of the mean
 * 4 / 3; 1.96 * sqrt(4 / 3) = 2.263213... */
START_TEST(mean_by_hand)
{
    static const double rates[] = {14, 10, 12};
    struct estimate estimate = estimated("mean", 256, rates, 3);

    assert_estimate(&estimate, STATE_TENTATIVE, 12, 9.7367870, 14.2632130);
}
END_TEST

/* 1 and 100: mean 50.5, half width 1.96 * 49.5 = 97.02, no rate below 0. */
START_TEST(mean_has_no_negative_bound)
{
    static const double rates[] = {1, 100};
    struct estimate estimate = estimated("mean", 256, rates, 2);

    assert_estimate(&estimate, STATE_TENTATIVE, 50.5, 0, 147.52);
}
END_TEST

START_TEST(mean_of_the_window_alone)
{
    static const double rates[] = {1000, 4, 4};
    struct estimate estimate = estimated("mean", 2, rates, 3);

    assert_estimate(&estimate, STATE_TENTATIVE, 4, 4, 4);
}
END_TEST

START_TEST(mean_wants_two)
{
    static const double rates[] = {10};
    struct estimate estimate = estimated("mean", 256, rates, 1);

    assert_estimate(&estimate, STATE_INSUFFICIENT, 0, 0, 0);
}
END_TEST

/* --- Median --- */

/* The interval is of order statistics: ranks n/2 -+ 0.98 sqrt(n) from 0, rounded
 * outwards. n = 100: 50 -+ 9.8 gives 40 and 60, which are the 41st and the 61st
 * of 1 to 100; the median lies between 50 and 51. */
START_TEST(median_of_100_by_hand)
{
    double rates[200]; /* twice around, so that any hundred in a row are the same */
    struct estimate estimate;

    for (size_t i = 0; i < 200; i++)
        rates[i] = (double)((i * 37) % 100 + 1); /* 1 to 100, shuffled: 37 is prime to 100 */
    estimate = estimated("median", 100, rates, 200);
    assert_estimate(&estimate, STATE_TENTATIVE, 50.5, 41, 61);
}
END_TEST

/* n = 9: 4.5 -+ 2.94 gives 1.56 and 7.44, so 1 and 8: the 2nd and the 9th. */
START_TEST(median_of_9_by_hand)
{
    static const double rates[] = {90, 10, 80, 20, 70, 30, 60, 40, 50};
    struct estimate estimate = estimated("median", 256, rates, 9);

    assert_estimate(&estimate, STATE_TENTATIVE, 50, 20, 90);
}
END_TEST

/* n = 3: 1.5 -+ 1.70 goes past both ends. */
START_TEST(median_of_3_by_hand)
{
    static const double rates[] = {30, 10, 20};
    struct estimate estimate = estimated("median", 256, rates, 3);

    assert_estimate(&estimate, STATE_TENTATIVE, 20, 10, 30);
}
END_TEST

START_TEST(median_wants_three)
{
    static const double rates[] = {30, 10};
    struct estimate estimate = estimated("median", 256, rates, 2);

    assert_estimate(&estimate, STATE_INSUFFICIENT, 0, 0, 0);
}
END_TEST

/* --- What the sender limited --- */

static struct estimate median_of(const double *limited, size_t limited_count, const double *usable,
                                 size_t usable_count)
{
    const struct filter *median = filter_find("median");
    void *state = state_of(median, 8);
    struct estimate estimate;

    for (size_t i = 0; i < limited_count; i++)
        filters_push(median, state, limited[i], VERDICT_SENDER_LIMITED);
    for (size_t i = 0; i < usable_count; i++)
        filters_push(median, state, usable[i], VERDICT_OK);
    median->estimate(state, &estimate);
    free(state);
    return estimate;
}

static const double limited_rates[] = {900, 1100, 1000, 1000, 1000};
static const double usable_rates[] = {10, 10, 10, 10, 10, 10};

/* The median of what it reached, and nothing above it is known. */
START_TEST(a_limited_majority_is_a_lower_bound)
{
    struct estimate estimate = median_of(limited_rates, 5, usable_rates, 3);

    assert_estimate(&estimate, STATE_SENDER_LIMITED, 1000, 1000, 0);
}
END_TEST

START_TEST(a_limited_half_is_not_a_majority)
{
    struct estimate estimate = median_of(limited_rates, 4, usable_rates, 4);

    assert_estimate(&estimate, STATE_TENTATIVE, 10, 10, 10);
}
END_TEST

/* Window of 8: 5 limited and 6 usable push out the three oldest, all limited. */
START_TEST(both_kinds_share_one_window)
{
    struct estimate estimate = median_of(limited_rates, 5, usable_rates, 3);

    ck_assert_int_eq(estimate.state, STATE_SENDER_LIMITED);
    estimate = median_of(limited_rates, 5, usable_rates, 6);
    assert_estimate(&estimate, STATE_TENTATIVE, 10, 10, 10);
}
END_TEST

Suite *filters_suite(void)
{
    Suite *suite = suite_create("filters");
    TCase *all = tcase_create("all");
    TCase *golden = tcase_create("golden");
    TCase *limited = tcase_create("limited");

    tcase_add_test(all, every_filter_is_found_by_its_name);
    tcase_add_test(all, no_filter_of_another_name);
    tcase_add_test(all, filters_keep_to_their_memory_and_to_sense);
    tcase_add_test(all, init_resets);
    tcase_add_test(golden, last_is_the_last_usable);
    tcase_add_test(golden, last_passes_over_what_is_unusable);
    tcase_add_test(golden, mean_by_hand);
    tcase_add_test(golden, mean_has_no_negative_bound);
    tcase_add_test(golden, mean_of_the_window_alone);
    tcase_add_test(golden, mean_wants_two);
    tcase_add_test(golden, median_of_100_by_hand);
    tcase_add_test(golden, median_of_9_by_hand);
    tcase_add_test(golden, median_of_3_by_hand);
    tcase_add_test(golden, median_wants_three);
    tcase_add_test(limited, a_limited_majority_is_a_lower_bound);
    tcase_add_test(limited, a_limited_half_is_not_a_majority);
    tcase_add_test(limited, both_kinds_share_one_window);
    suite_add_tcase(suite, all);
    suite_add_tcase(suite, golden);
    suite_add_tcase(suite, limited);
    return suite;
}
