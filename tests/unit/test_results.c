/* SPDX-License-Identifier: BSD-3-Clause */
/* What a handle tells: changes of estimates, totals, and into structs of other sizes. */
#include "tests/unit/ask.h"
#include "tests/unit/conclude.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdlib.h>
#include <string.h>

#define T(train) ((int64_t)(train)*FEED_SPACING_NS)

enum { CHANGES_KEPT = 64 };

static struct feed feed;
static struct pprec_change changes[CHANGES_KEPT];
static size_t changed, trains_before[CHANGES_KEPT];

static void results_on_estimate(void *user, const struct pprec_change *change)
{
    ck_assert_ptr_eq(user, &feed);
    ck_assert_uint_lt(changed, CHANGES_KEPT);
    trains_before[changed] = feed.trains;
    changes[changed++] = *change;
}

static void results_set_up(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.filter = "median";
    config.on_estimate = results_on_estimate;
    config.streams_max = 2;
    changed = 0;
    feed_start_with(&feed, config);
}

static void results_tear_down(void)
{
    feed_end(&feed);
}

/* Pairs of 1000-byte frames, so that a gap of 800 us is 10 Mbit/s. */
static void results_push_pair(uint32_t train, int64_t gap_ns)
{
    struct pprec_arrival arrival;

    feed.length = 2;
    for (unsigned position = 0; position < 2; position++) {
        arrival = feed_arrival(&feed, train, position, T(train) + position * gap_ns);
        ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
    }
}

/* --- Changes --- */

/* The median wants three. The fourth and fifth change nothing; of 10, 10, 10, 10, 10, 5
 * the median is as before, but the interval reaches down. */
START_TEST(a_change_is_told_once_and_after_its_train)
{
    for (uint32_t train = 0; train < 5; train++)
        results_push_pair(train, 800000);
    ck_assert_uint_eq(changed, 1);
    ck_assert_uint_eq(trains_before[0], 3);
    ck_assert_int_eq(changes[0].time_ns, FEED_EPOCH_NS + T(2));
    ck_assert_uint_eq(changes[0].stream, 0x5eed);
    ck_assert_mem_eq(&changes[0].source, &feed.pattern.source, sizeof feed.pattern.source);
    ck_assert_int_eq(changes[0].was.state, PPREC_STATE_INSUFFICIENT);
    ck_assert(changes[0].was.capacity_bps <= 0);
    ck_assert_int_eq(changes[0].capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_double_eq_tol(changes[0].capacity.capacity_bps, 10e6, 1e-3);
    results_push_pair(5, 1600000);
    ck_assert_uint_eq(changed, 2);
    ck_assert_double_eq_tol(changes[1].was.low_bps, 10e6, 1e-3);
    ck_assert_double_eq_tol(changes[1].capacity.low_bps, 5e6, 1e-3);
    ck_assert_double_eq_tol(changes[1].capacity.capacity_bps, 10e6, 1e-3);
}
END_TEST

START_TEST(a_reset_is_not_told_but_what_comes_after_is)
{
    for (uint32_t train = 0; train < 3; train++)
        results_push_pair(train, 800000);
    ck_assert_int_eq(pprec_reset_stream(feed.pprec, &feed.pattern.source, 0x5eed), PPREC_OK);
    ck_assert_uint_eq(changed, 1);
    for (uint32_t train = 3; train < 6; train++)
        results_push_pair(train, 1600000);
    ck_assert_uint_eq(changed, 2);
    ck_assert_int_eq(changes[1].was.state, PPREC_STATE_INSUFFICIENT);
    ck_assert_double_eq_tol(changes[1].capacity.capacity_bps, 5e6, 1e-3);
}
END_TEST

/* --- Why, and advice --- */

static const struct estimate doubted = {.state = STATE_TENTATIVE,
                                        .capacity_bps = 10e6,
                                        .low_bps = 9e6,
                                        .high_bps = 11e6,
                                        .why = WHY_PAIRS_ALONE,
                                        .advice = ADVICE_SEND_MIX,
                                        .seen_bytes = 3036};

START_TEST(why_and_advice_go_with_the_estimate)
{
    struct pprec_cursor cursor = {0};
    struct pprec_summary summary;

    conclude_in(feed.pprec);
    conclude_next = doubted;
    results_push_pair(0, 800000);
    /* One usable train is no estimate, whatever the filter says. */
    ck_assert_int_eq(feed.train[0].capacity.state, PPREC_STATE_INSUFFICIENT);
    ck_assert_double_le(feed.train[0].capacity.capacity_bps, 0);
    ck_assert_int_eq(feed.train[0].capacity.why, PPREC_WHY_PAIRS_ALONE);
    results_push_pair(1, 800000);
    ck_assert_int_eq(feed.train[1].capacity.why, PPREC_WHY_PAIRS_ALONE);
    ck_assert_int_eq(feed.train[1].capacity.advice, PPREC_ADVICE_SEND_MIX);
    ck_assert_uint_eq(feed.train[1].capacity.seen_bytes, 3036);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.capacity.why, PPREC_WHY_PAIRS_ALONE);
    ck_assert_int_eq(summary.capacity.advice, PPREC_ADVICE_SEND_MIX);
    ck_assert_uint_eq(summary.capacity.seen_bytes, 3036);
    ck_assert_int_eq(ask_interval(feed.pprec, 0, &cursor, &summary), PPREC_OK);
    ck_assert_int_eq(summary.capacity.why, PPREC_WHY_PAIRS_ALONE);
}
END_TEST

