/* SPDX-License-Identifier: BSD-3-Clause */
/* How a train is handed to the kernel, and why so. Pure. */
#ifndef PPTRANS_METHOD_H
#define PPTRANS_METHOD_H

#include "common/error.h"
#include "egress.h"

#include <stdbool.h>
#include <stdint.h>

enum method_wish { METHOD_AUTO, METHOD_MMSG, METHOD_GSO };

/* The tightest way that keeps packets apart and departures known: *segment is
 * true for UDP GSO, false for sendmmsg alone. reason: a few words for the
 * user. longest: packets of the longest train. Returns 0, or -1 with the
 * error's text set when the wish cannot be met. */
int method_choose(enum method_wish wish, const struct egress *egress, uint32_t longest, bool *segment,
                  struct error *reason, struct error *error);

#endif
