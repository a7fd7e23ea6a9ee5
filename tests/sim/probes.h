/* SPDX-License-Identifier: BSD-3-Clause */
/* What a path is, and what it carries. */
#ifndef TESTS_SIM_PROBES_H
#define TESTS_SIM_PROBES_H

#include "hop.h"
#include "traffic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_HOPS_MAX = 8, SIM_TRAFFICS_MAX = 16 };

struct sim_path_config {
    unsigned hops;
    struct sim_hop_config hop[SIM_HOPS_MAX];
    unsigned traffics;
    struct sim_traffic_config traffic[SIM_TRAFFICS_MAX];
    bool lasting;    /* queues live on between trains, whatever their distance ... */
    int64_t warm_ns; /* ... from so long before the first; 0: 20 s */
};

/* One packet of ours. */
struct sim_probe {
    int64_t handed_ps; /* to the sender's adapter */
    int64_t left_ps;   /* its last bit left the sender */
    uint32_t bytes;    /* at layer 2 */
    uint32_t seq;
    uint32_t train;
    uint16_t position;
    uint16_t length;    /* packets in its train */
    uint8_t hops;       /* links that it crosses, the sender's own the first; 0: all */
    int64_t arrived_ps; /* its last bit reached the receiver; SIM_NEVER_PS: lost */
    int64_t wait_ps;    /* spent in queues and shapers on the way */
};

/* All that others had sent through a hop when the first packet of a train came there. */
struct sim_crossed {
    int64_t at_ps; /* 0: it never did */
    uint64_t bytes;
};

/* Times at which other packets reached the receiver's adapter, in order. */
struct sim_background {
    int64_t *at_ps;
    size_t count;
    size_t room;
    struct sim_crossed (*crossed)[SIM_HOPS_MAX]; /* by train; NULL: nobody counts. Of a path
                                                    that lasts between trains */
};

void sim_background_add(struct sim_background *background, int64_t at_ps);
void sim_background_fini(struct sim_background *background);

#endif
