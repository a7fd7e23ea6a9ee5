/* SPDX-License-Identifier: BSD-3-Clause */
/* RTP, RFC 3550: the packets of one SSRC and timestamp, a video frame, are a train.
 *
 *     0                   1                   2                   3
 *    |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 *    |                           timestamp                           |
 *    |                             SSRC                              |
 */
#include "pprec/lib/bytes.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/recognise.h"

#include <math.h>

enum { HEADER_BYTES = 12, SEQ_BEHIND = 0x8000 };

/* The rest of a frame has this share of a full packet at most, and is late when it comes so far
 * from what its size says to what a full one takes; in clusters gaps are that much shorter. */
#define REST_MOST 0.75
#define REST_LATE (1.0 / 6)
#define LEVEL 0.1
#define CLUSTER_TIMES 4

/* Frames have packets of other sizes from so much on, and first gaps that are alike to LEVEL. */
#define SIZES_APART 0.2

/* From frame to frame by so much, where the next one comes no later than a packet does. */
#define SIZES_APART_CLOSE 0.05
#define CLOSE_MOST 1.5
#define BACKLOG_OFF 0.25

/* Frames that look paced less those that do not: from so many on the sender paces; and as far as
 * they are counted. */
enum { VOTES_PACED = 4, VOTES_MOST = 12 };

static bool rtp_looks_right(const struct packet *packet)
{
    const uint8_t *data = packet->data;

    /* RFC 5761, section 4: 192 to 223 in the second byte are RTCP */
    return packet->data_bytes >= HEADER_BYTES && data[0] >> 6 == 2 && (data[1] < 192 || data[1] > 223);
}

static uint16_t rtp_seq_of(const struct packet *packet)
{
    return bytes_u16(packet->data + 2);
}

static uint32_t ssrc_of(const struct packet *packet)
{
    return bytes_u32(packet->data + 8);
}

static uint32_t rtp_number(const struct packet *packet)
{
    return rtp_seq_of(packet);
}

static bool rtp_follows(struct candidate *candidate, const struct packet *packet)
{
    bool next = candidate->streak > 0 && rtp_seq_of(packet) == (uint16_t)(candidate->seq + 1);

    candidate->seq = rtp_seq_of(packet);
    return next;
}

static uint32_t rtp_id(const struct packet *packet)
{
    return ssrc_of(packet) != 0 ? ssrc_of(packet) : 1;
}

static void vote(int8_t *votes, bool paced)
{
    if (paced)
        *votes = (int8_t)(*votes + (*votes < VOTES_MOST));
    else
        *votes = (int8_t)(*votes - (*votes > -VOTES_MOST));
}

/* Whether the last gaps have one level: at a bucket's knee they do not. */
static bool rtp_goes_on(const struct burst *burst)
{
    double differ_ns = (double)(burst->gap_ns - burst->gap_before_ns);

    return burst->gap_before_ns > 0 && fabs(differ_ns) <= LEVEL * (double)burst->gap_ns;
}

/* The rest of a frame is smaller than its other packets: on a link it takes less time, as their
 * sizes are; from a sender that paces it comes nearly as late as they do. And where packets come in
 * clusters, they left so: neither a link nor a bucket lets the later ones of a frame come closer
 * together. (What hosts do at their own pace says nothing.) */
static void note_gap(struct flow *stream, const struct pprec_arrival *arrival)
{
    const struct burst *burst = &stream->burst;
    double full = burst->first.payload_bytes + burst->first.header_bytes;
    double share = (arrival->payload_bytes + arrival->header_bytes) / full;
    double gap_ns = (double)(arrival->received.ns - burst->last_ns);

    if (!burst->open || burst->position == 0 || gap_ns < 0 || burst->gap_ns < STAMP_HOSTS_GAP_NS)
        return;
    if (share <= REST_MOST && rtp_goes_on(burst))
        vote(&stream->paced_votes, gap_ns > (share + REST_LATE * (1 - share)) * (double)burst->gap_ns);
    else if (share > REST_MOST && burst_fits(burst, arrival)
             && CLUSTER_TIMES * gap_ns < (double)burst->gap_ns)
        vote(&stream->paced_votes, true);
}

/* Encoders that split frames evenly leave no rest, but packets of another size in each frame: on a link
 * the first gap is that much shorter or longer; from a sender that works by a clock it is the same. */
