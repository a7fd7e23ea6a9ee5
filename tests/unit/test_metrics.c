/* SPDX-License-Identifier: BSD-3-Clause */
/* The page for Prometheus: what it says of a handle, and what it leaves out. */
#include "pprec/cmd/metrics.h"
#include "tests/sim/free_cases.h"
#include "tests/sim/tight.h"
#include "tests/unit/ask.h"
#include "tests/unit/conclude.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct feed feed;
static struct tally tally;
static struct ledger ledger;
static const struct format_run run = {
    .layer = "l2", .filter = "median", .timestamps = "kernel", .memory_bytes = 64 << 20};
static struct metrics metrics;
static struct evbuffer *buffer;
static const char *page;

static void metrics_set_up(void)
{
    feed_start(&feed);
    tally = (struct tally){.count = 0};
    metrics = (struct metrics){.pprec = feed.pprec, .tally = &tally, .run = &run, .started_s = 1700000000.25};
    buffer = evbuffer_new();
    ck_assert_ptr_nonnull(buffer);
}

static void metrics_tear_down(void)
{
    evbuffer_free(buffer);
    feed_end(&feed);
}

/* Trains that the handle has reported, and the page, at now_s. */
static void write_page(double now_s)
{
    for (size_t i = 0; i < feed.trains && i < FEED_KEPT; i++)
        tally_train(&tally, &feed.train[i], 0);
    evbuffer_drain(buffer, evbuffer_get_length(buffer));
    metrics_write(&metrics, buffer, (int64_t)(now_s * 1e9));
    evbuffer_add(buffer, "", 1);
    page = (const char *)evbuffer_pullup(buffer, -1);
}

static unsigned metrics_times(const char *text)
{
    unsigned count = 0;

    for (const char *at = page; (at = strstr(at, text)) != NULL; at += strlen(text))
        count++;
    return count;
}

#define ASSERT_LINE(text) ck_assert_msg(strstr(page, "\n" text "\n") != NULL, "no line %s", text)
/* The one that most of these tests have. */
static const struct {
    struct pprec_endpoint source;
    uint32_t stream;
} one_stream = {{.address = {192, 0, 2, 1}, .port = 9000, .ip = 4}, 42};

#define STREAM(more) "{source=\"192.0.2.1:9000\",stream=\"0000002a\"" more "}"

/* --- Values --- */

static void feed_five_trains(void)
{
    feed.pattern.source = one_stream.source;
    feed.pattern.stream = one_stream.stream;
    for (uint32_t train = 0; train < 5; train++)
        feed_train(&feed, train, train * FEED_SPACING_NS);
    feed_tick(&feed, 10 * FEED_SECOND_NS);
}

/* Gaps of 800 us between packets of 1000 bytes: 10 Mbit/s. */
START_TEST(a_stream_is_told)
{
    feed_five_trains();
    write_page(1);
    ASSERT_LINE("pprec_capacity_bps" STREAM("") " 10000000");
    ASSERT_LINE("pprec_state" STREAM(",state=\"tentative\"") " 1");
    ASSERT_LINE("pprec_state" STREAM(",state=\"converged\"") " 0");
    ASSERT_LINE("pprec_trains_total" STREAM(",verdict=\"ok\"") " 5");
    ASSERT_LINE("pprec_trains_total" STREAM(",verdict=\"late\"") " 0");
    ASSERT_LINE("pprec_trains_usable_total" STREAM("") " 5");
    ASSERT_LINE("pprec_packets_total" STREAM("") " 20");
    ASSERT_LINE("pprec_packets_lost_total" STREAM("") " 0");
    ASSERT_LINE("pprec_last_arrival_timestamp_seconds" STREAM("") " 1700000002.0024");
    ASSERT_LINE("pprec_rate_bps_bucket" STREAM(",le=\"5000000\"") " 0");
    ASSERT_LINE("pprec_rate_bps_bucket" STREAM(",le=\"20000000\"") " 5");
    ASSERT_LINE("pprec_rate_bps_bucket" STREAM(",le=\"+Inf\"") " 5");
    ASSERT_LINE("pprec_rate_bps_count" STREAM("") " 5");
    ASSERT_LINE("pprec_rate_bps_sum" STREAM("") " 50000000");
    ASSERT_LINE("pprec_stream_info" STREAM(",destination=\"\",kind=\"probe\",timestamps=\"kernel\"") " 1");
    ASSERT_LINE("pprec_streams 1");
    ASSERT_LINE("pprec_streams_listed 1");
}
END_TEST

