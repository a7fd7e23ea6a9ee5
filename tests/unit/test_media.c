/* SPDX-License-Identifier: BSD-3-Clause */
/* Media packets that are pushed as they came: what shares their port, when they left, and the same
 * figures as from a capture. Packets by hand are from the RFCs' own pictures. */
#include "common/auth.h"
#include "common/wire.h"
#include "pprec/lib/send_time.h"
#include "tests/sim/media.h"
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FRAME_NS INT64_C(40000000)
#define GAP_NS INT64_C(800000) /* 1000-byte frames at 10 Mbit/s */

enum { PACKET_BYTES = 954, VIDEO = 0xcafe, AUDIO = 0xa0d10 };

static const struct pprec_endpoint source = {.address = {192, 0, 2, 1}, .port = 5004, .ip = 4};
static struct feed feed;

static void media_set_up(void)
{
    feed_start(&feed);
}

static void media_tear_down(void)
{
    feed_end(&feed);
}

static void media_put(uint8_t *at, uint32_t value, size_t bytes)
{
    while (bytes-- > 0) {
        at[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

static struct pprec_stamp stamp_at(int64_t ns)
{
    return (struct pprec_stamp){FEED_EPOCH_NS + ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
}

static int test_media_push(const void *data, size_t data_bytes, size_t packet_bytes, int64_t ns)
{
    return pprec_push_rtp(feed.pprec, &source, data, data_bytes, packet_bytes, stamp_at(ns));
}

/* RFC 3550, section 5.1: V=2, no padding, no extension, no sources, PT 96. */
static void media_rtp(uint32_t ssrc, uint16_t seq, uint32_t timestamp, size_t bytes, int64_t ns)
{
    uint8_t header[12] = {0x80, 96};

    media_put(header + 2, seq, 2);
    media_put(header + 4, timestamp, 4);
    media_put(header + 8, ssrc, 4);
    ck_assert_int_eq(test_media_push(header, sizeof header, bytes, ns), PPREC_OK);
}

/* Five packets, the last of them half as large: a train of four. */
static void frame(uint32_t ssrc, unsigned i, int64_t ns)
{
    for (unsigned at = 0; at < 5; at++)
        media_rtp(ssrc, (uint16_t)(i * 5 + at), i * 3600, at < 4 ? PACKET_BYTES : PACKET_BYTES / 2,
                  ns + at * GAP_NS - (at == 4) * GAP_NS / 2);
}

static uint64_t media_trains_of(uint32_t ssrc)
{
    struct pprec_summary summary;

    return pprec_get_summary(feed.pprec, &source, ssrc, &summary) == PPREC_OK ? summary.counts.trains : 0;
}

START_TEST(frames_are_trains)
{
    for (unsigned i = 0; i < 10; i++)
        frame(VIDEO, i, i * FRAME_NS);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.trains, 10);
    for (uint32_t i = 0; i < 10; i++)
        feed_assert_train(&feed, i, i + 1, PPREC_VERDICT_OK, 4, 3 * GAP_NS);
    ck_assert_uint_eq(feed.train[0].stream, VIDEO);
    ck_assert_int_eq(feed.summary[0].kind, PPREC_KIND_RTP);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 0);
}
END_TEST

/* Audio between frames founds no stream; inside one it ends the train, as its packet takes time. */
START_TEST(audio_shares_the_port)
{
    for (unsigned i = 0; i < 10; i++) {
        frame(VIDEO, i, i * FRAME_NS);
        media_rtp(AUDIO, (uint16_t)i, i * 960, 120, i * FRAME_NS + FRAME_NS / 2);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(media_trains_of(VIDEO), 10);
    ck_assert_uint_eq(feed.summaries, 1);
    for (unsigned at = 0; at < 4; at++) {
        media_rtp(VIDEO, (uint16_t)(50 + at), 99, PACKET_BYTES, 10 * FRAME_NS + at * GAP_NS);
        if (at == 1)
            media_rtp(AUDIO, 10, 9600, 120, 10 * FRAME_NS + at * GAP_NS + 1000);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(media_trains_of(VIDEO), 12);
}
END_TEST

/* Simulcast, and retransmissions: each SSRC is a stream. */
START_TEST(each_ssrc_is_a_stream)
{
    for (unsigned i = 0; i < 4; i++) {
        frame(1, i, i * FRAME_NS);
        frame(2, i, i * FRAME_NS + 5 * GAP_NS);
        media_rtp(3, (uint16_t)i, i * 3600, PACKET_BYTES, i * FRAME_NS + 12 * GAP_NS); /* RTX */
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(media_trains_of(1), 4);
    ck_assert_uint_eq(media_trains_of(2), 4);
    ck_assert_uint_eq(media_trains_of(3), 0);
}
END_TEST

/* Of an IPv4 address the first four bytes count, and the rest was never written. */
START_TEST(rest_of_an_address)
{
    uint8_t header[12] = {0x80, 96};

    for (uint16_t i = 0; i < 40; i++) {
        struct pprec_endpoint from = source;

        memset(from.address + 4, i, sizeof from.address - 4);
        media_put(header + 2, i, 2);
        media_put(header + 4, i / 4 * 3600U, 4);
        media_put(header + 8, VIDEO, 4);
        ck_assert_int_eq(pprec_push_rtp(feed.pprec, &from, header, sizeof header, PACKET_BYTES,
                                        stamp_at(i / 4 * FRAME_NS + i % 4 * GAP_NS)),
                         PPREC_OK);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(media_trains_of(VIDEO), 10);
}
END_TEST

/* RFC 7983: of what may share the port nothing but RTP is taken. */
START_TEST(what_is_no_rtp)
{
    static const uint8_t stun[20] = {0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42};
    static const uint8_t dtls[13] = {22, 0xfe, 0xfd};
    static const uint8_t report[28] = {0x81, 201, 0, 6}; /* RFC 3550, section 6.4.2 */
    static const uint8_t channel[12] = {0x40, 0};        /* TURN */
    static const uint8_t quic[12] = {0xc0};
    static const uint8_t version_1[12] = {0x40 | 0x80 >> 1};
    static const uint8_t cut[11] = {0x80, 96};

    ck_assert_int_eq(test_media_push(stun, sizeof stun, 20, 0), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(dtls, sizeof dtls, 200, 1), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(report, sizeof report, 28, 2), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(channel, sizeof channel, 100, 3), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(quic, sizeof quic, 1200, 4), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(version_1, sizeof version_1, 1200, 5), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(cut, sizeof cut, 954, 6), PPREC_EFOREIGN);
    ck_assert_int_eq(test_media_push(NULL, 0, 0, 7), PPREC_EFOREIGN);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 8);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* A pair of a probe's stream with the name of the video's. */
static void probe_pair(uint32_t train, int64_t ns)
{
    struct pprec_arrival probe;

    pprec_arrival_init(&probe);
    probe.source = source;
    probe.kind = PPREC_KIND_PROBE;
    probe.stream = VIDEO;
    probe.train = train;
    probe.train_length = 2;
    probe.payload_bytes = PACKET_BYTES;
    for (probe.position = 0; probe.position < 2; probe.position++) {
        probe.seq = 2 * train + probe.position;
        probe.received = stamp_at(ns + probe.position * GAP_NS);
        ck_assert_int_eq(pprec_push(feed.pprec, &probe), PPREC_OK);
    }
}

static enum pprec_kind kind_of_video(void)
{
    struct pprec_summary summary;

    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.stream, VIDEO);
    ck_assert_int_eq(pprec_get_summary(feed.pprec, &source, VIDEO, &summary), PPREC_OK);
    return summary.kind;
}

static void start_keyed(bool keyed)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {1};
    struct pprec_config config;

    feed_end(&feed);
    pprec_config_init(&config);
    config.key = keyed ? key : NULL;
    feed_start_with(&feed, config);
}

/* Two packets at once found a stream under another's name, and measure nothing: the other is heard all
 * the same, has the name as soon as it measures, and keeps it. */
START_TEST(a_name_that_was_taken)
{
    media_rtp(VIDEO, 0, 0, PACKET_BYTES, 0);
    media_rtp(VIDEO, 1, 0, PACKET_BYTES, 0);
    ck_assert_int_eq(kind_of_video(), PPREC_KIND_RTP);
    for (uint32_t i = 0; i < 100; i++)
        probe_pair(i, (i + 1) * FRAME_NS);
    ck_assert_int_eq(kind_of_video(), PPREC_KIND_PROBE);
    for (unsigned i = 1; i < 50; i++)
        frame(VIDEO, i, (i + 101) * FRAME_NS);
    ck_assert_int_eq(kind_of_video(), PPREC_KIND_PROBE);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.summaries, 2); /* both are told */
    ck_assert_int_ne(feed.summary[0].kind, feed.summary[1].kind);
    ck_assert_uint_eq(feed.trains, 150);
}
END_TEST

/* Media that have measured for longer have the name; with a key, which vouches for probes, they
 * never do. */
START_TEST(a_name_that_a_key_vouches_for)
{
    start_keyed(_i);
    for (unsigned i = 0; i < 50; i++)
        frame(VIDEO, i, i * FRAME_NS);
    for (uint32_t i = 0; i < 10; i++)
        probe_pair(i, (i + 60) * FRAME_NS);
    for (unsigned i = 60; i < 70; i++)
        frame(VIDEO, i, (i + 20) * FRAME_NS);
    ck_assert_int_eq(kind_of_video(), _i ? PPREC_KIND_PROBE : PPREC_KIND_RTP);
}
END_TEST

/* The one that has the name ends for want of room: the other has it then. */
START_TEST(a_name_that_is_left)
{
    struct pprec_config config;

    feed_end(&feed);
    pprec_config_init(&config);
    config.idle_s = 10;
    feed_start_with(&feed, config);
    for (unsigned i = 0; i < 50; i++)
        frame(VIDEO, i, i * FRAME_NS);
    for (uint32_t i = 0; i < 500; i++) {
        probe_pair(i, (i + 50) * FRAME_NS);
        ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    }
    ck_assert_int_eq(kind_of_video(), PPREC_KIND_PROBE);
}
END_TEST

START_TEST(wrong_parameters_are_named)
{
    static const uint8_t header[12] = {0x80, 96};
    struct pprec_endpoint nowhere = source;
    struct pprec_stamp none = stamp_at(0);

    nowhere.ip = 5;
    ck_assert_int_eq(pprec_push_rtp(feed.pprec, &nowhere, header, 12, 954, stamp_at(0)), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "source.ip"));
    nowhere = (struct pprec_endpoint){{[10] = 0xff, 0xff, 192, 0, 2, 1}, 5004, 6};
    ck_assert_int_eq(pprec_push_rtp(feed.pprec, &nowhere, header, 12, 954, stamp_at(0)), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "source.ip 6: want 4 for an IPv4-mapped"));
    none.clock = PPREC_CLOCK_NONE;
    ck_assert_int_eq(pprec_push_srt(feed.pprec, &source, header, 12, 954, none), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "received.clock"));
    ck_assert_int_eq(test_media_push(header, 12, 11, 0), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "data_bytes"));
    ck_assert_int_eq(test_media_push(header, 12, 65536, 0), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "packet_bytes"));
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 5);
}
END_TEST

