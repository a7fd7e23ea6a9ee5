/* SPDX-License-Identifier: BSD-3-Clause */
/* What the service manager hears. */
#include "common/notify.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address;
static int manager = -1;

/* name: its first byte is 0 for the abstract namespace. */
static void notify_listen_as(const char *name, size_t bytes)
{
    address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address.sun_path, name, bytes);
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    ck_assert_int_ge(manager, 0);
    ck_assert_int_eq(bind(manager, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes)),
                     0);
}

static void assert_heard(const char *want)
{
    char text[1024];
    ssize_t bytes = recv(manager, text, sizeof text - 1, 0);

    ck_assert_int_ge(bytes, 0);
    text[bytes] = '\0';
    ck_assert_str_eq(text, want);
}

START_TEST(a_socket_in_the_file_system)
{
    char path[64];

    snprintf(path, sizeof path, "/tmp/pprec-notify-%d", (int)getpid());
    notify_listen_as(path, strlen(path));
    setenv("NOTIFY_SOCKET", path, 1);
    ck_assert(notify_wanted());
    notify_send("READY=1");
    assert_heard("READY=1");
    notify_send("WATCHDOG=1\nSTATUS=%d trains", 7);
    assert_heard("WATCHDOG=1\nSTATUS=7 trains");
    unlink(path);
    notify_send("the manager is being started anew, which is no harm");
    close(manager);
}
END_TEST

START_TEST(a_socket_in_the_abstract_namespace)
{
    char name[64];

    snprintf(name, sizeof name, "@pprec-notify-%d", (int)getpid());
    setenv("NOTIFY_SOCKET", name, 1);
    name[0] = '\0';
    notify_listen_as(name, 1 + strlen(name + 1));
    notify_send("STOPPING=1");
    assert_heard("STOPPING=1");
    close(manager);
}
END_TEST

START_TEST(nobody_listens)
{
    char long_name[300] = "/";

    unsetenv("NOTIFY_SOCKET");
    ck_assert(!notify_wanted());
    notify_send("READY=1");
    memset(long_name + 1, 'x', sizeof long_name - 2);
    setenv("NOTIFY_SOCKET", long_name, 1);
    notify_send("READY=1");
    setenv("NOTIFY_SOCKET", "neither a path nor abstract", 1);
    notify_send("READY=1");
}
END_TEST

static int64_t watchdog(const char *us, const char *pid)
{
    unsetenv("WATCHDOG_PID");
    setenv("WATCHDOG_USEC", us, 1);
    if (pid != NULL)
        setenv("WATCHDOG_PID", pid, 1);
    return notify_watchdog_ns();
}

START_TEST(half_of_the_watchdogs_time)
{
    char own[16];

    snprintf(own, sizeof own, "%d", (int)getpid());
    unsetenv("WATCHDOG_USEC");
    ck_assert_int_eq(notify_watchdog_ns(), 0);
    ck_assert_int_eq(watchdog("30000000", NULL), INT64_C(15000000000));
    ck_assert_int_eq(watchdog("30000000", own), INT64_C(15000000000));
    ck_assert_int_eq(watchdog("30000000", "1"), 0); /* meant for another process */
    ck_assert_int_eq(watchdog("0", NULL), 0);
    ck_assert_int_eq(watchdog("-5", NULL), 0);
    ck_assert_int_eq(watchdog("soon", NULL), 0);
    ck_assert_int_eq(watchdog("9999999999999999999", NULL), 0);
}
END_TEST

Suite *notify_suite(void)
{
    Suite *suite = suite_create("notify");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_socket_in_the_file_system);
    tcase_add_test(all, a_socket_in_the_abstract_namespace);
    tcase_add_test(all, nobody_listens);
    tcase_add_test(all, half_of_the_watchdogs_time);
    suite_add_tcase(suite, all);
    return suite;
}
