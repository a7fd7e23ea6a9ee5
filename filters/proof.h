/* SPDX-License-Identifier: BSD-3-Clause */
/* The gap that the least delays hold up, and whether they prove it. */
#ifndef FILTERS_PROOF_H
#define FILTERS_PROOF_H

#include "filters/candidate.h"
#include "filters/columns.h"

/* Of readings with delays that do not agree; gap_ns is 0 where no three of them agree on one. */
struct proposal proof_read(struct columns *columns, const struct floors *floors, const struct noise *noise);

#endif
