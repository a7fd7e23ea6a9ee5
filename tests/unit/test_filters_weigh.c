/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage weigh: what bears a rate out, and what speaks against it. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/change.h"
#include "filters/denial.h"
#include "filters/even.h"
#include "filters/late.h"
#include "filters/later.h"
#include "filters/policer.h"
#include "filters/settled.h"
#include "filters/shown.h"
#include "filters/weigh.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

#include <stdlib.h>

START_TEST(nothing_denies_pairs_alike)
{
    stages_push_many(10, 400, 0);
    ck_assert_uint_eq(stages_denial().reasons, 0);
}
END_TEST

START_TEST(batches_deny)
{
    for (unsigned i = 0; i < 10; i++)
        stages_push(400, 0)->batched = i < 6;
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_BATCHES));
    readings_at(readings, 0)->batched = false;
    ck_assert_uint_eq(stages_denial().reasons, 0); /* five of ten are not most */
}
END_TEST

/* Last gaps are longer by 9 us; a fiftieth of a gap is 8. */
START_TEST(tails_deny)
{
    for (unsigned i = 0; i < 10; i++)
        stages_push(400, 0)->last_ns = (float)(409 * US);
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_TAILS));
    for (unsigned i = 0; i < 10; i++)
        readings_at(readings, i)->last_ns = (float)(407 * US);
    ck_assert_uint_eq(stages_denial().reasons, 0);
}
END_TEST

/* Last gaps are longer by 300 us in four trains of forty, and first ones in two: 15 us on average
 * are less than a twentieth of a gap; longer by 70 more in all, they deny. */
START_TEST(a_few_long_tails_do_not)
{
    for (unsigned i = 0; i < 40; i++)
        stages_push(i % 20 == 3 ? 700 : 400, 0)->last_ns = (float)((i % 10 == 2 ? 700 : 400) * US);
    ck_assert_uint_eq(stages_denial().reasons, 0);
    for (unsigned i = 0; i < 40; i++)
        readings_at(readings, i)->last_ns += (float)(70 * US);
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_TAILS));
}
END_TEST

/* Pairs that traffic scatters, of which half have the gap: what smaller ones take is another's if it is that gap, too,
 * and tells nothing if traffic lengthens it. */
START_TEST(smaller_packets_in_the_same_slots_deny_pairs_that_differ)
{
    for (unsigned i = 0; i < 40; i++)
        stages_push(i % 2 ? 400 : 500, 0);
    for (unsigned i = 0; i < 5; i++)
        stages_push(i < 3 ? 400 : 270, 0)->bytes = BYTES / 2;
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_SIZES));
    readings_at(readings, 40)->gap_ns = (float)(300 * US); /* two of five */
    ck_assert_uint_eq(stages_denial().reasons, 0);
}
END_TEST

/* Three pairs of half the size, due in 200 us. */
static struct evidence deny_by_half(double gap_us)
{
    stages_push_many(10, 400, 0);
    for (unsigned i = 0; i < 3; i++)
        stages_push(gap_us, 0)->bytes = BYTES / 2;
    return stages_denial();
}

/* Turns of 400 us: a smaller pair has all of one, or is spared; until one comes that is in proportion. */
START_TEST(the_first_smaller_pair_denies)
{
    stages_push_many(10, 400, 0);
    stages_push(400, 0)->bytes = BYTES / 2;
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_SIZES));
    readings_at(readings, 10)->gap_ns = (float)(100 * US);
    ck_assert_uint_eq(stages_denial().reasons, bit(AGAINST_SPARED));
    stages_push(200, 0)->bytes = BYTES / 2;
    ck_assert_uint_eq(stages_denial().reasons, 0);
}
END_TEST

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
    ck_assert_uint_eq(deny_by_half(214).reasons, 0);
}
END_TEST

/* Stamps in steps of 182 us do not tell 400 us from 200, and 10 %. */
START_TEST(smaller_packets_behind_coarse_stamps_do_not)
{
    noise.tick_ns = 182 * US;
    ck_assert_uint_eq(deny_by_half(400).reasons, 0);
    readings_keep(readings, 0);
    noise.tick_ns = 178 * US;
    ck_assert_uint_eq(deny_by_half(400).reasons, bit(AGAINST_SIZES));
}
END_TEST

/* 0.75 of their share is no room in a bucket, but another rate. */
START_TEST(smaller_packets_that_take_less_deny)
{
    ck_assert_uint_eq(deny_by_half(150).reasons, bit(AGAINST_SIZES));
}
END_TEST

/* Nine of ten, or eight: traffic spares some. */
START_TEST(traffic_spares_some)
{
    for (unsigned i = 0; i < 40; i++)
        stages_push(i % 2 ? 400 : 500, 0); /* they do not agree */
    for (unsigned i = 0; i < 10; i++)
        stages_push(i < 9 ? 3 : 200, 0)->bytes = BYTES / 2;
    ck_assert(evidence_has(stages_denial(), AGAINST_SPARED));
    readings_at(readings, 40)->gap_ns = (float)(200 * US);
    ck_assert(!evidence_has(stages_denial(), AGAINST_SPARED));
}
END_TEST

/* Of so many pairs without delays some agree, and five long trains do, whose gaps are so many us. */
enum { PAIRS = 20 };

static void push_pairs(unsigned agree, bool limited)
{
    for (unsigned i = 0; i < PAIRS; i++)
        stages_push(i < agree ? 400 : 500 + 40.0 * i, NAN)->limited = limited || i >= agree;
}

