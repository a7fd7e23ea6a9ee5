/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "common/stamp.h"
#include "pprec/cmd/each.h"
#include "pprec/cmd/ranking.h"
#include "pprec/cmd/say.h"
#include "pprec/cmd/screen.h"
#include "pprec/pprec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FULL_BYTES = 1 << 17, /* of a stored capture: a write for hundreds of trains */
    HURRIED_MS = 1000
};

/* Names what it is about, where the text does not. */
static void say_in_turn(struct report *report, const char *text)
{
    struct line line;

    line.bytes = 0;
    if (report->about != NULL && strncmp(text, report->about, strlen(report->about)) != 0) {
        line_add_printable(&line, report->about);
        line_add_text(&line, ": ");
    }
    line_add_text(&line, text);
    sheet_put(report->sheet, SHEET_SAY, line.text, line.bytes);
}

void report_say(struct report *report, const char *text)
{
    if (text[0] == '\0')
        return;
    if (report->live != NULL)
        live_say(report->live, text);
    else if (report->sheet != NULL)
        say_in_turn(report, text);
    else
        say("%s", text);
}

void report_tell(struct report *report, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_say(report, text);
}

/* --- The log --- */

static int report_open_log(struct report *report, const struct options *options, struct error *error)
{
    uint32_t rate_bytes = report->stored ? 0 : options->log_rate;
    struct line head = {0};

    format_log.head(&head, &report->run);
    if (ledger_open(&report->ledger, options->log, &head, rate_bytes, stamp_now_ns(CLOCK_MONOTONIC), error)
        < 0)
        return -1;
    report->log_begun = report->ledger.log.begun;
    return 0;
}

/* What a stream wants beyond its share of the log counts as a stranger's. */
static double standing_of(struct report *report, const struct pprec_endpoint *source, uint32_t stream,
                          size_t bytes, int64_t now_ns)
{
    double rate_bytes = report->ledger.ration.rate_bytes;

    if (report->tally == NULL || rate_bytes <= 0
        || !tally_affords(report->tally, source, stream, bytes, rate_bytes, now_ns))
        return 0;
    return tally_standing(report->tally, source, stream, now_ns);
}

static void log_doubts(struct report *report);

static void flush_log(struct report *report)
{
    struct error error;

    log_flush(&report->ledger.log, &error);
    report->run.unlogged = report->rationed + report->ledger.log.lost_trains;
    report_say(report, error.text);
    log_doubts(report);
}

/* Lines wait until what has come is read. Stored captures may come from a pipe, which lets us wait
 * for more. */
static void put_in_log(struct report *report, const struct line *line, bool is_train,
                       const struct pprec_endpoint *source, double standing, int64_t now_ns)
{
    struct error error;
    bool granted = ledger_write(&report->ledger, line, source, standing, now_ns, &error);

    report->rationed += is_train && !granted;
    report->run.unlogged = report->rationed + report->ledger.log.lost_trains;
    report_say(report, error.text);
    if (report->stored)
        flush_log(report);
}

static void log_record(struct report *report, const struct record *record)
{
    bool is_train = record->kind == RECORD_TRAIN;
    const struct pprec_endpoint *source = is_train ? &record->train->source : &record->summary->source;
    uint32_t stream = is_train ? record->train->stream : record->summary->stream;
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);
    struct line line;
    size_t share_bytes;

    line.bytes = 0;
    format_log.record(&line, record);
    if (report->sheet != NULL) {
        sheet_put(report->sheet, SHEET_LOG, line.text, line.bytes);
        return;
    }
    share_bytes = record->kind != RECORD_SUMMARY ? line.bytes : 0; /* it comes once */
    put_in_log(report, &line, is_train, source, standing_of(report, source, stream, share_bytes, now_ns),
               now_ns);
}

static void log_change(struct report *report, const struct pprec_change *change)
{
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);
    struct line line;

    line.bytes = 0;
    format_log.doubt(&line, change);
    if (report->sheet != NULL) {
        sheet_put(report->sheet, SHEET_LOG, line.text, line.bytes);
        return;
    }
    put_in_log(report, &line, false, &change->source,
               standing_of(report, &change->source, change->stream, line.bytes, now_ns), now_ns);
}

/* A file that was begun anew tells by itself what its first rows are about. */
static void log_doubts(struct report *report)
{
    struct pprec_summary summary;

    if (report->log_begun == report->ledger.log.begun || report->run.pprec == NULL)
        return;
    report->log_begun = report->ledger.log.begun;
    for (size_t i = 0; each_summary(report->run.pprec, i, &summary); i++) {
        struct pprec_change change = {.time_ns = summary.last_ns,
                                      .source = summary.source,
                                      .stream = summary.stream,
                                      .capacity = summary.capacity};

        if (format_doubt_is_new(&change))
            log_change(report, &change);
    }
}

