/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that people have and that are no FIFO queue in front of a transmitter: media where each
 * packet waits by itself, grants, fair queues, rates that vary. */
#ifndef FILTERS_ACCESS_H
#define FILTERS_ACCESS_H

#include "filters/candidate.h"
#include "filters/comb.h"
#include "filters/statistics.h"
#include "filters/witness.h"

/* The gap of one of them that explains what is seen, where no chain of FIFO links does, or
 * ORIGIN_NONE. */
struct proposal access_read(const struct seen *seen, const struct statistics *statistics);

/* Whether the rate may vary, as far as too few pairs tell: gaps in a row are alike, or stand on two levels. */
bool access_may_vary(const struct statistics *statistics);

/* Whether two to four long trains, too few to deny a rate by their ends, all end slower. */
bool access_may_end_slower(const struct statistics *statistics);

/* A token bucket that trains tell, each with its knee elsewhere: how much it holds is not told. */
struct shaped access_shared(const struct statistics *statistics, const struct candidate *pairs);

/* What a bucket of that rate has at the most, if gaps behind it say that others at a constant rate are among them; 0: they
 * do not. */
struct spared access_spared(const struct statistics *statistics, double bps);

/* What batches of trains that hold only a few of them came at, behind the first one; 0: they are no such trains. */
double access_burst_bps(const struct statistics *statistics);

/* Behind one bucket of that rate trains go on with it to their end; where they agree on a slower one, another bucket
 * ended as well. bit/s; 0: they go on with that rate. */
double access_end_slower(const struct statistics *statistics, double bps);

/* The better guess where the statistics, or last gaps if no train is long, deny what pairs or a chain of FIFO links
 * gave, or ORIGIN_NONE. */
struct proposal access_deny(const struct seen *seen, const struct statistics *statistics,
                            const struct witness *told);

#endif
