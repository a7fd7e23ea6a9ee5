/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/arrival.h"

#include "pprec/lib/assembler.h"
#include "pprec/lib/sized.h"

#include <inttypes.h>
#include <string.h>

#define TIME_MOST_NS (INT64_C(1) << 62)

static const struct pprec_arrival unknown = {
    .sent_ns = PPREC_UNKNOWN_NS,
    .departure_span_ns = PPREC_UNKNOWN_NS,
    .departed_ns = PPREC_UNKNOWN_NS,
};

void pprec_arrival_init_sized(struct pprec_arrival *arrival, size_t arrival_bytes)
{
    sized_give(arrival, arrival_bytes, &unknown, sizeof unknown);
}

struct pprec_arrival arrival_of_other(const void *arrival, size_t arrival_bytes)
{
    struct pprec_arrival ours = unknown;

    sized_take(&ours, sizeof ours, arrival, arrival_bytes);
    return ours;
}

bool arrival_out_of_range(int64_t ns)
{
    return (uint64_t)ns + (TIME_MOST_NS - 1) > 2 * (uint64_t)(TIME_MOST_NS - 1);
}

/* --- Field by field --- */

static int arrival_refuse(struct error *error, const char *field, int64_t value, const char *wanted)
{
    error_set(error, "arrival: %s %" PRId64 ": want %s", field, value, wanted);
    return PPREC_EINVAL;
}

static int refuse_time(struct error *error, const char *field, int64_t ns)
{
    return arrival_refuse(error, field, ns, "less than 2^62 ns to either side of 0");
}

/* Its packets have headers of IPv4, which are shorter. */
static bool is_mapped(const struct pprec_endpoint *endpoint)
{
    static const uint8_t prefix[12] = {[10] = 0xff, 0xff};

    return endpoint->ip == 6 && memcmp(endpoint->address, prefix, sizeof prefix) == 0;
}

static bool is_ip(uint8_t ip)
{
    return ip == 4 || ip == 6;
}

static int refuse_mapped(struct error *error)
{
    return arrival_refuse(error, "source.ip", 6,
                          "4 for an IPv4-mapped address, and its last 4 bytes as the first");
}

int arrival_check_way(const struct pprec_arrival *arrival, struct error *error)
{
    const struct pprec_stamp *received = &arrival->received;

    if (!is_ip(arrival->source.ip))
        return arrival_refuse(error, "source.ip", arrival->source.ip, "4 or 6");
    if (is_mapped(&arrival->source))
        return refuse_mapped(error);
    if (arrival->destination.ip != 0 && !is_ip(arrival->destination.ip))
        return arrival_refuse(error, "destination.ip", arrival->destination.ip,
                              "4 or 6, or 0 where it is not known");
    if (received->clock == PPREC_CLOCK_NONE || received->clock > PPREC_CLOCK_OTHER)
        return arrival_refuse(error, "received.clock", received->clock,
                              "PPREC_CLOCK_REALTIME (1), _ADAPTER (2) or _OTHER (3)");
    if (received->source > PPREC_TIMESTAMPS_USER)
        return arrival_refuse(error, "received.source", received->source, "an enum pprec_timestamps");
    if (arrival_out_of_range(received->ns))
        return refuse_time(error, "received.ns", received->ns);
    return PPREC_OK;
}

static inline int check_times(const struct pprec_arrival *arrival, struct error *error)
{
    if (arrival->sent_ns != PPREC_UNKNOWN_NS && arrival_out_of_range(arrival->sent_ns))
        return refuse_time(error, "sent_ns", arrival->sent_ns);
    if (arrival->departed_ns != PPREC_UNKNOWN_NS && arrival_out_of_range(arrival->departed_ns))
        return refuse_time(error, "departed_ns", arrival->departed_ns);
    if (arrival->departure_span_ns != PPREC_UNKNOWN_NS && arrival->departure_span_ns < 0)
        return arrival_refuse(error, "departure_span_ns", arrival->departure_span_ns,
                              "0 or more, or PPREC_UNKNOWN_NS");
    return PPREC_OK;
}

static int check_train(const struct pprec_arrival *arrival, struct error *error)
{
    unsigned length = arrival->train_length;

    if (length == 1 || length > ASSEMBLER_TRAIN_MAX)
        return arrival_refuse(error, "train_length", length, "2 to 256, or 0 where it is not known yet");
    if (arrival->position >= (length != 0 ? length : ASSEMBLER_TRAIN_MAX))
        return arrival_refuse(error, "position", arrival->position,
                              length != 0 ? "less than train_length" : "less than 256");
    return PPREC_OK;
}

static int check_reach(const struct pprec_arrival *arrival, struct error *error)
{
    if (arrival->load_hops == 0)
        return arrival->marker_hops == 0 && arrival->load_payload_bytes == 0
            ? PPREC_OK
            : arrival_refuse(error, "load_hops", 0, "1 to 255 with marker_hops or load_payload_bytes");
    if (arrival->marker_hops == 0)
        return arrival_refuse(error, "marker_hops", 0, "1 to 255 with load_hops");
    if (arrival->load_payload_bytes == 0)
        return arrival_refuse(error, "load_payload_bytes", 0, "1 to 65535 with load_hops");
    if (arrival->train_length < 3)
        return arrival_refuse(error, "train_length", arrival->train_length, "3 to 256 with load_hops");
    return PPREC_OK;
}

static inline int check_sizes(const struct pprec_arrival *arrival, struct error *error)
{
    if (arrival->payload_bytes == 0 || arrival->payload_bytes > UINT16_MAX)
        return arrival_refuse(error, "payload_bytes", arrival->payload_bytes, "1 to 65535");
    if (arrival->header_bytes > UINT16_MAX)
        return arrival_refuse(error, "header_bytes", arrival->header_bytes,
                              "at most 65535, or 0 for the usual");
    return PPREC_OK;
}

int arrival_check_packet(const struct pprec_arrival *arrival, struct error *error)
{
    int status = is_mapped(&arrival->source) ? refuse_mapped(error) : check_sizes(arrival, error);

    return status < 0 ? status : check_times(arrival, error);
}

int arrival_check(const struct pprec_arrival *arrival, struct error *error)
{
    int status = arrival_check_way(arrival, error);

    if (status < 0)
        return status;
    if ((unsigned)arrival->kind >= PPREC_KINDS)
        return arrival_refuse(error, "kind", arrival->kind, "an enum pprec_kind");
    status = check_sizes(arrival, error);
    if (status == PPREC_OK)
        status = check_train(arrival, error);
    if (status == PPREC_OK)
        status = check_reach(arrival, error);
    return status < 0 ? status : check_times(arrival, error);
}
