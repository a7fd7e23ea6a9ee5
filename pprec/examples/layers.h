/* SPDX-License-Identifier: BSD-3-Clause */
/* Which layers of a stream to receive: the rules of PLM (Legout and Biersack 2000) and
 * SAM, with the capacity from packet trains. Pure: no sockets, no clock.
 *
 * Layers are cumulative: with n joined, layers 0 to n-1 come in. All layers whose sum
 * fits under the capacity, with a margin, are joined at once; those that do not are
 * left at once. Loss that the estimate does not explain costs the highest layer, and
 * each time that one fails it is left alone for longer. */
#ifndef PPREC_EXAMPLES_LAYERS_H
#define PPREC_EXAMPLES_LAYERS_H

#include <stdint.h>

enum { LAYERS_MAX = 8 };

/* The caller's memory; set up by layers_init(). */
struct layers {
    unsigned count;
    unsigned joined;
    double sum_bps[LAYERS_MAX]; /* with all layers up to this one */
    unsigned fits;              /* that the estimate had room for, the last time */
    int64_t fits_since_ns;
    int64_t changed_ns;              /* when joined changed */
    int64_t barred_ns[LAYERS_MAX];   /* not to be joined before */
    int64_t patience_ns[LAYERS_MAX]; /* how long it is barred the next time */
};

/* rates_bps: of each layer, as the capacity counts (with headers). One layer is
 * joined to begin with: without it nothing can be measured. */
void layers_init(struct layers *layers, const double *rates_bps, unsigned count);

/* Some times a second. capacity_bps: the estimate, 0: none; lost: share of the packets
 * of joined layers that were lost of late. Returns how many layers to receive now. */
unsigned layers_decide(struct layers *layers, int64_t now_ns, double capacity_bps, double lost);

#endif
