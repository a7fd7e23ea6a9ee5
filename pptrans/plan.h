/* SPDX-License-Identifier: BSD-3-Clause */
/* What is going to be sent: sizes, train lengths, rates, load. Pure. */
#ifndef PPTRANS_PLAN_H
#define PPTRANS_PLAN_H

#include "common/error.h"
#include "common/layer.h"
#include "ladder.h"

#include <stdbool.h>
#include <stdint.h>

/* A train's outline. */
struct plan_shape {
    uint8_t length_log2; /* as packets tell it: the wire has no other lengths, but ... */
    uint8_t early;       /* ... a train may end so many packets before */
    uint8_t load_hops;   /* hop limit of all but the first and the last; 0: none of its own */
    uint32_t size_bytes; /* of each packet, at the user's layer; with load_hops of those alone */
    uint32_t payload_bytes;
    uint32_t marker_bytes; /* of payload, first and last; payload_bytes but with load_hops */
    uint32_t rung;         /* with a gap: of the ladder */
    double gap_ns;         /* from packet to packet; 0: back to back */
};

enum plan_pattern {
    PLAN_ALIKE,     /* trains of one length */
    PLAN_MIX,       /* for capacity, below */
    PLAN_AVAILABLE, /* in turn one of the mix and one that is paced at a rung of a ladder */
    PLAN_LOCATE,    /* in turn one of the mix and two whose load dies on the way */
    PLAN_TIGHT      /* in turn one of the mix, a paced one, one whose load dies and one that is both */
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

/* Paced trains. As long as the mix's short ones while it begins, 2^PLAN_PACED_LOG2 packets then. */
enum { PLAN_PACED_LOG2 = 4 };
#define PLAN_LOW_BPS 1e6
#define PLAN_HIGH_BPS 100e6

/* Trains whose load dies at a hop: the shorter ones first for each hop, of PLAN_SPARSE packets, then those
 * of PLAN_DENSE_LOG2, or of another length, the former then no shorter than it by more than
 * PLAN_APART_LOG2. What the gap of the latter has more is that of links alone, whatever a bucket let
 * pass; the longer they are, the fewer of them no cross traffic gets into. */
enum { PLAN_SPARSE = 3, PLAN_DENSE_LOG2 = 3, PLAN_APART_LOG2 = 2 };
enum { PLAN_SPARSE_TIGHT = 4 }; /* docs/patterns.md: shorter ones gain nothing there */
enum { PLAN_HOP_FROM = 1, PLAN_HOP_TO = 16 };

/* Unless the delay is given: on average, but with a ladder this share of its middle, 500 kbit/s from
 * 1 to 100 Mbit/s: it has to suit the slowest of its receivers. */
#define PLAN_LOAD_BPS 250e3
#define PLAN_LOAD_SHARE 0.05

/* On average, counted at the layer, unless more is asked for: a slip of the keyboard is no
 * flood. */
#define PLAN_LOAD_MOST_BPS 25e6

/* A full frame is one of Ethernet, whatever more the path's MTU would take. */
enum { PLAN_FULL_MTU = 1500 };

struct plan {
    enum plan_pattern pattern;
    struct layer layer;
    enum layer_ip ip;
    double delay_ms;
    double start_delay_ms;               /* while it begins */
    double lasting_ms, start_lasting_ms; /* of these, on average, a paced train takes to leave */
    uint32_t mtu_bytes;
    bool paper; /* pairs alone, or the classic format: as the paper sent them */
    bool classic;
    bool tagged;
    struct plan_shape train;                      /* every train, or the mix's long one */
    struct plan_shape pair, near_pair, half_pair; /* the mix's, */
    struct plan_shape shorts[PLAN_START / 2];     /* and those it begins with */
    struct ladder ladder;                         /* where trains are paced */
    uint8_t paced_log2;
    uint8_t sparse_length, dense_log2; /* where loads die */
    uint8_t hop_from, hop_to, marker_hops;
    uint32_t marker_size_bytes, marker_bytes; /* at the layer, and of payload */
};

/* 0 and false are the defaults. */
struct plan_wish {
    enum plan_pattern pattern; /* PLAN_ALIKE: the mix, too, when there is no length */
    struct layer layer;
    uint32_t size_bytes;       /* 0: full frames; the paper's 1000 bytes */
    uint32_t length;           /* packets in a train, a power of two; 0: the pattern's; classic: pairs */
    double delay_ms;           /* 0: what makes the default load at most; the paper's 500 ms */
    double load_most_bps;      /* 0: PLAN_LOAD_MOST_BPS */
    double low_bps, high_bps;  /* of the ladder; 0: PLAN_LOW_BPS and, if the device carries it,
                                 PLAN_HIGH_BPS */
    double device_bps;         /* 0: not known */
    uint32_t hop_from, hop_to; /* 0: from PLAN_HOP_FROM to the least of PLAN_HOP_TO and marker_hops */
    uint32_t marker_hops;      /* the hop limit of what goes all the way */
    bool classic;
    bool tagged; /* AUTH, and so TIME, in every packet */
};

/* mtu_bytes: the largest IP packet of the path. Returns 0, or -1 with the
 * error's text set when a packet of the wished size cannot be sent, or the load is more
 * than the wish allows. */
int plan_make(struct plan *plan, const struct plan_wish *wish, enum layer_ip ip, uint32_t mtu_bytes,
              struct error *error);

/* Does the pattern have the mix in it, trains that are paced, trains whose load dies on the way? */
bool plan_mixes(const struct plan *plan);
bool plan_paces(const struct plan *plan);
bool plan_locates(const struct plan *plan);

/* How long it takes until trains have been sent to each hop at each rate, where both are. */
double plan_round_s(const struct plan *plan);

/* With how many trains the pattern begins, before it goes round. */
uint32_t plan_start(const struct plan *plan);

/* How many trains make a round, in which each kind comes as often as it does on average. */
uint32_t plan_round(const struct plan *plan);

/* The outline of a train, by its number. */
struct plan_shape plan_shape(const struct plan *plan, uint32_t train);

/* Mean time from the start of a train to that of the next. */
double plan_delay_ms(const struct plan *plan, uint32_t train);

/* Mean time to wait after the train: from when it was due, or, of a paced one, from when its last
 * packet left. So paced trains make no other wait. */
double plan_pause_ms(const struct plan *plan, uint32_t train);

/* How many packets it has. */
uint32_t plan_packets(const struct plan_shape *shape);

/* From the first packet of a train to its last: 0 when they leave back to back. */
double plan_lasting_ms(const struct plan_shape *shape);

uint32_t plan_longest(const struct plan *plan);

/* At the layer, of all packets of a train. */
uint64_t plan_train_bytes(const struct plan *plan, const struct layer *layer, const struct plan_shape *shape);

/* Bits per second on average, counted at the layer. */
double plan_load_bps(const struct plan *plan, const struct layer *layer);

/* Can it leave this host? device_bps: the egress device's speed, 0 when
 * unknown. Returns 0, or -1 with the error's text set. */
int plan_check_rate(const struct plan *plan, double device_bps, struct error *error);

#endif
