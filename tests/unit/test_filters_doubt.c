/* SPDX-License-Identifier: BSD-3-Clause */
/* When filter adaptive must doubt what pairs say, each time beside a path like it where
 * it must not. Cases worked out by hand: packets of 1000 bytes, 400 us apart, are
 * 20 Mbit/s; 500 us, 16; 800 us, 10. */
#include "filters/dispersion.h"
#include "pprec/core.h"
#include "tests/unit/filter_feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>

static struct feed feed;

static void filters_doubt_setup(void)
{
    open_feed(&feed, "adaptive");
    give_witnesses(&feed);
}

static void filters_doubt_teardown(void)
{
    close_feed(&feed);
}

/* Without the witnesses, where trains of their own speak; or with others of coarser stamps. */
static void begin_anew(int64_t tick_ns)
{
    close_feed(&feed);
    open_feed(&feed, "adaptive");
    feed.tick_ns = tick_ns;
    if (tick_ns > 1)
        give_witnesses(&feed);
}

/* 0 to count - 1 in another order; step and count have no common divisor. */
static int64_t shuffled(unsigned i, unsigned step, unsigned count)
{
    return i * step % count;
}

/* --- Agreement stands on floors --- */

/* All pairs leave a full queue 400 us apart, whatever the narrow link did to them. Their
 * delays are 0 to 79 times 500 us, each once: on the floor, which is a tenth of a gap
 * deep, stands one first packet, not 3 + 80 / 32 = 5. (What a line through few of them makes of
 * that stands for as many trains, and no longer.) */
START_TEST(filters_doubt_queue_that_never_empties)
{
    for (unsigned i = 0; i < 80; i++)
        give_pair(&feed, 400 * US, shuffled(i, 17, 80) * 500 * US);
    assert_no_fact(&feed);
}
END_TEST

/* A shaper lets packets go at ticks. The first waits phase_ns for one; tokens for the
 * second are there need_ns after the first came, and it goes at the next tick. */
static void filters_doubt_give_ticked(int64_t tick_ns, int64_t need_ns, int64_t phase_ns, int64_t delay_ns)
{
    int64_t ticks = (need_ns - phase_ns + tick_ns - 1) / tick_ns;

    give_pair(&feed, ticks * tick_ns, delay_ns + phase_ns);
}

/* Ticks of 500 us, need 580: of phases 0 to 490 us those below 80 give a gap of 1000 us,
 * the others, 84 %, one of 500. The least delay of first packets is 0, that of second
 * ones 80 + 500: the floors are 580 us apart. Every fifth pair has waited elsewhere for
 * 3 ms, so that not nearly all first packets are within a gap of their floor. */
START_TEST(pairs_agree_on_a_tick)
{
    for (unsigned i = 0; i < 100; i++)
        filters_doubt_give_ticked(500 * US, 580 * US, shuffled(i, 7, 50) * 10 * US, i % 5 == 4 ? 3 * MS : 0);
    assert_no_fact(&feed);
}
END_TEST

/* Ticks of 250 us, need 500: whatever the phase, two ticks, and so far are the floors. */
START_TEST(ticks_that_divide_the_gap)
{
    for (unsigned i = 0; i < 100; i++)
        filters_doubt_give_ticked(250 * US, 500 * US, shuffled(i, 7, 25) * 10 * US, i % 5 == 4 ? 3 * MS : 0);
    assert_capacity(&feed, STATE_CONVERGED, 16e6);
}
END_TEST

/* The pairs of 500 us above, but nobody waits elsewhere. The newest 60 have phases from
 * 100 us on: alone they would have floors 100 and 600 us after the tick, and bear out what
 * they agree on. All 160 together deny it. */
START_TEST(floors_deny_a_tick_that_the_newest_pairs_agree_on)
{
    for (unsigned i = 0; i < 160; i++)
        filters_doubt_give_ticked(500 * US, 580 * US,
                                  (i < 100 ? shuffled(i, 7, 50) : 10 + shuffled(i, 7, 40)) * 10 * US, 0);
    assert_no_fact(&feed);
}
END_TEST

/* Ticks of 500 us, need 700: phases from 200 us on, 60 %, give 500 us. Their sums of two
 * delays are the least: 200 + 700 us, while phase 0 has 0 + 1000. So pairs prove 500 us
 * by numbers; the floors, 700 us apart, are the better guess. */
