/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of output: what a train, an interval and a summary look like. */
#ifndef PPREC_CMD_FORMAT_H
#define PPREC_CMD_FORMAT_H

#include "pprec/cmd/line.h"
#include "pprec/pprec.h"

enum record_kind { RECORD_TRAIN = 1, RECORD_INTERVAL = 2, RECORD_SUMMARY = 4 };

/* What is the same for all streams of a run. */
struct run {
    const char *layer;
    const char *filter;
    const char *timestamps;
    uint64_t unlogged;         /* trains that the log had no room for */
    const struct pprec *pprec; /* what it refused; NULL: nothing */
    int packets;               /* JSON tells the packets of a train */
};

struct record {
    enum record_kind kind;
    const struct run *run;
    const struct pprec_train *train;     /* RECORD_TRAIN */
    const struct pprec_summary *summary; /* the others */
    int64_t time_ns;                     /* since 1970: of the train, or of the report */
    double interval_s;                   /* RECORD_INTERVAL */
};

/* Each writes one or more whole lines, without the last newline, into an empty
 * line; head() what stands at the top, if anything. */
struct format {
    void (*head)(struct line *line, const struct run *run);
    void (*record)(struct line *line, const struct record *record);
};

/* Adds before and what was refused, by reason; nothing when there is none. */
void format_refused(struct line *line, const char *before, const struct pprec *pprec);

extern const struct format format_log;   /* for gnuplot */
extern const struct format format_json;  /* JSON Lines */
extern const struct format format_csv;   /* the same fields, for spreadsheets */
extern const struct format format_human; /* for a terminal */

#endif
