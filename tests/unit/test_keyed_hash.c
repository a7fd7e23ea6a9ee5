/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/keyed_hash.h"
#include "tests/unit/suites.h"

/* Of the bytes 0, 1, 2, ... under the key 00 01 ... 0f, the low half of what libsodium gives:
 *   out = ctypes.create_string_buffer(8)
 *   sodium.crypto_shorthash(out, bytes(range(n)), c_ulonglong(n), bytes(range(16)))
 *   int.from_bytes(out.raw[:4], 'little') */
static const struct {
    size_t words;
    uint32_t hash;
} vectors[] = {
    {0, 0xdd0e0e31}, {1, 0x277187b7},  {2, 0x9a932462},  {3, 0x860ee5fb},
    {6, 0xf649af94}, {10, 0x5304a7d0}, {12, 0x9ecba951},
};

START_TEST(agrees_with_another)
{
    struct keyed_hash hash = {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
    uint32_t words[12];

    for (uint32_t i = 0; i < 12; i++)
        words[i] = 0x03020100 + i * 0x04040404;
    ck_assert_uint_eq(keyed_hash(&hash, words, vectors[_i].words), vectors[_i].hash);
}
END_TEST

START_TEST(draws_another_key_each_time)
{
    struct keyed_hash one, other;

    ck_assert_int_eq(keyed_hash_init(&one, NULL), 0);
    ck_assert_int_eq(keyed_hash_init(&other, NULL), 0);
    ck_assert_uint_ne(one.key[0], other.key[0]); /* by chance once in 2^64 */
    ck_assert_uint_ne(one.key[1], other.key[1]);
    ck_assert_uint_ne(one.key[0], one.key[1]);
}
END_TEST

Suite *keyed_hash_suite(void)
{
    Suite *suite = suite_create("keyed_hash");
    TCase *tcase = tcase_create("SipHash");

    tcase_add_loop_test(tcase, agrees_with_another, 0, sizeof vectors / sizeof vectors[0]);
    tcase_add_test(tcase, draws_another_key_each_time);
    suite_add_tcase(suite, tcase);
    return suite;
}
