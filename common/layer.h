/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of a packet count: from UDP payload to size at a layer and back. */
#ifndef COMMON_LAYER_H
#define COMMON_LAYER_H

#include "error.h"

#include <stdint.h>

enum layer_kind {
    LAYER_UDP,  /* the payload: what an application sees */
    LAYER_IP,   /* + UDP and IP headers: RFC 5136 IP-layer capacity */
    LAYER_L2,   /* + Ethernet header and FCS: the paper's 46 on IPv4 */
    LAYER_WIRE, /* + preamble and inter-frame gap, at least 84 */
    LAYER_FIXED /* payload + a number the user gave */
};

struct layer {
    enum layer_kind kind;
    uint32_t fixed_bytes; /* LAYER_FIXED only */
};

/* IP version of a packet. */
enum layer_ip { LAYER_IPV4 = 4, LAYER_IPV6 = 6 };

/* What option --layer takes. */
#define LAYER_WANTED "want udp, ip, l2, wire or a number of bytes up to 65535"

/* text: udp, ip, l2, wire or a number of bytes, 0 to 65535.
 * Returns 0, or -1 with the error's text set. */
int layer_parse(struct layer *layer, const char *text, struct error *error);

/* The name layer_parse() takes; a number is written into room (at least 12
 * bytes, the caller's). */
const char *layer_name(const struct layer *layer, char *room);

/* Bytes that a UDP payload of payload_bytes counts for at the layer. */
uint32_t layer_bytes(const struct layer *layer, enum layer_ip ip, uint32_t payload_bytes);

/* The UDP payload whose size at the layer is size_bytes, or -1 when even an
 * empty payload is larger (for wire also below 84, the least there is). */
int32_t layer_payload(const struct layer *layer, enum layer_ip ip, uint32_t size_bytes);

#endif
