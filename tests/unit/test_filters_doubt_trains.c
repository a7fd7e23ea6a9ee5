/* SPDX-License-Identifier: BSD-3-Clause */
/* When filter adaptive must doubt what long trains say, each time beside a path like it
 * where it must not. */
#include "tests/unit/filter_feed.h"
#include "tests/unit/random.h"

static struct feed feed;

static void filters_doubt_trains_setup(void)
{
    open_feed(&feed, "adaptive");
}

static void filters_doubt_trains_teardown(void)
{
    close_feed(&feed);
}

/* The true rate, and an interval around it. */
static void assert_covered(double bps)
{
    ck_assert_int_eq(feed.estimate.state, STATE_CONVERGED);
    ck_assert_double_le(feed.estimate.low_bps, bps);
    ck_assert_double_ge(feed.estimate.high_bps, bps);
}

/* --- Coarse stamps --- */

/* Stamps of 50 us, packets 40 us apart: gaps read 0 or 50 us, which are no batches. 63 of
 * them are 2520 us, 50 ticks; delays go round in ten phases of 5 us. */
static void give_ticks(unsigned trains)
{
    feed.tick_ns = 50 * US;
    for (unsigned i = 0; i < trains; i++)
        give_even(&feed, 64, 40 * US, i * 3 % 10 * 5 * US);
}

START_TEST(trains_of_fifty_ticks)
{
    give_ticks(60);
    assert_covered(200e6);
}
END_TEST

/* Too few to tell that they keep a clock; but they scatter no wider than stamps do. */
START_TEST(few_trains_of_fifty_ticks)
{
    give_ticks(20);
    assert_covered(200e6);
}
END_TEST

/* 15 gaps of 40 us, lengthened by 60 us of cross traffic each time (4 us a gap), are 660 us,
 * 13 ticks of 50. */
START_TEST(trains_of_thirteen_ticks)
{
    feed.tick_ns = 50 * US;
    for (unsigned i = 0; i < 60; i++)
        give_even(&feed, 16, 44 * US, i * 3 % 10 * 5 * US);
    assert_no_fact(&feed);
}
END_TEST

/* 63 gaps of 80 us, and in each quarter one cross packet of 290 to 470 us: 5040 us become
 * 6560. Four of these spread a train by 2 * 180 / sqrt(12) = 104 us, and one gap in 16 so
 * much longer than the others spreads gaps as far as that: whole and parts look alike. But
 * all that stamps of 100 us do to a train is to spread it by 100 / sqrt(6) = 41 us. */
START_TEST(coarse_stamps_hide_no_load)
{
    struct rng rng = {1}; /* the same each time */

    feed.tick_ns = 100 * US;
    for (unsigned i = 0; i < 64; i++) {
        int64_t offsets_ns[64] = {0};

        for (unsigned k = 1; k < 64; k++)
            offsets_ns[k] =
                offsets_ns[k - 1] + 80 * US + (k % 16 == 8 ? (290 + rng_below(&rng, 181)) * US : 0);
        give(&feed, offsets_ns, 64, i * 3 % 10 * 10 * US);
    }
    assert_no_fact(&feed);
}
END_TEST

/* --- Trains that keep a clock --- */

/* Constant traffic stretches trains evenly, from 800 us to 1000. Of the pairs a third
 * passes it by at 800 us; the others are 1100 us apart. First packets wait for up to
 * 190 us, for one of its packets. */
START_TEST(even_trains_may_be_stretched)
{
    for (unsigned i = 0; i < 120; i++)
        if (i % 2)
            give_even(&feed, 16, 1000 * US, i * 7 % 20 * 10 * US);
        else
            give_pair(&feed, (i % 6 ? 1100 : 800) * US, i * 7 % 20 * 10 * US);
    assert_no_fact(&feed);
}
END_TEST

/* Gaps of all trains are up to 36 us longer, by three quarters of squares, which are no teeth, their mean 812.75 us; pairs
 * agree on 800. Each train begins elsewhere in that order. */
START_TEST(pairs_that_are_hardly_faster_count)
{
    for (unsigned i = 0; i < 60; i++) {
        int64_t offsets_ns[17] = {0};

        for (unsigned k = 1; k < 17; k++) {
            int64_t longer = (3 * (k + i / 2) + 5) % 8;

            offsets_ns[k] = offsets_ns[k - 1] + (800 + longer * longer * 3 / 4) * US;
        }
        give(&feed, offsets_ns, i % 2 ? 17 : 2, 0);
    }
    assert_capacity(&feed, STATE_CONVERGED, 8e12 / 812.75e3);
    ck_assert_double_ge(feed.estimate.high_bps, 10e6);
}
END_TEST

