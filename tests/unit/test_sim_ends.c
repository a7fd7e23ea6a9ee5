/* SPDX-License-Identifier: BSD-3-Clause */
/* The model's sender and receiver. */
#include "tests/sim/units.h"
#include "tests/unit/sim_fixture.h"

#include <math.h>

/* --- Sender --- */

START_TEST(sender_keeps_its_gap_floor)
{
    struct sim_config config = sim_fixture_plain(2, 4, 1000, FAST_BPS);
    struct sim_run run;

    config.sender.rate_bps = 1000000000; /* 8 us per packet */
    config.sender.gap_ns = 20000;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(sim_fixture_gap_ps(&run, 1), 20000000);
    ck_assert_int_eq(run.trains[0].span_ns, 60000);
    sim_run_fini(&run);
    config.sender.gap_ns = 1000; /* the adapter is slower */
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(sim_fixture_gap_ps(&run, 1), 8000000);
    ck_assert_int_eq(run.trains[0].span_ns, 24000);
    sim_run_fini(&run);
    config.sender.departure = SIM_DEPARTURE_HANDED;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(run.trains[0].span_ns, 3000);
    sim_run_fini(&run);
}
END_TEST

/* Three at once, the other five 20 us apart: the adapter's 8 us per packet do not matter
 * any more. */
START_TEST(tail_goes_slower_than_the_head)
{
    struct sim_config config = sim_fixture_plain(2, 8, 1000, FAST_BPS);
    struct sim_run run;

    config.sender.rate_bps = 1000000000;
    config.sender.head = 3;
    config.sender.tail_gap_ns = 20000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 1; i < 3; i++)
        ck_assert_int_eq(sim_fixture_gap_ps(&run, i), 8000000);
    for (size_t i = 5; i < 8; i++)
        ck_assert_int_eq(sim_fixture_gap_ps(&run, i), 20000000);
    for (size_t i = 3; i < 8; i++)
        ck_assert_int_eq(run.probes[i].handed_ps - run.probes[i - 1].handed_ps, 20000000);
    sim_run_fini(&run);
}
END_TEST

/* Exponential: mean and deviation are one. Both to five standard errors, which are
 * m / sqrt(n) and, for the fourth moment is 9, m * sqrt(8 / 4n). */
START_TEST(poisson_spacing_is_exponential)
{
    struct sim_config config = sim_fixture_plain(10000, 2, 1000, 1000000000);
    double sum = 0, squares = 0, n = config.sender.trains - 1, mean, deviation;
    struct sim_run run;

    config.sender.delay_ns = 100000000;
    config.sender.spacing = SIM_SPACING_POISSON;
    sim_run_init(&run, &config, sim_fixture_seed("poisson_spacing_is_exponential"));
    for (size_t i = 2; i < run.probe_count; i += 2) {
        double gap_s = (double)(run.probes[i].handed_ps - run.probes[i - 2].handed_ps) * 1e-12;
        sum += gap_s;
        squares += gap_s * gap_s;
    }
    mean = sum / n;
    deviation = sqrt(squares / n - mean * mean);
    ck_assert_double_le(fabs(mean / 0.1 - 1), 5 / sqrt(n));
    ck_assert_double_le(fabs(deviation / 0.1 - 1), 5 * sqrt(2 / n));
    sim_run_fini(&run);
}
END_TEST

/* One departure in four is 1 ms late on average. */
START_TEST(descheduling_widens_trains)
{
    struct sim_config config = sim_fixture_plain(4000, 2, 1000, 1000000000);
    struct sim_run run;
    size_t late = 0;

    config.sender.gap_ns = 1000;
    config.sender.deschedule = 0.25;
    config.sender.deschedule_ns = 1000000;
    sim_run_init(&run, &config, sim_fixture_seed("descheduling_widens_trains"));
    for (unsigned i = 0; i < run.train_count; i++)
        late += run.trains[i].span_ns > 1000;
    sim_fixture_check_count(late, run.train_count, 0.25);
    sim_run_fini(&run);
}
END_TEST

