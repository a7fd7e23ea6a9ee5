/* SPDX-License-Identifier: BSD-3-Clause */
/* A rate that changes: the stage by itself, and filter adaptive without send times. */
#include "filters/change.h"
#include "filters/noise.h"
#include "tests/unit/filter_feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdlib.h>

/* --- The stage --- */

static struct seen seen;
static struct change change;
static void *memory;

static void filters_change_setup(void)
{
    memory = malloc(seen_bytes(WINDOW));
    seen_init(&seen, memory, WINDOW);
    change = (struct change){0};
}

static void filters_change_teardown(void)
{
    free(memory);
}

/* A pair a second; what is seen of a change. */
static enum change_seen add_delayed(double gap_us, double delay_us)
{
    struct reading reading = {.at_s = seen.pairs->count,
                              .delay_ns = delay_us * 1e3,
                              .last_ns = NAN,
                              .gap_ns = (float)(gap_us * 1e3),
                              .bytes = BYTES};

    readings_push(seen.pairs, &reading);
    return change_watch(&change, &seen, seen.pairs, 0);
}

/* Whether a new level is. */
static bool filters_change_add(double gap_us)
{
    return add_delayed(gap_us, NAN) == CHANGE_LEVEL;
}

/* So many at 20 Mbit/s, which is then told. */
static void filters_change_tell(unsigned count, bool believed)
{
    struct witness told;

    while (count-- > 0)
        ck_assert(!filters_change_add(400));
    told = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    change_hold(&change, &seen, &told, &told, believed);
}

/* How many at that gap until a change is seen; the window has no more then. */
static unsigned count_until_seen(double gap_us)
{
    for (unsigned n = 1; n <= WINDOW; n++)
        if (filters_change_add(gap_us)) {
            ck_assert_uint_eq(seen.pairs->count, n);
            return n;
        }
    return 0;
}

/* 1 in (n + m + 1 over m): below 1e-7 at m = 5 behind 250 old ones, 6 behind 60, 9 behind 20. */
START_TEST(the_fewer_are_old_the_more_it_takes)
{
    static const struct {
        unsigned old, takes;
    } rows[] = {{250, 5}, {60, 6}, {20, 9}};

    filters_change_tell(rows[_i].old, false);
    ck_assert_uint_eq(count_until_seen(_i % 2 ? 200 : 800), rows[_i].takes);
}
END_TEST

/* One new one in three is stretched, each by as much as comes. */
START_TEST(most_of_them_are_enough)
{
    unsigned n = 0;

    filters_change_tell(200, false);
    while (n < 30 && !filters_change_add(n % 3 ? 800 : 900 + 40 * n))
        n++;
    ck_assert_uint_lt(n, 16);
    ck_assert_double_eq(readings_at(seen.pairs, 0)->gap_ns, 800e3);
}
END_TEST

START_TEST(what_does_not_agree_is_no_change)
{
    filters_change_tell(200, false);
    for (unsigned n = 0; n < 40; n++)
        ck_assert(!filters_change_add(500 + 30 * n));
}
END_TEST

/* One in three is too many. */
START_TEST(while_the_usual_goes_on_there_is_no_change)
{
    filters_change_tell(200, false);
    for (unsigned n = 0; n < 60; n++)
        ck_assert(!filters_change_add(n % 3 == 2 ? 400 : 800));
}
END_TEST

/* One in five had it before. */
START_TEST(what_was_there_before_is_no_change)
{
    for (unsigned n = 0; n < 200; n++)
        ck_assert(!filters_change_add(n % 5 ? 400 : 800));
    filters_change_tell(0, false);
    for (unsigned n = 0; n < 7; n++)
        ck_assert(!filters_change_add(800));
}
END_TEST

/* The rate that was believed is kept as one that was left, a guess is not. */
START_TEST(only_what_was_believed_was_left)
{
    filters_change_tell(100, _i == 1);
    ck_assert_uint_gt(count_until_seen(800), 0);
    ck_assert_uint_eq(change.count, (unsigned)_i);
    if (_i == 1)
        ck_assert_double_eq_tol(change.levels[0].bps, 20e6, 1);
}
END_TEST

/* What is told of a path is not what pairs say: they say nothing of a change either. */
START_TEST(pairs_that_say_something_else_are_not_watched)
{
    struct witness told;

    filters_change_tell(100, false);
    told = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    told.candidate.gap_ns *= 1.1;
    change_hold(&change, &seen, &told, &told, false);
    ck_assert_double_gt(change.pairs.gap_ns, 0);
    told.candidate.gap_ns /= 1.1;
    change.pairs.missed = 0;
    {
        struct witness pairs = told;

        pairs.candidate.gap_ns *= 1.11;
        change_hold(&change, &seen, &told, &pairs, false);
    }
    ck_assert_double_eq(change.pairs.gap_ns, 0);
}
END_TEST

