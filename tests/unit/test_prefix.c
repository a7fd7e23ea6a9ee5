/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/prefix.h"
#include "tests/unit/suites.h"

#include <arpa/inet.h>
#include <string.h>

/* As receive_get() tells sources. */
static struct in6_addr prefix_address_of(const char *text)
{
    struct in6_addr address;
    char mapped[64] = "::ffff:";

    if (strchr(text, ':') == NULL)
        text = strcat(mapped, text);
    ck_assert_int_eq(inet_pton(AF_INET6, text, &address), 1);
    return address;
}

static const struct {
    const char *prefix, *address;
    bool has;
} cases[] = {
    {"192.0.2.0/24", "192.0.2.0", true},
    {"192.0.2.0/24", "192.0.2.255", true},
    {"192.0.2.0/24", "192.0.3.0", false},
    {"192.0.2.0/24", "192.0.1.255", false},
    {"192.0.2.64/26", "192.0.2.127", true},
    {"192.0.2.64/26", "192.0.2.128", false},
    {"192.0.2.64/26", "192.0.2.63", false},
    {"192.0.2.7", "192.0.2.7", true},
    {"192.0.2.7", "192.0.2.6", false},
    {"192.0.2.7/32", "192.0.2.7", true},
    {"192.0.2.6/31", "192.0.2.7", true},
    {"192.0.2.6/31", "192.0.2.8", false},
    {"128.0.0.0/1", "255.1.2.3", true},
    {"128.0.0.0/1", "127.1.2.3", false},
    {"0.0.0.0/0", "203.0.113.9", true},
    {"0.0.0.0/0", "2001:db8::1", false},
    {"0.0.0.0/0", "::", false},
    {"::ffff:192.0.2.0/120", "192.0.2.9", true},
    {"::ffff:192.0.2.0/120", "192.0.3.9", false},
    {"::/0", "2001:db8::1", true},
    {"::/0", "192.0.2.1", false},
    {"::/95", "192.0.2.1", false},
    {"2001:db8::/32", "2001:db8:ffff::1", true},
    {"2001:db8::/32", "2001:db9::1", false},
    {"2001:db8:8000::/33", "2001:db8:8000::1", true},
    {"2001:db8:8000::/33", "2001:db8:7fff::1", false},
    {"2001:db8::1", "2001:db8::1", true},
    {"2001:db8::1", "2001:db8::2", false},
    {"2001:db8::1/128", "2001:db8::1", true},
};

START_TEST(prefixes_have_what_begins_like_them)
{
    struct in6_addr address = prefix_address_of(cases[_i].address);
    struct prefix prefix;

    ck_assert_int_eq(prefix_parse(&prefix, cases[_i].prefix, NULL), 0);
    ck_assert_msg(prefix_has(&prefix, &address) == cases[_i].has, "%s %s", cases[_i].prefix,
                  cases[_i].address);
}
END_TEST

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "want an address"},
    {"/24", "want an address"},
    {"localhost", "want an address"},
    {"192.0.2", "want an address"},
    {"192.0.2.1.5", "want an address"},
    {"fe80::1%lo", "want an address"},
    {"2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0001/64", "want an address"},
    {"192.0.2.0/", "want 0 to 32 bits"},
    {"192.0.2.0/33", "want 0 to 32 bits"},
    {"192.0.2.0/-1", "want 0 to 32 bits"},
    {"192.0.2.0/ 24", "want 0 to 32 bits"},
    {"192.0.2.0/24x", "want 0 to 32 bits"},
    {"192.0.2.0/4294967320", "want 0 to 32 bits"},
    {"2001:db8::/129", "want 0 to 128 bits"},
    {"192.0.2.1/24", "bits beyond the prefix"},
    {"192.0.2.1/0", "bits beyond the prefix"},
    {"2001:db8::/28", "bits beyond the prefix"},
};

START_TEST(prefix_others_are_refused)
{
    struct error error = {""};
    struct prefix prefix;

    ck_assert_int_eq(prefix_parse(&prefix, bad[_i].text, &error), -1);
    ck_assert_msg(strstr(error.text, bad[_i].why) != NULL, "%s: %s", bad[_i].text, error.text);
}
END_TEST

Suite *prefix_suite(void)
{
    Suite *suite = suite_create("prefix");
    TCase *tests = tcase_create("prefix");

    tcase_add_loop_test(tests, prefixes_have_what_begins_like_them, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, prefix_others_are_refused, 0, sizeof bad / sizeof bad[0]);
    suite_add_tcase(suite, tests);
    return suite;
}
