/* SPDX-License-Identifier: BSD-3-Clause */
/* What pptrans sends to find out what is free, and which link is narrow. */
#include "tests/unit/suites.h"
#include "common/stamp.h"
#include "common/wire.h"
#include "pptrans/options.h"
#include "pptrans/plan.h"
#include "pptrans/schedule.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct plan plan;
static struct error error;

static struct plan_wish pattern_available(void)
{
    return (struct plan_wish){.pattern = PLAN_AVAILABLE, .layer = {.kind = LAYER_L2}};
}

static struct plan_wish locate(void)
{
    return (struct plan_wish){.pattern = PLAN_LOCATE, .layer = {.kind = LAYER_L2}, .marker_hops = 64};
}

static void pattern_make(const struct plan_wish *wish)
{
    error.text[0] = '\0';
    if (plan_make(&plan, wish, LAYER_IPV4, 1500, &error) != 0)
        ck_abort_msg("%s", error.text);
}

static const char *refusal(const struct plan_wish *wish)
{
    error.text[0] = '\0';
    if (plan_make(&plan, wish, LAYER_IPV4, 1500, &error) == 0)
        plan_check_rate(&plan, wish->device_bps, &error);
    return error.text;
}

static struct plan pattern_mix(void)
{
    struct plan_wish wish = {.layer = {.kind = LAYER_L2}};
    struct plan result;

    ck_assert_int_eq(plan_make(&result, &wish, LAYER_IPV4, 1500, &error), 0);
    return result;
}

/* --- what is free ------------------------------------------------------- */

/* Every second train is the mix's, unchanged; the others are paced: short at first, never more than
 * 16 packets while the pattern begins, and each rung as often as any other. */
START_TEST(test_available_has_the_mix_and_paced_trains)
{
    struct plan_wish wish = pattern_available();
    struct plan other = pattern_mix();
    unsigned of_rung[LADDER_MOST] = {0};

    pattern_make(&wish);
    ck_assert_uint_eq(plan.ladder.rungs, 21);
    for (uint32_t train = 0; train < plan_start(&plan) + plan_round(&plan); train++) {
        struct plan_shape shape = plan_shape(&plan, train), mixed = plan_shape(&other, train / 2);

        if (train % 2 == 0) {
            ck_assert_double_eq(shape.gap_ns, 0);
            ck_assert_uint_eq(shape.length_log2, mixed.length_log2);
            ck_assert_uint_eq(shape.payload_bytes, mixed.payload_bytes);
            continue;
        }
        ck_assert_uint_eq(shape.payload_bytes, 1472);
        ck_assert_uint_le(shape.length_log2, 4);
        ck_assert_double_eq_tol(shape.gap_ns, 1518 * 8e9 / ladder_bps(&plan.ladder, shape.rung), 1e-3);
        if (train < plan_start(&plan))
            continue;
        ck_assert_uint_eq(shape.length_log2, 4);
        of_rung[shape.rung]++;
    }
    for (uint32_t rung = 0; rung < plan.ladder.rungs; rung++)
        ck_assert_uint_eq(of_rung[rung], PLAN_CYCLE);
    for (uint32_t train = 1; train < 40; train += 2)
        ck_assert_uint_eq(plan_shape(&plan, train).length_log2, 2);
}
END_TEST

/* 5 % of the middle of the range: 500 kbit/s by default, a tenth of 5 Mbit/s. */
START_TEST(test_available_load)
{
    struct plan_wish wish = pattern_available();

    pattern_make(&wish);
    ck_assert_double_le(plan_load_bps(&plan, &wish.layer), 500e3);
    ck_assert_double_ge(plan_load_bps(&plan, &wish.layer), 495e3);
    wish.low_bps = 40e6;
    wish.high_bps = 160e6;
    pattern_make(&wish);
    ck_assert_double_le(plan_load_bps(&plan, &wish.layer), 4e6);
    ck_assert_double_ge(plan_load_bps(&plan, &wish.layer), 3.8e6);
    wish.delay_ms = 100;
    pattern_make(&wish);
    ck_assert_double_eq(plan.delay_ms, 100);
    wish.delay_ms = 5;
    wish.low_bps = 80e6;
    ck_assert_ptr_nonnull(strstr(refusal(&wish), "and --max-load allows 25"));
}
END_TEST

