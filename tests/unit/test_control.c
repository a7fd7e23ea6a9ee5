/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's stamps in control messages of both kinds, made up and from the kernel. */
#include "common/control.h"
#include "common/stamp.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <linux/net_tstamp.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

union message {
    struct cmsghdr header;
    char room[CMSG_SPACE(3 * sizeof(struct __kernel_timespec))];
};

static void control_make(union message *message, int type, const void *data, size_t bytes)
{
    message->header =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(bytes), .cmsg_level = SOL_SOCKET, .cmsg_type = type};
    memcpy(CMSG_DATA(&message->header), data, bytes);
}

static void make_ip(union message *message, int level, int type, const void *data, size_t bytes)
{
    control_make(message, type, data, bytes);
    message->header.cmsg_level = level;
}

static const struct __kernel_old_timespec old_times[] = {{5, 6}, {0, 0}, {7, 8}};
static const struct __kernel_timespec new_times[] = {{INT64_C(4500000000), 6}, {0, 0}, {7, 8}};

START_TEST(one_time)
{
    union message message;
    int64_t ns = -1;

    control_make(&message, SO_TIMESTAMPNS_OLD, old_times, sizeof old_times[0]);
    ck_assert(control_stamp(&message.header, &ns));
    ck_assert_int_eq(ns, INT64_C(5000000006));
    control_make(&message, SO_TIMESTAMPNS_NEW, new_times, sizeof new_times[0]);
    ck_assert(control_stamp(&message.header, &ns));
    ck_assert_int_eq(ns, INT64_C(4500000000000000006)); /* in 2112 */
    ck_assert(!control_stamping(&message.header, CONTROL_SOFTWARE, &ns));
}
END_TEST

static const struct __kernel_old_timeval old_time[2] = {{5, 6}};
static const struct __kernel_sock_timeval new_time = {INT64_C(4500000000), 6};

START_TEST(microseconds)
{
    union message message;
    int64_t ns = -1;

    control_make(&message, SO_TIMESTAMP_OLD, old_time, sizeof old_time[0]);
    ck_assert(control_stamp_us(&message.header, &ns));
    ck_assert_int_eq(ns, INT64_C(5000006000));
    control_make(&message, SO_TIMESTAMP_NEW, &new_time, sizeof new_time);
    ck_assert(control_stamp_us(&message.header, &ns));
    ck_assert_int_eq(ns, INT64_C(4500000000000006000));
    ck_assert(!control_stamp(&message.header, &ns));
    control_make(&message, SO_TIMESTAMP_NEW, &new_time, sizeof new_time - 1);
    ck_assert(!control_stamp_us(&message.header, &ns));
    control_make(&message, SO_TIMESTAMP_OLD, old_time, sizeof old_time[0] + 8);
    ck_assert(!control_stamp_us(&message.header, &ns));
    control_make(&message, SO_TIMESTAMP_NEW, &(struct __kernel_sock_timeval){0, 0}, sizeof new_time);
    ck_assert(!control_stamp_us(&message.header, &ns));
    control_make(&message, SO_TIMESTAMPNS_NEW, new_times, sizeof new_times[0]);
    ck_assert(!control_stamp_us(&message.header, &ns));
    make_ip(&message, IPPROTO_IP, SO_TIMESTAMP_NEW, &new_time, sizeof new_time);
    ck_assert(!control_stamp_us(&message.header, &ns));
}
END_TEST

START_TEST(three_times)
{
    union message message;
    int64_t ns = -1;

    control_make(&message, SO_TIMESTAMPING_OLD, old_times, sizeof old_times);
    ck_assert(control_stamping(&message.header, CONTROL_SOFTWARE, &ns));
    ck_assert_int_eq(ns, INT64_C(5000000006));
    control_make(&message, SO_TIMESTAMPING_NEW, new_times, sizeof new_times);
    ck_assert(control_stamping(&message.header, CONTROL_SOFTWARE, &ns));
    ck_assert_int_eq(ns, INT64_C(4500000000000000006));
    ck_assert(control_stamping(&message.header, CONTROL_HARDWARE, &ns));
    ck_assert_int_eq(ns, INT64_C(7000000008));
    ck_assert(!control_stamp(&message.header, &ns));
}
END_TEST

