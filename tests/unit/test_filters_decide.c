/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage decide: the state, the interval, why and advice. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/access.h"
#include "filters/decide.h"
#include "filters/pace.h"
#include "filters/policer.h"
#include "filters/stand.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

static const struct load no_load;

static struct readings path_pairs, path_longs;
static struct seen path = {.pairs = &path_pairs, .longs = &path_longs};

/* A path of 20 Mbit/s that three long trains bear out. */
static struct findings findings_of(uint32_t reasons)
{
    path_pairs.count = 40;
    path_longs.count = 3;
    path.noise = noise;
    return (struct findings){.fifo = {.floors = {.delays = true, .reached = true},
                                      .candidate = {.gap_ns = 400 * US,
                                                    .error_ns = 4 * US,
                                                    .bytes = BYTES,
                                                    .origin = ORIGIN_AGREEMENT},
                                      .evidence = {reasons}},
                             .load = &no_load,
                             .seen = &path,
                             .longest = 3,
                             .seen_bytes = 64000};
}

static struct estimate decided(const struct findings *findings)
{
    bool believed;

    path.shapes = shapes;
    return decide(findings, &believed);
}

/* And the better guess, if it is one. */
static struct estimate guessed(const struct findings *findings)
{
    struct estimate estimate = decided(findings);

    decide_guess(findings, &estimate);
    return estimate;
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

/* Where trains left slowly it is their sender's doing; where nobody tells it may be. */
START_TEST(contention_of_unknown_departures_is_a_guess)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);
    struct findings findings = findings_of(0);

    s.at_once = false;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.told = false;
    findings.link = access_read(&seen, &s);
    ck_assert_int_eq(findings.link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_uint_eq(findings.link.evidence.reasons, bit(AGAINST_DEPARTURES));
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_CONTENTION);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_TIMES);
    stages_push(570, 300)->spread_8ns = READING_UNTOLD;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
    stages_push(570, 300)->spread_8ns =
        0; /* somebody does, but not of trains that lost packets where they left */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

static void add_at_once(unsigned count)
{
    while (count--)
        stages_push(570, 300)->at_once = true;
}

/* Pairs are always a guess, and their mean is it, if most left at once: half of them, and then one more. */
START_TEST(contention_shows_in_pairs_alone)
{
    struct readings none = {.count = 0};
    struct seen seen = {.pairs = readings, .longs = &none, .noise = noise};
    struct statistics s = stages_of_trains(4);
    struct findings findings = findings_of(0);

    s.train.n = 0;
    s.at_once = s.told = false;
    stages_push_many(10, 570, 300); /* nobody tells */
    add_at_once(10);
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    add_at_once(1);
    findings.link = access_read(&seen, &s);
    path_longs.count = findings.longest = 0;
    ck_assert_int_eq(findings.link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(findings.link.candidate.gap_ns, 570 * US);
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_PAIRS_ALONE);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_MIX);
    findings.link.candidate.origin = ORIGIN_MEAN; /* whatever else they show */
    findings.link.evidence.reasons = bit(AGAINST_VARIES);
    ck_assert_int_eq(decided(&findings).why, WHY_RATE_VARIES);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_MIX);
    s.least_ns = 560 * US; /* a mean may be so much longer by chance */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* With four long trains beside the pairs it is a guess as well, whatever their least delays prove; and nothing where
 * most pairs agree and a few were held back. */
START_TEST(contention_may_show_before_trains_do)
{
    struct seen seen = {.pairs = readings, .longs = readings, .noise = noise};
    struct statistics s = stages_of_trains(4);
    struct findings findings = findings_of(bit(FOR_PROVEN));

    add_at_once(10);
    s.train.n = 4;
    findings.link = access_read(&seen, &s);
    ck_assert_int_eq(findings.link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_CONTENTION);
    s.middle_ns = 505 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.train.n = 5;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
}
END_TEST

/* 16 Mbit/s in place of 20, and that is no decision; where the path is another kind of link it is not told. */
START_TEST(later_gaps_make_the_better_guess)
{
    struct findings sure = findings_of(bit(FOR_PROVEN)), guess = findings_of(0), denied;
    struct estimate estimate = decided(&sure);

    sure.later_bps = guess.later_bps = 16e6;
    decide_guess(&sure, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    estimate = guessed(&guess);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(estimate.why, WHY_TWO_RATES);
    ck_assert_double_eq_tol(estimate.capacity_bps, 16e6, 1);
    ck_assert_double_eq_tol(estimate.low_bps, 14.4e6, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 22e6, 1);
    guess.late = true;
    decide_guess(&guess, &estimate);
    ck_assert_int_eq(estimate.why, WHY_LATE_FIRST_STAMP);
    ck_assert_int_eq(estimate.advice, ADVICE_SEND_LONGER_TRAINS);
    denied = guess;
    denied.denial.candidate = (struct candidate){.gap_ns = 600 * US, .bytes = BYTES, .origin = ORIGIN_LAST};
    estimate = guessed(&denied);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 600e3, 1);
}
END_TEST

