/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a controller of congestion gets from libpprec, a line an interval:
 *
 *     TIME_NS INTERVAL_NS QUEUEING_NS MOST_NS TREND TIMED PACKETS LOST STATE CAPACITY_BPS
 *
 * `congestion receive PORT` takes the frames that `congestion send` sends: 30 a second, of 3 to 7
 * packets of 1200 bytes, each of which tells when it left; `congestion probe PORT` takes pptrans's
 * trains, of which the first packet tells. Both end with SIGTERM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "pprec/pprec.h"

enum {
    NS_PER_S = 1000000000,
    FRAMES_PER_S = 30,
    PAYLOAD_BYTES = 1200,
    PACKETS_LEAST = 3,
    PACKETS_MOST = 7,
    TICK_MS = 100,
};

/* Big-endian words, as a packet begins. */
struct head {
    uint32_t seq, train, place; /* place: position, and length of the train above it */
    uint32_t departed_high, departed_low;
};

static volatile sig_atomic_t stop;

static void congestion_on_signal(int number)
{
    (void)number;
    stop = 1;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int congestion_fail(const char *what)
{
    fprintf(stderr, "congestion: %s\n", what);
    return 2;
}

/* --- Receiving --- */

static void congestion_show(void *user, const struct pprec_congestion *c)
{
    (void)user;
    printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.5f %u %" PRIu64 " %" PRIu64 " %s %.0f\n",
           c->time_ns, c->interval_ns, c->queueing_ns, c->queueing_most_ns, c->trend, c->timed, c->packets,
           c->lost, pprec_state_name(c->capacity.state), c->capacity.capacity_bps);
}

static void congestion_take(struct pprec *pprec, int fd)
{
    struct sockaddr_in from;
    struct head head;
    char control[64];
    struct iovec part = {&head, sizeof head};
    struct msghdr message = {&from, sizeof from, &part, 1, control, sizeof control, 0};
    if (recvmsg(fd, &message, MSG_TRUNC) < (ssize_t)sizeof head)
        return;
    struct pprec_arrival arrival;
    pprec_arrival_init(&arrival);
    arrival.source.ip = 4;
    arrival.source.port = ntohs(from.sin_port);
    memcpy(arrival.source.address, &from.sin_addr, 4);
    arrival.seq = ntohl(head.seq);
    arrival.train = ntohl(head.train);
    arrival.position = (uint16_t)(ntohl(head.place) & 0xffff);
    arrival.train_length = (uint16_t)(ntohl(head.place) >> 16);
    arrival.payload_bytes = PAYLOAD_BYTES;
    arrival.received = pprec_stamp_of(&message);
    arrival.departed_ns = (int64_t)((uint64_t)ntohl(head.departed_high) << 32 | ntohl(head.departed_low));
    if (pprec_push(pprec, &arrival) < 0)
        fprintf(stderr, "congestion: %s\n", pprec_error(pprec));
}

static int congestion_receive(struct pprec *pprec, uint16_t port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1, room = 4 << 20, fd = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (bind(fd, (struct sockaddr *)&here, sizeof here))
        return congestion_fail(strerror(errno));
    while (!stop) {
        struct pollfd readable = {fd, POLLIN, 0};
        if (poll(&readable, 1, TICK_MS) > 0)
            congestion_take(pprec, fd);
        else
            pprec_tick(pprec, now_ns());
    }
    close(fd);
    return 0;
}

static int probe(struct pprec *pprec, uint16_t port)
{
    struct pprec_socket_options options;
    pprec_socket_options_init(&options);
    options.port = port;
    if (pprec_listen(pprec, &options) < 0)
        return congestion_fail(pprec_error(pprec));
    while (!stop) {
        struct pollfd readable = {pprec_fd(pprec), POLLIN, 0};
        poll(&readable, 1, TICK_MS);
        if (pprec_dispatch(pprec, 0) < 0)
            return congestion_fail(pprec_error(pprec));
    }
    return 0;
}

static int congestion_measure(int (*source)(struct pprec *pprec, uint16_t port), uint16_t port)
{
    struct pprec *pprec;
    struct pprec_config config;
    struct sigaction action = {.sa_handler = congestion_on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    pprec_config_init(&config);
    config.on_congestion = congestion_show;
    if (pprec_new(&pprec, &config) < 0)
        return congestion_fail(pprec_error(pprec));
    int status = source(pprec, port);
    pprec_finish(pprec);
    pprec_free(pprec);
    return status;
}

/* --- Sending --- */

static void congestion_send_frame(int fd, uint32_t train, uint32_t seq, unsigned length)
{
    static uint8_t packet[PAYLOAD_BYTES];
    for (unsigned i = 0; i < length; i++) {
        uint64_t departed = (uint64_t)now_ns();
        struct head head = {htonl(seq + i), htonl(train), htonl(length << 16 | i),
                            htonl((uint32_t)(departed >> 32)), htonl((uint32_t)departed)};
        memcpy(packet, &head, sizeof head);
        if (send(fd, packet, sizeof packet, 0) < 0 && errno != ECONNREFUSED)
            perror("congestion: send");
    }
}

static int congestion_send_frames(const char *host, uint16_t port, unsigned seconds)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (inet_pton(AF_INET, host, &there.sin_addr) != 1
        || connect(fd, (struct sockaddr *)&there, sizeof there))
        return congestion_fail("no such host");
    uint32_t seq = 0;
    for (uint32_t train = 0; train < seconds * FRAMES_PER_S; train++) {
        unsigned length = PACKETS_LEAST + train * 7 % (PACKETS_MOST - PACKETS_LEAST + 1);
        congestion_send_frame(fd, train, seq, length);
        seq += length;
        nanosleep(&(struct timespec){0, NS_PER_S / FRAMES_PER_S}, NULL);
    }
    close(fd);
    return 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 3 && strcmp(argv[1], "receive") == 0)
        return congestion_measure(congestion_receive, (uint16_t)atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "probe") == 0)
        return congestion_measure(probe, (uint16_t)atoi(argv[2]));
    if (argc == 5 && strcmp(argv[1], "send") == 0)
        return congestion_send_frames(argv[2], (uint16_t)atoi(argv[3]), (unsigned)atoi(argv[4]));
    return congestion_fail("usage: congestion receive PORT | probe PORT | send HOST PORT SECONDS");
}
