/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains in the traffic of others: RTP (RFC 3550), SRT and plain flows, packet by
 * packet. Frames of 1000 bytes on 10 Mbit/s, 800 us apart, as in feed.h. */
#include "common/auth.h"
#include "pprec/lib/flows.h"
#include "pprec/lib/recognise.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <string.h>

enum { GAP_US = 800, US = 1000, TCP_HEADERS = 40 };

static struct feed feed;
static struct flows *flows;
static struct keyed_hash hash;

static void recognise_set_up(void)
{
    feed_start(&feed);
    ck_assert_int_eq(keyed_hash_init(&hash, NULL), 0);
    flows = flows_new(&memory_of_libc, &hash, FLOWS_CAPTURED, true);
    ck_assert_ptr_nonnull(flows);
}

static void recognise_tear_down(void)
{
    flows_free(flows);
    feed_end(&feed);
}

static void recognise_put(uint8_t *at, uint32_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static struct packet packet_of(uint8_t protocol, const uint8_t *data, size_t data_bytes, uint32_t ip_bytes)
{
    uint32_t headers = protocol == PACKET_TCP ? TCP_HEADERS : 28;

    return (struct packet){
        .arrival =
            {
                .source = {.address = {192, 0, 2, 1}, .port = 5000, .ip = 4},
                .destination = {.address = {198, 51, 100, 9}, .port = 6000, .ip = 4},
                .header_bytes = headers,
                .payload_bytes = ip_bytes - headers,
                .sent_ns = PPREC_UNKNOWN_NS,
                .departure_span_ns = PPREC_UNKNOWN_NS,
                .departed_ns = PPREC_UNKNOWN_NS,
            },
        .protocol = protocol,
        .data = data,
        .data_bytes = data_bytes,
    };
}

static void recognise_arrive(const struct packet *packet, int64_t at_us)
{
    struct pprec_stamp stamp = {FEED_EPOCH_NS + at_us * US, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP};
    struct packet stamped = *packet;

    stamped.arrival.received = stamp;
    recognise(feed.pprec, flows, &stamped, 0);
}

static void recognise_finish(void)
{
    pprec_finish(feed.pprec);
}

/* --- RTP --- */

static void test_recognise_rtp(uint16_t seq, uint32_t timestamp, int64_t at_us)
{
    uint8_t data[12] = {0x80, 96};
    struct packet packet;

    recognise_put(data + 2, seq, 2);
    recognise_put(data + 4, timestamp, 4);
    recognise_put(data + 8, 0xfeedf00d, 4);
    packet = packet_of(PACKET_UDP, data, sizeof data, 982);
    recognise_arrive(&packet, at_us);
}

/* Frame i of five packets, every 40 ms. The first packets decide what the flow is;
 * the sequence number wraps among them. */
static void rtp_frame(unsigned i, int64_t gap_us)
{
    for (unsigned position = 0; position < 5; position++)
        test_recognise_rtp((uint16_t)(65533 + i * 5 + position), i * 3600, i * 40000 + position * gap_us);
}

START_TEST(a_frame_is_a_train)
{
    for (unsigned i = 0; i < 4; i++)
        rtp_frame(i, GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 4);
    for (uint32_t i = 0; i < 4; i++) { /* the first as well, which was held until it decided */
        feed_assert_train(&feed, i, i + 1, PPREC_VERDICT_OK, 5, 4 * GAP_US * US);
        ck_assert_double_eq(feed.train[i].rate_bps, 10e6);
        ck_assert_uint_eq(feed.train[i].stream, 0xfeedf00d);
    }
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_int_eq(feed.summary[0].kind, PPREC_KIND_RTP);
    ck_assert_uint_eq(feed.summary[0].destination.port, 6000);
    ck_assert_int_eq(feed.summary[0].capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 0);
}
END_TEST

/* Of five packets the third comes after the fourth: only the first two are near. */
START_TEST(overtaken_rtp_never_pairs)
{
    static const unsigned order[] = {0, 1, 3, 2, 4};

    rtp_frame(0, GAP_US);
    for (unsigned i = 0; i < 5; i++)
        test_recognise_rtp((uint16_t)(65533 + 5 + order[i]), 3600, 40000 + i * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 1, 2, PPREC_VERDICT_OK, 2, GAP_US * US);
}
END_TEST

START_TEST(lost_rtp_ends_a_train_and_is_counted)
{
    rtp_frame(0, GAP_US);
    for (unsigned position = 0; position < 5; position++)
        if (position != 2)
            test_recognise_rtp((uint16_t)(65533 + 5 + position), 3600, 40000 + position * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 3);
    feed_assert_train(&feed, 1, 2, PPREC_VERDICT_OK, 2, GAP_US * US);
    feed_assert_train(&feed, 2, 3, PPREC_VERDICT_OK, 2, GAP_US * US);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 1);
}
END_TEST

