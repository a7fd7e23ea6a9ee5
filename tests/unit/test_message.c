/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec_stamp_of(): the best time that a message tells, from the kernel and made up. */
#include "common/stamp.h"
#include "pprec/core.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

union control {
    struct cmsghdr align;
    char room[256];
};

/* --- Made up --- */

static const struct __kernel_timespec adapter[3] = {{0, 0}, {0, 0}, {7, 8}};
static const struct __kernel_timespec both[3] = {{5, 6}, {0, 0}, {7, 8}};
static const struct __kernel_timespec software[3] = {{5, 6}, {0, 0}, {0, 0}};
static const struct __kernel_timespec nanoseconds = {5, 4};
static const struct __kernel_sock_timeval microseconds = {5, 9};

struct made {
    int type;
    const void *data;
    size_t bytes;
};

#define NS                                                                                                   \
    {                                                                                                        \
        SO_TIMESTAMPNS_NEW, &nanoseconds, sizeof nanoseconds                                                 \
    }
#define US                                                                                                   \
    {                                                                                                        \
        SO_TIMESTAMP_NEW, &microseconds, sizeof microseconds                                                 \
    }
#define STAMPING(times)                                                                                      \
    {                                                                                                        \
        SO_TIMESTAMPING_NEW, times, sizeof times                                                             \
    }
#define HARD PPREC_CLOCK_ADAPTER, PPREC_TIMESTAMPS_HARDWARE
#define KERNEL PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL

static const struct {
    struct made made[2];
    struct pprec_stamp stamp;
} messages[] = {
    {{NS}, {5000000004, KERNEL}},
    {{US}, {5000009000, KERNEL}},
    {{STAMPING(software)}, {5000000006, KERNEL}},
    {{STAMPING(adapter)}, {7000000008, HARD}},
    {{STAMPING(both)}, {7000000008, HARD}},
    {{NS, US}, {5000000004, KERNEL}}, /* the finer one, in any order */
    {{US, NS}, {5000000004, KERNEL}},
    {{NS, STAMPING(both)}, {7000000008, HARD}},
    {{STAMPING(adapter), NS}, {7000000008, HARD}},
    {{US, STAMPING(software)}, {5000000006, KERNEL}},
};

static struct msghdr message_message_of(union control *control, const struct made *made, size_t count)
{
    struct msghdr message = {.msg_control = control};

    memset(control, 0, sizeof *control);
    for (size_t i = 0; i < count && made[i].bytes > 0; i++) {
        struct cmsghdr *header = (struct cmsghdr *)(control->room + message.msg_controllen);

        header->cmsg_len = CMSG_LEN(made[i].bytes);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = made[i].type;
        memcpy(CMSG_DATA(header), made[i].data, made[i].bytes);
        message.msg_controllen += CMSG_SPACE(made[i].bytes);
    }
    return message;
}

START_TEST(the_best_time_of_a_message)
{
    union control control;
    struct msghdr message = message_message_of(&control, messages[_i].made, 2);
    struct pprec_stamp stamp = pprec_stamp_of(&message);

    ck_assert_int_eq(stamp.ns, messages[_i].stamp.ns);
    ck_assert_uint_eq(stamp.clock, messages[_i].stamp.clock);
    ck_assert_uint_eq(stamp.source, messages[_i].stamp.source);
}
END_TEST

static void assert_by_reading(const struct msghdr *message)
{
    int64_t before_ns = stamp_now_ns(CLOCK_REALTIME);
    struct pprec_stamp stamp = pprec_stamp_of(message);

    ck_assert_int_ge(stamp.ns, before_ns);
    ck_assert_int_le(stamp.ns, stamp_now_ns(CLOCK_REALTIME));
    ck_assert_uint_eq(stamp.clock, PPREC_CLOCK_REALTIME);
    ck_assert_uint_eq(stamp.source, PPREC_TIMESTAMPS_USER);
}

/* Each message as the kernel leaves it where there is no room for the last byte. */
START_TEST(what_was_cut_tells_nothing)
{
    union control control;
    struct msghdr message = message_message_of(&control, messages[_i].made, 1);

    ((struct cmsghdr *)control.room)->cmsg_len--;
    message.msg_controllen--;
    message.msg_flags = MSG_CTRUNC;
    assert_by_reading(&message);
}
END_TEST

