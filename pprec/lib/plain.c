/* SPDX-License-Identifier: BSD-3-Clause */
/* Any other UDP or TCP flow: its full-size packets that came close together are a
 * train, as passive tools have it (nettimer, MultiQ, PPrate). How they left is not
 * known: never more than a best guess. */
#include "common/serial.h"
#include "common/stamp.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/recognise.h"

enum {
    LEAST_BYTES = 500,     /* smaller packets tell little (the paper, figure 11) */
    ETHERNET_BYTES = 1500, /* the usual MTU */
    JUMBO_BYTES = 9216,    /* no network has larger packets: merged */
    TRAIN_PACKETS = 16,    /* longer ones read the asymptotic dispersion rate */
    TCP_SYN_FIN_RST = 0x07
};

/* Packets nearer to each other than so many usual gaps came together; */
#define NEAR_GAPS 4
/* of the first two nothing is usual yet. 1500 bytes in this are 120 kbit/s. */
#define NEAR_FIRST_NS (100 * STAMP_NS_PER_MS)
/* The usual gap is smoothed; a pause counts little, and as a near gap at most. */
#define SMOOTHING 8
#define SMOOTHING_PAUSE 64

/* Segments merged by GRO or LRO are larger than any packet, or of several sizes
 * above the usual MTU, where jumbo frames are all of one. */
static bool is_merged(struct flow *flow, uint32_t ip_bytes)
{
    if (ip_bytes > ETHERNET_BYTES && flow->long_bytes == 0)
        flow->long_bytes = ip_bytes;
    if (ip_bytes > JUMBO_BYTES || (ip_bytes > ETHERNET_BYTES && ip_bytes != flow->long_bytes))
        flow->merged = true;
    return flow->merged;
}

/* How far TCP's number is ahead of where the flow's last packet ended: 0 for the
 * next one, negative for a retransmission. UDP has none: always the next. */
static int32_t ahead(struct flow *flow, const struct packet *packet)
{
    uint32_t end = packet->tcp_seq + packet->arrival.payload_bytes;
    int32_t distance = serial_distance(flow->seq, packet->tcp_seq);

    if (packet->protocol != PACKET_TCP)
        return 0;
    if (!flow->begun || serial_before(flow->seq, end))
        flow->seq = end;
    if (!flow->begun)
        distance = 0;
    flow->begun = true;
    return distance;
}

static bool plain_near(struct flow *flow, int64_t gap_ns)
{
    bool first = flow->gap_ns == 0;
    int64_t limit_ns = first ? NEAR_FIRST_NS : NEAR_GAPS * flow->gap_ns;

    if (gap_ns > limit_ns) {
        if (flow->gap_ns < NEAR_FIRST_NS)
            flow->gap_ns += (NEAR_GAPS - 1) * flow->gap_ns / SMOOTHING_PAUSE;
        return false;
    }
    flow->gap_ns += first ? gap_ns : (gap_ns - flow->gap_ns) / SMOOTHING;
    return true;
}

/* A UDP flow that never pauses goes at its sender's pace; TCP goes on until the
 * path is full. */
static void plain_begin(struct pprec *pprec, struct flow *flow, const struct packet *packet,
                        const struct pprec_arrival *arrival)
{
    struct burst *burst = &flow->burst;

    if (packet->protocol == PACKET_UDP && burst_looks_paced(burst, arrival->received.ns))
        burst_tell_departure(burst, burst_span_ns(burst));
    burst_begin(burst, pprec, arrival);
}

void recognise_plain(struct pprec *pprec, struct flow *flow, const struct packet *packet,
                     struct pprec_arrival *arrival)
{
    uint32_t ip_bytes = packet->arrival.header_bytes + packet->arrival.payload_bytes;
    int32_t distance = ahead(flow, packet);

    if (is_merged(flow, ip_bytes)) {
        intake_of(pprec)->captured.merged += ip_bytes > ETHERNET_BYTES;
        return;
    }
    if (ip_bytes > flow->full_bytes)
        flow->full_bytes = ip_bytes;
    if (distance < 0 || ip_bytes < flow->full_bytes || ip_bytes < LEAST_BYTES
        || (packet->protocol == PACKET_TCP && packet->tcp_flags & TCP_SYN_FIN_RST)) {
        burst_end(&flow->burst);
        return;
    }
    if (distance == 0 && burst_fits(&flow->burst, arrival)
        && plain_near(flow, arrival->received.ns - flow->burst.last_ns)
        && flow->burst.position + 1 < TRAIN_PACKETS)
        burst_join(&flow->burst, pprec, arrival);
    else
        plain_begin(pprec, flow, packet, arrival);
}
