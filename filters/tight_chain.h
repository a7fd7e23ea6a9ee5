/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside tight: how likely each rate is to be what the first so many links have free, link after link. */
#ifndef FILTERS_TIGHT_CHAIN_H
#define FILTERS_TIGHT_CHAIN_H

#include "filters/available_estimate.h"
#include "filters/estimate.h"
#include "filters/tight_estimate.h"

#include <stdbool.h>

/* Rates that are tried: from the lowest to the highest at which trains left. */
enum { TIGHT_LEVELS = 96 };

struct tight_train {
    double in_ns, held_ns; /* as they left; by so much longer they took */
    double bits, bps;      /* of load */
    unsigned hop;          /* links that the load has crossed, the last of the path for what came whole */
};

struct tight_chain {
    unsigned links;
    double low_bps, step; /* of the levels: each is the one before it times step */
    uint32_t trains[HOPS_MAX + 1];
    double likely[HOPS_MAX + 1][TIGHT_LEVELS]; /* of the trains of a hop; the best is 1 */
    double ahead[HOPS_MAX + 1][TIGHT_LEVELS];  /* of all trains up to it, and of what is tried there */
    double scale[HOPS_MAX + 1];
};

/* train: in the order of their hops; scatter_ns: of held_ns, by chance. */
void tight_chain_fill(struct tight_chain *chain, const struct tight_train *train, unsigned count,
                      double scatter_ns, const struct hops_estimate *hops, const struct estimate *capacity);

/* What is known of all links otherwise. */
void tight_chain_whole(struct tight_chain *chain, const struct available_estimate *available);

/* All but the number of trains. */
void tight_chain_tell(struct tight_chain *chain, struct tight_estimate *result);

#endif
