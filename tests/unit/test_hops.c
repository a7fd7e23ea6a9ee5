/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains whose inner packets die on the way: what the assembler takes for a train, what is foreign, and
 * what the path is told hop by hop. */
#include "filters/hops.h"
#include "filters/shift.h"
#include "filters/tight.h"
#include "pprec/pprec.h"
#include "tests/sim/locate.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

enum { LOAD_PAYLOAD = 1472, MARKER_PAYLOAD = 54, LOAD = LOAD_PAYLOAD + 46, SPACING_MS = 50 };

static struct pprec *pprec;
static struct pprec_train told;
static unsigned trains;
static uint32_t seq, number, in_stream = 7;
static const struct pprec_endpoint source = {{192, 0, 2, 1}, 9000, 4};

static void hops_on_train(void *user, const struct pprec_train *train)
{
    (void)user;
    told = *train;
    trains++;
}

static void open_within(size_t memory_bytes)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.on_train = hops_on_train;
    config.memory_bytes = memory_bytes;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    trains = seq = number = 0;
}

static void open_handle(void)
{
    open_within(64 << 20);
}

static void close_handle(void)
{
    pprec_free(pprec);
}

/* Of train `number`, which left at its time and took nothing to leave. */
static struct pprec_arrival arrival_at(unsigned length, unsigned position, int64_t after_ns)
{
    struct pprec_arrival arrival;
    int64_t sent_ns = (1 + number) * (int64_t)SPACING_MS * MS;

    pprec_arrival_init(&arrival);
    arrival.source = source;
    arrival.stream = in_stream;
    arrival.train = number;
    arrival.seq = seq + position;
    arrival.position = (uint16_t)position;
    arrival.train_length = (uint16_t)length;
    arrival.payload_bytes = LOAD_PAYLOAD;
    arrival.sent_ns = sent_ns;
    arrival.received =
        (struct pprec_stamp){sent_ns + 5 * MS + after_ns, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_KERNEL};
    if (number > 0) {
        arrival.departure_train = number - 1;
        arrival.departure_span_ns = 1000;
    }
    return arrival;
}

static struct pprec_arrival reach_at(unsigned length, unsigned position, int64_t after_ns)
{
    struct pprec_arrival arrival = arrival_at(length, position, after_ns);

    arrival.load_hops = 3;
    arrival.marker_hops = 64;
    arrival.load_payload_bytes = LOAD_PAYLOAD;
    arrival.hops_left = 60;
    if (position == 0 || position + 1 == length)
        arrival.payload_bytes = MARKER_PAYLOAD;
    return arrival;
}

static int test_hops_push(struct pprec_arrival arrival)
{
    return pprec_push(pprec, &arrival);
}

static void next_train(unsigned length)
{
    seq += length;
    number++;
}

/* What was in flight. */
static struct pprec_summary hops_settle(void)
{
    struct pprec_summary summary;

    ck_assert_int_eq(pprec_finish(pprec), PPREC_OK);
    ck_assert_int_eq(pprec_get_summary(pprec, &source, 7, &summary), PPREC_OK);
    return summary;
}

START_TEST(two_markers_are_a_whole_train)
{
    struct pprec_summary summary;

    ck_assert_int_eq(test_hops_push(reach_at(8, 0, 0)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(reach_at(8, 7, 4 * MS)), PPREC_OK);
    next_train(8);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 0, 0)), PPREC_OK); /* tells how the first left */
    ck_assert_uint_eq(trains, 1);
    ck_assert_int_eq(told.verdict, PPREC_VERDICT_REACH);
    ck_assert_uint_eq(told.sent, 8);
    ck_assert_uint_eq(told.received, 2);
    ck_assert_uint_eq(told.load_hops, 3);
    ck_assert_uint_eq(told.marker_hops, 64);
    ck_assert_uint_eq(told.hops_left, 60);
    ck_assert(!(told.rate_bps > 0)); /* no rate of the path's */
    ck_assert_int_eq(told.dispersion_ns, 4 * MS);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 1, 1 * MS)), PPREC_OK);
    next_train(2);
    summary = hops_settle();
    ck_assert_uint_eq(summary.counts.lost, 0);
    ck_assert_uint_eq(summary.counts.trains, 2);
    ck_assert_uint_eq(summary.counts.usable, 1);
    ck_assert_uint_eq(summary.counts.packets, 4);
    ck_assert_int_eq(summary.jitter_ns, 0); /* markers are other packets */
}
END_TEST

