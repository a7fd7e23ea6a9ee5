/* SPDX-License-Identifier: BSD-3-Clause */
/* Log, JSON Lines, CSV and the terminal's form, against what other programs read. */
#include "filters/sample.h"
#include "pprec/cmd/format.h"
#include "tests/unit/json.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct format_run run = {
    .layer = "l2", .filter = "median", .timestamps = "kernel", .unlogged = 77, .unshown = 5};

/* No path is all of this at once: a value in every field. */
#define SHAPED(why_, advice_, seen_)                                                                         \
    {                                                                                                        \
        .state = PPREC_STATE_SHAPED, .capacity_bps = 10e6, .low_bps = 9.9e6, .high_bps = 10.1e6,             \
        .peak_bps = 100e6, .burst_bytes = 15400, .share_bps = 2.5e6, .flows = 3, .policed_bps = 4e6,         \
        .policed_burst_bytes = 30000, .why = why_, .advice = advice_, .seen_bytes = seen_, .trains = 12,     \
        .newest_ns = 34                                                                                      \
    }

/* A train of 8 that lost a packet ... */
static const struct pprec_train train = {
    .time_ns = INT64_C(1700000000123456789),
    .source = {.address = {192, 0, 2, 1}, .port = 9000, .ip = 4},
    .stream = 0xbeef,
    .train = 4294967295,
    .size_bytes = 1000,
    .sent = 8,
    .received = 7,
    .dispersion_ns = 4000001,
    .departure_span_ns = 56789,
    .rate_bps = 9999997.6,
    .verdict = PPREC_VERDICT_PARTIAL,
    .capacity = SHAPED(PPREC_WHY_OWN_LOAD, PPREC_ADVICE_SEND_LESS, 24288),
    .delay_ns = -250001234567, /* the sender's clock is ahead */
};

/* ... and one of which nothing is known. */
static const struct pprec_train unknown_train = {
    .time_ns = INT64_C(1700000000000000001),
    .source = {.address = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}, .port = 9000, .ip = 6},
    .size_bytes = 64,
    .sent = 2,
    .received = 1,
    .dispersion_ns = PPREC_UNKNOWN_NS,
    .departure_span_ns = PPREC_UNKNOWN_NS,
    .delay_ns = PPREC_UNKNOWN_NS,
    .verdict = PPREC_VERDICT_PARTIAL,
};

static const struct pprec_summary summary = {
    .source = {.address = {192, 0, 2, 1}, .port = 9000, .ip = 4},
    .destination = {.address = {198, 51, 100, 9}, .port = 5004, .ip = 4},
    .kind = PPREC_KIND_RTP,
    .stream = 0xbeef,
    .counts = {11, 12, 13, 14, 15, 16, 17},
    .foreign = 18,
    .dropped_here = 19,
    .timestamps = PPREC_TIMESTAMPS_USER,
    .jitter_ns = 20,
    .capacity = SHAPED(PPREC_WHY_BATCHES, PPREC_ADVICE_SEND_LONGER_TRAINS, 4294967295),
    .adr_bps = 8e6,
    .rate_p05_bps = 9.5e6,
    .rate_p50_bps = 10e6,
    .rate_p95_bps = 10.5e6,
    .time_to_converge_ns = 2500000000,
    .available = {.state = PPREC_AVAILABLE_CONVERGED,
                  .available_bps = 6.2e6,
                  .low_bps = 5.9e6,
                  .high_bps = 6.5e6,
                  .queue_ns = 520000,
                  .queue_p95_ns = 3100000,
                  .buffer_bytes = 64000,
                  .buffer_full = 1,
                  .lossless_train = 64,
                  .trains = 12,
                  .newest_ns = 34},
};

static const struct pprec_summary unknown_summary = {
    .source = {.ip = 4},
    .jitter_ns = PPREC_UNKNOWN_NS,
    .time_to_converge_ns = PPREC_UNKNOWN_NS,
    .available = {.queue_ns = PPREC_UNKNOWN_NS,
                  .queue_p95_ns = PPREC_UNKNOWN_NS,
                  .newest_ns = PPREC_UNKNOWN_NS},
};

static const struct record records[] = {
    /* in the order of the enumeration below */
    {.kind = RECORD_TRAIN, .run = &run, .train = &train, .time_ns = INT64_C(1700000000123456789)},
    {.kind = RECORD_TRAIN, .run = &run, .train = &unknown_train, .time_ns = INT64_C(1700000000000000001)},
    {.kind = RECORD_INTERVAL,
     .run = &run,
     .summary = &summary,
     .time_ns = INT64_C(1700000001000000000),
     .interval_s = 0.5},
    {.kind = RECORD_INTERVAL, .run = &run, .summary = &unknown_summary, .interval_s = 10},
    {.kind = RECORD_SUMMARY, .run = &run, .summary = &summary, .time_ns = INT64_C(1700000002000000000)},
    {.kind = RECORD_SUMMARY, .run = &run, .summary = &unknown_summary},
};