START_TEST(floors_deny_a_tick_that_pairs_prove)
{
    for (unsigned i = 0; i < 100; i++)
        filters_doubt_give_ticked(500 * US, 700 * US, shuffled(i, 7, 100) * 5 * US, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 700e3, 0.01 * 8e12 / 700e3);
}
END_TEST

/* Cross traffic gets in between two pairs of five (by 60 to 450 us): the others, and the
 * floors, say 500 us. */
START_TEST(floors_that_say_what_pairs_prove)
{
    for (unsigned i = 0; i < 100; i++)
        give_pair(&feed, (i % 5 < 3 ? 500 : 560 + shuffled(i, 7, 40) * 10) * US, 0);
    assert_capacity(&feed, STATE_CONVERGED, 16e6);
}
END_TEST

/* As pairs are: six in ten of 500 us, of the first gaps of trains as of the last. */
static int64_t stretched_ns(unsigned train, unsigned k)
{
    return (train + k) % 5 < 3 ? 500 * US : (560 + (17 * train + 23 * k) % 40 * 10) * US;
}

/* The same traffic, and ten trains of gaps of 602 us, or stretched to about that mean. */
static void give_beside_trains(bool stretched)
{
    for (unsigned i = 0; i < 100; i++) {
        int64_t offsets_ns[64] = {0};

        if (i % 10 != 9) {
            give_pair(&feed, (i % 5 < 3 ? 500 + i % 3 : 560 + shuffled(i, 7, 40) * 10) * US, 0);
            continue;
        }
        for (unsigned k = 1; k < 64; k++)
            offsets_ns[k] = offsets_ns[k - 1] + (stretched ? stretched_ns(i / 10, k) : 602 * US);
        give(&feed, offsets_ns, 64, 0);
    }
}

/* It stretches trains as pairs, to 602 us a gap, the mean of the pairs: they deny nothing that most pairs agree on
 * to 2 us. The half of these with the least delays: twice as many of 500 us as of 501. */
START_TEST(stretched_trains_deny_no_tight_pairs)
{
    give_beside_trains(true);
    assert_capacity(&feed, STATE_CONVERGED, 8e12 / (500e3 + 1e3 / 3.0));
}
END_TEST

/* Pairs 120 us apart, which stamps scatter by up to 2 us. Packets of others lengthen two gaps of each train by 19 us,
 * which makes a mean of 122.5, longer by 2.1 %: pairs on average are no shorter than errors allow. */
START_TEST(light_traffic_in_trains_denies_no_pairs)
{
    struct rng rng = {1}; /* the same each time */

    begin_anew(1);
    for (unsigned i = 0; i < 140; i++) {
        int64_t offsets_ns[16] = {0};

        if (i % 7 < 6) {
            give_pair(&feed, 118 * US + rng_below(&rng, 4001), rng_below(&rng, 2001));
            continue;
        }
        for (unsigned k = 1; k < 16; k++) {
            bool longer = k == 2 + i % 5 || k == 9 + i % 6;

            offsets_ns[k] = offsets_ns[k - 1] + 119 * US + rng_below(&rng, 2001) + (longer ? 19 * US : 0);
        }
        give(&feed, offsets_ns, 16, rng_below(&rng, 2001));
    }
    ck_assert_int_eq(feed.estimate.state, STATE_CONVERGED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 120e3,
                            0.005 * 8e12 / 120e3); /* a quarter of 2.1 % */
}
END_TEST

/* If all gaps of trains are 602 us, nothing in them is what pairs agree on. */
START_TEST(what_no_train_shows_is_a_guess)
{
    give_beside_trains(false);
    assert_no_fact(&feed);
}
END_TEST

/* --- A line under all delays, or under the newest --- */

/* The clock is right for 6.4 s, then slewed by 450 ppm, 90 us from train to train. The
 * line under all delays runs from the first to the last, 45 us per train: only these two are
 * on it, to a tenth of a gap. In the newest half all stand on theirs. */
START_TEST(slewed_clock)
{
    for (int i = 0; i < 64; i++)
        give_pair(&feed, 200 * US, i < 32 ? 0 : -90 * US * (i - 32));
    assert_capacity(&feed, STATE_CONVERGED, 40e6);
}
END_TEST

/* --- Send times, trains instead of them --- */

START_TEST(agreement_without_send_times)
{
    feed.classic = true;
    give_pairs(&feed, 60, 800 * US);
    assert_capacity(&feed, STATE_TENTATIVE, 10e6);
}
END_TEST