/* 16 Mbit/s, where nothing is sure. */
START_TEST(batches_make_the_better_guess)
{
    struct findings sure = findings_of(bit(FOR_PROVEN)), guess = findings_of(0);
    struct estimate estimate = decided(&sure);

    sure.burst_bps = guess.burst_bps = 16e6;
    decide_guess(&sure, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    estimate = guessed(&guess);
    ck_assert_double_eq_tol(estimate.capacity_bps, 16e6, 1);
}
END_TEST

START_TEST(turns_that_slots_hide_are_a_doubt)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.turns_deny = true;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

/* Trains end at 13.3 Mbit/s, but whole ones of even gaps agree on 20: others come and go. Not if nothing bears out
 * what is even, or it is no whole train's. */
START_TEST(even_trains_are_the_better_guess_beside_slower_ends)
{
    struct findings even = findings_of(bit(FOR_AGREED) | bit(FOR_GROUNDED)), other, alone;
    struct estimate estimate;

    even.fifo.candidate.origin = ORIGIN_EVEN;
    even.denial.candidate = (struct candidate){.gap_ns = 600 * US, .bytes = BYTES, .origin = ORIGIN_LAST};
    estimate = decided(&even);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 600e3, 1);
    decide_guess(&even, &estimate);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    ck_assert_double_eq_tol(estimate.low_bps, 0.9 * 8e12 / 600e3, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 22e6, 1);
    other = alone = even;
    other.fifo.candidate.origin = ORIGIN_AGREEMENT;
    estimate = guessed(&other);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 600e3, 1);
    alone.fifo.evidence.reasons = bit(FOR_AGREED);
    estimate = guessed(&alone);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 600e3, 1);
}
END_TEST

/* The least delays tell 400 us, and their floors are 800 apart: off by 400 and more. The middle of all is 500. */
START_TEST(the_middle_is_the_better_guess_where_floors_tell_nothing)
{
    struct findings findings = findings_of(0), grounded;
    struct estimate estimate;

    findings.fifo.candidate.origin = ORIGIN_LEAST;
    findings.fifo.candidate.error_ns = 404 * US;
    findings.fifo.floors.bytes = BYTES;
    findings.fifo.floors.middle_ns = 500 * US;
    grounded = findings;
    estimate = guessed(&findings);
    ck_assert_double_eq_tol(estimate.capacity_bps, 16e6, 1);
    grounded.fifo.evidence.reasons = bit(FOR_GROUNDED);
    estimate = guessed(&grounded);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    findings.fifo.candidate.error_ns = 396 * US;
    estimate = guessed(&findings);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
}
END_TEST

/* Trains get a packet each 375, 375.75 ... 378 us: 400, which nothing bears out, is too slow. */
START_TEST(trains_that_are_faster_are_the_better_guess)
{
    struct findings findings = findings_of(0), grounded = findings_of(bit(FOR_GROUNDED));
    struct estimate estimate;

    stages_add_settled(5, 0.25F);
    estimate = guessed(&findings);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 376.5e3, 10);
    ck_assert_double_eq_tol(estimate.high_bps, 1.1 * 8e12 / 376.5e3, 10);
    estimate = guessed(&grounded);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
}
END_TEST

/* Where first packets may wait for turns, and their waits tell a link of 60 Mbit/s, what trains get is none of its
 * rate. */
START_TEST(waits_for_turns_are_the_better_guess_of_the_link)
{
    struct findings findings = findings_of(bit(FOR_PROVEN) | bit(AGAINST_TURNS)), other = findings_of(0);
    struct estimate estimate = decided(&findings);

    findings.turns_bps = other.turns_bps = 60e6;
    decide_guess(&findings, &estimate);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(estimate.why, WHY_FAIR_QUEUE);
    ck_assert_double_eq_tol(estimate.capacity_bps, 60e6, 1);
    ck_assert_double_eq_tol(estimate.low_bps, 18e6, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 66e6, 1);
    estimate = guessed(&other);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
}
END_TEST

START_TEST(first_packets_that_may_wait_for_turns_say_why)
{
    struct findings findings = findings_of(bit(FOR_PROVEN) | bit(AGAINST_TURNS));

    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_FAIR_QUEUE);
    findings.longest = 0; /* wait for these first */
    ck_assert_int_eq(decided(&findings).why, WHY_FEW_TRAINS);
    findings.unread = true; /* in vain */
    ck_assert_int_eq(decided(&findings).why, WHY_LOSSES);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_LESS);
}
END_TEST