static struct witness weigh_beside_pairs(unsigned trains, double train_us, uint32_t train_bytes, bool limited)
{
    struct readings *longs = malloc(readings_bytes(ROOM));
    struct seen seen = {.pairs = readings, .longs = longs, .scratch = scratch, .noise = noise};
    struct witness pairs, weighed;
    struct statistics statistics;

    readings_init(longs, ROOM, true);
    for (unsigned i = 0; i < trains; i++) {
        struct reading *train = stages_push(train_us * train_bytes / BYTES, NAN);

        train->bytes = train_bytes & READING_BYTES;
        train->limited = limited;
        readings_push(longs, train);
        readings->count--;
    }
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    weighed = weigh(&seen, &statistics, &pairs);
    free(longs);
    return weighed;
}

static struct witness weigh_trains(unsigned trains, double train_us, uint32_t train_bytes, bool limited)
{
    push_pairs(PAIRS, limited);
    return weigh_beside_pairs(trains, train_us, train_bytes, limited);
}

static struct witness weigh_beside(double train_us, uint32_t train_bytes)
{
    return weigh_trains(5, train_us, train_bytes, false);
}

/* The sender's own shaper has a bucket, and all came as it left: trains are the bound, even two of them. */
START_TEST(few_trains_bound_what_a_bucket_lets_pairs_have)
{
    struct witness weighed = weigh_trains(2, 600, 12000, true);

    ck_assert(weighed.candidate.limited);
    ck_assert_double_eq_tol(weighed.candidate.gap_ns / weighed.candidate.bytes, 600 * US / BYTES, 1e-3);
}
END_TEST

/* So did most pairs, if not those that agree with each other. */
START_TEST(most_pairs_as_they_left_are_a_bound)
{
    push_pairs(10, false);
    ck_assert(weigh_beside_pairs(5, 600, 12000, true).candidate.limited);
    readings_keep(readings, 0);
    push_pairs(11, false);
    ck_assert(!weigh_beside_pairs(5, 600, 12000, true).candidate.limited);
}
END_TEST

/* 2 % apart, and 12 kilobytes or more: then their rate is told, as first packets' waits are not
 * known and pairs are not as slow. */
START_TEST(trains_ground_what_pairs_agree_on)
{
    struct witness weighed = weigh_beside(406, 12000);

    ck_assert(evidence_has(weighed.evidence, FOR_GROUNDED));
    ck_assert(witness_believed(&weighed, &noise));
    ck_assert_double_eq_tol(weighed.candidate.gap_ns, 400 * US, NEAR);
}
END_TEST

/* Trains of 12 packets, even at 430 us a gap; of the pairs most take as long, four in forty
 * 400 us: the floors are so far apart. A bucket makes all of them as short. */
static bool floors_deny_beside(unsigned spared, double spared_us)
{
    struct seen seen = {.pairs = readings, .scratch = scratch, .noise = noise};
    struct witness pairs, weighed;
    struct statistics statistics;
    struct curve curve = {.packets = 12, .gap_ns = 430 * US, .baseline = 11, .ratio = NAN, .regular = 1};
    struct sample sample = {
        .sent = 12, .packet_bytes = BYTES, .departure_span_ns = 10000, .span_ns = 4730000};

    for (unsigned i = 0; i < 40; i++)
        if (i * spared % 40 < spared)
            stages_push(spared_us, 0);
        else
            stages_push(430, fmax(spared_us - 430, 0));
    seen.longs = malloc(readings_bytes(ROOM));
    readings_init(seen.longs, ROOM, true);
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        curve.quarter_ns[q] = (q < 1 ? 2 : 3) * 430 * US;
    for (unsigned i = 0; i < 6; i++) {
        struct reading whole = {.at_s = i, .gap_ns = (float)(4730 * US), .last_ns = NAN, .bytes = 11 * BYTES};

        readings_push(seen.longs, &whole);
        shapes_push(&seen.shapes, &sample, &curve, 256);
    }
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    weighed = weigh(&seen, &statistics, &pairs);
    free(seen.longs);
    ck_assert_int_eq(weighed.candidate.origin, ORIGIN_EVEN);
    return evidence_has(weighed.evidence, AGAINST_FLOORS);
}

/* Three even trains at the rate of pairs, whose first packets wait for up to half a gap, or for nothing, and smaller pairs that are
 * spared. */
static enum origin few_even_trains_of(unsigned smaller, double wait_us)
{
    struct seen seen = {.pairs = readings, .longs = readings, .scratch = scratch, .noise = noise};
    struct curve curve = {.packets = 12, .gap_ns = 400 * US, .baseline = 11, .ratio = NAN, .regular = 1};
    struct sample sample = {
        .sent = 12, .packet_bytes = BYTES, .departure_span_ns = 10000, .span_ns = 4400000};
    struct witness pairs;
    struct statistics statistics;

    readings_keep(readings, 0);
    for (unsigned i = 0; i < 20; i++)
        stages_push(i % 2 ? 399 : 401, i * 7 % 20 * wait_us / 20);
    for (unsigned i = 0; i < smaller; i++)
        stages_push(100, 0)->bytes = BYTES / 2;
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        curve.quarter_ns[q] = (q < 1 ? 2 : 3) * 400 * US;
    for (unsigned i = 0; i < 3; i++)
        shapes_push(&seen.shapes, &sample, &curve, 256);
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    return even_weigh(&seen, &statistics, &pairs).candidate.origin;
}

