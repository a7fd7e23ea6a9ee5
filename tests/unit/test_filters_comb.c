/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps that stand on teeth: those of a train, and what those of many trains deny. */
#include "filters/comb.h"
#include "tests/unit/suites.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

/* No pairs. */
static const struct readings none;

enum { GAPS = 30, BYTES = 1000, TRAINS = 4 };
#define US 1e3

static struct teeth read_gaps(const double *gaps_ns, double tick_ns)
{
    struct extent all = extent_of(gaps_ns, GAPS);

    return teeth_read(gaps_ns, &all, tick_ns);
}

/* One gap in three on the upper of two teeth, 400 and 500 us, but for so much to either side. */
static struct teeth teeth_of(double spread_us, double tick_us)
{
    double gaps_ns[GAPS];

    for (unsigned i = 0; i < GAPS; i++)
        gaps_ns[i] = ((i % 3 ? 400 : 500) + (i * 7 % 11 - 5.0) / 5 * spread_us) * US;
    return read_gaps(gaps_ns, tick_us * US);
}

START_TEST(two_teeth)
{
    struct teeth teeth = teeth_of(2, 0);

    ck_assert_double_eq_tol(teeth.low_ns, 400 * US, US);
    ck_assert_double_eq_tol(teeth.apart_ns, 100 * US, US);
}
END_TEST

/* Of four teeth, 500 to 800 us, the lowest has one gap in thirty. */
START_TEST(several_teeth)
{
    double gaps_ns[GAPS];
    struct teeth teeth;

    for (unsigned i = 0; i < GAPS; i++)
        gaps_ns[i] = ((i == 17 ? 500 : 600 + i % 3 * 100) + i * 7 % 11 - 5.0) * US;
    teeth = read_gaps(gaps_ns, 0);
    ck_assert_double_eq_tol(teeth.low_ns, 500 * US, 5 * US);
    ck_assert_double_eq_tol(teeth.apart_ns, 100 * US, 2 * US);
}
END_TEST

/* Gaps of 400 us and, where a digit says so, so many times 100 more, over and over. */
static bool in_runs(const char *digits)
{
    double gaps_ns[GAPS];
    const char *at = digits;

    for (unsigned i = 0; i < GAPS; i++, at++) {
        at = *at == 0 ? digits : at;
        gaps_ns[i] = (400 + (*at - '0') * 100 + (i * 7 % 11 - 5.0) / 5) * US;
    }
    return read_gaps(gaps_ns, 0).in_runs;
}

/* One flow's packets at a constant rate, one after each 1.4, 1.7 or 2.5 gaps: never two gaps in a row with and two
 * without one. A rate that holds for 1.5 gaps, or 3, has both. */
START_TEST(levels_in_a_row_are_no_flow)
{
    ck_assert(!in_runs("1101101"));
    ck_assert(!in_runs("1010110101"));
    ck_assert(!in_runs("00101"));
    ck_assert(in_runs("110100"));
    ck_assert(in_runs("111000"));
    ck_assert(!in_runs("111002")); /* more than one packet in a gap */
}
END_TEST

/* Gaps on so many steps of 100 us, over and over. */
static bool scattered(const char *digits)
{
    double gaps_ns[GAPS];
    const char *at = digits;

    for (unsigned i = 0; i < GAPS; i++, at++) {
        at = *at == 0 ? digits : at;
        gaps_ns[i] = ((*at - '0') * 100 + (i * 7 % 11 - 5.0) / 5) * US;
    }
    return read_gaps(gaps_ns, 0).scattered;
}

/* A packet of two and a half ticks takes two or three. Of a mean of 2 any that take one or three are no clock's: one in ten of either
 * is a variance of 0.2, one in thirty 0.07. */
START_TEST(more_teeth_than_a_clock_leaves)
{
    ck_assert(!scattered("23"));
    ck_assert(!scattered("223"));
    ck_assert(scattered("123"));
    ck_assert(scattered("1222222232"));
    ck_assert(!scattered("122222222222222322222222222222"));
}
END_TEST

