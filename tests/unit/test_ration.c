/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log may take in a second, and who goes without first. */
#include "common/stamp.h"
#include "pprec/cmd/ration.h"
#include "pprec/cmd/report.h"
#include "tests/unit/suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RATE = 200000, ROW_BYTES = 118 };

static struct ration ration;

static void ration_set_up(void)
{
    ration_init(&ration, RATE, 0);
}

static struct pprec_endpoint source_of(unsigned host)
{
    return (struct pprec_endpoint){.address = {192, 0, 2, (uint8_t)host}, .port = 9000, .ip = 4};
}

static bool test_ration_take(unsigned host, double standing, double now_s)
{
    struct pprec_endpoint source = source_of(host);

    return ration_take(&ration, &source, standing, ROW_BYTES, (int64_t)(now_s * 1e9));
}

/* Bytes that so many rows per second from hosts by turns come to, from one time to another. */
static double flood(unsigned hosts, double standing, double rows, double from_s, double end_s)
{
    double bytes = 0;
    unsigned row = 0;

    for (double s = from_s; s < end_s; s += 1 / rows)
        bytes += test_ration_take(100 + row++ % hosts, standing, s) ? ROW_BYTES : 0;
    return bytes;
}

START_TEST(what_fits_is_written)
{
    ck_assert_double_eq_tol(flood(1, 0, 1000, 0, 60), 60 * 1000 * ROW_BYTES, 2 * ROW_BYTES);
    ck_assert_uint_eq(ration.left_out, 0);
    ck_assert_uint_eq(ration_untold(&ration, 60 * STAMP_NS_PER_S), 0);
}
END_TEST

/* 8500 rows per second would be a megabyte. The further second is what piles up in quiet. */
START_TEST(the_whole_is_bounded)
{
    for (int who = 0; who <= 1; who++) {
        ration_set_up();
        ck_assert_double_le(flood(50, who, 8500, 0, 60), 61 * RATE);
        ck_assert_double_ge(flood(50, who, 8500, 60, 120), 0.99 * 60 * RATE);
        ck_assert_uint_gt(ration.left_out, 120 * 6000);
    }
}
END_TEST

START_TEST(without_a_limit_there_is_none)
{
    ration_init(&ration, 0, 0);
    ck_assert_double_eq_tol(flood(1, 0, 8500, 0, 60), 60 * 8500.0 * ROW_BYTES, 2 * ROW_BYTES);
    ck_assert_uint_eq(ration.left_out, 0);
}
END_TEST

/* 50 rows per second of one that has lasted, from the address of them all. */
START_TEST(who_has_lasted_loses_no_row_to_strangers)
{
    for (int s = 0; s < 600; s++) {
        flood(50, 0, 8500, s, s + 1);
        for (int i = 0; i < 50; i++)
            ck_assert(test_ration_take(100, 1, s + 1));
    }
}
END_TEST

/* Made-up streams that last, but not as long. */
START_TEST(who_has_lasted_longer_goes_first)
{
    for (int s = 0; s < 600; s++) {
        flood(50, 0.5, 8500, s, s + 1);
        for (int i = 0; i < 5; i++)
            ck_assert(test_ration_take(1, 0.6, s + 1));
    }
}
END_TEST

START_TEST(one_source_leaves_something_to_strangers_elsewhere)
{
    for (int s = 0; s < 60; s++) {
        ck_assert_double_le(flood(1, 0, 8500, s, s + 1), (s == 0 ? 1.01 : 0.76) * RATE);
        for (int i = 0; i < 50; i++)
            ck_assert(test_ration_take(7, 0, s + 1));
    }
}
END_TEST

START_TEST(a_source_of_ipv6_is_its_network)
{
    struct pprec_endpoint source = {.address = {0x20, 0x01, 0x0d, 0xb8}, .ip = 6};
    double bytes = 0;

    for (unsigned i = 0; i < 20000; i++) {
        source.address[14] = (uint8_t)(i >> 8);
        source.address[15] = (uint8_t)i;
        bytes += ration_take(&ration, &source, 0, ROW_BYTES, i * 100000) ? ROW_BYTES : 0;
    }
    ck_assert_double_le(bytes, 0.26 * RATE + 2 * 0.75 * RATE);
}
END_TEST