/* Pairs are 6 % off what trains tell, as late first stamps or a bucket of hardly a frame leave them: 8 % more is the
 * host's, and half of it the path's. */
START_TEST(pairs_that_are_a_little_off_are_watched)
{
    struct witness told, pairs;
    unsigned taken = 0;

    filters_change_tell(100, false);
    told = pairs = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    told.candidate.gap_ns *= 1.06;
    change_hold(&change, &seen, &told, &pairs, false);
    for (unsigned i = 0; i < 20; i++)
        ck_assert(!filters_change_add(432));
    while (taken++ < 20 && !filters_change_add(200))
        ;
    ck_assert_uint_eq(taken, 5);
}
END_TEST

/* 64 in a row are on something else, to both sides: it is not the path's. */
START_TEST(what_is_never_hit_is_not_held)
{
    filters_change_tell(10, true);
    for (unsigned n = 0; n < 64; n++)
        ck_assert(!filters_change_add(n % 2 ? 500 + 30 * n : 300 - 4 * n));
    ck_assert_double_gt(change.held.candidate.gap_ns, 0);
    filters_change_add(401 + 40 * 64);
    ck_assert_double_eq(change.held.candidate.gap_ns, 0);
}
END_TEST

static void tell_delayed(unsigned count)
{
    struct witness told;

    while (count-- > 0)
        add_delayed(400, 0);
    told = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    change_hold(&change, &seen, &told, &told, true);
}

/* By 1 % from pair to pair: the first is within 2 %, and five are enough. The usual gap ends it. */
START_TEST(what_drifts_is_seen_and_forgets_nothing)
{
    double factor = _i ? 1.01 : 0.99;
    unsigned n = 1;

    filters_change_tell(240, true);
    while (add_delayed(400 * pow(factor, n), NAN) == CHANGE_NONE)
        n++;
    ck_assert_uint_le(n, 8);
    ck_assert(change_drifts(&change));
    ck_assert_uint_eq(seen.pairs->count, 240 + n);
    ck_assert_int_eq(add_delayed(400 * pow(factor, n + 1), NAN), CHANGE_NONE);
    ck_assert_int_eq(add_delayed(400, NAN), CHANGE_BACK);
    ck_assert(!change_drifts(&change));
}
END_TEST

/* A rate that falls delays first packets by as much as it makes gaps longer, a queue by any time. */
START_TEST(what_waits_explain_is_no_drift)
{
    unsigned drifts = 0;

    tell_delayed(240);
    for (unsigned n = 1; n <= 20; n++) {
        double longer_us = 400 * pow(1.01, n) - 400;

        drifts += add_delayed(400 + longer_us, longer_us + (_i ? 500 : 0)) == CHANGE_DRIFTS;
    }
    ck_assert_uint_eq(drifts, _i ? 0 : 1);
}
END_TEST

/* A train of 64, and seven pairs that stamps move by up to 1.8 us; what is seen of a change with the train. */
static enum change_seen add_mix(double pair_us, double train_us)
{
    struct reading train = {.at_s = seen.pairs->count,
                            .delay_ns = NAN,
                            .gap_ns = (float)(63 * train_us * 1e3),
                            .bytes = 63 * BYTES};
    enum change_seen is_seen;

    readings_push(seen.longs, &train);
    is_seen = change_watch(&change, &seen, seen.longs, 0);
    for (int i = -3; i <= 3; i++)
        ck_assert_int_eq(add_delayed(pair_us + 0.6 * i, NAN), CHANGE_NONE);
    return is_seen;
}

/* A step of 5 % of a gap of 40 us is 2 us: within what stamps make of a pair, but no pair lies on the other side of the
 * middle one any more. Three trains with 14 pairs are enough behind 30, 1 in (33 over 3) by about 1 in 2^14; where pairs
 * say nothing 7 trains are, 1 in (37 over 7), and what is told is in doubt after 4, 1 in (34 over 4). */
