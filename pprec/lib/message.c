/* SPDX-License-Identifier: BSD-3-Clause */
/* For callers that read their sockets themselves. */
#include "common/control.h"
#include "common/stamp.h"
#include "pprec/core.h"

struct pprec_stamp pprec_stamp_of(const struct msghdr *message)
{
    struct msghdr *walk = (struct msghdr *)message; /* CMSG_NXTHDR is not const */
    int64_t ns;

    for (struct cmsghdr *control = CMSG_FIRSTHDR(walk); control != NULL;
         control = CMSG_NXTHDR(walk, control))
        if (control_stamp(control, &ns))
            return (struct pprec_stamp){ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    return (struct pprec_stamp){stamp_now_ns(CLOCK_REALTIME), PPREC_CLOCK_REALTIME,
                                PPREC_TIMESTAMPS_USER};
}
