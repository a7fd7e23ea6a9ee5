/* SPDX-License-Identifier: BSD-3-Clause */
/* The path model against closed forms. Random tests print their seed and take
 * it back from PP_SEED. */
#include "common/wire.h"
#include "filters/dispersion.h"
#include "tests/sim/capture.h"
#include "tests/sim/cases.h"
#include "tests/sim/events.h"
#include "tests/sim/samples.h"
#include "tests/sim/sim.h"
#include "tests/sim/tcp.h"
#include "tests/sim/units.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *sim_suite(void);

#define FAST_BPS 1000000000000U /* a link that takes no time worth naming */
#define EPOCH_NS 1700000000000000000

/* trains of length packets of bytes each, through one hop, and nothing else. */
static struct sim_config plain(unsigned trains, uint16_t length, uint32_t bytes,
                               uint64_t rate_bps)
{
    struct sim_config config = {
        .sender = {.rate_bps = FAST_BPS,
                   .delay_ns = 1000000000,
                   .trains = trains,
                   .pattern_length = 1,
                   .pattern = {{length, bytes}},
                   .departure = SIM_DEPARTURE_WIRE},
        .path = {.hops = 1, .hop = {{.rate_bps = rate_bps, .propagation_ns = 1000000}}},
        .receiver = {.epoch_ns = EPOCH_NS},
    };

    return config;
}

static int64_t gap_ps(const struct sim_run *run, size_t probe)
{
    return run->probes[probe].arrived_ps - run->probes[probe - 1].arrived_ps;
}

static uint64_t printed_seed(const char *test)
{
    uint64_t seed = sim_seed(20240611);

    printf("%s: PP_SEED=%" PRIu64 "\n", test, seed);
    return seed;
}

/* --- Exact: one hop or many, nothing in the way --- */

/* D/D/1: packets of L bits leave a link of C bit/s L/C apart. */
START_TEST(idle_gap_is_size_over_rate)
{
    static const uint32_t sizes[] = {64, 500, 1000, 1500, 1518};
    static const uint64_t rates[] = {100000,    1000000,    10000000,
                                     100000000, 1000000000, 10000000000};

    for (size_t s = 0; s < 5; s++)
        for (size_t r = 0; r < 6; r++) {
            struct sim_config config = plain(3, 8, sizes[s], rates[r]);
            struct sim_run run;
            config.sender.delay_ns = 100000000000;
            sim_run_init(&run, &config, 1);
            for (size_t i = 0; i < run.probe_count; i++)
                if (run.probes[i].position > 0)
                    ck_assert_int_eq(gap_ps(&run, i), sim_transmit_ps(sizes[s], rates[r]));
            sim_run_fini(&run);
        }
}
END_TEST

/* The narrow link keeps its mark wherever it is. */
START_TEST(idle_chain_keeps_the_narrow_gap)
{
    for (unsigned narrow = 0; narrow < 5; narrow++) {
        struct sim_config config = plain(2, 4, 1000, 8000000);
        struct sim_run run;
        config.path.hops = 5;
        for (unsigned h = 0; h < 5; h++)
            config.path.hop[h] = (struct sim_hop_config){
                .rate_bps = h == narrow ? 1000000 : 8000000, .propagation_ns = 1000};
        sim_run_init(&run, &config, 1);
        ck_assert_int_eq(gap_ps(&run, 1), 8000000000);
        ck_assert_int_eq(gap_ps(&run, 3), 8000000000);
        ck_assert_int_eq(run.probes[0].wait_ps, 0);
        sim_run_fini(&run);
    }
}
END_TEST

START_TEST(one_way_delay_adds_up)
{
    struct sim_config config = plain(1, 2, 1000, 1000000);
    struct sim_run run;

    config.path.hops = 2;
    config.path.hop[1] =
        (struct sim_hop_config){.rate_bps = 2000000, .propagation_ns = 5000000};
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(run.probes[0].arrived_ps - run.probes[0].left_ps,
                     8000000000 + 1000000000 + 4000000000 + 5000000000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(rate_changes_at_its_time)
{
    struct sim_config config = plain(10, 2, 1000, 10000000);
    struct sim_run run;

    config.path.hop[0].change_at_ns = 5500000000;
    config.path.hop[0].change_rate_bps = 5000000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 1; i < run.probe_count; i += 2)
        ck_assert_int_eq(gap_ps(&run, i), i < 10 ? 800000000 : 1600000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 0), 10000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 6000000000), 5000000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(full_queue_drops_the_tail)
{
    struct sim_config config = plain(1, 64, 1000, 1000000);
    struct sim_run run;

    config.path.hop[0].queue_packets = 10;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < 64; i++)
        ck_assert_int_eq(run.probes[i].arrived_ps != SIM_NEVER_PS, i < 11);
    sim_run_fini(&run);
    config.path.hop[0].queue_packets = 0;
    config.path.hop[0].queue_bytes = 5999;
    sim_run_init(&run, &config, 1);
    ck_assert_uint_eq(run.arrival_count, 6);
    sim_run_fini(&run);
}
END_TEST

