/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's allocator: everything comes from it and goes back, every allocation
 * in turn may fail, and a stream takes no more than its share. */
#include "pprec/pprec.h"
#include "tests/unit/ask.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

/* Of memory_bytes; what these tests count is bounded only where they say so. */
enum { DEFAULT_BYTES = 64 << 20 };

struct pool {
    size_t calls;
    size_t fail_at;     /* this call and no other; 0: none */
    size_t blocks;      /* out now */
    size_t bytes, most; /* out now, and at most */
};

/* The size stands in front of the block, which stays aligned. */
union header {
    max_align_t align;
    size_t bytes;
};

static void *test_memory_take(void *user, size_t bytes)
{
    struct pool *pool = user;
    union header *header;

    if (++pool->calls == pool->fail_at)
        return NULL;
    header = malloc(sizeof *header + bytes);
    header->bytes = bytes;
    memset(header + 1, 0x5a, bytes); /* nobody is promised zeroes */
    pool->blocks++;
    pool->bytes += bytes;
    if (pool->bytes > pool->most)
        pool->most = pool->bytes;
    return header + 1;
}

static void memory_give(void *user, void *memory)
{
    struct pool *pool = user;
    union header *header = (union header *)memory - 1;

    pool->blocks--;
    pool->bytes -= header->bytes;
    free(header);
}

static int make_with(struct pprec **pprec, struct pool *pool, struct pprec_config config)
{
    config.user = pool;
    config.allocate = test_memory_take;
    config.release = memory_give;
    config.streams_max = 10000;
    if (config.memory_bytes == DEFAULT_BYTES)
        config.memory_bytes = 0;
    return pprec_new(pprec, &config);
}

static int memory_make(struct pprec **pprec, struct pool *pool)
{
    struct pprec_config config;

    pprec_config_init(&config);
    return make_with(pprec, pool, config);
}

/* Pairs of 1000-byte frames from 10.x.x.x, 10 Mbit/s apart. */
static struct pprec_arrival memory_arrival_of(uint32_t source, uint32_t train, uint16_t position,
                                              uint16_t length)
{
    struct pprec_arrival arrival = {
        .source = {.address = {10, (uint8_t)(source >> 16), (uint8_t)(source >> 8), (uint8_t)source},
                   .port = 9,
                   .ip = 4},
        .train = train,
        .seq = train * length + position,
        .position = position,
        .train_length = length,
        .payload_bytes = 954,
        .received = {train * INT64_C(500000000) + source * INT64_C(10000) + position * INT64_C(800000),
                     PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_USER},
        .sent_ns = PPREC_UNKNOWN_NS,
        .departure_span_ns = PPREC_UNKNOWN_NS,
        .departed_ns = PPREC_UNKNOWN_NS,
    };

    return arrival;
}

/* What a program does, from beginning to end; the first failure. */
static int memory_live(struct pool *pool)
{
    struct pprec_socket_options options;
    struct pprec_config config;
    struct pprec *pprec;
    int status;

    pprec_config_init(&config);
    config.filter = "adaptive";                                    /* whose window grows */
    config.expect = 1U << PPREC_KIND_PROBE | 1U << PPREC_KIND_RTP; /* and a table of flows */
    status = make_with(&pprec, pool, config);
    pprec_socket_options_init(&options);
    options.share_port = 1;
    if (status == PPREC_OK)
        status = pprec_listen(pprec, &options);
    if (status == PPREC_OK)
        status = pprec_join(pprec, "239.1.1.1", "lo");
    for (uint32_t packet = 0; status == PPREC_OK && packet < 40 * 8; packet++) {
        /* two streams, trains that become longer, a window that grows */
        uint16_t length = packet < 8 ? 4 : 8;
        uint32_t train = packet < 8 ? packet / 4 : 10 + packet / 8;
        struct pprec_arrival arrival =
            memory_arrival_of(packet < 16, train, (uint16_t)(packet % length), length);

        status = pprec_push(pprec, &arrival);
    }
    if (status != PPREC_OK && pprec != NULL)
        ck_assert_str_ne(pprec_error(pprec), "");
    if (status == PPREC_OK)
        pprec_finish(pprec);
    pprec_free(pprec);
    return status;
}

START_TEST(every_allocation_fails_in_turn)
{
    struct pool pool = {.calls = 0};
    size_t calls;

    if (!loopback_has_linux())
        return;
    ck_assert_int_eq(memory_live(&pool), PPREC_OK);
    calls = pool.calls;
    ck_assert_uint_ge(calls, 17);
    for (size_t at = 1; at <= calls; at++) {
        pool = (struct pool){.fail_at = at};
        ck_assert_int_eq(memory_live(&pool), PPREC_ENOMEM);
        ck_assert_uint_ge(pool.calls, at);
        ck_assert_uint_eq(pool.blocks, 0);
        ck_assert_uint_eq(pool.bytes, 0);
    }
}
END_TEST

START_TEST(both_functions_or_neither)
{
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.allocate = test_memory_take;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "both or neither"));
    pprec_free(pprec);
}
END_TEST

