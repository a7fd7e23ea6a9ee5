/* SPDX-License-Identifier: BSD-3-Clause */
#include "recognise.h"

#include "common/wire.h"
#include "pprec/lib/bytes.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/datagram.h"
#include "pprec/lib/push.h"
#include "pprec/lib/tunnels.h"

/* RFC 3550, appendix A.1 wants two packets in sequence before a source is valid;
 * here the port is no hint, and any UDP flow may look like RTP for a while. */
enum { STREAK = 4 };

/* Packets after which a flow is none of these. One that does not follow counts for
 * several; one unlike all of them too, but it may begin with a handshake. */
enum { MISSES = 32, MISS = 4 };

static const struct recogniser *const media[] = {
    [FLOW_RTP] = &recognise_rtp,
    [FLOW_SRT] = &recognise_srt,
    [FLOW_UDPST] = &recognise_udpst,
    [FLOW_IPERF3] = &recognise_iperf3,
    [FLOW_IPERF3_LONG] = &recognise_iperf3_long,
    [FLOW_IPERF2] = &recognise_iperf2,
    [FLOW_STAMP] = &recognise_stamp,
};

static bool expected(const struct pprec *pprec, enum pprec_kind kind)
{
    return intake_seen(pprec)->expect & 1U << kind;
}

/* As datagram_arrival(). */
static int probe_arrival(struct pprec *pprec, struct packet *packet, uint16_t port)
{
    if (!expected(pprec, PPREC_KIND_PROBE) || packet->protocol != PACKET_UDP
        || (port != 0 && port != packet->arrival.destination.port))
        return PPREC_EFOREIGN;
    return datagram_arrival(pprec, &packet->arrival, packet->data, packet->data_bytes);
}

/* A probe that is not taken: it went to another port, or the snap length left too little. It is no flow either. */
static bool probe_left_out(struct pprec *pprec, const struct packet *packet)
{
    struct pprec_capture_counts *counts = &intake_of(pprec)->captured;
    uint16_t port = packet->arrival.destination.port;
    struct wire_probe probe;

    if (!expected(pprec, PPREC_KIND_PROBE) || packet->protocol != PACKET_UDP
        || !wire_begins(packet->data, packet->data_bytes))
        return false;
    if (wire_decode(&probe, packet->data, packet->data_bytes) == WIRE_OK) {
        counts->elsewhere_port = counts->elsewhere == 0 || counts->elsewhere_port == port ? port : 0;
        counts->elsewhere++;
        intake_of(pprec)->foreign++;
        return true;
    }
    if (packet->data_bytes >= WIRE_MOST_BYTES || packet->data_bytes >= packet->arrival.payload_bytes)
        return false;
    counts->cut++;
    return true;
}

static bool is_unread(const struct packet *packet)
{
    return packet->protocol == PACKET_UDP && packet->data_bytes < WIRE_HEADER_BYTES
        && packet->data_bytes < packet->arrival.payload_bytes;
}

/* --- What is shared with media (RFC 7983) --- */

enum { STUN_LEAST_BYTES = 20, DTLS_LEAST_BYTES = 13, DTLS_FIRST = 20, DTLS_LAST = 22 };
#define STUN_COOKIE 0x2112a442U /* RFC 8489, section 5 */

static bool is_stun(const struct packet *packet)
{
    return packet->data_bytes >= STUN_LEAST_BYTES && packet->data[0] < 4
        && bytes_u32(packet->data + 4) == STUN_COOKIE;
}

/* A handshake: application data may be anybody's. */
static bool is_dtls(const struct packet *packet)
{
    return packet->data_bytes >= DTLS_LEAST_BYTES && packet->data[0] >= DTLS_FIRST
        && packet->data[0] <= DTLS_LAST && packet->data[1] == 0xfe;
}

/* --- Deciding --- */

/* That of the stream, or one that gives way to it. */
static struct candidate *recognise_candidate_of(struct flow *flow, unsigned nature, uint32_t id)
{
    struct candidate *least = flow->candidates;

