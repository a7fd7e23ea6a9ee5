/* SPDX-License-Identifier: BSD-3-Clause */
/* What pptrans decides before it sends: sizes, load, times, way of sending. */
#include "tests/unit/suites.h"
#include "common/stamp.h"
#include "pptrans/method.h"
#include "pptrans/options.h"
#include "pptrans/plan.h"
#include "pptrans/schedule.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct plan_wish paper = {
    .layer = {.kind = LAYER_L2}, .size_bytes = 1000, .length = 2, .delay_ms = 500};

static struct plan plan;
static struct error error;

/* --- sizes and load ----------------------------------------------------- */

START_TEST(test_paper_pair)
{
    ck_assert_int_eq(plan_make(&plan, &paper, LAYER_IPV4, 1500, &error), 0);
    ck_assert_uint_eq(plan.train.payload_bytes, 954);
    ck_assert_uint_eq(plan.train.length_log2, 1);
    ck_assert_uint_eq(plan_longest(&plan), 2);
    /* 2 packets of 8000 bits, twice a second. */
    ck_assert_double_eq_tol(plan_load_bps(&plan, &paper.layer), 32000, 1e-6);
    ck_assert_double_eq_tol(plan_load_bps(&plan, &(struct layer){.kind = LAYER_WIRE}), 32640, 1e-6);
}
END_TEST

static const struct {
    uint32_t size_bytes;
    enum layer_kind layer;
    enum layer_ip ip;
    const char *wrong; /* NULL: it fits */
} sizes[] = {
    {1518, LAYER_L2, LAYER_IPV4, NULL},
    {1519, LAYER_L2, LAYER_IPV4,
     "-s 1519: more than the path's MTU of 1500 bytes takes; the "
     "largest size at layer l2 is 1518"},
    {1518, LAYER_L2, LAYER_IPV6, NULL},
    {1500, LAYER_IP, LAYER_IPV6, NULL},
    {1453, LAYER_UDP, LAYER_IPV6,
     "-s 1453: more than the path's MTU of 1500 bytes takes; the "
     "largest size at layer udp is 1452"},
    {1538, LAYER_WIRE, LAYER_IPV4, NULL},
    {1539, LAYER_WIRE, LAYER_IPV4,
     "-s 1539: more than the path's MTU of 1500 bytes takes; the "
     "largest size at layer wire is 1538"},
    {64, LAYER_L2, LAYER_IPV4, NULL},
    {63, LAYER_L2, LAYER_IPV4,
     "-s 63: too small for the probe header; the least size at layer "
     "l2 is 64"},
    {83, LAYER_L2, LAYER_IPV6,
     "-s 83: too small for the probe header; the least size at layer "
     "l2 is 84"},
    {83, LAYER_WIRE, LAYER_IPV4,
     "-s 83: too small for the probe header; the least size at layer "
     "wire is 84"},
    {1, LAYER_L2, LAYER_IPV4,
     "-s 1: too small for the probe header; the least size at layer l2 "
     "is 64"},
    {1000000, LAYER_UDP, LAYER_IPV4,
     "-s 1000000: more than the path's MTU of 1500 bytes takes; "
     "the largest size at layer udp is 1472"},
};

START_TEST(test_size_fits_or_is_named)
{
    struct plan_wish wish = paper;

    wish.size_bytes = sizes[_i].size_bytes;
    wish.layer.kind = sizes[_i].layer;
    error.text[0] = '\0';
    ck_assert_int_eq(plan_make(&plan, &wish, sizes[_i].ip, 1500, &error), sizes[_i].wrong ? -1 : 0);
    ck_assert_str_eq(error.text, sizes[_i].wrong ? sizes[_i].wrong : "");
}
END_TEST

/* A loopback's MTU of 64 KiB is more than IP can carry. */
START_TEST(test_no_packet_above_64_kib)
{
    struct plan_wish wish = paper;

    wish.layer.kind = LAYER_UDP;
    wish.size_bytes = 65508;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 65536, &error), -1);
    wish.size_bytes = 65507;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 65536, &error), 0);
}
END_TEST