/* What the delay says is from start to start: the time that paced trains take is a part of it. */
START_TEST(test_pauses_and_paced_trains_make_the_delay)
{
    struct plan_wish wish = pattern_available();
    double lasting_ms = 0, pauses_ms = 0;
    uint32_t start, round;

    wish.delay_ms = 60;
    pattern_make(&wish);
    start = plan_start(&plan);
    round = plan_round(&plan);
    for (uint32_t train = start; train < start + round; train++) {
        struct plan_shape shape = plan_shape(&plan, train);

        lasting_ms += plan_lasting_ms(&shape);
        pauses_ms += plan_pause_ms(&plan, train);
    }
    ck_assert_double_eq_tol((lasting_ms + pauses_ms) / round, 60, 1e-6);
    /* LOW: 15 gaps of 12.144 ms */
    ck_assert_double_eq_tol(plan_lasting_ms(&(struct plan_shape){.length_log2 = 4, .gap_ns = 12.144e6}),
                            182.16, 1e-9);
}
END_TEST

static const struct {
    double low_bps, high_bps, delay_ms, device_bps;
    uint32_t length, size_bytes;
    const char *wrong; /* the beginning; NULL: it can be sent */
} ladders[] = {
    {0, 0, 0, 0, 0, 0, NULL},
    {0, 0, 0, 1e9, 0, 0, NULL},
    {0, 0, 0, 50e6, 0, 0, NULL}, /* ends at the device's own */
    {0, 0, 0, 500e3, 0, 0, "--available: HIGH is 100 Mbit/s, and the device carries 0.5: want a lower HIGH"},
    {1e6, 100e6, 0, 50e6, 0, 0,
     "--available: HIGH is 100 Mbit/s, and the device carries 50: want a lower HIGH"},
    {100e6, 1e9, 0, 10e9, 0, 0, NULL},
    {100e6, 5e9, 0, 0, 0, 0, "--available: at 5000 Mbit/s packets of 1518 bytes would leave each 2.43 us"},
    {1e6, 200e6, 0, 0, 0, 136, NULL},
    {1e6, 400e6, 0, 0, 0, 136, "--available: at 400 Mbit/s packets of 136 bytes would leave each 2.72 us"},
    {50e6, 50e6, 0, 0, 0, 0, "--available: LOW is 50 Mbit/s and HIGH 50: want a LOW below HIGH"},
    {50e6, 5e6, 0, 0, 0, 0, "--available: LOW is 50 Mbit/s and HIGH 5: want a LOW below HIGH"},
    {40e3, 1e6, 0, 0, 0, 0, "--available: at 0.04 Mbit/s 16 packets of 1518 bytes take 4.554 s to leave"},
    {45e3, 1e6, 0, 0, 0, 0, NULL},
    {1e6, 100e6, 0, 0, 256, 0, NULL},
    {500e3, 100e6, 0, 0, 256, 0, "--available: at 0.5 Mbit/s 256 packets of 1518 bytes take 6.193 s"},
    {1e6, 100e6, 20, 0, 0, 0, "-d 20: paced trains take 20.9"},
    {1e6, 100e6, 30, 0, 0, 0, NULL},
    {1e6, 100e6, 0, 0, 4, 0, NULL},
};

START_TEST(test_rates_that_can_be_sent)
{
    struct plan_wish wish = pattern_available();

    wish.low_bps = ladders[_i].low_bps;
    wish.high_bps = ladders[_i].high_bps;
    wish.delay_ms = ladders[_i].delay_ms;
    wish.device_bps = ladders[_i].device_bps;
    wish.length = ladders[_i].length;
    wish.size_bytes = ladders[_i].size_bytes;
    wish.load_most_bps = 1e9;
    if (ladders[_i].wrong != NULL)
        ck_assert_msg(strncmp(refusal(&wish), ladders[_i].wrong, strlen(ladders[_i].wrong)) == 0,
                      "'%s', not '%s'", error.text, ladders[_i].wrong);
    else
        ck_assert_str_eq(refusal(&wish), "");
}
END_TEST

