/* SPDX-License-Identifier: BSD-3-Clause */
/* What an estimate may claim, why it claims no more, and what to send that it could. */
#ifndef FILTERS_REASON_H
#define FILTERS_REASON_H

#include "filters/estimate.h"
#include "filters/weigh.h"

/* What the trains of a stream load the path with, over the last few of them. */
struct own_load {
    int64_t sent_ns; /* the last one's sending, or arrival; 0: none yet */
    double bits, ns; /* of late, each train counting a little less than the next */
};

/* Counts a train. */
void own_load_add(struct own_load *load, const struct sample *sample);

/* Lowers the estimate's state where no long trains bear it out, and fills why, advice and
 * seen_bytes. floor: that the estimate was read from, or gap_ns 0. */
void reason_give(const struct seen *seen, const struct floor *floor, const struct own_load *load,
                 struct estimate *estimate);

#endif
