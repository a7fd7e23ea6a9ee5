/* SPDX-License-Identifier: BSD-3-Clause */
/* The sender: which trains leave when, and what it says of its own timing. */
#ifndef TESTS_SIM_SENDER_H
#define TESTS_SIM_SENDER_H

#include "path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_PATTERN_MAX = 128 };

enum sim_spacing { SIM_SPACING_UNIFORM, SIM_SPACING_POISSON };

/* What the departure span of a train is read from. */
enum sim_departure {
    SIM_DEPARTURE_NONE,   /* not told */
    SIM_DEPARTURE_HANDED, /* when the driver got the packets: before the adapter's queue */
    SIM_DEPARTURE_WIRE    /* when their last bits had left */
};

struct sim_train_kind {
    uint16_t length;   /* 2 to 256 */
    uint32_t bytes;    /* a packet, at layer 2 */
    bool paced;        /* at the next rate of the ladder, from absolute deadlines */
    double chirp;      /* or over the rates of the ladder, each gap that share of the one before:
                        pathChirp's trains; 0: none */
    bool reflected;    /* ASSOLO's: rates that draw near their middle in the first half, and away in
                        the second */
    uint8_t load_hops; /* inner packets die after so many links, the sender's own the first; 0: never */
    uint8_t
        hops_in_turn; /* the same, after 1 to so many in turn, of one rate after another; load_hops is 1 */
    uint32_t marker_bytes; /* with load_hops: the first and the last packet */
};

/* Rates of paced trains, each ratio times the one before; taken in turn, but not in order. */
struct sim_ladder {
    double least_bps;
    double ratio;
    unsigned rungs; /* 0: none */
};

struct sim_sender_config {
    uint64_t rate_bps;     /* of its adapter */
    int64_t gap_ns;        /* least time from packet to packet in software */
    int64_t gap_jitter_ns; /* mean of an exponential on top */
    unsigned head;         /* so many packets of a train go like that, 0: all ... */
    int64_t tail_gap_ns;   /* ... and the others that far apart */
    double deschedule;     /* chance before each packet but the first ... */
    int64_t deschedule_ns; /* ... of losing the processor that long, exponential mean */
    int64_t delay_ns;      /* from train to train; after a paced one, from its end */
    enum sim_spacing spacing;
    double spacing_jitter; /* uniform: +- this share of delay_ns */
    unsigned trains;
    unsigned pattern_length;
    unsigned start;                                 /* so many of the pattern come once, at first ... */
    int64_t start_delay_ns;                         /* ... that far apart */
    struct sim_train_kind pattern[SIM_PATTERN_MAX]; /* the rest is repeated over the trains */
    struct sim_ladder ladder;
    bool classic; /* the paper's format: neither TIME nor DEPARTURE */
    enum sim_departure departure;
    int64_t stamp_noise_ns; /* deviation of one departure stamp */
    int64_t handover_ns;    /* TIME is read this long before, exponential mean */
    double slow_share; /* a host that is now faster, now slower: a train's gaps in software and its hand-over,
                               that long for each then, take up to that share more or less, all alike */
};

/* What is told of a train; SIM_UNKNOWN_NS for what is not. */
struct sim_departed {
    int64_t sent_ns;
    int64_t span_ns;
    size_t first; /* probe */
    uint16_t length;
    double pace_bps;   /* 0: back to back */
    uint8_t load_hops; /* as struct sim_train_kind has them */
    uint32_t load_bytes;
};

#define SIM_UNKNOWN_NS INT64_MIN

/* Rate of the gap before packet i of a chirp. */
double sim_chirp_bps(const struct sim_ladder *ladder, const struct sim_train_kind *kind, unsigned i);

/* How many packets the configuration makes. */
size_t sim_sender_packets(const struct sim_sender_config *config);

/* Fills probes [sim_sender_packets()] and departed [trains]; times count from
 * the start of the run. */
void sim_sender_run(const struct sim_sender_config *config, uint64_t seed, struct sim_probe *probes,
                    struct sim_departed *departed);

#endif
