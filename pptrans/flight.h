/* SPDX-License-Identifier: BSD-3-Clause */
/* A train on its way out: which of its messages left when. Pure. */
#ifndef PPTRANS_FLIGHT_H
#define PPTRANS_FLIGHT_H

#include "common/departure.h"
#include "common/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message is what one send hands to the kernel: a packet, or a stretch of
 * packets that the kernel takes apart. The stamp of a stretch is that of its
 * first packet (Linux gives the transmit flags to the first segment). */
struct flight {
    uint32_t train;
    uint32_t packets;
    uint32_t payload_bytes;
    uint32_t marker_bytes;          /* of payload, first and last packet; 0: as all others */
    uint8_t load_hops, marker_hops; /* hop limits of the others, and of these; 0: the socket's */
    bool paced;                     /* packet by packet, each when it is due */
    int64_t sent_span_ns;           /* of a paced train that left whole, by the clock at its sends; else 0 */
    int64_t handed_ns;              /* CLOCK_REALTIME just before: TIME */
    uint32_t first_number;          /* the kernel's, of message 0 */
    size_t messages;
    uint16_t position[WIRE_TRAIN_MAX]; /* of a message's first packet */
    int64_t stamp_ns[WIRE_TRAIN_MAX];  /* 0: not known */
    size_t stamps;
    uint32_t failed; /* of its packets the last, which the kernel refused, */
    uint32_t unsent; /* or which came after the order to stop */
    bool uncertain;  /* a send failed: numbers no longer certain */
};

/* What the stamps say. Gaps are per packet: between two messages, divided by
 * the packets from one to the next. */
struct flight_spread {
    bool known; /* first and last packet were stamped, and in this order; or the train was paced, and
                   the clock at its sends tells */
    int64_t span_ns;
    size_t gaps;
    int64_t least_ns, median_ns, most_ns; /* with gaps > 0 */
    int64_t gap_ns[WIRE_TRAIN_MAX - 1];   /* sorted */
};

/* Takes a stamp that belongs to the train; passes over one that does not. */
void flight_note(struct flight *flight, const struct departure *departure);

/* Of its packets those that the kernel took. */
uint32_t flight_taken(const struct flight *flight);

/* All messages stamped: nothing more to wait for. */
bool flight_settled(const struct flight *flight);

void flight_measure(const struct flight *flight, struct flight_spread *spread);

/* A span as the probe header carries it. */
uint32_t flight_wire_span(int64_t span_ns);

#endif
