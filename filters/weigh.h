/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs find the capacity, trains diagnose: which of the two to believe. */
#ifndef FILTERS_WEIGH_H
#define FILTERS_WEIGH_H

#include "filters/floor.h"
#include "filters/shape.h"

/* All that is kept of a path. */
struct seen {
    struct readings *pairs; /* the first two packets of each train */
    struct readings *longs; /* long trains, along the envelope of their curves */
    struct shapes shapes;   /* of the same trains */
    struct scratch scratch;
    struct noise noise;     /* that they were read through */
};

/* What all pairs say: to be read once, for weigh() and others. */
void weigh_read_pairs(const struct seen *seen, struct floor *pairs);

/* The gap that pairs and trains hold up together; floor->trains says which of them it was
 * read from. */
void weigh(const struct seen *seen, const struct floor *pairs, struct floor *floor);

#endif
