/* SPDX-License-Identifier: BSD-3-Clause */
/* What stage propose reads of gaps: the densest, rows, steps, and rates of two levels. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/access.h"
#include "filters/weigh.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

START_TEST(agreement_is_proposed)
{
    struct witness agreed;

    stages_push_many(10, 400, 0);
    agreed = stages_witness();
    ck_assert_int_eq(agreed.candidate.origin, ORIGIN_AGREEMENT);
    ck_assert_double_eq_tol(agreed.candidate.gap_ns, 400 * US, NEAR);
    ck_assert_uint_eq(agreed.evidence.reasons, bit(FOR_AGREED) | bit(FOR_GROUNDED));
    ck_assert(witness_believed(&agreed, &noise));
}
END_TEST

/* Gaps from 410 to 590 us above waits of nothing, and six of 400 of least delay. */
START_TEST(least_delays_are_proposed)
{
    struct witness least;

    stages_push_many(6, 400, 0);
    for (unsigned i = 0; i < 10; i++)
        stages_push(410 + 20 * i, 0);
    least = stages_witness();
    ck_assert_int_eq(least.candidate.origin, ORIGIN_LEAST);
    ck_assert_double_eq_tol(least.candidate.gap_ns, 400 * US, NEAR);
    ck_assert(evidence_has(least.evidence, FOR_PROVEN));
}
END_TEST

/* The same, but all first packets that have it waited, for 50 us at least: the floors are 450 us
 * apart, and these the better guess. */
START_TEST(pairs_that_all_waited_prove_nothing)
{
    struct witness least;

    stages_push_many(6, 400, 50);
    for (unsigned i = 0; i < 10; i++)
        stages_push(700 + 20 * i, i * 7 % 10);
    least = stages_witness();
    ck_assert_int_eq(least.candidate.origin, ORIGIN_LEAST);
    ck_assert_double_eq_tol(least.candidate.gap_ns, 450 * US, US);
    ck_assert(!evidence_has(least.evidence, FOR_PROVEN));
}
END_TEST

/* Without delays the densest is a guess, to a tenth. */
START_TEST(the_mode_is_proposed_without_delays)
{
    struct witness mode;

    stages_push_many(4, 400, NAN);
    for (unsigned i = 0; i < 6; i++)
        stages_push(500 + 50 * i, NAN);
    mode = stages_witness();
    ck_assert_int_eq(mode.candidate.origin, ORIGIN_MODE);
    ck_assert_double_eq_tol(mode.candidate.gap_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(mode.candidate.error_ns, 40 * US, NEAR);
    ck_assert(!evidence_proves(mode.evidence));
}
END_TEST

START_TEST(two_pairs_propose_nothing)
{
    struct witness none;

    stages_push_many(2, 400, 0);
    none = stages_witness();
    ck_assert_int_eq(none.candidate.origin, ORIGIN_NONE);
    ck_assert_double_eq(none.candidate.gap_ns, 0);
}
END_TEST

/* Statistics of the pairs, and a train of 12 at 445 us a gap. */
static struct statistics read_beside_a_train(void)
{
    struct seen seen = {.pairs = readings, .scratch = scratch, .noise = noise};
    struct curve curve = {.packets = 12, .gap_ns = 445 * US, .baseline = 11, .ratio = NAN, .regular = 1};
    struct sample sample = {
        .sent = 12, .packet_bytes = BYTES, .departure_span_ns = 10000, .span_ns = 4895000};
    struct witness pairs;

    shapes_push(&seen.shapes, &sample, &curve, 256);
    pairs = weigh_read_pairs(&seen);
    return statistics_read(&seen, &pairs.floors);
}

/* Pairs of the mix are 4 bytes smaller now and then, which tells nothing that sizes do. */
START_TEST(a_few_bytes_less_are_no_smaller_size)
{
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 20; i++)
        stages_push(400, 0)->bytes = i < 3 ? BYTES / 2 : i < 6 ? BYTES - 4 : BYTES;
    ck_assert_uint_eq(read_beside_a_train().smaller, 3);
}
END_TEST

/* Of twelve pairs 400 us apart four wait, for 100, 200, 300 and 400 us, and 500 is what the longest of four even waits says. They
 * are no further from even than a quarter less a fifth, or 0.2 of 400 / 500 at the end: times 2. */
static struct statistics read_waits(double gap_us)
{
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 12; i++)
        stages_push(i % 3 == 2 ? gap_us : 400, i % 3 == 2 ? 100 * (i / 3 + 1) : 0);
    return read_beside_a_train();
}

