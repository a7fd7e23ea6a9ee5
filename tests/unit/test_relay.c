/* SPDX-License-Identifier: BSD-3-Clause */
/* The lab's relay in virtual time: its link, policer and queues by flow against closed forms, and
 * its account of random traffic. Frames are of 1514 bytes as captured, 1518 on the link. */
#include "tests/lab/relay_path.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

enum { FULL = 1514, COUNTED = 1518, FRAMES_MAX = 4096, MS = 1000000 };

static const struct link_config ten_mbit = {.rate_bps = 10000000, .overhead_bytes = 4};
static const int64_t full_ns = COUNTED * 800; /* at 10 Mbit/s */

/* --- A link --- */

static struct link a_link(const struct link_config *config)
{
    struct link link;

    ck_assert_int_eq(link_init(&link, config, FRAMES_MAX), 0);
    return link;
}

/* The mean distance of full frames that follow one another, in ns. */
static double relay_mean_gap_ns(struct link *link, unsigned frames)
{
    int64_t first_ns = 0, last_ns = 0;

    for (unsigned i = 0; i <= frames; i++) {
        last_ns = link_serve(link, COUNTED, 1000);
        if (i == 0)
            first_ns = last_ns;
    }
    return (double)(last_ns - first_ns) / frames;
}

START_TEST(a_fifo_spaces_what_comes_together)
{
    struct link link = a_link(&ten_mbit);

    for (int64_t i = 1; i <= 100; i++) {
        int64_t left_ns;

        ck_assert(link_enter(&link, FULL, 5000, &left_ns));
        ck_assert_int_eq(left_ns, 5000 + i * full_ns);
    }
    ck_assert_uint_eq(link_service_bps(&link), 10000000);
    ck_assert_int_eq(link_access_ns(&link), 0);
    link_fini(&link);
}
END_TEST

/* DIFS 34 us, 0 to 15 slots of 9 us, a preamble of 20 us, 506 us of bits at 24 Mbit/s. The slots' deviation
 * is 41.5 us, so that of the mean over 10^5 frames 0.13 us: a tenth of what is tolerated. */
START_TEST(contention_takes_its_mean)
{
    struct link_config config = {
        .rate_bps = 24000000,
        .access = {true, 15, 34000, 9000, 20000},
        .seed = rng_next(&(struct rng){(uint64_t)_i}),
    };
    struct link link = a_link(&config);
    double gap_ns = relay_mean_gap_ns(&link, 100000);

    ck_assert_double_eq_tol(gap_ns, 627500, 1300);
    ck_assert_double_eq_tol((double)link_service_bps(&link), COUNTED * 8e9 / 627500, 40000);
    ck_assert_double_eq_tol((double)link_access_ns(&link), 121500, 1300);
    link_fini(&link);
}
END_TEST

START_TEST(contention_after_idle_waits_for_difs_alone)
{
    struct link_config config = {.rate_bps = 24000000, .access = {true, 15, 34000, 9000, 20000}};
    struct link link = a_link(&config);

    for (int64_t at_ns = 0; at_ns < 1000 * MS; at_ns += 10 * MS)
        ck_assert_int_eq(link_serve(&link, COUNTED, at_ns) - at_ns, 34000 + 20000 + 506000);
    link_fini(&link);
}
END_TEST

/* 20000 periods with a deviation of 10 %: that of their mean is 0.07 %. Each period's share of the bits has that
 * period's rate, so it is the mean over time, not over frames. */
START_TEST(a_varying_rate_keeps_its_mean)
{
    struct link_config config = ten_mbit;
    struct link link;

    config.vary_ns = 5 * MS;
    config.vary_share = 0.1;
    config.seed = (uint64_t)_i;
    link = a_link(&config);
    ck_assert_double_eq_tol(relay_mean_gap_ns(&link, 82000), (double)full_ns, 0.004 * (double)full_ns);
    ck_assert_double_eq_tol((double)link_service_bps(&link), 1e7, 40000);
    link_fini(&link);
}
END_TEST