/* A guess may be any of them; what is decided on is off by no more than those of the same rate. */
START_TEST(ways_that_differ_widen_it)
{
    struct findings sure = findings_of(bit(FOR_PROVEN)), guess;
    struct estimate estimate;

    sure.ways = (struct ways){.count = 2, .gap_ns = {8e9 / 16e6, 8e9 / 19.7e6}};
    guess = sure;
    guess.fifo.evidence.reasons |= bit(AGAINST_TAILS);
    estimate = decided(&sure);
    ck_assert_double_eq_tol(estimate.low_bps, 19.7e6, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 8e12 / 396e3, 1);
    estimate = decided(&guess);
    ck_assert_double_eq_tol(estimate.low_bps, 0.9 * 16e6, 1);
    ck_assert_double_eq_tol(estimate.high_bps, 22e6, 1);
    sure.fifo.candidate.limited = true;
    ck_assert_double_eq(decided(&sure).high_bps, 0);
}
END_TEST

START_TEST(a_rival_makes_it_ambiguous)
{
    struct findings clock = findings_of(bit(FOR_PROVEN) | bit(AGAINST_CLOCK));

    ck_assert_int_eq(decided(&clock).state, STATE_AMBIGUOUS);
    ck_assert_int_eq(decided(&clock).why, WHY_TICKS);
}
END_TEST

START_TEST(one_cycle_is_a_guess)
{
    struct findings cycles = findings_of(bit(FOR_PROVEN) | bit(AGAINST_CYCLES));

    ck_assert_int_eq(decided(&cycles).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&cycles).why, WHY_TICKS);
    ck_assert_int_eq(decided(&cycles).advice, ADVICE_SEND_LONGER_TRAINS);
}
END_TEST

START_TEST(no_train_is_longer_than_the_longest)
{
    struct findings cycles = findings_of(bit(FOR_PROVEN) | bit(AGAINST_CYCLES));

    shapes = (struct shapes){.count = 2, .at = {{.sent = 2}, {.sent = 256}}};
    ck_assert_int_eq(decided(&cycles).why, WHY_TICKS);
    ck_assert_int_eq(decided(&cycles).advice, ADVICE_WAIT);
    shapes.at[1].sent = 128;
    ck_assert_int_eq(decided(&cycles).advice, ADVICE_SEND_LONGER_TRAINS);
}
END_TEST

START_TEST(what_is_disputed_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.disputed = true;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

START_TEST(what_drifts_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.drifts = true;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_RATE_VARIES);
}
END_TEST

/* Four hundredths of the gap are just right; so are ticks of 49 us: packets of 64 bytes that
 * scatter a gap by 20 us, the root of a sixth of a tick squared, lengthen it by 3.9 %. */
START_TEST(what_is_wide_or_coarse_is_a_guess)
{
    struct findings wide = findings_of(bit(FOR_PROVEN)), coarse = wide;

    wide.fifo.candidate.error_ns = 16 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_CONVERGED);
    wide.fifo.candidate.error_ns = 16.1 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_TENTATIVE);
    wide = findings_of(bit(FOR_PROVEN)); /* to one side */
    wide.fifo.candidate.below_ns = 20 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_TENTATIVE);
    wide = findings_of(bit(FOR_PROVEN)); /* and to the other */
    wide.fifo.candidate.above_ns = 20 * US;
    ck_assert_int_eq(decided(&wide).state, STATE_TENTATIVE);
    path.noise.tick_ns = 49 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_CONVERGED);
    path.noise.tick_ns = 50 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&coarse).why, WHY_STAMPS_COARSE);
}
END_TEST

static enum why coarse_why(struct estimate estimate, double tick_ns, bool within)
{
    struct findings findings = findings_of(0);
    struct estimate before = estimate;

    path.noise.tick_ns = tick_ns;
    findings.within = within;
    decide_coarse(&findings, 1000, &estimate);
    ck_assert_int_eq(estimate.state, before.state);
    ck_assert_double_eq(estimate.capacity_bps, before.capacity_bps);
    ck_assert_int_eq(estimate.advice, estimate.why == before.why ? before.advice : ADVICE_SEND_LARGER);
    return estimate.why;
}

/* A packet of 1000 bytes takes 800 us. */
START_TEST(stamps_are_named_where_they_make_the_gaps)
{
    struct estimate guess = {
        .state = STATE_TENTATIVE, .capacity_bps = 10e6, .why = WHY_FAIR_QUEUE, .advice = ADVICE_WAIT};

    ck_assert_int_eq(coarse_why(guess, 99 * US, true), WHY_FAIR_QUEUE);
    ck_assert_int_eq(coarse_why(guess, 101 * US, false), WHY_STAMPS_COARSE);
    guess.why = WHY_LAST_GAPS_LONGER; /* others read it */
    ck_assert_int_eq(coarse_why(guess, 101 * US, false), WHY_LAST_GAPS_LONGER);
    guess.why = WHY_PAIRS_ALONE;
    ck_assert_int_eq(coarse_why(guess, 101 * US, false), WHY_PAIRS_ALONE);
    guess.why = WHY_NONE;
    guess.state = STATE_CONVERGED;
    ck_assert_int_eq(coarse_why(guess, 101 * US, true), WHY_NONE);
    guess = (struct estimate){.state = STATE_INSUFFICIENT, .why = WHY_FEW_TRAINS, .advice = ADVICE_WAIT};
    ck_assert_int_eq(coarse_why(guess, 1000 * US, false), WHY_FEW_TRAINS);
    ck_assert_int_eq(coarse_why(guess, 1000 * US, true), WHY_STAMPS_COARSE);
}
END_TEST

