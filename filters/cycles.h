/* SPDX-License-Identifier: BSD-3-Clause */
/* Media that take packets once in a cycle, or for a part of each: grants, TTIs, ticks, gates. */
#ifndef FILTERS_CYCLES_H
#define FILTERS_CYCLES_H

#include "filters/candidate.h"
#include "filters/statistics.h"

/* In fewer packets than that no cycle shows. */
enum { CYCLE_PACKETS = 2 };

/* Whether whole batches of trains, and waits of first packets, are those of cycles, or of a medium that is open for a part of
 * each. */
bool cycles_hold(const struct statistics *statistics);

/* What traffic may have lengthened gaps of cycles by, as a share. */
double cycles_added(const struct statistics *statistics);

/* Whether trains, however few, may tell the rate of a line that a cycle opens: they fit into one, or come as through a medium
 * that is open for a part of each. */
bool cycles_may_be(const struct seen *seen, const struct statistics *statistics,
                   const struct candidate *told);

/* Whether trains that no whole cycle fits into have pauses of a medium that is shut for a part of each, where packets pass at
 * that gap. */
bool cycles_pause(const struct seen *seen, const struct statistics *statistics, double gap_ns);

#endif