/* Fifteen gaps of 800 us per train bear the pairs out. */
START_TEST(trains_bear_pairs_out)
{
    feed.classic = true;
    for (unsigned i = 0; i < 60; i++)
        give_even(&feed, i % 4 ? 2 : 16, 800 * US, 0);
    assert_capacity(&feed, STATE_CONVERGED, 10e6);
}
END_TEST

/* Gaps of 105 us in trains and of 100 us in pairs: 5 % is more than the 2 % that rates may
 * differ by, though within the 6 us that a first stamp may be late by. */
START_TEST(trains_of_another_rate_bear_nothing_out)
{
    feed.classic = true;
    for (unsigned i = 0; i < 60; i++)
        give_even(&feed, i % 8 ? 2 : 16, (i % 8 ? 100 : 105) * US, 0);
    assert_no_fact(&feed);
}
END_TEST

/* --- The resolution of the stamps --- */

/* 800 us are 11.4 ticks: 4 of 7 gaps read 770, 3 read 840, 800 on average. */
START_TEST(gaps_of_eleven_ticks)
{
    begin_anew(70 * US);
    for (unsigned i = 0; i < 210; i++)
        give_pair(&feed, 800 * US, i % 7 * 10 * US);
    ck_assert_int_eq(feed.estimate.state, STATE_CONVERGED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 0.01 * 10e6);
}
END_TEST

/* --- Trains that are no pairs --- */

/* Packets come 200 us apart; the receiver takes the first at once and interrupts every
 * 300 us from then on: the second is stamped 300 us after the first each time, the third
 * 1 us after the second, the last 299 us after that. */
START_TEST(batches_in_trains_of_four)
{
    for (unsigned i = 0; i < 40; i++)
        give(&feed, (int64_t[]){0, 300 * US, 301 * US, 600 * US}, 4, 0);
    assert_no_fact(&feed);
}
END_TEST

/* A bucket of three packets: two gaps of 400 us, then one of 800. */
START_TEST(last_gap_is_longer)
{
    for (unsigned i = 0; i < 40; i++)
        give(&feed, (int64_t[]){0, 400 * US, 800 * US, 1600 * US}, 4, 0);
    assert_no_fact(&feed);
}
END_TEST

/* --- Two sizes --- */

/* A bucket with room for one packet, or two of half the size: one in eight is followed by
 * another half_ns after it. Trains, as many, have gaps of 400 us. */
static void give_bucket_of_one(int64_t half_ns, unsigned length)
{
    for (unsigned i = 0; i < 64; i++) {
        feed.bytes = i % 8 == 3 ? BYTES / 2 : BYTES;
        if (i % 8 == 7)
            give_even(&feed, length, 400 * US, 0);
        else
            give_pair(&feed, i % 8 == 3 ? half_ns : 400 * US, 0);
    }
}

START_TEST(half_the_size_passes_a_bucket)
{
    give_bucket_of_one(3 * US, 64);
    assert_capacity(&feed, STATE_CONVERGED, 20e6);
}
END_TEST

/* No long train bears the others out. */
START_TEST(half_the_size_takes_nothing)
{
    give_bucket_of_one(3 * US, 2);
    assert_no_fact(&feed);
}
END_TEST

/* Cross traffic gets in between two pairs of five, so that the others have to be proven; of
 * those of half the size, one in ten, nine of ten pass at once, the last one takes half. */
START_TEST(a_bucket_spares_all_of_half_the_size)
{
    for (unsigned i = 0; i < 100; i++) {
        feed.bytes = i % 10 == 9 ? BYTES / 2 : BYTES;
        if (i % 10 == 9)
            give_pair(&feed, i / 10 < 9 ? 3 * US : 250 * US, 0);
        else
            give_pair(&feed, (i % 5 < 3 ? 500 : 560 + shuffled(i, 7, 40) * 10) * US, 0);
    }
    assert_no_fact(&feed);
}
END_TEST

/* --- Pairs and trains --- */

/* Two packets go into one aggregate, 400 us apart; the trains, one in eight, are 480 us
 * apart from packet to packet. The mean of all pairs is 410 us. */
