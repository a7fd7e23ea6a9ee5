/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries held back to be shown in the order of their evidence. */
#ifndef PPREC_CMD_RANKING_H
#define PPREC_CMD_RANKING_H

#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>

struct ranking;

/* NULL when memory runs out. ranking_free() takes NULL. */
struct ranking *ranking_new(void);
void ranking_free(struct ranking *ranking);

/* False when memory runs out. */
bool ranking_add(struct ranking *ranking, const struct pprec_summary *summary);

/* Most evidence first: how far the estimate can be trusted, then usable trains.
 * Returns how many there are. */
size_t ranking_sort(struct ranking *ranking);
const struct pprec_summary *ranking_at(const struct ranking *ranking, size_t i);

#endif