/* Every ten seconds a line, however many are left out. */
START_TEST(what_is_left_out_is_told_in_one_line)
{
    uint64_t told = 0, lines = 0, count;

    for (int s = 0; s < 100; s++) {
        flood(1, 0, 8500, s, s + 1);
        count = ration_untold(&ration, (s + 1) * STAMP_NS_PER_S);
        told += count;
        lines += count > 0;
    }
    ck_assert_uint_eq(lines, 10);
    ck_assert_uint_eq(told + ration.untold, ration.left_out);
}
END_TEST

/* A line is longer than what a low rate gives in a second. */
START_TEST(a_low_rate_lets_summaries_pass)
{
    struct pprec_endpoint source = source_of(1);

    ration_init(&ration, 1000, 0);
    ck_assert(ration_take(&ration, &source, 0, 1300, 0));
    ck_assert(ration_take(&ration, &source, 0, 1300, 1));
}
END_TEST

/* --- One that has lasted, and wants all of it --- */

enum { GREEDY = 1, YOUNGER };

static struct report report;
static char path[96];
static int kept_stderr;

/* On standard error it says what it leaves out. */
static void set_up_report(void)
{
    const char *base = getenv("TMPDIR");
    struct options options = {.layer = "l2", .log = path, .log_rate = RATE, .quiet = true, .json = true};
    int nowhere = open("/dev/null", O_WRONLY);
    struct error error;

    snprintf(path, sizeof path, "%.60s/pprec-ration-XXXXXX", base != NULL ? base : "/tmp");
    close(mkstemp(path));
    kept_stderr = dup(STDERR_FILENO);
    ck_assert(kept_stderr >= 0 && dup2(nowhere, STDERR_FILENO) >= 0);
    close(nowhere);
    ck_assert_int_eq(report_open(&report, &options, "here", "kernel", &error), 0);
}

static void tear_down_report(void)
{
    report_close(&report);
    unlink(path);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
}

static struct pprec_train ration_train_of(uint32_t stream)
{
    return (struct pprec_train){.source = source_of(stream),
                                .stream = stream,
                                .rate_bps = 1e7,
                                .verdict = PPREC_VERDICT_OK,
                                .sent = 2,
                                .received = 2};
}

static void report_trains(uint32_t stream, int count)
{
    struct pprec_train train = ration_train_of(stream);

    while (count-- > 0)
        report_put_train(&report, &train);
}

/* Until now. */
static void let_last(uint32_t stream, int seconds)
{
    struct pprec_train train = ration_train_of(stream);
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);

    for (int s = seconds; s > 0; s--)
        tally_train(report.tally, &train, now_ns - s * STAMP_NS_PER_S);
}

/* It had them all as the one that has lasted longest. Its summary comes once, and is written. */
START_TEST(who_wants_more_than_a_share_takes_no_rows_from_the_younger)
{
    struct pprec_summary summary = {.source = source_of(GREEDY), .stream = GREEDY};
    uint64_t unlogged;

    let_last(GREEDY, 100);
    let_last(YOUNGER, 50);
    report_trains(GREEDY, 20000);
    unlogged = report.run.unlogged;
    ck_assert_uint_gt(unlogged, 0);
    report_trains(YOUNGER, 50);
    ck_assert_uint_eq(report.run.unlogged, unlogged);
    unlogged = report.ledger.ration.left_out;
    report_put_summary(&report, &summary);
    ck_assert_uint_eq(report.ledger.ration.left_out, unlogged);
}
END_TEST

Suite *ration_suite(void)
{
    Suite *suite = suite_create("ration");
    TCase *rates = tcase_create("rates");
    TCase *reports = tcase_create("reports");

    tcase_add_checked_fixture(rates, ration_set_up, NULL);
    tcase_add_test(rates, what_fits_is_written);
    tcase_add_test(rates, the_whole_is_bounded);
    tcase_add_test(rates, without_a_limit_there_is_none);
    tcase_add_test(rates, who_has_lasted_loses_no_row_to_strangers);
    tcase_add_test(rates, who_has_lasted_longer_goes_first);
    tcase_add_test(rates, one_source_leaves_something_to_strangers_elsewhere);
    tcase_add_test(rates, a_source_of_ipv6_is_its_network);
    tcase_add_test(rates, what_is_left_out_is_told_in_one_line);
    tcase_add_test(rates, a_low_rate_lets_summaries_pass);
    suite_add_tcase(suite, rates);
    tcase_add_checked_fixture(reports, set_up_report, tear_down_report);
    tcase_add_test(reports, who_wants_more_than_a_share_takes_no_rows_from_the_younger);
    suite_add_tcase(suite, reports);
    return suite;
}