START_TEST(means_of_pairs_and_trains_differ)
{
    for (unsigned i = 0; i < 96; i++)
        give_even(&feed, i % 8 ? 2 : 16, (i % 8 ? 400 : 480) * US, 0);
    assert_no_fact(&feed);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 480e3, 8e12 / 480e3 * NEAR);
}
END_TEST

/* Cross traffic lengthens every seventh gap by 350 us, of pairs and of trains: 450 us on
 * average either way, and six pairs of seven agree on 400. */
START_TEST(means_of_pairs_and_trains_are_one)
{
    for (unsigned i = 0; i < 160; i++) {
        int64_t offsets_ns[15] = {0};

        for (unsigned k = 1; k < 15; k++)
            offsets_ns[k] = offsets_ns[k - 1] + ((i + k) % 7 ? 400 : 750) * US;
        give(&feed, offsets_ns, i % 8 ? 2 : 15, 0);
    }
    assert_capacity(&feed, STATE_CONVERGED, 20e6);
}
END_TEST

/* Packets 60 us apart; the first of each train is stamped late, by 3 to 6 us as the kernel's
 * caches are. That shortens pairs by 7 %, and 15 gaps by 0.5. */
START_TEST(filters_doubt_first_stamps_are_late)
{
    begin_anew(1);
    for (unsigned i = 0; i < 20; i++) {
        int64_t offsets_ns[16], late_ns = 3 * US + shuffled(i, 7, 20) * 150;

        for (unsigned k = 0; k < 16; k++)
            offsets_ns[k] = k ? k * 60 * US - late_ns : 0;
        give(&feed, offsets_ns, 16, late_ns);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_CONVERGED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 60e3, 0.01 * 8e12 / 60e3);
}
END_TEST

/* First stamps 5.5 to 6 us late of gaps of 50 us, a ninth: no bucket, though the level shifts
 * by over a tenth after the first gap. */
START_TEST(late_first_stamps_are_no_bucket)
{
    for (unsigned i = 0; i < 20; i++) {
        int64_t offsets_ns[16], late_ns = 5500 + shuffled(i, 7, 20) * 25;

        for (unsigned k = 0; k < 16; k++)
            offsets_ns[k] = k ? k * 50 * US - late_ns : 0;
        give(&feed, offsets_ns, 16, late_ns);
    }
    ck_assert_int_ne(feed.estimate.state, STATE_SHAPED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 50e3, 0.02 * 8e12 / 50e3);
}
END_TEST

/* --- As it left --- */

/* Of four pairs of 8 ms one passes a shaper's bucket at 10 us, as it left: those are the least
 * delays, but no bound. Where all arrive as they left, it is one. */
START_TEST(a_minority_that_passed_bounds_nothing)
{
    feed.departure_ns = 10 * US;
    for (unsigned i = 0; i < 60; i++)
        give_pair(&feed, i % 4 ? 8 * MS : 10 * US, 0);
    ck_assert_int_ne(feed.estimate.state, STATE_SENDER_LIMITED);
    ck_assert_int_ne(feed.estimate.state, STATE_CONVERGED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 1e6, NEAR * 1e6);
}
END_TEST

START_TEST(all_that_passed_are_a_bound)
{
    feed.departure_ns = 150 * US;
    for (unsigned i = 0; i < 60; i++)
        give_even(&feed, 16, 10 * US, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_SENDER_LIMITED);
    ck_assert_int_eq(feed.estimate.why, WHY_SENDER);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 800e6, NEAR * 800e6);
}
END_TEST

/* They came closer together than they left: no path does that, and it is told no faster. */
START_TEST(a_bound_is_no_faster_than_the_departure)
{
    feed.departure_ns = 300 * US;
    for (unsigned i = 0; i < 60; i++)
        give_even(&feed, 16, 10 * US, 0);
    ck_assert_int_eq(feed.sample.verdict, VERDICT_BATCHED);
    ck_assert_int_eq(feed.estimate.state, STATE_SENDER_LIMITED);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 400e6, NEAR * 400e6);
}
END_TEST

/* A bucket in front of the adapter holds trains of 4, and the first 8 packets of 64: these leave 10 us apart, the rest
 * 400, and all come as they left. Nobody spread them on purpose. */
START_TEST(a_bucket_of_the_sender_is_a_bound)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned k = 1; k < 64; k++)
        offsets_ns[k] = offsets_ns[k - 1] + (k < 8 ? 10 : 400) * US;
    for (unsigned i = 0; i < 80; i++) {
        unsigned packets = i % 8 == 7 ? 64 : i % 2 ? 4 : 2;

        feed.departure_ns = offsets_ns[packets - 1];
        give(&feed, offsets_ns, packets, 0);
    }
    assert_capacity(&feed, STATE_SENDER_LIMITED, 20e6);
}
END_TEST

