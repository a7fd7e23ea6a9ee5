/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the kernel's way from a packet socket to a UDP socket in the processor's caches.
 *
 * After a pause the first send takes tens of microseconds instead of a few, so the first
 * packet of every train would leave late and its pair come out too fast. A frame of our own,
 * sent on the loopback interface shortly before, runs through nearly the same code; nothing
 * of it is seen on the interfaces that are relayed.
 */
#ifndef RELAY_WARM_H
#define RELAY_WARM_H

#include <stddef.h>
#include <stdint.h>

struct warmer {
    int packet_fd, udp_fd; /* -1: not available, and warmer_run does nothing */
    uint8_t frame[1600];
    size_t frame_bytes;
};

/* 0, or -1 with errno; the warmer can be used in any case. */
int warmer_init(struct warmer *warmer);
void warmer_fini(struct warmer *warmer);

void warmer_run(struct warmer *warmer);

#endif
