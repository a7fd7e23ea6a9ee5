/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the kernel's way from a packet socket to a UDP socket in the processor's caches.
 *
 * After a pause the first send takes tens of microseconds instead of a few, so the first
 * packet of every train would leave late and its pair come out too fast. A frame of our own,
 * sent on the loopback interface shortly before, runs through nearly the same code, and nothing
 * of it is seen on the interfaces that are relayed. What the interface itself keeps in memory
 * is still cold after a pause of 0.5 ms, and costs 1.5 to 2 us: then another one goes out there, of
 * an Ethernet type for local experiments (0x88b5), which nobody at the other end takes.
 */
#ifndef RELAY_WARM_H
#define RELAY_WARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct warmer {
    int packet_fd, udp_fd; /* -1: not available, and warmer_run does nothing */
    int out_fd;
    uint8_t frame[1600], out_frame[1600];
    size_t frame_bytes, out_bytes;
};

/* 0, or -1 with errno; the warmer can be used in any case. */
int warmer_init(struct warmer *warmer, const char *out_interface, uint32_t mtu_bytes);
void warmer_fini(struct warmer *warmer);

void warmer_run(struct warmer *warmer, bool after_long_pause);

#endif
