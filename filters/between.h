/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair queueing told by pairs alone: whole packets of others are between two of ours. */
#ifndef FILTERS_BETWEEN_H
#define FILTERS_BETWEEN_H

#include "filters/seen.h"

/* The link's rate, where gaps of pairs of two sizes are a packet's own time and whole packets of others, as long as ours or the
 * largest Ethernet frames, that come and go. 0: they are not. bytes: of most pairs. */
double between_bps(const struct seen *seen, uint32_t bytes);

#endif
