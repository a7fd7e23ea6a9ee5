/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of filter adaptive, each by itself: gather, propose, weigh, decide. Values made by
 * hand: packets of 1000 bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/access.h"
#include "filters/decide.h"
#include "filters/denial.h"
#include "filters/late.h"
#include "filters/later.h"
#include "filters/observe.h"
#include "filters/proof.h"
#include "filters/same.h"
#include "filters/settled.h"
#include "filters/shown.h"
#include "filters/slots.h"
#include "filters/stand.h"
#include "filters/turns.h"
#include "filters/weigh.h"
#include "tests/unit/suites.h"

#include <stdlib.h>

enum { ROOM = 64, BYTES = 1000 };
#define US 1e3
#define NEAR 1e-6

static struct readings *readings;
static struct scratch scratch;
static struct noise noise;
static struct shapes shapes;

static void filters_stages_setup(void)
{
    readings = malloc(readings_bytes(ROOM));
    scratch = (struct scratch){.numbers = malloc(FLOOR_NUMBERS * ROOM * sizeof(double)),
                               .keys = malloc(ROOM * sizeof(struct sort_key)),
                               .room = ROOM};
    readings_init(readings, ROOM, false);
    noise = noise_prior();
    shapes = (struct shapes){0};
}

static void filters_stages_teardown(void)
{
    free(readings);
    free(scratch.numbers);
    free(scratch.keys);
}

/* A pair a second. */
static struct reading *filters_stages_add(double gap_us, double delay_us)
{
    struct reading reading = {.at_s = readings->count,
                              .delay_ns = delay_us * US,
                              .gap_ns = (float)(gap_us * US),
                              .last_ns = NAN,
                              .bytes = BYTES};

    readings_push(readings, &reading);
    return readings_at(readings, readings->count - 1);
}

