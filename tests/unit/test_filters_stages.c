/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of filter adaptive, each by itself: gather, propose, weigh, decide. Values made by
 * hand: packets of 1000 bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/access.h"
#include "filters/decide.h"
#include "filters/denial.h"
#include "filters/proof.h"
#include "filters/same.h"
#include "tests/unit/suites.h"

#include <stdlib.h>

enum { ROOM = 64, BYTES = 1000 };
#define US 1e3
#define NEAR 1e-6

static struct readings *readings;
static struct scratch scratch;
static struct noise noise;
static struct shapes shapes;

static void setup(void)
{
    readings = malloc(readings_bytes(ROOM));
    scratch = (struct scratch){.numbers = malloc(FLOOR_NUMBERS * ROOM * sizeof(double)),
                               .keys = malloc(ROOM * sizeof(struct sort_key)), .room = ROOM};
    readings_init(readings, ROOM, false);
    noise = noise_prior();
    shapes = (struct shapes){0};
}

static void teardown(void)
{
    free(readings);
    free(scratch.numbers);
    free(scratch.keys);
}

/* A pair a second. */
static struct reading *add(double gap_us, double delay_us)
{
    struct reading reading = {.at_s = readings->count, .delay_ns = delay_us * US,
                              .gap_ns = (float)(gap_us * US), .last_ns = NAN, .bytes = BYTES};

    readings_push(readings, &reading);
    return readings_at(readings, readings->count - 1);
}

static void add_many(unsigned count, double gap_us, double delay_us)
{
    while (count-- > 0)
        add(gap_us, delay_us);
}

static struct witness witness(void)
{
    return witness_read(readings, readings->count, &noise, &scratch);
}

static uint32_t bit(enum reason reason)
{
    return 1U << reason;
}

/* --- How well times are known, when gaps are the same --- */

START_TEST(a_share_and_noise_on_top)
{
    ck_assert(same_gap(102, 100, 0.02, 0));
    ck_assert(!same_gap(102.1, 100, 0.02, 0));
    ck_assert(same_gap(97.5, 100, 0.02, 0.5));
    ck_assert_double_eq(same_reach(100, 0.02, 1.5), 2);
    ck_assert_double_eq(same_reach(100, 0.02, 2.5), 2.5);
}
END_TEST

/* 6 us, but no more than half a gap. */
START_TEST(late_by_half_a_gap)
{
    ck_assert_double_eq(noise_late_ns(&noise, 8 * US), 4 * US);
    ck_assert_double_eq(noise_late_ns(&noise, 80 * US), 6 * US);
}
END_TEST

/* --- Gather --- */

/* First packets at 0, 30 and 70 us, second ones at 450, 430 and 500: the floors are 430 us apart,
 * the third-least 70 above either. */
START_TEST(floors_of_three_pairs)
{
    struct columns columns;
    struct floors floors;

    add(450, 0);
    add(400, 30);
    add(430, 70);
    columns_load(&columns, readings, 0, &scratch);
    floors = columns_floors(&columns, FLOOR_LEAST);
    ck_assert_uint_eq(floors.count, 3);
    ck_assert_uint_eq(floors.bytes, BYTES);
    ck_assert(floors.delays);
    ck_assert_double_eq(floors.slope, 0);
    ck_assert_double_eq(floors.first_ns, 0);
    ck_assert_double_eq(floors.first_deep_ns, 70 * US);
    ck_assert_double_eq(floors.apart_ns, 430 * US);
    ck_assert_double_eq(floors.second_deep_ns, 70 * US);
    ck_assert_double_eq(floors.sum_ns, 450 * US); /* of the first; that of the second is 460 */
}
END_TEST

/* Of 98, 100 and 102 the mean is 100, the squares' mean 8 / 3; 3 / 3 of a tick, and 100 ppm. */
START_TEST(mean_within_reach)
{
    const double gaps[] = {98, 100, 102, 200};
    double student_3 = 2 + 10 / pow(3, 1.5);
    struct mean mean;

    noise.tick_ns = 1;
    mean = columns_average(gaps, 4, 100, 5, &noise);
    ck_assert_uint_eq(mean.n, 3);
    ck_assert_double_eq_tol(mean.gap_ns, 100, NEAR);
    ck_assert_double_eq_tol(mean.error_ns, student_3 * sqrt(8.0 / 3 / 2) + 0.01 + 1, NEAR);
}
END_TEST