START_TEST(few_even_trains_beside_smaller_pairs)
{
    ck_assert_int_eq(few_even_trains_of(0, 200), ORIGIN_EVEN);
    ck_assert_int_eq(few_even_trains_of(2, 200), ORIGIN_AGREEMENT);
    ck_assert_int_eq(few_even_trains_of(2, 0), ORIGIN_EVEN); /* a bucket */
}
END_TEST

START_TEST(floors_of_a_few_pairs_deny_even_trains)
{
    ck_assert(floors_deny_beside(4, 400));
}
END_TEST

START_TEST(floors_of_all_pairs_do_not)
{
    ck_assert(!floors_deny_beside(40, 400));
}
END_TEST

/* Traffic shortens no train: second packets come later than the others, whose first ones waited. */
START_TEST(floors_further_apart_do_not)
{
    ck_assert(!floors_deny_beside(4, 460));
}
END_TEST

/* Pairs agree on 380 us, at a mean of that and so many more, known to 1; trains are at 400. Traffic
 * lengthens both alike: so trains are too long by no more than the mean is over 380, and three errors. */
static double trains_below_us(double mean_more_us)
{
    struct mean trains = {.gap_ns = 400 * US, .error_ns = US, .n = 10};
    struct witness pairs = {
        .candidate = {.gap_ns = 380 * US, .error_ns = US, .bytes = BYTES},
        .floors = {.mean_ns = (380 + mean_more_us) * US, .mean_error_ns = US, .bytes = BYTES},
        .evidence = {bit(FOR_PROVEN)},
    };

    return witness_of_trains(&trains, readings, &pairs, &noise).candidate.below_ns / US;
}

START_TEST(trains_are_longer_by_what_lengthens_pairs)
{
    ck_assert_double_eq_tol(trains_below_us(0), 3, NEAR);
    ck_assert_double_eq_tol(trains_below_us(10), 13, NEAR);
    ck_assert_double_eq_tol(trains_below_us(100), 20, NEAR);
    ck_assert_double_eq_tol(trains_below_us(-10), 0, NEAR);
}
END_TEST

/* Stamps in ticks of 60 us hide, of pairs of 400, 0.15^2 / 6 * 1000 / 64 = 5.9 %; of trains of 63 such gaps as much less
 * as they are longer: in ticks of 864, (864 / 25200)^2 / 6 * 63 * 1000 / 340 = 3.63 %, of 960 4.48 %. */
START_TEST(stamps_hide_less_of_a_whole_train)
{
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES}};

    noise.tick_ns = 60 * US;
    ck_assert(witness_hidden(&told, &noise));
    told.train_bytes = 63 * BYTES;
    ck_assert(!witness_hidden(&told, &noise));
    noise.tick_ns = 864 * US;
    ck_assert(!witness_hidden(&told, &noise));
    noise.tick_ns = 960 * US;
    ck_assert(witness_hidden(&told, &noise));
}
END_TEST

/* Trains settle at 402 us; of 24 pairs every other first packet comes 100 us later, the second behind it by so much less or as far. */
static bool settled_waits(double first_gap_us, double later_gap_us)
{
    struct statistics statistics = {.bytes = BYTES};
    struct witness pairs = {
        .candidate = {.gap_ns = 330 * US, .error_ns = US, .bytes = BYTES},
        .floors = {.bytes = BYTES, .delays = true, .mean_ns = 330 * US, .mean_error_ns = US},
    };
    struct seen seen = {
        .pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise, .scratch = scratch};
    struct witness settled;

    readings_init(readings, ROOM, false);
    readings_init(seen.longs, ROOM, true);
    shapes = (struct shapes){0};
    stages_add_settled(5, 0.25F);
    seen.shapes = shapes;
    for (unsigned i = 0; i < 24; i++)
        stages_push(i % 2 ? later_gap_us : first_gap_us, i % 2 ? 100 : 0);
    settled = settled_weigh(&seen, &statistics, &pairs);
    free(seen.longs);
    ck_assert_int_eq(settled.candidate.origin, ORIGIN_SETTLED);
    return evidence_has(settled.evidence, AGAINST_WAITS);
}

START_TEST(second_packets_tell_that_first_ones_are_late)
{
    ck_assert(!settled_waits(380, 280));
    ck_assert(settled_waits(380, 380));
    ck_assert(!settled_waits(380, 308)); /* 28 us, over the root of two, either way: a tenth of 402 */
    ck_assert(settled_waits(380, 309));
}
END_TEST

START_TEST(trains_of_another_rate_ground_nothing)
{
    ck_assert(!evidence_has(weigh_beside(410, 12000).evidence, FOR_GROUNDED));
}
END_TEST

START_TEST(trains_of_few_bytes_ground_nothing)
{
    ck_assert(!evidence_has(weigh_beside(400, 11000).evidence, FOR_GROUNDED));
}
END_TEST

/* 2 % of what is held, after three misses. */
START_TEST(what_is_held_disputes_the_rest)
{
    struct seen seen = seen_of_no_pairs();
    struct change change = {0};
    struct witness held;

    stages_push_many(10, 400, 0);
    held = stages_witness();
    change_hold(&change, &seen, &held, &held, true);
    held.candidate.gap_ns = 410 * US;
    ck_assert(!change_disputes(&change, &held.candidate));
    change.pairs.missed = 3;
    ck_assert(change_disputes(&change, &held.candidate));
    held.candidate.gap_ns = 407 * US;
    ck_assert(!change_disputes(&change, &held.candidate));
}
END_TEST

