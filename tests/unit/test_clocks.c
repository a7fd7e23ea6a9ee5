/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks that are set while a measurement runs, by an hour or by a slew. A machine's own
 * clock is not touched for that: a step is a step of the stamps, whoever makes it. */
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TRAINS = 400, STEP_AT = 250 };

#define HOUR_NS (3600 * FEED_SECOND_NS)

static const char *const filters[] = {"median", "adaptive"};

struct clocks {
    int64_t receiver_step_ns; /* from train STEP_AT on */
    int64_t sender_step_ns;
    unsigned step_within; /* the receiver's: before this packet of the train */
    double receiver_slew; /* so much faster it runs from then on */
    bool no_send_times;
    bool may_doubt; /* less sure of the estimate than otherwise */
};

static struct feed feed;

/* One-way delay of a train over an otherwise idle path, 20 ms and what kernels add:
 * 0 to 6 us, drawn without luck. */
static int64_t delay_ns(uint32_t train)
{
    return 20000000 + train * 2654435761U % 6000;
}

static void clocks_push_train(uint32_t train, const struct clocks *clocks)
{
    int64_t true_ns = (int64_t)train * FEED_SPACING_NS;
    int64_t step_ns = STEP_AT * (int64_t)FEED_SPACING_NS;
    bool stepped = train >= STEP_AT;

    if (!clocks->no_send_times) {
        feed.pattern.sent_ns = FEED_EPOCH_NS + true_ns + (stepped ? clocks->sender_step_ns : 0);
        feed.pattern.departure_train = train - 1;
        feed.pattern.departure_span_ns = train > 0 ? 15000 : PPREC_UNKNOWN_NS;
    }
    for (unsigned position = 0; position < feed.length; position++) {
        int64_t ns = true_ns + delay_ns(train) + position * FEED_GAP_NS;

        if (stepped)
            ns += (int64_t)(clocks->receiver_slew * (double)(ns - step_ns));
        if (train > STEP_AT || (train == STEP_AT && position >= clocks->step_within))
            ns += clocks->receiver_step_ns;
        feed_packet(&feed, train, position, ns);
    }
}

/* A run of pairs; the summary it ends with. */
static struct pprec_summary clocks_run(const char *filter, const struct clocks *clocks)
{
    struct pprec_config config;
    struct pprec_summary summary;

    pprec_config_init(&config);
    config.filter = filter;
    feed_start_with(&feed, config);
    feed.length = 2;
    for (uint32_t train = 0; train < TRAINS; train++)
        clocks_push_train(train, clocks);
    pprec_finish(feed.pprec);
    ck_assert_uint_eq(feed.summaries, 1);
    summary = feed.summary[0];
    feed_end(&feed);
    return summary;
}

/* Nothing is lost or late, at most one train is unusable, and the estimate is
 * what it is with clocks that nobody touched. */
static void assert_unmoved(const char *filter, const struct clocks *clocks)
{
    struct clocks calm = {.no_send_times = clocks->no_send_times};
    struct pprec_summary want = clocks_run(filter, &calm), got = clocks_run(filter, clocks);

    ck_assert_int_ge(want.capacity.state, 0);
    ck_assert_double_eq_tol(want.capacity.capacity_bps, 10e6, 10e4);
    ck_assert_msg(fabs(got.capacity.capacity_bps / 10e6 - 1) < 0.01, "%s: %g bit/s", filter,
                  got.capacity.capacity_bps);
    ck_assert_msg(got.capacity.state == want.capacity.state
                      || (clocks->may_doubt && got.capacity.state == PPREC_STATE_TENTATIVE),
                  "%s: %s, not %s", filter, pprec_state_name(got.capacity.state),
                  pprec_state_name(want.capacity.state));
    ck_assert_uint_eq(got.counts.trains, TRAINS);
    ck_assert_uint_ge(got.counts.usable, TRAINS - 1);
    ck_assert_uint_eq(got.counts.packets, 2 * TRAINS);
    /* of a train that was cut, the rest came late; who is late is lost, too */
    ck_assert_uint_le(got.counts.lost, clocks->step_within);
    ck_assert_uint_eq(got.counts.late, got.counts.lost);
    ck_assert_uint_eq(got.counts.reordered, 0);
    if (!clocks->no_send_times)
        ck_assert_msg(llabs((long long)(got.jitter_ns - want.jitter_ns)) < 1000000,
                      "%s: jitter %lld ns, not %lld", filter, (long long)got.jitter_ns,
                      (long long)want.jitter_ns);
}

/* What is the same with either sign, both filters, and without send times. */
static void assert_unmoved_in_all(struct clocks clocks)
{
    for (int i = 0; i < 8; i++) {
        struct clocks these = clocks;
        int sign = i & 1 ? -1 : 1;

        these.receiver_step_ns *= sign;
        these.sender_step_ns *= sign;
        these.receiver_slew *= sign;
        these.no_send_times = i & 4;
        assert_unmoved(filters[i >> 1 & 1], &these);
    }
}

START_TEST(the_receivers_clock_steps_between_trains)
{
    assert_unmoved_in_all((struct clocks){.receiver_step_ns = HOUR_NS});
}
END_TEST

START_TEST(the_receivers_clock_steps_within_a_train)
{
    assert_unmoved_in_all((struct clocks){.receiver_step_ns = HOUR_NS, .step_within = 1});
}
END_TEST

START_TEST(the_senders_clock_steps)
{
    assert_unmoved_in_all((struct clocks){.sender_step_ns = HOUR_NS});
}
END_TEST

/* adjtime(3) slews by 500 parts in a million, which moves delays by 38 ms here. */
START_TEST(the_receivers_clock_is_slewed)
{
    assert_unmoved_in_all((struct clocks){.receiver_slew = 500e-6, .may_doubt = true});
}
END_TEST

/* A train that waits for its rest when the clock is set back is reported all the same,
 * once others go on, and its wait does not last the hour. */
START_TEST(a_train_that_waits_is_not_forgotten)
{
    struct clocks calm = {.no_send_times = true};

    feed_start(&feed);
    feed.length = 2;
    clocks_push_train(0, &calm);
    feed_packet(&feed, 1, 0, FEED_SPACING_NS);
    for (uint32_t train = 2; train < 4; train++)
        feed_train(&feed, train, train * (int64_t)FEED_SPACING_NS - HOUR_NS);
    ck_assert_uint_ge(feed.trains, 2);
    feed_assert_train(&feed, 1, 1, PPREC_VERDICT_PARTIAL, 1, PPREC_UNKNOWN_NS);
    feed_end(&feed);
}
END_TEST

Suite *clocks_suite(void)
{
    Suite *suite = suite_create("clocks");
    TCase *all = tcase_create("all");

    tcase_add_test(all, the_receivers_clock_steps_between_trains);
    tcase_add_test(all, the_receivers_clock_steps_within_a_train);
    tcase_add_test(all, the_senders_clock_steps);
    tcase_add_test(all, the_receivers_clock_is_slewed);
    tcase_add_test(all, a_train_that_waits_is_not_forgotten);
    suite_add_tcase(suite, all);
    return suite;
}