START_TEST(few_that_wait_are_read)
{
    struct statistics s = read_waits(400);

    ck_assert_double_eq_tol(s.busy, 4 / 12.0, NEAR);
    ck_assert_double_eq_tol(s.longest_wait_ns, 500 * US, NEAR * 500 * US);
    ck_assert_double_eq_tol(s.waiting_uniform, 0.4, NEAR);
    ck_assert(s.as_idle);
    ck_assert(!read_waits(450).as_idle); /* others came in between as well */
}
END_TEST

/* Gaps of 500 us from some one on, and before it of 300 and 340 by turns; or so many of them among these. */
static unsigned row_first, row_last;

static double row_gap_us(unsigned i)
{
    return i >= row_first && i <= row_last ? 500 : 300 + i % 2 * 40;
}

static struct curve curve_with_row(unsigned first, unsigned last)
{
    row_first = first;
    row_last = last;
    return curve_of_packets(64, row_gap_us);
}

/* Stamps make 6 us of it at the most, so 300 and 340 are no one gap. */
START_TEST(rows_of_one_gap)
{
    struct curve curve = curve_with_row(11, 63);

    ck_assert_double_eq_tol(curve.row_ns, 500 * US, NEAR);
    ck_assert(!curve.row_soon);
    ck_assert_double_eq_tol(curve_with_row(20, 27).row_ns, 500 * US, NEAR);
    ck_assert_double_eq(curve_with_row(20, 26).row_ns, 0);
    ck_assert(!curve_with_row(4, 63).row_soon);
    ck_assert(curve_with_row(3, 63).row_soon);
}
END_TEST

static void push_lengths(unsigned count, uint16_t packets, double gap_us)
{
    struct sample sample = {.packet_bytes = BYTES, .sent = packets, .span_ns = 1, .departure_span_ns = 0};
    struct curve curve = {.packets = packets, .ratio = NAN, .gap_ns = gap_us * US, .teeth.mean_ns = 1};

    for (unsigned i = 0; i < count; i++)
        shapes_push(&shapes, &sample, &curve, 256);
}

static unsigned longest_of(double gap_us)
{
    unsigned count = 0;

    for (unsigned i = 0; i < shapes.longest; i++)
        count += shapes_longest(&shapes, i)->gap_ns == (float)(gap_us * US);
    return count;
}

/* Of a video four key frames come with 60 others each: the first is 256 trains old when the last of those has come. */
START_TEST(long_trains_outlive_short_ones)
{
    for (unsigned i = 0; i < 4; i++) {
        push_lengths(1, 64, 500);
        push_lengths(60, 16, 300);
    }
    ck_assert_uint_eq(longest_of(500), 4);
    ck_assert_uint_eq(longest_of(300), 0);
    push_lengths(12, 16, 300);
    ck_assert_uint_eq(longest_of(500), 4);
    push_lengths(1, 16, 300);
    ck_assert_uint_eq(longest_of(500), 3);
    push_lengths(256, 16, 300);
    ck_assert_uint_eq(longest_of(500), 0);
    ck_assert_uint_eq(longest_of(300), SHAPES_ROOM);
}
END_TEST

/* Three of 64 are no witnesses beside one of 256; of those that are all of one length the newest stay. */
START_TEST(short_trains_make_room)
{
    push_lengths(SHAPES_ROOM, 64, 400);
    push_lengths(SHAPES_ROOM - 3, 64, 500);
    ck_assert_uint_eq(longest_of(400), 3);
    ck_assert_uint_eq(longest_of(500), SHAPES_ROOM - 3);
    push_lengths(1, 256, 600);
    ck_assert_uint_eq(longest_of(600), 1);
    ck_assert_uint_eq(longest_of(500), 0);
}
END_TEST

/* Of last gaps of 400 to 407 us two are shorter than 402. Three trains have batches enough: 500, 510 and 520 us a packet,
 * and the second batch 30 us longer. */
START_TEST(last_gaps_and_batches_of_trains)
{
    struct seen seen = {.pairs = readings, .scratch = scratch, .noise = noise};
    struct sample sample = {.packet_bytes = BYTES, .sent = 65, .span_ns = 1, .departure_span_ns = 0};
    struct floors none = {0};
    struct statistics s;

    for (unsigned i = 0; i < 8; i++) {
        struct curve curve = {.packets = 65, .ratio = NAN, .last_ns = (400 + i * 3 % 8) * US};

        if (i < 3) {
            curve.burst_ns = (500 + 10 * i) * US;
            curve.pause_ns = 30 * US;
        }
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            curve.quarter_ns[q] = 16 * 400 * US;
        curve.teeth.mean_ns = 1;
        shapes_push(&seen.shapes, &sample, &curve, 256);
    }
    s = statistics_read(&seen, &none);
    ck_assert_double_eq(s.least_last_ns, 402 * US);
    ck_assert_uint_eq(s.burst.n, 3);
    ck_assert_double_eq_tol(s.burst.value, 510 * US, NEAR);
    ck_assert_double_eq_tol(s.pause.value, 30 * US, NEAR);
}
END_TEST

