/* SPDX-License-Identifier: BSD-3-Clause */
/* A link that sends at the ticks of a clock, more of them for a packet or less: radio slots of which a packet takes some. */
#ifndef FILTERS_GRID_H
#define FILTERS_GRID_H

#include "filters/statistics.h"

/* Whether gaps of pairs of all sizes are whole multiples of one time, of several of them, and first packets wait for up to
 * that time, evenly. Others' packets are in no proportion to smaller packets of ours. */
bool grid_holds(const struct seen *seen, const struct statistics *s);

#endif
