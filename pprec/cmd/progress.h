/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the reading of stored captures has come: one line on standard error that
 * overwrites itself, where that is a terminal and nothing else is being printed. */
#ifndef PPREC_CMD_PROGRESS_H
#define PPREC_CMD_PROGRESS_H

#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *const *files;
    bool wanted;
    bool shown;       /* there is a line to clear */
    double all_bytes; /* of the files; 0: not known */
    int64_t next_ns;  /* when it is shown next */
};

/* files: that are read; quiet: trains are not printed. now_ns: CLOCK_MONOTONIC, here and below. */
void progress_begin(struct progress *progress, const char *const *files, bool quiet, int64_t now_ns);

/* Of the bytes, 0 to 1; -1 when it is not known, as with standard input. */
double progress_share(const struct progress *progress, const struct pprec *pprec);

/* After the first second, five times per second. */
void progress_show(struct progress *progress, const struct pprec *pprec, int64_t now_ns);

/* The same of so many files, each read by itself. */
void progress_show_files(struct progress *progress, size_t done, size_t count, int64_t now_ns);

/* Makes room for what is printed next. */
void progress_clear(struct progress *progress);

#endif
