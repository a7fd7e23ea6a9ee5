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

/* The mix. It begins with PLAN_START trains that no slow link has to carry for long: a pair,
 * then a short train, of which ten have 4 packets, one 8 and one 16: no two of the longest so
 * far, so that a receiver does not take them for all that will come. After that it goes round
 * in eights: one long train, then seven pairs: full size, one a few bytes smaller, one of half
 * size. filters/README.md, "What to send", says why. */
enum {
    PLAN_START = 24,
    PLAN_CYCLE = 8,
    PLAN_LONG_LOG2 = 6,
    PLAN_NEAR_BYTES = 4 /* a fair queue's turn is one full frame: a little less leaves room for
                           the next packet (Linux's fq_codel: a quantum of one MTU). To FIFO
                           queues it is the same */
};

/* Unless the delay is given. */
#define PLAN_LOAD_BPS 250e3

/* On average, counted at the layer, unless more is asked for: a slip of the keyboard is no
 * flood. */
#define PLAN_LOAD_MOST_BPS 25e6

/* A full frame is one of Ethernet, whatever more the path's MTU would take. */
enum { PLAN_FULL_MTU = 1500 };

struct plan {
    struct layer layer;
    enum layer_ip ip;
    double delay_ms;
    double start_delay_ms; /* the mix's, while it begins */
    uint32_t mtu_bytes;
    bool mix;
    bool paper; /* pairs alone, or the classic format: as the paper sent them */
    bool classic;
    bool tagged;
    struct plan_shape train; /* every train, or the mix's long one */
    struct plan_shape pair, near_pair, half_pair;     /* the mix's, */
    struct plan_shape shorts[PLAN_START / 2]; /* and those it begins with */
};

/* 0 and false are the defaults. */
struct plan_wish {
    struct layer layer;
    uint32_t size_bytes; /* 0: full frames; the paper's 1000 bytes */
    uint32_t length;     /* packets a train, a power of two; 0: the mix; classic: pairs */
    double delay_ms;     /* 0: what makes PLAN_LOAD_BPS at most; the paper's 500 ms */
    double load_most_bps; /* 0: PLAN_LOAD_MOST_BPS */
    bool mix;
    bool classic;
    bool tagged; /* AUTH, and so TIME, in every packet */
};

/* mtu_bytes: the largest IP packet of the path. Returns 0, or -1 with the
 * error's text set when a packet of the wished size cannot be sent, or the load is more
 * than the wish allows. */
int plan_make(struct plan *plan, const struct plan_wish *wish, enum layer_ip ip,
              uint32_t mtu_bytes, struct error *error);

/* The outline of a train, by its number. */
const struct plan_shape *plan_shape(const struct plan *plan, uint32_t train);

/* Mean time from the start of a train to that of the next. */
double plan_delay_ms(const struct plan *plan, uint32_t train);

uint32_t plan_longest(const struct plan *plan);

/* Bits a second on average, counted at the layer. */
double plan_load_bps(const struct plan *plan, const struct layer *layer);

/* Can the load leave this host? device_bps: the egress device's speed, 0 when
 * unknown. Returns 0, or -1 with the error's text set. */
int plan_check_rate(const struct plan *plan, double device_bps, struct error *error);

#endif
