/* SPDX-License-Identifier: BSD-3-Clause */
/* The log file: whole lines whatever happens to the disk, or happened before. */
#include "pprec/cmd/log.h"
#include "tests/unit/suites.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_BYTES = 32768 };

static char directory[64];
static char path[96];
static char other_path[96];
static struct log file;
static struct error error;

static void log_set_up(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%.40s/pprec-log-XXXXXX", base != NULL ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/log", directory);
    snprintf(other_path, sizeof other_path, "%s/log.1", directory);
    error.text[0] = '\0';
}

static void log_tear_down(void)
{
    unlink(path);
    unlink(other_path);
    rmdir(directory);
}

static void log_write_file(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(text, out), 0);
    ck_assert_int_eq(fclose(out), 0);
}

static void assert_file(const char *name, const char *want)
{
    char text[TEXT_BYTES];
    FILE *in = fopen(name, "r");
    size_t bytes;

    ck_assert_ptr_nonnull(in);
    bytes = fread(text, 1, sizeof text - 1, in);
    text[bytes] = '\0';
    fclose(in);
    ck_assert_str_eq(text, want);
}

static const struct line no_head;

static void log_open_log(const char *name)
{
    ck_assert_msg(log_open(&file, name, &no_head, &error) == 0, "%s", error.text);
}

static void open_log_with_head(const char *name)
{
    static struct line head;

    head.bytes = 0;
    line_add(&head, "# head");
    ck_assert_msg(log_open(&file, name, &head, &error) == 0, "%s", error.text);
}

static void test_log_add(const char *text)
{
    struct line line = {.bytes = strlen(text)};

    memcpy(line.text, text, line.bytes);
    log_write(&file, &line, &error);
}

/* 0, or -1 where it was lost. */
static int test_log_put(const char *text)
{
    uint64_t lost = file.lost_lines;

    test_log_add(text);
    log_flush(&file, &error);
    return file.lost_lines > lost ? -1 : 0;
}

/* --- Whole lines --- */

START_TEST(lines_are_appended)
{
    struct stat status;

    log_open_log(path);
    ck_assert_int_eq(test_log_put("one"), 0);
    ck_assert_int_eq(test_log_put("two"), 0);
    log_close(&file);
    log_open_log(path);
    ck_assert_int_eq(test_log_put("three"), 0);
    log_close(&file);
    assert_file(path, "one\ntwo\nthree\n");
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0600, 0600);
}
END_TEST

/* Nothing is held back then that a SIGKILL could take. */
START_TEST(a_line_is_in_the_file_when_flushed)
{
    log_open_log(path);
    ck_assert_int_eq(test_log_put("one"), 0);
    assert_file(path, "one\n");
    ck_assert_int_eq(test_log_put(""), 0);
    assert_file(path, "one\n\n");
    log_close(&file);
}
END_TEST

START_TEST(lines_wait_until_flushed)
{
    log_open_log(path);
    test_log_add("one");
    test_log_add("two");
    assert_file(path, "");
    log_flush(&file, &error);
    assert_file(path, "one\ntwo\n");
    test_log_add("three");
    log_close(&file);
    assert_file(path, "one\ntwo\nthree\n");
}
END_TEST

static off_t test_log_bytes(void)
{
    struct stat status;

    ck_assert_int_eq(stat(path, &status), 0);
    return status.st_size;
}

START_TEST(what_does_not_fit_is_written_earlier)
{
    enum { LINES = 5000, LINE_BYTES = 28 };

    log_open_log(path);
    for (unsigned i = 0; i < LINES; i++) {
        test_log_add("abcdefghijklmnopqrstuvwxyz0");
        ck_assert_int_eq(test_log_bytes() % LINE_BYTES, 0);
    }
    ck_assert_int_gt(test_log_bytes(), 0);
    log_close(&file);
    ck_assert_int_eq(test_log_bytes(), LINES * LINE_BYTES);
}
END_TEST

START_TEST(the_longest_line_fits)
{
    struct line line = {.bytes = 0};
    char want[sizeof line.text + 2];

    memset(want, 'x', sizeof line.text - 1);
    strcpy(want + sizeof line.text - 1, "\n");
    while (line.bytes < sizeof line.text - 1)
        line_add(&line, "xx");
    log_open_log(path);
    log_write(&file, &line, &error);
    log_close(&file);
    assert_file(path, want);
}
END_TEST

