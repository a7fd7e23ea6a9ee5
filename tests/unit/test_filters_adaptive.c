/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters mode, mindelay, union and adaptive, and their parts, on cases worked out
 * by hand. */
#include "filters/curve.h"
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "filters/mode.h"
#include "filters/skew.h"
#include "filters/sort.h"
#include "tests/unit/filter_feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

/* --- Sorting, modes --- */

START_TEST(numbers_are_sorted)
{
    double values[] = {5, -1, 3, 3, 9, 0};
    const double sorted[] = {-1, 0, 3, 3, 5, 9};

    sort_numbers(values, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq(values[i], sorted[i]);
}
END_TEST

START_TEST(keys_keep_their_index)
{
    struct sort_key keys[] = {{5, 0}, {-1, 1}, {3, 2}};

    sort_keys(keys, 3);
    ck_assert_uint_eq(keys[0].index, 1);
    ck_assert_uint_eq(keys[1].index, 2);
    ck_assert_uint_eq(keys[2].index, 0);
}
END_TEST

/* Of these each pivot is the second least of what is left (McIlroy, A killer adversary for quicksort, 1999). */
START_TEST(no_pivot_halves_them)
{
    double values[] = {43, 48, 49, 50, 46, 42, 38, 34, 30, 26, 22, 18, 14, 10, 6,  2,  0,  41, 51, 39, 37, 52,
                       35, 33, 53, 31, 29, 54, 27, 25, 36, 23, 21, 55, 19, 17, 56, 15, 13, 44, 11, 9,  24, 7,
                       5,  32, 3,  1,  57, 58, 16, 28, 47, 59, 12, 60, 45, 61, 8,  62, 63, 20, 4,  40};
    struct sort_key keys[64];
    struct sort_order order;
    double again[64];

    for (unsigned n = 0; n < 64; n++) {
        memcpy(again, values, sizeof again);
        ck_assert_double_eq(sort_nth(again, 64, n), n);
        keys[n] = (struct sort_key){values[n], n};
    }
    sort_begin(&order, keys, 64);
    for (unsigned n = 0; n < 64; n++)
        ck_assert_double_eq(sort_at(&order, n)->value, n);
    sort_numbers(values, 64);
    for (unsigned i = 0; i < 64; i++)
        ck_assert_double_eq(values[i], i);
}
END_TEST

enum { SORTED_MOST = 700 };

/* Any order, mostly in order either way, few values, one value: 0 to 4. */
static double to_sort(struct rng *rng, unsigned kind, unsigned i)
{
    unsigned any = rng_below(rng, 1000000);

    switch (kind) {
    case 0: return any;
    case 1: return any % 10 == 0 ? any : i;
    case 2: return -(double)i;
    case 3: return any % 7;
    default: return 5;
    }
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

START_TEST(any_numbers_are_sorted)
{
    struct rng rng = rng_start("any_numbers_are_sorted");
    double values[SORTED_MOST], sorted[SORTED_MOST], nth[SORTED_MOST];
    struct sort_key keys[SORTED_MOST], asked[SORTED_MOST];
    struct sort_order order;

    for (unsigned run = 0; run < 500; run++) {
        unsigned count = 1 + rng_below(&rng, SORTED_MOST), n = rng_below(&rng, count);

        for (unsigned i = 0; i < count; i++) {
            values[i] = sorted[i] = nth[i] = to_sort(&rng, run % 5, i);
            keys[i] = asked[i] = (struct sort_key){values[i], i};
        }
        qsort(sorted, count, sizeof *sorted, by_value);
        ck_assert_double_eq(sort_nth(nth, count, n), sorted[n]);
        sort_keys(keys, count);
        sort_begin(&order, asked, count);
        ck_assert_double_eq(sort_at(&order, n)->value, sorted[n]);
        for (unsigned i = 0; i < count; i++) {
            ck_assert_uint_eq(sort_at(&order, i)->index, keys[i].index);
            ck_assert_double_eq(keys[i].value, sorted[i]);
            ck_assert_double_eq(values[keys[i].index], sorted[i]);
        }
        sort_numbers(values, count);
        ck_assert_mem_eq(values, sorted, count * sizeof *values);
    }
}
END_TEST

/* Of six the densest three are 30, 31, 32; equally far apart, so the middle one. */
START_TEST(half_sample_mode_of_six)
{
    ck_assert_double_eq(mode_half_sample((double[]){10, 20, 30, 31, 32, 90}, 6), 31);
}
END_TEST

/* Of four the densest two, their mean; of three the closer two; of one itself. */
START_TEST(half_sample_mode_of_few)
{
    ck_assert_double_eq(mode_half_sample((double[]){1, 5, 6, 20}, 4), 5.5);
    ck_assert_double_eq(mode_half_sample((double[]){1, 5, 6}, 3), 5.5);
    ck_assert_double_eq(mode_half_sample((double[]){3, 5}, 2), 4);
    ck_assert_double_eq(mode_half_sample((double[]){7}, 1), 7);
}
END_TEST

/* Half of the pairs agree on 10 Mbit/s, the rest lies on either side. */
START_TEST(mode_outvotes_both_sides)
{
    const int64_t gaps_us[] = {800, 400, 800, 1600, 800, 1200, 801, 600, 799, 2400};
    struct feed feed;

    open_feed(&feed, "mode");
    for (int i = 0; i < 10; i++)
        give_pair(&feed, gaps_us[i] * US, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 2e4);
    close_feed(&feed);
}
END_TEST

/* --- Skew --- */

/* (3, 2) lies on the line from (1, 1) to (5, 3) and is no corner. */
START_TEST(hull_of_six_points)
{
    const double at[] = {0, 1, 2, 3, 4, 5}, delay[] = {5, 1, 4, 2, 6, 3};
    uint32_t hull[6];

    ck_assert_uint_eq(skew_hull(at, delay, 6, hull), 3);
    ck_assert_uint_eq(hull[0], 0);
    ck_assert_uint_eq(hull[1], 1);
    ck_assert_uint_eq(hull[2], 5);
    ck_assert_double_eq_tol(skew_slope(at, delay, 6, hull), 0.5, 1e-12);
}
END_TEST

/* At the mean of the times, 2.5, that line is at 1.25. */
START_TEST(floor_is_the_line_at_the_mean_of_the_times)
{
    const double at[] = {0, 1, 2, 3, 4, 5}, delay[] = {0, 3, 1, 4, 2, 6};
    uint32_t hull[6];

    ck_assert_double_eq_tol(skew_floor(at, delay, 6, hull), 1.25, 1e-12);
}
END_TEST

START_TEST(skew_of_no_time_is_none)
{
    const double at[] = {1, 1, 1}, delay[] = {5, 1, 4};
    uint32_t hull[3];

    ck_assert_double_eq(skew_slope(at, delay, 3, hull), 0);
    ck_assert_double_eq(skew_slope(at, delay, 1, hull), 0);
    ck_assert_double_eq(skew_slope(at, delay, 0, hull), 0);
}
END_TEST

/* --- Least delay --- */

/* Sums over the floor, us: 500 + 900 (expanded), 0 + 0, 400 + 0 (compressed): only
 * the second met no queue. */
START_TEST(least_sum_wins)
{
    struct feed feed;

    open_feed(&feed, "mindelay");
    give_pair(&feed, 1200 * US, 500 * US);
    give_pair(&feed, 800 * US, 0);
    give_pair(&feed, 400 * US, 400 * US);
    assert_capacity(&feed, STATE_TENTATIVE, 10e6);
    close_feed(&feed);
}
END_TEST

/* Clocks 100 ppm apart move delays by 20 us from train to train: without the hull
 * the last train would have the least sum, and it is expanded. */
START_TEST(least_sum_after_skew)
{
    struct feed feed;

    open_feed(&feed, "mindelay");
    for (int i = 0; i < 40; i++)
        give_pair(&feed, i == 20 ? 800 * US : 900 * US, -20 * US * i);
    assert_capacity(&feed, STATE_TENTATIVE, 10e6);
    close_feed(&feed);
}
END_TEST

START_TEST(least_sum_needs_send_times)
{
    struct feed feed;

    open_feed(&feed, "mindelay");
    feed.classic = true;
    give_pairs(&feed, 10, 800 * US);
    ck_assert_int_eq(feed.estimate.state, STATE_INSUFFICIENT);
    close_feed(&feed);
}
END_TEST

/* --- Union --- */

/* Three large packets' intervals meet at 5 Mbit/s, but only at 10 Mbit/s do both
 * sizes. */
START_TEST(sizes_count_before_numbers)
{
    struct feed feed;

    open_feed(&feed, "union");
    give_pairs(&feed, 3, 1600 * US);
    give_pair(&feed, 800 * US, 0);
    feed.bytes = 500;
    give_pair(&feed, 400 * US, 0);
    assert_capacity(&feed, STATE_TENTATIVE, 10e6);
    close_feed(&feed);
}
END_TEST

/* Half widths are 1 % and 3 us over the gap: of 800 and 804 us, the overlap begins
 * where the faster one's does and ends where the slower one's does. */
START_TEST(answer_is_the_overlap)
{
    struct feed feed;
    double half = 0.01 + 3.0 / 800;

    open_feed(&feed, "union");
    give_pairs(&feed, 2, 800 * US);
    give_pair(&feed, 804 * US, 0);
    ck_assert_double_eq_tol(feed.estimate.low_bps, 10e6 * (1 - half), 2e3);
    ck_assert_double_eq_tol(feed.estimate.high_bps, 8e12 / 804e3 * (1 + half), 3e3);
    close_feed(&feed);
}
END_TEST

/* --- One train's curve --- */

static void make_train(struct sample *sample, struct sample_packet *packets, const int64_t *offsets_ns,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        packets[i] = (struct sample_packet){
            .offset_ns = offsets_ns[i], .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    *sample = (struct sample){
        .sent = (uint16_t)count, .received = (uint16_t)count, .packet_bytes = BYTES, .packets = packets};
}

/* A bucket of 4000 bytes, 10 Mbit/s (1.25 bytes/us), 800 Mbit/s before it: packets 0
 * to 3 leave 10 us apart; packet k waits for (k + 1) * 1000 - 4000 bytes of tokens. */
static void bucket_offsets(int64_t *offsets_ns)
{
    for (int k = 0; k < 16; k++)
        offsets_ns[k] = k < 4 ? k * 10 * US : (k - 3) * 800 * US;
}

START_TEST(level_shift_of_a_bucket)
{
    struct sample_packet packets[16];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[16];

    bucket_offsets(offsets_ns);
    make_train(&sample, packets, offsets_ns, 16);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.knee, 3);
    ck_assert_double_eq_tol(curve.head_gap_ns, 10e3, 1e-6);
    ck_assert_double_eq_tol(curve.tail_gap_ns, 800e3, 1e-6);
    ck_assert_double_eq_tol(curve.bucket_bytes, 4000, 1e-6);
}
END_TEST

/* Every 8 ms a packet goes on the way again, the seven behind it wait for it, and the last of these overtakes it. Who cuts there
 * sees seven gaps of 500 us and none of 4.5 ms. */
static void give_overtaken(struct sample *sample, struct sample_packet *packets)
{
    int64_t offsets_ns[33];

    for (unsigned i = 0; i < 33; i++)
        offsets_ns[i] = (i / 8 * 8000 + i % 8 * 500) * US;
    make_train(sample, packets, offsets_ns, 33);
    for (unsigned i = 8; i < 32; i += 8) { /* none follows it, and it follows none */
        packets[i].position = (uint16_t)(i + 1);
        packets[i + 1].position = (uint16_t)i;
        packets[i].follows = packets[i + 1].follows = packets[i + 2].follows = false;
    }
}

START_TEST(overtaken_packets_take_their_time)
{
    struct sample_packet packets[33];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;

    give_overtaken(&sample, packets);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.packets, 33);
    ck_assert_double_eq_tol(curve.gap_ns, 1e6, 1e3);
    packets[20].follows = false; /* a copy of another one was in between */
    ck_assert(!curve_read(&sample, &noise, &curve) || curve.packets < 33);
    give_overtaken(&sample, packets);
    sample.sent = 34; /* one was lost */
    ck_assert(!curve_read(&sample, &noise, &curve) || curve.packets < 33);
}
END_TEST

/* Behind the bucket 100 us more for each third gap, others' packets: a comb, where gaps before it count for nothing. */
START_TEST(teeth_behind_a_bucket)
{
    struct sample_packet packets[32];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[32] = {0};

    for (int k = 1; k < 32; k++)
        offsets_ns[k] = offsets_ns[k - 1] + (k < 4 ? 10 : k % 3 ? 800 : 900) * US;
    make_train(&sample, packets, offsets_ns, 32);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.knee, 3);
    ck_assert_double_eq_tol(curve.teeth.low_ns, 800e3, 1);
    ck_assert_double_eq_tol(curve.teeth.apart_ns, 100e3, 1);
    bucket_offsets(offsets_ns);
    make_train(&sample, packets, offsets_ns, 16);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_double_eq(curve.teeth.apart_ns, 0);
    ck_assert_double_eq_tol(curve.teeth.mean_ns, 800e3, 1);
}
END_TEST

