/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains of a few batches: interrupts that are held back, or ticks, each for many packets. */
#ifndef FILTERS_HELD_H
#define FILTERS_HELD_H

#include "filters/shape.h"

/* Of whole batches that hold what the time between them lets pass, a byte; none where traffic got
 * in. */
struct mean held_read(const struct shapes *shapes);

#endif
