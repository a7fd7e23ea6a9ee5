/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams in batches, each with the time at which the kernel saw it. */
#ifndef COMMON_RECEIVE_H
#define COMMON_RECEIVE_H

#include "error.h"
#include "stamp.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough of a payload for every header we read; the rest stays in the kernel. */
enum { RECEIVE_DATA_BYTES = 64, RECEIVE_BATCH = 64 };

struct receive_options {
    uint16_t port;
    int ip;                       /* 4, 6, or 0 for both on one socket */
    const char *interface_name;   /* bind to this device only, or NULL */
    enum stamp_source timestamps; /* KERNEL, HARDWARE or USER */
    int buffer_bytes;             /* receive buffer to ask for */
    bool share_port;              /* with other sockets of this host, for multicast */
    bool destinations_needed;     /* open only if the system tells where each datagram was sent to */
};

/* What the system really gave. */
struct receive_socket {
    int fd;
    enum stamp_source timestamps; /* USER when the kernel refused to stamp */
    int buffer_bytes;             /* as the kernel counts: payload and overhead */
    bool destinations;            /* it tells where datagrams were sent to */
    bool destinations_needed;
    uint16_t port;
};

struct receive_datagram {
    const uint8_t *data;    /* valid until the next receive_batch() */
    size_t data_bytes;      /* at hand */
    size_t payload_bytes;   /* as sent */
    struct in6_addr source; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t port;
    struct stamp stamp;
    struct in6_addr destination; /* as source; the port is the socket's. ::, not known */
    uint8_t hops_left;           /* its hop limit as it came; 0: not known */
};

struct receive; /* buffers for one batch */

/* Opens and binds a UDP socket that does not block; takes 50 ms when the kernel is
 * to stamp. Returns 0, or -1 with the error's text set and nothing left open. */
int receive_open(struct receive_socket *socket, const struct receive_options *options, struct error *error);

/* In memory of the caller's: receive_bytes() of it, zeroed, aligned as malloc() does. */
size_t receive_bytes(void);
void receive_init(struct receive *receive);

/* The same on the heap. NULL when memory runs out. Freed with receive_free(), which takes NULL. */
struct receive *receive_new(void);
void receive_free(struct receive *receive);

/* Reads up to most (at most RECEIVE_BATCH) datagrams without waiting and returns
 * how many; 0 when none is there; -1 with errno otherwise. */
int receive_batch(struct receive *receive, const struct receive_socket *socket, unsigned most);

/* Datagram i of the last batch; false when its control data or address was cut
 * short, or lacks a destination that is needed: nothing about it is to be believed. */
bool receive_get(const struct receive *receive, unsigned i, struct receive_datagram *datagram);

/* Datagrams that this socket has dropped since it was opened: SO_RXQ_OVFL tells with
 * each datagram, SO_MEMINFO of those after the last one. */
uint64_t receive_dropped(struct receive *receive, const struct receive_socket *socket);

#endif
