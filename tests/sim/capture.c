/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "common/wire.h"

#include <pcap/pcap.h>
#include <string.h>

enum {
    ETHERNET_BYTES = 14,
    IPV4_BYTES = 20,
    UDP_BYTES = 8,
    HEADERS_BYTES = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES,
    DESTINATION_PORT = 9000,
    TIME_TO_LIVE = 60
};

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* RFC 1071. */
static unsigned checksum(const uint8_t *data, size_t bytes)
{
    unsigned sum = 0;

    for (size_t i = 0; i + 1 < bytes; i += 2)
        sum += (unsigned)(data[i] << 8 | data[i + 1]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

static void put_ethernet(uint8_t *at)
{
    static const uint8_t header[ETHERNET_BYTES] = {0x02, 0, 0, 0, 0,    0x02, 0x02,
                                                   0,    0, 0, 0, 0x01, 0x08, 0x00};

    memcpy(at, header, sizeof(header));
}

static void put_ipv4(uint8_t *at, const struct pprec_arrival *arrival)
{
    static const uint8_t destination[4] = {192, 0, 2, 2};

    memset(at, 0, IPV4_BYTES);
    at[0] = 0x45;
    put16(at + 2, IPV4_BYTES + UDP_BYTES + arrival->payload_bytes);
    at[6] = 0x40; /* don't fragment */
    at[8] = arrival->hops_left > 0 ? arrival->hops_left : TIME_TO_LIVE;
    at[9] = 17; /* UDP */
    memcpy(at + 12, arrival->source.address, 4);
    memcpy(at + 16, destination, 4);
    put16(at + 10, checksum(at, IPV4_BYTES));
}

/* Without a checksum, as IPv4 allows: the payload is not all here. */
static void put_udp(uint8_t *at, const struct pprec_arrival *arrival)
{
    put16(at, arrival->source.port);
    put16(at + 2, DESTINATION_PORT);
    put16(at + 4, UDP_BYTES + arrival->payload_bytes);
    put16(at + 6, 0);
}

static uint32_t span_on_the_wire(int64_t span_ns)
{
    return span_ns < (int64_t)WIRE_SPAN_OVER ? (uint32_t)span_ns : WIRE_SPAN_OVER;
}

static void put_probe(uint8_t *at, const struct pprec_arrival *arrival)
{
    struct wire_probe probe = {
        .position = (uint8_t)arrival->position,
        .stream = arrival->stream,
        .seq = arrival->seq,
        .train = arrival->train,
    };

    while (1U << probe.length_log2 < arrival->train_length)
        probe.length_log2++;
    if (arrival->sent_ns != PPREC_UNKNOWN_NS) {
        probe.flags |= WIRE_TIME;
        probe.sent_ns = (uint64_t)arrival->sent_ns;
    }
    if (arrival->departure_span_ns != PPREC_UNKNOWN_NS) {
        probe.flags |= WIRE_DEPARTURE;
        probe.departure_train = arrival->departure_train;
        probe.departure_span_ns = span_on_the_wire(arrival->departure_span_ns);
    }
    if (arrival->load_hops > 0) {
        probe.flags |= WIRE_REACH;
        probe.reach_load_hops = arrival->load_hops;
        probe.reach_marker_hops = arrival->marker_hops;
        probe.reach_load_bytes = arrival->load_payload_bytes;
    }
    wire_encode(&probe, at, WIRE_MOST_BYTES);
}

/* Returns how many bytes of the frame are at hand. */
static unsigned put_frame(uint8_t frame[SIM_CAPTURE_SNAP_BYTES], const struct pprec_arrival *arrival,
                          bool classic)
{
    unsigned bytes = HEADERS_BYTES + arrival->payload_bytes;

    for (unsigned i = 0; i < SIM_CAPTURE_SNAP_BYTES; i++)
        frame[i] = (uint8_t)(i * 167 + arrival->seq); /* padding that is not all zero */
    put_ethernet(frame);
    put_ipv4(frame + ETHERNET_BYTES, arrival);
    put_udp(frame + ETHERNET_BYTES + IPV4_BYTES, arrival);
    if (classic)
        frame[HEADERS_BYTES] = (uint8_t)arrival->seq;
    else
        put_probe(frame + HEADERS_BYTES, arrival);
    return bytes < SIM_CAPTURE_SNAP_BYTES ? bytes : SIM_CAPTURE_SNAP_BYTES;
}

static void capture_dump(pcap_dumper_t *dumper, const struct pprec_arrival *arrival, bool classic)
{
    uint8_t frame[SIM_CAPTURE_SNAP_BYTES];
    struct pcap_pkthdr header = {
        /* With nanosecond precision libpcap takes tv_usec for nanoseconds. */
        .ts = {.tv_sec = (time_t)(arrival->received.ns / 1000000000),
               .tv_usec = (suseconds_t)(arrival->received.ns % 1000000000)},
        .len = HEADERS_BYTES + arrival->payload_bytes,
    };

    header.caplen = put_frame(frame, arrival, classic);
    pcap_dump((unsigned char *)dumper, &header, frame);
}

int sim_capture_write(const struct sim_run *run, bool classic, FILE *file)
{
    pcap_t *pcap =
        pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SIM_CAPTURE_SNAP_BYTES, PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t *dumper = pcap ? pcap_dump_fopen(pcap, file) : NULL;
    int failed = -1;

    if (dumper) {
        for (size_t i = 0; i < run->arrival_count; i++)
            capture_dump(dumper, &run->arrivals[i], classic);
        failed = pcap_dump_flush(dumper) != 0 || ferror(file) ? -1 : 0;
        pcap_dump_close(dumper);
    } else {
        fclose(file);
    }
    if (pcap)
        pcap_close(pcap);
    return failed;
}
