/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths that nobody can tell from another one, and paths beside them that anybody can. */
#include "tests/sim/twin.h"
#include "tests/unit/sim_fixture.h"

#include <math.h>

START_TEST(distributions_have_a_distance)
{
    static const double low[] = {1, 2, 3}, high[] = {4, 5}, both[] = {1, 2, 4, 5}, ties[] = {2, 2, 2};

    ck_assert_double_eq(twin_distance(low, 3, high, 2), 1);
    ck_assert_double_eq(twin_distance(low, 3, low, 3), 0);
    ck_assert_double_eq(twin_distance(both, 4, high, 2), 0.5);
    ck_assert_double_eq_tol(twin_distance(low, 3, ties, 3), 1.0 / 3, 1e-12);
}
END_TEST

/* Of Kolmogorov's distribution, as tables have it. */
START_TEST(chance_is_kolmogorovs)
{
    double root = sqrt(2.0 / 1e8);

    ck_assert_double_eq_tol(twin_chance(1.3581 * root, 100000000, 100000000), 0.05, 1e-4);
    ck_assert_double_eq_tol(twin_chance(1.6276 * root, 100000000, 100000000), 0.01, 1e-4);
    ck_assert_double_eq(twin_chance(0, 100, 100), 1);
}
END_TEST

/* 20 trains of 16 packets of 1500 bytes, which enter 10 Mbit/s at twice that. */
static struct sim_config entering(void)
{
    struct sim_config config = sim_fixture_plain(20, 16, 1500, 10000000);

    config.sender.rate_bps = 20000000;
    config.sender.spacing_jitter = 0.1;
    config.receiver.noise_ns = 2000;
    return config;
}

START_TEST(an_idle_link_has_no_twin)
{
    struct sim_config config = entering();

    ck_assert(!twin_exists(&config, sim_fixture_seed("an_idle_link_has_no_twin")));
}
END_TEST

/* A packet of 64 bytes takes 51 us there: stamps that scatter as far hide them all. */
START_TEST(a_fluid_has_a_twin)
{
    struct sim_config config = entering();

    sim_fixture_cross(&config, SIM_CONSTANT, SIM_MIX_64, 6e6);
    config.receiver.noise_ns = 50000;
    ck_assert(twin_exists(&config, sim_fixture_seed("a_fluid_has_a_twin")));
}
END_TEST

START_TEST(large_packets_show)
{
    struct sim_config config = entering();

    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_1500, 5e6);
    ck_assert(!twin_exists(&config, sim_fixture_seed("large_packets_show")));
}
END_TEST

/* Trains of 24 kB. */
START_TEST(only_a_bucket_that_none_empties_has_a_twin)
{
    struct sim_config config = entering();
    struct sim_hop_config *hop = &config.path.hop[0];

    hop->shaper = SIM_SHAPER_BUCKET;
    hop->shaper_rate_bps = 2000000;
    hop->burst_bytes = 30000;
    ck_assert(twin_exists(&config, sim_fixture_seed("only_a_bucket_that_none_empties_has_a_twin")));
    hop->burst_bytes = 10000;
    ck_assert(!twin_exists(&config, sim_fixture_seed("only_a_bucket_that_none_empties_has_a_twin")));
}
END_TEST

TCase *sim_twin_tcase(void)
{
    TCase *tcase = tcase_create("twin");

    tcase_add_test(tcase, distributions_have_a_distance);
    tcase_add_test(tcase, chance_is_kolmogorovs);
    tcase_add_test(tcase, an_idle_link_has_no_twin);
    tcase_add_test(tcase, a_fluid_has_a_twin);
    tcase_add_test(tcase, large_packets_show);
    tcase_add_test(tcase, only_a_bucket_that_none_empties_has_a_twin);
    return tcase;
}
