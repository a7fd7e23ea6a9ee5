/* SPDX-License-Identifier: BSD-3-Clause */
/* on_congestion and pprec_path_estimate(): which packets belong to a path and an interval, how
 * often it is told, and what a path's estimate rests on. How well delays are told: test_queueing.c. */
#include "common/auth.h"
#include "tests/unit/allocations.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include "pprec/pprec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)
#define EPOCH (INT64_C(1700000000) * SECOND)

enum { KEPT = 4096, PATHS = 4, DELAY_MS = 20, GAP_US = 800 };

struct run {
    struct pprec *pprec;
    size_t count;
    struct pprec_congestion told[KEPT];
    size_t trains_before; /* at the newest of them */
    size_t trains;
};

static struct run run;

static void congestion_on_train(void *user, const struct pprec_train *train)
{
    (void)train;
    ((struct run *)user)->trains++;
}

static void congestion_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    struct run *to = user;

    if (to->count < KEPT)
        to->told[to->count] = *congestion;
    to->count++;
    to->trains_before = to->trains;
}

static void start_with(struct pprec_config config)
{
    memset(&run, 0, sizeof run);
    config.user = &run;
    config.on_train = congestion_on_train;
    config.on_congestion = congestion_on_congestion;
    ck_assert_int_eq(pprec_new(&run.pprec, &config), PPREC_OK);
}

static void congestion_start(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    start_with(config);
}

static void test_congestion_end(void)
{
    ck_assert_int_eq(pprec_free(run.pprec), PPREC_OK);
    run.pprec = NULL;
}

static struct pprec_endpoint endpoint(uint8_t host, uint16_t port)
{
    return (struct pprec_endpoint){.address = {192, 0, 2, host}, .port = port, .ip = 4};
}

/* A packet of a train of two, that left when it should; it arrives GAP_US after the one before. */
static struct pprec_arrival packet(uint32_t stream, uint32_t train, uint16_t position, int64_t ns)
{
    struct pprec_arrival arrival;

    pprec_arrival_init(&arrival);
    arrival.source = endpoint(1, 5000);
    arrival.destination = endpoint(2, 5004);
    arrival.stream = stream;
    arrival.train = train;
    arrival.seq = 2 * train + position;
    arrival.position = position;
    arrival.train_length = 2;
    arrival.payload_bytes = 954;
    arrival.received = (struct pprec_stamp){EPOCH + ns + DELAY_MS * MS + position * GAP_US * 1000,
                                            PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    arrival.sent_ns = EPOCH + ns;
    return arrival;
}

static void congestion_push(struct pprec_arrival arrival)
{
    ck_assert_msg(pprec_push(run.pprec, &arrival) == PPREC_OK, "%s", pprec_error(run.pprec));
}

static void congestion_push_pair(uint32_t stream, uint32_t train, int64_t ns)
{
    congestion_push(packet(stream, train, 0, ns));
    congestion_push(packet(stream, train, 1, ns));
}

static struct pprec_congestion sum(void)
{
    struct pprec_congestion all = {.packets = 0};

