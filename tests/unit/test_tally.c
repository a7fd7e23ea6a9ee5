/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts by stream for a bounded number of streams: who has a place, and who gives way. */
#include "common/stamp.h"
#include "pprec/cmd/tally.h"
#include "tests/unit/suites.h"

#include <stdlib.h>

static struct tally tally;

static void tally_set_up(void)
{
    tally = (struct tally){.count = 0};
}

static struct pprec_train tally_train_of(uint32_t stream, double rate_bps)
{
    return (struct pprec_train){
        .source = {.address = {192, 0, 2, 1}, .port = 9000, .ip = 4},
        .stream = stream,
        .rate_bps = rate_bps,
        .verdict = rate_bps > 0 ? PPREC_VERDICT_OK : PPREC_VERDICT_PARTIAL,
    };
}

static void tally_push(uint32_t stream, double rate_bps, double now_s)
{
    struct pprec_train train = tally_train_of(stream, rate_bps);

    tally_train(&tally, &train, (int64_t)(now_s * 1e9));
}

static const struct tally_place *test_tally_find(uint32_t stream)
{
    struct pprec_train train = tally_train_of(stream, 0);

    return tally_find(&tally, &train.source, stream);
}

/* Streams from to end - 1, a train each. */
static void push_many(uint32_t from, uint32_t end, double rate_bps, double now_s)
{
    for (uint32_t stream = from; stream < end; stream++)
        tally_push(stream, rate_bps, now_s);
}

START_TEST(trains_are_counted_by_verdict)
{
    tally_push(1, 1e7, 0);
    tally_push(1, 1e7, 1);
    tally_push(2, 1e7, 1);
    tally_push(1, 0, 2);
    ck_assert_uint_eq(test_tally_find(1)->verdicts[PPREC_VERDICT_OK], 2);
    ck_assert_uint_eq(test_tally_find(1)->verdicts[PPREC_VERDICT_PARTIAL], 1);
    ck_assert_uint_eq(test_tally_find(2)->verdicts[PPREC_VERDICT_OK], 1);
    ck_assert_ptr_null(test_tally_find(3));
}
END_TEST

/* A class holds what is at most its bound, as Prometheus has it ("le"). */
START_TEST(rates_fall_into_classes)
{
    static const struct {
        double bps;
        int class;
    } cases[] = {{1, 0},   {1e4, 0},      {10001, 1}, {2e4, 1},         {9.99e6, 9},
                 {1e7, 9}, {1e7 + 1, 10}, {1e11, 21}, {1e11 + 1e5, 22}, {1e15, 22}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t before = i > 0 ? test_tally_find(1)->rates[cases[i].class] : 0;

        tally_push(1, cases[i].bps, 0);
        ck_assert_msg(test_tally_find(1)->rates[cases[i].class] == before + 1, "%g", cases[i].bps);
    }
    ck_assert_double_eq_tol(test_tally_find(1)->rates_sum_bps,
                            1 + 1e4 + 10001 + 2e4 + 9.99e6 + 1e7 + 1e7 + 1 + 1e11 + 1e11 + 1e5 + 1e15, 1);
}
END_TEST

START_TEST(bounds_are_1_2_5_a_decade)
{
    ck_assert_double_eq(tally_bounds_bps[0], 1e4);
    ck_assert_double_eq(tally_bounds_bps[TALLY_BOUNDS - 1], 1e11);
    for (int i = 3; i < TALLY_BOUNDS; i++)
        ck_assert_double_eq(tally_bounds_bps[i], 10 * tally_bounds_bps[i - 3]);
}
END_TEST

START_TEST(sources_tell_streams_apart)
{
    struct pprec_train other = tally_train_of(1, 1e7);

    tally_push(1, 1e7, 0);
    other.source.port++;
    tally_train(&tally, &other, 0);
    other.source.address[15] = 9; /* no part of an IPv4 address */
    tally_train(&tally, &other, 0);
    ck_assert_uint_eq(tally.count, 2);
    ck_assert_uint_eq(test_tally_find(1)->verdicts[PPREC_VERDICT_OK], 1);
}
END_TEST

START_TEST(an_ended_stream_leaves_its_place)
{
    struct pprec_train train = tally_train_of(1, 0);

    push_many(0, 3, 1e7, 0);
    tally_end(&tally, &train.source, 1);
    tally_end(&tally, &train.source, 99);
    ck_assert_uint_eq(tally.count, 2);
    ck_assert_ptr_null(test_tally_find(1));
    ck_assert_ptr_nonnull(test_tally_find(0));
    ck_assert_ptr_nonnull(test_tally_find(2));
}
END_TEST

/* --- No free place --- */

