/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"
#include "common/address.h"

#include <check.h>
#include <string.h>

/* Numeric hosts only: these tests ask no name server. */
static const struct {
    const char *host;
    int family;
    const char *text;
    enum layer_ip ip;
    bool multicast;
} good[] = {
    {"192.0.2.1", AF_UNSPEC, "192.0.2.1:5000", LAYER_IPV4, false},
    {"192.0.2.1", AF_INET, "192.0.2.1:5000", LAYER_IPV4, false},
    {"2001:db8::1", AF_UNSPEC, "[2001:db8::1]:5000", LAYER_IPV6, false},
    {"::1", AF_INET6, "[::1]:5000", LAYER_IPV6, false},
    {"fe80::1%lo", AF_UNSPEC, "[fe80::1%lo]:5000", LAYER_IPV6, false},
    {"::ffff:192.0.2.1", AF_UNSPEC, "192.0.2.1:5000", LAYER_IPV4, false},
    {"239.1.2.3", AF_UNSPEC, "239.1.2.3:5000", LAYER_IPV4, true},
    {"ff3e::1234", AF_UNSPEC, "[ff3e::1234]:5000", LAYER_IPV6, true},
};

START_TEST(test_address_is_resolved)
{
    struct address address;
    struct error error = {""};
    char text[ADDRESS_TEXT_BYTES];

    ck_assert_int_eq(address_resolve(&address, good[_i].host, 5000, good[_i].family, &error), 0);
    ck_assert_str_eq(address_text(&address, text), good[_i].text);
    ck_assert_int_eq(address_ip(&address), good[_i].ip);
    ck_assert_int_eq(address_is_multicast(&address), good[_i].multicast);
    ck_assert_uint_eq(address_port(&address), 5000);
    ck_assert_str_eq(error.text, "");
}
END_TEST

static const struct {
    const char *text;
    const char *same; /* NULL: refused */
} numbers[] = {
    {"192.0.2.1", "192.0.2.1:0"},
    {"192.0.2.1:5000", "192.0.2.1:5000"},
    {"2001:db8::1", "[2001:db8::1]:0"},
    {"[2001:db8::1]", "[2001:db8::1]:0"},
    {"[2001:db8::1]:65535", "[2001:db8::1]:65535"},
    {"::ffff:192.0.2.1", "192.0.2.1:0"},
    {"", NULL},
    {":", NULL},
    {":5000", NULL},
    {"192.0.2.1:", NULL},
    {"192.0.2.1:0", NULL},
    {"192.0.2.1:65536", NULL},
    {"192.0.2.1:5000x", NULL},
    {"192.0.2.1:-1", NULL},
    {"192.0.2", NULL},
    {"192.0.2.1x", NULL},
    {"[2001:db8::1", NULL},
    {"[2001:db8::1]x", NULL},
    {"[]:5", NULL},
    {"2001:db8::1]:5000", NULL},
    {"localhost", NULL},
    {"localhost:5000", NULL},
    {"fe80::1%lo", NULL},
    {"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000", NULL},
};

START_TEST(test_numbers_are_read)
{
    struct address address;
    struct error error = {""};
    char text[ADDRESS_TEXT_BYTES];

    if (numbers[_i].same == NULL) {
        ck_assert_int_eq(address_parse(&address, numbers[_i].text, &error), -1);
        ck_assert_ptr_nonnull(strstr(error.text, "want an address"));
        return;
    }
    ck_assert_int_eq(address_parse(&address, numbers[_i].text, &error), 0);
    ck_assert_str_eq(address_text(&address, text), numbers[_i].same);
}
END_TEST

static const struct {
    const char *where, *host; /* NULL: refused */
    unsigned port;
} wheres[] = {
    {"127.0.0.1:9740", "127.0.0.1", 9740},
    {"[::1]:1", "::1", 1},
    {"a.host:65535", "a.host", 65535},
    {"[a.host]:80", "a.host", 80},
    {"", NULL, 0},
    {":", NULL, 0},
    {":80", NULL, 0},
    {"[]:80", NULL, 0},
    {"::1:80", NULL, 0},
    {"[::1]80", NULL, 0},
    {"[::1]:", NULL, 0},
    {"[::1]", NULL, 0},
    {"[::1", NULL, 0},
    {"host", NULL, 0},
    {"host:", NULL, 0},
    {"host:0", NULL, 0},
    {"host:65536", NULL, 0},
    {"host:4294967376", NULL, 0},
    {"host:+80", NULL, 0},
    {"host:-1", NULL, 0},
    {"host: 80", NULL, 0},
    {"host:80 ", NULL, 0},
    {"host:8o", NULL, 0},
    {"a-host-of-a-name-that-is-longer-than-there-is-room-for-in-a-line-of-ours:80", NULL, 0},
};

START_TEST(test_host_and_port_are_split)
{
    char host[ADDRESS_HOST_BYTES];
    uint16_t port = 0;

    ck_assert_int_eq(address_split(wheres[_i].where, host, &port), wheres[_i].host != NULL ? 0 : -1);
    ck_assert_uint_eq(port, wheres[_i].port);
    if (wheres[_i].host != NULL)
        ck_assert_str_eq(host, wheres[_i].host);
}
END_TEST

START_TEST(test_wrong_family_is_named)
{
    struct address address;
    struct error error = {""};

    ck_assert_int_eq(address_resolve(&address, "::1", 1, AF_INET, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "host '::1': no IPv4 address found"));
    ck_assert_int_eq(address_resolve(&address, "127.0.0.1", 1, AF_INET6, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "host '127.0.0.1': no IPv6 address found"));
}
END_TEST

START_TEST(test_port_can_be_changed)
{
    struct address address;

    ck_assert_int_eq(address_resolve(&address, "::1", 1, AF_UNSPEC, NULL), 0);
    address_set_port(&address, 65535);
    ck_assert_uint_eq(address_port(&address), 65535);
}
END_TEST

Suite *address_suite(void)
{
    Suite *suite = suite_create("address");
    TCase *tests = tcase_create("address");

    tcase_add_loop_test(tests, test_address_is_resolved, 0, sizeof good / sizeof good[0]);
    tcase_add_loop_test(tests, test_numbers_are_read, 0, sizeof numbers / sizeof numbers[0]);
    tcase_add_loop_test(tests, test_host_and_port_are_split, 0, sizeof wheres / sizeof wheres[0]);
    tcase_add_test(tests, test_wrong_family_is_named);
    tcase_add_test(tests, test_port_can_be_changed);
    suite_add_tcase(suite, tests);
    return suite;
}