/* --- Standard output --- */

/* While a stored capture is read nothing is lost by waiting. */
static bool waits_for_reader(const struct report *report)
{
    return report->stored && !report->hurried;
}

static void report_show_text(struct report *report, const char *text, size_t bytes)
{
    if (report->unread)
        return;
    report->run.unshown += !output_put(&report->output, text, bytes);
    if (!waits_for_reader(report) || output_waiting(&report->output) < FULL_BYTES)
        return;
    output_wait(&report->output, -1);
    if (output_waiting(&report->output) > 0)
        report->hurried = true; /* a signal */
}

static void report_show(struct report *report, const struct line *line)
{
    if (report->sheet != NULL)
        sheet_put(report->sheet, SHEET_SCREEN, line->text, line->bytes);
    else
        report_show_text(report, line->text, line->bytes);
}

/* --- Jobs --- */

void report_open_job(struct report *report, const struct report *whole, struct sheet *sheet,
                     const char *about)
{
    *report = (struct report){
        .run = whole->run,
        .screen = whole->screen,
        .quiet = whole->quiet,
        .logging = whole->logging,
        .trains_max = whole->trains_max,
        .others = {.wanted = whole->others.wanted},
        .stored = whole->stored,
        .sheet = sheet,
        .about = about,
    };
}

/* A whole line as the job made it. */
static void log_text(struct report *report, const char *text, size_t bytes)
{
    static const struct pprec_endpoint nobody;
    struct line line;

    line.bytes = bytes < sizeof line.text ? bytes : sizeof line.text - 1;
    memcpy(line.text, text, line.bytes);
    line.text[line.bytes] = '\0';
    put_in_log(report, &line, text[0] != '#', &nobody, 0, stamp_now_ns(CLOCK_MONOTONIC));
}

void report_put_text(struct report *report, enum sheet_kind kind, const char *text, size_t bytes)
{
    if (kind == SHEET_SCREEN)
        report_show_text(report, text, bytes);
    else if (kind == SHEET_LOG)
        log_text(report, text, bytes);
    else
        report_tell(report, "%.*s", (int)bytes, text);
}

/* --- Beginning and end --- */

static const struct format *screen_of(const struct options *options)
{
    return options->json ? &format_json : options->csv ? &format_csv : &format_human;
}

/* Opens what shows trains beside the lines, and the tally that says which streams are strangers. */
static int open_views(struct report *report, const struct options *options, const char *input,
                      struct error *error)
{
    bool live = options->live && screen_possible();

    if (!live && !report->served && (report->stored || !report->logging))
        return 0;
    report->tally = calloc(1, sizeof *report->tally);
    if (live && report->tally != NULL)
        report->live = live_new(&report->run, input, report->tally, stamp_now_ns(CLOCK_MONOTONIC));
    if (report->tally == NULL || (live && report->live == NULL))
        return error_set(error, "no memory to count trains");
    if (!report->stored && options->capture == NULL) /* there a server's flows have one address */
        report->tally->of_address = TALLY_PLACES / 4;
    return 0;
}

int report_open(struct report *report, const struct options *options, const char *input,
                const char *timestamps, struct error *error)
{
    struct line line = {0};

    *report = (struct report){
        .run = {.layer = options->layer,
                .filter = pprec_filter_name((size_t)options->filter),
                .timestamps = timestamps,
                .memory_bytes = options->memory_bytes,
                .packets = options->packets},
        .screen = screen_of(options),
        .quiet = options->quiet,
        .logging = options->log != NULL,
        .trains_max = options->trains,
        .others = {.wanted = options->train_length},
        .stored = options_stored(options),
        .served = options->metrics != NULL,
    };
    if (report->logging && report_open_log(report, options, error) < 0)
        return -1;
    if (output_open(&report->output, STDOUT_FILENO, OUTPUT_MOST_BYTES) < 0)
        return error_set(error, "no memory for standard output");
    if (open_views(report, options, input, error) < 0)
        return -1;
    if (report->screen->head != NULL) {
        report->screen->head(&line, &report->run);
        report_show(report, &line);
    }
    return 0;
}

/* Trains that were in the view are not shown again. */
void report_end_view(struct report *report)
{
    if (report->live == NULL)
        return;
    live_free(report->live);
    report->live = NULL;
    report->quiet = true;
}

