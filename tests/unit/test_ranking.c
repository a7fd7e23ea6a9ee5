/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of summaries: how far they can be trusted, then usable trains. */
#include "pprec/cmd/ranking.h"
#include "tests/unit/suites.h"

/* In the order of their trust, the least first; those that are sure are equals. */
static const enum pprec_state order[] = {
    PPREC_STATE_INSUFFICIENT, PPREC_STATE_SENDER_LIMITED, PPREC_STATE_AMBIGUOUS,
    PPREC_STATE_TENTATIVE,    PPREC_STATE_CONVERGED,      PPREC_STATE_SHAPED,
    PPREC_STATE_FAIR,         PPREC_STATE_POLICED,        PPREC_STATE_VARYING,
};

enum { STATES = sizeof order / sizeof order[0] };

_Static_assert(STATES == PPREC_STATE_VARYING + 1, "every state");

static struct ranking *ranking;

static void ranking_set_up(void)
{
    ranking = ranking_new();
    ck_assert_ptr_nonnull(ranking);
}

static void ranking_tear_down(void)
{
    ranking_free(ranking);
}

static void test_ranking_add(enum pprec_state state, uint64_t usable, int64_t first_ns)
{
    struct pprec_summary summary = {
        .capacity = {.state = state}, .counts = {.usable = usable}, .first_ns = first_ns};

    ck_assert(ranking_add(ranking, &summary));
}

/* The fewer usable trains, the more trust: trains decide only between equals. */
START_TEST(trust_goes_before_trains)
{
    for (int i = 0; i < STATES; i++)
        test_ranking_add(order[i], (uint64_t)(100 - i), i);
    ck_assert_uint_eq(ranking_sort(ranking), STATES);
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(ranking_at(ranking, i)->capacity.state, order[4 + i]);
    for (size_t i = 5; i < STATES; i++)
        ck_assert_int_eq(ranking_at(ranking, i)->capacity.state, order[STATES - 1 - i]);
}
END_TEST

/* More than there is room for at first. */
START_TEST(the_first_packet_decides_a_tie)
{
    for (int i = 0; i < 40; i++)
        test_ranking_add(PPREC_STATE_FAIR, 7, i * 17 % 40);
    ck_assert_uint_eq(ranking_sort(ranking), 40);
    for (size_t i = 0; i < 40; i++)
        ck_assert_int_eq(ranking_at(ranking, i)->first_ns, (int64_t)i);
}
END_TEST

Suite *ranking_suite(void)
{
    Suite *suite = suite_create("ranking");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, ranking_set_up, ranking_tear_down);
    tcase_add_test(all, trust_goes_before_trains);
    tcase_add_test(all, the_first_packet_decides_a_tie);
    suite_add_tcase(suite, all);
    return suite;
}