START_TEST(a_step_within_noise_shows_in_trains)
{
    enum change_seen is_seen = CHANGE_NONE;
    struct witness pairs, told;
    unsigned n = 0;

    for (unsigned i = 0; i < 30; i++)
        ck_assert_int_eq(add_mix(40, 40), CHANGE_NONE);
    pairs = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    told = pairs;
    told.candidate.gap_ns = 40e3;
    told.candidate.origin = ORIGIN_EVEN;
    change_hold(&change, &seen, &told, &pairs, true);
    for (; n < 30 && is_seen != CHANGE_LEVEL; n++) {
        ck_assert_int_eq(change_drifts(&change), _i && n >= 4);
        ck_assert_double_eq_tol(change_leaves_for_bps(&change), _i && n >= 4 ? BYTES * 8e9 / 42e3 : 0, 1);
        is_seen = add_mix(_i ? 40 : 42, 42);
    }
    ck_assert_uint_eq(n, _i ? 7 : 3);
    ck_assert(!change_drifts(&change));
}
END_TEST

/* Heads of trains of which each says the same as its trains. */
static enum change_seen add_head_and_train(double gap_us)
{
    struct reading train = {.at_s = seen.pairs->count,
                            .delay_ns = NAN,
                            .last_ns = (float)(gap_us * 1e3),
                            .gap_ns = (float)(16 * gap_us * 1e3),
                            .bytes = 16 * BYTES};

    readings_push(seen.longs, &train);
    return change_watch(&change, &seen, seen.longs, 0);
}

/* Trains of so long gaps are told. */
static void tell_trains(double gap_us)
{
    struct witness told = witness_read(seen.longs, seen.longs->count, &seen.noise, &seen.scratch);

    told.candidate = (struct candidate){.gap_ns = gap_us * 1e3, .bytes = BYTES, .origin = ORIGIN_EVEN};
    told.floors.trains = true;
    change_hold(&change, &seen, &told, &told, true);
}

/* Behind 15 trains of 40 us those of 80 agree to 4 % to either side, 6.4 us in 40: by chance 0.16, and 4 of 4 by 1 in (20 over 4): a
 * doubt. 9 of 9 are followed, by 1 in (25 over 9). Where two in 15 were others levels may be the path's: then 5 and 11, by chance
 * alone. */
START_TEST(trains_agree_on_what_is_far_away)
{
    unsigned doubt = 0, n = 0;

    for (unsigned i = 0; i < 15; i++)
        ck_assert_int_eq(add_head_and_train(_i && i % 8 == 3 ? 60 : 40), CHANGE_NONE);
    tell_trains(40);
    for (enum change_seen is_seen = CHANGE_NONE; n < 15 && is_seen != CHANGE_LEVEL; n++) {
        is_seen = add_head_and_train(80);
        doubt += doubt == 0 && is_seen == CHANGE_DRIFTS ? n + 1 : 0;
    }
    ck_assert_uint_eq(doubt, _i ? 5 : 4);
    ck_assert_uint_eq(n, _i ? 11 : 9);
}
END_TEST

/* Where pairs are heads of the trains alone, and trains say what is told: one that says something else moves what all say, and they
 * are watched on. */
START_TEST(trains_are_watched_on)
{
    struct witness pairs;

    shapes_hold(&seen.shapes, 0);
    for (unsigned i = 0; i < 15; i++) {
        add_head_and_train(40);
        add_delayed(40, NAN);
    }
    pairs = witness_read(seen.pairs, seen.pairs->count, &seen.noise, &seen.scratch);
    pairs.candidate = (struct candidate){.gap_ns = 40e3, .bytes = BYTES, .origin = ORIGIN_MODE};
    change_hold(&change, &seen, &pairs, &pairs, true);
    ck_assert_double_eq(change.longs.gap_ns, 0); /* no shapes were kept */
    change.longs.gap_ns = 40e3;
    change.longs.bytes = BYTES;
    change_hold(&change, &seen, &pairs, &pairs, true);
    ck_assert_double_eq(change.longs.gap_ns, 40e3);
    change.longs.gap_ns = 42e3;
    change_hold(&change, &seen, &pairs, &pairs, true);
    ck_assert_double_eq(change.longs.gap_ns, 0);
}
END_TEST

/* After a doubt: one train of the usual gap ends it. */
START_TEST(the_usual_gap_ends_a_doubt)
{
    for (unsigned i = 0; i < 30; i++)
        ck_assert_int_eq(add_head_and_train(40), CHANGE_NONE);
    tell_trains(40);
    for (unsigned i = 1; i < 3; i++)
        ck_assert_int_eq(add_head_and_train(20), CHANGE_NONE);
    ck_assert_int_eq(add_head_and_train(20), CHANGE_DRIFTS);
    ck_assert_int_eq(add_head_and_train(20), CHANGE_NONE);
    ck_assert_int_eq(add_head_and_train(40), CHANGE_BACK);
    ck_assert(!change_drifts(&change));
    ck_assert_double_eq(change_leaves_for_bps(&change), 0);
}
END_TEST

