/* SPDX-License-Identifier: BSD-3-Clause */
/* pptrans: the bytes of a train, and what its departure stamps say. */
#include "tests/unit/suites.h"
#include "pptrans/burst.h"
#include "pptrans/flight.h"
#include "pptrans/gaps.h"
#include "pptrans/report.h"
#include "pptrans/payloads.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* --- bytes -------------------------------------------------------------- */

/* The second packet of train 7, a pair, with both extensions. */
static const uint8_t golden[] = {
    0x50, 0x50,                                     /* PP */
    0x11,                                           /* version 1, 2^1 packets */
    0x01,                                           /* position */
    0xde, 0xad, 0xbe, 0xef,                         /* stream */
    0x00, 0x00, 0x00, 0x0f,                         /* sequence number 15 */
    0x00, 0x00, 0x00, 0x07,                         /* train */
    0x00, 0x03,                                     /* TIME, DEPARTURE */
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* time */
    0x00, 0x00, 0x00, 0x06,                         /* of train 6, */
    0x00, 0x00, 0x10, 0x00,                         /* 4096 ns */
};

START_TEST(test_header_bytes)
{
    struct wire_probe first = {.length_log2 = 1,
                               .flags = WIRE_TIME | WIRE_DEPARTURE,
                               .stream = 0xdeadbeef,
                               .seq = 14,
                               .train = 7,
                               .departure_train = 6,
                               .departure_span_ns = 4096};
    struct payloads payloads;
    uint8_t padding[6];

    ck_assert_int_eq(payloads_init(&payloads, 2, 40, NULL), 0);
    memcpy(padding, payloads_at(&payloads, 1) + 34, sizeof padding);
    payloads_write(&payloads, &first);
    payloads_set_time(&payloads, &first, 0x0102030405060708);
    ck_assert_mem_eq(payloads_at(&payloads, 1), golden, sizeof golden);
    ck_assert_mem_eq(payloads_at(&payloads, 1) + 34, padding, sizeof padding);
    /* The first packet differs in position and sequence number alone. */
    ck_assert_uint_eq(payloads_at(&payloads, 0)[3], 0);
    ck_assert_uint_eq(payloads_at(&payloads, 0)[11], 14);
    ck_assert_mem_eq(payloads_at(&payloads, 0) + 12, golden + 12, sizeof golden - 12);
    payloads_fini(&payloads);
}
END_TEST

/* Over several trains, and where the sequence number wraps, every packet says
 * what it should and all packets of a train have the same flags and time. */
START_TEST(test_every_header_decodes)
{
    struct wire_probe first = {
        .length_log2 = 8, .flags = WIRE_TIME, .stream = 5, .seq = UINT32_MAX - 10, .train = UINT32_MAX};
    struct wire_probe probe;
    struct payloads payloads;

    ck_assert_int_eq(payloads_init(&payloads, 256, 26, NULL), 0);
    payloads_write(&payloads, &first);
    payloads_set_time(&payloads, &first, 99);
    for (uint32_t i = 0; i < 256; i++) {
        ck_assert_int_eq(wire_decode(&probe, payloads_at(&payloads, i), 26), WIRE_OK);
        ck_assert_uint_eq(probe.position, i);
        ck_assert_uint_eq(probe.seq, UINT32_MAX - 10 + i);
        ck_assert_uint_eq(probe.sent_ns, 99);
        ck_assert_uint_eq(probe.flags, WIRE_TIME);
    }
    payloads_fini(&payloads);
}
END_TEST

START_TEST(test_extensions_when_they_fit)
{
    ck_assert_uint_eq(payloads_flags(18, true, false), 0);
    ck_assert_uint_eq(payloads_flags(25, true, false), 0);
    ck_assert_uint_eq(payloads_flags(26, true, false), WIRE_TIME);
    ck_assert_uint_eq(payloads_flags(33, true, false), WIRE_TIME);
    ck_assert_uint_eq(payloads_flags(34, true, false), WIRE_TIME | WIRE_DEPARTURE);
    ck_assert_uint_eq(payloads_flags(1000, false, false), WIRE_TIME); /* nothing to tell yet */
}
END_TEST

