/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside turns: what trains tell of the link whose turns are of several packets. */
#ifndef FILTERS_TURNS_QUANTA_H
#define FILTERS_TURNS_QUANTA_H

#include "filters/statistics.h"

/* A full packet's own time, where pairs of all sizes come at the link's rate, and trains in batches, between which each of the
 * others has a turn as long as ours. 0: they do not. */
double turns_quanta_ns(const struct seen *seen, const struct statistics *s);

#endif
