/* SPDX-License-Identifier: BSD-3-Clause */
/* A layered receiver: layered_receive INTERFACE SECONDS. It reads its media itself, as
 * a player does, pushes each packet, and joins and leaves groups by what
 * layers.c makes of capacity, losses and time. Each half second it prints
 *     seconds layers capacity_kbps packets lost */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "layered.h"
#include "layers.h"

#include <pprec/pprec.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)
#define LOOK_NS (SECOND_NS / 4) /* how often it is decided */
#define LOSSES 4                /* looks that loss is counted over */
/* Of the frames of a path that was there some seconds ago nothing must remain. */
enum { WINDOW_FRAMES = 24, LINK_HEADER_BYTES = 46 };

struct counts {
    unsigned packets, lost;
};

struct receiver {
    int fd;
    unsigned interface_index;
    struct pprec *pprec;
    struct layers layers;
    uint16_t next_seq[LAYERED_LAYERS];
    int started[LAYERED_LAYERS]; /* since it was joined */
    struct counts now, looks[LOSSES], line;
    double capacity_bps;
};

/* --- Groups --- */

static void change_group(const struct receiver *r, unsigned layer, int name)
{
    struct sockaddr_in group = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xefff4d01 + layer)};
    struct group_req request = {.gr_interface = r->interface_index};

    memcpy(&request.gr_group, &group, sizeof group);
    if (setsockopt(r->fd, IPPROTO_IP, name, &request, sizeof request) < 0)
        perror("layered_receive: group");
}

static void set_layers(struct receiver *r, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        change_group(r, i, MCAST_JOIN_GROUP);
        r->started[i] = 0;
    }
    for (unsigned i = from; i > to; i--)
        change_group(r, i - 1, MCAST_LEAVE_GROUP);
}

static int layered_receive_open_socket(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(LAYERED_PORT)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    int yes = 1, no = 0;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof no);
    /* the kernel's time of arrival: a program's own is too late by its scheduling */
    pprec_stamp_enable(fd);
    return bind(fd, (struct sockaddr *)&any, sizeof any) < 0 ? -1 : fd;
}

/* --- Packets --- */

static void layered_receive_count(struct receiver *r, unsigned layer, uint16_t seq)
{
    uint16_t missing = (uint16_t)(seq - r->next_seq[layer]);

    r->now.packets++;
    if (r->started[layer] && missing < 0x8000)
        r->now.lost += missing;
    r->started[layer] = 1;
    r->next_seq[layer] = (uint16_t)(seq + 1);
}

static void layered_receive_take(struct receiver *r, const uint8_t *packet, size_t bytes,
                                 const struct sockaddr_in *from, struct pprec_stamp received)
{
    struct pprec_endpoint source = {.ip = 4, .port = ntohs(from->sin_port)};
    unsigned layer = bytes > LAYERED_HEADER_BYTES ? packet[11] - 1U : LAYERED_LAYERS;

    memcpy(source.address, &from->sin_addr, 4);
    if (layer < LAYERED_LAYERS
        && pprec_push_rtp(r->pprec, &source, packet, bytes, bytes, received) == PPREC_OK)
        layered_receive_count(r, layer, (uint16_t)(packet[2] << 8 | packet[3]));
}

static void layered_receive_read_all(struct receiver *r)
{
    uint8_t packet[2048];
    char control[CMSG_SPACE(sizeof(struct timespec))];
    struct sockaddr_in from;
    struct iovec vector = {packet, sizeof packet};
    ssize_t bytes;

    for (;;) {
        struct msghdr message = {&from, sizeof from, &vector, 1, control, sizeof control, 0};

        bytes = recvmsg(r->fd, &message, 0);
        if (bytes < 0)
            return;
        layered_receive_take(r, packet, (size_t)bytes, &from, pprec_stamp_of(&message));
    }
}