/* A link that frames overload spaces what it does not drop, as a pacer would: so half of each is lost, or none. */
START_TEST(frames_that_lose_packets_are_no_pacers)
{
    const struct estimate bound = {
        .state = STATE_SENDER_LIMITED, .capacity_bps = 10e6, .low_bps = 10e6, .why = WHY_SENDER};
    struct pprec_summary summary;

    conclude_in(feed.pprec);
    conclude_next = bound;
    feed.pattern.kind = PPREC_KIND_RTP;
    feed.length = 4;
    for (uint32_t train = 0; train < 5; train++)
        feed_part(&feed, train, 0, _i ? 2 : 4, T(train));
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.capacity.state, PPREC_STATE_SENDER_LIMITED);
    ck_assert_int_eq(summary.capacity.why, _i ? PPREC_WHY_LOSSES : PPREC_WHY_SENDER);
    ck_assert_int_eq(summary.capacity.advice, _i ? PPREC_ADVICE_SEND_LESS : PPREC_ADVICE_NONE);
}
END_TEST

/* So many trains of so many packets that came at once, none usable: the advice after the last of them. */
static enum pprec_advice advised_after(unsigned trains, uint16_t length)
{
    struct pprec_summary summary;

    feed.pattern.stream++;
    feed.length = length;
    for (uint32_t train = 0; train < trains; train++)
        for (unsigned position = 0; position < length; position++)
            feed_packet(&feed, train, position, T(train));
    ck_assert_int_eq(pprec_get_summary(feed.pprec, &feed.pattern.source, feed.pattern.stream, &summary),
                     PPREC_OK);
    ck_assert_uint_eq(summary.counts.trains, trains);
    ck_assert_int_eq(summary.capacity.state, PPREC_STATE_INSUFFICIENT);
    ck_assert_int_eq(summary.capacity.why,
                     conclude_next.advice == ADVICE_WAIT ? PPREC_WHY_FEW_TRAINS : PPREC_WHY_RATE_VARIES);
    return summary.capacity.advice;
}

/* More of the same would not help, unless they are the longest that there are. What a guess waits for is no word on trains
 * that are not usable; what it knows to mend is. */