/* 18 of header, 8 of TIME, 16 of tag, and 46. */
START_TEST(test_tags_take_room)
{
    struct plan_wish wish = paper;

    wish.tagged = true;
    wish.size_bytes = 88;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    ck_assert(plan.tagged);
    wish.size_bytes = 87;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
    ck_assert_str_eq(error.text,
                     "-s 87: too small for the probe header with a tag; the least "
                     "size at layer l2 is 88");
    wish.pattern = PLAN_MIX;
    wish.size_bytes = 176;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    wish.size_bytes = 175;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
}
END_TEST

START_TEST(test_classic_takes_one_byte)
{
    struct plan_wish wish = paper;

    wish.classic = true;
    wish.size_bytes = 47;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    wish.size_bytes = 46;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
}
END_TEST

static const struct plan_wish nothing = {.layer = {.kind = LAYER_L2}};

/* None of the first dozen trains that are no pairs has more than 16 packets: 1.94 s at
 * 100 kbit/s. They grow. Then one long train, five full pairs, one 4 bytes smaller, one of
 * half size, and round again. */
START_TEST(test_default_pattern)
{
    static const uint32_t payloads[] = {1472, 1472, 1472, 1468, 1472, 713, 1472, 1472};
    unsigned trains = 0, last_log2 = 0;

    ck_assert_int_eq(plan_make(&plan, &nothing, LAYER_IPV4, 1500, &error), 0);
    ck_assert(plan.pattern == PLAN_MIX && !plan.paper);
    for (uint32_t train = 0; train < PLAN_START; train++) {
        unsigned log2 = plan_shape(&plan, train).length_log2;

        if (log2 == 1)
            continue;
        ck_assert_uint_ge(log2, last_log2);
        ck_assert_uint_le(log2, 4);
        last_log2 = log2;
        trains++;
    }
    ck_assert_uint_ge(trains, 12);
    for (uint32_t train = PLAN_START; train < PLAN_START + 32; train++) {
        struct plan_shape shape = plan_shape(&plan, train);

        ck_assert_uint_eq(shape.payload_bytes, payloads[train % 8]);
        ck_assert_uint_eq(shape.length_log2, train % 8 == 0 ? 6 : 1);
    }
    ck_assert_uint_eq(plan_longest(&plan), 64);
}
END_TEST

/* 64 + 10 packets of 1518 bytes, 2 of 1514 and 2 of 759: 935024 bits in eight trains, so 467.5 ms
 * each. At the start 12 short trains of 64 packets in all, and 12 pairs, 2 of them 4 bytes smaller
 * and 2 of half size: 88 * 1518 - 4 * 4 - 4 * 759 bytes are 1044256 bits in 24 trains, 174.04 ms. */
START_TEST(test_default_load)
{
    ck_assert_int_eq(plan_make(&plan, &nothing, LAYER_IPV4, 1500, &error), 0);
    ck_assert_double_eq(plan_delay_ms(&plan, PLAN_START), 468);
    ck_assert_double_eq_tol(plan_load_bps(&plan, &nothing.layer), 935024 / 8 / 0.468, 1e-6);
    ck_assert_double_eq(plan_delay_ms(&plan, 0), 175);
    ck_assert_double_eq(plan_delay_ms(&plan, PLAN_START - 1), plan_delay_ms(&plan, 0));
}
END_TEST

static const struct {
    uint32_t mtu_bytes;
    enum layer_ip ip;
    uint32_t payload_bytes;
} mtus[] = {
    {1500, LAYER_IPV4, 1472}, {1492, LAYER_IPV4, 1464}, {65536, LAYER_IPV4, 1472},
    {9000, LAYER_IPV6, 1452}, {1280, LAYER_IPV6, 1232},
};

START_TEST(test_default_size_is_a_full_frame)
{
    ck_assert_int_eq(plan_make(&plan, &nothing, mtus[_i].ip, mtus[_i].mtu_bytes, &error), 0);
    ck_assert_uint_eq(plan.train.payload_bytes, mtus[_i].payload_bytes);
    ck_assert_double_le(plan_load_bps(&plan, &nothing.layer), 250e3);
}
END_TEST