START_TEST(destinations)
{
    static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 192, 0, 2, 9};
    struct in_pktinfo ipv4 = {.ipi_spec_dst.s_addr = 1};
    struct in6_pktinfo ipv6 = {.ipi6_addr = {.s6_addr = {0x20, 1, [15] = 9}}};
    union message message;
    struct in6_addr to = in6addr_any;

    memcpy(&ipv4.ipi_addr, mapped + 12, 4);
    make_ip(&message, IPPROTO_IP, IP_PKTINFO, &ipv4, sizeof ipv4);
    ck_assert(control_destination(&message.header, &to));
    ck_assert_mem_eq(&to, mapped, sizeof mapped);
    make_ip(&message, IPPROTO_IPV6, IPV6_PKTINFO, &ipv6, sizeof ipv6);
    ck_assert(control_destination(&message.header, &to));
    ck_assert_mem_eq(&to, &ipv6.ipi6_addr, sizeof to);
}
END_TEST

START_TEST(what_is_no_destination)
{
    static const uint8_t zeros[64];
    union message message;
    struct in6_addr to = in6addr_loopback;

    make_ip(&message, IPPROTO_IP, IP_PKTINFO, zeros, sizeof(struct in_pktinfo) - 1);
    ck_assert(!control_destination(&message.header, &to));
    make_ip(&message, IPPROTO_IPV6, IPV6_PKTINFO, zeros, sizeof(struct in6_pktinfo) - 1);
    ck_assert(!control_destination(&message.header, &to));
    make_ip(&message, IPPROTO_IPV6, IP_PKTINFO, zeros, sizeof(struct in_pktinfo));
    ck_assert(!control_destination(&message.header, &to));
    control_make(&message, IPV6_PKTINFO, zeros, sizeof(struct in6_pktinfo));
    ck_assert(!control_destination(&message.header, &to));
    ck_assert_mem_eq(&to, &in6addr_loopback, sizeof to);
}
END_TEST

START_TEST(hop_limits)
{
    union message message;
    uint8_t hops = 7;

    make_ip(&message, IPPROTO_IP, IP_TTL, &(int){64}, sizeof(int));
    ck_assert(control_hops(&message.header, &hops));
    ck_assert_uint_eq(hops, 64);
    make_ip(&message, IPPROTO_IPV6, IPV6_HOPLIMIT, &(int){255}, sizeof(int));
    ck_assert(control_hops(&message.header, &hops));
    ck_assert_uint_eq(hops, 255);
    make_ip(&message, IPPROTO_IPV6, IPV6_HOPLIMIT, &(int){256}, sizeof(int));
    ck_assert(!control_hops(&message.header, &hops));
    make_ip(&message, IPPROTO_IPV6, IPV6_HOPLIMIT, &(int){-1}, sizeof(int));
    ck_assert(!control_hops(&message.header, &hops));
    make_ip(&message, IPPROTO_IP, IP_TTL, &(int){64}, 1);
    ck_assert(!control_hops(&message.header, &hops));
    control_make(&message, IP_TTL, &(int){64}, sizeof(int));
    ck_assert(!control_hops(&message.header, &hops));
    ck_assert_uint_eq(hops, 255);
}
END_TEST