/* --- which link is narrow ------------------------------------------------ */

/* Of three trains one is the mix's, two go hop by hop, as far as the range says, with one packet of
 * load and then with 6; each kind as often as any other. */
START_TEST(test_locate_goes_from_hop_to_hop)
{
    struct plan_wish wish = locate();
    struct plan other = pattern_mix();
    unsigned of_hop[2][256] = {{0}};

    wish.hop_from = 2;
    wish.hop_to = 6;
    pattern_make(&wish);
    for (uint32_t train = 0; train < plan_start(&plan) + plan_round(&plan); train++) {
        struct plan_shape shape = plan_shape(&plan, train), mixed = plan_shape(&other, train / 3);

        if (train % 3 == 0) {
            ck_assert_uint_eq(shape.load_hops, 0);
            ck_assert_uint_eq(shape.length_log2, mixed.length_log2);
            continue;
        }
        ck_assert_uint_eq(shape.payload_bytes, 1472);
        ck_assert_uint_eq(shape.marker_bytes, 38);
        ck_assert_uint_ge(shape.load_hops, 2);
        ck_assert_uint_le(shape.load_hops, 6);
        ck_assert(shape.length_log2 == 2 || (shape.length_log2 == 3 && train >= plan_start(&plan)));
        ck_assert_uint_eq(plan_packets(&shape), shape.length_log2 == 2 ? 3 : 8);
        if (train >= plan_start(&plan))
            of_hop[shape.length_log2 == 3][shape.load_hops]++;
    }
    for (unsigned hop = 2; hop <= 6; hop++)
        for (unsigned dense = 0; dense < 2; dense++)
            ck_assert_uint_eq(of_hop[dense][hop], PLAN_CYCLE);
}
END_TEST

/* 1 or 6 full frames and two markers of 84 bytes: 43848 bits on average; the mix 116878. */
START_TEST(test_locate_load)
{
    struct plan_wish wish = locate();
    struct plan_shape shape = {.length_log2 = 2, .early = 1, .payload_bytes = 1472, .marker_bytes = 38};
    double bits = (2 * (3.5 * 1518 + 2 * 84) * 8.0 + 116878) / 3;

    pattern_make(&wish);
    ck_assert_uint_eq(plan_train_bytes(&plan, &wish.layer, &shape), 1518 + 2 * 84);
    ck_assert_double_eq(plan.delay_ms, ceil(bits / 250e3 * 1000));
    ck_assert_double_eq_tol(plan_load_bps(&plan, &wish.layer), bits / plan.delay_ms * 1000, 1e-6);
    ck_assert_double_le(plan_load_bps(&plan, &wish.layer), 250e3);
    ck_assert_double_eq(plan_pause_ms(&plan, 100), plan.delay_ms);
}
END_TEST