/* Pairs pass a bucket as they left, 10 us apart; trains of 64 take 400 us per packet once it is
 * empty, from their eighth gap on. What the sender did with pairs is no bound of that. */
static void give_passing(unsigned pairs, unsigned trains)
{
    int64_t offsets_ns[64];

    for (unsigned k = 0; k < 64; k++)
        offsets_ns[k] = k < 8 ? k * 10 * US : 70 * US + (k - 7) * 400 * US;
    for (unsigned i = 0; i < pairs + trains; i++) {
        feed.departure_ns = i % (1 + pairs / trains) ? 10 * US : 63 * 10 * US;
        if (i % (1 + pairs / trains))
            give_pair(&feed, 10 * US, 0);
        else
            give(&feed, offsets_ns, 64, 0);
    }
}

START_TEST(slower_trains_allow_no_bound)
{
    give_passing(21, 3);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_le(feed.estimate.capacity_bps, 30e6);
    give_passing(21, 3);
    assert_capacity(&feed, STATE_SHAPED, 20e6);
}
END_TEST

/* Two trains of 64 at the rate of pairs, 400 us apart, bear them out; where the last quarter of
 * one is slower by more than traffic makes it, they do not. */
static void give_two(int64_t last_ns)
{
    int64_t offsets_ns[64];

    begin_anew(1);
    for (unsigned k = 0; k < 64; k++)
        offsets_ns[k] = k * 400 * US + (k > 48 ? (k - 48) * (last_ns - 400 * US) : 0);
    for (unsigned i = 0; i < 20; i++)
        if (i % 8 == 7)
            give(&feed, offsets_ns, 64, 0);
        else
            give_pair(&feed, 400 * US, 0);
}

START_TEST(two_long_trains_bear_pairs_out)
{
    give_two(420 * US);
    assert_capacity(&feed, STATE_CONVERGED, 20e6);
    give_two(620 * US);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_FEW_TRAINS);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_WAIT);
}
END_TEST

/* However many, of whatever sizes: a bucket of two packets looks the same. */
START_TEST(pairs_alone_are_never_sure)
{
    begin_anew(1);
    for (unsigned i = 0; i < 250; i++) {
        feed.bytes = i % 4 ? BYTES : BYTES / 2;
        give_pair(&feed, (i % 4 ? 400 : 200) * US, 0);
        ck_assert_int_le(feed.estimate.state, STATE_TENTATIVE);
    }
    ck_assert_int_eq(feed.estimate.why, WHY_PAIRS_ALONE);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_SEND_MIX);
    ck_assert_uint_eq(feed.estimate.seen_bytes, 2 * BYTES);
}
END_TEST

/* A train of which so many came, the feed's packets. */
static void push_of_64(uint16_t came)
{
    struct sample *sample = &feed.sample;

    sample->sent = 64;
    sample->received = came;
    sample->train = feed.trains++;
    dispersion_measure(sample);
    feed.filter->push(feed.state, sample);
    feed.filter->estimate(feed.state, &feed.estimate);
}

/* One train in eight is of 64 packets, of which every second one comes: no two in a row. */
static void give_thinned(unsigned trains)
{
    enum { CAME = 32 };

    for (unsigned i = 0; i < trains; i++) {
        give_pair(&feed, 400 * US, 0);
        if (i % 8 < 7)
            continue;
        for (unsigned k = 0; k < CAME; k++)
            feed.packets[k] = (struct sample_packet){
                .offset_ns = k * 800 * US, .bytes = BYTES, .position = (uint16_t)(2 * k)};
        push_of_64(CAME);
    }
}

/* Waiting would not help. */
START_TEST(long_trains_that_lose_too_much_are_said)
{
    begin_anew(1);
    give_thinned(80);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_LOSSES);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_SEND_LESS);
}
END_TEST

/* While too few of them came to say so: the default pattern, which has them, is not asked for. */
START_TEST(long_trains_that_lose_are_no_lack_of_long_trains)
{
    begin_anew(1);
    give_thinned(28);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_int_eq(feed.estimate.why, WHY_FEW_TRAINS);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_WAIT);
}
END_TEST

