/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of media, RTP and SRT, as arrivals. */
#ifndef PPREC_MEDIA_H
#define PPREC_MEDIA_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__ /* what stands here is exported by the shared library */
#pragma GCC visibility push(default)
#endif

/* What is remembered of an RTP stream, one SSRC of one source, between its packets.
 * The caller's memory, all zero at first; the fields are the library's. */
struct pprec_rtp {
    uint8_t begun;
    uint8_t marked;
    uint32_t seq;
    uint32_t first_seq;
    uint32_t timestamp;
    uint32_t train;
    size_t bytes;
    uint64_t reserved[2];
};

/* Turns an RTP packet (the UDP payload) into an arrival: all but source and received,
 * which are the caller's to fill in. Packets of one timestamp and size, up to the
 * marker, are a train: they should have left together, as video frames do from most
 * encoders. PPREC_EFOREIGN, and nothing to push, for RTCP, for other packets, and for
 * those of a frame that is over. */
int pprec_arrival_from_rtp(struct pprec_arrival *arrival, struct pprec_rtp *rtp,
                           const void *packet, size_t packet_bytes);

/* The same for SRT, one connection: data packets whose number is 0 modulo 16, and the
 * ones after them, which SRT sends back to back. PPREC_EFOREIGN for all others. */
struct pprec_srt {
    uint8_t begun;
    uint32_t seq;
    uint64_t reserved[2];
};

int pprec_arrival_from_srt(struct pprec_arrival *arrival, struct pprec_srt *srt,
                           const void *packet, size_t packet_bytes);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