/* One pair in ten, of readings one in twenty, was pushed together to 800 us in a queue
 * that every third train meets. */
START_TEST(few_pairs_stretch_nothing)
{
    for (unsigned i = 0; i < 120; i++) {
        int64_t wait_ns = i % 3 ? 0 : 800 * US;

        if (i % 2)
            give_even(&feed, 16, 1000 * US, wait_ns);
        else if (i % 20)
            give_pair(&feed, 1000 * US, wait_ns);
        else
            give_pair(&feed, 800 * US, wait_ns + 200 * US);
    }
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

/* Packet k of a train goes at the first tick after k * need_ns; the first waits phase_ns. */
static void filters_doubt_trains_give_ticked(unsigned count, int64_t tick_ns, int64_t need_ns,
                                             int64_t phase_ns)
{
    int64_t offsets_ns[TRAIN_MOST] = {0};

    for (unsigned k = 1; k < count; k++)
        offsets_ns[k] = (k * need_ns - phase_ns + tick_ns - 1) / tick_ns * tick_ns;
    give(&feed, offsets_ns, count, phase_ns);
}

/* Ticks of 400 us, need 1000: pairs are 800 or 1200 us apart, half of them each. No first
 * packet waits for half a gap; the floors are 0 and (at phase 200) 200 + 800 us. */
START_TEST(ticks_below_half_a_gap)
{
    for (unsigned i = 0; i < 120; i++)
        filters_doubt_trains_give_ticked(i % 2 ? 16 : 2, 400 * US, 1000 * US, i * 7 % 40 * 10 * US);
    assert_covered(8e6);
}
END_TEST

/* Gaps of 600 us, and pairs that a link of three times the rate pushed together, or apart, by 400 us: whole packets of 200, as
 * where others take turns. But four first packets in five wait for nobody. */
START_TEST(whole_packets_that_nobody_waited_for)
{
    static const int64_t gaps_us[] = {600, 600, 600, 200, 1000, 600, 200, 200, 1400};

    feed.departure_ns = 10 * US;
    for (unsigned i = 0; i < 120; i++) {
        int64_t offsets_ns[32] = {0};
        bool waits = i % 5 == 0;

        for (unsigned k = 1; k < 32; k++)
            offsets_ns[k] = offsets_ns[k - 1] + gaps_us[(k + i) % 9] * US;
        give(&feed, offsets_ns, i % 2 ? 32 : 2, waits ? (1 + i % 7) * 50 * US : 0);
        feed.bytes = BYTES / 2;
        give_pair(&feed, 300 * US, 0);
        feed.bytes = BYTES;
    }
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e12 / 600e3, 0.03 * 8e12 / 600e3);
}
END_TEST

/* One pair in three is sent 10 ms after a train of 16 packets, and waits for that. */
START_TEST(ticks_behind_our_own_trains)
{
    for (unsigned i = 0; i < 40; i++) {
        int64_t phase_ns = i * 7 % 40 * 10 * US, offsets_ns[18], behind_ns[2];

        for (unsigned k = 0; k < 18; k++)
            offsets_ns[k] = k == 0 ? 0 : (k * 1000 * US - phase_ns + 399 * US) / (400 * US) * 400 * US;
        give(&feed, offsets_ns, 16, phase_ns);
        behind_ns[0] = 0;
        behind_ns[1] = offsets_ns[17] - offsets_ns[16];
        feed.sooner_ns = 190 * MS;
        give(&feed, behind_ns, 2, phase_ns + offsets_ns[16] - 10 * MS);
        feed.sooner_ns = 0;
        filters_doubt_trains_give_ticked(2, 400 * US, 1000 * US, i * 11 % 40 * 10 * US);
        filters_doubt_trains_give_ticked(16, 400 * US, 1000 * US, i * 13 % 40 * 10 * US);
        filters_doubt_trains_give_ticked(2, 400 * US, 1000 * US, i * 17 % 40 * 10 * US);
    }
    assert_covered(8e6);
}
END_TEST

/* Ticks of 700 us: pairs are 700 or 1400 us apart, and one first packet in seven waits
 * for more than 600 us, half a gap and a tenth. So it is with a link that never rests. */