    for (unsigned i = 0; i < FLOW_CANDIDATES; i++) {
        struct candidate *candidate = &flow->candidates[i];

        if (candidate->streak > 0 && candidate->nature == nature && candidate->id == id)
            return candidate;
        if (candidate->streak < least->streak)
            least = candidate;
    }
    *least = (struct candidate){.nature = (uint8_t)nature, .id = id};
    return least;
}

static uint32_t id_of(const struct recogniser *kind, const struct packet *packet)
{
    return kind->id != NULL ? kind->id(packet) : 0;
}

/* What a packet that looks right says of its flow. */
enum says { SAYS_NO, SAYS_MAYBE, SAYS_WAIT, SAYS_YES };

static enum says recognise_ask(struct flow *flow, unsigned nature, const struct packet *packet)
{
    const struct recogniser *kind = media[nature];
    struct candidate *candidate = recognise_candidate_of(flow, nature, id_of(kind, packet));
    int proven = 1;

    if (!kind->follows(candidate, packet)) {
        candidate->streak = 1;
        return SAYS_NO;
    }
    if (candidate->streak < STREAK && ++candidate->streak < STREAK)
        return SAYS_MAYBE;
    if (kind->proven != NULL)
        proven = kind->proven(candidate, packet);
    return proven > 0 ? SAYS_YES : proven < 0 ? SAYS_NO : SAYS_WAIT;
}

/* A packet of a flow that is not decided on yet: what it becomes by now. Control packets come
 * between; and it may look like several until it goes on like one. */
static enum flow_nature recognise_decide(const struct pprec *pprec, struct flow *flow,
                                         const struct packet *packet)
{
    static const uint8_t misses[] = {[SAYS_NO] = MISS, [SAYS_MAYBE] = 1, [SAYS_WAIT] = 0};
    enum says most = SAYS_NO;

    for (unsigned i = 0; i < FLOW_PLAIN; i++) {
        enum says says;

        if (!expected(pprec, media[i]->kind) || !media[i]->looks_right(packet))
            continue;
        says = recognise_ask(flow, i, packet);
        if (says == SAYS_YES)
            return (enum flow_nature)i;
        most = says > most ? says : most;
    }
    flow->misses = (uint8_t)(flow->misses + misses[most]);
    return flow->misses < MISSES ? FLOW_NEW : FLOW_PLAIN;
}

/* --- Taking --- */

/* Of the flow; the whole one may move when the stream is new. */
static struct flow *recognise_stream_of(struct flows *flows, const struct packet *packet, uint32_t id,
                                        struct flow **whole)
{
    size_t room = flows->room;
    struct flow *stream = flows_find(flows, packet, id);

    if (flows->room == room)
        return stream;
    *whole = flows_find(flows, packet, 0);
    return flows_find(flows, packet, id);
}

/* The id of what is the only one of its flow, for as long as nothing else comes. */
enum { ONLY_STREAM = 1 };

/* Each stream of a flow has a memory of its own, begun with its first packet; the whole flow's
 * send time is the last of theirs. Of a train or not, each packet counts in its path. */
static int take_media(struct pprec *pprec, struct flows *flows, enum flow_nature nature,
                      struct packet *packet)
{
    const struct recogniser *kind = media[nature];
    uint32_t id = kind->looks_right(packet) ? kind->id != NULL ? kind->id(packet) : ONLY_STREAM : 0;
    struct flow *whole = flows_find(flows, packet, 0), *stream;
    bool apart = whole->last_id != id;
    int status;

    whole->last_id = id;
    if (id == 0)
        return PPREC_EFOREIGN;
    handle_let_time_pass(pprec, &packet->arrival.received);
    packet->arrival.kind = kind->kind;
    packet->arrival.stream = kind->id != NULL ? id : whole->number;
    stream = kind->id != NULL ? recognise_stream_of(flows, packet, id, &whole) : whole;
    if (!stream->send_time.begun)
        send_time_go_on_from(&stream->send_time, &whole->send_time);
    intake_of(pprec)->counted = true;
    status = kind->take(pprec, stream, packet, apart, &packet->arrival);
    intake_of(pprec)->counted = false;
    send_time_go_on_from(&whole->send_time, &stream->send_time);
    handle_count_in_path(pprec, &packet->arrival,
                         missing_note(&stream->missing, kind->number(packet), kind->number_bits));
    return status;
}

