/* SPDX-License-Identifier: BSD-3-Clause */
/* What ICMP says of packets that do not arrive (RFC 792, RFC 4443, section 3.1). */
#ifndef PPTRANS_UNREACHABLE_H
#define PPTRANS_UNREACHABLE_H

#include "common/address.h"

#include <stdbool.h>

struct unreachable {
    const char *what; /* "port unreachable" */
    bool port;        /* the host is there, and nobody receives */
    struct address
        from; /* who says so: the host, a router, or ourselves where nobody answers for its address */
};

/* Reads the errors that a socket of transmit_listen() has, without waiting, up to the first that says
 * destination unreachable, but for a packet too large. False: there is none. */
bool unreachable_read(int socket, struct unreachable *unreachable);

#endif
