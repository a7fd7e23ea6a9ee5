/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows seen in a capture: what is remembered of each between its packets. The
 * table has a fixed size; past it the longest idle flow goes. */
#ifndef PPREC_LIB_FLOWS_H
#define PPREC_LIB_FLOWS_H

#include "common/keyed_hash.h"
#include "pprec/lib/burst.h"
#include "pprec/lib/dissect.h"
#include "pprec/lib/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOWS_MAX = 16384 };

/* What a flow has been found to be. */
enum flow_nature { FLOW_RTP, FLOW_SRT, FLOW_PLAIN, FLOW_NEW };

/* Whether a flow is of one nature: how many packets in a row look like it. */
struct candidate {
    uint32_t seq;
    uint32_t id;
    uint32_t mark;
    uint8_t streak; /* 0: the fields above hold nothing */
};

struct flow {
    struct pprec_endpoint source;
    struct pprec_endpoint destination;
    uint32_t id; /* of one stream among several in a flow: SSRC, socket; 0: the whole flow */
    uint8_t protocol;

    uint8_t nature;  /* enum flow_nature; of the whole flow */
    uint8_t misses;  /* packets that did not decide it */
    struct candidate candidates[FLOW_PLAIN];
    bool begun;      /* the fields below hold the last packet */
    uint32_t seq;    /* of the protocol */
    uint32_t mark;   /* RTP timestamp, SRT timestamp in us */
    struct burst burst;

    /* SRT: smoothed gaps, in ns, of pairs and of other bursts; 0: none yet */
    int64_t pair_gap_ns;
    int64_t burst_gap_ns;
    uint32_t mark_first; /* of the burst */

    /* any other flow */
    uint32_t full_bytes; /* its largest packet: IP */
    uint32_t long_bytes; /* a size above Ethernet's 1500; a second one shows merging */
    bool merged;
    int64_t gap_ns; /* smoothed, within bursts */

    /* held by struct flows */
    struct flow *next_in_bucket;
    struct flow *older, *newer;
};

struct flows {
    const struct keyed_hash *hash;
    struct flow *all; /* [FLOWS_MAX] */
    struct flow **buckets;
    size_t count;
    struct flow *oldest, *newest; /* by how long they have been idle */
    uint64_t pushed_out;
};

/* Hashes as hash does, which stays the caller's. NULL when memory runs out.
 * flows_free() takes NULL. */
struct flows *flows_new(const struct memory *memory, const struct keyed_hash *hash);
void flows_free(struct flows *flows, const struct memory *memory);

/* The flow of the packet, added if need be, and now the newest. */
struct flow *flows_find(struct flows *flows, const struct packet *packet, uint32_t id);

/* For a number behind the stream's: true, and the stream is as new, when so many
 * in a row went on by themselves that its sender has begun anew. */
bool flow_begins_anew(struct flow *stream, uint32_t seq);

/* A number for what tells flows of one source apart. */
uint32_t flow_number(const struct flow *flow);

#endif