START_TEST(a_marker_that_is_missing_is_lost)
{
    ck_assert_int_eq(test_hops_push(reach_at(8, 0, 0)), PPREC_OK);
    next_train(8);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 0, 0)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 1, MS)), PPREC_OK);
    ck_assert_uint_eq(hops_settle().counts.lost, 1);
}
END_TEST

/* Then the load does not die, and what is missing of it is lost. */
START_TEST(a_load_that_comes_is_counted)
{
    for (unsigned i = 0; i < 8; i++)
        if (i != 3 && i != 4)
            ck_assert_int_eq(test_hops_push(reach_at(8, i, i * MS)), PPREC_OK);
    ck_assert_uint_eq(hops_settle().counts.lost, 2);
    ck_assert_uint_eq(told.received, 6);
    ck_assert_int_eq(told.verdict, PPREC_VERDICT_REACH);
}
END_TEST

enum { CONTRADICTIONS = 4 };

static void contradict(struct pprec_arrival *arrival, int how)
{
    switch (how) {
    case 0: arrival->load_hops = 4; break;
    case 1: arrival->marker_hops = 63; break;
    case 2: arrival->load_payload_bytes = 1000; break;
    default: arrival->payload_bytes = MARKER_PAYLOAD + 1;
    }
}

START_TEST(what_contradicts_its_train_is_foreign)
{
    struct pprec_arrival arrival = reach_at(8, 7, 2 * MS);

    ck_assert_int_eq(test_hops_push(reach_at(8, 0, 0)), PPREC_OK);
    contradict(&arrival, _i);
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EFOREIGN);
    arrival = arrival_at(8, 7, 2 * MS); /* of no load at all */
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EFOREIGN);
    arrival = reach_at(8, 3, 2 * MS);
    arrival.payload_bytes = LOAD_PAYLOAD - 1;
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EFOREIGN);
    ck_assert_int_eq(test_hops_push(reach_at(8, 7, 4 * MS)), PPREC_OK);
    ck_assert_uint_eq(pprec_foreign(pprec), 3);
    ck_assert_uint_eq(hops_settle().counts.lost, 0);
}
END_TEST

/* Of a train of 4 that ends with its third packet. */
static struct pprec_arrival early_at(unsigned position, int64_t after_ns)
{
    struct pprec_arrival arrival = reach_at(4, position, after_ns);

    if (position == 2)
        arrival.payload_bytes = MARKER_PAYLOAD;
    return arrival;
}

/* With the load or without it, in any order, and whatever comes after it. */
START_TEST(a_train_may_end_early)
{
    static const struct {
        unsigned count, position[3];
        bool next;
    } orders[] = {{2, {0, 2}, true},     {2, {0, 2}, false},   {2, {2, 0}, true},     {3, {0, 1, 2}, true},
                  {3, {0, 1, 2}, false}, {3, {1, 0, 2}, true}, {3, {2, 1, 0}, false}, {3, {0, 2, 1}, true}};

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        pprec_free(pprec);
        open_handle();
        for (unsigned k = 0; k < orders[i].count; k++)
            ck_assert_int_eq(test_hops_push(early_at(orders[i].position[k], k * MS)), PPREC_OK);
        next_train(3);
        ck_assert_int_eq(orders[i].next ? test_hops_push(arrival_at(2, 0, 0)) : PPREC_OK, PPREC_OK);
        ck_assert_int_eq(orders[i].next ? test_hops_push(arrival_at(2, 1, MS)) : PPREC_OK, PPREC_OK);
        ck_assert_uint_eq(hops_settle().counts.lost, 0);
        ck_assert_uint_eq(trains, orders[i].next ? 2 : 1);
        if (!orders[i].next) {
            ck_assert_uint_eq(told.sent, 3);
            ck_assert_uint_eq(told.received, orders[i].count);
            ck_assert_int_eq(told.verdict, PPREC_VERDICT_REACH);
        }
    }
}
END_TEST

/* Then the next train tells where it ended: lost is a marker, not the load. */
START_TEST(the_last_marker_of_a_short_train_may_be_lost)
{
    ck_assert_int_eq(test_hops_push(early_at(0, 0)), PPREC_OK);
    next_train(3);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 0, 0)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(arrival_at(2, 1, MS)), PPREC_OK);
    ck_assert_uint_eq(hops_settle().counts.lost, 1);
    ck_assert_uint_eq(trains, 2);
}
END_TEST

