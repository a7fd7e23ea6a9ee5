/* SPDX-License-Identifier: BSD-3-Clause */
#include "departure.h"

#include "control.h"
#include "extended_error.h"

#include <linux/time_types.h>

/* Room for what the kernel sends with a stamp: three times, of 64 bits at most, and an
 * extended error followed by an address. */
union control {
    struct cmsghdr align;
    char room[CMSG_SPACE(3 * sizeof(struct __kernel_timespec))
              + CMSG_SPACE(sizeof(struct sock_extended_err) + sizeof(struct sockaddr_in6)) + 64];
};

/* The number of the packet, if this error is about a transmit stamp. */
static bool read_number(const struct sock_extended_err *error, uint32_t *number)
{
    if (error->ee_origin != SO_EE_ORIGIN_TIMESTAMPING || error->ee_info != SCM_TSTAMP_SND)
        return false;
    *number = error->ee_data;
    return true;
}

static bool read_one(struct msghdr *message, struct departure *departure)
{
    bool have_number = false, have_time = false;
    struct sock_extended_err error;
    struct cmsghdr *header;

    if (message->msg_flags & MSG_CTRUNC)
        return false;
    for (header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
        if (control_stamping(header, CONTROL_SOFTWARE, &departure->when.ns))
            have_time = true;
        else if (extended_error(header, &error))
            have_number = read_number(&error, &departure->number);
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