/* Eight trains behind a bucket, of 400 us and by turns so much more, and eight that are so much longer. */
static struct step step_of(double apart, double longer)
{
    for (unsigned i = 0; i < 16; i++)
        shapes.at[i] =
            (struct shape){.bytes = BYTES,
                           .sent = 32,
                           .packets = 32,
                           .knee = 8,
                           .tail_gap_ns = (float)(400 * US * (i < 8 ? 1 + apart * (i % 2) : 1 + longer))};
    shapes_hold(&shapes, 16);
    return shapes_step(&shapes, false);
}

/* 2 % are a step where tails scatter by less; else it takes as much as these do. */
START_TEST(small_steps_of_a_shaper)
{
    ck_assert_uint_eq(step_of(0.001, 0.03).trains, 8);
    ck_assert(step_of(0.001, 0.03).sure);
    ck_assert_double_eq_tol(step_of(0.001, 0.03).bps, 20e6 / 1.03, 1);
    ck_assert_uint_eq(step_of(0.001, 0.04).trains, 8);
    ck_assert_uint_eq(step_of(0.001, -0.03).trains, 8);
    ck_assert_uint_eq(step_of(0.001, -0.04).trains, 8);
    ck_assert_uint_eq(step_of(0.001, 0.01).trains, 0);
    ck_assert_uint_eq(step_of(0.001, -0.01).trains, 0);
    ck_assert_uint_eq(step_of(0.05, 0.08).trains, 0); /* within 5 % of the longest */
    ck_assert_uint_eq(step_of(0.05, -0.03).trains, 0);
    ck_assert_uint_eq(step_of(0.05, 0.12).trains, 8);
    ck_assert_uint_eq(step_of(0.05, -0.06).trains, 8);
}
END_TEST

/* Eight tails of 400 us, so many of 900 us, that the change came in, and three of 1000 us. */
static struct step step_past(unsigned amid)
{
    for (unsigned i = 0; i < 11 + amid; i++) {
        double gap_us = i < 8 ? 400 : i < 8 + amid ? 900 : 1000;

        shapes.at[i] = (struct shape){
            .bytes = BYTES, .sent = 32, .packets = 32, .knee = 8, .tail_gap_ns = (float)(gap_us * US)};
    }
    shapes_hold(&shapes, 11 + amid);
    return shapes_step(&shapes, false);
}

/* 8.9 Mbit/s beside 20: what those before scatter by would hide a step to 8. */
START_TEST(a_train_that_the_step_came_in_hides_none)
{
    ck_assert_uint_eq(step_past(0).trains, 3);
    ck_assert_uint_eq(step_past(1).trains, 3);
    ck_assert_double_eq_tol(step_past(1).bps, 8e6, 1);
    ck_assert_uint_eq(step_past(2).trains, 0);
}
END_TEST

/* Gaps of 430 to 459 us, spread evenly, and delays grow together; two in sixty are a host's that stood still for 2 ms.
 * Their correlation with these is below 0. */
START_TEST(a_host_that_stood_still_says_nothing_of_the_rate)
{
    struct statistics s;

    for (unsigned i = 0; i < 60; i++)
        if (i % 30 == 17)
            stages_push(20, 2000);
        else
            stages_push(430 + i * 7 % 30, i * 7 % 30);
    s = read_beside_a_train();
    ck_assert_double_ge(s.together, 0.99);
    ck_assert_double_eq_tol(s.slope, 1, 0.01);
    ck_assert_double_eq_tol(s.spread_ns, 30 * US / sqrt(12), 0.5 * US);
    ck_assert_double_ge(s.pair.sigma * sqrt(s.pair.n), 50 * US);
}
END_TEST

/* A rate of two levels: 400 and 500 us, and delays that are longer by as much. The densest half is one of them. */
START_TEST(neither_of_two_levels_is_left_away)
{
    struct statistics s;

    for (unsigned i = 0; i < 60; i++)
        stages_push(i % 2 ? 500 : 400, i % 2 ? 100 : 0);
    s = read_beside_a_train();
    ck_assert_double_ge(s.together, 0.99);
    ck_assert_double_eq_tol(s.slope, 1, 0.01);
    ck_assert_double_eq_tol(s.spread_ns, 50 * US, 1 * US);
}
END_TEST

