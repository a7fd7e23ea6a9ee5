/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sender and the receiver that obey each other agree on: RTP of 30 frames a second to
 * one port, each packet with its send time (abs-send-time, RFC 8285); and back, in text, the rate
 * to send at. */
#ifndef PPREC_EXAMPLES_RATE_H
#define PPREC_EXAMPLES_RATE_H

enum {
    RATE_PORT = 5006,
    RATE_FRAMES_A_SECOND = 30,
    RATE_FRAME_NS = 1000000000 / RATE_FRAMES_A_SECOND,
    RATE_PACKET_BYTES = 1200,
    RATE_SEND_TIME_ID = 3,
    RATE_LEAST_BPS = 600000, /* of UDP payload: pairs of packets, without which nothing is measured */
    RATE_MOST_BPS = 30000000
};

#endif