/* The table of flows is made with the first packet, small, and counted. */
START_TEST(flows_are_counted_memory)
{
    size_t before = pprec_memory_bytes(feed.pprec), first, more;

    media_rtp(1, 0, 0, PACKET_BYTES, 0);
    first = pprec_memory_bytes(feed.pprec);
    ck_assert_uint_gt(first, before);
    ck_assert_uint_lt(first, before + (32 << 10));
    for (uint32_t ssrc = 2; ssrc < 100; ssrc++)
        media_rtp(ssrc, 0, 0, PACKET_BYTES, ssrc);
    more = pprec_memory_bytes(feed.pprec);
    ck_assert_uint_gt(more, first);
    media_rtp(1, 1, 0, PACKET_BYTES, GAP_NS); /* another came between */
    media_rtp(1, 2, 0, PACKET_BYTES, 2 * GAP_NS);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
}
END_TEST

static void push_inside(void *user, const struct pprec_train *train)
{
    static const uint8_t header[12] = {0x80, 96};

    (void)train;
    *(int *)user = pprec_push_rtp(feed.pprec, &source, header, 12, 954, stamp_at(0));
}

START_TEST(not_inside_a_callback)
{
    struct pprec_config config;
    int status = PPREC_OK;

    feed_end(&feed);
    pprec_config_init(&config);
    config.user = &status;
    config.on_train = push_inside;
    ck_assert_int_eq(pprec_new(&feed.pprec, &config), PPREC_OK);
    for (unsigned i = 0; i < 3; i++)
        frame(VIDEO, i, i * FRAME_NS);
    ck_assert_int_eq(status, PPREC_ENESTED);
}
END_TEST

