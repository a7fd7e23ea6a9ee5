/* SPDX-License-Identifier: BSD-3-Clause */
/* SRT (draft-sharabayko-srt, section 3.1), data packets:
 *
 *    |0|                  packet sequence number                     |
 *    |P P|O|K K|R|                 message number                    |
 *    |                    timestamp, us, of the origin               |
 *    |                  destination socket id                        |
 *
 * A packet whose number is 0 modulo 16 is followed by the next one without the
 * pacing that the others get: the pair is a train. The packets between pairs that
 * were handed to SRT together are one too, unless SRT paces them: they come
 * slower than pairs then, and are left out. */
#include "common/serial.h"
#include "common/stamp.h"
#include "pprec/lib/bytes.h"
#include "pprec/lib/recognise.h"

enum {
    HEADER_BYTES = 16,
    SEQ_MASK = 0x7fffffff,
    MESSAGE_MASK = 0x03ffffff,
    LAST = 0x40000000, /* part of its message, or the only one */
    RETRANSMITTED = 0x04000000,
    PAIR_EVERY = 16,
    SMOOTHING = 8,
    TOGETHER_US = 2000 /* handed over within this: one burst */
};

static bool srt_looks_right(const struct packet *packet)
{
    return packet->data_bytes >= HEADER_BYTES && !(packet->data[0] & 0x80)
        && packet->arrival.payload_bytes > HEADER_BYTES;
}

static uint32_t srt_seq_of(const struct packet *packet)
{
    return bytes_u32(packet->data) & SEQ_MASK;
}

static uint32_t srt_message_of(const struct packet *packet)
{
    return bytes_u32(packet->data + 4);
}

static uint32_t sent_us(const struct packet *packet)
{
    return bytes_u32(packet->data + 8);
}

static uint32_t srt_socket_of(const struct packet *packet)
{
    return bytes_u32(packet->data + 12);
}

/* The rest of the message before, or the first part of the next one. */
static bool message_follows(uint32_t before, uint32_t message)
{
    uint32_t ahead = (message - before) & MESSAGE_MASK;
    bool first = message >> 31 != 0;

    return before & LAST ? ahead == 1 && first : ahead == 0 && !first;
}

/* Sequence numbers, messages and timestamps go on, the socket is the same. Any payload may
 * have small numbers there; four in a row will not. */
static bool srt_follows(struct candidate *candidate, const struct packet *packet)
{
    bool next = candidate->streak > 0 && srt_seq_of(packet) == ((candidate->seq + 1) & SEQ_MASK)
        && srt_socket_of(packet) != 0 && (srt_message_of(packet) & MESSAGE_MASK) != 0
        && message_follows(candidate->last, srt_message_of(packet))
        && serial_distance(candidate->mark, sent_us(packet)) >= 0;

    candidate->seq = srt_seq_of(packet);
    candidate->mark = sent_us(packet);
    candidate->last = srt_message_of(packet);
    return next;
}

static uint32_t srt_id(const struct packet *packet)
{
    return srt_socket_of(packet) != 0 ? srt_socket_of(packet) : 1;
}

static void srt_smooth(int64_t *value_ns, int64_t gap_ns)
{
    *value_ns += *value_ns == 0 ? gap_ns : (gap_ns - *value_ns) / SMOOTHING;
}

/* The burst before ended: its packets were handed over between two timestamps. */
static void next_burst(struct flow *stream)
{
    int32_t span_us = serial_distance(stream->mark_first, stream->mark);

    if (stream->burst.open && stream->burst.position > 0)
        burst_tell_departure(&stream->burst, span_us * STAMP_NS_PER_US);
    burst_end(&stream->burst);
}

/* SRT's pacing shows where bursts come slower than pairs, which it exempts. */
static bool srt_paced(const struct flow *stream)
{
    return stream->pair_gap_ns > 0 && 4 * stream->burst_gap_ns > 5 * stream->pair_gap_ns;
}

static bool joins(const struct flow *stream, const struct packet *packet, const struct pprec_arrival *arrival)
{
    uint32_t in_cycle = srt_seq_of(packet) % PAIR_EVERY;

    if (!burst_fits(&stream->burst, arrival))
        return false;
    if (in_cycle == 1)
        return true;
    return in_cycle > 2 /* 0 and 2 begin a burst */
        && serial_distance(stream->mark, sent_us(packet)) < TOGETHER_US;
}

static int srt_join(struct pprec *pprec, struct flow *stream, const struct packet *packet,
                    struct pprec_arrival *arrival)
{
    bool pair = srt_seq_of(packet) % PAIR_EVERY == 1;
    int64_t gap_ns = arrival->received.ns - stream->burst.last_ns;

    srt_smooth(pair ? &stream->pair_gap_ns : &stream->burst_gap_ns, gap_ns);
    if (pair || !srt_paced(stream))
        return burst_join(&stream->burst, pprec, arrival);
    burst_end(&stream->burst);
    return PPREC_OK;
}

static int srt_take(struct pprec *pprec, struct flow *stream, const struct packet *packet, bool apart,
                    struct pprec_arrival *arrival)
{
    /* doubled, so that 31 bits wrap as 32 do */
    int32_t ahead = serial_distance(stream->seq << 1, srt_seq_of(packet) << 1) / 2;
    int status = PPREC_OK;

    (void)apart; /* an acknowledgement takes no time worth naming */
    if (srt_message_of(packet) & RETRANSMITTED
        || (stream->begun && ahead <= 0 && !flow_begins_anew(stream, srt_seq_of(packet)))) {
        burst_end(&stream->burst); /* what comes next follows nothing */
        return PPREC_OK;
    }
    if (stream->begun && ahead > 1)
        burst_lose(&stream->burst, (uint32_t)ahead - 1);
    if (stream->begun && ahead == 1 && joins(stream, packet, arrival)) {
        status = srt_join(pprec, stream, packet, arrival);
    } else {
        next_burst(stream);
        burst_begin(&stream->burst, pprec, arrival);
        stream->mark_first = sent_us(packet);
    }
    stream->seq = srt_seq_of(packet);
    stream->mark = sent_us(packet);
    stream->begun = true;
    return status;
}

const struct recogniser recognise_srt = {
    PPREC_KIND_SRT, srt_looks_right, srt_follows, NULL, srt_seq_of, 31, srt_id, srt_take,
};
