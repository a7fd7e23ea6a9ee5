/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags and key files; what sender and receiver make of them is in test_guard.c. */
#include "common/auth.h"
#include "pptrans/payloads.h"
#include "tests/unit/suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Tags --- */

/* The probes of test_wire.c with TIME and AUTH, and with all extensions, to 192.0.2.9 and to
 * 2001:db8::9, port 9000, under the key 00 01 02 ... 1f. The tags were made by Python's hashlib,
 * which has a BLAKE2 of its own:
 *   hashlib.blake2b(bytes.fromhex('00000000000000000000ffffc0000209' '2328'
 *       '50501405deadbeef0102030400000102' '0005' '17979cfe3d85cd15'),
 *       key=bytes(range(32)), digest_size=16).hexdigest()
 * and the same over '0007' '17979cfe3d85cd15' '00000101000c3500', and to
 * '20010db8000000000000000000000009' '2328'. */
#define HEAD 0x50, 0x50, 0x14, 0x05, 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 0, 0, 1, 2
#define TIME 0x17, 0x97, 0x9c, 0xfe, 0x3d, 0x85, 0xcd, 0x15

static const uint8_t ipv4[4] = {192, 0, 2, 9};
static const uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 9};

static const struct {
    unsigned ip;
    const uint8_t *address;
    uint16_t flags;
    size_t bytes;
    uint8_t data[WIRE_MOST_BYTES];
} vectors[] = {
    {4, ipv4, 5, 42, {HEAD, 0,    5,    TIME, 0x38, 0x54, 0x81, 0x82, 0x98, 0x52,
                      0x96, 0x86, 0x5b, 0x1e, 0x05, 0x16, 0x53, 0x3d, 0x28, 0x0a}},
    {4, ipv4, 7, 50, {HEAD, 0,    7,    TIME, 0,    0,    1,    1,    0x00, 0x0c, 0x35, 0x00, 0x65, 0xfc,
                      0x9d, 0x03, 0xc4, 0xb7, 0x05, 0xe7, 0x45, 0xc5, 0xe7, 0x86, 0xd2, 0x35, 0xb4, 0xc2}},
    {6, ipv6, 5, 42, {HEAD, 0,    5,    TIME, 0x51, 0x99, 0xf1, 0xb3, 0xed, 0x1d,
                      0x48, 0x73, 0x43, 0xf1, 0xa4, 0x83, 0x95, 0x0a, 0x3e, 0xab}},
    {6, ipv6, 7, 50, {HEAD, 0,    7,    TIME, 0,    0,    1,    1,    0x00, 0x0c, 0x35, 0x00, 0xa1, 0x51,
                      0x77, 0xe1, 0x36, 0xbb, 0xdc, 0xba, 0x9c, 0x29, 0x35, 0xf4, 0xdf, 0xc0, 0xee, 0x54}},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static struct auth_key counting_key(void)
{
    struct auth_key key;

    for (size_t i = 0; i < sizeof key.bytes; i++)
        key.bytes[i] = (uint8_t)i;
    return key;
}

static struct auth_destination destination_of(int vector)
{
    struct auth_destination to;

    auth_set_destination(&to, vectors[vector].ip, vectors[vector].address, 9000);
    return to;
}

START_TEST(tags_are_those_of_another_blake2)
{
    struct auth_destination to = destination_of(_i);
    struct auth_key key = counting_key();
    uint8_t data[WIRE_MOST_BYTES];

    memcpy(data, vectors[_i].data, sizeof data);
    memset(data + vectors[_i].bytes - WIRE_AUTH_BYTES, 0xee, WIRE_AUTH_BYTES);
    auth_tag(&key, &to, data, vectors[_i].flags);
    ck_assert_mem_eq(data, vectors[_i].data, sizeof data);
    ck_assert(auth_verify(&key, &to, data, vectors[_i].flags));
}
END_TEST

START_TEST(every_bit_counts)
{
    struct auth_destination to = destination_of(_i);
    struct auth_key key = counting_key();

    for (size_t bit = 0; bit < 8 * vectors[_i].bytes; bit++) {
        uint8_t data[WIRE_MOST_BYTES];

        memcpy(data, vectors[_i].data, sizeof data);
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert(!auth_verify(&key, &to, data, vectors[_i].flags));
    }
    for (size_t bit = 0; bit < 8 * sizeof key.bytes; bit++) {
        key.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert(!auth_verify(&key, &to, vectors[_i].data, vectors[_i].flags));
        key.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * sizeof to.bytes; bit++) {
        to.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert(!auth_verify(&key, &to, vectors[_i].data, vectors[_i].flags));
        to.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}
END_TEST

/* Position 0 of the train is what the sender wrote; the tags go with each packet's own
 * number and position. */
START_TEST(a_train_is_tagged_packet_by_packet)
{
    struct auth_destination to = destination_of(0);
    struct auth_key key = counting_key();
    struct wire_probe first = {
        .length_log2 = 8, .stream = 1, .seq = UINT32_MAX - 7, .flags = payloads_flags(60, true, true)};
    struct payloads payloads;

    ck_assert_int_eq(payloads_init(&payloads, 256, 60, NULL), 0);
    payloads_write(&payloads, &first);
    payloads_set_time(&payloads, &first, 1700000000000000000);
    payloads_tag(&payloads, &first, &key, &to);
    for (uint32_t i = 0; i < 256; i++) {
        const uint8_t *data = payloads_at(&payloads, i);
        struct wire_probe probe;

        ck_assert_int_eq(wire_decode(&probe, data, 60), WIRE_OK);
        ck_assert_uint_eq(probe.flags, WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH);
        ck_assert_uint_eq(probe.position, i);
        ck_assert_uint_eq(probe.sent_ns, 1700000000000000000);
        ck_assert(auth_verify(&key, &to, data, probe.flags));
    }
    payloads_fini(&payloads);
}
END_TEST

START_TEST(tag_and_time_come_before_departure)
{
    ck_assert_uint_eq(payloads_flags(42, true, true), WIRE_TIME | WIRE_AUTH);
    ck_assert_uint_eq(payloads_flags(49, true, true), WIRE_TIME | WIRE_AUTH);
    ck_assert_uint_eq(payloads_flags(50, true, true), WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH);
    ck_assert_uint_eq(payloads_flags(50, false, true), WIRE_TIME | WIRE_AUTH);
}
END_TEST

/* --- Key files --- */

#define DIGITS "00112233445566778899aabbccddeeffFFEEDDCCBBAA99887766554433221100"

static char path[64];

static void auth_set_up(void)
{
    snprintf(path, sizeof path, "/tmp/pprec-key-%ld", (long)getpid());
}

static void auth_tear_down(void)
{
    chmod(path, 0600);
    unlink(path);
    rmdir(path);
}

static void auth_write_file(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    ck_assert_int_eq(chmod(path, mode), 0);
}

START_TEST(digits_with_and_without_a_newline)
{
    static const char *const texts[] = {DIGITS, DIGITS "\n"};
    struct auth_key key;

    auth_write_file(texts[_i], 0640); /* a group of its own is what a service has */
    ck_assert_int_eq(auth_read_key(&key, path, NULL), 0);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(key.bytes[i], 0x11 * i);
        ck_assert_uint_eq(key.bytes[31 - i], 0x11 * i);
    }
}
END_TEST

static void auth_assert_refused(const char *why)
{
    static const struct auth_key nothing;
    struct error error = {""};
    struct auth_key key;

    ck_assert_int_eq(auth_read_key(&key, path, &error), -1);
    ck_assert_msg(strstr(error.text, why) != NULL, "'%s' does not say '%s'", error.text, why);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_ptr_null(strstr(error.text, "4455"));
    ck_assert_mem_eq(&key, &nothing, sizeof key);
}

START_TEST(what_everybody_may_touch_is_no_key)
{
    for (mode_t mode = 01; mode <= 07; mode++) {
        auth_write_file(DIGITS "\n", 0600 | mode);
        auth_assert_refused("everybody may access it");
    }
}
END_TEST

START_TEST(other_texts_are_no_keys)
{
    static const char *const texts[] = {
        "",
        "\n",
        "00",
        DIGITS "\n\n",
        DIGITS " ",
        " " DIGITS,
        DIGITS "0",
        DIGITS DIGITS,
        "0x112233445566778899aabbccddeeffFFEEDDCCBBAA99887766554433221100",
        "g0112233445566778899aabbccddeeffFFEEDDCCBBAA99887766554433221100",
        "00112233445566778899aabbccddeeffFFEEDDCCBBAA9988776655443322110\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        auth_write_file(texts[i], 0600);
        auth_assert_refused("want 64 hexadecimal digits");
    }
}
END_TEST

START_TEST(zeros_are_no_key)
{
    auth_write_file("0000000000000000000000000000000000000000000000000000000000000000\n", 0600);
    auth_assert_refused("all digits are 0");
}
END_TEST

/* A fifo that nobody writes to must not hang the program. */
START_TEST(only_regular_files_hold_keys)
{
    struct auth_key key;
    struct error error;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    auth_assert_refused("want a regular file");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    auth_assert_refused("want a regular file");
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(auth_read_key(&key, path, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
}
END_TEST

Suite *auth_suite(void)
{
    Suite *suite = suite_create("auth");
    TCase *tags = tcase_create("tags");
    TCase *files = tcase_create("files");

    if (auth_init(NULL) == 0) {
        tcase_add_loop_test(tags, tags_are_those_of_another_blake2, 0, VECTORS);
        tcase_add_loop_test(tags, every_bit_counts, 0, VECTORS);
        tcase_add_test(tags, a_train_is_tagged_packet_by_packet);
    } else {
        fputs("SKIPPED: tags: " AUTH_MISSING "\n", stderr);
    }
    tcase_add_test(tags, tag_and_time_come_before_departure);
    suite_add_tcase(suite, tags);
    tcase_add_checked_fixture(files, auth_set_up, auth_tear_down);
    tcase_add_loop_test(files, digits_with_and_without_a_newline, 0, 2);
    tcase_add_test(files, what_everybody_may_touch_is_no_key);
    tcase_add_test(files, other_texts_are_no_keys);
    tcase_add_test(files, zeros_are_no_key);
    tcase_add_test(files, only_regular_files_hold_keys);
    suite_add_tcase(suite, files);
    return suite;
}
