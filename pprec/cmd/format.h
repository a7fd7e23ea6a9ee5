/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of output: what a train, an interval and a summary look like. */
#ifndef PPREC_CMD_FORMAT_H
#define PPREC_CMD_FORMAT_H

#include "pprec/cmd/hops.h"
#include "pprec/cmd/line.h"
#include "pprec/pprec.h"

#include <stdbool.h>

enum record_kind { RECORD_TRAIN = 1, RECORD_INTERVAL = 2, RECORD_SUMMARY = 4 };

/* What is the same for all streams of a run. */
struct format_run {
    const char *layer;
    const char *filter;
    const char *timestamps;
    uint64_t unlogged;         /* trains that the log had no room for */
    uint64_t unshown;          /* records that standard output had no room for */
    const struct pprec *pprec; /* what it refused; NULL: nothing */
    uint64_t memory_bytes;     /* that it may take */
    int packets;               /* JSON tells the packets of a train */
};

struct record {
    enum record_kind kind;
    const struct format_run *run;
    const struct pprec_train *train;     /* RECORD_TRAIN */
    const struct pprec_summary *summary; /* the others */
    const struct hops *hops;             /* of them, where trains went hop by hop; else NULL */
    int64_t time_ns;                     /* since 1970: of the train, or of the report */
    double interval_s;                   /* RECORD_INTERVAL */
};

/* Each writes one or more whole lines, without the last newline, into an empty
 * line; head() what stands at the top, if anything, doubt() why an estimate is in doubt,
 * for people: NULL where records tell. */
struct format {
    void (*head)(struct line *line, const struct format_run *run);
    void (*record)(struct line *line, const struct record *record);
    void (*doubt)(struct line *line, const struct pprec_change *change);
};

/* Whether the capacity is a lower bound: the path may be faster. */
bool format_is_bound(const struct pprec_capacity *capacity);

/* Whether its packets have numbers, which tell what is lost, twice or late: those of others' flows have none. */
bool format_is_numbered(enum pprec_kind kind);

/* Packets of a train that are missing: none of a load that was to die on the way. */
uint32_t format_lost(const struct pprec_train *train);

/* Adds " (why; what would help)", of a sure estimate too, or nothing where there is neither. ended: nothing more
 * comes, so nobody is told to wait for it. */
void format_doubt(struct line *line, const struct pprec_capacity *capacity, bool ended);

/* Whether there is such a sentence, and it is another one than before the change, or of another state. */
bool format_doubt_is_new(const struct pprec_change *change);

/* Whether there was one, and there is none any more. */
bool format_doubt_is_over(const struct pprec_change *change);

/* Adds "6.200 Mbit/s (5.900 Mbit/s to 6.500 Mbit/s) converged", "at least 6.200 Mbit/s at_least", or
 * "unknown (no capacity yet)"; nothing of streams that do not tell when they send. */
void format_available(struct line *line, const struct pprec_summary *summary);

/* Adds "share 2.500 Mbit/s beside 3 flows", of a fair queue whose share is known. */
void format_share(struct line *line, const struct pprec_capacity *capacity);

/* Adds "queue 0.52 ms, 95 % below 3.1 ms; buffer full at 64000 bytes; ..." as far as it is known. */
void format_queue(struct line *line, const struct pprec_summary *summary);

/* Adds "1 usable train of 61", and the doubt: of a stream without an estimate, which has ended. */
void format_usable(struct line *line, const struct pprec_summary *summary);

/* Adds before and what was refused, by reason; nothing when there is none. */
void format_refused(struct line *line, const char *before, const struct pprec *pprec);

extern const struct format format_log;   /* for gnuplot */
extern const struct format format_json;  /* JSON Lines */
extern const struct format format_csv;   /* the same fields, for spreadsheets */
extern const struct format format_human; /* for a terminal */

#endif
