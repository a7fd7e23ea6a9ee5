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

/* No clock of a host is set to more, but an adapter's may show anything: times less than 2^62 ns from 0 are no further
 * apart than 64 bits tell. */
#define SECONDS_MOST ((INT64_C(1) << 62) / STAMP_NS_PER_S)

/* rest_ns: of what is beyond seconds. */
static bool control_read_time(int64_t s, int64_t rest, int64_t rest_ns, int64_t *ns)
{
    if ((s == 0 && rest == 0) || s <= -SECONDS_MOST || s >= SECONDS_MOST || rest < 0
        || rest >= STAMP_NS_PER_S / rest_ns)
        return false;
    *ns = s * STAMP_NS_PER_S + rest * rest_ns;
    return true;
}

/* Time index of count, which must be all that the message holds. */
static bool read_old(const struct cmsghdr *control, unsigned index, unsigned count, int64_t rest_ns,
                     int64_t *ns)
{
    struct old_time times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    return control_read_time(times[index].s, times[index].rest, rest_ns, ns);
}

static bool read_new(const struct cmsghdr *control, unsigned index, unsigned count, int64_t rest_ns,
                     int64_t *ns)
{
    struct new_time times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    return control_read_time(times[index].s, times[index].rest, rest_ns, ns);
}

bool control_stamp(const struct cmsghdr *control, int64_t *ns)
{
    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMPNS_OLD)
        return read_old(control, 0, 1, 1, ns);
    return control->cmsg_type == SO_TIMESTAMPNS_NEW && read_new(control, 0, 1, 1, ns);
}

bool control_stamp_us(const struct cmsghdr *control, int64_t *ns)
{
    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMP_OLD)
        return read_old(control, 0, 1, STAMP_NS_PER_US, ns);
    return control->cmsg_type == SO_TIMESTAMP_NEW && read_new(control, 0, 1, STAMP_NS_PER_US, ns);
}

bool control_stamping(const struct cmsghdr *control, enum control_time which, int64_t *ns)
{
    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMPING_OLD)
        return read_old(control, which, TIMES_MAX, 1, ns);
    return control->cmsg_type == SO_TIMESTAMPING_NEW && read_new(control, which, TIMES_MAX, 1, ns);
}

bool control_hops(const struct cmsghdr *control, uint8_t *hops)
{
    bool ipv4 = control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TTL;
    bool ipv6 = control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_HOPLIMIT;
    int value;

    if (!(ipv4 || ipv6) || control->cmsg_len != CMSG_LEN(sizeof value))
        return false;
    memcpy(&value, CMSG_DATA(control), sizeof value);
    if (value < 0 || value > UINT8_MAX)
        return false;
    *hops = (uint8_t)value;
    return true;
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
