/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * left CAPTURE: the trains of pptrans that a capture on the sender's own link shows. A line a train:
 *
 *   train, packets of, packets seen, first to last in microseconds, widest gap between two of them,
 *   hop limit of first and last packet, hop limit of the others, payload of first and last, payload
 *   of the others, what REACH says of the three: hop limit of the others, of first and last, payload
 *   of the others
 *
 * "mixed" where packets that should be alike are not; 0 where there are none.
 */
#include "common/wire.h"

#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRAINS_MAX = 4096, ETHERNET_BYTES = 14, UDP_BYTES = 8, MIXED = -1 };

/* What packets of one kind have in common. */
struct common {
    int hops, payload_bytes; /* 0: none seen yet */
};

struct train {
    unsigned packets, seen;
    int64_t first_ns, last_ns, widest_ns;
    struct common markers, load;
    struct wire_probe probe; /* of the newest packet */
};

struct packet {
    int hops, payload_bytes;
    const u_char *payload;
    size_t at_hand;
};

static struct train trains[TRAINS_MAX];

/* False when this is no plain UDP packet. */
static bool find_payload(const u_char *frame, size_t bytes, struct packet *packet)
{
    const u_char *ip = frame + ETHERNET_BYTES, *udp;
    bool ipv6;

    if (bytes < ETHERNET_BYTES + 40 + UDP_BYTES)
        return false;
    ipv6 = ip[0] >> 4 == 6;
    if ((ipv6 ? ip[6] : ip[9]) != IPPROTO_UDP)
        return false;
    udp = ip + (ipv6 ? 40 : (ip[0] & 0x0fU) * 4U);
    *packet = (struct packet){.hops = ipv6 ? ip[7] : ip[8],
                              .payload_bytes = (udp[4] << 8 | udp[5]) - UDP_BYTES,
                              .payload = udp + UDP_BYTES};
    packet->at_hand = bytes - (size_t)(packet->payload - frame);
    return true;
}

static int agreed(int before, int now)
{
    return before == 0 || before == now ? now : MIXED;
}

/* The last one may stand before the end, and be known by its size (common/wire.h). */
static bool left_is_last(const struct wire_probe *probe, int payload_bytes)
{
    return probe->position + 1 == 1 << probe->length_log2
        || (probe->position > 0 && payload_bytes < probe->reach_load_bytes);
}

static void left_note(const struct pcap_pkthdr *record, const u_char *frame)
{
    int64_t ns = record->ts.tv_sec * INT64_C(1000000000) + record->ts.tv_usec;
    struct packet packet;
    struct wire_probe probe;
    struct common *kind;
    struct train *train;
    bool last;

    if (!find_payload(frame, record->caplen, &packet)
        || wire_decode(&probe, packet.payload, packet.at_hand) != WIRE_OK || probe.train >= TRAINS_MAX)
        return;
    train = &trains[probe.train];
    last = left_is_last(&probe, packet.payload_bytes);
    kind = probe.position == 0 || last ? &train->markers : &train->load;
    kind->hops = agreed(kind->hops, packet.hops);
    kind->payload_bytes = agreed(kind->payload_bytes, packet.payload_bytes);
    if (train->seen++ == 0)
        train->first_ns = ns;
    else if (ns - train->last_ns > train->widest_ns)
        train->widest_ns = ns - train->last_ns;
    train->last_ns = ns;
    train->packets = last ? probe.position + 1U : 1U << probe.length_log2;
    train->probe = probe;
}

static const char *left_number(int value, char room[12])
{
    if (value == MIXED)
        return "mixed";
    snprintf(room, 12, "%d", value);
    return room;
}

static void left_print(unsigned i)
{
    const struct train *train = &trains[i];
    char room[4][12];

    printf("%u %u %u %.3f %.3f %s %s %s %s %u %u %u\n", i, train->packets, train->seen,
           (double)(train->last_ns - train->first_ns) / 1e3, (double)train->widest_ns / 1e3,
           left_number(train->markers.hops, room[0]), left_number(train->load.hops, room[1]),
           left_number(train->markers.payload_bytes, room[2]),
           left_number(train->load.payload_bytes, room[3]), train->probe.reach_load_hops,
           train->probe.reach_marker_hops, train->probe.reach_load_bytes);
}

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE] = "usage: left CAPTURE";
    pcap_t *capture = argc == 2
        ? pcap_open_offline_with_tstamp_precision(argv[1], PCAP_TSTAMP_PRECISION_NANO, error)
        : NULL;
    struct pcap_pkthdr *record;
    const u_char *frame;

    if (capture == NULL) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    while (pcap_next_ex(capture, &record, &frame) == 1)
        left_note(record, frame);
    pcap_close(capture);
    for (unsigned i = 0; i < TRAINS_MAX; i++)
        if (trains[i].seen > 0)
            left_print(i);
    return EXIT_SUCCESS;
}