START_TEST(reset_forgets_and_allocates_nothing)
{
    struct pool pool = {.calls = 0};
    struct pprec_arrival arrival;
    struct pprec_summary summary;
    struct pprec *pprec;
    size_t calls;

    ck_assert_int_eq(memory_make(&pprec, &pool), PPREC_OK);
    for (uint32_t packet = 0; packet < 21; packet++) {
        arrival = memory_arrival_of(1, packet / 2, packet % 2, 2);
        ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    }
    calls = pool.calls;
    ck_assert_int_eq(pprec_reset_stream(pprec, &arrival.source, 1), PPREC_EINVAL);
    ck_assert_int_eq(pprec_reset_stream(pprec, &arrival.source, 0), PPREC_OK);
    ck_assert_int_eq(ask_summary(pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.counts.packets, 0);
    ck_assert_int_eq(summary.capacity.state, PPREC_STATE_INSUFFICIENT);
    ck_assert(summary.rate_p50_bps <= 0);
    for (uint32_t packet = 0; packet < 20; packet++) { /* numbers that were seen before */
        arrival = memory_arrival_of(1, packet / 2, packet % 2, 2);
        ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    }
    ck_assert_int_eq(ask_summary(pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.counts.trains, 10);
    ck_assert_uint_eq(summary.counts.duplicate + summary.counts.late + summary.counts.lost, 0);
    ck_assert_double_eq_tol(summary.capacity.capacity_bps, 10e6, 1e3);
    ck_assert_uint_eq(pool.calls, calls);
    pprec_free(pprec);
}
END_TEST

/* --- What a stream takes --- */

enum { TRAINS = 400, FILTERS = 7, STREAM_MOST_BYTES = 96 << 10 };

static const struct {
    uint16_t length;
    size_t first_bytes; /* before it can have converged */
} trains[] = {{2, 10424}, {16, 10648}, {64, 11416}, {256, 14488}};

enum { LENGTHS = sizeof trains / sizeof trains[0] };

static size_t push_trains(struct pprec *pprec, struct pool *pool, uint32_t from, uint32_t end,
                          uint16_t length)
{
    size_t before = pool->calls;

    for (uint32_t packet = from * length; packet < end * length; packet++) {
        struct pprec_arrival arrival =
            memory_arrival_of(0, packet / length, (uint16_t)(packet % length), length);

        arrival.sent_ns = packet / length * INT64_C(500000000);
        ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    }
    return pool->calls - before;
}

/* Of every filter, with trains of every length: little at first, within bounds after,
 * and between the first train and the last one allocation, for what is free, or, where the window
 * was too large to begin with, two. */
START_TEST(a_stream_keeps_to_its_share)
{
    struct pool pool = {.calls = 0};
    uint16_t length = trains[_i % LENGTHS].length;
    struct pprec_config config;
    struct pprec *pprec;
    size_t before, first, calls;

    pprec_config_init(&config);
    config.filter = pprec_filter_name((size_t)_i / LENGTHS);
    ck_assert_ptr_nonnull(config.filter);
    ck_assert_int_eq(make_with(&pprec, &pool, config), PPREC_OK);
    before = pool.bytes;
    push_trains(pprec, &pool, 0, 1, length);
    first = pool.bytes - before;
    ck_assert_uint_le(first, trains[_i % LENGTHS].first_bytes);
    calls = push_trains(pprec, &pool, 1, TRAINS, length);
    ck_assert_uint_ge(calls, 1);
    ck_assert_uint_le(calls, 2);
    ck_assert_uint_lt(pool.most - before, STREAM_MOST_BYTES);
    ck_assert_uint_gt(pool.bytes - before, first);
    pprec_free(pprec);
}
END_TEST

START_TEST(a_whole_window_is_taken_at_once)
{
    struct pool pool = {.calls = 0};
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.filter = "adaptive";
    config.whole_window = 1;
    ck_assert_int_eq(make_with(&pprec, &pool, config), PPREC_OK);
    ck_assert_uint_gt(push_trains(pprec, &pool, 0, 1, 64), 0);
    ck_assert_uint_eq(push_trains(pprec, &pool, 1, TRAINS, 64), 0);
    pprec_free(pprec);
}
END_TEST

/* --- A bound --- */

enum { GREEDY_STREAMS = 200, GREEDY_TRAINS = 24 };

static uint32_t push_greedy(struct pprec *pprec)
{
    uint32_t refused = 0;

    for (uint32_t packet = 0; packet < 2 * GREEDY_TRAINS; packet++)
        for (uint32_t source = 0; source < GREEDY_STREAMS; source++) {
            struct pprec_arrival arrival = memory_arrival_of(source, packet / 2, packet % 2, 2);
            int status = pprec_push(pprec, &arrival);

            ck_assert(status == PPREC_OK || status == PPREC_EREFUSED);
            refused += status != PPREC_OK;
        }
    return refused;
}

/* Windows of 65536 trains, of which 200 would take 1.5 GB: what a handle takes stays within
 * its bound, and every stream is measured, if by a short window. */
START_TEST(memory_stays_within_its_bound)
{
    struct pool pool = {.calls = 0};
    struct pprec_summary summary;
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.window = 65536;
    config.memory_bytes = DEFAULT_BYTES + 1; /* said, not the default */
    ck_assert_int_eq(make_with(&pprec, &pool, config), PPREC_OK);
    ck_assert_uint_eq(push_greedy(pprec), 0);
    ck_assert_uint_le(pool.most, DEFAULT_BYTES + 1);
    ck_assert_uint_gt(pool.most, DEFAULT_BYTES / 2);
    ck_assert_uint_eq(pprec_memory_bytes(pprec), pool.bytes);
    for (size_t i = 0; i < GREEDY_STREAMS; i++) {
        ck_assert_int_eq(ask_summary(pprec, i, &summary), PPREC_OK);
        ck_assert_uint_ge(summary.counts.usable, GREEDY_TRAINS - 1);
    }
    pprec_free(pprec);
    ck_assert_uint_eq(pool.blocks, 0);
}
END_TEST

/* Room for some of the streams: those that have it keep it, others are refused and counted
 * until some have been idle. */
START_TEST(past_the_bound_streams_are_refused)
{
    struct pool pool = {.calls = 0};
    struct pprec_arrival late;
    struct pprec_config config;
    struct pprec *pprec;
    size_t streams;

    pprec_config_init(&config);
    config.memory_bytes = 2 << 20;
    ck_assert_int_eq(make_with(&pprec, &pool, config), PPREC_OK);
    ck_assert_uint_eq(push_greedy(pprec), pprec_refused(pprec, PPREC_REASON_MEMORY));
    streams = pprec_streams(pprec);
    ck_assert_uint_gt(streams, 20);
    ck_assert_uint_lt(streams, GREEDY_STREAMS);
    ck_assert_uint_le(pool.most, 2 << 20);
    late = memory_arrival_of(GREEDY_STREAMS, 40, 0, 2);
    late.received.ns += 30 * INT64_C(1000000000);
    ck_assert_int_eq(pprec_push(pprec, &late), PPREC_OK);
    ck_assert_uint_le(pprec_streams(pprec), streams);
    ck_assert_uint_le(pool.most, 2 << 20);
    pprec_free(pprec);
    ck_assert_uint_eq(pool.blocks, 0);
}
END_TEST

START_TEST(too_little_for_a_handle)
{
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.memory_bytes = 10000;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_ENOMEM);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "memory_bytes"));
    pprec_free(pprec);
}
END_TEST