enum { TRAIN, UNKNOWN_TRAIN, INTERVAL, UNKNOWN_INTERVAL, SUMMARY, UNKNOWN_SUMMARY, RECORDS };

static struct line line;

static const char *format_written(const struct format *format, int record)
{
    line.bytes = 0;
    format->record(&line, &records[record]);
    ck_assert_uint_eq(line.bytes, strlen(line.text));
    return line.text;
}

static unsigned count_of(const char *text, char c)
{
    unsigned count = 0;

    for (; *text != '\0'; text++)
        count += *text == c;
    return count;
}

/* --- JSON: these keys, all and no others --- */

/* The first ones keep their order; those that were added since come after them. */
static const char *const train_keys[] = {
    "type",         "time",
    "source",       "stream",
    "train",        "size",
    "sent",         "received",
    "lost",         "dispersion_ns",
    "rate_bps",     "verdict",
    "capacity_bps", "low_bps",
    "high_bps",     "state",
    "departure_ns", "delay_ns",
    "why",          "advice",
    "seen_bytes",   "schema",
    "share_bps",    "flows",
    "policed_bps",  "policed_burst_bytes",
    "load_hops",    "file",
    NULL,
};

static const char *const summary_keys[] = {
    "type",
    "source",
    "stream",
    "layer",
    "filter",
    "timestamps",
    "trains",
    "usable",
    "packets",
    "lost",
    "duplicate",
    "reordered",
    "foreign",
    "dropped_here",
    "jitter_ns",
    "capacity_bps",
    "low_bps",
    "high_bps",
    "state",
    "peak_bps",
    "burst_bytes",
    "adr_bps",
    "rate_p05_bps",
    "rate_p50_bps",
    "rate_p95_bps",
    "time_to_converge_s",
    "time",
    "late",
    "destination",
    "kind",
    "unlogged",
    "why",
    "advice",
    "seen_bytes",
    "schema",
    "share_bps",
    "flows",
    "policed_bps",
    "policed_burst_bytes",
    "unshown",
    "available_state",
    "available_bps",
    "available_low_bps",
    "available_high_bps",
    "queue_ns",
    "queue_p95_ns",
    "buffer_bytes",
    "buffer_full",
    "lossless_train",
    "hops_count",
    "narrow_hop",
    "narrow_hop_last",
    "narrow_link_bps",
    "hops_why",
    "hops",
    "file",
    "file_last",
    "tight_hop",
    "tight_hop_last",
    "tight_link_bps",
    "tight_why",
    NULL,
};

static const char *const refused_keys[] = {
    "refused_untagged", "refused_bad_tag", "refused_replayed", "refused_stale",  "refused_source",
    "refused_stranger", "refused_crowd",   "refused_room",     "refused_memory",
};

enum { REFUSED = sizeof refused_keys / sizeof refused_keys[0] };

static struct json_object read_json(int record)
{
    struct json_object object;
    const char *text = format_written(&format_json, record);

    ck_assert_msg(json_read(&object, text), "not JSON: %s", text);
    return object;
}

static void assert_keys(const struct json_object *object, const char *const *keys, size_t others)
{
    size_t count = 0;

    for (; keys[count] != NULL; count++)
        ck_assert_msg(json_value(object, keys[count]) != NULL, "no key %s", keys[count]);
    ck_assert_uint_eq(object->count, count + others);
}

static void assert_value(const struct json_object *object, const char *key, const char *want)
{
    const char *value = json_value(object, key);

    ck_assert_ptr_nonnull(value);
    ck_assert_msg(strcmp(value, want) == 0, "%s: %s, want %s", key, value, want);
}

START_TEST(json_has_the_keys_of_design)
{
    struct json_object object;

    object = read_json(TRAIN);
    assert_keys(&object, train_keys, 0);
    object = read_json(UNKNOWN_TRAIN);
    assert_keys(&object, train_keys, 0);
    object = read_json(SUMMARY);
    assert_keys(&object, summary_keys, REFUSED);
    object = read_json(UNKNOWN_SUMMARY);
    assert_keys(&object, summary_keys, REFUSED);
    object = read_json(INTERVAL);
    assert_keys(&object, summary_keys, REFUSED + 1);
    assert_value(&object, "interval_s", "0.500");
}
END_TEST

static void assert_new_states(const struct json_object *object)
{
    assert_value(object, "schema", "4");
    assert_value(object, "share_bps", "2500000.0");
    assert_value(object, "flows", "3");
    assert_value(object, "policed_bps", "4000000.0");
    assert_value(object, "policed_burst_bytes", "30000");
}

