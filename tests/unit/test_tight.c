/* SPDX-License-Identifier: BSD-3-Clause */
/* The tight link: what paced trains show whose load dies at each hop, and simulated paths. */
#include "filters/hops.h"
#include "filters/tight.h"
#include "tests/sim/tight.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { LINKS = 4, PACKETS = 16, BYTES = 1518 };

static struct tight *tight;
static struct tight_estimate told;
static const struct estimate no_capacity = {.state = STATE_INSUFFICIENT};

static void make(void)
{
    tight = malloc(tight_bytes());
    tight_init(tight);
}

static void unmake(void)
{
    free(tight);
}

/* Held up by a link of that capacity which has so much free, as one without queue is on average. */
static void push(unsigned hop, double bps, double free_bps, double capacity_bps, double error_ns)
{
    double in_ns = (PACKETS - 1) * BYTES * 8e9 / bps;
    double held_ns = in_ns * fmax(bps - free_bps, 0) / capacity_bps + error_ns;
    struct sample sample = {.sent = PACKETS,
                            .received = 2,
                            .gaps = 1,
                            .packet_bytes = BYTES,
                            .load_bytes = BYTES,
                            .load_hops = (uint8_t)hop,
                            .verdict = VERDICT_REACH,
                            .departure_span_ns = (int64_t)in_ns,
                            .span_ns = (int64_t)(in_ns + held_ns)};

    tight_push(tight, &sample);
}

/* Ten of each of eight rates, doubling in three steps, to each hop; link 1 has 100 Mbit/s free. */
static void push_all(struct rng *rng, unsigned narrow, double free_bps, double capacity_bps)
{
    for (unsigned i = 0; i < 80; i++)
        for (unsigned hop = 1; hop <= LINKS; hop++)
            push(hop, 4e6 * pow(2, (i % 8) / 3.0), hop >= narrow ? free_bps : 100e6, capacity_bps,
                 2e3 * ((double)rng_below(rng, 100) - 50));
}

static void ask_of(unsigned links, const struct estimate *capacity)
{
    struct hops_estimate hops = {.count = links};
    struct available_estimate available = {.state = AVAILABLE_UNKNOWN};

    tight_estimate(tight, capacity, &available, &hops, &told);
}

static void ask(unsigned links)
{
    ask_of(links, &no_capacity);
}

START_TEST(the_link_that_holds_trains_up)
{
    struct rng rng = rng_start("the_link_that_holds_trains_up");

    push_all(&rng, 3, 8e6, 20e6);
    ask(LINKS);
    ck_assert_uint_eq(told.tight, 3);
    ck_assert_uint_eq(told.tight_last, 3);
    ck_assert_double_eq_tol(told.tight_bps, 8e6, 2e6);
    ck_assert_double_le(told.hop[2].low_bps, 8.8e6); /* no traffic is as even as this */
    ck_assert(told.hop[1].available_bps <= 0);
    ck_assert_double_ge(told.hop[1].low_bps, 10e6);
    ck_assert_int_eq(told.why, TIGHT_WHY_NONE);
}
END_TEST

START_TEST(where_nothing_is_held_up_nothing_is_told)
{
    struct rng rng = rng_start("where_nothing_is_held_up_nothing_is_told");

    push_all(&rng, 3, 100e6, 200e6);
    ask(LINKS);
    ck_assert_uint_eq(told.tight, 0);
    ck_assert_int_eq(told.why, TIGHT_WHY_SLOW);
}
END_TEST

/* For as long as it holds, no link holds them up: a higher HIGH would not help. */
START_TEST(a_bucket_that_passes_trains_is_said)
{
    static const struct estimate shaped = {.state = STATE_SHAPED,
                                           .capacity_bps = 10e6,
                                           .low_bps = 9.9e6,
                                           .high_bps = 10.1e6,
                                           .burst_bytes = 30000};
    struct rng rng = rng_start("a_bucket_that_passes_trains_is_said");

    push_all(&rng, 3, 100e6, 200e6);
    ask_of(LINKS, &shaped);
    ck_assert_uint_eq(told.tight, 0);
    ck_assert_int_eq(told.why, TIGHT_WHY_BUCKET);
}
END_TEST

