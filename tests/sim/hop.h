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
    SIM_SHAPER_BUCKET,     /* token bucket: a packet waits for tokens of its size */
    SIM_SHAPER_TICK,       /* dummynet's (Rizzo, ACM CCR 27, 1997): a packet leaves at
                          the first tick after its last bit would have left */
    SIM_SHAPER_TURNS,      /* packet by packet in turn with flows that never pause: fair
                          queueing of equal frames */
    SIM_SHAPER_BATCH,      /* as in Wi-Fi: a wait for the medium, then all that came until
                          then, up to a limit, back to back */
    SIM_SHAPER_POLICER,    /* a token bucket that drops what finds too few tokens */
    SIM_SHAPER_FAIR,       /* deficit round robin with flows that never pause, as fq_codel
                          (RFC 8290, section 4.2) and CAKE do: hop_fair.c */
    SIM_SHAPER_CONTENTION, /* 802.11 without aggregation: hop_medium.c */
    SIM_SHAPER_GRANTS      /* so many bytes a cycle: PON, DOCSIS, LTE: hop_medium.c */
};

enum { SIM_LINKS_MAX = 4, SIM_RIVALS_MAX = 8 };

struct sim_hop_config {
    uint64_t rate_bps; /* of the transmitters; with a shaper, the peak rate */
    int64_t propagation_ns;
    uint32_t queue_packets; /* that may wait, besides the one in transmission; 0: any */
    uint64_t queue_bytes;   /* likewise */
    double loss;            /* share of packets that never reach the queue */
    enum sim_shaper shaper;
    uint64_t shaper_rate_bps; /* sustained rate; grants: all that a cycle may carry; batch,
                                 contention: told for the truth's sake alone */
    uint32_t burst_bytes;     /* bucket, full at the start; packets above never fit. Fair: of all
                                 flows together, shaper_rate_bps is theirs then; 0: none */
    int64_t tick_ns;          /* grants: a cycle */
    int64_t tick_phase_ns;
    unsigned rivals;         /* the other flows: 1 or more in turns, fair without any */
    uint32_t rival_bytes;    /* and each of their packets */
    uint32_t quantum_bytes;  /* fair: of a turn; 0: whoever would be done first goes, rivals never rest */
    int64_t rest_ns;         /* fair: of each such time, drawn anew, ... */
    double rest_share;       /* ... the others rest with this chance; 0: never */
    unsigned pausing;        /* fair: so many of the others have no packet now and then: ... */
    double pause_share;      /* ... behind each with this chance, ... */
    int64_t pause_ns;        /* ... for so long, exponential */
    bool in_line;            /* fair: who was idle does not go first */
    double weight;           /* fair: of ours, others' are 1; 0 counts as 1 */
    int64_t ack_ns;          /* contention: after each packet, with the pause before it */
    uint64_t assured_bps;    /* grants: in every cycle, reported or not; the rest is for ... */
    int64_t report_ns;       /* ... what waited so long before, when a cycle began */
    bool expects;            /* grants: what is assured until a grant comes is not granted: the last that is
                                reported waits for assured bytes alone. Not on paths with TCP */
    bool blocks;             /* grants: what a cycle carries arrives at once, at its end; ... */
    double again_share;      /* ... with this chance it has to be sent again, ... */
    int64_t again_ns;        /* ... and is there so much later (HARQ); what follows waits for it */
    unsigned batch_packets;  /* batch: at most */
    int64_t access_least_ns; /* the wait, uniform between these two */
    int64_t access_most_ns;
    bool idle_at_once;      /* batch: who finds nobody there goes without a wait, alone */
    bool arrives_whole;     /* batch: with its last packet; not on paths with TCP */
    unsigned links;         /* used by turns, each with its share of the rate, no packet
                                 overtakes another; 0 counts as 1 */
    int64_t last_longer_ns; /* of the links, the last: its propagation */
    int64_t vary_ns;        /* a transmitter's rate, or a cycle's, is drawn anew that often: normal, ... */
    double vary_share;      /* ... around rate_bps, with this share of it as deviation ... */
    bool vary_turns;        /* ... or by turns that much above it and below */
    /* From then on the sustained rate (without a shaper, the transmitter's) and the
     * propagation are these; 0: as before. What is on the wire is not overtaken. */
    int64_t change_at_ns;
    int64_t change_until_ns; /* the rate gets there evenly, in proportion, until then; 0: at once */
    uint64_t change_rate_bps;
    int64_t change_propagation_ns;
};