START_TEST(what_is_never_usable_is_not_waited_for)
{
    conclude_in(feed.pprec);
    conclude_next = doubted;
    conclude_next.why = WHY_RATE_VARIES;
    conclude_next.advice = ADVICE_WAIT;
    ck_assert_int_eq(advised_after(47, 2), PPREC_ADVICE_WAIT);
    ck_assert_int_eq(advised_after(48, 2), PPREC_ADVICE_SEND_LONGER_TRAINS);
    ck_assert_int_eq(advised_after(48, 255), PPREC_ADVICE_SEND_LONGER_TRAINS);
    ck_assert_int_eq(advised_after(48, 256), PPREC_ADVICE_WAIT);
    conclude_next.advice = ADVICE_SEND_LARGER;
    ck_assert_int_eq(advised_after(48, 2), PPREC_ADVICE_SEND_LARGER);
}
END_TEST

/* Each of the three alone is a change, and nothing else is. */
START_TEST(another_why_is_a_change)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){.state = STATE_INSUFFICIENT};
    results_push_pair(0, 800000);
    conclude_next = doubted;
    results_push_pair(1, 800000);
    results_push_pair(2, 800000);
    ck_assert_uint_eq(changed, 1);
    ck_assert_int_eq(changes[0].was.why, PPREC_WHY_NONE);
    ck_assert_int_eq(changes[0].was.advice, PPREC_ADVICE_NONE);
    ck_assert_int_eq(changes[0].capacity.why, PPREC_WHY_PAIRS_ALONE);
    ck_assert_int_eq(changes[0].capacity.advice, PPREC_ADVICE_SEND_MIX);
    conclude_next.why = WHY_BATCHES;
    results_push_pair(3, 800000);
    conclude_next.advice = ADVICE_WAIT;
    results_push_pair(4, 800000);
    conclude_next.seen_bytes = 64000;
    results_push_pair(5, 800000);
    results_push_pair(6, 800000);
    ck_assert_uint_eq(changed, 4);
    ck_assert_int_eq(changes[2].was.why, PPREC_WHY_BATCHES);
    ck_assert_int_eq(changes[2].was.advice, PPREC_ADVICE_SEND_MIX);
    ck_assert_int_eq(changes[2].capacity.advice, PPREC_ADVICE_WAIT);
    ck_assert_uint_eq(changes[3].capacity.seen_bytes, 64000);
}
END_TEST

static const enum estimate_state sure[] = {STATE_CONVERGED, STATE_SHAPED, STATE_FAIR, STATE_POLICED,
                                           STATE_VARYING};

enum { SURE = sizeof sure / sizeof sure[0] };

/* What the library itself doubts, whatever the filter made of it. */
START_TEST(why_flows_of_others_are_doubted)
{
    struct pprec_summary summary;

    conclude_in(feed.pprec);
    conclude_next = doubted;
    conclude_next.state = sure[_i];
    results_push_pair(0, 800000);
    ck_assert_int_eq(feed.train[0].capacity.state, (enum pprec_state)sure[_i]);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_ne(summary.time_to_converge_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(feed.train[0].capacity.why, PPREC_WHY_PAIRS_ALONE);
    feed.pattern.kind = PPREC_KIND_RTP;
    feed.pattern.stream++;
    results_push_pair(0, 800000);
    ck_assert_int_eq(feed.train[1].capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_int_eq(feed.train[1].capacity.why, PPREC_WHY_NO_SEND_TIMES);
    ck_assert_int_eq(feed.train[1].capacity.advice, PPREC_ADVICE_SEND_TIMES);
    ck_assert_int_eq(changes[1].capacity.why, PPREC_WHY_NO_SEND_TIMES);
    ck_assert_int_eq(ask_summary(feed.pprec, 1, &summary), PPREC_OK);
    ck_assert_int_eq(summary.time_to_converge_ns, PPREC_UNKNOWN_NS);
}
END_TEST

/* What is in doubt later was sure then: its state tells what it is now. */
START_TEST(the_first_time_that_it_is_sure_stays)
{
    struct pprec_summary summary;
    int64_t first_ns;

    conclude_in(feed.pprec);
    conclude_next = doubted;
    results_push_pair(0, 800000);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.time_to_converge_ns, PPREC_UNKNOWN_NS);
    conclude_next.state = STATE_CONVERGED;
    results_push_pair(1, 800000);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    first_ns = summary.time_to_converge_ns;
    ck_assert_int_ne(first_ns, PPREC_UNKNOWN_NS);
    conclude_next.state = STATE_TENTATIVE;
    results_push_pair(2, 800000);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.capacity.state, PPREC_STATE_TENTATIVE);
    ck_assert_int_eq(summary.time_to_converge_ns, first_ns);
    conclude_next.state = STATE_CONVERGED;
    results_push_pair(3, 800000);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    ck_assert_int_eq(summary.time_to_converge_ns, first_ns);
}
END_TEST