START_TEST(json_of_a_train)
{
    struct json_object object = read_json(TRAIN);

    assert_value(&object, "type", "\"train\"");
    assert_value(&object, "time", "1700000000.123456789");
    assert_value(&object, "source", "\"192.0.2.1:9000\"");
    assert_value(&object, "stream", "\"0000beef\"");
    assert_value(&object, "train", "4294967295");
    assert_value(&object, "size", "1000");
    assert_value(&object, "sent", "8");
    assert_value(&object, "received", "7");
    assert_value(&object, "lost", "1");
    assert_value(&object, "dispersion_ns", "4000001");
    assert_value(&object, "departure_ns", "56789");
    assert_value(&object, "delay_ns", "-250001234567");
    assert_value(&object, "rate_bps", "9999997.6");
    assert_value(&object, "verdict", "\"partial\"");
    assert_value(&object, "capacity_bps", "10000000.0");
    assert_value(&object, "low_bps", "9900000.0");
    assert_value(&object, "high_bps", "10100000.0");
    assert_value(&object, "state", "\"shaped\"");
    assert_value(&object, "why", "\"own_load\"");
    assert_value(&object, "advice", "\"send_less\"");
    assert_value(&object, "seen_bytes", "24288");
    assert_new_states(&object);
}
END_TEST

START_TEST(json_of_a_summary)
{
    static const char *const counts[] = {"trains",    "usable", "packets", "lost",         "duplicate",
                                         "reordered", "late",   "foreign", "dropped_here", "jitter_ns"};
    struct json_object object = read_json(SUMMARY);

    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(atoi(json_value(&object, counts[i])), 11 + i);
    assert_value(&object, "unlogged", "77");
    assert_value(&object, "unshown", "5");
    assert_value(&object, "type", "\"summary\"");
    assert_value(&object, "destination", "\"198.51.100.9:5004\"");
    assert_value(&object, "kind", "\"rtp\"");
    assert_value(&object, "layer", "\"l2\"");
    assert_value(&object, "filter", "\"median\"");
    assert_value(&object, "timestamps", "\"user\""); /* of the stream, not of the run */
    assert_value(&object, "peak_bps", "100000000.0");
    assert_value(&object, "burst_bytes", "15400");
    assert_value(&object, "adr_bps", "8000000.0");
    assert_value(&object, "rate_p05_bps", "9500000.0");
    assert_value(&object, "rate_p50_bps", "10000000.0");
    assert_value(&object, "rate_p95_bps", "10500000.0");
    assert_value(&object, "time_to_converge_s", "2.500");
    assert_value(&object, "why", "\"batches\"");
    assert_value(&object, "advice", "\"send_longer_trains\"");
    assert_value(&object, "seen_bytes", "4294967295");
    assert_new_states(&object);
    object = read_json(INTERVAL);
    assert_new_states(&object);
}
END_TEST

START_TEST(json_tells_what_is_free)
{
    struct json_object object = read_json(_i == 0 ? SUMMARY : INTERVAL);

    assert_value(&object, "available_state", "\"converged\"");
    assert_value(&object, "available_bps", "6200000.0");
    assert_value(&object, "available_low_bps", "5900000.0");
    assert_value(&object, "available_high_bps", "6500000.0");
    assert_value(&object, "queue_ns", "520000");
    assert_value(&object, "queue_p95_ns", "3100000");
    assert_value(&object, "buffer_bytes", "64000");
    assert_value(&object, "buffer_full", "true");
    assert_value(&object, "lossless_train", "64");
}
END_TEST

/* Nothing free is a figure; of a bound there is no upper end. */
START_TEST(json_of_a_full_link)
{
    struct pprec_summary full = summary;
    struct record record = records[SUMMARY];
    struct json_object object;

    full.available = (struct pprec_available){.state = PPREC_AVAILABLE_AT_LEAST};
    record.summary = &full;
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert(json_read(&object, line.text));
    assert_value(&object, "available_state", "\"at_least\"");
    assert_value(&object, "available_bps", "0.0");
    assert_value(&object, "available_low_bps", "0.0");
    assert_value(&object, "available_high_bps", "null");
    assert_value(&object, "buffer_full", "null");
}
END_TEST

START_TEST(what_flows_do_not_count_is_null)
{
    struct pprec_summary flow = summary;
    struct record record = records[SUMMARY];
    struct json_object object;

    flow.kind = PPREC_KIND_FLOW;
    record.summary = &flow;
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert(json_read(&object, line.text));
    assert_value(&object, "lost", "null");
    assert_value(&object, "duplicate", "null");
    assert_value(&object, "reordered", "null");
    assert_value(&object, "late", "null");
}
END_TEST

static struct record record_of_flow(struct pprec_train *flow)
{
    struct record record = records[TRAIN];

    *flow = train;
    flow->kind = PPREC_KIND_FLOW;
    flow->received = flow->sent;
    record.train = flow;
    return record;
}

START_TEST(what_a_train_of_a_flow_lost_is_null)
{
    struct pprec_train flow;
    struct record record = record_of_flow(&flow);
    struct json_object object;

    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert(json_read(&object, line.text));
    assert_value(&object, "lost", "null");
    assert_value(&object, "sent", "8");
}
END_TEST

START_TEST(json_of_a_summary_tells_what_was_refused)
{
    struct json_object object = read_json(SUMMARY);

    for (size_t i = 0; i < REFUSED; i++)
        assert_value(&object, refused_keys[i], "0");
}
END_TEST

