/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the layered receiver, in time that is made up. */
#include "pprec/examples/layers.h"
#include "tests/unit/suites.h"

#define SECOND INT64_C(1000000000)

/* Sums: 100, 200, 400, 800 kbit/s. */
static const double rates_bps[] = {100e3, 100e3, 200e3, 400e3};
static struct layers layers;
static int64_t now_ns;

static void layers_set_up(void)
{
    layers_init(&layers, rates_bps, 4);
    now_ns = 0;
}

/* Four looks a second. Returns the layers at the end. */
static unsigned layers_pass(unsigned seconds, double capacity_bps, double lost)
{
    for (unsigned i = 0; i < 4 * seconds; i++)
        layers_decide(&layers, now_ns += SECOND / 4, capacity_bps, lost);
    return layers.joined;
}

START_TEST(without_an_estimate_one_layer)
{
    ck_assert_uint_eq(layers_pass(60, 0, 0), 1);
}
END_TEST

static const struct {
    double capacity_bps;
    unsigned layers;
} links[] = {{50e3, 1},  {110e3, 1}, {215e3, 1}, {220e3, 2}, {430e3, 2},
             {440e3, 3}, {860e3, 3}, {880e3, 4}, {1e9, 4}};

START_TEST(as_many_as_fit_within_two_seconds)
{
    ck_assert_uint_eq(layers_pass(2, links[_i].capacity_bps, 0), links[_i].layers);
    ck_assert_uint_eq(layers_pass(60, links[_i].capacity_bps, 0), links[_i].layers);
}
END_TEST

START_TEST(less_capacity_is_followed_at_once)
{
    ck_assert_uint_eq(layers_pass(3, 1e6, 0), 4);
    ck_assert_uint_eq(layers_decide(&layers, now_ns + 1, 450e3, 0), 3);
}
END_TEST

START_TEST(more_capacity_is_waited_for_a_second)
{
    ck_assert_uint_eq(layers_pass(3, 250e3, 0), 2);
    ck_assert_uint_eq(layers_decide(&layers, now_ns += 1, 1e6, 0), 2);
    ck_assert_uint_eq(layers_decide(&layers, now_ns + SECOND - 1, 1e6, 0), 2);
    ck_assert_uint_eq(layers_decide(&layers, now_ns + SECOND, 1e6, 0), 4);
}
END_TEST

/* Between 0.92 and 0.98 of the capacity a layer stays as it is. */
START_TEST(an_estimate_that_wavers_does_not_flap)
{
    ck_assert_uint_eq(layers_pass(3, 450e3, 0), 3);
    for (unsigned i = 0; i < 1000; i++)
        ck_assert_uint_eq(layers_decide(&layers, now_ns += SECOND / 4, i % 2 ? 410e3 : 434e3, 0), 3);
    layers_set_up();
    for (unsigned i = 0; i < 1000; i++) /* never a second of room for three */
        ck_assert_uint_le(layers_decide(&layers, now_ns += SECOND / 4, i % 4 ? 440e3 : 430e3, 0), 2);
}
END_TEST

START_TEST(loss_costs_the_highest_layer)
{
    ck_assert_uint_eq(layers_pass(3, 450e3, 0), 3);
    ck_assert_uint_eq(layers_decide(&layers, now_ns += SECOND, 450e3, 0.02), 3);
    ck_assert_uint_eq(layers_decide(&layers, now_ns += SECOND, 450e3, 0.05), 2);
    ck_assert_uint_eq(layers_decide(&layers, now_ns += SECOND, 450e3, 0.05), 2); /* still old */
}
END_TEST

START_TEST(one_layer_is_kept_whatever_is_lost)
{
    ck_assert_uint_eq(layers_pass(30, 450e3, 0.9), 1);
    ck_assert_uint_eq(layers_pass(1, 1, 0.9), 1);
}
END_TEST

/* Loss whenever the third layer is there: tried again ever more rarely. */
START_TEST(a_layer_that_fails_is_left_alone_for_longer)
{
    unsigned tries = 0, with_three = 0;

    for (unsigned i = 0; i < 4 * 300; i++) {
        unsigned before = layers.joined;

        layers_decide(&layers, now_ns += SECOND / 4, 450e3, before == 3 ? 0.1 : 0);
        tries += before < 3 && layers.joined == 3;
        with_three += layers.joined == 3;
    }
    ck_assert_uint_ge(tries, 3);
    ck_assert_uint_le(tries, 7);          /* 5, 10, 20, 40, 80 s apart */
    ck_assert_uint_le(with_three, 7 * 9); /* two seconds of looks each */
}
END_TEST

Suite *layers_suite(void)
{
    Suite *suite = suite_create("layers");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, layers_set_up, NULL);
    tcase_add_test(all, without_an_estimate_one_layer);
    tcase_add_loop_test(all, as_many_as_fit_within_two_seconds, 0, sizeof links / sizeof links[0]);
    tcase_add_test(all, less_capacity_is_followed_at_once);
    tcase_add_test(all, more_capacity_is_waited_for_a_second);
    tcase_add_test(all, an_estimate_that_wavers_does_not_flap);
    tcase_add_test(all, loss_costs_the_highest_layer);
    tcase_add_test(all, one_layer_is_kept_whatever_is_lost);
    tcase_add_test(all, a_layer_that_fails_is_left_alone_for_longer);
    suite_add_tcase(suite, all);
    return suite;
}
