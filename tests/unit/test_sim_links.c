/* SPDX-License-Identifier: BSD-3-Clause */
/* The model's shared and granted links, hop by hop, against what follows by hand. */
#include "tests/sim/cases.h"
#include "tests/sim/units.h"
#include "tests/unit/sim_fixture.h"

#include <math.h>

#define US_PS 1000000LL
#define MS_PS 1000000000LL

static int64_t accept_start(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    int64_t start_ps, end_ps;

    ck_assert(sim_hop_accept(hop, now_ps, bytes, &start_ps, &end_ps));
    return start_ps;
}

static int64_t accept_end(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    int64_t start_ps, end_ps;

    ck_assert(sim_hop_accept(hop, now_ps, bytes, &start_ps, &end_ps));
    return end_ps;
}

static bool sim_links_refused(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    int64_t start_ps, end_ps;

    return !sim_hop_accept(hop, now_ps, bytes, &start_ps, &end_ps);
}

/* --- Fair queueing --- */

/* Packets of 1 ms, in ours and in one rival's flow. */
static void begin_fair(struct sim_hop *hop, uint32_t quantum_bytes)
{
    struct sim_hop_config config = {.rate_bps = 12000000,
                                    .shaper = SIM_SHAPER_FAIR,
                                    .rivals = 1,
                                    .rival_bytes = 1500,
                                    .quantum_bytes = quantum_bytes};

    sim_hop_init(hop, &config, 1, 0);
}

/* The rival sends from 0 to 1 ms and has 14 bytes of its quantum left. Ours come at 0.5: at
 * 1 and, since the first leaves 14 bytes, at 2 ms. Then -1486, 28 after a quantum, behind
 * the rival, whose 14 bytes let it go on at 3; it gets its quantum behind ours, at 4. The
 * rival at 5, ours at 6. After a pause it is all new: the rival's last ends at 101. */
