/* SPDX-License-Identifier: BSD-3-Clause */
/* The packets of flows that nobody has told what they are, until that is decided: so that what is
 * measured begins with a flow's first packet, whoever brings it. Of so many flows at a time; past
 * that the flow whose packets have been held for longest loses them. */
#ifndef PPREC_LIB_HELD_H
#define PPREC_LIB_HELD_H

#include "pprec/lib/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Headers with a few extensions; a flow is decided on sooner than with as many packets. */
enum { HELD_FLOWS = 64, HELD_PACKETS = 16, HELD_DATA_BYTES = 96 };

struct held_packet {
    struct packet packet; /* its data point nowhere */
    uint8_t data[HELD_DATA_BYTES];
};

struct held_flow {
    uint8_t *place; /* where the flow keeps its number here; NULL: of no flow */
    unsigned count;
};

struct held {
    struct held_flow flows[HELD_FLOWS];
    unsigned next;    /* to be used */
    uint64_t dropped; /* packets that nothing came of, since somebody looked */
    struct held_packet packets[HELD_FLOWS][HELD_PACKETS]; /* each anything until it is kept */
};

/* In memory that need not be clean. */
void held_init(struct held *held);

/* Holds a copy for the flow whose number is kept at *place: 0 at first, and again once its packets
 * are given up. */
void held_keep(struct held *held, uint8_t *place, const struct packet *packet);

/* How many it has; packet i of them, valid until the next is kept. */
unsigned held_count(const struct held *held, uint8_t number);
struct packet held_packet(const struct held *held, uint8_t number, unsigned i);

/* The flow has moved to another place. */
void held_move(struct held *held, uint8_t *place);

/* Gives its packets up; of those that nothing came of. */
void held_release(struct held *held, uint8_t *place);
void held_forget(struct held *held, uint8_t *place);

#endif