/* Eight of ten are four fifths; seven are not. */
static struct floors compare(unsigned like)
{
    struct columns columns;
    struct floors floors;

    add_many(like, 400, 0);
    add_many(10 - like, 600, 0);
    columns_load(&columns, readings, 0, &scratch);
    floors = columns_floors(&columns, FLOOR_LEAST);
    columns_compare(&columns, &noise, &floors);
    return floors;
}

START_TEST(four_fifths_agree)
{
    struct floors floors = compare(8);

    ck_assert(floors.agree);
    ck_assert_double_eq_tol(floors.agreed.gap_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(floors.mean_ns, 440 * US, NEAR);
    ck_assert_double_eq(floors.half_ns, 0);
    ck_assert_double_eq_tol(floors.same_ns, SAME_PAIRS * 400 * US, NEAR);
    ck_assert(floors.reached); /* by ten first packets, and eight second ones */
}
END_TEST

START_TEST(seven_tenths_do_not)
{
    ck_assert(!compare(7).agree);
}
END_TEST

/* --- Propose --- */

START_TEST(agreement_is_proposed)
{
    struct witness agreed;

    add_many(10, 400, 0);
    agreed = witness();
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

    add_many(6, 400, 0);
    for (unsigned i = 0; i < 10; i++)
        add(410 + 20 * i, 0);
    least = witness();
    ck_assert_int_eq(least.candidate.origin, ORIGIN_LEAST);
    ck_assert_double_eq_tol(least.candidate.gap_ns, 400 * US, NEAR);
    ck_assert(evidence_has(least.evidence, FOR_PROVEN));
}
END_TEST

/* Without delays the densest is a guess, to a tenth. */
START_TEST(the_mode_is_proposed_without_delays)
{
    struct witness mode;

    add_many(4, 400, NAN);
    for (unsigned i = 0; i < 6; i++)
        add(500 + 50 * i, NAN);
    mode = witness();
    ck_assert_int_eq(mode.candidate.origin, ORIGIN_MODE);
    ck_assert_double_eq_tol(mode.candidate.gap_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(mode.candidate.error_ns, 40 * US, NEAR);
    ck_assert(!evidence_proves(mode.evidence));
}
END_TEST

START_TEST(two_pairs_propose_nothing)
{
    struct witness none;

    add_many(2, 400, 0);
    none = witness();
    ck_assert_int_eq(none.candidate.origin, ORIGIN_NONE);
    ck_assert_double_eq(none.candidate.gap_ns, 0);
}
END_TEST

/* Of a train's statistics, in which gaps are 570 us. */
static struct statistics of_trains(double sigma_us)
{
    struct statistic mean = {570 * US, sigma_us * US, 40};

    return (struct statistics){
        .bytes = BYTES, .pair = mean, .train = mean, .tail = mean, .last = mean,
        .least_ns = 500 * US, .idle = 1, .varies = 1, .tail_packets = 48, .batch = 1,
        .at_once = true};
}

static struct seen seen_of_no_pairs(void)
{
    return (struct seen){.pairs = readings, .longs = readings, .noise = noise};
}

/* A mean 70 us over the shortest, known to 4 us, where no first packet waits. */
START_TEST(contention_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_trains(4);
    struct proposal link = access_read(&seen, &s);

    ck_assert_int_eq(link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(link.candidate.gap_ns, 570 * US);
    ck_assert_uint_eq(link.evidence.reasons, 0);
    s.idle = 0.8; /* packets that wait in a queue stretch gaps, too */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* The first quarter is longer by over a quarter of a gap, and the last like the second. */
START_TEST(a_pause_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = of_trains(1);
    struct proposal link;

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_TAIL);
    ck_assert(!evidence_denied(link.evidence));
    s.tail_spread = 0.06;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_VARIES));
    s.head.value = 100 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* The last quarter is longer by a twentieth, or by less than four of its errors. */
START_TEST(ends_that_are_slower_deny)
{
    struct statistics s = of_trains(1);

    s.longer = (struct statistic){0.05 * 570 * US, 5 * US, 40};
    ck_assert_int_eq(access_deny(&s).candidate.origin, ORIGIN_LAST);
    s.longer.sigma = 8 * US;
    ck_assert_int_eq(access_deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* --- Weigh --- */

static struct evidence denial(void)
{
    struct witness all = witness();

    return denial_read(readings, 0, &noise, &all.floors, 400 * US);
}

START_TEST(nothing_denies_pairs_alike)
{
    add_many(10, 400, 0);
    ck_assert_uint_eq(denial().reasons, 0);
}
END_TEST

START_TEST(batches_deny)
{
    for (unsigned i = 0; i < 10; i++)
        add(400, 0)->batched = i < 6;
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_BATCHES));
    readings_at(readings, 0)->batched = false;
    ck_assert_uint_eq(denial().reasons, 0); /* five of ten are not most */
}
END_TEST

/* Last gaps are longer by 24 us; a twentieth of a gap is 20. */
START_TEST(tails_deny)
{
    for (unsigned i = 0; i < 10; i++)
        add(400, 0)->last_ns = (float)(424 * US);
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_TAILS));
    for (unsigned i = 0; i < 10; i++)
        readings_at(readings, i)->last_ns = (float)(418 * US);
    ck_assert_uint_eq(denial().reasons, 0);
}
END_TEST

