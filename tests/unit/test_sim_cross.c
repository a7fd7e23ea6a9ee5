/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains among cross traffic, against queueing theory. */
#include "tests/sim/events.h"
#include "tests/sim/tcp.h"
#include "tests/sim/units.h"
#include "tests/unit/sim_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Under cross traffic --- */

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
        struct sim_config config = sim_fixture_plain(1, 256, 1500, (uint64_t)capacity_bps);
        struct sim_run run;
        double span_ps;
        config.sender.rate_bps = (uint64_t)rate_bps;
        sim_fixture_cross(&config, SIM_CONSTANT, SIM_MIX_64, cross_bps);
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

    printf("  mean %.6g, expected %.6g, standard error %.2g, %u values\n", average, expected, error,
           mean->count);
    ck_assert_double_le(fabs(average - expected), 4 * error);
}

/* Pollaczek and Khinchine: W = u / (1 - u) * E[S^2] / (2 E[S]), seen by a packet
 * that comes at any time (PASTA). First packets of 4000 pairs, one a second. */
static void check_waiting_time_of(struct sim_config config, enum sim_mix mix, double load, uint64_t seed)
{
    const double rate_bps = (double)config.path.hop[0].rate_bps;
    double service_ps = sim_mix_mean_bytes(mix) * 8e12 / rate_bps;
    double expected_ps = load / (1 - load) * service_ps * sim_mix_spread(mix) / 2;
    struct mean mean = {0};
    struct sim_run run;

    config.sender.spacing_jitter = 0.1;
    sim_fixture_cross(&config, SIM_POISSON, mix, load * rate_bps);
    sim_run_init(&run, &config, seed);
    for (size_t i = 0; i < run.probe_count; i += 2)
        mean_add(&mean, (double)run.probes[i].wait_ps);
    check_mean(&mean, expected_ps);
    sim_run_fini(&run);
}

static void check_waiting_time(enum sim_mix mix, double load, uint64_t seed)
{
    check_waiting_time_of(sim_fixture_plain(4000, 2, 64, 10000000), mix, load, seed);
}

/* In a queue that lives on from pair to pair, long enough after its start. */
START_TEST(mean_wait_is_the_same_in_queues_that_last)
{
    struct sim_config config = sim_fixture_plain(4000, 2, 64, 10000000);

    config.sender.delay_ns = 100000000;
    config.path.lasting = true;
    config.path.warm_ns = 500000000;
    check_waiting_time_of(config, SIM_MIX_1000, 0.6,
                          sim_fixture_seed("mean_wait_is_the_same_in_queues_that_last"));
}
END_TEST

START_TEST(mean_wait_is_that_of_m_d_1)
{
    uint64_t seed = sim_fixture_seed("mean_wait_is_that_of_m_d_1");

    check_waiting_time(SIM_MIX_1000, 0.3, seed);
    check_waiting_time(SIM_MIX_1000, 0.8, seed);
    check_waiting_time(SIM_MIX_64, 0.9, seed);
}
END_TEST

START_TEST(mean_wait_is_that_of_m_g_1)
{
    uint64_t seed = sim_fixture_seed("mean_wait_is_that_of_m_g_1");

    check_waiting_time(SIM_MIX_IMIX, 0.5, seed);
    check_waiting_time(SIM_MIX_IMIX, 0.8, seed);
}
END_TEST

/* An M/D/1 queue is empty for a share 1 - u of the time. */
START_TEST(idle_share_is_one_minus_load)
{
    struct sim_config config = sim_fixture_plain(4000, 2, 64, 10000000);
    size_t idle = 0;
    struct sim_run run;

    config.sender.spacing_jitter = 0.1;
    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_1000, 6e6);
    sim_run_init(&run, &config, sim_fixture_seed("idle_share_is_one_minus_load"));
    for (size_t i = 0; i < run.probe_count; i += 2)
        idle += run.probes[i].wait_ps == 0;
    sim_fixture_check_count(idle, run.probe_count / 2, 0.4);
    sim_run_fini(&run);
}
END_TEST