START_TEST(what_lies_in_between_is_no_tooth)
{
    ck_assert_double_eq(teeth_of(50, 0).apart_ns, 0);
}
END_TEST

START_TEST(ticks_of_stamps_make_no_teeth)
{
    ck_assert_double_gt(teeth_of(2, 30).apart_ns, 0);
    ck_assert_double_eq(teeth_of(2, 50).apart_ns, 0);
}
END_TEST

START_TEST(gaps_alike_stand_on_none)
{
    double gaps_ns[GAPS];

    for (unsigned i = 0; i < GAPS; i++)
        gaps_ns[i] = 400 * US;
    ck_assert_double_eq(read_gaps(gaps_ns, 0).apart_ns, 0);
}
END_TEST

/* Trains whose 30 gaps stand on the lower tooth or 100 us above, as often; what they take differs by so much. */
static struct shapes trains_on(double tooth_us, double span_us)
{
    struct shapes shapes = {0};

    for (unsigned i = 0; i < TRAINS; i++) {
        struct shape *shape = &shapes.at[i];

        *shape = (struct shape){.number = i,
                                .bytes = BYTES,
                                .sent = GAPS + 1,
                                .packets = GAPS + 1,
                                .tooth_ns = (float)(tooth_us * US),
                                .teeth_apart_ns = (float)(100 * US),
                                .teeth_mean_ns = (float)((tooth_us + 50 + i % 2 * span_us / GAPS) * US),
                                .teeth_error = shape_share_of(50 / (tooth_us + 50) / sqrt(GAPS))};
    }
    shapes_hold(&shapes, TRAINS);
    return shapes;
}

static const struct comb *comb_of(const struct shapes *shapes, const struct readings *pairs)
{
    static struct comb comb;

    comb = comb_read(shapes, pairs);
    return &comb;
}

/* Independent gaps would make spans differ by the root of 30 times 50 us. */
START_TEST(traffic_at_a_constant_rate)
{
    struct shapes shapes = trains_on(340, 100), independent = trains_on(340, 500);

    ck_assert(comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
    ck_assert(comb_denies(comb_of(&shapes, &none), 195 * US, BYTES / 2));
    ck_assert(!comb_denies(comb_of(&shapes, &none), 341 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&independent, &none), 390 * US, BYTES));
}
END_TEST

/* Mean gaps of 392 us have 52 more than the lowest tooth. Were a packet of 100 us in that, others would take 152 of 392 us, 0.387: 15
 * first packets of 40 would wait, and surely over 0.233 of them. */
START_TEST(who_waits_tells_what_is_in_all_gaps)
{
    struct shapes shapes = trains_on(340, 100), independent = trains_on(340, 500);

    ck_assert(comb_spares(comb_of(&shapes, &none), 0.23, 40));
    ck_assert(!comb_spares(comb_of(&shapes, &none), 0.24, 40));
    ck_assert(!comb_spares(comb_of(&shapes, &none), 0, 9));
    ck_assert(!comb_spares(comb_of(&independent, &none), 0, 40));
}
END_TEST

