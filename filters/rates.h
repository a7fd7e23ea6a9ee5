/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures about the rates of a stream that belong to no filter: percentiles and
 * the asymptotic dispersion rate. */
#ifndef FILTERS_RATES_H
#define FILTERS_RATES_H

#include "filters/ranked.h"
#include "filters/sample.h"

struct rates {
    unsigned room;
    unsigned count;
    unsigned oldest;
    double *ring;        /* [room], by age: of usable trains */
    uint64_t long_bytes; /* over all intact gaps of long trains */
    int64_t long_ns;
};

/* ring: [room], the caller's, in use as long as rates is. */
void rates_init(struct rates *rates, double *ring, unsigned room);
void rates_push(struct rates *rates, const struct sample *sample);

/* Carries all that from holds over into to, just made ready with more room. */
void rates_grow(struct rates *to, const struct rates *from);

/* The usable rates of the window, sorted into scratch, [room]: for those who ask now
 * and then. */
struct sorted rates_sorted(const struct rates *rates, double *scratch);

/* bit/s: bytes over time of all long trains (Dovrolis, Ramanathan and Moore
 * 2001); 0 when there was none. */
double rates_adr_bps(const struct rates *rates);

#endif
