/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives what `train` sends, with the kernel's stamps, and prints the gaps between packets
 * of one train: quantiles over all gaps, and of the mean gap of each whole train.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PACKETS_MAX = 1 << 20, BATCH = 256, NS_PER_S = 1000000000, FIRST_MS = 20000 };

struct arrival {
    uint32_t index;
    int64_t time_ns;
};

static struct arrival arrivals[PACKETS_MAX];
static int64_t gaps_ns[PACKETS_MAX], spans_ns[PACKETS_MAX];

static int sink_open_socket(uint16_t port)
{
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    int fd = socket(AF_INET6, SOCK_DGRAM, 0), on = 1, off = 0, buffer_bytes = 4 << 20;
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    return bind(fd, (struct sockaddr *)&any, sizeof any) ? -1 : fd;
}

static int64_t stamp_ns(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        struct timespec stamp;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
        return (int64_t)stamp.tv_sec * NS_PER_S + stamp.tv_nsec;
    }
    return 0;
}

/* What is there now; returns how many. */
static size_t sink_drain(int fd, struct arrival *into, size_t room)
{
    static uint8_t control[BATCH][CMSG_SPACE(sizeof(struct timespec))];
    uint32_t index[BATCH];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH] = {0};
    for (size_t i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){&index[i], sizeof index[i]};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_control = control[i];
        messages[i].msg_hdr.msg_controllen = sizeof control[i];
    }
    unsigned wanted = room < BATCH ? (unsigned)room : BATCH;
    int count = recvmmsg(fd, messages, wanted, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++)
        into[i] = (struct arrival){ntohl(index[i]), stamp_ns(&messages[i].msg_hdr)};
    return count > 0 ? (size_t)count : 0;
}

/* Until it has been quiet for so long after the first packet. The kernel has stamped the
 * packets, so a train is left alone to come in whole. */
static size_t receive_all(int fd, int quiet_ms)
{
    struct pollfd ready = {fd, POLLIN, 0};
    struct timespec pause = {0, 5000000};
    size_t count = 0, more;
    while (poll(&ready, 1, count ? quiet_ms : FIRST_MS) > 0) {
        nanosleep(&pause, NULL);
        while ((more = sink_drain(fd, arrivals + count, PACKETS_MAX - count)) > 0)
            count += more;
        if (count == PACKETS_MAX)
            break;
    }
    return count;
}

static int sink_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_quantiles(const char *what, int64_t *values, size_t count)
{
    static const double shares[] = {0.05, 0.1, 0.5, 0.9, 0.95};
    qsort(values, count, sizeof *values, sink_compare);
    printf(" %s_us", what);
    for (size_t i = 0; count && i < sizeof shares / sizeof *shares; i++) {
        double value_us = (double)values[(size_t)((double)count * shares[i])] / 1e3;
        printf(" p%02.0f=%.2f", shares[i] * 100, value_us);
    }
}

/* Leaves the first of each packet in order of arrival; returns how many. */
static size_t without_copies(size_t count)
{
    static bool seen[PACKETS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = arrivals[i].index;
        if (index >= PACKETS_MAX || seen[index])
            continue;
        seen[index] = true;
        arrivals[kept++] = arrivals[i];
    }
    return kept;
}

/* RFC 4737: packets that come after one with a higher index. */
static size_t sink_count_reordered(size_t count)
{
    size_t reordered = 0;
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (arrivals[i].index < highest)
            reordered++;
        else
            highest = arrivals[i].index;
    }
    return reordered;
}

/* Only neighbours in the train make a gap, only trains that are whole and in order a span. */
static void print_gaps(size_t count, uint32_t length)
{
    size_t gaps = 0, spans = 0, run = 1;
    for (size_t i = 1; i < count; i++) {
        const struct arrival *now = &arrivals[i];
        if (now->index != now[-1].index + 1 || now->index % length == 0) {
            run = 1;
            continue;
        }
        gaps_ns[gaps++] = now->time_ns - now[-1].time_ns;
        if (++run == length)
            spans_ns[spans++] = (now->time_ns - now[1 - (int)length].time_ns) / (length - 1);
    }
    printf(" whole_trains=%zu", spans);
    print_quantiles("gap", gaps_ns, gaps);
    print_quantiles("mean_gap", spans_ns, spans);
    putchar('\n');
}

int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0, length = argc > 2 ? atoi(argv[2]) : 0;
    int quiet_ms = argc > 3 ? atoi(argv[3]) : 1000;
    if (port < 1 || port > 65535 || length < 2 || length > 256 || quiet_ms < 1) {
        fprintf(stderr, "usage: sink PORT TRAIN_LENGTH(2..256) [QUIET_MS]\n");
        return 2;
    }
    int fd = sink_open_socket((uint16_t)port);
    if (fd < 0) {
        perror("sink");
        return 2;
    }
    size_t count = receive_all(fd, quiet_ms), unique = without_copies(count);
    printf("packets=%zu copies=%zu reordered=%zu", unique, count - unique, sink_count_reordered(unique));
    print_gaps(unique, (uint32_t)length);
    return 0;
}