START_TEST(nothing_follows_the_last_marker)
{
    struct pprec_arrival small = reach_at(8, 3, 3 * MS);

    small.payload_bytes = MARKER_PAYLOAD;
    ck_assert_int_eq(test_hops_push(reach_at(8, 0, 0)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(reach_at(8, 4, 2 * MS)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(small), PPREC_EFOREIGN); /* before one of the load */
    ck_assert_int_eq(test_hops_push(reach_at(8, 7, 4 * MS)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(small), PPREC_EFOREIGN); /* a second one */
    next_train(8);
    ck_assert_int_eq(test_hops_push(early_at(0, 0)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(early_at(2, 2 * MS)), PPREC_OK);
    ck_assert_int_eq(test_hops_push(early_at(3, 3 * MS)), PPREC_EFOREIGN);
    ck_assert_int_eq(test_hops_push(early_at(2, 3 * MS)), PPREC_OK); /* a copy */
    ck_assert_int_eq(test_hops_push(early_at(1, 4 * MS)), PPREC_OK); /* late, not wrong */
    ck_assert_uint_eq(hops_settle().counts.duplicate, 1);
    ck_assert_uint_eq(pprec_foreign(pprec), 3);
}
END_TEST

START_TEST(loads_without_sense_are_refused)
{
    struct pprec_arrival arrival = reach_at(8, 0, 0);

    arrival.load_hops = 0;
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EINVAL);
    arrival = reach_at(8, 0, 0);
    arrival.marker_hops = 0;
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EINVAL);
    arrival = reach_at(8, 0, 0);
    arrival.load_payload_bytes = 0;
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EINVAL);
    ck_assert_int_eq(test_hops_push(reach_at(2, 0, 0)), PPREC_EINVAL); /* a pair has no inner packets */
    arrival = reach_at(8, 0, 0);
    arrival.train_length = 0;
    ck_assert_int_eq(test_hops_push(arrival), PPREC_EINVAL);
    ck_assert_uint_eq(pprec_foreign(pprec), 5);
}
END_TEST

/* --- Hop by hop --- */

/* Markers of a train of seven. */
static void push_markers(struct hops *hops, unsigned i, uint32_t load_bytes, uint8_t left, uint8_t hop)
{
    struct sample_packet markers[2] = {{.bytes = 64}, {.offset_ns = MS, .bytes = 64, .position = 6}};
    struct sample sample = {.time_ns = (int64_t)i * 100 * MS + 5 * MS,
                            .sent_ns = (int64_t)i * 100 * MS,
                            .departure_span_ns = 1000,
                            .sent = 7,
                            .received = 2,
                            .packet_bytes = 64,
                            .packets = markers,
                            .load_hops = hop,
                            .marker_hops = 64,
                            .hops_left = left,
                            .load_bytes = load_bytes};

    hops_push(hops, &sample);
}

/* Trains of another size come over a longer route: none is of the newest one's kind, and what memory was before tells nothing. */
START_TEST(memory_need_not_be_zero)
{
    struct hops *hops = malloc(hops_bytes());
    struct estimate capacity = {
        .state = STATE_CONVERGED, .capacity_bps = 1e8, .low_bps = 9.9e7, .high_bps = 1.01e8};
    struct hops_estimate result;

    memset(hops, 0x3f, hops_bytes());
    hops_init(hops);
    for (unsigned i = 0; i < 50; i++)
        push_markers(hops, i, 1500, 60, (uint8_t)(1 + i % 4));
    push_markers(hops, 50, 1400, 58, 1);
    hops_estimate(hops, &capacity, &result);
    ck_assert_uint_eq(result.narrow, 0);
    ck_assert_int_eq(result.why, HOPS_WHY_FEW_TRAINS);
    free(hops);
}
END_TEST

/* Rates of links in Mbit/s, the path of which is narrow by `mbps`. */
struct path {
    double mbps[6];
    unsigned links, from, to; /* trains go to these hops */
    double bucket_bytes;
    unsigned hops_left; /* 0: as it should be */
    unsigned busy;      /* this link has other traffic; 0: none has */
};

static double least_mbps(const struct path *path, unsigned links)
{
    double least = path->mbps[0];

    for (unsigned i = 1; i < links && i < path->links; i++)
        least = fmin(least, path->mbps[i]);
    return least;
}

static double time_ns(double bytes, double mbps)
{
    return bytes * 8e3 / mbps;
}

static void send_plain(const struct path *path, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        test_hops_push(arrival_at(length, i, (int64_t)(i * time_ns(LOAD, least_mbps(path, path->links)))));
    next_train(length);
}

static double always_busy;
static bool seldom_free; /* no two trains wait as long, and few of them little */

/* As long as the narrowest link up to there needs; behind a busy one as long as that does, with what
 * gets in between: half as much again on average, at times nothing. */
static double held_ns(const struct path *path, unsigned hop, double bytes)
{
    static const double shares[] = {0.4, 0.7, 0.1, 0.9, 0, 0.6, 0.8};
    double share = seldom_free ? fmod(number / 4 * 0.618, 1) / 2 : shares[number / 4 % 7];
    double busy = path->busy != 0 && hop >= path->busy ? 1 + always_busy + share : 0;

    return fmax(time_ns(bytes, least_mbps(path, hop)),
                busy > 0 ? busy * time_ns(bytes, path->mbps[path->busy - 1]) : 0);
}

/* A link has all of a packet before it sends it on, and the last marker waits for that of the load; a
 * bucket lets it pass. */
static double stored_ns(const struct path *path, unsigned hop)
{
    double sum_ns = 0;

    for (unsigned i = 1; i < hop && i < path->links && path->bucket_bytes <= 0; i++)
        sum_ns += time_ns(LOAD, path->mbps[i]);
    return sum_ns;
}

static void send_reach(const struct path *path, unsigned hop, unsigned inner)
{
    double behind = fmax(inner * (double)LOAD + MARKER_PAYLOAD + 46 - path->bucket_bytes, 0);
    double gap_ns = stored_ns(path, hop)
        + fmax(held_ns(path, hop, behind), time_ns(MARKER_PAYLOAD + 46, least_mbps(path, path->links)));

    for (unsigned i = 0; i < inner + 2; i++) {
        bool marker = i == 0 || i == inner + 1;
        struct pprec_arrival arrival = reach_at(inner + 2, i, (int64_t)(gap_ns * i / (inner + 1)));

        arrival.load_hops = (uint8_t)hop;
        arrival.hops_left =
            (uint8_t)(path->hops_left != 0 ? path->hops_left : (marker ? 64 : hop) - path->links + 1);
        if (marker || hop >= path->links)
            test_hops_push(arrival);
    }
    next_train(inner + 2);
}

static void send_round(const struct path *path, unsigned round)
{
    for (unsigned hop = path->from; hop <= path->to; hop++) {
        send_plain(path, round % 2 ? 2 : 16);
        send_reach(path, hop, 2);
        send_plain(path, 2);
        send_reach(path, hop, 14);
    }
}

static struct pprec_hops_summary test_hops_measure(const struct path *path, struct pprec_hop *hops)
{
    struct pprec_hops_summary summary;

    for (unsigned round = 0; round < 24; round++)
        send_round(path, round);
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, hops, 64, &summary), PPREC_OK);
    return summary;
}