/* Pairs that are shorter than a period mostly see one rate: its deviation is theirs. */
START_TEST(a_varying_rate_varies)
{
    struct link_config config = ten_mbit;
    struct link link, again;
    double sum = 0, squares = 0;
    unsigned pairs = 10000;

    config.vary_ns = 100 * MS;
    config.vary_share = 0.1;
    link = a_link(&config);
    again = a_link(&config);
    for (unsigned i = 0; i < pairs; i++) {
        int64_t at_ns = (int64_t)i * 1000 * MS;
        int64_t first_ns = link_serve(&link, COUNTED, at_ns);
        int64_t second_ns = link_serve(&link, COUNTED, at_ns);
        double relative = (double)full_ns / (double)(second_ns - first_ns) - 1;

        sum += relative;
        squares += relative * relative;
        ck_assert_int_eq(link_serve(&again, COUNTED, at_ns), first_ns);
        ck_assert_int_eq(link_serve(&again, COUNTED, at_ns), second_ns);
    }
    ck_assert_double_eq_tol(sum / pairs, 0, 0.005);
    ck_assert_double_eq_tol(squares / pairs, 0.01, 0.0007);
    link_fini(&link);
    link_fini(&again);
}
END_TEST

/* --- A policer --- */

/* A bucket of 25000 bytes lets 16 full frames through at once, and then 10 of 20 Mbit/s. */
START_TEST(a_policer_passes_bucket_and_rate)
{
    struct bucket policer;
    unsigned at_once = 0, passed = 0, frames = 100000;

    bucket_init(&policer, 10000000, 25000);
    while (bucket_try(&policer, COUNTED, 1000))
        at_once++;
    ck_assert_uint_eq(at_once, 25000 / COUNTED);
    for (unsigned i = 0; i < frames; i++)
        passed += bucket_try(&policer, COUNTED, 1000 + i * full_ns / 2);
    ck_assert_double_eq_tol((double)passed, frames / 2.0, 2);
}
END_TEST

START_TEST(without_a_rate_nothing_is_policed)
{
    struct bucket policer;

    bucket_init(&policer, 0, 0);
    for (int i = 0; i < 1000; i++)
        ck_assert(bucket_try(&policer, COUNTED, 1000));
}
END_TEST

/* --- Queues by flow --- */

static struct fair fair;
static struct frame_pool pool;
static struct frame *frames[FRAMES_MAX];
static unsigned used;

static void relay_begin(uint64_t quantum_bytes, uint64_t most_bytes, uint64_t most_frames)
{
    if (pool.memory == NULL)
        ck_assert_int_eq(frame_pool_init(&pool, FULL), 0);
    fair_init(&fair, quantum_bytes, most_bytes, most_frames);
    used = 0;
}

static struct frame *a_frame(uint32_t flow, uint32_t bytes, bool marked)
{
    struct frame *frame = frame_take(&pool);

    ck_assert_ptr_nonnull(frame);
    frame->flow = flow;
    frame->bytes = bytes;
    frame->marked = marked;
    return frame;
}

static void relay_enter(uint32_t flow, uint32_t bytes, unsigned count)
{
    while (count-- > 0) {
        frames[used] = a_frame(flow, bytes, true);
        fair_enter(&fair, frames[used++]);
    }
}

/* The flows of the next frames, as digits; '.' where none waits. */
static const char *turns(unsigned count)
{
    static char text[64];

    for (unsigned i = 0; i < count; i++) {
        const struct frame *frame = fair_next(&fair);

        text[i] = frame != NULL ? (char)('0' + frame->flow) : '.';
    }
    text[count] = '\0';
    return text;
}

START_TEST(flows_have_turns_of_a_quantum)
{
    relay_begin(FULL, 0, 0);
    relay_enter(1, FULL, 20);
    relay_enter(2, FULL, 20);
    relay_enter(3, FULL / 2, 20);
    ck_assert_str_eq(turns(12), "123312331233");
    ck_assert_uint_eq(fair.flows_seen, 3);
}
END_TEST

/* The second of two full frames waits for all but the flow whose turn it just was; of two that are 4 bytes
 * smaller it does not. */
START_TEST(a_flow_that_was_idle_goes_first)
{
    relay_begin(FULL, 0, 0);
    relay_enter(1, FULL, 20);
    relay_enter(2, FULL, 20);
    ck_assert_str_eq(turns(3), "121");
    relay_enter(3, FULL, 2);
    ck_assert_str_eq(turns(6), "323121");
    relay_enter(4, FULL - 4, 2);
    ck_assert_str_eq(turns(4), "4421");
}
END_TEST

