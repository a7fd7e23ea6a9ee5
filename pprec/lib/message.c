/* SPDX-License-Identifier: BSD-3-Clause */
/* For callers that read their sockets themselves. */
#include "common/control.h"
#include "common/stamp.h"
#include "pprec/core.h"

/* Better ones are larger. */
enum grade { NOT_STAMPED, MICROSECONDS, NANOSECONDS, BY_ADAPTER };

static enum grade grade_of(const struct cmsghdr *control, int64_t *ns)
{
    if (control_stamping(control, CONTROL_HARDWARE, ns))
        return BY_ADAPTER;
    if (control_stamp(control, ns) || control_stamping(control, CONTROL_SOFTWARE, ns))
        return NANOSECONDS;
    return control_stamp_us(control, ns) ? MICROSECONDS : NOT_STAMPED;
}

struct pprec_stamp pprec_stamp_of(const struct msghdr *message)
{
    struct msghdr *walk = (struct msghdr *)message; /* CMSG_NXTHDR is not const */
    struct pprec_stamp stamp = {.clock = PPREC_CLOCK_REALTIME, .source = PPREC_TIMESTAMPS_KERNEL};
    enum grade best = NOT_STAMPED;
    int64_t ns;

    for (struct cmsghdr *control = CMSG_FIRSTHDR(walk); control != NULL;
         control = CMSG_NXTHDR(walk, control)) {
        enum grade grade = grade_of(control, &ns);

        if (grade <= best)
            continue;
        best = grade;
        stamp.ns = ns;
    }
    if (best == BY_ADAPTER) {
        stamp.clock = PPREC_CLOCK_ADAPTER;
        stamp.source = PPREC_TIMESTAMPS_HARDWARE;
    } else if (best == NOT_STAMPED) {
        stamp.ns = stamp_now_ns(CLOCK_REALTIME);
        stamp.source = PPREC_TIMESTAMPS_USER;
    }
    return stamp;
}

int pprec_stamp_enable(int fd)
{
    int yes = 1;

    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) == 0 ? PPREC_OK : PPREC_EIO;
}