/* Time has passed already as with the packet that decided. */
static void take_held(struct pprec *pprec, struct flows *flows, struct flow *flow)
{
    uint8_t number = flow->held;
    enum flow_nature nature = (enum flow_nature)flow->nature;
    bool overflown;

    if (number == 0)
        return;
    held_forget(flows->held, &flow->held); /* it may move */
    intake_of(pprec)->late = true;
    overflown = held_count(flows->held, number) == HELD_PACKETS;
    for (unsigned i = 0; i < held_count(flows->held, number); i++) {
        struct packet packet = held_packet(flows->held, number, i);

        take_media(pprec, flows, nature, &packet);
        if (overflown && i + 1 == HELD_PACKETS && media[nature]->id == NULL)
            flows_find(flows, &packet, 0)->begun = false; /* what came since is not lost */
    }
    intake_of(pprec)->late = false;
}

static void meet(struct pprec *pprec, struct flows *flows, struct flow *flow, const struct packet *packet)
{
    if (is_stun(packet) || is_dtls(packet)) { /* what announces media is no miss */
        if (flow->held != 0)
            held_keep(flows->held, &flow->held, packet);
        else
            intake_of(pprec)->foreign++;
        return;
    }
    flow->nature = (uint8_t)recognise_decide(pprec, flow, packet);
    if (flow->nature == FLOW_NEW)
        held_keep(flows->held, &flow->held, packet);
    else if (flow->nature != FLOW_PLAIN)
        take_held(pprec, flows, flow);
    else if (flow->held != 0)
        held_release(flows->held, &flow->held);
}

static void take_flow(struct pprec *pprec, struct flows *flows, struct packet *packet)
{
    struct flow *flow = flows_find(flows, packet, 0);

    if (flow->nature == FLOW_NEW) {
        meet(pprec, flows, flow, packet);
        flow = flows_find(flows, packet, 0);
        if (flow->nature == FLOW_NEW)
            return;
    }
    if (flow->nature < FLOW_PLAIN) {
        take_media(pprec, flows, (enum flow_nature)flow->nature, packet);
    } else if (expected(pprec, PPREC_KIND_FLOW)) {
        intake_of(pprec)->captured.unread += is_unread(packet);
        packet->arrival.kind = PPREC_KIND_FLOW;
        packet->arrival.stream = flow->number;
        recognise_plain(pprec, flow, packet, &packet->arrival);
    } else {
        intake_of(pprec)->foreign++;
    }
}

static void take_any(struct pprec *pprec, struct flows *flows, struct packet *packet)
{
    take_flow(pprec, flows, packet);
    intake_of(pprec)->captured.flows_pushed = flows->pushed_out;
    intake_of(pprec)->foreign += flows->held->dropped;
    flows->held->dropped = 0;
}

static void take_other(struct pprec *pprec, struct flows *flows, struct packet *packet)
{
    const struct pprec_arrival *arrival = &packet->arrival;

    if (packet->protocol == PACKET_UDP)
        tunnel_count(&intake_of(pprec)->captured,
                     tunnel_of_ports(arrival->source.port, arrival->destination.port));
    if (flows != NULL)
        take_any(pprec, flows, packet);
    else
        intake_of(pprec)->foreign++;
}

void recognise(struct pprec *pprec, struct flows *flows, struct packet *packet, uint16_t port)
{
    int status = probe_arrival(pprec, packet, port);

    if (status == 1)
        handle_push(pprec, &packet->arrival);
    else if (status != PPREC_EFOREIGN)
        ; /* a probe that was refused, or a copy: no flow either */
    else if (!probe_left_out(pprec, packet))
        take_other(pprec, flows, packet);
}

int recognise_told(struct pprec *pprec, struct flows *flows, struct packet *packet, enum flow_nature nature)
{
    intake_of(pprec)->foreign += !media[nature]->looks_right(packet);
    return take_media(pprec, flows, nature, packet);
}