void report_close(struct report *report)
{
    if (report->sheet != NULL)
        return;
    report_end_view(report);
    if (report->logging)
        ledger_close(&report->ledger);
    report->logging = false;
    output_close(&report->output);
    free(report->tally);
    report->tally = NULL;
}

void report_reopen(struct report *report)
{
    struct error error;

    if (!report->logging)
        return;
    flush_log(report);
    log_reopen(&report->ledger.log, &error);
    report_say(report, error.text);
    log_doubts(report);
}

static void emit(struct report *report, const struct record *record)
{
    struct line line;

    if (report->logging && record->kind != RECORD_TRAIN && report->sheet == NULL)
        flush_log(report); /* whose losses the record tells */
    if (report->logging)
        log_record(report, record);
    if ((report->quiet && record->kind == RECORD_TRAIN) || report->live != NULL)
        return;
    line.bytes = 0;
    report->screen->record(&line, record);
    report_show(report, &line);
}

static void report_note_other(struct report_others *others, const struct pprec_train *train)
{
    if (others->wanted == 0 || train->sent == others->wanted || train->verdict != PPREC_VERDICT_FOREIGN_SIZE)
        return;
    if (others->trains == 0 || train->sent < others->least)
        others->least = train->sent;
    if (train->sent > others->most)
        others->most = train->sent;
    others->trains++;
}

void report_put_train(struct report *report, const struct pprec_train *train)
{
    struct record record = {
        .kind = RECORD_TRAIN,
        .run = &report->run,
        .train = train,
        .time_ns = train->time_ns,
    };

    report->left_out = report_full(report);
    if (report->left_out)
        return;
    report->trains++;
    report_note_other(&report->others, train);
    report->newest = train->capacity;
    if (report->tally != NULL)
        tally_train(report->tally, train, stamp_now_ns(CLOCK_MONOTONIC));
    if (report->live != NULL)
        live_train(report->live, train);
    emit(report, &record);
}

void report_put_change(struct report *report, const struct pprec_change *change)
{
    bool is_new = format_doubt_is_new(change);
    struct line line;

    if (report->left_out)
        return;
    if (report->logging && (is_new || format_doubt_is_over(change)))
        log_change(report, change);
    if (!is_new || report->quiet || report->live != NULL || report->screen->doubt == NULL)
        return;
    line.bytes = 0;
    report->screen->doubt(&line, change);
    report_show(report, &line);
}

/* Those that were told, or where none is, all. */
static uint64_t report_trains_of(const struct report *report)
{
    struct pprec_totals totals;

    if (report->trains > 0 || report->run.pprec == NULL)
        return report->trains;
    pprec_get_totals(report->run.pprec, &totals);
    return totals.counts.trains;
}

/* The estimate after the last train. */
static struct pprec_capacity newest_of(const struct report *report)
{
    struct pprec_capacity newest = report->newest;
    struct pprec_summary summary;

    for (size_t i = 0;
         report->trains == 0 && report->run.pprec != NULL && each_summary(report->run.pprec, i, &summary);
         i++)
        if (i == 0 || summary.capacity.newest_ns > newest.newest_ns)
            newest = summary.capacity;
    return newest;
}

void report_status(const struct report *report, struct line *line)
{
    struct pprec_capacity newest = newest_of(report);
    uint64_t trains = report_trains_of(report);

    line_add(line, "%llu train%s", (unsigned long long)trains, trains == 1 ? "" : "s");
    if (report->run.unlogged > 0)
        line_add(line, " (%llu not in the log)", (unsigned long long)report->run.unlogged);
    if (newest.capacity_bps > 0) {
        line_add(line, format_is_bound(&newest) ? ", at least " : ", ");
        line_add_rate(line, newest.capacity_bps);
        line_add(line, " %s", pprec_state_name(newest.state));
    }
    format_doubt(line, &newest, false);
}

void report_put_interval(struct report *report, const struct pprec_summary *summary, double interval_s,
                         int64_t time_ns)
{
    struct hops hops;
    struct record record = {
        .hops = hops_get(&hops, report->run.pprec, summary) ? &hops : NULL,
        .kind = RECORD_INTERVAL,
        .run = &report->run,
        .summary = summary,
        .time_ns = time_ns,
        .interval_s = interval_s,
    };

    emit(report, &record);
}

static void show_summary(struct report *report, const struct pprec_summary *summary)
{
    struct hops hops;
    struct record record = {
        .hops = hops_get(&hops, report->run.pprec, summary) ? &hops : NULL,
        .kind = RECORD_SUMMARY,
        .run = &report->run,
        .summary = summary,
        .time_ns = report->stored ? summary->last_ns : stamp_now_ns(CLOCK_REALTIME),
    };

    emit(report, &record);
}

