/* SPDX-License-Identifier: BSD-3-Clause */
/* Link layers of captures: where in a frame the IP packet begins. */
#ifndef PPREC_LIB_LINK_H
#define PPREC_LIB_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum link_result {
    LINK_IP,    /* an IP packet begins here */
    LINK_OTHER, /* it carries something else */
    LINK_CUT    /* the capture ends inside the link header */
};

/* What is at hand of a frame; the functions move it on past headers. */
struct link_frame {
    const uint8_t *at;
    size_t bytes;
};

struct link_type {
    int dlt; /* as pcap_datalink() says */
    enum link_result (*enter)(struct link_frame *frame);
};

/* NULL for a link type that is not known. */
const struct link_type *link_find(int dlt);

#endif
