/* SPDX-License-Identifier: BSD-3-Clause */
/* Multicast groups of a handle, on the loopback interface. What needs a network of
 * several hosts is in the lab. */
#include "pprec/pprec.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <string.h>

static struct pprec *pprec;

static void group_set_up(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
}

static void group_tear_down(void)
{
    pprec_free(pprec);
}

/* Port 0: the system chooses. */
static void listen_with(int ip)
{
    struct pprec_socket_options options;

    pprec_socket_options_init(&options);
    options.ip = ip;
    options.share_port = 1;
    ck_assert_int_eq(pprec_listen(pprec, &options), PPREC_OK);
}

static const char *const no_groups[] = {
    NULL,
    "",
    "@",
    "10.0.0.1",
    "fd00::1",
    "localhost",
    "239.1.1.1 ",
    "239.1.1.1@",
    "239.1.1.1@239.1.1.2",
    "239.1.1.1@fd00::1",
    "ff3e::1@10.0.0.1",
    "ff3e::1@host",
    "@10.0.0.1",
    "239.1.1.1@10.0.0.1@10.0.0.2",
    "ff3e:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001%interface",
};

START_TEST(what_is_no_group_is_refused)
{
    listen_with(0);
    ck_assert_int_eq(pprec_join(pprec, no_groups[_i], "lo"), PPREC_EINVAL);
    ck_assert_str_ne(pprec_error(pprec), "");
    ck_assert_int_eq(pprec_leave(pprec, no_groups[_i], "lo"), PPREC_EINVAL);
}
END_TEST

static const char *const groups[] = {"239.1.1.1", "232.1.1.1@127.0.0.1", "ff3e::1", "ff3e::1@::1"};

START_TEST(a_group_is_joined_and_left)
{
    if (!loopback_has_linux())
        return;
    listen_with(0);
    ck_assert_int_eq(pprec_leave(pprec, groups[_i], "lo"), PPREC_EINVAL);
    ck_assert_int_eq(pprec_join(pprec, groups[_i], "lo"), PPREC_OK);
    ck_assert_int_eq(pprec_join(pprec, groups[_i], "lo"), PPREC_OK); /* it stays */
    ck_assert_int_eq(pprec_leave(pprec, groups[_i], "lo"), PPREC_OK);
    ck_assert_int_eq(pprec_leave(pprec, groups[_i], "lo"), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "not joined"));
    ck_assert_int_eq(pprec_join(pprec, groups[_i], "lo"), PPREC_OK);
}
END_TEST

START_TEST(groups_want_a_socket)
{
    ck_assert_int_eq(pprec_join(pprec, "239.1.1.1", "lo"), PPREC_EINVAL);
    ck_assert_int_eq(pprec_leave(pprec, "239.1.1.1", "lo"), PPREC_EINVAL);
}
END_TEST

START_TEST(groups_want_an_interface_that_is_there)
{
    listen_with(0);
    ck_assert_int_eq(pprec_join(pprec, "239.1.1.1", "nosuchif"), PPREC_EIO);
    ck_assert_int_eq(pprec_join(pprec, "239.1.1.1", "interface-of-a-long-name"), PPREC_EINVAL);
}
END_TEST

START_TEST(an_ipv4_socket_takes_no_ipv6_group)
{
    if (!loopback_has_linux())
        return;
    listen_with(4);
    ck_assert_int_eq(pprec_join(pprec, "ff3e::1", "lo"), PPREC_EIO);
    ck_assert_int_eq(pprec_join(pprec, "239.1.1.1", "lo"), PPREC_OK);
}
END_TEST

Suite *group_suite(void)
{
    Suite *suite = suite_create("group");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, group_set_up, group_tear_down);
    tcase_add_loop_test(all, what_is_no_group_is_refused, 0, sizeof no_groups / sizeof no_groups[0]);
    tcase_add_loop_test(all, a_group_is_joined_and_left, 0, sizeof groups / sizeof groups[0]);
    tcase_add_test(all, groups_want_a_socket);
    tcase_add_test(all, groups_want_an_interface_that_is_there);
    tcase_add_test(all, an_ipv4_socket_takes_no_ipv6_group);
    suite_add_tcase(suite, all);
    return suite;
}
