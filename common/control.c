/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include "address.h"
#include "stamp.h"

#include <linux/time_types.h>
#include <string.h>

enum { TIMES_MAX = 3 };

/* Time index of count, which must be all that the message holds. */
static bool read_old(const struct cmsghdr *control, unsigned index, unsigned count, int64_t *ns)
{
    struct __kernel_old_timespec times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    if (times[index].tv_sec == 0 && times[index].tv_nsec == 0)
        return false;
    *ns = (int64_t)times[index].tv_sec * STAMP_NS_PER_S + times[index].tv_nsec;
    return true;
}

static bool read_new(const struct cmsghdr *control, unsigned index, unsigned count, int64_t *ns)
{
    struct __kernel_timespec times[TIMES_MAX];

    if (control->cmsg_len != CMSG_LEN(count * sizeof times[0]))
        return false;
    memcpy(times, CMSG_DATA(control), count * sizeof times[0]);
    if (times[index].tv_sec == 0 && times[index].tv_nsec == 0)
        return false;
    *ns = times[index].tv_sec * STAMP_NS_PER_S + times[index].tv_nsec;
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
    struct __kernel_old_timeval old;
    struct __kernel_sock_timeval new;

    if (control->cmsg_level != SOL_SOCKET)
        return false;
    if (control->cmsg_type == SO_TIMESTAMP_OLD && control->cmsg_len == CMSG_LEN(sizeof old)) {
        memcpy(&old, CMSG_DATA(control), sizeof old);
        new = (struct __kernel_sock_timeval){old.tv_sec, old.tv_usec};
    } else if (control->cmsg_type == SO_TIMESTAMP_NEW && control->cmsg_len == CMSG_LEN(sizeof new)) {
        memcpy(&new, CMSG_DATA(control), sizeof new);
    } else {
        return false;
    }
    if (new.tv_sec == 0 && new.tv_usec == 0)
        return false;
    *ns = new.tv_sec * STAMP_NS_PER_S + new.tv_usec * STAMP_NS_PER_US;
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
