/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"
#include "common/option.h"
#include "pprec/cmd/options.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    bool flag;
    uint32_t number;
    double real;
    const char *text;
    int word;
    int groups;        /* how often -g came */
    const char *maybe; /* --maybe: "none" without a value */
    uint32_t power;
};

static int option_read_group(const struct option_row *row, void *options, const char *text,
                             struct error *error)
{
    (void)row;
    if (text[0] != 'g')
        return error_set(error, "want a group");
    ((struct sample *)options)->groups++;
    return 0;
}

static const struct option_kind kind_group = {.read = option_read_group};

static int read_maybe(const struct option_row *row, void *options, const char *text, struct error *error)
{
    (void)row;
    (void)error;
    ((struct sample *)options)->maybe = text != NULL ? text : "none";
    return 0;
}

static const struct option_kind kind_maybe = {.read = read_maybe};
static const char *const colours[] = {"red", "green", "blue", NULL};

#define AT(field) .offset = offsetof(struct sample, field)

static const struct option_row rows[] = {
    {.name = "flag", .letter = 'f', .help = "a flag", .kind = &option_flag, AT(flag)},
    {.name = "number",
     .old = "amount",
     .letter = 'n',
     .metavar = "N",
     .help = "a number",
     .kind = &option_unsigned,
     AT(number),
     .min = 1,
     .max = UINT32_MAX},
    {.name = "real",
     .letter = 'r',
     .metavar = "R",
     .help = "a real",
     .kind = &option_real,
     AT(real),
     .min = 0.5,
     .max = 1000},
    {.letter = 'h', .metavar = "HOST", .help = "where to", .kind = &option_text, AT(text), .required = true},
    {.name = "colour",
     .metavar = "WORD",
     .help = "a colour",
     .kind = &option_word,
     AT(word),
     .words = colours},
    {.letter = 'g', .metavar = "GROUP", .help = "a group", .kind = &kind_group},
    {.name = "maybe",
     .letter = 'm',
     .metavar = "X",
     .help = "a value or none",
     .kind = &kind_maybe,
     .optional = true},
    {.letter = 'p',
     .metavar = "P",
     .help = "a power",
     .kind = &option_power,
     AT(power),
     .min = 2,
     .max = 256},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "try", .version = "1", .usage = "-h HOST [options]", .about = "Tries.\n", .rows = rows};

static struct sample sample;
static struct error error;

/* Parses one command line given as a single text, split at blanks. */
static enum option_result parse(const char *line)
{
    static char words[256];
    char *argv[20] = {"try"};
    int argc = 1;