/* --- When packets left --- */

static int64_t media_read_time(struct send_time *send_time, const uint8_t *data, size_t bytes, int64_t ns,
                               uint8_t id)
{
    struct packet packet = {.data = data, .data_bytes = bytes, .arrival = {.received = {.ns = ns}}};

    return send_time_of(send_time, &packet, id);
}

/* RFC 8285, section 4.2: 0xbede, a length in words, elements of ID and length less one, and
 * padding between. 1.5 s are 0x060000. */
START_TEST(one_byte_headers)
{
    static const uint8_t packet[] = {
        0x91, 96,   0, 1, 0,    0,    0, 2, 0,    0,    0, 3, 0,    0, 0, 4, /* with a source */
        0xbe, 0xde, 0, 3, 0x10, 0xaa, 0, 0, 0x32, 0x06, 0, 0, 0x51, 1, 2, 0};
    struct send_time send_time = {0};

    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, FEED_SECOND_NS, 3), 1500000000);
    ck_assert_int_eq(media_read_time(&send_time, packet, 27, 0, 3), PPREC_UNKNOWN_NS); /* cut in it */
    ck_assert_int_eq(media_read_time(&send_time, packet, 28, FEED_SECOND_NS, 3), 1500000000);
    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, 0, 1), PPREC_UNKNOWN_NS);
    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, 0, 4), PPREC_UNKNOWN_NS);
}
END_TEST