/* The same for every train of a run: with room for all that any of them tells. */
/* Each hop at each rate once, then all anew; one size in a train. */
START_TEST(test_both_pace_trains_to_each_hop)
{
    struct plan_wish wish = {.pattern = PLAN_TIGHT,
                             .layer = {.kind = LAYER_L2},
                             .marker_hops = 64,
                             .hop_from = 2,
                             .hop_to = 4,
                             .low_bps = 1e6,
                             .high_bps = 10e6};
    unsigned seen[3][LADDER_MOST] = {{0}};

    ck_assert_msg(plan_make(&plan, &wish, LAYER_IPV4, 1500, &error) == 0, "%s", error.text);
    for (uint32_t turn = PLAN_START; turn < PLAN_START + 3 * plan.ladder.rungs; turn++) {
        struct plan_shape mix = plan_shape(&plan, 4 * turn), paced = plan_shape(&plan, 4 * turn + 1);
        struct plan_shape locating = plan_shape(&plan, 4 * turn + 2), both = plan_shape(&plan, 4 * turn + 3);

        ck_assert(mix.gap_ns <= 0 && mix.load_hops == 0);
        ck_assert(paced.gap_ns > 0 && paced.load_hops == 0);
        ck_assert(locating.gap_ns <= 0 && locating.marker_bytes < locating.payload_bytes);
        ck_assert(both.gap_ns > 0 && both.marker_bytes == both.payload_bytes);
        ck_assert_uint_eq(both.load_hops, locating.load_hops);
        seen[both.load_hops - 2][both.rung]++;
    }
    for (unsigned hop = 0; hop < 3; hop++)
        for (uint32_t rung = 0; rung < plan.ladder.rungs; rung++)
            ck_assert_uint_eq(seen[hop][rung], 1);
    ck_assert_double_eq_tol(plan_load_bps(&plan, &plan.layer),
                            PLAN_LOAD_SHARE * ladder_middle_bps(&plan.ladder), 2e3);
    ck_assert_double_eq_tol(plan_round_s(&plan), 4 * 3 * plan.ladder.rungs * plan.delay_ms / 1000, 1e-9);
}
END_TEST

START_TEST(test_markers_are_as_small_as_their_header)
{
    struct plan_wish wish = locate();

    pattern_make(&wish);
    ck_assert_uint_eq(plan.marker_bytes, 38);
    ck_assert_uint_eq(plan.marker_size_bytes, 84);
    wish.tagged = true;
    pattern_make(&wish);
    ck_assert_uint_eq(plan.marker_bytes, 54);
    ck_assert_uint_eq(plan.marker_size_bytes, 100);
    ck_assert_int_eq(plan_make(&plan, &wish, LAYER_IPV6, 1500, &error), 0);
    ck_assert_uint_eq(plan.marker_size_bytes, 120);
    wish.tagged = false;
    wish.size_bytes = 128; /* pairs of half size are the smallest now */
    ck_assert_str_eq(refusal(&wish), "");
}
END_TEST

static const struct {
    uint32_t from, to, marker_hops, length;
    uint8_t first, last, sparse_length;
    const char *wrong;
} reaches[] = {
    {0, 0, 64, 0, 1, 16, 3, NULL},
    {0, 0, 8, 0, 1, 8, 3, NULL}, /* --ttl 8 */
    {0, 0, 1, 0, 1, 1, 3, NULL}, /* a group, which does not leave the network */
    {3, 7, 64, 8, 3, 7, 3, NULL},
    {5, 5, 64, 32, 5, 5, 8, NULL},
    {1, 255, 255, 16, 1, 255, 4, NULL},
    {1, 65, 64, 0, 0, 0, 0,
     "--locate 1-65: the markers' own hop limit is 64: want a lower TO or a larger --ttl"},
    {2, 2, 1, 0, 0, 0, 0, "--locate 2-2: the markers' own hop limit is 1: want a lower TO or a larger --ttl"},
};

START_TEST(test_hops_within_the_markers_own)
{
    struct plan_wish wish = locate();

    wish.hop_from = reaches[_i].from;
    wish.hop_to = reaches[_i].to;
    wish.marker_hops = reaches[_i].marker_hops;
    wish.length = reaches[_i].length;
    ck_assert_str_eq(refusal(&wish), reaches[_i].wrong ? reaches[_i].wrong : "");
    if (reaches[_i].wrong != NULL)
        return;
    ck_assert_uint_eq(plan.hop_from, reaches[_i].first);
    ck_assert_uint_eq(plan.hop_to, reaches[_i].last);
    ck_assert_uint_eq(plan.sparse_length, reaches[_i].sparse_length);
    ck_assert_uint_eq(plan.marker_hops, reaches[_i].marker_hops);
}
END_TEST

/* --- the command line ---------------------------------------------------- */

