/* SPDX-License-Identifier: BSD-3-Clause */
/* A UDP socket that sends: never fragmented, never connected, its departures
 * stamped by the kernel. */
#ifndef COMMON_TRANSMIT_H
#define COMMON_TRANSMIT_H

#include "address.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transmit_config {
    const char *interface; /* NULL: the route's. Before Linux 5.7 this needs
                              CAP_NET_RAW (SO_BINDTODEVICE) */
    int ttl;               /* 1 to 255, multicast too; 0: the system's */
    bool no_loop;          /* to a group: nothing for receivers on this host */
    int dscp;              /* 0 to 63; -1: the system's */
    size_t buffer_bytes;   /* of packets that may wait in this host */
};

/* Opens the socket and returns it, or -1 with the error's text set. It is not
 * connected: on a connected one an ICMP port unreachable (nobody listens yet)
 * fails the next send, and cuts a train. *got_bytes, if not NULL, is the send
 * buffer really granted: less than asked for without CAP_NET_ADMIN. */
int transmit_open(const struct address *to, const struct transmit_config *config, size_t *got_bytes,
                  struct error *error);

/* Opens a second socket that shares the port of the first, connected to where that one sends: the
 * kernel hands it what ICMP says of the first one's packets (see pptrans/unreachable.h), and no send of
 * the first fails by it. Returns it, or -1 where the system refuses. */
int transmit_listen(int socket, const struct address *to, const struct transmit_config *config);

/* Asks for a kernel transmit stamp of every packet sent from now on (see
 * departure.h); numbering starts at 0, and starts again with every call. False
 * when the kernel refuses. */
bool transmit_stamps(int socket);

struct transmit_path {
    uint32_t mtu_bytes; /* the largest IP packet that it is known to take */
    uint8_t hops;       /* hop limit that the socket's packets leave with, 1 to 255 */
};

/* Sends nothing. Returns 0, or -1, with the error's text set, when there is no way to the
 * address. */
int transmit_path(const struct address *to, const struct transmit_config *config, struct transmit_path *path,
                  struct error *error);

#endif
