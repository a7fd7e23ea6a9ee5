/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter of system calls: what it keeps out, and what it lets by. In processes of their own. */
#include "pprec/cmd/confine.h"
#include "tests/unit/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 77 };

/* The wait status of a process that calls it, confined. */
static int confined(int how, int (*call)(void))
{
    static const struct rlimit no_core = {0, 0};
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        _exit(confine(how, false, NULL) < 0 ? CANNOT : call());
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* This build or this kernel may have no filters, as an emulated one. */
static bool possible(void)
{
    struct error error = {.text = ""};
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(confine(CONFINE_KILL, false, &error) < 0);
    waitpid(child, &status, 0);
    if (status == 0)
        return true;
    printf("SKIP confine: no filter of system calls here\n");
    return false;
}

/* --- Each returns 0 if the call was refused as one that there is not --- */

static int run_a_program(void)
{
    execl("/bin/true", "true", (char *)NULL);
    return errno != ENOSYS;
}

static int fork_another(void)
{
    return fork() >= 0 || errno != ENOSYS;
}

/* Through socketcall() the filter does not see what it is. */
static int open_raw_socket(void)
{
    return socket(AF_PACKET, SOCK_RAW, 0) >= 0 || errno != ENOSYS;
}

static int make_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        != MAP_FAILED
        || errno != ENOSYS;
}

static int kill_the_parent(void)
{
    return kill(getppid(), 0) == 0 || errno != ENOSYS;
}

static int become_root(void)
{
    return setuid(0) == 0 || errno != ENOSYS;
}

static int (*const refused[])(void) = {
    run_a_program,   fork_another, make_code, kill_the_parent, become_root,
#if !defined __i386__ && !defined __s390__
    open_raw_socket,
#endif
};

enum { REFUSED = sizeof refused / sizeof refused[0] };

/* 0: all went well */
static int confine_work(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    void *room = malloc(1 << 22);

    if (fd < 0 || room == NULL || write(fd, "x", 1) != 1 || raise(0) != 0)
        return 1;
    free(room);
    return socket(AF_NETLINK, SOCK_RAW, 0) < 0 || socket(AF_INET6, SOCK_DGRAM, 0) < 0
        || socket(AF_UNIX, SOCK_DGRAM, 0) < 0;
}

START_TEST(other_calls_fail)
{
    if (possible())
        ck_assert_int_eq(confined(CONFINE_AUTO, refused[_i]), 0);
}
END_TEST

START_TEST(other_calls_end_it)
{
    int status;

    if (!possible())
        return;
    status = confined(CONFINE_KILL, refused[_i]);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGSYS);
}
END_TEST

START_TEST(its_own_calls_work)
{
    if (possible())
        ck_assert_int_eq(confined(CONFINE_KILL, confine_work), 0);
}
END_TEST

START_TEST(off_is_off)
{
    ck_assert_int_eq(confined(CONFINE_OFF, open_raw_socket) == 0, 0);
}
END_TEST

Suite *confine_suite(void)
{
    Suite *suite = suite_create("confine");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, other_calls_fail, 0, REFUSED);
    tcase_add_loop_test(all, other_calls_end_it, 0, REFUSED);
    tcase_add_test(all, its_own_calls_work);
    tcase_add_test(all, off_is_off);
    suite_add_tcase(suite, all);
    return suite;
}
