/* SPDX-License-Identifier: BSD-3-Clause */
/* What is free of a path, from the arrivals to whoever asks: handles of libpprec beside simulated paths
 * of which the truth is known (tests/sim/free_cases.c). How good the readings are is judged there. */
#include "tests/sim/free_cases.h"
#include "tests/unit/ask.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

/* The first of those paths, one loaded link, and what a handle made of it. */
struct measured {
    struct sim_config config;
    struct sim_run run;
    struct pprec *pprec;
    size_t changes, intervals;
    struct pprec_change change;
    struct pprec_congestion congestion;
};

static struct measured m;

static void free_on_estimate(void *user, const struct pprec_change *change)
{
    ck_assert_ptr_eq(user, &m);
    m.changes++;
    m.change = *change;
}

static void free_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    ck_assert_ptr_eq(user, &m);
    m.intervals++;
    m.congestion = *congestion;
}

static void free_set_up(void)
{
    memset(&m, 0, sizeof m);
    free_case_config(&free_cases[0], 5, &m.config);
    sim_run_init(&m.run, &m.config, 5);
    ck_assert_uint_gt(m.run.arrival_count, 1000);
}

static void free_tear_down(void)
{
    pprec_free(m.pprec);
    sim_run_fini(&m.run);
}

static struct pprec_config configuration(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.user = &m;
    return config;
}

static void free_start(struct pprec_config config)
{
    ck_assert_int_eq(pprec_new(&m.pprec, &config), PPREC_OK);
}

/* Arrivals from to end - 1, and what they are to forget of when they left. */
static void free_push(size_t from, size_t end, bool send_times)
{
    for (size_t i = from; i < end; i++) {
        struct pprec_arrival arrival = m.run.arrivals[i];

        if (!send_times)
            arrival.sent_ns = arrival.departure_span_ns = PPREC_UNKNOWN_NS;
        ck_assert_int_eq(pprec_push(m.pprec, &arrival), PPREC_OK);
    }
}

static void free_push_all(bool send_times)
{
    free_push(0, m.run.arrival_count, send_times);
}

static struct pprec_available ask_available(void)
{
    struct pprec_endpoint source;
    struct pprec_available available;
    uint32_t stream;

    ck_assert_int_eq(pprec_stream_at(m.pprec, 0, &source, &stream), PPREC_OK);
    memset(&available, 0xff, sizeof available);
    ck_assert_int_eq(pprec_get_available(m.pprec, &source, stream, &available), PPREC_OK);
    return available;
}

static void free_assert_same(const struct pprec_available *a, const struct pprec_available *b)
{
    ck_assert_int_eq(a->state, b->state);
    ck_assert_double_eq(a->available_bps, b->available_bps);
    ck_assert_double_eq(a->low_bps, b->low_bps);
    ck_assert_double_eq(a->high_bps, b->high_bps);
    ck_assert_int_eq(a->queue_ns, b->queue_ns);
    ck_assert_int_eq(a->queue_p95_ns, b->queue_p95_ns);
    ck_assert_double_eq(a->buffer_bytes, b->buffer_bytes);
    ck_assert_int_eq(a->buffer_full, b->buffer_full);
    ck_assert_uint_eq(a->lossless_train, b->lossless_train);
    ck_assert_uint_eq(a->trains, b->trains);
    ck_assert_int_eq(a->newest_ns, b->newest_ns);
}

static void assert_nothing(const struct pprec_available *available)
{
    static const struct pprec_available nothing = {
        .queue_ns = PPREC_UNKNOWN_NS, .queue_p95_ns = PPREC_UNKNOWN_NS, .newest_ns = PPREC_UNKNOWN_NS};

    free_assert_same(available, &nothing);
}

/* --- What is told --- */

/* Within 15 % of the link, or as a bound no more than 10 % of it above the truth. */
START_TEST(what_is_free_is_told)
{
    double link_bps = (double)m.config.path.hop[0].rate_bps, truth_bps, off_bps;
    struct pprec_available available;

    free_start(configuration());
    free_push_all(true);
    available = ask_available();
    truth_bps = free_truth_bps(&m.config, &m.run, 0, m.run.train_count - 1);
    off_bps = available.available_bps - truth_bps;
    ck_assert_int_ne(available.state, PPREC_AVAILABLE_UNKNOWN);
    ck_assert_double_gt(available.available_bps, 0);
    ck_assert_double_le(off_bps, 0.15 * link_bps);
    if (available.state == PPREC_AVAILABLE_CONVERGED)
        ck_assert_double_ge(off_bps, -0.15 * link_bps);
    ck_assert_uint_gt(available.trains, 100);
    ck_assert_int_le(available.newest_ns, pprec_time(m.pprec));
}
END_TEST