static void add_many(unsigned count, double gap_us, double delay_us)
{
    while (count-- > 0)
        filters_stages_add(gap_us, delay_us);
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

/* Five second packets are 448 us behind the floor of first ones. That would be the link's time for a packet if their first ones
 * waited for whatever came; but they were all late by the same, and have one gap: a host was late. */
START_TEST(second_packets_on_a_floor_by_one_gap)
{
    for (unsigned i = 0; i < 5; i++) {
        filters_stages_add(230, 218);
        filters_stages_add(1970 + 15.0 * i, i);
    }
    ck_assert(!evidence_has(witness().evidence, FOR_PROVEN));
}
END_TEST

/* --- Observe --- */

/* Packets of a train at these times, us, that left in so long. */
static struct observation observe_at(const double *at_us, unsigned count, int64_t departed_ns)
{
    struct sample_packet packets[ROOM];
    struct observation observation;
    struct epoch epoch = {0};
    struct sample sample = {.time_ns = 5000000,
                            .sent_ns = 0,
                            .departure_span_ns = departed_ns,
                            .sent = (uint16_t)count,
                            .received = (uint16_t)count,
                            .packet_bytes = BYTES,
                            .packets = packets};

    for (unsigned i = 0; i < count; i++)
        packets[i] = (struct sample_packet){
            .offset_ns = (int64_t)(at_us[i] * US), .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    observe(&epoch, &sample, &noise, &observation);
    return observation;
}

/* The mean gap is 200 us: 1 us is less than a fifth of that, 50 are not; and gaps of 7 us are no
 * wait. */
START_TEST(tiny_gaps_make_a_batch)
{
    ck_assert(observe_at((double[]){0, 300, 301, 600}, 4, SAMPLE_UNKNOWN_NS).head.batched);
    ck_assert(!observe_at((double[]){0, 200, 250, 600}, 4, SAMPLE_UNKNOWN_NS).head.batched);
    ck_assert(!observe_at((double[]){0, 7, 7.1, 14}, 4, SAMPLE_UNKNOWN_NS).head.batched);
    noise.tick_ns = 50 * US; /* four ticks a gap make tiny ones by themselves */
    ck_assert(!observe_at((double[]){0, 300, 301, 600}, 4, SAMPLE_UNKNOWN_NS).head.batched);
}
END_TEST

START_TEST(a_pair_is_read)
{
    struct observation pair = observe_at((double[]){0, 400}, 2, SAMPLE_UNKNOWN_NS);

    ck_assert(pair.paired && !pair.curved);
    ck_assert_double_eq(pair.head.gap_ns, 400 * US);
    ck_assert_uint_eq(pair.head.bytes, BYTES);
    ck_assert(isnan(pair.head.last_ns));
    ck_assert(!pair.head.limited);
}
END_TEST

/* 400 us are within a tenth of 364, and not of 363; they are never told shorter than they left. */
START_TEST(what_came_as_it_left_is_limited)
{
    ck_assert(observe_at((double[]){0, 400}, 2, 364000).head.limited);
    ck_assert(!observe_at((double[]){0, 400}, 2, 363000).head.limited);
    ck_assert_double_eq(observe_at((double[]){0, 400}, 2, 410000).head.gap_ns, 410 * US);
}
END_TEST

/* Eight packets: seven gaps of 100 us. */
START_TEST(a_long_train_is_read_whole)
{
    const double at_us[] = {0, 100, 200, 300, 400, 500, 600, 700};
    struct observation train = observe_at(at_us, 8, SAMPLE_UNKNOWN_NS);

    ck_assert(train.paired && train.curved);
    ck_assert_double_eq(train.whole.gap_ns, 700 * US);
    ck_assert_uint_eq(train.whole.bytes, 7 * BYTES);
    ck_assert(!observe_at(at_us, 7, SAMPLE_UNKNOWN_NS).curved);
    ck_assert(train.head.longer && !observe_at(at_us, 7, SAMPLE_UNKNOWN_NS).head.longer);
}
END_TEST

/* 63 gaps, of which 60 count in blocks of four. Where two follow each other that are 50 us
 * longer and shorter, blocks have one mean. Where those of a block are alike, its mean is off by
 * as much as each: with 15 blocks the ratio is 4 * (S / 14) / (4 S / 59). */
static double ratio_of(unsigned packets, unsigned alike)
{
    struct sample_packet of[ROOM];
    struct sample sample = {.time_ns = 5000000,
                            .departure_span_ns = SAMPLE_UNKNOWN_NS,
                            .sent = (uint16_t)packets,
                            .received = (uint16_t)packets,
                            .packet_bytes = BYTES,
                            .packets = of};
    struct curve curve;
    double at_us = 0;

    for (unsigned i = 0; i < packets; i++) {
        of[i] = (struct sample_packet){
            .offset_ns = (int64_t)(at_us * US), .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
        at_us += (packets + 6 - i) / alike % 2 ? 350 : 450;
    }
    ck_assert(curve_read(&sample, &noise, &curve));
    return curve.ratio;
}

START_TEST(gaps_that_make_up_for_each_other)
{
    ck_assert_double_eq_tol(ratio_of(64, 1), 0, NEAR);
    ck_assert(isnan(ratio_of(25, 1))); /* five blocks */
    ck_assert(!isnan(ratio_of(26, 1)));
}
END_TEST

START_TEST(gaps_that_stay)
{
    double ratio = ratio_of(64, 4);

    ck_assert_msg(ratio > 3.5 && ratio < 4.3, "%f", ratio);
}
END_TEST

/* Three batches of 21 packets and one more packet, at four times the link's rate: no gap is tiny. From the
 * end of the first to that of the third pass 42 packets in twice 21 * 1000 us. */
START_TEST(batches_at_a_few_times_the_rate_end_on_the_line)
{
    struct sample_packet of[ROOM];
    struct sample sample = {.time_ns = 5000000,
                            .departure_span_ns = SAMPLE_UNKNOWN_NS,
                            .sent = 64,
                            .received = 64,
                            .packet_bytes = BYTES,
                            .packets = of};
    struct curve curve;

    for (unsigned i = 0; i < 64; i++)
        of[i] = (struct sample_packet){.offset_ns = (int64_t)((i / 21 * 21000 + i % 21 * 250) * US),
                                       .bytes = BYTES,
                                       .position = (uint16_t)i,
                                       .follows = i > 0};
    ck_assert(curve_read(&sample, &noise, &curve));
    ck_assert_double_eq_tol(curve.gap_ns, 1000 * US, NEAR);
}
END_TEST

/* One each 21 ms. */
static void read_batches_of(const unsigned *batches, unsigned count, struct curve *curve)
{
    struct sample_packet of[ROOM];
    struct sample sample = {
        .time_ns = 5000000, .departure_span_ns = SAMPLE_UNKNOWN_NS, .packet_bytes = BYTES, .packets = of};

    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < batches[i]; k++) {
            unsigned n = sample.sent++;

            of[n] = (struct sample_packet){.offset_ns = (int64_t)((21000 * i + 100 * k) * US),
                                           .bytes = BYTES,
                                           .position = (uint16_t)n,
                                           .follows = n > 0};
        }
    sample.received = sample.sent;
    ck_assert(curve_read(&sample, &noise, curve));
}

START_TEST(whole_batches_are_held)
{
    struct curve curve;

    read_batches_of((const unsigned[]){1, 20, 21, 20, 2}, 5, &curve);
    ck_assert_uint_eq(curve.held, 61);
    ck_assert_uint_eq(curve.held_batches, 3);
    ck_assert_double_eq(curve.held_ns, 3 * 21000 * US);
    read_batches_of((const unsigned[]){10, 20, 19, 2}, 4, &curve);
    ck_assert_uint_eq(curve.held, 39);
    read_batches_of((const unsigned[]){10, 20, 18, 2}, 4, &curve); /* not alike */
    ck_assert_uint_eq(curve.held, 18);
}
END_TEST

/* The first of these batches ends at 800 us. With three the second ends at 21000 + 3900 us, 40 packets later, and the
 * train at 42000 + 1400, 15 later; with four the second at 22900, the third at 43900, and the train at 64400. */
START_TEST(batches_behind_the_first_one)
{
    struct curve curve;

    read_batches_of((const unsigned[]){9, 40, 15}, 3, &curve);
    ck_assert_double_eq_tol(curve.burst_ns, (24900 - 800) * US / 40, NEAR);
    ck_assert_double_eq_tol(curve.pause_ns, (24900 - 800) * US / 40 - (43400 - 24900) * US / 15, NEAR);
    read_batches_of((const unsigned[]){9, 20, 20, 15}, 4, &curve);
    ck_assert_double_eq_tol(curve.burst_ns, (43900 - 800) * US / 40, NEAR);
    ck_assert_double_eq_tol(curve.pause_ns, (22900 - 800) * US / 20 - (64400 - 22900) * US / 35, NEAR);
    read_batches_of((const unsigned[]){34, 30}, 2, &curve);
    ck_assert_double_eq(curve.burst_ns, 0);
    ck_assert_double_eq(curve.pause_ns, 0);
}
END_TEST

/* A train whose gaps are told one by one. */
static struct curve curve_of_packets(unsigned packets, double (*gap_us)(unsigned i))
{
    struct sample_packet of[ROOM];
    struct sample sample = {.time_ns = 5000000,
                            .departure_span_ns = SAMPLE_UNKNOWN_NS,
                            .sent = (uint16_t)packets,
                            .received = (uint16_t)packets,
                            .packet_bytes = BYTES,
                            .packets = of};
    struct curve curve;
    double at_us = 0;

    for (unsigned i = 0; i < packets; i++) {
        at_us += i > 0 ? gap_us(i) : 0;
        of[i] = (struct sample_packet){
            .offset_ns = (int64_t)(at_us * US), .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    }
    ck_assert(curve_read(&sample, &noise, &curve));
    return curve;
}

static struct curve curve_of(double (*gap_us)(unsigned i))
{
    return curve_of_packets(33, gap_us);
}

/* A bucket holds half of it; in the rest every third gap has others' packets, and the last one. */
static double shared_gap_us(unsigned i)
{
    return i <= 16 ? 100 : i % 3 == 2 ? 900 : 400;
}

/* Behind three gaps of 100 us, four ticks of 500 us or five: 13 / 3 on average, though most are four. */
static double ticked_gap_us(unsigned i)
{
    return i <= 3 ? 100 : i % 3 == 2 ? 2500 : 2000;
}

/* As often two packets of others in a row, then none for long. */
static double stretched_gap_us(unsigned i)
{
    return i <= 3 ? 100 : i % 12 >= 8 ? 2500 : 2000;
}

START_TEST(a_tail_at_ticks_goes_on_by_its_mean)
{
    struct curve ticked = curve_of(ticked_gap_us), stretched = curve_of(stretched_gap_us);

    ck_assert_uint_eq(ticked.knee, 3);
    ck_assert_double_eq_tol(ticked.tail_gap_ns, 6500 * US / 3, 15 * US);
    ck_assert_double_eq_tol(stretched.tail_gap_ns, 2000 * US, NEAR);
}
END_TEST

/* Behind 16 gaps of 100 us a shaper that ticks each 4 ms, where its rate is a packet each 4.4: 0.91 of that. So every
 * tenth packet has to wait for two ticks. */
static double double_tick_gap_us(unsigned i)
{
    return i <= 16 ? 100 : i % 10 == 9 ? 8000 : 4000;
}

/* As many, where others happened to send: two in a row come 7 ms late, and that is more than a tick. */
static double clustered_gap_us(unsigned i)
{
    return i <= 16 ? 100 : i == 28 || i == 29 || i == 40 || i == 41 || i == 52 ? 8000 : 4000;
}

/* One tells no time, however well it comes. */
static double alone_gap_us(unsigned i)
{
    return i <= 16 ? 100 : i == 40 ? 12000 : 4000;
}

START_TEST(rare_long_gaps_that_keep_time_are_ticks)
{
    struct curve curve = curve_of_packets(64, double_tick_gap_us);

    ck_assert_uint_eq(curve.knee, 16);
    ck_assert_double_gt(curve.ratio, CURVE_MADE_UP);
    ck_assert_double_eq_tol(curve.tail_gap_ns, 4400 * US, NEAR);
}
END_TEST

START_TEST(rare_long_gaps_that_keep_no_time_are_others)
{
    struct curve clustered = curve_of_packets(64, clustered_gap_us);
    struct curve alone = curve_of_packets(64, alone_gap_us);

    ck_assert_uint_eq(clustered.knee, 16);
    ck_assert_double_eq_tol(clustered.tail_gap_ns, 4000 * US, NEAR);
    ck_assert_uint_eq(alone.knee, 16);
    ck_assert_double_eq_tol(alone.tail_gap_ns, 4000 * US, NEAR);
}
END_TEST

START_TEST(commonest_gap_of_an_end)
{
    struct curve curve = curve_of(shared_gap_us);

    ck_assert_double_eq_tol(curve.end_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(curve.last_ns, 900 * US, NEAR);
    ck_assert_double_eq_tol(curve.last_variance_ns2, 500 * US * 500 * US * 15 / 64, 1);
}
END_TEST

/* Batches that wait for 2 ms: at first of 11, then of 5. The last begin behind 11, 16, 21, 26 and 31 packets, so
 * 10 of them, from that of 21 on, take 4 ms and what each took to come. */
static double batch_gap_us(unsigned i)
{
    return i == 1 || (i >= 11 && i % 5 == 1) ? 2000 : 10;
}

START_TEST(whole_batches_of_an_end)
{
    ck_assert_double_eq_tol(curve_of(batch_gap_us).end_ns, (4000 + 8 * 10) * US / 10, NEAR);
}
END_TEST

/* One batch begins in the second half, at 28: it is the last, and the one before it began at 9. */
static double large_batch_gap_us(unsigned i)
{
    return i == 1 || i == 9 || i == 28 ? 2000 : 10;
}

START_TEST(one_whole_batch_is_an_end)
{
    ck_assert_double_eq_tol(curve_of(large_batch_gap_us).end_ns, (2000 + 18 * 10) * US / 19, NEAR);
}
END_TEST

/* The first packet is let through, the rest comes at once. And batches of 4, of which four begin in the second half. */
static double one_batch_gap_us(unsigned i)
{
    return i == 1 ? 4000 : 10;
}

static double four_batch_gap_us(unsigned i)
{
    return i % 4 == 1 ? 400 : 10;
}

START_TEST(an_end_in_one_batch_is_tiny)
{
    ck_assert_double_eq(curve_of(one_batch_gap_us).tiny, 1);
    ck_assert_uint_eq(curve_of(one_batch_gap_us).batches, 0);
    ck_assert_double_eq(curve_of(four_batch_gap_us).tiny, 12.0 / 16);
    ck_assert_uint_eq(curve_of(four_batch_gap_us).batches, 4);
    ck_assert_double_eq(curve_of(shared_gap_us).tiny, 0); /* a bucket, whose end is the slower part */
}
END_TEST

/* --- Gather --- */

/* Trains of 64 that left in a tenth of the time they took, with such a ratio, 400 us a gap and 1 us
 * more from train to train. */
static void add_settled(unsigned count, float ratio)
{
    for (unsigned i = 0; i < count; i++) {
        struct shape *shape = &shapes.at[shapes.count++];

        *shape = (struct shape){.bytes = BYTES,
                                .sent = 65,
                                .packets = 65,
                                .departed = shape_share_of(0.1),
                                .variance_ns2 = 100e6F,
                                .ratio = ratio,
                                .short_share = shape_share_of(0.25)};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (float)((q == 0 ? 300 : 400 + i) * 16 * US);
    }
}

/* The middle one of 400 to 404 us, whatever the first quarter; the quartiles are 401 and 403. */
START_TEST(trains_that_settle)
{
    struct settled settled;

    add_settled(5, 0.5F);
    settled = settled_read(&shapes, BYTES);
    ck_assert_uint_eq(settled.gap.n, 5);
    ck_assert_double_eq_tol(settled.gap.gap_ns, 402 * US, NEAR);
    ck_assert_double_eq_tol(settled.gap.error_ns,
                            (2 + 10 / pow(5, 1.5)) * 1.25 * 2 * US / 1.349 / sqrt(5) + 40.2, 0.1);
    ck_assert_double_eq_tol(settled.spread_ns, 10 * US, NEAR);
    ck_assert_double_eq_tol(settled.short_share, 0.25, 1.0 / UINT16_MAX);
    ck_assert_uint_eq(settled_read(&shapes, BYTES + 1).gap.n, 0);
}
END_TEST

START_TEST(trains_that_do_not_settle)
{
    add_settled(5, 0.51F);
    ck_assert_uint_eq(settled_read(&shapes, BYTES).gap.n, 0);
}
END_TEST

/* A sender may have paced them. */
START_TEST(trains_that_nobody_knows_the_departure_of)
{
    add_settled(5, 0);
    for (unsigned i = 0; i < 4; i++)
        shapes.at[i].departed = shape_share_of(i % 2 ? 0 : 0.51);
    ck_assert_uint_eq(settled_read(&shapes, BYTES).gap.n, 0);
}
END_TEST

/* First packets at 0, 30 and 70 us, second ones at 450, 430 and 500: the floors are 430 us apart,
 * the third-least 70 above either. */
START_TEST(floors_of_three_pairs)
{
    struct columns columns;
    struct floors floors;

    filters_stages_add(450, 0);
    filters_stages_add(400, 30);
    filters_stages_add(430, 70);
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
static struct floors filters_stages_compare(unsigned like)
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
    struct floors floors = filters_stages_compare(8);

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
    ck_assert(!filters_stages_compare(7).agree);
}
END_TEST

/* Forty pairs leave a full queue, with delays of up to 39 times 500 us; one in so many finds it
 * empty. On the floor, which is a tenth of a gap deep, 3 + 40 / 32 = 4 are wanted. */
/* 1000 bytes in 375 us, and gaps that scatter by 10: where all of it adds up, packets of 64 bytes
 * lengthened every gap by 10^2 / (375 * 0.064) us. */
START_TEST(scatter_that_adds_up)
{
    add_settled(1, 1);
    ck_assert(settled_adds_up(&shapes));
    ck_assert_double_eq_tol(settled_added(&shapes), 100 / (375.0 * 375 * 0.064), 1e-6);
}
END_TEST

/* Late stamps leave a quarter of it; of short trains nothing is known. */
START_TEST(scatter_that_does_not)
{
    ck_assert(!settled_adds_up(&shapes));
    add_settled(5, NAN);
    ck_assert(!settled_adds_up(&shapes));
    ck_assert_double_eq(settled_added(&shapes), 0);
    shapes.count = 0;
    add_settled(5, 0.25F);
    ck_assert(!settled_adds_up(&shapes));
    ck_assert_double_eq(settled_added(&shapes), 0);
}
END_TEST

static bool reach(unsigned step)
{
    for (unsigned i = 0; i < 40; i++)
        filters_stages_add(400, i % step == 0 ? 0 : i * 17 % 40 * 500);
    return witness().floors.reached;
}

START_TEST(four_of_forty_reach_a_floor)
{
    ck_assert(!reach(19)); /* 0, 19, 38 */
    readings_keep(readings, 0);
    ck_assert(reach(13)); /* 0, 13, 26, 39 */
}
END_TEST

START_TEST(a_queue_that_never_empties_grounds_nothing)
{
    struct witness queue;

    reach(40);
    queue = witness();
    ck_assert_uint_eq(queue.evidence.reasons, bit(FOR_AGREED));
    ck_assert(!witness_believed(&queue, &noise));
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
        filters_stages_add(410 + 20 * i, 0);
    least = witness();
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

    add_many(6, 400, 50);
    for (unsigned i = 0; i < 10; i++)
        filters_stages_add(700 + 20 * i, i * 7 % 10);
    least = witness();
    ck_assert_int_eq(least.candidate.origin, ORIGIN_LEAST);
    ck_assert_double_eq_tol(least.candidate.gap_ns, 450 * US, US);
    ck_assert(!evidence_has(least.evidence, FOR_PROVEN));
}
END_TEST

/* Without delays the densest is a guess, to a tenth. */
START_TEST(the_mode_is_proposed_without_delays)
{
    struct witness mode;

    add_many(4, 400, NAN);
    for (unsigned i = 0; i < 6; i++)
        filters_stages_add(500 + 50 * i, NAN);
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
static struct statistics filters_stages_of_trains(double sigma_us)
{
    struct statistic mean = {570 * US, sigma_us * US, 40};

    return (struct statistics){.bytes = BYTES,
                               .pair = mean,
                               .waits = 40,
                               .train = mean,
                               .tail = mean,
                               .last = mean,
                               .least_ns = 500 * US,
                               .middle_ns = 570 * US,
                               .idle = 1,
                               .varies = 1,
                               .tail_packets = 48,
                               .batch = 1,
                               .told = true,
                               .at_once = true};
}

static struct seen seen_of_no_pairs(void)
{
    return (struct seen){.pairs = readings, .longs = readings, .noise = noise};
}

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
    struct longest longest = shapes_longest(&shapes);
    unsigned count = 0;

    for (unsigned i = 0; i < longest.count; i++)
        count += longest.at[i]->gap_ns == (float)(gap_us * US);
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
    shapes = (struct shapes){.count = 16};
    for (unsigned i = 0; i < 16; i++)
        shapes.at[i] =
            (struct shape){.bytes = BYTES,
                           .sent = 32,
                           .packets = 32,
                           .knee = 8,
                           .tail_gap_ns = (float)(400 * US * (i < 8 ? 1 + apart * (i % 2) : 1 + longer))};
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
    shapes = (struct shapes){.count = 11 + amid};
    for (unsigned i = 0; i < 11 + amid; i++) {
        double gap_us = i < 8 ? 400 : i < 8 + amid ? 900 : 1000;

        shapes.at[i] = (struct shape){
            .bytes = BYTES, .sent = 32, .packets = 32, .knee = 8, .tail_gap_ns = (float)(gap_us * US)};
    }
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
            filters_stages_add(20, 2000);
        else
            filters_stages_add(430 + i * 7 % 30, i * 7 % 30);
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
        filters_stages_add(i % 2 ? 500 : 400, i % 2 ? 100 : 0);
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
        filters_stages_add(i % 2 ? 500 : 400, 0);
        if (i < smaller)
            filters_stages_add(i % 2 ? high_us : low_us, 0)->bytes = BYTES / 2;
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
    struct statistics s = filters_stages_of_trains(4);
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

/* What statistics of enough trains say. */
static struct proposal deny(const struct statistics *s)
{
    struct seen seen = seen_of_no_pairs();

    return access_deny(&seen, s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
}

/* A mean 70 us over the shortest, known to 4 us, where no first packet waits. */
START_TEST(contention_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);
    struct proposal link = access_read(&seen, &s);

    ck_assert_int_eq(link.candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(link.candidate.gap_ns, 570 * US);
    ck_assert_uint_eq(link.evidence.reasons, 0);
    s.idle = 0.92; /* packets that wait in a queue stretch gaps, too: by 95 us */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.least_ns = 400 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
    s.idle = 0.89; /* by 133, but so few are no medium */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Stamps move a gap by 8 us, and the mean has four errors of 4 us: of 70 us that leaves 46 for 0.553 of a tick, 83 us.
 * How far the gaps themselves scatter is no noise: contention does that. */
START_TEST(contention_is_seen_by_coarse_stamps)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.noise_ns = 60 * US;
    seen.noise.tick_ns = 82 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_CONTENTION);
    seen.noise.tick_ns = 84 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Three cycles of 6 ms with 15 packets each; trains have so many more and less by turns. */
static void add_cycles(struct seen *seen, unsigned more)
{
    seen->shapes = (struct shapes){.count = 8};
    for (unsigned i = 0; i < 8; i++)
        seen->shapes.at[i] = (struct shape){.bytes = BYTES,
                                            .sent = 64,
                                            .packets = 64,
                                            .held = (uint8_t)(i % 2 ? 45 + more : 45 - more),
                                            .held_batches = 3,
                                            .held_ns = 18000 * US};
}

/* First packets wait for up to a cycle. A packet in 45 may have gone with the one before. */
START_TEST(cycles_are_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);
    struct proposal link;

    s.idle = 0.02;
    s.waits = 40;
    s.uniform = 1;
    s.range_ns = 6500 * US;
    s.sooner = true;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    add_cycles(&seen, 0);
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_CYCLES);
    ck_assert_double_eq_tol(link.candidate.gap_ns, 400 * US, NEAR);
    ck_assert_double_eq_tol(link.candidate.error_ns, 400 * US / 45, 400 * US * 0.001);
    ck_assert(!evidence_denied(link.evidence));
    s.range_ns = 7500 * US; /* over a fifth longer than a cycle */
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    s.range_ns = 6500 * US;
    s.sooner = false;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Trains take 70 us, and first packets wait for up to 700 us, each by itself. */
START_TEST(trains_that_gather_fit_into_a_cycle)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);
    struct candidate told = {.gap_ns = 70 * US, .bytes = BYTES};

    s.waits = 40;
    s.pair.n = 40;
    s.on_floor = 0.01;
    s.uniform = 1;
    s.follow = 1;
    s.range_ns = 700 * US;
    add_many(20, 70, 300);
    ck_assert(access_fit_a_cycle(&seen, &s, &told));
    s.uniform = 1.4;
    ck_assert(!access_fit_a_cycle(&seen, &s, &told));
    s.uniform = 1;
    s.follow = 0.5; /* a queue that moves slowly */
    ck_assert(!access_fit_a_cycle(&seen, &s, &told));
    s.follow = 1;
    s.range_ns = 60 * US; /* a train is longer */
    ck_assert(!access_fit_a_cycle(&seen, &s, &told));
}
END_TEST

/* 44 packets or 46: small ones of others come by the dozen. */
START_TEST(cycles_with_traffic_are_not)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.idle = 0.02;
    s.waits = 40;
    s.uniform = 1;
    s.range_ns = 6000 * US;
    s.sooner = true;
    add_cycles(&seen, 1);
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

static void add_of(uint32_t bytes, unsigned count, double gap_us)
{
    while (count--)
        filters_stages_add(gap_us, 300)->bytes = bytes & 0xffffff;
}

/* Trains' gaps of 570 us are three packets of 190, as 190 us is the longest wait: pairs have none of the others in
 * between, or one, or two. 228 us would be two and a half. */
START_TEST(the_longest_wait_tells_the_link_of_turns)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair.value = 450 * US;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.range_ns = 192 * US;
    add_of(1518, 14, 380);
    add_of(1518, 10, 570);
    add_of(1518, 20, 500); /* a host's */
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 190 * US, NEAR);
    s.range_ns = 228 * US;
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.range_ns = 192 * US;
    s.uniform = 1.4; /* not evenly */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.uniform = 1;
    s.pair.value = 560 * US; /* nothing is spared: so it is where anything makes packets wait */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
    s.pair.value = 450 * US;
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 190 * US, NEAR);
    add_of(1518, 4, 500); /* as many are in no turn */
    ck_assert_double_eq(turns_link_ns(&seen, &s), 0);
}
END_TEST

