/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs print comes in their order, whole, whichever ends first; the names that are read. */
#include "pprec/cmd/line.h"
#include "pprec/cmd/names.h"
#include "pprec/cmd/sheets.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOBS = 3000, THREADS = 4, LONG_ONE = 7, LONG_TEXTS = 40000 };

static struct sheets sheets;
static size_t printed, of_job, job_at;
static bool in_order;

static size_t texts_of(size_t job)
{
    return job % 1000 == LONG_ONE ? LONG_TEXTS : job % 13;
}

/* "JOB.NUMBER" with some padding: what comes next is known. */
static void test_sheets_print(void *user, enum sheet_kind kind, const char *text, size_t bytes)
{
    char wanted[64];
    size_t length;

    (void)user;
    while (of_job == texts_of(job_at)) {
        job_at++;
        of_job = 0;
    }
    length = (size_t)snprintf(wanted, sizeof wanted, "%zu.%zu", job_at, of_job++);
    in_order = in_order && kind == (enum sheet_kind)(of_job % 3) && bytes == 1000
        && memcmp(text, wanted, length + 1) == 0;
    printed++;
}

static void *sheets_work(void *user)
{
    struct sheet *sheet;
    char text[1000];

    (void)user;
    while ((sheet = sheets_begin(&sheets)) != NULL) {
        for (size_t i = 0; i < texts_of(sheet->index); i++) {
            memset(text, 'x', sizeof text);
            snprintf(text, sizeof text, "%zu.%zu", sheet->index, i);
            sheet_put(sheet, (enum sheet_kind)((i + 1) % 3), text, sizeof text);
        }
        sheet_end(sheet);
    }
    return NULL;
}

/* Some jobs print more than may wait, and then all others wait for their turn. */
START_TEST(in_the_order_of_jobs)
{
    pthread_t threads[THREADS];
    size_t wanted = 0;

    for (size_t i = 0; i < JOBS; i++)
        wanted += texts_of(i);
    in_order = true;
    ck_assert_int_eq(sheets_init(&sheets, JOBS, test_sheets_print, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sheets_work, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert(in_order);
    ck_assert_uint_eq(printed, wanted);
    ck_assert_uint_eq(sheets.turn, JOBS);
    ck_assert_uint_eq(sheets.waiting_bytes, 0);
    sheets_fini(&sheets);
}
END_TEST

START_TEST(none_begins_after_a_stop)
{
    ck_assert_int_eq(sheets_init(&sheets, JOBS, test_sheets_print, NULL), 0);
    sheets_stop(&sheets);
    ck_assert_ptr_null(sheets_begin(&sheets));
    sheets_fini(&sheets);
}
END_TEST

/* --- Names --- */

static char at[64];

static void sheets_copy(const char *name)
{
    char command[256];

    snprintf(command, sizeof command, "cp tests/vectors/%s",
             strcmp(name, "notes.txt") == 0 ? "README.md" : "same.pcapng");
    snprintf(command + strlen(command), sizeof command - strlen(command), " '%s/%s'", at, name);
    ck_assert_int_eq(system(command), 0);
}

static void make_directory(void)
{
    char path[128];

    snprintf(at, sizeof at, "/tmp/pprec-names-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(at));
    snprintf(path, sizeof path, "%s/b", at);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/b/empty", at);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/b/fifo", at);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/loop", at);
    ck_assert_int_eq(symlink("..", path), 0);
    sheets_copy("cap10");
    sheets_copy("cap9");
    sheets_copy("notes.txt");
    sheets_copy(".hidden");
    sheets_copy("b/of a name.txt");
}

static void remove_directory(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -r %s", at);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_directory_is_the_captures_in_it)
{
    const char *given[] = {at, "absent", NULL};
    const char *const wanted[] = {"b/of a name.txt", "cap9", "cap10"};
    struct options options = {.files = {"-"}, .names = given};
    struct error error;
    struct names names;

    ck_assert_int_eq(names_find(&names, &options, &error), 0);
    ck_assert_uint_eq(names.count, 5);
    ck_assert_str_eq(names.all[0], "-");
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(names.all[i + 1] + strlen(at) + 1, wanted[i]);
    ck_assert_str_eq(names.all[4], "absent");
    ck_assert_ptr_null(names.all[5]);
    ck_assert_uint_eq(names.others, 1);
    names_free(&names);
}
END_TEST

START_TEST(a_directory_without_captures)
{
    char empty[96];
    const char *given[] = {empty, NULL};
    struct options options = {.names = given};
    struct error error;
    struct names names;

    snprintf(empty, sizeof empty, "%s/b/empty", at);
    ck_assert_int_eq(names_find(&names, &options, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "no captures in this directory"));
}
END_TEST

/* --- As they are told --- */

static const struct {
    const char *name, *json, *csv, *printable;
} forms[] = {
    {"a.pcap", "a.pcap", "a.pcap", "a.pcap"},
    {"a\"b,c\\d", "a\\\"b,c\\\\d", "\"a\"\"b,c\\d\"", "a\"b,c\\d"},
    {"line\nfeed\x1b[2J", "line\\u000afeed\\u001b[2J", "line?feed\x1b[2J", "line?feed?[2J"},
    {"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
     "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"},
    {"bad \xff\xc3 \xc0\x80 \xed\xa0\x80", "bad \\ufffd\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd",
     "bad \xff\xc3 \xc0\x80 \xed\xa0\x80", "bad ?? ?? ???"},
    {"\xc2\x9b"
     "31m",
     "\xc2\x9b"
     "31m",
     "\xc2\x9b"
     "31m",
     "?31m"},
};

START_TEST(names_as_each_form_has_them)
{
    struct line line = {.bytes = 0};

    line_add_json(&line, forms[_i].name);
    ck_assert_str_eq(line.text, forms[_i].json);
    line = (struct line){.bytes = 0};
    line_add_csv(&line, forms[_i].name);
    ck_assert_str_eq(line.text, forms[_i].csv);
    line = (struct line){.bytes = 0};
    line_add_printable(&line, forms[_i].name);
    ck_assert_str_eq(line.text, forms[_i].printable);
}
END_TEST

Suite *sheets_suite(void)
{
    Suite *suite = suite_create("sheets");
    TCase *order = tcase_create("order");
    TCase *names = tcase_create("names");
    TCase *told = tcase_create("told");

    tcase_add_test(order, in_the_order_of_jobs);
    tcase_add_test(order, none_begins_after_a_stop);
    tcase_add_checked_fixture(names, make_directory, remove_directory);
    tcase_add_test(names, a_directory_is_the_captures_in_it);
    tcase_add_test(names, a_directory_without_captures);
    tcase_add_loop_test(told, names_as_each_form_has_them, 0, (int)(sizeof forms / sizeof forms[0]));
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, told);
    return suite;
}
