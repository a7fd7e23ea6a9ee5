/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/trains.h"

#include <stdbool.h>

enum { TRAIN_BYTES = 5, GAPS_MOST = 16, LOST = 0xff };

enum { LOSSY = 0x08, NOT_TIMED = 0x10, NO_DEPARTURE = 0x20, SIZES = 0x40, ABSURD = 0x80 };
enum { SENT_TOO = 4 }; /* of the time since the train before */

#define EPOCH_NS INT64_C(1700000000000000000)
#define LEAST_NS (1 - (INT64_C(1) << 62)) /* that the library takes */
/* Longer than any train lasts: 256 gaps of 15 * 2^30 ns. */
#define ROOM_NS (INT64_C(1) << 43)

struct run {
    void (*push)(void *to, const struct pprec_arrival *arrival);
    void *to;
    uint32_t train, seq;
    int64_t now_ns;
};

/* 0 to 7 as they are, then in steps of an eighth, to 15 * 2^30. */
static int64_t trains_value_of(uint8_t code)
{
    return code < 8 ? code : (int64_t)(8 + (code & 7)) << ((code >> 3) - 1);
}

/* As a clock, a file or a program may tell. */
static int64_t absurd_ns(int64_t now_ns, uint8_t choice)
{
    switch (choice & 3) {
    case 1: return LEAST_NS;
    case 2: return -LEAST_NS - ROOM_NS;
    case 3: return INT64_MAX - ROOM_NS; /* is refused */
    default: return now_ns - INT64_MAX / 4;
    }
}

static struct pprec_arrival trains_arrival_of(const struct run *run, const uint8_t *head)
{
    struct pprec_arrival arrival = {
        .source = {.address = {192, 0, 2, 1}, .port = 9000, .ip = 4},
        .stream = 1,
        .train = run->train,
        .train_length = (uint16_t)(2U << (head[0] & 7)),
        .payload_bytes = (uint32_t)trains_value_of(head[4]),
        .sent_ns = PPREC_UNKNOWN_NS,
        .departure_span_ns = PPREC_UNKNOWN_NS,
        .departed_ns = PPREC_UNKNOWN_NS,
        .received = {run->now_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL},
    };

    if (head[0] & ABSURD)
        arrival.received.ns = absurd_ns(run->now_ns, head[1]);
    if (!(head[0] & NOT_TIMED))
        arrival.sent_ns = run->now_ns - trains_value_of(head[2]);
    if (!(head[0] & NOT_TIMED) && head[0] & ABSURD && head[1] & SENT_TOO)
        arrival.sent_ns = -arrival.received.ns;
    if (!(head[0] & NO_DEPARTURE)) {
        arrival.departure_train = run->train - 1;
        arrival.departure_span_ns = trains_value_of(head[3]);
    }
    return arrival;
}

/* Where the departure's span is odd, each packet tells its own, evenly between first and last. */
static int64_t trains_departed_ns(const struct pprec_arrival *arrival, uint8_t span)
{
    if (arrival->sent_ns == PPREC_UNKNOWN_NS || span % 2 == 0)
        return PPREC_UNKNOWN_NS;
    return arrival->sent_ns + trains_value_of(span) / (arrival->train_length - 1) * arrival->position;
}

enum { MARKER_BYTES = 54, MARKER_HOPS = 64, PATH_LINKS = 6, HOPS_MOST = 70 };
enum { LARGE_MARKERS = 0x08, ENDS_EARLY = 0x10, GOES_ON = 0x20 }; /* of the delay */

static bool has_load(const uint8_t *head)
{
    return (head[2] & 7) == 5 && (head[0] & 7) > 0 && trains_value_of(head[4]) > 0
        && trains_value_of(head[4]) < UINT16_MAX;
}

/* Packets of the train that its second marker ends. */
static uint16_t trains_end_of(const struct pprec_arrival *arrival, const uint8_t *head)
{
    bool early = has_load(head) && (head[2] & ENDS_EARLY);

    return early ? (uint16_t)(2 + head[1] % (arrival->train_length - 2)) : arrival->train_length;
}

/* False when the packet dies on the way. */
static bool goes_far(struct pprec_arrival *arrival, const uint8_t *head)
{
    bool marker = arrival->position == 0 || arrival->position + 1 == trains_end_of(arrival, head);

    arrival->load_hops = (uint8_t)(1 + head[3] % HOPS_MOST);
    arrival->marker_hops = MARKER_HOPS;
    arrival->load_payload_bytes = (uint16_t)trains_value_of(head[4]);
    arrival->hops_left = (uint8_t)(MARKER_HOPS - PATH_LINKS + 1 + (head[1] == 0xff));
    if (marker && !(head[2] & LARGE_MARKERS))
        arrival->payload_bytes = MARKER_BYTES;
    return marker || arrival->load_hops >= PATH_LINKS;
}

static void trains_push_train(struct run *run, const uint8_t *head, const uint8_t *gaps, size_t count)
{
    struct pprec_arrival arrival;
    int64_t began_ns;
    uint32_t payload_bytes;
    uint16_t end;

    run->now_ns += trains_value_of(head[1]);
    arrival = trains_arrival_of(run, head);
    began_ns = arrival.received.ns;
    payload_bytes = arrival.payload_bytes;
    end = head[2] & GOES_ON ? arrival.train_length : trains_end_of(&arrival, head);
    for (uint16_t i = 0; i < end; i++) {
        uint8_t gap = count > 0 ? gaps[i < count ? i : count - 1] : 0;

        arrival.position = i;
        arrival.seq = run->seq++;
        arrival.departed_ns = trains_departed_ns(&arrival, head[3]);
        if (head[0] & SIZES)
            arrival.payload_bytes = payload_bytes ^ gap;
        else
            arrival.payload_bytes = payload_bytes;
        arrival.received.ns += i > 0 ? trains_value_of(gap) : 0;
        if (has_load(head) && !goes_far(&arrival, head))
            continue;
        if (!(head[0] & LOSSY) || gap != LOST)
            run->push(run->to, &arrival);
    }
    run->now_ns += arrival.received.ns - began_ns;
    run->train++;
}

void trains_run(const uint8_t *data, size_t bytes,
                void (*push)(void *to, const struct pprec_arrival *arrival), void *to)
{
    struct run run = {.push = push, .to = to, .now_ns = EPOCH_NS};

    for (size_t at = 0; at + TRAIN_BYTES <= bytes;) {
        size_t left = bytes - at - TRAIN_BYTES;
        size_t length = (size_t)2 << (data[at] & 7);
        size_t gaps = length < GAPS_MOST ? length : GAPS_MOST;

        gaps = gaps < left ? gaps : left;
        trains_push_train(&run, data + at, data + at + TRAIN_BYTES, gaps);
        at += TRAIN_BYTES + gaps;
    }
}