/* In one train none is on the lowest tooth, and in another every second tooth is empty. */
START_TEST(trains_that_miss_teeth)
{
    struct shapes shapes = trains_on(340, 100);

    shapes.at[1].tooth_ns = (float)(440 * US);
    shapes.at[2].teeth_apart_ns = (float)(200 * US);
    ck_assert(comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
    shapes.at[3].teeth_apart_ns = (float)(160 * US);
    ck_assert(!comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
}
END_TEST

START_TEST(ticks_of_the_path)
{
    struct shapes whole = trains_on(300, 100), batches = trains_on(20, 100);

    ck_assert(!comb_denies(comb_of(&whole, &none), 350 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&batches, &none), 70 * US, BYTES));
}
END_TEST

/* The lower tooth of two trains each. */
static struct shapes trains_on_both(double low_us, double high_us)
{
    struct shapes shapes = trains_on(low_us, 100);

    for (unsigned i = 1; i < TRAINS; i += 2)
        shapes.at[i].tooth_ns = (float)(high_us * US);
    return shapes;
}

/* In steps of 100 us 338 and 342 are 3.42 in the middle, with an error of 1.25 * 0.04 / 1.349 / 2 = 0.019: no ticks. 290
 * and 292 are 2.92, to 0.01: of ticks that has a density of exp(-(0.08 / 0.01)^2 / 2) / (2.5 * 0.01), of anything else 1.
 * Of 297 and 301, 3.01 to 0.019, it is 18, and of 290 and 308, 3.08 to 0.083, 3.0: too little in a bucket. */
START_TEST(ticks_or_traffic)
{
    struct shapes between = trains_on_both(338, 342), less = trains_on_both(290, 292);
    struct shapes likely = trains_on_both(297, 301), loose = trains_on_both(290, 308);
    double bps = BYTES * 8e9 / (400 * US);

    ck_assert(comb_denies(comb_of(&between, &none), 400 * US, BYTES));
    ck_assert(comb_denies(comb_of(&less, &none), 400 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&likely, &none), 400 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&loose, &none), 400 * US, BYTES));
    ck_assert_double_gt(comb_spared(comb_of(&less, &none), bps, 0).most_bps, bps);
    ck_assert_double_eq(comb_spared(comb_of(&likely, &none), bps, 0).most_bps, 0);
    ck_assert_double_gt(comb_spared(comb_of(&loose, &none), bps, 0).most_bps, bps);
}
END_TEST

/* Pairs of half the size, so many each of these gaps, in steps of the teeth. */
static struct readings *halves(unsigned count, double steps, double other_steps)
{
    struct readings *pairs = malloc(readings_bytes(2 * count));

    readings_init(pairs, 2 * count, false);
    for (unsigned i = 0; i < 2 * count; i++) {
        struct reading reading = {
            .bytes = BYTES / 2, .gap_ns = (float)((i % 2 ? steps : other_steps) * 100 * US), .last_ns = NAN};

        readings_push(pairs, &reading);
    }
    return pairs;
}

/* Gaps on whole steps of 100 us. Smaller packets that leave at ticks have such gaps as well; behind whole packets of
 * others half of one more, for their own time. Three of six, or two of four, are too few. */
START_TEST(smaller_packets_tell_others_from_ticks)
{
    struct shapes shapes = trains_on_both(297, 301);
    struct readings *at_ticks = halves(3, 0, 2), *others = halves(3, 0.5, 1.5);
    struct readings *some = halves(3, 0.5, 1), *few = halves(2, 0.5, 1.5);

    ck_assert(!comb_denies(comb_of(&shapes, at_ticks), 400 * US, BYTES));
    ck_assert(comb_denies(comb_of(&shapes, others), 400 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&shapes, some), 400 * US, BYTES));
    ck_assert(!comb_denies(comb_of(&shapes, few), 400 * US, BYTES));
    free(at_ticks);
    free(others);
    free(some);
    free(few);
}
END_TEST

/* 340 us for 1000 bytes are 23.53 Mbit/s. Trains that begin 250 us apart have two packets of 100 us in each gap at most,
 * so it may be 140 us, 57.1 Mbit/s, that the bucket needs. 90 us: the others alone would fill it with one. */
START_TEST(others_in_every_gap_of_a_bucket)
{
    struct shapes shapes = trains_on(340, 100);
    struct spared spared = comb_spared(comb_of(&shapes, &none), 20.5e6, BYTES * 8e9 / (250 * US));

    ck_assert_double_eq_tol(spared.least_bps, BYTES * 8e9 / (340 * US), 1e3);
    ck_assert_double_eq_tol(spared.most_bps, BYTES * 8e9 / (140 * US), 1e3);
    spared = comb_spared(comb_of(&shapes, &none), 20.5e6, BYTES * 8e9 / (90 * US));
    ck_assert_double_eq_tol(spared.most_bps, spared.least_bps, 1);
    ck_assert_double_eq(comb_spared(comb_of(&shapes, &none), 23.4e6, BYTES * 8e9 / (90 * US)).most_bps, 0);
}
END_TEST

