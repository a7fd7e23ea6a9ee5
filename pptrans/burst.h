/* SPDX-License-Identifier: BSD-3-Clause */
/* Hands a whole train to the kernel at once. */
#ifndef PPTRANS_BURST_H
#define PPTRANS_BURST_H

#include "common/address.h"
#include "flight.h"
#include "payloads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Packets that the kernel refused, by errno; the last row takes what the
 * others have no place for. */
enum { BURST_REASONS = 8 };

struct burst_failures {
    struct {
        int number;
        uint64_t packets;
    } reasons[BURST_REASONS];
};

struct burst {
    int socket;
    const struct address *to; /* outlives the burst */
    bool segment;             /* UDP_SEGMENT for all packets but the last */
    bool refused_segments;    /* the kernel would not: segment is now false */
    bool stamped;             /* transmit stamps were granted */
    bool uncertain;           /* a send failed: next_number may be wrong */
    uint32_t next_number;     /* the kernel's, of the next message */
    struct burst_failures failures;
    struct mmsghdr messages[WIRE_TRAIN_MAX];
    struct iovec stretches[WIRE_TRAIN_MAX];
    /* One control message for all that are segmented, */
    _Alignas(struct cmsghdr) char segment_size[CMSG_SPACE(sizeof(uint16_t))];
    /* and one for all with a hop limit of their own: first and last packet, others. */
    _Alignas(struct cmsghdr) char marker_hops[CMSG_SPACE(sizeof(int))];
    _Alignas(struct cmsghdr) char load_hops[CMSG_SPACE(sizeof(int))];
};

void burst_init(struct burst *burst, int socket, const struct address *to, bool segment, bool stamped);

/* Makes the messages for a train of flight->packets payloads of flight->payload_bytes (first and
 * last: flight->marker_bytes), and clears what flight says of stamps and failures. */
void burst_prepare(struct burst *burst, const struct payloads *payloads, struct flight *flight);

/* Hands one of a paced train's packets over, each in turn; false when the kernel refused it, which
 * ends the train as with burst_send(). */
bool burst_send_next(struct burst *burst, const struct payloads *payloads, struct flight *flight,
                     size_t message);

/* Of a paced train no more than the first messages will be sent. */
void burst_stop(struct flight *flight, size_t messages);

/* Hands them over. What the kernel refuses ends the train: of its packets the first ones have
 * left, and flight->failed, the others, never will. Never waits: a full send buffer is a
 * refusal (EAGAIN). */
void burst_send(struct burst *burst, const struct payloads *payloads, struct flight *flight);

/* True while packets of the socket wait in this host. */
bool burst_pending(const struct burst *burst);

/* Makes the numbers certain again after a refusal, by starting them afresh. The
 * caller has seen that nothing is pending, and then read all stamps: an old one
 * could not be told from a new one. */
void burst_renumber(struct burst *burst);

#endif