START_TEST(ticks_above_half_a_gap)
{
    for (unsigned i = 0; i < 140; i++)
        filters_doubt_trains_give_ticked(i % 2 ? 16 : 2, 700 * US, 1000 * US, i * 11 % 70 * 10 * US);
    assert_no_fact(&feed);
}
END_TEST

/* 63 gaps of 1002 us are 42 ticks of 1500 and 126 us: one train in twelve takes a tick more. Of
 * these 30, by their phases, none does, and all spans are alike. */
START_TEST(ticks_that_none_took)
{
    for (unsigned i = 0; i < 30; i++)
        filters_doubt_trains_give_ticked(64, 1500 * US, 1002 * US, (130 + i * 7 % 30 * 45) * US);
    assert_covered(8e9 / 1002);
}
END_TEST

/* Room for 400 bytes and ticks of 300 us: pairs are 600 us apart, trains on average 1000, and
 * no first packet waits but for other_ns at most. */
static void give_bucket_of_ticks(bool told, int64_t other_ns)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned k = 1; k < 64; k++)
        offsets_ns[k] = ((k * 1000 - 400) * US + 300 * US - 1) / (300 * US) * 300 * US;
    feed.departure_ns = told ? 10 * US : 0;
    for (unsigned i = 0; i < 160; i++)
        give(&feed, offsets_ns, i % 2 ? 64 : 2, i * 7 % 20 * other_ns / 20);
}

START_TEST(first_packets_that_wait_for_nothing)
{
    give_bucket_of_ticks(true, 0);
    assert_covered(8e6);
}
END_TEST

/* On a link that is 40 times as fast stamps cannot see whether they wait: gaps of 25 us, ticks
 * of 7.5, and 9 us are near enough. What the first few trains decide all the same does not stand. */
START_TEST(first_packets_of_a_fast_link)
{
    int64_t offsets_ns[64] = {0};

    for (int64_t k = 1; k < 64; k++)
        offsets_ns[k] = ((k * 1000 - 400) * US / 40 + 7499) / 7500 * 7500;
    feed.departure_ns = 1 * US;
    for (unsigned i = 0; i < 400; i++)
        give(&feed, offsets_ns, i % 2 ? 64 : 2, i * 7 % 20 * 400);
    assert_no_fact(&feed);
}
END_TEST

/* 600 us may be the gap, and other traffic what makes 1000 of it. */
START_TEST(first_packets_that_wait)
{
    give_bucket_of_ticks(true, 400 * US);
    assert_no_fact(&feed);
}
END_TEST

/* Or the sender sent them so. */
START_TEST(trains_that_left_nobody_knows_how)
{
    give_bucket_of_ticks(false, 0);
    assert_no_fact(&feed);
}
END_TEST

/* --- A host that is late now and then --- */

/* Up to 250 us, so that gaps lie anywhere; after 48 packets as at first. */
static unsigned late_anyhow(unsigned k)
{
    return k % 2 * 100 + (k % 16 * 2654435761U >> 16) % 151;
}

/* 100 us for each second one: gaps on two teeth, as traffic at a constant rate makes them. */
static unsigned late_by_turns(unsigned k)
{
    return k % 2 * 100;
}

/* Trains of 64 with gaps of 800 us, but the first one 200 shorter, whose packets are late by so many us;
 * seven pairs to each, whose first packet the host has up to 300 us late. First packets wait up to wait_ns. */
static void filters_doubt_trains_scatter(unsigned trains, unsigned (*late_us)(unsigned), int64_t wait_ns)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned k = 1; k < 64; k++)
        offsets_ns[k] = (k * 800 - 200 + late_us(k)) * US;
    for (unsigned i = 0; i < 8 * trains; i++) {
        int64_t delay_ns = i * 7 % 20 * wait_ns / 20, late_ns = i * 37 % 31 * 10 * US;

        feed.departure_ns = i % 8 == 7 ? 2000 * US : 10 * US;
        if (i % 8 == 7)
            give(&feed, offsets_ns, 64, delay_ns);
        else
            give_pair(&feed, 800 * US - late_ns, delay_ns + late_ns);
    }
}

START_TEST(trains_of_a_late_host)
{
    filters_doubt_trains_scatter(8, late_anyhow, 60 * US);
    assert_covered(10e6);
}
END_TEST

