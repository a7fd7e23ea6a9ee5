/* SPDX-License-Identifier: BSD-3-Clause */
/* Percentiles and the asymptotic dispersion rate of a stream. */
#include "filters/rates.h"
#include "tests/unit/suites.h"

enum { ROOM = 4 };

static struct rates rates;
static double ring[ROOM], scratch[ROOM];

static void rates_set_up(void)
{
    rates_init(&rates, ring, ROOM);
}

static void test_rates_push(uint16_t sent, uint64_t span_bytes, int64_t span_ns, enum sample_verdict verdict)
{
    struct sample sample = {
        .sent = sent,
        .received = sent,
        .gaps = sent - 1U,
        .span_bytes = span_bytes,
        .span_ns = span_ns,
        .rate_bps = (double)span_bytes * 8e9 / (double)span_ns,
        .verdict = verdict,
    };

    rates_push(&rates, &sample);
}

START_TEST(none_without_long_trains)
{
    ck_assert_double_eq(rates_adr_bps(&rates), 0);
    test_rates_push(2, 1000, 800000, VERDICT_OK);
    test_rates_push(4, 3000, 2400000, VERDICT_OK);
    ck_assert_double_eq(rates_adr_bps(&rates), 0);
}
END_TEST

/* Two trains of 8 with 1000 bytes per packet: 7000 bytes in 5.6 ms and in 8.4 ms,
 * so 14000 * 8 bits / 14 ms = 8 Mbit/s, not the mean of 10 and 6.67. */
START_TEST(long_trains_by_bytes_over_time)
{
    test_rates_push(8, 7000, 5600000, VERDICT_OK);
    test_rates_push(8, 7000, 8400000, VERDICT_OK);
    ck_assert_double_eq_tol(rates_adr_bps(&rates), 8e6, 1e-3);
    test_rates_push(2, 1000, 80000, VERDICT_OK); /* a pair reads the capacity, not this */
    ck_assert_double_eq_tol(rates_adr_bps(&rates), 8e6, 1e-3);
}
END_TEST

START_TEST(unusable_trains_do_not_count)
{
    test_rates_push(8, 7000, 5600000, VERDICT_OK);
    test_rates_push(8, 7000, 70000, VERDICT_SENDER_LIMITED);
    test_rates_push(8, 7000, 70000, VERDICT_LATE);
    ck_assert_double_eq_tol(rates_adr_bps(&rates), 10e6, 1e-3);
    ck_assert_uint_eq(rates.count, 1);
}
END_TEST

/* 1, 2, 3, 4, 5 Mbit/s; the window of 4 keeps 2 to 5: at p 2 + 3 p. */
START_TEST(percentiles_of_the_window)
{
    for (uint64_t mbps = 1; mbps <= 5; mbps++)
        test_rates_push(2, mbps * 1000, 8000000, VERDICT_OK);
    ck_assert_double_eq_tol(sorted_quantile(rates_sorted(&rates, scratch), 0.05), 2.15e6, 1e-3);
    ck_assert_double_eq_tol(sorted_quantile(rates_sorted(&rates, scratch), 0.5), 3.5e6, 1e-3);
    ck_assert_double_eq_tol(sorted_quantile(rates_sorted(&rates, scratch), 0.95), 4.85e6, 1e-3);
}
END_TEST

Suite *rates_suite(void)
{
    Suite *suite = suite_create("rates");
    TCase *rate = tcase_create("rates");

    tcase_add_checked_fixture(rate, rates_set_up, NULL);
    tcase_add_test(rate, none_without_long_trains);
    tcase_add_test(rate, long_trains_by_bytes_over_time);
    tcase_add_test(rate, unusable_trains_do_not_count);
    tcase_add_test(rate, percentiles_of_the_window);
    suite_add_tcase(suite, rate);
    return suite;
}
