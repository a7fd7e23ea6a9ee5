/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that begin alike: 192.0.2.0/24, 2001:db8::/32. */
#ifndef COMMON_PREFIX_H
#define COMMON_PREFIX_H

#include "error.h"

#include <netinet/in.h>
#include <stdbool.h>

/* IPv4 in IPv6's clothes, as addresses that are received: ::ffff:192.0.2.0/120. */
struct prefix {
    struct in6_addr address;
    unsigned bits;
};

/* text: ADDRESS/BITS, or an address alone: that one. Returns 0, or -1 with the error's
 * text set. */
int prefix_parse(struct prefix *prefix, const char *text, struct error *error);

/* ::/0 has every IPv6 address and no IPv4 address, which is ::ffff:a.b.c.d here. */
bool prefix_has(const struct prefix *prefix, const struct in6_addr *address);

#endif