/* A packet that waits, in a ring that grows. */
struct sim_waiting {
    int64_t start_ps;
    uint32_t bytes;
};

/* Flows, the next one first. */
struct sim_list {
    unsigned flow[1 + SIM_RIVALS_MAX];
    unsigned count;
};

/* The lists of a fair queue; flow 0 is ours. */
struct sim_fair {
    int64_t clock_ps; /* the link is free for the next packet of anybody */
    int64_t deficit[1 + SIM_RIVALS_MAX];
    struct sim_list fresh, old;
    unsigned rivals;                      /* others that do not rest */
    int64_t ready_ps[1 + SIM_RIVALS_MAX]; /* of these: each has a packet, or will have */
    int64_t left_ps;                      /* our last one */
    int64_t sent_tag;                     /* without quanta: of the packet sent last */
    struct sim_rng rng;
};

struct sim_hop {
    struct sim_hop_config config;
    struct sim_rng rng;
    uint64_t seed;
    int64_t free_ps[SIM_LINKS_MAX]; /* that transmitter has sent all it has */
    unsigned link;                  /* whose turn it is */
    int64_t end_ps;                 /* the last packet reached the far end */
    int64_t full_ps;                /* the bucket is full again */
    int64_t virtual_ps;             /* tick: a plain link of that rate would be free */
    int64_t turn_ps;                /* our next one; batch, contention: the medium is ours */
    unsigned batched;               /* packets that go out then */
    struct sim_fair fair;
    int64_t cycle_ps;     /* grants: the cycle in use began */
    uint64_t cycle_bytes; /* of it are gone */
    int64_t block_ps;     /* all blocks so far have arrived */
    int64_t followed_ps;  /* whoever uses the hop tells: behind the next packet so much has come as is
                             assured until a grant comes; INT64_MAX: it never does */
    struct sim_waiting *ring;
    size_t ring_slots; /* a power of two, or 0 */
    size_t ring_head;
    size_t waiting;
    uint64_t waiting_bytes;
    uint64_t dropped;
};

/* Empty and idle since always. */
void sim_hop_init(struct sim_hop *hop, const struct sim_hop_config *config, uint64_t seed, unsigned index);
void sim_hop_fini(struct sim_hop *hop);
void sim_hop_reset(struct sim_hop *hop);

/* What is assured until a grant comes that is asked for now. */
double sim_hop_expected_bytes(const struct sim_hop_config *config);

/* A packet arrives; calls must come in order of time. False when it is dropped.
 * *start_ps: its first bit leaves; *end_ps: its last bit reaches the far end. */
bool sim_hop_accept(struct sim_hop *hop, int64_t now_ps, uint32_t bytes, int64_t *start_ps, int64_t *end_ps);

/* Whether it is as good as reset when it has been empty for long. */
bool sim_hop_forgets(const struct sim_hop_config *config);

/* What contention leaves of rate_bps for packets of that size, on average. */
uint64_t sim_hop_contended_bps(const struct sim_hop_config *config, uint32_t bytes);

/* What the hop lets through in the long run, at that time. A policer is none to the
 * capacity, nor is a fair queue: what either leaves us is told apart (cases.h). */
uint64_t sim_hop_capacity_bps(const struct sim_hop_config *config, int64_t at_ns);

#endif