/* --- Fair queues, and policers --- */

static void assert_between(const struct pprec_capacity *capacity)
{
    ck_assert_double_eq(capacity->share_bps, 2.5e6);
    ck_assert_uint_eq(capacity->flows, 3);
    ck_assert_double_eq(capacity->policed_bps, 4e6);
    ck_assert_double_eq(capacity->policed_burst_bytes, 30e3);
}

/* Each figure alone is a change. */
START_TEST(what_is_between_goes_with_the_estimate)
{
    struct pprec_capacity capacity;
    struct pprec_summary summary;

    conclude_in(feed.pprec);
    conclude_next = doubted;
    conclude_next.state = STATE_FAIR;
    results_push_pair(0, 800000);
    conclude_next.share_bps = 2.5e6;
    results_push_pair(1, 800000);
    conclude_next.policed_bps = 4e6;
    results_push_pair(2, 800000);
    conclude_next.policed_burst_bytes = 30e3;
    results_push_pair(3, 800000);
    results_push_pair(4, 800000);
    ck_assert_uint_eq(changed, 4);
    ck_assert_double_le(changes[1].was.share_bps, 0);
    assert_between(&changes[3].capacity);
    assert_between(&feed.train[3].capacity);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    assert_between(&summary.capacity);
    ck_assert_int_eq(pprec_estimate(feed.pprec, &feed.pattern.source, 0x5eed, &capacity), PPREC_OK);
    assert_between(&capacity);
}
END_TEST

/* Flows are whole, and what cannot be one is none. */
START_TEST(flows_are_the_nearest_number)
{
    static const struct {
        double share_bps;
        uint32_t flows;
    } rows[] = {{0, 0},     {10e6, 0},  {20e6, 0},         {6.7e6, 0},        {6.6e6, 1}, {5e6, 1},
                {4.1e6, 1}, {3.9e6, 2}, {10e6 / 17.4, 16}, {10e6 / 17.6, 17}, {1e-9, 0}};

    conclude_in(feed.pprec);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        conclude_next =
            (struct estimate){.state = STATE_FAIR, .capacity_bps = 10e6, .share_bps = rows[i].share_bps};
        results_push_pair(i, 800000);
        ck_assert_uint_eq(feed.train[i].capacity.flows, rows[i].flows);
    }
}
END_TEST

/* The median rests on the trains of its window, an insufficient estimate on what there is. */
START_TEST(an_estimate_tells_what_it_rests_on)
{
    struct pprec_capacity capacity;

    for (uint32_t train = 0; train < 4; train++) {
        results_push_pair(train, 800000);
        ck_assert_uint_eq(feed.train[train].capacity.trains, train + 1);
        ck_assert_int_eq(feed.train[train].capacity.newest_ns, FEED_EPOCH_NS + T(train));
    }
    feed.pattern.payload_bytes = 500;
    feed.length = 2;
    feed_packet(&feed, 4, 1, T(4)); /* of a pair whose first packet is lost: not usable */
    feed_tick(&feed, T(20));
    ck_assert_uint_eq(feed.trains, 5);
    ck_assert_int_eq(pprec_estimate(feed.pprec, &feed.pattern.source, 0x5eed, &capacity), PPREC_OK);
    ck_assert_uint_eq(capacity.trains, 4);
    ck_assert_int_eq(capacity.newest_ns, FEED_EPOCH_NS + T(3));
    ck_assert_int_eq(pprec_reset_stream(feed.pprec, &feed.pattern.source, 0x5eed), PPREC_OK);
    ck_assert_int_eq(pprec_estimate(feed.pprec, &feed.pattern.source, 0x5eed, &capacity), PPREC_OK);
    ck_assert_uint_eq(capacity.trains, 0);
    ck_assert_int_eq(capacity.newest_ns, PPREC_UNKNOWN_NS);
}
END_TEST

