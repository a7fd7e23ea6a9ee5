/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement traffic of others: each format is recognised, and nothing that only looks like it for a
 * while; its packets' own times make trains, and tell a sender that paces from a link. */
#include "common/keyed_hash.h"
#include "pprec/lib/flows.h"
#include "pprec/lib/recognise.h"
#include "tests/unit/feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

#define US 1000
#define MS (1000 * US)

enum { IP_BYTES = 1228, BURST = 10, GAP_US = 1000 }; /* 1246 bytes at l2: 9.968 Mbit/s */

static struct feed feed;
static struct keyed_hash hash;
static struct flows *flows;

static void stamped_set_up(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    feed_start_with(&feed, config);
    ck_assert_int_eq(keyed_hash_init(&hash, NULL), 0);
    flows = flows_new(&memory_of_libc, &hash, FLOWS_CAPTURED, true);
    ck_assert_ptr_nonnull(flows);
}

static void stamped_tear_down(void)
{
    flows_free(flows);
    feed_end(&feed);
}

static void stamped_put(uint8_t *at, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0) {
        at[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

static void stamped_arrive(const uint8_t *data, size_t data_bytes, int64_t at_us)
{
    struct packet packet = {
        .arrival =
            {
                .source = {.address = {192, 0, 2, 1}, .port = 5000, .ip = 4},
                .destination = {.address = {198, 51, 100, 9}, .port = 6000, .ip = 4},
                .received = {FEED_EPOCH_NS + at_us * US, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP},
                .header_bytes = 28,
                .payload_bytes = IP_BYTES - 28,
                .sent_ns = PPREC_UNKNOWN_NS,
                .departure_span_ns = PPREC_UNKNOWN_NS,
                .departed_ns = PPREC_UNKNOWN_NS,
            },
        .protocol = PACKET_UDP,
        .data = data,
        .data_bytes = data_bytes,
    };

    recognise(feed.pprec, flows, &packet, 0);
}

/* --- The formats, on a clock that is 1000 s ahead of ours --- */

typedef size_t writer(uint8_t *data, uint32_t number, int64_t made_us);

static uint32_t stamped_whole(int64_t made_us)
{
    return (uint32_t)(1000 + made_us / 1000000);
}

static uint32_t part_us(int64_t made_us)
{
    return (uint32_t)(made_us % 1000000);
}

static size_t iperf3(uint8_t *data, uint32_t number, int64_t made_us)
{
    stamped_put(data, stamped_whole(made_us), 4);
    stamped_put(data + 4, part_us(made_us), 4);
    stamped_put(data + 8, number, 4);
    return 60;
}

static size_t iperf3_long(uint8_t *data, uint32_t number, int64_t made_us)
{
    iperf3(data, 0, made_us);
    stamped_put(data + 8, number, 8);
    return 60;
}

static size_t iperf2(uint8_t *data, uint32_t number, int64_t made_us)
{
    stamped_put(data, number, 4);
    stamped_put(data + 4, stamped_whole(made_us), 4);
    stamped_put(data + 8, part_us(made_us), 4);
    return 60;
}

/* One time for all that are handed over together: each 100 ms here. */
static size_t udpst(uint8_t *data, uint32_t number, int64_t made_us)
{
    made_us -= made_us % 100000;
    stamped_put(data, 0xbeef0000, 4);
    stamped_put(data + 4, number, 4);
    stamped_put(data + 8, IP_BYTES - 28, 2);
    stamped_put(data + 20, stamped_whole(made_us), 4);
    stamped_put(data + 24, part_us(made_us) * 1000, 4);
    return 60;
}

static size_t stamp_ntp(uint8_t *data, uint32_t number, int64_t made_us)
{
    stamped_put(data, number, 4);
    stamped_put(data + 4, stamped_whole(made_us) + 2208988800U, 4);
    stamped_put(data + 8, ((uint64_t)part_us(made_us) << 32) / 1000000 + 1, 4);
    stamped_put(data + 12, 0x8001, 2); /* synchronised, scale 0, multiplier 1 */
    return 44;
}

static size_t stamp_ptp(uint8_t *data, uint32_t number, int64_t made_us)
{
    stamped_put(data, number, 4);
    stamped_put(data + 4, stamped_whole(made_us) + 1700000000, 4);
    stamped_put(data + 8, part_us(made_us) * 1000, 4);
    stamped_put(data + 12, 0xc001, 2);
    return 44;
}

static const struct {
    writer *write;
    enum pprec_kind kind;
} formats[] = {
    {iperf3, PPREC_KIND_IPERF}, {iperf3_long, PPREC_KIND_IPERF}, {iperf2, PPREC_KIND_IPERF},
    {udpst, PPREC_KIND_UDPST},  {stamp_ntp, PPREC_KIND_STAMP},   {stamp_ptp, PPREC_KIND_STAMP},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* Packet i of a sender that makes `burst` of them 10 us apart each 100 ms, over a link. */
static void stamped_send(writer *write, uint32_t first, unsigned burst, uint32_t i)
{
    int64_t begun_us = i / burst * INT64_C(100000);
    uint8_t data[64] = {0};
    size_t bytes = write(data, first + i, begun_us + i % burst * 10);

    stamped_arrive(data, bytes, begun_us + i % burst * GAP_US);
}

static const struct pprec_summary *only_summary(void)
{
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.summaries, 1);
    return &feed.summary[0];
}

/* From the very first packet; numbers wrap. */
START_TEST(bursts_measure_the_path)
{
    const struct pprec_summary *summary;

    for (uint32_t i = 0; i < 40 * BURST; i++)
        stamped_send(formats[_i].write, formats[_i].write == iperf2 ? 1 : UINT32_MAX - 30, BURST, i);
    summary = only_summary();
    ck_assert_int_eq(summary->kind, formats[_i].kind);
    ck_assert_uint_eq(summary->counts.packets, 40 * BURST);
    ck_assert_uint_eq(summary->counts.lost, 0);
    ck_assert_uint_eq(feed.trains, 40);
    for (uint32_t i = 0; i < 40; i++)
        feed_assert_train(&feed, i, i + 1, PPREC_VERDICT_OK, BURST, (BURST - 1) * GAP_US * US);
    ck_assert_double_eq_tol(summary->capacity.capacity_bps, 9.968e6, 1e3);
    ck_assert_int_ne(summary->jitter_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(losses_are_counted_and_end_no_stream)
{
    for (uint32_t i = 0; i < 20 * BURST; i++)
        if (i % 37 != 5)
            stamped_send(formats[_i].write, 1, BURST, i);
    ck_assert_int_eq(only_summary()->kind, formats[_i].kind);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 20 * BURST / 37 + 1);
}
END_TEST

/* Of the second half every other packet is lost: what comes is no train, but it came. */
START_TEST(packets_that_stay_alone_are_counted)
{
    uint32_t sent = 0;

    for (uint32_t i = 0; i < 40 * BURST; i++)
        if (i < 20 * BURST || i % 2 == 0) {
            stamped_send(formats[_i].write, 1, BURST, i);
            sent++;
        }
    ck_assert_uint_eq(only_summary()->counts.trains, 20);
    ck_assert_uint_eq(feed.summary[0].counts.packets, sent);
}
END_TEST

/* Packets that left as far apart as they came tell nothing but a bound. */
START_TEST(paced_packets_are_a_bound)
{
    uint8_t data[64] = {0};

    for (uint32_t i = 0; i < 1000; i++)
        stamped_arrive(data, iperf3(data, i, i * GAP_US), i * GAP_US);
    ck_assert_int_eq(only_summary()->capacity.state, PPREC_STATE_SENDER_LIMITED);
    for (size_t i = 0; i < feed.trains; i++)
        ck_assert_int_eq(feed.train[i].verdict, PPREC_VERDICT_SENDER_LIMITED);
}
END_TEST

/* All clocks were set, by 79 years, while nothing came: times have passed alike. */
START_TEST(clocks_set_far_ahead)
{
    const int64_t ahead_us = INT64_C(2500000000) * 1000000;
    uint8_t data[64] = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        int64_t at_us = i * GAP_US + (i > 0 ? ahead_us : 0);

        stamped_arrive(data, iperf3(data, i, at_us), at_us);
    }
    ck_assert_int_eq(only_summary()->kind, PPREC_KIND_IPERF);
}
END_TEST

/* --- What is none of these --- */

static size_t time_stands_still(uint8_t *data, uint32_t number, int64_t made_us)
{
    (void)made_us;
    return iperf3(data, number, 0);
}

/* A counter of packets where microseconds are. */
static size_t counts_for_time(uint8_t *data, uint32_t number, int64_t made_us)
{
    size_t bytes = iperf2(data, number, made_us);

    stamped_put(data + 4, 0, 4);
    stamped_put(data + 8, number, 4);
    return bytes;
}

/* RTP's clock of 90 kHz. */
static size_t stamped_another_clock(uint8_t *data, uint32_t number, int64_t made_us)
{
    return iperf3(data, number, made_us * 9 / 100);
}

static size_t numbers_by_two(uint8_t *data, uint32_t number, int64_t made_us)
{
    return iperf2(data, 2 * number, made_us);
}

static size_t too_many_us(uint8_t *data, uint32_t number, int64_t made_us)
{
    size_t bytes = iperf3(data, number, made_us);

    stamped_put(data + 4, 1000000 + part_us(made_us), 4);
    return bytes;
}

static size_t no_load(uint8_t *data, uint32_t number, int64_t made_us)
{
    size_t bytes = udpst(data, number, made_us);

    stamped_put(data, 0xfeed, 2); /* a status PDU */
    return bytes;
}

static size_t no_error_estimate(uint8_t *data, uint32_t number, int64_t made_us)
{
    size_t bytes = stamp_ntp(data, number, made_us);

    stamped_put(data + 12, 0, 2);
    return bytes;
}

static size_t no_clock(uint8_t *data, uint32_t number, int64_t made_us)
{
    (void)made_us;
    stamped_put(data, number, 4);
    memset(data + 4, 0xd1, 56);
    return 60;
}

static writer *const others[] = {time_stands_still, counts_for_time, stamped_another_clock, numbers_by_two,
                                 too_many_us,       no_load,         no_error_estimate,     no_clock};

enum { OTHERS = sizeof others / sizeof others[0] };

START_TEST(is_any_flow)
{
    for (uint32_t i = 0; i < 40 * BURST; i++)
        stamped_send(others[_i], 100, BURST, i);
    ck_assert_int_eq(only_summary()->kind, PPREC_KIND_FLOW);
}
END_TEST

/* Three that go on are not four. */
START_TEST(a_few_are_not_enough)
{
    uint8_t data[64];
    struct rng rng = rng_start("a_few_are_not_enough");

    for (uint32_t i = 0; i < 40 * BURST; i++) {
        int64_t at_us = i / BURST * INT64_C(100000) + i % BURST * GAP_US;
        size_t bytes = formats[_i].write(memset(data, 0, sizeof data), i, at_us);

        if (i % 4 == 3)
            for (size_t k = 0; k < bytes; k++)
                data[k] = (uint8_t)rng_below(&rng, 256);
        stamped_arrive(data, bytes, at_us);
    }
    ck_assert_int_eq(only_summary()->kind, PPREC_KIND_FLOW);
}
END_TEST

START_TEST(stamped_any_bytes)
{
    struct rng rng = rng_start("any_bytes");
    uint8_t data[64];

    for (uint32_t i = 0; i < 20000; i++) {
        size_t bytes = rng_below(&rng, sizeof data);

        for (size_t k = 0; k < bytes; k++)
            data[k] = (uint8_t)rng_below(&rng, 256);
        stamped_arrive(data, bytes, i * 100);
    }
    pprec_finish(feed.pprec);
    for (size_t i = 0; i < feed.summaries; i++)
        ck_assert_int_eq(feed.summary[i].kind, PPREC_KIND_FLOW);
}
END_TEST

Suite *stamped_suite(void)
{
    Suite *suite = suite_create("stamped");
    TCase *formats_of = tcase_create("formats");
    TCase *none = tcase_create("none");

    tcase_add_checked_fixture(formats_of, stamped_set_up, stamped_tear_down);
    tcase_add_checked_fixture(none, stamped_set_up, stamped_tear_down);
    tcase_add_loop_test(formats_of, bursts_measure_the_path, 0, FORMATS);
    tcase_add_loop_test(formats_of, losses_are_counted_and_end_no_stream, 0, FORMATS);
    tcase_add_loop_test(formats_of, packets_that_stay_alone_are_counted, 0, FORMATS);
    tcase_add_test(formats_of, paced_packets_are_a_bound);
    tcase_add_test(formats_of, clocks_set_far_ahead);
    tcase_add_loop_test(none, is_any_flow, 0, OTHERS);
    tcase_add_loop_test(none, a_few_are_not_enough, 0, FORMATS);
    tcase_add_test(none, stamped_any_bytes);
    suite_add_tcase(suite, formats_of);
    suite_add_tcase(suite, none);
    return suite;
}
