/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that people have and that are no FIFO queue in front of a transmitter: media where each
 * packet waits by itself, grants, fair queues, rates that vary. */
#ifndef FILTERS_ACCESS_H
#define FILTERS_ACCESS_H

#include "filters/statistics.h"

/* Whether one of them explains what is seen, and no chain of FIFO links does; then *estimate is
 * its own. pairs: from weigh_read_pairs(). */
bool access_told(const struct seen *seen, const struct floor *pairs,
                 const struct statistics *statistics, struct estimate *estimate);

/* Lowers an estimate that a chain of FIFO links gave, and that the statistics deny. */
void access_doubt(const struct statistics *statistics, struct estimate *estimate);

#endif