/* A predecessor was killed while it wrote: its half line is ended, once. */
START_TEST(a_torn_line_is_ended)
{
    log_write_file(path, "whole\nhal");
    log_open_log(path);
    ck_assert_int_eq(test_log_put("one"), 0);
    ck_assert_int_eq(test_log_put("two"), 0);
    log_close(&file);
    assert_file(path, "whole\nhal\none\ntwo\n");
}
END_TEST

START_TEST(a_whole_end_is_left_alone)
{
    log_write_file(path, "whole\n");
    log_open_log(path);
    ck_assert_int_eq(test_log_put("one"), 0);
    log_close(&file);
    assert_file(path, "whole\none\n");
}
END_TEST

START_TEST(a_log_that_cannot_be_opened_is_named)
{
    snprintf(path, sizeof path, "%s/none/log", directory);
    ck_assert_int_eq(log_open(&file, path, &no_head, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
}
END_TEST

/* --- A full disk --- */

START_TEST(dev_full_is_told_once_and_counted)
{
    log_open_log("/dev/full");
    ck_assert_int_eq(test_log_put("one"), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "/dev/full"));
    ck_assert_ptr_nonnull(strstr(error.text, "No space left"));
    ck_assert_int_eq(test_log_put("two"), -1);
    ck_assert_str_eq(error.text, "");
    ck_assert_int_eq(test_log_put("three"), -1);
    ck_assert_str_eq(error.text, "");
    ck_assert_uint_eq(file.lost_lines, 3);
    log_close(&file);
}
END_TEST

/* A disk with room for so many bytes; RLIM_INFINITY: as much as there may be. */
static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#define GAP(lines) "# " #lines " lines are missing here: No space left on device\n"

/* Room for two lines of ten bytes and a half: the third is torn, and taken back. */
START_TEST(what_half_fits_is_taken_back)
{
    log_open_log(path);
    limit_file_size(25);
    ck_assert_int_eq(test_log_put("line 0001"), 0);
    ck_assert_int_eq(test_log_put("line 0002"), 0);
    ck_assert_int_eq(test_log_put("line 0003"), -1);
    ck_assert_str_ne(error.text, "");
    assert_file(path, "line 0001\nline 0002\n");
    ck_assert_int_eq(test_log_put("line 0004"), -1);
    ck_assert_str_eq(error.text, "");
    assert_file(path, "line 0001\nline 0002\n");
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(test_log_put("line 0005"), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "again"));
    ck_assert_ptr_nonnull(strstr(error.text, "2 lines"));
    ck_assert_int_eq(test_log_put("line 0006"), 0);
    ck_assert_str_eq(error.text, "");
    ck_assert_uint_eq(file.lost_lines, 2);
    log_close(&file);
    assert_file(path, "line 0001\nline 0002\n" GAP(2) "line 0005\nline 0006\n");
}
END_TEST

/* Of lines that waited together those that fit stay, and a note is no line. */
START_TEST(what_fits_of_many_stays)
{
    log_open_log(path);
    limit_file_size(25);
    test_log_add("line 0001");
    test_log_add("line 0002");
    test_log_add("line 0003");
    test_log_add("# a note");
    test_log_add("# {\"type\":\"summary\"}");
    log_flush(&file, &error);
    ck_assert_ptr_nonnull(strstr(error.text, "lost from here on"));
    assert_file(path, "line 0001\nline 0002\n");
    ck_assert_uint_eq(file.lost_lines, 2);
    ck_assert_uint_eq(file.lost_trains, 1);
    limit_file_size(RLIM_INFINITY);
    test_log_add("line 0004");
    test_log_add("line 0005");
    log_flush(&file, &error);
    ck_assert_ptr_nonnull(strstr(error.text, "2 lines were lost"));
    log_close(&file);
    assert_file(path, "line 0001\nline 0002\n" GAP(2) "line 0004\nline 0005\n");
}
END_TEST

/* The file of one that died ended in half a line, and there is no room to end it. */
START_TEST(what_is_torn_stays_so_until_there_is_room)
{
    log_write_file(path, "hal");
    log_open_log(path);
    limit_file_size(6);
    ck_assert_int_eq(test_log_put("one"), -1);
    assert_file(path, "hal");
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(test_log_put("two"), 0);
    log_close(&file);
    assert_file(path, "hal\n" GAP(1) "two\n");
}
END_TEST

