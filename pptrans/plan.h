/* SPDX-License-Identifier: BSD-3-Clause */
/* What is going to be sent: sizes, train lengths, load. Pure. */
#ifndef PPTRANS_PLAN_H
#define PPTRANS_PLAN_H

#include "common/error.h"
#include "common/layer.h"

#include <stdbool.h>
#include <stdint.h>

/* A train's outline. */
struct plan_shape {
    uint8_t length_log2;
    uint32_t size_bytes;    /* of each packet, at the user's layer */
    uint32_t payload_bytes;
};

/* --mix goes round in eights: six pairs of full size and one of half, then one long
 * train. filters/README.md, section 9, says why. */
enum { PLAN_CYCLE = 8, PLAN_HALF = 3 /* the pair of half size */, PLAN_LONG_LOG2 = 6 };

struct plan {
    struct layer layer;
    enum layer_ip ip;
    double delay_ms;
    bool mix;
    bool classic;
    bool tagged;
    struct plan_shape train; /* every train, or the mix's long one */
    struct plan_shape pair, half_pair; /* the mix's */
};

struct plan_wish {
    struct layer layer;
    uint32_t size_bytes;
    uint32_t length; /* packets a train, a power of two */
    double delay_ms;
    bool mix;
    bool classic;
    bool tagged; /* AUTH, and so TIME, in every packet */
};

/* mtu_bytes: the largest IP packet of the path. Returns 0, or -1 with the
 * error's text set when a packet of the wished size cannot be sent. */
int plan_make(struct plan *plan, const struct plan_wish *wish, enum layer_ip ip,
              uint32_t mtu_bytes, struct error *error);

/* The outline of a train, by its number. */
const struct plan_shape *plan_shape(const struct plan *plan, uint32_t train);

uint32_t plan_longest(const struct plan *plan);

/* Bits a second on average, counted at the layer. */
double plan_load_bps(const struct plan *plan, const struct layer *layer);

/* Can the load leave this host? device_bps: the egress device's speed, 0 when
 * unknown. Returns 0, or -1 with the error's text set. */
int plan_check_rate(const struct plan *plan, double device_bps, struct error *error);

#endif
