/* SPDX-License-Identifier: BSD-3-Clause */
/* The multicast groups of a socket: any-source or source-specific, IPv4 (IGMPv3,
 * RFC 3376) and IPv6 (MLDv2, RFC 3810), through the interface of RFC 3678. */
#ifndef PPREC_LIB_MEMBERSHIP_H
#define PPREC_LIB_MEMBERSHIP_H

#include "common/address.h"
#include "common/error.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* One group on one interface. */
struct membership {
    struct address group;
    struct address source;            /* bytes 0: any */
    char interface_name[IF_NAMESIZE]; /* "": where the route to the group leads */
    unsigned interface_index;         /* joined there */
    struct membership *next;
};

/* Reads "GROUP" or "GROUP@SOURCE", numeric, IPv6 with "%interface" if need be.
 * interface_name may be NULL. 0, or -1 with the error's text set. */
int membership_read(struct membership *membership, const char *text, const char *interface_name,
                    struct error *error);

/* The same group, source and named interface. */
bool membership_same(const struct membership *a, const struct membership *b);

/* 0, or -1 with the error's text set. */
int membership_join(struct membership *membership, int fd, struct error *error);
void membership_leave(struct membership *membership, int fd);

/* Joins again when the interface is another one than it was: it came back under
 * its name, or the route leads elsewhere. An interface that only goes down and up
 * keeps its groups, the kernel sees to that. */
void membership_keep(struct membership *membership, int fd);

/* Of a new socket: no datagrams of groups that only others on this host joined. */
void membership_only_own(int fd);

#endif
