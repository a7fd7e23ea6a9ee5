/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flood HOST PORT PACKETS_PER_S SECONDS SEED [KIND]: junk at a port.
 *   junk     half of it random bytes, half probe headers with some bytes changed, so that
 *            it gets past the first checks
 *   streams  well-formed pairs, each of another stream, a million by turns
 *   tagged   the same with tags, but nobody's
 *   rows     well-formed pairs again, sent one by one and four to a stream: most have a rate, and
 *            become rows of a log
 *   ids      the first packets of such pairs alone, so that no train is ever whole
 * Prints how many datagrams it sent, and in how many seconds.
 */
#include "common/stamp.h"
#include "common/wire.h"

#include <arpa/inet.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* Linux 4.18, linux/udp.h */
#endif

enum { BATCH = 64, BYTES_MAX = 200, PROBE_BYTES = 64, STREAMS = 1000000 };

static uint64_t state;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* --- What is sent: each writes BYTES_MAX of a datagram, of which the first few go --- */

static void make_junk(uint8_t *room)
{
    struct wire_probe probe = {
        .length_log2 = (uint8_t)(1 + next() % 8),
        .stream = (uint32_t)next(),
        .seq = (uint32_t)next(),
        .train = (uint32_t)next(),
        .flags = next() % 8,
        .sent_ns = next(),
    };

    for (size_t i = 0; i < BYTES_MAX; i += sizeof(uint64_t)) {
        uint64_t word = next();

        memcpy(room + i, &word, sizeof word);
    }
    if (next() % 2 == 0)
        return;
    wire_encode(&probe, room, BYTES_MAX);
    for (uint64_t changes = next() % 3; changes > 0; changes--)
        room[next() % 24] = (uint8_t)next();
}

static size_t encode_probe(uint8_t *room, uint32_t stream, uint32_t seq, uint16_t flags)
{
    struct wire_probe probe = {
        .length_log2 = 1,
        .position = seq % 2,
        .stream = stream * 2654435761U, /* Knuth's: no two the same */
        .seq = seq,
        .train = seq / 2,
        .flags = flags,
        .sent_ns = (uint64_t)stamp_now_ns(CLOCK_REALTIME),
    };

    return wire_encode(&probe, room, BYTES_MAX);
}

/* In pairs, as a receiver needs them to make something of a stream. */
static void make_probe(uint8_t *room, uint16_t flags)
{
    static uint32_t made;
    uint32_t number = made++, stream = number / 2 % STREAMS, train = number / 2 / STREAMS;
    uint64_t tag[2] = {next(), next()};
    size_t bytes = encode_probe(room, stream, 2 * train + number % 2, flags);

    if (flags & WIRE_AUTH)
        memcpy(room + bytes - sizeof tag, tag, sizeof tag);
}

static void make_streams(uint8_t *room)
{
    make_probe(room, WIRE_TIME);
}

static void make_tagged(uint8_t *room)
{
    make_probe(room, WIRE_TIME | WIRE_AUTH);
}

static void make_ids(uint8_t *room)
{
    uint8_t second[BYTES_MAX];

    make_probe(room, WIRE_TIME);
    make_probe(second, WIRE_TIME);
}

/* The first packet of the next train ends one, which is reported then. */
static void make_rows(uint8_t *room)
{
    static uint32_t made;
    uint32_t number = made++;

    encode_probe(room, number / 8, number % 8, WIRE_TIME);
}

static const struct kind {
    const char *name;
    void (*make)(uint8_t *room);
    bool apart; /* a call for each */
} kinds[] = {{"junk", make_junk, false},
             {"streams", make_streams, false},
             {"tagged", make_tagged, false},
             {"rows", make_rows, true},
             {"ids", make_ids, false}};

/* --- Sending --- */

static bool send_apart(int fd, const struct kind *kind)
{
    uint8_t data[BYTES_MAX];

    for (size_t i = 0; i < BATCH; i++) {
        kind->make(data);
        if (send(fd, data, PROBE_BYTES, 0) < 0)
            return false;
    }
    return true;
}

/* As one segmented send, which takes half the time of single ones: all of a batch are
 * as long, and the next batch is not. */
static bool send_batch(int fd, const struct kind *kind)
{
    static uint8_t made[BYTES_MAX], data[BATCH * BYTES_MAX];
    uint16_t bytes = kind->make == make_junk ? (uint16_t)(1 + next() % BYTES_MAX) : PROBE_BYTES;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof bytes)] = {0};
    struct iovec part = {data, (size_t)BATCH * bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    for (size_t i = 0; i < BATCH; i++) {
        kind->make(made);
        memcpy(data + i * bytes, made, bytes);
    }
    *header = (struct cmsghdr){
        .cmsg_level = IPPROTO_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof bytes)};
    memcpy(CMSG_DATA(header), &bytes, sizeof bytes);
    return sendmsg(fd, &message, 0) >= 0;
}

static int connect_to(const char *host, const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (inet_pton(AF_INET, host, &to.sin_addr) != 1 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    return fd;
}

static const struct kind *flood_find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = argc == 6 || argc == 7 ? connect_to(argv[1], argv[2]) : -1;
    const struct kind *kind = flood_find_kind(argc == 7 ? argv[6] : "junk");
    int64_t start_ns = stamp_now_ns(CLOCK_MONOTONIC), now_ns, end_ns;
    uint64_t sent = 0;

    if (fd < 0 || kind == NULL) {
        fprintf(stderr, "usage: flood IPV4 PORT PACKETS_PER_S SECONDS SEED [KIND]\n");
        return 2;
    }
    end_ns = start_ns + (int64_t)(atof(argv[4]) * 1e9);
    state = strtoull(argv[5], NULL, 10);
    while ((now_ns = stamp_now_ns(CLOCK_MONOTONIC)) < end_ns) {
        if ((double)(now_ns - start_ns) * atof(argv[3]) / 1e9 < (double)sent)
            usleep(50);
        else if (kind->apart ? send_apart(fd, kind) : send_batch(fd, kind))
            sent += BATCH;
    }
    printf("%llu %.3f\n", (unsigned long long)sent, (double)(now_ns - start_ns) / 1e9);
    close(fd);
    return 0;
}