/* What is told of the n-th train's estimate, after what was told before. */
static enum estimate_state told(struct stand *stand, struct estimate *tells, unsigned n,
                                enum estimate_state state, double bps)
{
    struct estimate estimate = {.state = state, .capacity_bps = bps};

    stand_take(stand, tells, &estimate, n, n, false);
    *tells = estimate;
    return estimate.state;
}

/* While the trains became half as many again, sure or not; or three times sure. */
START_TEST(what_is_sure_was_borne_out)
{
    struct stand stand = {0};
    struct estimate tells = {0};

    ck_assert_int_eq(told(&stand, &tells, 8, STATE_TENTATIVE, 20e6), STATE_TENTATIVE);
    ck_assert_int_eq(told(&stand, &tells, 11, STATE_CONVERGED, 20.3e6), STATE_TENTATIVE);
    ck_assert_int_eq(told(&stand, &tells, 12, STATE_CONVERGED, 20.3e6), STATE_CONVERGED);
    stand = (struct stand){0};
    ck_assert_int_eq(told(&stand, &tells, 80, STATE_CONVERGED, 20e6), STATE_TENTATIVE);
    ck_assert_int_eq(tells.why, WHY_FEW_TRAINS);
    ck_assert_int_eq(told(&stand, &tells, 90, STATE_SHAPED, 20e6), STATE_TENTATIVE);
    ck_assert_int_eq(told(&stand, &tells, 100, STATE_CONVERGED, 20e6), STATE_CONVERGED);
    stand = (struct stand){0};
    told(&stand, &tells, 80, STATE_CONVERGED, 20e6);
    told(&stand, &tells, 90, STATE_TENTATIVE, 20e6);
    ck_assert_int_eq(told(&stand, &tells, 100, STATE_CONVERGED, 20e6), STATE_TENTATIVE);
}
END_TEST

/* Forty trains for it: as many that refute it, twice as many that do not prove it, a fourth part that tell
 * something else. Its interval is 4 % wide while it is refuted; a bound has none, and gets none. */
START_TEST(what_was_sure_stands)
{
    static const struct {
        double bps;
        bool refuted;
        unsigned stands;
        double high_bps;
    } rows[] = {{20e6, false, 160, 20.1e6},
                {20e6, true, 40, 20.8e6},
                {20.8e6, false, 40, 20.8e6},
                {30e6, false, 10, 20.8e6}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stand stand = {0};
        struct estimate tells = {0}, guess = {.state = STATE_TENTATIVE, .capacity_bps = rows[i].bps};
        struct estimate estimate = guess;

        told(&stand, &tells, 20, STATE_TENTATIVE, 20e6);
        told(&stand, &tells, 40, STATE_CONVERGED, 20e6);
        stand_take(&stand, &tells, &estimate, 40, 40, rows[i].refuted);
        ck_assert_double_eq(estimate.high_bps, 0);
        tells.low_bps = 19.9e6;
        tells.high_bps = 20.1e6;
        estimate = guess;
        stand_take(&stand, &tells, &estimate, 40, 39 + rows[i].stands, rows[i].refuted);
        ck_assert_int_eq(estimate.state, STATE_CONVERGED);
        ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
        ck_assert_double_eq_tol(estimate.high_bps, rows[i].high_bps, 1);
        ck_assert_double_eq_tol(estimate.low_bps, 40e6 - rows[i].high_bps, 1);
        stand_take(&stand, &tells, &guess, 40, 40 + rows[i].stands, rows[i].refuted);
        ck_assert_int_eq(guess.state, STATE_TENTATIVE);
        ck_assert_double_eq_tol(guess.capacity_bps, rows[i].bps, 1);
    }
}
END_TEST

