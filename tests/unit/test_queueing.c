/* SPDX-License-Identifier: BSD-3-Clause */
/* Queueing delays told from one-way delays of two clocks, against those that were made: skew,
 * steps, paths that change, standing queues. */
#include "common/stamp.h"
#include "filters/sort.h"
#include "pprec/lib/queueing.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdlib.h>

#define MS STAMP_NS_PER_MS
#define SECOND STAMP_NS_PER_S

enum { INTERVAL_MS = 100, PACKET_MS = 10 };

/* 1500 bytes on 10 Mbit/s: a queue is never steadier. */
#define PACKET_NS 1.2e6

/* The truth; what the calls below change from one moment to the next. */
struct world {
    struct queueing queueing;
    struct rng rng;
    int64_t now_ns;
    double offset_ns; /* receiver's clock less sender's */
    double skew;      /* of the receiver's, ns/ns */
    double path_ns;
    double queue_ns;
    double noise_ns; /* of a delay, at most */
    uint32_t bytes;  /* of a packet; 0: 100 to 1500, ... */
    double byte_ns;  /* ... which take so long each */
};

static struct world world;

static void queueing_begin(const char *test)
{
    world = (struct world){
        .rng = rng_start(test),
        .now_ns = INT64_C(1700000000) * SECOND,
        .offset_ns = 3.7e9,
        .path_ns = 20e6,
        .noise_ns = 50e3,
        .bytes = 1200,
    };
}

static double queueing_chance(void)
{
    return (double)(rng_next(&world.rng) >> 11) * 0x1p-53;
}

/* A packet leaves now. */
static void queueing_send(void)
{
    uint32_t bytes = world.bytes != 0 ? world.bytes : 100 + rng_below(&world.rng, 1401);
    double delay_ns =
        world.byte_ns * bytes + world.path_ns + world.queue_ns + world.noise_ns * queueing_chance();
    double received_ns =
        delay_ns + world.offset_ns + world.skew * (double)(world.now_ns - INT64_C(1700000000) * SECOND);
    int64_t ns = (int64_t)received_ns;

    queueing_push(&world.queueing, (struct delay){world.now_ns + ns, ns, bytes});
}

/* An interval with that queue. */
static struct queueing_figures interval(double queue_ns)
{
    world.queue_ns = queue_ns;
    for (int i = 0; i < INTERVAL_MS / PACKET_MS; i++) {
        queueing_send();
        world.now_ns += PACKET_MS * MS;
    }
    return queueing_end(&world.queueing, INTERVAL_MS * MS);
}

/* The greatest error in that many seconds with that queue, or up to five packets more. */
static double error_over(int seconds, double queue_ns)
{
    double worst = 0;

    for (int i = 0; i < seconds * 1000 / INTERVAL_MS; i++) {
        double really_ns =
            queue_ns + (queue_ns > 0 ? 4 * PACKET_NS * fmod(i / 37.0, 1) + PACKET_NS * queueing_chance() : 0);
        struct queueing_figures figures = interval(really_ns);

        worst = fmax(worst, fabs((double)figures.median_ns - really_ns));
    }
    return worst;
}

/* --- Clocks that run apart --- */

static const double skews[] = {0, 50e-6, -50e-6, 200e-6, -200e-6};

START_TEST(skew_is_taken_out)
{
    queueing_begin("skew_is_taken_out");
    world.skew = skews[_i];
    ck_assert_double_lt(error_over(600, 0), 0.3e6);
}
END_TEST

/* After ten seconds of an empty queue one that stands for a minute. */
START_TEST(standing_queue_with_skew)
{
    queueing_begin("standing_queue_with_skew");
    world.skew = skews[_i];
    error_over(10, 0);
    ck_assert_double_lt(error_over(60, 15e6), 1e6);
    ck_assert_double_lt(error_over(60, 0), 1e6);
}
END_TEST

/* A queue that swings as TCP's does, and is empty now and then. */
START_TEST(swinging_queue_with_skew)
{
    double worst = 0;

    queueing_begin("swinging_queue_with_skew");
    world.skew = skews[_i];
    error_over(5, 0);
    for (int i = 0; i < 3000; i++) {
        double queue_ns = fmax(0, 30e6 * sin(i / 30.0) + 10e6 * (queueing_chance() - 0.5));
        struct queueing_figures figures = interval(queue_ns);

        worst = fmax(worst, fabs((double)figures.median_ns - queue_ns));
    }
    ck_assert_double_lt(worst, 1e6);
}
END_TEST