/* Two other flows take turns of 190 us with ours, and half of the frame fits into a quantum. Of 20 half pairs 12 have
 * none of the others in between, which waited for 100 us and longer: by chance once in 125970 times. Their second
 * packets come 195 us after the least wait, so the link before takes 390 us for a frame. */
static struct candidate read_turns_of_halves(bool late)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair.value = 500 * US;
    s.pair.n = 50;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.together = 0;
    s.regular = 1;
    s.range_ns = 190 * US;
    for (unsigned i = 0; i < 30; i++)
        filters_stages_add(570, 6.0 * i)->bytes = 1518;
    for (unsigned i = 0; i < 20; i++)
        filters_stages_add(i < 8 ? 285 : 95, late ? i < 8 ? 12.0 * i : 100 + 8.0 * (i - 8) : 9.0 * (19 - i))
            ->bytes = 759;
    for (unsigned i = 0; i < readings->count; i++)
        readings_at(readings, i)->spread_8ns = READING_UNTOLD;
    s.smaller = 20;
    ck_assert(turns_caught_up(&seen, &s, 190 * US) == late);
    return turns_read(&seen, &s);
}

START_TEST(pairs_that_catch_up_in_turns_come_from_a_slower_link)
{
    struct candidate candidate = read_turns_of_halves(true);

    ck_assert_uint_eq(candidate.origin, ORIGIN_SLOWER);
    ck_assert_double_eq_tol(candidate.gap_ns, 390 * US, NEAR);
}
END_TEST

/* Those that waited for nothing have none in between as well. */
START_TEST(pairs_in_turns_that_waited_for_nothing_do_not)
{
    struct candidate candidate = read_turns_of_halves(false);

    ck_assert_uint_eq(candidate.origin, ORIGIN_TURNS_TOLD);
    ck_assert_double_eq_tol(candidate.gap_ns, 190 * US, NEAR);
}
END_TEST

/* Waits are not even, but hardly any is longer than for one packet: with nine in ten busy 0.75 of 50 would be on a FIFO
 * link. Of 20 full pairs so many have two others of 190 us in between, and so have trains; the rest have none, nor have
 * pairs of half the size. */
struct uneven {
    uint32_t bytes;
    double train_us, regular, uniform;
    unsigned between;
};

static enum origin read_uneven(struct uneven uneven)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = uneven.bytes;
    s.train.value = s.middle_tail_ns = uneven.train_us * US;
    s.pair = (struct statistic){200 * US, 4 * US, 50};
    s.middle_ns = s.range_ns = 190 * US;
    s.busy = 0.9;
    s.on_floor = 0.1;
    s.uniform = uneven.uniform;
    s.regular = uneven.regular;
    s.smaller = 20;
    for (unsigned i = 0; i < 40; i++) {
        struct reading *pair = filters_stages_add(i >= 20                  ? 95
                                                      : i < uneven.between ? 570
                                                                           : 190,
                                                  9.0 * (i * 7 % 20));

        pair->bytes = (i < 20 ? uneven.bytes : uneven.bytes / 2) & READING_BYTES;
        pair->spread_8ns = READING_UNTOLD;
    }
    return turns_read(&seen, &s).origin;
}

START_TEST(uneven_waits_are_for_turns_where_others_show)
{
    const struct uneven shown = {1518, 570, 0.5, 2, 2};
    struct uneven uneven = shown;

    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
    uneven.regular = 0.49;
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_NONE);
    uneven.uniform = 1; /* even waits tell by themselves */
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
    uneven = shown;
    uneven.between = 1; /* of 20: several flows wait, and full frames come together */
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_NONE);
    uneven.uniform = 1;
    ck_assert_int_eq(read_uneven(uneven), ORIGIN_TURNS_TOLD);
}
END_TEST

/* Of one other flow each packet may have been over before ours came; a quantum holds two short ones. */
START_TEST(uneven_waits_for_one_other_or_of_short_packets)
{
    ck_assert_int_eq(read_uneven((struct uneven){1518, 570, 0.5, 2, 0}), ORIGIN_NONE);
    ck_assert_int_eq(read_uneven((struct uneven){1518, 380, 0.5, 2, 0}), ORIGIN_TURNS_TOLD);
    ck_assert_int_eq(read_uneven((struct uneven){1518, 380, 0.49, 2, 0}), ORIGIN_NONE);
    ck_assert_int_eq(read_uneven((struct uneven){1500, 570, 0.5, 2, 0}), ORIGIN_TURNS_TOLD);
}
END_TEST

/* Trains' gaps are 570 us, and so are those of full pairs, or full_us. First packets wait for up to 400 us, which is no
 * packet of anybody's. Of 20 pairs of half the size each has a gap of half_us. First stamps may be late by late_us. */
static double link_by_sizes_late_us(double full_us, double half_us, double on_floor, double late_us,
                                    enum origin origin)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    readings_keep(readings, 0);
    seen.scratch = scratch;
    s.bytes = 1518;
    s.middle_tail_ns = s.train.value;
    s.pair = (struct statistic){full_us * US, 4 * US, 50};
    s.middle_ns = full_us * US;
    s.on_floor = on_floor;
    s.uniform = 3;
    s.regular = 1;
    s.range_ns = 400 * US;
    s.late_ns = late_us * US;
    s.smaller = 20;
    for (unsigned i = 0; i < 40; i++) {
        struct reading *pair = filters_stages_add(i < 20 ? full_us : half_us, 9.0 * (i * 7 % 20));

        pair->bytes = i < 20 ? 1518 : 759;
        pair->spread_8ns = READING_UNTOLD;
    }
    ck_assert_int_eq(turns_read(&seen, &s).origin, origin);
    return turns_link_ns(&seen, &s) / US;
}

static double link_by_sizes_us(double full_us, double half_us, double on_floor, enum origin origin)
{
    return link_by_sizes_late_us(full_us, half_us, on_floor, 0, origin);
}

