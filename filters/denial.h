/* SPDX-License-Identifier: BSD-3-Clause */
/* What else the trains say of a gap that their heads hold up. */
#ifndef FILTERS_DENIAL_H
#define FILTERS_DENIAL_H

#include "filters/floor.h"

/* Whether readings of other sizes, from the index on, have the rate of the floor's gap. */
enum sizes sizes_read(const struct readings *readings, unsigned from,
                      const struct floor *floor);

/* Whether there are such readings, and most of them have it. */
bool sizes_bear_out(const struct readings *readings, const struct floor *floor);

/* Whether the readings from the index on deny the gap of floor: the last gaps of their
 * trains, or batches. */
bool denial_found(const struct readings *readings, unsigned from, const struct noise *noise,
                  const struct floor *floor);

#endif
