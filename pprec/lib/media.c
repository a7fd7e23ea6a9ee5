/* SPDX-License-Identifier: BSD-3-Clause */
/* Media packets that a program gets and pushes: into the recognisers of captures, but what they
 * are is told. */
#include "pprec/lib/arrival.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/recognise.h"
#include "pprec/media.h"

static int media_refuse(struct pprec *pprec, const char *what)
{
    return handle_fail(pprec, PPREC_EINVAL, "%s", what);
}

static int media_check(struct pprec *pprec, const struct packet *packet, size_t packet_bytes)
{
    if (packet->data_bytes > packet_bytes)
        return media_refuse(pprec, "data_bytes: want as many of packet_bytes as are at hand");
    if (packet_bytes > UINT16_MAX)
        return media_refuse(pprec, "packet_bytes: want a UDP payload, of 65535 at most");
    return arrival_check_way(&packet->arrival, &intake_of(pprec)->error);
}

static int get_flows(struct pprec *pprec)
{
    if (intake_of(pprec)->flows == NULL)
        intake_of(pprec)->flows =
            flows_new(intake_of(pprec)->memory, intake_of(pprec)->hash, FLOWS_PUSHED, false);
    if (intake_of(pprec)->flows != NULL)
        return PPREC_OK;
    return handle_fail(pprec, PPREC_ENOMEM, "no memory for %d flows", FLOWS_PUSHED);
}

static int media_push(struct pprec *pprec, struct packet *packet, size_t packet_bytes,
                      enum flow_nature nature)
{
    int status = media_check(pprec, packet, packet_bytes);

    intake_of(pprec)->foreign += status == PPREC_EINVAL;
    if (status == PPREC_OK)
        status = get_flows(pprec);
    if (status == PPREC_OK)
        status = recognise_told(pprec, intake_of(pprec)->flows, packet, nature);
    if (status == PPREC_EFOREIGN)
        error_set(&intake_of(pprec)->error, "a packet of %zu bytes is no %s", packet_bytes,
                  nature == FLOW_RTP ? "RTP" : "data of SRT");
    return status;
}

static int media_push_from(struct pprec *pprec, const struct pprec_endpoint *source, const void *data,
                           size_t data_bytes, size_t packet_bytes, struct pprec_stamp received,
                           enum flow_nature nature)
{
    struct packet packet = {
        .arrival =
            {
                .source = *source,
                .received = received,
                .header_bytes = source->ip == 4 ? 28 : 48,
                .payload_bytes = (uint32_t)packet_bytes,
                .sent_ns = PPREC_UNKNOWN_NS,
                .departure_span_ns = PPREC_UNKNOWN_NS,
                .departed_ns = PPREC_UNKNOWN_NS,
            },
        .protocol = PACKET_UDP,
        .data = data,
        .data_bytes = data_bytes,
    };

    return media_push(pprec, &packet, packet_bytes, nature);
}

static int media_enter(struct pprec *pprec, const struct pprec_endpoint *source, const void *data,
                       size_t data_bytes, size_t packet_bytes, struct pprec_stamp received,
                       enum flow_nature nature)
{
    int status = handle_enter(pprec);

    if (status < 0)
        return status;
    status = handle_want(pprec, source != NULL && (data != NULL || data_bytes == 0));
    if (status == PPREC_OK)
        status = media_push_from(pprec, source, data, data_bytes, packet_bytes, received, nature);
    return handle_leave(pprec, status);
}

int pprec_push_rtp(struct pprec *pprec, const struct pprec_endpoint *source, const void *packet,
                   size_t data_bytes, size_t packet_bytes, struct pprec_stamp received)
{
    return media_enter(pprec, source, packet, data_bytes, packet_bytes, received, FLOW_RTP);
}

int pprec_push_srt(struct pprec *pprec, const struct pprec_endpoint *source, const void *packet,
                   size_t data_bytes, size_t packet_bytes, struct pprec_stamp received)
{
    return media_enter(pprec, source, packet, data_bytes, packet_bytes, received, FLOW_SRT);
}
