/* SPDX-License-Identifier: BSD-3-Clause */
/* What the layered sender and receiver agree on: five layers, each an RTP stream (its
 * SSRC is its number) to a group of its own, 239.255.77.1 and up. Frames are a whole
 * number of equal packets, which leave back to back: the content is the probe. */
#ifndef PPREC_EXAMPLES_LAYERED_H
#define PPREC_EXAMPLES_LAYERED_H

enum {
    LAYERED_LAYERS = 5,
    LAYERED_PORT = 5004,
    LAYERED_PACKET_BYTES = 1472, /* 1500 with IP and UDP */
    LAYERED_HEADER_BYTES = 12,
    LAYERED_FIRST_BPS = 256000, /* of UDP payload */
    LAYERED_FRAME_PACKETS = 2   /* of the first layer */
};

/* In units of the first layer's rate: 256, 256, 512, 1024, 2048 kbit/s. */
static const unsigned layered_shares[LAYERED_LAYERS] = {1, 1, 2, 4, 8};

#endif