/* Section 4.3: 0x100 and four bits of the application's, elements of ID, length. */
START_TEST(two_byte_headers)
{
    static const uint8_t packet[] = {0x90, 96, 0, 1, 0, 0,  0, 2,    0, 0, 0, 3, 0x10, 0x05,
                                     0,    3,  7, 0, 0, 33, 3, 0x06, 0, 0, 9, 1, 0xff, 0};
    struct send_time send_time = {0};

    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, FEED_SECOND_NS, 33), 1500000000);
    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, 0, 9), PPREC_UNKNOWN_NS);
}
END_TEST

/* Number 0 is padding's, whatever its length. */
START_TEST(no_number)
{
    static const uint8_t packet[] = {0x90, 96,   0, 1, 0,    0,    0, 2, 0,    0,    0, 3,
                                     0xbe, 0xde, 0, 2, 0x02, 0x06, 0, 0, 0x32, 0x06, 0, 0};
    struct send_time send_time = {0};

    for (int64_t at = 0; at < 100; at++)
        ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, at * 64 * FEED_SECOND_NS, 0),
                         PPREC_UNKNOWN_NS);
    ck_assert_int_eq(media_read_time(&send_time, packet, sizeof packet, 0, 3), PPREC_UNKNOWN_NS);
}
END_TEST

static void write_time(uint8_t packet[20], int64_t ns)
{
    static const uint8_t header[20] = {0x90, 96, [12] = 0xbe, 0xde, 0, 1, 0x32};

    memcpy(packet, header, sizeof header);
    media_put(packet + 17, (uint32_t)(((ns % (64 * FEED_SECOND_NS)) << 18) / FEED_SECOND_NS), 3);
}

/* Through the wrap at 64 s and a pause of more than that, on a clock 40 s ahead. */
START_TEST(times_wrap)
{
    struct send_time send_time = {0};
    int64_t first_ns = PPREC_UNKNOWN_NS;
    uint8_t packet[20];

    for (int64_t at_s = 0; at_s < 1000; at_s += at_s == 500 ? 100 : 5) {
        int64_t departed_ns;

        write_time(packet, (at_s + 40) * FEED_SECOND_NS);
        departed_ns = media_read_time(&send_time, packet, sizeof packet, at_s * FEED_SECOND_NS, 3);
        if (first_ns == PPREC_UNKNOWN_NS)
            first_ns = departed_ns;
        ck_assert_int_eq(departed_ns - first_ns, at_s * FEED_SECOND_NS);
    }
    ck_assert_int_eq(first_ns, -24 * FEED_SECOND_NS);
}
END_TEST

/* As far apart as stamps may be. */
START_TEST(times_at_the_ends)
{
    struct send_time send_time = {0};
    uint8_t packet[20];

    write_time(packet, 63 * FEED_SECOND_NS);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(
            media_read_time(&send_time, packet, sizeof packet, i % 2 ? INT64_MAX / 2 : -INT64_MAX / 2, 0),
            PPREC_UNKNOWN_NS);
}
END_TEST

static void count_timed(void *user, const struct pprec_congestion *congestion)
{
    *(uint32_t *)user += congestion->timed;
    ck_assert_int_le(congestion->queueing_most_ns, 20000);
}

/* A clock that is 32 s off, where the nearest epoch is a matter of 4 us: two streams that begin on
 * either side have the same one, and the same delays. */