START_TEST(json_says_null_for_what_is_unknown)
{
    static const char *const unknown[] = {"jitter_ns",     "capacity_bps",       "low_bps",
                                          "high_bps",      "peak_bps",           "burst_bytes",
                                          "adr_bps",       "rate_p05_bps",       "rate_p50_bps",
                                          "rate_p95_bps",  "time_to_converge_s", "why",
                                          "advice",        "seen_bytes",         "share_bps",
                                          "flows",         "policed_bps",        "policed_burst_bytes",
                                          "available_bps", "available_low_bps",  "available_high_bps",
                                          "queue_ns",      "queue_p95_ns",       "buffer_bytes",
                                          "buffer_full",   "lossless_train"};
    struct json_object object = read_json(UNKNOWN_SUMMARY);

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_value(&object, unknown[i], "null");
    assert_value(&object, "destination", "null");
    assert_value(&object, "available_state", "\"unknown\"");
    assert_value(&object, "packets", "0"); /* that is known */
    object = read_json(UNKNOWN_TRAIN);
    assert_value(&object, "dispersion_ns", "null");
    assert_value(&object, "departure_ns", "null");
    assert_value(&object, "delay_ns", "null");
    assert_value(&object, "rate_bps", "null");
    assert_value(&object, "capacity_bps", "null");
    assert_value(&object, "state", "\"insufficient\"");
    assert_value(&object, "why", "null");
    assert_value(&object, "advice", "null");
    assert_value(&object, "seen_bytes", "null");
    assert_value(&object, "share_bps", "null");
    assert_value(&object, "flows", "null");
    assert_value(&object, "policed_bps", "null");
    assert_value(&object, "policed_burst_bytes", "null");
}
END_TEST

/* Should a filter ever tell such a figure, readers of JSON and of columns must not choke on it. */
START_TEST(what_is_not_finite_is_unknown)
{
    static const char *const keys[] = {"capacity_bps", "low_bps",     "high_bps",           "rate_bps",
                                       "share_bps",    "policed_bps", "policed_burst_bytes"};
    static const double figures[] = {INFINITY, -INFINITY, NAN};
    double figure = figures[_i];
    struct pprec_train odd = train;
    struct record record = records[TRAIN];
    struct json_object object;

    odd.rate_bps = figure;
    odd.capacity = (struct pprec_capacity){.state = PPREC_STATE_TENTATIVE,
                                           .capacity_bps = figure,
                                           .low_bps = figure,
                                           .high_bps = figure,
                                           .peak_bps = figure,
                                           .burst_bytes = figure,
                                           .share_bps = figure,
                                           .policed_bps = figure,
                                           .policed_burst_bytes = figure};
    record.train = &odd;
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert_msg(json_read(&object, line.text), "not JSON: %s", line.text);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_value(&object, keys[i], "null");
    line.bytes = 0;
    format_log.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, " - partial - - - tentative"));
    line.bytes = 0;
    format_human.record(&line, &record);
    ck_assert_ptr_null(strstr(line.text, "inf"));
    ck_assert_ptr_null(strstr(line.text, "nan"));
}
END_TEST

START_TEST(json_is_one_line)
{
    ck_assert_ptr_null(strchr(format_written(&format_json, _i), '\n'));
}
END_TEST

/* Of a clock that starts anywhere: -0.5 s is not "0.-500000000". */
START_TEST(json_of_a_time_below_zero)
{
    struct record record = records[TRAIN];
    struct json_object object;

    record.time_ns = -500000000;
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert(json_read(&object, line.text));
    assert_value(&object, "time", "-0.500000000");
}
END_TEST

/* --packets: the longest train there is fits a line, whatever its times. */
START_TEST(json_of_packets)
{
    static struct sample_packet packets[256];
    static const struct format_run with_packets = {
        .layer = "l2", .filter = "median", .timestamps = "kernel", .packets = 1};
    struct pprec_train long_train = train;
    struct record record = records[TRAIN];
    struct json_object object;

    record.run = &with_packets;
    record.train = &long_train;
    long_train.packets = packets;
    long_train.received = 2;
    packets[1] = (struct sample_packet){.offset_ns = 800000, .bytes = 1000, .position = 3};
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert(json_read(&object, line.text));
    assert_value(&object, "positions", "[0,3]");
    assert_value(&object, "offsets_ns", "[0,800000]");

    long_train.received = 256;
    for (int i = 0; i < 256; i++)
        packets[i] = (struct sample_packet){.offset_ns = -INT64_C(999999999999), .position = 255};
    line.bytes = 0;
    format_json.record(&line, &record);
    ck_assert_str_eq(line.text + line.bytes - 16, ",-999999999999]}");
    ck_assert_uint_eq(count_of(line.text, '\n'), 0);
}
END_TEST

/* --- The text log: its columns --- */

#define COLUMNS                                                                                              \
    "time source stream train size sent received lost dispersion_us rate_kbps "                              \
    "verdict capacity_kbps low_kbps high_kbps state"

