/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross traffic: where it enters and leaves the path, how its packets come. */
#ifndef TESTS_SIM_TRAFFIC_H
#define TESTS_SIM_TRAFFIC_H

#include "rng.h"

#include <stdbool.h>
#include <stdint.h>

enum sim_source {
    SIM_POISSON,
    SIM_PARETO,   /* on and off times Pareto: self-similar in sum (Willinger, Taqqu,
                     Sherman, Wilson, ACM SIGCOMM 1995) */
    SIM_CONSTANT, /* equally spaced; phases last for the run */
    SIM_TCP,      /* closed loop: see tcp.h */
    SIM_FRAMES    /* video: equally spaced bursts of half to one and a half times the mean */
};

/* Sizes of packets, bytes at layer 2. */
enum sim_mix {
    SIM_MIX_IMIX, /* 40, 576 and 1500 bytes of IP, 7 : 4 : 1 */
    SIM_MIX_64,
    SIM_MIX_1000,
    SIM_MIX_1500,
    SIM_MIX_128,
    SIM_MIX_256,
    SIM_MIX_512,
    SIM_MIX_COUNT
};

struct sim_traffic_config {
    enum sim_source source;
    enum sim_mix mix;
    int64_t from_ns;         /* silent before, */
    int64_t until_ns;        /* and from then on; 0: never. Not for TCP */
    double rate_bps;         /* of all its flows together, 0: silent; not for TCP */
    unsigned flows;          /* 0 counts as 1 */
    unsigned enter;          /* first hop that it crosses */
    unsigned leave;          /* first that it does not; past the path's end: it goes
                              to the receiver's own adapter */
    uint64_t access_bps;     /* Pareto, frames: rate of a burst; TCP: of each flow's own link */
    double burst_packets;    /* Pareto, frames: mean */
    double shape;            /* Pareto: 1 to 2; 0: 1.5 */
    int64_t return_ns;       /* TCP: from the last hop's end back to the sender */
    unsigned window_packets; /* TCP: the receiver's window; 0: 64 */
};

/* One flow of it, ready to give its next packet. */
struct sim_flow {
    const struct sim_traffic_config *config;
    struct sim_rng rng;
    double phase; /* constant: kept from start to start */
    int64_t next_ps;
    uint32_t next_bytes;
    double burst_left; /* packets */
    int64_t frame_ps;  /* frames: the one at hand is due */
};

double sim_mix_mean_bytes(enum sim_mix mix);

/* E[size^2] / E[size]^2. */
double sim_mix_spread(enum sim_mix mix);

uint32_t sim_mix_draw(enum sim_mix mix, struct sim_rng *rng);

/* The flow is that of seed and stream; config must outlive it. */
void sim_flow_init(struct sim_flow *flow, const struct sim_traffic_config *config, uint64_t seed,
                   uint64_t stream);

/* Starts it in the middle of things: its first packet is after from_ps. */
void sim_flow_start(struct sim_flow *flow, int64_t from_ps);

/* On to the next packet. */
void sim_flow_advance(struct sim_flow *flow);

/* Whether its past can be forgotten after a while. */
bool sim_traffic_forgets(const struct sim_traffic_config *config);

#endif
