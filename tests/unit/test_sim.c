/* SPDX-License-Identifier: BSD-3-Clause */
/* The path model against closed forms that hold to the picosecond, and the suite
 * of all its tests. */
#include "tests/unit/suites.h"
#include "tests/sim/units.h"
#include "tests/unit/sim_fixture.h"

/* --- One hop or many, nothing in the way --- */

/* D/D/1: packets of L bits leave a link of C bit/s L/C apart. */
START_TEST(idle_gap_is_size_over_rate)
{
    static const uint32_t sizes[] = {64, 500, 1000, 1500, 1518};
    static const uint64_t rates[] = {100000, 1000000, 10000000, 100000000, 1000000000, 10000000000};

    for (size_t s = 0; s < 5; s++)
        for (size_t r = 0; r < 6; r++) {
            struct sim_config config = sim_fixture_plain(3, 8, sizes[s], rates[r]);
            struct sim_run run;
            config.sender.delay_ns = 100000000000;
            sim_run_init(&run, &config, 1);
            for (size_t i = 0; i < run.probe_count; i++)
                if (run.probes[i].position > 0)
                    ck_assert_int_eq(sim_fixture_gap_ps(&run, i), sim_transmit_ps(sizes[s], rates[r]));
            sim_run_fini(&run);
        }
}
END_TEST

/* The narrow link keeps its mark wherever it is. */
START_TEST(idle_chain_keeps_the_narrow_gap)
{
    for (unsigned narrow = 0; narrow < 5; narrow++) {
        struct sim_config config = sim_fixture_plain(2, 4, 1000, 8000000);
        struct sim_run run;
        config.path.hops = 5;
        for (unsigned h = 0; h < 5; h++)
            config.path.hop[h] =
                (struct sim_hop_config){.rate_bps = h == narrow ? 1000000 : 8000000, .propagation_ns = 1000};
        sim_run_init(&run, &config, 1);
        ck_assert_int_eq(sim_fixture_gap_ps(&run, 1), 8000000000);
        ck_assert_int_eq(sim_fixture_gap_ps(&run, 3), 8000000000);
        ck_assert_int_eq(run.probes[0].wait_ps, 0);
        sim_run_fini(&run);
    }
}
END_TEST

START_TEST(one_way_delay_adds_up)
{
    struct sim_config config = sim_fixture_plain(1, 2, 1000, 1000000);
    struct sim_run run;

    config.path.hops = 2;
    config.path.hop[1] = (struct sim_hop_config){.rate_bps = 2000000, .propagation_ns = 5000000};
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(run.probes[0].arrived_ps - run.probes[0].left_ps,
                     8000000000 + 1000000000 + 4000000000 + 5000000000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(rate_changes_at_its_time)
{
    struct sim_config config = sim_fixture_plain(10, 2, 1000, 10000000);
    struct sim_run run;

    config.path.hop[0].change_at_ns = 5500000000;
    config.path.hop[0].change_rate_bps = 5000000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 1; i < run.probe_count; i += 2)
        ck_assert_int_eq(sim_fixture_gap_ps(&run, i), i < 10 ? 800000000 : 1600000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 0), 10000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 6000000000), 5000000);
    sim_run_fini(&run);
}
END_TEST

/* To a quarter in two seconds: half after the first one. */
START_TEST(rate_changes_evenly)
{
    struct sim_config config = sim_fixture_plain(10, 2, 1000, 10000000);

    config.path.hop[0].change_at_ns = 5000000000;
    config.path.hop[0].change_until_ns = 7000000000;
    config.path.hop[0].change_rate_bps = 2500000;
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 5000000000), 10000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 6000000000), 5000000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 7000000000), 2500000);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 9000000000), 2500000);
}
END_TEST

/* The way gets shorter by 9 ms: what leaves after that arrives so much sooner, but
 * does not overtake what is on the wire. */
START_TEST(delay_changes_at_its_time)
{
    struct sim_config config = sim_fixture_plain(2, 256, 1000, 8000000); /* 1 ms each */
    struct sim_run run;

    config.path.hop[0].propagation_ns = 10000000;
    config.path.hop[0].change_propagation_ns = 1000000;
    config.path.hop[0].change_at_ns = 1100500000;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(sim_fixture_gap_ps(&run, 100), 1000000000);
    for (size_t i = 102; i < 110; i++)
        ck_assert_int_eq(sim_fixture_gap_ps(&run, i), 0);
    ck_assert_int_eq(sim_fixture_gap_ps(&run, 112), 1000000000);
    ck_assert_int_eq(run.probes[256].arrived_ps - run.probes[256].left_ps, 2000000000);
    sim_run_fini(&run);
}
END_TEST

