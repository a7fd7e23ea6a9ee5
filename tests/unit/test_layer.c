/* SPDX-License-Identifier: BSD-3-Clause */
/* What a payload counts at each layer. */
#include "common/layer.h"
#include "tests/unit/suites.h"

#include <string.h>

/* UDP 8, IPv4 20 or IPv6 40; Ethernet header and FCS 18; preamble and gap 20.
 * udp: + 0; ip: + 28 or 48; l2: + 46 or 66; wire: + 66 or 86, 84 at least. */
static const struct {
    const char *layer;
    enum layer_ip ip;
    uint32_t payload_bytes;
    uint32_t size_bytes;
} table[] = {
    {"udp", LAYER_IPV4, 954, 954},    {"udp", LAYER_IPV6, 954, 954},    {"ip", LAYER_IPV4, 972, 1000},
    {"ip", LAYER_IPV6, 952, 1000},    {"l2", LAYER_IPV4, 954, 1000},    {"l2", LAYER_IPV6, 934, 1000},
    {"l2", LAYER_IPV4, 18, 64}, /* the smallest frame, the paper's */
    {"wire", LAYER_IPV4, 1472, 1538}, {"wire", LAYER_IPV6, 1452, 1538}, {"wire", LAYER_IPV4, 19, 85},
    {"wire", LAYER_IPV4, 18, 84},     {"42", LAYER_IPV4, 958, 1000},    {"42", LAYER_IPV6, 958, 1000},
    {"0", LAYER_IPV4, 100, 100},      {"65535", LAYER_IPV4, 1, 65536},
};

static struct layer parsed(const char *text)
{
    struct error error = {.text = ""};
    struct layer layer;

    ck_assert_msg(layer_parse(&layer, text, &error) == 0, "%s: %s", text, error.text);
    return layer;
}

START_TEST(payload_to_size)
{
    struct layer layer = parsed(table[_i].layer);

    ck_assert_uint_eq(layer_bytes(&layer, table[_i].ip, table[_i].payload_bytes), table[_i].size_bytes);
}
END_TEST

START_TEST(size_to_payload)
{
    struct layer layer = parsed(table[_i].layer);

    ck_assert_int_eq(layer_payload(&layer, table[_i].ip, table[_i].size_bytes),
                     (int32_t)table[_i].payload_bytes);
}
END_TEST

/* A short Ethernet frame is padded to 64 bytes, and 20 go with it. */
START_TEST(nothing_on_the_wire_is_below_84)
{
    struct layer wire = parsed("wire");

    ck_assert_uint_eq(layer_bytes(&wire, LAYER_IPV4, 0), 84);
    ck_assert_uint_eq(layer_bytes(&wire, LAYER_IPV4, 17), 84);
    ck_assert_int_eq(layer_payload(&wire, LAYER_IPV4, 83), -1);
    ck_assert_uint_eq(layer_bytes(&wire, LAYER_IPV6, 0), 86); /* 48 + 18 + 20 */
    ck_assert_int_eq(layer_payload(&wire, LAYER_IPV6, 85), -1);
}
END_TEST

static const struct {
    const char *layer;
    enum layer_ip ip;
    uint32_t least_bytes; /* the size of an empty payload */
} leasts[] = {
    {"udp", LAYER_IPV4, 0}, {"ip", LAYER_IPV4, 28},   {"ip", LAYER_IPV6, 48}, {"l2", LAYER_IPV4, 46},
    {"l2", LAYER_IPV6, 66}, {"wire", LAYER_IPV6, 86}, {"42", LAYER_IPV6, 42},
};

START_TEST(a_size_below_the_headers_has_no_payload)
{
    struct layer layer = parsed(leasts[_i].layer);

    ck_assert_int_eq(layer_payload(&layer, leasts[_i].ip, leasts[_i].least_bytes), 0);
    if (leasts[_i].least_bytes > 0)
        ck_assert_int_eq(layer_payload(&layer, leasts[_i].ip, leasts[_i].least_bytes - 1), -1);
}
END_TEST

START_TEST(names_are_what_parse_takes)
{
    static const char *const texts[] = {"udp", "ip", "l2", "wire", "0", "42", "65535"};
    char room[12];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct layer layer = parsed(texts[i]);

        ck_assert_str_eq(layer_name(&layer, room), texts[i]);
    }
}
END_TEST

static const char *const bad_texts[] = {
    "",
    "L2",
    "l3",
    "udp ",
    " 42",
    "-1",
    "+42",
    "42x",
    "0x2a",
    "65536",
    "4294967338",
    "18446744073709551658",
    "99999999999999999999",
};

START_TEST(bad_texts_are_named)
{
    struct layer layer = {LAYER_IP, 7};
    struct error error = {.text = ""};

    ck_assert_int_eq(layer_parse(&layer, bad_texts[_i], &error), -1);
    ck_assert(strstr(error.text, bad_texts[_i]) != NULL);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_uint_eq(layer.fixed_bytes, 7); /* left alone */
}
END_TEST

Suite *layer_suite(void)
{
    Suite *suite = suite_create("layer");
    TCase *sizes = tcase_create("sizes");
    TCase *texts = tcase_create("texts");
    int rows = sizeof table / sizeof table[0];

    tcase_add_loop_test(sizes, payload_to_size, 0, rows);
    tcase_add_loop_test(sizes, size_to_payload, 0, rows);
    tcase_add_test(sizes, nothing_on_the_wire_is_below_84);
    tcase_add_loop_test(sizes, a_size_below_the_headers_has_no_payload, 0, sizeof leasts / sizeof leasts[0]);
    tcase_add_test(texts, names_are_what_parse_takes);
    tcase_add_loop_test(texts, bad_texts_are_named, 0, sizeof bad_texts / sizeof bad_texts[0]);
    suite_add_tcase(suite, sizes);
    suite_add_tcase(suite, texts);
    return suite;
}
