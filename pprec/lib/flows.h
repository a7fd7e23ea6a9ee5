/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows of others: what is remembered of each between its packets. The table doubles
 * when it is full, as far as memory is plenty; past that the longest idle flow goes. */
#ifndef PPREC_LIB_FLOWS_H
#define PPREC_LIB_FLOWS_H

#include "common/keyed_hash.h"
#include "pprec/lib/burst.h"
#include "pprec/lib/held.h"
#include "pprec/lib/memory.h"
#include "pprec/lib/missing.h"
#include "pprec/lib/packet.h"
#include "pprec/lib/send_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begun with: of a capture, and of what a program pushes. */
enum { FLOWS_CAPTURED = 64, FLOWS_PUSHED = 16, FLOWS_MAX = 16384 };

/* What a flow has been found to be. */
enum flow_nature {
    FLOW_RTP,
    FLOW_SRT,
    FLOW_UDPST,
    FLOW_IPERF3,
    FLOW_IPERF3_LONG,
    FLOW_IPERF2,
    FLOW_STAMP,
    FLOW_PLAIN,
    FLOW_NEW
};

/* A stream that a flow may hold, audio beside video: how many packets in a row look like
 * one of that nature. */
struct candidate {
    uint32_t seq;
    uint32_t id;
    uint32_t mark;
    uint8_t nature;
    uint8_t streak;      /* 0: the fields above hold nothing */
    uint32_t last;       /* srt.c: message of the last one */
    uint32_t first_mark; /* stamped.c: of the first in a row, ... */
    int64_t first_ns;    /* ... which arrived then */
};

enum { FLOW_CANDIDATES = 8 };

struct flow {
    struct pprec_endpoint source;
    struct pprec_endpoint destination;
    uint32_t number; /* from its protocol, its ends and its id: the same in every run */
    uint32_t id;     /* of one stream among several in a flow: SSRC, socket; 0: the whole flow */
    uint8_t protocol;

    uint8_t nature;   /* enum flow_nature; of the whole flow */
    uint8_t misses;   /* packets that did not decide it */
    uint8_t held;     /* while it is not decided: its packets (held.h), 0: none */
    uint32_t last_id; /* of the whole flow: the stream that its last packet was of; 0: of none */
    struct candidate candidates[FLOW_CANDIDATES];
    bool begun;    /* the fields below hold the last packet */
    uint32_t seq;  /* of the protocol */
    uint32_t mark; /* RTP timestamp, SRT timestamp in us */
    struct burst burst;
    struct missing missing;

    struct send_time send_time; /* RTP; of the whole flow the last of any stream */
    int8_t paced_votes;         /* of frames: rtp.c */
    int8_t backlog_votes;       /* of frames that follow one another closely, likewise */
    uint32_t first_bytes;       /* of the second packet of the last of them, and ... */
    int64_t first_gap_ns;       /* ... the gap before it; 0: none */

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
    const struct memory *memory;
    const struct keyed_hash *hash;
    struct flow *all;      /* [room] */
    struct flow **buckets; /* [2 * room] */
    size_t count, room;
    struct held *held;            /* NULL: every flow is told what it is */
    struct flow *oldest, *newest; /* by how long they have been idle */
    uint64_t pushed_out;
};

/* With room for so many at first, a power of two; hold: of flows that are not decided on. memory
 * and hash stay the caller's. NULL when memory runs out. flows_free() takes NULL. */
struct flows *flows_new(const struct memory *memory, const struct keyed_hash *hash, size_t room, bool hold);
void flows_free(struct flows *flows);

/* The flow of the packet, added if need be, and now the newest. Pointers to others may be
 * none any more. */
struct flow *flows_find(struct flows *flows, const struct packet *packet, uint32_t id);

/* For a number behind the stream's: true, and the stream is as new, when so many
 * in a row went on by themselves that its sender has begun anew. */
bool flow_begins_anew(struct flow *stream, uint32_t seq);

#endif