/* --- The filter, without send times --- */

/* Frames of so many packets; a gap in five is stretched where the path is loaded. */
struct frames {
    unsigned shortest, longest;
    bool loaded;
};

static const struct frames frames_table[] = {
    {2, 2, false}, {3, 7, false}, {2, 9, false}, {16, 16, false}, {2, 2, true}, {3, 7, true},
};
static const double factors[] = {0.1, 0.2, 0.5, 1 / 1.5, 1.5, 2, 5, 10};
enum { KINDS = sizeof(frames_table) / sizeof(*frames_table), FACTORS = sizeof(factors) / sizeof(*factors) };

static void give_frame(struct feed *feed, struct rng *rng, const struct frames *frames, int64_t gap_ns)
{
    unsigned count = frames->shortest + rng_below(rng, frames->longest - frames->shortest + 1);
    int64_t offsets_ns[TRAIN_MOST] = {0};

    for (unsigned i = 1; i < count; i++) {
        offsets_ns[i] = offsets_ns[i - 1] + gap_ns + rng_below(rng, 2000);
        if (frames->loaded && rng_below(rng, 5) == 0)
            offsets_ns[i] += rng_below(rng, (uint32_t)gap_ns);
    }
    give(feed, offsets_ns, count, 0);
}

/* A second of video has 30 frames. Of 48 kinds, with any seed; a loaded one is late once in some
 * thousand times. */
START_TEST(followed_within_a_second)
{
    const struct frames *frames = &frames_table[_i / FACTORS];
    struct rng rng = rng_start("followed_within_a_second");
    double factor = factors[_i % FACTORS];
    int64_t gap_ns = 1000 * US, changed_ns = (int64_t)(1e6 / factor);
    struct feed feed;

    open_feed(&feed, "adaptive");
    feed.classic = true;
    for (unsigned i = 0; i < 300; i++)
        give_frame(&feed, &rng, frames, gap_ns);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, 8e6, 0.05 * 8e6);
    for (unsigned i = 0; i < 30; i++)
        give_frame(&feed, &rng, frames, changed_ns);
    ck_assert_double_eq_tol(feed.estimate.capacity_bps, factor * 8e6, 0.05 * factor * 8e6);
    close_feed(&feed);
}
END_TEST

/* Its guess of pairs at the peak was watched before; how late a host is changes, and the path does not. */
START_TEST(pairs_before_a_bucket_end_nothing)
{
    int64_t offsets_ns[32] = {0};
    struct feed feed;

    open_feed(&feed, "adaptive");
    for (int i = 1; i < 32; i++)
        offsets_ns[i] = offsets_ns[i - 1] + (i < 4 ? 16 * US : 600 * US);
    give_pairs(&feed, 12, 16 * US);
    for (int i = 0; i < 16; i++) {
        give_pairs(&feed, 3, (18 + 3 * i) * US);
        give(&feed, offsets_ns, 32, 0);
    }
    ck_assert_int_eq(feed.estimate.state, STATE_SHAPED);
    give_pairs(&feed, 60, 30 * US);
    ck_assert_int_eq(feed.estimate.state, STATE_SHAPED);
    ck_assert_uint_gt(feed.estimate.trains, feed.trains - 60); /* rests on older ones as well */
    close_feed(&feed);
}
END_TEST

/* --- A shaper that is set anew --- */

/* A train of 32, of which the bucket lets 8 gaps pass; 0: none, it goes on as it began. */
static struct step add_train(unsigned packets, double end_us, unsigned knee)
{
    struct sample sample = {
        .packet_bytes = BYTES, .sent = (uint16_t)packets, .span_ns = 1000000, .departure_span_ns = 100};
    struct curve curve = {.packets = packets,
                          .knee = knee,
                          .head_gap_ns = 100e3,
                          .tail_gap_ns = end_us * 1e3,
                          .rest_gap_ns = end_us * 1e3,
                          .gap_ns = end_us * 1e3,
                          .baseline = packets - 1,
                          .ratio = NAN,
                          .teeth = {.mean_ns = 1}};
    struct reading whole = {.at_s = seen.longs->count, .gap_ns = (float)(end_us * 1e3), .bytes = BYTES};

    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        curve.quarter_ns[q] = end_us * 1e3 * (packets - 1) / CURVE_QUARTERS;
    shapes_push(&seen.shapes, &sample, &curve, 256);
    readings_push(seen.longs, &whole);
    return seen_follow(&seen, false);
}