/* With a quantum of 300, as CAKE has at low rates, a frame is five turns and a bit. */
START_TEST(a_small_quantum_is_as_fair)
{
    unsigned of_first = 0;

    relay_begin(300, 0, 0);
    relay_enter(1, FULL, 1000);
    relay_enter(2, 500, 3000);
    for (unsigned i = 0; i < 1000; i++) {
        const struct frame *frame = fair_next(&fair);

        of_first += frame->flow == 1;
    }
    ck_assert_double_eq_tol(of_first * (double)FULL / ((1000 - of_first) * 500.0), 1, 0.01);
}
END_TEST

/* What has run empty is not idle while others wait: it stands behind them once. */
START_TEST(nobody_is_new_for_ever)
{
    relay_begin(FULL, 0, 0);
    relay_enter(1, FULL, 20);
    ck_assert_str_eq(turns(1), "1");
    relay_enter(2, FULL - 4, 1);
    ck_assert_str_eq(turns(2), "21");
    relay_enter(2, FULL - 4, 1);
    ck_assert_str_eq(turns(3), "211");
    ck_assert_str_eq(turns(18), "1111111111111111..");
    relay_enter(1, FULL, 2);
    relay_enter(2, FULL, 2);
    ck_assert_str_eq(turns(5), "1212.");
}
END_TEST

START_TEST(the_longest_queue_loses_its_oldest)
{
    relay_begin(FULL, 10 * FULL, 0);
    relay_enter(1, FULL, 6);
    relay_enter(2, FULL, 4);
    ck_assert_ptr_null(fair_excess(&fair));
    relay_enter(3, FULL, 1);
    ck_assert_ptr_eq(fair_excess(&fair), frames[0]);
    ck_assert_ptr_null(fair_excess(&fair));
    ck_assert_uint_eq(fair.frames, 10);
    ck_assert_uint_eq(fair.bytes, 10 * FULL);
    relay_begin(FULL, 0, 2);
    relay_enter(5, 60, 3);
    ck_assert_ptr_eq(fair_excess(&fair), frames[0]);
    ck_assert_ptr_null(fair_excess(&fair));
}
END_TEST

/* --- What a flow is --- */

/* IPv4, UDP, ports 1000 and 2000. */
static const uint8_t udp_frame[60] = {
    [12] = 0x08, [14] = 0x45, [23] = 17, [26] = 10, 0, 0, 1, 10, 0, 0, 2, 0x03, 0xe8, 0x07, 0xd0,
};

START_TEST(a_flow_is_addresses_protocol_and_ports)
{
    static const struct {
        size_t byte;
        bool same;
    } changes[] = {{23, false}, {29, false}, {33, false}, {35, false}, {37, false},
                   {18, true},  {22, true},  {38, true},  {59, true}};
    uint32_t flow = frame_flow(udp_frame, sizeof udp_frame);

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        uint8_t other[sizeof udp_frame];

        memcpy(other, udp_frame, sizeof other);
        other[changes[i].byte] ^= 0x55;
        ck_assert_msg((frame_flow(other, sizeof other) == flow) == changes[i].same, "byte %zu",
                      changes[i].byte);
    }
}
END_TEST

/* The first one has ports, the others have not: all are of one flow. */
START_TEST(fragments_are_of_one_flow)
{
    uint8_t first[sizeof udp_frame], second[sizeof udp_frame];

    memcpy(first, udp_frame, sizeof first);
    first[20] = 0x20; /* more of them follow */
    memcpy(second, first, sizeof second);
    second[20] = 0x00;
    second[21] = 100; /* where it belongs */
    second[35] = 0x55;
    ck_assert_uint_eq(frame_flow(first, sizeof first), frame_flow(second, sizeof second));
    ck_assert_uint_ne(frame_flow(first, sizeof first), frame_flow(udp_frame, sizeof udp_frame));
}
END_TEST

START_TEST(ipv6_has_flows_too)
{
    uint8_t one[80] = {[12] = 0x86, 0xdd, [20] = 6, [37] = 1, [53] = 2, [55] = 80}, other[80];

    memcpy(other, one, sizeof other);
    ck_assert_uint_eq(frame_flow(one, sizeof one), frame_flow(other, sizeof other));
    other[55] = 81;
    ck_assert_uint_ne(frame_flow(one, sizeof one), frame_flow(other, sizeof other));
    ck_assert_uint_eq(frame_flow(one, 13), 0);
    ck_assert_uint_ne(frame_flow(one, 54), 0); /* cut before the ports */
}
END_TEST

/* --- A whole path --- */

