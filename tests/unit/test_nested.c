/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that call the handle they are called by: what changes it is refused, what asks is
 * answered, and nothing is used that is gone. What a slip here would do only a sanitizer sees:
 * make asan. */
#include "pprec/pprec.h"
#include "tests/unit/ask.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPACING_NS INT64_C(500000000)
#define GAP_NS INT64_C(800000)

enum place { IN_TRAIN = 1, IN_ESTIMATE = 2, IN_SUMMARY = 4, IN_ALLOCATE = 8, IN_RELEASE = 16, PLACES = 5 };

/* What is done in callbacks, and what came of it. */
struct nest {
    struct pprec *pprec;
    void (*act)(struct nest *nest);
    unsigned places;
    int (*call)(struct pprec *pprec);
    unsigned acted;
    unsigned not_refused;
    struct rng *rng;
    struct pprec *other;
};

static void act_in(void *user, enum place place)
{
    struct nest *nest = user;

    if (nest->pprec == NULL || !(nest->places & place))
        return;
    nest->acted++;
    nest->act(nest);
}

static void nested_on_train(void *user, const struct pprec_train *train)
{
    struct pprec_packet packet;

    act_in(user, IN_TRAIN);
    ck_assert_int_eq(pprec_train_packet(train, 0, &packet), PPREC_OK); /* still valid */
}

static void nested_on_estimate(void *user, const struct pprec_change *change)
{
    ck_assert_int_ne(change->time_ns, PPREC_UNKNOWN_NS);
    act_in(user, IN_ESTIMATE);
}

static void nested_on_summary(void *user, const struct pprec_summary *summary)
{
    act_in(user, IN_SUMMARY);
    ck_assert_uint_eq(summary->source.ip, 4);
}

static void *allocate(void *user, size_t bytes)
{
    act_in(user, IN_ALLOCATE);
    return malloc(bytes);
}

static void nested_release(void *user, void *memory)
{
    act_in(user, IN_RELEASE);
    free(memory);
}

static void nested_start(struct nest *nest)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.filter = "median";
    config.streams_max = 2;
    config.user = nest;
    config.on_train = nested_on_train;
    config.on_estimate = nested_on_estimate;
    config.on_summary = nested_on_summary;
    config.allocate = allocate;
    config.release = nested_release;
    ck_assert_int_eq(pprec_new(&nest->pprec, &config), PPREC_OK);
}

static struct pprec_arrival nested_arrival_of(uint32_t stream, uint32_t train, uint16_t position,
                                              uint16_t length)
{
    struct pprec_arrival arrival;

    pprec_arrival_init(&arrival);
    arrival.source.ip = 4;
    arrival.stream = stream;
    arrival.train = train;
    arrival.seq = train * 4 + position;
    arrival.position = position;
    arrival.train_length = length;
    arrival.payload_bytes = 954;
    arrival.received = (struct pprec_stamp){train * SPACING_NS + position * GAP_NS, PPREC_CLOCK_OTHER,
                                            PPREC_TIMESTAMPS_USER};
    return arrival;
}

/* Three streams where there is room for two, longer trains after short ones, a stream that ends
 * for another, and the end of all. */
static void nested_run(struct pprec *pprec)
{
    for (uint32_t train = 0; train < 40; train++)
        for (uint16_t position = 0; position < 4; position++) {
            struct pprec_arrival arrival = nested_arrival_of(train / 15, train, position, 4);

            ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
        }
    ck_assert_int_eq(pprec_finish(pprec), PPREC_OK);
}

/* --- What changes a handle --- */

static const struct pprec_endpoint nowhere = {.ip = 4};

static int call_push(struct pprec *pprec)
{
    struct pprec_arrival arrival = nested_arrival_of(2, 77, 0, 4);

    return pprec_push(pprec, &arrival);
}

static int call_push_all(struct pprec *pprec)
{
    struct pprec_arrival arrivals[2] = {nested_arrival_of(2, 77, 0, 4), nested_arrival_of(0, 77, 0, 4)};

    return pprec_push_all(pprec, arrivals, 2);
}