/* What whole trains told is disputed by trains that miss it, and not by pairs, though its floors are those of pairs. */
START_TEST(what_trains_hold_they_dispute)
{
    struct change change = {0};
    struct candidate other = {.gap_ns = 440 * US, .bytes = BYTES};

    stages_push_many(10, 400, 0);
    change.held = stages_witness();
    change.held.candidate = (struct candidate){.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_EVEN};
    change.pairs.missed = 3;
    ck_assert(!change_disputes(&change, &other));
    change.longs.missed = 3;
    ck_assert(change_disputes(&change, &other));
}
END_TEST

/* Of four trains 20 packets pass, in 1520 us, and then 11 more: 10000 bytes in 8 ms, or 1900 in
 * 1520 us. */
START_TEST(cuts_at_one_place_are_a_policer)
{
    struct policer policer = {.count = 4};

    for (unsigned i = 0; i < 4; i++)
        policer.ring[i] = (struct cut){.head = 20,
                                       .survivors = 11,
                                       .passed = 10,
                                       .holes = true,
                                       .bytes = BYTES,
                                       .head_ns = 1520e3,
                                       .between_ns = 8e6};
    policer.next = 4;
    ck_assert(policer_read(&policer).cut);
    ck_assert_double_eq_tol(policer_read(&policer).bps, 10e6, 1);
    ck_assert_double_eq_tol(policer_read(&policer).burst_bytes, 20500 - 1900, 1);
    policer.ring[0].head = 26; /* a quarter of the mean, and one, are 6.375 */
    ck_assert(policer_read(&policer).cut);
    policer.ring[0].head = 28;
    ck_assert(!policer_read(&policer).cut);
}
END_TEST

/* Six of ten left with the gap: a bound. Three do: a doubt. Two: neither. */
START_TEST(departures_bound_or_doubt)
{
    struct departures departures;

    for (unsigned i = 0; i < 10; i++)
        stages_push(400, 0)->limited = i < 6;
    departures = departures_read(readings, 0, BYTES, 400 * US, 0);
    ck_assert(departures.limited && !departures.doubtful);
    for (unsigned i = 3; i < 10; i++)
        readings_at(readings, i)->limited = false;
    departures = departures_read(readings, 0, BYTES, 400 * US, 0);
    ck_assert(!departures.limited && departures.doubtful);
    readings_at(readings, 0)->limited = false;
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
}
END_TEST

/* Stamps in ticks scatter spans by a sixth of a tick squared. So do packets of 340 bytes in a span
 * of 64 kB, if they take tick^2 / 6 / (340 / 64000) of its square: 4 % of it at the most. */
START_TEST(coarse_stamps_hide_traffic)
{
    struct witness trains = {.floors = {.trains = true},
                             .candidate = {.gap_ns = 25600 * US, .bytes = 64000},
                             .evidence = {bit(FOR_PROVEN)}};
    double tick_ns = 25600 * US * sqrt(0.04 * 6 * 340 / 64000);

    noise.tick_ns = 0.99 * tick_ns;
    ck_assert(witness_believed(&trains, &noise));
    noise.tick_ns = 1.01 * tick_ns;
    ck_assert(!witness_believed(&trains, &noise));
}
END_TEST

/* Pairs of a path of 800 Mbit/s scatter by 1 us, and three trains are longer so many times. */
static bool denied_beside(double longer)
{
    struct seen seen = {
        .pairs = readings, .longs = malloc(readings_bytes(ROOM)), .scratch = scratch, .noise = noise};
    struct witness pairs, weighed;
    struct statistics statistics;

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        stages_push(9.6 + 0.04 * (i * 7 % 20), 0);
    for (unsigned i = 0; i < 3; i++) {
        struct shape *shape = &seen.shapes.at[i];
        struct reading *train = stages_push(64 * 10 * longer, NAN);

        train->bytes = 64 * BYTES;
        readings_push(seen.longs, train);
        readings->count--;
        *shape = (struct shape){
            .bytes = BYTES, .sent = 65, .packets = 65, .ratio = 1, .gap_ns = (float)(10 * longer * US)};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (float)(16 * 10 * longer * US);
        shapes_hold(&seen.shapes, i + 1);
    }
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    weighed = weigh(&seen, &statistics, &pairs);
    free(seen.longs);
    return evidence_has(weighed.evidence, AGAINST_TRAINS);
}

START_TEST(late_stamps_may_hide_slower_trains)
{
    ck_assert(denied_beside(1.06));
    readings_keep(readings, 0);
    ck_assert(!denied_beside(1.04));
}
END_TEST

/* Twenty pairs of 400 us beside three trains of 64 gaps: what these are on average, and what most of the later ones of
 * each are. */
static void see_late(struct seen *seen, double trains_us, const double later_us[3])
{
    *seen = (struct seen){
        .pairs = readings, .longs = malloc(readings_bytes(ROOM)), .scratch = scratch, .noise = noise};
    readings_keep(readings, 0);
    stages_push_many(20, 400, 0);
    readings_init(seen->longs, ROOM, true);
    for (unsigned i = 0; i < 3; i++) {
        struct reading train = {.last_ns = (float)(64 * later_us[i] * US), .bytes = 64 * BYTES};

        readings_push(seen->longs, &train);
        seen->shapes.at[i] = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            seen->shapes.at[i].quarter_ns[q] = (float)(16 * trains_us * US);
        shapes_hold(&seen->shapes, i + 1);
    }
}

/* By how much the pairs may be short, in us. */
static double above_beside(double trains_us, const double later_us[3])
{
    struct witness pairs;
    struct seen seen;
    double above_ns;

    see_late(&seen, trains_us, later_us);
    pairs = weigh_read_pairs(&seen);
    above_ns = late_above(&seen, &pairs);
    free(seen.longs);
    return above_ns / US;
}

