/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a packet comes from, as libpprec wants it, from what recvmsg() says. */
#ifndef PPREC_EXAMPLES_ENDPOINT_H
#define PPREC_EXAMPLES_ENDPOINT_H

#include <netinet/in.h>
#include <pprec/pprec.h>
#include <string.h>
#include <sys/socket.h>

/* address: of bytes length, NULL if there is none. ip is 0 for what is neither IPv4 nor IPv6. A
 * socket for both has IPv4 packets from ::ffff:192.0.2.1. */
static inline struct pprec_endpoint endpoint_of(const void *address, socklen_t bytes)
{
    struct pprec_endpoint endpoint = {.ip = 0};
    struct sockaddr_storage from = {.ss_family = AF_UNSPEC};
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    if (address == NULL || bytes > sizeof from)
        return endpoint;
    memcpy(&from, address, bytes);
    memcpy(&in, &from, sizeof in);
    memcpy(&in6, &from, sizeof in6);
    if (from.ss_family == AF_INET) {
        endpoint.ip = 4;
        endpoint.port = ntohs(in.sin_port);
        memcpy(endpoint.address, &in.sin_addr, 4);
    } else if (from.ss_family == AF_INET6) {
        int mapped = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);

        endpoint.ip = mapped ? 4 : 6;
        endpoint.port = ntohs(in6.sin6_port);
        memcpy(endpoint.address, in6.sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
    }
    return endpoint;
}

#endif