/* Spread over 32 of the 40 ms to the next one; whether the last one was nobody knows. */
START_TEST(frames_that_fill_their_time_look_paced)
{
    for (unsigned i = 0; i < 6; i++)
        rtp_frame(i, 8000);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 6);
    for (uint32_t i = 1; i < 5; i++)
        feed_assert_train(&feed, i, i + 1, PPREC_VERDICT_SENDER_LIMITED, 5, 32000 * US);
}
END_TEST

/* A sender that began anew is 20 000 behind; after 16 packets it is believed. */
START_TEST(rtp_that_begins_anew)
{
    for (unsigned i = 0; i < 2; i++)
        rtp_frame(i, GAP_US);
    for (unsigned i = 0; i < 30; i++)
        test_recognise_rtp((uint16_t)(45000 + i), 900000 + i / 10 * 3600,
                           1000000 + i / 10 * 40000 + i % 10 * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 4); /* of the last 15: five, and a whole frame */
    feed_assert_train(&feed, 2, 3, PPREC_VERDICT_OK, 5, 4 * GAP_US * US);
    feed_assert_train(&feed, 3, 4, PPREC_VERDICT_OK, 10, 9 * GAP_US * US);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 0);
}
END_TEST

START_TEST(audio_of_a_packet_a_frame_is_no_train)
{
    for (unsigned i = 0; i < 50; i++)
        test_recognise_rtp((uint16_t)i, i * 160, i * 20000);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 0);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

/* --- SRT --- */

enum { RETRANSMITTED = 0x04000000 };

static void srt_with(uint32_t seq, uint32_t flags, uint32_t sent_us, int64_t at_us)
{
    uint8_t data[16];
    struct packet packet;

    recognise_put(data, seq, 4);
    recognise_put(data + 4, 0xe0000000 | flags | (seq + 1), 4); /* a message of its own */
    recognise_put(data + 8, sent_us, 4);
    recognise_put(data + 12, 0x50c4e7, 4);
    packet = packet_of(PACKET_UDP, data, sizeof data, 982);
    recognise_arrive(&packet, at_us);
}

static void srt(uint32_t seq, uint32_t sent_us, int64_t at_us)
{
    srt_with(seq, 0, sent_us, at_us);
}

/* Packets up to number 15, far apart: the flow is known. */
static void srt_begin(void)
{
    for (uint32_t seq = 9; seq < 16; seq++)
        srt(seq, seq * 5000, seq * 5000);
}

START_TEST(an_srt_pair_is_a_train)
{
    srt_begin();
    srt(16, 100000, 100000);
    srt(17, 100010, 100000 + GAP_US);
    srt(18, 105000, 105000);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_OK, 2, GAP_US * US);
    ck_assert_uint_eq(feed.train[0].stream, 0x50c4e7);
    ck_assert_int_eq(feed.summary[0].kind, PPREC_KIND_SRT);
}
END_TEST

/* The second was not there yet when the first left: what the application made of it. */
START_TEST(an_srt_pair_handed_over_apart_is_the_senders)
{
    srt_begin();
    srt(16, 100000, 100000);
    srt(17, 100780, 100000 + GAP_US);
    srt(18, 105000, 105000);
    srt(32, 200000, 200000); /* tells of the pair before */
    srt(33, 200001, 200000 + GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_SENDER_LIMITED, 2, GAP_US * US);
    ck_assert_int_eq(feed.train[0].departure_span_ns, 780 * US);
}
END_TEST

START_TEST(srt_retransmissions_and_gaps_never_pair)
{
    srt_begin();
    srt(16, 100000, 100000);
    srt_with(12, RETRANSMITTED, 60000, 100400);
    srt(17, 100010, 100000 + 2 * GAP_US);
    srt(32, 200000, 200000);
    srt(34, 200010, 200000 + GAP_US); /* 33 is lost */
    srt_with(33, RETRANSMITTED, 200005, 200000 + 2 * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 0);
}
END_TEST