START_TEST(every_way_to_ask_tells_the_same)
{
    struct pprec_config config = configuration();
    struct pprec_cursor cursor = {.stream = 0};
    struct pprec_summary summary, interval;
    struct pprec_available available;
    struct pprec_endpoint source;
    uint32_t stream;

    config.on_congestion = free_on_congestion;
    free_start(config);
    free_push_all(true);
    available = ask_available();
    ck_assert_int_eq(pprec_stream_at(m.pprec, 0, &source, &stream), PPREC_OK);
    ck_assert_int_eq(pprec_get_summary(m.pprec, &source, stream, &summary), PPREC_OK);
    ck_assert_int_eq(pprec_get_interval(m.pprec, &source, stream, &cursor, &interval), PPREC_OK);
    free_assert_same(&summary.available, &available);
    free_assert_same(&interval.available, &available);
    ck_assert_int_eq(pprec_finish(m.pprec), PPREC_OK); /* ends the open interval, and last trains */
    available = ask_available();
    ck_assert_uint_gt(m.intervals, 10);
    ck_assert_int_ge(m.congestion.available.newest_ns, available.newest_ns - SECOND_NS);
    ck_assert_double_eq_tol(m.congestion.available.available_bps, available.available_bps,
                            0.1 * available.available_bps);
}
END_TEST

/* With the change of the last train that made one: the answer, or one that was asked for less than a
 * second before. */
START_TEST(a_change_tells_it)
{
    struct pprec_config config = configuration();
    struct pprec_available available = {.newest_ns = PPREC_UNKNOWN_NS}, asked;
    size_t before = 0, old = 0;

    config.on_estimate = free_on_estimate;
    free_start(config);
    for (size_t i = 0; i < m.run.arrival_count; i++) {
        free_push(i, i + 1, true);
        if (m.changes == before)
            continue;
        before = m.changes;
        asked = ask_available();
        if (m.change.available.newest_ns == asked.newest_ns) {
            free_assert_same(&m.change.available, &asked);
        } else {
            old++;
            free_assert_same(&m.change.available, &available);
            ck_assert_int_lt(asked.newest_ns - available.newest_ns, SECOND_NS);
        }
        available = asked;
    }
    ck_assert_uint_gt(m.changes, 10);
    ck_assert_uint_gt(m.changes, old);
    ck_assert_int_ne(m.change.available.state, PPREC_AVAILABLE_UNKNOWN);
}
END_TEST

START_TEST(without_send_times_there_is_none)
{
    struct pprec_available available;

    free_start(configuration());
    free_push_all(false);
    available = ask_available();
    assert_nothing(&available);
}
END_TEST

START_TEST(a_stream_that_is_reset_begins_anew)
{
    struct pprec_available available;
    struct pprec_endpoint source;
    uint32_t stream;

    free_start(configuration());
    free_push_all(true);
    ck_assert_int_eq(pprec_stream_at(m.pprec, 0, &source, &stream), PPREC_OK);
    ck_assert_int_eq(pprec_reset_stream(m.pprec, &source, stream), PPREC_OK);
    available = ask_available();
    ck_assert_int_eq(available.state, PPREC_AVAILABLE_UNKNOWN);
    ck_assert_uint_eq(available.trains, 0);
    ck_assert_int_eq(available.newest_ns, PPREC_UNKNOWN_NS);
}
END_TEST

START_TEST(there_is_none_of_an_unknown_stream)
{
    struct pprec_endpoint source = {.ip = 4};
    struct pprec_available available;

    free_start(configuration());
    ck_assert_int_eq(pprec_get_available(m.pprec, &source, 1, &available), PPREC_EINVAL);
}
END_TEST

/* --- Memory --- */

/* All but what is free of the path: the bound leaves a quarter for what begins. */
START_TEST(without_memory_to_spare_there_is_none)
{
    struct pprec_config config = configuration();
    struct pprec_available available;
    size_t taken_bytes;

    config.whole_window = 1;
    free_start(config);
    free_push(0, 1, false);
    taken_bytes = pprec_memory_bytes(m.pprec);
    pprec_free(m.pprec);
    config.memory_bytes = taken_bytes + taken_bytes / 3;
    free_start(config);
    free_push_all(true);
    available = ask_available();
    assert_nothing(&available);
    ck_assert_uint_le(pprec_memory_bytes(m.pprec), config.memory_bytes);
}
END_TEST

/* --- Words --- */

START_TEST(states_are_spelled)
{
    ck_assert_str_eq(pprec_available_state_name(PPREC_AVAILABLE_UNKNOWN), "unknown");
    ck_assert_str_eq(pprec_available_state_name(PPREC_AVAILABLE_TENTATIVE), "tentative");
    ck_assert_str_eq(pprec_available_state_name(PPREC_AVAILABLE_AT_LEAST), "at_least");
    ck_assert_str_eq(pprec_available_state_name(PPREC_AVAILABLE_CONVERGED), "converged");
    ck_assert_str_eq(pprec_available_state_name((enum pprec_available_state)99), "unknown");
}
END_TEST

Suite *free_suite(void)
{
    Suite *suite = suite_create("free");
    TCase *path = tcase_create("path");
    TCase *words = tcase_create("words");

    tcase_add_checked_fixture(path, free_set_up, free_tear_down);
    tcase_add_test(path, what_is_free_is_told);
    tcase_add_test(path, every_way_to_ask_tells_the_same);
    tcase_add_test(path, a_change_tells_it);
    tcase_add_test(path, without_send_times_there_is_none);
    tcase_add_test(path, a_stream_that_is_reset_begins_anew);
    tcase_add_test(path, there_is_none_of_an_unknown_stream);
    tcase_add_test(path, without_memory_to_spare_there_is_none);
    suite_add_tcase(suite, path);
    tcase_add_test(words, states_are_spelled);
    suite_add_tcase(suite, words);
    return suite;
}