    sample = (struct sample){.number = 7, .real = 0.25, .word = 1};
    error.text[0] = '\0';
    strcpy(words, line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    return option_parse(&program, argc, argv, &sample, &error);
}

START_TEST(test_values_are_stored)
{
    ck_assert_int_eq(parse("-h host -f -n 4294967295 -r 1e2 --colour blue -g g1 -g g2 -p 64"), OPTION_RUN);
    ck_assert(sample.flag);
    ck_assert_uint_eq(sample.power, 64);
    ck_assert_uint_eq(sample.number, UINT32_MAX);
    ck_assert_double_eq(sample.real, 100);
    ck_assert_str_eq(sample.text, "host");
    ck_assert_int_eq(sample.word, 2);
    ck_assert_int_eq(sample.groups, 2);
}
END_TEST

START_TEST(test_defaults_stay)
{
    ck_assert_int_eq(parse("-h host"), OPTION_RUN);
    ck_assert(!sample.flag);
    ck_assert_uint_eq(sample.number, 7);
    ck_assert_int_eq(sample.word, 1);
}
END_TEST

START_TEST(test_ways_to_write_a_value)
{
    ck_assert_int_eq(parse("-hhost --number=3 -fr2"), OPTION_RUN);
    ck_assert_uint_eq(sample.number, 3);
    ck_assert_double_eq(sample.real, 2);
    ck_assert_str_eq(sample.text, "host");
}
END_TEST

static const struct {
    const char *line, *value;
} maybes[] = {
    {"-h host", NULL},          {"-h host --maybe", "none"}, {"--maybe -h host", "none"},
    {"--maybe 5 -h host", "5"}, {"-h host --maybe=5", "5"},  {"-h host -m5", "5"},
    {"-h host -m 5", "5"},      {"-h host -m -f", "none"},   {"-h host --maybe 5 --maybe", "none"},
    {"-h host -fm", "none"},
};

/* A word behind it is its value unless it begins with a dash. */
START_TEST(test_value_may_be_left_out)
{
    ck_assert_int_eq(parse(maybes[_i].line), OPTION_RUN);
    ck_assert_pstr_eq(sample.maybe, maybes[_i].value);
    ck_assert_str_eq(sample.text, "host");
}
END_TEST

/* Its error names the option as it is called now; the help, below, does not list it. */
START_TEST(test_an_old_name_is_taken)
{
    ck_assert_int_eq(parse("-h host --amount 3"), OPTION_RUN);
    ck_assert_uint_eq(sample.number, 3);
    ck_assert_int_eq(parse("-h host --amo=4"), OPTION_RUN);
    ck_assert_uint_eq(sample.number, 4);
    ck_assert_int_eq(parse("-h host --amount x"), OPTION_BAD);
    ck_assert_str_eq(error.text, "-n 'x': want a whole number from 1 to 4294967295");
}
END_TEST

START_TEST(test_help_and_version_need_no_more)
{
    ck_assert_int_eq(parse("--help"), OPTION_HELP);
    ck_assert_int_eq(parse("--version"), OPTION_VERSION);
}
END_TEST

static const struct {
    const char *line, *text;
} bad[] = {
    {"-h x -n 0", "-n '0': want a whole number from 1 to 4294967295"},
    {"-h x -n 4294967296", "-n '4294967296': want a whole number from 1 to 4294967295"},
    {"-h x -n 18446744073709551617", "-n '18446744073709551617': want a whole number from 1 to 4294967295"},
    {"-h x -n -1", "-n '-1': want a whole number from 1 to 4294967295"},
    {"-h x -n +1", "-n '+1': want a whole number from 1 to 4294967295"},
    {"-h x -n 0x10", "-n '0x10': want a whole number from 1 to 4294967295"},
    {"-h x -n 12k", "-n '12k': want a whole number from 1 to 4294967295"},
    {"-h x --number 1.5", "-n '1.5': want a whole number from 1 to 4294967295"},
    {"-h x -r nan", "-r 'nan': want a number from 0.5 to 1000"},
    {"-h x -r inf", "-r 'inf': want a number from 0.5 to 1000"},
    {"-h x -r 1e999", "-r '1e999': want a number from 0.5 to 1000"},
    {"-h x -r 0x1p4", "-r '0x1p4': want a number from 0.5 to 1000"},
    {"-h x -r 5e", "-r '5e': want a number from 0.5 to 1000"},
    {"-h x -r -5", "-r '-5': want a number from 0.5 to 1000"},
    {"-h x -r 0.49", "-r '0.49': want a number from 0.5 to 1000"},
    {"-h x -p 512", "-p '512': want a power of two from 2 to 256"},
    {"-h x -p 1", "-p '1': want a power of two from 2 to 256"},
    {"-h x -p 3", "-p '3': want a power of two from 2 to 256"},
    {"-h x --colour pink", "--colour 'pink': want red, green or blue"},
    {"-h x -g other", "-g 'other': want a group"},
    {"-h x -n", "-n: its value is missing"},
    {"-h x --colour", "--colour: its value is missing"},
    {"-h x --flag=1", "--flag=1: takes no value"},
    {"-h x -z", "-z: no such option (--help lists them)"},
    {"-h x -fz", "-z: no such option (--help lists them)"},
    {"-h x --wrong", "--wrong: no such option (--help lists them)"},
    {"-h x --=1", "--=1: no such option (--help lists them)"},
    {"-h x stray", "'stray': every argument must belong to an option (--help lists them)"},
    {"-f", "-h HOST is missing: where to (--help lists the options)"},
};

START_TEST(test_bad_line_is_named)
{
    ck_assert_int_eq(parse(bad[_i].line), OPTION_BAD);
    ck_assert_str_eq(error.text, bad[_i].text);
}
END_TEST

static const struct option_row alike[] = {
    {.name = "length", .old = "left", .letter = 'n', .help = "a", .kind = &option_flag, AT(flag)},
    {.name = "level", .help = "b", .kind = &option_flag, AT(flag)},
    {.name = "verbose", .help = "c", .kind = &option_flag, AT(flag)},
    {.kind = NULL},
};

static const struct {
    char *word;
    const char *text;
} unclear[] = {
    {"--le", "--le: not enough of a name: --length, --level"},
    {"--ver=1", "--ver=1: not enough of a name: --verbose, --version"},
    {"-h", "-h: no such option: help is --help, or else"},
};

START_TEST(test_what_may_be_meant_is_named)
{
    const struct option_program other = {.name = "try", .rows = alike, .other_h = ", or else"};
    char *argv[] = {"try", unclear[_i].word, NULL};

    ck_assert_int_eq(option_parse(&other, 2, argv, &sample, &error), OPTION_BAD);
    ck_assert_str_eq(error.text, unclear[_i].text);
}
END_TEST

/* However long or odd what was given is, the line says what would be right. */
static const struct {
    const char *before, *after; /* of many letters */
    const char *text;           /* that it ends with */
} odd[] = {
    {"--", "", ": no such option (--help lists them)"},
    {"--flag=", "", ": takes no value"},
    {"-", "n", ": its value is missing"},
    {"", "", "': every argument must belong to an option (--help lists them)"},
    {"-n", "", "': want a whole number from 1 to 4294967295"},
    {"-n1\n2\033[2J\177", "", "': want a whole number from 1 to 4294967295"},
};

START_TEST(test_error_is_one_whole_line)
{
    char word[700];
    char *argv[] = {"try", "-h", "x", word, NULL};
    size_t from, bytes = strlen(odd[_i].text);

    from = (size_t)snprintf(word, sizeof word, "%s", odd[_i].before);
    memset(word + from, 'f', 600);
    strcpy(word + from + 600, odd[_i].after);
    ck_assert_int_eq(option_parse(&program, 4, argv, &sample, &error), OPTION_BAD);
    ck_assert_uint_ge(strlen(error.text), bytes);
    ck_assert_str_eq(error.text + strlen(error.text) - bytes, odd[_i].text);
    for (const char *at = error.text; *at != '\0'; at++)
        ck_assert(*at >= ' ' && *at != 0x7f);
}
END_TEST

START_TEST(test_empty_value_is_refused)
{
    char *argv[] = {"try", "-h", "", NULL};

    ck_assert_int_eq(option_parse(&program, 3, argv, &sample, &error), OPTION_BAD);
    ck_assert_str_eq(error.text, "-h '': want HOST, not an empty text");
}
END_TEST

/* Two words that quotes made one. */
START_TEST(test_a_blank_is_named)
{
    char *argv[] = {"try", "-h", "x", "-r 1", NULL};

    ck_assert_int_eq(option_parse(&program, 4, argv, &sample, &error), OPTION_BAD);
    ck_assert_str_eq(error.text, "-r ' 1': want a number from 0.5 to 1000, and no blank");
}
END_TEST

START_TEST(test_long_input_is_cut)
{
    char longest[2000];
    char *argv[] = {"try", longest, NULL};

    memset(longest, '-', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(option_parse(&program, 2, argv, &sample, &error), OPTION_BAD);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
}
END_TEST

/* Defaults are shown, those outside the limits are not. */
START_TEST(test_help_tells_defaults)
{
    struct sample defaults = {.number = 7, .real = 0.25, .word = 1};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    option_help(&program, &defaults, out);
    fclose(out);
    ck_assert_str_eq(text,
                     "Usage: try -h HOST [options]\n"
                     "Tries.\n\n"
                     "  -f, --flag              a flag\n"
                     "  -n, --number N          a number (default 7)\n"
                     "  -r, --real R            a real\n"
                     "  -h HOST                 where to\n"
                     "      --colour WORD       a colour: red, green or blue (default green)\n"
                     "  -g GROUP                a group\n"
                     "  -m, --maybe [X]         a value or none\n"
                     "  -p P                    a power\n"
                     "      --help              show this and exit\n"
                     "      --version           show the version and exit\n");
    free(text);
}
END_TEST

START_TEST(test_units_count_from_the_first)
{
    static const char *const none[] = {"", "k", "5g", "5kk", "k5", "-5", "1.5M", "0x10", " 5", "5 "};
    double value = 0;

    ck_assert(option_units("007", "kM", 1000, &value) && value == 7);
    ck_assert(option_units("5k", "kM", 1000, &value) && value == 5e3);
    ck_assert(option_units("5M", "kM", 1000, &value) && value == 5e6);
    ck_assert(option_units("3G", "kMG", 1024, &value) && value == 3221225472.0);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!option_units(none[i], "kM", 1000, &value), "%s", none[i]);
}
END_TEST

/* The library would refuse it, too, but knows no option's name. */
START_TEST(test_a_wrong_layer_is_named)
{
    static char *const good[] = {"udp", "ip", "l2", "wire", "0", "65535"};
    static char *const refused[] = {"l7", "", "65536", "-1", "42x"};
    struct options options;
    char *argv[] = {"pprec", "-p", "9000", "--layer", NULL, NULL};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        argv[4] = good[i];
        ck_assert_int_eq(options_from_arguments(&options, 5, argv, &error), OPTION_RUN);
        ck_assert_str_eq(options.layer, good[i]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        argv[4] = refused[i];
        ck_assert_int_eq(options_from_arguments(&options, 5, argv, &error), OPTION_BAD);
        ck_assert_int_eq(strncmp(error.text, "--layer '", 9), 0);
        ck_assert_ptr_nonnull(
            strstr(error.text, "': want udp, ip, l2, wire or a number of bytes up to 65535"));
    }
}
END_TEST

/* Both programs say the same of it. */
START_TEST(test_a_wrong_train_length_is_named)
{
    static char *const refused[] = {"1", "3", "512", "x"};
    struct options options;
    char *argv[] = {"pprec", "-p", "9000", "-n", NULL, NULL};

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        argv[4] = refused[i];
        ck_assert_int_eq(options_from_arguments(&options, 5, argv, &error), OPTION_BAD);
        ck_assert_ptr_nonnull(strstr(error.text, "': want a power of two from 2 to 256"));
    }
    argv[4] = "256";
    ck_assert_int_eq(options_from_arguments(&options, 5, argv, &error), OPTION_RUN);
    ck_assert_uint_eq(options.train_length, 256);
}
END_TEST

