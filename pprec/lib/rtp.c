/* SPDX-License-Identifier: BSD-3-Clause */
/* RTP, RFC 3550: the packets of one SSRC and timestamp, a video frame, are a train.
 *
 *     0                   1                   2                   3
 *    |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 *    |                           timestamp                           |
 *    |                             SSRC                              |
 */
#include "pprec/lib/bytes.h"
#include "pprec/lib/handle.h"
#include "pprec/lib/recognise.h"

enum { HEADER_BYTES = 12, SEQ_BEHIND = 0x8000 };

static bool looks_right(const struct packet *packet)
{
    const uint8_t *data = packet->data;

    /* RFC 5761, section 4: 192 to 223 in the second byte are RTCP */
    return packet->data_bytes >= HEADER_BYTES && data[0] >> 6 == 2
        && (data[1] < 192 || data[1] > 223);
}

static uint16_t seq_of(const struct packet *packet)
{
    return bytes_u16(packet->data + 2);
}

static uint32_t ssrc_of(const struct packet *packet)
{
    return bytes_u32(packet->data + 8);
}

static bool follows(struct candidate *candidate, const struct packet *packet)
{
    bool next = candidate->streak > 0 && seq_of(packet) == (uint16_t)(candidate->seq + 1);

    candidate->seq = seq_of(packet);
    return next;
}

static uint32_t id(const struct packet *packet)
{
    return ssrc_of(packet) != 0 ? ssrc_of(packet) : 1;
}

/* Another frame: the last one is over, and how long it took beside how long there
 * was tells whether its sender spread it. */
static void next_frame(struct burst *burst, int64_t now_ns)
{
    if (burst_looks_paced(burst, now_ns))
        burst_tell_departure(burst, burst_span_ns(burst));
    burst_end(burst);
}

static int take(struct pprec *pprec, struct flow *stream, const struct packet *packet, bool apart,
                struct pprec_arrival *arrival)
{
    struct burst *burst = &stream->burst;
    uint32_t timestamp = bytes_u32(packet->data + 4);
    uint16_t ahead = (uint16_t)(seq_of(packet) - stream->seq);
    int status = PPREC_OK;

    arrival->departed_ns = send_time_of(&stream->send_time, packet, pprec->abs_send_time_id);
    if (stream->begun && (ahead == 0 || ahead >= SEQ_BEHIND)
        && !flow_begins_anew(stream, seq_of(packet))) {
        burst_end(burst); /* repeated or overtaken: what comes next follows nothing */
        return PPREC_OK;
    }
    if (stream->begun && ahead > 1)
        burst_lose(burst, ahead - 1U);
    if (timestamp != stream->mark)
        next_frame(burst, arrival->received.ns);
    if (stream->begun && ahead == 1 && !apart && burst_fits(burst, arrival))
        status = burst_join(burst, pprec, arrival);
    else
        burst_begin(burst, arrival);
    stream->seq = seq_of(packet);
    stream->mark = timestamp;
    stream->begun = true;
    return status;
}

const struct recogniser recognise_rtp = {PPREC_KIND_RTP, looks_right, follows, id, take};
