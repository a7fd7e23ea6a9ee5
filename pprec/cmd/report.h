/* SPDX-License-Identifier: BSD-3-Clause */
/* The sinks: where records go. Log first, then the screen, so that what is shown
 * is in the file. */
#ifndef PPREC_CMD_REPORT_H
#define PPREC_CMD_REPORT_H

#include "pprec/cmd/format.h"
#include "pprec/cmd/ledger.h"
#include "pprec/cmd/live.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/output.h"
#include "pprec/cmd/sheets.h"
#include "pprec/cmd/tally.h"

#include <stdbool.h>
#include <stdint.h>

/* Trains that -n left out. */
struct report_others {
    uint32_t wanted; /* packets of a train; 0: any */
    uint64_t trains;
    uint32_t least, most; /* packets that they had */
};

struct report {
    struct format_run run;
    const struct format *screen;
    bool quiet;
    struct output output;
    uint64_t unshown_told; /* records left out until the reader went on last */
    bool said_stalled;
    bool unread;  /* standard output takes no more */
    bool failed;  /* and not because its reader had seen enough; or it left out records */
    bool hurried; /* asked to end: a reader that stalls is not waited for any more */
    bool logging;
    struct ledger ledger;
    unsigned log_begun;           /* its files that told of doubts at their start */
    uint64_t rationed;            /* trains that the log would have had, but for --log-rate */
    uint64_t trains;              /* reported */
    struct pprec_capacity newest; /* the estimate after the last train */
    bool left_out;                /* that train came after the last that was asked for */
    uint64_t trains_max;          /* no more are reported; 0: no end */
    struct report_others others;
    bool said_refused;
    bool estimated; /* a summary had an estimate */
    uint64_t summaries;
    struct pprec_summary best; /* of those, the one of most usable trains */
    bool stored;               /* summaries bear the time of a stored capture */
    struct tally *tally;       /* NULL: nobody wants it, as of a stored capture */
    struct live *live;         /* NULL: lines are shown */
    struct sheet *sheet;       /* of one job among others: where all goes to; NULL: to where it belongs */
    const char *about;         /* what messages are about, ...  NULL: about all */
    bool served;               /* --metrics: there is always a reader */
    struct ranking *ranking;   /* holds summaries back; NULL: they are shown at once */
};

/* input: what is listened to; it and timestamps stay the caller's.
 * 0, or -1 with the error's text set, as when the log cannot be opened. */
int report_open(struct report *report, const struct options *options, const char *input,
                const char *timestamps, struct error *error);
void report_close(struct report *report);

/* That of a job, whose records go to the sheet as those of the whole go to its sinks: they are
 * written by report_put_text(), and its messages name what they are about. Nothing is to be closed
 * but by report_close(). */
void report_open_job(struct report *report, const struct report *whole, struct sheet *sheet,
                     const char *about);

/* A text of a job's sheet. */
void report_put_text(struct report *report, enum sheet_kind kind, const char *text, size_t bytes);

/* From now on lines are shown. */
void report_end_view(struct report *report);

/* SIGHUP */
void report_reopen(struct report *report);

void report_put_train(struct report *report, const struct pprec_train *train);
/* Why the estimate is in doubt, where that is news: a line below its train, a comment in
 * the log. */
void report_put_change(struct report *report, const struct pprec_change *change);
void report_put_interval(struct report *report, const struct pprec_summary *summary, double interval_s,
                         int64_t time_ns);
void report_put_summary(struct report *report, const struct pprec_summary *summary);

/* Adds in short how it stands: trains, and the newest estimate. */
void report_status(const struct report *report, struct line *line);

/* A message for whoever watches: on standard error, or in the view. */
void report_say(struct report *report, const char *text);
void report_tell(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on summaries are held back; report_ranked() shows them, those of most
 * evidence first, and no more than top (0: all). */
void report_rank(struct report *report);
void report_ranked(struct report *report, size_t top);

/* Everything that was asked for with -c has been reported. */
bool report_full(const struct report *report);

/* Nobody reads: no log, no metrics, and standard output is gone. */
bool report_useless(const struct report *report);

/* Says on standard error, once, what was refused while there is nothing to report: a
 * wrong key must not look like silence. */
void report_say_refused(struct report *report);

/* Says on standard error why there is no estimate, if summaries had none, of so many packets. */
void report_say_no_estimate(struct report *report, uint64_t packets);

/* Says on standard error what trains -n left out, if any, and that it did. */
void report_say_others(struct report *report);

/* Hands what was printed to the reader of standard output, as far as he takes it at once; of
 * a stored capture he is waited for. When there is none any more, or no room, that is said
 * once, and the log goes on alone; when he stalls, and when he reads again, that is said, too. */
void report_flush(struct report *report);

/* Whether something waits for the reader, who may take it once report->output.fd is writable. */
bool report_waits(const struct report *report);

/* The same at the end: the reader is waited for, but for a second only when hurried. */
void report_deliver(struct report *report);

#endif