/* The paper's format: one byte, modulo 256, the rest untouched. */
START_TEST(test_classic_bytes)
{
    struct payloads payloads;
    uint8_t before[4 * 20];

    ck_assert_int_eq(payloads_init(&payloads, 4, 20, NULL), 0);
    memcpy(before, payloads.bytes, sizeof before);
    payloads_write_classic(&payloads, 4, 254);
    before[0] = 254;
    before[20] = 255;
    before[40] = 0;
    before[60] = 1;
    ck_assert_mem_eq(payloads.bytes, before, sizeof before);
    payloads_fini(&payloads);
}
END_TEST

/* Random padding: of 8 * 256 000 bits half are set, within 5 * sqrt(n / 4). */
START_TEST(test_padding_does_not_compress)
{
    struct payloads payloads;
    long set = 0;

    ck_assert_int_eq(payloads_init(&payloads, 256, 1000, NULL), 0);
    for (size_t i = 0; i < 256000; i++)
        set += __builtin_popcount(payloads.bytes[i]);
    ck_assert_int_ge(set, 1024000 - 3600);
    ck_assert_int_le(set, 1024000 + 3600);
    payloads_fini(&payloads);
}
END_TEST

/* --- handing over -------------------------------------------------------- */

/* A socket of another kind, whose receiver takes a dozen and then no more: the first packets of the
 * train have left, and none behind the one that was refused. */
START_TEST(test_what_is_refused_ends_the_train)
{
    static struct burst burst;
    struct wire_probe first = {.length_log2 = 6, .seq = 100}, probe;
    struct flight flight = {.packets = 64, .payload_bytes = 40};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t name_bytes = sizeof name;
    int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct payloads payloads;
    struct address to;
    uint8_t data[40];
    uint32_t came = 0;

    ck_assert_int_eq(bind(receiver, (struct sockaddr *)&name, sizeof name.sun_family), 0);
    ck_assert_int_eq(getsockname(receiver, (struct sockaddr *)&name, &name_bytes), 0);
    memcpy(&to.storage, &name, sizeof name);
    to.bytes = name_bytes;
    ck_assert_int_eq(payloads_init(&payloads, 64, 40, NULL), 0);
    payloads_write(&payloads, &first);
    burst_init(&burst, sender, &to, false, false);
    burst_prepare(&burst, &payloads, &flight);
    burst_send(&burst, &payloads, &flight);
    for (; recv(receiver, data, sizeof data, MSG_DONTWAIT) == sizeof data; came++) {
        ck_assert_int_eq(wire_decode(&probe, data, sizeof data), WIRE_OK);
        ck_assert_uint_eq(probe.seq, 100 + came);
    }
    ck_assert_uint_gt(came, 0);
    ck_assert_uint_gt(flight.failed, 0);
    ck_assert_uint_eq(came + flight.failed, 64);
    ck_assert_int_eq(burst.failures.reasons[0].number, EAGAIN);
    ck_assert_uint_eq(burst.failures.reasons[0].packets, flight.failed);
    payloads_fini(&payloads);
    close(receiver);
    close(sender);
}
END_TEST

/* --- hop limits and paces -------------------------------------------------- */

static int sender_hops_of(const struct msghdr *message, int level, int type)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int hops;

    ck_assert_ptr_nonnull(header);
    ck_assert_int_eq(header->cmsg_level, level);
    ck_assert_int_eq(header->cmsg_type, type);
    ck_assert_uint_eq(header->cmsg_len, CMSG_LEN(sizeof hops));
    memcpy(&hops, CMSG_DATA(header), sizeof hops);
    return hops;
}

/* Markers small, with their own hop limit, first and last; the load in between full, with another:
 * a packet a message, whatever else is segmented. */