/* Traffic over both links counts on both; probes 1 s apart see each anew. */
START_TEST(end_to_end_traffic_loads_every_hop)
{
    struct sim_config config = sim_fixture_plain(2000, 2, 64, 10000000);
    struct sim_run one, both;
    double first = 0, sum = 0;

    config.path.hops = 2;
    config.path.hop[1] = (struct sim_hop_config){.rate_bps = 8000000};
    config.path.traffics = 1;
    config.path.traffic[0] =
        (struct sim_traffic_config){.source = SIM_POISSON, .mix = SIM_MIX_1500, .rate_bps = 5e6, .leave = 1};
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
    uint64_t seed = sim_fixture_seed("pareto_sources_keep_their_rate");
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

/* Load from 100 to 200 s: before and after that nobody waits, in between most do (a share
 * of 0.9 of Poisson arrivals). */
START_TEST(load_comes_and_goes)
{
    struct sim_config config = sim_fixture_plain(300, 2, 64, 10000000);
    size_t waited = 0;
    struct sim_run run;

    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_1000, 9e6);
    config.path.traffic[0].from_ns = 100000000000;
    config.path.traffic[0].until_ns = 200000000000;
    sim_run_init(&run, &config, sim_fixture_seed("load_comes_and_goes"));
    for (size_t i = 0; i < run.probe_count; i += 2) {
        double left_s = (double)run.probes[i].left_ps * 1e-12;
        if (left_s < 100 || left_s > 201)
            ck_assert_int_eq(run.probes[i].wait_ps, 0);
        else if (left_s > 101 && left_s < 200)
            waited += run.probes[i].wait_ps > 0;
    }
    ck_assert_uint_gt(waited, 70);
    sim_run_fini(&run);
}
END_TEST

/* However often it is started anew, a constant flow's packets are whole steps apart. */
START_TEST(constant_flows_keep_their_phase)
{
    const int64_t step_ps = 8000000000; /* 1000 bytes at 1 Mbit/s */
    struct sim_traffic_config config = {.source = SIM_CONSTANT, .mix = SIM_MIX_1000, .rate_bps = 1e6};
    struct sim_flow flow;
    int64_t first_ps;

    sim_flow_init(&flow, &config, 1, 1);
    sim_flow_start(&flow, 0);
    first_ps = flow.next_ps;
    ck_assert_int_lt(first_ps, step_ps);
    for (int64_t from_ps = -3 * SIM_PS_PER_S; from_ps < 9 * SIM_PS_PER_S; from_ps += 1234567890123) {
        sim_flow_start(&flow, from_ps);
        ck_assert_int_eq((flow.next_ps - first_ps) % step_ps, 0);
        ck_assert(from_ps <= flow.next_ps && flow.next_ps < from_ps + step_ps);
    }
}
END_TEST

START_TEST(infinite_queues_lose_nothing_and_keep_order)
{
    struct sim_config config = sim_fixture_plain(300, 16, 1500, 10000000);
    struct sim_run run;

    config.sender.delay_ns = 50000000;
    config.path.hops = 3;
    config.path.hop[1] = config.path.hop[2] = config.path.hop[0];
    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_IMIX, 8e6);
    config.path.traffic[0].leave = 3;
    sim_run_init(&run, &config, sim_fixture_seed("infinite_queues"));
    ck_assert_uint_eq(run.arrival_count, run.probe_count);
    for (size_t i = 1; i < run.probe_count; i++)
        ck_assert_int_ge(sim_fixture_gap_ps(&run, i), run.probes[i].position ? 1200000000 : 0);
    sim_run_fini(&run);
}
END_TEST

/* --- The event queue --- */

/* Both engines on the same traffic, to the picosecond, drops included. Bursts
 * make path.c run all trains as one group, from the same start as events.c. */