/* Three pairs of half the size, due in 200 us. */
static struct evidence deny_by_half(double gap_us)
{
    add_many(10, 400, 0);
    for (unsigned i = 0; i < 3; i++)
        add(gap_us, 0)->bytes = BYTES / 2;
    return denial();
}

START_TEST(smaller_packets_that_are_spared_deny)
{
    ck_assert_uint_eq(deny_by_half(100).reasons, bit(AGAINST_SPARED));
}
END_TEST

START_TEST(smaller_packets_that_take_as_long_deny)
{
    ck_assert_uint_eq(deny_by_half(400).reasons, bit(AGAINST_SIZES));
}
END_TEST

START_TEST(smaller_packets_in_proportion_do_not)
{
    ck_assert_uint_eq(deny_by_half(210).reasons, 0);
}
END_TEST

/* Six of ten left with the gap: a bound. Three do: a doubt. One: neither. */
START_TEST(departures_bound_or_doubt)
{
    struct departures departures;

    for (unsigned i = 0; i < 10; i++)
        add(400, 0)->limited = i < 6;
    departures = departures_read(readings, 0, BYTES, 400 * US, 0);
    ck_assert(departures.limited && !departures.doubtful);
    for (unsigned i = 3; i < 10; i++)
        readings_at(readings, i)->limited = false;
    departures = departures_read(readings, 0, BYTES, 400 * US, 0);
    ck_assert(!departures.limited && departures.doubtful);
    readings_at(readings, 0)->limited = readings_at(readings, 1)->limited = false;
    departures = departures_read(readings, 0, BYTES, 400 * US, 0);
    ck_assert(!departures.limited && !departures.doubtful);
}
END_TEST

START_TEST(agreement_is_no_proof)
{
    const uint32_t both = bit(FOR_AGREED) | bit(FOR_GROUNDED);

    ck_assert(!evidence_proves((struct evidence){bit(FOR_AGREED)}));
    ck_assert(!evidence_proves((struct evidence){bit(FOR_GROUNDED)}));
    ck_assert(evidence_proves((struct evidence){both}));
    ck_assert(evidence_proves((struct evidence){bit(FOR_PROVEN)}));
    for (enum reason reason = AGAINST_DEPARTURES; reason < AGAINST_CLOCK; reason++)
        ck_assert(!evidence_proves((struct evidence){both | bit(reason)}));
    ck_assert(evidence_proves((struct evidence){both | bit(AGAINST_CLOCK)}));
    ck_assert(evidence_rivalled((struct evidence){both | bit(AGAINST_SHIFTS)}));
}
END_TEST

/* --- Decide --- */

static const struct load no_load;

