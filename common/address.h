/* SPDX-License-Identifier: BSD-3-Clause */
/* Where datagrams go to or come from: names to socket addresses and back. */
#ifndef COMMON_ADDRESS_H
#define COMMON_ADDRESS_H

#include "error.h"
#include "layer.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
        struct sockaddr_storage storage; /* room for whatever the kernel writes */
    };
    socklen_t bytes;
};

enum { ADDRESS_HOST_BYTES = 64 };
enum { ADDRESS_TEXT_BYTES = 96 }; /* "[v6 address%interface]:port" and a NUL */

/* family: AF_INET, AF_INET6, or AF_UNSPEC for whatever the name has first. May
 * ask name servers, and wait for them. The address comes unmapped. Returns 0,
 * or -1 with the error's text set. */
int address_resolve(struct address *address, const char *host, uint16_t port, int family,
                    struct error *error);

/* text: an address as numbers, and a port or none, which is 0 then: "192.0.2.1",
 * "192.0.2.1:5000", "2001:db8::1" or "[2001:db8::1]:5000". Returns 0, or -1 with the error's
 * text set. */
int address_parse(struct address *address, const char *text, struct error *error);

/* where: "HOST:PORT", or "[HOST]:PORT" where the host has colons, in two; the host is not looked
 * up. Returns 0, or -1 when it is not that, or its port none of 1 to 65535. */
int address_split(const char *where, char host[ADDRESS_HOST_BYTES], uint16_t *port);

/* IPv4 as ::ffff:a.b.c.d. */
static inline void address_map(struct in6_addr *mapped, const struct in_addr *ipv4)
{
    *mapped = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(mapped->s6_addr + 12, ipv4, sizeof *ipv4);
}

/* An IPv4 address in IPv6's clothes (::ffff:192.0.2.1) becomes plain IPv4: its
 * packets have IPv4's headers. Others stay as they are. */
void address_unmap(struct address *address);

/* "192.0.2.1:5000" or "[2001:db8::1]:5000", into room; returns room. */
const char *address_text(const struct address *address, char room[ADDRESS_TEXT_BYTES]);

enum layer_ip address_ip(const struct address *address);
uint16_t address_port(const struct address *address);
void address_set_port(struct address *address, uint16_t port);
bool address_is_multicast(const struct address *address);

#endif
