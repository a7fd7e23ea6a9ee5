/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet of somebody's flow: from a capture, from a socket, or pushed by a program. */
#ifndef PPREC_LIB_PACKET_H
#define PPREC_LIB_PACKET_H

#include "pprec/core.h"

#include <stddef.h>
#include <stdint.h>

enum { PACKET_TCP = 6, PACKET_UDP = 17 };

struct packet {
    struct pprec_endpoint source;
    struct pprec_endpoint destination; /* ip 0: not known */
    struct pprec_stamp received;
    uint8_t protocol;
    uint8_t tcp_flags;
    uint32_t tcp_seq;
    uint32_t header_bytes;  /* of IP, with options, and of UDP or TCP */
    uint32_t payload_bytes; /* as the headers say, not as captured */
    const uint8_t *data;    /* of the payload, as far as it is at hand */
    size_t data_bytes;
};

#endif
