/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a measurement: its summaries, what there is to say of it, and what came of it. */
#ifndef PPREC_CMD_FINISH_H
#define PPREC_CMD_FINISH_H

#include "pprec/cmd/line.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

#include <stdbool.h>

/* As the program tells its caller. */
enum outcome { OUTCOME_ESTIMATE, OUTCOME_NO_ESTIMATE, OUTCOME_UNUSABLE, OUTCOME_NOTHING };

/* Reports the summaries, and says on standard error what was left out and why there is no
 * estimate. */
void finish(struct pprec *pprec, const struct options *options, struct report *report);

/* Whether all trains, nearly, came as they left, and at once: as captured at the sender, or of a path that is faster than
 * its sender. */
bool finish_shows_no_path(const struct pprec_capture_counts *counts);

/* Adds how many packets were in which tunnels, and what would help; nothing where none were. */
void finish_add_tunnels(struct line *line, const struct pprec_capture_counts *counts);

/* Of a run that has been finished. Damage leaves an estimate that is not to be relied on; and
 * nothing, where nothing stood in front of it. */
enum outcome finish_outcome(const struct pprec *pprec, const struct options *options,
                            const struct report *report, bool damaged);

#endif
