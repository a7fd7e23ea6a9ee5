/* SPDX-License-Identifier: BSD-3-Clause */
/* One hop: a queue, perhaps a shaper, a transmitter, a wire. First in, first
 * out, so the time a packet leaves is known when it arrives (Lindley's
 * recursion) and no event has to be simulated inside the queue. */
#ifndef TESTS_SIM_HOP_H
#define TESTS_SIM_HOP_H

#include "rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_shaper {
    SIM_SHAPER_NONE,
    SIM_SHAPER_BUCKET, /* token bucket: a packet waits for tokens of its size */
    SIM_SHAPER_TICK,   /* dummynet's (Rizzo, ACM CCR 27, 1997): a packet leaves at
                          the first tick after its last bit would have left */
    SIM_SHAPER_TURNS,  /* packet by packet in turn with flows that never pause: fair
                          queueing of equal frames */
    SIM_SHAPER_BATCH   /* as in Wi-Fi: a wait for the medium, then all that came until
                          then, up to a limit, back to back */
};

enum { SIM_LINKS_MAX = 4 };

struct sim_hop_config {
    uint64_t rate_bps;        /* of the transmitters; with a shaper, the peak rate */
    int64_t propagation_ns;
    uint32_t queue_packets;   /* that may wait, besides the one in transmission; 0: any */
    uint64_t queue_bytes;     /* likewise */
    double loss;              /* share of packets that never reach the queue */
    enum sim_shaper shaper;
    uint64_t shaper_rate_bps; /* sustained rate; batch: told for the truth's sake alone */
    uint32_t burst_bytes;     /* bucket, full at the start; packets above never fit */
    int64_t tick_ns;
    int64_t tick_phase_ns;
    unsigned rivals;          /* turns: the other flows, 1 or more */
    uint32_t rival_bytes;     /* and each of their packets */
    unsigned batch_packets;   /* batch: at most */
    int64_t access_least_ns;  /* the wait, uniform between these two */
    int64_t access_most_ns;
    unsigned links;           /* used by turns, each with its share of the rate, no packet
                                 overtakes another; 0 counts as 1 */
    /* From then on the sustained rate (without a shaper, the transmitter's) and the
     * propagation are these; 0: as before. What is on the wire is not overtaken. */
    int64_t change_at_ns;
    uint64_t change_rate_bps;
    int64_t change_propagation_ns;
};

/* A packet that waits, in a ring that grows. */
struct sim_waiting {
    int64_t start_ps;
    uint32_t bytes;
};

struct sim_hop {
    struct sim_hop_config config;
    struct sim_rng rng;
    int64_t free_ps[SIM_LINKS_MAX]; /* that transmitter has sent all it has */
    unsigned link;      /* whose turn it is */
    int64_t end_ps;     /* the last packet reached the far end */
    int64_t full_ps;    /* the bucket is full again */
    int64_t virtual_ps; /* tick: a plain link of that rate would be free */
    int64_t turn_ps;    /* our next one; batch: the medium is ours */
    unsigned batched;   /* packets that go out then */
    struct sim_waiting *ring;
    size_t ring_slots; /* a power of two, or 0 */
    size_t ring_head;
    size_t waiting;
    uint64_t waiting_bytes;
    uint64_t dropped;
};

/* Empty and idle since always. */
void sim_hop_init(struct sim_hop *hop, const struct sim_hop_config *config, uint64_t seed,
                  unsigned index);
void sim_hop_fini(struct sim_hop *hop);
void sim_hop_reset(struct sim_hop *hop);

/* A packet arrives; calls must come in order of time. False when it is dropped.
 * *start_ps: its first bit leaves; *end_ps: its last bit reaches the far end. */
bool sim_hop_accept(struct sim_hop *hop, int64_t now_ps, uint32_t bytes, int64_t *start_ps,
                    int64_t *end_ps);

/* Whether it is as good as reset when it has been empty for long. */
bool sim_hop_forgets(const struct sim_hop_config *config);

/* What the hop lets through in the long run, at that time. */
uint64_t sim_hop_capacity_bps(const struct sim_hop_config *config, int64_t at_ns);

#endif