/* The handshake of a further socket comes first: it has no number to go on from. */
START_TEST(an_srt_socket_that_begins_with_control)
{
    uint8_t control[16] = {0x80, 0};
    struct packet packet;

    srt_begin();
    recognise_put(control + 12, 0x50c4e8, 4);
    packet = packet_of(PACKET_UDP, control, sizeof control, 982);
    recognise_arrive(&packet, 90000);
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t data[16];

        recognise_put(data, 0x70000000 + i, 4);
        recognise_put(data + 4, 0xe0000001 + i, 4);
        recognise_put(data + 8, 95000, 4);
        recognise_put(data + 12, 0x50c4e8, 4);
        packet = packet_of(PACKET_UDP, data, sizeof data, 982);
        recognise_arrive(&packet, 95000 + i * GAP_US);
    }
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_OK, 2, GAP_US * US);
    ck_assert_uint_eq(feed.train[0].stream, 0x50c4e8);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 0);
}
END_TEST

static void srt_burst(uint32_t first, uint32_t count, int64_t from_us, int64_t gap_us)
{
    for (uint32_t i = 0; i < count; i++)
        srt(first + i, (uint32_t)from_us + i, from_us + i * gap_us);
}

START_TEST(an_srt_burst_is_a_train_between_pairs)
{
    srt_begin();
    srt_burst(16, 10, 100000, GAP_US); /* 16 and 17, then 18 to 25 */
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 2);
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_OK, 2, GAP_US * US);
    feed_assert_train(&feed, 1, 2, PPREC_VERDICT_OK, 8, 7 * GAP_US * US);
}
END_TEST

/* SRT paces all but the pair: bursts come twice as slow. */
START_TEST(paced_srt_bursts_are_left_out)
{
    srt_begin();
    for (uint32_t cycle = 1; cycle <= 20; cycle++) {
        srt_burst(16 * cycle, 2, cycle * 100000, GAP_US);
        srt_burst(16 * cycle + 2, 14, cycle * 100000 + 4 * GAP_US, 2 * GAP_US);
    }
    recognise_finish();
    for (size_t i = 4; i < feed.trains; i++)
        feed_assert_train(&feed, i, feed.train[i].train, PPREC_VERDICT_OK, 2, GAP_US * US);
    ck_assert_uint_ge(feed.trains, 20);
    ck_assert_double_eq_tol(feed.summary[0].rate_p50_bps, 10e6, 1);
}
END_TEST

/* --- Any other flow --- */

static void tcp(uint32_t seq, uint32_t payload, int64_t at_us)
{
    struct packet packet = packet_of(PACKET_TCP, NULL, 0, payload + TCP_HEADERS);

    packet.tcp_seq = seq;
    packet.tcp_flags = 0x10;
    recognise_arrive(&packet, at_us);
}

enum { SEGMENT = 942 }; /* a frame of 1000 */

START_TEST(tcp_in_a_row_is_trains_of_16)
{
    for (uint32_t i = 0; i < 48; i++)
        tcp(0xfffff000 + i * SEGMENT, SEGMENT, i * GAP_US); /* the number wraps */
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 3);
    for (uint32_t i = 0; i < 3; i++) {
        feed_assert_train(&feed, i, i + 1, PPREC_VERDICT_OK, 16, 15 * GAP_US * US);
        ck_assert_double_eq(feed.train[i].rate_bps, 10e6);
    }
    ck_assert_int_eq(feed.summary[0].kind, PPREC_KIND_FLOW);
    ck_assert_int_eq(feed.summary[0].capacity.state, PPREC_STATE_TENTATIVE);
}
END_TEST

START_TEST(tcp_retransmissions_and_gaps_never_pair)
{
    static const uint32_t order[] = {0, 1, 2, 1, 3, 5, 6, 4, 7};

    for (uint32_t i = 0; i < 9; i++)
        tcp(order[i] * SEGMENT, SEGMENT, i * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 2); /* 0 1 2, and 5 6 */
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_OK, 3, 2 * GAP_US * US);
    feed_assert_train(&feed, 1, 2, PPREC_VERDICT_OK, 2, GAP_US * US);
}
END_TEST