START_TEST(log_head_names_the_columns)
{
    const char *second;

    line.bytes = 0;
    format_log.head(&line, &run);
    ck_assert_uint_eq(count_of(line.text, '\n'), 1);
    second = strchr(line.text, '\n') + 1;
    ck_assert_str_eq(second, "# " COLUMNS);
    ck_assert_int_eq(line.text[0], '#');
    ck_assert_ptr_nonnull(strstr(line.text, PPREC_VERSION));
    ck_assert_ptr_nonnull(strstr(line.text, "layer=l2"));
    ck_assert_ptr_nonnull(strstr(line.text, "filter=median"));
    ck_assert_ptr_nonnull(strstr(line.text, "timestamps=kernel"));
}
END_TEST

START_TEST(log_of_a_train)
{
    ck_assert_str_eq(format_written(&format_log, TRAIN),
                     "1700000000.123456789 192.0.2.1:9000 0000beef 4294967295 1000 8 7 1 "
                     "4000.001 9999.998 partial 10000.000 9900.000 10100.000 shaped");
    ck_assert_uint_eq(count_of(line.text, ' '), count_of(COLUMNS, ' '));
}
END_TEST

START_TEST(log_has_a_dash_for_what_is_unknown)
{
    ck_assert_str_eq(format_written(&format_log, UNKNOWN_TRAIN),
                     "1700000000.000000001 [2001:db8::1]:9000 00000000 0 64 2 1 1 "
                     "- - partial - - - insufficient");
    ck_assert_uint_eq(count_of(line.text, ' '), count_of(COLUMNS, ' '));
}
END_TEST

START_TEST(log_has_a_dash_for_what_a_flow_lost)
{
    struct pprec_train flow;
    struct record record = record_of_flow(&flow);

    line.bytes = 0;
    format_log.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, " 4294967295 1000 8 8 - 4000.001 9999.998 "));
    ck_assert_uint_eq(count_of(line.text, ' '), count_of(COLUMNS, ' '));
}
END_TEST

/* gnuplot passes over them; other readers find JSON. */
START_TEST(log_of_summaries_is_a_comment)
{
    struct json_object object;

    for (int i = INTERVAL; i <= UNKNOWN_SUMMARY; i++) {
        ck_assert_int_eq(strncmp(format_written(&format_log, i), "# {", 3), 0);
        ck_assert_ptr_null(strchr(line.text, '\n'));
        ck_assert(json_read(&object, line.text + 2));
    }
}
END_TEST

/* --- CSV --- */

START_TEST(csv_has_as_many_columns_as_its_head)
{
    unsigned commas;

    line.bytes = 0;
    format_csv.head(&line, &run);
    commas = count_of(line.text, ',');
    ck_assert_uint_gt(commas, 20);
    ck_assert_uint_eq(count_of(format_written(&format_csv, _i), ','), commas);
    ck_assert_ptr_null(strpbrk(line.text, "\n\"\' "));
}
END_TEST

/* The text of the column that the head gives that name. */
static const char *csv_cell(int record, const char *name)
{
    static char head[sizeof line.text], cells[sizeof line.text];
    char *at_head = head, *at_cells = cells, *title, *cell;

    line.bytes = 0;
    format_csv.head(&line, &run);
    strcpy(head, line.text);
    strcpy(cells, format_written(&format_csv, record));
    while ((title = strsep(&at_head, ",")) != NULL) {
        cell = strsep(&at_cells, ",");
        if (strcmp(title, name) == 0)
            return cell;
    }
    return NULL;
}

START_TEST(csv_cells_stand_under_their_names)
{
    ck_assert_str_eq(csv_cell(TRAIN, "type"), "train");
    ck_assert_str_eq(csv_cell(TRAIN, "source"), "192.0.2.1:9000");
    ck_assert_str_eq(csv_cell(TRAIN, "rate_bps"), "9999997.6");
    ck_assert_str_eq(csv_cell(TRAIN, "jitter_ns"), ""); /* not of a train */
    ck_assert_str_eq(csv_cell(UNKNOWN_TRAIN, "rate_bps"), "");
    ck_assert_str_eq(csv_cell(SUMMARY, "jitter_ns"), "20");
    ck_assert_str_eq(csv_cell(SUMMARY, "state"), "shaped");
    ck_assert_str_eq(csv_cell(INTERVAL, "interval_s"), "0.500");
    ck_assert_str_eq(csv_cell(SUMMARY, "time_to_converge_s"), "2.500");
    ck_assert_str_eq(csv_cell(TRAIN, "why"), "own_load");
    ck_assert_str_eq(csv_cell(SUMMARY, "seen_bytes"), "4294967295");
    ck_assert_str_eq(csv_cell(UNKNOWN_SUMMARY, "advice"), "");
    ck_assert_str_eq(csv_cell(TRAIN, "flows"), "3");
    ck_assert_str_eq(csv_cell(SUMMARY, "policed_burst_bytes"), "30000");
    ck_assert_str_eq(csv_cell(UNKNOWN_TRAIN, "share_bps"), "");
    ck_assert_ptr_null(csv_cell(SUMMARY, "moon"));
}
END_TEST

