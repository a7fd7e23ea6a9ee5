/* SPDX-License-Identifier: BSD-3-Clause */
/* The counting behind the report: what holds, what lasts, what the gate lets pass. */
#include "tests/sim/gate.h"
#include "tests/sim/reliability.h"
#include "tests/sim/report.h"
#include "tests/unit/sim_fixture.h"

/* With an interval of so many percent of it to either side; the truth is 100. */
static struct verdict_on_run ended(enum estimate_state state, double capacity_bps, double half_percent)
{
    double half_bps = half_percent / 100 * capacity_bps;

    return (struct verdict_on_run){
        .estimate = {.state = state,
                     .capacity_bps = capacity_bps,
                     .low_bps = capacity_bps - half_bps,
                     .high_bps = capacity_bps + half_bps},
        .truth_bps = 100,
    };
}

/* --- Reliability --- */

START_TEST(intervals_have_classes)
{
    static const double half_percents[] = {0, 0.02, 0.05, 0.2, 0.5, 0.9, 1.1, 50};

    for (unsigned i = 0; i < 8; i++) {
        struct verdict_on_run result = ended(STATE_CONVERGED, 1e9, half_percents[i]);
        ck_assert_uint_eq(reliability_class(&result.estimate), i / 2);
    }
}
END_TEST

START_TEST(decided_runs_are_counted_by_width)
{
    const struct verdict_on_run results[] = {
        ended(STATE_CONVERGED, 100, 0.01), ended(STATE_CONVERGED, 100.1, 0.01),
        ended(STATE_SHAPED, 100.1, 0.2),   ended(STATE_CONVERGED, 106, 2),
        ended(STATE_CONVERGED, 106, 8),    ended(STATE_INSUFFICIENT, 100, 1),
        ended(STATE_AMBIGUOUS, 100, 1),
    };
    struct reliability sum = {0};

    reliability_add(&sum, results, 4);
    reliability_add(&sum, results + 4, 3);
    ck_assert_uint_eq(sum.runs, 7);
    ck_assert_uint_eq(sum.decided, 5);
    ck_assert_uint_eq(sum.held, 3);
    ck_assert_uint_eq(sum.wrong, 2);
    ck_assert_uint_eq(sum.width[0].decided, 2);
    ck_assert_uint_eq(sum.width[0].held, 1);
    ck_assert_uint_eq(sum.width[1].decided, 1);
    ck_assert_uint_eq(sum.width[1].held, 1);
    ck_assert_uint_eq(sum.width[2].decided, 0);
    ck_assert_uint_eq(sum.width[3].decided, 2);
    ck_assert_uint_eq(sum.width[3].held, 1);
    ck_assert_uint_eq(sum.tentative + sum.bounds, 0);
}
END_TEST

START_TEST(tentative_runs_and_bounds_are_counted)
{
    const struct verdict_on_run results[] = {
        ended(STATE_TENTATIVE, 101, 10),       ended(STATE_TENTATIVE, 98.5, 1),
        ended(STATE_TENTATIVE, 93, 10),        ended(STATE_TENTATIVE, 150, 60),
        ended(STATE_TENTATIVE, 40, 10),        ended(STATE_SENDER_LIMITED, 90, 0),
        ended(STATE_SENDER_LIMITED, 100.5, 0), ended(STATE_SENDER_LIMITED, 102, 0),
    };
    struct reliability sum = {0};

    reliability_add(&sum, results, 8);
    ck_assert_uint_eq(sum.tentative, 5);
    ck_assert_uint_eq(sum.within_2, 2);
    ck_assert_uint_eq(sum.within_10, 3);
    ck_assert_uint_eq(sum.tentative_held, 3);
    ck_assert_uint_eq(sum.bounds, 3);
    ck_assert_uint_eq(sum.bounds_off, 1);
    ck_assert_uint_eq(sum.decided, 0);
}
END_TEST

/* --- Stability --- */

static void sim_reliability_note(struct verdict_on_run *result, enum estimate_state state,
                                 double capacity_bps)
{
    judge_note(result, &(struct estimate){.state = state, .capacity_bps = capacity_bps});
}

START_TEST(decisions_are_noted)
{
    struct verdict_on_run result = {.truth_bps = 100};

    sim_reliability_note(&result, STATE_TENTATIVE, 50);
    ck_assert_uint_eq(result.decided_after, 0);
    sim_reliability_note(&result, STATE_CONVERGED, 90);
    sim_reliability_note(&result, STATE_CONVERGED, 93); /* 3 % on */
    sim_reliability_note(&result, STATE_TENTATIVE, 40);
    sim_reliability_note(&result, STATE_SHAPED, 100); /* 7.5 % from the last decision */
    sim_reliability_note(&result, STATE_INSUFFICIENT, 0);
    ck_assert_uint_eq(result.trains, 6);
    ck_assert_uint_eq(result.decided_after, 2);
    ck_assert_uint_eq(result.undone, 2);
    ck_assert_uint_eq(result.resets, 1);
    ck_assert_double_eq(result.first_bps, 90);
    ck_assert_double_eq(result.decided_bps, 100);
}
END_TEST