static void assert_near(double is, double want)
{
    ck_assert_msg(fabs(is / want - 1) < 0.03, "%.0f, want %.0f", is, want);
}

START_TEST(each_hop_is_told)
{
    struct path path = {{100, 40, 60, 10, 30}, 5, 1, 8, 0, 0, 0};
    static const double least[] = {100e6, 40e6, 40e6, 10e6, 10e6};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_uint_eq(summary.hops_count, 5);
    ck_assert_uint_eq(summary.hops_told, 5);
    ck_assert_uint_eq(summary.narrow_hop, 4);
    ck_assert_uint_eq(summary.narrow_hop_last, 4);
    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_NONE);
    assert_near(summary.narrow_link_bps, 10e6);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(hops[i].state, PPREC_HOP_CONVERGED);
        assert_near(hops[i].capacity_bps, least[i]);
        ck_assert(hops[i].low_bps <= least[i] && hops[i].high_bps >= least[i]);
    }
}
END_TEST

/* As a sender does that begins anew with other options. */
START_TEST(loads_that_change)
{
    struct path path = {{100, 40, 60, 10, 30}, 5, 1, 8, 0, 0, 0};
    struct pprec_hops_summary summary;

    for (unsigned round = 0; round < 8; round++)
        send_round(&path, round);
    for (unsigned round = 0; round < 8; round++)
        for (unsigned hop = 1; hop <= 8; hop++) {
            send_plain(&path, round % 2 ? 2 : 16);
            send_reach(&path, hop, 1);
            send_plain(&path, 2);
            send_reach(&path, hop, 6);
        }
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.hops_count, 5);
    ck_assert_uint_eq(summary.narrow_hop, 4);
    ck_assert_uint_eq(summary.narrow_hop_last, 4);
    assert_near(summary.narrow_link_bps, 10e6);
}
END_TEST

