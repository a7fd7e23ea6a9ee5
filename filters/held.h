/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains of a few batches: interrupts that are held back, or ticks, each for many packets. */
#ifndef FILTERS_HELD_H
#define FILTERS_HELD_H

#include "filters/shape.h"

/* Whether whole batches hold what the time between them lets pass, and no traffic got in: then
 * the mean gap, and half the width of its 95 % interval, ns a byte. */
bool held_told(const struct shapes *shapes, double *gap_ns, double *error_ns);

#endif