/* Where later gaps agree they tell, to 100 ppm; else trains bound it, or what was measured does. */
START_TEST(later_gaps_tell_late_stamps)
{
    ck_assert_double_eq_tol(above_beside(430, (double[]){408, 408, 408}), 8, 0.1);
    ck_assert_double_eq_tol(above_beside(430, (double[]){400, 400, 400}), 0, 0.1);
    ck_assert_double_eq_tol(above_beside(404, (double[]){430, 440, 450}), 4, 0.1);
    ck_assert_double_eq_tol(above_beside(430, (double[]){430, 440, 450}), 6, 0.1);
}
END_TEST

/* The gap that is guessed, in us, where trains tell theirs and these reasons are against it; 0: none is. */
static double guess_beside(double trains_us, const double later_us[3], uint32_t reasons)
{
    struct witness pairs,
        told = {.floors = {.trains = true},
                .candidate = {.gap_ns = 64 * trains_us * US, .bytes = 64 * BYTES},
                .evidence = {reasons}};
    struct seen seen;
    struct statistics statistics;
    struct mean guess;

    see_late(&seen, trains_us, later_us);
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    guess = late_guess(&seen, &statistics, &pairs, &told);
    free(seen.longs);
    return guess.n > 0 ? guess.gap_ns / US : 0;
}

/* Between pairs and trains, and only where pairs deny trains. */
START_TEST(later_gaps_are_a_guess)
{
    uint32_t denied = bit(AGAINST_TRAINS);

    ck_assert_double_eq_tol(guess_beside(440, (double[]){410, 410, 410}, denied), 410, 0.1);
    ck_assert_double_eq(guess_beside(440, (double[]){450, 450, 450}, denied), 0);
    ck_assert_double_eq(guess_beside(440, (double[]){390, 390, 390}, denied), 0);
    ck_assert_double_eq(guess_beside(440, (double[]){410, 420, 430}, denied), 0);
    ck_assert_double_eq(guess_beside(395, (double[]){410, 410, 410}, denied), 0);
    ck_assert_double_eq(guess_beside(440, (double[]){410, 410, 410}, bit(AGAINST_MEANS)), 0);
}
END_TEST

/* Of 400 us: as many ends as that, and of the others, as many trains; all trains as a whole 1 % slower, but so many
 * that are 3 % faster. */
static struct shown shown_of(unsigned same, double same_us, unsigned others, double others_us,
                             unsigned faster)
{
    static const struct candidate told = {.gap_ns = 400 * US, .bytes = BYTES};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};
    struct shown shown;

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < same + others; i++) {
        struct reading train = {.gap_ns = (float)((i < faster ? 388 : 404) * 15 * US), .bytes = 15 * BYTES};

        readings_push(seen.longs, &train);
        seen.shapes.at[i] = (struct shape){.bytes = BYTES,
                                           .sent = 16,
                                           .packets = 16,
                                           .end_ns = (float)((i < same ? same_us : others_us) * US)};
    }
    shapes_hold(&seen.shapes, same + others);
    shown = shown_read(&seen, &told);
    free(seen.longs);
    return shown;
}

START_TEST(most_trains_end_with_it)
{
    ck_assert(shown_of(8, 419, 2, 500, 1).mostly);
    ck_assert(!shown_of(7, 419, 3, 500, 1).mostly);
    ck_assert(!shown_of(8, 421, 2, 500, 1).mostly);
    ck_assert(!shown_of(8, 379, 2, 500, 1).mostly);
    ck_assert(!shown_of(8, 419, 2, 500, 2).mostly);
    ck_assert(!shown_of(8, 0, 2, 0, 0).mostly); /* of no end is anything known */
}
END_TEST

START_TEST(hardly_a_train_ends_with_it)
{
    ck_assert(shown_of(1, 419, 10, 421, 0).nowhere);
    ck_assert(!shown_of(1, 419, 9, 421, 0).nowhere);
    ck_assert(!shown_of(1, 300, 9, 421, 0).nowhere);
    ck_assert(!shown_of(8, 0, 2, 0, 0).nowhere);
    noise.tick_ns = 25 * US; /* two thirds of a tick are none */
    ck_assert(!shown_of(1, 419, 10, 421, 0).nowhere);
    ck_assert(shown_of(1, 419, 10, 426, 0).nowhere);
}
END_TEST

/* Three trains of ten end with 500 us, and 40 pairs have 400: so twelve are due, but for those that are told. */
START_TEST(ends_that_no_pair_has)
{
    stages_push_many(40, 400, 0);
    ck_assert(shown_of(7, 400, 3, 500, 0).otherwise);
    ck_assert(!shown_of(8, 400, 2, 500, 0).otherwise);
    ck_assert(!shown_of(8, 400, 3, 500, 0).otherwise); /* 10.9 are due */
    ck_assert(!shown_of(7, 400, 3, 415, 0).otherwise);
    ck_assert(!shown_of(7, 400, 3, 350, 0).otherwise);
    readings_at(readings, 0)->gap_ns = (float)(505 * US);
    ck_assert(shown_of(7, 400, 3, 500, 0).otherwise);
    readings_at(readings, 1)->gap_ns = (float)(495 * US);
    ck_assert(!shown_of(7, 400, 3, 500, 0).otherwise);
}
END_TEST

