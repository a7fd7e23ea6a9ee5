/* SPDX-License-Identifier: BSD-3-Clause */
/* The first stages of filter adaptive, observe and gather: what a train shows, and what all of them do. Values made by hand: packets of 1000
 * bytes, 400 us apart, are 20 Mbit/s. */
#include "filters/blocks.h"
#include "filters/dispersion.h"
#include "filters/load.h"
#include "filters/observe.h"
#include "filters/same.h"
#include "filters/settled.h"
#include "tests/unit/stages.h"
#include "tests/unit/suites.h"

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
        stages_push(230, 218);
        stages_push(1970 + 15.0 * i, i);
    }
    ck_assert(!evidence_has(stages_witness().evidence, FOR_PROVEN));
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
    dispersion_measure(&sample);
    observe(&epoch, &sample, &noise, &observation);
    return observation;
}

/* Pairs of 200 us, each at a time; SAMPLE_UNKNOWN_NS: it tells no send time. */
static struct reading next_pair(struct epoch *epoch, int64_t time_ns, int64_t sent_ns)
{
    struct sample_packet packets[2] = {
        {.bytes = BYTES}, {.offset_ns = (int64_t)(200 * US), .bytes = BYTES, .position = 1, .follows = true}};
    struct sample sample = {.time_ns = time_ns,
                            .sent_ns = sent_ns,
                            .departure_span_ns = SAMPLE_UNKNOWN_NS,
                            .sent = 2,
                            .received = 2,
                            .packet_bytes = BYTES,
                            .packets = packets};
    struct reading reading;

    ck_assert(reading_of_head(epoch, &sample, &noise, &reading));
    return reading;
}

/* A clock that starts at nothing: no train came before the first one. */
START_TEST(the_first_train_is_behind_none)
{
    struct epoch epoch = {0};

    ck_assert(!next_pair(&epoch, 0, 0).behind);
    ck_assert(next_pair(&epoch, (int64_t)(400 * US), 0).behind);
    ck_assert(!next_pair(&epoch, (int64_t)(1000 * US), 0).behind);
}
END_TEST

/* The first pair that tells when it was sent, 3 s after the first of all, waits as long as nothing is known of; the next one 50 us
 * longer. */
START_TEST(send_times_that_begin_late)
{
    struct epoch epoch = {0};
    int64_t second_ns = 1000000000;
    struct reading reading;

    ck_assert_double_nan(next_pair(&epoch, second_ns, SAMPLE_UNKNOWN_NS).delay_ns);
    reading = next_pair(&epoch, 4 * second_ns, 900 * second_ns);
    ck_assert_double_eq_tol(reading.at_s, 3, NEAR);
    ck_assert_double_eq_tol(reading.delay_ns, 0, NEAR);
    reading = next_pair(&epoch, 5 * second_ns + (int64_t)(50 * US), 901 * second_ns);
    ck_assert_double_eq_tol(reading.at_s, 4, NEAR);
    ck_assert_double_eq_tol(reading.delay_ns, 50 * US, NEAR);
}
END_TEST

/* Two packets of 1000 bytes a second, told by one clock or the other. Between a sending and an arrival there is no time. */
START_TEST(load_is_counted_by_one_clock)
{
    struct load load = {0};
    struct sample sample = {.sent = 2, .packet_bytes = BYTES};
    int64_t second_ns = 1000000000;

    for (int64_t i = 0; i < 3; i++) {
        sample.time_ns = (100 + i) * second_ns;
        sample.sent_ns = i == 2 ? SAMPLE_UNKNOWN_NS : i * second_ns;
        load_add(&load, &sample);
        ck_assert_double_eq(load.bits, i == 0 ? 0 : 16 * BYTES);
        ck_assert_double_eq(load.ns, i == 0 ? 0 : (double)second_ns);
    }
    sample.time_ns = 103 * second_ns;
    load_add(&load, &sample);
    ck_assert_double_gt(load.bits, 16 * BYTES);
}
END_TEST

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