/* --- Ten thousand streams, interleaved --- */

enum { STREAMS = 10000 };

static void memory_push_round(struct pprec *pprec, uint32_t train)
{
    for (uint16_t position = 0; position < 2; position++)
        for (uint32_t source = 0; source < STREAMS; source++) {
            struct pprec_arrival arrival = memory_arrival_of(source, train, position, 2);

            arrival.received.ns = train * INT64_C(500000000) + source * INT64_C(50)
                + position * (INT64_C(800000) + source * 10);
            ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
        }
}

START_TEST(ten_thousand_streams)
{
    struct pool pool = {.calls = 0};
    struct pprec_summary summary;
    struct pprec_config config;
    struct pprec *pprec;
    size_t before, calls;

    pprec_config_init(&config);
    config.filter = "median";
    ck_assert_int_eq(make_with(&pprec, &pool, config), PPREC_OK);
    before = pool.bytes;
    memory_push_round(pprec, 0);
    calls = pool.calls;
    for (uint32_t train = 1; train < 40; train++)
        memory_push_round(pprec, train);
    ck_assert_uint_eq(pool.calls, calls);
    ck_assert_uint_lt((pool.bytes - before) / STREAMS, 8 * 1024);
    ck_assert_uint_eq(pprec_streams(pprec), STREAMS);
    for (size_t i = 0; i < STREAMS; i++) {
        uint32_t source;

        ck_assert_int_eq(ask_summary(pprec, i, &summary), PPREC_OK);
        source = (uint32_t)summary.source.address[1] << 16 | (uint32_t)summary.source.address[2] << 8
            | summary.source.address[3];
        ck_assert_double_eq_tol(summary.capacity.capacity_bps, 8e12 / (800000 + source * 10.0), 1e3);
    }
    pprec_free(pprec);
    ck_assert_uint_eq(pool.blocks, 0);
}
END_TEST

Suite *memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *all = tcase_create("all");

    tcase_add_test(all, every_allocation_fails_in_turn);
    tcase_add_test(all, both_functions_or_neither);
    tcase_add_test(all, reset_forgets_and_allocates_nothing);
    tcase_add_loop_test(all, a_stream_keeps_to_its_share, 0, FILTERS * LENGTHS);
    tcase_add_test(all, a_whole_window_is_taken_at_once);
    tcase_add_test(all, memory_stays_within_its_bound);
    tcase_add_test(all, past_the_bound_streams_are_refused);
    tcase_add_test(all, too_little_for_a_handle);
    tcase_add_test(all, ten_thousand_streams);
    suite_add_tcase(suite, all);
    return suite;
}