/* Two greedy flows and pairs of a third, every 20 ms: full frames are two turns apart, smaller ones are not. */
static void check_pairs(uint32_t bytes, int64_t gap_ns)
{
    struct path_config config = {.link = ten_mbit, .fair_quantum_bytes = FULL, .delay_ns = MS};
    struct path path;
    struct frame *frame;
    int64_t first_ns = 0, pairs = 0;

    ck_assert_int_eq(frame_pool_init(&pool, FULL), 0);
    ck_assert_int_eq(path_init(&path, &config, &pool), 0);
    for (int i = 0; i < 1000; i++)
        path_take(&path, a_frame(1 + (uint32_t)i % 2, FULL, false), 0);
    for (int64_t at_ns = 5 * MS; at_ns < 1000 * MS; at_ns += 20 * MS) {
        path_take(&path, a_frame(3, bytes, true), at_ns);
        path_take(&path, a_frame(3, bytes, true), at_ns);
        path_advance(&path, at_ns + 19 * MS);
        while ((frame = path_release(&path, at_ns + 19 * MS)) != NULL) {
            if (frame->marked && first_ns == 0) {
                ck_assert_int_le(frame->due_ns - MS - at_ns, 2 * full_ns); /* ahead of all who wait */
                first_ns = frame->due_ns;
            } else if (frame->marked) {
                ck_assert_int_eq(frame->due_ns - first_ns, gap_ns);
                first_ns = 0;
                pairs++;
            }
            frame_give_back(&pool, frame);
        }
    }
    ck_assert_int_eq(pairs, 50);
    path_fini(&path);
    frame_pool_fini(&pool);
}

START_TEST(pairs_beside_greedy_flows)
{
    check_pairs(FULL, 2 * full_ns);
    check_pairs(FULL - 4, full_ns - 4 * 800);
}
END_TEST

/* A frame that shows up 15 us after it arrived still goes before one that was to be sent since then. */
START_TEST(turns_are_not_given_too_soon)
{
    struct path_config config = {.link = ten_mbit, .fair_quantum_bytes = FULL, .delay_ns = MS};
    struct path path;

    ck_assert_int_eq(frame_pool_init(&pool, FULL), 0);
    ck_assert_int_eq(path_init(&path, &config, &pool), 0);
    path_take(&path, a_frame(1, FULL, false), 100 * MS);
    path_take(&path, a_frame(1, FULL, false), 100 * MS);
    path_advance(&path, 100 * MS + full_ns + 10000);
    ck_assert_uint_eq(path.fair.frames, 1);
    ck_assert_int_eq(path_due_ns(&path), 101 * MS + full_ns);
    ck_assert_int_eq(path_next_ns(&path), 100 * MS + full_ns + 20000);
    path_take(&path, a_frame(2, FULL, true), 100 * MS + full_ns - 5000);
    path_advance(&path, 110 * MS);
    ck_assert_uint_eq(path_release(&path, 110 * MS)->flow, 1);
    ck_assert_uint_eq(path_release(&path, 110 * MS)->flow, 2);
    ck_assert_uint_eq(path_release(&path, 110 * MS)->flow, 1);
    path_fini(&path);
    frame_pool_fini(&pool);
}
END_TEST