/* Full, better, full: told again, and counted from the start of each. */
START_TEST(every_full_disk_is_news)
{
    log_open_log(path);
    for (int round = 0; round < 2; round++) {
        limit_file_size(round == 0 ? 5 : 62);
        ck_assert_int_eq(test_log_put("too long"), -1);
        ck_assert_ptr_nonnull(strstr(error.text, "lost from here on"));
        limit_file_size(RLIM_INFINITY);
        ck_assert_int_eq(test_log_put("abc"), 0);
        ck_assert_ptr_nonnull(strstr(error.text, "1 lines"));
    }
    ck_assert_uint_eq(file.lost_lines, 2);
    log_close(&file);
    assert_file(path, GAP(1) "abc\n" GAP(1) "abc\n");
}
END_TEST

/* A file that began on a full disk gets its head as soon as there is room. */
START_TEST(the_head_is_owed)
{
    limit_file_size(3);
    open_log_with_head(path);
    ck_assert_int_eq(test_log_put("lost"), -1);
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(test_log_put("one"), 0);
    log_close(&file);
    assert_file(path, GAP(1) "# head\none\n");
}
END_TEST

/* --- Notes --- */

/* Room for the line and half a note. */
START_TEST(a_note_that_does_not_fit_is_not_missed)
{
    log_open_log(path);
    limit_file_size(10);
    ck_assert_int_eq(test_log_put("one"), 0);
    ck_assert_int_eq(test_log_put("# too long"), 0);
    ck_assert_str_eq(error.text, "");
    assert_file(path, "one\n");
    ck_assert_int_eq(test_log_put("two"), 0);
    ck_assert_str_eq(error.text, "");
    ck_assert_int_eq(test_log_put("three"), -1);
    limit_file_size(RLIM_INFINITY);
    ck_assert_uint_eq(file.lost_lines, 1);
    ck_assert_int_eq(test_log_put("four"), 0);
    ck_assert_int_eq(test_log_put("# five"), 0);
    log_close(&file);
    assert_file(path, "one\ntwo\n" GAP(1) "four\n# five\n");
}
END_TEST

/* --- A file that is gone --- */

START_TEST(a_removed_file_is_begun_anew)
{
    open_log_with_head(path);
    ck_assert_int_eq(test_log_put("one"), 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(test_log_put("two"), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "was removed"));
    ck_assert_int_eq(test_log_put("three"), 0);
    ck_assert_str_eq(error.text, "");
    ck_assert_uint_eq(file.lost_lines, 0);
    log_close(&file);
    assert_file(path, "# head\ntwo\nthree\n");
}
END_TEST

/* With its directory: lost and counted until that is back. */
START_TEST(a_removed_directory_may_come_back)
{
    open_log_with_head(path);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(directory), 0);
    ck_assert_int_eq(test_log_put("two"), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
    ck_assert_int_eq(test_log_put("three"), -1);
    ck_assert_str_eq(error.text, "");
    ck_assert_int_eq(mkdir(directory, 0700), 0);
    ck_assert_int_eq(test_log_put("four"), 0);
    ck_assert_uint_eq(file.lost_lines, 2);
    log_close(&file);
    assert_file(path, "# 2 lines are missing here: No such file or directory\n# head\nfour\n");
}
END_TEST

/* --- Rotation --- */

START_TEST(reopened_it_is_the_new_file)
{
    open_log_with_head(path);
    ck_assert_int_eq(test_log_put("old"), 0);
    ck_assert_int_eq(rename(path, other_path), 0);
    ck_assert_int_eq(test_log_put("still old"), 0);
    ck_assert_int_eq(log_reopen(&file, &error), 0);
    ck_assert_int_eq(test_log_put("new"), 0);
    log_close(&file);
    assert_file(other_path, "# head\nold\nstill old\n");
    assert_file(path, "# head\nnew\n");
}
END_TEST

START_TEST(reopened_a_torn_line_is_ended_too)
{
    log_open_log(path);
    ck_assert_int_eq(rename(path, other_path), 0);
    log_write_file(path, "torn");
    ck_assert_int_eq(log_reopen(&file, &error), 0);
    ck_assert_int_eq(test_log_put("new"), 0);
    log_close(&file);
    assert_file(path, "torn\nnew\n");
}
END_TEST

/* Room is made by rotating: what was lost is said then, in the new file too. */
START_TEST(reopened_it_is_written_again)
{
    open_log_with_head(path);
    limit_file_size(1);
    ck_assert_int_eq(test_log_put("lost"), -1);
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(rename(path, other_path), 0);
    ck_assert_int_eq(log_reopen(&file, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "written again; 1 lines"));
    ck_assert_int_eq(test_log_put("new"), 0);
    ck_assert_str_eq(error.text, "");
    log_close(&file);
    assert_file(path, "# 1 lines are missing here: File too large\n# head\nnew\n");
}
END_TEST

