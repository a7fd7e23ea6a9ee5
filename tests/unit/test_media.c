/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrivals from RTP and SRT packets, and what the library makes of them. */
#include "common/wire.h"
#include "pprec/pprec.h"
#include "tests/unit/ask.h"
#include "tests/unit/suites.h"

#include <string.h>
#include <sys/socket.h>

#define FRAME_NS INT64_C(40000000)
#define GAP_NS INT64_C(800000) /* 1000-byte frames at 10 Mbit/s */

enum { PACKET_BYTES = 954 };

static uint8_t packet[PACKET_BYTES];
static struct pprec_arrival arrival;
static struct pprec_rtp rtp;
static struct pprec_srt srt;

static void set_up(void)
{
    memset(packet, 0, sizeof packet);
    memset(&arrival, 0x5a, sizeof arrival);
    rtp = (struct pprec_rtp){0};
    srt = (struct pprec_srt){0};
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static int take_rtp(uint16_t seq, uint32_t timestamp, int marker, size_t bytes)
{
    packet[0] = 0x80;
    packet[1] = (uint8_t)(marker << 7 | 96);
    packet[2] = (uint8_t)(seq >> 8);
    packet[3] = (uint8_t)seq;
    put32(packet + 4, timestamp);
    put32(packet + 8, 0xcafe);
    return pprec_arrival_from_rtp(&arrival, &rtp, packet, bytes);
}

static void assert_rtp(uint32_t train, uint32_t seq, uint16_t position)
{
    ck_assert_uint_eq(arrival.train, train);
    ck_assert_uint_eq(arrival.seq, seq);
    ck_assert_uint_eq(arrival.position, position);
    ck_assert_uint_eq(arrival.train_length, 0);
    ck_assert_uint_eq(arrival.stream, 0xcafe);
    ck_assert_uint_eq(arrival.kind, PPREC_KIND_RTP);
    ck_assert_int_eq(arrival.sent_ns, PPREC_UNKNOWN_NS);
}

START_TEST(frames_are_trains)
{
    ck_assert_int_eq(take_rtp(65534, 100, 0, PACKET_BYTES), PPREC_OK);
    assert_rtp(1, 65534, 0);
    ck_assert_int_eq(take_rtp(65535, 100, 0, PACKET_BYTES), PPREC_OK);
    assert_rtp(1, 65535, 1);
    ck_assert_int_eq(take_rtp(0, 100, 1, PACKET_BYTES), PPREC_OK); /* it wraps */
    assert_rtp(1, 65536, 2);
    ck_assert_int_eq(take_rtp(1, 3700, 0, PACKET_BYTES), PPREC_OK);
    assert_rtp(2, 65537, 0);
}
END_TEST

START_TEST(a_marker_ends_a_train)
{
    take_rtp(5, 100, 1, PACKET_BYTES);
    take_rtp(6, 100, 0, PACKET_BYTES);
    assert_rtp(2, 6, 0);
}
END_TEST

START_TEST(another_size_is_another_train)
{
    take_rtp(5, 100, 0, PACKET_BYTES);
    take_rtp(6, 100, 1, 200);
    assert_rtp(2, 6, 0);
    ck_assert_uint_eq(arrival.payload_bytes, 200);
}
END_TEST

START_TEST(lost_and_overtaken_packets_keep_their_places)
{
    take_rtp(5, 100, 0, PACKET_BYTES);
    take_rtp(8, 100, 0, PACKET_BYTES);
    assert_rtp(1, 8, 3);
    ck_assert_int_eq(take_rtp(7, 100, 0, PACKET_BYTES), PPREC_OK);
    assert_rtp(1, 7, 2);
    take_rtp(9, 200, 0, PACKET_BYTES);
    ck_assert_int_eq(take_rtp(6, 100, 0, PACKET_BYTES), PPREC_EFOREIGN); /* over */
    take_rtp(10, 200, 0, PACKET_BYTES);
    assert_rtp(2, 10, 1);
}
END_TEST

START_TEST(no_train_is_longer_than_256)
{
    for (uint16_t seq = 0; seq < 256; seq++)
        take_rtp(seq, 100, 0, PACKET_BYTES);
    assert_rtp(1, 255, 255);
    take_rtp(256, 100, 0, PACKET_BYTES);
    assert_rtp(2, 256, 0);
}
END_TEST

START_TEST(what_is_no_rtp)
{
    memset(packet, 0, sizeof packet);
    ck_assert_int_eq(pprec_arrival_from_rtp(&arrival, &rtp, packet, 954), PPREC_EFOREIGN);
    packet[0] = 0x80;
    packet[1] = 200; /* RTCP */
    ck_assert_int_eq(pprec_arrival_from_rtp(&arrival, &rtp, packet, 954), PPREC_EFOREIGN);
    packet[1] = 96;
    ck_assert_int_eq(pprec_arrival_from_rtp(&arrival, &rtp, packet, 11), PPREC_EFOREIGN);
    ck_assert_int_eq(pprec_arrival_from_rtp(&arrival, &rtp, packet, 12), PPREC_OK);
}
END_TEST

/* --- SRT --- */

static int take_srt(uint32_t seq, uint32_t second)
{
    put32(packet, seq);
    put32(packet + 4, second);
    put32(packet + 12, 0xbeef);
    return pprec_arrival_from_srt(&arrival, &srt, packet, PACKET_BYTES);
}

START_TEST(pairs_of_srt)
{
    unsigned taken = 0;

    for (uint32_t seq = 0; seq < 64; seq++) {
        if (take_srt((0x7fffffe0 + seq) & 0x7fffffff, 1) != PPREC_OK)
            continue;
        ck_assert_uint_eq(seq % 16, arrival.position);
        ck_assert_uint_eq(arrival.train, 0x7fffffe0 / 16 + seq / 16); /* through the wrap */
        ck_assert_uint_eq(arrival.seq, 2 * arrival.train + arrival.position);
        ck_assert_uint_eq(arrival.train_length, 2);
        ck_assert_uint_eq(arrival.stream, 0xbeef);
        taken++;
    }
    ck_assert_uint_eq(taken, 8);
}
END_TEST

START_TEST(what_is_no_pair_of_srt)
{
    ck_assert_int_eq(take_srt(0x80000000, 1), PPREC_EFOREIGN);      /* control */
    ck_assert_int_eq(take_srt(16, 0x04000001), PPREC_EFOREIGN); /* sent again */
    ck_assert_int_eq(pprec_arrival_from_srt(&arrival, &srt, packet, 16), PPREC_EFOREIGN);
    ck_assert_int_eq(take_srt(16, 1), PPREC_OK);
}
END_TEST

/* --- Into the library --- */

static void push(struct pprec *pprec, int64_t ns)
{
    arrival.source = (struct pprec_endpoint){.ip = 4, .port = 5004};
    arrival.received = (struct pprec_stamp){ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
}

/* Frames of four packets spread by 10 Mbit/s, the third of each fifth one lost. */
START_TEST(rtp_gives_the_capacity)
{
    struct pprec_config config;
    struct pprec_summary summary;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.filter = "median";
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    for (uint32_t seq = 0; seq < 4 * 101; seq++) {
        if (seq % 20 == 2)
            continue;
        ck_assert_int_eq(take_rtp((uint16_t)seq, seq / 4, seq % 4 == 3, PACKET_BYTES), PPREC_OK);
        push(pprec, seq / 4 * FRAME_NS + seq % 4 * GAP_NS);
    }
    ck_assert_int_eq(ask_summary(pprec, 0, &summary), PPREC_OK);
    ck_assert_double_eq_tol(summary.capacity.capacity_bps, 10e6, 1e3);
    ck_assert_uint_eq(summary.counts.trains, 100); /* the last one may go on */
    ck_assert_uint_eq(summary.counts.lost, 20);
    pprec_free(pprec);
}
END_TEST

/* The same probes pushed as arrivals and as datagrams: one estimate. */
START_TEST(pushed_and_datagrams_agree)
{
    struct wire_probe probe = {.length_log2 = 1, .stream = 7, .flags = WIRE_TIME};
    struct pprec_endpoint source = {.ip = 4, .port = 9};
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
            .source = source, .stream = 7, .train = seq / 2, .seq = seq,
            .position = seq % 2, .train_length = 2, .payload_bytes = 954, .received = received,
            .sent_ns = seq / 2 * FRAME_NS, .departure_span_ns = PPREC_UNKNOWN_NS,
            .departed_ns = PPREC_UNKNOWN_NS,
        };

        probe.seq = seq;
        probe.train = seq / 2;
        probe.position = seq % 2;
        probe.sent_ns = (uint64_t)one.sent_ns;
        wire_encode(&probe, data, sizeof data);
        ck_assert_int_eq(pprec_push(pprec[0], &one), PPREC_OK);
        ck_assert_int_eq(pprec_push_datagram(pprec[1], &source, NULL, data, sizeof data, 954,
                                             received), PPREC_OK);
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

    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, frames_are_trains);
    tcase_add_test(all, a_marker_ends_a_train);
    tcase_add_test(all, another_size_is_another_train);
    tcase_add_test(all, lost_and_overtaken_packets_keep_their_places);
    tcase_add_test(all, no_train_is_longer_than_256);
    tcase_add_test(all, what_is_no_rtp);
    tcase_add_test(all, pairs_of_srt);
    tcase_add_test(all, what_is_no_pair_of_srt);
    tcase_add_test(all, rtp_gives_the_capacity);
    tcase_add_test(all, pushed_and_datagrams_agree);
    tcase_add_test(all, stamps_of_messages);
    suite_add_tcase(suite, all);
    return suite;
}