/* On average it takes as long as 67 Mbit/s would. */
START_TEST(a_busy_link_is_no_narrow_one)
{
    struct path path = {{400, 100, 80, 300}, 4, 1, 8, 0, 0, 2};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_uint_eq(summary.narrow_hop, 3);
    ck_assert_uint_le(summary.narrow_hop_last, 4);
    ck_assert(hops[1].low_bps > 80e6 && hops[1].low_bps <= 100e6);
    ck_assert(hops[1].state != PPREC_HOP_CONVERGED || hops[1].high_bps >= 100e6);
}
END_TEST

/* At no time does it let a train through undisturbed: then it cannot be told. */
START_TEST(what_hides_its_floor_is_a_range)
{
    struct path path = {{400, 100, 80, 300}, 4, 1, 8, 0, 0, 2};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary;

    always_busy = 0.3;
    summary = test_hops_measure(&path, hops);
    always_busy = 0;
    ck_assert_uint_le(summary.narrow_hop, 2);
    ck_assert_uint_ge(summary.narrow_hop_last, 3);
}
END_TEST

/* Most trains wait at the busy link, but none behind it: so the narrow one is no later. */
START_TEST(a_link_without_a_step_is_no_narrow_one)
{
    struct path path = {{400, 100, 80, 1000, 2000}, 5, 1, 8, 0, 0, 3};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary;

    seldom_free = true; /* its floor is not seen */
    summary = test_hops_measure(&path, hops);
    seldom_free = false;
    ck_assert_uint_eq(summary.narrow_hop, 3);
    ck_assert_uint_eq(summary.narrow_hop_last, 3);
}
END_TEST

START_TEST(a_path_of_one_link)
{
    struct path path = {{10}, 1, 1, 4, 0, 0, 0};
    struct pprec_hop hop[1];
    struct pprec_hops_summary summary = test_hops_measure(&path, hop); /* room for one is enough */

    ck_assert_uint_eq(summary.hops_count, 1);
    ck_assert_uint_eq(summary.narrow_hop, 1);
    ck_assert_uint_eq(summary.narrow_hop_last, 1);
}
END_TEST

/* A bucket of one frame takes the same off trains of any length. */
START_TEST(a_small_bucket_is_no_matter)
{
    struct path path = {{100, 40, 10}, 3, 1, 4, 1600, 0, 0};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_uint_eq(summary.narrow_hop, 3);
    ck_assert_uint_eq(summary.narrow_hop_last, 3);
    assert_near(hops[1].capacity_bps, 40e6);
}
END_TEST

START_TEST(a_bucket_of_whole_trains_is_said)
{
    struct path path = {{100, 40, 10}, 3, 1, 4, 30000, 0, 0};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_BUCKET);
    ck_assert_uint_eq(summary.narrow_hop, 0);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_le(hops[i].state, PPREC_HOP_TENTATIVE);
        ck_assert(hops[i].state != PPREC_HOP_TENTATIVE || hops[i].high_bps >= hops[i].capacity_bps);
    }
}
END_TEST

START_TEST(what_lies_beyond_is_said)
{
    struct path path = {{100, 90, 80, 10, 50}, 5, 1, 2, 0, 0, 0};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_BEYOND);
    ck_assert_uint_eq(summary.narrow_hop, 3);
    ck_assert_uint_eq(summary.narrow_hop_last, 5);
    ck_assert_int_eq(hops[3].state, PPREC_HOP_INSUFFICIENT);
}
END_TEST

/* A firewall sets 255: the loads tell, the first that came. */
START_TEST(hop_limits_that_are_set_on_the_way)
{
    struct path path = {{100, 40, 10, 50}, 4, 1, 8, 0, 255, 0};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_uint_eq(summary.hops_count, 4);
    ck_assert_uint_eq(summary.narrow_hop, 3);
}
END_TEST

/* They say two links, and loads die after three. */
START_TEST(hop_limits_that_loads_contradict)
{
    struct path path = {{100, 40, 10, 50}, 4, 1, 8, 0, 63, 0};
    struct pprec_hop hops[64];
    struct pprec_hops_summary summary = test_hops_measure(&path, hops);

    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_HOP_LIMITS);
    ck_assert_uint_eq(summary.hops_count, 4);
    ck_assert_uint_eq(summary.narrow_hop, 3);
}
END_TEST