START_TEST(test_load_and_markers)
{
    static struct burst burst;
    struct flight flight = {
        .packets = 16, .payload_bytes = 1472, .marker_bytes = 38, .load_hops = 3, .marker_hops = 64};
    struct address to = {.any = {.sa_family = _i == 0 ? AF_INET : AF_INET6}};
    int level = _i == 0 ? IPPROTO_IP : IPPROTO_IPV6, type = _i == 0 ? IP_TTL : IPV6_HOPLIMIT;
    struct payloads payloads;

    ck_assert_int_eq(payloads_init(&payloads, 64, 1472, NULL), 0);
    burst_init(&burst, -1, &to, true, true);
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.messages, 16);
    for (size_t i = 0; i < 16; i++) {
        bool marker = i == 0 || i == 15;

        ck_assert_uint_eq(flight.position[i], i);
        ck_assert_uint_eq(burst.stretches[i].iov_len, marker ? 38 : 1472);
        ck_assert_ptr_eq(burst.stretches[i].iov_base, payloads_at(&payloads, (uint32_t)i));
        ck_assert_int_eq(sender_hops_of(&burst.messages[i].msg_hdr, level, type), marker ? 64 : 3);
    }
    flight.load_hops = 0;
    flight.marker_bytes = 1472;
    burst_prepare(&burst, &payloads, &flight); /* and no trace of it in the next */
    for (size_t i = 0; i < flight.messages; i++)
        ck_assert(burst.messages[i].msg_hdr.msg_control == NULL
                  || CMSG_FIRSTHDR(&burst.messages[i].msg_hdr)->cmsg_level == IPPROTO_UDP);
    payloads_fini(&payloads);
}
END_TEST

/* Every header of such a train says the same of its reach, the small ones too. */
START_TEST(test_reach_is_told_in_every_packet)
{
    struct wire_probe first = {.length_log2 = 3,
                               .flags = WIRE_TIME | WIRE_DEPARTURE | WIRE_REACH,
                               .seq = 40,
                               .train = 9,
                               .reach_load_hops = 3,
                               .reach_marker_hops = 64,
                               .reach_load_bytes = 1472};
    struct payloads payloads;
    struct wire_probe probe;

    ck_assert_int_eq(payloads_init(&payloads, 8, 1472, NULL), 0);
    payloads_write(&payloads, &first);
    payloads_set_time(&payloads, &first, 77);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_int_eq(wire_decode(&probe, payloads_at(&payloads, i), 38), WIRE_OK);
        ck_assert_uint_eq(probe.reach_load_hops, 3);
        ck_assert_uint_eq(probe.reach_marker_hops, 64);
        ck_assert_uint_eq(probe.reach_load_bytes, 1472);
        ck_assert_uint_eq(probe.sent_ns, 77);
        ck_assert_uint_eq(probe.seq, 40 + i);
    }
    payloads_fini(&payloads);
}
END_TEST

/* A paced train is never segmented; told to stop after five of eight packets, it waits for the
 * stamps of these alone, and says nothing of its departure. */
START_TEST(test_paced_train_that_is_cut)
{
    static struct burst burst;
    struct flight flight = {.packets = 8, .payload_bytes = 100, .paced = true};
    struct flight_spread spread;
    struct address to = {.any = {.sa_family = AF_INET}};
    struct payloads payloads;

    ck_assert_int_eq(payloads_init(&payloads, 8, 100, NULL), 0);
    burst_init(&burst, -1, &to, true, true);
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.messages, 8);
    burst_stop(&flight, 5);
    ck_assert_uint_eq(flight.unsent, 3);
    ck_assert_uint_eq(flight_taken(&flight), 5);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert(!flight_settled(&flight));
        flight_note(&flight, &(struct departure){.number = i, .when = {.ns = 1000 * (i + 1)}});
    }
    ck_assert(flight_settled(&flight));
    flight_measure(&flight, &spread);
    ck_assert(!spread.known);
    burst_prepare(&burst, &payloads, &flight);
    ck_assert_uint_eq(flight.unsent, 0);
    payloads_fini(&payloads);
}
END_TEST