/* Whatever is switched on: nothing is lost from the account, and all that is inside comes out. */
static void random_traffic(struct rng *rng)
{
    struct path_config config = {
        .link = {.rate_bps = 1000000 + rng_below(rng, 90000000), .overhead_bytes = 4},
        .loss = rng_below(rng, 20) / 100.0,
        .duplicate = rng_below(rng, 20) / 100.0,
        .reorder = rng_below(rng, 20) / 100.0,
        .hold_ns = 5 * MS,
        .impair_after = rng_percent(rng, 50),
        .delay_ns = rng_below(rng, 2 * MS),
        .coalesce_ns = rng_below(rng, 2) * MS,
        .seed = rng_next(rng),
    };
    const struct path_counts *counts;
    struct path path;
    struct frame *frame;
    int64_t now_ns = 1000 * MS, last_ns = 0;
    uint64_t copies = 0;

    config.fair_quantum_bytes = rng_percent(rng, 60) ? 256 + rng_below(rng, 2000) : 0;
    config.police_bps = rng_percent(rng, 50) ? 1000000 + rng_below(rng, 50000000) : 0;
    config.police_bytes = COUNTED + rng_below(rng, 50000);
    config.link.queue_bytes = rng_percent(rng, 50) ? 5000 + rng_below(rng, 50000) : 0;
    config.link.queue_frames = rng_percent(rng, 30) ? 2 + rng_below(rng, 50) : 0;
    config.link.tick_ns = rng_percent(rng, 20) ? MS : 0;
    config.link.vary_ns = rng_percent(rng, 30) ? MS + rng_below(rng, 20 * MS) : 0;
    config.link.vary_share = rng_below(rng, 26) / 100.0;
    config.link.access = (struct link_access){rng_percent(rng, 30), 15, 34000, 9000, 20000};
    ck_assert_int_eq(path_init(&path, &config, &pool), 0);
    counts = &path.counts;
    for (int i = 0; i < 3000; i++) {
        now_ns += rng_below(rng, 2 * MS);
        path_take(&path, a_frame(rng_below(rng, 20), 60 + rng_below(rng, 1455), rng_percent(rng, 60)),
                  now_ns);
        path_advance(&path, now_ns);
        while ((frame = path_release(&path, now_ns)) != NULL) {
            ck_assert_int_ge(frame->due_ns, last_ns);
            last_ns = frame->due_ns;
            copies += frame->copy;
            path_count_left(&path, frame);
            frame_give_back(&pool, frame);
        }
        ck_assert_int_ge(path_due_ns(&path), path_next_ns(&path));
    }
    for (int64_t end_ns; (end_ns = path_next_ns(&path)) != INT64_MAX;) {
        path_advance(&path, end_ns);
        while ((frame = path_release(&path, end_ns)) != NULL) {
            copies += frame->copy;
            path_count_left(&path, frame);
            frame_give_back(&pool, frame);
        }
    }
    ck_assert_uint_eq(path_inside(&path), 0);
    ck_assert_uint_eq(counts->received,
                      counts->forwarded + counts->dropped_loss + counts->dropped_policed
                          + counts->dropped_queue);
    ck_assert_uint_eq(counts->cross_received,
                      counts->cross_forwarded + counts->cross_policed + counts->cross_dropped);
    ck_assert_uint_eq(counts->received + counts->cross_received, 3000);
    ck_assert_uint_eq(counts->duplicated, copies);
    path_fini(&path);
}

START_TEST(every_frame_is_accounted_for)
{
    struct rng rng = rng_start("every_frame_is_accounted_for");
    size_t room = 0;

    ck_assert_int_eq(frame_pool_init(&pool, FULL), 0);
    for (int i = 0; i < 60; i++)
        random_traffic(&rng);
    while (frame_take(&pool) != NULL)
        room++;
    ck_assert_uint_eq(room, pool.slots);
    frame_pool_fini(&pool);
}
END_TEST

Suite *relay_suite(void)
{
    Suite *suite = suite_create("relay");
    TCase *link = tcase_create("link"), *police = tcase_create("police");
    TCase *flows = tcase_create("flows"), *path = tcase_create("path");

    tcase_add_test(link, a_fifo_spaces_what_comes_together);
    tcase_add_loop_test(link, contention_takes_its_mean, 0, 4);
    tcase_add_test(link, contention_after_idle_waits_for_difs_alone);
    tcase_add_loop_test(link, a_varying_rate_keeps_its_mean, 0, 4);
    tcase_add_test(link, a_varying_rate_varies);
    tcase_add_test(police, a_policer_passes_bucket_and_rate);
    tcase_add_test(police, without_a_rate_nothing_is_policed);
    tcase_add_test(flows, flows_have_turns_of_a_quantum);
    tcase_add_test(flows, a_flow_that_was_idle_goes_first);
    tcase_add_test(flows, a_small_quantum_is_as_fair);
    tcase_add_test(flows, nobody_is_new_for_ever);
    tcase_add_test(flows, the_longest_queue_loses_its_oldest);
    tcase_add_test(flows, a_flow_is_addresses_protocol_and_ports);
    tcase_add_test(flows, fragments_are_of_one_flow);
    tcase_add_test(flows, ipv6_has_flows_too);
    tcase_add_test(path, pairs_beside_greedy_flows);
    tcase_add_test(path, turns_are_not_given_too_soon);
    tcase_add_test(path, every_frame_is_accounted_for);
    suite_add_tcase(suite, link);
    suite_add_tcase(suite, police);
    suite_add_tcase(suite, flows);
    suite_add_tcase(suite, path);
    return suite;
}