START_TEST(one_state_is_on)
{
    unsigned states = 0, on = 0;

    feed_five_trains();
    write_page(1);
    for (const char *at = page; (at = strstr(at, "\npprec_state{")) != NULL; at++) {
        states++;
        on += strncmp(strchr(at, '}'), "} 1\n", 4) == 0;
    }
    ck_assert_uint_eq(states, PPREC_STATE_VARYING + 1);
    ck_assert_uint_eq(on, 1);
}
END_TEST

/* What comes over a simulated path, to a handle of its own. */
static void feed_simulated(const struct sim_config *config, uint64_t seed)
{
    struct pprec_config pprec_config;
    struct sim_run path;

    feed_end(&feed);
    pprec_config_init(&pprec_config);
    feed_start_with(&feed, pprec_config);
    metrics.pprec = feed.pprec;
    tally = (struct tally){.count = 0};
    sim_run_init(&path, config, seed);
    for (size_t i = 0; i < path.arrival_count; i++) {
        path.arrivals[i].source = one_stream.source;
        path.arrivals[i].stream = one_stream.stream;
        ck_assert_int_eq(pprec_push(feed.pprec, &path.arrivals[i]), PPREC_OK);
    }
    sim_run_fini(&path);
}

static enum pprec_available_state feed_path(const struct free_case *row, uint64_t seed)
{
    struct pprec_summary summary;
    struct sim_config config;

    free_case_config(row, seed, &config);
    feed_simulated(&config, seed);
    ck_assert_int_eq(ask_summary(feed.pprec, 0, &summary), PPREC_OK);
    return summary.available.state;
}

/* Simulated paths of which something is free, until what is told of one is in the state wanted. */
static void write_page_with(enum pprec_available_state wanted)
{
    for (uint64_t seed = 1; seed < 6; seed++)
        for (unsigned i = 0; i < free_case_count; i++)
            if (free_cases[i].rate_bps < 50e6 && feed_path(&free_cases[i], seed) == wanted) {
                write_page(1);
                return;
            }
    ck_abort_msg("of no path it is %s", pprec_available_state_name(wanted));
}

/* A bound has a name of its own: whoever takes the greatest, or a mean, must not meet it. */
START_TEST(what_is_free_is_told_with_its_state)
{
    write_page_with(PPREC_AVAILABLE_CONVERGED);
    ck_assert_uint_eq(metrics_times("\npprec_available_bps{"), 1);
    ck_assert_uint_eq(metrics_times("\npprec_available_low_bps{"), 1);
    ck_assert_uint_eq(metrics_times("\npprec_available_high_bps{"), 1);
    ck_assert_uint_eq(metrics_times("\npprec_available_lower_bound_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_available_state{"), 4);
    ck_assert_uint_eq(metrics_times("state=\"unknown\"} 0\n"), 1);
    write_page_with(PPREC_AVAILABLE_AT_LEAST);
    ck_assert_uint_eq(metrics_times("\npprec_available_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_available_low_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_available_high_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_available_lower_bound_bps{"), 1);
    ck_assert_uint_eq(metrics_times("state=\"at_least\"} 1\n"), 1);
}
END_TEST

/* No zeros that would be taken for a measurement. */
START_TEST(what_is_unknown_is_absent)
{
    feed_five_trains();
    write_page(1);
    ck_assert_uint_eq(metrics_times("\npprec_available"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_queue"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_peak_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_bucket_bytes{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_share_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_other_flows{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_policed_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_policed_bucket_bytes{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_jitter_seconds{"), 0); /* no send times */
    ck_assert_uint_eq(metrics_times("\npprec_time_to_converge_seconds{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_why_info{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_seen_bytes{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_receive_buffer_bytes"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_log_lines_lost_total"), 0);
    ck_assert_uint_eq(metrics_times("nan") + metrics_times("inf "), 0);
}
END_TEST

/* One series each, however many words there are. */
START_TEST(why_and_advice_are_labels_of_one)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){.state = STATE_TENTATIVE,
                                      .capacity_bps = 10e6,
                                      .why = WHY_PAIRS_ALONE,
                                      .advice = ADVICE_SEND_MIX,
                                      .seen_bytes = 3036};
    feed_five_trains();
    write_page(1);
    ASSERT_LINE("pprec_why_info" STREAM(",why=\"pairs_alone\",advice=\"send_mix\"") " 1");
    ASSERT_LINE("pprec_seen_bytes" STREAM("") " 3036");
    conclude_next.why = WHY_NONE;
    conclude_next.advice = ADVICE_WAIT;
    feed_train(&feed, 5, 11 * FEED_SECOND_NS);
    write_page(1);
    ASSERT_LINE("pprec_why_info" STREAM(",why=\"\",advice=\"wait\"") " 1");
    ck_assert_uint_eq(metrics_times("\npprec_why_info{"), 1);
}
END_TEST