    for (size_t i = 0; i < run.count; i++) {
        all.packets += run.told[i].packets;
        all.lost += run.told[i].lost;
        all.timed += run.told[i].timed;
    }
    return all;
}

static const struct pprec_congestion *newest(void)
{
    ck_assert_uint_gt(run.count, 0);
    return &run.told[run.count - 1];
}

/* --- Intervals --- */

/* Ten seconds of a pair every 20 ms: a hundred intervals of five pairs. */
START_TEST(at_most_once_an_interval)
{
    congestion_start();
    for (uint32_t train = 0; train < 500; train++)
        congestion_push_pair(1, train, train * 20 * MS);
    pprec_finish(run.pprec);
    ck_assert_uint_eq(run.count, 100);
    ck_assert_uint_eq(sum().packets, 1000);
    ck_assert_uint_eq(sum().lost, 0);
    ck_assert_uint_eq(sum().timed, 500);
    for (size_t i = 0; i + 1 < run.count; i++) {
        ck_assert_int_eq(run.told[i].interval_ns, 100 * MS);
        ck_assert_int_ge(run.told[i + 1].time_ns - run.told[i].time_ns, i + 2 < run.count ? 100 * MS : 0);
        ck_assert_uint_eq(run.told[i].packets, 10);
        ck_assert_int_eq(run.told[i].queueing_ns, 0);
        ck_assert_int_eq(run.told[i].queueing_most_ns, 0);
    }
    ck_assert_int_le(newest()->interval_ns, 100 * MS);
    test_congestion_end();
}
END_TEST

START_TEST(interval_as_configured)
{
    struct pprec_config config;

    pprec_config_init(&config);
    ck_assert_uint_eq(config.congestion_interval_ms, 100);
    config.congestion_interval_ms = 1000;
    start_with(config);
    for (uint32_t train = 0; train < 500; train++)
        congestion_push_pair(1, train, train * 20 * MS);
    ck_assert_uint_eq(run.count, 9);
    ck_assert_int_eq(run.told[0].interval_ns, SECOND);
    test_congestion_end();
    config.congestion_interval_ms = 0;
    ck_assert_int_eq(pprec_new(&run.pprec, &config), PPREC_EINVAL);
    ck_assert_str_eq(pprec_error(run.pprec), "congestion_interval_ms 0: want 1 to 3600000");
    test_congestion_end();
}
END_TEST

/* Packets that stop: told by a tick, after their train's callback; and nothing more. */
START_TEST(tick_ends_an_interval)
{
    congestion_start();
    congestion_push_pair(1, 0, 0);
    congestion_push_pair(1, 1, 10 * MS);
    pprec_tick(run.pprec, EPOCH + 119 * MS);
    ck_assert_uint_eq(run.count, 0);
    pprec_tick(run.pprec, EPOCH + 121 * MS);
    ck_assert_uint_eq(run.count, 1);
    ck_assert_uint_eq(run.trains_before, 2); /* the tick's own, too */
    ck_assert_uint_eq(newest()->packets, 4);
    ck_assert_int_eq(newest()->time_ns, EPOCH + 120 * MS);
    for (int64_t ms = 200; ms < 60000; ms += 100)
        pprec_tick(run.pprec, EPOCH + ms * MS);
    ck_assert_uint_eq(run.count, 1);
    test_congestion_end();
}
END_TEST

/* The rest of a train never comes: told when it is found missing, though nothing arrives. */
START_TEST(losses_without_packets)
{
    congestion_start();
    congestion_push_pair(1, 0, 0);
    congestion_push(packet(1, 1, 0, 20 * MS));
    for (int64_t ms = 100; ms < 10000; ms += 100)
        pprec_tick(run.pprec, EPOCH + ms * MS);
    ck_assert_uint_eq(run.count, 2);
    ck_assert_uint_eq(newest()->lost, 1);
    ck_assert_uint_eq(newest()->packets, 0);
    ck_assert_int_eq(newest()->queueing_ns, PPREC_UNKNOWN_NS);
    ck_assert_uint_eq(newest()->timed, 0);
    test_congestion_end();
}
END_TEST

/* Packets that come one by one, as audio does, are no trains; every tenth is lost. */
START_TEST(packets_alone)
{
    congestion_start();
    for (uint32_t i = 0; i < 200; i++) {
        struct pprec_arrival arrival = packet(1, i, 0, i * 20 * MS);

        arrival.seq = i;
        arrival.train_length = 0;
        if (i % 10 != 5)
            congestion_push(arrival);
    }
    ck_assert_uint_gt(sum().lost, 17); /* as they are missed, not at the end */
    pprec_finish(run.pprec);
    ck_assert_uint_eq(run.trains, 0);
    ck_assert_uint_eq(sum().packets, 180);
    ck_assert_uint_eq(sum().lost, 20);
    test_congestion_end();
}
END_TEST

/* Numbers that wrap are as good as others. */
START_TEST(wrap)
{
    congestion_start();
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t train = UINT32_MAX - 99 + i;

        congestion_push(packet(1, train, 0, i * 20 * MS));
        if (i % 10 != 5)
            congestion_push(packet(1, train, 1, i * 20 * MS));
    }
    pprec_finish(run.pprec);
    ck_assert_uint_eq(sum().packets, 380);
    ck_assert_uint_eq(sum().lost, 20);
    test_congestion_end();
}
END_TEST