START_TEST(full_queue_drops_the_tail)
{
    struct sim_config config = sim_fixture_plain(1, 64, 1000, 1000000);
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

/* --- Shapers --- */

/* The first floor(B/S) at line rate, the others S*8/R apart. */
START_TEST(bucket_lets_a_burst_through)
{
    static const uint32_t bursts[] = {1500, 2999, 3000, 10000, 20000, 60000};

    for (size_t b = 0; b < 6; b++) {
        struct sim_config config = sim_fixture_plain(4, 64, 1500, FAST_BPS);
        struct sim_run run;
        config.path.hop[0].shaper = SIM_SHAPER_BUCKET;
        config.path.hop[0].shaper_rate_bps = 10000000;
        config.path.hop[0].burst_bytes = bursts[b];
        sim_run_init(&run, &config, 1);
        for (size_t i = 1; i < run.probe_count; i++) {
            uint32_t head = bursts[b] / 1500;
            if (run.probes[i].position > 0 && run.probes[i].position < head)
                ck_assert_int_eq(sim_fixture_gap_ps(&run, i), sim_transmit_ps(1500, FAST_BPS));
            if (run.probes[i].position > head)
                ck_assert_int_eq(sim_fixture_gap_ps(&run, i), 1200000000);
        }
        sim_run_fini(&run);
    }
}
END_TEST

START_TEST(bucket_smaller_than_a_frame_passes_nothing)
{
    struct sim_config config = sim_fixture_plain(2, 2, 1500, FAST_BPS);
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
    struct sim_config config = sim_fixture_plain(1, 32, 1500, FAST_BPS);
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

/* Packet i follows i - 2 on its link by 2 L / C, so that two come almost at once. */
START_TEST(parallel_links_serve_by_turns)
{
    const int64_t apart_ps = sim_transmit_ps(1000, FAST_BPS), took_ps = 2 * 800000000;
    struct sim_config config = sim_fixture_plain(3, 64, 1000, 10000000);
    struct sim_run run;

    config.path.hop[0].links = 2;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.probe_count; i++)
        if (run.probes[i].position > 0)
            ck_assert_int_eq(sim_fixture_gap_ps(&run, i), i % 2 ? apart_ps : took_ps - apart_ps);
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 0), 10000000);
    sim_run_fini(&run);
}
END_TEST

/* A small packet on a link of its own waits for the large one before it. */
START_TEST(parallel_links_keep_order)
{
    struct sim_hop_config config = {.rate_bps = 2000000, .links = 2};
    int64_t start_ps, large_ps, small_ps;
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    ck_assert(sim_hop_accept(&hop, 0, 1000, &start_ps, &large_ps));
    ck_assert(sim_hop_accept(&hop, 0, 100, &start_ps, &small_ps));
    ck_assert_int_eq(start_ps, 0);
    ck_assert_int_eq(large_ps, 8000000000);
    ck_assert_int_eq(small_ps, large_ps);
    sim_hop_fini(&hop);
}
END_TEST

/* Of k rivals each sends once between two of ours: C / (k + 1) for equal sizes. The
 * first waits for a round at most, and one that comes after its turn for the next. */
START_TEST(turns_share_the_link)
{
    const int64_t took_ps = 800000000;

    for (unsigned rivals = 1; rivals <= 8; rivals++) {
        struct sim_config config = sim_fixture_plain(5, 32, 1000, 10000000);
        struct sim_run run;
        config.path.hop[0].shaper = SIM_SHAPER_TURNS;
        config.path.hop[0].rivals = rivals;
        config.path.hop[0].rival_bytes = 1000;
        sim_run_init(&run, &config, 1);
        for (size_t i = 0; i < run.probe_count; i++)
            if (run.probes[i].position > 0)
                ck_assert_int_eq(sim_fixture_gap_ps(&run, i), (rivals + 1) * took_ps);
            else
                ck_assert_int_lt(run.probes[i].wait_ps, rivals * took_ps);
        sim_run_fini(&run);
    }
}
END_TEST

/* Rivals send every 4 ms, once each. Ours of 1 ms at 0 ends at 1 ms: turns are then at 5,
 * 9, 13 ms. At 9 ms it is at once; at 14.5 ms, past the turn at 14, it waits until 18. */
