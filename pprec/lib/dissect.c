/* SPDX-License-Identifier: BSD-3-Clause */
#include "dissect.h"

#include "bytes.h"

#include <string.h>

enum { IPV4_LEAST = 20, IPV6_BYTES = 40, UDP_BYTES = 8, TCP_LEAST = 20 };

/* IPv6 extension headers, RFC 8200 and IANA's list. */
enum {
    NEXT_HOP_BY_HOP = 0,
    NEXT_ROUTING = 43,
    NEXT_FRAGMENT = 44,
    NEXT_AUTHENTICATION = 51,
    NEXT_DESTINATION = 60,
    NEXT_MOBILITY = 135,
    NEXT_HIP = 139,
    NEXT_SHIM6 = 140
};

/* What is left of an IP packet: captured, and by its own word. */
struct rest {
    const uint8_t *at;
    size_t bytes;
    uint32_t length;
};

static bool dissect_skip(struct rest *rest, uint32_t bytes)
{
    if (rest->bytes < bytes || rest->length < bytes)
        return false;
    rest->at += bytes;
    rest->bytes -= bytes;
    rest->length -= bytes;
    return true;
}

/* Why skip() said no. */
static enum dissect_result short_of(const struct rest *rest, uint32_t bytes)
{
    return rest->length < bytes ? DISSECT_BAD : DISSECT_CUT;
}

static enum dissect_result enter_udp(struct packet *packet, struct rest *rest)
{
    uint32_t length;

    if (rest->bytes < UDP_BYTES || rest->length < UDP_BYTES)
        return short_of(rest, UDP_BYTES);
    length = bytes_u16(rest->at + 4);
    if (length < UDP_BYTES || length > rest->length)
        return DISSECT_BAD;
    rest->length = length; /* what may follow is no part of the datagram */
    packet->arrival.source.port = bytes_u16(rest->at);
    packet->arrival.destination.port = bytes_u16(rest->at + 2);
    packet->arrival.header_bytes += UDP_BYTES;
    dissect_skip(rest, UDP_BYTES);
    return DISSECT_OK;
}

static enum dissect_result enter_tcp(struct packet *packet, struct rest *rest)
{
    uint32_t header;

    if (rest->bytes < TCP_LEAST || rest->length < TCP_LEAST)
        return short_of(rest, TCP_LEAST);
    header = (uint32_t)(rest->at[12] >> 4) * 4;
    if (header < TCP_LEAST || header > rest->length)
        return DISSECT_BAD;
    packet->arrival.source.port = bytes_u16(rest->at);
    packet->arrival.destination.port = bytes_u16(rest->at + 2);
    packet->tcp_seq = bytes_u32(rest->at + 4);
    packet->tcp_flags = rest->at[13];
    packet->arrival.header_bytes += header;
    rest->length -= header;
    if (header > rest->bytes) /* options cut off: no payload at hand, which TCP does not need */
        header = (uint32_t)rest->bytes;
    rest->at += header;
    rest->bytes -= header;
    return DISSECT_OK;
}

static enum dissect_result enter_transport(struct packet *packet, struct rest *rest, uint8_t protocol)
{
    enum dissect_result result = DISSECT_OTHER;

    packet->protocol = protocol;
    if (protocol == PACKET_UDP)
        result = enter_udp(packet, rest);
    else if (protocol == PACKET_TCP)
        result = enter_tcp(packet, rest);
    packet->arrival.payload_bytes = rest->length;
    packet->data = rest->at;
    packet->data_bytes = rest->bytes < rest->length ? rest->bytes : rest->length;
    return result;
}

/* All of it in one store, as it is loaded: a part of it that is still on its way holds up the load. */
static void dissect_set_ipv4(uint8_t address[16], const uint8_t *at)
{
    uint32_t words[4] = {0};

    memcpy(words, at, sizeof words[0]);
    memcpy(address, words, sizeof words);
}

static enum dissect_result enter_ipv4(struct packet *packet, struct rest *rest)
{
    uint32_t header, total;
    uint8_t protocol;

