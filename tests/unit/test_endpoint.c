/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/pprec.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

START_TEST(endpoints_are_written)
{
    struct pprec_endpoint ipv4 = {{192, 0, 2, 1}, 9000, 4};
    struct pprec_endpoint ipv6 = {{0x20, 0x01, 0x0d, 0xb8, [15] = 1}, 65535, 6};
    struct pprec_endpoint longest = {{0}, 65535, 6};
    char text[64];

    pprec_endpoint_text(&ipv4, text, sizeof text);
    ck_assert_str_eq(text, "192.0.2.1:9000");
    pprec_endpoint_text(&ipv6, text, sizeof text);
    ck_assert_str_eq(text, "[2001:db8::1]:65535");
    memset(longest.address, 0xfe, sizeof longest.address);
    pprec_endpoint_text(&longest, text, sizeof text);
    ck_assert_str_eq(text, "[fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe]:65535");
    ipv4 = (struct pprec_endpoint){{255, 0, 100, 10}, 65535, 4};
    pprec_endpoint_text(&ipv4, text, sizeof text);
    ck_assert_str_eq(text, "255.0.100.10:65535");
    ipv4 = (struct pprec_endpoint){{192, 0, 2, 1}, 0, 4};
    pprec_endpoint_text(&ipv4, text, sizeof "255.255.255.255:65535");
    ck_assert_str_eq(text, "192.0.2.1:0");
    pprec_endpoint_text(&ipv4, text, 6);
    ck_assert_str_eq(text, "192.0");
}
END_TEST

/* Mostly zeroes: runs of all lengths at all places, and IPv4 in IPv6's clothes. */
static struct pprec_endpoint any_ipv6(struct rng *rng)
{
    struct pprec_endpoint endpoint = {.port = (uint16_t)rng_next(rng), .ip = 6};
    uint32_t zeroes = rng_below(rng, 100);

    for (unsigned i = 0; i < 8; i++) {
        uint16_t word = rng_percent(rng, 10) ? 0xffff : (uint16_t)rng_next(rng);

        if (rng_percent(rng, zeroes))
            word = 0;
        endpoint.address[2 * i] = (uint8_t)(rng_percent(rng, 30) ? 0 : word >> 8);
        endpoint.address[2 * i + 1] = (uint8_t)word;
    }
    return endpoint;
}

START_TEST(ipv6_is_written_as_the_c_library_does)
{
    struct rng rng = rng_start("endpoint");

    for (unsigned i = 0; i < 100000; i++) {
        struct pprec_endpoint endpoint = any_ipv6(&rng);
        char address[INET6_ADDRSTRLEN], want[64], got[64];

        inet_ntop(AF_INET6, endpoint.address, address, sizeof address);
        snprintf(want, sizeof want, "[%s]:%u", address, endpoint.port);
        pprec_endpoint_text(&endpoint, got, sizeof got);
        if (strcmp(got, want) != 0) /* ck_assert costs more than all the rest */
            ck_assert_str_eq(got, want);
    }
}
END_TEST

/* As snprintf() does, without a byte beyond. */
START_TEST(what_does_not_fit_is_cut)
{
    struct pprec_endpoint endpoint = {{0x20, 0x01, 0x0d, 0xb8, [15] = 1}, 65535, 6};
    const char *whole = "[2001:db8::1]:65535";

    for (size_t room = 0; room <= strlen(whole) + 1; room++) {
        char text[64];

        memset(text, '#', sizeof text);
        pprec_endpoint_text(&endpoint, text, room);
        ck_assert_int_eq(text[room], '#');
        if (room > 0) {
            ck_assert_uint_eq(strlen(text), room - 1);
            ck_assert_int_eq(strncmp(text, whole, room - 1), 0);
        }
    }
}
END_TEST

Suite *endpoint_suite(void)
{
    Suite *suite = suite_create("endpoint");
    TCase *tcase = tcase_create("text");

    tcase_add_test(tcase, endpoints_are_written);
    tcase_add_test(tcase, ipv6_is_written_as_the_c_library_does);
    tcase_add_test(tcase, what_does_not_fit_is_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}
