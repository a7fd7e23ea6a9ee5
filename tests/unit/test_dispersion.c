/* SPDX-License-Identifier: BSD-3-Clause */
/* One train: the paper's formula, and what damage leaves of it. Frames of 1000
 * bytes on 10 Mbit/s follow each other in 1000 * 8 / 10e6 s = 800 us. */
#include "filters/dispersion.h"
#include "tests/unit/suites.h"

#include <stdint.h>

enum { GAP_NS = 800000, FRAME_BYTES = 1000, PACKETS_MAX = 8 };

/* A train by hand: offsets and positions in the order of arrival, follows as the
 * assembler would set it unless broken says otherwise. */
struct train {
    uint16_t sent;
    uint16_t received;
    int64_t offset_ns[PACKETS_MAX];
    uint16_t position[PACKETS_MAX];
    uint8_t broken;              /* bit i: something came just before packet i */
    uint32_t bytes[PACKETS_MAX]; /* 0: FRAME_BYTES */
    int64_t departure_span_ns;   /* 0: unknown */
    enum sample_verdict verdict;
};

static struct sample measured(const struct train *train)
{
    struct sample_packet packets[PACKETS_MAX];
    struct sample sample = {
        .sent = train->sent,
        .received = train->received,
        .departure_span_ns = train->departure_span_ns != 0 ? train->departure_span_ns : SAMPLE_UNKNOWN_NS,
        .packets = packets,
        .verdict = train->verdict,
        .gaps = 77,
        .span_bytes = 77,
        .span_ns = 77,
        .rate_bps = 77, /* to be overwritten */
    };

    for (size_t i = 0; i < train->received; i++) {
        packets[i] = (struct sample_packet){
            .offset_ns = train->offset_ns[i],
            .bytes = train->bytes[i] != 0 ? train->bytes[i] : FRAME_BYTES,
            .position = train->position[i],
            .follows = i > 0 && train->position[i] == train->position[i - 1] + 1 && !(train->broken >> i & 1),
        };
    }
    sample.packet_bytes = packets[0].bytes;
    dispersion_measure(&sample);
    return sample;
}

static void assert_measured(const struct train *train, uint32_t gaps, uint64_t span_bytes, int64_t span_ns,
                            enum sample_verdict verdict)
{
    struct sample sample = measured(train);

    ck_assert_uint_eq(sample.gaps, gaps);
    ck_assert_uint_eq(sample.span_bytes, span_bytes);
    ck_assert_int_eq(sample.span_ns, span_ns);
    ck_assert_int_eq(sample.verdict, verdict);
}

/* PAPER, section 5: (2 - 1) * (954 + 46) * 8 / 0.8 ms = 10000 kbit/s */
START_TEST(pair_is_the_papers_formula)
{
    struct train pair = {.sent = 2, .received = 2, .offset_ns = {0, GAP_NS}, .position = {0, 1}};
    struct sample sample = measured(&pair);

    assert_measured(&pair, 1, 1000, GAP_NS, VERDICT_OK);
    ck_assert_double_eq_tol(sample.rate_bps, 10e6, 1e-3);
    ck_assert(dispersion_usable(&sample));
}
END_TEST

/* (8 - 1) * 1000 * 8 / 5.6 ms = 10000 kbit/s, however the gaps are spread:
 * 700 + 900 + 800 + 800 + 1000 + 600 + 800 = 5600 us */
START_TEST(train_of_8_is_the_papers_formula)
{
    struct train train = {.sent = 8,
                          .received = 8,
                          .offset_ns = {0, 700000, 1600000, 2400000, 3200000, 4200000, 4800000, 5600000},
                          .position = {0, 1, 2, 3, 4, 5, 6, 7}};
    struct sample sample = measured(&train);

    assert_measured(&train, 7, 7000, 5600000, VERDICT_OK);
    ck_assert_double_eq_tol(sample.rate_bps, 10e6, 1e-3);
}
END_TEST

/* Position 3 of 8 is gone: 0-1, 1-2 and 4-5, 5-6, 6-7 are left. The gap of
 * 1600 us across the hole must not count: 5 * 8000 bits / 4000 us = 10 Mbit/s. */
START_TEST(loss_takes_its_own_gaps_alone)
{
    struct train train = {.sent = 8,
                          .received = 7,
                          .offset_ns = {0, 800000, 1600000, 3200000, 4000000, 4800000, 5600000},
                          .position = {0, 1, 2, 4, 5, 6, 7}};
    struct sample sample = measured(&train);

    assert_measured(&train, 5, 5000, 4000000, VERDICT_PARTIAL);
    ck_assert_double_eq_tol(sample.rate_bps, 10e6, 1e-3);
    ck_assert(dispersion_usable(&sample));
}
END_TEST