/* Cycles that trains fit into, and trains that are faster, name no rate; last gaps and spared packets do. */
START_TEST(what_only_lacks_proof)
{
    static const struct {
        enum reason reason;
        bool refutes;
    } rows[] = {{AGAINST_WAITS, false}, {AGAINST_CYCLES, false}, {AGAINST_FASTER, false},
                {AGAINST_TAILS, true},  {AGAINST_SPARED, true},  {AGAINST_MEANS, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct evidence evidence = {0};

        evidence_note(&evidence, FOR_AGREED, true);
        ck_assert(!evidence_refutes(evidence));
        evidence_note(&evidence, rows[i].reason, true);
        ck_assert_int_eq(evidence_refutes(evidence), rows[i].refutes);
    }
}
END_TEST

/* Of 64 trains 8 and one more, of 128 16, of 256 those and half of the 128 beyond; but 40 ms. */
START_TEST(an_estimate_waits_for_new_trains)
{
    static const struct {
        unsigned count, waits;
        int64_t apart_ns;
    } rows[] = {{1, 1, 1}, {64, 9, 10000000}, {128, 17, 10000000}, {256, 81, 10000000}, {256, 160, 250000}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pace pace = {0};
        int64_t now_ns = 0;
        unsigned waits = 1;

        while (!pace_due(&pace, rows[i].count, now_ns += rows[i].apart_ns))
            continue;
        while (!pace_due(&pace, rows[i].count, now_ns += rows[i].apart_ns))
            waits++;
        ck_assert_uint_eq(waits, rows[i].waits);
    }
}
END_TEST

/* That the newest trains agree on it was a test already. */
START_TEST(a_changed_path_is_another_one)
{
    struct stand stand = {0};
    struct estimate tells = {0};

    told(&stand, &tells, 20, STATE_TENTATIVE, 20e6);
    told(&stand, &tells, 40, STATE_CONVERGED, 20e6);
    stand_forget(&stand);
    ck_assert_int_eq(told(&stand, &tells, 41, STATE_TENTATIVE, 20e6), STATE_TENTATIVE);
    ck_assert_int_eq(told(&stand, &tells, 42, STATE_CONVERGED, 20e6), STATE_CONVERGED);
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
    path_longs.count = findings.longest = 0;
    ck_assert_int_eq(decided(&findings).why, WHY_PAIRS_ALONE);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_MIX);
}
END_TEST

/* But where it ends with the rate, and by now longer ones would have come. */
START_TEST(one_long_train_that_ends_with_it)
{
    struct findings findings = findings_of(bit(FOR_PROVEN) | bit(FOR_SHOWN));

    findings.longest = 1;
    path_pairs.count = 24;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    path_pairs.count = 23;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    path_pairs.count = 24;
    shapes.at[0] = (struct shape){
        .bytes = BYTES, .sent = 16, .packets = 16, .quarter_ns = {1600e3F, 1600e3F, 1600e3F, 1690e3F}};
    shapes_hold(&shapes, 1);
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE); /* its last quarter is slower by 5 % */
}
END_TEST

START_TEST(a_link_goes_before_a_bucket_and_that_before_a_queue)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4.9e6, .high_bps = 5.1e6};
    ck_assert_int_eq(decided(&findings).state, STATE_SHAPED);
    ck_assert_double_eq(decided(&findings).capacity_bps, 5e6);
    findings.link.candidate = (struct candidate){
        .gap_ns = 80 * US, .share_ns = 240 * US, .bytes = BYTES, .origin = ORIGIN_TURNS_TOLD};
    ck_assert_int_eq(decided(&findings).state, STATE_FAIR);
    ck_assert_int_eq(decided(&findings).why, WHY_FAIR_QUEUE);
    ck_assert_double_eq_tol(decided(&findings).share_bps, 8e12 / 240e3, 1);
    findings.link.evidence.reasons = bit(AGAINST_UNTOLD);
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

START_TEST(waits_keep_a_bucket_back)
{
    struct findings findings = findings_of(0);

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4.9e6, .high_bps = 5.1e6};
    ck_assert_int_eq(decided(&findings).state, STATE_SHAPED);
    findings.waits = true;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
}
END_TEST

/* A bucket of 5 Mbit/s, and trains that end with 4. */
START_TEST(a_second_bucket_is_a_guess)
{
    struct findings findings = findings_of(0);
    struct estimate estimate;

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4.9e6, .high_bps = 5.1e6, .peak_bps = 20e6};
    findings.end_bps = 4e6;
    estimate = decided(&findings);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(estimate.why, WHY_LAST_GAPS_LONGER);
    ck_assert_double_eq(estimate.capacity_bps, 4e6);
    ck_assert_double_ge(estimate.high_bps, 5e6);
}
END_TEST

/* Of trains that go on with 400 us behind a bucket: five that end with 417, to 4 % it is the same; with as long a last
 * quarter, or not, at ticks; or four with more. */