START_TEST(a_flood_pushes_out_no_measurement)
{
    push_many(0, TALLY_PLACES, 1e7, 0);
    for (double s = 0; s < 3600; s += 0.5) {
        push_many(0, TALLY_PLACES, 1e7, s);
        push_many(1000 + (uint32_t)(100 * s), 1050 + (uint32_t)(100 * s), 1e7, s);
        push_many(1 << 20, (1 << 20) + 50, 0, s);
    }
    for (uint32_t i = 0; i < TALLY_PLACES; i++)
        ck_assert_ptr_nonnull(test_tally_find(i));
    ck_assert_uint_eq(tally.displaced, 0);
}
END_TEST

START_TEST(a_measurement_takes_the_place_of_a_flood)
{
    push_many(0, TALLY_PLACES, 0, 0);
    tally_push(3, 1e7, 0.1); /* has proved itself */
    tally_push(0, 0, 0.2);
    tally_push(1000, 1e7, 1);
    ck_assert_ptr_nonnull(test_tally_find(1000));
    ck_assert_ptr_null(test_tally_find(1)); /* the longest silent without a rate */
    ck_assert_ptr_nonnull(test_tally_find(0));
    ck_assert_uint_eq(tally.displaced, 1);
    push_many(2000, 2000 + 2 * TALLY_PLACES, 1e7, 2);
    ck_assert_ptr_nonnull(test_tally_find(3));
    ck_assert_ptr_nonnull(test_tally_find(1000));
    ck_assert_uint_eq(tally.displaced, TALLY_PLACES - 1);
}
END_TEST

START_TEST(the_longest_silent_goes_after_a_minute)
{
    push_many(0, TALLY_PLACES, 1e7, 0);
    tally_push(7, 1e7, -1);
    tally_push(1000, 1e7, 58.9);
    ck_assert_ptr_null(test_tally_find(1000));
    tally_push(1000, 0, 59.5); /* without a rate it has to wait until one is gone */
    ck_assert_ptr_null(test_tally_find(1000));
    tally_push(1000, 1e7, 59.5);
    ck_assert_ptr_nonnull(test_tally_find(1000));
    ck_assert_ptr_null(test_tally_find(7));
    ck_assert_uint_eq(tally.displaced, 1);
}
END_TEST

START_TEST(who_is_gone_is_not_displaced)
{
    push_many(0, TALLY_PLACES, 1e7, 0);
    ck_assert(tally_present(test_tally_find(0), 299 * STAMP_NS_PER_S));
    ck_assert(!tally_present(test_tally_find(0), 300 * STAMP_NS_PER_S));
    tally_push(1000, 0, 300);
    ck_assert_ptr_nonnull(test_tally_find(1000));
    ck_assert_uint_eq(tally.displaced, 0);
}
END_TEST

START_TEST(what_measured_keeps_its_place_for_half_as_long)
{
    for (int s = 0; s <= 130; s++)
        tally_push(0, 1e7, s);
    for (int s = 131; s < 194; s++)
        push_many(1, TALLY_PLACES, 1e7, s);
    tally_push(1000, 1e7, 194); /* silent for 64 s */
    ck_assert_ptr_null(test_tally_find(1000));
    ck_assert_ptr_nonnull(test_tally_find(0));
    tally_push(1000, 1e7, 195);
    ck_assert_ptr_nonnull(test_tally_find(1000));
    ck_assert_ptr_null(test_tally_find(0));
}
END_TEST

/* --- Whose places --- */

static struct pprec_endpoint ipv6_of(uint8_t network, uint8_t host)
{
    return (struct pprec_endpoint){.address = {0x20, 1, [7] = network, [15] = host}, .ip = 6};
}

static const struct tally_place *push_as(struct pprec_endpoint source, uint32_t stream, double now_s)
{
    struct pprec_train train = tally_train_of(stream, 1e7);

    train.source = source;
    tally_train(&tally, &train, (int64_t)(now_s * 1e9));
    return tally_find(&tally, &source, stream);
}

START_TEST(one_address_leaves_places_to_others)
{
    struct pprec_endpoint other = {.address = {192, 0, 2, 2}, .port = 9000, .ip = 4};

    tally.of_address = TALLY_PLACES / 4;
    for (double s = 0; s < 10; s++)
        push_many(0, TALLY_PLACES, 1e7, s);
    ck_assert_uint_eq(tally.count, TALLY_PLACES / 4);
    ck_assert_ptr_nonnull(push_as(other, 1000, 10));
    ck_assert_uint_eq(tally.displaced, 0);
}
END_TEST

/* Its own that is silent for a minute, and no other's. */
START_TEST(one_address_takes_its_own_places)
{
    struct pprec_endpoint other = {.address = {192, 0, 2, 2}, .port = 9000, .ip = 4};

    tally.of_address = TALLY_PLACES / 4;
    push_as(other, 1000, 0);
    push_many(0, TALLY_PLACES / 4, 1e7, 1);
    push_many(1, TALLY_PLACES / 4, 1e7, 60);
    tally_push(2000, 1e7, 61);
    ck_assert_ptr_nonnull(test_tally_find(2000));
    ck_assert_ptr_null(test_tally_find(0));
    ck_assert_ptr_nonnull(tally_find(&tally, &other, 1000));
    ck_assert_uint_eq(tally.count, TALLY_PLACES / 4 + 1);
}
END_TEST