/* --- Exact: shapers --- */

/* The first floor(B/S) at line rate, the others S*8/R apart. */
START_TEST(bucket_lets_a_burst_through)
{
    static const uint32_t bursts[] = {1500, 2999, 3000, 10000, 20000, 60000};

    for (size_t b = 0; b < 6; b++) {
        struct sim_config config = plain(4, 64, 1500, FAST_BPS);
        struct sim_run run;
        config.path.hop[0].shaper = SIM_SHAPER_BUCKET;
        config.path.hop[0].shaper_rate_bps = 10000000;
        config.path.hop[0].burst_bytes = bursts[b];
        sim_run_init(&run, &config, 1);
        for (size_t i = 1; i < run.probe_count; i++) {
            uint32_t head = bursts[b] / 1500;
            if (run.probes[i].position > 0 && run.probes[i].position < head)
                ck_assert_int_eq(gap_ps(&run, i), sim_transmit_ps(1500, FAST_BPS));
            if (run.probes[i].position > head)
                ck_assert_int_eq(gap_ps(&run, i), 1200000000);
        }
        sim_run_fini(&run);
    }
}
END_TEST

START_TEST(bucket_smaller_than_a_frame_passes_nothing)
{
    struct sim_config config = plain(2, 2, 1500, FAST_BPS);
    struct sim_run run;

    config.path.hop[0].shaper = SIM_SHAPER_BUCKET;
    config.path.hop[0].shaper_rate_bps = 10000000;
    config.path.hop[0].burst_bytes = 1499;
    sim_run_init(&run, &config, 1);
    ck_assert_uint_eq(run.arrival_count, 0);
    sim_run_fini(&run);
}
END_TEST

/* Packet i leaves at the first tick at or after i + 1 transmission times. */
START_TEST(tick_rounds_departures_up)
{
    const int64_t tick_ps = 1000000000, took_ps = 1200000000;
    struct sim_config config = plain(1, 32, 1500, FAST_BPS);
    struct sim_run run;

    config.path.hop[0].propagation_ns = 0;
    config.path.hop[0].shaper = SIM_SHAPER_TICK;
    config.path.hop[0].shaper_rate_bps = 10000000;
    config.path.hop[0].tick_ns = 1000000;
    sim_run_init(&run, &config, 1);
    for (int64_t i = 0; i < 32; i++) {
        int64_t done_ps = run.probes[0].left_ps + (i + 1) * took_ps;
        int64_t tick = (done_ps + tick_ps - 1) / tick_ps;
        int64_t left_ps = run.probes[i].arrived_ps - sim_transmit_ps(1500, FAST_BPS);
        ck_assert_int_eq(left_ps, tick * tick_ps);
    }
    sim_run_fini(&run);
}
END_TEST

/* --- Sender --- */

START_TEST(sender_keeps_its_gap_floor)
{
    struct sim_config config = plain(2, 4, 1000, FAST_BPS);
    struct sim_run run;

    config.sender.rate_bps = 1000000000; /* 8 us a packet */
    config.sender.gap_ns = 20000;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(gap_ps(&run, 1), 20000000);
    ck_assert_int_eq(run.trains[0].span_ns, 60000);
    sim_run_fini(&run);
    config.sender.gap_ns = 1000; /* the adapter is slower */
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(gap_ps(&run, 1), 8000000);
    ck_assert_int_eq(run.trains[0].span_ns, 24000);
    sim_run_fini(&run);
    config.sender.departure = SIM_DEPARTURE_HANDED;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(run.trains[0].span_ns, 3000);
    sim_run_fini(&run);
}
END_TEST