START_TEST(trains_on_two_teeth)
{
    filters_doubt_trains_scatter(8, late_by_turns, 60 * US);
    assert_no_fact(&feed);
}
END_TEST

START_TEST(too_few_trains_of_a_late_host)
{
    filters_doubt_trains_scatter(3, late_anyhow, 60 * US);
    assert_no_fact(&feed);
}
END_TEST

/* So long that others may take turns with ours. */
START_TEST(first_packets_wait_unlike)
{
    filters_doubt_trains_scatter(8, late_anyhow, 800 * US);
    assert_no_fact(&feed);
}
END_TEST

/* --- Few trains, let go by ticks --- */

/* As --mix sends them: seven pairs that a tick lets go together, or one by one, and a train of
 * 64 that took left_ns to leave. */
static void give_ticked_mix(unsigned trains, int64_t tick_ns, int64_t left_ns)
{
    for (unsigned i = 0; i < 8 * trains; i++) {
        bool is_train = i % 8 == 7;

        feed.departure_ns = is_train ? left_ns : 10 * US;
        filters_doubt_trains_give_ticked(is_train ? 64 : 2, tick_ns, 1000 * US, i * 7 % 20 * tick_ns / 20);
    }
}

START_TEST(few_trains_of_ticks)
{
    give_ticked_mix(7, 3300 * US, 10 * US);
    assert_covered(8e6);
}
END_TEST

/* Of 63 ms 39 to leave: traffic came in between. Or the sender has a clock, and says nothing. */
START_TEST(few_trains_of_ticks_that_left_slowly)
{
    give_ticked_mix(7, 450 * US, 39000 * US);
    assert_no_fact(&feed);
    close_feed(&feed);
    open_feed(&feed, "adaptive");
    give_ticked_mix(7, 1700 * US, 0);
    assert_no_fact(&feed);
}
END_TEST

/* A bucket, which other traffic shares, let the first 4 to 6 pass at once. */
START_TEST(few_trains_of_ticks_and_a_bucket)
{
    int64_t offsets_ns[64] = {0};

    feed.departure_ns = 10 * US;
    for (unsigned i = 0; i < 56; i++) {
        const int64_t bucket = 4 + i / 8 % 3;

        for (int64_t k = 0; k < 64; k++)
            offsets_ns[k] = k < bucket ? 0 : ((k - bucket) * 1000 + 449) / 450 * 450 * US;
        if (i % 8 == 7)
            give(&feed, offsets_ns, 64, 0);
        else
            filters_doubt_trains_give_ticked(2, 450 * US, 1000 * US, i * 7 % 20 * 22 * US);
    }
    ck_assert_int_ne(feed.estimate.state, STATE_CONVERGED);
}
END_TEST

START_TEST(too_few_trains_of_ticks)
{
    give_ticked_mix(4, 1700 * US, 10 * US); /* their mean, off by a tick of 63 ms at the most */
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e6, 8e6 * 1.7 / 63);
}
END_TEST

/* Cross traffic in two of seven. */
START_TEST(few_trains_and_fewer_of_ticks)
{
    int64_t offsets_ns[64];

    for (unsigned k = 0; k < 64; k++)
        offsets_ns[k] = (k + (k > 32 ? 2 : 0)) * 1000 / 1700 * 1700 * US;
    give(&feed, offsets_ns, 64, 0);
    give(&feed, offsets_ns, 64, 0);
    give_ticked_mix(5, 1700 * US, 10 * US);
    assert_no_fact(&feed);
}
END_TEST

/* Pairs on a path of 8 Mbit/s, whose first packets wait now and then; trains say 7.9 by their
 * ticks of 40 us. */
static void give_ticked_beside_pairs(unsigned trains, unsigned count)
{
    feed.departure_ns = 10 * US;
    for (unsigned i = 0; i < 8 * trains + 7; i++)
        if (i % 8 == 7)
            filters_doubt_trains_give_ticked(count, 40 * US, 1012 * US, i / 8 * 3 % 4 * 10 * US);
        else
            give_pair(&feed, 1000 * US, i * 7 % 20 * 10 * US);
}

START_TEST(few_trains_of_ticks_beside_pairs)
{
    give_ticked_beside_pairs(7, 64);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
    assert_covered(8e6 / 1.012);
}
END_TEST