static const struct {
    const char *words[4];
    double low_bps, high_bps;
    uint32_t from, to;
    const char *wrong;
} lines[] = {
    {{"--available"}, 0, 0, 0, 0, NULL},
    {{"--available", "5m-50m"}, 5e6, 50e6, 0, 0, NULL},
    {{"--available=500k-2.5g"}, 500e3, 2.5e9, 0, 0, NULL},
    {{"--available", "-d", "50"}, 0, 0, 0, 0, NULL},
    {{"--available", "50m-5m"}, 0, 0, 0, 0, "--available '50m-5m': want two rates"},
    {{"--available", "5m-5m"}, 0, 0, 0, 0, "--available '5m-5m': want two rates"},
    {{"--available", "5m"}, 0, 0, 0, 0, "--available '5m': want two rates"},
    {{"--available", "5m-"}, 0, 0, 0, 0, "--available '5m-': want two rates"},
    {{"--available="}, 0, 0, 0, 0, "--available '': want two rates"},
    {{"--available", "0-5m"}, 0, 0, 0, 0, "--available '0-5m': want two rates"},
    {{"--available", "1m-5m-9m"}, 0, 0, 0, 0, "--available '1m-5m-9m': want two rates"},
    {{"--available", "1m-inf"}, 0, 0, 0, 0, "--available '1m-inf': want two rates"},
    {{"--available", "-n", "2"}, 0, 0, 0, 0, "--available -n 2: a pair cannot be paced"},
    {{"--available", "--classic"}, 0, 0, 0, 0, "--classic and --available exclude each other"},
    {{"--available", "--mix"}, 0, 0, 0, 0, "--mix and --available exclude each other"},
    {{"--available", "--locate"}, 0, 0, 0, 0, NULL},
    {{"--available=5m-60m", "--locate", "1-6"}, 5e6, 60e6, 1, 6, NULL},
    {{"--available", "--locate", "-n8"}, 0, 0, 0, 0, "--available --locate -n 8: trains of both"},
    {{"--locate"}, 0, 0, 0, 0, NULL},
    {{"--locate", "2-6"}, 0, 0, 2, 6, NULL},
    {{"--locate=3-3", "-n", "32"}, 0, 0, 3, 3, NULL},
    {{"--locate", "6-2"}, 0, 0, 0, 0, "--locate '6-2': want two numbers of hops"},
    {{"--locate", "0-2"}, 0, 0, 0, 0, "--locate '0-2': want two numbers of hops"},
    {{"--locate", "1-256"}, 0, 0, 0, 0, "--locate '1-256': want two numbers of hops"},
    {{"--locate", "4"}, 0, 0, 0, 0, "--locate '4': want two numbers of hops"},
    {{"--locate", "-n", "4"}, 0, 0, 0, 0, "--locate -n 4: want 8, 16 or 32"},
    {{"--locate", "-n", "64"}, 0, 0, 0, 0, "--locate -n 64: want 8, 16 or 32"},
    {{"--locate", "--classic"}, 0, 0, 0, 0, "--classic and --locate exclude each other"},
};

START_TEST(test_ranges_on_the_command_line)
{
    char words[6][24] = {"pptrans", "-hx", "-p1"};
    char *argv[7] = {words[0], words[1], words[2]};
    struct sender_options options;
    int argc = 3;

    for (const char *const *word = lines[_i].words; word < lines[_i].words + 3 && *word != NULL; word++) {
        argv[argc] = strcpy(words[argc], *word);
        argc++;
    }
    error.text[0] = '\0';
    if (lines[_i].wrong != NULL) {
        ck_assert_int_eq(sender_options_read(&options, argc, argv, &error), OPTION_BAD);
        ck_assert_msg(strncmp(error.text, lines[_i].wrong, strlen(lines[_i].wrong)) == 0, "%s", error.text);
        return;
    }
    ck_assert_msg(sender_options_read(&options, argc, argv, &error) == OPTION_RUN, "%s", error.text);
    ck_assert_double_eq(options.low_bps, lines[_i].low_bps);
    ck_assert_double_eq(options.high_bps, lines[_i].high_bps);
    ck_assert_uint_eq(options.hop_from, lines[_i].from);
    ck_assert_uint_eq(options.hop_to, lines[_i].to);
}
END_TEST