/* Whole, but the kernel's stamps are missing: the clock at its sends tells. Without that a receiver
 * would take it for a train that left at once. */
START_TEST(test_paced_train_without_stamps)
{
    struct flight flight = {.packets = 4,
                            .messages = 4,
                            .position = {0, 1, 2, 3},
                            .paced = true,
                            .sent_span_ns = 3000000,
                            .uncertain = true};
    struct flight_spread spread;

    flight_measure(&flight, &spread);
    ck_assert(spread.known);
    ck_assert_int_eq(spread.span_ns, 3000000);
    flight.uncertain = false;
    for (uint32_t i = 0; i < 4; i++)
        flight_note(&flight, &(struct departure){.number = i, .when = {.ns = 7 + 1000001 * i}});
    flight_measure(&flight, &spread);
    ck_assert_int_eq(spread.span_ns, 3000003); /* stamps go before */
    flight.sent_span_ns = 0;
    flight.uncertain = true;
    flight_measure(&flight, &spread);
    ck_assert(!spread.known);
}
END_TEST

/* What left at a rung, and nothing of it among trains that leave at once. */
START_TEST(test_rungs_are_accounted_for)
{
    static struct report_totals totals;
    struct plan_shape shape = {.length_log2 = 2, .size_bytes = 1000, .rung = 3, .gap_ns = 8e6};
    struct flight flight = {.packets = 4, .messages = 4, .stamps = 4};
    struct flight_spread spread = {.known = true, .gaps = 3, .span_ns = 24000000};

    report_departure(&totals, &shape, &flight, &spread);
    spread.span_ns = 25000000;
    report_departure(&totals, &shape, &flight, &spread);
    spread.known = false;
    report_departure(&totals, &shape, &flight, &spread);
    ck_assert_uint_eq(totals.known, 2);
    ck_assert_uint_eq(totals.rungs[3].trains, 2);
    ck_assert_double_eq_tol(report_rung_bps(&totals.rungs[3]), 48000 / 0.049, 1e-6);
    ck_assert_double_eq_tol(totals.rungs[3].least_bps, 24000 / 0.025, 1e-6);
    ck_assert_double_eq_tol(totals.rungs[3].most_bps, 1e6, 1e-6);
    ck_assert_uint_eq(totals.gaps.count, 0);
    ck_assert_uint_eq(totals.mean_gaps[REPORT_TRAINS].count, 0);
    ck_assert_double_eq(report_rung_bps(&totals.rungs[2]), 0);
}
END_TEST

/* --- departures --------------------------------------------------------- */

/* Four packets as four messages, numbered from 100 on. */
static struct flight four(void)
{
    return (struct flight){.packets = 4, .messages = 4, .position = {0, 1, 2, 3}, .first_number = 100};
}

static void sender_note(struct flight *flight, uint32_t number, int64_t ns)
{
    struct departure departure = {.number = number, .when = {.ns = ns}};

    flight_note(flight, &departure);
}

static struct flight_spread spread;

START_TEST(test_span_and_gaps)
{
    struct flight flight = four();

    sender_note(&flight, 102, 5300); /* in any order */
    sender_note(&flight, 100, 5000);
    sender_note(&flight, 101, 5100);
    ck_assert(!flight_settled(&flight));
    sender_note(&flight, 103, 5900);
    ck_assert(flight_settled(&flight));
    flight_measure(&flight, &spread);
    ck_assert(spread.known);
    ck_assert_int_eq(spread.span_ns, 900);
    ck_assert_uint_eq(spread.gaps, 3);
    ck_assert_int_eq(spread.least_ns, 100);
    ck_assert_int_eq(spread.median_ns, 200);
    ck_assert_int_eq(spread.most_ns, 600);
}
END_TEST

