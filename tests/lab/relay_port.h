/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One network interface: frames come in through a memory-mapped AF_PACKET ring with the
 * kernel's receive stamps, so that looking for one costs no system call, and go out by send.
 */
#ifndef RELAY_PORT_H
#define RELAY_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct port {
    int fd;
    uint8_t *ring;
    size_t ring_bytes, block_bytes, slot_bytes, slots, next;
    uint32_t mtu_bytes;
    uint64_t oversize; /* superframes: some offload is still on */
};

struct port_frame {
    const uint8_t *data; /* the kernel's offload header, then Ethernet */
    size_t data_bytes;
    const uint8_t *ethernet;
    uint32_t bytes;
    int64_t arrival_ns; /* CLOCK_REALTIME, when the kernel got it */
};

/* 0, or -1 with the reason in error. */
int port_open(struct port *port, const char *interface, char *error, size_t error_bytes);
void port_close(struct port *port);

/* Bytes that a frame's data can have. */
size_t port_data_bytes(const struct port *port);

/* True: *frame is the oldest one received, valid until port_done. */
bool port_receive(struct port *port, struct port_frame *frame);
void port_done(struct port *port);

/* data as in port_frame. 0, or -1 with errno. */
int port_send(const struct port *port, const uint8_t *data, size_t data_bytes);

/* True: the interface is down or gone. */
bool port_failed(const struct port *port);

/* Frames that came but found the ring full, since the start. To be asked once, at the end. */
uint64_t port_dropped(const struct port *port);

#endif