START_TEST(a_path_of_unknown_length_has_no_tight_link)
{
    struct rng rng = rng_start("a_path_of_unknown_length_has_no_tight_link");

    push_all(&rng, 2, 8e6, 20e6);
    ask(0);
    ck_assert_uint_eq(told.tight, 0);
    ck_assert_int_eq(told.why, TIGHT_WHY_LENGTH);
    tight_init(tight);
    ask(LINKS);
    ck_assert_uint_eq(told.trains, 0);
}
END_TEST

/* Rates are 4 Mbit/s and more: that less is free of link 3 than of link 1 no train shows. */
START_TEST(where_all_trains_are_held_up_less_may_be_free)
{
    for (unsigned i = 0; i < 80; i++)
        for (unsigned hop = 1; hop <= LINKS; hop++)
            push(hop, 4e6 * pow(2, (i % 8) / 3.0), hop >= 3 ? 0.5e6 : 2e6, 20e6, 0);
    ask(LINKS);
    ck_assert(told.tight == 0 || told.tight_last == LINKS);
    ck_assert_int_eq(told.why, TIGHT_WHY_FAST);
    for (unsigned hop = 0; hop < LINKS; hop++)
        ck_assert_double_le(told.hop[hop].low_bps, 2e6);
}
END_TEST

START_TEST(trains_of_one_rate)
{
    for (unsigned i = 0; i < 80; i++)
        push(1 + i % LINKS, 10e6, 5e6, 20e6, 0);
    ask(LINKS);
    ck_assert_uint_eq(told.tight, 0);
    ck_assert_double_le(told.hop[0].low_bps, 5e6);
}
END_TEST

/* Then it holds, and not what is left of all rates' shares: nothing. */
START_TEST(free_of_the_path_far_from_all_rates)
{
    static const struct available_estimate available = {
        .state = AVAILABLE_CONVERGED, .available_bps = 30e3, .low_bps = 25e3, .high_bps = 35e3};
    struct hops_estimate hops = {.count = LINKS};
    struct rng rng = rng_start("free_of_the_path_far_from_all_rates");

    push_all(&rng, 3, 8e6, 20e6);
    tight_estimate(tight, &no_capacity, &available, &hops, &told);
    ck_assert_double_le(told.hop[LINKS - 1].low_bps, available.high_bps);
    ck_assert_double_gt(told.hop[LINKS - 1].available_bps, 0);
}
END_TEST

START_TEST(small_markers_are_of_other_trains)
{
    struct sample sample = {.packet_bytes = 84, .load_bytes = BYTES};

    ck_assert(!tight_takes(&sample));
    sample.packet_bytes = BYTES;
    ck_assert(tight_takes(&sample));
}
END_TEST

START_TEST(idle_paths)
{
    struct rng rng = rng_start("idle_paths");

    for (unsigned i = 0; i < 3; i++) {
        uint64_t seed = 1 + rng_below(&rng, 1000000);
        struct tight_result result;
        struct sim_config config;

        tight_config(&tight_cases[0], seed, &config);
        tight_run(&config, seed, &result);
        ck_assert_msg(result.verdict == LOCATE_RIGHT || result.verdict == LOCATE_RANGE, "seed %llu",
                      (unsigned long long)seed);
        ck_assert_uint_eq(result.bounds_held, result.bounds);
    }
}
END_TEST

Suite *tight_suite(void)
{
    Suite *suite = suite_create("tight");
    TCase *model = tcase_create("model"), *paths = tcase_create("paths");

    tcase_add_checked_fixture(model, make, unmake);
    tcase_add_test(model, the_link_that_holds_trains_up);
    tcase_add_test(model, where_nothing_is_held_up_nothing_is_told);
    tcase_add_test(model, a_bucket_that_passes_trains_is_said);
    tcase_add_test(model, a_path_of_unknown_length_has_no_tight_link);
    tcase_add_test(model, where_all_trains_are_held_up_less_may_be_free);
    tcase_add_test(model, trains_of_one_rate);
    tcase_add_test(model, free_of_the_path_far_from_all_rates);
    tcase_add_test(model, small_markers_are_of_other_trains);
    tcase_add_test(paths, idle_paths);
    suite_add_tcase(suite, model);
    suite_add_tcase(suite, paths);
    return suite;
}
