/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include "address.h"
#include "stamp.h"

#include <string.h>

enum { TIMES_MAX = 3 };

/* As the kernel has them, in seconds and what is beyond, in ns or in us. */
struct old_time {
    long s, rest;
};

struct new_time {
    int64_t s, rest;
};

/* Where a C library has but those of its own time_t: musl, on whose processors they are these. */
#ifndef SO_TIMESTAMPNS_OLD
#define SO_TIMESTAMP_OLD 29
#define SO_TIMESTAMPNS_OLD 35
#define SO_TIMESTAMPING_OLD 37
#define SO_TIMESTAMP_NEW 63
#define SO_TIMESTAMPNS_NEW 64
#define SO_TIMESTAMPING_NEW 65
#endif

/* Time index of count, which must be all that the message holds. */
static bool read_old(const struct cmsghdr *control, unsigned index, unsigned count, int64_t *ns)
{
    struct old_time times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    if (times[index].s == 0 && times[index].rest == 0)
        return false;
    *ns = (int64_t)times[index].s * STAMP_NS_PER_S + times[index].rest;
    return true;
}

static bool read_new(const struct cmsghdr *control, unsigned index, unsigned count, int64_t *ns)
{
    struct new_time times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    if (times[index].s == 0 && times[index].rest == 0)
        return false;
    *ns = times[index].s * STAMP_NS_PER_S + times[index].rest;
    return true;
}

bool control_stamp(const struct cmsghdr *control, int64_t *ns)
{
    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMPNS_OLD)
        return read_old(control, 0, 1, ns);
    return control->cmsg_type == SO_TIMESTAMPNS_NEW && read_new(control, 0, 1, ns);
}

bool control_stamp_us(const struct cmsghdr *control, int64_t *ns)
{
    struct old_time old;
    struct new_time new;

    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMP_OLD && control->cmsg_len == CMSG_LEN(sizeof old)) {
        memcpy(&old, CMSG_DATA(control), sizeof old);
        new = (struct new_time){old.s, old.rest};
    } else if (control->cmsg_type == SO_TIMESTAMP_NEW && control->cmsg_len == CMSG_LEN(sizeof new)) {
        memcpy(&new, CMSG_DATA(control), sizeof new);
    } else {
        return false;
    }
    if (new.s == 0 && new.rest == 0)
        return false;
    *ns = new.s * STAMP_NS_PER_S + new.rest * STAMP_NS_PER_US;
    return true;
}

bool control_stamping(const struct cmsghdr *control, enum control_time which, int64_t *ns)
{
    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMPING_OLD)
        return read_old(control, which, TIMES_MAX, ns);
    return control->cmsg_type == SO_TIMESTAMPING_NEW && read_new(control, which, TIMES_MAX, ns);
}

bool control_destination(const struct cmsghdr *control, struct in6_addr *destination)
{
    struct in_pktinfo ipv4;
    struct in6_pktinfo ipv6;

    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO
        && control->cmsg_len == CMSG_LEN(sizeof ipv4)) {
        memcpy(&ipv4, CMSG_DATA(control), sizeof ipv4);
        address_map(destination, &ipv4.ipi_addr);
        return true;
    }
    if (control->cmsg_level != IPPROTO_IPV6 || control->cmsg_type != IPV6_PKTINFO
        || control->cmsg_len != CMSG_LEN(sizeof ipv6))
        return false;
    memcpy(&ipv6, CMSG_DATA(control), sizeof ipv6);
    *destination = ipv6.ipi6_addr;
    return true;
}