/* A buffer that TCP never lets run empty, for five minutes. */
START_TEST(queueing_queue_that_never_empties)
{
    double worst = 0;

    queueing_begin("queue_that_never_empties");
    world.skew = skews[_i];
    error_over(30, 0);
    for (int i = 0; i < 3000; i++) {
        double queue_ns = 14e6 + 30e6 * fmod(i / 70.0, 1) + 1.2e6 * queueing_chance();
        struct queueing_figures figures = interval(queue_ns);

        worst = fmax(worst, fabs((double)figures.median_ns - queue_ns));
    }
    ck_assert_double_lt(worst, 1e6);
}
END_TEST

/* Other packets of 1500 bytes come at random and make four fifths of what the link carries. */
START_TEST(beside_traffic)
{
    double worst = 0, next_ns = 0, at_ns = 0, wait_ns = 0, over[INTERVAL_MS / PACKET_MS];

    queueing_begin("beside_traffic");
    world.skew = skews[_i];
    for (int i = 0; i < 1200; i++) {
        struct queueing_figures figures;

        for (int k = 0; k < INTERVAL_MS / PACKET_MS; k++, at_ns += PACKET_MS * 1e6) {
            while (next_ns < at_ns) {
                wait_ns = fmax(wait_ns - next_ns, 0) + next_ns + PACKET_NS; /* it is free then */
                next_ns -= log(1 - queueing_chance()) * PACKET_NS / 0.8;
            }
            over[k] = world.queue_ns = fmax(wait_ns - at_ns, 0);
            queueing_send();
            world.now_ns += PACKET_MS * MS;
        }
        figures = queueing_end(&world.queueing, INTERVAL_MS * MS);
        sort_numbers(over, INTERVAL_MS / PACKET_MS);
        if (i >= 100)
            worst = fmax(worst, fabs((double)figures.median_ns - (over[4] + over[5]) / 2));
    }
    ck_assert_double_lt(worst, 0.5e6);
}
END_TEST

/* --- Clocks that are set, paths that change --- */

static const double steps_ns[] = {-3600e9, -5e9, -0.5e9, -5e6, 5e6, 0.5e9, 5e9, 3600e9};

/* Down, and up by more than ten seconds: at once. Up by less: within eleven seconds. */
START_TEST(clock_is_set)
{
    queueing_begin("clock_is_set");
    world.skew = 20e-6;
    error_over(60, 0);
    world.offset_ns += steps_ns[_i];
    if (steps_ns[_i] > 0 && steps_ns[_i] < 10e9)
        error_over(12, 0);
    ck_assert_double_lt(error_over(60, 0), 0.5e6);
    ck_assert_double_lt(error_over(20, 8e6), 1e6);
}
END_TEST

START_TEST(path_changes)
{
    static const double paths_ns[] = {5e6, 20.5e6, 35e6, 120e6};

    queueing_begin("path_changes");
    world.skew = -50e-6;
    error_over(45, 0);
    world.path_ns = paths_ns[_i];
    error_over(_i == 0 ? 0 : 12, 0);
    ck_assert_double_lt(error_over(60, 0), 0.5e6);
    ck_assert_double_lt(error_over(20, 8e6), 1e6);
}
END_TEST

/* Where packets are lost a flat level may be that of a full buffer. */
START_TEST(full_buffer_is_no_path)
{
    queueing_begin("full_buffer_is_no_path");
    error_over(45, 0);
    for (int i = 0; i < 600; i++) {
        struct queueing_figures figures = interval(48e6);

        floor_note_loss(&world.queueing.floor);
        ck_assert_double_lt(fabs((double)figures.median_ns - 48e6), 1e6);
    }
}
END_TEST

/* A queue that was there first is not known before it has been empty. */
START_TEST(queue_from_the_beginning)
{
    queueing_begin("queue_from_the_beginning");
    for (int i = 0; i < 50; i++)
        interval(20e6 - 4e5 * i);
    ck_assert_double_lt(error_over(30, 0), 0.5e6);
    ck_assert_double_lt(error_over(30, 9e6), 1e6);
}
END_TEST

/* Small packets and large ones, on 2 Mbit/s; that is known after half a minute, and then more
 * closely. */
START_TEST(packets_of_all_sizes)
{
    queueing_begin("packets_of_all_sizes");
    world.bytes = 0;
    world.byte_ns = 4000;
    world.skew = skews[_i];
    error_over(30, 0);
    queueing_set_byte(&world.queueing, 3800);
    error_over(5, 0);
    queueing_set_byte(&world.queueing, 4000);
    ck_assert_double_lt(error_over(60, 0), 0.5e6);
    ck_assert_double_lt(error_over(60, 15e6), 1e6);
}
END_TEST

/* --- Figures --- */

