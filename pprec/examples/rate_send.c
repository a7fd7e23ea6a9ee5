/* SPDX-License-Identifier: BSD-3-Clause */
/* rate_send HOST SECONDS: video made of zeroes, at the rate that rate_receive wants. See rate.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rate.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
    CLOCK_HZ = 90000,
    HEADER_BYTES = 12,
    FRAME_MOST = RATE_MOST_BPS / 8 / RATE_FRAMES_A_SECOND / RATE_PACKET_BYTES + 1
};

static uint8_t packets[FRAME_MOST][RATE_PACKET_BYTES];
static struct iovec vectors[FRAME_MOST];
static struct mmsghdr messages[FRAME_MOST];

struct sender {
    int fd;
    double rate_bps;
    double owed_bytes; /* of the rate, not yet sent */
    uint16_t seq;
    uint32_t timestamp;
};

static struct timespec now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

/* 24 bits of seconds, 18 of them behind the point. */
static uint32_t send_time(void)
{
    struct timespec at = now();

    return (uint32_t)(((uint64_t)at.tv_sec << 18) + ((uint64_t)at.tv_nsec << 18) / 1000000000) & 0xffffff;
}

/* RFC 3550, section 5.1, and RFC 8285, section 4.2. */
static void rate_send_write_header(uint8_t *packet, uint16_t seq, uint32_t timestamp, int marker)
{
    uint32_t sent = send_time();
    const uint8_t header[HEADER_BYTES + 8] = {
        0x90,
        (uint8_t)(marker << 7 | 96),
        (uint8_t)(seq >> 8),
        (uint8_t)seq,
        (uint8_t)(timestamp >> 24),
        (uint8_t)(timestamp >> 16),
        (uint8_t)(timestamp >> 8),
        (uint8_t)timestamp,
        0,
        0,
        0,
        1,
        0xbe,
        0xde,
        0,
        1,
        RATE_SEND_TIME_ID << 4 | 2,
        (uint8_t)(sent >> 16),
        (uint8_t)(sent >> 8),
        (uint8_t)sent,
    };

    memcpy(packet, header, sizeof header);
}

/* A whole number of equal packets, two at least, in one system call. */
static void rate_send_send_frame(struct sender *sender)
{
    unsigned count, done = 0;

    sender->owed_bytes += sender->rate_bps / 8 / RATE_FRAMES_A_SECOND;
    count = (unsigned)(sender->owed_bytes / RATE_PACKET_BYTES);
    if (count < 2)
        count = 2;
    if (count > FRAME_MOST)
        count = FRAME_MOST;
    sender->owed_bytes -= (double)count * RATE_PACKET_BYTES;
    for (unsigned i = 0; i < count; i++) {
        rate_send_write_header(packets[i], sender->seq++, sender->timestamp, i == count - 1);
        vectors[i] = (struct iovec){packets[i], RATE_PACKET_BYTES};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    while (done < count) {
        int sent = sendmmsg(sender->fd, messages + done, count - done, 0);

        if (sent <= 0)
            return; /* refused: lost, as on the way */
        done += (unsigned)sent;
    }
}

static void obey(struct sender *sender)
{
    char text[32];
    ssize_t bytes;

    while ((bytes = recv(sender->fd, text, sizeof text - 1, MSG_DONTWAIT)) > 0) {
        double wanted;

        text[bytes] = '\0';
        wanted = strtod(text, NULL);
        if (wanted >= RATE_LEAST_BPS && wanted <= RATE_MOST_BPS)
            sender->rate_bps = wanted;
    }
}

static void rate_send_run(struct sender *sender, double seconds)
{
    struct timespec next = now();

    for (int frames = (int)(seconds * RATE_FRAMES_A_SECOND); frames > 0; frames--) {
        obey(sender);
        rate_send_send_frame(sender);
        sender->timestamp += CLOCK_HZ / RATE_FRAMES_A_SECOND;
        next.tv_nsec += RATE_FRAME_NS;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}

int main(int argc, char **argv)
{
    struct sender sender = {.fd = socket(AF_INET, SOCK_DGRAM, 0), .rate_bps = RATE_LEAST_BPS};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(RATE_PORT)};

    if (argc != 3 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
        fprintf(stderr, "usage: rate_send HOST SECONDS\n");
        return 2;
    }
    if (connect(sender.fd, (struct sockaddr *)&to, sizeof to) < 0) {
        perror("rate_send");
        return 1;
    }
    rate_send_run(&sender, atof(argv[2]));
    return 0;
}