START_TEST(trains_that_end_slower_than_a_bucket)
{
    struct statistic end = {.value = 417 * US, .n = 5};
    struct statistics statistics = {.bytes = BYTES, .end = end, .last = end};
    double bps = BYTES * 8e9 / (400 * US);

    ck_assert_double_gt(access_end_slower(&statistics, bps), 0);
    statistics.last.value = 400 * US;
    ck_assert_double_eq(access_end_slower(&statistics, bps), 0);
    statistics.last = end;
    statistics.end.sigma = 5 * US;
    ck_assert_double_eq(access_end_slower(&statistics, bps), 0);
    statistics.end = (struct statistic){.value = 415 * US, .n = 5};
    ck_assert_double_eq(access_end_slower(&statistics, bps), 0);
    statistics.end = (struct statistic){.value = 500 * US, .n = 4};
    ck_assert_double_eq(access_end_slower(&statistics, bps), 0);
}
END_TEST

/* Within the last quarter: of the second half's gaps most are still those of 400 us, but last ones, all but a quarter, 4 %
 * longer and what stamps make of it. */
START_TEST(trains_that_end_slower_than_a_bucket_at_the_last)
{
    struct statistic goes_on = {.value = 400 * US, .n = 5}, last = {.value = 430 * US, .n = 5};
    struct statistics statistics = {
        .bytes = BYTES, .end = goes_on, .last = last, .least_last_ns = 420 * US, .noise_ns = 3 * US};
    struct statistics as_told = statistics, noisy = statistics, shorter = statistics, whole = statistics;
    struct statistics few = statistics, batched = statistics, both = statistics;
    double bits = BYTES * 8e9, bps = bits / (400 * US);

    as_told.least_last_ns = 400 * US;
    noisy.noise_ns = 5 * US;
    shorter.least_last_ns = 370 * US;
    whole.last = goes_on;
    few.last.n = 4;
    batched.batched = true;
    both.end.value = 450 * US;
    ck_assert_double_eq_tol(access_end_slower(&statistics, bps), bits / (420 * US), NEAR);
    ck_assert_double_eq(access_end_slower(&as_told, bps), 0);
    ck_assert_double_eq(access_end_slower(&noisy, bps), 0);
    ck_assert_double_eq(access_end_slower(&shorter, bps), 0);
    ck_assert_double_eq(access_end_slower(&whole, bps), 0);
    ck_assert_double_eq(access_end_slower(&few, bps), 0);
    ck_assert_double_eq(access_end_slower(&batched, bps), 0);
    ck_assert_double_eq_tol(access_end_slower(&both, bps), bits / (450 * US), NEAR);
}
END_TEST

/* 20 Mbit/s, proven; between the packets of trains lie whole ones of others on a link of 60, or of 20.9. */
START_TEST(a_share_of_a_faster_link_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    struct estimate estimate;

    findings.between.least_bps = 20.9e6;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.between = (struct between){.least_bps = 30e6, .guess_bps = 60e6};
    estimate = guessed(&findings);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq(estimate.capacity_bps, 60e6);
    ck_assert_double_le(estimate.low_bps, 20e6);
    ck_assert_int_eq(estimate.why, WHY_FAIR_QUEUE);
}
END_TEST

/* 20 Mbit/s, proven, of which 64 packets of 1000 bytes take 25.6 ms. Trains come 20 ms later than pairs: something fills blocks at 16. */
START_TEST(the_rate_within_blocks_is_a_guess)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    struct estimate estimate;

    findings.blocks =
        (struct blocks){.later_ns = 20e3 * US, .gap_ns = 500 * US, .bytes = 1000, .packets = 64};
    ck_assert(
        decide_is_in_blocks(&findings, &(struct estimate){.state = STATE_CONVERGED, .capacity_bps = 20e6}));
    estimate = guessed(&findings);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(estimate.why, WHY_BATCHES);
    ck_assert_double_eq(estimate.capacity_bps, 16e6);
    ck_assert_double_ge(estimate.high_bps, 20e6);
    findings.blocks.later_ns = 0;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
}
END_TEST

/* The same; turns spare smaller pairs of the 20, or of the 15, that trains get. Smaller pairs say 60, or nothing. */
START_TEST(what_turns_leave_is_no_link)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    struct estimate estimate;

    findings.shared_bps = 15e6;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.shared_bps = 20e6;
    estimate = guessed(&findings);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 0.2e6);
    findings.turned_bps = 60e6;
    decide_guess(&findings, &estimate);
    ck_assert_double_eq(estimate.capacity_bps, 60e6);
    ck_assert_int_eq(estimate.why, WHY_FAIR_QUEUE);
}
END_TEST

/* Trains that go on with 400 us behind a bucket, and most of whose gaps are others. Where these make up for each other, it may
 * be a constant flow that takes from all of them; not where they are as traffic at random leaves them, nor where the commonest
 * is that, nor in batches. */