/* What its text says of pairs holds for trains of up to seven packets. */
START_TEST(trains_of_fewer_than_eight_are_not_long)
{
    static const unsigned packets[] = {2, 4, 7, 8};

    begin_anew(1);
    for (unsigned i = 0; i < 250; i++)
        give_even(&feed, packets[_i], 400 * US, 0);
    ck_assert_int_eq(feed.estimate.why == WHY_PAIRS_ALONE, packets[_i] < 8);
    ck_assert_str_eq(pprec_why_text(PPREC_WHY_PAIRS_ALONE), "no long trains: a bucket may hide the link");
}
END_TEST

/* Trains of four behind a bucket of three, at 80 Mbit/s before it and 20 behind it. */
START_TEST(last_gaps_of_short_trains_are_the_guess)
{
    static const int64_t offsets_ns[] = {0, 100 * US, 200 * US, 600 * US};

    begin_anew(1);
    for (unsigned i = 0; i < 60; i++) {
        give(&feed, offsets_ns, 4, 0);
        ck_assert_int_le(feed.estimate.state, STATE_TENTATIVE);
    }
    assert_capacity(&feed, STATE_TENTATIVE, 20e6);
    ck_assert_int_eq(feed.estimate.why, WHY_LAST_GAPS_LONGER);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_SEND_LONGER_TRAINS);
    ck_assert_double_le(feed.estimate.low_bps, 2e6); /* that gap may be a tenth of a packet's */
}
END_TEST