/* Of 20 that wait evenly for up to half a gap two are within a twentieth; 2 + 3 sqrt(1.8) is 6.02. */
START_TEST(packets_that_wait_for_no_turn)
{
    struct floors pairs = {.bytes = BYTES, .delays = true, .apart_ns = 400 * US};

    stages_push_many(7, 400, 0);
    stages_push_many(13, 400, 21);
    ck_assert(shown_no_turns(readings, &pairs));
    readings_at(readings, 0)->delay_ns = 21 * US;
    ck_assert(!shown_no_turns(readings, &pairs));
    readings_at(readings, 0)->gap_ns = (float)(380 * US); /* the second one alone counts */
    ck_assert(shown_no_turns(readings, &pairs));
    pairs.delays = false;
    ck_assert(!shown_no_turns(readings, &pairs));
}
END_TEST

/* Hardly one train in ten may be faster, by what trains agree to; of fewer than five nothing is said. */
START_TEST(trains_that_are_faster)
{
    ck_assert(shown_of(8, 400, 2, 400, 2).faster);
    ck_assert(!shown_of(8, 400, 2, 400, 1).faster);
    ck_assert(!shown_of(4, 400, 0, 400, 4).faster);
}
END_TEST

/* Two pairs of 400 us that waited for 60 us, and one that did not; two trains of four at that rate, or all. */
static bool caught_up_beside(double idle_us, unsigned trains)
{
    static const struct candidate told = {.gap_ns = 400 * US, .bytes = BYTES};
    struct floors pairs = {.bytes = BYTES, .delays = true, .apart_ns = 460 * US};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};
    bool caught_up;

    readings_keep(readings, 0);
    stages_push_many(2, 400, 60);
    stages_push(idle_us, 11); /* 12 us are 3 % of a gap */
    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 4; i++) {
        struct reading train = {.gap_ns = (float)((i < trains ? 400 : 440) * 15 * US), .bytes = 15 * BYTES};

        readings_push(seen.longs, &train);
    }
    caught_up = shown_caught_up(&seen, &pairs, &told);
    free(seen.longs);
    return caught_up;
}

START_TEST(pairs_that_caught_up)
{
    ck_assert(caught_up_beside(421, 2));
    ck_assert(!caught_up_beside(419, 2)); /* it has the gap, to 5 % */
    ck_assert(!caught_up_beside(421, 4));
    ck_assert(caught_up_beside(421, 3));
}
END_TEST

/* Twenty pairs, so many of 500 us in place of 400; three of half the size, one of which may be 5 % longer, too; and
 * trains of so many us a gap, with an error of 5. */
static bool spared_beside(unsigned longer, double half_us, double train_us)
{
    static const struct candidate told = {.gap_ns = 400 * US, .bytes = BYTES};
    struct floors pairs = {.bytes = BYTES, .delays = true};
    struct seen seen = {.pairs = readings, .noise = noise};
    struct statistics s = stages_of_trains(5);

    readings_keep(readings, 0);
    s.train.value = train_us * US;
    stages_push_many(longer, 500, 0);
    stages_push_many(20 - longer, 400, 0);
    for (unsigned i = 0; i < 3; i++)
        stages_push(i == 0 ? half_us : 200, 0)->bytes = BYTES / 2;
    return shown_spares_smaller(&seen, &s, &pairs, &told);
}

START_TEST(smaller_pairs_that_no_traffic_lengthens)
{
    ck_assert(spared_beside(3, 200, 500));
    ck_assert(!spared_beside(2, 200, 500)); /* a tenth of the others */
    ck_assert(!spared_beside(3, 211, 500));
    ck_assert(spared_beside(3, 209, 500));
    ck_assert(!spared_beside(3, 200, 434)); /* 420 with three errors */
    ck_assert(spared_beside(3, 200, 436));
}
END_TEST

/* Pairs of so many us beside ten trains of 64 gaps, of which so many go on with 400 us and the rest with 500, and
 * which behind their first quarter are so long on average; the first packets of pairs wait for up to 200 us, evenly. */
static struct witness later_beside(double pair_us, unsigned same, double mean_us)
{
    struct seen seen = {
        .pairs = readings, .longs = malloc(readings_bytes(ROOM)), .scratch = scratch, .noise = noise};
    struct statistics statistics = {0};
    struct witness pairs, witness;

    readings_keep(readings, 0);
    for (unsigned i = 0; i < 20; i++)
        stages_push(pair_us - i % 10 * 10, i * 7 % 20 * 10);
    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 10; i++) {
        struct reading train = {.gap_ns = (float)(64 * mean_us * US),
                                .last_ns = (float)(64 * (i < same ? 400 : 500) * US),
                                .bytes = 64 * BYTES};
        struct shape *shape = &seen.shapes.at[i];

        readings_push(seen.longs, &train);
        *shape = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (float)(16 * mean_us * US);
    }
    shapes_hold(&seen.shapes, 10);
    pairs = weigh_read_pairs(&seen);
    witness = later_weigh(&seen, &statistics, &pairs, &pairs);
    free(seen.longs);
    return witness;
}

START_TEST(trains_go_on_where_heads_are_shorter)
{
    struct witness later = later_beside(391, 10, 400);

    ck_assert_int_eq(later.candidate.origin, ORIGIN_LATER);
    ck_assert(witness_by_trains(&later) && witness_believed(&later, &noise));
    ck_assert_double_eq_tol(later.candidate.gap_ns, 400 * US, 1);
    ck_assert_double_eq_tol(later.candidate.error_ns, 40, 1); /* 100 ppm */
    ck_assert_int_eq(later_beside(391, 8, 400).candidate.origin, ORIGIN_LATER);
    ck_assert_int_ne(later_beside(391, 7, 400).candidate.origin, ORIGIN_LATER);
    ck_assert_int_ne(later_beside(425, 10, 400).candidate.origin, ORIGIN_LATER); /* seven in ten are faster */
    ck_assert_int_ne(later_beside(391, 10, 391).candidate.origin, ORIGIN_LATER); /* so are trains */
    noise.tick_ns = 4 * US;
    ck_assert_double_eq_tol(later_beside(391, 10, 400).candidate.error_ns, 4040, 1);
}
END_TEST