/* What fewer trains, or shorter ones, look like is an error of the mean, and no more. */
START_TEST(too_few_trains_of_ticks_beside_pairs)
{
    for (unsigned trains = 4; trains <= 7; trains += 3) {
        close_feed(&feed);
        open_feed(&feed, "adaptive");
        give_ticked_beside_pairs(trains, trains == 4 ? 64 : 16);
        assert_capacity(&feed, STATE_CONVERGED, 8e6);
        ck_assert_double_gt(feed.estimate.low_bps, 8e6 / 1.015);
    }
}
END_TEST

/* --- Trains beside pairs that agree --- */

/* Half of the first packets wait for nothing, the others for up to that. */
static int64_t loaded_wait(unsigned i, int64_t wait_ns)
{
    return i * 7 % 20 < 10 ? 0 : (i * 7 % 20 - 9) * wait_ns / 10;
}

/* The first gap of each train is early by early_ns; every 16th of the others takes late_ns
 * longer than 1000 us, first at the 8th. */
static void give_nearly_even(unsigned trains, int64_t early_ns, int64_t late_ns, int64_t wait_ns)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned k = 1; k < 64; k++)
        offsets_ns[k] = k * 1000 * US - early_ns + (k + 8) / 16 * late_ns;
    for (unsigned i = 0; i < 8 * trains; i++)
        give(&feed, offsets_ns, i % 8 == 7 ? 64 : 2, loaded_wait(i, wait_ns));
}

/* 15 bytes in a bucket beside a packet of 1000 let the second one go early, and all
 * later ones by as much. */
