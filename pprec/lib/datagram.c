/* SPDX-License-Identifier: BSD-3-Clause */
#include "datagram.h"

#include "common/serial.h"
#include "common/wire.h"
#include "pprec/lib/arrival.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/push.h"

_Static_assert(WIRE_SPAN_OVER == SAMPLE_SPAN_OVER_NS, "departure spans too long to tell");

static void fill_in(struct pprec_arrival *arrival, const struct wire_probe *probe)
{
    arrival->stream = probe->stream;
    arrival->train = probe->train;
    arrival->seq = probe->seq;
    arrival->position = probe->position;
    arrival->train_length = (uint16_t)(1U << probe->length_log2);
    if (probe->flags & WIRE_TIME)
        arrival->sent_ns = probe->sent_ns <= INT64_MAX ? (int64_t)probe->sent_ns : INT64_MAX;
    if (probe->flags & WIRE_DEPARTURE) {
        arrival->departure_train = probe->departure_train;
        arrival->departure_span_ns = probe->departure_span_ns;
    }
    if (probe->flags & WIRE_REACH) {
        arrival->load_hops = probe->reach_load_hops;
        arrival->marker_hops = probe->reach_marker_hops;
        arrival->load_payload_bytes = probe->reach_load_bytes;
    }
}

/* Networks make copies too: one that comes the same way is none of an attacker's
 * success, and counts as what it is without a key. */
static int datagram_refuse(struct pprec *pprec, const struct pprec_arrival *arrival, enum pprec_reason reason)
{
    if (reason == PPREC_REASON_REPLAYED && handle_count_copy(pprec, arrival))
        return 0;
    intake_of(pprec)->refused[reason]++;
    return PPREC_EREFUSED;
}

static int from_version_1(struct pprec *pprec, struct pprec_arrival *arrival, const void *data,
                          size_t data_bytes)
{
    enum pprec_reason reason = PPREC_REASONS;
    struct wire_probe probe;

    if (wire_decode(&probe, data, data_bytes) != WIRE_OK)
        return PPREC_EFOREIGN;
    fill_in(arrival, &probe);
    if (intake_of(pprec)->guard != NULL)
        reason =
            guard_check(intake_of(pprec)->guard, &probe, data, &arrival->destination, &arrival->received);
    return reason == PPREC_REASONS ? 1 : datagram_refuse(pprec, arrival, reason);
}

/* The one byte of a number is completed from where the source's stream stands.
 * Trains are counted on from the newest: numbers of packets divided by the length
 * would not wrap where numbers of trains do, neither at 2^32 nor before the first. */
static int from_classic(struct pprec *pprec, struct pprec_arrival *arrival, const void *data,
                        size_t data_bytes)
{
    struct streams_numbers numbers;
    bool begun = handle_tell_numbers(pprec, &arrival->source, 0, PPREC_KIND_PROBE, &numbers);
    int32_t length = (int32_t)intake_of(pprec)->classic_length;
    const uint8_t *number = data;

    if (data_bytes < WIRE_CLASSIC_BYTES)
        return PPREC_EFOREIGN;
    arrival->seq = begun ? serial_unwrap8(numbers.next_seq, *number) : *number;
    arrival->train = arrival->seq / (uint32_t)length;
    arrival->position = (uint16_t)(arrival->seq % (uint32_t)length);
    arrival->train_length = (uint16_t)length;
    if (begun) {
        int32_t ahead = serial_distance(numbers.first_seq, arrival->seq - arrival->position);

        arrival->train = numbers.train + (uint32_t)(ahead / length);
    }
    return 1;
}

int datagram_arrival(struct pprec *pprec, struct pprec_arrival *arrival, const void *data, size_t data_bytes)
{
    return intake_of(pprec)->classic_length != 0 ? from_classic(pprec, arrival, data, data_bytes)
                                                 : from_version_1(pprec, arrival, data, data_bytes);
}

int handle_push_datagram(struct pprec *pprec, struct pprec_arrival *arrival, const void *data,
                         size_t data_bytes)
{
    int status;

    if (intake_of(pprec)->guard != NULL && !guard_knows(intake_of(pprec)->guard, &arrival->destination))
        return handle_fail(pprec, PPREC_EINVAL, "with a key the destination of a datagram must be known");
    status = arrival_check_way(arrival, &intake_of(pprec)->error);
    if (status == 0)
        status = datagram_arrival(pprec, arrival, data, data_bytes);
    if (status == PPREC_EFOREIGN)
        error_set(&intake_of(pprec)->error, "this datagram is no probe");
    if (status == PPREC_EFOREIGN || status == PPREC_EINVAL)
        intake_of(pprec)->foreign++;
    return status == 1 ? handle_push(pprec, arrival) : status;
}

int pprec_push_datagram(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, const void *data, size_t data_bytes,
                        size_t payload_bytes, struct pprec_stamp received)
{
    int status = handle_enter(pprec);
    struct pprec_arrival arrival;

    if (status < 0)
        return status;
    status = handle_want(pprec, source != NULL && (data != NULL || data_bytes == 0));
    if (status < 0)
        return handle_leave(pprec, status);
    pprec_arrival_init(&arrival);
    arrival.source = *source;
    if (destination != NULL)
        arrival.destination = *destination;
    arrival.payload_bytes = payload_bytes <= UINT16_MAX ? (uint32_t)payload_bytes : UINT32_MAX;
    arrival.received = received;
    return handle_leave(pprec, handle_push_datagram(pprec, &arrival, data, data_bytes));
}