/* --- Paths --- */

/* Three streams from one port to one other are one path; what goes elsewhere is another. */
START_TEST(streams_of_a_path)
{
    size_t elsewhere = 0;

    congestion_start();
    for (uint32_t train = 0; train < 100; train++) {
        struct pprec_arrival other = packet(4, 2 * train, 0, train * 20 * MS + 15 * MS);

        for (uint32_t stream = 1; stream <= 3; stream++)
            congestion_push_pair(stream, train, train * 20 * MS + stream * 3 * MS);
        other.destination.port++;
        congestion_push(other);
    }
    pprec_finish(run.pprec);
    for (size_t i = 0; i < run.count; i++)
        elsewhere += run.told[i].destination.port == 5005;
    ck_assert_uint_ge(elsewhere, 19);
    ck_assert_uint_le(elsewhere, 21);
    ck_assert_uint_le(run.count - elsewhere, 21);
    ck_assert_uint_eq(sum().packets, 700);
    test_congestion_end();
}
END_TEST

/* --- Send times --- */

START_TEST(each_packet_that_tells)
{
    congestion_start();
    for (uint32_t train = 0; train < 100; train++)
        for (uint16_t position = 0; position < 2; position++) {
            struct pprec_arrival arrival = packet(1, train, position, train * 20 * MS);

            arrival.departed_ns = arrival.sent_ns;
            congestion_push(arrival);
        }
    pprec_finish(run.pprec);
    ck_assert_uint_eq(sum().timed, 200);
    ck_assert_int_eq(run.told[5].queueing_most_ns, GAP_US * 1000); /* behind its own train */
    test_congestion_end();
}
END_TEST