/* Half of a packet's own time of 190 us is missing where as many of the others are between two smaller ones, and theirs
 * is half of that where none are. */
START_TEST(sizes_tell_turns_in_which_idle_flows_wait)
{
    ck_assert_double_eq_tol(link_by_sizes_us(570, 475, 0.05, ORIGIN_TURNS), 190, 1e-3);
    ck_assert_double_eq_tol(link_by_sizes_us(570, 95, 0.05, ORIGIN_TURNS), 190, 1e-3);
    ck_assert_double_eq(link_by_sizes_us(570, 95, 0.3, ORIGIN_NONE),
                        0); /* many wait for nothing: a bucket of two */
    ck_assert_double_eq(link_by_sizes_us(570, 285, 0.05, ORIGIN_NONE), 0); /* a queue */
    ck_assert_double_eq(link_by_sizes_us(570, 570, 0.05, ORIGIN_NONE), 0); /* a packet at each tick */
    ck_assert_double_eq(link_by_sizes_us(570, 15, 0.05, ORIGIN_NONE),
                        0); /* faster than of eight other flows */
}
END_TEST

/* At the most 1/1.4 of 570 us, 407: a late first stamp takes as much from either gap, and so nothing from their difference, but
 * from what one tells alone. */
START_TEST(late_first_stamps_take_nothing_from_what_sizes_differ_by)
{
    ck_assert_double_eq_tol(link_by_sizes_late_us(570, 375, 0.05, 20, ORIGIN_TURNS), 390, 1e-3);
    ck_assert_double_eq_tol(link_by_sizes_late_us(570, 195, 0.05, 16, ORIGIN_TURNS), 390, 1e-3);
    ck_assert_double_eq(link_by_sizes_late_us(570, 195, 0.05, 20, ORIGIN_NONE), 0);
}
END_TEST

/* Behind a narrower link pairs have its gap, whatever their size, and that is no part of a turn. */
START_TEST(pairs_of_a_narrower_link_behind_fit_turns)
{
    ck_assert_double_eq_tol(link_by_sizes_us(330, 165, 0.05, ORIGIN_TURNS), 330, 1e-3);
    ck_assert_double_eq(link_by_sizes_us(330, 40, 0.05, ORIGIN_NONE), 80); /* a bucket of one and a half */
}
END_TEST

/* Packets of ours of 759 bytes wait for a full frame of the others: 300 us are 150 of ours, a fifth of a turn of 750. */
START_TEST(short_packets_wait_for_full_ones)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.bytes = 759;
    s.train.value = s.middle_tail_ns = 750 * US;
    s.on_floor = 0.05;
    s.uniform = 1;
    s.range_ns = 304 * US;
    add_of(759, 30, 450);
    ck_assert_double_eq_tol(turns_link_ns(&seen, &s), 150 * US, NEAR);
}
END_TEST

/* Ten waits, which scatter by 70 us where stamps make 12 of it, and gaps of 570 us are no bucket's. Short packets, two
 * of which are no longer than a full frame, go several at a time, up to two of those: any others are batches. */
START_TEST(few_waits_may_be_those_of_turns)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    add_many(10, 570, 300);
    s.waits = 10;
    s.scatter_ns = 70 * US;
    ck_assert(turns_may_wait(&seen, &s));
    s.batched = true;
    s.batch = 2;
    ck_assert(!turns_may_wait(&seen, &s));
    s.bytes = 700;
    s.batch = 4.3;
    ck_assert(turns_may_wait(&seen, &s));
    s.batch = 4.4;
    ck_assert(!turns_may_wait(&seen, &s));
    s.batched = false;
    s.waits = 20;
    ck_assert(!turns_may_wait(&seen, &s));
}
END_TEST

/* Trains of one gap, 570 us, whose first packets wait for less than that: half of it, where three quarters are told. */
START_TEST(the_fewest_waits_are_anywhere_in_a_turn)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.idle = 0;
    s.regular = 1;
    s.waits = 12;
    s.scatter_ns = 280 * US;
    ck_assert(turns_keep_back(&seen, &s));
    s.scatter_ns = 290 * US;
    ck_assert(!turns_keep_back(&seen, &s));
    s.waits = 5;
    s.pair.n = 0;
    ck_assert(turns_keep_back(&seen, &s));
    s.scatter_ns = 580 * US;
    ck_assert(!turns_keep_back(&seen, &s));
}
END_TEST

/* 300 us more a second later: clocks that are 100 ppm apart make 100 of them. */
START_TEST(clocks_make_little_of_two_waits)
{
    filters_stages_add(570, 300);
    filters_stages_add(570, 600);
    ck_assert_double_eq_tol(read_beside_a_train().scatter_ns, 200 * US, NEAR);
}
END_TEST

/* Gaps in a row are alike: then it takes pairs whose waits and gaps do not go together, by chance at most. Of 25 that is
 * a fifth. */
START_TEST(rates_may_vary_until_pairs_tell)
{
    struct statistics s = filters_stages_of_trains(2);

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

/* The first quarter is longer by over a quarter of a gap, and the last like the second. */
START_TEST(a_pause_is_proposed)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(1);
    struct proposal link;

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    s.end = s.tail;
    link = access_read(&seen, &s);
    ck_assert_int_eq(link.candidate.origin, ORIGIN_TAIL);
    ck_assert(!evidence_denied(link.evidence));
    s.tail_spread = 0.06;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_VARIES));
    s.head.value = 100 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* What comes singly, and has no gap that trains agree on; or one that is shorter than the mean, which sums of independent gaps
 * make longer, or else a cycle. */
START_TEST(traffic_behind_a_pause)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(1);

    s.least_ns = 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_TAILS));
    s.end = (struct statistic){500 * US, 1 * US, 40};
    s.last_varies = 0.3;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, bit(AGAINST_TAILS));
    ck_assert_double_eq(access_read(&seen, &s).candidate.gap_ns, 570 * US);
    s.last_varies = 0.4;
    ck_assert_uint_eq(access_read(&seen, &s).evidence.reasons, 0);
    ck_assert_double_eq(access_read(&seen, &s).candidate.gap_ns, 500 * US);
}
END_TEST

/* The whole rest in less than a fifth of the time: a host took it at once. */
START_TEST(a_batch_is_no_pause)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(1);

    s.least_ns = 570 * US;
    s.head = (struct statistic){2000 * US, 4 * US, 40};
    s.tail.value = 120 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_TAIL);
    s.tail.value = 110 * US;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Batches of 8, whose time the first gap lasts: a host's, if the first packet did not wait. */
START_TEST(batches_that_were_asked_for_deny)
{
    struct statistics s = filters_stages_of_trains(1);

    s.batched = true;
    s.batch = 8;
    s.pair.value = 8 * 570 * US;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.idle = 0.1;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.pair.value = 3 * 570 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Of 48 packets fewer than six batches of 10: 500 us a packet are 16 Mbit/s. */
START_TEST(few_batches_have_a_rate)
{
    struct statistics s = filters_stages_of_trains(1);

    s.batched = true;
    s.batch = 10;
    s.burst = (struct statistic){500 * US, US, 5};
    ck_assert_double_eq_tol(access_burst_bps(&s), 16e6, NEAR);
    s.burst.n = 4;
    ck_assert_double_eq(access_burst_bps(&s), 0);
    s.burst.n = 5;
    s.batch = 8;
    ck_assert_double_eq(access_burst_bps(&s), 0);
    s.batch = 10;
    s.batched = false;
    ck_assert_double_eq(access_burst_bps(&s), 0);
}
END_TEST

/* The first quarter is longer by more than batches make of it: 0.25 * 570 + 1.5 * 10 * 570 / 16 = 677 us. That is a pause
 * where the second batch is longer, too, by a quarter of the 500 us of all, and four errors. */
START_TEST(few_batches_make_no_pause)
{
    struct statistics s = filters_stages_of_trains(1);

    s.batched = true;
    s.batch = 10;
    s.head = (struct statistic){700 * US, US, 40};
    s.burst = (struct statistic){500 * US, US, 5};
    s.pause = (struct statistic){124 * US, 0, 5};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.pause.value = 126 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.pause.sigma = US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.burst.n = 4;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
}
END_TEST

/* Five short trains, or so many, whose last gap is so long, beside long ones of 570 us whose last quarter is 660: the two
 * before it are (3 * 570 - 660) / 2 = 525 us. */
static struct proposal deny_beside_short(unsigned count, double last_us, double longer_us)
{
    struct statistics s = filters_stages_of_trains(1);

    readings_keep(readings, 0);
    while (count--)
        filters_stages_add(400, 0)->last_ns = (float)(last_us * US);
    s.last.value = 660 * US;
    s.longer = (struct statistic){longer_us * US, US, 40};
    s.head = (struct statistic){200 * US, 4 * US, 40};
    return deny(&s);
}

/* A quarter more than 525 us is 656. */
START_TEST(what_is_left_at_the_end_of_each_train_waits)
{
    struct proposal before = deny_beside_short(5, 660, 100);

    ck_assert_int_eq(before.candidate.origin, ORIGIN_TAIL);
    ck_assert_double_eq_tol(before.candidate.gap_ns, 525 * US, NEAR);
    ck_assert_int_eq(deny_beside_short(4, 660, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 525, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 650, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_int_eq(deny_beside_short(5, 300, 100).candidate.origin, ORIGIN_LAST);
    ck_assert_double_eq(deny_beside_short(4, 660, 100).candidate.gap_ns, 660 * US);
}
END_TEST

/* Five short trains whose last gaps are 700 us on average and scatter by as much to either side, once each. */
static enum origin deny_beside_scatter(double by_us)
{
    struct statistics s = filters_stages_of_trains(1);

    s.last.value = 660 * US;
    s.longer = (struct statistic){100 * US, US, 40};
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 5; i++)
        filters_stages_add(400, 0)->last_ns = (float)((700 + (i == 0 ? by_us : i == 1 ? -by_us : 0)) * US);
    return deny(&s).candidate.origin;
}

/* The mean's error is by / sqrt(10), and 44 us are over four of them, or less: 34.8 makes 44.0. */
START_TEST(last_gaps_that_scatter_tell_nothing_of_it)
{
    ck_assert_int_eq(deny_beside_scatter(33), ORIGIN_TAIL);
    ck_assert_int_eq(deny_beside_scatter(36), ORIGIN_LAST);
}
END_TEST

/* Last quarters longer by 20 us are no slower end, but by four errors of 1 us they are longer; by 3 they are not. */
START_TEST(a_pause_and_what_is_left_at_the_end)
{
    ck_assert_int_eq(deny_beside_short(5, 660, 20).candidate.origin, ORIGIN_TAIL);
    ck_assert_double_eq_tol(deny_beside_short(5, 660, 20).candidate.gap_ns, 525 * US, NEAR);
    ck_assert_double_eq_tol(deny_beside_short(5, 660, 3).candidate.gap_ns, 570 * US, NEAR);
    ck_assert_double_eq_tol(deny_beside_short(4, 660, 20).candidate.gap_ns, 570 * US, NEAR);
}
END_TEST

/* The last gap of a long train is that of a bucket, and pairs have none. Half as long packets take half of the time. */
START_TEST(only_short_trains_tell_what_is_left_at_the_end)
{
    struct statistics s = filters_stages_of_trains(1);

    s.last.value = 660 * US;
    s.longer = (struct statistic){100 * US, US, 40};
    add_many(10, 400, 0);
    for (unsigned i = 0; i < 4; i++)
        filters_stages_add(400, 0)->last_ns = (float)(700 * US);
    filters_stages_add(200, 0)->last_ns = (float)(350 * US);
    readings_at(readings, readings->count - 1)->bytes = BYTES / 2;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    for (unsigned i = 0; i < readings->count; i++)
        readings_at(readings, i)->longer = true;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
}
END_TEST

/* Eight long trains, or four, so many of which have rows of such a gap, others of longer ones, and twenty pairs of 400 us,
 * but so many of that gap. */
struct rows {
    unsigned trains, others, pairs;
    double gap_us;
    bool soon, few;
};

static bool rows_deny(struct rows rows)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(1);
    struct proposal denial;

    readings_keep(readings, 0);
    add_many(20 - rows.pairs, 400, 0);
    add_many(rows.pairs, rows.gap_us, 0);
    seen.shapes.count = rows.few ? 4 : 8;
    s.train.n = seen.shapes.count;
    for (unsigned i = 0; i < seen.shapes.count; i++) {
        double gap_us = i < rows.trains     ? rows.gap_us
            : i < rows.trains + rows.others ? (2 + i) * rows.gap_us
                                            : 0;

        seen.shapes.at[i] = (struct shape){.bytes = BYTES,
                                           .sent = 64,
                                           .packets = 64,
                                           .row_ns = (float)(gap_us * US),
                                           .row_soon = rows.soon && i == 0};
    }
    denial = access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
    return denial.candidate.origin == ORIGIN_LAST
        && fabs(denial.candidate.gap_ns - rows.gap_us * US) < NEAR * rows.gap_us * US;
}

START_TEST(rows_of_several_trains_are_a_bucket)
{
    ck_assert(rows_deny((struct rows){3, 2, 2, 500, false, false}));
    ck_assert(!rows_deny((struct rows){2, 0, 0, 500, false, false}));
    ck_assert(!rows_deny((struct rows){3, 3, 0, 500, false, false})); /* no fewer have others */
    ck_assert(!rows_deny((struct rows){8, 0, 3, 500, false, false})); /* a constant flow's */
    ck_assert(!rows_deny((struct rows){8, 0, 0, 418, false, false})); /* as told, to 5 % */
    ck_assert(!rows_deny((struct rows){8, 0, 0, 500, true, false}));  /* turns */
    ck_assert(rows_deny((struct rows){2, 0, 0, 500, false, true}));
    ck_assert(!rows_deny((struct rows){1, 0, 0, 500, false, true}));
}
END_TEST

/* Eight trains of 64 packets 400 us apart, so many of them with one gap longer by this, the last of those by so much more; what
 * follows comes as far apart, or as much sooner as it was late. Of 40 first packets so many wait, evenly and for up to this. */
struct pauses {
    unsigned trains;
    double pause_us, more_us;
    unsigned waiting;
    double longest_us;
    bool caught_up;
};

static bool pauses_deny(struct pauses pauses)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);
    struct proposal denial;

    seen.shapes.count = 8;
    for (unsigned i = 0; i < 8; i++) {
        double pause_us = i < pauses.trains ? pauses.pause_us + (i + 1 == pauses.trains) * pauses.more_us : 0;

        seen.shapes.at[i] = (struct shape){.bytes = BYTES,
                                           .sent = 64,
                                           .packets = 64,
                                           .longest_ns = (float)((400 + pause_us) * US),
                                           .quarter_ns = {6000 * US, 6400 * US, 6400 * US, 6400 * US}};
        seen.shapes.at[i].quarter_ns[1] += (float)(pauses.caught_up ? 0 : pause_us * US);
    }
    s.waits = 40;
    s.busy = pauses.waiting / 40.0;
    s.on_floor = 1 - s.busy;
    s.longest_wait_ns = pauses.longest_us * US;
    s.waiting_uniform = pauses.waiting < 10 ? INFINITY : 1;
    s.sooner = true;
    denial = access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
    return denial.candidate.origin == ORIGIN_CYCLES;
}