START_TEST(streams_of_one_clock)
{
    struct pprec_config config;
    uint8_t packet[20];
    uint32_t timed = 0;

    feed_end(&feed);
    pprec_config_init(&config);
    config.abs_send_time_id = 3;
    config.user = &timed;
    config.on_congestion = count_timed;
    ck_assert_int_eq(pprec_new(&feed.pprec, &config), PPREC_OK);
    for (int64_t i = 0; i < 400; i++) {
        int64_t stream = i / 4 % 2, ns = i / 4 * FRAME_NS + i % 4 * GAP_NS;

        write_time(packet, FEED_EPOCH_NS + ns + 32 * FEED_SECOND_NS + (i < 8) * (stream ? 4000 : -4000));
        media_put(packet + 2, (uint32_t)(i / 8 * 4 + i % 4), 2);
        media_put(packet + 4, (uint32_t)(i / 4 * 3600), 4);
        media_put(packet + 8, (uint32_t)(VIDEO + stream), 4);
        ck_assert_int_eq(test_media_push(packet, sizeof packet, PACKET_BYTES, ns), PPREC_OK);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(timed, 400);
}
END_TEST

/* 30 packets per second: what advances with them is found after a second, a constant or a counter
 * never is. */
START_TEST(the_extension_is_found)
{
    struct send_time send_time = {0}, constant = {0}, counter = {0};
    uint8_t packet[20];

    for (int64_t i = 0; i < 300; i++) {
        int64_t at_ns = i * FEED_SECOND_NS / 30, departed_ns;

        write_time(packet, at_ns);
        departed_ns = media_read_time(&send_time, packet, sizeof packet, at_ns, 0);
        ck_assert_int_eq(departed_ns != PPREC_UNKNOWN_NS, i >= 30);
        write_time(packet, 7 * FEED_SECOND_NS);
        ck_assert_int_eq(media_read_time(&constant, packet, sizeof packet, at_ns, 0), PPREC_UNKNOWN_NS);
        media_put(packet + 17, (uint32_t)i, 3);
        ck_assert_int_eq(media_read_time(&counter, packet, sizeof packet, at_ns, 0), PPREC_UNKNOWN_NS);
    }
    ck_assert_uint_eq(send_time.id, 3);
}
END_TEST

/* Frames that leave in 4 x 2 ms and come so are the sender's; those that share one time left
 * within its step, 3.8 us. */
START_TEST(departures_of_frames)
{
    struct pprec_config config;
    uint8_t packet[20];

    feed_end(&feed);
    pprec_config_init(&config);
    config.abs_send_time_id = 3;
    feed_start_with(&feed, config);
    for (int64_t i = 0; i < 10; i++)
        for (int64_t at = 0; at < 5; at++) {
            int64_t gap_ns = i < 5 ? 2000000 : 0;

            write_time(packet, i * FRAME_NS + at * gap_ns);
            media_put(packet + 2, (uint32_t)(5 * i + at), 2);
            media_put(packet + 4, (uint32_t)(i * 3600), 4);
            ck_assert_int_eq(
                test_media_push(packet, sizeof packet, PACKET_BYTES, i * FRAME_NS + at * 2000000), PPREC_OK);
        }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.trains, 10);
    for (unsigned i = 0; i < 10; i++) {
        ck_assert_int_eq(feed.train[i].verdict, i < 5 ? PPREC_VERDICT_SENDER_LIMITED : PPREC_VERDICT_OK);
        ck_assert_int_ge(feed.train[i].departure_span_ns, i < 5 ? 8000000 : 1);
        ck_assert_int_le(feed.train[i].departure_span_ns, i < 5 ? 8007630 : 3815);
    }
}
END_TEST

/* --- What counts in a path --- */

struct counted {
    uint64_t packets, lost, timed;
    unsigned calls;
    int64_t most_ns; /* queueing of the newest */
};

static struct counted counted;

static void media_sum_up(void *user, const struct pprec_congestion *congestion)
{
    (void)user;
    counted.packets += congestion->packets;
    counted.lost += congestion->lost;
    counted.timed += congestion->timed;
    counted.calls++;
    counted.most_ns = congestion->queueing_most_ns;
}

static void start_counting(unsigned streams_max)
{
    struct pprec_config config;

    feed_end(&feed);
    counted = (struct counted){.packets = 0};
    pprec_config_init(&config);
    config.abs_send_time_id = 3;
    config.on_congestion = media_sum_up;
    config.streams_max = streams_max;
    ck_assert_int_eq(pprec_new(&feed.pprec, &config), PPREC_OK);
}

/* A packet that left at ns and waited for so long. */
static void timed_packet(uint32_t ssrc, uint16_t seq, int64_t ns, int64_t wait_ns)
{
    uint8_t packet[20];

    write_time(packet, ns);
    media_put(packet + 2, seq, 2);
    media_put(packet + 4, seq * 960U, 4);
    media_put(packet + 8, ssrc, 4);
    ck_assert_int_eq(test_media_push(packet, sizeof packet, 120, ns + wait_ns), PPREC_OK);
}

/* A packet a frame: no stream, no train, but ten seconds of it through the wrap of its numbers, one
 * in ten lost, then one second with a queue of 30 ms. */
START_TEST(audio_counts)
{
    start_counting(16);
    for (uint16_t i = 0; i < 550; i++)
        if (i % 10 != 5)
            timed_packet(AUDIO, (uint16_t)(65300 + i), i * FRAME_NS / 2, i < 500 ? 0 : 30000000);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_uint_eq(counted.packets, 495);
    ck_assert_uint_eq(counted.timed, 495);
    ck_assert_uint_eq(counted.lost, 55);
    ck_assert_int_gt(counted.most_ns, 29900000);
    ck_assert_int_lt(counted.most_ns, 30100000);
    ck_assert_uint_ge(counted.calls, 100);
}
END_TEST

