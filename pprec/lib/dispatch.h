/* SPDX-License-Identifier: BSD-3-Clause */
/* What sources have in common while they are read. */
#ifndef PPREC_LIB_DISPATCH_H
#define PPREC_LIB_DISPATCH_H

#include "pprec/core.h"

#include <stdint.h>

/* The clock of the stamps of a live source. */
struct source_clock {
    struct pprec_stamp newest;   /* of the packets read */
    int64_t newest_monotonic_ns; /* when it was read */
};

/* After each reading, that took got packets in: lets time pass on the clock of
 * the stamps without reading that clock. So a step of it closes no train. */
void source_clock_tick(struct source_clock *clock, struct pprec *pprec, int got);

/* A handle has one source: PPREC_EINVAL, with the error's text set, when it has. */
int source_check_none(struct pprec *pprec);

#endif