/* A path of 20 Mbit/s that three long trains bear out. */
static struct findings findings_of(uint32_t reasons)
{
    return (struct findings){
        .fifo = {.floors = {.delays = true, .reached = true},
                 .candidate = {.gap_ns = 400 * US, .error_ns = 4 * US, .bytes = BYTES,
                               .origin = ORIGIN_AGREEMENT},
                 .evidence = {reasons}},
        .load = &no_load, .shapes = &shapes, .noise = noise,
        .pairs = 40, .longs = 3, .longest = 3, .seen_bytes = 64000};
}

static struct estimate decided(const struct findings *findings)
{
    bool believed;

    return decide(findings, &believed);
}

START_TEST(what_is_proven_is_converged)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    bool believed;
    struct estimate estimate = decide(&findings, &believed);

    ck_assert(believed);
    ck_assert_int_eq(estimate.state, STATE_CONVERGED);
    ck_assert_int_eq(estimate.why, WHY_NONE);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    ck_assert_double_eq_tol(estimate.low_bps, 8e12 / 404e3, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 8e12 / 396e3, 1);
    ck_assert_uint_eq(estimate.seen_bytes, 64000);
}
END_TEST

START_TEST(what_is_denied_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN) | bit(AGAINST_TAILS));
    bool believed;
    struct estimate estimate = decide(&findings, &believed);

    ck_assert(!believed);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(estimate.why, WHY_TWO_RATES);
    ck_assert_double_eq_tol(estimate.low_bps, 18e6, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 22e6, 1);
}
END_TEST

START_TEST(rivals_make_it_ambiguous)
{
    struct findings clock = findings_of(bit(FOR_PROVEN) | bit(AGAINST_CLOCK));
    struct findings shifts = findings_of(bit(FOR_PROVEN) | bit(AGAINST_SHIFTS));

    ck_assert_int_eq(decided(&clock).state, STATE_AMBIGUOUS);
    ck_assert_int_eq(decided(&clock).why, WHY_TICKS);
    ck_assert_int_eq(decided(&shifts).state, STATE_AMBIGUOUS);
    ck_assert_int_eq(decided(&shifts).why, WHY_TWO_RATES);
}
END_TEST

START_TEST(what_is_disputed_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.disputed = true;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

/* Four hundredths of the gap are just right; four ticks a gap, too. */
START_TEST(what_is_wide_or_coarse_is_a_guess)
{
    struct findings wide = findings_of(bit(FOR_PROVEN)), coarse = wide;

    wide.fifo.candidate.error_ns = 16 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_CONVERGED);
    wide.fifo.candidate.error_ns = 16.1 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_TENTATIVE);
    coarse.noise.tick_ns = 100 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_CONVERGED);
    coarse.noise.tick_ns = 101 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&coarse).why, WHY_STAMPS_COARSE);
}
END_TEST

START_TEST(what_left_so_is_a_bound)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.fifo.candidate.limited = true;
    ck_assert_int_eq(decided(&findings).state, STATE_SENDER_LIMITED);
    ck_assert_int_eq(decided(&findings).why, WHY_SENDER);
    ck_assert_double_eq(decided(&findings).high_bps, 0);
}
END_TEST

START_TEST(few_long_trains_bear_nothing_out)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.longest = 1;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_FEW_TRAINS);
    findings.longs = findings.longest = 0;
    ck_assert_int_eq(decided(&findings).why, WHY_PAIRS_ALONE);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_MIX);
}
END_TEST

START_TEST(a_link_goes_before_a_bucket_and_that_before_a_queue)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4e6, .high_bps = 6e6};
    ck_assert_int_eq(decided(&findings).state, STATE_SHAPED);
    ck_assert_double_eq(decided(&findings).capacity_bps, 5e6);
    findings.link.candidate = (struct candidate){
        .gap_ns = 80 * US, .share_ns = 240 * US, .bytes = BYTES, .origin = ORIGIN_TURNS_TOLD};
    ck_assert_int_eq(decided(&findings).state, STATE_FAIR);
    ck_assert_int_eq(decided(&findings).why, WHY_FAIR_QUEUE);
    ck_assert_double_eq_tol(decided(&findings).share_bps, 8e12 / 240e3, 1);
    findings.link.evidence.reasons = bit(AGAINST_ERROR);
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

