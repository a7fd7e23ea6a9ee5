/* SPDX-License-Identifier: BSD-3-Clause */
/* The capacity of the path that an RTP stream to UDP port 5004 comes by. */
#include <netinet/in.h>
#include <pprec/pprec.h>
#include <stdio.h>
static void show(void *user, const struct pprec_train *train)
{
    (void)user;
    printf("%.3f Mbit/s %s\n", train->capacity.capacity_bps / 1e6,
           pprec_state_name(train->capacity.state));
    fflush(stdout);
}
int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(5004)};
    struct pprec_arrival arrival;
    struct pprec_config config;
    struct pprec *pprec;
    struct pprec_rtp rtp = {0};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    pprec_stamp_enable(fd);
    pprec_arrival_init(&arrival);
    arrival.source.ip = 4;
    pprec_config_init(&config);
    config.on_train = show;
    if (bind(fd, (struct sockaddr *)&here, sizeof here) < 0 || pprec_new(&pprec, &config) < 0)
        return 1;
    for (char packet[2048], control[64];;) {
        struct msghdr message = {NULL, 0, &(struct iovec){packet, sizeof packet}, 1, control, 64, 0};
        ssize_t bytes = recvmsg(fd, &message, 0);
        arrival.received = pprec_stamp_of(&message);
        if (bytes > 0 && !pprec_arrival_from_rtp(&arrival, &rtp, packet, (size_t)bytes))
            pprec_push(pprec, &arrival);
    }
}
