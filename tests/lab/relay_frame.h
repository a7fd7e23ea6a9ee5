/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames inside the relay: a fixed pool, and which of them are to be impaired.
 */
#ifndef RELAY_FRAME_H
#define RELAY_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
    int64_t due_ns; /* when it is to leave; CLOCK_REALTIME, like every time here */
    uint64_t index; /* its place in the input order of the marked frames */
    uint32_t bytes; /* Ethernet frame as captured: no FCS */
    uint32_t data_bytes;
    uint32_t flow;      /* hash of its 5-tuple; set where queues are by flow */
    bool marked;        /* of the flow that is impaired and counted */
    bool twice;         /* a copy follows it */
    bool copy;          /* it is that copy */
    struct frame *next; /* in the pool's free list, or in its flow's queue */
    uint8_t data[];     /* the kernel's offload header, then the Ethernet frame */
};

struct frame_pool {
    uint8_t *memory;
    size_t memory_bytes;
    size_t slot_bytes;
    size_t slots;
    struct frame *free;
};

/* Makes room for frames of data_bytes each, all of it touched; 0, or -1 with errno. */
int frame_pool_init(struct frame_pool *pool, size_t data_bytes);
void frame_pool_fini(struct frame_pool *pool);

/* NULL when all are in use. */
struct frame *frame_take(struct frame_pool *pool);
void frame_give_back(struct frame_pool *pool, struct frame *frame);

enum frame_kind {
    FRAME_OTHER, /* neither IPv4 nor IPv6: ARP and the like */
    FRAME_IP,
    FRAME_UDP,
    FRAME_MARKED, /* UDP to the port asked for, or any UDP if port is 0 */
};

/* Looks at an untagged Ethernet frame; IPv6 extension headers are not followed. */
enum frame_kind frame_classify(const uint8_t *ethernet, size_t bytes, uint16_t port);

/* Hash of addresses, protocol and ports (none of fragments), or 0 if it is not IP. */
uint32_t frame_flow(const uint8_t *ethernet, size_t bytes);

#endif