/* 18 bytes of payload carry neither TIME nor DEPARTURE, 26 only the former. */
START_TEST(small_packets_tell_less)
{
    static const uint32_t sizes[] = {64, 72, 80};

    for (size_t s = 0; s < 3; s++) {
        struct sim_config config = plain(3, 2, sizes[s], 1000000);
        struct sim_run run;
        sim_run_init(&run, &config, 1);
        ck_assert_int_eq(run.arrivals[4].sent_ns != PPREC_UNKNOWN_NS, s > 0);
        ck_assert_int_eq(run.arrivals[4].departure_span_ns != PPREC_UNKNOWN_NS, s > 1);
        ck_assert_int_eq(run.arrivals[0].departure_span_ns, PPREC_UNKNOWN_NS);
        sim_run_fini(&run);
    }
}
END_TEST

/* --- Receiver --- */

/* Packets 12 us apart, 60 us after the first of a batch, 1 us of work on each. */
START_TEST(coalescing_stamps_in_batches)
{
    struct sim_config config = plain(1, 16, 1500, 1000000000);
    struct sim_run run;

    config.receiver.coalescing = SIM_COALESCE_DELAY;
    config.receiver.coalesce_ns = 60000;
    config.receiver.packet_cost_ns = 1000;
    sim_run_init(&run, &config, 1);
    /* Packets 0 to 5 arrive up to 60 us: stamped at 61 to 66. Packet 6, at 72,
     * begins the next batch: its interrupt is at 132. */
    for (size_t i = 1; i < 12; i++) {
        int64_t gap_ns = run.arrivals[i].received.ns - run.arrivals[i - 1].received.ns;
        ck_assert_int_eq(gap_ns, i == 6 ? 133000 - 66000 : 1000);
    }
    sim_run_fini(&run);
}
END_TEST