START_TEST(median_and_most)
{
    struct queueing_figures figures;

    queueing_begin("median_and_most");
    world.noise_ns = 0;
    interval(0);
    for (int i = 0; i < 9; i++) {
        world.queue_ns = i < 5 ? 2e6 : 7e6;
        queueing_send();
        world.now_ns += PACKET_MS * MS;
    }
    figures = queueing_end(&world.queueing, INTERVAL_MS * MS);
    ck_assert_int_eq(figures.median_ns, 2000000);
    ck_assert_int_eq(figures.most_ns, 7000000);
    ck_assert_uint_eq(figures.timed, 9);
    figures = queueing_end(&world.queueing, INTERVAL_MS * MS);
    ck_assert_uint_eq(figures.timed, 0);
}
END_TEST

/* What was the greatest may be none once it is known what packets take by their size. */
START_TEST(most_is_not_below_the_median)
{
    static const struct delay delays[] = {{0, 1000000, 100},
                                          {10 * MS, 3000000, 1500},
                                          {20 * MS, 2000000, 100},
                                          {30 * MS, 2000000, 100},
                                          {40 * MS, 2000000, 100}};
    struct queueing_figures figures;

    queueing_begin("most_is_not_below_the_median");
    for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++)
        queueing_push(&world.queueing, delays[i]);
    queueing_set_byte(&world.queueing, 1400);
    figures = queueing_end(&world.queueing, INTERVAL_MS * MS);
    ck_assert_int_ge(figures.most_ns, figures.median_ns);
    ck_assert_int_eq(figures.most_ns, 1000000);
}
END_TEST

/* Of 2000 packets 64 are drawn: their median is one of the middle ones. */
START_TEST(median_of_many)
{
    struct queueing_figures figures;

    queueing_begin("median_of_many");
    world.noise_ns = 0;
    interval(0);
    for (int i = 0; i < 2000; i++) {
        world.queue_ns = 1e6 * (i % 10);
        queueing_send();
        world.now_ns += MS / 20;
    }
    figures = queueing_end(&world.queueing, INTERVAL_MS * MS);
    ck_assert_int_ge(figures.median_ns, 2000000);
    ck_assert_int_le(figures.median_ns, 7000000);
    ck_assert_int_eq(figures.most_ns, 9000000);
    ck_assert_uint_eq(figures.timed, 2000);
}
END_TEST

START_TEST(trend)
{
    queueing_begin("trend");
    world.skew = 100e-6;
    ck_assert_double_eq(interval(0).trend, 0);
    ck_assert_double_eq(interval(0).trend, 0);
    for (int i = 0; i < 100; i++)
        ck_assert_double_lt(fabs(interval(0).trend), 0.002);
    for (int i = 0; i < 8; i++)
        interval(2e6 * i);
    ck_assert_double_lt(fabs(interval(16e6).trend - 0.02), 0.003);
    interval(90e6); /* one of them alone is not a trend */
    ck_assert_double_lt(fabs(interval(20e6).trend - 0.02), 0.01);
    for (int i = 0; i < 8; i++)
        interval(20e6 - 2e6 * i);
    ck_assert_double_lt(fabs(interval(4e6).trend + 0.02), 0.003);
}
END_TEST

/* After a pause the trend begins anew. */
START_TEST(trend_is_of_the_present)
{
    queueing_begin("trend_is_of_the_present");
    for (int i = 0; i < 20; i++)
        interval(1e6 * i);
    world.now_ns += 10 * SECOND;
    ck_assert_double_eq(interval(0).trend, 0);
}
END_TEST

Suite *queueing_suite(void)
{
    Suite *suite = suite_create("queueing");
    TCase *clocks = tcase_create("clocks");
    TCase *figures = tcase_create("figures");

    tcase_add_loop_test(clocks, skew_is_taken_out, 0, 5);
    tcase_add_loop_test(clocks, standing_queue_with_skew, 0, 5);
    tcase_add_loop_test(clocks, swinging_queue_with_skew, 0, 5);
    tcase_add_loop_test(clocks, queueing_queue_that_never_empties, 0, 5);
    tcase_add_loop_test(clocks, beside_traffic, 0, 5);
    tcase_add_loop_test(clocks, clock_is_set, 0, 8);
    tcase_add_loop_test(clocks, path_changes, 0, 4);
    tcase_add_test(clocks, full_buffer_is_no_path);
    tcase_add_test(clocks, queue_from_the_beginning);
    tcase_add_loop_test(clocks, packets_of_all_sizes, 0, 5);
    tcase_add_test(figures, median_and_most);
    tcase_add_test(figures, most_is_not_below_the_median);
    tcase_add_test(figures, median_of_many);
    tcase_add_test(figures, trend);
    tcase_add_test(figures, trend_is_of_the_present);
    suite_add_tcase(suite, clocks);
    suite_add_tcase(suite, figures);
    return suite;
}
