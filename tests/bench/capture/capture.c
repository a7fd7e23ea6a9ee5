/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture make PACKETS FLOWS BURST probe|flow SNAP >FILE
 *     writes a capture: FLOWS senders in turn send BURST packets of 1400 bytes each,
 *     at 100 Mbit/s in all; as trains of ours (BURST: a power of two) or anything else.
 *     SNAP bytes of each are kept.
 * capture loop FILE
 *     reads it through libpcap and does nothing else: the least that reading costs.
 */
#include "common/wire.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ETHERNET = 14,
    IPV4 = 20,
    UDP = 8,
    PAYLOAD_BYTES = 1400,
    FRAME_BYTES = ETHERNET + IPV4 + UDP + PAYLOAD_BYTES,
    GAP_NS = FRAME_BYTES * 80 /* ns per byte at 100 Mbit/s */
};

struct maker {
    uint32_t flows;
    uint32_t burst;
    bool probes;
    uint32_t snap_bytes;
    uint8_t frame[FRAME_BYTES];
};

static void capture_put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static void capture_prepare(struct maker *maker)
{
    static const uint8_t head[ETHERNET + IPV4 + UDP] = {
        2, 0,  0,  0, 0, 2,  2, 0, 0, 0,  0, 1, 8, 0, 0x45, 0,    0,    0, 0, 0, 0x40,
        0, 64, 17, 0, 0, 10, 0, 0, 0, 10, 9, 9, 9, 0, 0,    0x23, 0x28, 0, 0, 0, 0};

    memcpy(maker->frame, head, sizeof head);
    for (size_t i = sizeof head; i < FRAME_BYTES; i++)
        maker->frame[i] = (uint8_t)(i * 167 | 1);
    capture_put(maker->frame + ETHERNET + 2, IPV4 + UDP + PAYLOAD_BYTES, 2);
    capture_put(maker->frame + ETHERNET + IPV4 + 4, UDP + PAYLOAD_BYTES, 2);
}

static void address(struct maker *maker, uint32_t flow)
{
    capture_put(maker->frame + ETHERNET + 12, 0x0a000000 + flow / 1000, 4);
    capture_put(maker->frame + ETHERNET + IPV4, 20000 + flow % 1000, 2);
}

static void capture_number(struct maker *maker, uint32_t flow, uint32_t turn, uint32_t position)
{
    struct wire_probe probe = {
        .position = (uint8_t)position,
        .stream = flow,
        .seq = turn * maker->burst + position,
        .train = turn,
    };

    while (1U << probe.length_log2 < maker->burst)
        probe.length_log2++;
    wire_encode(&probe, maker->frame + ETHERNET + IPV4 + UDP, WIRE_MOST_BYTES);
}

static int capture_make(struct maker *maker, uint64_t packets)
{
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535, PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t *out = pcap_dump_open(pcap, "-");

    if (out == NULL)
        return EXIT_FAILURE;
    capture_prepare(maker);
    for (uint64_t i = 0; i < packets; i++) {
        uint64_t ns = i * GAP_NS, turn = i / maker->burst;
        struct pcap_pkthdr header = {
            .ts = {(time_t)(1700000000 + ns / 1000000000), (suseconds_t)(ns % 1000000000)},
            .caplen = maker->snap_bytes,
            .len = FRAME_BYTES};
        uint32_t flow = (uint32_t)(turn % maker->flows);

        address(maker, flow);
        if (maker->probes)
            capture_number(maker, flow, (uint32_t)(turn / maker->flows), (uint32_t)(i % maker->burst));
        pcap_dump((u_char *)out, &header, maker->frame);
    }
    pcap_dump_close(out);
    pcap_close(pcap);
    return EXIT_SUCCESS;
}

static void capture_count(u_char *user, const struct pcap_pkthdr *header, const u_char *frame)
{
    uint64_t *packets = (uint64_t *)user;

    (void)header;
    (void)frame;
    ++*packets;
}

static int loop(const char *path)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
    uint64_t packets = 0;

    if (pcap == NULL || pcap_loop(pcap, -1, capture_count, (u_char *)&packets) < 0) {
        fprintf(stderr, "capture: %s\n", pcap == NULL ? why : pcap_geterr(pcap));
        return EXIT_FAILURE;
    }
    pcap_close(pcap);
    printf("%" PRIu64 "\n", packets);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct maker maker;

    if (argc == 3 && strcmp(argv[1], "loop") == 0)
        return loop(argv[2]);
    if (argc != 7 || strcmp(argv[1], "make") != 0) {
        fprintf(stderr, "usage: capture make PACKETS FLOWS BURST probe|flow SNAP | capture loop FILE\n");
        return 2;
    }
    maker = (struct maker){
        .flows = (uint32_t)strtoul(argv[3], NULL, 10),
        .burst = (uint32_t)strtoul(argv[4], NULL, 10),
        .probes = strcmp(argv[5], "probe") == 0,
        .snap_bytes = (uint32_t)strtoul(argv[6], NULL, 10),
    };
    if (maker.snap_bytes > FRAME_BYTES)
        maker.snap_bytes = FRAME_BYTES;
    return capture_make(&maker, strtoull(argv[2], NULL, 10));
}
