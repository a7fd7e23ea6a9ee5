/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles share nothing: each thread has its own, and all see the same. For
 * `make tsan`, which looks for what they might share all the same. */
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"
#include "tests/unit/loopback.h"
#include "tests/unit/suites.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, TRAINS = 2000, ROUNDS = 4 };

struct task {
    const char *filter;
    struct pprec_summary summary;
    int status;
};

static int threads_push_all(struct pprec *pprec)
{
    struct feed feed = {.length = 4,
                        .pattern = {.source = {.ip = 4},
                                    .payload_bytes = 954,
                                    .received = {0, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL},
                                    .sent_ns = PPREC_UNKNOWN_NS,
                                    .departure_span_ns = PPREC_UNKNOWN_NS,
                                    .departed_ns = PPREC_UNKNOWN_NS}};

    for (uint32_t i = 0; i < 4 * TRAINS; i++) {
        struct pprec_arrival arrival =
            feed_arrival(&feed, i / 4, i % 4, i / 4 * (int64_t)FEED_SPACING_NS + i % 4 * FEED_GAP_NS);
        int status = pprec_push(pprec, &arrival);

        if (status != PPREC_OK)
            return status;
    }
    return PPREC_OK;
}

/* A life of a handle, with as much of the library as threads can use. */
static void *threads_live(void *user)
{
    struct task *task = user;
    struct pprec_config config;
    struct pprec_socket_options options;
    struct pprec *pprec;

    for (int round = 0; round < ROUNDS && task->status == PPREC_OK; round++) {
        pprec_config_init(&config);
        config.filter = task->filter;
        pprec_socket_options_init(&options);
        task->status = pprec_new(&pprec, &config);
        if (task->status == PPREC_OK)
            task->status = pprec_listen(pprec, &options);
        if (task->status == PPREC_OK)
            task->status = pprec_join(pprec, "239.1.1.1", "lo");
        pprec_dispatch(pprec, 0);
        if (task->status == PPREC_OK)
            task->status = threads_push_all(pprec);
        ask_summary(pprec, 0, &task->summary);
        pprec_join(pprec, "no group", NULL); /* errors too */
        pprec_finish(pprec);
        pprec_free(pprec);
    }
    return NULL;
}

static const char *const filters[] = {"adaptive", "median", "mean", "mode"};

START_TEST(a_handle_a_thread)
{
    struct task tasks[THREADS];
    pthread_t threads[THREADS];

    if (!loopback_has_linux())
        return;
    memset(tasks, 0, sizeof tasks);
    for (int i = 0; i < THREADS; i++) {
        tasks[i].filter = filters[_i];
        ck_assert_int_eq(pthread_create(&threads[i], NULL, threads_live, &tasks[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(tasks[i].status, PPREC_OK);
        ck_assert_mem_eq(&tasks[i].summary.capacity, &tasks[0].summary.capacity,
                         sizeof tasks[0].summary.capacity);
        ck_assert_double_eq_tol(tasks[i].summary.capacity.capacity_bps, 10e6, 1e5);
    }
}
END_TEST

Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, a_handle_a_thread, 0, sizeof filters / sizeof filters[0]);
    suite_add_tcase(suite, all);
    return suite;
}
