/* SPDX-License-Identifier: BSD-3-Clause */
/* For callers that read their sockets themselves. */
#include "common/stamp.h"
#include "pprec/pprec.h"

#include <string.h>
#include <sys/socket.h>

struct pprec_stamp pprec_stamp_of(const struct msghdr *message)
{
    struct msghdr *walk = (struct msghdr *)message; /* CMSG_NXTHDR is not const */
    struct timespec time;

    for (struct cmsghdr *control = CMSG_FIRSTHDR(walk); control != NULL;
         control = CMSG_NXTHDR(walk, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS
            || control->cmsg_len != CMSG_LEN(sizeof time))
            continue;
        memcpy(&time, CMSG_DATA(control), sizeof time);
        return (struct pprec_stamp){stamp_from_timespec(&time), PPREC_CLOCK_REALTIME,
                                    PPREC_TIMESTAMPS_KERNEL};
    }
    return (struct pprec_stamp){stamp_now_ns(CLOCK_REALTIME), PPREC_CLOCK_REALTIME,
                                PPREC_TIMESTAMPS_USER};
}
