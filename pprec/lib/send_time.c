/* SPDX-License-Identifier: BSD-3-Clause */
#include "send_time.h"

#include "bytes.h"

enum {
    FIXED_BYTES = 12,
    EXTENSION_BYTES = 4, /* its profile, and how many words follow */
    HAS_EXTENSION = 0x10,
    SOURCES = 0x0f,
    PROFILE_ONE = 0xbede, /* RFC 8285, section 4.2 */
    PROFILE_TWO = 0x100,  /* section 4.3, in its upper twelve bits */
    ID_STOP = 15,
    VALUE_BYTES = 3,
    STEPS_LOG2 = 18 /* in a second */
};

#define WRAP_NS (64 * STAMP_NS_PER_S)

/* An element of a header extension. */
struct element {
    uint8_t id;
    uint8_t bytes;
    const uint8_t *data;
};

/* The elements that are left. */
struct elements {
    const uint8_t *at, *end;
    bool two; /* of their headers */
};

/* False where there is none. Of one that is cut the elements at hand. */
static bool find_elements(const struct packet *packet, struct elements *elements)
{
    const uint8_t *data = packet->data;
    size_t at = FIXED_BYTES, bytes;
    uint16_t profile;

    if (packet->data_bytes < FIXED_BYTES || !(data[0] & HAS_EXTENSION))
        return false;
    at += 4U * (data[0] & SOURCES);
    if (packet->data_bytes < at + EXTENSION_BYTES)
        return false;
    profile = bytes_u16(data + at);
    bytes = 4U * bytes_u16(data + at + 2);
    at += EXTENSION_BYTES;
    if (bytes > packet->data_bytes - at)
        bytes = packet->data_bytes - at;
    *elements = (struct elements){data + at, data + at + bytes, profile != PROFILE_ONE};
    return profile == PROFILE_ONE || profile >> 4 == PROFILE_TWO;
}

/* A byte of zero pads; otherwise nothing has that number (RFC 8285, section 4.2). */
static bool next_element(struct elements *elements, struct element *element)
{
    size_t head = elements->two ? 2 : 1;

    while (elements->at < elements->end && *elements->at == 0)
        elements->at++;
    if ((size_t)(elements->end - elements->at) < head)
        return false;
    element->id = elements->two ? elements->at[0] : elements->at[0] >> 4;
    element->bytes = (uint8_t)(elements->two ? elements->at[1] : (elements->at[0] & 0x0f) + 1);
    element->data = elements->at + head;
    if (element->id == 0 || (!elements->two && element->id == ID_STOP)
        || element->bytes > elements->end - element->data)
        return false;
    elements->at = element->data + element->bytes;
    return true;
}

static uint32_t send_time_value_of(const struct element *element)
{
    return (uint32_t)element->data[0] << 16 | bytes_u16(element->data + 1);
}

static int64_t send_time_ns_of(uint32_t value)
{
    return ((int64_t)value * STAMP_NS_PER_S) >> STEPS_LOG2;
}

/* The time of that value which is nearest to expected_ns. */
static int64_t send_time_nearest(uint32_t value, int64_t expected_ns)
{
    int64_t off_ns = (send_time_ns_of(value) - expected_ns) % WRAP_NS;

    if (off_ns >= WRAP_NS / 2)
        off_ns -= WRAP_NS;
    else if (off_ns < -WRAP_NS / 2)
        off_ns += WRAP_NS;
    return expected_ns + off_ns;
}

/* --- Finding it --- */

/* That of the id, or one that gives way to it. */
static struct send_time_candidate *send_time_candidate_of(struct send_time *send_time, uint8_t id)
{
    struct send_time_candidate *least = send_time->candidates;

    for (unsigned i = 0; i < SEND_TIME_CANDIDATES; i++) {
        struct send_time_candidate *candidate = &send_time->candidates[i];

        if (candidate->id == id)
            return candidate;
        if (candidate->packets < least->packets)
            least = candidate;
    }
    *least = (struct send_time_candidate){.id = id};
    return least;
}

/* True when nothing but a send time would have come so far. */
static bool send_time_advance(struct send_time_candidate *candidate, uint32_t value, int64_t now_ns)
{
    int64_t expected_ns = send_time_ns_of(candidate->value) + (now_ns - candidate->at_ns) % WRAP_NS;
    int64_t off_ns = send_time_nearest(value, expected_ns) - expected_ns;

    if (candidate->packets == 0 || off_ns > SEND_TIME_OFF_NS || off_ns < -SEND_TIME_OFF_NS) {
        candidate->packets = 1;
        candidate->value = value;
        candidate->at_ns = now_ns;
        return false;
    }
    if (candidate->packets < SEND_TIME_PACKETS)
        candidate->packets++;
    return candidate->packets == SEND_TIME_PACKETS && now_ns - candidate->at_ns >= SEND_TIME_LEAST_NS;
}

/* --- Reading it --- */

/* A sender's clock that is so far from ours by now was set, time and again. */
#define APART_MOST_NS (1000000 * STAMP_NS_PER_S)

static int64_t read(struct send_time *send_time, uint32_t value, int64_t now_ns)
{
    int64_t apart_ns = send_time->departed_ns - send_time->received_ns;
    int64_t expected_ns = now_ns;

    if (send_time->begun && apart_ns < APART_MOST_NS && apart_ns > -APART_MOST_NS)
        expected_ns += apart_ns;
    send_time->begun = true;
    send_time->departed_ns = send_time_nearest(value, expected_ns);
    send_time->received_ns = now_ns;
    return send_time->departed_ns;
}

void send_time_go_on_from(struct send_time *send_time, const struct send_time *other)
{
    if (!other->begun)
        return;
    send_time->begun = true;
    send_time->departed_ns = other->departed_ns;
    send_time->received_ns = other->received_ns;
}

int64_t send_time_of(struct send_time *send_time, const struct packet *packet, uint8_t id)
{
    int64_t now_ns = packet->arrival.received.ns;
    struct elements elements;
    struct element element;

    if (!find_elements(packet, &elements))
        return PPREC_UNKNOWN_NS;
    while (next_element(&elements, &element)) {
        uint8_t known = id != 0 ? id : send_time->id;

        if (element.bytes != VALUE_BYTES || (known != 0 && known != element.id))
            continue;
        if (known == 0
            && !send_time_advance(send_time_candidate_of(send_time, element.id), send_time_value_of(&element),
                                  now_ns))
            continue;
        send_time->id = element.id;
        return read(send_time, send_time_value_of(&element), now_ns);
    }
    return PPREC_UNKNOWN_NS;
}