/* 64 packets of 1000 bytes every 200 ms are 2.56 Mbit/s: more than half of 4, less than half of 8. */
START_TEST(own_trains_that_fill_the_link)
{
    begin_anew(1);
    for (unsigned i = 0; i < 40; i++) {
        give_even(&feed, 64, 2000 * US, 0);
        ck_assert_int_eq(feed.estimate.why, i < 2 ? WHY_FEW_TRAINS : WHY_OWN_LOAD);
    }
    ck_assert_int_eq(feed.estimate.why, WHY_OWN_LOAD);
    ck_assert_int_eq(feed.estimate.advice, ADVICE_SEND_LESS);
    begin_anew(1);
    for (unsigned i = 0; i < 40; i++)
        give_even(&feed, 64, 1000 * US, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
    ck_assert_int_eq(feed.estimate.why, WHY_NONE);
    ck_assert_uint_eq(feed.estimate.seen_bytes, 64 * BYTES);
}
END_TEST

/* What a bucket behind the loss had to hold. 26 of 64 packets come: the first 20, and then every seventh. */
START_TEST(what_a_train_lost_is_not_seen)
{
    enum { HEAD = 20, CAME = 26 };

    begin_anew(1);
    for (unsigned i = 0; i < 40; i++) {
        give_pair(&feed, 400 * US, 0);
        for (unsigned k = 0; k < CAME; k++) {
            unsigned position = k < HEAD ? k : HEAD + 7 * (k - HEAD);

            feed.packets[k] = (struct sample_packet){.offset_ns = position * 400 * US,
                                                     .bytes = BYTES,
                                                     .position = (uint16_t)position,
                                                     .follows = k > 0 && k < HEAD};
        }
        push_of_64(CAME);
    }
    ck_assert_uint_eq(feed.estimate.seen_bytes, CAME * BYTES);
    for (unsigned i = 0; i < 20; i++)
        give_even(&feed, 40, 400 * US, 0);
    ck_assert_uint_eq(feed.estimate.seen_bytes, 40 * BYTES);
}
END_TEST

/* --- Two floors --- */

/* No pair passes undisturbed: one of the two packets has waited, for from_us to from_us +
 * 400 us. */
static void give_disturbed(struct rng *rng, unsigned from_us, bool first)
{
    int64_t wait_ns = (from_us + rng_below(rng, 400)) * US + rng_below(rng, 1000);

    give_pair(&feed, 800 * US + (first ? -wait_ns : wait_ns), first ? wait_ns : 0);
}

/* Half of the second packets, and half of the first, stand on their floors, 800 us apart. In one
 * run of 300 the others happen to say something else: of 20 runs three fail once in 25 000. */
START_TEST(floors_reached_often_prove_a_gap_that_no_pair_shows)
{
    struct rng rng = rng_start("floors_reached_often_prove_a_gap_that_no_pair_shows");
    unsigned proven = 0;

    for (unsigned run = 0; run < 20; run++) {
        begin_anew(1);
        give_witnesses(&feed);
        for (unsigned i = 0; i < 90; i++)
            give_disturbed(&rng, 150, i % 2);
        proven +=
            feed.estimate.state == STATE_CONVERGED && fabs(feed.estimate.capacity_bps - 10e6) <= NEAR * 10e6;
    }
    ck_assert_uint_ge(proven, 18);
}
END_TEST

/* No second packet gets by without one of 50 us before it, and four of them with no more
 * than that: a floor 850 us after that of the first ones. */
START_TEST(floor_reached_four_times_proves_nothing)
{
    struct rng rng = rng_start("floor_reached_four_times_proves_nothing");

    for (unsigned i = 0; i < 60; i++)
        if (i % 15 == 7)
            give_pair(&feed, 600 * US, 250 * US);
        else
            give_disturbed(&rng, 250, false);
    assert_no_fact(&feed);
}
END_TEST

static TCase *pairs(void)
{
    TCase *tcase = tcase_create("pairs");

    tcase_add_checked_fixture(tcase, filters_doubt_setup, filters_doubt_teardown);
    tcase_add_test(tcase, filters_doubt_queue_that_never_empties);
    tcase_add_test(tcase, pairs_agree_on_a_tick);
    tcase_add_test(tcase, ticks_that_divide_the_gap);
    tcase_add_test(tcase, floors_deny_a_tick_that_the_newest_pairs_agree_on);
    tcase_add_test(tcase, floors_deny_a_tick_that_pairs_prove);
    tcase_add_test(tcase, floors_that_say_what_pairs_prove);
    tcase_add_test(tcase, stretched_trains_deny_no_tight_pairs);
    tcase_add_test(tcase, light_traffic_in_trains_denies_no_pairs);
    tcase_add_test(tcase, what_no_train_shows_is_a_guess);
    tcase_add_test(tcase, slewed_clock);
    tcase_add_test(tcase, agreement_without_send_times);
    tcase_add_test(tcase, trains_bear_pairs_out);
    tcase_add_test(tcase, trains_of_another_rate_bear_nothing_out);
    tcase_add_test(tcase, gaps_of_eleven_ticks);
    tcase_add_test(tcase, batches_in_trains_of_four);
    tcase_add_test(tcase, last_gap_is_longer);
    tcase_add_test(tcase, half_the_size_passes_a_bucket);
    tcase_add_test(tcase, half_the_size_takes_nothing);
    tcase_add_test(tcase, a_bucket_spares_all_of_half_the_size);
    tcase_add_test(tcase, means_of_pairs_and_trains_differ);
    tcase_add_test(tcase, means_of_pairs_and_trains_are_one);
    tcase_add_test(tcase, filters_doubt_first_stamps_are_late);
    tcase_add_test(tcase, late_first_stamps_are_no_bucket);
    tcase_add_test(tcase, a_minority_that_passed_bounds_nothing);
    tcase_add_test(tcase, all_that_passed_are_a_bound);
    tcase_add_test(tcase, a_bound_is_no_faster_than_the_departure);
    tcase_add_test(tcase, a_bucket_of_the_sender_is_a_bound);
    tcase_add_test(tcase, slower_trains_allow_no_bound);
    tcase_add_test(tcase, two_long_trains_bear_pairs_out);
    tcase_add_test(tcase, pairs_alone_are_never_sure);
    tcase_add_test(tcase, long_trains_that_lose_too_much_are_said);
    tcase_add_test(tcase, long_trains_that_lose_are_no_lack_of_long_trains);
    tcase_add_loop_test(tcase, trains_of_fewer_than_eight_are_not_long, 0, 4);
    tcase_add_test(tcase, last_gaps_of_short_trains_are_the_guess);
    tcase_add_test(tcase, own_trains_that_fill_the_link);
    tcase_add_test(tcase, what_a_train_lost_is_not_seen);
    tcase_add_test(tcase, floors_reached_often_prove_a_gap_that_no_pair_shows);
    tcase_add_test(tcase, floor_reached_four_times_proves_nothing);
    return tcase;
}

Suite *filters_doubt_suite(void)
{
    Suite *suite = suite_create("filters_doubt");

    suite_add_tcase(suite, pairs());
    suite_add_tcase(suite, doubt_trains_tcase());
    return suite;
}
