/* SPDX-License-Identifier: BSD-3-Clause */
/* Video over RTP, simulated: through buckets, over links, and from senders that pace. */
#include "tests/sim/media.h"
#include "tests/unit/suites.h"

#include "pprec/pprec.h"

#include <stdlib.h>

static const struct pprec_endpoint source = {.address = {192, 0, 2, 1}, .port = 5004, .ip = 4};

static void assert_right(struct media_config config)
{
    struct media_result result = media_run(&config, 3);

    ck_assert_double_eq_tol(result.capacity.capacity_bps / (double)config.rate_bps, 1, 0.05);
}

START_TEST(frames_longer_than_the_bucket)
{
    static const uint32_t buckets_bytes[] = {1300, 2000, 4000, 15000};

    assert_right((struct media_config){.rate_bps = 5000000,
                                       .bucket_bytes = buckets_bytes[_i % 4],
                                       .packets_least = _i % 8 < 4 ? 3 : 6,
                                       .packets_most = _i % 8 < 4 ? 7 : 14,
                                       .send_times = _i >= 8});
}
END_TEST

/* A smaller bucket before it passes most frames at twice the rate, which is nobody's. */
START_TEST(frames_that_a_smaller_bucket_passes)
{
    assert_right((struct media_config){.rate_bps = 10000000,
                                       .bucket_bytes = 15000,
                                       .before_bps = 22000000,
                                       .packets_least = 6,
                                       .packets_most = 14,
                                       .send_times = _i});
}
END_TEST

/* Their times say that all of a frame left at once; but frames of larger packets take no longer. */
START_TEST(frames_with_one_time_that_are_paced)
{
    struct media_config config = {.rate_bps = 20000000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .pacing = MEDIA_BY_CLOCK,
                                  .pace = 2,
                                  .split = true,
                                  .send_times = true,
                                  .one_time = true};
    struct media_result result = media_run(&config, 3 + (uint64_t)_i);

    ck_assert_int_eq(result.capacity.state, PPREC_STATE_SENDER_LIMITED);
    ck_assert_double_le(result.capacity.capacity_bps, 20e6);
}
END_TEST

/* It lets the second packet come but 4 % early: nothing to be sure of. */
START_TEST(a_bucket_of_little_more_than_a_packet)
{
    struct media_config config = {.rate_bps = 20000000,
                                  .bucket_bytes = 1300,
                                  .packets_least = 6,
                                  .packets_most = 14,
                                  .send_times = true};
    struct media_result result = media_run(&config, 2);

    ck_assert_double_eq_tol(result.capacity.capacity_bps / 20e6, 1, 0.01);
    ck_assert_double_le(result.capacity.low_bps, 20e6);
    ck_assert_double_ge(result.capacity.high_bps, 20e6);
}
END_TEST

/* Nothing of what lasts can be known: what the stream itself brought is a bound. */
START_TEST(frames_that_fit_into_the_bucket)
{
    struct media_config config = {
        .rate_bps = 2000000, .bucket_bytes = 60000, .packets_least = 3, .packets_most = 7, .send_times = _i};
    struct media_result result = media_run(&config, 3);

    ck_assert_int_eq(result.capacity.state, PPREC_STATE_SENDER_LIMITED);
    ck_assert_double_gt(result.capacity.capacity_bps, 1e6);
    ck_assert_double_le(result.capacity.capacity_bps, 2e6);
    ck_assert_double_eq(result.capacity.high_bps, 0);
}
END_TEST

/* A link as slow as this may be all there is, or in front of a bucket: a guess, whose interval begins
 * at what the stream brings. */