START_TEST(queues_and_policers_are_told)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){.state = STATE_FAIR, .capacity_bps = 10e6, .share_bps = 2.5e6};
    feed_five_trains();
    write_page(1);
    ASSERT_LINE("pprec_state" STREAM(",state=\"fair\"") " 1");
    ASSERT_LINE("pprec_state" STREAM(",state=\"varying\"") " 0");
    ASSERT_LINE("pprec_share_bps" STREAM("") " 2500000");
    ASSERT_LINE("pprec_other_flows" STREAM("") " 3");
    conclude_next = (struct estimate){
        .state = STATE_POLICED, .capacity_bps = 10e6, .policed_bps = 4e6, .policed_burst_bytes = 30000};
    feed_train(&feed, 5, 11 * FEED_SECOND_NS);
    write_page(1);
    ASSERT_LINE("pprec_state" STREAM(",state=\"policed\"") " 1");
    ASSERT_LINE("pprec_policed_bps" STREAM("") " 4000000");
    ASSERT_LINE("pprec_policed_bucket_bytes" STREAM("") " 30000");
    ck_assert_uint_eq(metrics_times("\npprec_share_bps{"), 0);
}
END_TEST

/* Nobody who takes the greatest capacity, or draws it, meets what is none. */
START_TEST(a_bound_is_no_capacity)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){.state = STATE_SENDER_LIMITED, .capacity_bps = 10e6, .low_bps = 10e6};
    feed_five_trains();
    write_page(1);
    ASSERT_LINE("pprec_state" STREAM(",state=\"sender_limited\"") " 1");
    ASSERT_LINE("pprec_lower_bound_bps" STREAM("") " 10000000");
    ck_assert_uint_eq(metrics_times("\npprec_capacity"), 0);
    conclude_next = (struct estimate){
        .state = STATE_CONVERGED, .capacity_bps = 10e6, .low_bps = 9.9e6, .high_bps = 10.1e6};
    feed_train(&feed, 5, 11 * FEED_SECOND_NS);
    write_page(1);
    ASSERT_LINE("pprec_capacity_bps" STREAM("") " 10000000");
    ck_assert_uint_eq(metrics_times("\npprec_capacity"), 3);
    ck_assert_uint_eq(metrics_times("\npprec_lower_bound_bps{"), 0);
}
END_TEST

/* Should a filter ever tell such figures: Prometheus would take them. */
START_TEST(what_is_not_finite_is_absent)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){
        .state = STATE_TENTATIVE, .capacity_bps = (double)NAN, .low_bps = 1e6, .high_bps = (double)INFINITY};
    feed_five_trains();
    write_page(1);
    ASSERT_LINE("pprec_capacity_low_bps" STREAM("") " 1000000");
    ck_assert_uint_eq(metrics_times("\npprec_capacity_bps{"), 0);
    ck_assert_uint_eq(metrics_times("\npprec_capacity_high_bps{"), 0);
}
END_TEST

START_TEST(without_streams_there_is_a_page)
{
    static const struct output output = {.left_out = 4};

    ledger.log.lost_lines = 3;
    ledger.ration.left_out = 9;
    metrics.ledger = &ledger;
    metrics.output = &output;
    write_page(1);
    ASSERT_LINE("pprec_build_info{version=\"" PPREC_VERSION "\"} 1");
    ASSERT_LINE("pprec_config_info{layer=\"l2\",filter=\"median\",timestamps=\"kernel\"} 1");
    ASSERT_LINE("pprec_streams 0");
    ASSERT_LINE("pprec_packets_dropped_here_total 0");
    ASSERT_LINE("pprec_datagrams_refused_total{reason=\"bad_tag\"} 0");
    ASSERT_LINE("pprec_datagrams_refused_total{reason=\"stranger\"} 0");
    ASSERT_LINE("pprec_datagrams_refused_total{reason=\"crowd\"} 0");
    ASSERT_LINE("pprec_datagrams_refused_total{reason=\"room\"} 0");
    ASSERT_LINE("pprec_datagrams_refused_total{reason=\"memory\"} 0");
    ASSERT_LINE("pprec_streams_pushed_out_total 0");
    ASSERT_LINE("pprec_streams_idle_total 0");
    ASSERT_LINE("pprec_memory_limit_bytes 67108864");
    ck_assert_uint_eq(metrics_times("\npprec_datagrams_refused_total{"), PPREC_REASONS);
    ASSERT_LINE("pprec_log_lines_lost_total 3");
    ASSERT_LINE("pprec_log_lines_left_out_total 9");
    ASSERT_LINE("pprec_output_records_left_out_total 4");
    ASSERT_LINE("process_start_time_seconds 1700000000.25");
    ck_assert_uint_eq(metrics_times("\npprec_capacity_bps{"), 0);
}
END_TEST