/* Of 8 trains of 25.2 ms half have a pause of 10 ms: 0.17 of the time, 6.6 of 40 packets, and all but three errors are none. */
START_TEST(pauses_alike_are_a_medium_that_is_shut)
{
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 7, 0, false}));
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 12, 10000, false}));
    ck_assert(!pauses_deny((struct pauses){2, 10000, 0, 7, 0, false}));    /* too few */
    ck_assert(!pauses_deny((struct pauses){4, 10000, 3000, 7, 0, false})); /* one of four is longer */
    ck_assert(
        !pauses_deny((struct pauses){8, 1900, 0, 7, 0, false})); /* a packet more or less is over a fifth */
    ck_assert(pauses_deny((struct pauses){8, 2100, 0, 7, 0, false}));
    ck_assert(!pauses_deny((struct pauses){4, 2500, 0, 7, 0, false})); /* 4.7 % of the time */
    ck_assert(!pauses_deny((struct pauses){4, 10000, 0, 7, 0, true}));
}
END_TEST

/* Twelve even waits are all below 0.45 of what they may be once in over a thousand times: 0.001^(1/12) = 0.56, less a fifth. */
START_TEST(first_packets_wait_while_it_is_shut)
{
    ck_assert(pauses_deny((struct pauses){4, 10000, 0, 12, 4600, false}));
    ck_assert(!pauses_deny((struct pauses){4, 10000, 0, 12, 4400, false}));
    ck_assert(!pauses_deny((struct pauses){8, 20000, 0, 8, 0, false})); /* 0.44 of the time, and 0.2 wait */
}
END_TEST

/* Slots of 1 ms, which first packets reach at any time, in any order: n waits of a part in n of it each. */
#define SLOT_US 1000.0

static double slot_wait_us(unsigned i, unsigned n)
{
    return (i * 37 % n + 0.5) * SLOT_US / n;
}

/* So many pairs, trains have 570 us. The second packet of a pair misses the slot of the first one where that waits for less
 * than it comes behind it, and now and then, where both packets waited for others, up to blur_us later or sooner. */
static bool hides(const struct statistics *s, unsigned n, double behind_us, double blur_us, double missed_us)
{
    struct seen seen = {.pairs = readings, .longs = readings, .scratch = scratch, .noise = noise};

    readings_keep(readings, 0);
    for (unsigned i = 0; i < n; i++) {
        double wait_us = slot_wait_us(i, n), later_us = i % 2 ? blur_us : -blur_us;

        filters_stages_add(wait_us < behind_us + later_us ? missed_us : 20, wait_us);
    }
    return slots_hide_turns(&seen, s);
}

static struct statistics of_slots(void)
{
    struct statistics s = filters_stages_of_trains(4);

    s.batched = true;
    s.uniform = 1;
    s.on_floor = 0.2;
    s.range_ns = SLOT_US * US;
    s.least_ns = 20 * US;
    return s;
}

/* Two errors of the mean of 64 pairs are 120 us. */
START_TEST(slots_may_hide_turns)
{
    struct statistics s = of_slots();

    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 460, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 560, 0, SLOT_US)); /* as long as trains */
    s.train.sigma = 80 * US;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

/* Pairs have the mean of trains, but some second packets come 200 us sooner behind the floor of the first ones: with 64 pairs
 * that is over seven parts in 64 of a slot, with 32 not over seven in 32. */
START_TEST(floors_that_are_closer_show_turns_before_slots)
{
    struct statistics s = of_slots();

    ck_assert(hides(&s, 64, 570, 200, SLOT_US));
    ck_assert(!hides(&s, 32, 570, 200, SLOT_US));
    ck_assert(!hides(&s, 64, 570, 0, SLOT_US));
}
END_TEST

/* Two packets that slots hold come in two where they end in the 20 us between them: one of 64. Others that fill slots, or a
 * block that comes again, make any pair miss one. And what was asked for takes more than the next slot. */
START_TEST(a_medium_that_holds_both_packets_hides_no_turns)
{
    struct statistics s = of_slots();

    ck_assert(!hides(&s, 64, 20, 0, SLOT_US));
    ck_assert(hides(&s, 64, 100, 0, SLOT_US));
    ck_assert(!hides(&s, 64, 0, SLOT_US, SLOT_US));
    ck_assert(!hides(&s, 64, 400, 0, 1.8 * SLOT_US));
    ck_assert(!hides(&s, 64, SLOT_US, 0, SLOT_US)); /* all do */
}
END_TEST

/* A turn spares trains two frames and a packet of 1000 bytes: 144 us a packet of their first quarter, of 16. */
START_TEST(what_passes_more_than_a_turn_before_slots_is_a_bucket)
{
    struct statistics s = of_slots();

    s.head = (struct statistic){-100 * US, 1 * US, 40};
    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
    s.head.value = -150 * US;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s.head.sigma = 5 * US;
    ck_assert(hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

START_TEST(slots_hide_no_turns_without_even_waits)
{
    struct statistics s = of_slots();

    s.uniform = 1.37;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.on_floor = 0.21;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.waits = 19;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.batched = false;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
    s = of_slots();
    s.train.n = 4;
    ck_assert(!hides(&s, 64, 400, 0, SLOT_US));
}
END_TEST

/* Traffic that gets into trains while they leave lengthens no quarter more than another. */
START_TEST(a_pause_denies_trains_of_any_pace)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(1);

    s.least_ns = 570 * US;
    s.at_once = false;
    s.head = (struct statistic){200 * US, 4 * US, 40};
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TAIL);
    s.head.value = 100 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Three trains whose last quarters are longer by 60 us: by twice 4.3 errors of 6 us, and less of 8. */
START_TEST(few_trains_that_end_slower_are_in_doubt)
{
    struct statistics s = filters_stages_of_trains(4);

    s.train.n = 3;
    s.longer = (struct statistic){60 * US, 6 * US, 3};
    ck_assert(access_may_end_slower(&s));
    s.longer.sigma = 8 * US;
    ck_assert(!access_may_end_slower(&s));
    s.longer.sigma = 6 * US;
    s.train.n = 5;
    ck_assert(!access_may_end_slower(&s));
    s.train.n = 3;
    s.at_once = false;
    ck_assert(!access_may_end_slower(&s));
}
END_TEST

/* Packets of 1000 bytes, of which hardly a first one waits for nothing, through such a bucket. */
static double fit_of(double peak_mbps, double mbps, double burst_bytes)
{
    struct statistics s = filters_stages_of_trains(4);

    s.waits = 20;
    s.idle = 0.2;
    s.shaped = (struct shaped){.bps = mbps * 1e6, .peak_bps = peak_mbps * 1e6, .burst_bytes = burst_bytes};
    return turns_fit_ns(&noise, &s) / US;
}

/* A packet takes 800 us at 10 Mbit/s. Two others: gaps of two, then of three; or first a packet of ours alone. */
START_TEST(a_bucket_of_a_frame_may_be_turns)
{
    ck_assert_double_eq_tol(fit_of(5, 10 / 3.0, 1333), 800, 0.1);
    ck_assert_double_eq_tol(fit_of(10, 10 / 3.0, 1900), 800, 0.1);
    ck_assert_double_eq(fit_of(5, 10 / 3.0, 1700), 0); /* it ends with the third gap */
    ck_assert_double_eq(fit_of(5, 10 / 3.2, 1333), 0); /* no part of it */
    ck_assert_double_eq(fit_of(9, 8, 1111), 0);        /* eight or nine: nobody can tell */
    ck_assert_double_eq(fit_of(1000, 500, 1500), 0);   /* no wait for 8 us would show */
}
END_TEST

/* Without a knee trains tell, if they are alike. */
START_TEST(trains_that_pairs_are_a_part_of_may_be_turns)
{
    struct statistics s = filters_stages_of_trains(4);

    s.waits = 20;
    s.idle = 0.2;
    s.regular = 0.6;
    s.middle_ns = 400 * US;
    s.middle_tail_ns = 600 * US;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 200 * US);
    s.regular = 0.4;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.regular = 0.6;
    s.tail_spread = 0.02;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.tail_spread = 0;
    s.idle = 0.3;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
    s.idle = 0.2;
    s.waits = 19;
    ck_assert_double_eq(turns_fit_ns(&noise, &s), 0);
}
END_TEST