START_TEST(frames_that_fit_behind_a_link)
{
    struct media_config config = {.rate_bps = 2000000,
                                  .bucket_bytes = 60000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .send_times = _i % 2,
                                  .peak_bps = _i < 2 ? 20000000 : 100000000};
    struct media_result result = media_run(&config, 3);

    ck_assert_int_eq(result.capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_double_gt(result.capacity.low_bps, 1e6);
    ck_assert_double_le(result.capacity.low_bps, 2e6);
    ck_assert_double_ge(result.capacity.high_bps, (double)config.peak_bps);
    ck_assert_uint_lt(result.capacity.seen_bytes, 60000);
    ck_assert_int_eq(result.capacity.why, _i % 2 ? PPREC_WHY_SHORT_BURSTS : PPREC_WHY_NO_SEND_TIMES);
    ck_assert_int_eq(result.capacity.advice, _i % 2 ? PPREC_ADVICE_SEND_BURSTS : PPREC_ADVICE_SEND_TIMES);
}
END_TEST

START_TEST(senders_that_pace)
{
    struct media_config config = {.rate_bps = 20000000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .pacing = _i % 2 ? MEDIA_BY_SIZE : MEDIA_BY_CLOCK,
                                  .pace = _i % 4 < 2 ? 1.1 : 2.5,
                                  .send_times = _i >= 4};
    struct media_result result = media_run(&config, 3);

    ck_assert_int_eq(result.capacity.state, PPREC_STATE_SENDER_LIMITED);
    ck_assert_int_eq(result.capacity.why, PPREC_WHY_SENDER);
    ck_assert_double_lt(result.capacity.capacity_bps, 20e6);
}
END_TEST

/* No rest of a frame tells, but packets of other sizes that come at the same distance do; or, where that
 * is as their sizes are, what has waited behind a frame of other packets. */
START_TEST(senders_that_pace_even_frames)
{
    struct media_config config = {.rate_bps = 5000000,
                                  .bucket_bytes = (uint32_t)_i % 3 * 2000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .split = true,
                                  .pacing = _i < 3 ? MEDIA_BY_CLOCK : MEDIA_BY_SIZE,
                                  .pace = 2};
    struct media_result result = media_run(&config, 3);

    ck_assert_int_eq(result.capacity.state, PPREC_STATE_SENDER_LIMITED);
    ck_assert_int_eq(result.capacity.why, PPREC_WHY_SENDER);
    ck_assert_double_le(result.capacity.capacity_bps, 5e6);
}
END_TEST

/* By a tick, as WebRTC does: what left together tells the link. */
START_TEST(a_pacer_of_5_ms_with_send_times)
{
    assert_right((struct media_config){.rate_bps = 20000000,
                                       .packets_least = 3,
                                       .packets_most = 7,
                                       .pacing = MEDIA_BY_TICK,
                                       .pace = 2.5,
                                       .send_times = true});
}
END_TEST

/* Each frame has packets of its own size, to a byte. */
START_TEST(frames_split_evenly)
{
    assert_right((struct media_config){.rate_bps = 5000000,
                                       .bucket_bytes = (uint32_t)_i % 3 * 2000,
                                       .packets_least = 3,
                                       .packets_most = 7,
                                       .send_times = _i >= 3,
                                       .split = true});
}
END_TEST

START_TEST(a_link_is_no_pacer)
{
    struct media_config config = {.rate_bps = _i < 8 ? 10000000 : 3000000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .load = _i % 2 * 0.3,
                                  .send_times = _i % 4 >= 2,
                                  .split = _i >= 4};
    struct media_result result = media_run(&config, 3);

    assert_right(config);
    ck_assert_int_ne(result.capacity.state, PPREC_STATE_SENDER_LIMITED);
}
END_TEST

/* Two streams whose frames take turns, as with simulcast, through a bucket that passes the begin of
 * each: the path's filter, which has whole frames, does not see it, and says nothing against them. */
START_TEST(simulcast_through_a_bucket)
{
    struct media_config config = {.rate_bps = 2000000,
                                  .bucket_bytes = _i % 2 ? 4000 : 2000,
                                  .packets_least = 3,
                                  .packets_most = 7,
                                  .send_times = _i >= 2};
    struct media_packet *packets;
    struct pprec_capacity path;
    size_t count = media_send(&config, 1, &packets);
    uint16_t seqs[2] = {0, 0};
    struct pprec *pprec;

    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    ck_assert_int_eq(pprec_path_estimate(pprec, &source, NULL, &path), PPREC_EINVAL);
    for (size_t i = 0; i < count; i++) {
        struct pprec_stamp stamp = {packets[i].received_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
        uint8_t *header = packets[i].header;
        unsigned turn = (unsigned)(header[5] << 16 | header[6] << 8 | header[7]) / 3000 % 2;

        header[2] = (uint8_t)(seqs[turn] >> 8);
        header[3] = (uint8_t)seqs[turn]++;
        header[11] = (uint8_t)turn; /* of the SSRC */
        pprec_push_rtp(pprec, &source, header, packets[i].header_bytes, packets[i].payload_bytes, stamp);
    }
    ck_assert_int_eq(pprec_path_estimate(pprec, &source, NULL, &path), PPREC_OK);
    ck_assert_double_eq_tol(path.capacity_bps / (double)config.rate_bps, 1, 0.05);
    pprec_free(pprec);
    free(packets);
}
END_TEST

Suite *video_suite(void)
{
    Suite *suite = suite_create("video");
    TCase *paths = tcase_create("paths");

    tcase_add_loop_test(paths, frames_that_a_smaller_bucket_passes, 0, 2);
    tcase_add_loop_test(paths, frames_with_one_time_that_are_paced, 0, 4);
    tcase_add_loop_test(paths, frames_longer_than_the_bucket, 0, 16);
    tcase_add_test(paths, a_bucket_of_little_more_than_a_packet);
    tcase_add_loop_test(paths, frames_that_fit_into_the_bucket, 0, 2);
    tcase_add_loop_test(paths, frames_that_fit_behind_a_link, 0, 4);
    tcase_add_loop_test(paths, senders_that_pace, 0, 8);
    tcase_add_loop_test(paths, senders_that_pace_even_frames, 0, 6);
    tcase_add_test(paths, a_pacer_of_5_ms_with_send_times);
    tcase_add_loop_test(paths, frames_split_evenly, 0, 6);
    tcase_add_loop_test(paths, a_link_is_no_pacer, 0, 12);
    tcase_add_loop_test(paths, simulcast_through_a_bucket, 0, 4);
    suite_add_tcase(suite, paths);
    return suite;
}
