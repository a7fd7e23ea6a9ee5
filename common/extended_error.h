/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel puts on a socket's error queue: ip(7), IP_RECVERR. */
#ifndef COMMON_EXTENDED_ERROR_H
#define COMMON_EXTENDED_ERROR_H

#include <time.h> /* which the next one needs */

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* The error in a control message; the address of who reports it may follow it there. False: it has none. */
static inline bool extended_error(const struct cmsghdr *header, struct sock_extended_err *error)
{
    bool ipv4 = header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR;
    bool ipv6 = header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR;

    if ((!ipv4 && !ipv6) || header->cmsg_len < CMSG_LEN(sizeof *error))
        return false;
    memcpy(error, CMSG_DATA(header), sizeof *error);
    return true;
}

#endif