START_TEST(small_and_shorter_segments_end_a_train)
{
    tcp(0, SEGMENT, 0);
    tcp(SEGMENT, SEGMENT, GAP_US);
    tcp(2 * SEGMENT, 300, 2 * GAP_US);
    tcp(2 * SEGMENT + 300, SEGMENT, 3 * GAP_US);
    recognise_finish();
    ck_assert_uint_eq(feed.trains, 1);
    feed_assert_train(&feed, 0, 1, PPREC_VERDICT_OK, 2, GAP_US * US);
}
END_TEST

/* Two sizes beyond 1500: the receiving host merged them. */
START_TEST(merged_segments_are_refused)
{
    struct pprec_capture_counts counts;
    static const uint32_t sizes[] = {1448, 2896, 4344, 1448, 1448, 2896};
    uint32_t seq = 0;

    for (uint32_t i = 0; i < 6; i++) {
        tcp(seq, sizes[i], i * 3 * GAP_US);
        seq += sizes[i];
    }
    recognise_finish();
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.merged, 2); /* the first one could be a jumbo frame */
    ck_assert_uint_eq(feed.trains, 0);
}
END_TEST

START_TEST(jumbo_frames_are_not_merged)
{
    struct pprec_capture_counts counts;

    for (uint32_t i = 0; i < 4; i++)
        tcp(i * 8948, 8948, i * GAP_US);
    recognise_finish();
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.merged, 0);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].size_bytes, 8948 + TCP_HEADERS + 18);
}
END_TEST

static void udp(int64_t at_us)
{
    static const uint8_t data[16] = {0x17, 3, 3};
    struct packet packet = packet_of(PACKET_UDP, data, sizeof data, 982);

    recognise_arrive(&packet, at_us);
}

START_TEST(udp_without_a_pause_is_at_its_senders_pace)
{
    for (uint32_t i = 0; i < 100; i++)
        udp(i * GAP_US);
    recognise_finish();
    ck_assert_uint_ge(feed.trains, 3);
    for (size_t i = 0; i + 1 < feed.trains; i++)
        feed_assert_train(&feed, i, (uint32_t)i + 1, PPREC_VERDICT_SENDER_LIMITED, 16, 15 * GAP_US * US);
    ck_assert_int_eq(feed.summary[0].capacity.state, PPREC_STATE_SENDER_LIMITED);
}
END_TEST

START_TEST(udp_bursts_measure_the_path)
{
    for (uint32_t burst = 0; burst < 20; burst++)
        for (uint32_t i = 0; i < 6; i++)
            udp(burst * 100000 + i * GAP_US);
    recognise_finish();
    ck_assert_uint_ge(feed.trains, 18);
    for (size_t i = 2; i < feed.trains; i++)
        feed_assert_train(&feed, i, (uint32_t)i + 1, PPREC_VERDICT_OK, 6, 5 * GAP_US * US);
    ck_assert_double_eq_tol(feed.summary[0].rate_p50_bps, 10e6, 1);
}
END_TEST

/* --- Probes, with a key --- */

/* Refused, and no flow of anything else either. */
START_TEST(a_probe_that_is_refused_is_no_flow)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {1};
    struct wire_probe probe = {.length_log2 = 1, .flags = WIRE_TIME | WIRE_AUTH};
    uint8_t data[WIRE_MOST_BYTES] = {0};
    struct packet packet = packet_of(PACKET_UDP, data, sizeof data, 982);
    struct pprec_config config;

    if (auth_init(NULL) < 0)
        return;
    pprec_config_init(&config);
    config.key = key;
    feed_end(&feed);
    feed_start_with(&feed, config);
    for (int64_t i = 0; i < 100; i++) {
        probe.seq = (uint32_t)i;
        probe.position = probe.seq % 2;
        probe.train = probe.seq / 2;
        probe.flags = i < 50 ? WIRE_TIME | WIRE_AUTH : WIRE_TIME;
        wire_encode(&probe, data, sizeof data);
        recognise_arrive(&packet, i * GAP_US);
    }
    recognise_finish();
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_BAD_TAG), 50);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_UNTAGGED), 50);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 0);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

/* Of which so much is captured, at port 6000. */
static struct pprec_capture_counts counts_of_probes(size_t data_bytes, uint16_t port)
{
    struct wire_probe probe = {.length_log2 = 4, .flags = WIRE_TIME};
    uint8_t data[WIRE_MOST_BYTES] = {0};
    struct packet packet = packet_of(PACKET_UDP, data, data_bytes, 982), taken;
    struct pprec_capture_counts counts;

