/* SPDX-License-Identifier: BSD-3-Clause */
/* From a captured frame to a UDP or TCP packet: a pure function of its bytes. */
#ifndef PPREC_LIB_DISSECT_H
#define PPREC_LIB_DISSECT_H

#include "pprec/lib/link.h"
#include "pprec/lib/packet.h"

#include <stddef.h>
#include <stdint.h>

enum dissect_result {
    DISSECT_OK,
    DISSECT_OTHER,    /* not IP, or neither UDP nor TCP in it */
    DISSECT_FRAGMENT, /* a part of a packet: its spacing means nothing */
    DISSECT_CUT,      /* the capture kept too little of it */
    DISSECT_BAD       /* lengths that contradict one another */
};

/* Checksums are not looked at: offloading leaves them unset in captures. data
 * points into the frame. *packet is set only with DISSECT_OK, but for received. */
enum dissect_result dissect(struct packet *packet, const struct link_type *link, const uint8_t *frame,
                            size_t frame_bytes);

#endif
