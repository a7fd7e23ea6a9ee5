/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored captures, as fast as they can be read. */
#ifndef PPREC_CMD_REPLAY_H
#define PPREC_CMD_REPLAY_H

#include "common/error.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

enum { REPLAY_DAMAGED = -1 };

/* From now on SIGINT and SIGTERM end a replay, and all that run beside it; whether one has come. */
void replay_obey_signals(void);
bool replay_stopped(void);

/* Runs to the end of the files, -c, -t, SIGINT or SIGTERM. names: of the files, for showing progress;
 * NULL: none is shown. 0, or REPLAY_DAMAGED when a file could not be read to its end; the error's
 * text tells of the last one, those before are told as they come. */
int replay_run(struct pprec *pprec, struct report *report, const struct options *options,
               const char *const *names, struct error *error);

#endif