START_TEST(turns_pass_who_has_nothing)
{
    const int64_t ms_ps = 1000000000;
    struct sim_hop_config config = {
        .rate_bps = 8000000, .shaper = SIM_SHAPER_TURNS, .rivals = 4, .rival_bytes = 1000};
    int64_t start_ps, end_ps;
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    ck_assert(sim_hop_accept(&hop, 0, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 0);
    ck_assert(sim_hop_accept(&hop, 9 * ms_ps, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 9 * ms_ps);
    ck_assert(sim_hop_accept(&hop, 14500000000, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 18 * ms_ps);
    ck_assert_int_eq(end_ps, 19 * ms_ps);
    sim_hop_fini(&hop);
}
END_TEST

/* Batches of N: L / C within one, a wait of W between two: N L / (W + N L / C). */
START_TEST(batches_wait_for_the_medium)
{
    const int64_t took_ps = 800000000, wait_ps = 1000000000;
    struct sim_config config = sim_fixture_plain(3, 64, 1000, 10000000);
    struct sim_run run;

    config.path.hop[0].shaper = SIM_SHAPER_BATCH;
    config.path.hop[0].batch_packets = 8;
    config.path.hop[0].access_least_ns = config.path.hop[0].access_most_ns = 1000000;
    config.path.hop[0].shaper_rate_bps = 8648648; /* 8 * 8000 bits in 1 + 6.4 ms */
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.probe_count; i++)
        if (run.probes[i].position > 0)
            ck_assert_int_eq(sim_fixture_gap_ps(&run, i), i % 8 ? took_ps : took_ps + wait_ps);
        else
            ck_assert_int_eq(run.probes[i].wait_ps, wait_ps);
    ck_assert_int_eq(run.probes[56].arrived_ps - run.probes[0].arrived_ps, 7 * (wait_ps + 8 * took_ps));
    ck_assert_uint_eq(sim_path_capacity_bps(&config.path, 0), 8648648);
    sim_run_fini(&run);
}
END_TEST

/* Who comes before the medium is free goes along; who comes later waits anew. */
START_TEST(batches_take_who_has_come)
{
    const int64_t ms_ps = 1000000000;
    struct sim_hop_config config = {.rate_bps = 8000000, /* 1 ms each */
                                    .shaper = SIM_SHAPER_BATCH,
                                    .batch_packets = 8,
                                    .access_least_ns = 3000000,
                                    .access_most_ns = 3000000};
    int64_t start_ps, end_ps;
    struct sim_hop hop;

    sim_hop_init(&hop, &config, 1, 0);
    ck_assert(sim_hop_accept(&hop, 0, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 3 * ms_ps);
    ck_assert(sim_hop_accept(&hop, 3 * ms_ps, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 4 * ms_ps);
    ck_assert(sim_hop_accept(&hop, 3 * ms_ps + 1, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 8 * ms_ps); /* the batch before ends at 5 */
    ck_assert(sim_hop_accept(&hop, 20 * ms_ps, 1000, &start_ps, &end_ps));
    ck_assert_int_eq(start_ps, 23 * ms_ps);
    sim_hop_fini(&hop);
}
END_TEST

/* Packets of 1 ms that come at once. The first finds nobody there, and goes; three are an aggregate, have waited for 2 ms and
 * arrive with the last of them. */
START_TEST(aggregates_arrive_whole)
{
    static const int64_t at_ms[] = {1, 6, 6, 6, 11, 11, 11, 14};
    const int64_t ms_ps = 1000000000;
    struct sim_config config = sim_fixture_plain(2, 8, 1000, 8000000);
    struct sim_hop_config *hop = &config.path.hop[0];
    struct sim_run run;

    hop->shaper = SIM_SHAPER_BATCH;
    hop->batch_packets = 3;
    hop->access_least_ns = hop->access_most_ns = 2000000;
    hop->idle_at_once = hop->arrives_whole = true;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.probe_count; i++)
        ck_assert_int_eq(run.probes[i].arrived_ps - run.probes[i - i % 8].arrived_ps,
                         (at_ms[i % 8] - at_ms[0]) * ms_ps);
    sim_run_fini(&run);
}
END_TEST

TCase *sim_exact_tcase(void)
{
    TCase *tcase = tcase_create("closed forms");

    tcase_add_test(tcase, idle_gap_is_size_over_rate);
    tcase_add_test(tcase, idle_chain_keeps_the_narrow_gap);
    tcase_add_test(tcase, one_way_delay_adds_up);
    tcase_add_test(tcase, rate_changes_at_its_time);
    tcase_add_test(tcase, rate_changes_evenly);
    tcase_add_test(tcase, delay_changes_at_its_time);
    tcase_add_test(tcase, full_queue_drops_the_tail);
    tcase_add_test(tcase, bucket_lets_a_burst_through);
    tcase_add_test(tcase, bucket_smaller_than_a_frame_passes_nothing);
    tcase_add_test(tcase, tick_rounds_departures_up);
    tcase_add_test(tcase, parallel_links_serve_by_turns);
    tcase_add_test(tcase, parallel_links_keep_order);
    tcase_add_test(tcase, turns_share_the_link);
    tcase_add_test(tcase, turns_pass_who_has_nothing);
    tcase_add_test(tcase, batches_wait_for_the_medium);
    tcase_add_test(tcase, batches_take_who_has_come);
    tcase_add_test(tcase, aggregates_arrive_whole);
    return tcase;
}

Suite *sim_suite(void)
{
    Suite *suite = suite_create("sim");

    suite_add_tcase(suite, sim_exact_tcase());
    suite_add_tcase(suite, sim_links_tcase());
    suite_add_tcase(suite, sim_ends_tcase());
    suite_add_tcase(suite, sim_cross_tcase());
    suite_add_tcase(suite, sim_judge_tcase());
    suite_add_tcase(suite, sim_reliability_tcase());
    suite_add_tcase(suite, sim_twin_tcase());
    return suite;
}