/* Of a queue that is fair we get a share, and a policer drops what is above its rate. */
static double layered_receive_usable_bps(const struct pprec_capacity *capacity)
{
    if (capacity->share_bps > 0)
        return capacity->share_bps;
    return capacity->policed_bps > 0 ? capacity->policed_bps : capacity->capacity_bps;
}

/* The first layer is always there, and its pairs come first in each frame: the others'
 * trains pass the same link behind them and tell nothing more. */
static void layered_receive_on_train(void *user, const struct pprec_train *train)
{
    struct receiver *r = user;

    if (train->stream == 1 && train->capacity.state != PPREC_STATE_INSUFFICIENT)
        r->capacity_bps = layered_receive_usable_bps(&train->capacity);
}

/* --- Decisions --- */

static double share_lost(const struct receiver *r)
{
    unsigned packets = 0, lost = 0;

    for (unsigned i = 0; i < LOSSES; i++) {
        packets += r->looks[i].packets;
        lost += r->looks[i].lost;
    }
    return lost > 0 ? (double)lost / (packets + lost) : 0;
}

static void layered_receive_look(struct receiver *r, unsigned turn, int64_t now_ns, double since_s)
{
    unsigned before = r->layers.joined;

    r->looks[turn % LOSSES] = r->now;
    r->line.packets += r->now.packets;
    r->line.lost += r->now.lost;
    r->now = (struct counts){0, 0};
    set_layers(r, before, layers_decide(&r->layers, now_ns, r->capacity_bps, share_lost(r)));
    if (turn % 2 == 0)
        return;
    printf("%.1f %u %.0f %u %u\n", since_s, r->layers.joined, r->capacity_bps / 1e3, r->line.packets,
           r->line.lost);
    fflush(stdout);
    r->line = (struct counts){0, 0};
}

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void layered_receive_run(struct receiver *r, double seconds)
{
    int64_t start_ns = monotonic_ns();

    for (unsigned turn = 0;; turn++) {
        int64_t next_ns = start_ns + (turn + 1) * LOOK_NS, now_ns;

        while ((now_ns = monotonic_ns()) < next_ns) {
            struct pollfd waits = {r->fd, POLLIN, 0};

            poll(&waits, 1, (int)((next_ns - now_ns) / 1000000) + 1);
            layered_receive_read_all(r);
        }
        layered_receive_look(r, turn, now_ns, (double)(now_ns - start_ns) / 1e9);
        if ((double)(now_ns - start_ns) / 1e9 >= seconds)
            return;
    }
}

static int layered_receive_set_up(struct receiver *r, const char *interface_name)
{
    double rates_bps[LAYERED_LAYERS];
    struct pprec_config config;

    for (unsigned i = 0; i < LAYERED_LAYERS; i++) /* as the link counts, like the estimate */
        rates_bps[i] = (double)LAYERED_FIRST_BPS * layered_shares[i]
            * (LAYERED_PACKET_BYTES + LINK_HEADER_BYTES) / LAYERED_PACKET_BYTES;
    layers_init(&r->layers, rates_bps, LAYERED_LAYERS);
    pprec_config_init(&config);
    config.filter = "median";
    config.window = WINDOW_FRAMES;
    config.user = r;
    config.on_train = layered_receive_on_train;
    r->fd = layered_receive_open_socket();
    r->interface_index = if_nametoindex(interface_name);
    if (r->fd < 0 || r->interface_index == 0 || pprec_new(&r->pprec, &config) < 0)
        return -1;
    set_layers(r, 0, r->layers.joined);
    return 0;
}

int main(int argc, char **argv)
{
    static struct receiver receiver;

    if (argc != 3 || layered_receive_set_up(&receiver, argv[1]) < 0) {
        fprintf(stderr, "usage: layered_receive INTERFACE SECONDS\n");
        return 2;
    }
    layered_receive_run(&receiver, atof(argv[2]));
    pprec_free(receiver.pprec);
    return 0;
}
