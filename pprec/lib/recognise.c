/* SPDX-License-Identifier: BSD-3-Clause */
#include "recognise.h"

#include "pprec/lib/handle.h"

/* RFC 3550, appendix A.1 wants two packets in sequence before a source is valid;
 * here the port is no hint, and any UDP flow may look like RTP for a while. */
enum { STREAK = 4 };

/* Packets after which a flow is none of these. One that does not follow counts for
 * several; one unlike all of them too, but it may begin with a handshake. */
enum { MISSES = 32, MISS = 4 };

static const struct recogniser *const media[] = {
    [FLOW_RTP] = &recognise_rtp,
    [FLOW_SRT] = &recognise_srt,
};

static bool expected(const struct pprec *pprec, enum pprec_kind kind)
{
    return pprec->expect & 1U << kind;
}

/* As datagram_arrival(). */
static int probe_arrival(struct pprec *pprec, const struct packet *packet, uint16_t port,
                         struct pprec_arrival *arrival)
{
    if (!expected(pprec, PPREC_KIND_PROBE) || packet->protocol != PACKET_UDP
        || (port != 0 && port != packet->destination.port))
        return PPREC_EFOREIGN;
    return datagram_arrival(pprec, arrival, packet->data, packet->data_bytes);
}

/* A packet of a flow that is not decided on yet: what it becomes by now. */
static enum flow_nature decide(const struct pprec *pprec, struct flow *flow,
                               const struct packet *packet)
{
    for (unsigned i = 0; i < FLOW_PLAIN; i++) {
        struct candidate *candidate = &flow->candidates[i];

        if (!expected(pprec, media[i]->kind) || !media[i]->looks_right(packet))
            continue; /* control packets come between */
        flow->misses++;
        if (!media[i]->follows(candidate, packet)) {
            candidate->streak = 0;
            flow->misses += MISS - 1;
        }
        if (++candidate->streak == STREAK)
            return (enum flow_nature)i;
        return flow->misses < MISSES ? FLOW_NEW : FLOW_PLAIN;
    }
    flow->misses += MISS;
    return flow->misses < MISSES ? FLOW_NEW : FLOW_PLAIN;
}

/* Each stream of a flow has a memory of its own, begun with its first packet. */
static void take_media(struct pprec *pprec, struct flows *flows, const struct recogniser *kind,
                       const struct packet *packet, struct pprec_arrival *arrival)
{
    struct flow *stream = flows_find(flows, packet, kind->id(packet));

    arrival->kind = kind->kind;
    arrival->stream = stream->id;
    kind->take(pprec, stream, packet, arrival);
}

static void take_flow(struct pprec *pprec, struct flows *flows, const struct packet *packet,
                      struct pprec_arrival *arrival)
{
    struct flow *flow = flows_find(flows, packet, 0);

    if (flow->nature == FLOW_NEW)
        flow->nature = (uint8_t)decide(pprec, flow, packet);
    if (flow->nature == FLOW_RTP || flow->nature == FLOW_SRT) {
        take_media(pprec, flows, media[flow->nature], packet, arrival);
    } else if (flow->nature == FLOW_PLAIN && expected(pprec, PPREC_KIND_FLOW)) {
        arrival->kind = PPREC_KIND_FLOW;
        arrival->stream = flow_number(flow);
        recognise_plain(pprec, flow, packet, arrival);
    } else {
        pprec->foreign++;
    }
}

void recognise(struct pprec *pprec, struct flows *flows, const struct packet *packet,
               struct pprec_stamp received, uint16_t port)
{
    struct pprec_arrival arrival = {
        .source = packet->source,
        .destination = packet->destination,
        .payload_bytes = packet->payload_bytes,
        .header_bytes = packet->header_bytes,
        .received = received,
        .sent_ns = PPREC_UNKNOWN_NS,
        .departure_span_ns = PPREC_UNKNOWN_NS,
        .departed_ns = PPREC_UNKNOWN_NS,
    };
    int status = probe_arrival(pprec, packet, port, &arrival);

    if (status == 1)
        handle_push(pprec, &arrival);
    else if (status != PPREC_EFOREIGN)
        ; /* a probe that was refused, or a copy: no flow either */
    else if (flows != NULL)
        take_flow(pprec, flows, packet, &arrival);
    else
        pprec->foreign++;
    if (flows != NULL)
        pprec->captured.flows_pushed = flows->pushed_out;
}
