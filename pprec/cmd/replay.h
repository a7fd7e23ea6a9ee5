/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored captures, as fast as they can be read. */
#ifndef PPREC_CMD_REPLAY_H
#define PPREC_CMD_REPLAY_H

#include "common/error.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

enum { REPLAY_DAMAGED = -1 };

/* Runs to the end of the files, -c, SIGINT or SIGTERM. 0, or REPLAY_DAMAGED when
 * a file could not be read to its end; the error's text tells of the last one,
 * those before are told as they come. */
int replay_run(struct pprec *pprec, struct report *report, const struct options *options,
               struct error *error);

#endif