/* --- Streams, and who reads them --- */

START_TEST(streams_are_named_by_index)
{
    struct pprec_endpoint source;
    struct pprec_summary summary;
    uint32_t stream;

    ck_assert_int_eq(pprec_stream_at(feed.pprec, 0, &source, &stream), PPREC_EINVAL);
    results_push_pair(0, 800000);
    feed.pattern.stream = 7;
    results_push_pair(0, 800000);
    ck_assert_int_eq(pprec_stream_at(feed.pprec, 1, &source, &stream), PPREC_OK);
    ck_assert_uint_eq(stream, 7);
    ck_assert_mem_eq(&source, &feed.pattern.source, sizeof source);
    ck_assert_int_eq(pprec_stream_at(feed.pprec, 2, &source, &stream), PPREC_EINVAL);
    ck_assert_int_eq(pprec_get_summary(feed.pprec, &source, 7, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.stream, 7);
    ck_assert_int_eq(pprec_get_summary(feed.pprec, &source, 8, &summary), PPREC_EINVAL);
    ck_assert_str_eq(pprec_error(feed.pprec), "there is no stream 00000008 of that source");
    ck_assert_int_eq(pprec_estimate(feed.pprec, &source, 9, &summary.capacity), PPREC_EINVAL);
    ck_assert_str_eq(pprec_error(feed.pprec), "there is no stream 00000009 of that source");
    source.port++;
    ck_assert_int_eq(pprec_get_summary(feed.pprec, &source, 7, &summary), PPREC_EINVAL);
}
END_TEST

static uint64_t trains_since(struct pprec_cursor *cursor)
{
    struct pprec_summary summary;

    ck_assert_int_eq(
        pprec_get_interval(feed.pprec, &feed.pattern.source, feed.pattern.stream, cursor, &summary),
        PPREC_OK);
    return summary.counts.trains;
}

START_TEST(readers_do_not_disturb_one_another)
{
    struct pprec_cursor often = {0}, rarely = {0}, late = {0};

    for (uint32_t train = 0; train < 6; train++) {
        results_push_pair(train, 800000);
        ck_assert_uint_eq(trains_since(&often), 1);
        if (train % 3 == 2)
            ck_assert_uint_eq(trains_since(&rarely), 3);
    }
    ck_assert_uint_eq(trains_since(&late), 6);
    ck_assert_uint_eq(trains_since(&late), 0);
}
END_TEST

/* Counts that went back are not subtracted from. */
START_TEST(a_cursor_starts_over_where_its_stream_does)
{
    struct pprec_cursor cursor = {0};

    for (uint32_t train = 0; train < 3; train++)
        results_push_pair(train, 800000);
    ck_assert_uint_eq(trains_since(&cursor), 3);
    ck_assert_int_eq(pprec_reset_stream(feed.pprec, &feed.pattern.source, 0x5eed), PPREC_OK);
    results_push_pair(3, 800000);
    ck_assert_uint_eq(trains_since(&cursor), 1);
    feed.pattern.stream++; /* and for another stream it is as new */
    results_push_pair(4, 800000);
    results_push_pair(5, 800000);
    ck_assert_uint_eq(trains_since(&cursor), 2);
}
END_TEST

/* --- Totals --- */

/* Room for two streams: the first is given up, another begins anew. */
START_TEST(totals_count_what_is_gone)
{
    struct pprec_totals totals;

    for (uint32_t stream = 1; stream <= 3; stream++) {
        feed.pattern.stream = stream;
        results_push_pair(stream * 3, 800000);
    }
    ck_assert_int_eq(pprec_reset_stream(feed.pprec, &feed.pattern.source, 3), PPREC_OK);
    feed.pattern.stream = 2;
    results_push_pair(13, 800000); /* after trains 7 to 12 were lost */
    pprec_get_totals(feed.pprec, &totals);
    ck_assert_uint_eq(totals.streams, 2);
    ck_assert_uint_eq(totals.streams_gone, 1);
    ck_assert_uint_eq(totals.counts.trains, 4);
    ck_assert_uint_eq(totals.counts.usable, 4);
    ck_assert_uint_eq(totals.counts.packets, 8);
    ck_assert_uint_eq(totals.counts.lost, 12);
    ck_assert_uint_eq(totals.foreign, 0);
}
END_TEST

/* --- Many at once --- */

/* A thousand streams' trains, some packets of none, together and one by one. */
START_TEST(pushed_together_as_one_by_one)
{
    enum { COUNT = 4000 };
    struct pprec_arrival *arrivals = calloc(COUNT, sizeof *arrivals);
    struct pprec_totals one_by_one, together;
    struct pprec_config config;
    struct pprec *pprec;
    int failed = PPREC_OK;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    feed_end(&feed);
    feed_start(&feed);
    feed.length = 4;
    for (uint32_t i = 0; i < COUNT; i++) {
        feed.pattern.stream = i % 1000;
        arrivals[i] = feed_arrival(&feed, 0, i / 1000, i * 1000);
        if (i % 100 == 7)
            arrivals[i].position = 200; /* past the train's end */
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (pprec_push(feed.pprec, &arrivals[i]) < 0)
            failed = PPREC_EINVAL;
    ck_assert_int_eq(failed, PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_all(pprec, arrivals, COUNT), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_all(pprec, arrivals, 0), PPREC_OK);
    pprec_get_totals(feed.pprec, &one_by_one);
    pprec_get_totals(pprec, &together);
    ck_assert_uint_eq(one_by_one.counts.trains, 990);
    ck_assert_uint_eq(one_by_one.foreign, 40);
    ck_assert_mem_eq(&one_by_one, &together, sizeof together);
    pprec_free(pprec);
    free(arrivals);
}
END_TEST

/* --- Structs of other versions --- */

START_TEST(an_older_program_gets_what_it_knows)
{
    struct pprec_summary whole, part = {0};
    unsigned char room[sizeof whole];
    size_t known = offsetof(struct pprec_summary, adr_bps);

    for (uint32_t train = 0; train < 3; train++)
        results_push_pair(train, 800000);
    memset(room, 0x5a, sizeof room);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &whole), PPREC_OK);
    ck_assert_int_eq(pprec_get_summary_sized(feed.pprec, &feed.pattern.source, 0x5eed, (void *)room, known),
                     PPREC_OK);
    memcpy(&part, room, known);
    ck_assert_mem_eq(room, &whole, offsetof(struct pprec_summary, capacity));
    ck_assert_int_eq(part.capacity.state, whole.capacity.state); /* and there is padding */
    ck_assert_double_eq(part.capacity.capacity_bps, whole.capacity.capacity_bps);
    ck_assert_double_eq(part.capacity.burst_bytes, whole.capacity.burst_bytes);
    for (size_t i = known; i < sizeof room; i++)
        ck_assert_uint_eq(room[i], 0x5a);
}
END_TEST

