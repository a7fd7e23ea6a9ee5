/* SPDX-License-Identifier: BSD-3-Clause */
/* A layered sender: layered_send INTERFACE-ADDRESS SECONDS [HOST]. See layered.h.
 * With HOST the first layer alone goes to this address: a plain RTP stream. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "layered.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { FRAME_MOST = 64, CLOCK_HZ = 90000 };

struct stream {
    struct sockaddr_in group;
    uint16_t seq;
};

static uint8_t packets[FRAME_MOST][LAYERED_PACKET_BYTES];
static struct iovec vectors[FRAME_MOST];
static struct mmsghdr messages[FRAME_MOST];

static int layered_send_open_socket(const char *from)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct in_addr address;
    int ttl = 16;

    if (fd < 0 || inet_pton(AF_INET, from, &address) != 1
        || setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address) < 0
        || setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl) < 0)
        return -1;
    return fd;
}

/* RFC 3550, section 5.1; the last packet of a frame has the marker. */
static void layered_send_write_header(uint8_t *packet, uint16_t seq, uint32_t timestamp, uint32_t ssrc,
                                      int marker)
{
    uint16_t seq_be = htons(seq);
    uint32_t rest[2] = {htonl(timestamp), htonl(ssrc)};

    packet[0] = 2 << 6;
    packet[1] = (uint8_t)(marker << 7 | 96);
    memcpy(packet + 2, &seq_be, sizeof seq_be);
    memcpy(packet + 4, rest, sizeof rest);
}

/* The frames of all layers, one behind the other, in one system call. */
static void layered_send_send_frame(int fd, struct stream *streams, uint32_t layers, uint32_t timestamp)
{
    unsigned count = 0;

    for (uint32_t layer = 0; layer < layers; layer++) {
        unsigned left = LAYERED_FRAME_PACKETS * layered_shares[layer];

        for (; left > 0; left--, count++) {
            layered_send_write_header(packets[count], streams[layer].seq++, timestamp, layer + 1, left == 1);
            vectors[count] = (struct iovec){packets[count], LAYERED_PACKET_BYTES};
            messages[count].msg_hdr = (struct msghdr){
                .msg_name = &streams[layer].group,
                .msg_namelen = sizeof streams[layer].group,
                .msg_iov = &vectors[count],
                .msg_iovlen = 1,
            };
        }
    }
    for (unsigned sent = 0; sent < count;) {
        int now = sendmmsg(fd, messages + sent, count - sent, 0);

        if (now < 0)
            return; /* what is not sent is lost: media do not wait */
        sent += (unsigned)now;
    }
}

int main(int argc, char **argv)
{
    const long frame_ns = (long)(LAYERED_FRAME_PACKETS * LAYERED_PACKET_BYTES * 8 * 1e9 / LAYERED_FIRST_BPS);
    struct stream streams[LAYERED_LAYERS] = {{.seq = 0}};
    struct timespec next;
    int fd = argc == 3 || argc == 4 ? layered_send_open_socket(argv[1]) : -1;

    if (fd < 0) {
        fprintf(stderr, "usage: layered_send INTERFACE-ADDRESS SECONDS [HOST]\n");
        return 2;
    }
    for (unsigned i = 0; i < LAYERED_LAYERS; i++)
        streams[i].group = (struct sockaddr_in){
            .sin_family = AF_INET,
            .sin_port = htons(LAYERED_PORT),
            .sin_addr.s_addr = argc == 4 ? inet_addr(argv[3]) : htonl(0xefff4d01 + i), /* 239.255.77.1 */
        };
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (double t = 0; t < atof(argv[2]); t += (double)frame_ns / 1e9) {
        layered_send_send_frame(fd, streams, argc == 4 ? 1 : LAYERED_LAYERS, (uint32_t)(t * CLOCK_HZ));
        next.tv_nsec += frame_ns;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return 0;
}