/* At 8 Gbit/s a first stamp that is late by 9 us holds up those of the eight packets behind it: no
 * bucket, as one that is late by 20 us and more may be. */
static unsigned filters_adaptive_knee_of(int late_gaps, int64_t gap_ns)
{
    struct sample_packet packets[32];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[32];

    for (int k = 0; k < 32; k++)
        offsets_ns[k] = k <= late_gaps ? k * 10 : (k - late_gaps) * gap_ns;
    make_train(&sample, packets, offsets_ns, 32);
    ck_assert(curve_read(&sample, &noise, &curve));
    return curve.knee;
}

START_TEST(late_first_stamp_is_no_knee)
{
    ck_assert_uint_eq(filters_adaptive_knee_of(9, 1 * US), 0);
    ck_assert_uint_eq(filters_adaptive_knee_of(9, 10 * US), 9);
}
END_TEST

/* Of eight packets three find tokens, the next waits for half of its own: what is left is too few
 * to be a tail, and one that begins a gap earlier would be too fast. */
START_TEST(short_tail_is_none)
{
    struct sample_packet packets[9];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[9] = {0,         10 * US,   20 * US,   400 * US, 1200 * US,
                             2000 * US, 2800 * US, 3600 * US, 4400 * US};

    make_train(&sample, packets, offsets_ns, 8);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.knee, 0);
    make_train(&sample, packets, offsets_ns, 9);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.knee, 2);
    ck_assert_double_eq_tol(curve.tail_gap_ns, 800e3, 1e-6);
}
END_TEST

