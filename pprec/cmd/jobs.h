/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored captures side by side: each is read by itself, in a handle of its own, and told in the order
 * of their names. */
#ifndef PPREC_CMD_JOBS_H
#define PPREC_CMD_JOBS_H

#include "common/error.h"
#include "pprec/cmd/finish.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"

#include <stddef.h>

struct jobs;

/* Begins the threads, which wait: what confines them comes between. report: the whole, whose sinks
 * are open; it and the names stay the caller's. NULL with the error's text set. */
struct jobs *jobs_new(const struct options *options, const char *const *names, size_t count,
                      struct report *report, struct error *error);

/* Reads all, to the end or to a signal, and frees the jobs. The outcome of all together: an estimate
 * where any has one and none was damaged. */
enum outcome jobs_run(struct jobs *jobs);

/* Instead of jobs_run(). */
void jobs_free(struct jobs *jobs);

#endif