START_TEST(no_send_times)
{
    congestion_start();
    for (uint32_t train = 0; train < 100; train++)
        for (uint16_t position = 0; position < 2; position++) {
            struct pprec_arrival arrival = packet(1, train, position, train * 20 * MS);

            arrival.sent_ns = PPREC_UNKNOWN_NS;
            congestion_push(arrival);
        }
    ck_assert_uint_eq(run.count, 19);
    ck_assert_uint_eq(sum().timed, 0);
    ck_assert_int_eq(newest()->queueing_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(newest()->queueing_most_ns, PPREC_UNKNOWN_NS);
    ck_assert(newest()->trend >= 0 && newest()->trend <= 0);
    test_congestion_end();
}
END_TEST

/* Every fourth pair is stamped by another clock, an hour off: it counts, and times nothing. */
START_TEST(clocks_are_not_mixed)
{
    congestion_start();
    for (uint32_t train = 0; train < 500; train++)
        for (uint16_t position = 0; position < 2; position++) {
            struct pprec_arrival arrival = packet(1, train, position, train * 20 * MS);

            if (train % 4 == 3) {
                arrival.received.ns += 3600 * SECOND;
                arrival.received.clock = PPREC_CLOCK_ADAPTER;
            }
            congestion_push(arrival);
        }
    pprec_finish(run.pprec);
    ck_assert_uint_eq(sum().packets, 1000);
    ck_assert_uint_eq(sum().timed, 375);
    for (size_t i = 0; i < run.count; i++)
        ck_assert_int_le(run.told[i].queueing_most_ns, 0);
    test_congestion_end();
}
END_TEST

/* Two senders of probes with one name, whose clocks are 5 ms apart: only the first is timed, and
 * when it has been silent for ten seconds the other. */
START_TEST(senders_are_not_mixed)
{
    congestion_start();
    for (uint32_t train = 0; train < 1500; train++)
        for (uint32_t stream = train < 500 ? 1 : 2; stream <= 2; stream++) {
            struct pprec_arrival arrival = packet(stream, train, 0, train * 20 * MS);

            arrival.sent_ns += stream * 5 * MS;
            congestion_push(arrival);
        }
    pprec_finish(run.pprec);
    ck_assert_uint_ge(sum().timed, 999);
    ck_assert_uint_le(sum().timed, 1001);
    for (size_t i = 0; i < run.count; i++)
        ck_assert_int_le(run.told[i].queueing_most_ns, 0);
    test_congestion_end();
}
END_TEST

static void on_the_last(void *user, const struct pprec_congestion *congestion)
{
    struct pprec_totals totals;

    (void)congestion;
    pprec_get_totals(run.pprec, &totals);
    *(uint64_t *)user = totals.counts.packets;
}

/* A stream gives way, and its path ends: what is asked then counts it once. */
START_TEST(totals_while_a_path_ends)
{
    struct pprec_config config;
    uint64_t packets = 0;

    pprec_config_init(&config);
    config.streams_max = 1;
    config.congestion_interval_ms = 3600000;
    config.user = &packets;
    config.on_congestion = on_the_last;
    ck_assert_int_eq(pprec_new(&run.pprec, &config), PPREC_OK);
    for (uint32_t train = 0; train < 10; train++)
        congestion_push_pair(1, train, train * 100 * MS);
    congestion_push_pair(2, 0, 20 * SECOND);
    ck_assert_uint_eq(packets, 20);
    test_congestion_end();
}
END_TEST

/* --- The estimate of a path --- */

static struct pprec_capacity path_estimate(void)
{
    struct pprec_endpoint source = endpoint(1, 5000), destination = endpoint(2, 5004);
    struct pprec_capacity capacity, any;

    ck_assert_int_eq(pprec_path_estimate(run.pprec, &source, &destination, &capacity), PPREC_OK);
    ck_assert_int_eq(pprec_path_estimate(run.pprec, &source, NULL, &any), PPREC_OK);
    ck_assert(any.capacity_bps >= capacity.capacity_bps && any.capacity_bps <= capacity.capacity_bps);
    return capacity;
}

START_TEST(of_one_stream)
{
    struct pprec_endpoint source = endpoint(1, 5000), nowhere = endpoint(3, 1);
    struct pprec_capacity stream, path;

    congestion_start();
    congestion_push_pair(1, 0, 0);
    ck_assert_int_eq(path_estimate().state, PPREC_STATE_INSUFFICIENT);
    ck_assert_int_eq(path_estimate().newest_ns, PPREC_UNKNOWN_NS);
    for (uint32_t train = 1; train < 50; train++)
        congestion_push_pair(1, train, train * 100 * MS);
    path = path_estimate();
    ck_assert_int_eq(pprec_estimate(run.pprec, &source, 1, &stream), PPREC_OK);
    ck_assert_mem_eq(&path, &stream, sizeof path);
    ck_assert_int_eq(pprec_path_estimate(run.pprec, &source, &nowhere, &path), PPREC_EINVAL);
    ck_assert_int_eq(pprec_path_estimate(run.pprec, &nowhere, NULL, &path), PPREC_EINVAL);
    test_congestion_end();
}
END_TEST

/* Of three streams, as the layers of a simulcast: it rests on the trains of all. When the path is
 * said to be another one it begins anew. */
START_TEST(of_several_streams)
{
    struct pprec_endpoint source = endpoint(1, 5000);
    struct pprec_capacity stream, path;

    congestion_start();
    for (uint32_t train = 0; train < 60; train++)
        for (uint32_t id = 1; id <= 3; id++)
            congestion_push_pair(id, train, train * 100 * MS + id * 10 * MS);
    path = path_estimate();
    ck_assert_int_eq(pprec_estimate(run.pprec, &source, 1, &stream), PPREC_OK);
    ck_assert_uint_gt(path.trains, 2 * stream.trains);
    ck_assert_double_lt(fabs(path.capacity_bps / stream.capacity_bps - 1), 0.02);
    ck_assert_int_eq(pprec_reset_stream(run.pprec, &source, 1), PPREC_OK);
    ck_assert_int_eq(path_estimate().state, PPREC_STATE_INSUFFICIENT);
    for (uint32_t train = 60; train < 62; train++)
        congestion_push_pair(2, train, train * 100 * MS);
    ck_assert_double_lt(fabs(path_estimate().capacity_bps / stream.capacity_bps - 1), 0.02);
    test_congestion_end();
}
END_TEST

/* Somebody's pairs, ten times as fast, twice as many and there before, say that they wait: with a key, which vouches
 * for probes, the path is what these say, and they time it. */
START_TEST(what_a_key_vouches_for)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {1};
    struct pprec_config config;

    pprec_config_init(&config);
    config.key = _i ? key : NULL;
    start_with(config);
    for (uint32_t train = 0; train < 200; train++) {
        for (uint16_t position = 0; position < 2; position++) {
            struct pprec_arrival forged = packet(2 + train % 2, train / 2, position, train * 50 * MS);

            forged.kind = PPREC_KIND_SRT;
            forged.received.ns += position == 0 ? 0 : 80000 - GAP_US * 1000;
            forged.sent_ns -= train % 20 * 5 * MS; /* a queue, it says */
            congestion_push(forged);
        }
        if (train > 20 && train % 4 == 1)
            congestion_push_pair(1, train / 4, train * 50 * MS + 20 * MS);
    }
    if (_i)
        ck_assert_double_eq_tol(path_estimate().capacity_bps, 10e6, 0.5e6);
    else
        ck_assert_double_gt(path_estimate().capacity_bps, 90e6);
    ck_assert_int_eq(newest()->queueing_most_ns > 20 * MS, !_i);
    test_congestion_end();
}
END_TEST