/* What -n 2, --classic and -n 16 alone send. */
START_TEST(test_lengths_of_ones_own)
{
    struct plan_wish wish = nothing;

    wish.length = 2;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    ck_assert(plan.paper && plan.pattern == PLAN_ALIKE);
    ck_assert_uint_eq(plan.train.size_bytes, 1000);
    ck_assert_double_eq(plan.delay_ms, 500);
    wish = nothing;
    wish.classic = true;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    ck_assert(plan.paper && plan.pattern == PLAN_ALIKE);
    ck_assert_uint_eq(plan_longest(&plan), 2);
    ck_assert_uint_eq(plan.train.size_bytes, 1000);
    ck_assert_double_eq(plan.delay_ms, 500);
    wish = nothing;
    wish.length = 16;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    ck_assert(!plan.paper && plan.pattern == PLAN_ALIKE);
    ck_assert_uint_eq(plan.train.size_bytes, 1518);
    ck_assert_double_eq(plan.delay_ms, 778); /* 194304 bits: 777.2 ms */
}
END_TEST

START_TEST(test_mix_takes_size_delay_and_length)
{
    struct plan_wish wish = paper;

    wish.pattern = PLAN_MIX;
    wish.length = 256;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    ck_assert_uint_eq(plan_shape(&plan, PLAN_START).length_log2, 8);
    ck_assert_uint_eq(plan_shape(&plan, PLAN_START).payload_bytes, 954);
    ck_assert_double_eq(plan_delay_ms(&plan, 0), 500);
    wish.length = 8;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    for (uint32_t train = 0; train < 64; train++)
        ck_assert_uint_le(plan_shape(&plan, train).length_log2, 3);
    wish.size_bytes = 127;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
    ck_assert_str_eq(error.text,
                     "-s 127: too small for a mix, which has packets of half of it: want 128 or more");
    wish.size_bytes = 128;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
}
END_TEST

START_TEST(test_rate_that_cannot_be_sent)
{
    struct plan_wish wish = paper;

    plan_make(&plan, &wish, LAYER_IPV4, 1500, &error);
    ck_assert_int_eq(plan_check_rate(&plan, 32639, &error), -1); /* load on the wire: 32640 */
    ck_assert_int_eq(plan_check_rate(&plan, 32641, &error), 0);
    ck_assert_int_eq(plan_check_rate(&plan, 0, &error), 0); /* device's speed not known */
    wish.length = 256;
    wish.delay_ms = 1;
    wish.load_most_bps = 10e9;
    plan_make(&plan, &wish, LAYER_IPV4, 1500, &error);
    ck_assert_int_eq(plan_check_rate(&plan, 0, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "-d 1: a train of 256 packets takes about"));
}
END_TEST

START_TEST(test_load_is_no_flood)
{
    struct plan_wish wish = paper;

    wish.length = 16;
    wish.delay_ms = 5.12; /* 128000 bits: 25 Mbit/s */
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    wish.delay_ms = 5;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
    ck_assert_str_eq(error.text,
                     "-d 5: that is 25.6 Mbit/s on average, and --max-load allows 25: "
                     "want a longer delay, or a larger --max-load");
    wish.load_most_bps = 25.6e6;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
    wish = nothing;
    wish.load_most_bps = 100e3;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
}
END_TEST

/* What it says is enough is, and less is not. */
START_TEST(test_paced_trains_need_time)
{
    struct plan_wish wish = nothing;
    const char *said;
    double least_ms;

    wish.pattern = PLAN_AVAILABLE;
    wish.delay_ms = 1;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
    said = strstr(error.text, "want -d ");
    ck_assert_msg(said != NULL, "%s", error.text);
    least_ms = atof(said + strlen("want -d "));
    wish.load_most_bps = 1e9;
    wish.delay_ms = least_ms - 1;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), -1);
    wish.delay_ms = least_ms;
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error), 0);
}
END_TEST