/* A segmented train of 130: 64 packets, 64, 1, 1; gaps are per packet. */
START_TEST(test_gaps_of_a_segmented_train)
{
    struct flight flight = {.packets = 130, .messages = 4, .position = {0, 64, 128, 129}};

    sender_note(&flight, 0, 10000);
    sender_note(&flight, 1, 16400);
    sender_note(&flight, 2, 29200);
    sender_note(&flight, 3, 30000);
    flight_measure(&flight, &spread);
    ck_assert(spread.known);
    ck_assert_int_eq(spread.span_ns, 20000);
    ck_assert_int_eq(spread.least_ns, 100);
    ck_assert_int_eq(spread.median_ns, 200);
    ck_assert_int_eq(spread.most_ns, 800);
}
END_TEST

START_TEST(test_numbers_wrap)
{
    struct flight flight = four();

    flight.first_number = UINT32_MAX - 1;
    for (uint32_t i = 0; i < 4; i++)
        sender_note(&flight, UINT32_MAX - 1 + i, 2000 + i);
    flight_measure(&flight, &spread);
    ck_assert(spread.known);
    ck_assert_int_eq(spread.span_ns, 3);
}
END_TEST

/* Without the stamp of the first or of the last packet there is no span, but
 * there are gaps; without one in between there is a span. */
START_TEST(test_missing_stamp)
{
    struct flight flight = four();

    for (uint32_t i = 0; i < 4; i++)
        if (i != (uint32_t)_i)
            sender_note(&flight, 100 + i, 2000 + 100 * i);
    ck_assert(!flight_settled(&flight));
    flight_measure(&flight, &spread);
    ck_assert_int_eq(spread.known, _i == 1 || _i == 2);
    ck_assert_uint_eq(spread.gaps, _i == 0 || _i == 3 ? 2 : 1);
}
END_TEST

START_TEST(test_foreign_stamps_are_passed_over)
{
    struct flight flight = four();

    sender_note(&flight, 99, 2000);  /* the train before */
    sender_note(&flight, 104, 2000); /* nothing we sent */
    ck_assert_uint_eq(flight.stamps, 0);
    sender_note(&flight, 100, 2000);
    sender_note(&flight, 100, 2000); /* twice */
    ck_assert_uint_eq(flight.stamps, 1);
}
END_TEST

START_TEST(test_refused_packet_leaves_no_span)
{
    struct flight flight = four();

    flight.uncertain = true;
    for (uint32_t i = 0; i < 4; i++)
        sender_note(&flight, 100 + i, 2000 + i);
    ck_assert(flight_settled(&flight)); /* nothing to wait for */
    flight_measure(&flight, &spread);
    ck_assert(!spread.known);
    ck_assert_uint_eq(spread.gaps, 0);
}
END_TEST

START_TEST(test_clock_step_leaves_no_span)
{
    struct flight flight = four();

    for (uint32_t i = 0; i < 4; i++)
        sender_note(&flight, 100 + i, 9000 - 100 * i);
    flight_measure(&flight, &spread);
    ck_assert(!spread.known);
    ck_assert_uint_eq(spread.gaps, 0);
}
END_TEST

START_TEST(test_span_on_the_wire)
{
    ck_assert_uint_eq(flight_wire_span(0), 0);
    ck_assert_uint_eq(flight_wire_span(4294967294), 4294967294);
    ck_assert_uint_eq(flight_wire_span(4294967295), WIRE_SPAN_OVER);
    ck_assert_uint_eq(flight_wire_span(5000000000), WIRE_SPAN_OVER);
}
END_TEST

/* --- many trains -------------------------------------------------------- */

