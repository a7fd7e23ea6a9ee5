/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside floor: the gap that the least delays hold up, and whether they prove it. */
#ifndef FILTERS_PROOF_H
#define FILTERS_PROOF_H

#include "filters/columns.h"

/* Sets gap_ns, its error, support and proven of floor, as far as there is a gap that
 * three readings agree on. sorted: all gaps, ascending; reach: how far gaps count as
 * equal. */
void proof_read(const struct columns *columns, const double *sorted, double reach,
                struct floor *floor);

#endif