/* The first gap is longer than those of the train on average, as its sender's was: 480 us for 500. */
START_TEST(the_head_of_what_came_as_it_left_is_limited)
{
    const double at_us[] = {0, 300, 400, 500};

    ck_assert(observe_at(at_us, 4, 480000).head.limited);
    ck_assert(!observe_at(at_us, 4, 240000).head.limited);
    ck_assert(observe_at((double[]){0, 80, 400, 700}, 4, 240000).head.limited); /* and not the others */
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

/* A batch of 28 packets behind a late first stamp, and then single ones: of the same clock only the last may be. */
static double singly_gap_us(unsigned i)
{
    return i == 1 ? 60 : i < 28 ? 10 : i == 28 ? 300 : 600;
}

static double all_but_the_last_gap_us(unsigned i)
{
    return i == 32 ? 600 : 5;
}

static double singly_between_gap_us(unsigned i)
{
    return i == 12 || i > 28 ? 600 : 10;
}

START_TEST(packets_that_come_singly_behind_one_batch_are_none)
{
    ck_assert_double_eq(curve_of(singly_gap_us).tiny, 0);
    ck_assert_double_gt(curve_of(all_but_the_last_gap_us).tiny, 0.9);
    ck_assert_double_gt(curve_of(singly_between_gap_us).tiny, 0.5);
}
END_TEST

/* All of the last six are longer than what counts of them; the first one is no whole one, and may be nearly. */
static double part_gap_us(unsigned i)
{
    return i < 27 ? 10 : i == 27 ? 300 : 600;
}

static double nearly_whole_gap_us(unsigned i)
{
    return i < 28 ? 10 : i == 28 ? 575 : 600;
}

START_TEST(a_tail_begins_behind_a_part_of_a_gap)
{
    ck_assert_double_eq_tol(curve_of(part_gap_us).tail_gap_ns, 600 * US, NEAR);
    ck_assert_uint_eq(curve_of(part_gap_us).knee, 26);
    ck_assert_double_eq_tol(curve_of(nearly_whole_gap_us).tail_gap_ns, 595 * US, NEAR);
    ck_assert_uint_eq(curve_of(singly_gap_us).knee, 0); /* four are no tail */
}
END_TEST

/* --- Gather --- */

/* The middle one of 400 to 404 us, whatever the first quarter; the quartiles are 401 and 403. */
START_TEST(trains_that_settle)
{
    struct settled settled;

    stages_add_settled(5, 0.5F);
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
    stages_add_settled(5, 0.51F);
    ck_assert_uint_eq(settled_read(&shapes, BYTES).gap.n, 0);
}
END_TEST

/* A sender may have paced them. */
START_TEST(trains_that_nobody_knows_the_departure_of)
{
    stages_add_settled(5, 0);
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

    stages_push(450, 0);
    stages_push(400, 30);
    stages_push(430, 70);
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
static struct floors stages_compare(unsigned like)
{
    struct columns columns;
    struct floors floors;

    stages_push_many(like, 400, 0);
    stages_push_many(10 - like, 600, 0);
    columns_load(&columns, readings, 0, &scratch);
    floors = columns_floors(&columns, FLOOR_LEAST);
    columns_compare(&columns, &noise, &floors);
    return floors;
}

START_TEST(four_fifths_agree)
{
    struct floors floors = stages_compare(8);

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
    ck_assert(!stages_compare(7).agree);
}
END_TEST

/* Forty pairs leave a full queue, with delays of up to 39 times 500 us; one in so many finds it
 * empty. On the floor, which is a tenth of a gap deep, 3 + 40 / 32 = 4 are wanted. */
/* 1000 bytes in 375 us, and gaps that scatter by 10: where all of it adds up, packets of 64 bytes
 * lengthened every gap by 10^2 / (375 * 0.064) us. */
START_TEST(scatter_that_adds_up)
{
    stages_add_settled(1, 1);
    ck_assert(settled_adds_up(&shapes));
    ck_assert_double_eq_tol(settled_added(&shapes), 100 / (375.0 * 375 * 0.064), 1e-6);
}
END_TEST

/* Late stamps leave a quarter of it; of short trains nothing is known. */
START_TEST(scatter_that_does_not)
{
    ck_assert(!settled_adds_up(&shapes));
    stages_add_settled(5, NAN);
    ck_assert(!settled_adds_up(&shapes));
    ck_assert_double_eq(settled_added(&shapes), 0);
    shapes_hold(&shapes, 0);
    stages_add_settled(5, 0.25F);
    ck_assert(!settled_adds_up(&shapes));
    ck_assert_double_eq(settled_added(&shapes), 0);
}
END_TEST

static bool reach(unsigned step)
{
    for (unsigned i = 0; i < 40; i++)
        stages_push(400, i % step == 0 ? 0 : i * 17 % 40 * 500);
    return stages_witness().floors.reached;
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
    queue = stages_witness();
    ck_assert_uint_eq(queue.evidence.reasons, bit(FOR_AGREED));
    ck_assert(!witness_believed(&queue, &noise));
}
END_TEST

/* --- Blocks --- */

/* A pair, or the head of a train, whose first packet waited for so long. */
static void add_head(bool of_train, double gap_us, double delay_us)
{
    struct reading *reading = stages_push(gap_us, delay_us);

    reading->longer = of_train;
    reading->last_ns = of_train ? 400 * US : NAN;
}

/* Of these; trains have 64 packets, and 500 us for each. */
static struct blocks read_blocks(void)
{
    struct seen seen = seen_of_no_pairs();
    struct statistics s = stages_of_trains(4);

    seen.scratch = scratch;
    seen.shapes = (struct shapes){.at = {{.bytes = BYTES, .sent = 64, .packets = 64}}};
    shapes_hold(&seen.shapes, 1);
    s.bytes = BYTES;
    s.train.value = 500 * US;
    return blocks_read(&seen, &s);
}

/* Twenty pairs, and so many heads of trains; delays of first packets are 0 to 90 us, and heads' so much more; gaps between their first
 * packets so long. */
static struct blocks blocks_of(unsigned heads, double later_us, double head_gap_us)
{
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 20; i++)
        add_head(false, 400, i % 10 * 10);
    for (unsigned i = 0; i < heads; i++)
        add_head(true, head_gap_us, i % 10 * 10 + later_us);
    return read_blocks();
}

/* Of the second packets: where the first one goes at once, and the others wait for each other, its gap is longer. 20 us are what a
 * host does, and four trains are too few. */
START_TEST(what_follows_delays_no_packet_of_a_link)
{
    ck_assert_double_eq_tol(blocks_of(8, 2000, 400).later_ns, 2000 * US, 20 * US);
    ck_assert_double_eq_tol(blocks_of(8, 0, 2400).later_ns, 2000 * US, 20 * US);
    ck_assert_double_eq(blocks_of(8, 0, 400).later_ns, 0);
    ck_assert_double_eq(blocks_of(8, 20, 400).later_ns, 0);
    ck_assert_double_eq(blocks_of(4, 2000, 400).later_ns, 0);
    ck_assert_uint_eq(blocks_of(8, 2000, 400).packets, 64);
}
END_TEST

/* Twenty heads of trains come 40 us later than as many pairs, whose delays are 0 to 190 us: 2.4 standard errors. */
START_TEST(trains_that_are_later_by_chance)
{
    readings_keep(readings, 0);
    for (unsigned i = 0; i < 40; i++)
        add_head(i % 2, 400, i % 20 * 10 + (i % 2 ? 40 : 0));
    ck_assert_double_eq(read_blocks().later_ns, 0);
}
END_TEST

/* Trains of 64 have 500 us a packet, and come 20 ms later. Told are 400 us: what fills blocks takes 500. Told are 490: 64 of them are 31
 * ms, more than half of which the block waited; it took 500 us and 20 ms / 64. Told are 700, in which blocks of a faster link wait for less
 * than half. One packet more than two is no block. */
START_TEST(what_fills_blocks)
{
    struct blocks blocks = {.later_ns = 20e3 * US, .gap_ns = 500 * US, .bytes = BYTES, .packets = 64};

    ck_assert_double_eq(blocks_gap_ns(&blocks, 400 * US), 500 * US);
    ck_assert_double_eq(blocks_gap_ns(&blocks, 490 * US), 812.5 * US);
    ck_assert_double_eq(blocks_gap_ns(&blocks, 700 * US), 0);
    blocks.later_ns = 700 * US;
    ck_assert_double_eq(blocks_gap_ns(&blocks, 400 * US), 0);
}
END_TEST

Suite *filters_gather_suite(void)
{
    Suite *suite = suite_create("filters_gather");

    STAGES_ADD(suite, "noise", a_share_and_noise_on_top, late_by_half_a_gap,
               second_packets_on_a_floor_by_one_gap);
    STAGES_ADD(suite, "observe", the_first_train_is_behind_none, send_times_that_begin_late,
               load_is_counted_by_one_clock, tiny_gaps_make_a_batch, a_pair_is_read,
               what_came_as_it_left_is_limited, the_head_of_what_came_as_it_left_is_limited,
               a_long_train_is_read_whole, gaps_that_make_up_for_each_other, gaps_that_stay,
               batches_at_a_few_times_the_rate_end_on_the_line, whole_batches_are_held,
               batches_behind_the_first_one, a_tail_at_ticks_goes_on_by_its_mean,
               rare_long_gaps_that_keep_time_are_ticks, rare_long_gaps_that_keep_no_time_are_others,
               commonest_gap_of_an_end, whole_batches_of_an_end, one_whole_batch_is_an_end,
               an_end_in_one_batch_is_tiny, packets_that_come_singly_behind_one_batch_are_none,
               a_tail_begins_behind_a_part_of_a_gap);
    STAGES_ADD(suite, "gather", floors_of_three_pairs, mean_within_reach, four_fifths_agree,
               seven_tenths_do_not, four_of_forty_reach_a_floor, a_queue_that_never_empties_grounds_nothing,
               trains_that_settle, trains_that_do_not_settle, trains_that_nobody_knows_the_departure_of,
               scatter_that_adds_up, scatter_that_does_not);
    STAGES_ADD(suite, "blocks", what_follows_delays_no_packet_of_a_link, trains_that_are_later_by_chance,
               what_fills_blocks);
    return suite;
}
