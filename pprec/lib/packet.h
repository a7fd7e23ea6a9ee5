/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet of somebody's flow: from a capture, from a socket, or pushed by a program. */
#ifndef PPREC_LIB_PACKET_H
#define PPREC_LIB_PACKET_H

#include "pprec/core.h"

#include <stddef.h>
#include <stdint.h>

enum { PACKET_TCP = 6, PACKET_UDP = 17 };

/* What is known of the arrival stands where it will be pushed from: with a million packets per
 * second, copies cost most. */
struct packet {
    struct pprec_arrival arrival; /* header_bytes with options, payload_bytes as the headers say, not
                                     as captured; what depends on the train is unknown yet */
    uint8_t protocol;
    uint8_t tcp_flags;
    uint32_t tcp_seq;
    const uint8_t *data; /* of the payload, as far as it is at hand */
    size_t data_bytes;
};

#endif
