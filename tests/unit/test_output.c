/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output whose reader stalls, comes back, or goes: whole records, in order, and what is
 * missing is counted. */
#include "pprec/cmd/output.h"
#include "tests/unit/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 17, RECORD_BYTES = 100, RECORDS = 10000, READER = 0, WRITER = 1 };

static int ends[2];
static struct output output;
static uint32_t written; /* records that had room, by their number, in order */
static uint32_t numbers[RECORDS + 1];

static void output_set_up(void)
{
    signal(SIGPIPE, SIG_IGN);
    written = 0;
}

static void output_tear_down(void)
{
    output_close(&output);
    close(ends[WRITER]);
    if (ends[READER] >= 0)
        close(ends[READER]);
}

static void open_output(void)
{
    ck_assert_int_eq(output_open(&output, ends[WRITER], MOST_BYTES), 0);
}

static void open_pipe(void)
{
    ck_assert_int_eq(pipe(ends), 0);
    open_output();
}

/* Its number, and dots up to RECORD_BYTES with the newline. */
static void test_output_put(uint32_t number)
{
    char text[RECORD_BYTES];

    memset(text, '.', sizeof text);
    text[snprintf(text, sizeof text, "%u", number)] = ' ';
    if (output_put(&output, text, RECORD_BYTES - 1))
        numbers[written++] = number;
}

static void put_many(uint32_t from, uint32_t end)
{
    for (uint32_t number = from; number < end; number++)
        test_output_put(number);
}

/* What is there for the reader, whole records, from the one of that index on. */
static uint32_t read_from(uint32_t index)
{
    char text[RECORD_BYTES + 1];
    ssize_t bytes;
    size_t have = 0;

    ck_assert_int_eq(fcntl(ends[READER], F_SETFL, O_NONBLOCK), 0);
    for (;;) {
        bytes = read(ends[READER], text + have, RECORD_BYTES - have);
        if (bytes <= 0) {
            output_flush(&output);
            bytes = read(ends[READER], text + have, RECORD_BYTES - have);
        }
        if (bytes <= 0)
            break;
        have += (size_t)bytes;
        if (have < RECORD_BYTES)
            continue;
        ck_assert_int_eq(text[RECORD_BYTES - 1], '\n');
        ck_assert_uint_eq((uint32_t)atoi(text), numbers[index++]);
        have = 0;
    }
    ck_assert_uint_eq(have, 0);
    return index;
}

/* A stalled reader: 1 MB for a queue of 128 KiB and a pipe of 64. */
static void stall_and_go_on(void)
{
    uint32_t index;

    put_many(0, RECORDS);
    ck_assert_int_eq(output_flush(&output), 0);
    ck_assert_uint_lt(written, 4000);
    ck_assert_uint_gt(written, 1000);
    ck_assert_uint_eq(output.left_out, RECORDS - written);
    ck_assert_uint_le(output_waiting(&output), MOST_BYTES);
    index = read_from(0);
    ck_assert_uint_eq(index, written);
    ck_assert_uint_eq(output_waiting(&output), 0);
    test_output_put(77777);
    ck_assert_int_eq(output_flush(&output), 0);
    ck_assert_uint_eq(read_from(index), index + 1);
}

START_TEST(a_pipe_that_stalls_loses_whole_records)
{
    open_pipe();
    ck_assert_int_eq(output.way, OUTPUT_AT_ONCE);
    stall_and_go_on();
    ck_assert_int_eq(fcntl(ends[WRITER], F_GETFL) & O_NONBLOCK, 0); /* others have it, too */
}
END_TEST

/* As a pipe of another user's, which cannot be opened by its name. */
START_TEST(a_pipe_that_must_be_asked_does_not_block)
{
    open_pipe();
    close(output.fd);
    output.fd = ends[WRITER];
    output.ours = false;
    output.way = OUTPUT_ASK;
    stall_and_go_on();
}
END_TEST

START_TEST(a_socket_does_not_block)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ck_assert_int_eq(setsockopt(ends[WRITER], SOL_SOCKET, SO_SNDBUF, &(int){65536}, sizeof(int)), 0);
    open_output();
    ck_assert_int_eq(output.way, OUTPUT_SEND);
    stall_and_go_on();
}
END_TEST

/* A file never makes anybody wait, and is written where its description stands. */
START_TEST(a_file_takes_all)
{
    char name[] = "/tmp/pprec-output-XXXXXX";
    char text[8];

    ends[WRITER] = mkstemp(name);
    ends[READER] = -1;
    ck_assert_int_ge(ends[WRITER], 0);
    unlink(name);
    ck_assert_int_eq(write(ends[WRITER], "before\n", 7), 7);
    open_output();
    put_many(0, RECORDS);
    ck_assert_int_eq(output_flush(&output), 0);
    ck_assert_uint_eq(output.left_out, 0);
    ck_assert_int_eq(lseek(ends[WRITER], 0, SEEK_END), 7 + (off_t)RECORDS * RECORD_BYTES);
    ck_assert_int_eq(pread(ends[WRITER], text, 7, 0), 7);
    ck_assert_int_eq(memcmp(text, "before\n", 7), 0);
}
END_TEST

/* Memory that a reader who keeps up never needs is never touched. */
START_TEST(what_is_taken_leaves_its_room)
{
    open_pipe();
    for (uint32_t i = 0; i < 100; i++) {
        test_output_put(i);
        ck_assert_int_eq(output_flush(&output), 0);
        ck_assert_uint_eq(output.end, 0);
    }
    ck_assert_uint_eq(read_from(0), 100);
}
END_TEST

START_TEST(a_reader_that_goes_is_told)
{
    open_pipe();
    test_output_put(1);
    close(ends[READER]);
    ends[READER] = -1;
    ck_assert_int_eq(output_flush(&output), -1);
    ck_assert_int_eq(output.failed, EPIPE);
    put_many(0, RECORDS);
    ck_assert_uint_eq(output.left_out, 0);
    ck_assert_uint_eq(output_waiting(&output), 0);
    ck_assert_int_eq(output_wait(&output, -1), -1);
}
END_TEST

START_TEST(one_that_was_gone_before_is_told)
{
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[READER]);
    ends[READER] = -1;
    open_output();
    test_output_put(1);
    ck_assert_int_eq(output_flush(&output), -1);
    ck_assert_int_eq(output.failed, EPIPE);
}
END_TEST

/* At the end: not for ever. */
START_TEST(patience_ends)
{
    open_pipe();
    put_many(0, RECORDS);
    ck_assert_int_eq(output_wait(&output, 1), 0);
    ck_assert_uint_gt(output_waiting(&output), 0);
}
END_TEST

Suite *output_suite(void)
{
    Suite *suite = suite_create("output");
    TCase *readers = tcase_create("readers");

    tcase_add_checked_fixture(readers, output_set_up, output_tear_down);
    tcase_add_test(readers, a_pipe_that_stalls_loses_whole_records);
    tcase_add_test(readers, a_pipe_that_must_be_asked_does_not_block);
    tcase_add_test(readers, a_socket_does_not_block);
    tcase_add_test(readers, a_file_takes_all);
    tcase_add_test(readers, what_is_taken_leaves_its_room);
    tcase_add_test(readers, a_reader_that_goes_is_told);
    tcase_add_test(readers, one_that_was_gone_before_is_told);
    tcase_add_test(readers, patience_ends);
    suite_add_tcase(suite, readers);
    return suite;
}
