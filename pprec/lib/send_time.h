/* SPDX-License-Identifier: BSD-3-Clause */
/* When an RTP packet left, from its header extension (RFC 8285, one- and two-byte headers)
 * abs-send-time: 24 bits, seconds of the sender's clock in steps of 2^-18 s, modulo 64 s.
 *
 * Its number is the caller's to set, or is found: of three bytes that stand in each packet those
 * are a send time whose value advances as arrivals do. SEND_TIME_PACKETS packets in a row, over
 * SEND_TIME_LEAST_NS, each within SEND_TIME_OFF_NS of what its arrival predicts: a constant falls
 * out after that time, and what is random passes once in (64 s / 0.4 s)^15, 10^33. */
#ifndef PPREC_LIB_SEND_TIME_H
#define PPREC_LIB_SEND_TIME_H

#include "common/stamp.h"
#include "pprec/lib/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum { SEND_TIME_CANDIDATES = 4, SEND_TIME_PACKETS = 16 };
#define SEND_TIME_LEAST_NS STAMP_NS_PER_S
#define SEND_TIME_OFF_NS (200 * STAMP_NS_PER_MS)

/* An extension that may be one. */
struct send_time_candidate {
    uint8_t id;      /* 0: none */
    uint8_t packets; /* in a row, up to SEND_TIME_PACKETS */
    uint32_t value;  /* of the first of them ... */
    int64_t at_ns;   /* ... which arrived then */
};

/* Of one stream; all zero at first. */
struct send_time {
    uint8_t id; /* 0: not found yet */
    bool begun; /* the two below are of the last packet */
    int64_t departed_ns;
    int64_t received_ns;
    struct send_time_candidate candidates[SEND_TIME_CANDIDATES];
};

/* When the RTP packet left, or PPREC_UNKNOWN_NS. The epoch is the sender's, modulo 64 s that which
 * is nearest to the first arrival, or to what it goes on from. id: of the extension, 0: to be found. */
int64_t send_time_of(struct send_time *send_time, const struct packet *packet, uint8_t id);

/* Streams of one sender have one clock, so they are to have one epoch: what comes next is nearest to
 * where the other stands, if that has begun. */
void send_time_go_on_from(struct send_time *send_time, const struct send_time *other);

#endif