/* Counters are read as doubles, whole up to 2^53. */
START_TEST(large_counts_are_exact)
{
    feed_five_trains();
    write_page(1);
    tally.places[0].verdicts[PPREC_VERDICT_OK] = UINT64_C(123456789012345);
    tally.places[0].rates[0] = UINT64_C(123456789012340);
    feed.trains = 0;
    write_page(1);
    ASSERT_LINE("pprec_trains_total" STREAM(",verdict=\"ok\"") " 123456789012345");
    ASSERT_LINE("pprec_rate_bps_count" STREAM("") " 123456789012345");
}
END_TEST

START_TEST(labels_are_escaped)
{
    evbuffer_drain(buffer, evbuffer_get_length(buffer));
    metrics_escape(buffer, "a\"b\\c\nd\\");
    evbuffer_add(buffer, "", 1);
    ck_assert_str_eq((const char *)evbuffer_pullup(buffer, -1), "a\\\"b\\\\c\\nd\\\\");
}
END_TEST

/* --- Form --- */

/* NAME, or NAME{LABELS}, then one blank and a number. */
static bool is_sample(const char *line, const char *family)
{
    size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *rest = line + name;
    char *end;

    if (strncmp(line, family, strlen(family)) != 0 || name < strlen(family))
        return false;
    if (*rest == '{')
        rest = strchr(rest, '}') + 1;
    strtod(rest + 1, &end);
    return *rest == ' ' && end != rest + 1 && *end == '\n';
}

/* HELP, TYPE, then the samples of that family and no other; no family twice. */
static void assert_families(void)
{
    char family[128] = "", seen[8192] = "", key[132];

    ck_assert(page[strlen(page) - 1] == '\n');
    for (const char *line = page; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            ck_assert_int_eq(sscanf(line, "# HELP %127s", family), 1);
            snprintf(key, sizeof key, " %s ", family);
            ck_assert_ptr_null(strstr(seen, key));
            strcat(seen, key);
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            snprintf(key, sizeof key, "%s ", family);
            ck_assert(strncmp(line + 7, key, strlen(key)) == 0);
        } else {
            ck_assert_msg(is_sample(line, family), "%.100s after %s", line, family);
        }
    }
}

START_TEST(metrics_families_stand_together)
{
    feed_five_trains();
    write_page(1);
    assert_families();
}
END_TEST

/* --- Hop by hop --- */

/* The line of it, or with a figure of 0 none. */
static void assert_gauge(const char *name, const char *labels, double figure)
{
    char text[256];

    snprintf(text, sizeof text, "\n%s" STREAM("%s") " %.15g\n", name, labels, figure);
    if (!(figure > 0))
        strrchr(text, ' ')[1] = '\0';
    ck_assert_msg((strstr(page, text) != NULL) == (figure > 0), "%s: %g", text, figure);
}

static void assert_hop(unsigned number, const struct pprec_hop *hop)
{
    char labels[64];

    snprintf(labels, sizeof labels, ",hop=\"%u\",state=\"%s\"", number, pprec_hop_state_name(hop->state));
    assert_gauge("pprec_hop_capacity_bps", labels, hop->capacity_bps);
    snprintf(labels, sizeof labels, ",hop=\"%u\"", number);
    assert_gauge("pprec_hop_available_low_bps", labels, hop->available_low_bps);
}

/* Six links with nothing else on them; returns the narrow one. */
static unsigned feed_idle(bool paced)
{
    struct sim_config config;
    unsigned narrow = 0;

    if (paced)
        tight_config(&tight_cases[0], 1, &config);
    else
        locate_config(&locate_cases[0], 1, &config);
    feed_simulated(&config, 1);
    for (unsigned h = 1; h < config.path.hops; h++)
        narrow = config.path.hop[h].rate_bps < config.path.hop[narrow].rate_bps ? h : narrow;
    return narrow + 2; /* the first is the sender's own */
}

