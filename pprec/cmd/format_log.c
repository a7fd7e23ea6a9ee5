/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that gnuplot reads as it is: columns, "-" for none, "#" for the rest. */
#include "pprec/cmd/format.h"

#include <time.h>

static void add_kbps(struct line *line, double bps)
{
    line_add_char(line, ' ');
    if (line_known(bps))
        line_add_thousandths(line, bps / 1e3);
    else
        line_add_char(line, '-');
}

static void add_word(struct line *line, const char *word)
{
    line_add_char(line, ' ');
    line_add_text(line, word);
}

static void format_log_add_counts(struct line *line, const uint32_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        line_add_char(line, ' ');
        line_add_count(line, counts[i]);
    }
}

static void add_us(struct line *line, int64_t ns)
{
    line_add_char(line, ' ');
    line_add_thousandths(line, (double)ns / 1e3);
}

static void format_log_head(struct line *line, const struct format_run *run)
{
    char started[32];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    line_add(line, "# pprec %s layer=%s filter=%s timestamps=%s started=%s\n", pprec_version(), run->layer,
             run->filter, run->timestamps, started);
    line_add(line,
             "# time source stream train size sent received lost dispersion_us rate_kbps"
             " verdict capacity_kbps low_kbps high_kbps state");
}

static void format_log_add_train(struct line *line, const struct record *record)
{
    const struct pprec_train *train = record->train;
    char source[64];

    pprec_endpoint_text(&train->source, source, sizeof source);
    line_add_time(line, record->time_ns);
    add_word(line, source);
    line_add_char(line, ' ');
    line_add_hex(line, train->stream);
    format_log_add_counts(
        line, (const uint32_t[]){train->train, train->size_bytes, train->sent, train->received}, 4);
    if (format_is_numbered(train->kind))
        format_log_add_counts(line, (const uint32_t[]){format_lost(train)}, 1);
    else
        line_add_text(line, " -");
    if (train->dispersion_ns == PPREC_UNKNOWN_NS)
        line_add_text(line, " -");
    else
        add_us(line, train->dispersion_ns);
    add_kbps(line, train->rate_bps);
    add_word(line, pprec_verdict_name(train->verdict));
    add_kbps(line, train->capacity.capacity_bps);
    add_kbps(line, train->capacity.low_bps);
    add_kbps(line, train->capacity.high_bps);
    add_word(line, pprec_state_name(train->capacity.state));
}

/* Several streams may share the file. */
static void format_log_doubt(struct line *line, const struct pprec_change *change)
{
    char source[64];

    pprec_endpoint_text(&change->source, source, sizeof source);
    line_add(line, "# ");
    line_add_time(line, change->time_ns);
    line_add(line, " %s %08x %s", source, change->stream, pprec_state_name(change->capacity.state));
    format_doubt(line, &change->capacity, false);
}

/* Intervals and summaries do not fit the columns: comments. */
static void format_log_record(struct line *line, const struct record *record)
{
    if (record->kind == RECORD_TRAIN) {
        format_log_add_train(line, record);
        return;
    }
    line_add(line, "# ");
    format_json.record(line, record);
}

const struct format format_log = {
    .head = format_log_head, .record = format_log_record, .doubt = format_log_doubt};