/* Of 40 pairs whose gaps scatter by 25 us. */
static enum origin proposed_of(double varies, double ratio, double together, double slope)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.least_ns = 570 * US;
    s.spread_ns = 25 * US;
    s.varies = varies;
    s.ratio = ratio;
    s.together = together;
    s.slope = slope;
    return access_read(&seen, &s).candidate.origin;
}

/* Delays and gaps that grow together by seven tenths, where spans vary by more than the three times that
 * independent gaps may make; nine tenths where they do not. */
START_TEST(a_rate_that_varies_is_proposed)
{
    ck_assert_int_eq(proposed_of(1, 0, 0.7, 0.8), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 0, 0.7, 0.8), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(1, 0, 0.95, 0.8), ORIGIN_MEAN);
}
END_TEST

/* Spans of trains that are longer than a rate holds vary less than independent gaps make them. */
START_TEST(gaps_in_a_row_show_a_rate_that_trains_outlast)
{
    ck_assert_int_eq(proposed_of(0.1, 3, 0.5, 0.3), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(0.1, 1, 0.5, 0.3), ORIGIN_NONE);
}
END_TEST

/* Behind a bucket gaps are alike on either side of its end, and pairs, that pass it, go with their host. */
START_TEST(pairs_through_a_bucket_show_no_rate_that_varies)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);

    s.least_ns = 570 * US;
    s.spread_ns = 25 * US;
    s.ratio = 3;
    s.together = s.slope = 0.95;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_MEAN);
    ck_assert(access_may_vary(&s));
    s.shaped.bps = 10e6;
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    ck_assert(!access_may_vary(&s));
}
END_TEST

/* A late host adds so much to delays that they go with gaps by half, and vary by three times as much. Of 40 pairs chance
 * makes them go together by 0.47 once in 700 times. That is enough where gaps in a row are alike. */
START_TEST(gaps_in_a_row_show_a_rate_behind_a_late_host)
{
    ck_assert_int_eq(proposed_of(3.5, 1, 0.5, 0.3), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.5, 0.3), ORIGIN_MEAN);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.45, 0.3), ORIGIN_NONE);
    ck_assert_int_eq(proposed_of(3.5, 3, 0.5, 0.2), ORIGIN_NONE);
}
END_TEST

/* The last quarter is longer by a twentieth, or by less than four of its errors. */
START_TEST(ends_that_are_slower_deny)
{
    struct statistics s = filters_stages_of_trains(1);

    s.longer = (struct statistic){0.05 * 570 * US, 5 * US, 40};
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
    s.longer.sigma = 8 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Pairs and trains have a mean of 570 us, the shortest gap is what is told, 400, and they are even from there on to 600. */
START_TEST(even_gaps_deny_the_shortest_of_them)
{
    struct statistics s = filters_stages_of_trains(4);

    s.shortest_ns = 400 * US;
    s.gaps_range_ns = 200 * US;
    s.gaps_uniform = 1.36;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_CONTENTION);
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.gaps_uniform = 1.37;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.gaps_uniform = 1.36;
    s.shortest_ns = 380 * US; /* 400 is more than a twentieth longer */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.shortest_ns = 400 * US;
    s.gaps_range_ns = 39 * US; /* less than a tenth */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.gaps_range_ns = 200 * US;
    s.pair.value = 610 * US; /* pairs and trains differ by 7 % */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Trains of 570 us a gap, beside what is told, 400: no traffic made them slower where gaps make up for each other, four
 * in a row by half or more, and spans vary by less than a third of what gaps that do not would make of them. */
START_TEST(gaps_that_make_up_deny_what_trains_are_slower_than)
{
    struct statistics s = filters_stages_of_trains(4);

    s.varies = 0.33;
    s.ratio = 0.5;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TRAINS);
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.ratio = 0.51;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.ratio = 0.5;
    s.varies = 0.34;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.varies = 0.33;
    s.at_once = false;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.at_once = true;
    s.train.sigma = 43 * US; /* four of them are more than the 170 us between the two */
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.train.sigma = 42 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_TRAINS);
}
END_TEST

/* Two trains of eight at 1400 us a gap, but for a first one at the peak rate, beside pairs of 400 us: no traffic
 * slows a train to less than 0.3 of that. A third train at 1300 us is not too slow. */
static struct proposal deny_few(float third_us)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = {0};

    for (unsigned i = 0; i < 3; i++) {
        struct shape *shape = &seen.shapes.at[i];

        *shape = (struct shape){.bytes = BYTES, .sent = 8, .packets = 8};
        shape->gap_ns = (i < 2 ? 1400 : third_us) * (float)US;
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (q > 0 ? 2.0F : 1.0F) * 1400 * (float)US;
    }
    seen.shapes.count = third_us > 0 ? 3 : 2;
    return access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
}

START_TEST(few_trains_that_crawl_deny)
{
    ck_assert_int_eq(deny_few(0).candidate.origin, ORIGIN_TRAINS);
    ck_assert_double_eq_tol(deny_few(0).candidate.gap_ns, 1400 * US, 1);
    ck_assert_int_eq(deny_few(1400).candidate.origin, ORIGIN_TRAINS);
    ck_assert_int_eq(deny_few(1300).candidate.origin, ORIGIN_NONE);
}
END_TEST

/* Slow trains whose last quarter comes at once say nothing of how fast they end. */
START_TEST(few_trains_that_end_at_once_do_not)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = {0};
    struct shape *shape = seen.shapes.at;

    *shape = (struct shape){.bytes = BYTES, .sent = 8, .packets = 8, .gap_ns = (float)(1400 * US)};
    shape->quarter_ns[1] = (float)(9800 * US);
    seen.shapes.count = 1;
    ck_assert_int_eq(
        access_deny(&seen, &s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}})
            .candidate.origin,
        ORIGIN_NONE);
}
END_TEST

/* Last quarters of 570 us a gap and last gaps of 720, a quarter more and over. */
START_TEST(last_gap_is_the_end_of_a_late_bucket)
{
    struct statistics s = filters_stages_of_trains(1);

    s.longer = (struct statistic){100 * US, US, 40};
    s.very_last = (struct statistic){720 * US, US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 720 * US);
    s.very_last.value = 700 * US;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.very_last = (struct statistic){900 * US, 82 * US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
}
END_TEST

/* Last quarters of 570 us a gap, most of whose gaps are 500: that is the link's, if they add up at random. */
START_TEST(commonest_gap_is_the_end_under_traffic)
{
    struct statistics s = filters_stages_of_trains(1);

    s.longer = (struct statistic){100 * US, US, 40};
    s.end = (struct statistic){500 * US, US, 40};
    s.last_varies = 0.34;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 500 * US);
    s.last_varies = 0.33;
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
    s.last_varies = 1;
    s.end.n = 0; /* trains do not agree on it */
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 570 * US);
}
END_TEST

/* Most gaps of the ends are 500 us, all of them 570 on average, and those of first quarters 400. */
static struct statistics of_shared_bucket(void)
{
    struct statistics s = filters_stages_of_trains(1);

    s.head = (struct statistic){-170 * US, US, 40};
    s.end = (struct statistic){500 * US, US, 40};
    s.last_varies = 1;
    return s;
}

static double shared_us(const struct statistics *s)
{
    struct shaped shaped = access_shared(s, &(struct candidate){.gap_ns = 100 * US, .bytes = BYTES});

    return shaped.bps > 0 ? BYTES * 8e9 / shaped.bps / US : 0;
}

START_TEST(a_bucket_that_traffic_shares)
{
    struct statistics s = of_shared_bucket();

    ck_assert_double_eq_tol(shared_us(&s), 500, 1e-6);
    s.last.value = 519 * US; /* ticks of a shaper */
    ck_assert_double_eq(shared_us(&s), 0);
    s.last.value = 521 * US;
    ck_assert_double_gt(shared_us(&s), 0);
}
END_TEST

START_TEST(no_bucket_that_traffic_shares)
{
    struct statistics s = of_shared_bucket();

    s.head.value = -110 * US; /* 460: not a tenth less than 500, as behind a queue */
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.last_varies = 3.1;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.end.n = 0;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.at_once = false;
    ck_assert_double_eq(shared_us(&s), 0);
    s = of_shared_bucket();
    s.batched = true;
    ck_assert_double_eq(shared_us(&s), 0);
}
END_TEST

/* 64 packets of 570 us, in batches of 8: a batch more or less makes 71 of it. */
START_TEST(batches_that_end_slower_deny)
{
    struct statistics s = filters_stages_of_trains(1);

    s.batched = true;
    s.batch = 8;
    s.head = (struct statistic){-50 * US, US, 40};
    s.longer = (struct statistic){300 * US, US, 40};
    s.end = (struct statistic){680 * US, US, 40};
    ck_assert_double_eq(deny(&s).candidate.gap_ns, 680 * US);
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_LAST);
    s.end.value = 660 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
    s.end.value = 680 * US;
    s.head.value = 50 * US;
    ck_assert_int_eq(deny(&s).candidate.origin, ORIGIN_NONE);
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
        filters_stages_add(400, 0)->batched = i < 6;
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_BATCHES));
    readings_at(readings, 0)->batched = false;
    ck_assert_uint_eq(denial().reasons, 0); /* five of ten are not most */
}
END_TEST

/* Last gaps are longer by 9 us; a fiftieth of a gap is 8. */
START_TEST(tails_deny)
{
    for (unsigned i = 0; i < 10; i++)
        filters_stages_add(400, 0)->last_ns = (float)(409 * US);
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_TAILS));
    for (unsigned i = 0; i < 10; i++)
        readings_at(readings, i)->last_ns = (float)(407 * US);
    ck_assert_uint_eq(denial().reasons, 0);
}
END_TEST

/* Last gaps are longer by 300 us in four trains of forty, and first ones in two: 15 us on average
 * are less than a twentieth of a gap; longer by 70 more in all, they deny. */
START_TEST(a_few_long_tails_do_not)
{
    for (unsigned i = 0; i < 40; i++)
        filters_stages_add(i % 20 == 3 ? 700 : 400, 0)->last_ns = (float)((i % 10 == 2 ? 700 : 400) * US);
    ck_assert_uint_eq(denial().reasons, 0);
    for (unsigned i = 0; i < 40; i++)
        readings_at(readings, i)->last_ns += (float)(70 * US);
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_TAILS));
}
END_TEST

/* Pairs that traffic scatters, of which half have the gap: what smaller ones take is another's if it is that gap, too,
 * and tells nothing if traffic lengthens it. */
START_TEST(smaller_packets_in_the_same_slots_deny_pairs_that_differ)
{
    for (unsigned i = 0; i < 40; i++)
        filters_stages_add(i % 2 ? 400 : 500, 0);
    for (unsigned i = 0; i < 5; i++)
        filters_stages_add(i < 3 ? 400 : 270, 0)->bytes = BYTES / 2;
    ck_assert_uint_eq(denial().reasons, bit(AGAINST_SIZES));
    readings_at(readings, 40)->gap_ns = (float)(300 * US); /* two of five */
    ck_assert_uint_eq(denial().reasons, 0);
}
END_TEST