void report_put_summary(struct report *report, const struct pprec_summary *summary)
{
    if (summary->capacity.state != PPREC_STATE_INSUFFICIENT)
        report->estimated = true;
    if (report->summaries++ == 0 || summary->counts.usable > report->best.counts.usable)
        report->best = *summary;
    if (report->ranking != NULL && ranking_add(report->ranking, summary))
        return;
    show_summary(report, summary);
    if (report->tally != NULL)
        tally_end(report->tally, &summary->source, summary->stream);
}

void report_rank(struct report *report)
{
    report->ranking = ranking_new();
}

void report_ranked(struct report *report, size_t top)
{
    size_t count = report->ranking != NULL ? ranking_sort(report->ranking) : 0;

    report->ledger.ending = true;
    for (size_t i = 0; i < count && (top == 0 || i < top); i++)
        show_summary(report, ranking_at(report->ranking, i));
    if (top != 0 && count > top)
        report_tell(report, "the first %zu of %zu summaries", top, count);
    ranking_free(report->ranking);
    report->ranking = NULL;
}

bool report_full(const struct report *report)
{
    return report->trains_max != 0 && report->trains >= report->trains_max;
}

bool report_useless(const struct report *report)
{
    return report->unread && !report->logging && !report->served;
}

bool report_waits(const struct report *report)
{
    return !report->unread && output_waiting(&report->output) > 0;
}

/* With errno set. */
static bool reader_gone(struct report *report)
{
    if (report->live != NULL)
        return screen_gone();
    if (waits_for_reader(report) ? output_wait(&report->output, -1) == 0 : output_flush(&report->output) == 0)
        return false;
    errno = report->output.failed;
    return true;
}

void report_say_refused(struct report *report)
{
    struct line line = {.bytes = 0};

    if (report->said_refused || report_trains_of(report) > 0)
        return;
    format_refused(&line, "nothing measured yet, but refused ", report->run.pprec);
    if (line.bytes == 0)
        return;
    report->said_refused = true;
    report_say(report, line.text);
}

void report_say_no_estimate(struct report *report, uint64_t packets)
{
    struct line line = {.bytes = 0};

    if (report->estimated || packets == 0)
        return;
    line_add(&line, "no estimate: ");
    if (report->summaries > 1)
        line_add(&line, "of %llu streams the best has ", (unsigned long long)report->summaries);
    if (report->summaries > 0)
        format_usable(&line, &report->best);
    else
        line_add(&line, "no train was usable, of %llu packets", (unsigned long long)packets);
    report_say(report, line.text);
}

void report_say_others(struct report *report)
{
    const struct report_others *others = &report->others;
    struct line line = {.bytes = 0};

    if (others->trains == 0)
        return;
    line_add(&line, "-n %u left out %llu of %llu trains, of %u", others->wanted,
             (unsigned long long)others->trains, (unsigned long long)report->trains, others->least);
    if (others->most > others->least)
        line_add(&line, " to %u", others->most);
    line_add(&line, " packets: without -n all are used");
    report_say(report, line.text);
}

/* Once he has stalled, and once he has caught up. */
static void say_reader_stalls(struct report *report)
{
    uint64_t left_out = report->output.left_out;
    struct line line = {.bytes = 0};

    if (left_out > report->unshown_told && !report->said_stalled) {
        report->said_stalled = true;
        report_say(report,
                   "standard output is not read: from here on records are left out there, "
                   "all else goes on");
    } else if (report->said_stalled && !report_waits(report)) {
        report->said_stalled = false;
        line_add(&line, "standard output is read again; %llu records were left out",
                 (unsigned long long)(left_out - report->unshown_told));
        report->unshown_told = left_out;
        report_say(report, line.text);
    }
}

void report_flush(struct report *report)
{
    int why;

    if (report->sheet != NULL)
        return;
    if (report->logging)
        flush_log(report);
    if (report->unread)
        return;
    if (!reader_gone(report)) {
        say_reader_stalls(report);
        return;
    }
    why = errno;
    report_end_view(report);
    report->unread = true;
    report->failed = why != EPIPE;
    say("standard output: %s; nothing more is shown%s", strerror(why),
        report->logging ? ", the log goes on" : "");
}

void report_deliver(struct report *report)
{
    if (report->sheet != NULL)
        return;
    if (report->logging)
        flush_log(report);
    if (!report->unread)
        output_wait(&report->output, report->hurried ? HURRIED_MS : -1);
    report_flush(report);
    if (report_waits(report))
        say("standard output is not read: its last %zu bytes are left out", output_waiting(&report->output));
    report->failed = report->failed || report_waits(report) || report->output.left_out > 0;
}
