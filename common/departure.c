/* SPDX-License-Identifier: BSD-3-Clause */
#include "departure.h"

#include "control.h"

#include <linux/errqueue.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* Room for what the kernel sends with a stamp: three times, of 64 bits at most, and an
 * extended error followed by an address. */
union control {
    struct cmsghdr align;
    char room[CMSG_SPACE(3 * sizeof(struct __kernel_timespec))
              + CMSG_SPACE(sizeof(struct sock_extended_err) + sizeof(struct sockaddr_in6)) + 64];
};

static bool is_error(const struct cmsghdr *header)
{
    bool ipv4 = header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR;
    bool ipv6 = header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR;

    return (ipv4 || ipv6) && header->cmsg_len >= CMSG_LEN(sizeof(struct sock_extended_err));
}

/* The number of the packet, if this error is about a transmit stamp. */
static bool read_number(struct cmsghdr *header, uint32_t *number)
{
    struct sock_extended_err error;

    memcpy(&error, CMSG_DATA(header), sizeof error);
    if (error.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || error.ee_info != SCM_TSTAMP_SND)
        return false;
    *number = error.ee_data;
    return true;
}

static bool read_one(struct msghdr *message, struct departure *departure)
{
    bool have_number = false, have_time = false;
    struct cmsghdr *header;

    if (message->msg_flags & MSG_CTRUNC)
        return false;
    for (header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
        if (control_stamping(header, CONTROL_SOFTWARE, &departure->when.ns))
            have_time = true;
        else if (is_error(header))
            have_number = read_number(header, &departure->number);
    }
    departure->when.clock = STAMP_CLOCK_REALTIME;
    departure->when.source = STAMP_SOURCE_KERNEL;
    return have_number && have_time;
}

size_t departure_read(int socket, struct departure departures[DEPARTURE_BATCH], size_t *count)
{
    union control control[DEPARTURE_BATCH];
    struct mmsghdr messages[DEPARTURE_BATCH];
    int got;

    for (size_t i = 0; i < DEPARTURE_BATCH; i++)
        messages[i] =
            (struct mmsghdr){.msg_hdr = {.msg_control = &control[i], .msg_controllen = sizeof control[i]}};
    *count = 0;
    got = recvmmsg(socket, messages, DEPARTURE_BATCH, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
    for (int i = 0; i < got; i++)
        *count += read_one(&messages[i].msg_hdr, &departures[*count]);
    return got > 0 ? (size_t)got : 0;
}