/* Three pairs of half the size, due in 200 us. */
static struct evidence deny_by_half(double gap_us)
{
    add_many(10, 400, 0);
    for (unsigned i = 0; i < 3; i++)
        filters_stages_add(gap_us, 0)->bytes = BYTES / 2;
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
        filters_stages_add(i % 2 ? 400 : 500, 0); /* they do not agree */
    for (unsigned i = 0; i < 10; i++)
        filters_stages_add(i < 9 ? 3 : 200, 0)->bytes = BYTES / 2;
    ck_assert(evidence_has(denial(), AGAINST_SPARED));
    readings_at(readings, 40)->gap_ns = (float)(200 * US);
    ck_assert(!evidence_has(denial(), AGAINST_SPARED));
}
END_TEST

/* Pairs without delays agree, and so do five long trains, whose gaps are so many us. */
static struct witness weigh_trains(unsigned trains, double train_us, uint32_t train_bytes, bool limited)
{
    struct readings *longs = malloc(readings_bytes(ROOM));
    struct seen seen = {.pairs = readings, .longs = longs, .scratch = scratch, .noise = noise};
    struct witness pairs, weighed;
    struct statistics statistics;
    struct span span;

    readings_init(longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        filters_stages_add(400, NAN)->limited = limited;
    for (unsigned i = 0; i < trains; i++) {
        struct reading *train = filters_stages_add(train_us * train_bytes / BYTES, NAN);

        train->bytes = train_bytes & READING_BYTES;
        train->limited = limited;
        readings_push(longs, train);
        readings->count--;
    }
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    span = shapes_span(&seen.shapes, &noise);
    weighed = weigh(&seen, &span, &statistics, &pairs);
    free(longs);
    return weighed;
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
    struct span span;
    struct curve curve = {.packets = 12, .gap_ns = 430 * US, .baseline = 11, .ratio = NAN, .regular = 1};
    struct sample sample = {
        .sent = 12, .packet_bytes = BYTES, .departure_span_ns = 10000, .span_ns = 4730000};

    for (unsigned i = 0; i < 40; i++)
        if (i * spared % 40 < spared)
            filters_stages_add(spared_us, 0);
        else
            filters_stages_add(430, fmax(spared_us - 430, 0));
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
    span = shapes_span(&seen.shapes, &noise);
    weighed = weigh(&seen, &span, &statistics, &pairs);
    free(seen.longs);
    ck_assert_int_eq(weighed.candidate.origin, ORIGIN_EVEN);
    return evidence_has(weighed.evidence, AGAINST_FLOORS);
}

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

    return witness_of_trains(&trains, &pairs, &noise).candidate.below_ns / US;
}

START_TEST(trains_are_longer_by_what_lengthens_pairs)
{
    ck_assert_double_eq_tol(trains_below_us(0), 3, NEAR);
    ck_assert_double_eq_tol(trains_below_us(10), 13, NEAR);
    ck_assert_double_eq_tol(trains_below_us(100), 20, NEAR);
    ck_assert_double_eq_tol(trains_below_us(-10), 0, NEAR);
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
    struct change change = {0};
    struct witness held;

    add_many(10, 400, 0);
    held = witness();
    change_hold(&change, &held, &held, &noise, true);
    held.candidate.gap_ns = 410 * US;
    ck_assert(!change_disputes(&change, &held.candidate));
    change.pairs.missed = 3;
    ck_assert(change_disputes(&change, &held.candidate));
    held.candidate.gap_ns = 407 * US;
    ck_assert(!change_disputes(&change, &held.candidate));
}
END_TEST

/* Of four trains 20 packets pass, in 1520 us, and then 11 more: 10000 bytes in 8 ms, or 1900 in
 * 1520 us. */
START_TEST(cuts_at_one_place_are_a_policer)
{
    struct policer policer = {.count = 4};

    for (unsigned i = 0; i < 4; i++)
        policer.ring[i] =
            (struct cut){.head = 20, .survivors = 11, .bytes = BYTES, .head_ns = 1520e3, .between_ns = 8e6};
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
        filters_stages_add(400, 0)->limited = i < 6;
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
    struct span span;

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        filters_stages_add(9.6 + 0.04 * (i * 7 % 20), 0);
    for (unsigned i = 0; i < 3; i++) {
        struct shape *shape = &seen.shapes.at[i];
        struct reading *train = filters_stages_add(64 * 10 * longer, NAN);

        train->bytes = 64 * BYTES;
        readings_push(seen.longs, train);
        readings->count--;
        *shape = (struct shape){
            .bytes = BYTES, .sent = 65, .packets = 65, .ratio = 1, .gap_ns = (float)(10 * longer * US)};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (float)(16 * 10 * longer * US);
        seen.shapes.count = i + 1;
    }
    pairs = weigh_read_pairs(&seen);
    statistics = statistics_read(&seen, &pairs.floors);
    span = shapes_span(&seen.shapes, &noise);
    weighed = weigh(&seen, &span, &statistics, &pairs);
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
    add_many(20, 400, 0);
    readings_init(seen->longs, ROOM, true);
    for (unsigned i = 0; i < 3; i++) {
        struct reading train = {.last_ns = (float)(64 * later_us[i] * US), .bytes = 64 * BYTES};

        readings_push(seen->longs, &train);
        seen->shapes.at[i] = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            seen->shapes.at[i].quarter_ns[q] = (float)(16 * trains_us * US);
        seen->shapes.count = i + 1;
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
    struct span span;
    struct mean guess;

    see_late(&seen, trains_us, later_us);
    pairs = weigh_read_pairs(&seen);
    span = shapes_span(&seen.shapes, &noise);
    guess = late_guess(&seen, &span, &pairs, &told);
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
    seen.shapes.count = same + others;
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
    add_many(40, 400, 0);
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

    add_many(7, 400, 0);
    add_many(13, 400, 21);
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
    add_many(2, 400, 60);
    filters_stages_add(idle_us, 11); /* 12 us are 3 % of a gap */
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
    struct statistics s = filters_stages_of_trains(5);

    readings_keep(readings, 0);
    s.train.value = train_us * US;
    add_many(longer, 500, 0);
    add_many(20 - longer, 400, 0);
    for (unsigned i = 0; i < 3; i++)
        filters_stages_add(i == 0 ? half_us : 200, 0)->bytes = BYTES / 2;
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
    struct span span = {0};
    struct witness pairs, witness;

    readings_keep(readings, 0);
    for (unsigned i = 0; i < 20; i++)
        filters_stages_add(pair_us - i % 10 * 10, i * 7 % 20 * 10);
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
    seen.shapes.count = 10;
    pairs = weigh_read_pairs(&seen);
    witness = later_weigh(&seen, &span, &pairs, &pairs);
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
    struct span span = {0};
    struct witness pairs, witness;

    readings_keep(readings, 0);
    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 20; i++)
        filters_stages_add(391 - i % 10 * 10, i * 7 % 20 * 10)->last_ns =
            i < trains ? (float)(400 * US) : NAN;
    *seen.shapes.at = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        seen.shapes.at->quarter_ns[q] = (float)(16 * 400 * US);
    seen.shapes.count = longer;
    pairs = weigh_read_pairs(&seen);
    witness = later_weigh(&seen, &span, &pairs, &pairs);
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
    struct span span = {0};

    readings_init(seen.longs, ROOM, true);
    for (unsigned i = 0; i < 3; i++)
        seen.shapes.at[i] = (struct shape){.bytes = BYTES, .sent = 16, .packets = 16, .end_ns = 400e3F};
    seen.shapes.count = 3;
    told.evidence.reasons = bit(AGAINST_WAITS);
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
    ck_assert(!evidence_has(told.evidence, AGAINST_WAITS));
    told.evidence.reasons = bit(AGAINST_WAITS);
    statistics.waits = 19;
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    statistics.waits = 20;
    statistics.at_once = false;
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    statistics.at_once = true;
    statistics.idle = 0.2; /* as many as even waits may leave */
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    told = (struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LATER}};
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
    ck_assert(evidence_has(told.evidence, AGAINST_WAITS));
    free(seen.longs);
}
END_TEST

/* Trains of 601 us, or of 599: half as long again as pairs of 400, on a path that is never idle, or is. */
static bool restless_beside(double train_us, bool reached)
{
    struct floors pairs = {.bytes = BYTES, .delays = true, .reached = reached};
    struct statistics statistics = {.bytes = BYTES, .middle_tail_ns = train_us * US};
    struct witness told = {.candidate = {.gap_ns = 400 * US, .bytes = BYTES, .origin = ORIGIN_LEAST}};
    struct seen seen = {.pairs = readings, .longs = malloc(readings_bytes(ROOM)), .noise = noise};
    struct span span = {0};

    readings_init(seen.longs, ROOM, true);
    seen.shapes.at[0] = (struct shape){.bytes = BYTES, .sent = 65, .packets = 65};
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        seen.shapes.at[0].quarter_ns[q] = (float)(16 * train_us * US);
    seen.shapes.count = 1;
    shown_weigh(&seen, &statistics, &span, &pairs, &told);
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

/* --- Decide --- */

static const struct load no_load;

/* A path of 20 Mbit/s that three long trains bear out. */
static struct findings findings_of(uint32_t reasons)
{
    return (struct findings){.fifo = {.floors = {.delays = true, .reached = true},
                                      .candidate = {.gap_ns = 400 * US,
                                                    .error_ns = 4 * US,
                                                    .bytes = BYTES,
                                                    .origin = ORIGIN_AGREEMENT},
                                      .evidence = {reasons}},
                             .load = &no_load,
                             .shapes = &shapes,
                             .noise = noise,
                             .pairs = 40,
                             .longs = 3,
                             .longest = 3,
                             .seen_bytes = 64000};
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

/* Where trains left slowly it is their sender's doing; where nobody tells it may be. */
START_TEST(contention_of_unknown_departures_is_a_guess)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = filters_stages_of_trains(4);
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
}
END_TEST

static void add_at_once(unsigned count)
{
    while (count--)
        filters_stages_add(570, 300)->at_once = true;
}

/* Pairs are always a guess, and their mean is it, if most left at once: half of them, and then one more. */
START_TEST(contention_shows_in_pairs_alone)
{
    struct readings none = {.count = 0};
    struct seen seen = {.pairs = readings, .longs = &none, .noise = noise};
    struct statistics s = filters_stages_of_trains(4);
    struct findings findings = findings_of(0);

    s.train.n = 0;
    s.at_once = s.told = false;
    add_many(10, 570, 300); /* nobody tells */
    add_at_once(10);
    ck_assert_int_eq(access_read(&seen, &s).candidate.origin, ORIGIN_NONE);
    add_at_once(1);
    findings.link = access_read(&seen, &s);
    findings.longs = findings.longest = 0;
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
    struct statistics s = filters_stages_of_trains(4);
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
    estimate = decided(&guess);
    decide_guess(&guess, &estimate);
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
    estimate = decided(&denied);
    decide_guess(&denied, &estimate);
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
    estimate = decided(&guess);
    decide_guess(&guess, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 16e6, 1);
}
END_TEST

START_TEST(turns_that_slots_hide_are_a_doubt)
{
    struct findings findings = findings_of(bit(FOR_PROVEN));

    findings.slots_hide = true;
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
    estimate = decided(&other);
    decide_guess(&other, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 600e3, 1);
    alone.fifo.evidence.reasons = bit(FOR_AGREED);
    estimate = decided(&alone);
    decide_guess(&alone, &estimate);
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
    estimate = decided(&findings);
    decide_guess(&findings, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 16e6, 1);
    grounded.fifo.evidence.reasons = bit(FOR_GROUNDED);
    estimate = decided(&grounded);
    decide_guess(&grounded, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
    findings.fifo.candidate.error_ns = 396 * US;
    estimate = decided(&findings);
    decide_guess(&findings, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 20e6, 1);
}
END_TEST

/* Trains get a packet each 375, 375.75 ... 378 us: 400, which nothing bears out, is too slow. */
START_TEST(trains_that_are_faster_are_the_better_guess)
{
    struct findings findings = findings_of(0), grounded = findings_of(bit(FOR_GROUNDED));
    struct estimate estimate;

    add_settled(5, 0.25F);
    estimate = decided(&findings);
    decide_guess(&findings, &estimate);
    ck_assert_double_eq_tol(estimate.capacity_bps, 8e12 / 376.5e3, 10);
    ck_assert_double_eq_tol(estimate.high_bps, 1.1 * 8e12 / 376.5e3, 10);
    estimate = decided(&grounded);
    decide_guess(&grounded, &estimate);
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
    estimate = decided(&other);
    decide_guess(&other, &estimate);
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
    struct shapes of_256 = {.count = 2, .at = {{.sent = 2}, {.sent = 256}}};

    cycles.shapes = &of_256;
    ck_assert_int_eq(decided(&cycles).why, WHY_TICKS);
    ck_assert_int_eq(decided(&cycles).advice, ADVICE_WAIT);
    of_256.at[1].sent = 128;
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
    coarse.noise.tick_ns = 49 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_CONVERGED);
    coarse.noise.tick_ns = 50 * US;
    ck_assert_int_eq(decided(&coarse).state, STATE_TENTATIVE);
    ck_assert_int_eq(decided(&coarse).why, WHY_STAMPS_COARSE);
}
END_TEST

static enum why coarse_why(struct estimate estimate, double tick_ns, bool within)
{
    struct findings findings = findings_of(0);
    struct estimate before = estimate;

    findings.noise.tick_ns = tick_ns;
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
    } rows[] = {{20e6, false, 80, 20.1e6},
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
    findings.longs = findings.longest = 0;
    ck_assert_int_eq(decided(&findings).why, WHY_PAIRS_ALONE);
    ck_assert_int_eq(decided(&findings).advice, ADVICE_SEND_MIX);
}
END_TEST

/* But where it ends with the rate, and by now longer ones would have come. */
START_TEST(one_long_train_that_ends_with_it)
{
    struct findings findings = findings_of(bit(FOR_PROVEN) | bit(FOR_SHOWN));

    findings.longest = 1;
    findings.pairs = 24;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.pairs = 23;
    ck_assert_int_eq(decided(&findings).state, STATE_TENTATIVE);
    findings.pairs = 24;
    shapes.count = 1;
    shapes.at[0] = (struct shape){
        .bytes = BYTES, .sent = 16, .packets = 16, .quarter_ns = {1600e3F, 1600e3F, 1600e3F, 1690e3F}};
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

    findings.whole_bps = 20.9e6;
    ck_assert_int_eq(decided(&findings).state, STATE_CONVERGED);
    findings.whole_bps = 60e6;
    estimate = decided(&findings);
    ck_assert_int_eq(estimate.state, STATE_TENTATIVE);
    decide_guess(&findings, &estimate);
    ck_assert_double_eq(estimate.capacity_bps, 60e6);
    ck_assert_double_le(estimate.low_bps, 20e6);
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

static void filters_stages_add_tests(Suite *suite, const char *name, const TTest *const *tests,
                                     unsigned count)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, filters_stages_setup, filters_stages_teardown);
    for (unsigned i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
}

#define ADD(suite, name, ...)                                                                                \
    filters_stages_add_tests(suite, name, (const TTest *const[]){__VA_ARGS__},                               \
                             sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))

