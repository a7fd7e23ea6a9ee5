/* SPDX-License-Identifier: BSD-3-Clause */
/* RTP to UDP port 5004 in a loop of libuv: uv_poll, recvmsg() and pprec_push_rtp(). uv_udp
 * would not do: it has no control messages, and so no time of arrival. */
#include "endpoint.h"

#include <netinet/in.h>
#include <pprec/pprec.h>
#include <stdio.h>
#include <uv.h>

enum { PORT = 5004, PACKET_BYTES = 2048 };

static void libuv_show(void *user, const struct pprec_congestion *congestion)
{
    const struct pprec_capacity *capacity = &congestion->capacity;

    (void)user;
    printf("%.3f Mbit/s %s, %u lost\n", capacity->capacity_bps / 1e6, pprec_state_name(capacity->state),
           (unsigned)congestion->lost);
    fflush(stdout);
}

/* The kernel has stamped the packets: all that wait are read at once. */
static void on_readable(uv_poll_t *poll, int status, int events)
{
    uv_os_fd_t fd;

    (void)status;
    (void)events;
    uv_fileno((uv_handle_t *)poll, &fd);
    for (;;) {
        char packet[PACKET_BYTES], control[256];
        struct sockaddr_in from;
        struct iovec vector = {packet, sizeof packet};
        struct msghdr message = {&from, sizeof from, &vector, 1, control, sizeof control, 0};
        ssize_t bytes = recvmsg(fd, &message, MSG_DONTWAIT);
        struct pprec_endpoint source = endpoint_of(&from, sizeof from);

        if (bytes < 0)
            return;
        pprec_push_rtp(poll->data, &source, packet, (size_t)bytes, (size_t)bytes, pprec_stamp_of(&message));
        /* ... and here the player takes the packet */
    }
}

static int libuv_open_socket(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || pprec_stamp_enable(fd) < 0)
        return -1;
    return bind(fd, (struct sockaddr *)&here, sizeof here) < 0 ? -1 : fd;
}

int main(void)
{
    uv_loop_t *loop = uv_default_loop();
    struct pprec_config config;
    struct pprec *pprec;
    uv_poll_t poll;
    int fd = libuv_open_socket();

    pprec_config_init(&config);
    config.on_congestion = libuv_show;
    if (fd < 0 || pprec_new(&pprec, &config) < 0 || uv_poll_init(loop, &poll, fd) < 0) {
        perror("libuv");
        return 1;
    }
    poll.data = pprec;
    uv_poll_start(&poll, UV_READABLE, on_readable);
    return uv_run(loop, UV_RUN_DEFAULT);
}