START_TEST(what_statistics_deny_is_a_guess_of_theirs)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.denial.candidate = (struct candidate){
        .gap_ns = 500 * US, .bytes = BYTES, .origin = ORIGIN_LAST};
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_LAST_GAPS_LONGER);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_LONGER_TRAINS);
    ck_assert_double_eq_tol(decided(&findings).capacity_bps, 16e6, 1);
}
END_TEST

/* One rate that was left is a change, two are a path that varies, between 10 and 40 Mbit/s. */
START_TEST(two_rates_left_vary)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.left = (struct left){.count = 1, .low_bps = 10e6, .high_bps = 10e6};
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.left = (struct left){.count = 2, .low_bps = 10e6, .high_bps = 40e6};
    ck_assert_int_eq(decided(&findings).state, STATE_VARYING);
    ck_assert_double_eq(decided(&findings).low_bps, 10e6);
    ck_assert_double_eq(decided(&findings).high_bps, 40e6);
}
END_TEST

/* 0.7 of the link's rate is what a full queue lets pass, too. */
START_TEST(what_lasts_is_policed)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.policed = (struct policed){.cut = true, .bps = 14.1e6, .burst_bytes = 2e4};
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.policed.bps = 13.9e6;
    ck_assert_int_eq(decided(&findings).state, STATE_POLICED);
    ck_assert_int_eq(decided(&findings).why, WHY_LOSSES);
    ck_assert_double_eq(decided(&findings).policed_bps, 13.9e6);
    findings.fifo.candidate.limited = true;
    ck_assert_int_eq(decided(&findings).state, STATE_POLICED);
}
END_TEST

/* 11 Mbit in a second on 20. */
START_TEST(own_load_is_told_whatever_the_state)
{
    struct load load = {.bits = 11e6, .ns = 1e9};
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.load = &load;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    ck_assert_int_eq(decided(&findings).why, WHY_OWN_LOAD);
    load.bits = 9e6;
    ck_assert_int_eq(decided(&findings).why, WHY_NONE);
}
END_TEST

START_TEST(nothing_is_insufficient)
{
    struct findings findings = findings_of(0);

    findings.fifo.candidate = (struct candidate){0};
    ck_assert_int_eq(decided(&findings).state, STATE_INSUFFICIENT);
    ck_assert_int_eq(decided(&findings).why, WHY_FEW_TRAINS);
}
END_TEST

static void add_tests(Suite *suite, const char *name, const TTest *const *tests, unsigned count)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (unsigned i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
}

#define ADD(suite, name, ...) \
    add_tests(suite, name, (const TTest *const[]){__VA_ARGS__}, \
              sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))

Suite *filters_stages_suite(void)
{
    Suite *suite = suite_create("filters_stages");

    ADD(suite, "noise", a_share_and_noise_on_top, late_by_half_a_gap);
    ADD(suite, "gather", floors_of_three_pairs, mean_within_reach, four_fifths_agree,
        seven_tenths_do_not);
    ADD(suite, "propose", agreement_is_proposed, least_delays_are_proposed,
        the_mode_is_proposed_without_delays, two_pairs_propose_nothing, contention_is_proposed,
        a_pause_is_proposed, ends_that_are_slower_deny);
    ADD(suite, "weigh", nothing_denies_pairs_alike, batches_deny, tails_deny,
        smaller_packets_that_are_spared_deny, smaller_packets_that_take_as_long_deny,
        smaller_packets_in_proportion_do_not, departures_bound_or_doubt, agreement_is_no_proof);
    ADD(suite, "decide", what_is_proven_is_converged, what_is_denied_is_a_guess,
        rivals_make_it_ambiguous, what_is_disputed_is_a_guess, what_is_wide_or_coarse_is_a_guess,
        what_left_so_is_a_bound, few_long_trains_bear_nothing_out,
        a_link_goes_before_a_bucket_and_that_before_a_queue,
        what_statistics_deny_is_a_guess_of_theirs, two_rates_left_vary, what_lasts_is_policed,
        own_load_is_told_whatever_the_state, nothing_is_insufficient);
    return suite;
}