START_TEST(gaps_behind_a_bucket_that_make_up)
{
    struct statistic last = {.value = 400 * US, .n = 5};
    struct statistics shared = {.bytes = BYTES, .last = last, .last_varies = 0.1, .regular = 0.3};
    struct statistics random = shared, common = shared, batched = shared, alike = shared, few = shared;
    double bps = BYTES * 8e9 / (400 * US);

    random.last_varies = 0.5;
    common.end = (struct statistic){.value = 402 * US, .n = 5};
    batched.batched = true;
    alike.regular = 0.6;
    few.last.n = 4;
    ck_assert_double_eq(access_spared(&shared, bps).least_bps, bps);
    ck_assert_double_eq(access_spared(&shared, bps).most_bps, 2 * bps);
    shared.end = (struct statistic){.value = 300 * US, .n = 5};
    ck_assert_double_eq(access_spared(&shared, bps).most_bps, 2 * bps);
    ck_assert_double_eq(access_spared(&random, bps).most_bps, 0);
    ck_assert_double_eq(access_spared(&common, bps).most_bps, 0);
    ck_assert_double_eq(access_spared(&batched, bps).most_bps, 0);
    ck_assert_double_eq(access_spared(&alike, bps).most_bps, 0);
    ck_assert_double_eq(access_spared(&few, bps).most_bps, 0);
}
END_TEST

/* The guess is what the newest long trains end with, and its interval covers what was told. */
START_TEST(a_bucket_that_steps_is_a_guess)
{
    struct findings findings = findings_of(0);

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4.9e6, .high_bps = 5.1e6};
    findings.step_bps = 10e6;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_RATE_VARIES);
    ck_assert_double_eq(decided(&findings).capacity_bps, 10e6);
    ck_assert_double_le(decided(&findings).low_bps, 4.9e6);
    ck_assert_double_ge(decided(&findings).high_bps, 10e6);
}
END_TEST

/* The guess spares others' packets on the lowest tooth, and its interval reaches as far as none of them do. */
START_TEST(others_at_a_constant_rate_keep_a_bucket_back)
{
    struct findings findings = findings_of(0);

    findings.shaped = (struct shaped){.bps = 5e6, .low_bps = 4.9e6, .high_bps = 5.1e6};
    findings.spared = (struct spared){.least_bps = 5.5e6, .most_bps = 8e6};
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_TWO_RATES);
    ck_assert_double_eq(decided(&findings).capacity_bps, 5.5e6);
    ck_assert_double_le(decided(&findings).low_bps, 4.9e6);
    ck_assert_double_eq(decided(&findings).high_bps, 8e6);
}
END_TEST

START_TEST(what_statistics_deny_is_a_guess_of_theirs)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.denial.candidate = (struct candidate){.gap_ns = 500 * US, .bytes = BYTES, .origin = ORIGIN_LAST};
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&findings).why, WHY_LAST_GAPS_LONGER);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_LONGER_TRAINS);
    ck_assert_double_eq_tol(decided(&findings).capacity_bps, 16e6, 1);
    findings.fifo.candidate.origin = ORIGIN_LATER;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    findings.denial.candidate.gap_ns = 407 * US; /* that is the same rate, to 2 % */
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
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
    ck_assert_int_eq(decided(&findings).why, WHY_LOSSES); /* either of the two, and nobody tells which */
    ck_assert_int_eq(decided(&findings).advice, ADVICE_NONE);
    findings.policed.bps = 13.9e6;
    ck_assert_int_eq(decided(&findings).state, STATE_POLICED);
    ck_assert_int_eq(decided(&findings).why, WHY_LOSSES);
    ck_assert_double_eq(decided(&findings).policed_bps, 13.9e6);
    findings.fifo.candidate.limited = true;
    ck_assert_int_eq(decided(&findings).state, STATE_POLICED);
}
END_TEST

/* Where a policer is told without its rate, all that is known is a bound: that is nothing to act on. */
START_TEST(a_bound_is_policed_where_the_rate_is_told)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    struct estimate estimate;

    findings.fifo.candidate.limited = true;
    findings.policed = (struct policed){.cut = true, .too_few = true, .burst_bytes = 16e3};
    estimate = decided(&findings);
    ck_assert_int_eq(estimate.state, STATE_SENDER_LIMITED);
    ck_assert(!estimate_is_sure(&estimate));
    ck_assert_int_eq(estimate.why, WHY_LOSSES);
    ck_assert_int_eq(estimate.advice, ADVICE_SEND_LESS);
    ck_assert_double_eq(estimate.policed_burst_bytes, 16e3);
    findings.policed.bps = estimate.capacity_bps / 10;
    estimate = decided(&findings);
    ck_assert_int_eq(estimate.state, STATE_POLICED);
    ck_assert_double_eq(estimate.policed_bps, findings.policed.bps);
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

/* A sure rate of a link, whose long trains lose a third of their packets: as its queue is full, if short ones lose
 * hardly any; a sixth lost of all says as much of long trains, a fifth does not. */