/* Pairs of 391 us, of which so many are heads of trains of four that end with 400 us, and a longer one or
 * none that bears it out. */
static enum origin later_of_short(unsigned trains, unsigned longer)
{
    struct seen seen = {
        .pairs = readings, .longs = malloc(readings_bytes(ROOM)), .scratch = scratch, .noise = noise};
    struct statistics statistics = {0};
    struct witness pairs, witness;

    readings_keep(readings, 0);
    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        stages_push(391 - i % 10 * 10, i * 7 % 20 * 10)->last_ns = i < trains ? (float)(400 * US) : NAN;
    *seen.shapes.at = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        seen.shapes.at->quarter_ns[q] = (float)(16 * 400 * US);
    shapes_hold(&seen.shapes, longer);
    pairs = weigh_read_pairs(&seen);
    witness = later_weigh(&seen, &statistics, &pairs, &pairs);
    free(seen.longs);
    return witness.candidate.origin;
}

START_TEST(short_trains_go_on_as_well)
{
    ck_assert_int_eq(later_of_short(5, 1), ORIGIN_LATER);
    ck_assert_int_ne(later_of_short(4, 1), ORIGIN_LATER);
    ck_assert_int_ne(later_of_short(5, 0), ORIGIN_LATER);
}
END_TEST

/* Of ten trains of 64 gaps so many are faster than 400 us, and of five of 16 or of 40 gaps all. */
static bool short_are_faster(unsigned faster, unsigned packets)
{
    struct candidate told = {.gap_ns = 400 * US, .bytes = BYTES};
    struct readings *trains = calloc(1, readings_bytes(ROOM));
    bool are;

    readings_init(trains, ROOM, true);
    for (unsigned i = 0; i < 15; i++) {
        unsigned gaps = i < 10 ? 64 : packets;
        struct reading train = {.gap_ns = (float)((i < faster || i >= 10 ? 390 : 400) * gaps * US),
                                .bytes = gaps * BYTES & READING_BYTES};

        readings_push(trains, &train);
    }
    are = shown_short_are_faster(trains, &told);
    free(trains);
    return are;
}

START_TEST(only_trains_that_a_batch_holds_are_faster)
{
    ck_assert(short_are_faster(0, 16));
    ck_assert(!short_are_faster(1, 16));
    ck_assert(!short_are_faster(0, 40));
}
END_TEST

/* Nearly all trains end with 400 us, and settled ones have it; but first packets waited. Whether for others' turns,
 * twenty waits tell: of three in ten there is none. */
START_TEST(waits_for_nobody)
{
    struct floors pairs = {.bytes = BYTES, .mean_ns = 400 * US};
    struct statistics statistics = {
        .waits = 20, .train = {.n = 3}, .pair = {.n = 20}, .at_once = true, .uniform = 3, .idle = 0.3};
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_SETTLED}};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 3; i++)
        seen.shapes.at[i] = (struct shape){.bytes = BYTES, .sent = 16, .packets = 16, .end_ns = 400e3F};
    shapes_hold(&seen.shapes, 3);
    told.evidence.reasons = bit(AGAINST_WAITS);
    shown_weigh(&seen, &statistics, &pairs, &told);
    ck_assert(!evidence_has(told.evidence, AGAINST_WAITS));
    told.evidence.reasons = bit(AGAINST_WAITS);
    statistics.waits = 19;
    shown_weigh(&seen, &statistics, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    statistics.waits = 20;
    statistics.at_once = false;
    shown_weigh(&seen, &statistics, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    statistics.at_once = true;
    statistics.idle = 0.2; /* as many as even waits may leave */
    shown_weigh(&seen, &statistics, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    told = (struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LATER}};
    shown_weigh(&seen, &statistics, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    free(seen.longs);
}
END_TEST

/* Hardly a first packet comes for nothing, but each by as much later as the second one comes sooner behind it: 20 late stamps.
 * Trains that left in more than half of the time may be as even as they left. */
START_TEST(late_stamps_wait_for_nobody)
{
    struct floors pairs = {.bytes = BYTES, .delays = true, .mean_ns = 370 * US, .apart_ns = 400 * US};
    struct statistics statistics = {.waits = 20,
                                    .train = {.n = 3},
                                    .pair = {.n = 20},
                                    .at_once = true,
                                    .sooner = true,
                                    .uniform = 3,
                                    .idle = 0.1};
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LATER}},
                   late = told;
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        stages_push(400 - 3 * i, 3 * i);
    shown_weigh(&seen, &statistics, &pairs, &late);
    ck_assert(!evidence_has(late.evidence, AGAINST_WAITS));
    late = told;
    statistics.sooner = false;
    shown_weigh(&seen, &statistics, &pairs, &late);
    ck_assert(evidence_has(late.evidence, AGAINST_WAITS));
    late = told;
    statistics.sooner = true;
    for (unsigned i = 6; i < 20; i++) /* these second packets wait as well */
        readings_at(readings, i)->gap_ns = (float)(425 * US);
    shown_weigh(&seen, &statistics, &pairs, &late);
    ck_assert(evidence_has(late.evidence, AGAINST_WAITS));
    free(seen.longs);
}
END_TEST

