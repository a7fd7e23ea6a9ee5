/* SPDX-License-Identifier: BSD-3-Clause */
#include "recognise.h"

#include "pprec/lib/handle.h"

static bool expected(const struct pprec *pprec, enum pprec_kind kind)
{
    return pprec->expect & 1U << kind;
}

static bool is_probe(struct pprec *pprec, const struct packet *packet, uint16_t port,
                     struct pprec_arrival *arrival)
{
    return expected(pprec, PPREC_KIND_PROBE) && packet->protocol == PACKET_UDP
        && (port == 0 || port == packet->destination.port)
        && datagram_arrival(pprec, arrival, packet->data, packet->data_bytes) == 0;
}

void recognise(struct pprec *pprec, const struct packet *packet, struct pprec_stamp received,
               uint16_t port)
{
    struct pprec_arrival arrival = {
        .source = packet->source,
        .destination = packet->destination,
        .payload_bytes = packet->payload_bytes,
        .header_bytes = packet->header_bytes,
        .received = received,
        .sent_ns = PPREC_UNKNOWN_NS,
        .departure_span_ns = PPREC_UNKNOWN_NS,
    };

    if (is_probe(pprec, packet, port, &arrival))
        pprec_push(pprec, &arrival);
    else
        pprec->foreign++;
}