Suite *option_suite(void)
{
    Suite *suite = suite_create("option");
    TCase *tests = tcase_create("option");

    tcase_add_test(tests, test_values_are_stored);
    tcase_add_test(tests, test_defaults_stay);
    tcase_add_test(tests, test_ways_to_write_a_value);
    tcase_add_loop_test(tests, test_value_may_be_left_out, 0, sizeof maybes / sizeof maybes[0]);
    tcase_add_test(tests, test_an_old_name_is_taken);
    tcase_add_test(tests, test_help_and_version_need_no_more);
    tcase_add_loop_test(tests, test_bad_line_is_named, 0, sizeof bad / sizeof bad[0]);
    tcase_add_loop_test(tests, test_what_may_be_meant_is_named, 0, sizeof unclear / sizeof unclear[0]);
    tcase_add_loop_test(tests, test_error_is_one_whole_line, 0, sizeof odd / sizeof odd[0]);
    tcase_add_test(tests, test_empty_value_is_refused);
    tcase_add_test(tests, test_a_blank_is_named);
    tcase_add_test(tests, test_long_input_is_cut);
    tcase_add_test(tests, test_help_tells_defaults);
    tcase_add_test(tests, test_units_count_from_the_first);
    tcase_add_test(tests, test_a_wrong_layer_is_named);
    tcase_add_test(tests, test_a_wrong_train_length_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}
