/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flood HOST PORT PACKETS_PER_S SECONDS SEED [junk|ids|pairs]: what nobody asked for, at a port.
 * junk: half of it random bytes, half probe headers with some bytes changed, so that it gets past
 * the first checks. ids: each datagram a good probe of a stream of its own; pairs: each two of
 * them, a whole train. Prints how many datagrams it sent.
 */
#include "common/stamp.h"
#include "common/wire.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BATCH = 32, BYTES_MAX = 200 };

static uint64_t state;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t make_junk(uint8_t *room)
{
    size_t bytes = next() % (BYTES_MAX + 1);
    struct wire_probe probe = {
        .length_log2 = (uint8_t)(1 + next() % 8),
        .stream = (uint32_t)next(),
        .seq = (uint32_t)next(),
        .train = (uint32_t)next(),
        .flags = next() % 8,
        .sent_ns = next(),
    };

    for (size_t i = 0; i < BYTES_MAX; i++)
        room[i] = (uint8_t)next();
    if (next() % 2 == 0)
        return bytes;
    wire_encode(&probe, room, BYTES_MAX);
    for (uint64_t changes = next() % 3; changes > 0; changes--)
        room[next() % 24] = (uint8_t)next();
    return bytes;
}

static size_t make_probe(uint8_t *room, unsigned position)
{
    static uint32_t stream;
    struct wire_probe probe = {.length_log2 = 1, .position = (uint8_t)position, .seq = position};

    if (position == 0)
        stream = (uint32_t)next();
    probe.stream = stream;
    wire_encode(&probe, room, BYTES_MAX);
    return BYTES_MAX;
}

static size_t make(uint8_t *room, size_t i, const char *what)
{
    if (strcmp(what, "ids") == 0)
        return make_probe(room, 0);
    return strcmp(what, "pairs") == 0 ? make_probe(room, i % 2) : make_junk(room);
}

static bool send_batch(int fd, const char *what)
{
    static uint8_t data[BATCH][BYTES_MAX];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];

    memset(messages, 0, sizeof messages);
    for (size_t i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){data[i], make(data[i], i, what)};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    return sendmmsg(fd, messages, BATCH, 0) == BATCH;
}

static int connect_to(const char *host, const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (inet_pton(AF_INET, host, &to.sin_addr) != 1
        || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    return fd;
}

int main(int argc, char **argv)
{
    const char *what = argc == 7 ? argv[6] : "junk";
    int fd = argc == 6 || argc == 7 ? connect_to(argv[1], argv[2]) : -1;
    int64_t start_ns = stamp_now_ns(CLOCK_MONOTONIC), end_ns;
    uint64_t sent = 0;

    if (fd < 0) {
        fprintf(stderr, "usage: flood IPV4 PORT PACKETS_PER_S SECONDS SEED [junk|ids|pairs]\n");
        return 2;
    }
    end_ns = start_ns + (int64_t)(atof(argv[4]) * 1e9);
    state = strtoull(argv[5], NULL, 10);
    for (int64_t now_ns = start_ns; now_ns < end_ns; now_ns = stamp_now_ns(CLOCK_MONOTONIC)) {
        if ((double)(now_ns - start_ns) * atof(argv[3]) / 1e9 < (double)sent)
            usleep(200);
        else if (send_batch(fd, what))
            sent += BATCH;
    }
    printf("%llu\n", (unsigned long long)sent);
    close(fd);
    return 0;
}
