/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures about the rates of a stream that belong to no filter: percentiles and
 * the asymptotic dispersion rate. */
#ifndef FILTERS_RATES_H
#define FILTERS_RATES_H

#include "filters/ranked.h"
#include "filters/sample.h"

/* From this length on a train reads the asymptotic dispersion rate rather than
 * the capacity (PAPER: trains of 8, 16 and 32). */
enum { RATES_LONG_TRAIN = 8 };

struct rates {
    struct ranked *window; /* of usable rates, not sorted */
    uint64_t long_bytes;   /* over all intact gaps of long trains */
    int64_t long_ns;
};

/* memory: ranked_bytes(window), the caller's, in use as long as rates is. */
void rates_init(struct rates *rates, void *memory, unsigned window);
void rates_push(struct rates *rates, const struct sample *sample);

/* The usable rates of the window. Sorts them: for those who ask now and then. */
const struct ranked *rates_window(const struct rates *rates);

/* bit/s: bytes over time of all long trains (Dovrolis, Ramanathan and Moore
 * 2001); 0 when there was none. */
double rates_adr_bps(const struct rates *rates);

#endif