/* With paced trains the narrow link is also told as tight. */
START_TEST(each_hop_is_on_the_page)
{
    bool paced = _i == 1;
    unsigned narrow = feed_idle(paced);
    struct pprec_hops_summary summary;
    struct pprec_hop hop[64];

    ck_assert_int_eq(pprec_get_hops(feed.pprec, &one_stream.source, one_stream.stream, hop, 64, &summary),
                     PPREC_OK);
    write_page(1);
    ck_assert_uint_eq(summary.hops_told, 6);
    ck_assert(paced || hop[narrow - 1].state == PPREC_HOP_CONVERGED); /* else its ends are the same */
    ck_assert((hop[narrow - 1].available_low_bps > 0) == paced);
    for (unsigned i = 0; i < summary.hops_told; i++)
        assert_hop(i + 1, &hop[i]);
    ck_assert_uint_eq(metrics_times("\npprec_hop_capacity_bps{"), summary.hops_told);
    assert_gauge("pprec_narrow_hop", "", narrow);
    assert_gauge("pprec_narrow_hop_last", "", narrow);
    assert_gauge("pprec_tight_hop", "", paced ? narrow : 0);
    assert_gauge("pprec_tight_hop_last", "", paced ? narrow : 0);
    assert_families();
}
END_TEST

START_TEST(without_such_trains_there_are_no_hops)
{
    feed_five_trains();
    write_page(1);
    ck_assert_uint_eq(
        metrics_times("\npprec_hop") + metrics_times("\npprec_narrow") + metrics_times("\npprec_tight"), 0);
}
END_TEST

/* --- Bounds --- */

static void metrics_feed_streams(uint32_t count)
{
    for (uint32_t stream = 0; stream < count; stream++) {
        feed.pattern.stream = stream;
        feed_train(&feed, 0, stream * FEED_SECOND_NS);
    }
    feed_tick(&feed, (count + 10) * FEED_SECOND_NS);
}

START_TEST(streams_on_the_page_are_capped)
{
    metrics_feed_streams(400);
    write_page(1);
    ASSERT_LINE("pprec_streams 400");
    ASSERT_LINE("pprec_streams_listed 128");
    ck_assert_uint_eq(metrics_times("\npprec_packets_total{"), TALLY_PLACES);
    ck_assert_uint_eq(metrics_times("\npprec_packets_lost_total{"), TALLY_PLACES);
    ck_assert_uint_lt(strlen(page), 1000000);
}
END_TEST

START_TEST(silent_streams_leave_the_page)
{
    feed_five_trains();
    write_page(299);
    ck_assert_uint_eq(metrics_times("\npprec_capacity_bps{"), 1);
    feed.trains = 0;
    write_page(301);
    ck_assert_uint_eq(metrics_times("\npprec_capacity_bps{"), 0);
    ASSERT_LINE("pprec_streams 1");
    ASSERT_LINE("pprec_streams_listed 0");
}
END_TEST

Suite *metrics_suite(void)
{
    Suite *suite = suite_create("metrics");
    TCase *values = tcase_create("values");
    TCase *bounds = tcase_create("bounds");

    tcase_add_checked_fixture(values, metrics_set_up, metrics_tear_down);
    tcase_add_test(values, a_stream_is_told);
    tcase_add_test(values, one_state_is_on);
    tcase_add_test(values, what_is_free_is_told_with_its_state);
    tcase_add_test(values, what_is_unknown_is_absent);
    tcase_add_test(values, what_is_not_finite_is_absent);
    tcase_add_test(values, why_and_advice_are_labels_of_one);
    tcase_add_test(values, queues_and_policers_are_told);
    tcase_add_test(values, a_bound_is_no_capacity);
    tcase_add_test(values, without_streams_there_is_a_page);
    tcase_add_test(values, large_counts_are_exact);
    tcase_add_test(values, labels_are_escaped);
    tcase_add_test(values, metrics_families_stand_together);
    tcase_add_loop_test(values, each_hop_is_on_the_page, 0, 2);
    tcase_add_test(values, without_such_trains_there_are_no_hops);
    suite_add_tcase(suite, values);
    tcase_add_checked_fixture(bounds, metrics_set_up, metrics_tear_down);
    tcase_add_test(bounds, streams_on_the_page_are_capped);
    tcase_add_test(bounds, silent_streams_leave_the_page);
    suite_add_tcase(suite, bounds);
    return suite;
}