/* Another message was cut, the stamp is whole. */
START_TEST(a_whole_stamp_counts_beside_what_was_cut)
{
    union control control;
    struct msghdr message = message_message_of(&control, messages[5].made, 2);

    ((struct cmsghdr *)(control.room + CMSG_SPACE(sizeof nanoseconds)))->cmsg_len--;
    message.msg_controllen--;
    message.msg_flags = MSG_CTRUNC;
    ck_assert_int_eq(pprec_stamp_of(&message).ns, 5000000004);
}
END_TEST

/* --- From the kernel --- */

enum { RX = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE };

static const struct {
    int option, value;
} asked[] = {
    {SO_TIMESTAMP_OLD, 1},   {SO_TIMESTAMP_NEW, 1},     {SO_TIMESTAMPNS_OLD, 1},
    {SO_TIMESTAMPNS_NEW, 1}, {SO_TIMESTAMPING_OLD, RX}, {SO_TIMESTAMPING_NEW, RX},
};

static int open_bound(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    return fd;
}

/* A packet sent to fd and read with room for so many bytes of control data. */
static void message_receive(int fd, struct msghdr *message)
{
    struct loopback sender = loopback_open(fd, 4);

    loopback_send(&sender, "x", 1);
    loopback_wait(fd);
    ck_assert_int_ge(recvmsg(fd, message, 0), 0);
    loopback_close(&sender);
}

/* To the microsecond and a little: the kernel cuts off what is less. */
static void assert_by_kernel(const struct msghdr *message, int64_t before_ns)
{
    struct pprec_stamp stamp = pprec_stamp_of(message);

    ck_assert_int_ge(stamp.ns, before_ns - 1000);
    ck_assert_int_le(stamp.ns, stamp_now_ns(CLOCK_REALTIME));
    ck_assert_uint_eq(stamp.clock, PPREC_CLOCK_REALTIME);
    ck_assert_uint_eq(stamp.source, PPREC_TIMESTAMPS_KERNEL);
}

START_TEST(all_kinds_that_the_kernel_has)
{
    union control control;
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    int64_t before_ns = stamp_now_ns(CLOCK_REALTIME);
    int fd, tries = 10000;

    if (!loopback_has_linux())
        return;
    fd = open_bound();
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, asked[_i].option, &asked[_i].value, sizeof(int)), 0);
    do { /* it begins to a little after it was asked */
        message.msg_controllen = sizeof control;
        message_receive(fd, &message);
    } while (pprec_stamp_of(&message).source != PPREC_TIMESTAMPS_KERNEL && --tries > 0);
    assert_by_kernel(&message, before_ns);
    close(fd);
}
END_TEST

START_TEST(stamps_are_enabled)
{
    union control control;
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    int64_t before_ns = stamp_now_ns(CLOCK_REALTIME);
    int fd, pipes[2];

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_eq(pprec_stamp_enable(pipes[0]), PPREC_EIO);
    close(pipes[0]);
    close(pipes[1]);
    if (!loopback_has_linux())
        return;
    ck_assert_int_eq(pprec_stamp_enable(-1), PPREC_EIO);
    ck_assert_int_eq(errno, EBADF);
    fd = open_bound();
    ck_assert_int_eq(pprec_stamp_enable(fd), PPREC_OK);
    message_receive(fd, &message);
    assert_by_kernel(&message, before_ns);
    message = (struct msghdr){.msg_control = &control, .msg_controllen = CMSG_LEN(8)};
    message_receive(fd, &message);
    ck_assert_int_ne(message.msg_flags & MSG_CTRUNC, 0);
    assert_by_reading(&message);
    close(fd);
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *message_suite(void)
{
    Suite *suite = suite_create("message");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, the_best_time_of_a_message, 0, COUNT(messages));
    tcase_add_loop_test(all, what_was_cut_tells_nothing, 0, COUNT(messages));
    tcase_add_test(all, a_whole_stamp_counts_beside_what_was_cut);
    tcase_add_loop_test(all, all_kinds_that_the_kernel_has, 0, COUNT(asked));
    tcase_add_test(all, stamps_are_enabled);
    suite_add_tcase(suite, all);
    return suite;
}
