/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of whole lines that is only ever appended to. */
#ifndef PPREC_CMD_LOG_H
#define PPREC_CMD_LOG_H

#include "common/error.h"
#include "pprec/cmd/line.h"

#include <stdbool.h>
#include <stdint.h>

struct log {
    const char *path;
    struct line head; /* what a file begins with */
    int fd;
    uint64_t lost_lines; /* not written, all in all */
    uint64_t lost_now;   /* since writing last worked */
    int lost_errno;      /* why */
    bool torn;           /* the file ends inside a line */
    bool head_owed;      /* there was no room for it */
    bool looked;         /* whether the file is still there */
    bool gone;           /* it is not */
};

/* Opens the file, made if need be, and writes the head, one line or more. path
 * stays the caller's. 0, or -1 with the error's text set. */
int log_open(struct log *log, const char *path, const struct line *head, struct error *error);

/* Opens the path anew (it was rotated away). 0, or -1 on failure: the old file stays.
 * The error's text is set then, and when lines are written again. */
int log_reopen(struct log *log, struct error *error);

/* Writes the line and a newline with one write(2), so that whoever reads, or a
 * kill, sees all of it or nothing. Where lines were lost a comment says so, once
 * there is room; a file that was removed is begun anew. Returns 0, or -1 when the
 * line is lost; the error's text is set only when there is news, good or bad. The
 * measurement goes on. */
int log_write(struct log *log, const struct line *line, struct error *error);

/* Writes a comment that may be missing, as where the disk is full: then it is neither
 * counted nor said to be. */
void log_note(struct log *log, const struct line *line);

/* A new batch of lines: before its first one is written, log_write() looks whether the
 * file is still there. For each line that would cost as much as writing it. */
void log_batch(struct log *log);

void log_close(struct log *log);

#endif
