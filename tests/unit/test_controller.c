/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec/examples/controller.c over a link that is a sum: what it promises holds at every step. */
#include "pprec/examples/controller.h"
#include "tests/unit/suites.h"

#include <check.h>

#define SECOND_NS INT64_C(1000000000)
#define STEP_NS (SECOND_NS / 10)
#define LINK_BPS 9.6e6

/* A link with a queue, and others who send over it at their rate. */
struct link {
    struct controller controller;
    struct pprec_congestion congestion;
    double others_bps;
    double queue_ns;
    double came_bps; /* the last step */
};

static struct link link_new(void)
{
    struct link link = {.others_bps = 0};

    controller_init(&link.controller, 600e3, 30e6, SECOND_NS / 30);
    link.congestion.capacity.state = PPREC_STATE_CONVERGED;
    link.congestion.capacity.capacity_bps = LINK_BPS;
    link.congestion.interval_ns = STEP_NS;
    return link;
}

static void step(struct link *link)
{
    double load = (link->controller.target_bps + link->others_bps) / LINK_BPS;

    link->came_bps = load > 1 ? link->controller.target_bps / load : link->controller.target_bps;
    link->queue_ns += (load - 1) * (double)STEP_NS;
    if (link->queue_ns < 0)
        link->queue_ns = 0;
    link->congestion.time_ns += STEP_NS;
    link->congestion.queueing_ns = (int64_t)link->queue_ns;
    link->congestion.packets = 100;
    controller_decide(&link->controller, &link->congestion, link->came_bps);
    ck_assert_double_ge(link->controller.target_bps, 600e3);
    ck_assert_double_le(link->controller.target_bps, CONTROLLER_SHARE * LINK_BPS + 1);
}

static void steps(struct link *link, int count)
{
    while (count-- > 0)
        step(link);
}

START_TEST(fills_a_link_and_not_more)
{
    struct link link = link_new();

    steps(&link, 100);
    ck_assert_double_ge(link.controller.target_bps, 0.9 * LINK_BPS);
    ck_assert_double_eq(link.queue_ns, 0);
}
END_TEST

START_TEST(makes_room_for_others_and_takes_it_again)
{
    struct link link = link_new();
    double came = 0, queue_ns = 0;

    steps(&link, 100);
    link.others_bps = 4e6;
    steps(&link, 30);
    for (int i = 0; i < 100; i++) {
        step(&link);
        came += link.came_bps / 100;
        queue_ns = link.queue_ns > queue_ns ? link.queue_ns : queue_ns;
    }
    ck_assert_double_ge(came, 0.75 * (LINK_BPS - 4e6));
    ck_assert_double_le(came, LINK_BPS - 4e6);
    ck_assert_double_le(queue_ns, 80e6);
    link.others_bps = 0;
    steps(&link, 80);
    ck_assert_double_ge(link.controller.target_bps, 0.9 * LINK_BPS);
}
END_TEST

START_TEST(a_capacity_that_falls_is_obeyed_at_once)
{
    struct link link = link_new();

    steps(&link, 100);
    link.congestion.capacity.capacity_bps = 2e6;
    controller_decide(&link.controller, &link.congestion, LINK_BPS);
    ck_assert_double_le(link.controller.target_bps, CONTROLLER_SHARE * 2e6);
    link.congestion.capacity.share_bps = 1e6; /* of a fair queue we get a share */
    controller_decide(&link.controller, &link.congestion, 2e6);
    ck_assert_double_le(link.controller.target_bps, CONTROLLER_SHARE * 1e6);
}
END_TEST

START_TEST(bounds_are_no_caps)
{
    struct link link = link_new();
    double before_bps;

    link.congestion.capacity.state = PPREC_STATE_SENDER_LIMITED;
    link.congestion.capacity.capacity_bps = 1e6; /* more may be there */
    for (int i = 0; i < 60; i++) {
        link.congestion.time_ns += STEP_NS;
        link.congestion.queueing_ns = PPREC_UNKNOWN_NS; /* no send times: no brake but loss */
        controller_decide(&link.controller, &link.congestion, link.controller.target_bps);
    }
    ck_assert_double_ge(link.controller.target_bps, 2e6);
    before_bps = link.controller.target_bps;
    link.congestion.packets = 70;
    link.congestion.lost = 30;
    controller_decide(&link.controller, &link.congestion, link.controller.target_bps);
    ck_assert_double_le(link.controller.target_bps, 0.9 * before_bps);
}
END_TEST

Suite *controller_suite(void)
{
    Suite *suite = suite_create("controller");
    TCase *tests = tcase_create("controller");

    tcase_add_test(tests, fills_a_link_and_not_more);
    tcase_add_test(tests, makes_room_for_others_and_takes_it_again);
    tcase_add_test(tests, a_capacity_that_falls_is_obeyed_at_once);
    tcase_add_test(tests, bounds_are_no_caps);
    suite_add_tcase(suite, tests);
    return suite;
}