/* Whoever counts columns finds those of before where they were. */
START_TEST(csv_grows_at_its_end)
{
    static const char end[] = ",refused_source,why,advice,seen_bytes,schema,share_bps,flows,"
                              "policed_bps,policed_burst_bytes,refused_stranger,refused_crowd,"
                              "refused_room,refused_memory,unshown,available_state,available_bps,"
                              "available_low_bps,available_high_bps,queue_ns,queue_p95_ns,"
                              "buffer_bytes,buffer_full,lossless_train,load_hops,"
                              "hops_count,narrow_hop,narrow_hop_last,narrow_link_bps,hops_why,"
                              "file,file_last,tight_hop,tight_hop_last,tight_link_bps,tight_why";

    line.bytes = 0;
    format_csv.head(&line, &run);
    ck_assert_str_eq(line.text + line.bytes - strlen(end), end);
}
END_TEST

/* --- For a person --- */

START_TEST(a_person_reads_the_estimate)
{
    format_written(&format_human, SUMMARY);
    ck_assert_ptr_nonnull(strstr(line.text, "10.00 Mbit/s (9.900 Mbit/s to 10.10 Mbit/s) shaped"));
    ck_assert_ptr_nonnull(strstr(line.text, "dropped here 19"));
    format_written(&format_human, TRAIN);
    ck_assert_ptr_nonnull(strstr(line.text, "7/8 x 1000 B 4.000 ms 10.00 Mbit/s partial"));
    ck_assert_ptr_null(strchr(line.text, '\n'));
    format_written(&format_human, UNKNOWN_TRAIN);
    ck_assert_ptr_nonnull(strstr(line.text, "1/2 x 64 B - - partial | - insufficient"));
}
END_TEST

START_TEST(one_train_is_no_plural)
{
    struct pprec_summary single = summary;
    struct record record = {.kind = RECORD_INTERVAL, .run = &run, .summary = &single, .interval_s = 10};

    for (unsigned count = 1; count < 3; count++) {
        char want[64];

        single.counts = (struct pprec_counts){.trains = count, .packets = count};
        snprintf(want, sizeof want, ": %u train%s, 0 usable; %u packet%s, 0 lost", count,
                 count == 1 ? "" : "s", count, count == 1 ? "" : "s");
        line.bytes = 0;
        format_human.record(&line, &record);
        line.text[line.bytes] = '\0';
        ck_assert_msg(strstr(line.text, want) != NULL, "%s, not %s", line.text, want);
    }
}
END_TEST

START_TEST(a_lower_bound_is_called_one)
{
    struct pprec_summary limited = summary;
    struct record record = records[SUMMARY];

    limited.capacity =
        (struct pprec_capacity){.state = PPREC_STATE_SENDER_LIMITED, .capacity_bps = 10e6, .low_bps = 10e6};
    record.summary = &limited;
    line.bytes = 0;
    format_human.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, "at least 10.00 Mbit/s sender_limited"));
    limited.capacity.state = PPREC_STATE_POLICED;
    line.bytes = 0;
    format_human.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, "at least 10.00 Mbit/s policed"));
}
END_TEST

/* What follows the rates in a summary of such an estimate, up to what is free. */
static const char *format_between(enum pprec_kind kind, struct pprec_capacity capacity)
{
    struct pprec_summary told = summary;
    struct record record = records[SUMMARY];
    char *begin, *end;

    capacity.capacity_bps = 10e6;
    capacity.low_bps = 9.9e6;
    capacity.high_bps = 10.1e6;
    told.capacity = capacity;
    told.kind = kind;
    record.summary = &told;
    line.bytes = 0;
    format_human.record(&line, &record);
    begin = strstr(line.text, "; asymptotic dispersion rate ");
    ck_assert_ptr_nonnull(begin);
    begin = strstr(begin, "bit/s") + strlen("bit/s");
    end = strstr(begin, "\n  available");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    return begin;
}

#define BETWEEN_OF(kind, ...) format_between(kind, (struct pprec_capacity){__VA_ARGS__})
#define BETWEEN(...) BETWEEN_OF(PPREC_KIND_PROBE, __VA_ARGS__)

START_TEST(a_person_reads_what_is_between)
{
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_CONVERGED), "");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_SHAPED, .peak_bps = 100e6, .burst_bytes = 15400),
                     "\n  token bucket of 15400 bytes; trains begin at 100.0 Mbit/s");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_FAIR, .share_bps = 2.5e6, .flows = 3),
                     "\n  fair queueing: 3 other flows; a long train got 2.500 Mbit/s");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_FAIR, .share_bps = 5e6, .flows = 1),
                     "\n  fair queueing: 1 other flow; a long train got 5.000 Mbit/s");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_FAIR, .share_bps = 9e6),
                     "\n  fair queueing: a long train got 9.000 Mbit/s");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_POLICED, .policed_bps = 4e6, .policed_burst_bytes = 30000),
                     "\n  policed to 4.000 Mbit/s, bucket of 30000 bytes");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_POLICED, .policed_bps = 4e6),
                     "\n  policed to 4.000 Mbit/s");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_VARYING),
                     "\n  varying: from 9.900 Mbit/s to 10.10 Mbit/s, each rate for a time; "
                     "capacity is the newest");
}
END_TEST