/* 18 bytes of payload carry neither TIME nor DEPARTURE, 26 only the former. */
START_TEST(small_packets_tell_less)
{
    static const uint32_t sizes[] = {64, 72, 80};

    for (size_t s = 0; s < 3; s++) {
        struct sim_config config = sim_fixture_plain(3, 2, sizes[s], 1000000);
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
    struct sim_config config = sim_fixture_plain(1, 16, 1500, 1000000000);
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
    struct sim_config config = sim_fixture_plain(1, 16, 1500, 1000000000);
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
    struct sim_config config = sim_fixture_plain(101, 2, 1000, 1000000);
    struct sim_run run;
    const struct pprec_arrival *last;

    config.receiver.skew_ppm = 100;
    sim_run_init(&run, &config, 1);
    last = &run.arrivals[run.arrival_count - 2];
    /* 100 s at 100 ppm. */
    ck_assert_int_eq(last->received.ns - run.arrivals[0].received.ns
                         - (last->sent_ns - run.arrivals[0].sent_ns),
                     10000000);
    sim_run_fini(&run);
}
END_TEST

static double most_ahead_ns(const struct sim_run *run, const struct sim_config *config)
{
    double most_ns = 0;

    for (size_t i = 0; i < run->arrival_count; i++) {
        double true_ns = (double)run->stamped[i].true_ps / 1000;
        double shown_ns = (double)(run->stamped[i].stamp_ns - config->receiver.epoch_ns);
        most_ns = fmax(most_ns, shown_ns - true_ns);
    }
    return most_ns;
}

/* A rate error of w sin(2 pi t / T) has put the clock ahead by w T / pi after half a
 * period, and by nothing after a whole one. Pairs 1 s apart are at most half a second
 * from that: 6e-5 of it at the top. */
START_TEST(clock_wanders_and_comes_back)
{
    struct sim_config config = sim_fixture_plain(200, 2, 1000, 10000000);
    double expected_ns = 10e-6 * 200e9 / M_PI;
    struct sim_stamped last;
    struct sim_run run;

    config.receiver.wander_ppm = 10;
    config.receiver.wander_period_ns = 200000000000;
    sim_run_init(&run, &config, 1);
    ck_assert_double_le(fabs(most_ahead_ns(&run, &config) / expected_ns - 1), 1e-4);
    last = run.stamped[run.arrival_count - 1];
    ck_assert_double_le(fabs((double)(last.stamp_ns - EPOCH_NS) - (double)last.true_ps / 1000),
                        1e-4 * expected_ns);
    sim_run_fini(&run);
}
END_TEST

/* 500 ppm for 10 s are 5 ms, and stay so. */
START_TEST(clock_slews_for_a_while)
{
    struct sim_config config = sim_fixture_plain(40, 2, 1000, 10000000);
    struct sim_run run;

    config.receiver.slew_ppm = 500;
    config.receiver.slew_from_ns = 10000000000;
    config.receiver.slew_until_ns = 20000000000;
    sim_run_init(&run, &config, 1);
    for (size_t i = 0; i < run.arrival_count; i++) {
        double true_s = (double)run.stamped[i].true_ps * 1e-12;
        double ahead_s = 500e-6 * fmin(fmax(true_s - 10, 0), 10);
        double shown_s = (double)(run.stamped[i].stamp_ns - EPOCH_NS) * 1e-9;
        ck_assert_double_le(fabs(shown_s - true_s - ahead_s), 2e-9);
    }
    sim_run_fini(&run);
}
END_TEST

START_TEST(clock_steps_once)
{
    struct sim_config config = sim_fixture_plain(10, 2, 1000, 1000000);
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
    struct sim_config config = sim_fixture_plain(200, 8, 1500, 1000000000);
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

START_TEST(damage_has_its_share)
{
    struct sim_config config = sim_fixture_plain(5000, 8, 1000, 100000000);
    struct sim_run run;
    size_t copies = 0, behind = 0, distinct;
    uint32_t furthest = 0;

    config.receiver.loss = 0.05;
    config.receiver.duplicate = 0.04;
    config.receiver.duplicate_delay_ns = 1000000;
    config.receiver.reorder = 0.03;
    config.receiver.reorder_delay_ns = 1000000;
    sim_run_init(&run, &config, sim_fixture_seed("damage_has_its_share"));
    for (size_t i = 1; i < run.arrival_count; i++) {
        ck_assert_int_le(run.stamped[i - 1].true_ps, run.stamped[i].true_ps);
        behind += run.arrivals[i].seq < furthest;
        furthest = run.arrivals[i].seq > furthest ? run.arrivals[i].seq : furthest;
    }
    for (size_t i = 0; i < run.arrival_count; i++)
        for (size_t j = i + 1; j < run.arrival_count && j < i + 40; j++)
            copies += run.stamped[i].probe == run.stamped[j].probe;
    distinct = run.arrival_count - copies;
    sim_fixture_check_count(run.probe_count - distinct, run.probe_count, 0.05);
    sim_fixture_check_count(copies, distinct, 0.04);
    ck_assert_uint_gt(behind, 0);
    sim_run_fini(&run);
}
END_TEST

START_TEST(hop_loss_has_its_share)
{
    struct sim_config config = sim_fixture_plain(5000, 8, 1000, 100000000);
    struct sim_run run;

    config.path.hop[0].loss = 0.05;
    sim_run_init(&run, &config, sim_fixture_seed("hop_loss_has_its_share"));
    sim_fixture_check_count(run.probe_count - run.arrival_count, run.probe_count, 0.05);
    sim_run_fini(&run);
}
END_TEST

TCase *sim_ends_tcase(void)
{
    TCase *tcase = tcase_create("sender and receiver");

    tcase_add_test(tcase, sender_keeps_its_gap_floor);
    tcase_add_test(tcase, tail_goes_slower_than_the_head);
    tcase_add_test(tcase, poisson_spacing_is_exponential);
    tcase_add_test(tcase, descheduling_widens_trains);
    tcase_add_test(tcase, small_packets_tell_less);
    tcase_add_test(tcase, coalescing_stamps_in_batches);
    tcase_add_test(tcase, throttling_stamps_the_first_at_once);
    tcase_add_test(tcase, clock_runs_fast_by_its_skew);
    tcase_add_test(tcase, clock_wanders_and_comes_back);
    tcase_add_test(tcase, clock_slews_for_a_while);
    tcase_add_test(tcase, clock_steps_once);
    tcase_add_test(tcase, stamps_keep_granularity_and_order);
    tcase_add_test(tcase, damage_has_its_share);
    tcase_add_test(tcase, hop_loss_has_its_share);
    return tcase;
}
