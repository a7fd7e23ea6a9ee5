/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends plain UDP trains, so that the lab can be measured without the programs it is to test.
 * Bytes 0-3 of each payload are the packet's index over the run, in network byte order.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LENGTH_MAX = 256, PAYLOAD_MAX = 9000 };

static uint8_t payload[LENGTH_MAX][PAYLOAD_MAX];

static int connect_udp(const char *host, const char *port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found;
    if (getaddrinfo(host, port, &hints, &found))
        return -1;
    int fd = socket(found->ai_family, SOCK_DGRAM, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen)) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

/* A pending ICMP error cuts sendmmsg short: go on with the rest. */
static void train_send_train(int fd, unsigned length, size_t bytes, uint32_t first)
{
    struct mmsghdr packets[LENGTH_MAX] = {0};
    struct iovec parts[LENGTH_MAX];
    for (unsigned i = 0; i < length; i++) {
        uint32_t index = htonl(first + i);
        memcpy(payload[i], &index, sizeof index);
        parts[i] = (struct iovec){payload[i], bytes};
        packets[i].msg_hdr.msg_iov = &parts[i];
        packets[i].msg_hdr.msg_iovlen = 1;
    }
    for (unsigned sent = 0; sent < length;) {
        int count = sendmmsg(fd, packets + sent, length - sent, 0);
        if (count > 0)
            sent += (unsigned)count;
        else if (errno != ECONNREFUSED && errno != EINTR && errno != ENOBUFS)
            return perror("train: sendmmsg");
    }
}

static unsigned long lab_train_number(const char *text, unsigned long low, unsigned long high)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value < low || value > high) {
        fprintf(stderr, "train: %s: not a number from %lu to %lu\n", text, low, high);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: train HOST PORT TRAINS LENGTH PAYLOAD_BYTES INTERVAL_US\n");
        return 2;
    }
    unsigned long trains = lab_train_number(argv[3], 1, 100000000);
    unsigned length = (unsigned)lab_train_number(argv[4], 1, LENGTH_MAX);
    size_t bytes = lab_train_number(argv[5], 4, PAYLOAD_MAX);
    unsigned long interval_us = lab_train_number(argv[6], 0, 100000000);
    int fd = connect_udp(argv[1], argv[2]);
    if (fd < 0) {
        fprintf(stderr, "train: cannot reach %s port %s\n", argv[1], argv[2]);
        return 2;
    }
    struct timespec pause = {(time_t)(interval_us / 1000000), (long)(interval_us % 1000000) * 1000};
    for (unsigned long i = 0; i < trains; i++) {
        train_send_train(fd, length, bytes, (uint32_t)(i * length));
        nanosleep(&pause, NULL);
    }
    return 0;
}