/* A packet that came twice before the link took its time there twice: the gap behind its copy
 * is no evidence, and the curve is that of the packets up to it. */
START_TEST(curve_ends_at_a_duplicate)
{
    struct sample_packet packets[16];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[16];

    for (int k = 0; k < 16; k++)
        offsets_ns[k] = (k + (k > 9)) * 800 * US;
    make_train(&sample, packets, offsets_ns, 16);
    packets[10].follows = false;
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.packets, 10);
    ck_assert_double_eq_tol(curve.gap_ns, 800e3, 1e-6);
}
END_TEST

START_TEST(even_gaps_have_no_knee)
{
    struct sample_packet packets[16];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[16];

    for (int k = 0; k < 16; k++)
        offsets_ns[k] = k * 800 * US + k % 3 * US;
    make_train(&sample, packets, offsets_ns, 16);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.knee, 0);
    ck_assert_double_eq(curve.tiny, 0);
}
END_TEST

/* Packets come 100 us apart and are handed on by fours, when the last is there: from
 * end to end 31 packets take 2800 us, but along the last ones 100 us each. */
START_TEST(envelope_of_batches)
{
    struct sample_packet packets[32];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[32];

    for (int k = 0; k < 32; k++)
        offsets_ns[k] = k / 4 * 400 * US;
    make_train(&sample, packets, offsets_ns, 32);
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_double_eq_tol(curve.gap_ns, 100e3, 1e-6);
    ck_assert_double_eq_tol(curve.lift_ns, -300e3, 1e-6);
    ck_assert_double_ge(curve.tiny, 0.7);
}
END_TEST

