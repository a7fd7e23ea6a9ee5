/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of output, and the reader that the tests of formats trust. */
#include "pprec/cmd/line.h"
#include "tests/unit/json.h"
#include "tests/unit/suites.h"

#include <string.h>

static struct line line;

static const struct {
    double bps;
    const char *text;
} rates[] = {
    {0, "-"},              {1, "1.000 bit/s"},       {999.9, "999.9 bit/s"},
    {1000, "1.000 kbit/s"}, {9994, "9.994 kbit/s"},   {9996, "10.00 kbit/s"},
    {99940, "99.94 kbit/s"}, {99960, "100.0 kbit/s"}, {999960, "1.000 Mbit/s"},
    {10e6, "10.00 Mbit/s"}, {2.5e9, "2.500 Gbit/s"},  {123456e9, "123456.0 Gbit/s"},
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
    for (int i = 0; i < 2000; i++)
        line_add(&line, "%s", "12345678");
    ck_assert_uint_eq(line.bytes, sizeof line.text - 1);
    ck_assert_uint_eq(strlen(line.text), sizeof line.text - 1);
}
END_TEST

START_TEST(the_json_reader_is_strict)
{
    static const char *const bad[] = {
        "", "{", "{}x", "{\"a\":1,}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":nul}", "{\"a\":}",
        "{\"a\":-}", "{\"a\" :1}", "{\"a\":1}\n", "{\"a\":\"b}", "{\"a\":1,\"a\":2}", "{a:1}",
        "{\"a\":0.-5}", "{\"a\":nan}", "{\"a\":1e}", "[1]",
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
    tcase_add_test(json, the_json_reader_is_strict);
    suite_add_tcase(suite, lines);
    suite_add_tcase(suite, json);
    return suite;
}
