/* SPDX-License-Identifier: BSD-3-Clause */
/* What every sink may rely on: figures are finite, and 0 where nothing is known. */
#ifndef TESTS_FUZZ_FIGURES_H
#define TESTS_FUZZ_FIGURES_H

#include "pprec/pprec.h"

/* As callbacks of a configuration, whoever the user is; each aborts and names the figure that
 * is not one. */
void figures_of_train(void *user, const struct pprec_train *train);
void figures_of_change(void *user, const struct pprec_change *change);
void figures_of_congestion(void *user, const struct pprec_congestion *congestion);
void figures_of_summary(void *user, const struct pprec_summary *summary);
void figures_of_hops(const struct pprec_hops_summary *summary, const struct pprec_hop *hop);

/* The same of the handle's first stream, if there is one: as it is, and since the last call with
 * this cursor. */
void figures_of_interval(struct pprec *pprec, struct pprec_cursor *cursor);

/* A handle that checks so, with the filter of that number, modulo the number of filters. */
struct pprec *figures_handle(struct pprec_config config, unsigned filter);

/* How many filters there are. */
unsigned figures_filters(void);

#endif
