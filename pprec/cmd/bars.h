/* SPDX-License-Identifier: BSD-3-Clause */
/* A histogram of rates for the terminal, as wide as it: columns of equal ratio, with the
 * estimate and its interval marked below. */
#ifndef PPREC_CMD_BARS_H
#define PPREC_CMD_BARS_H

#include "pprec/cmd/frame.h"
#include "pprec/pprec.h"

#include <stddef.h>

enum { BARS_RATES_MAX = 1024, BARS_ROWS_LEAST = 4 };

/* Draws rows rows, two of them the axis and its labels. Sorts the rates, none of which
 * is 0. */
void bars_draw(struct frame *frame, unsigned rows, double *rates, size_t count,
               const struct pprec_capacity *capacity);

#endif