/* Position 4 is missing: the longest run has the 11 behind it. */
START_TEST(loss_leaves_the_longest_run)
{
    struct sample_packet packets[16];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[16];

    for (int k = 0; k < 16; k++)
        offsets_ns[k] = k * 800 * US;
    make_train(&sample, packets, offsets_ns, 16);
    for (int k = 4; k < 15; k++)
        packets[k] = packets[k + 1];
    sample.received = 15;
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_uint_eq(curve.packets, 11);
    ck_assert_double_eq_tol(curve.gap_ns, 800e3, 1e-6);
}
END_TEST

START_TEST(few_packets_make_no_curve)
{
    struct sample_packet packets[7];
    struct sample sample;
    struct noise noise = noise_prior();
    struct curve curve;
    int64_t offsets_ns[7] = {0, 1, 2, 3, 4, 5, 6};

    make_train(&sample, packets, offsets_ns, 7);
    ck_assert(!curve_read(&sample, &noise, &curve));
}
END_TEST

/* --- Adaptive --- */

START_TEST(agreement_converges)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_pairs(&feed, 2, 800 * US);
    ck_assert_int_eq(feed.estimate.state, STATE_INSUFFICIENT);
    give_witnesses(&feed);
    give_pairs(&feed, 8, 800 * US);
    assert_capacity(&feed, STATE_CONVERGED, 10e6);
    ck_assert_double_ge(feed.estimate.high_bps, 10e6);
    close_feed(&feed);
}
END_TEST

