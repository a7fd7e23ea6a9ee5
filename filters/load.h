/* SPDX-License-Identifier: BSD-3-Clause */
/* What the trains of a stream load the path with, over the last few of them. */
#ifndef FILTERS_LOAD_H
#define FILTERS_LOAD_H

#include "filters/sample.h"

struct load {
    bool known, sent; /* one has come; it told when it was sent */
    int64_t at_ns;    /* the last one's sending, or arrival */
    double bits, ns;  /* of late, each train counting a little less than the next */
};

/* Counts a train. */
void load_add(struct load *load, const struct sample *sample);

/* Whether a train meets the queue of the one before it. */
bool load_crowds(const struct load *load, double capacity_bps);

#endif