    if (rest->bytes < IPV4_LEAST)
        return DISSECT_CUT;
    protocol = rest->at[9];
    header = (uint32_t)(rest->at[0] & 0x0f) * 4;
    total = bytes_u16(rest->at + 2);
    if (header < IPV4_LEAST || total < header)
        return DISSECT_BAD; /* a total of 0 also stands for more than 64 KiB, merged */
    if (bytes_u16(rest->at + 6) & 0x3fff)
        return DISSECT_FRAGMENT; /* more to come, or an offset */
    packet->arrival.source.ip = packet->arrival.destination.ip = 4;
    dissect_set_ipv4(packet->arrival.source.address, rest->at + 12);
    dissect_set_ipv4(packet->arrival.destination.address, rest->at + 16);
    packet->arrival.header_bytes = header;
    packet->arrival.hops_left = rest->at[8];
    rest->length = total;
    return dissect_skip(rest, header) ? enter_transport(packet, rest, protocol) : DISSECT_CUT;
}

/* Bytes of an extension header; 0 for what is none. */
static uint32_t extension_bytes(uint8_t next, const uint8_t *at)
{
    switch (next) {
    case NEXT_HOP_BY_HOP:
    case NEXT_ROUTING:
    case NEXT_DESTINATION:
    case NEXT_MOBILITY:
    case NEXT_HIP:
    case NEXT_SHIM6: return ((uint32_t)at[1] + 1) * 8;
    case NEXT_AUTHENTICATION: /* RFC 4302 counts differently */ return ((uint32_t)at[1] + 2) * 4;
    case NEXT_FRAGMENT: return 8;
    default: return 0;
    }
}

static enum dissect_result enter_extensions(struct packet *packet, struct rest *rest, uint8_t next)
{
    uint8_t none[8] = {0};
    uint32_t bytes;

    /* each turn takes at least 8 bytes: it ends */
    while ((bytes = extension_bytes(next, rest->bytes >= 8 ? rest->at : none)) > 0) {
        if (rest->bytes < 8 || rest->length < 8)
            return short_of(rest, 8);
        if (next == NEXT_FRAGMENT && bytes_u16(rest->at + 2) & 0xfff9)
            return DISSECT_FRAGMENT; /* an atomic one (RFC 6946) is whole */
        next = rest->at[0];
        if (!dissect_skip(rest, bytes))
            return short_of(rest, bytes);
        packet->arrival.header_bytes += bytes;
    }
    return enter_transport(packet, rest, next);
}

static enum dissect_result enter_ipv6(struct packet *packet, struct rest *rest)
{
    uint8_t next;

    if (rest->bytes < IPV6_BYTES)
        return DISSECT_CUT;
    next = rest->at[6];
    rest->length = IPV6_BYTES + (uint32_t)bytes_u16(rest->at + 4);
    if (rest->length == IPV6_BYTES)
        return DISSECT_BAD; /* a jumbogram, or merged beyond 64 KiB */
    packet->arrival.source.ip = packet->arrival.destination.ip = 6;
    memcpy(packet->arrival.source.address, rest->at + 8, 16);
    memcpy(packet->arrival.destination.address, rest->at + 24, 16);
    packet->arrival.header_bytes = IPV6_BYTES;
    packet->arrival.hops_left = rest->at[7];
    dissect_skip(rest, IPV6_BYTES);
    return enter_extensions(packet, rest, next);
}

/* What the headers do not tell. One by one: for what is so short the compiler's own way to clear
 * memory takes longer than all the rest. */
static void clear(struct packet *packet)
{
    struct pprec_arrival *arrival = &packet->arrival;

    arrival->kind = PPREC_KIND_PROBE;
    arrival->stream = arrival->train = arrival->seq = 0;
    arrival->position = arrival->train_length = 0;
    arrival->departure_train = 0;
    arrival->load_hops = arrival->marker_hops = 0;
    arrival->load_payload_bytes = 0;
    arrival->sent_ns = arrival->departure_span_ns = arrival->departed_ns = PPREC_UNKNOWN_NS;
    packet->tcp_flags = 0;
    packet->tcp_seq = 0;
}

enum dissect_result dissect(struct packet *packet, const struct link_type *link, const uint8_t *frame,
                            size_t frame_bytes)
{
    struct link_frame entered = {frame, frame_bytes};
    enum link_result result = link->enter(&entered);
    struct rest rest = {entered.at, entered.bytes, UINT32_MAX};

    if (result != LINK_IP)
        return result == LINK_CUT ? DISSECT_CUT : DISSECT_OTHER;
    if (rest.bytes == 0)
        return DISSECT_CUT;
    clear(packet);
    switch (rest.at[0] >> 4) {
    case 4: return enter_ipv4(packet, &rest);
    case 6: return enter_ipv6(packet, &rest);
    default: return DISSECT_OTHER;
    }
}