START_TEST(engines_agree_to_the_picosecond)
{
    struct sim_config config = sim_fixture_plain(200, 16, 1000, 10000000);
    struct sim_background background = {0};
    struct sim_run run;
    struct sim_probe *again;
    size_t lost = 0;

    config.path.hops = 2;
    config.path.hop[1] = (struct sim_hop_config){.rate_bps = 8000000, .queue_bytes = 20000};
    config.path.hop[0].queue_packets = 14;
    sim_fixture_cross(&config, SIM_PARETO, SIM_MIX_IMIX, 5e6);
    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_IMIX, 1e6);
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
    struct sim_config config = sim_fixture_plain(200, 2, 1000, 10000000);
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
    sim_run_init(&run, &config, sim_fixture_seed("tcp_fills_the_link"));
    for (size_t i = 0; i < run.probe_count; i += 2)
        idle += run.probes[i].arrived_ps != SIM_NEVER_PS && run.probes[i].wait_ps == 0;
    printf("  %zu of %zu probes met an idle link\n", idle, run.probe_count / 2);
    ck_assert_uint_lt(idle, 10);
    sim_run_fini(&run);
}
END_TEST

/* Mathis, Semke, Mahdavi, Ott (ACM CCR 27, 1997): a share p of random loss keeps
 * the window at sqrt(3/2) / sqrt(p) on average. Of some 400 losses the mean is
 * known to about 4 %; timeouts, which the formula leaves out, cost a little more,
 * and the first seconds are slow start: 20 %. */
START_TEST(tcp_keeps_the_window_that_loss_allows)
{
    const double loss = 0.002, round_trip_s = 0.1;
    struct sim_config config = sim_fixture_plain(1000, 2, 64, 1000000000);
    double expected_per_s = sqrt(1.5 / loss) / round_trip_s;
    struct sim_background background = {0};
    double per_s, run_s;
    struct sim_run run;

    config.path.hop[0].loss = loss;
    config.path.traffics = 1;
    config.path.traffic[0] = (struct sim_traffic_config){.source = SIM_TCP,
                                                         .mix = SIM_MIX_1000,
                                                         .leave = 2,
                                                         .access_bps = 1000000000,
                                                         .return_ns = 99000000,
                                                         .window_packets = 512};
    sim_run_init(&run, &config, 1);
    sim_path_run(&config.path, sim_fixture_seed("tcp_keeps_the_window_that_loss_allows"), run.probes,
                 run.probe_count, &background);
    run_s = (double)(background.at_ps[background.count - 1] - background.at_ps[0]) * 1e-12;
    per_s = (double)background.count / run_s;
    printf("  %.4g packets/s, expected %.4g\n", per_s, expected_per_s);
    ck_assert_double_le(fabs(per_s / expected_per_s - 1), 0.2);
    sim_background_fini(&background);
    sim_run_fini(&run);
}
END_TEST

TCase *sim_cross_tcase(void)
{
    TCase *tcase = tcase_create("cross traffic");

    tcase_add_test(tcase, train_under_constant_traffic_reads_adr);
    tcase_add_test(tcase, mean_wait_is_the_same_in_queues_that_last);
    tcase_add_test(tcase, mean_wait_is_that_of_m_d_1);
    tcase_add_test(tcase, mean_wait_is_that_of_m_g_1);
    tcase_add_test(tcase, idle_share_is_one_minus_load);
    tcase_add_test(tcase, end_to_end_traffic_loads_every_hop);
    tcase_add_test(tcase, pareto_sources_keep_their_rate);
    tcase_add_test(tcase, load_comes_and_goes);
    tcase_add_test(tcase, constant_flows_keep_their_phase);
    tcase_add_test(tcase, infinite_queues_lose_nothing_and_keep_order);
    tcase_add_test(tcase, engines_agree_to_the_picosecond);
    tcase_add_test(tcase, tcp_recovers_one_loss_without_a_timeout);
    tcase_add_test(tcase, tcp_fills_the_link);
    tcase_add_test(tcase, tcp_keeps_the_window_that_loss_allows);
    return tcase;
}