static void note_first_gap(struct flow *stream, const struct pprec_arrival *arrival)
{
    double bytes = arrival->payload_bytes + arrival->header_bytes, last = stream->first_bytes;
    double gap_ns = (double)(arrival->received.ns - stream->burst.last_ns);
    double last_ns = (double)stream->first_gap_ns;

    if (!stream->burst.open || stream->burst.position != 0 || !burst_fits(&stream->burst, arrival)
        || gap_ns < STAMP_HOSTS_GAP_NS)
        return;
    if (last_ns > 0 && fabs(bytes - last) > SIZES_APART * fmin(bytes, last))
        vote(&stream->paced_votes, fabs(gap_ns - last_ns) <= LEVEL * fmin(gap_ns, last_ns));
    stream->first_bytes = (uint32_t)bytes;
    stream->first_gap_ns = (int64_t)gap_ns;
}

/* A sender that paces by size leaves a packet its own time, a link takes the next one's: within a frame
 * split evenly that is one and the same, but not where the next frame has had to wait for this one. Behind
 * a link that is not much faster than the pacer some of both is seen. */
static void note_backlog(struct flow *stream, const struct pprec_arrival *arrival)
{
    const struct burst *burst = &stream->burst;
    double last = burst->first.payload_bytes + burst->first.header_bytes;
    double share = (arrival->payload_bytes + arrival->header_bytes) / last - 1;
    double later = (double)(arrival->received.ns - burst->last_ns) / (double)burst->gap_ns - 1;

    if (!burst->open || burst->position == 0 || burst->gap_ns < STAMP_HOSTS_GAP_NS || !rtp_goes_on(burst)
        || fabs(share) < SIZES_APART_CLOSE || later > CLOSE_MOST - 1)
        return;
    if (later / share > -BACKLOG_OFF && later / share < 1 + BACKLOG_OFF)
        vote(&stream->backlog_votes, later / share < 1 - BACKLOG_OFF);
}

/* Another frame: the last one is over, and how long it took beside how long there was tells whether its sender spread
 * it. One time for all of a frame may be when it was handed over to a pacer, such as the kernel's. */
static void next_frame(struct flow *stream, int64_t now_ns)
{
    struct burst *burst = &stream->burst;
    bool votes = stream->paced_votes >= VOTES_PACED || stream->backlog_votes >= VOTES_PACED;

    if (burst->departed_ns == PPREC_UNKNOWN_NS ? votes || burst_looks_paced(burst, now_ns)
                                               : votes && burst_left_as_one(burst))
        burst_tell_departure(burst, burst_span_ns(burst));
    burst_end(burst);
}

static int rtp_take(struct pprec *pprec, struct flow *stream, const struct packet *packet, bool apart,
                    struct pprec_arrival *arrival)
{
    struct burst *burst = &stream->burst;
    uint32_t timestamp = bytes_u32(packet->data + 4);
    uint16_t ahead = (uint16_t)(rtp_seq_of(packet) - stream->seq);
    int status = PPREC_OK;

    arrival->departed_ns = send_time_of(&stream->send_time, packet, intake_of(pprec)->abs_send_time_id);
    if (stream->begun && (ahead == 0 || ahead >= SEQ_BEHIND)
        && !flow_begins_anew(stream, rtp_seq_of(packet))) {
        burst_end(burst); /* repeated or overtaken: what comes next follows nothing */
        return PPREC_OK;
    }
    if (stream->begun && ahead > 1)
        burst_lose(burst, ahead - 1U);
    if (timestamp != stream->mark) {
        if (stream->begun && ahead == 1 && !apart)
            note_backlog(stream, arrival);
        next_frame(stream, arrival->received.ns);
    } else if (stream->begun && ahead == 1 && !apart) {
        note_first_gap(stream, arrival);
        note_gap(stream, arrival);
    }
    if (stream->begun && ahead == 1 && !apart && burst_fits(burst, arrival)
        && burst_left_with(burst, arrival))
        status = burst_join(burst, pprec, arrival);
    else
        burst_begin(burst, pprec, arrival);
    stream->seq = rtp_seq_of(packet);
    stream->mark = timestamp;
    stream->begun = true;
    return status;
}

const struct recogniser recognise_rtp = {
    PPREC_KIND_RTP, rtp_looks_right, rtp_follows, NULL, rtp_number, 16, rtp_id, rtp_take,
};
