/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "common/stamp.h"
#include "pprec/cmd/ranking.h"
#include "pprec/cmd/screen.h"
#include "pprec/pprec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_say(struct report *report, const char *text)
{
    if (text[0] == '\0')
        return;
    if (report->live != NULL)
        live_say(report->live, text);
    else
        fprintf(stderr, "pprec: %s\n", text);
}

/* False when the line is lost. */
static bool log_line(struct report *report, const struct line *line)
{
    struct error error;
    bool written = log_write(&report->log, line, &error) == 0;

    report_say(report, error.text);
    return written;
}

static int open_log(struct report *report, const char *path, struct error *error)
{
    struct line head = {0};

    format_log.head(&head, &report->run);
    return log_open(&report->log, path, &head, error);
}

static void show(const struct report *report, const struct line *line)
{
    if (report->unread)
        return;
    fwrite(line->text, 1, line->bytes, stdout);
    putchar('\n');
}

/* Of standard output. The default of 4096 bytes costs a system call for every ten trains, and
 * glibc keeps to it unless it is given the room, too. What is read at one go is flushed at
 * one go anyway. */
static char output[1 << 17];

static const struct format *screen_of(const struct options *options)
{
    return options->json ? &format_json : options->csv ? &format_csv : &format_human;
}

/* Whoever looks on at trains, beside lines and log. */
static int open_views(struct report *report, const struct options *options, const char *input,
                      struct error *error)
{
    bool live = options->live && screen_possible();

    if (!live && !report->served)
        return 0;
    report->tally = calloc(1, sizeof *report->tally);
    if (live && report->tally != NULL)
        report->live = live_new(&report->run, input, report->tally, stamp_now_ns(CLOCK_MONOTONIC));
    if (report->tally == NULL || (live && report->live == NULL))
        return error_set(error, "no memory to count trains");
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
        .stored = options_stored(options),
        .served = options->metrics != NULL,
    };
    if (report->logging && open_log(report, options->log, error) < 0)
        return -1;
    setvbuf(stdout, output, _IOFBF, sizeof output);
    if (open_views(report, options, input, error) < 0)
        return -1;
    if (report->screen->head != NULL) {
        report->screen->head(&line, &report->run);
        show(report, &line);
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
    report_end_view(report);
    if (report->logging && report->log.lost_lines > 0)
        fprintf(stderr, "pprec: log '%s': %llu lines could not be written, %llu of them trains\n",
                report->log.path, (unsigned long long)report->log.lost_lines,
                (unsigned long long)report->run.unlogged);
    if (report->logging)
        log_close(&report->log);
    report->logging = false;
    free(report->tally);
    report->tally = NULL;
}

void report_reopen(struct report *report)
{
    struct error error;

    if (!report->logging)
        return;
    log_reopen(&report->log, &error);
    report_say(report, error.text);
}

static void emit(struct report *report, const struct record *record)
{
    struct line line;

    if (report->logging) {
        line.bytes = 0;
        format_log.record(&line, record);
        if (!log_line(report, &line) && record->kind == RECORD_TRAIN)
            report->run.unlogged++;
    }
    if ((report->quiet && record->kind == RECORD_TRAIN) || report->live != NULL)
        return;
    line.bytes = 0;
    report->screen->record(&line, record);
    show(report, &line);
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
    report->newest = train->capacity;
    report->newest_why = train->why;
    report->newest_advice = train->advice;
    if (report->tally != NULL)
        tally_train(report->tally, train, stamp_now_ns(CLOCK_MONOTONIC));
    if (report->live != NULL)
        live_train(report->live, train);
    emit(report, &record);
}

void report_put_change(struct report *report, const struct pprec_change *change)
{
    struct line line;

    if (report->left_out || !format_doubt_is_new(change))
        return;
    if (report->logging) {
        line.bytes = 0;
        format_log.doubt(&line, change);
        log_note(&report->log, &line);
    }
    if (report->quiet || report->live != NULL || report->screen->doubt == NULL)
        return;
    line.bytes = 0;
    report->screen->doubt(&line, change);
    show(report, &line);
}

void report_status(const struct report *report, struct line *line)
{
    line_add(line, "%llu trains", (unsigned long long)report->trains);
    if (report->run.unlogged > 0)
        line_add(line, " (%llu not in the log)", (unsigned long long)report->run.unlogged);
    if (report->newest.capacity_bps > 0) {
        line_add(line, format_is_bound(&report->newest) ? ", at least " : ", ");
        line_add_rate(line, report->newest.capacity_bps);
        line_add(line, " %s", pprec_state_name(report->newest.state));
    }
    format_doubt(line, report->newest.state, report->newest_why, report->newest_advice);
}

void report_put_interval(struct report *report, const struct pprec_summary *summary,
                         double interval_s, int64_t time_ns)
{
    struct record record = {
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
    struct record record = {
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
    if (report->tally != NULL)
        tally_end(report->tally, &summary->source, summary->stream);
    if (report->ranking == NULL || !ranking_add(report->ranking, summary))
        show_summary(report, summary);
}

void report_rank(struct report *report)
{
    report->ranking = ranking_new();
}

void report_ranked(struct report *report, size_t top)
{
    size_t count = report->ranking != NULL ? ranking_sort(report->ranking) : 0;

    for (size_t i = 0; i < count && (top == 0 || i < top); i++)
        show_summary(report, ranking_at(report->ranking, i));
    if (top != 0 && count > top)
        fprintf(stderr, "pprec: the first %zu of %zu summaries\n", top, count);
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

static bool reader_gone(const struct report *report)
{
    return report->live != NULL ? screen_gone() : fflush(stdout) != 0 || ferror(stdout);
}

void report_say_refused(struct report *report)
{
    struct line line = {.bytes = 0};

    if (report->said_refused || report->trains > 0)
        return;
    format_refused(&line, "nothing measured yet, but refused ", report->run.pprec);
    if (line.bytes == 0)
        return;
    report->said_refused = true;
    report_say(report, line.text);
}

void report_say_no_estimate(const struct report *report, uint64_t packets)
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
    fprintf(stderr, "pprec: %s\n", line.text);
}

void report_flush(struct report *report)
{
    int why;

    if (report->logging)
        log_batch(&report->log);
    if (report->unread || !reader_gone(report))
        return;
    why = errno;
    report_end_view(report);
    report->unread = true;
    report->failed = why != EPIPE;
    fprintf(stderr, "pprec: standard output: %s; nothing more is shown%s\n", strerror(why),
            report->logging ? ", the log goes on" : "");
}