/* Audio beside video: each packet once, rests of frames too, and what is lost of either. */
START_TEST(all_media_counts_once)
{
    uint64_t pushed = 0, lost = 0;

    start_counting(16);
    for (unsigned i = 0; i < 100; i++) {
        for (unsigned at = 0; at < 5; at++)
            if (i % 7 == 3 && at == i % 5)
                lost++;
            else
                media_rtp(VIDEO, (uint16_t)(i * 5 + at), i * 3600, at < 4 ? PACKET_BYTES : 400,
                          i * FRAME_NS + at * GAP_NS);
        media_rtp(AUDIO, (uint16_t)i, i * 960, 120, i * FRAME_NS + 10 * GAP_NS);
        pushed += 6;
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_gt(media_trains_of(VIDEO), 90);
    ck_assert_uint_eq(counted.packets, pushed - lost);
    ck_assert_uint_eq(counted.lost, lost);
    ck_assert_uint_eq(counted.timed, 0);
}
END_TEST

/* Overtaken by two: not lost. By three: lost, and yet arrived. Copies are not counted, and a sender
 * that begins anew far off loses nothing. */
START_TEST(what_is_lost)
{
    static const uint16_t order[] = {10, 11, 13, 14, 12,   15,   15,   17,   18,
                                     19, 16, 13, 20, 9000, 9001, 9003, 9004, 9005};

    start_counting(16);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        media_rtp(AUDIO, order[i], order[i] * 960U, 120, i * FRAME_NS);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(counted.packets, 16);
    ck_assert_uint_eq(counted.lost, 2);
}
END_TEST

/* Of SRT each data packet counts, though only pairs are trains; what is sent again has arrived. */
START_TEST(srt_counts)
{
    uint8_t data[16];

    start_counting(16);
    for (uint32_t i = 0; i < 320; i++) {
        media_put(data, i, 4);
        media_put(data + 4, 0xe0000001 + i, 4);
        media_put(data + 8, i * 10000, 4);
        media_put(data + 12, 0x50c4e7, 4);
        if (i % 32 != 9)
            ck_assert_int_eq(
                pprec_push_srt(feed.pprec, &source, data, sizeof data, PACKET_BYTES, stamp_at(i * 10000000)),
                PPREC_OK);
    }
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(counted.packets, 310);
    ck_assert_uint_eq(counted.lost, 10);
}
END_TEST

/* Made-up senders of single packets take no more memory than so many paths do, and the one that
 * goes on is kept; when nothing comes for five minutes it goes, too. */
START_TEST(lone_paths_are_bounded)
{
    static const uint8_t header[12] = {0x80, 96, [11] = 7};
    struct pprec_endpoint from = source;
    size_t bytes = 0;

    start_counting(8);
    for (unsigned i = 0; i < 2000; i++) {
        from.port = (uint16_t)(i + 1);
        ck_assert_int_eq(pprec_push_rtp(feed.pprec, &from, header, 12, 120, stamp_at(i * FRAME_NS)),
                         PPREC_OK);
        if (i % 4 == 0)
            timed_packet(AUDIO, (uint16_t)(i / 4), i * FRAME_NS, i < 1950 ? 0 : 30000000);
        if (i == 1050) /* all flows that are remembered */
            bytes = pprec_memory_bytes(feed.pprec);
    }
    ck_assert_uint_eq(pprec_memory_bytes(feed.pprec), bytes);
    pprec_tick(feed.pprec, FEED_EPOCH_NS + 2000 * FRAME_NS + FEED_SECOND_NS);
    ck_assert_uint_eq(counted.packets, 2500);
    ck_assert_uint_eq(counted.timed, 500);
    for (int64_t s = 0; s < 400; s++)
        pprec_tick(feed.pprec, FEED_EPOCH_NS + 2000 * FRAME_NS + s * FEED_SECOND_NS);
    ck_assert_uint_lt(pprec_memory_bytes(feed.pprec), bytes - 8 * 300);
}
END_TEST

/* --- The same packets, pushed and captured --- */

static void start_with_defaults(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    feed_end(&feed);
    feed_start_with(&feed, config);
}

enum { ETHERNET_BYTES = 14, UDP_AT = 34, DATA_AT = 42, SNAP_BYTES = 96 };

/* As tcpdump keeps them: Ethernet, IPv4, UDP, nanoseconds. */
static void media_dump(pcap_dumper_t *dumper, const uint8_t *data, size_t data_bytes, size_t payload_bytes,
                       int64_t ns)
{
    uint8_t bytes[SNAP_BYTES] = {[12] = 0x08, [14] = 0x45, [22] = 60, 17, [30] = 198, 51, 100, 9};
    struct pcap_pkthdr header = {
        .ts = {.tv_sec = (time_t)(ns / 1000000000), .tv_usec = (suseconds_t)(ns % 1000000000)},
        .caplen = (bpf_u_int32)(DATA_AT + data_bytes),
        .len = (bpf_u_int32)(DATA_AT + payload_bytes),
    };

    media_put(bytes + 16, (uint32_t)(28 + payload_bytes), 2);
    memcpy(bytes + 26, source.address, 4);
    media_put(bytes + UDP_AT, source.port, 2);
    media_put(bytes + UDP_AT + 2, 6000, 2);
    media_put(bytes + UDP_AT + 4, (uint32_t)(8 + payload_bytes), 2);
    memcpy(bytes + DATA_AT, data, data_bytes);
    pcap_dump((uint8_t *)dumper, &header, bytes);
}

static pcap_dumper_t *begin_capture(char name[])
{
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES, PCAP_TSTAMP_PRECISION_NANO);
    int fd = mkstemp(name);
    pcap_dumper_t *dumper = pcap_dump_fopen(pcap, fdopen(fd, "w"));

    ck_assert_ptr_nonnull(dumper);
    pcap_close(pcap);
    return dumper;
}

