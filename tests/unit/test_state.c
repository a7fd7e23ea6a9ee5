/* SPDX-License-Identifier: BSD-3-Clause */
/* The state file: whole or not there, whatever becomes of the disk. */
#include "common/auth.h"
#include "pprec/cmd/state.h"
#include "tests/unit/suites.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];
static char path[96];
static char new_path[104];
static struct pprec *pprec;
static struct state state;
static struct error error;

static void state_start(void)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {7};
    struct pprec_config config;

    pprec_config_init(&config);
    config.key = key;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
}

static void state_set_up(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%.40s/pprec-state-XXXXXX", base != NULL ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/state", directory);
    snprintf(new_path, sizeof new_path, "%s.new", path);
    error.text[0] = '\0';
    state_start();
}

static void state_tear_down(void)
{
    pprec_free(pprec);
    free(state.written);
    state.written = NULL;
    unlink(path);
    unlink(new_path);
    rmdir(path);
    rmdir(directory);
}

static void state_restart(void)
{
    pprec_free(pprec);
    state_start();
}

static void open_state(void)
{
    ck_assert_msg(state_open(&state, pprec, path, &error) == 0, "%s", error.text);
}

/* A probe of a stream of its own, now, to anywhere. */
static int state_push(uint32_t stream)
{
    static const struct auth_key key = {{7}};
    static const struct pprec_endpoint here = {.port = 1, .ip = 4};
    struct pprec_stamp received = {stamp_now_ns(CLOCK_REALTIME), PPREC_CLOCK_REALTIME,
                                   PPREC_TIMESTAMPS_KERNEL};
    struct wire_probe probe = {
        .length_log2 = 1, .flags = WIRE_TIME | WIRE_AUTH, .stream = stream, .sent_ns = (uint64_t)received.ns};
    uint8_t data[WIRE_MOST_BYTES];
    struct auth_destination to;
    size_t bytes = wire_encode(&probe, data, sizeof data);

    auth_set_destination(&to, 4, here.address, here.port);
    auth_tag(&key, &to, data, probe.flags);
    return pprec_push_datagram(pprec, &here, &here, data, bytes, 1000, received);
}

static off_t file_bytes(void)
{
    struct stat about;

    return stat(path, &about) == 0 ? about.st_size : -1;
}

START_TEST(a_file_is_made_at_once_and_kept)
{
    struct stat about;

    open_state();
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_uint_eq(about.st_mode & 0777, 0600);
    ck_assert_int_eq(about.st_size, 56);
    ck_assert_int_eq(state_push(1), PPREC_OK);
    state_close(&state);
    ck_assert_int_eq(file_bytes(), 56 + 144);
    ck_assert_int_ne(access(new_path, F_OK), 0);
    state_restart();
    open_state();
    ck_assert_int_eq(state_push(1), PPREC_EREFUSED);
    ck_assert_int_eq(state_push(2), PPREC_OK);
}
END_TEST

/* No write without a change: another file is another inode. */
START_TEST(what_has_not_changed_is_not_written)
{
    struct stat before, after;

    open_state();
    ck_assert_int_eq(stat(path, &before), 0);
    state_keep(&state);
    ck_assert_int_eq(stat(path, &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(state_push(1), PPREC_OK);
    state_keep(&state);
    ck_assert_int_eq(file_bytes(), 56 + 144);
}
END_TEST

static void state_assert_refused(const char *why)
{
    ck_assert_int_eq(state_open(&state, pprec, path, &error), -1);
    ck_assert_msg(strstr(error.text, why) != NULL, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_ptr_null(strchr(error.text, '\n'));
}

static void state_write_file(const char *name, size_t bytes)
{
    FILE *file = fopen(name, "w");

    ck_assert_ptr_nonnull(file);
    while (bytes-- > 0)
        fputc('P', file);
    fclose(file);
}

/* And left as it is. */
START_TEST(a_damaged_file_is_refused)
{
    static const size_t lengths[] = {0, 56, 149999, 200000};

    state_write_file(path, lengths[_i]);
    state_assert_refused("damaged, or of another key");
    ck_assert_int_eq(file_bytes(), (off_t)lengths[_i]);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    state_assert_refused("want a regular file");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    state_assert_refused("want a regular file");
    ck_assert_int_eq(rmdir(path), 0);
    snprintf(path, sizeof path, "%s/none/state", directory);
    state_assert_refused("No such file");
}
END_TEST

/* The new file is not whole: the old one stays, and no half of the new one. */
START_TEST(a_full_disk_leaves_the_old_file)
{
    struct rlimit limit = {100, RLIM_INFINITY}, before;

    open_state();
    ck_assert_int_eq(state_push(1), PPREC_OK);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit.rlim_max = before.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(state_save(&state, &error), -1);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "File too large"));
    ck_assert_int_eq(file_bytes(), 56);
    ck_assert_int_ne(access(new_path, F_OK), 0);
    ck_assert_int_eq(state_save(&state, &error), 0);
    ck_assert_int_eq(file_bytes(), 56 + 144);
}
END_TEST

/* --- Where others may write, what they put at the new file's place --- */

static void save_again(void)
{
    ck_assert_int_eq(state_push(1), PPREC_OK);
    ck_assert_msg(state_save(&state, &error) == 0, "%s", error.text);
    ck_assert_int_eq(file_bytes(), 56 + 144);
    ck_assert_int_ne(access(new_path, F_OK), 0);
}

/* Neither a symbolic link nor a hard one. */
START_TEST(a_link_is_not_followed)
{
    char target[104];
    struct stat about;

    snprintf(target, sizeof target, "%s/target", directory);
    open_state();
    state_write_file(target, 7);
    ck_assert_int_eq((_i == 0 ? symlink : link)(target, new_path), 0);
    save_again();
    ck_assert_int_eq(stat(target, &about), 0);
    ck_assert_int_eq(about.st_size, 7);
    ck_assert_int_eq(unlink(target), 0);
}
END_TEST

/* Which nobody reads. */
START_TEST(a_fifo_is_not_waited_for)
{
    open_state();
    ck_assert_int_eq(mkfifo(new_path, 0600), 0);
    save_again();
}
END_TEST

Suite *state_suite(void)
{
    Suite *suite = suite_create("state");
    TCase *tests = tcase_create("state");

    suite_add_tcase(suite, tests);
    if (auth_init(NULL) != 0) {
        fputs("SKIPPED: state: " AUTH_MISSING "\n", stderr);
        return suite;
    }
    tcase_add_checked_fixture(tests, state_set_up, state_tear_down);
    tcase_add_test(tests, a_file_is_made_at_once_and_kept);
    tcase_add_test(tests, what_has_not_changed_is_not_written);
    tcase_add_loop_test(tests, a_damaged_file_is_refused, 0, 4);
    tcase_add_test(tests, what_is_no_file_is_refused);
    tcase_add_test(tests, a_full_disk_leaves_the_old_file);
    tcase_add_loop_test(tests, a_link_is_not_followed, 0, 2);
    tcase_add_test(tests, a_fifo_is_not_waited_for);
    return suite;
}
