/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 1982 arithmetic, and the unwrapping of a one-byte number. */
#include "common/serial.h"
#include "tests/unit/suites.h"

/* RFC 1982, section 5.2, lists these relations for numbers of 8 bits; times 2^24
 * they hold for 32. Each row: later, earlier. */
static const uint8_t rfc_later_than[][2] = {
    {1, 0}, {44, 0}, {100, 0}, {100, 44}, {200, 100}, {255, 200}, {0, 255}, {100, 255}, {0, 200}, {44, 200},
};

START_TEST(order_is_that_of_rfc_1982)
{
    uint32_t later = (uint32_t)rfc_later_than[_i][0] << 24;
    uint32_t earlier = (uint32_t)rfc_later_than[_i][1] << 24;

    ck_assert(serial_before(earlier, later));
    ck_assert(!serial_before(later, earlier));
}
END_TEST

START_TEST(nothing_is_before_itself)
{
    ck_assert(!serial_before(0, 0));
    ck_assert(!serial_before(UINT32_MAX, UINT32_MAX));
}
END_TEST

START_TEST(distance_goes_through_the_wrap)
{
    ck_assert_int_eq(serial_distance(7, 10), 3);
    ck_assert_int_eq(serial_distance(10, 7), -3);
    ck_assert_int_eq(serial_distance(UINT32_MAX, 0), 1);
    ck_assert_int_eq(serial_distance(0, UINT32_MAX), -1);
    ck_assert_int_eq(serial_distance(0xfffffff0, 0x10), 32);
}
END_TEST

START_TEST(half_the_circle_is_the_limit)
{
    ck_assert(serial_before(5, 5 + 0x7fffffffU));
    ck_assert(!serial_before(5, 5 + 0x80000000));
    ck_assert(!serial_before(5 + 0x80000000, 5)); /* undefined: both behind */
    ck_assert(serial_before(5 + 0x80000001, 5));
}
END_TEST

static const uint32_t near[] = {0,   1,          127,        128,        255,       256,
                                300, 0x7fffffff, 0x80000000, 0xffffff80, UINT32_MAX};

/* Every number from 128 behind to 127 ahead is recovered from its last byte. */
START_TEST(unwrap8_finds_the_nearest)
{
    for (int ahead = -128; ahead <= 127; ahead++) {
        uint32_t number = near[_i] + (uint32_t)ahead;

        ck_assert_uint_eq(serial_unwrap8(near[_i], (uint8_t)number), number);
    }
}
END_TEST

Suite *serial_suite(void)
{
    Suite *suite = suite_create("serial");
    TCase *order = tcase_create("order");
    TCase *unwrap = tcase_create("unwrap8");

    tcase_add_loop_test(order, order_is_that_of_rfc_1982, 0,
                        sizeof rfc_later_than / sizeof rfc_later_than[0]);
    tcase_add_test(order, nothing_is_before_itself);
    tcase_add_test(order, distance_goes_through_the_wrap);
    tcase_add_test(order, half_the_circle_is_the_limit);
    tcase_add_loop_test(unwrap, unwrap8_finds_the_nearest, 0, sizeof near / sizeof near[0]);
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, unwrap);
    return suite;
}