    for (uint32_t i = 0; i < 160; i++) {
        probe.seq = i;
        probe.position = i % 16;
        probe.train = i / 16;
        wire_encode(&probe, data, sizeof data);
        packet.arrival.received =
            (struct pprec_stamp){FEED_EPOCH_NS + i * GAP_US * US, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP};
        taken = packet;
        recognise(feed.pprec, flows, &taken, port);
    }
    recognise_finish();
    pprec_get_capture_counts(feed.pprec, &counts);
    return counts;
}

START_TEST(probes_to_another_port_are_no_flow)
{
    struct pprec_capture_counts counts = counts_of_probes(WIRE_MOST_BYTES, 6001);

    ck_assert_uint_eq(counts.elsewhere, 160);
    ck_assert_uint_eq(counts.elsewhere_port, 6000);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 160);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

/* What begins with the mark and the version is one. */
START_TEST(probes_that_are_cut_are_no_flow)
{
    static const size_t kept[] = {3, WIRE_HEADER_BYTES - 1, WIRE_HEADER_BYTES,
                                  WIRE_HEADER_BYTES + WIRE_TIME_BYTES - 1};

    ck_assert_uint_eq(counts_of_probes(kept[_i], 0).cut, 160);
    ck_assert_uint_eq(feed.summaries, 0);
}
END_TEST

START_TEST(what_is_cut_too_short_to_tell_is_counted)
{
    struct pprec_capture_counts counts = counts_of_probes(2, 0);

    ck_assert_uint_eq(counts.cut, 0);
    ck_assert_uint_ge(counts.unread, 150); /* the first ones decide that nothing is known */
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_int_eq(feed.summary[0].kind, PPREC_KIND_FLOW);
}
END_TEST

/* Every other one is a copy that goes elsewhere. */
START_TEST(a_captured_probe_tells_its_destination)
{
    static const struct auth_key key = {{1}};
    struct wire_probe probe = {.length_log2 = 1, .flags = WIRE_TIME | WIRE_AUTH, .sent_ns = FEED_EPOCH_NS};
    uint8_t data[WIRE_MOST_BYTES] = {0};
    struct packet packet = packet_of(PACKET_UDP, data, sizeof data, 982);
    struct pprec_endpoint to = packet.arrival.destination;
    struct auth_destination bound;
    struct pprec_config config;

    if (auth_init(NULL) < 0)
        return;
    pprec_config_init(&config);
    config.key = key.bytes;
    feed_end(&feed);
    feed_start_with(&feed, config);
    auth_set_destination(&bound, to.ip, to.address, to.port);
    for (uint32_t i = 0; i < 20; i++) {
        probe.seq = i / 2;
        probe.position = probe.seq % 2;
        probe.train = probe.seq / 2;
        wire_encode(&probe, data, sizeof data);
        auth_tag(&key, &bound, data, probe.flags);
        packet.arrival.destination.address[3] = i % 2 == 0 ? 8 : to.address[3];
        recognise_arrive(&packet, i * GAP_US);
    }
    recognise_finish();
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_BAD_TAG), 10);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_uint_eq(feed.summary[0].counts.packets, 10);
}
END_TEST

/* --- The table of flows --- */

START_TEST(the_oldest_idle_flow_goes)
{
    struct packet packet = packet_of(PACKET_UDP, NULL, 0, 982);

    for (uint32_t i = 0; i < FLOWS_MAX; i++) {
        recognise_put(packet.arrival.source.address, i, 4);
        flows_find(flows, &packet, 0)->full_bytes = i;
    }
    recognise_put(packet.arrival.source.address, 0, 4); /* heard of again: the second is the oldest now */
    ck_assert_uint_eq(flows_find(flows, &packet, 0)->full_bytes, 0);
    ck_assert_uint_eq(flows->pushed_out, 0);
    recognise_put(packet.arrival.source.address, FLOWS_MAX, 4);
    flows_find(flows, &packet, 0)->full_bytes = FLOWS_MAX;
    ck_assert_uint_eq(flows->pushed_out, 1);
    for (uint32_t i = 2; i <= FLOWS_MAX; i++) {
        recognise_put(packet.arrival.source.address, i, 4);
        ck_assert_uint_eq(flows_find(flows, &packet, 0)->full_bytes, i);
    }
    ck_assert_uint_eq(flows->pushed_out, 1);
}
END_TEST

