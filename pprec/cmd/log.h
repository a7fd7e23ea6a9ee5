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
    char *waiting; /* whole lines */
    size_t waiting_bytes;
    uint64_t lost_lines;  /* not written, all in all ... */
    uint64_t lost_trains; /* ... and those that are no comments */
    uint64_t lost_now;    /* since a line was last written ... */
    uint64_t lost_told;   /* ... and since it was last said that lines are lost */
    int lost_errno;       /* why */
    unsigned begun;       /* files so far */
    bool is_file;         /* else a pipe or a device */
    bool torn;            /* the file ends inside a line */
    bool head_owed;       /* there was no room for it */
};

/* Opens the file, made if need be, and writes the head, one line or more. path
 * stays the caller's. 0, or -1 with the error's text set. */
int log_open(struct log *log, const char *path, const struct line *head, struct error *error);

/* Opens the path anew (it was rotated away). 0, or -1 on failure: the old file stays.
 * The error's text is set then, and when lines are written again. */
int log_reopen(struct log *log, struct error *error);

/* The line, which has no end yet, is the last of those that wait. A write(2) costs as much as all the
 * rest of a line: whoever has read what came calls log_flush(), which writes them all with one, so that
 * whoever reads, or a kill, sees whole lines. Where there is no more room it does so itself, else error
 * stays as it is. */
void log_write(struct log *log, const struct line *line, struct error *error);

/* Where lines were lost a comment says so, once there is room; a file that was removed is begun anew.
 * Comments that are no records ("# {") may be missing: they are not counted. The error's text is empty
 * where there is no news, good or bad. The measurement goes on. */
void log_flush(struct log *log, struct error *error);

void log_close(struct log *log);

#endif