/* Paced, with markers as large as the load. */
static void send_paced(unsigned hop)
{
    for (unsigned position = 0; position < 16; position += 15) {
        struct pprec_arrival arrival = reach_at(16, position, position * MS);

        arrival.payload_bytes = LOAD_PAYLOAD;
        arrival.load_hops = (uint8_t)hop;
        test_hops_push(arrival);
    }
    next_train(16);
}

/* By turns four links and seven: nothing of it is fact. */
START_TEST(hop_limits_of_several_paths)
{
    struct path path = {{100, 40, 10, 50}, 4, 1, 8, 0, 0, 0};
    struct pprec_hops_summary summary;
    struct pprec_hop hops[64];

    for (unsigned round = 0; round < 24; round++) {
        path.hops_left = round % 2 ? 58 : 61;
        send_round(&path, round);
        send_paced(1 + round % 4);
    }
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, hops, 64, &summary), PPREC_OK);
    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_PATHS_VARY);
    ck_assert_int_eq(summary.tight_why, PPREC_TIGHT_WHY_LENGTH);
    ck_assert_uint_eq(summary.tight_hop, 0);
    for (unsigned i = 0; i < summary.hops_told; i++)
        ck_assert_int_ne(hops[i].state, PPREC_HOP_CONVERGED);
}
END_TEST

/* What was least before may be too little now. */
START_TEST(floors_from_before_a_change_are_gone)
{
    struct path before = {{100, 40, 60, 20, 30}, 5, 1, 8, 0, 0, 0}, after = before;
    struct pprec_hops_summary summary;
    struct pprec_hop hops[64];

    after.mbps[1] = 10;
    for (unsigned round = 0; round < 8; round++)
        send_round(&before, round);
    for (unsigned round = 0; round < 8; round++)
        send_round(&after, round);
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, hops, 64, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.narrow_hop, 2);
    ck_assert_uint_eq(summary.narrow_hop_last, 2);
    assert_near(summary.narrow_link_bps, 10e6);
    assert_near(hops[4].capacity_bps, 10e6);
}
END_TEST

START_TEST(a_reset_forgets_the_tight_link)
{
    struct path path = {{20, 10}, 2, 1, 4, 0, 0, 0};
    struct pprec_hops_summary summary;

    for (unsigned round = 0; round < 24; round++) {
        send_round(&path, round);
        send_paced(1 + round % 2);
    }
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_uint_gt(summary.tight_trains, 8);
    ck_assert_int_eq(pprec_reset_stream(pprec, &source, 7), PPREC_OK);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.hops_count, 0);
    ck_assert_uint_eq(summary.tight_trains, 0);
    ck_assert_uint_eq(summary.tight_hop_last, 0);
}
END_TEST

START_TEST(memory_is_taken_with_the_first_of_them)
{
    struct path path = {{10}, 1, 1, 1, 0, 0, 0};
    struct pprec_hops_summary summary;
    size_t before;

    for (int i = 0; i < 40; i++)
        send_plain(&path, 2);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.trains, 0);
    ck_assert_int_eq(summary.newest_ns, PPREC_UNKNOWN_NS);
    before = pprec_memory_bytes(pprec);
    send_reach(&path, 1, 6);
    send_plain(&path, 2);
    ck_assert_uint_gt(pprec_memory_bytes(pprec), before + 50000);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 8, NULL, 0, &summary), PPREC_EINVAL);
}
END_TEST

/* All that there is of it is a word, until there is room. */
START_TEST(without_memory_that_is_said)
{
    struct path path = {{20, 10}, 2, 1, 4, 0, 0, 0};
    struct pprec_hops_summary summary;

    pprec_free(pprec);
    open_within(hops_bytes());
    send_reach(&path, 1, 6);
    send_plain(&path, 2);
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_FEW_TRAINS);
    for (unsigned round = 0; round < 4; round++)
        send_round(&path, round);
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.why, PPREC_HOPS_WHY_ROOM);
    ck_assert_uint_eq(summary.trains, 0);
    ck_assert_int_eq(summary.tight_why, PPREC_TIGHT_WHY_NONE); /* nor was one paced */
}
END_TEST

/* Of stream `stream`, which sends trains from that number on. */
static enum pprec_tight_why why_of_paced(uint32_t stream, uint32_t from)
{
    struct pprec_hops_summary summary;