START_TEST(what_is_no_time)
{
    struct __kernel_timespec none[3] = {{0, 0}};
    union message message;
    int64_t ns = -1;

    control_make(&message, SO_TIMESTAMPNS_NEW, none, sizeof none[0]);
    ck_assert(!control_stamp(&message.header, &ns));
    control_make(&message, SO_TIMESTAMPING_NEW, none, sizeof none);
    ck_assert(!control_stamping(&message.header, CONTROL_SOFTWARE, &ns));
    control_make(&message, SO_TIMESTAMPNS_NEW, new_times, sizeof new_times[0] - 1);
    ck_assert(!control_stamp(&message.header, &ns));
    control_make(&message, SO_TIMESTAMPING_NEW, new_times, sizeof new_times[0]);
    ck_assert(!control_stamping(&message.header, CONTROL_SOFTWARE, &ns));
    control_make(&message, SO_TIMESTAMPNS_NEW, new_times, sizeof new_times[0]);
    message.header.cmsg_level = IPPROTO_IP;
    ck_assert(!control_stamp(&message.header, &ns));
    ck_assert_int_eq(ns, -1);
}
END_TEST

START_TEST(what_no_clock_shows)
{
    static const struct __kernel_timespec wild[] = {{INT64_C(4611686018), 0},
                                                    {INT64_C(-4611686018), 0},
                                                    {INT64_MAX, 0},
                                                    {INT64_MIN, 0},
                                                    {5, -1},
                                                    {5, 1000000000},
                                                    {5, INT64_MAX},
                                                    {0, INT64_MIN}};
    union message message;
    int64_t ns = -1;

    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        control_make(&message, SO_TIMESTAMPNS_NEW, &wild[i], sizeof wild[i]);
        ck_assert(!control_stamp(&message.header, &ns));
        ck_assert_int_eq(ns, -1);
    }
}
END_TEST

/* --- Asked of the kernel, whatever time_t is here --- */

enum { STAMPING = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE };

static const struct {
    int option, value;
} asked[] = {
    {SO_TIMESTAMPNS_OLD, 1},
    {SO_TIMESTAMPNS_NEW, 1},
    {SO_TIMESTAMPING_OLD, STAMPING},
    {SO_TIMESTAMPING_NEW, STAMPING},
};

static bool stamp_of(struct msghdr *message, int64_t *ns)
{
    for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control != NULL;
         control = CMSG_NXTHDR(message, control))
        if (control_stamp(control, ns) || control_stamping(control, CONTROL_SOFTWARE, ns))
            return true;
    return false;
}

START_TEST(the_kernel_is_understood)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    int fd, tries = 10000;
    int64_t before_ns = stamp_now_ns(CLOCK_REALTIME), ns = 0;
    union {
        struct cmsghdr align;
        char room[256];
    } control;
    struct msghdr message = {.msg_control = &control};
    struct loopback sender;

    if (!loopback_has_linux())
        return;
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, asked[_i].option, &asked[_i].value, sizeof(int)), 0);
    sender = loopback_open(fd, 4);
    do { /* the kernel begins to stamp a little after it was asked to */
        message.msg_controllen = sizeof control;
        loopback_send(&sender, "hello", 5);
        loopback_wait(fd);
        ck_assert_int_eq(recvmsg(fd, &message, MSG_TRUNC), 5);
    } while (!stamp_of(&message, &ns) && --tries > 0);
    ck_assert_int_gt(tries, 0);
    ck_assert_int_ge(ns, before_ns);
    ck_assert_int_le(ns, stamp_now_ns(CLOCK_REALTIME));
    loopback_close(&sender);
    close(fd);
}
END_TEST

Suite *control_suite(void)
{
    Suite *suite = suite_create("control");
    TCase *made_up = tcase_create("made up");
    TCase *kernel = tcase_create("kernel");

    tcase_add_test(made_up, one_time);
    tcase_add_test(made_up, microseconds);
    tcase_add_test(made_up, three_times);
    tcase_add_test(made_up, destinations);
    tcase_add_test(made_up, what_is_no_destination);
    tcase_add_test(made_up, hop_limits);
    tcase_add_test(made_up, what_is_no_time);
    tcase_add_test(made_up, what_no_clock_shows);
    tcase_add_loop_test(kernel, the_kernel_is_understood, 0, sizeof asked / sizeof asked[0]);
    suite_add_tcase(suite, made_up);
    suite_add_tcase(suite, kernel);
    return suite;
}
