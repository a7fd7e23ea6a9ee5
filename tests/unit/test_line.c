/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of output, and the reader that the tests of formats trust. */
#include "pprec/cmd/line.h"
#include "tests/unit/json.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct line line;

static const struct {
    double bps;
    const char *text;
} rates[] = {
    {0, "-"},
    {1, "1.000 bit/s"},
    {999.9, "999.9 bit/s"},
    {1000, "1.000 kbit/s"},
    {9994, "9.994 kbit/s"},
    {9996, "10.00 kbit/s"},
    {99940, "99.94 kbit/s"},
    {99960, "100.0 kbit/s"},
    {999960, "1.000 Mbit/s"},
    {10e6, "10.00 Mbit/s"},
    {2.5e9, "2.500 Gbit/s"},
    {123456e9, "123456.0 Gbit/s"},
};

START_TEST(rates_have_four_figures)
{
    line.bytes = 0;
    line_add_rate(&line, rates[_i].bps);
    ck_assert_str_eq(line.text, rates[_i].text);
}
END_TEST

START_TEST(spans_have_a_unit_that_suits)
{
    line.bytes = 0;
    line_add_span(&line, 999949);
    line_add(&line, "|");
    line_add_span(&line, 1000000);
    line_add(&line, "|");
    line_add_span(&line, 2500000000);
    ck_assert_str_eq(line.text, "999.9 us|1.000 ms|2.500 s");
}
END_TEST

START_TEST(a_line_is_cut_at_its_end)
{
    line.bytes = 0;
    for (int i = 0; i < 1 + (int)sizeof line.text / 8; i++)
        line_add(&line, "%s", "12345678");
    ck_assert_uint_eq(line.bytes, sizeof line.text - 1);
    ck_assert_uint_eq(strlen(line.text), sizeof line.text - 1);
}
END_TEST

/* The short ways beside printf(), with numbers of every length. */
START_TEST(numbers_are_those_of_printf)
{
    struct rng rng = rng_start("line");
    char want[128];

    for (int i = 0; i < 100000; i++) {
        uint64_t count = rng_next(&rng) >> rng_below(&rng, 64);
        int64_t ns = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 63)));

        line.bytes = 0;
        line_add_count(&line, count);
        line_add_text(&line, " ");
        line_add_hex(&line, (uint32_t)count);
        line_add_text(&line, " ");
        line_add_time(&line, ns);
        snprintf(want, sizeof want, "%" PRIu64 " %08" PRIx32 " %" PRId64 ".%09" PRId64, count,
                 (uint32_t)count, ns / 1000000000, ns % 1000000000);
        ck_assert_str_eq(line.text, want);
    }
}
END_TEST

START_TEST(decimals_are_rounded)
{
    struct rng rng = rng_start("line");

    for (int i = 0; i < 100000; i++) {
        double number = (double)(rng_next(&rng) >> rng_below(&rng, 64)) / 3072;
        char *end;

        line.bytes = 0;
        line_add_decimal(&line, number);
        ck_assert_double_le(fabs(strtod(line.text, &end) - number), 0.051 + number * 1e-15);
        ck_assert_ptr_eq(strchr(line.text, '.') + 2, end);
        ck_assert_int_eq(*end, '\0');
    }
    line.bytes = 0;
    line_add_decimal(&line, 0);
    line_add_decimal(&line, 9.96);
    line_add_decimal(&line, 10e6 - 0.02);
    line_add_decimal(&line, -1.5);
    line_add_time(&line, -1500000000);
    ck_assert_str_eq(line.text, "0.010.010000000.0-1.5-1.500000000");
}
END_TEST

/* Of a capture from before 1970, too. Wherever here is, seconds are the same since clocks have been set
 * by whole minutes. */
START_TEST(a_time_of_day_has_milliseconds)
{
    static const struct {
        int64_t ns;
        const char *end;
    } times[] = {
        {1700000000123456789, "20.123"}, {-1, "59.999"},     {-1000000, "59.999"}, {-1000001, "59.998"},
        {-60000000000, "00.000"},        {INT64_MIN, ".145"}};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        line.bytes = 0;
        line_add_clock(&line, times[i].ns);
        ck_assert_uint_eq(line.bytes, strlen("00:00:00.000"));
        ck_assert_str_eq(line.text + line.bytes - strlen(times[i].end), times[i].end);
    }
}
END_TEST

START_TEST(short_ways_are_cut_at_the_end_too)
{
    line.bytes = 0;
    for (size_t i = 0; i < sizeof line.text / 8; i++)
        line_add_text(&line, "12345678");
    line_add_count(&line, UINT64_MAX);
    ck_assert_uint_eq(line.bytes, sizeof line.text - 1);
    ck_assert_uint_eq(strlen(line.text), sizeof line.text - 1);
}
END_TEST

START_TEST(the_json_reader_is_strict)
{
    static const char *const bad[] = {
        "",
        "{",
        "{}x",
        "{\"a\":1,}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":nul}",
        "{\"a\":}",
        "{\"a\":-}",
        "{\"a\" :1}",
        "{\"a\":1}\n",
        "{\"a\":\"b}",
        "{\"a\":1,\"a\":2}",
        "{a:1}",
        "{\"a\":0.-5}",
        "{\"a\":nan}",
        "{\"a\":1e}",
        "[1]",
    };
    struct json_object object;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!json_read(&object, bad[i]), "taken: %s", bad[i]);
    ck_assert(json_read(&object, "{}"));
    ck_assert(json_read(&object, "{\"a\":-1.5e+3,\"b\":\"x\",\"c\":null,\"d\":0}"));
    ck_assert_uint_eq(object.count, 4);
}
END_TEST

Suite *line_suite(void)
{
    Suite *suite = suite_create("line");
    TCase *lines = tcase_create("lines");
    TCase *json = tcase_create("json");

    tcase_add_loop_test(lines, rates_have_four_figures, 0, sizeof rates / sizeof rates[0]);
    tcase_add_test(lines, spans_have_a_unit_that_suits);
    tcase_add_test(lines, a_line_is_cut_at_its_end);
    tcase_add_test(lines, numbers_are_those_of_printf);
    tcase_add_test(lines, decimals_are_rounded);
    tcase_add_test(lines, a_time_of_day_has_milliseconds);
    tcase_add_test(lines, short_ways_are_cut_at_the_end_too);
    tcase_add_test(json, the_json_reader_is_strict);
    suite_add_tcase(suite, lines);
    suite_add_tcase(suite, json);
    return suite;
}