/* Of an answer; a bound says it in its first line, and a guess is none. What loses packets, loads the link by itself, is media, or is
 * as long as pptrans sends, has nothing to look further with. */
START_TEST(a_person_reads_how_large_a_bucket_would_hide)
{
    ck_assert_str_eq(
        BETWEEN(.state = PPREC_STATE_CONVERGED, .seen_bytes = 97152),
        "\n  bursts of up to 97 kB came: a shaper 10 % slower with a bucket of over 9.7 kB would not show"
        "; pptrans --mix -n 256 looks further");
    ck_assert_str_eq(
        BETWEEN(.state = PPREC_STATE_SHAPED, .peak_bps = 100e6, .burst_bytes = 15400, .seen_bytes = 97152),
        "\n  token bucket of 15400 bytes; trains begin at 100.0 Mbit/s"
        "\n  bursts of up to 97 kB came: a shaper 10 % slower with a bucket of over 23.6 kB would not show"
        "; pptrans --mix -n 256 looks further");
    ck_assert_str_eq(
        BETWEEN(.state = PPREC_STATE_CONVERGED, .why = PPREC_WHY_LOSSES, .seen_bytes = 44022),
        "\n  bursts of up to 44 kB came: a shaper 10 % slower with a bucket of over 4.4 kB would not show");
    ck_assert_str_eq(
        BETWEEN(.state = PPREC_STATE_CONVERGED, .why = PPREC_WHY_OWN_LOAD, .seen_bytes = 16698),
        "\n  bursts of up to 17 kB came: a shaper 10 % slower with a bucket of over 1.7 kB would not show");
    ck_assert_str_eq(
        BETWEEN(.state = PPREC_STATE_CONVERGED, .seen_bytes = 256 * 1518),
        "\n  bursts of up to 389 kB came: a shaper 10 % slower with a bucket of over 38.9 kB would not show");
    ck_assert_str_eq(
        BETWEEN_OF(PPREC_KIND_RTP, .state = PPREC_STATE_CONVERGED, .seen_bytes = 97152),
        "\n  bursts of up to 97 kB came: a shaper 10 % slower with a bucket of over 9.7 kB would not show");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_SENDER_LIMITED, .seen_bytes = 97152), "");
    ck_assert_str_eq(BETWEEN(.state = PPREC_STATE_TENTATIVE, .seen_bytes = 97152), "");
}
END_TEST

/* What a summary ends with, of such a figure. */
#define BEFORE_THAT "\n  policed to 4.000 Mbit/s, bucket of 30000 bytes"

static const char *ends_of(enum pprec_state state, double capacity_bps, struct pprec_available available)
{
    struct pprec_summary told = summary;
    struct record record = records[SUMMARY];

    told.capacity.state = state;
    told.capacity.capacity_bps = capacity_bps;
    told.capacity.seen_bytes = 0;
    told.available = available;
    record.summary = &told;
    line.bytes = 0;
    format_human.record(&line, &record);
    return strstr(line.text, BEFORE_THAT) + strlen(BEFORE_THAT);
}

static const char *ends_with(struct pprec_available available)
{
    return ends_of(PPREC_STATE_CONVERGED, 10e6, available);
}

#define ENDS_WITH(...) ends_with((struct pprec_available){__VA_ARGS__})
#define NO_QUEUE .queue_ns = PPREC_UNKNOWN_NS, .queue_p95_ns = PPREC_UNKNOWN_NS

/* A packet whose train is not complete came, too. */
START_TEST(a_person_reads_that_nothing_came)
{
    struct pprec_summary told = summary;
    struct record record = records[INTERVAL];

    told.counts = (struct pprec_counts){.packets = 0};
    record.summary = &told;
    line.bytes = 0;
    format_human.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, ": nothing came | "));
    told.counts.packets = 1;
    line.bytes = 0;
    format_human.record(&line, &record);
    ck_assert_ptr_nonnull(strstr(line.text, ": 0 trains, 0 usable; 1 packet, 0 lost"));
}
END_TEST

/* Among the trains, whose lines begin with when they came: 1700000001 is 22:13:21 UTC. */
START_TEST(a_person_reads_when_an_interval_ended)
{
    setenv("TZ", "UTC", 1);
    tzset();
    format_written(&format_human, INTERVAL);
    ck_assert_ptr_eq(strstr(line.text, "192.0.2.1:9000 0000beef, 0.5 s to 22:13:21.000: 11 trains"),
                     line.text);
    unsetenv("TZ");
    tzset();
}
END_TEST