START_TEST(long_trains_that_lose_far_more_say_so)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));
    struct policer policer = {.lost = 0.33F, .short_packets = 60, .short_lost = 1};

    findings.lossy = policer_loses(&policer);
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    ck_assert_int_eq(decided(&findings).why, WHY_LOSSES);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_LESS);
    policer.short_lost = 9;
    ck_assert(policer_loses(&policer));
    policer.short_lost = 12;
    ck_assert(!policer_loses(&policer));
    policer = (struct policer){.lost = 0.09F, .short_packets = 60};
    ck_assert(!policer_loses(&policer));
}
END_TEST

/* Every fourth pair lost one of its packets, and so do trains of 16. */
START_TEST(pairs_that_lost_one_tell_random_loss)
{
    struct sample_packet one = {.bytes = BYTES};
    struct sample lost = {.sent = 2, .received = 1, .packets = &one}, whole = {.sent = 2, .received = 2};
    struct policer policer = {.lost = 0.2F};

    for (unsigned i = 0; i < 100; i++)
        policer_push(&policer, i % 4 == 3 ? &lost : &whole, false);
    ck_assert(!policer_loses(&policer));
}
END_TEST

/* Of 64 packets, 1 ms apart, the 30 behind the first 30 come 1.75 ms apart, as others joined the queue: 4.57 Mbit/s of 8. A
 * policer of that rate drops three in seven of these. */
static struct policed cut_behind_30(unsigned each)
{
    struct sample_packet packets[64];
    struct sample sample = {.sent = 64, .packet_bytes = BYTES, .packets = packets};
    struct policer policer = {0};

    for (unsigned i = 0; i < 64; i++)
        if (i < 30 || i % each > 0)
            packets[sample.received++] = (struct sample_packet){
                .offset_ns = (int64_t)((i < 30 ? i * 1000 : 30000 + (i - 30) * 1750) * US),
                .bytes = BYTES,
                .position = (uint16_t)i,
                .follows = i > 0};
    for (unsigned i = 0; i < POLICER_ROOM; i++)
        policer_push(&policer, &sample, true);
    return policer_read(&policer);
}

START_TEST(a_queue_that_drops_one_in_fifteen_is_no_policer)
{
    struct policed policed = cut_behind_30(15);

    ck_assert_double_eq(policed.bps, 0);
    ck_assert(!policed_holds(&policed, 8e6));
    policed = cut_behind_30(2);
    ck_assert(policed_holds(&policed, 8e6));
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

Suite *filters_decide_suite(void)
{
    Suite *suite = suite_create("filters_decide");

    STAGES_ADD(
        suite, "decide", trains_that_end_slower_than_a_bucket,
        trains_that_end_slower_than_a_bucket_at_the_last, gaps_behind_a_bucket_that_make_up,
        a_share_of_a_faster_link_is_a_guess, the_rate_within_blocks_is_a_guess, what_turns_leave_is_no_link,
        what_is_proven_is_converged, what_is_denied_is_a_guess, contention_of_unknown_departures_is_a_guess,
        contention_shows_in_pairs_alone, contention_may_show_before_trains_do,
        later_gaps_make_the_better_guess, batches_make_the_better_guess, turns_that_slots_hide_are_a_doubt,
        even_trains_are_the_better_guess_beside_slower_ends,
        the_middle_is_the_better_guess_where_floors_tell_nothing, trains_that_are_faster_are_the_better_guess,
        waits_for_turns_are_the_better_guess_of_the_link, first_packets_that_may_wait_for_turns_say_why,
        ways_that_differ_widen_it, a_rival_makes_it_ambiguous, one_cycle_is_a_guess,
        no_train_is_longer_than_the_longest, what_is_disputed_is_a_guess, what_drifts_is_a_guess,
        what_is_wide_or_coarse_is_a_guess, stamps_are_named_where_they_make_the_gaps, what_left_so_is_a_bound,
        few_long_trains_bear_nothing_out, one_long_train_that_ends_with_it, what_is_sure_was_borne_out,
        what_was_sure_stands, what_only_lacks_proof, an_estimate_waits_for_new_trains,
        a_changed_path_is_another_one, a_link_goes_before_a_bucket_and_that_before_a_queue,
        what_statistics_deny_is_a_guess_of_theirs, waits_keep_a_bucket_back, a_second_bucket_is_a_guess,
        a_bucket_that_steps_is_a_guess, others_at_a_constant_rate_keep_a_bucket_back, two_rates_left_vary,
        what_lasts_is_policed, a_bound_is_policed_where_the_rate_is_told, own_load_is_told_whatever_the_state,
        long_trains_that_lose_far_more_say_so, pairs_that_lost_one_tell_random_loss,
        a_queue_that_drops_one_in_fifteen_is_no_policer, nothing_is_insufficient);
    return suite;
}