static struct pprec_summary media_read_capture(const char *name)
{
    const char *files[] = {name, NULL};
    struct pprec_capture_options options;
    struct pprec_summary summary;
    struct pprec *pprec;

    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    pprec_capture_options_init(&options);
    options.files = files;
    ck_assert_int_eq(pprec_open_capture(pprec, &options), PPREC_OK);
    ck_assert_int_ge(pprec_dispatch(pprec, 0), 0);
    pprec_finish(pprec);
    ck_assert_int_eq(ask_summary(pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(pprec_foreign(pprec), 0);
    pprec_free(pprec);
    unlink(name);
    return summary;
}

static struct pprec_summary pushed_summary(void)
{
    struct pprec_summary summary;

    pprec_finish(feed.pprec);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    return summary;
}

static void assert_alike(const struct pprec_summary *a, const struct pprec_summary *b)
{
    ck_assert_uint_ge(a->counts.usable, 50);
    ck_assert_mem_eq(&a->capacity, &b->capacity, sizeof a->capacity);
    ck_assert_mem_eq(&a->counts, &b->counts, sizeof a->counts);
    ck_assert_int_eq(a->jitter_ns, b->jitter_ns);
    ck_assert_double_eq(a->rate_p50_bps, b->rate_p50_bps);
}

START_TEST(rtp_captured_and_pushed_are_one)
{
    struct media_config config = {
        .rate_bps = 5000000, .bucket_bytes = 4000, .packets_least = 3, .packets_most = 7, .send_times = _i};
    char name[] = "/tmp/test_media.XXXXXX";
    pcap_dumper_t *dumper = begin_capture(name);
    struct pprec_summary pushed, captured;
    struct media_packet *packets;
    size_t count = media_send(&config, 7, &packets);

    start_with_defaults();
    for (size_t i = 0; i < count; i++) {
        int64_t ns = packets[i].received_ns - FEED_EPOCH_NS;

        media_dump(dumper, packets[i].header, packets[i].header_bytes, packets[i].payload_bytes,
                   packets[i].received_ns);
        ck_assert_int_eq(
            test_media_push(packets[i].header, packets[i].header_bytes, packets[i].payload_bytes, ns),
            PPREC_OK);
        if (i % 5 == 2) { /* audio begins between the packets that decide */
            uint8_t audio[12] = {0x80, 111};

            media_put(audio + 2, (uint32_t)i / 5, 2);
            media_put(audio + 8, AUDIO, 4);
            media_dump(dumper, audio, 12, 120, packets[i].received_ns + 1);
            ck_assert_int_eq(test_media_push(audio, 12, 120, ns + 1), PPREC_OK);
        }
    }
    pcap_dump_close(dumper);
    free(packets);
    pushed = pushed_summary();
    captured = media_read_capture(name);
    assert_alike(&pushed, &captured);
}
END_TEST

/* SRT: pairs at 16 n, ten packets at a time, 800 us apart as the link brings them. */
START_TEST(srt_captured_and_pushed_are_one)
{
    char name[] = "/tmp/test_media.XXXXXX";
    pcap_dumper_t *dumper = begin_capture(name);
    struct pprec_summary pushed, captured;

    start_with_defaults();
    for (uint32_t seq = 0; seq < 4000; seq++) {
        int64_t ns = seq / 10 * 3 * FRAME_NS + seq % 10 * GAP_NS + seq % 7 * 1000;
        uint8_t data[16];

        media_put(data, (0x7ffff800 + seq) & 0x7fffffff, 4); /* it wraps */
        media_put(data + 4, 0xe0000001 + seq, 4);
        media_put(data + 8, (uint32_t)(seq / 10 * 120000 + seq % 10), 4);
        media_put(data + 12, 0x50c4e7, 4);
        media_dump(dumper, data, sizeof data, PACKET_BYTES, FEED_EPOCH_NS + ns);
        ck_assert_int_eq(pprec_push_srt(feed.pprec, &source, data, sizeof data, PACKET_BYTES, stamp_at(ns)),
                         PPREC_OK);
    }
    pcap_dump_close(dumper);
    pushed = pushed_summary();
    captured = media_read_capture(name);
    assert_alike(&pushed, &captured);
    ck_assert_double_eq_tol(pushed.capacity.capacity_bps, 10e6, 1e5);
    ck_assert_int_eq(pushed.kind, PPREC_KIND_SRT);
}
END_TEST

/* --- Into the library otherwise --- */

/* The same probes pushed as arrivals and as datagrams: one estimate. */
START_TEST(pushed_and_datagrams_agree)
{
    struct wire_probe probe = {.length_log2 = 1, .stream = 7, .flags = WIRE_TIME};
    struct pprec_endpoint prober = {.ip = 4, .port = 9};
    struct pprec_config config;
    struct pprec_summary summaries[2];
    struct pprec *pprec[2];
    uint8_t data[WIRE_MOST_BYTES];

    pprec_config_init(&config);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pprec_new(&pprec[i], &config), PPREC_OK);
    for (uint32_t seq = 0; seq < 200; seq++) {
        struct pprec_stamp received = {seq / 2 * FRAME_NS + seq % 2 * (GAP_NS + seq % 7 * 1000),
                                       PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
        struct pprec_arrival one = {
            .source = prober,
            .stream = 7,
            .train = seq / 2,
            .seq = seq,
            .position = seq % 2,
            .train_length = 2,
            .payload_bytes = 954,
            .received = received,
            .sent_ns = seq / 2 * FRAME_NS,
            .departure_span_ns = PPREC_UNKNOWN_NS,
            .departed_ns = PPREC_UNKNOWN_NS,
        };

        probe.seq = seq;
        probe.train = seq / 2;
        probe.position = seq % 2;
        probe.sent_ns = (uint64_t)one.sent_ns;
        wire_encode(&probe, data, sizeof data);
        ck_assert_int_eq(pprec_push(pprec[0], &one), PPREC_OK);
        ck_assert_int_eq(pprec_push_datagram(pprec[1], &prober, NULL, data, sizeof data, 954, received),
                         PPREC_OK);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(ask_summary(pprec[i], 0, &summaries[i]), PPREC_OK);
    ck_assert_mem_eq(&summaries[0].capacity, &summaries[1].capacity, sizeof summaries[0].capacity);
    ck_assert_double_gt(summaries[0].capacity.capacity_bps, 9e6);
    for (int i = 0; i < 2; i++)
        pprec_free(pprec[i]);
}
END_TEST

START_TEST(stamps_of_messages)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(struct timespec))];
    } control = {.header = {CMSG_LEN(sizeof(struct timespec)), SOL_SOCKET, SCM_TIMESTAMPNS}};
    struct timespec time = {5, 6};
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    struct pprec_stamp stamp;

    memcpy(CMSG_DATA(&control.header), &time, sizeof time);
    stamp = pprec_stamp_of(&message);
    ck_assert_int_eq(stamp.ns, INT64_C(5000000006));
    ck_assert_uint_eq(stamp.source, PPREC_TIMESTAMPS_KERNEL);
    control.header.cmsg_type = SO_RXQ_OVFL;
    stamp = pprec_stamp_of(&message);
    ck_assert_int_gt(stamp.ns, INT64_C(1500000000000000000));
    ck_assert_uint_eq(stamp.source, PPREC_TIMESTAMPS_USER);
}
END_TEST