START_TEST(a_person_reads_what_is_free)
{
    static const struct pprec_available a_queue = {.buffer_bytes = 3000, .queue_p95_ns = PPREC_UNKNOWN_NS};

    ck_assert_str_eq(ENDS_WITH(NO_QUEUE), "");
    ck_assert_str_eq(ends_with(summary.available),
                     "\n  available 6.200 Mbit/s (5.900 Mbit/s to 6.500 Mbit/s) converged"
                     "\n  queue 520.0 us, 95 % below 3.100 ms; buffer full at 64000 bytes; "
                     "longest train without loss 64");
    ck_assert_str_eq(
        ENDS_WITH(.state = PPREC_AVAILABLE_AT_LEAST, .available_bps = 4e6, .low_bps = 4e6, NO_QUEUE),
        "\n  available at least 4.000 Mbit/s at_least");
    ck_assert_str_eq(ENDS_WITH(.state = PPREC_AVAILABLE_CONVERGED, .high_bps = 1e6, NO_QUEUE),
                     "\n  available 0 bit/s (0 bit/s to 1.000 Mbit/s) converged");
    ck_assert_str_eq(ENDS_WITH(.queue_ns = 0, .queue_p95_ns = 1000, .buffer_bytes = 3000),
                     "\n  queue 0.0 us, 95 % below 1.0 us; buffer holds at least 3000 bytes");
    ck_assert_str_eq(ends_of(PPREC_STATE_TENTATIVE, 10e6, a_queue),
                     "\n  queue 0.0 us; buffer holds some 3000 bytes");
    format_written(&format_human, INTERVAL);
    ck_assert_ptr_nonnull(strstr(line.text, " | available 6.200 Mbit/s (5.900 Mbit/s to"));
    format_written(&format_human, UNKNOWN_INTERVAL);
    ck_assert_ptr_null(strstr(line.text, "available"));
}
END_TEST

START_TEST(a_person_reads_why_nothing_is_known_to_be_free)
{
    static const struct pprec_available unknown = {.trains = 12, NO_QUEUE};

    ck_assert_str_eq(ends_of(PPREC_STATE_INSUFFICIENT, 0, unknown),
                     "\n  available unknown (no capacity yet)");
    ck_assert_str_eq(ends_of(PPREC_STATE_SHAPED, 10e6, unknown),
                     "\n  available unknown (behind a bucket only trains twice as long tell)");
    ck_assert_str_eq(ends_of(PPREC_STATE_FAIR, 10e6, unknown), "\n  available unknown (no share yet)");
    ck_assert_str_eq(ends_of(PPREC_STATE_TENTATIVE, 10e6, unknown),
                     "\n  available unknown (too few readings)");
}
END_TEST

static void add_json(Suite *suite)
{
    TCase *json = tcase_create("json");

    tcase_add_test(json, json_has_the_keys_of_design);
    tcase_add_test(json, json_of_a_train);
    tcase_add_test(json, json_of_a_summary);
    tcase_add_loop_test(json, json_tells_what_is_free, 0, 2);
    tcase_add_test(json, json_of_a_full_link);
    tcase_add_test(json, what_flows_do_not_count_is_null);
    tcase_add_test(json, what_a_train_of_a_flow_lost_is_null);
    tcase_add_test(json, json_of_a_summary_tells_what_was_refused);
    tcase_add_test(json, json_says_null_for_what_is_unknown);
    tcase_add_loop_test(json, what_is_not_finite_is_unknown, 0, 3);
    tcase_add_loop_test(json, json_is_one_line, 0, RECORDS);
    tcase_add_test(json, json_of_a_time_below_zero);
    tcase_add_test(json, json_of_packets);
    suite_add_tcase(suite, json);
}

Suite *format_suite(void)
{
    Suite *suite = suite_create("format");
    TCase *text = tcase_create("text");
    TCase *csv = tcase_create("csv");
    TCase *human = tcase_create("human");

    add_json(suite);
    tcase_add_test(text, log_head_names_the_columns);
    tcase_add_test(text, log_of_a_train);
    tcase_add_test(text, log_has_a_dash_for_what_is_unknown);
    tcase_add_test(text, log_has_a_dash_for_what_a_flow_lost);
    tcase_add_test(text, log_of_summaries_is_a_comment);
    tcase_add_loop_test(csv, csv_has_as_many_columns_as_its_head, 0, RECORDS);
    tcase_add_test(csv, csv_cells_stand_under_their_names);
    tcase_add_test(csv, csv_grows_at_its_end);
    tcase_add_test(human, a_person_reads_the_estimate);
    tcase_add_test(human, one_train_is_no_plural);
    tcase_add_test(human, a_lower_bound_is_called_one);
    tcase_add_test(human, a_person_reads_what_is_between);
    tcase_add_test(human, a_person_reads_how_large_a_bucket_would_hide);
    tcase_add_test(human, a_person_reads_when_an_interval_ended);
    tcase_add_test(human, a_person_reads_that_nothing_came);
    tcase_add_test(human, a_person_reads_what_is_free);
    tcase_add_test(human, a_person_reads_why_nothing_is_known_to_be_free);
    suite_add_tcase(suite, text);
    suite_add_tcase(suite, csv);
    suite_add_tcase(suite, human);
    return suite;
}