/* What everybody could read: FNV-1a's constants, word by word. */
static uint64_t old_mix(uint64_t value, uint64_t word)
{
    value = (value ^ word) * UINT64_C(0x100000001b3);
    return value ^ value >> 32;
}

static uint64_t old_mix_endpoint(uint64_t value, const struct pprec_endpoint *endpoint)
{
    uint64_t words[2];

    memcpy(words, endpoint->address, sizeof words);
    return old_mix(old_mix(old_mix(value, words[0]), words[1]), endpoint->port);
}

/* The next source that would have fallen into bucket 0 of 32768. */
static void choose_source(struct packet *packet)
{
    uint64_t before = old_mix(UINT64_C(0xcbf29ce484222325), 0);
    uint32_t number;

    do {
        memcpy(&number, packet->arrival.source.address, sizeof number);
        number++;
        memcpy(packet->arrival.source.address, &number, sizeof number);
    } while (old_mix_endpoint(old_mix_endpoint(before, &packet->arrival.source), &packet->arrival.destination)
                 % 32768
             != 0);
}

static unsigned recognise_longest_chain(void)
{
    unsigned longest = 0;

    for (size_t i = 0; i < 2 * flows->room; i++) {
        unsigned chain = 0;

        for (const struct flow *at = flows->buckets[i]; at != NULL; at = at->next_in_bucket)
            chain++;
        longest = chain > longest ? chain : longest;
    }
    return longest;
}

/* Of 500 random ones among 2048 buckets 9 in one is a chance of 1e-8. */
START_TEST(chosen_flows_do_not_fall_together)
{
    struct packet packet = packet_of(PACKET_UDP, NULL, 0, 982);

    for (int i = 0; i < 500; i++) {
        choose_source(&packet);
        flows_find(flows, &packet, 0);
    }
    ck_assert_uint_eq(flows->count, 500);
    ck_assert_uint_lt(recognise_longest_chain(), 9);
}
END_TEST

Suite *recognise_suite(void)
{
    Suite *suite = suite_create("recognise");
    TCase *media = tcase_create("media");
    TCase *plain = tcase_create("plain");

    tcase_add_checked_fixture(media, recognise_set_up, recognise_tear_down);
    tcase_add_test(media, a_frame_is_a_train);
    tcase_add_test(media, overtaken_rtp_never_pairs);
    tcase_add_test(media, lost_rtp_ends_a_train_and_is_counted);
    tcase_add_test(media, frames_that_fill_their_time_look_paced);
    tcase_add_test(media, audio_of_a_packet_a_frame_is_no_train);
    tcase_add_test(media, rtp_that_begins_anew);
    tcase_add_test(media, an_srt_socket_that_begins_with_control);
    tcase_add_test(media, an_srt_pair_is_a_train);
    tcase_add_test(media, an_srt_pair_handed_over_apart_is_the_senders);
    tcase_add_test(media, srt_retransmissions_and_gaps_never_pair);
    tcase_add_test(media, an_srt_burst_is_a_train_between_pairs);
    tcase_add_test(media, paced_srt_bursts_are_left_out);
    tcase_add_checked_fixture(plain, recognise_set_up, recognise_tear_down);
    tcase_add_test(plain, tcp_in_a_row_is_trains_of_16);
    tcase_add_test(plain, tcp_retransmissions_and_gaps_never_pair);
    tcase_add_test(plain, small_and_shorter_segments_end_a_train);
    tcase_add_test(plain, merged_segments_are_refused);
    tcase_add_test(plain, jumbo_frames_are_not_merged);
    tcase_add_test(plain, udp_without_a_pause_is_at_its_senders_pace);
    tcase_add_test(plain, udp_bursts_measure_the_path);
    tcase_add_test(plain, a_probe_that_is_refused_is_no_flow);
    tcase_add_test(plain, probes_to_another_port_are_no_flow);
    tcase_add_loop_test(plain, probes_that_are_cut_are_no_flow, 0, 4);
    tcase_add_test(plain, what_is_cut_too_short_to_tell_is_counted);
    tcase_add_test(plain, a_captured_probe_tells_its_destination);
    tcase_add_test(plain, the_oldest_idle_flow_goes);
    tcase_add_test(plain, chosen_flows_do_not_fall_together);
    suite_add_tcase(suite, media);
    suite_add_tcase(suite, plain);
    return suite;
}