static const struct {
    const char *text;
    double bps; /* 0: refused */
} rates[] = {
    {"500k", 500e3}, {"25m", 25e6}, {"1g", 1e9}, {"2.5g", 2.5e9}, {"40000000", 40e6}, {"1000g", 1e12},
    {"", 0},         {"0", 0},      {"m", 0},    {"-1m", 0},      {" 1m", 0},         {"1 m", 0},
    {"1M", 1e6},     {"1mm", 0},    {"1e6", 0},  {"0x10", 0},     {"inf", 0},         {"nan", 0},
    {"1.2.3m", 0},   {"1001g", 0},  {"25", 0},
};

START_TEST(test_rates_have_units)
{
    char name[] = "pptrans", host[] = "-hx", port[] = "-p1", option[] = "--max-load", text[16];
    char *argv[] = {name, host, port, option, text, NULL};
    struct sender_options options;

    strcpy(text, rates[_i].text);
    ck_assert_int_eq(sender_options_read(&options, 3, argv, &error), OPTION_RUN);
    ck_assert_double_eq(options.load_most_bps, 25e6);
    ck_assert_int_eq(sender_options_read(&options, 5, argv, &error),
                     rates[_i].bps > 0 ? OPTION_RUN : OPTION_BAD);
    if (rates[_i].bps > 0)
        ck_assert_double_eq(options.load_most_bps, rates[_i].bps);
}
END_TEST

/* --- way of sending ----------------------------------------------------- */

static const struct {
    enum method_wish wish;
    enum egress_segments segments;
    uint32_t longest;
    int result;
    bool segment;
} methods[] = {
    {METHOD_AUTO, EGRESS_SEGMENTS_KERNEL, 8, 0, true},   {METHOD_AUTO, EGRESS_SEGMENTS_KERNEL, 2, 0, false},
    {METHOD_AUTO, EGRESS_SEGMENTS_DEVICE, 8, 0, false},  {METHOD_AUTO, EGRESS_SEGMENTS_UNKNOWN, 8, 0, false},
    {METHOD_MMSG, EGRESS_SEGMENTS_KERNEL, 8, 0, false},  {METHOD_GSO, EGRESS_SEGMENTS_KERNEL, 8, 0, true},
    {METHOD_GSO, EGRESS_SEGMENTS_KERNEL, 2, -1, false},  {METHOD_GSO, EGRESS_SEGMENTS_DEVICE, 8, -1, false},
    {METHOD_GSO, EGRESS_SEGMENTS_UNKNOWN, 8, -1, false},
};

START_TEST(test_method_keeps_packets_apart)
{
    struct egress egress = {.name = "eth0", .segments = methods[_i].segments};
    struct error reason = {""};
    bool segment = !methods[_i].segment;

    error.text[0] = '\0';
    ck_assert_int_eq(method_choose(methods[_i].wish, &egress, methods[_i].longest, &segment, &reason, &error),
                     methods[_i].result);
    ck_assert_int_eq(segment, methods[_i].segment);
    ck_assert_int_eq(error.text[0] != '\0', methods[_i].result != 0);
    ck_assert_int_eq(reason.text[0] != '\0', methods[_i].result == 0);
}
END_TEST

/* --- times -------------------------------------------------------------- */

