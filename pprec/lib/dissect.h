/* SPDX-License-Identifier: BSD-3-Clause */
/* From a captured frame to a UDP or TCP packet: a pure function of its bytes. */
#ifndef PPREC_LIB_DISSECT_H
#define PPREC_LIB_DISSECT_H

#include "pprec/core.h"
#include "pprec/lib/link.h"

#include <stddef.h>
#include <stdint.h>

enum dissect_result {
    DISSECT_OK,
    DISSECT_OTHER,    /* not IP, or neither UDP nor TCP in it */
    DISSECT_FRAGMENT, /* a part of a packet: its spacing means nothing */
    DISSECT_CUT,      /* the capture kept too little of it */
    DISSECT_BAD       /* lengths that contradict one another */
};

enum { PACKET_TCP = 6, PACKET_UDP = 17 };

struct packet {
    struct pprec_endpoint source;
    struct pprec_endpoint destination;
    uint8_t protocol;
    uint8_t tcp_flags;
    uint32_t tcp_seq;
    uint32_t header_bytes;  /* of IP, with options, and of UDP or TCP */
    uint32_t payload_bytes; /* as the headers say, not as captured */
    const uint8_t *data;    /* of the payload, as far as it was captured */
    size_t data_bytes;
};

/* Checksums are not looked at: offloading leaves them unset in captures. data
 * points into the frame. *packet is set only with DISSECT_OK. */
enum dissect_result dissect(struct packet *packet, const struct link_type *link,
                            const uint8_t *frame, size_t frame_bytes);

#endif