/* So many trains of five end with 400 us, as pairs have it, and the others with 360. What is against the gap, of what pairs and
 * their sizes say of a bucket, batches, or a rate that varies. */
static struct evidence denied_where(unsigned ends)
{
    struct floors pairs = {.bytes = BYTES, .delays = true, .mean_ns = 400 * US, .apart_ns = 400 * US};
    struct statistics statistics = {.bytes = BYTES};
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LEAST}};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};

    readings_init(readings, ROOM, false);
    readings_init(seen.longs, ROOM, true);
    stages_push_many(20, 400, 0);
    for (unsigned i = 0; i < 5; i++)
        seen.shapes.at[i] =
            (struct shape){.bytes = BYTES, .sent = 16, .packets = 16, .end_ns = i < ends ? 400e3F : 360e3F};
    shapes_hold(&seen.shapes, 5);
    told.evidence.reasons = bit(FOR_PROVEN) | bit(AGAINST_SPARED) | bit(AGAINST_BATCHES) | bit(AGAINST_VARIES)
        | bit(AGAINST_TAILS) | bit(AGAINST_SIZES);
    shown_weigh(&seen, &statistics, &pairs, &told);
    free(seen.longs);
    return told.evidence;
}

START_TEST(what_nearly_all_trains_end_with_is_no_buckets)
{
    struct evidence all = denied_where(4), some = denied_where(3);

    ck_assert(evidence_has(all, FOR_SHOWN));
    ck_assert(!evidence_has(all, AGAINST_SPARED));
    ck_assert(!evidence_has(all, AGAINST_BATCHES));
    ck_assert(!evidence_has(all, AGAINST_VARIES));
    ck_assert(!evidence_has(all, AGAINST_TAILS));
    ck_assert(evidence_has(all, AGAINST_SIZES));
    ck_assert(!evidence_has(some, FOR_SHOWN));
    ck_assert(evidence_has(some, AGAINST_SPARED));
    ck_assert(evidence_has(some, AGAINST_BATCHES));
    ck_assert(evidence_has(some, AGAINST_VARIES));
    ck_assert(evidence_has(some, AGAINST_TAILS));
}
END_TEST

/* Trains of 601 us, or of 599: half as long again as pairs of 400, on a path that is never idle, or is. */
static bool restless_beside(double train_us, bool reached)
{
    struct floors pairs = {.bytes = BYTES, .delays = true, .reached = reached};
    struct statistics statistics = {.bytes = BYTES, .middle_tail_ns = train_us * US};
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LEAST}};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};

    readings_init(seen.longs, ROOM, true);
    seen.shapes.at[0] = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        seen.shapes.at[0].quarter_ns[q] = (float)(16 * train_us * US);
    shapes_hold(&seen.shapes, 1);
    shown_weigh(&seen, &statistics, &pairs, &told);
    free(seen.longs);
    return evidence_has(told.evidence, AGAINST_RESTLESS);
}

START_TEST(trains_on_a_path_that_never_rests)
{
    ck_assert(restless_beside(601, false));
    ck_assert(!restless_beside(599, false));
    ck_assert(!restless_beside(601, true));
    ck_assert(!restless_beside(1330, true)); /* but three and a third as long no queue makes them */
    ck_assert(restless_beside(1340, true));
}
END_TEST

Suite *filters_weigh_suite(void)
{
    Suite *suite = suite_create("filters_weigh");

    STAGES_ADD(suite, "weigh", cuts_at_one_place_are_a_policer, nothing_denies_pairs_alike, batches_deny,
               tails_deny, a_few_long_tails_do_not, the_first_smaller_pair_denies,
               smaller_packets_that_are_spared_deny, few_even_trains_beside_smaller_pairs,
               smaller_packets_that_take_as_long_deny, smaller_packets_in_proportion_do_not,
               smaller_packets_behind_coarse_stamps_do_not, smaller_packets_that_take_less_deny,
               traffic_spares_some, smaller_packets_in_the_same_slots_deny_pairs_that_differ,
               departures_bound_or_doubt, agreement_is_no_proof, floors_of_a_few_pairs_deny_even_trains,
               floors_of_all_pairs_do_not, floors_further_apart_do_not, trains_ground_what_pairs_agree_on,
               few_trains_bound_what_a_bucket_lets_pairs_have, most_pairs_as_they_left_are_a_bound,
               trains_are_longer_by_what_lengthens_pairs, stamps_hide_less_of_a_whole_train,
               second_packets_tell_that_first_ones_are_late, trains_of_another_rate_ground_nothing,
               trains_of_few_bytes_ground_nothing, coarse_stamps_hide_traffic,
               late_stamps_may_hide_slower_trains, later_gaps_tell_late_stamps, later_gaps_are_a_guess,
               most_trains_end_with_it, only_trains_that_a_batch_holds_are_faster,
               hardly_a_train_ends_with_it, ends_that_no_pair_has, packets_that_wait_for_no_turn,
               trains_that_are_faster, pairs_that_caught_up, smaller_pairs_that_no_traffic_lengthens,
               short_trains_go_on_as_well, trains_go_on_where_heads_are_shorter, waits_for_nobody,
               late_stamps_wait_for_nobody, what_nearly_all_trains_end_with_is_no_buckets,
               trains_on_a_path_that_never_rests, what_is_held_disputes_the_rest,
               what_trains_hold_they_dispute);
    return suite;
}
