/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is kept of a path: one observation after the other, and how well times are known. */
#ifndef FILTERS_SEEN_H
#define FILTERS_SEEN_H

#include "filters/columns.h"
#include "filters/shape.h"
#include "filters/stamps.h"

struct seen {
    struct readings *pairs; /* the first two packets of each train */
    struct readings *longs; /* long trains, along the envelope of their curves */
    struct shapes shapes;   /* of the same trains, but for those that the sender limited */
    struct scratch scratch;
    struct noise noise;
    struct stamps stamps; /* of all trains so far */
};

/* Of the memory that follows: seen_bytes(window) of it. */
size_t seen_bytes(unsigned window);
void seen_init(struct seen *seen, void *memory, unsigned window);

/* Into one that was just made, of a larger window. */
void seen_copy(struct seen *to, const struct seen *from);

/* Forgets what is older. */
void seen_keep_since(struct seen *seen, double at_s);

/* Whether long trains end otherwise than before; where that is sure what came before them is forgotten. To be called
 * after each of them. */
struct step seen_follow(struct seen *seen, bool bucket);

/* What a train's stamps tell of their resolution. */
void seen_stamps(struct seen *seen, const struct sample *sample);

/* Trains of more than half the bytes of the longest: what shorter ones do not show, it may. */
unsigned seen_longest(const struct seen *seen);

/* The most bytes that came of one train: what it lost emptied no bucket behind the loss. */
uint32_t seen_burst_bytes(const struct seen *seen);

#endif