/* Once 10 Mbit/s is believed: 400 us and a first packet that waited for the other
 * 400 is compressed; 1600 us is expanded; 400 us without any wait contradicts the
 * estimate, not the train. */
START_TEST(delays_tell_verdicts)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_pairs(&feed, 20, 800 * US);
    ck_assert_int_eq(feed.sample.verdict, VERDICT_OK);
    give_pair(&feed, 400 * US, 400 * US);
    ck_assert_int_eq(feed.sample.verdict, VERDICT_COMPRESSED);
    give_pair(&feed, 1600 * US, 0);
    ck_assert_int_eq(feed.sample.verdict, VERDICT_EXPANDED);
    give_pair(&feed, 400 * US, 0);
    ck_assert_int_eq(feed.sample.verdict, VERDICT_OK);
    close_feed(&feed);
}
END_TEST

START_TEST(halved_rate_is_followed)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_pairs(&feed, 60, 800 * US);
    for (int i = 0; i < 20; i++)
        give_pair(&feed, 1600 * US, 800 * US);
    give_witnesses(&feed);
    give_pairs(&feed, 4, 1600 * US);
    assert_capacity(&feed, STATE_CONVERGED, 5e6);
    close_feed(&feed);
}
END_TEST

START_TEST(doubled_rate_is_followed)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_pairs(&feed, 60, 800 * US);
    for (int i = 0; i < 20; i++)
        give_pair(&feed, 400 * US, -400 * US);
    give_witnesses(&feed);
    give_pairs(&feed, 4, 400 * US);
    assert_capacity(&feed, STATE_CONVERGED, 20e6);
    close_feed(&feed);
}
END_TEST