/* Pairs of 1000 bytes at 400 and 500 us by turns, and so many of 500 bytes at these. */
static struct statistics read_smaller_at(double low_us, double high_us, unsigned smaller)
{
    readings_init(readings, ROOM, false);
    for (unsigned i = 0; i < 50; i++) {
        stages_push(i % 2 ? 500 : 400, 0);
        if (i < smaller)
            stages_push(i % 2 ? high_us : low_us, 0)->bytes = BYTES / 2;
    }
    return read_beside_a_train();
}

/* What comes in between, 100 us long, takes as long where our packets are smaller. */
START_TEST(a_slower_link_is_slower_in_proportion)
{
    ck_assert(read_smaller_at(200, 250, 10).in_proportion);
    ck_assert(!read_smaller_at(200, 300, 10).in_proportion);
    ck_assert(!read_smaller_at(200, 200, 10).in_proportion);
    ck_assert(!read_smaller_at(250, 250, 10).in_proportion);
}
END_TEST

/* Five are too few. What is at neither level, or three times at the lower one alone, denies it; of none nothing is said. */
START_TEST(two_levels_are_in_doubt_until_smaller_pairs_came)
{
    ck_assert(!read_smaller_at(200, 250, 0).levels_open);
    ck_assert(read_smaller_at(200, 200, 2).levels_open);
    ck_assert(!read_smaller_at(200, 200, 3).levels_open);
    ck_assert(!read_smaller_at(200, 300, 2).levels_open);
    ck_assert(read_smaller_at(200, 250, 5).levels_open);
    ck_assert(!read_smaller_at(200, 250, 5).in_proportion);
    ck_assert(!read_smaller_at(200, 250, 6).levels_open);
    ck_assert(read_smaller_at(200, 250, 6).in_proportion);
}
END_TEST

/* But not where trains end slower: what a bucket lets pass has two rates, too. */
START_TEST(two_rates_by_turns_have_their_mean)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct proposal link;

    s.least_ns = 565 * US;
    s.in_proportion = true;
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_MEAN);
    ck_assert_double_eq(link.candidate.gap_ns, 570 * US);
    ck_assert(evidence_has(link.evidence, AGAINST_VARIES));
    s.longer = (struct statistic){60 * US, 4 * US, 40};
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.longer.value = 0;
    s.in_proportion = false;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.in_runs = true;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_MEAN);
    s.idle = 0.1; /* first packets wait evenly: for a cycle, of which a gap is a whole number */
    s.uniform = 1;
    s.range_ns = 300 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* 300 us more a second later: clocks that are 100 ppm apart make 100 of them. */
START_TEST(clocks_make_little_of_two_waits)
{
    stages_push(570, 300);
    stages_push(570, 600);
    ck_assert_double_eq_tol(read_beside_a_train().scatter_ns, 200 * US, NEAR);
}
END_TEST

/* Gaps in a row are alike: then it takes pairs whose waits and gaps do not go together, by chance at most. Of 25 that is
 * a fifth. */
START_TEST(rates_may_vary_until_pairs_tell)
{
    struct statistics s = stages_of_trains(2);

    s.pair.n = 0;
    s.ratio = 1.9;
    ck_assert(!access_may_vary(&s));
    s.ratio = 2.1;
    ck_assert(access_may_vary(&s));
    s.pair = (struct statistic){570 * US, 4 * US, 25};
    s.spread_ns = 50 * US;
    s.slope = 0.3;
    s.together = 0.19;
    ck_assert(!access_may_vary(&s));
    s.together = 0.21;
    ck_assert(access_may_vary(&s));
    s.spread_ns = US;
    ck_assert(!access_may_vary(&s));
}
END_TEST

Suite *filters_propose_suite(void)
{
    Suite *suite = suite_create("filters_propose");

    STAGES_ADD(suite, "propose", a_few_bytes_less_are_no_smaller_size, clocks_make_little_of_two_waits,
               rows_of_one_gap, long_trains_outlive_short_ones, short_trains_make_room,
               last_gaps_and_batches_of_trains, small_steps_of_a_shaper,
               a_train_that_the_step_came_in_hides_none, agreement_is_proposed, least_delays_are_proposed,
               pairs_that_all_waited_prove_nothing, the_mode_is_proposed_without_delays,
               few_that_wait_are_read, two_pairs_propose_nothing, rates_may_vary_until_pairs_tell,
               a_host_that_stood_still_says_nothing_of_the_rate, neither_of_two_levels_is_left_away,
               a_slower_link_is_slower_in_proportion, two_levels_are_in_doubt_until_smaller_pairs_came,
               two_rates_by_turns_have_their_mean);
    return suite;
}
