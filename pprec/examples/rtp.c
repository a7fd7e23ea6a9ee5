/* SPDX-License-Identifier: BSD-3-Clause */
/* The capacity of the path that RTP to UDP port 5004 comes by: video, audio, RTCP and all. */
#include <netinet/in.h>
#include <pprec/pprec.h>
#include <stdio.h>
#include <string.h>
static void rtp_show(void *file, const struct pprec_train *train)
{
    fprintf(file, "%.3f Mbit/s %s %08x\n", train->capacity.capacity_bps / 1e6,
            pprec_state_name(train->capacity.state), train->stream);
}
int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(5004)}, from = {0};
    struct pprec_config config;
    struct pprec *pprec;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    pprec_stamp_enable(fd);
    pprec_config_init(&config);
    config.on_train = rtp_show, config.user = stdout;
    if (bind(fd, (struct sockaddr *)&here, sizeof here) < 0 || pprec_new(&pprec, &config) < 0)
        return perror("rtp"), 1;
    for (char packet[2048], control[64];;) {
        struct iovec room = {packet, sizeof packet};
        struct msghdr message = {&from, sizeof from, &room, 1, control, sizeof control, 0};
        size_t bytes = (size_t)recvmsg(fd, &message, 0);
        struct pprec_endpoint source = {.ip = 4, .port = ntohs(from.sin_port)};
        memcpy(source.address, &from.sin_addr, 4);
        if (bytes <= sizeof packet)
            pprec_push_rtp(pprec, &source, packet, bytes, bytes, pprec_stamp_of(&message));
    }
}
