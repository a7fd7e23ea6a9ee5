/* SPDX-License-Identifier: BSD-3-Clause */
/* Others' measurement traffic, whose packets bear a number and the time at which they were made:
 * in network byte order, behind the UDP header,
 *
 *   iperf 3    s, us, number (32 bits, or 64 with --udp-counters-64bit)
 *   iperf 2    number, s, us
 *   udpst      0xbeef, action, stopped, number, payload bytes, errors, s, ns of the other
 *              end, s, ns: load PDUs of RFC 9097; one time for all that are handed over together
 *   STAMP, TWAMP-Test, OWAMP-Test   number, time (RFC 5905's, or s, ns), error of it
 *              (RFC 8762, section 4.2; RFC 5357, section 4.1.2; RFC 4656, section 4.1.2)
 *
 * None but udpst's has a mark: numbers must go on, and times pass as arrivals do. The programs look at
 * the clock before they hand a packet to the kernel, which may hold it: what fq paces on the sender
 * is a link to us. */
#include "common/stamp.h"
#include "pprec/lib/bytes.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/recognise.h"

enum { SEQ_BEHIND = 1 << 16, TRAIN_PACKETS = 64 };

/* As far as a packet's time may be from what its arrival predicts. */
#define OFF_MOST_US 200000

/* Over so long times must have advanced as arrivals have, but for a queue that grows: a counter or a
 * constant would not. Who has not shown it after the second never will. */
#define PROOF_NS (20 * STAMP_NS_PER_MS)
#define PROOF_MOST_NS STAMP_NS_PER_S
enum { PROOF_TIMES = 4 };

/* Packets left together where the pauses between them are alike to this; what is shorter than the
 * second is no pause, of two packets alone what is longer than the third. */
#define PAUSE_TIMES 4
#define PAUSE_LEAST_NS (100 * STAMP_NS_PER_US)
#define PAUSE_MOST_NS (10 * STAMP_NS_PER_MS)

/* What a packet says of itself. */
struct made {
    uint32_t number;
    uint32_t second;
    uint32_t fraction_ns;
};

static bool is_time(struct made *made, uint32_t second, uint32_t fraction, uint32_t unit_ns)
{
    bool right = fraction < STAMP_NS_PER_S / unit_ns;

    made->second = second;
    made->fraction_ns = right ? fraction * unit_ns : 0;
    return right;
}

/* --- The formats --- */

static bool read_iperf3(const struct packet *packet, struct made *made)
{
    const uint8_t *data = packet->data;

    if (packet->data_bytes < 12)
        return false;
    made->number = bytes_u32(data + 8);
    return is_time(made, bytes_u32(data), bytes_u32(data + 4), 1000);
}

static bool read_iperf3_long(const struct packet *packet, struct made *made)
{
    const uint8_t *data = packet->data;

    if (packet->data_bytes < 16)
        return false;
    made->number = bytes_u32(data + 12);
    return is_time(made, bytes_u32(data), bytes_u32(data + 4), 1000);
}

/* The last packet of a run has a negative number. */
static bool read_iperf2(const struct packet *packet, struct made *made)
{
    const uint8_t *data = packet->data;

    if (packet->data_bytes < 12 || data[0] & 0x80)
        return false;
    made->number = bytes_u32(data);
    return is_time(made, bytes_u32(data + 4), bytes_u32(data + 8), 1000);
}

static bool read_udpst(const struct packet *packet, struct made *made)
{
    enum { LOAD = 0xbeef, ACTION_MOST = 2 };
    const uint8_t *data = packet->data;

    if (packet->data_bytes < 28 || bytes_u16(data) != LOAD || data[2] > ACTION_MOST || data[3] > 1
        || bytes_u16(data + 8) != packet->arrival.payload_bytes)
        return false;
    made->number = bytes_u32(data + 4);
    return is_time(made, bytes_u32(data + 20), bytes_u32(data + 24), 1);
}

/* Seconds since 1900 and parts of 2^-32, or with Z in the error those of PTP; its multiplier is never 0
 * (RFC 4656, section 4.1.2), and its scale leaves it below a minute. */
static bool read_stamp(const struct packet *packet, struct made *made)
{
    enum { PTP = 0x40, SCALE = 0x3f, SCALE_MOST = 30 };
    const uint8_t *data = packet->data;
    uint32_t fraction;

    if (packet->data_bytes < 14 || data[13] == 0 || (data[12] & SCALE) > SCALE_MOST)
        return false;
    made->number = bytes_u32(data);
    fraction = bytes_u32(data + 8);
    if (!(data[12] & PTP))
        fraction = (uint32_t)((uint64_t)fraction * STAMP_NS_PER_S >> 32);
    return is_time(made, bytes_u32(data + 4), fraction, 1);
}

/* --- Recognising --- */

typedef bool reader(const struct packet *packet, struct made *made);

