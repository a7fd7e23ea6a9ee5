/* SPDX-License-Identifier: BSD-3-Clause */
/* The sorted window against a naive one that sorts anew each time. */
#include "filters/ranked.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

static struct ranked *ranked_of(unsigned room)
{
    struct ranked *ranked = malloc(ranked_bytes(room));

    ck_assert_ptr_nonnull(ranked);
    ranked_init(ranked, room);
    return ranked;
}

static double ranked_quantile(const struct ranked *ranked, double share)
{
    return sorted_quantile(ranked_sorted(ranked), share);
}

static void ranked_push_all(struct ranked *ranked, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ranked_push(ranked, values[i]);
}

START_TEST(empty_has_no_quantile)
{
    struct ranked *ranked = ranked_of(4);

    ck_assert_uint_eq(ranked->count, 0);
    ck_assert_double_eq(ranked_quantile(ranked, 0), 0);
    ck_assert_double_eq(ranked_quantile(ranked, 1), 0);
    free(ranked);
}
END_TEST

/* Type 7: of n numbers the quantile at p lies at rank 1 + (n - 1) p. For 1 2 4 8:
 * p = 0.5 at 2.5: between 2 and 4; p = 0.05 at 1.15; p = 0.95 at 3.85. */
START_TEST(quantiles_by_hand)
{
    static const double values[] = {8, 1, 4, 2};
    struct ranked *ranked = ranked_of(4);

    ranked_push_all(ranked, values, 4);
    ck_assert_double_eq(ranked_quantile(ranked, 0), 1);
    ck_assert_double_eq_tol(ranked_quantile(ranked, 0.05), 1.15, 1e-12);
    ck_assert_double_eq_tol(ranked_quantile(ranked, 0.5), 3, 1e-12);
    ck_assert_double_eq_tol(ranked_quantile(ranked, 0.95), 4 + 0.85 * 4, 1e-12);
    ck_assert_double_eq(ranked_quantile(ranked, 1), 8);
    free(ranked);
}
END_TEST

START_TEST(one_number_is_all_quantiles)
{
    struct ranked *ranked = ranked_of(1);
    static const double values[] = {5, 3, 7};

    ranked_push_all(ranked, values, 3);
    ck_assert_uint_eq(ranked->count, 1);
    ck_assert_double_eq(ranked_quantile(ranked, 0), 7);
    ck_assert_double_eq(ranked_quantile(ranked, 0.3), 7);
    ck_assert_double_eq(ranked_quantile(ranked, 1), 7);
    free(ranked);
}
END_TEST

/* --- Against the naive window --- */

enum { ROOM_MAX = 40, PUSHES = 600 };

struct naive {
    double values[ROOM_MAX + 1]; /* oldest first */
    unsigned count;
};

static void naive_push(struct naive *naive, unsigned room, double value)
{
    naive->values[naive->count++] = value;
    if (naive->count <= room)
        return;
    naive->count--;
    memmove(naive->values, naive->values + 1, naive->count * sizeof value);
}

static int ranked_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void assert_agree(const struct ranked *ranked, const struct naive *naive)
{
    struct sorted got = ranked_sorted(ranked);
    double sorted[ROOM_MAX + 1];

    memcpy(sorted, naive->values, sizeof sorted);
    qsort(sorted, naive->count, sizeof sorted[0], ranked_compare);
    ck_assert_uint_eq(got.count, naive->count);
    for (unsigned i = 0; i < naive->count; i++)
        ck_assert_double_eq(got.values[i], sorted[i]);
}

/* Few different values, so that equal ones meet. Whenever it is in order, by itself or
 * because it is asked to be, and after moving to a larger room. */
START_TEST(agrees_with_sorting)
{
    struct rng rng = rng_start("agrees_with_sorting");

    for (unsigned room = 1; room <= ROOM_MAX; room++) {
        struct ranked *ranked = ranked_of(room), *larger = ranked_of(ROOM_MAX);
        struct naive naive = {.count = 0};
        unsigned waited = 0;

        for (int i = 0; i < PUSHES; i++) {
            double value = rng_below(&rng, room) / 4.0;
            bool in_order = ranked_push(ranked, value);

            naive_push(&naive, room, value);
            waited = in_order ? 0 : waited + 1;
            ck_assert_uint_le(waited, naive.count / 16);
            if (!in_order && rng_percent(&rng, 80))
                continue;
            ranked_sort(ranked);
            waited = 0;
            assert_agree(ranked, &naive);
        }
        ranked_push(ranked, 7);
        naive_push(&naive, room, 7);
        ranked_copy(larger, ranked);
        ranked_sort(larger);
        assert_agree(larger, &naive);
        free(ranked);
        free(larger);
    }
}
END_TEST

/* A sixteenth of 256 may be missing: no more than eight ranks. */
START_TEST(in_order_by_itself_after_a_sixteenth)
{
    struct ranked *ranked = ranked_of(256);
    unsigned times = 0;

    for (unsigned i = 0; i < 15; i++)
        ck_assert(ranked_push(ranked, i));
    for (unsigned i = 15; i < 256; i++)
        ranked_push(ranked, i);
    ranked_sort(ranked);
    for (unsigned i = 0; i < 17 * 10; i++)
        times += ranked_push(ranked, i);
    ck_assert_uint_eq(times, 10);
    free(ranked);
}
END_TEST

Suite *ranked_suite(void)
{
    Suite *suite = suite_create("ranked");
    TCase *golden = tcase_create("golden");
    TCase *property = tcase_create("property");

    tcase_add_test(golden, empty_has_no_quantile);
    tcase_add_test(golden, quantiles_by_hand);
    tcase_add_test(golden, one_number_is_all_quantiles);
    tcase_add_test(property, agrees_with_sorting);
    tcase_add_test(property, in_order_by_itself_after_a_sixteenth);
    suite_add_tcase(suite, golden);
    suite_add_tcase(suite, property);
    return suite;
}