START_TEST(throttling_stamps_the_first_at_once)
{
    struct sim_config config = plain(1, 16, 1500, 1000000000);
    struct sim_run run;
    int64_t first_ns;

    config.receiver.coalescing = SIM_COALESCE_THROTTLE;
    config.receiver.coalesce_ns = 60000;
    sim_run_init(&run, &config, 1);
    first_ns = run.arrivals[0].received.ns;
    ck_assert_int_eq(first_ns - EPOCH_NS, run.stamped[0].true_ps / SIM_PS_PER_NS);
    for (size_t i = 1; i < 6; i++)
        ck_assert_int_eq(run.arrivals[i].received.ns - first_ns, 60000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(clock_runs_fast_by_its_skew)
{
    struct sim_config config = plain(101, 2, 1000, 1000000);
    struct sim_run run;
    const struct pprec_arrival *last;

    config.receiver.skew_ppm = 100;
    sim_run_init(&run, &config, 1);
    last = &run.arrivals[run.arrival_count - 2];
    /* 100 s at 100 ppm. */
    ck_assert_int_eq(last->received.ns - run.arrivals[0].received.ns -
                         (last->sent_ns - run.arrivals[0].sent_ns),
                     10000000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(clock_steps_once)
{
    struct sim_config config = plain(10, 2, 1000, 1000000);
    struct sim_run run;

    config.receiver.step_at_ns = 5500000000;
    config.receiver.step_ns = -1000000000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.arrival_count; i++) {
        int64_t late_ns = run.arrivals[i].received.ns - run.arrivals[i].sent_ns;
        ck_assert_int_eq(late_ns < 0, i >= 10);
    }
    sim_run_fini(&run);
}
END_TEST

START_TEST(stamps_keep_granularity_and_order)
{
    struct sim_config config = plain(200, 8, 1500, 1000000000);
    struct sim_run run;

    config.receiver.granularity_ns = 1000;
    config.receiver.noise_ns = 20000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.arrival_count; i++) {
        ck_assert_int_eq(run.arrivals[i].received.ns % 1000, 0);
        if (i)
            ck_assert_int_le(run.arrivals[i - 1].received.ns, run.arrivals[i].received.ns);
    }
    sim_run_fini(&run);
}
END_TEST

/* Binomial counts: five standard deviations fail one time in 1.7 million. */
static void check_count(size_t count, size_t trials, double share)
{
    double expected = (double)trials * share;
    double deviation = sqrt(expected * (1 - share));

    ck_assert_double_le(fabs((double)count - expected), 5 * deviation);
}

START_TEST(damage_has_its_share)
{
    struct sim_config config = plain(5000, 8, 1000, 100000000);
    struct sim_run run;
    size_t copies = 0, behind = 0, distinct;
    uint32_t furthest = 0;

    config.receiver.loss = 0.05;
    config.receiver.duplicate = 0.04;
    config.receiver.duplicate_delay_ns = 1000000;
    config.receiver.reorder = 0.03;
    config.receiver.reorder_delay_ns = 1000000;
    sim_run_init(&run, &config, printed_seed("damage_has_its_share"));
    for (size_t i = 1; i < run.arrival_count; i++) {
        ck_assert_int_le(run.stamped[i - 1].true_ps, run.stamped[i].true_ps);
        behind += run.arrivals[i].seq < furthest;
        furthest = run.arrivals[i].seq > furthest ? run.arrivals[i].seq : furthest;
    }
    for (size_t i = 0; i < run.arrival_count; i++)
        for (size_t j = i + 1; j < run.arrival_count && j < i + 40; j++)
            copies += run.stamped[i].probe == run.stamped[j].probe;
    distinct = run.arrival_count - copies;
    check_count(run.probe_count - distinct, run.probe_count, 0.05);
    check_count(copies, distinct, 0.04);
    ck_assert_uint_gt(behind, 0);
    sim_run_fini(&run);
}
END_TEST

START_TEST(hop_loss_has_its_share)
{
    struct sim_config config = plain(5000, 8, 1000, 100000000);
    struct sim_run run;

    config.path.hop[0].loss = 0.05;
    sim_run_init(&run, &config, printed_seed("hop_loss_has_its_share"));
    check_count(run.probe_count - run.arrival_count, run.probe_count, 0.05);
    sim_run_fini(&run);
}
END_TEST

/* --- Under cross traffic --- */

static void cross(struct sim_config *config, enum sim_source source, enum sim_mix mix,
                  double rate_bps)
{
    config->path.traffic[config->path.traffics++] = (struct sim_traffic_config){
        .source = source, .mix = mix, .rate_bps = rate_bps, .leave = 1};
}

/* Dovrolis, Ramanathan, Moore (IEEE/ACM ToN 12, 2004): a train injected at R into
 * a link C whose cross traffic alone would fill it is served in proportion of the
 * arrivals: it leaves at R*C/(R+X) for cross rate X, and R*C/(R+C) for X = C.
 * Constant traffic of 64 bytes is the fluid to within one packet at either end:
 * 2 of some 8000. */
START_TEST(train_under_constant_traffic_reads_adr)
{
    static const double shares[] = {0.5, 0.8, 1.0};
    const double rate_bps = 20e6, capacity_bps = 10e6;

    for (size_t i = 0; i < 3; i++) {
        double cross_bps = shares[i] * capacity_bps;
        double adr_bps = rate_bps * capacity_bps / (rate_bps + cross_bps);
        struct sim_config config = plain(1, 256, 1500, (uint64_t)capacity_bps);
        struct sim_run run;
        double span_ps;
        config.sender.rate_bps = (uint64_t)rate_bps;
        cross(&config, SIM_CONSTANT, SIM_MIX_64, cross_bps);
        sim_run_init(&run, &config, 1);
        span_ps = (double)(run.probes[255].arrived_ps - run.probes[0].arrived_ps);
        ck_assert_double_le(fabs(255 * 1500 * 8e12 / span_ps / adr_bps - 1), 5e-4);
        sim_run_fini(&run);
    }
}
END_TEST

struct mean {
    double sum, squares;
    unsigned count;
};

static void mean_add(struct mean *mean, double value)
{
    mean->sum += value;
    mean->squares += value * value;
    mean->count++;
}

/* Within four standard errors: a right model fails one time in 16000. The values
 * are independent: each probe meets a queue of its own. */
static void check_mean(const struct mean *mean, double expected)
{
    double average = mean->sum / mean->count;
    double variance = mean->squares / mean->count - average * average;
    double error = sqrt(variance / mean->count);

    printf("  mean %.6g, expected %.6g, standard error %.2g, %u values\n", average, expected,
           error, mean->count);
    ck_assert_double_le(fabs(average - expected), 4 * error);
}

/* Pollaczek and Khinchine: W = u / (1 - u) * E[S^2] / (2 E[S]), seen by a packet
 * that comes at any time (PASTA). First packets of 4000 pairs, one a second. */
static void check_waiting_time(enum sim_mix mix, double load, uint64_t seed)
{
    const double rate_bps = 10e6;
    struct sim_config config = plain(4000, 2, 64, (uint64_t)rate_bps);
    double service_ps = sim_mix_mean_bytes(mix) * 8e12 / rate_bps;
    double expected_ps = load / (1 - load) * service_ps * sim_mix_spread(mix) / 2;
    struct mean mean = {0};
    struct sim_run run;

    config.sender.spacing_jitter = 0.1;
    cross(&config, SIM_POISSON, mix, load * rate_bps);
    sim_run_init(&run, &config, seed);
    for (size_t i = 0; i < run.probe_count; i += 2)
        mean_add(&mean, (double)run.probes[i].wait_ps);
    check_mean(&mean, expected_ps);
    sim_run_fini(&run);
}

START_TEST(mean_wait_is_that_of_m_d_1)
{
    uint64_t seed = printed_seed("mean_wait_is_that_of_m_d_1");

    check_waiting_time(SIM_MIX_1000, 0.3, seed);
    check_waiting_time(SIM_MIX_1000, 0.8, seed);
    check_waiting_time(SIM_MIX_64, 0.9, seed);
}
END_TEST

START_TEST(mean_wait_is_that_of_m_g_1)
{
    uint64_t seed = printed_seed("mean_wait_is_that_of_m_g_1");

    check_waiting_time(SIM_MIX_IMIX, 0.5, seed);
    check_waiting_time(SIM_MIX_IMIX, 0.8, seed);
}
END_TEST

/* An M/D/1 queue is empty for a share 1 - u of the time. */
START_TEST(idle_share_is_one_minus_load)
{
    struct sim_config config = plain(4000, 2, 64, 10000000);
    size_t idle = 0;
    struct sim_run run;

    config.sender.spacing_jitter = 0.1;
    cross(&config, SIM_POISSON, SIM_MIX_1000, 6e6);
    sim_run_init(&run, &config, printed_seed("idle_share_is_one_minus_load"));
    for (size_t i = 0; i < run.probe_count; i += 2)
        idle += run.probes[i].wait_ps == 0;
    check_count(idle, run.probe_count / 2, 0.4);
    sim_run_fini(&run);
}
END_TEST

/* Traffic over both links counts on both; probes 1 s apart see each anew. */
START_TEST(end_to_end_traffic_loads_every_hop)
{
    struct sim_config config = plain(2000, 2, 64, 10000000);
    struct sim_run one, both;
    double first = 0, sum = 0;

    config.path.hops = 2;
    config.path.hop[1] = (struct sim_hop_config){.rate_bps = 8000000};
    config.path.traffics = 1;
    config.path.traffic[0] = (struct sim_traffic_config){
        .source = SIM_POISSON, .mix = SIM_MIX_1500, .rate_bps = 5e6, .leave = 1};
    sim_run_init(&one, &config, 7);
    config.path.traffic[0].leave = 2;
    sim_run_init(&both, &config, 7);
    for (size_t i = 0; i < one.probe_count; i += 2) {
        first += (double)one.probes[i].wait_ps;
        sum += (double)both.probes[i].wait_ps;
    }
    ck_assert_double_gt(sum, 1.2 * first);
    ck_assert_double_lt(sim_path_load(&config.path, 1), 0.6251);
    ck_assert_double_gt(sim_path_load(&config.path, 1), 0.6249);
    sim_run_fini(&one);
    sim_run_fini(&both);
}
END_TEST

/* Shape 3, so that a variance exists (its square root is 0.58 of the mean): over
 * 50 000 cycles of on and off the rate is right to 0.4 %, and 2 % is five times
 * that. */
START_TEST(pareto_sources_keep_their_rate)
{
    struct sim_traffic_config config = {.source = SIM_PARETO,
                                        .mix = SIM_MIX_1000,
                                        .rate_bps = 4e6,
                                        .flows = 400,
                                        .access_bps = 1000000,
                                        .burst_packets = 10,
                                        .shape = 3};
    uint64_t seed = printed_seed("pareto_sources_keep_their_rate");
    double bits = 0;

    for (unsigned i = 0; i < config.flows; i++) {
        struct sim_flow flow;
        sim_flow_init(&flow, &config, seed, i);
        for (sim_flow_start(&flow, 0); flow.next_ps < 1100 * SIM_PS_PER_S;) {
            bits += flow.next_ps > 100 * SIM_PS_PER_S ? 8.0 * flow.next_bytes : 0;
            sim_flow_advance(&flow);
        }
    }
    printf("  rate %.6g\n", bits / 1000);
    ck_assert_double_le(fabs(bits / 1000 / config.rate_bps - 1), 0.02);
}
END_TEST

START_TEST(infinite_queues_lose_nothing_and_keep_order)
{
    struct sim_config config = plain(300, 16, 1500, 10000000);
    struct sim_run run;

    config.sender.delay_ns = 50000000;
    config.path.hops = 3;
    config.path.hop[1] = config.path.hop[2] = config.path.hop[0];
    cross(&config, SIM_POISSON, SIM_MIX_IMIX, 8e6);
    config.path.traffic[0].leave = 3;
    sim_run_init(&run, &config, printed_seed("infinite_queues"));
    ck_assert_uint_eq(run.arrival_count, run.probe_count);
    for (size_t i = 1; i < run.probe_count; i++)
        ck_assert_int_ge(gap_ps(&run, i), run.probes[i].position ? 1200000000 : 0);
    sim_run_fini(&run);
}
END_TEST

/* --- The event queue --- */

/* Both engines on the same traffic, to the picosecond, drops included. Bursts
 * make path.c run all trains as one group, from the same start as events.c. */
START_TEST(engines_agree_to_the_picosecond)
{
    struct sim_config config = plain(200, 16, 1000, 10000000);
    struct sim_background background = {0};
    struct sim_run run;
    struct sim_probe *again;
    size_t lost = 0;

    config.path.hops = 2;
    config.path.hop[1] = (struct sim_hop_config){.rate_bps = 8000000, .queue_bytes = 20000};
    config.path.hop[0].queue_packets = 14;
    cross(&config, SIM_PARETO, SIM_MIX_IMIX, 5e6);
    cross(&config, SIM_POISSON, SIM_MIX_IMIX, 1e6);
    config.path.traffic[0].access_bps = 100000000;
    config.path.traffic[0].burst_packets = 10;
    config.path.traffic[0].leave = 2;
    sim_run_init(&run, &config, 3);
    again = calloc(run.probe_count, sizeof(*again));
    memcpy(again, run.probes, run.probe_count * sizeof(*again));
    sim_events_run(&config.path, 3, again, run.probe_count, &background);
    for (size_t i = 0; i < run.probe_count; i++) {
        lost += again[i].arrived_ps == SIM_NEVER_PS;
        ck_assert_int_eq(again[i].arrived_ps, run.probes[i].arrived_ps);
        ck_assert_int_eq(again[i].wait_ps, run.probes[i].wait_ps);
    }
    ck_assert_uint_gt(lost, 10);
    free(again);
    sim_background_fini(&background);
    sim_run_fini(&run);
}
END_TEST

START_TEST(tcp_recovers_one_loss_without_a_timeout)
{
    struct sim_tcp tcp;
    uint32_t number;

    sim_tcp_init(&tcp, 64);
    tcp.window = 8;
    while (sim_tcp_send(&tcp, 0, &number))
        if (number != 0)
            sim_tcp_acknowledge(&tcp, sim_tcp_receive(&tcp, number), 1);
    ck_assert_uint_eq(tcp.expected, 0);
    ck_assert(tcp.recovering);
    /* Packet 0 was sent again on the third repetition; it fills the hole. */
    sim_tcp_acknowledge(&tcp, sim_tcp_receive(&tcp, 0), 2);
    ck_assert(!tcp.recovering);
    ck_assert_uint_ge(tcp.oldest, 8);
    ck_assert_double_le(tcp.window, 6);
}
END_TEST

/* Four flows over a link with a queue of a bandwidth-delay product and more fill
 * it: the long trains between them wait, and hardly a moment is idle. */
START_TEST(tcp_fills_the_link)
{
    struct sim_config config = plain(200, 2, 1000, 10000000);
    struct sim_run run;
    size_t idle = 0;

    config.path.hop[0].queue_packets = 50;
    config.path.traffics = 1;
    config.path.traffic[0] = (struct sim_traffic_config){.source = SIM_TCP,
                                                         .mix = SIM_MIX_1500,
                                                         .flows = 4,
                                                         .leave = 1,
                                                         .access_bps = 100000000,
                                                         .return_ns = 20000000};
    sim_run_init(&run, &config, printed_seed("tcp_fills_the_link"));
    for (size_t i = 0; i < run.probe_count; i += 2)
        idle += run.probes[i].arrived_ps != SIM_NEVER_PS && run.probes[i].wait_ps == 0;
    printf("  %zu of %zu probes met an idle link\n", idle, run.probe_count / 2);
    ck_assert_uint_lt(idle, 10);
    sim_run_fini(&run);
}
END_TEST

/* --- Captures --- */

static void check_record(const struct pcap_pkthdr *header, const unsigned char *frame,
                         const struct pprec_arrival *arrival)
{
    struct wire_probe probe;

    ck_assert_int_eq(header->ts.tv_sec * 1000000000 + header->ts.tv_usec,
                     arrival->received.ns);
    ck_assert_uint_eq(header->len, arrival->payload_bytes + 42);
    ck_assert_uint_le(header->caplen, 96);
    ck_assert_int_eq(wire_decode(&probe, frame + 42, header->caplen - 42), WIRE_OK);
    ck_assert_uint_eq(probe.seq, arrival->seq);
    ck_assert_uint_eq(probe.train, arrival->train);
    ck_assert_uint_eq(probe.position, arrival->position);
    ck_assert_uint_eq(1U << probe.length_log2, arrival->train_length);
    ck_assert_uint_eq(probe.sent_ns, (uint64_t)arrival->sent_ns);
    if (arrival->departure_span_ns != PPREC_UNKNOWN_NS)
        ck_assert_int_eq(probe.departure_span_ns, arrival->departure_span_ns);
}

START_TEST(capture_reads_back)
{
    struct sim_config config = plain(20, 8, 1000, 10000000);
    char text[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const unsigned char *frame;
    FILE *file = tmpfile();
    size_t records = 0;
    struct sim_run run;
    pcap_t *pcap;
    int copy;

    ck_assert_ptr_nonnull(file);
    copy = dup(fileno(file));
    config.receiver.noise_ns = 2000;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(sim_capture_write(&run, false, file), 0);
    file = fdopen(copy, "rb");
    rewind(file);
    pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text);
    ck_assert_ptr_nonnull(pcap);
    while (pcap_next_ex(pcap, &header, &frame) == 1)
        check_record(header, frame, &run.arrivals[records++]);
    ck_assert_uint_eq(records, run.arrival_count);
    pcap_close(pcap);
    sim_run_fini(&run);
}
END_TEST

/* --- Samples, determinism --- */

START_TEST(samples_mark_what_follows)
{
    struct sim_config config = plain(500, 8, 1000, 10000000);
    struct sim_samples samples;
    struct sim_run run;

    config.receiver.loss = 0.1;
    config.receiver.duplicate = 0.1;
    config.receiver.duplicate_delay_ns = 5000000;
    sim_run_init(&run, &config, printed_seed("samples_mark_what_follows"));
    sim_samples_init(&samples, &run);
    for (size_t i = 0; i < samples.count; i++) {
        const struct sample *sample = &samples.item[i];
        if (sample->train + 1 < run.train_count)
            ck_assert_int_eq(sample->departure_span_ns, run.trains[sample->train].span_ns);
        else
            ck_assert_int_eq(sample->departure_span_ns, SAMPLE_UNKNOWN_NS);
        ck_assert_int_eq(sample->packets[0].offset_ns, 0);
        ck_assert(!sample->packets[0].follows);
        for (unsigned j = 1; j < sample->received; j++)
            if (sample->packets[j].follows)
                ck_assert_uint_eq(sample->packets[j].position,
                                  sample->packets[j - 1].position + 1);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}
END_TEST

struct following {
    const struct sim_samples *samples;
    size_t next;
    unsigned untold;
};

static void compare_train(void *user, const struct pprec_train *train)
{
    struct following *following = user;
    struct sample sample = following->samples->item[following->next++];

    /* The library does not wait for ever to be told. */
    if (train->departure_span_ns == PPREC_UNKNOWN_NS)
        sample.departure_span_ns = SAMPLE_UNKNOWN_NS;
    following->untold += train->departure_span_ns == PPREC_UNKNOWN_NS;
    dispersion_measure(&sample);
    ck_assert_uint_eq(train->train, sample.train);
    ck_assert_uint_eq(train->received, sample.received);
    ck_assert_int_eq(train->time_ns, sample.time_ns);
    ck_assert_int_eq(train->departure_span_ns, sample.departure_span_ns);
    ck_assert_int_eq(train->dispersion_ns, sample.gaps ? sample.span_ns : PPREC_UNKNOWN_NS);
    ck_assert_int_eq((int)train->verdict, (int)sample.verdict);
}

/* The short way to the filters and the library's own are one. */
static void check_same_as_library(const char *name, uint64_t seed)
{
    struct following following = {.next = 0};
    struct pprec_config library_config;
    struct sim_config config;
    struct sim_samples samples;
    struct sim_run run;
    struct pprec *pprec;

    sim_case_config(sim_case_find(name), seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    following.samples = &samples;
    pprec_config_init(&library_config);
    library_config.user = &following;
    library_config.on_train = compare_train;
    ck_assert_int_eq(pprec_new(&pprec, &library_config), PPREC_OK);
    for (size_t i = 0; i < run.arrival_count; i++)
        ck_assert_int_ge(pprec_push(pprec, &run.arrivals[i]), 0);
    pprec_finish(pprec);
    ck_assert_uint_eq(following.next, samples.count);
    ck_assert_uint_le(following.untold, 3);
    pprec_free(pprec);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

START_TEST(samples_are_those_of_the_library)
{
    uint64_t seed = printed_seed("samples_are_those_of_the_library");

    check_same_as_library("loss", seed);
    check_same_as_library("disorder", seed);
    check_same_as_library("coalesce-60us", seed);
    check_same_as_library("idle-100k", seed);
    check_same_as_library("step", seed);
}
END_TEST

START_TEST(same_seed_same_run)
{
    struct sim_config config = plain(50, 8, 1000, 10000000);
    struct sim_run a, b, c;

    cross(&config, SIM_POISSON, SIM_MIX_IMIX, 8e6);
    config.receiver.noise_ns = 2000;
    config.receiver.loss = 0.01;
    sim_run_init(&a, &config, 5);
    sim_run_init(&b, &config, 5);
    sim_run_init(&c, &config, 6);
    ck_assert_uint_eq(a.arrival_count, b.arrival_count);
    ck_assert_mem_eq(a.stamped, b.stamped, a.arrival_count * sizeof(*a.stamped));
    ck_assert_mem_ne(a.stamped, c.stamped, 50 * sizeof(*a.stamped));
    sim_run_fini(&a);
    sim_run_fini(&b);
    sim_run_fini(&c);
}
END_TEST

Suite *sim_suite(void)
{
    Suite *suite = suite_create("sim");
    TCase *exact = tcase_create("closed forms");
    TCase *ends = tcase_create("sender and receiver");
    TCase *random = tcase_create("cross traffic");

    tcase_add_test(exact, idle_gap_is_size_over_rate);
    tcase_add_test(exact, idle_chain_keeps_the_narrow_gap);
    tcase_add_test(exact, one_way_delay_adds_up);
    tcase_add_test(exact, rate_changes_at_its_time);
    tcase_add_test(exact, full_queue_drops_the_tail);
    tcase_add_test(exact, bucket_lets_a_burst_through);
    tcase_add_test(exact, bucket_smaller_than_a_frame_passes_nothing);
    tcase_add_test(exact, tick_rounds_departures_up);
    suite_add_tcase(suite, exact);
    tcase_add_test(ends, sender_keeps_its_gap_floor);
    tcase_add_test(ends, small_packets_tell_less);
    tcase_add_test(ends, coalescing_stamps_in_batches);
    tcase_add_test(ends, throttling_stamps_the_first_at_once);
    tcase_add_test(ends, clock_runs_fast_by_its_skew);
    tcase_add_test(ends, clock_steps_once);
    tcase_add_test(ends, stamps_keep_granularity_and_order);
    tcase_add_test(ends, damage_has_its_share);
    tcase_add_test(ends, hop_loss_has_its_share);
    tcase_add_test(ends, capture_reads_back);
    tcase_add_test(ends, samples_mark_what_follows);
    tcase_add_test(ends, samples_are_those_of_the_library);
    tcase_add_test(ends, same_seed_same_run);
    suite_add_tcase(suite, ends);
    tcase_set_timeout(random, 60); /* s; some run under sanitizers on busy machines */
    tcase_add_test(random, train_under_constant_traffic_reads_adr);
    tcase_add_test(random, mean_wait_is_that_of_m_d_1);
    tcase_add_test(random, mean_wait_is_that_of_m_g_1);
    tcase_add_test(random, idle_share_is_one_minus_load);
    tcase_add_test(random, end_to_end_traffic_loads_every_hop);
    tcase_add_test(random, pareto_sources_keep_their_rate);
    tcase_add_test(random, infinite_queues_lose_nothing_and_keep_order);
    tcase_add_test(random, engines_agree_to_the_picosecond);
    tcase_add_test(random, tcp_recovers_one_loss_without_a_timeout);
    tcase_add_test(random, tcp_fills_the_link);
    suite_add_tcase(suite, random);
    return suite;
}
