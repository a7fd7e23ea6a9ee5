/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrivals from the media packets of a caller that has told the streams apart:
 * unlike in captures, nothing has to be guessed. */
#include "common/serial.h"
#include "pprec/lib/assembler.h"
#include "pprec/lib/bytes.h"
#include "pprec/media.h"

enum { RTP_HEADER_BYTES = 12, SRT_HEADER_BYTES = 16, SRT_PAIR_EVERY = 16 };
enum { SRT_SEQ_MASK = 0x7fffffff, SRT_RETRANSMITTED = 0x04000000 };

static void fill(struct pprec_arrival *arrival, enum pprec_kind kind, uint32_t stream,
                 size_t packet_bytes)
{
    arrival->destination.ip = 0;
    arrival->kind = kind;
    arrival->stream = stream;
    arrival->payload_bytes = packet_bytes <= UINT16_MAX ? (uint32_t)packet_bytes : UINT32_MAX;
    arrival->header_bytes = 0;
    arrival->sent_ns = PPREC_UNKNOWN_NS;
    arrival->departure_span_ns = PPREC_UNKNOWN_NS;
    arrival->departed_ns = PPREC_UNKNOWN_NS;
}

/* --- RTP, RFC 3550, section 5.1 --- */

/* RFC 5761, section 4: 192 to 223 in the second byte are RTCP. */
static int is_rtp(const uint8_t *packet, size_t bytes)
{
    return bytes >= RTP_HEADER_BYTES && packet[0] >> 6 == 2
        && (packet[1] < 192 || packet[1] > 223);
}

/* A packet of another size, such as the rest of a frame, is queued differently. */
static int joins(const struct pprec_rtp *rtp, uint32_t timestamp, uint32_t seq, size_t bytes)
{
    return rtp->begun && !rtp->marked && timestamp == rtp->timestamp && bytes == rtp->bytes
        && serial_distance(rtp->first_seq, seq) < ASSEMBLER_TRAIN_MAX;
}

int pprec_arrival_from_rtp(struct pprec_arrival *arrival, struct pprec_rtp *rtp,
                           const void *packet, size_t packet_bytes)
{
    const uint8_t *header = packet;
    uint32_t seq, timestamp;

    if (!is_rtp(header, packet_bytes))
        return PPREC_EFOREIGN;
    timestamp = bytes_u32(header + 4);
    seq = rtp->begun ? serial_unwrap16(rtp->seq, bytes_u16(header + 2)) : bytes_u16(header + 2);
    if (rtp->begun && serial_before(seq, rtp->first_seq))
        return PPREC_EFOREIGN; /* its train is over */
    if (!joins(rtp, timestamp, seq, packet_bytes)) {
        rtp->train++;
        rtp->first_seq = seq;
        rtp->timestamp = timestamp;
        rtp->bytes = packet_bytes;
    }
    rtp->begun = 1;
    rtp->marked = header[1] >> 7;
    rtp->seq = seq;
    fill(arrival, PPREC_KIND_RTP, bytes_u32(header + 8), packet_bytes);
    arrival->train = rtp->train;
    arrival->seq = seq;
    arrival->position = (uint16_t)(seq - rtp->first_seq);
    arrival->train_length = 0;
    return PPREC_OK;
}

/* --- SRT, draft-sharabayko-srt, section 3.1 --- */

int pprec_arrival_from_srt(struct pprec_arrival *arrival, struct pprec_srt *srt,
                           const void *packet, size_t packet_bytes)
{
    const uint8_t *header = packet;
    uint32_t number, ahead;

    if (packet_bytes <= SRT_HEADER_BYTES || header[0] & 0x80
        || bytes_u32(header + 4) & SRT_RETRANSMITTED)
        return PPREC_EFOREIGN;
    number = bytes_u32(header) & SRT_SEQ_MASK;
    ahead = (number - srt->seq) & SRT_SEQ_MASK; /* 31 bits, continued in 32 */
    srt->seq = srt->begun ? srt->seq + ahead - (ahead > SRT_SEQ_MASK / 2) * (SRT_SEQ_MASK + 1U)
                          : number;
    srt->begun = 1;
    if (number % SRT_PAIR_EVERY > 1)
        return PPREC_EFOREIGN;
    fill(arrival, PPREC_KIND_SRT, bytes_u32(header + 12), packet_bytes);
    arrival->train = srt->seq / SRT_PAIR_EVERY;
    arrival->position = (uint16_t)(number % SRT_PAIR_EVERY);
    arrival->seq = arrival->train * 2 + arrival->position;
    arrival->train_length = 2;
    return PPREC_OK;
}