/* Fewer misses than make a change, however much they agree, leave the estimate. */
START_TEST(a_few_misses_change_nothing)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_pairs(&feed, 60, 800 * US);
    for (int i = 0; i < 4; i++)
        give_pair(&feed, 1600 * US, 800 * US);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 1e4);
    close_feed(&feed);
}
END_TEST

START_TEST(as_it_left_is_a_lower_bound)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    feed.departure_ns = 15 * 790 * US;
    for (int i = 0; i < 20; i++)
        give_even(&feed, 16, 800 * US, 0);
    assert_capacity(&feed, STATE_SENDER_LIMITED, 10e6);
    close_feed(&feed);
}
END_TEST

START_TEST(bucket_is_shaped)
{
    struct feed feed;
    int64_t offsets_ns[16];

    bucket_offsets(offsets_ns);
    open_feed(&feed, "adaptive");
    for (int i = 0; i < 12; i++)
        give(&feed, offsets_ns, 16, 0);
    assert_capacity(&feed, STATE_SHAPED, 10e6);
    ck_assert_double_eq_tol(feed.estimate.peak_bps, 800e6, 800e3);
    ck_assert_double_eq_tol(feed.estimate.burst_bytes, 4000, 4);
    close_feed(&feed);
}
END_TEST

/* A bucket that ends in the last five of 31 gaps: its first one is not a whole one, and
 * levels do not tell it from these. */
START_TEST(a_bucket_that_ends_within_a_gap)
{
    struct feed feed;
    int64_t offsets_ns[32] = {0};

    for (int k = 1; k < 32; k++)
        offsets_ns[k] = offsets_ns[k - 1] + (k < 27 ? 80 + k % 2 : k > 27 ? 800 : 760) * US;
    open_feed(&feed, "adaptive");
    for (int i = 0; i < 12; i++)
        give(&feed, offsets_ns, 32, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_SHAPED);
    ck_assert_double_le(feed.estimate.low_bps, 10e6);
    ck_assert_double_ge(feed.estimate.high_bps, 10e6);
    close_feed(&feed);
}
END_TEST

/* A step of 1 s in the receiver's clock is no delay. */
START_TEST(clock_step_changes_nothing)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    give_witnesses(&feed);
    for (int i = 0; i < 40; i++)
        give_pair(&feed, i % 4 ? 800 * US : 950 * US, i < 20 ? 0 : 1000 * MS);
    assert_capacity(&feed, STATE_CONVERGED, 10e6);
    close_feed(&feed);
}
END_TEST

/* Without send times a majority is a guess; that nearly all agree is not. */
START_TEST(without_send_times_a_majority_is_a_guess)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    feed.classic = true;
    for (int i = 0; i < 30; i++)
        give_pair(&feed, i % 3 ? 800 * US : (1000 + 20 * i) * US, 0);
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 1e4);
    close_feed(&feed);
}
END_TEST

START_TEST(state_is_small)
{
    ck_assert_uint_le(filter_find("adaptive")->state_bytes(WINDOW), 35 * 1024);
}
END_TEST

/* Three pairs are enough for any filter; with fewer it tells the same, or nothing. */
START_TEST(small_windows_tell_the_same)
{
    for (const struct filter *const *row = filter_table; *row != NULL; row++)
        for (unsigned window = 1; window < 5; window++) {
            struct feed feed;

            open_feed(&feed, (*row)->name);
            free(feed.state);
            feed.state = malloc((*row)->state_bytes(window));
            (*row)->init(feed.state, window);
            give_pairs(&feed, 20, 800 * US);
            if (window >= 3 || feed.estimate.capacity_bps > 0)
                ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 10e6 * NEAR);
            close_feed(&feed);
        }
}
END_TEST