/* Without another's 100 us 180 are 80, in which the link sends 1000 bytes, and 1250 in 100. 160 would be 60, and the
 * other packet of 1667 bytes. */
START_TEST(what_is_longer_than_a_frame_is_no_packet)
{
    struct shapes shapes = trains_on(180, 100), longer = trains_on(160, 100);

    ck_assert_double_eq_tol(comb_spared(comb_of(&shapes, &none), 30e6, 0).most_bps, BYTES * 8e9 / (80 * US),
                            1e3);
    ck_assert_double_eq_tol(comb_spared(comb_of(&longer, &none), 30e6, 0).most_bps, BYTES * 8e9 / (160 * US),
                            1e3);
}
END_TEST

/* In one of four trains others were there for a part of it only; in two of five it is no stall. */
START_TEST(one_train_may_be_another)
{
    struct shapes shapes = trains_on(340, 100);

    shapes.at[1].teeth_mean_ns = (float)(350 * US);
    ck_assert(comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
    shapes.at[TRAINS] = shapes.at[1];
    shapes_hold(&shapes, TRAINS + 1);
    ck_assert(!comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
}
END_TEST

START_TEST(trains_without_gaps_to_read_are_counted)
{
    struct shapes shapes = trains_on(340, 100);

    for (unsigned i = 0; i < TRAINS; i++) {
        struct shape *batched = &shapes.at[TRAINS + i];

        *batched = shapes.at[i];
        batched->teeth_apart_ns = batched->teeth_mean_ns = 0;
    }
    shapes_hold(&shapes, TRAINS + 4);
    ck_assert(comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
    shapes.at[2 * TRAINS] = shapes.at[TRAINS];
    shapes_hold(&shapes, 2 * TRAINS + 1);
    ck_assert(!comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
}
END_TEST

/* Half of the gaps are 100 us longer than the lower tooth: two packets a turn, where that is the link's gap. */
START_TEST(packets_of_a_turn)
{
    struct shapes shapes = trains_on(20, 100);

    ck_assert_double_eq_tol(comb_packets(comb_of(&shapes, &none), 20 * US, BYTES), 2, 0.1);
    ck_assert_double_eq_tol(comb_packets(comb_of(&shapes, &none), 10 * US, BYTES / 2), 2, 0.1);
    ck_assert_double_eq(comb_packets(comb_of(&shapes, &none), 10 * US, BYTES), 1);
}
END_TEST

START_TEST(few_trains_have_no_comb)
{
    struct shapes shapes = trains_on(340, 100);

    shapes.pushed = TRAINS;
    shapes_keep(&shapes, 2);
    ck_assert(!comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
    ck_assert_double_eq(comb_packets(comb_of(&shapes, &none), 340 * US, BYTES), 1);
    shapes = (struct shapes){0};
    ck_assert(!comb_denies(comb_of(&shapes, &none), 390 * US, BYTES));
}
END_TEST

/* Trains on 300 us and whole steps of 100 above, of which so many are on more teeth than a clock leaves. */
static struct shapes trains_between_others(double tooth_us, unsigned scattered)
{
    struct shapes shapes = trains_on(tooth_us, 100);

    for (unsigned i = 0; i < scattered; i++)
        shapes.at[i].scattered = true;
    return shapes;
}

/* 300 us for 1000 bytes are 26.7 Mbit/s; less two of 100 us they are 80. 250 us hold no number of these. */
START_TEST(others_between_packets_of_trains)
{
    struct shapes whole = trains_between_others(300, 3), few = trains_between_others(300, 2);
    struct shapes part = trains_between_others(250, 3);
    struct between between = comb_between(&whole, &none);

    ck_assert_double_eq_tol(between.least_bps, BYTES * 8e9 / (300 * US), 1e3);
    ck_assert_double_eq_tol(between.guess_bps, BYTES * 8e9 / (100 * US), 1e3);
    ck_assert_double_eq(comb_between(&few, &none).least_bps, 0);
    between = comb_between(&part, &none);
    ck_assert_double_eq_tol(between.guess_bps, BYTES * 8e9 / (250 * US), 1e3);
    ck_assert_double_eq(between.least_bps, between.guess_bps);
}
END_TEST

/* Where smaller pairs are there they alone tell ticks, also if they are too few. */
START_TEST(smaller_packets_say_who_is_between)
{
    struct shapes scattered = trains_between_others(300, TRAINS), even = trains_between_others(300, 0);
    struct readings *at_ticks = halves(3, 1, 2), *others = halves(3, 0.5, 1.5), *few = halves(2, 0.5, 1.5);

    ck_assert_double_eq(comb_between(&scattered, at_ticks).least_bps, 0);
    ck_assert_double_eq(comb_between(&scattered, few).least_bps, 0);
    ck_assert_double_gt(comb_between(&even, others).least_bps, 0);
    free(at_ticks);
    free(others);
    free(few);
}
END_TEST

/* Three of four trains have steps of 100 us, and one of 300. Two are too few. The lowest tooth of one has an error. */
START_TEST(trains_of_few_gaps_miss_teeth)
{
    struct shapes shapes = trains_between_others(300, TRAINS);

    shapes.at[0].tooth_ns = (float)(280 * US);
    shapes.at[3].teeth_apart_ns = (float)(300 * US);
    ck_assert_double_eq_tol(comb_between(&shapes, &none).guess_bps, BYTES * 8e9 / (100 * US), 1e3);
    shapes.at[2].teeth_apart_ns = (float)(200 * US);
    ck_assert_double_eq(comb_between(&shapes, &none).guess_bps, 0);
}
END_TEST

/* 100 us are 1518 bytes, or less, where 1000 take 66 and more; two in a hundred are left to errors. */
START_TEST(a_pause_is_no_packet)
{
    struct shapes pause = trains_between_others(63, TRAINS), packet = trains_between_others(66, TRAINS);

    ck_assert_double_eq(comb_between(&pause, &none).least_bps, 0);
    ck_assert_double_eq_tol(comb_between(&packet, &none).least_bps, BYTES * 8e9 / (66 * US), 1e3);
}
END_TEST

Suite *filters_comb_suite(void)
{
    Suite *suite = suite_create("filters_comb");
    TCase *tcase = tcase_create("teeth");

    tcase_add_test(tcase, two_teeth);
    tcase_add_test(tcase, several_teeth);
    tcase_add_test(tcase, levels_in_a_row_are_no_flow);
    tcase_add_test(tcase, more_teeth_than_a_clock_leaves);
    tcase_add_test(tcase, what_lies_in_between_is_no_tooth);
    tcase_add_test(tcase, ticks_of_stamps_make_no_teeth);
    tcase_add_test(tcase, gaps_alike_stand_on_none);
    tcase_add_test(tcase, traffic_at_a_constant_rate);
    tcase_add_test(tcase, who_waits_tells_what_is_in_all_gaps);
    tcase_add_test(tcase, trains_that_miss_teeth);
    tcase_add_test(tcase, ticks_of_the_path);
    tcase_add_test(tcase, ticks_or_traffic);
    tcase_add_test(tcase, smaller_packets_tell_others_from_ticks);
    tcase_add_test(tcase, others_in_every_gap_of_a_bucket);
    tcase_add_test(tcase, what_is_longer_than_a_frame_is_no_packet);
    tcase_add_test(tcase, one_train_may_be_another);
    tcase_add_test(tcase, trains_without_gaps_to_read_are_counted);
    tcase_add_test(tcase, packets_of_a_turn);
    tcase_add_test(tcase, others_between_packets_of_trains);
    tcase_add_test(tcase, smaller_packets_say_who_is_between);
    tcase_add_test(tcase, trains_of_few_gaps_miss_teeth);
    tcase_add_test(tcase, a_pause_is_no_packet);
    tcase_add_test(tcase, few_trains_have_no_comb);
    suite_add_tcase(suite, tcase);
    return suite;
}