/* PP_SEED repeats a run. */
static uint64_t plan_test_seed(void)
{
    const char *given = getenv("PP_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)stamp_now_ns(CLOCK_REALTIME);

    printf("PP_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

enum { INTERVALS = 100000 };

/* Sends INTERVALS trains that leave when due; returns the mean interval over
 * the delay. Counts intervals over a delay, and those a tenth off. */
static double run_schedule(enum schedule_spacing spacing, int *longer, int *outside)
{
    struct schedule schedule;
    int64_t start_ns = INT64_C(123456789), due_ns = start_ns;
    double delay_ns = 0.5e6;

    *longer = *outside = 0;
    schedule_init(&schedule, spacing, start_ns, plan_test_seed());
    ck_assert_int_eq(schedule_due_ns(&schedule), start_ns);
    for (int i = 0; i < INTERVALS; i++) {
        int64_t before_ns = due_ns;
        double interval_ns;

        schedule_advance(&schedule, 0.5, due_ns);
        due_ns = schedule_due_ns(&schedule);
        interval_ns = (double)(due_ns - before_ns);
        *longer += interval_ns > delay_ns;
        *outside += fabs(interval_ns - delay_ns) > 0.1 * delay_ns + 1;
    }
    return (double)(due_ns - start_ns) / INTERVALS / delay_ns;
}

/* Standard deviation of an interval: 0.2 / sqrt(12) of the delay, so of the
 * mean 0.00018; five of them are 0.0009 (wrong once in 1.7 million runs). */
START_TEST(test_uniform_spacing_holds_the_mean)
{
    int longer, outside;

    ck_assert_double_eq_tol(run_schedule(SCHEDULE_UNIFORM, &longer, &outside), 1, 0.0009);
    ck_assert_int_eq(outside, 0);
    /* Half of them, within 5 * sqrt(0.25 / n). */
    ck_assert_double_eq_tol((double)longer / INTERVALS, 0.5, 0.008);
}
END_TEST

/* An exponential's standard deviation is its mean: 5 / sqrt(n) = 0.016; and
 * 1/e of the intervals are longer than the mean, within 5 * sqrt(.233 / n). */
START_TEST(test_poisson_spacing_is_exponential)
{
    int longer, outside;

    ck_assert_double_eq_tol(run_schedule(SCHEDULE_POISSON, &longer, &outside), 1, 0.016);
    ck_assert_double_eq_tol((double)longer / INTERVALS, exp(-1), 0.0077);
}
END_TEST

/* Each train leaves a little late; the intervals count from when it was due. */
START_TEST(test_lateness_does_not_add_up)
{
    struct schedule schedule;

    schedule_init(&schedule, SCHEDULE_UNIFORM, 0, 1);
    for (int i = 0; i < 1000; i++)
        schedule_advance(&schedule, 10, schedule_due_ns(&schedule) + 5 * STAMP_NS_PER_MS);
    ck_assert_double_eq_tol((double)schedule_due_ns(&schedule) / 1e9, 10, 0.1);
}
END_TEST

/* After a stop of ten seconds the next train is a delay away, not overdue. */
START_TEST(test_long_stop_is_not_made_up_for)
{
    struct schedule schedule;
    int64_t now_ns = 10 * STAMP_NS_PER_S;

    schedule_init(&schedule, SCHEDULE_UNIFORM, 0, 1);
    schedule_advance(&schedule, 10, now_ns);
    ck_assert_int_ge(schedule_due_ns(&schedule), now_ns + 9 * STAMP_NS_PER_MS);
    ck_assert_int_le(schedule_due_ns(&schedule), now_ns + 11 * STAMP_NS_PER_MS);
}
END_TEST

Suite *plan_suite(void)
{
    Suite *suite = suite_create("plan");
    TCase *tests = tcase_create("plan");

    tcase_add_test(tests, test_paper_pair);
    tcase_add_loop_test(tests, test_size_fits_or_is_named, 0, sizeof sizes / sizeof sizes[0]);
    tcase_add_test(tests, test_no_packet_above_64_kib);
    tcase_add_test(tests, test_tags_take_room);
    tcase_add_test(tests, test_classic_takes_one_byte);
    tcase_add_test(tests, test_default_pattern);
    tcase_add_test(tests, test_default_load);
    tcase_add_loop_test(tests, test_default_size_is_a_full_frame, 0, sizeof mtus / sizeof mtus[0]);
    tcase_add_test(tests, test_lengths_of_ones_own);
    tcase_add_test(tests, test_mix_takes_size_delay_and_length);
    tcase_add_test(tests, test_rate_that_cannot_be_sent);
    tcase_add_test(tests, test_load_is_no_flood);
    tcase_add_test(tests, test_paced_trains_need_time);
    tcase_add_loop_test(tests, test_rates_have_units, 0, sizeof rates / sizeof rates[0]);
    tcase_add_loop_test(tests, test_method_keeps_packets_apart, 0, sizeof methods / sizeof methods[0]);
    tcase_add_test(tests, test_uniform_spacing_holds_the_mean);
    tcase_add_test(tests, test_poisson_spacing_is_exponential);
    tcase_add_test(tests, test_lateness_does_not_add_up);
    tcase_add_test(tests, test_long_stop_is_not_made_up_for);
    suite_add_tcase(suite, tests);
    return suite;
}