    seq = 16 * from;
    number = from;
    in_stream = stream;
    for (unsigned i = 0; i < 12; i++)
        send_paced(1 + i % 2);
    ck_assert_int_eq(pprec_finish(pprec), PPREC_OK);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, stream, NULL, 0, &summary), PPREC_OK);
    return summary.tight_why;
}

/* Whoever makes up many does not cost the receiver time for each. One that is silent makes room, and keeps its
 * answer; so does one that has gone. */
START_TEST(sixteen_streams_have_a_tight_link)
{
    struct pprec_hops_summary before, after;

    for (uint32_t stream = 0; stream < 16; stream++)
        ck_assert_int_ne(why_of_paced(stream, 0), PPREC_TIGHT_WHY_ROOM);
    ck_assert_int_eq(why_of_paced(16, 0), PPREC_TIGHT_WHY_ROOM);
    for (uint32_t stream = 1; stream < 16; stream++)
        ck_assert_int_ne(why_of_paced(stream, 300), PPREC_TIGHT_WHY_ROOM);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 0, NULL, 0, &before), PPREC_OK);
    ck_assert_int_ne(why_of_paced(17, 300), PPREC_TIGHT_WHY_ROOM);
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 0, NULL, 0, &after), PPREC_OK);
    ck_assert_mem_eq(&before, &after, sizeof before);
    ck_assert_int_eq(why_of_paced(18, 300), PPREC_TIGHT_WHY_ROOM);
    for (int64_t s = 20; s < 3700; s += 5)
        ck_assert_int_eq(pprec_tick(pprec, s * 1000 * MS), PPREC_OK);
    ck_assert_uint_eq(pprec_streams(pprec), 0);
    for (uint32_t stream = 0; stream < 16; stream++)
        ck_assert_int_ne(why_of_paced(stream, 80000), PPREC_TIGHT_WHY_ROOM);
    in_stream = 7;
}
END_TEST