Suite *media_suite(void)
{
    Suite *suite = suite_create("media");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, media_set_up, media_tear_down);
    tcase_add_test(all, frames_are_trains);
    tcase_add_test(all, audio_shares_the_port);
    tcase_add_test(all, each_ssrc_is_a_stream);
    tcase_add_test(all, rest_of_an_address);
    tcase_add_test(all, what_is_no_rtp);
    tcase_add_test(all, a_name_that_was_taken);
    tcase_add_loop_test(all, a_name_that_a_key_vouches_for, 0, auth_init(NULL) == 0 ? 2 : 1);
    tcase_add_test(all, a_name_that_is_left);
    tcase_add_test(all, wrong_parameters_are_named);
    tcase_add_test(all, flows_are_counted_memory);
    tcase_add_test(all, not_inside_a_callback);
    tcase_add_test(all, one_byte_headers);
    tcase_add_test(all, two_byte_headers);
    tcase_add_test(all, no_number);
    tcase_add_test(all, times_wrap);
    tcase_add_test(all, times_at_the_ends);
    tcase_add_test(all, streams_of_one_clock);
    tcase_add_test(all, the_extension_is_found);
    tcase_add_test(all, departures_of_frames);
    tcase_add_test(all, audio_counts);
    tcase_add_test(all, all_media_counts_once);
    tcase_add_test(all, what_is_lost);
    tcase_add_test(all, srt_counts);
    tcase_add_test(all, lone_paths_are_bounded);
    tcase_add_loop_test(all, rtp_captured_and_pushed_are_one, 0, 2);
    tcase_add_test(all, srt_captured_and_pushed_are_one);
    tcase_add_test(all, pushed_and_datagrams_agree);
    tcase_add_test(all, stamps_of_messages);
    suite_add_tcase(suite, all);
    return suite;
}