/* Every second packet is gone: no two neighbours, no rate, nothing to use. */
START_TEST(no_intact_gap_no_rate)
{
    struct train train = {
        .sent = 8, .received = 4, .offset_ns = {0, 1600000, 3200000, 4800000}, .position = {0, 2, 4, 6}};
    struct sample sample = measured(&train);

    assert_measured(&train, 0, 0, 0, VERDICT_PARTIAL);
    ck_assert_double_eq(sample.rate_bps, 0);
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

START_TEST(one_packet_is_partial)
{
    struct train train = {.sent = 2, .received = 1, .offset_ns = {0}, .position = {1}};

    assert_measured(&train, 0, 0, 0, VERDICT_PARTIAL);
}
END_TEST

/* 2 overtook 1: of 0 2 1 3 4 5 6 7 the gaps 3-4 to 6-7 are left. */
START_TEST(reordering_takes_its_own_gaps_alone)
{
    struct train train = {.sent = 8,
                          .received = 8,
                          .offset_ns = {0, 800000, 1600000, 2400000, 3200000, 4000000, 4800000, 5600000},
                          .position = {0, 2, 1, 3, 4, 5, 6, 7}};
    struct sample sample = measured(&train);

    assert_measured(&train, 4, 4000, 3200000, VERDICT_REORDERED);
    ck_assert(dispersion_usable(&sample));
}
END_TEST

START_TEST(swapped_pair_has_no_rate)
{
    struct train pair = {.sent = 2, .received = 2, .offset_ns = {0, GAP_NS}, .position = {1, 0}};
    struct sample sample = measured(&pair);

    assert_measured(&pair, 0, 0, 0, VERDICT_REORDERED);
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

/* A copy of 1 came before 2 and took a slot of the link: 1-2 does not count. */
START_TEST(a_duplicate_breaks_the_gap_it_sits_in)
{
    struct train train = {.sent = 4,
                          .received = 4,
                          .offset_ns = {0, 800000, 2400000, 3200000},
                          .position = {0, 1, 2, 3},
                          .broken = 1 << 2};

    assert_measured(&train, 2, 2000, 1600000, VERDICT_OK);
}
END_TEST

/* All packets of the pair came, but its only gap cannot be used: not "ok". */
START_TEST(a_whole_train_without_a_gap_is_not_ok)
{
    struct train pair = {
        .sent = 2, .received = 2, .offset_ns = {0, GAP_NS}, .position = {0, 1}, .broken = 1 << 1};
    struct sample sample = measured(&pair);

    assert_measured(&pair, 0, 0, 0, VERDICT_PARTIAL);
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

/* One stamp for all: censored by the clock, not an infinite rate. */
START_TEST(zero_span_is_batched)
{
    struct train train = {.sent = 4, .received = 4, .offset_ns = {0, 0, 0, 0}, .position = {0, 1, 2, 3}};
    struct sample sample = measured(&train);

    assert_measured(&train, 3, 3000, 0, VERDICT_BATCHED);
    ck_assert_double_eq(sample.rate_bps, 0);
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

/* The clock went back by 500 us between 0 and 1: that gap is void, 1-2 is not. */
START_TEST(a_negative_gap_is_left_out)
{
    struct train train = {
        .sent = 4, .received = 4, .offset_ns = {0, -500000, 300000, 1100000}, .position = {0, 1, 2, 3}};

    assert_measured(&train, 2, 2000, 1600000, VERDICT_OK);
}
END_TEST

/* --- What the sender spread --- */

/* Within 10 % of a departure span of 1000 us: up to 1100 us. */
START_TEST(arrived_as_it_left)
{
    struct train pair = {.sent = 2,
                         .received = 2,
                         .offset_ns = {0, 1100000},
                         .position = {0, 1},
                         .departure_span_ns = 1000000};
    struct sample sample = measured(&pair);

    assert_measured(&pair, 1, 1000, 1100000, VERDICT_SENDER_LIMITED);
    ck_assert_double_gt(sample.rate_bps, 0); /* a lower bound, still told */
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

START_TEST(arrived_wider_than_it_left)
{
    struct train pair = {.sent = 2,
                         .received = 2,
                         .offset_ns = {0, 1100001},
                         .position = {0, 1},
                         .departure_span_ns = 1000000};

    assert_measured(&pair, 1, 1000, 1100001, VERDICT_OK);
}
END_TEST

/* Segments of one superframe leave at one time: the path did all the spreading. */
START_TEST(departure_at_once_limits_nothing)
{
    struct sample_packet packets[] = {{0, 1000, 0, false}, {GAP_NS, 1000, 1, true}};
    struct sample sample = {.sent = 2, .received = 2, .packet_bytes = 1000, .packets = packets};

    sample.departure_span_ns = 0;
    dispersion_measure(&sample);
    ck_assert_int_eq(sample.verdict, VERDICT_OK);
}
END_TEST

/* Three of seven gaps are left, so three sevenths of the departure span of 7 ms
 * are what to compare with: limited up to 3 ms * 1.1 = 3.3 ms. */
START_TEST(departure_is_shared_by_the_gaps)
{
    struct train train = {.sent = 8,
                          .received = 4,
                          .offset_ns = {0, 1000000, 2000000, 3290000},
                          .position = {0, 1, 2, 3},
                          .departure_span_ns = 7000000};

    assert_measured(&train, 3, 3000, 3290000, VERDICT_SENDER_LIMITED);
    train.offset_ns[3] = 3310000;
    assert_measured(&train, 3, 3000, 3310000, VERDICT_PARTIAL);
}
END_TEST

/* --- Sizes --- */

/* The first packet's bytes do not pass between the stamps: 500 + 1500. */
START_TEST(mixed_sizes_are_foreign)
{
    struct train train = {.sent = 3,
                          .received = 3,
                          .offset_ns = {0, 400000, 1600000},
                          .position = {0, 1, 2},
                          .bytes = {1000, 500, 1500}};
    struct sample sample = measured(&train);

    assert_measured(&train, 2, 2000, 1600000, VERDICT_FOREIGN_SIZE);
    ck_assert_double_eq_tol(sample.rate_bps, 10e6, 1e-3);
    ck_assert(!dispersion_usable(&sample));
}
END_TEST

static const enum sample_verdict kept[] = {VERDICT_COMPRESSED, VERDICT_EXPANDED, VERDICT_LATE,
                                           VERDICT_FOREIGN_SIZE};

START_TEST(a_verdict_given_before_stays)
{
    struct train pair = {
        .sent = 2, .received = 2, .offset_ns = {0, GAP_NS}, .position = {0, 1}, .verdict = kept[_i]};

    assert_measured(&pair, 1, 1000, GAP_NS, kept[_i]);
}
END_TEST

START_TEST(usable_is_what_design_says)
{
    static const bool usable[VERDICT_COUNT] = {
        [VERDICT_OK] = true,      [VERDICT_COMPRESSED] = true, [VERDICT_EXPANDED] = true,
        [VERDICT_PARTIAL] = true, [VERDICT_REORDERED] = true,
    };

    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        struct sample sample = {.rate_bps = 1e6, .verdict = (enum sample_verdict)verdict};

        ck_assert(dispersion_usable(&sample) == usable[verdict]);
        sample.rate_bps = 0;
        ck_assert(!dispersion_usable(&sample));
    }
}
END_TEST

Suite *dispersion_suite(void)
{
    Suite *suite = suite_create("dispersion");
    TCase *formula = tcase_create("formula");
    TCase *damage = tcase_create("damage");
    TCase *verdicts = tcase_create("verdicts");

    tcase_add_test(formula, pair_is_the_papers_formula);
    tcase_add_test(formula, train_of_8_is_the_papers_formula);
    tcase_add_test(damage, loss_takes_its_own_gaps_alone);
    tcase_add_test(damage, no_intact_gap_no_rate);
    tcase_add_test(damage, one_packet_is_partial);
    tcase_add_test(damage, reordering_takes_its_own_gaps_alone);
    tcase_add_test(damage, swapped_pair_has_no_rate);
    tcase_add_test(damage, a_duplicate_breaks_the_gap_it_sits_in);
    tcase_add_test(damage, a_whole_train_without_a_gap_is_not_ok);
    tcase_add_test(damage, zero_span_is_batched);
    tcase_add_test(damage, a_negative_gap_is_left_out);
    tcase_add_test(verdicts, arrived_as_it_left);
    tcase_add_test(verdicts, arrived_wider_than_it_left);
    tcase_add_test(verdicts, departure_at_once_limits_nothing);
    tcase_add_test(verdicts, departure_is_shared_by_the_gaps);
    tcase_add_test(verdicts, mixed_sizes_are_foreign);
    tcase_add_loop_test(verdicts, a_verdict_given_before_stays, 0, sizeof kept / sizeof kept[0]);
    tcase_add_test(verdicts, usable_is_what_design_says);
    suite_add_tcase(suite, formula);
    suite_add_tcase(suite, damage);
    suite_add_tcase(suite, verdicts);
    return suite;
}