START_TEST(a_newer_program_gets_zeroes_for_the_rest)
{
    struct {
        struct pprec_totals totals;
        uint64_t unheard_of;
    } newer;

    results_push_pair(0, 800000);
    memset(&newer, 0x5a, sizeof newer);
    pprec_get_totals_sized(feed.pprec, &newer.totals, sizeof newer);
    ck_assert_uint_eq(newer.totals.counts.trains, 1);
    ck_assert_uint_eq(newer.unheard_of, 0);
}
END_TEST

START_TEST(arrivals_of_a_newer_program)
{
    size_t bytes = sizeof(struct pprec_arrival) + 16;
    unsigned char *room = calloc(2, bytes);
    struct pprec_arrival arrival;

    feed.length = 2;
    for (unsigned position = 0; position < 2; position++) {
        arrival = feed_arrival(&feed, 0, position, position * 800000);
        memcpy(room + position * bytes, &arrival, sizeof arrival);
    }
    ck_assert_int_eq(pprec_push_all_sized(feed.pprec, (void *)room, bytes, 2), PPREC_OK);
    ck_assert_uint_eq(feed.trains, 1);
    ck_assert_uint_eq(feed.train[0].received, 2);
    free(room);
}
END_TEST

/* One without departed_ns. */
START_TEST(arrivals_of_an_older_program)
{
    enum { KNOWN = offsetof(struct pprec_arrival, departed_ns) };
    unsigned char room[KNOWN + 16];
    struct pprec_arrival arrival = feed_arrival(&feed, 0, 0, 0), ours;

    memset(room, 0x5a, sizeof room);
    pprec_arrival_init_sized((void *)room, KNOWN);
    ck_assert_uint_eq(room[KNOWN], 0x5a);
    memcpy(&ours, room, KNOWN);
    ck_assert_int_eq(ours.sent_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(ours.departure_span_ns, PPREC_UNKNOWN_NS);
    memcpy(room, &arrival, KNOWN); /* what stands behind it would be no time */
    memset(room + KNOWN, 0x7f, 16);
    ck_assert_int_eq(pprec_push_sized(feed.pprec, (void *)room, KNOWN), PPREC_OK);
    ck_assert_int_eq(pprec_push_sized(feed.pprec, (void *)room, sizeof room), PPREC_EINVAL);
}
END_TEST

START_TEST(an_arrival_begins_unknown)
{
    struct pprec_arrival arrival;

    memset(&arrival, 0x5a, sizeof arrival);
    pprec_arrival_init(&arrival);
    ck_assert_int_eq(arrival.sent_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(arrival.departure_span_ns, PPREC_UNKNOWN_NS);
    ck_assert_int_eq(arrival.departed_ns, PPREC_UNKNOWN_NS);
    ck_assert_uint_eq(arrival.source.ip, 0);
    ck_assert_uint_eq(arrival.received.clock, PPREC_CLOCK_NONE);
    ck_assert_uint_eq(arrival.train_length, 0);
}
END_TEST

Suite *results_suite(void)
{
    Suite *suite = suite_create("results");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, results_set_up, results_tear_down);
    tcase_add_test(all, a_change_is_told_once_and_after_its_train);
    tcase_add_test(all, a_reset_is_not_told_but_what_comes_after_is);
    tcase_add_test(all, why_and_advice_go_with_the_estimate);
    tcase_add_loop_test(all, frames_that_lose_packets_are_no_pacers, 0, 2);
    tcase_add_test(all, what_is_never_usable_is_not_waited_for);
    tcase_add_test(all, another_why_is_a_change);
    tcase_add_loop_test(all, why_flows_of_others_are_doubted, 0, SURE);
    tcase_add_test(all, the_first_time_that_it_is_sure_stays);
    tcase_add_test(all, what_is_between_goes_with_the_estimate);
    tcase_add_test(all, flows_are_the_nearest_number);
    tcase_add_test(all, an_estimate_tells_what_it_rests_on);
    tcase_add_test(all, streams_are_named_by_index);
    tcase_add_test(all, readers_do_not_disturb_one_another);
    tcase_add_test(all, a_cursor_starts_over_where_its_stream_does);
    tcase_add_test(all, totals_count_what_is_gone);
    tcase_add_test(all, pushed_together_as_one_by_one);
    tcase_add_test(all, an_older_program_gets_what_it_knows);
    tcase_add_test(all, a_newer_program_gets_zeroes_for_the_rest);
    tcase_add_test(all, arrivals_of_a_newer_program);
    tcase_add_test(all, arrivals_of_an_older_program);
    tcase_add_test(all, an_arrival_begins_unknown);
    suite_add_tcase(suite, all);
    return suite;
}