static int call_push_datagram(struct pprec *pprec)
{
    struct pprec_stamp received = {0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_USER};

    return pprec_push_datagram(pprec, &nowhere, NULL, "junk", 4, 4, received);
}

static int call_tick(struct pprec *pprec)
{
    return pprec_tick(pprec, 3600 * SPACING_NS);
}

static int call_reset(struct pprec *pprec)
{
    return pprec_reset_stream(pprec, &nowhere, 0);
}

static int call_dispatch(struct pprec *pprec)
{
    return pprec_dispatch(pprec, 0);
}

static int call_listen(struct pprec *pprec)
{
    struct pprec_socket_options options;

    pprec_socket_options_init(&options);
    return pprec_listen(pprec, &options);
}

static int call_join(struct pprec *pprec)
{
    return pprec_join(pprec, "239.1.2.3", NULL);
}

static int call_leave(struct pprec *pprec)
{
    return pprec_leave(pprec, "239.1.2.3", NULL);
}

static int call_open_capture(struct pprec *pprec)
{
    const char *const files[] = {"/dev/null", NULL};
    struct pprec_capture_options options;

    pprec_capture_options_init(&options);
    options.files = files;
    return pprec_open_capture(pprec, &options);
}

static int call_restore(struct pprec *pprec)
{
    return pprec_replays_restore(pprec, "", 1);
}

static int (*const calls[])(struct pprec *) = {
    pprec_free,    pprec_finish, call_push, call_push_all, call_push_datagram, call_tick,   call_reset,
    call_dispatch, call_listen,  call_join, call_leave,    call_open_capture,  call_restore};

enum { CALLS = sizeof calls / sizeof calls[0] };

static void be_refused(struct nest *nest)
{
    nest->not_refused += nest->call(nest->pprec) != PPREC_ENESTED
        || strstr(pprec_error(nest->pprec), "inside a callback") == NULL;
}

static struct pprec_totals totals_of(struct nest *nest)
{
    struct pprec_totals totals;

    nested_start(nest);
    nested_run(nest->pprec);
    pprec_get_totals(nest->pprec, &totals);
    ck_assert_int_eq(pprec_free(nest->pprec), PPREC_OK);
    return totals;
}

/* Each call in each callback; the run is as without. */
START_TEST(what_changes_the_handle_is_refused)
{
    struct nest quiet = {.places = 0};
    struct pprec_totals undisturbed = totals_of(&quiet), totals;

    ck_assert_uint_eq(undisturbed.counts.trains, 40);
    ck_assert_uint_eq(undisturbed.streams_gone, 1);
    for (unsigned place = 0; place < PLACES; place++) {
        struct nest nest = {.places = 1U << place, .act = be_refused, .call = calls[_i]};

        totals = totals_of(&nest);
        ck_assert_uint_gt(nest.acted, 0);
        ck_assert_uint_eq(nest.not_refused, 0);
        ck_assert_mem_eq(&totals, &undisturbed, sizeof totals);
    }
}
END_TEST

/* --- What asks --- */

static void ask_all(struct nest *nest)
{
    struct pprec *pprec = nest->pprec;
    struct pprec_cursor cursor = {0};
    struct pprec_capacity capacity;
    struct pprec_summary summary;
    struct pprec_totals totals;
    struct pprec_capture_counts counts;

    for (size_t i = 0; i < 3; i++) {
        bool known = i < pprec_streams(pprec);

        ck_assert_int_eq(ask_summary(pprec, i, &summary), known ? PPREC_OK : PPREC_EINVAL);
        ck_assert_int_eq(ask_interval(pprec, i, &cursor, &summary), known ? PPREC_OK : PPREC_EINVAL);
        pprec_estimate(pprec, &nowhere, (uint32_t)i, &capacity);
    }
    pprec_get_totals(pprec, &totals);
    ck_assert_uint_eq(totals.streams, pprec_streams(pprec));
    pprec_get_capture_counts(pprec, &counts);
    ck_assert_uint_gt(pprec_memory_bytes(pprec), 0);
    ck_assert_int_eq(pprec_fd(pprec), -1);
    ck_assert_uint_eq(pprec_replays_save(pprec, NULL, 0), 0);
    pprec_time(pprec);
    pprec_foreign(pprec);
    pprec_refused(pprec, PPREC_REASON_ROOM);
    pprec_dropped_here(pprec);
    pprec_capture_bytes(pprec);
    pprec_buffer_bytes(pprec);
    pprec_source_timestamps(pprec);
    pprec_error(pprec);
}