START_TEST(fair_flow_that_was_idle_goes_first)
{
    static const int64_t at_ms[] = {1, 2, 4, 6};
    struct sim_hop hop;

    begin_fair(&hop, 1514);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(accept_start(&hop, MS_PS / 2, 1500), at_ms[i] * MS_PS);
    ck_assert_int_eq(accept_start(&hop, 100 * MS_PS + 1, 1500), 101 * MS_PS);
    ck_assert_int_eq(accept_start(&hop, 100 * MS_PS + 1, 1500), 102 * MS_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* Five quanta a packet. The new flow has one: its first packet goes at once, and the quantum
 * that it gets when it leaves the new list brings it to 300 before the rival: at 2. From
 * then on by turns. */
START_TEST(fair_quantum_below_a_packet)
{
    static const int64_t at_ms[] = {1, 2, 4, 6, 8};
    struct sim_hop hop;

    begin_fair(&hop, 300);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(accept_start(&hop, MS_PS / 2, 1500), at_ms[i] * MS_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* The rival sends from 0 to 1 ms; ours come at 0.5, and wait in line. With a quantum of a packet they go by turns; of two, the
 * rival goes on at 1, ours at 2 and 3, the rival at 4 and 5. */
START_TEST(fair_flow_that_was_idle_waits_in_line)
{
    static const uint32_t quanta[] = {1500, 3000};
    static const int64_t at_ms[][5] = {{1, 3, 5, 7, 9}, {2, 3, 6, 7, 10}};
    struct sim_hop hop;

    for (int i = 0; i < 2; i++) {
        begin_fair(&hop, quanta[i]);
        hop.config.in_line = true;
        for (int k = 0; k < 5; k++)
            ck_assert_int_eq(accept_start(&hop, MS_PS / 2, 1500), at_ms[i][k] * MS_PS);
        sim_hop_fini(&hop);
    }
}
END_TEST

/* Of a rival that pauses for ages nothing is there; one that pauses for no time is as greedy as ever. */
START_TEST(fair_rival_that_pauses)
{
    static const int64_t pause_ns[] = {INT64_MAX / 1000000, 0};
    struct sim_hop hop;

    for (int i = 0; i < 2; i++) {
        begin_fair(&hop, 1500);
        hop.config.pausing = 1;
        hop.config.pause_share = 1;
        hop.config.pause_ns = pause_ns[i];
        for (int64_t k = 0; k < 3; k++)
            ck_assert_int_eq(accept_start(&hop, 500 * MS_PS + MS_PS / 2, 1500),
                             500 * MS_PS + (i == 0 ? MS_PS / 2 + k * MS_PS : (k < 2 ? k + 1 : 4) * MS_PS));
        sim_hop_fini(&hop);
    }
}
END_TEST

/* Packet by packet with twice the rival's weight: two of ours to one of its own. */
START_TEST(fair_share_by_weight)
{
    struct sim_hop hop;
    int64_t first_ps, last_ps = 0;

    begin_fair(&hop, 0);
    hop.config.weight = 2;
    first_ps = accept_start(&hop, MS_PS / 2, 1500);
    for (int k = 0; k < 40; k++)
        last_ps = accept_start(&hop, MS_PS / 2, 1500);
    ck_assert_int_ge(last_ps - first_ps, 59 * MS_PS);
    ck_assert_int_le(last_ps - first_ps, 61 * MS_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* Alone in it, whatever the quantum: 1500 bytes take 1 ms. */
START_TEST(fair_queue_without_others_is_fifo)
{
    static const uint32_t quanta[] = {300, 1514};
    struct sim_hop hop;

    for (int i = 0; i < 2; i++) {
        begin_fair(&hop, quanta[i]);
        hop.config.rivals = 0;
        for (int64_t k = 0; k < 5; k++)
            ck_assert_int_eq(accept_start(&hop, MS_PS / 2, 1500), MS_PS / 2 + k * MS_PS);
        ck_assert_int_eq(accept_start(&hop, 9 * MS_PS, 1500), 9 * MS_PS);
        sim_hop_fini(&hop);
    }
}
END_TEST

/* Quanta of one packet: the first at once, the second behind all others but the one that has
 * just sent, then one in N + 1. */
START_TEST(fair_share_is_one_of_all)
{
    for (unsigned rivals = 1; rivals <= SIM_RIVALS_MAX; rivals++) {
        struct sim_config config = sim_fixture_plain(5, 32, 1514, 12112000); /* 1 ms */
        struct sim_run run;
        config.path.hop[0].shaper = SIM_SHAPER_FAIR;
        config.path.hop[0].rivals = rivals;
        config.path.hop[0].rival_bytes = config.path.hop[0].quantum_bytes = 1514;
        sim_run_init(&run, &config, 1);
        for (size_t i = 0; i < run.probe_count; i++)
            if (run.probes[i].position == 0)
                ck_assert_int_le(run.probes[i].wait_ps, MS_PS);
            else
                ck_assert_int_eq(sim_fixture_gap_ps(&run, i),
                                 (run.probes[i].position > 1 ? rivals + 1 : rivals) * MS_PS);
        ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 0), 12112000);
        ck_assert_double_eq(sim_case_share_bps(&config), 12112000.0 / (rivals + 1));
        sim_run_fini(&run);
    }
}
END_TEST

/* The rival is where it was after 757 packets, one quantum each: a pause that is two such
 * periods longer leads to the same, that much later. */
START_TEST(fair_rounds_repeat)
{
    const int64_t more_ps = 2 * 757 * MS_PS;
    struct sim_hop near, far;

    begin_fair(&near, 1514);
    begin_fair(&far, 1514);
    for (int64_t at_ps = 1; at_ps < 757 * MS_PS; at_ps += 12345678901) {
        int64_t then_ps = at_ps + 300 * MS_PS;
        sim_hop_reset(&near);
        sim_hop_reset(&far);
        ck_assert_int_eq(accept_start(&near, at_ps, 1500), accept_start(&far, at_ps, 1500));
        for (int i = 0; i < 8; i++)
            ck_assert_int_eq(accept_start(&far, then_ps + more_ps, 1500),
                             accept_start(&near, then_ps, 1500) + more_ps);
    }
    sim_hop_fini(&near);
    sim_hop_fini(&far);
}
END_TEST

/* --- Policer --- */

/* 3000 bytes, 1 a microsecond. */
START_TEST(policer_drops_what_finds_no_tokens)
{
    struct sim_hop_config config = {
        .rate_bps = FAST_BPS, .shaper = SIM_SHAPER_POLICER, .shaper_rate_bps = 8000000, .burst_bytes = 3000};
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    ck_assert(sim_links_refused(&hop, 0, 3001));
    for (int64_t i = 0; i < 3; i++)
        ck_assert_int_eq(accept_start(&hop, 0, 1000), i * sim_transmit_ps(1000, FAST_BPS));
    ck_assert(sim_links_refused(&hop, 0, 1000));
    ck_assert(sim_links_refused(&hop, 999 * US_PS, 1000));
    ck_assert_int_eq(accept_start(&hop, 1000 * US_PS, 1000), 1000 * US_PS);
    ck_assert(sim_links_refused(&hop, 1999 * US_PS, 1000));
    ck_assert_uint_eq(hop.dropped, 4);
    ck_assert_uint_eq(sim_hop_capacity_bps(&config, 0), FAST_BPS);
    sim_hop_fini(&hop);
}
END_TEST

/* --- Contention --- */

static void begin_contention(struct sim_hop *hop, uint64_t rate_bps, int64_t ack_ns)
{
    struct sim_hop_config config = {.rate_bps = rate_bps, .shaper = SIM_SHAPER_CONTENTION, .ack_ns = ack_ns};

    sim_hop_init(hop, &config, 1, 0);
}

/* 20 us of preamble and 18 bytes at 24 Mbit/s, 6 us, before the packet's 500; then DIFS and
 * 0 to 15 slots. Who comes after that goes at once. */
START_TEST(contention_follows_a_packet)
{
    int64_t start_ps, slots_ps;
    struct sim_hop hop;

    begin_contention(&hop, 24000000, 0);
    ck_assert_int_eq(accept_start(&hop, 0, 1500), 26 * US_PS);
    for (int i = 0; i < 100; i++) {
        int64_t free_ps = hop.free_ps[0];
        start_ps = accept_start(&hop, 0, 1500);
        slots_ps = start_ps - free_ps - (34 + 26) * US_PS;
        ck_assert_int_eq(slots_ps % (9 * US_PS), 0);
        ck_assert_int_ge(slots_ps, 0);
        ck_assert_int_le(slots_ps, 15 * 9 * US_PS);
    }
    ck_assert_int_eq(accept_start(&hop, 1000 * MS_PS, 1500), 1000 * MS_PS + 26 * US_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* The three figures, and what 4000 packets take: slots deviate by 9 us sqrt(255 / 12), their
 * mean by 0.66 us; five of those. */
START_TEST(contention_leaves_its_mean)
{
    static const struct {
        uint64_t phy_bps;
        int64_t ack_ns;
        double us, mbps;
    } rows[] = {
        {24000000, 0, 627.5, 19.12}, {54000000, 0, 346.389, 34.64}, {65000000, 44000, 352.331, 34.06}};

    for (int i = 0; i < 3; i++) {
        int64_t start_ps = 0;
        struct sim_hop hop;
        begin_contention(&hop, rows[i].phy_bps, rows[i].ack_ns);
        ck_assert_double_eq_tol((double)sim_hop_contended_bps(&hop.config, 1500) * 1e-6, rows[i].mbps, 0.005);
        for (int j = 0; j <= 4000; j++)
            start_ps = accept_start(&hop, 0, 1500);
        ck_assert_double_eq_tol((double)start_ps * 1e-6 / 4000, rows[i].us, 3.3);
        sim_hop_fini(&hop);
    }
}
END_TEST

/* --- Grants --- */

/* Cycles of 1 ms: 750 bytes assured, 1500 two cycles after a report. Two packets at 0.1 ms:
 * the first in two halves, at 1 and 2 ms; the second, reported at 1 ms, whole at 3 ms. One
 * at the start of a cycle begins with it. */
START_TEST(grants_come_with_their_cycles)
{
    struct sim_hop_config config = {.rate_bps = 1000000000,
                                    .shaper = SIM_SHAPER_GRANTS,
                                    .shaper_rate_bps = 12000000,
                                    .assured_bps = 6000000,
                                    .tick_ns = 1000000,
                                    .report_ns = 2000000};
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    ck_assert_int_eq(accept_end(&hop, MS_PS / 10, 1500), 2 * MS_PS + 6 * US_PS);
    ck_assert_int_eq(accept_end(&hop, MS_PS / 10, 1500), 3 * MS_PS + 12 * US_PS);
    ck_assert_int_eq(accept_end(&hop, MS_PS / 10, 1500), 4 * MS_PS + 12 * US_PS);
    ck_assert_int_eq(accept_end(&hop, 10 * MS_PS, 1500), 11 * MS_PS + 6 * US_PS);
    ck_assert_uint_eq(sim_hop_capacity_bps(&config, 0), 12000000);
    sim_hop_fini(&hop);
}
END_TEST

/* Six at once; 750 bytes a cycle are assured and 1500 granted, after two. The first is gone until then, and what is assured in
 * two cycles is not granted: the last takes two of its own. */
START_TEST(what_is_assured_is_not_granted)
{
    static const int64_t gaps_us[] = {0, 1006, 1000, 1000, 1000, 1994};
    struct sim_config config = sim_fixture_plain(3, 6, 1500, 1000000000);
    struct sim_hop_config *hop = &config.path.hop[0];
    struct sim_run run;

    hop->shaper = SIM_SHAPER_GRANTS;
    hop->shaper_rate_bps = 12000000;
    hop->assured_bps = 6000000;
    hop->tick_ns = 1000000;
    hop->tick_phase_ns = 500000;
    hop->report_ns = 2000000;
    hop->expects = true;
    ck_assert_double_eq(sim_hop_expected_bytes(hop), 1500);
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.probe_count; i++)
        if (run.probes[i].position > 0)
            ck_assert_int_eq(sim_fixture_gap_ps(&run, i), gaps_us[run.probes[i].position] * US_PS);
    sim_run_fini(&run);
}
END_TEST

/* Three packets fit in a block of 4500 bytes, and have arrived at its end. */
START_TEST(blocks_arrive_whole)
{
    struct sim_hop_config config = {.rate_bps = 1000000000,
                                    .shaper = SIM_SHAPER_GRANTS,
                                    .shaper_rate_bps = 36000000,
                                    .assured_bps = 36000000,
                                    .tick_ns = 1000000,
                                    .blocks = true};
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(accept_end(&hop, 3 * MS_PS / 10, 1500), (i < 3 ? 2 : 3) * MS_PS);
    ck_assert_int_eq(accept_end(&hop, 5 * MS_PS, 1500), 6 * MS_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* --- Links --- */

/* 1.6 ms a packet on each of two links, the last 2 ms longer: what comes over the first
 * waits for what was sent before it. */
START_TEST(longer_link_holds_up_the_other)
{
    static const int64_t at_us[] = {1600, 3600, 3600, 5200, 5200, 6800};
    struct sim_hop_config config = {.rate_bps = 10000000, .links = 2, .last_longer_ns = 2000000};
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(accept_end(&hop, 0, 1000), at_us[i] * US_PS);
    sim_hop_fini(&hop);
}
END_TEST

/* A rate for each 5 ms, whoever asks when; 4000 of them deviate by a tenth, and their mean
 * by 0.16 %: five of those. */
START_TEST(rate_varies_around_its_mean)
{
    struct sim_hop_config config = {.rate_bps = 1000000000, .vary_ns = 5000000, .vary_share = 0.1};
    double sum = 0, squares = 0, mean;
    struct sim_hop hop;

    sim_hop_init(&hop, &config, sim_fixture_seed("rate_varies_around_its_mean"), 0);
    for (int64_t i = 0; i < 4000; i++) {
        int64_t at_ps = 5 * i * MS_PS, took_ps = accept_end(&hop, at_ps, 1500) - at_ps;
        double rate = 12e-3 / ((double)took_ps * 1e-9);
        ck_assert_int_eq(accept_end(&hop, at_ps + MS_PS, 1500), at_ps + MS_PS + took_ps);
        sum += rate;
        squares += rate * rate;
    }
    mean = sum / 4000;
    ck_assert_double_eq_tol(mean, 1, 0.008);
    ck_assert_double_eq_tol(sqrt(squares / 4000 - mean * mean), 0.1, 0.006);
    ck_assert_uint_eq(sim_hop_capacity_bps(&config, 0), 1000000000);
    sim_hop_fini(&hop);
}
END_TEST

/* --- Video, late stamps, the prior --- */

/* Frames each 10 ms, of 10 packets on average, 0.1 ms apart: 10 000 in 1000 frames, whose
 * sum deviates by 10 sqrt(1000 / 12). */
START_TEST(frames_come_on_time)
{
    const struct sim_traffic_config config = {.source = SIM_FRAMES,
                                              .mix = SIM_MIX_1500,
                                              .rate_bps = 12e6,
                                              .access_bps = 120000000,
                                              .burst_packets = 10};
    unsigned frames = 0, packets = 0;
    struct sim_flow flow;
    int64_t frame_ps;

    sim_flow_init(&flow, &config, sim_fixture_seed("frames_come_on_time"), 1);
    sim_flow_start(&flow, 0);
    frame_ps = flow.next_ps;
    ck_assert_int_lt(frame_ps, 10 * MS_PS);
    for (; frames < 1000; packets++) {
        int64_t before_ps = flow.next_ps;
        sim_flow_advance(&flow);
        if (flow.next_ps - before_ps == MS_PS / 10)
            continue;
        frame_ps += 10 * MS_PS;
        frames++;
        ck_assert_int_eq(flow.next_ps, frame_ps);
    }
    ck_assert_uint_ge(packets, 10000 - 460);
    ck_assert_uint_le(packets, 10000 + 460);
}
END_TEST

/* By 5 to 15 us, and only where nothing came for more than 1 ms. */
START_TEST(sim_links_first_stamps_are_late)
{
    struct sim_config config = sim_fixture_plain(100, 4, 1000, 100000000);
    struct sim_run run;

    config.receiver.late_first_ns = 10000;
    sim_run_init(&run, &config, sim_fixture_seed("first_stamps_are_late"));
    for (size_t i = 0; i < run.arrival_count; i++) {
        int64_t true_ns = EPOCH_NS + run.stamped[i].true_ps / SIM_PS_PER_NS;
        int64_t late_ns = run.stamped[i].stamp_ns - true_ns;
        ck_assert_int_ge(late_ns, i % 4 ? 0 : 5000);
        ck_assert_int_le(late_ns, i % 4 ? 0 : 15000);
    }
    sim_run_fini(&run);
}
END_TEST

/* All of the span is drawn from: first stamps late on 40 %, as many hops as there may be; the
 * same seed draws the same. */
START_TEST(prior_draws_what_it_says)
{
    const struct sim_case *row = sim_case_find("random-trains");
    uint64_t seed = sim_fixture_seed("prior_draws_what_it_says");
    unsigned late = 0, slow = 0, hops = 0;

    for (unsigned i = 0; i < 400; i++) {
        struct sim_config config;
        double capacity_bps;
        sim_case_config(row, seed + i, &config);
        capacity_bps = sim_case_truth_bps(&config);
        late += config.receiver.late_first_ns > 0;
        slow += capacity_bps < 1e8 * 0.31622777; /* half of five decades */
        hops = config.path.hops > hops ? config.path.hops : hops;
        ck_assert_double_gt((double)config.sender.rate_bps, capacity_bps);
        ck_assert_uint_le(config.path.traffics, SIM_TRAFFICS_MAX);
    }
    sim_fixture_check_count(late, 400, 0.4);
    sim_fixture_check_count(slow, 400, 0.5);
    ck_assert_uint_eq(hops, SIM_HOPS_MAX);
}
END_TEST

TCase *sim_links_tcase(void)
{
    TCase *tcase = tcase_create("links that people have");

    tcase_add_test(tcase, fair_flow_that_was_idle_goes_first);
    tcase_add_test(tcase, fair_quantum_below_a_packet);
    tcase_add_test(tcase, fair_flow_that_was_idle_waits_in_line);
    tcase_add_test(tcase, fair_rival_that_pauses);
    tcase_add_test(tcase, fair_share_by_weight);
    tcase_add_test(tcase, fair_queue_without_others_is_fifo);
    tcase_add_test(tcase, fair_share_is_one_of_all);
    tcase_add_test(tcase, fair_rounds_repeat);
    tcase_add_test(tcase, policer_drops_what_finds_no_tokens);
    tcase_add_test(tcase, contention_follows_a_packet);
    tcase_add_test(tcase, contention_leaves_its_mean);
    tcase_add_test(tcase, grants_come_with_their_cycles);
    tcase_add_test(tcase, what_is_assured_is_not_granted);
    tcase_add_test(tcase, blocks_arrive_whole);
    tcase_add_test(tcase, longer_link_holds_up_the_other);
    tcase_add_test(tcase, rate_varies_around_its_mean);
    tcase_add_test(tcase, frames_come_on_time);
    tcase_add_test(tcase, sim_links_first_stamps_are_late);
    tcase_add_test(tcase, prior_draws_what_it_says);
    return tcase;
}