START_TEST(an_ipv6_network_is_one_address)
{
    tally.of_address = 2;
    for (uint8_t host = 1; host <= 3; host++)
        ck_assert_int_eq(push_as(ipv6_of(0, host), 1, 0) != NULL, host < 3);
    ck_assert_ptr_nonnull(push_as(ipv6_of(1, 1), 1, 0));
}
END_TEST

/* --- Who has lasted --- */

static double standing(uint32_t stream, double now_s)
{
    struct pprec_train train = tally_train_of(stream, 0);

    return tally_standing(&tally, &train.source, stream, (int64_t)(now_s * 1e9));
}

START_TEST(standing_is_how_long_it_was_measured)
{
    for (int s = 0; s <= 100; s++) {
        tally_push(1, 1e7, s);
        if (s >= 50)
            tally_push(2, 1e7, s);
        tally_push(3, 0, s); /* packets, but no rate */
        tally_push(1000 + (uint32_t)s, 1e7, s);
    }
    ck_assert_double_eq_tol(standing(1, 100), 1, 1e-9);
    ck_assert_double_eq_tol(standing(2, 100), 0.5, 1e-9);
    ck_assert_double_eq(standing(3, 100), 0);
    ck_assert_double_eq(standing(1000, 100), 0);
    ck_assert_double_eq(standing(99999, 100), 0);
}
END_TEST

START_TEST(the_first_ten_seconds_give_no_standing)
{
    tally_push(1, 1e7, 0);
    tally_push(1, 1e7, 9.9);
    ck_assert_double_eq(standing(1, 9.9), 0);
    tally_push(1, 1e7, 10);
    ck_assert_double_eq(standing(1, 10), 1);
    ck_assert_double_eq(standing(1, 100), 1); /* the longest of all, though it is silent */
}
END_TEST

/* Ten seconds beside a hundred, whatever lies between its trains. */
START_TEST(a_train_an_hour_measures_nothing)
{
    tally_push(1, 1e7, 0);
    for (int s = 3500; s <= 3600; s++)
        tally_push(2, 1e7, s);
    tally_push(1, 1e7, 3600);
    ck_assert_double_eq_tol(standing(2, 3600), 1, 1e-9);
    ck_assert_double_eq_tol(standing(1, 3600), 0.1, 1e-9);
}
END_TEST

/* Of 200 kB a second two streams that have lasted may have 50 each. */
START_TEST(a_share_is_half_by_those_who_have_lasted)
{
    struct pprec_train train = tally_train_of(1, 0);
    size_t rows = 0;

    for (int s = 0; s <= 100; s++)
        push_many(1, 3, 1e7, s);
    for (int ms = 0; ms < 10000; ms++)
        rows += tally_affords(&tally, &train.source, 1, 100, 2e5, (100000 + ms) * INT64_C(1000000));
    ck_assert(rows >= 5490 && rows <= 5510); /* one second's share is at hand at once */
    ck_assert(!tally_affords(&tally, &train.source, 99, 100, 2e5, 110 * STAMP_NS_PER_S));
}
END_TEST

Suite *tally_suite(void)
{
    Suite *suite = suite_create("tally");
    TCase *counts = tcase_create("counts");
    TCase *places = tcase_create("places");

    tcase_add_checked_fixture(counts, tally_set_up, NULL);
    tcase_add_test(counts, trains_are_counted_by_verdict);
    tcase_add_test(counts, rates_fall_into_classes);
    tcase_add_test(counts, bounds_are_1_2_5_a_decade);
    tcase_add_test(counts, sources_tell_streams_apart);
    tcase_add_test(counts, an_ended_stream_leaves_its_place);
    suite_add_tcase(suite, counts);
    tcase_add_checked_fixture(places, tally_set_up, NULL);
    tcase_add_test(places, a_flood_pushes_out_no_measurement);
    tcase_add_test(places, a_measurement_takes_the_place_of_a_flood);
    tcase_add_test(places, the_longest_silent_goes_after_a_minute);
    tcase_add_test(places, who_is_gone_is_not_displaced);
    tcase_add_test(places, what_measured_keeps_its_place_for_half_as_long);
    tcase_add_test(places, one_address_leaves_places_to_others);
    tcase_add_test(places, one_address_takes_its_own_places);
    tcase_add_test(places, an_ipv6_network_is_one_address);
    tcase_add_test(places, standing_is_how_long_it_was_measured);
    tcase_add_test(places, the_first_ten_seconds_give_no_standing);
    tcase_add_test(places, a_train_an_hour_measures_nothing);
    tcase_add_test(places, a_share_is_half_by_those_who_have_lasted);
    suite_add_tcase(suite, places);
    return suite;
}