START_TEST(without_memory_for_paced_trains_that_is_said)
{
    struct path path = {{20, 10}, 2, 1, 4, 0, 0, 0};
    struct pprec_hops_summary summary;

    pprec_free(pprec);
    open_within((hops_bytes() + tight_bytes()) / 3 * 4); /* less than that without the stream */
    for (unsigned round = 0; round < 24; round++) {
        send_round(&path, round);
        send_paced(1 + round % 2);
    }
    hops_settle();
    ck_assert_int_eq(pprec_get_hops(pprec, &source, 7, NULL, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.hops_count, 2);
    ck_assert_int_eq(summary.tight_why, PPREC_TIGHT_WHY_ROOM);
    ck_assert_uint_eq(summary.tight_trains, 0);
}
END_TEST

/* --- How much greater one sample is --- */

/* All 25 differences of the two: their median is 10, and they are 6 to 14. */
START_TEST(shifts_are_told)
{
    static const double less[] = {0, 1, 2, 3, 4}, more[] = {10, 11, 12, 13, 14}, far[] = {1e9, 2e9};
    struct shift_samples pairs[] = {{less, more, 5, 5}, {less, far, 5, 0}};

    ck_assert_double_eq_tol(shift_most(pairs, 1, 0), 10, 1e-3);
    ck_assert_double_eq_tol(shift_most(pairs, 2, 0), 10, 1e-3);   /* nothing to compare in the other */
    ck_assert_double_eq_tol(shift_most(pairs, 1, 2.5), 14, 1e-3); /* 24 of 25 are below */
    ck_assert(isinf(shift_most(pairs, 1, 2.7)));                  /* more than five and five can say */
    ck_assert(isinf(shift_most(pairs + 1, 1, 1)));
    ck_assert(isinf(shift_most(pairs + 1, 1, 0)));
}
END_TEST

/* --- Simulated paths --- */

/* More links are no faster than the first of them. */
static void assert_falling(const struct locate_result *result)
{
    double low_bps = INFINITY, high_bps = INFINITY;

    for (unsigned i = 0; i < result->summary.hops_told; i++) {
        const struct pprec_hop *hop = &result->hop[i];

        if (hop->state == PPREC_HOP_INSUFFICIENT)
            continue;
        ck_assert_double_le(hop->low_bps, low_bps);
        low_bps = hop->low_bps;
        if (hop->state == PPREC_HOP_AT_LEAST)
            continue;
        ck_assert_double_le(hop->high_bps, high_bps);
        high_bps = hop->high_bps;
    }
}

START_TEST(simulated_paths)
{
    struct rng rng = rng_start("simulated_paths");

    for (unsigned i = 0; i < locate_case_count; i++) {
        uint64_t seed = 1 + rng_below(&rng, 1000000);
        struct locate_result result;
        struct sim_config config;

        locate_config(&locate_cases[i], seed, &config);
        locate_run(&config, seed, &result);
        assert_falling(&result);
        if (locate_cases[i].right < 0.92 || locate_cases[i].wrong > 0)
            continue;
        ck_assert_msg(result.verdict == LOCATE_RIGHT || result.verdict == LOCATE_RANGE,
                      "%s, seed %llu: %u to %u, is %u", locate_cases[i].name, (unsigned long long)seed,
                      result.summary.narrow_hop, result.summary.narrow_hop_last, result.narrow);
    }
}
END_TEST

static const struct locate_case *locate_case_named(const char *name)
{
    const struct locate_case *row = locate_cases;

    while (strcmp(row->name, name) != 0)
        row++;
    return row;
}

/* What is told of that path. */
static struct locate_result located(const char *name, uint64_t seed)
{
    struct locate_result result;
    struct sim_config config;

    locate_config(locate_case_named(name), seed, &config);
    locate_run(&config, seed, &result);
    return result;
}

/* All but a few trains to the first hop wait for long ones of the stream's own. */
START_TEST(late_trains_tell_a_hop)
{
    struct locate_result result = located("idle-six", 320);

    ck_assert_int_eq(result.verdict, LOCATE_RIGHT);
}
END_TEST

/* The busy link before it reads as slow, and pairs read it as 6 % faster. */
START_TEST(a_bucket_for_one_packet_is_seen)
{
    struct locate_result result = located("bucket-.7", 16);

    ck_assert_int_ne(result.verdict, LOCATE_WRONG);
    ck_assert_double_eq_tol(result.summary.narrow_link_bps, result.truth_bps, 0.02 * result.truth_bps);
}
END_TEST

Suite *hops_suite(void)
{
    Suite *suite = suite_create("hops");
    TCase *whole = tcase_create("trains");
    TCase *paths = tcase_create("paths");
    TCase *model = tcase_create("model");

    tcase_add_checked_fixture(whole, open_handle, close_handle);
    tcase_add_test(whole, memory_need_not_be_zero);
    tcase_add_test(whole, two_markers_are_a_whole_train);
    tcase_add_test(whole, a_train_may_end_early);
    tcase_add_test(whole, the_last_marker_of_a_short_train_may_be_lost);
    tcase_add_test(whole, nothing_follows_the_last_marker);
    tcase_add_test(whole, a_marker_that_is_missing_is_lost);
    tcase_add_test(whole, a_load_that_comes_is_counted);
    tcase_add_loop_test(whole, what_contradicts_its_train_is_foreign, 0, CONTRADICTIONS);
    tcase_add_test(whole, loads_without_sense_are_refused);
    tcase_add_checked_fixture(paths, open_handle, close_handle);
    tcase_add_test(paths, each_hop_is_told);
    tcase_add_test(paths, loads_that_change);
    tcase_add_test(paths, a_busy_link_is_no_narrow_one);
    tcase_add_test(paths, what_hides_its_floor_is_a_range);
    tcase_add_test(paths, a_link_without_a_step_is_no_narrow_one);
    tcase_add_test(paths, a_path_of_one_link);
    tcase_add_test(paths, a_small_bucket_is_no_matter);
    tcase_add_test(paths, a_bucket_of_whole_trains_is_said);
    tcase_add_test(paths, what_lies_beyond_is_said);
    tcase_add_test(paths, hop_limits_that_are_set_on_the_way);
    tcase_add_test(paths, hop_limits_that_loads_contradict);
    tcase_add_test(paths, hop_limits_of_several_paths);
    tcase_add_test(paths, floors_from_before_a_change_are_gone);
    tcase_add_test(paths, a_reset_forgets_the_tight_link);
    tcase_add_test(paths, memory_is_taken_with_the_first_of_them);
    tcase_add_test(paths, without_memory_that_is_said);
    tcase_add_test(paths, without_memory_for_paced_trains_that_is_said);
    tcase_add_test(paths, sixteen_streams_have_a_tight_link);
    tcase_add_test(model, shifts_are_told);
    tcase_add_test(model, simulated_paths);
    tcase_add_test(model, late_trains_tell_a_hop);
    tcase_add_test(model, a_bucket_for_one_packet_is_seen);
    suite_add_tcase(suite, whole);
    suite_add_tcase(suite, paths);
    suite_add_tcase(suite, model);
    return suite;
}
