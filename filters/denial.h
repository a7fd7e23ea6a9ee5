/* SPDX-License-Identifier: BSD-3-Clause */
/* What else the trains say of a gap that readings of their heads, or of them, hold up. */
#ifndef FILTERS_DENIAL_H
#define FILTERS_DENIAL_H

#include "filters/candidate.h"
#include "filters/columns.h"

/* What the readings from the index on have against the gap: packets of other sizes, the last gaps
 * of their trains, or batches. */
struct evidence denial_read(const struct readings *readings, unsigned from, const struct noise *noise,
                            const struct floors *floors, double gap_ns);

/* Whether there are readings of other sizes, and most of them have the rate of that gap. */
bool denial_sizes_bear_out(const struct readings *readings, const struct floors *floors, double gap_ns,
                           double noise_ns);

/* How those that have the gap left: whether it is the sender's, and a bound; or else in doubt, as
 * some of them left with it. */
struct departures {
    bool limited, doubtful;
};

struct departures departures_read(const struct readings *readings, unsigned from, uint32_t bytes,
                                  double gap_ns, double same_ns);

#endif