/* The host's clock is set back by an hour: what comes after that is as old as it is, and an estimate as old as
 * the 73 trains, 50 ms apart, that one of 240 waits for. */
START_TEST(clock_set_back)
{
    int64_t set_ns = 0;

    congestion_start();
    for (uint32_t train = 0; train < 120; train++) {
        set_ns = train < 60 ? 0 : 3600 * SECOND;
        for (uint32_t id = 1; id <= 2; id++)
            congestion_push_pair(id, train, train * 100 * MS + id * 10 * MS - set_ns);
    }
    ck_assert_int_le(llabs(pprec_time(run.pprec) - path_estimate().newest_ns), 4 * SECOND);
    test_congestion_end();
}
END_TEST

/* Whoever asks without on_congestion gets it too, from the first time on. */
START_TEST(asked_without_a_callback)
{
    struct pprec_capacity before;
    size_t bytes;

    ck_assert_int_eq(pprec_new(&run.pprec, NULL), PPREC_OK);
    for (uint32_t train = 0; train < 120; train++) {
        for (uint32_t id = 1; id <= 2; id++)
            congestion_push_pair(id, train, train * 100 * MS + id * 10 * MS);
        if (train == 59) {
            bytes = pprec_memory_bytes(run.pprec);
            before = path_estimate();
            ck_assert_uint_gt(pprec_memory_bytes(run.pprec), bytes);
            ck_assert_uint_gt(before.trains, 30);
        }
    }
    ck_assert_uint_gt(path_estimate().trains, before.trains);
    test_congestion_end();
}
END_TEST