START_TEST(trains_on_an_idle_path)
{
    give_nearly_even(8, 15 * US, 0, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

/* So does a late first stamp, wherever first packets wait. */
START_TEST(late_first_stamps)
{
    give_nearly_even(8, 15 * US, 0, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

START_TEST(late_first_stamps_of_few_trains)
{
    give_nearly_even(4, 15 * US, 0, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 8e6 / 0.985);
}
END_TEST

/* Trains are stretched by 1 %, their last gaps are not. */
START_TEST(pairs_on_a_loaded_path)
{
    give_nearly_even(8, 0, 160 * US, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

/* The same where no first packet waits: a sender that is stopped now and then. */
START_TEST(pairs_of_a_sender_that_is_stopped)
{
    give_nearly_even(8, 0, 160 * US, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

/* Late second stamps, rather: where first packets wait, pairs may still be right. */
START_TEST(late_second_stamps)
{
    give_nearly_even(8, -15 * US, 0, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

START_TEST(late_seconds_on_a_loaded_path)
{
    give_nearly_even(8, -15 * US, 0, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 8e6 / 1.015);
}
END_TEST

/* First gaps of 985 us, others of 1000, and last ones of 1000 in `like` trains of eight, of
 * 985 in the rest. */
static void give_blurred(unsigned like, int64_t wait_ns)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned k = 1; k < 63; k++)
        offsets_ns[k] = (k * 1000 - 15) * US;
    for (unsigned i = 0; i < 64; i++) {
        offsets_ns[63] = offsets_ns[62] + (i / 8 < like ? 1000 : 985) * US;
        give(&feed, offsets_ns, i % 8 == 7 ? 64 : 2, loaded_wait(i, wait_ns));
    }
}

START_TEST(last_gaps_on_either_side)
{
    give_blurred(3, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6);
}
END_TEST

START_TEST(last_gaps_on_either_side_and_a_load)
{
    give_blurred(3, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 8e6 / 0.985);
}
END_TEST

START_TEST(last_gaps_like_pairs)
{
    give_blurred(1, 0);
    assert_capacity(&feed, STATE_CONVERGED, 8e6 / 0.985);
}
END_TEST

/* A shaper of 80 Mbit/s on a host that wakes up late for each packet: 1000 bytes every
 * 100 us, the second packet by 16 us early to 16 late, 97.5 us on average; and one train in
 * four loses late_ns more at each of the others. */
static void give_late_timers(int64_t late_ns)
{
    static const int64_t first_us[] = {84, 104, 92, 98, 116, 87, 101, 89, 108, 96};
    int64_t offsets_ns[64] = {0};

    for (unsigned i = 0; i < 60; i++) {
        for (unsigned k = 1; k < 64; k++)
            offsets_ns[k] = first_us[i % 10] * US + (k - 1) * (100 * US + (i % 4 == 3 ? late_ns : 0));
        give(&feed, offsets_ns, 64, 0);
    }
}

START_TEST(trains_of_a_late_timer)
{
    give_late_timers(800); /* three trains in four go on with the shaper's gap */
    assert_capacity(&feed, STATE_TENTATIVE, 80e6);
}
END_TEST

/* By 2 %: not all trains agree. */
START_TEST(trains_that_do_not_agree)
{
    give_late_timers(2 * US);
    assert_no_fact(&feed);
}
END_TEST

/* Late first stamps of 1 to 9 us scatter the pairs, by half as much. If trains agree to half a
 * hundredth they are right. */
static void give_late_stamps(unsigned trains, int64_t late_ns)
{
    int64_t offsets_ns[64] = {0};

    for (unsigned i = 0; i < trains; i++) {
        for (unsigned k = 1; k < 64; k++)
            offsets_ns[k] = k * 100 * US - (1 + i * 7 % 9) * US + (k - 1) * (i % 4 == 3 ? late_ns : 0);
        give(&feed, offsets_ns, 64, (1 + i * 7 % 9) * US);
    }
}

START_TEST(trains_of_late_stamps)
{
    give_late_stamps(60, 300);
    assert_capacity(&feed, STATE_CONVERGED, 80e6 * 6300 / (95 + 62 * (100 + 0.3 / 4)));
}
END_TEST

START_TEST(trains_of_late_stamps_that_hardly_agree)
{
    give_late_stamps(120, 1100);
    assert_no_fact(&feed);
}
END_TEST

/* --- Batches --- */

/* Packets come 100 us apart, with cross_ns between two of them; an interrupt every 400 us, the
 * first at phase_ns, hands on what is there. The first packet's is its own if phase_ns is 0. */
static void give_batched(int64_t cross_ns, int64_t phase_ns)
{
    const int64_t period_ns = 400 * US;
    int64_t offsets_ns[64];

    for (int64_t k = 0; k < 64; k++) {
        int64_t at_ns = k * 100 * US + (k > 20 ? cross_ns : 0);
        int64_t waits = (at_ns - phase_ns + period_ns - 1) / period_ns;

        offsets_ns[k] = waits > 0 ? waits * period_ns : 0;
    }
    give(&feed, offsets_ns, 64, phase_ns);
}

/* At any phase: four packets a batch, and slopes are right on average. */
START_TEST(batches_that_begin_anywhere)
{
    for (unsigned i = 0; i < 80; i++)
        give_batched(0, i * 7 % 40 * 10 * US);
    assert_covered(80e6);
    ck_assert_double_le(feed.estimate.high_bps, 81e6);
}
END_TEST

/* What cross traffic has left in them takes 24 trains to tell. */
START_TEST(batched_trains_that_are_too_few)
{
    for (unsigned i = 0; i < 23; i++)
        give_batched(300 * US, i * 7 % 40 * 10 * US);
    assert_no_fact(&feed);
}
END_TEST

/* The first packet at once, then 390 us later, and so every 400: 63 gaps last 390 + 15 *
 * 400 = 6390 us in each train, 1.4 % too much. One packet in 63 is 1.6 %. */
static void give_locked(unsigned count)
{
    int64_t offsets_ns[64];

    for (unsigned k = 0; k < count; k++)
        offsets_ns[k] = k == 0 ? 0 : (390 + k / 4 * 400) * US;
    give(&feed, offsets_ns, count, 0);
}

START_TEST(batches_that_begin_with_the_train)
{
    for (unsigned i = 0; i < 80; i++)
        give_locked(64);
    assert_covered(80e6);
}
END_TEST

/* Spans of two lengths vary, but not beside their lengths. */
START_TEST(batches_that_begin_with_trains_of_two_lengths)
{
    for (unsigned i = 0; i < 80; i++)
        give_locked(i % 4 == 3 ? 32 : 64);
    assert_covered(80e6);
}
END_TEST

/* Twenty packets a batch: the first 16, where the last of a batch is looked for, come all
 * at once. From the 16th, 1900 us after its first, to the 64th, at 6300, it is 91.7 us a
 * packet. */
START_TEST(batches_that_are_too_few)
{
    int64_t offsets_ns[64];

    for (int k = 0; k < 64; k++)
        offsets_ns[k] = ((k < 60 ? k / 20 * 20 + 19 : 63) - 19) * 100 * US;
    for (unsigned i = 0; i < 80; i++)
        give(&feed, offsets_ns, 64, 1900 * US);
    assert_no_fact(&feed);
}
END_TEST

/* --- What the sender did --- */

/* Pairs leave back to back and arrive 800 us apart; trains, one in six, 1200 us. */
static void give_slow_trains(bool told)
{
    for (unsigned i = 0; i < 180; i++) {
        bool slow = i % 6 == 5;

        feed.departure_ns = told ? (slow ? 15 * 1200 : 10) * US : 0;
        give_even(&feed, slow ? 16 : 2, (slow ? 1200 : 800) * US, 0);
    }
}

/* That is how they left. */
START_TEST(slow_trains_of_the_sender)
{
    give_slow_trains(true);
    assert_capacity(&feed, STATE_CONVERGED, 10e6);
}
END_TEST

START_TEST(slow_trains_of_the_path)
{
    give_slow_trains(false);
    assert_no_fact(&feed);
}
END_TEST

TCase *doubt_trains_tcase(void)
{
    TCase *tcase = tcase_create("trains");

    tcase_add_checked_fixture(tcase, filters_doubt_trains_setup, filters_doubt_trains_teardown);
    tcase_add_test(tcase, trains_of_fifty_ticks);
    tcase_add_test(tcase, few_trains_of_fifty_ticks);
    tcase_add_test(tcase, trains_of_thirteen_ticks);
    tcase_add_test(tcase, coarse_stamps_hide_no_load);
    tcase_add_test(tcase, even_trains_may_be_stretched);
    tcase_add_test(tcase, few_pairs_stretch_nothing);
    tcase_add_test(tcase, pairs_that_are_hardly_faster_count);
    tcase_add_test(tcase, ticks_below_half_a_gap);
    tcase_add_test(tcase, ticks_behind_our_own_trains);
    tcase_add_test(tcase, whole_packets_that_nobody_waited_for);
    tcase_add_test(tcase, ticks_above_half_a_gap);
    tcase_add_test(tcase, ticks_that_none_took);
    tcase_add_test(tcase, first_packets_that_wait_for_nothing);
    tcase_add_test(tcase, first_packets_of_a_fast_link);
    tcase_add_test(tcase, first_packets_that_wait);
    tcase_add_test(tcase, trains_that_left_nobody_knows_how);
    tcase_add_test(tcase, trains_of_a_late_host);
    tcase_add_test(tcase, trains_on_two_teeth);
    tcase_add_test(tcase, too_few_trains_of_a_late_host);
    tcase_add_test(tcase, first_packets_wait_unlike);
    tcase_add_test(tcase, few_trains_of_ticks);
    tcase_add_test(tcase, few_trains_of_ticks_that_left_slowly);
    tcase_add_test(tcase, few_trains_of_ticks_and_a_bucket);
    tcase_add_test(tcase, too_few_trains_of_ticks);
    tcase_add_test(tcase, few_trains_and_fewer_of_ticks);
    tcase_add_test(tcase, few_trains_of_ticks_beside_pairs);
    tcase_add_test(tcase, too_few_trains_of_ticks_beside_pairs);
    tcase_add_test(tcase, trains_on_an_idle_path);
    tcase_add_test(tcase, late_first_stamps);
    tcase_add_test(tcase, late_first_stamps_of_few_trains);
    tcase_add_test(tcase, pairs_on_a_loaded_path);
    tcase_add_test(tcase, pairs_of_a_sender_that_is_stopped);
    tcase_add_test(tcase, late_second_stamps);
    tcase_add_test(tcase, late_seconds_on_a_loaded_path);
    tcase_add_test(tcase, last_gaps_on_either_side);
    tcase_add_test(tcase, last_gaps_on_either_side_and_a_load);
    tcase_add_test(tcase, last_gaps_like_pairs);
    tcase_add_test(tcase, trains_of_a_late_timer);
    tcase_add_test(tcase, trains_that_do_not_agree);
    tcase_add_test(tcase, trains_of_late_stamps);
    tcase_add_test(tcase, trains_of_late_stamps_that_hardly_agree);
    tcase_add_test(tcase, batches_that_begin_anywhere);
    tcase_add_test(tcase, batched_trains_that_are_too_few);
    tcase_add_test(tcase, batches_that_begin_with_the_train);
    tcase_add_test(tcase, batches_that_begin_with_trains_of_two_lengths);
    tcase_add_test(tcase, batches_that_are_too_few);
    tcase_add_test(tcase, slow_trains_of_the_sender);
    tcase_add_test(tcase, slow_trains_of_the_path);
    return tcase;
}