Suite *filters_stages_suite(void)
{
    Suite *suite = suite_create("filters_stages");

    ADD(suite, "noise", a_share_and_noise_on_top, late_by_half_a_gap, second_packets_on_a_floor_by_one_gap);
    ADD(suite, "observe", tiny_gaps_make_a_batch, a_pair_is_read, what_came_as_it_left_is_limited,
        a_long_train_is_read_whole, gaps_that_make_up_for_each_other, gaps_that_stay,
        batches_at_a_few_times_the_rate_end_on_the_line, whole_batches_are_held, batches_behind_the_first_one,
        a_tail_at_ticks_goes_on_by_its_mean, rare_long_gaps_that_keep_time_are_ticks,
        rare_long_gaps_that_keep_no_time_are_others, rows_of_one_gap, long_trains_outlive_short_ones,
        short_trains_make_room, commonest_gap_of_an_end, whole_batches_of_an_end, one_whole_batch_is_an_end,
        an_end_in_one_batch_is_tiny);
    ADD(suite, "gather", floors_of_three_pairs, mean_within_reach, four_fifths_agree, seven_tenths_do_not,
        four_of_forty_reach_a_floor, a_queue_that_never_empties_grounds_nothing,
        cuts_at_one_place_are_a_policer, last_gaps_and_batches_of_trains, small_steps_of_a_shaper,
        a_train_that_the_step_came_in_hides_none, trains_that_settle, trains_that_do_not_settle,
        trains_that_nobody_knows_the_departure_of, scatter_that_adds_up, scatter_that_does_not);
    ADD(suite, "propose", agreement_is_proposed, least_delays_are_proposed,
        pairs_that_all_waited_prove_nothing, the_mode_is_proposed_without_delays, two_pairs_propose_nothing,
        contention_is_proposed, contention_is_seen_by_coarse_stamps, cycles_are_proposed,
        trains_that_gather_fit_into_a_cycle, cycles_with_traffic_are_not,
        the_longest_wait_tells_the_link_of_turns, pairs_that_catch_up_in_turns_come_from_a_slower_link,
        pairs_in_turns_that_waited_for_nothing_do_not, uneven_waits_are_for_turns_where_others_show,
        uneven_waits_for_one_other_or_of_short_packets, sizes_tell_turns_in_which_idle_flows_wait,
        late_first_stamps_take_nothing_from_what_sizes_differ_by, pairs_of_a_narrower_link_behind_fit_turns,
        short_packets_wait_for_full_ones, few_waits_may_be_those_of_turns,
        the_fewest_waits_are_anywhere_in_a_turn, clocks_make_little_of_two_waits,
        rates_may_vary_until_pairs_tell, a_pause_is_proposed, traffic_behind_a_pause, a_batch_is_no_pause,
        batches_that_were_asked_for_deny, few_batches_have_a_rate, few_batches_make_no_pause,
        last_gaps_that_scatter_tell_nothing_of_it, what_is_left_at_the_end_of_each_train_waits,
        a_pause_and_what_is_left_at_the_end, only_short_trains_tell_what_is_left_at_the_end,
        rows_of_several_trains_are_a_bucket, pauses_alike_are_a_medium_that_is_shut,
        first_packets_wait_while_it_is_shut, slots_may_hide_turns,
        floors_that_are_closer_show_turns_before_slots, a_medium_that_holds_both_packets_hides_no_turns,
        what_passes_more_than_a_turn_before_slots_is_a_bucket, slots_hide_no_turns_without_even_waits,
        a_pause_denies_trains_of_any_pace, a_rate_that_varies_is_proposed,
        a_host_that_stood_still_says_nothing_of_the_rate, neither_of_two_levels_is_left_away,
        a_slower_link_is_slower_in_proportion, two_levels_are_in_doubt_until_smaller_pairs_came,
        two_rates_by_turns_have_their_mean, gaps_in_a_row_show_a_rate_behind_a_late_host,
        gaps_in_a_row_show_a_rate_that_trains_outlast, pairs_through_a_bucket_show_no_rate_that_varies,
        few_trains_that_end_slower_are_in_doubt, a_bucket_of_a_frame_may_be_turns,
        trains_that_pairs_are_a_part_of_may_be_turns, ends_that_are_slower_deny,
        last_gap_is_the_end_of_a_late_bucket, commonest_gap_is_the_end_under_traffic,
        batches_that_end_slower_deny, even_gaps_deny_the_shortest_of_them,
        gaps_that_make_up_deny_what_trains_are_slower_than, few_trains_that_crawl_deny,
        few_trains_that_end_at_once_do_not, a_bucket_that_traffic_shares,
        trains_that_end_slower_than_a_bucket, trains_that_end_slower_than_a_bucket_at_the_last,
        gaps_behind_a_bucket_that_make_up, a_share_of_a_faster_link_is_a_guess,
        no_bucket_that_traffic_shares);
    ADD(suite, "weigh", nothing_denies_pairs_alike, batches_deny, tails_deny, a_few_long_tails_do_not,
        smaller_packets_that_are_spared_deny, smaller_packets_that_take_as_long_deny,
        smaller_packets_in_proportion_do_not, smaller_packets_behind_coarse_stamps_do_not,
        smaller_packets_that_take_less_deny, traffic_spares_some,
        smaller_packets_in_the_same_slots_deny_pairs_that_differ, departures_bound_or_doubt,
        agreement_is_no_proof, floors_of_a_few_pairs_deny_even_trains, floors_of_all_pairs_do_not,
        floors_further_apart_do_not, trains_ground_what_pairs_agree_on,
        few_trains_bound_what_a_bucket_lets_pairs_have, trains_are_longer_by_what_lengthens_pairs,
        trains_of_another_rate_ground_nothing, trains_of_few_bytes_ground_nothing, coarse_stamps_hide_traffic,
        late_stamps_may_hide_slower_trains, later_gaps_tell_late_stamps, later_gaps_are_a_guess,
        most_trains_end_with_it, only_trains_that_a_batch_holds_are_faster, hardly_a_train_ends_with_it,
        ends_that_no_pair_has, packets_that_wait_for_no_turn, trains_that_are_faster, pairs_that_caught_up,
        smaller_pairs_that_no_traffic_lengthens, short_trains_go_on_as_well,
        trains_go_on_where_heads_are_shorter, waits_for_nobody, trains_on_a_path_that_never_rests,
        what_is_held_disputes_the_rest);
    ADD(suite, "decide", what_is_proven_is_converged, what_is_denied_is_a_guess,
        contention_of_unknown_departures_is_a_guess, contention_shows_in_pairs_alone,
        contention_may_show_before_trains_do, later_gaps_make_the_better_guess, batches_make_the_better_guess,
        turns_that_slots_hide_are_a_doubt, even_trains_are_the_better_guess_beside_slower_ends,
        the_middle_is_the_better_guess_where_floors_tell_nothing, trains_that_are_faster_are_the_better_guess,
        waits_for_turns_are_the_better_guess_of_the_link, first_packets_that_may_wait_for_turns_say_why,
        ways_that_differ_widen_it, a_rival_makes_it_ambiguous, one_cycle_is_a_guess,
        no_train_is_longer_than_the_longest, what_is_disputed_is_a_guess, what_drifts_is_a_guess,
        what_is_wide_or_coarse_is_a_guess, stamps_are_named_where_they_make_the_gaps, what_left_so_is_a_bound,
        few_long_trains_bear_nothing_out, one_long_train_that_ends_with_it, what_is_sure_was_borne_out,
        what_was_sure_stands, a_changed_path_is_another_one,
        a_link_goes_before_a_bucket_and_that_before_a_queue, what_statistics_deny_is_a_guess_of_theirs,
        waits_keep_a_bucket_back, a_second_bucket_is_a_guess, a_bucket_that_steps_is_a_guess,
        others_at_a_constant_rate_keep_a_bucket_back, two_rates_left_vary, what_lasts_is_policed,
        a_bound_is_policed_where_the_rate_is_told, own_load_is_told_whatever_the_state,
        long_trains_that_lose_far_more_say_so, pairs_that_lost_one_tell_random_loss,
        a_queue_that_drops_one_in_fifteen_is_no_policer, nothing_is_insufficient);
    return suite;
}