/* A filter of the path goes before any stream does. */
START_TEST(filter_goes_first)
{
    struct pprec_config config;
    size_t streams, bytes;
    uint32_t id = 2;

    pprec_config_init(&config);
    config.memory_bytes = 400000;
    config.streams_max = 256;
    start_with(config);
    for (uint32_t train = 0; train < 30; train++)
        for (uint32_t two = 1; two <= 2; two++)
            congestion_push_pair(two, train, train * 100 * MS + two * 10 * MS);
    bytes = pprec_memory_bytes(run.pprec);
    do {
        struct pprec_arrival arrival = packet(++id, 0, 0, 3 * SECOND);

        streams = pprec_streams(run.pprec);
        bytes = pprec_memory_bytes(run.pprec);
        arrival.destination.port = 1;
        congestion_push(arrival);
    } while (pprec_memory_bytes(run.pprec) > bytes);
    ck_assert_uint_eq(pprec_streams(run.pprec), streams + 1);
    ck_assert_int_ne(path_estimate().state, PPREC_STATE_INSUFFICIENT);
    test_congestion_end();
}
END_TEST

/* --- Whatever comes --- */

START_TEST(nothing_is_allocated_per_packet)
{
    struct pprec_config config;
    uint64_t before = 0;
    unsigned refused = 0;

    pprec_config_init(&config);
    config.whole_window = 1;
    start_with(config);
    for (uint32_t train = 0; train < 400; train++) {
        if (train == 40)
            before = allocations();
        for (uint32_t stream = 1; stream <= 2; stream++)
            for (uint16_t position = 0; position < 2; position++) {
                struct pprec_arrival arrival =
                    packet(stream, train, position, train * 20 * MS + stream * 5 * MS);

                refused += pprec_push(run.pprec, &arrival) != PPREC_OK;
            }
    }
    ck_assert_uint_eq(allocations(), before);
    ck_assert_uint_eq(refused, 0);
    ck_assert_uint_gt(run.count, 70);
    test_congestion_end();
}
END_TEST

static int64_t latest[PATHS];

static void check_any(const struct pprec_congestion *told)
{
    unsigned path = told->destination.port % PATHS;

    ck_assert(isfinite(told->trend));
    ck_assert(told->packets + told->lost > 0);
    ck_assert_int_ge(told->interval_ns, 0);
    ck_assert_int_le(told->interval_ns, 100 * MS);
    ck_assert_int_ge(told->time_ns, latest[path] + told->interval_ns);
    latest[path] = told->time_ns;
    if (told->timed == 0) {
        ck_assert_int_eq(told->queueing_ns, PPREC_UNKNOWN_NS);
        ck_assert_int_eq(told->queueing_most_ns, PPREC_UNKNOWN_NS);
        return;
    }
    ck_assert_uint_le(told->timed, told->packets);
    ck_assert_int_ge(told->queueing_ns, 0);
    ck_assert_int_ge(told->queueing_most_ns, told->queueing_ns);
}

/* Losses, copies, disorder, several streams and paths, sender's clocks that are set, send times
 * that are nonsense: packets and losses add up to the totals, figures stay within their bounds. */
START_TEST(congestion_whatever_comes)
{
    struct rng rng = rng_start("whatever_comes");
    int64_t at_ns[PATHS * 2] = {0}, offset_ns = 0;
    struct pprec_totals totals;
    uint32_t train[PATHS * 2];

    congestion_start();
    memset(latest, 0, sizeof latest);
    for (unsigned i = 0; i < PATHS * 2; i++)
        train[i] = (uint32_t)rng_next(&rng);
    for (int64_t ns = 0, i = 0; i < 20000; i++) {
        uint32_t id = rng_below(&rng, PATHS * 2);
        struct pprec_arrival arrival;

        ns += rng_below(&rng, 3) * MS;
        if (rng_below(&rng, 2000) == 0)
            offset_ns = ((int64_t)rng_next(&rng) >> 2) / (INT64_C(1) << 2 * rng_below(&rng, 20));
        if (rng_below(&rng, 1000) == 0)
            pprec_tick(run.pprec, EPOCH + ns + DELAY_MS * MS);
        train[id] += rng_percent(&rng, 90);
        arrival = packet(id, train[id], (uint16_t)rng_below(&rng, 2), ns);
        arrival.destination.port = (uint16_t)(5004 + id % PATHS);
        arrival.kind = id < PATHS ? PPREC_KIND_RTP : PPREC_KIND_PROBE;
        arrival.sent_ns = rng_percent(&rng, 80) && llabs(offset_ns) < INT64_C(1) << 60
            ? arrival.sent_ns + offset_ns - at_ns[id]
            : PPREC_UNKNOWN_NS;
        if (rng_percent(&rng, 50))
            arrival.departed_ns = arrival.sent_ns;
        at_ns[id] = rng_below(&rng, 30) * MS;
        pprec_push(run.pprec, &arrival);
    }
    pprec_finish(run.pprec);
    ck_assert_uint_lt(run.count, KEPT);
    for (size_t i = 0; i < run.count; i++)
        check_any(&run.told[i]);
    pprec_get_totals(run.pprec, &totals);
    ck_assert_uint_eq(sum().packets, totals.counts.packets);
    ck_assert_uint_eq(sum().lost, totals.counts.lost);
    test_congestion_end();
}
END_TEST

