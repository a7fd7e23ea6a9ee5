/* SPDX-License-Identifier: BSD-3-Clause */
/* rate_receive SECONDS: receives what rate_send sends, and tells it ten times a second at what rate
 * to: controller.c decides, by what libpprec says. Each half second it prints
 *     seconds target_kbps received_kbps capacity_kbps state queueing_ms lost */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "controller.h"
#include "endpoint.h"
#include "rate.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)

enum { HEARD_MS = 100, LINE_EVERY = 5, BUFFER_BYTES = 4 << 20 };

struct receiver {
    int fd;
    struct pprec *pprec;
    struct controller controller;
    struct sockaddr_in sender;
    uint64_t bytes;      /* came since the last decision */
    uint64_t line_bytes; /* since the last line */
    uint64_t line_lost;
    int64_t line_ns, begun_ns;
    int64_t line_queueing_ns; /* the greatest median */
    unsigned decisions;
};

static void print_line(struct receiver *r, const struct pprec_congestion *congestion)
{
    double seconds = (double)(congestion->time_ns - r->line_ns) / 1e9;

    printf("%.1f %.0f %.0f %.0f %s %.1f %u\n", (double)(congestion->time_ns - r->begun_ns) / 1e9,
           r->controller.target_bps / 1e3, (double)r->line_bytes * 8 / seconds / 1e3,
           congestion->capacity.capacity_bps / 1e3, pprec_state_name(congestion->capacity.state),
           (double)r->line_queueing_ns / 1e6, (unsigned)r->line_lost);
    fflush(stdout);
    r->line_bytes = r->line_lost = 0;
    r->line_queueing_ns = 0;
    r->line_ns = congestion->time_ns;
}

/* Ten times a second: what libpprec says becomes the sender's rate. */
static void rate_receive_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    struct receiver *r = user;
    double seconds = (double)congestion->interval_ns / 1e9;
    double target_bps = controller_decide(&r->controller, congestion, (double)r->bytes * 8 / seconds);
    char text[32];
    int length = snprintf(text, sizeof text, "%.0f", target_bps);

    sendto(r->fd, text, (size_t)length, MSG_DONTWAIT, (struct sockaddr *)&r->sender, sizeof r->sender);
    if (r->begun_ns == 0)
        r->begun_ns = r->line_ns = congestion->time_ns - congestion->interval_ns;
    r->bytes = 0;
    r->line_lost += congestion->lost;
    if (congestion->queueing_ns > r->line_queueing_ns)
        r->line_queueing_ns = congestion->queueing_ns;
    if (++r->decisions % LINE_EVERY == 0)
        print_line(r, congestion);
}

static void rate_receive_read_all(struct receiver *r)
{
    for (;;) {
        char packet[2048], control[256];
        struct iovec vector = {packet, sizeof packet};
        struct msghdr message = {&r->sender, sizeof r->sender, &vector, 1, control, sizeof control, 0};
        ssize_t bytes = recvmsg(r->fd, &message, MSG_DONTWAIT);
        struct pprec_endpoint source = endpoint_of(&r->sender, sizeof r->sender);

        if (bytes < 0)
            return;
        r->bytes += (uint64_t)bytes;
        r->line_bytes += (uint64_t)bytes;
        pprec_push_rtp(r->pprec, &source, packet, (size_t)bytes, (size_t)bytes, pprec_stamp_of(&message));
    }
}

static int rate_receive_open_socket(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(RATE_PORT)};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = BUFFER_BYTES;

    if (fd < 0 || pprec_stamp_enable(fd) < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    return bind(fd, (struct sockaddr *)&here, sizeof here) < 0 ? -1 : fd;
}

static int rate_receive_set_up(struct receiver *r)
{
    struct pprec_config config;

    controller_init(&r->controller, RATE_LEAST_BPS, RATE_MOST_BPS, RATE_FRAME_NS);
    pprec_config_init(&config);
    config.layer = "udp"; /* as the sender's rate counts */
    config.user = r;
    config.on_congestion = rate_receive_on_congestion;
    config.congestion_interval_ms = HEARD_MS;
    config.abs_send_time_id = RATE_SEND_TIME_ID;
    r->fd = rate_receive_open_socket();
    return r->fd < 0 ? -1 : pprec_new(&r->pprec, &config);
}

int main(int argc, char **argv)
{
    static struct receiver receiver;
    struct pollfd readable = {.events = POLLIN};
    time_t end;

    if (argc != 2) {
        fprintf(stderr, "usage: rate_receive SECONDS\n");
        return 2;
    }
    if (rate_receive_set_up(&receiver) < 0) {
        perror("rate_receive");
        return 1;
    }
    readable.fd = receiver.fd;
    for (end = time(NULL) + atoi(argv[1]); time(NULL) < end;) {
        poll(&readable, 1, HEARD_MS);
        rate_receive_read_all(&receiver);
    }
    pprec_free(receiver.pprec);
    return 0;
}
