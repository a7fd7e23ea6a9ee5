/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copycat IF PORT PACKETS_PER_S SECONDS KIND [PORT]: somebody on the receiver's side of the narrow
 * link, who sees every probe that leaves through IF for the port, and sends frames of his own past
 * the link's queue, from the sender's address.
 *   replay  copies of the newest probe, and of one of those before, by turns
 *   forged  its header with numbers that are 10^9 further on
 *   astray  copies to the other port
 * Prints how many he sent.
 */
#include "common/stamp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FRAME_MOST = 2048,
    KEPT = 256,
    IP_AT = 14,
    UDP_AT = IP_AT + 20,
    PORT_AT = UDP_AT + 2,
    SUM_AT = UDP_AT + 6,
    PROBE_AT = UDP_AT + 8,
    SEQ_AT = PROBE_AT + 8,
    TRAIN_AT = PROBE_AT + 12,
    PROBE_END = PROBE_AT + 18
};

struct frame {
    size_t bytes;
    uint8_t data[FRAME_MOST];
};

static struct frame kept[KEPT];
static size_t seen;

static uint32_t get(const uint8_t *at, unsigned bytes)
{
    uint32_t number = 0;

    while (bytes-- > 0)
        number = number << 8 | *at++;
    return number;
}

static void copycat_put(uint8_t *at, unsigned bytes, uint32_t number)
{
    while (bytes-- > 0) {
        at[bytes] = (uint8_t)number;
        number >>= 8;
    }
}

/* IPv4 without options. */
static bool is_probe(const struct frame *frame, unsigned port)
{
    return frame->bytes >= PROBE_END && get(frame->data + 12, 2) == ETHERTYPE_IP && frame->data[IP_AT] == 0x45
        && frame->data[IP_AT + 9] == IPPROTO_UDP && get(frame->data + PORT_AT, 2) == port
        && memcmp(frame->data + PROBE_AT, "PP", 2) == 0;
}

static void copycat_look(int fd, unsigned port, int wait_ms)
{
    struct pollfd readable = {.fd = fd, .events = POLLIN};

    while (poll(&readable, 1, wait_ms) > 0) {
        struct frame *frame = &kept[seen % KEPT];
        struct sockaddr_ll from;
        socklen_t from_bytes = sizeof from;
        ssize_t got = recvfrom(fd, frame->data, FRAME_MOST, 0, (struct sockaddr *)&from, &from_bytes);

        frame->bytes = got > 0 ? (size_t)got : 0;
        seen += from.sll_pkttype == PACKET_OUTGOING && is_probe(frame, port);
        wait_ms = 0;
    }
}

/* UDP over IPv4 may do without a checksum. */
static struct frame copycat_make(const char *kind, uint64_t number, unsigned other_port)
{
    size_t back = strcmp(kind, "replay") == 0 && number % 2 == 1 ? number % KEPT : 0;
    struct frame frame = kept[(seen - 1 - (back < seen ? back : 0)) % KEPT];

    copycat_put(frame.data + SUM_AT, 2, 0);
    if (strcmp(kind, "astray") == 0)
        copycat_put(frame.data + PORT_AT, 2, other_port);
    if (strcmp(kind, "forged") == 0) {
        copycat_put(frame.data + SEQ_AT, 4, get(frame.data + SEQ_AT, 4) + 1000000000U);
        copycat_put(frame.data + TRAIN_AT, 4, get(frame.data + TRAIN_AT, 4) + 1000000000U);
    }
    return frame;
}

static int open_link(const char *name)
{
    struct sockaddr_ll link = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(name)};
    int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), yes = 1;

    if (link.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&link, sizeof link) < 0
        || setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof yes) < 0)
        return -1;
    return fd;
}

static uint64_t copycat_attack(int fd, char **argv, unsigned other_port)
{
    int64_t start_ns = stamp_now_ns(CLOCK_MONOTONIC), past_ns = 0;
    int64_t end_ns = (int64_t)(atof(argv[4]) * 1e9);
    unsigned port = (unsigned)atoi(argv[2]);
    uint64_t sent = 0;

    for (; past_ns < end_ns; past_ns = stamp_now_ns(CLOCK_MONOTONIC) - start_ns) {
        bool early = (double)past_ns * atof(argv[3]) / 1e9 < (double)sent;

        copycat_look(fd, port, early ? 1 : 0);
        if (!early && seen > 0) {
            struct frame frame = copycat_make(argv[5], sent, other_port);

            sent += send(fd, frame.data, frame.bytes, 0) > 0;
        } else if (!early) {
            copycat_look(fd, port, 100);
        }
    }
    return sent;
}

int main(int argc, char **argv)
{
    int fd = argc == 6 || argc == 7 ? open_link(argv[1]) : -1;

    if (fd < 0) {
        fprintf(stderr, "usage: copycat IF PORT PACKETS_PER_S SECONDS KIND [PORT]%s%s\n",
                errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
        return 2;
    }
    printf("%llu\n", (unsigned long long)copycat_attack(fd, argv, argc == 7 ? (unsigned)atoi(argv[6]) : 0));
    close(fd);
    return 0;
}