/* --- times --------------------------------------------------------------- */

enum { TRAINS = 200000 };

static uint64_t pattern_test_seed(void)
{
    const char *given = getenv("PP_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)stamp_now_ns(CLOCK_REALTIME);

    printf("PP_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

/* A square wave that knows nothing of us: 30 ms of each 100. What first packets see of it is its
 * share, to the error of so many independent looks: 5 deviations of 0.46 / sqrt(n) are 0.0052. Pauses
 * are exponential after paced trains as after others: a tenth of the mean or less with a probability of
 * 1 - exp(-.1), here to 5 deviations of 0.294 / sqrt(n / 2), 0.0047. Were trains put off that are due
 * while a paced one leaves, a good share of pauses would have no length, and their first packets would
 * find the queue of that train. */
START_TEST(test_first_packets_see_the_average_of_the_pauses)
{
    struct schedule schedule;
    struct plan_wish wish = pattern_available();
    int64_t due_ns = 0, wave_ns = 100 * STAMP_NS_PER_MS, on_ns = 30 * STAMP_NS_PER_MS;
    unsigned seen = 0, of[2] = {0}, brief[2] = {0};

    wish.low_bps = 1518 * 8 * 15 / 0.3;
    wish.high_bps = 10 * wish.low_bps;
    pattern_make(&wish);
    schedule_init(&schedule, SCHEDULE_POISSON, due_ns, pattern_test_seed());
    for (uint32_t train = 0; train < TRAINS; train++) {
        struct plan_shape shape = plan_shape(&plan, train);
        int64_t left_ns = due_ns + (int64_t)(plan_lasting_ms(&shape) * (double)STAMP_NS_PER_MS);
        bool paced = shape.gap_ns > 0;

        seen += due_ns % wave_ns < on_ns;
        if (paced)
            schedule_restart(&schedule, left_ns);
        schedule_advance(&schedule, plan_pause_ms(&plan, train), left_ns);
        due_ns = schedule_due_ns(&schedule);
        of[paced]++;
        brief[paced] += (double)(due_ns - left_ns) <= 0.1e6 * plan_pause_ms(&plan, train);
    }
    ck_assert_double_eq_tol((double)seen / TRAINS, 0.3, 0.0052);
    for (int paced = 0; paced < 2; paced++)
        ck_assert_double_eq_tol((double)brief[paced] / of[paced], 1 - exp(-0.1), 0.0047);
    /* and the mean is what the plan says: deviation of an interval below 1.5 of its mean */
    ck_assert_double_eq_tol((double)due_ns / TRAINS / plan.delay_ms / 1e6, 1, 5 * 1.5 / sqrt(TRAINS));
}
END_TEST

Suite *pattern_suite(void)
{
    Suite *suite = suite_create("pattern");
    TCase *tests = tcase_create("pattern");

    tcase_add_test(tests, test_available_has_the_mix_and_paced_trains);
    tcase_add_test(tests, test_available_load);
    tcase_add_test(tests, test_pauses_and_paced_trains_make_the_delay);
    tcase_add_loop_test(tests, test_rates_that_can_be_sent, 0, sizeof ladders / sizeof ladders[0]);
    tcase_add_test(tests, test_locate_goes_from_hop_to_hop);
    tcase_add_test(tests, test_locate_load);
    tcase_add_test(tests, test_both_pace_trains_to_each_hop);
    tcase_add_test(tests, test_markers_are_as_small_as_their_header);
    tcase_add_loop_test(tests, test_hops_within_the_markers_own, 0, sizeof reaches / sizeof reaches[0]);
    tcase_add_loop_test(tests, test_ranges_on_the_command_line, 0, sizeof lines / sizeof lines[0]);
    tcase_add_test(tests, test_first_packets_see_the_average_of_the_pauses);
    suite_add_tcase(suite, tests);
    return suite;
}