START_TEST(stability_is_of_runs)
{
    const struct verdict_on_run results[] = {
        {.truth_bps = 100, .stationary = true}, /* never decided */
        {.truth_bps = 100, .stationary = true, .decided_after = 3, .first_bps = 100},
        {.truth_bps = 100, .stationary = true, .decided_after = 3, .first_bps = 97, .undone = 4},
        {.truth_bps = 100,
         .stationary = true,
         .decided_after = 9,
         .first_bps = 120,
         .undone = 1,
         .resets = 2},
        {.truth_bps = 100, .decided_after = 9, .first_bps = 50, .undone = 1, .resets = 1},
    };
    struct stability sum = {0};

    stability_add(&sum, results, 5);
    ck_assert_uint_eq(sum.runs, 4);
    ck_assert_uint_eq(sum.decided, 3);
    ck_assert_uint_eq(sum.lost, 2);
    ck_assert_uint_eq(sum.jumped, 1);
    ck_assert_uint_eq(sum.first_wrong, 1);
}
END_TEST

START_TEST(what_changes_is_not_stationary)
{
    struct sim_config config = sim_fixture_plain(20, 8, 1000, 10000000);

    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_IMIX, 8e6);
    ck_assert(sim_config_stationary(&config));
    config.path.hop[0].change_at_ns = 1;
    ck_assert(!sim_config_stationary(&config));
    config.path.hop[0].change_at_ns = 0;
    config.path.traffic[0].from_ns = 1;
    ck_assert(!sim_config_stationary(&config));
    config.path.traffic[0].from_ns = 0;
    config.path.traffic[0].until_ns = 1;
    ck_assert(!sim_config_stationary(&config));
    config.path.traffic[0].until_ns = 0;
    config.receiver.step_ns = 1000000000;
    ck_assert(sim_config_stationary(&config));
}
END_TEST

/* --- Groups and families --- */

START_TEST(families_are_of_a_group)
{
    const struct sim_case *idle = sim_case_find("idle-1M");
    const struct sim_case *bucket = sim_case_find("bucket");
    const struct sim_case *beyond = sim_case_find("bucket-long");
    const struct sim_case drawn = {.name = "random-pairs", .family = "bucket"};

    ck_assert_int_eq(accuracy_group_of(idle), ACCURACY_GOALS);
    ck_assert_int_eq(accuracy_group_of(beyond), ACCURACY_BEYOND);
    ck_assert_int_eq(accuracy_group_of(&drawn), ACCURACY_RANDOM);
    ck_assert(accuracy_akin(idle, sim_case_find("idle-10G")));
    ck_assert(accuracy_akin(bucket, sim_case_find("bucket-0.3")));
    ck_assert(accuracy_akin(beyond, sim_case_find("bucket-shallow")));
    ck_assert(!accuracy_akin(bucket, beyond));
    ck_assert(!accuracy_akin(beyond, &drawn));
    ck_assert(!accuracy_akin(beyond, sim_case_find("bucket-blind"))); /* "bucket unseen" */
    ck_assert(!accuracy_akin(sim_case_find("three-0.5"), sim_case_find("through-0.5")));
}
END_TEST

/* --- Gate --- */

/* 10 trials at .01: none in .9044, at most 1 in .9957, at most 2 in .99989. 1000 trials at
 * .001: at most 4 in .9964, at most 5 in .9994. */
START_TEST(gate_is_the_tail_of_a_binomial)
{
    ck_assert_uint_eq(gate_most(10, 0.01), 2);
    ck_assert_uint_eq(gate_least(10, 0.99), 8);
    ck_assert_uint_eq(gate_most(1000, 0.001), 5);
    ck_assert_uint_eq(gate_most(2, 0.5), 2);
    ck_assert_uint_eq(gate_least(2, 0.5), 0);
    ck_assert_uint_eq(gate_most(0, 0.5), 0);
}
END_TEST

/* Whose probabilities begin below what a double holds: mean 7500, deviation 43.3. */
START_TEST(gate_is_good_for_many_trials)
{
    ck_assert_uint_ge(gate_most(10000, 0.75), 7500 + 130);
    ck_assert_uint_le(gate_most(10000, 0.75), 7500 + 138);
}
END_TEST

TCase *sim_reliability_tcase(void)
{
    TCase *tcase = tcase_create("reliability, stability, gate");

    tcase_add_test(tcase, intervals_have_classes);
    tcase_add_test(tcase, decided_runs_are_counted_by_width);
    tcase_add_test(tcase, tentative_runs_and_bounds_are_counted);
    tcase_add_test(tcase, decisions_are_noted);
    tcase_add_test(tcase, stability_is_of_runs);
    tcase_add_test(tcase, what_changes_is_not_stationary);
    tcase_add_test(tcase, families_are_of_a_group);
    tcase_add_test(tcase, gate_is_the_tail_of_a_binomial);
    tcase_add_test(tcase, gate_is_good_for_many_trials);
    return tcase;
}