static TCase *parts(void)
{
    TCase *tcase = tcase_create("parts");

    tcase_add_test(tcase, numbers_are_sorted);
    tcase_add_test(tcase, no_pivot_halves_them);
    tcase_add_test(tcase, any_numbers_are_sorted);
    tcase_add_test(tcase, keys_keep_their_index);
    tcase_add_test(tcase, half_sample_mode_of_six);
    tcase_add_test(tcase, half_sample_mode_of_few);
    tcase_add_test(tcase, mode_outvotes_both_sides);
    tcase_add_test(tcase, hull_of_six_points);
    tcase_add_test(tcase, floor_is_the_line_at_the_mean_of_the_times);
    tcase_add_test(tcase, skew_of_no_time_is_none);
    tcase_add_test(tcase, least_sum_wins);
    tcase_add_test(tcase, least_sum_after_skew);
    tcase_add_test(tcase, least_sum_needs_send_times);
    tcase_add_test(tcase, sizes_count_before_numbers);
    tcase_add_test(tcase, answer_is_the_overlap);
    tcase_add_test(tcase, level_shift_of_a_bucket);
    tcase_add_test(tcase, overtaken_packets_take_their_time);
    tcase_add_test(tcase, teeth_behind_a_bucket);
    tcase_add_test(tcase, late_first_stamp_is_no_knee);
    tcase_add_test(tcase, short_tail_is_none);
    tcase_add_test(tcase, curve_ends_at_a_duplicate);
    tcase_add_test(tcase, even_gaps_have_no_knee);
    tcase_add_test(tcase, envelope_of_batches);
    tcase_add_test(tcase, loss_leaves_the_longest_run);
    tcase_add_test(tcase, few_packets_make_no_curve);
    return tcase;
}

/* No pair passes undisturbed: either the second packet waited, or the first. Gaps of
 * 700 and 900 us are found many times; the floors of first and of second packets,
 * 800 us apart, contradict both. */
START_TEST(two_floors_outweigh_pairs)
{
    struct feed feed;

    open_feed(&feed, "adaptive");
    for (int i = 0; i < 120; i++) {
        int64_t wait_ns = (1 + i / 2 % 5) * 100 * US;

        give_pair(&feed, 800 * US + (i % 2 ? -wait_ns : wait_ns), i % 2 ? wait_ns : 0);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_TENTATIVE);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 10e6, 10e6 * NEAR);
    close_feed(&feed);
}
END_TEST

static TCase *adaptive(void)
{
    TCase *tcase = tcase_create("adaptive");

    tcase_add_test(tcase, agreement_converges);
    tcase_add_test(tcase, delays_tell_verdicts);
    tcase_add_test(tcase, halved_rate_is_followed);
    tcase_add_test(tcase, doubled_rate_is_followed);
    tcase_add_test(tcase, a_few_misses_change_nothing);
    tcase_add_test(tcase, as_it_left_is_a_lower_bound);
    tcase_add_test(tcase, bucket_is_shaped);
    tcase_add_test(tcase, a_bucket_that_ends_within_a_gap);
    tcase_add_test(tcase, clock_step_changes_nothing);
    tcase_add_test(tcase, without_send_times_a_majority_is_a_guess);
    tcase_add_test(tcase, two_floors_outweigh_pairs);
    tcase_add_test(tcase, state_is_small);
    tcase_add_test(tcase, small_windows_tell_the_same);
    return tcase;
}

Suite *filters_adaptive_suite(void)
{
    Suite *suite = suite_create("filters_adaptive");

    suite_add_tcase(suite, parts());
    suite_add_tcase(suite, adaptive());
    return suite;
}