static int64_t made_ns(const struct made *made)
{
    return (int64_t)made->second * STAMP_NS_PER_S + made->fraction_ns;
}

/* How far the sender's clock is from ours, modulo 2^32 us. */
static uint32_t apart_us(const struct packet *packet, const struct made *made)
{
    return (uint32_t)((uint64_t)(made_ns(made) - packet->arrival.received.ns) / STAMP_NS_PER_US);
}

static bool stamped_goes_on(reader *read, struct candidate *candidate, const struct packet *packet)
{
    struct made made = {0};
    int32_t off_us;
    bool next;

    read(packet, &made);
    off_us = (int32_t)(apart_us(packet, &made) - candidate->mark);
    next = candidate->streak > 0 && made.number == candidate->seq + 1 && off_us <= OFF_MOST_US
        && off_us >= -OFF_MOST_US;
    candidate->seq = made.number;
    candidate->mark = apart_us(packet, &made);
    if (!next) {
        candidate->first_mark = candidate->mark;
        candidate->first_ns = packet->arrival.received.ns;
    }
    return next;
}

static int proven(const struct candidate *candidate, const struct packet *packet)
{
    int64_t passed_ns = packet->arrival.received.ns - candidate->first_ns;
    int64_t made_ns = passed_ns + (int32_t)(candidate->mark - candidate->first_mark) * STAMP_NS_PER_US;

    if (passed_ns >= PROOF_NS && made_ns >= passed_ns / PROOF_TIMES && made_ns / PROOF_TIMES <= passed_ns)
        return 1;
    return passed_ns >= 0 && passed_ns < PROOF_MOST_NS ? 0 : -1;
}

/* --- Taking --- */

static bool left_with(const struct burst *burst, const struct pprec_arrival *arrival)
{
    int64_t pause_ns = arrival->departed_ns - burst->departed_ns;

    if (pause_ns < 0 || pause_ns > PAUSE_MOST_NS || burst->position + 1 >= TRAIN_PACKETS)
        return false;
    return burst->pause_ns == PPREC_UNKNOWN_NS
        || (pause_ns <= PAUSE_TIMES * burst->pause_ns + PAUSE_LEAST_NS
            && burst->pause_ns <= PAUSE_TIMES * pause_ns + PAUSE_LEAST_NS);
}

static int take_made(struct pprec *pprec, struct flow *stream, const struct made *made, bool apart,
                     struct pprec_arrival *arrival)
{
    struct burst *burst = &stream->burst;
    uint32_t ahead = made->number - stream->seq;
    int status = PPREC_OK;

    arrival->departed_ns = made_ns(made);
    if (stream->begun && (ahead == 0 || ahead >= SEQ_BEHIND) && !flow_begins_anew(stream, made->number)) {
        burst_end(burst); /* repeated or overtaken: what comes next follows nothing */
        return PPREC_OK;
    }
    if (stream->begun && ahead > 1)
        burst_lose(burst, ahead - 1);
    if (stream->begun && ahead == 1 && !apart && burst_fits(burst, arrival) && left_with(burst, arrival))
        status = burst_join(burst, pprec, arrival);
    else
        burst_begin(burst, pprec, arrival);
    stream->seq = made->number;
    stream->begun = true;
    return status;
}

#define RECOGNISER(format, of_kind)                                                                          \
    static bool format##_looks_right(const struct packet *packet)                                            \
    {                                                                                                        \
        struct made made;                                                                                    \
        return read_##format(packet, &made);                                                                 \
    }                                                                                                        \
    static bool format##_follows(struct candidate *candidate, const struct packet *packet)                   \
    {                                                                                                        \
        return stamped_goes_on(read_##format, candidate, packet);                                            \
    }                                                                                                        \
    static int format##_take(struct pprec *pprec, struct flow *stream, const struct packet *packet,          \
                             bool apart, struct pprec_arrival *arrival)                                      \
    {                                                                                                        \
        struct made made = {0};                                                                              \
        read_##format(packet, &made);                                                                        \
        return take_made(pprec, stream, &made, apart, arrival);                                              \
    }                                                                                                        \
    static uint32_t format##_number(const struct packet *packet)                                             \
    {                                                                                                        \
        struct made made = {0};                                                                              \
        read_##format(packet, &made);                                                                        \
        return made.number;                                                                                  \
    }                                                                                                        \
    const struct recogniser recognise_##format = {                                                           \
        of_kind, format##_looks_right, format##_follows, proven, format##_number, 32, NULL, format##_take}

RECOGNISER(iperf3, PPREC_KIND_IPERF);
RECOGNISER(iperf3_long, PPREC_KIND_IPERF);
RECOGNISER(iperf2, PPREC_KIND_IPERF);
RECOGNISER(udpst, PPREC_KIND_UDPST);
RECOGNISER(stamp, PPREC_KIND_STAMP);