/* Also while the handle is made, and while it is freed. */
START_TEST(results_may_be_asked_for_anywhere)
{
    struct nest nest = {.places = 31, .act = ask_all};

    totals_of(&nest);
    ck_assert_uint_gt(nest.acted, 60);
}
END_TEST

/* --- Two handles --- */

static void push_other(struct nest *nest)
{
    nest->not_refused += call_push(nest->other) != PPREC_OK;
}

/* Called by the second handle, which was called by the first. */
static void call_back(struct nest *nest)
{
    for (unsigned i = 0; i < CALLS; i++)
        nest->not_refused += calls[i](nest->other) != PPREC_ENESTED;
}

START_TEST(another_handle_is_another)
{
    struct nest first = {.places = IN_TRAIN, .act = push_other};
    struct nest second = {.places = 0, .act = call_back};

    nested_start(&second);
    nested_start(&first);
    first.other = second.pprec;
    second.other = first.pprec;
    second.places = IN_ALLOCATE;
    nested_run(first.pprec);
    ck_assert_uint_eq(first.acted, 40);
    ck_assert_uint_eq(first.not_refused, 0);
    ck_assert_uint_gt(second.acted, 0);
    ck_assert_uint_eq(second.not_refused, 0);
    ck_assert_int_eq(pprec_free(first.pprec), PPREC_OK);
    second.places = 0;
    ck_assert_int_eq(pprec_free(second.pprec), PPREC_OK);
}
END_TEST

/* --- Abuse --- */

/* Anything at all, mostly what is refused. */
static void act_at_random(struct nest *nest)
{
    if (rng_percent(nest->rng, 30))
        ask_all(nest);
    else
        nest->not_refused += calls[rng_below(nest->rng, CALLS)](nest->pprec) != PPREC_ENESTED;
}

static void do_at_random(struct nest *nest, uint32_t *train)
{
    struct pprec_arrival arrival =
        nested_arrival_of(rng_below(nest->rng, 4), *train, (uint16_t)rng_below(nest->rng, 9),
                          (uint16_t)(rng_percent(nest->rng, 30) ? 0 : 2U << rng_below(nest->rng, 3)));

    switch (rng_below(nest->rng, 40)) {
    case 0: pprec_finish(nest->pprec); break;
    case 1: pprec_reset_stream(nest->pprec, &nowhere, rng_below(nest->rng, 4)); break;
    case 2: pprec_tick(nest->pprec, *train * SPACING_NS + 3 * SPACING_NS); break;
    case 3: *train += rng_below(nest->rng, 30); break;
    default: *train += rng_below(nest->rng, 3) == 0; pprec_push(nest->pprec, &arrival);
    }
}

START_TEST(callbacks_that_do_anything)
{
    struct rng rng = rng_start("callbacks_that_do_anything");
    unsigned acted = 0;

    for (unsigned life = 0; life < 40; life++) {
        struct nest nest = {.places = 31, .act = act_at_random, .rng = &rng};
        uint32_t train = 0;

        nested_start(&nest);
        for (unsigned i = 0; i < 500; i++)
            do_at_random(&nest, &train);
        ck_assert_int_eq(pprec_free(nest.pprec), PPREC_OK);
        ck_assert_uint_eq(nest.not_refused, 0);
        acted += nest.acted;
    }
    ck_assert_uint_gt(acted, 1000);
}
END_TEST

Suite *nested_suite(void)
{
    Suite *suite = suite_create("nested");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, what_changes_the_handle_is_refused, 0, CALLS);
    tcase_add_test(all, results_may_be_asked_for_anywhere);
    tcase_add_test(all, another_handle_is_another);
    tcase_add_test(all, callbacks_that_do_anything);
    suite_add_tcase(suite, all);
    return suite;
}
