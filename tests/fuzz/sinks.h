/* SPDX-License-Identifier: BSD-3-Clause */
/* A handle whose trains, changes and summaries are checked as figures.h does, and then written
 * as each sink writes them: whole lines, of as many fields as there are, no number that is none;
 * JSON that a strict reader takes. */
#ifndef TESTS_FUZZ_SINKS_H
#define TESTS_FUZZ_SINKS_H

#include "pprec/cmd/format.h"
#include "pprec/pprec.h"

/* As figures_handle(). The run is the caller's memory, and filled in here; it lasts as long as
 * the handle. */
struct pprec *sinks_handle(struct pprec_config config, unsigned filter, struct format_run *run);

#endif