/* As many tails at 20 Mbit/s. */
static void begin_shaped(unsigned count)
{
    while (count-- > 0)
        ck_assert_uint_eq(add_train(32, 400, 8).trains, 0);
}

/* Long trains that end so until it is sure. Short ones in between show nothing, but are forgotten or kept with them. */
static unsigned count_steps(double end_us, double apart_us, unsigned knee, unsigned shows)
{
    struct step step = {0};
    unsigned trains = 0;

    while (!step.sure && trains < 20) {
        step = add_train(32, end_us + (trains % 2) * apart_us, knee);
        trains++;
        ck_assert_uint_eq(step.trains, trains < shows ? 0 : trains);
        if (!step.sure)
            add_train(12, 100, 0);
    }
    ck_assert_uint_eq(step.since, 2 * trains - 1);
    ck_assert_uint_eq(seen.shapes.count, step.since);
    ck_assert_uint_eq(seen.longs->count, step.since);
    return trains;
}

/* Two that agree to 2 % are a doubt, or three to 6 %. By hand: three faster ones are enough, and without a bucket; five
 * slower ones that agree, or eight within 6 %. */
START_TEST(a_shaper_that_steps_is_followed)
{
    begin_shaped(9);
    switch (_i) {
    case 0: ck_assert_uint_eq(count_steps(200, 8, 8, 3), 3); break;
    case 1: ck_assert_uint_eq(count_steps(120, 0, 0, 2), 3); break;
    case 2: ck_assert_uint_eq(count_steps(480, 4, 8, 2), 5); break;
    case 3: ck_assert_uint_eq(count_steps(800, 40, 8, 3), 8); break;
    }
}
END_TEST

/* Ends within 2 % of those before, ones that do not agree, a path without a bucket, and four trains behind one. */
START_TEST(what_is_no_step_of_a_shaper)
{
    static const struct {
        unsigned before, knee;
        double end_us, apart_us;
    } cases[] = {{9, 8, 407, 0}, {9, 8, 480, 40}, {9, 0, 800, 0}, {4, 8, 800, 0}};

    for (unsigned i = 0; i < cases[_i].before; i++)
        add_train(32, 400, cases[_i].knee);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(
            add_train(32, cases[_i].end_us + (i % 2) * cases[_i].apart_us, cases[_i].knee).trains, 0);
}
END_TEST

Suite *filters_change_suite(void)
{
    Suite *suite = suite_create("filters change");
    TCase *stage = tcase_create("stage"), *filter = tcase_create("filter");

    tcase_add_checked_fixture(stage, filters_change_setup, filters_change_teardown);
    tcase_add_loop_test(stage, the_fewer_are_old_the_more_it_takes, 0, 3);
    tcase_add_test(stage, most_of_them_are_enough);
    tcase_add_test(stage, what_does_not_agree_is_no_change);
    tcase_add_test(stage, while_the_usual_goes_on_there_is_no_change);
    tcase_add_test(stage, what_was_there_before_is_no_change);
    tcase_add_loop_test(stage, only_what_was_believed_was_left, 0, 2);
    tcase_add_test(stage, pairs_that_say_something_else_are_not_watched);
    tcase_add_test(stage, pairs_that_are_a_little_off_are_watched);
    tcase_add_test(stage, what_is_never_hit_is_not_held);
    tcase_add_loop_test(stage, what_drifts_is_seen_and_forgets_nothing, 0, 2);
    tcase_add_loop_test(stage, what_waits_explain_is_no_drift, 0, 2);
    tcase_add_loop_test(stage, a_step_within_noise_shows_in_trains, 0, 2);
    tcase_add_test(stage, the_usual_gap_ends_a_doubt);
    tcase_add_loop_test(stage, trains_agree_on_what_is_far_away, 0, 2);
    tcase_add_test(stage, trains_are_watched_on);
    tcase_add_loop_test(stage, a_shaper_that_steps_is_followed, 0, 4);
    tcase_add_loop_test(stage, what_is_no_step_of_a_shaper, 0, 4);
    suite_add_tcase(suite, stage);
    tcase_add_loop_test(filter, followed_within_a_second, 0, KINDS * FACTORS);
    tcase_add_test(filter, pairs_before_a_bucket_end_nothing);
    suite_add_tcase(suite, filter);
    return suite;
}