/* The receiver's clocks are set, too, and several stamp: nothing breaks, and all is counted. */
START_TEST(whatever_the_clocks)
{
    struct rng rng = rng_start("whatever_the_clocks");
    struct pprec_totals totals;
    int64_t offset_ns = 0;

    congestion_start();
    for (uint32_t train = 0; train < 20000; train++) {
        struct pprec_arrival arrival = packet(1, train, 0, train * INT64_C(5) * MS);

        if (rng_below(&rng, 300) == 0)
            offset_ns = ((int64_t)rng_next(&rng) >> 2) / (INT64_C(1) << 2 * rng_below(&rng, 24));
        arrival.received.ns += offset_ns;
        arrival.received.clock =
            (uint8_t)(rng_percent(&rng, 95) ? PPREC_CLOCK_REALTIME : 1 + rng_below(&rng, 3));
        pprec_push(run.pprec, &arrival);
    }
    pprec_finish(run.pprec);
    for (size_t i = 0; i < run.count && i < KEPT; i++) {
        ck_assert(isfinite(run.told[i].trend));
        ck_assert(run.told[i].queueing_ns >= 0 || run.told[i].timed == 0);
    }
    pprec_get_totals(run.pprec, &totals);
    ck_assert(run.count > KEPT || sum().packets == totals.counts.packets);
    test_congestion_end();
}
END_TEST

Suite *congestion_suite(void)
{
    Suite *suite = suite_create("congestion");
    TCase *intervals = tcase_create("intervals");
    TCase *paths = tcase_create("paths");
    TCase *any = tcase_create("any");

    tcase_add_test(intervals, at_most_once_an_interval);
    tcase_add_test(intervals, interval_as_configured);
    tcase_add_test(intervals, tick_ends_an_interval);
    tcase_add_test(intervals, losses_without_packets);
    tcase_add_test(intervals, packets_alone);
    tcase_add_test(intervals, wrap);
    tcase_add_test(intervals, each_packet_that_tells);
    tcase_add_test(intervals, no_send_times);
    tcase_add_test(intervals, clocks_are_not_mixed);
    tcase_add_test(intervals, senders_are_not_mixed);
    tcase_add_test(paths, streams_of_a_path);
    tcase_add_test(paths, totals_while_a_path_ends);
    tcase_add_test(paths, of_one_stream);
    tcase_add_test(paths, of_several_streams);
    tcase_add_loop_test(paths, what_a_key_vouches_for, 0, auth_init(NULL) == 0 ? 2 : 1);
    tcase_add_test(paths, clock_set_back);
    tcase_add_test(paths, asked_without_a_callback);
    tcase_add_test(paths, filter_goes_first);
    tcase_add_test(any, nothing_is_allocated_per_packet);
    tcase_add_test(any, congestion_whatever_comes);
    tcase_add_test(any, whatever_the_clocks);
    suite_add_tcase(suite, intervals);
    suite_add_tcase(suite, paths);
    suite_add_tcase(suite, any);
    return suite;
}