START_TEST(when_it_cannot_be_reopened_the_old_file_stays)
{
    log_open_log(path);
    ck_assert_int_eq(rename(path, other_path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(log_reopen(&file, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_int_eq(test_log_put("still old"), 0);
    log_close(&file);
    ck_assert_int_eq(rmdir(path), 0);
    assert_file(other_path, "still old\n");
}
END_TEST

/* So many lines wait, and then the pipe is read until it is empty: lines that came, whole ones. */
static unsigned pipe_takes(int reader, unsigned lines)
{
    char text[TEXT_BYTES];
    unsigned came = 0;
    ssize_t bytes;

    for (unsigned i = 0; i < lines; i++)
        test_log_add("0123456789012345678901234567890123456789");
    log_flush(&file, &error);
    while ((bytes = read(reader, text, sizeof text)) > 0) {
        ck_assert_int_eq(text[bytes - 1], '\n');
        for (ssize_t i = 0; i < bytes; i++)
            came += text[i] == '\n';
    }
    return came;
}

/* More waits than the pipe has room for. */
START_TEST(a_pipe_gets_whole_lines)
{
    char said[64];
    int reader;
    unsigned came;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reader, 0);
    ck_assert_int_ge(fcntl(reader, F_SETPIPE_SZ, 16384), 0);
    open_log_with_head(path);
    came = pipe_takes(reader, 1000);
    ck_assert_ptr_nonnull(strstr(error.text, "lines are lost from here on"));
    ck_assert_uint_gt(file.lost_lines, 0);
    ck_assert_uint_eq(came + file.lost_lines, 1001); /* and the head */
    snprintf(said, sizeof said, "written again; %llu lines were lost", (unsigned long long)file.lost_lines);
    ck_assert_uint_eq(pipe_takes(reader, 1), 2); /* the first is the comment */
    ck_assert_ptr_nonnull(strstr(error.text, said));
    log_close(&file);
    close(reader);
}
END_TEST

Suite *log_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *lines = tcase_create("lines");
    TCase *full = tcase_create("full");
    TCase *gone = tcase_create("gone");
    TCase *rotation = tcase_create("rotation");

    tcase_add_checked_fixture(lines, log_set_up, log_tear_down);
    tcase_add_test(lines, lines_are_appended);
    tcase_add_test(lines, a_line_is_in_the_file_when_flushed);
    tcase_add_test(lines, lines_wait_until_flushed);
    tcase_add_test(lines, what_does_not_fit_is_written_earlier);
    tcase_add_test(lines, the_longest_line_fits);
    tcase_add_test(lines, a_torn_line_is_ended);
    tcase_add_test(lines, a_whole_end_is_left_alone);
    tcase_add_test(lines, a_log_that_cannot_be_opened_is_named);
    tcase_add_checked_fixture(full, log_set_up, log_tear_down);
    tcase_add_test(full, dev_full_is_told_once_and_counted);
    tcase_add_test(full, what_half_fits_is_taken_back);
    tcase_add_test(full, what_fits_of_many_stays);
    tcase_add_test(full, what_is_torn_stays_so_until_there_is_room);
    tcase_add_test(full, every_full_disk_is_news);
    tcase_add_test(full, the_head_is_owed);
    tcase_add_test(full, a_note_that_does_not_fit_is_not_missed);
    tcase_add_checked_fixture(gone, log_set_up, log_tear_down);
    tcase_add_test(gone, a_removed_file_is_begun_anew);
    tcase_add_test(gone, a_removed_directory_may_come_back);
    tcase_add_checked_fixture(rotation, log_set_up, log_tear_down);
    tcase_add_test(rotation, reopened_it_is_the_new_file);
    tcase_add_test(rotation, reopened_a_torn_line_is_ended_too);
    tcase_add_test(rotation, reopened_it_is_written_again);
    tcase_add_test(rotation, when_it_cannot_be_reopened_the_old_file_stays);
    tcase_add_test(rotation, a_pipe_gets_whole_lines);
    suite_add_tcase(suite, lines);
    suite_add_tcase(suite, full);
    suite_add_tcase(suite, gone);
    suite_add_tcase(suite, rotation);
    return suite;
}
