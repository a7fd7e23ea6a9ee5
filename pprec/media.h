/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of media, RTP and SRT, as a program receives them. */
#ifndef PPREC_MEDIA_H
#define PPREC_MEDIA_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__ /* what stands here is exported by the shared library */
#pragma GCC visibility push(default)
#endif

/* Takes an RTP packet (RFC 3550) as it came from source: a UDP payload of packet_bytes, of which
 * data_bytes are at hand. Its header is enough, with the extension if there is one. Streams are
 * told apart by their SSRC, so audio, retransmissions and simulcast may share the port. Packets of one
 * timestamp that follow each other are a train; the first packet waits for the second. All packets
 * count in their path (on_congestion), also those of audio, which make no train. Captures are read by
 * the same rules, so the same packets give the same estimate.
 * If packets have the header extension abs-send-time (RFC 8285; config.abs_send_time_id), it says
 * when they left. Then a sender that paces can be told from a link.
 * PPREC_EFOREIGN for what is no RTP, dropped and counted: RTCP, STUN and DTLS on the same port
 * (RFC 7983) may be pushed as they come. PPREC_EINVAL for an invalid address or stamp,
 * counted by pprec_foreign() as well. Otherwise as pprec_push(). */
int pprec_push_rtp(struct pprec *pprec, const struct pprec_endpoint *source, const void *packet,
                   size_t data_bytes, size_t packet_bytes, struct pprec_stamp received);

/* The same for SRT (draft-sharabayko-srt): the 16 bytes of a data packet's header are enough. Its
 * pairs are trains (each sixteenth packet and the next, which SRT sends at once). So are packets
 * that were handed to SRT together, unless it paces them. */
int pprec_push_srt(struct pprec *pprec, const struct pprec_endpoint *source, const void *packet,
                   size_t data_bytes, size_t packet_bytes, struct pprec_stamp received);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