START_TEST(test_median_is_right_to_a_percent)
{
    static struct gaps gaps;
    int64_t scale = (int64_t)1 << _i;

    memset(&gaps, 0, sizeof gaps);
    ck_assert_int_eq(gaps_median_ns(&gaps), -1);
    for (int64_t i = 1; i <= 999; i++)
        gaps_add(&gaps, 1000 * scale + i * scale);
    ck_assert_double_eq_tol((double)gaps_median_ns(&gaps) / (1500.0 * (double)scale), 1, 0.01);
    ck_assert_int_eq(gaps.least_ns, 1001 * scale);
    ck_assert_uint_eq(gaps_above(&gaps, 2500 * scale), 0);
    ck_assert_uint_eq(gaps_above(&gaps, 900 * scale), 999);
}
END_TEST

START_TEST(test_gaps_at_the_ends)
{
    static struct gaps gaps;

    memset(&gaps, 0, sizeof gaps);
    gaps_add(&gaps, -5);
    ck_assert_int_eq(gaps_median_ns(&gaps), 0);
    gaps_add(&gaps, INT64_MAX);
    gaps_add(&gaps, INT64_MAX);
    ck_assert_int_eq(gaps.least_ns, 0);
    ck_assert_uint_eq(gaps_above(&gaps, 1000), 2);
    ck_assert_int_gt(gaps_median_ns(&gaps), INT64_C(1) << 40);
}
END_TEST

START_TEST(test_totals)
{
    static struct report_totals totals;

    memset(&totals, 0, sizeof totals);
    totals.bytes = 3000;
    totals.last_bytes = 1000;
    ck_assert_double_eq(report_average_bps(&totals), 0); /* a single train */
    totals.last_ns = STAMP_NS_PER_S;
    ck_assert_double_eq_tol(report_average_bps(&totals), 16000, 1e-6);
    for (int i = 0; i < 9; i++)
        gaps_add(&totals.mean_gaps[REPORT_PAIRS], 4000);
    gaps_add(&totals.mean_gaps[REPORT_PAIRS], 9000);
    gaps_add(&totals.mean_gaps[REPORT_TRAINS], 400000);
    ck_assert_uint_eq(report_slow_trains(&totals), 1);
    /* 8000 bits in 4 us: 2 Gbit/s, to a bucket's width. */
    ck_assert_double_eq_tol(report_sent_bps(&totals, REPORT_PAIRS, 1000), 2e9, 2e7);
}
END_TEST

Suite *sender_suite(void)
{
    Suite *suite = suite_create("train");
    TCase *tests = tcase_create("train");

    tcase_add_test(tests, test_header_bytes);
    tcase_add_test(tests, test_every_header_decodes);
    tcase_add_test(tests, test_extensions_when_they_fit);
    tcase_add_test(tests, test_classic_bytes);
    tcase_add_test(tests, test_padding_does_not_compress);
    tcase_add_test(tests, test_what_is_refused_ends_the_train);
    tcase_add_loop_test(tests, test_load_and_markers, 0, 2);
    tcase_add_test(tests, test_reach_is_told_in_every_packet);
    tcase_add_test(tests, test_paced_train_that_is_cut);
    tcase_add_test(tests, test_paced_train_without_stamps);
    tcase_add_test(tests, test_rungs_are_accounted_for);
    tcase_add_test(tests, test_span_and_gaps);
    tcase_add_test(tests, test_gaps_of_a_segmented_train);
    tcase_add_test(tests, test_numbers_wrap);
    tcase_add_loop_test(tests, test_missing_stamp, 0, 4);
    tcase_add_test(tests, test_foreign_stamps_are_passed_over);
    tcase_add_test(tests, test_refused_packet_leaves_no_span);
    tcase_add_test(tests, test_clock_step_leaves_no_span);
    tcase_add_test(tests, test_span_on_the_wire);
    tcase_add_loop_test(tests, test_median_is_right_to_a_percent, 0, 20);
    tcase_add_test(tests, test_gaps_at_the_ends);
    tcase_add_test(tests, test_totals);
    suite_add_tcase(suite, tests);
    return suite;
}
