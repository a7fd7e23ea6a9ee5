/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that packets to an address leave through, and what it does with
 * segmented trains. */
#ifndef PPTRANS_EGRESS_H
#define PPTRANS_EGRESS_H

#include "common/address.h"

#include <net/if.h>

enum egress_segments {
    EGRESS_SEGMENTS_UNKNOWN,
    EGRESS_SEGMENTS_KERNEL, /* the kernel takes a segmented send apart */
    EGRESS_SEGMENTS_DEVICE  /* the device is given it whole */
};

struct egress {
    char name[IF_NAMESIZE]; /* "" when not known */
    double speed_bps;       /* 0 when not known */
    enum egress_segments segments;
};

/* Asks the kernel; sends nothing and needs no privileges. interface: as the
 * user wants it, or NULL for the route's. */
void egress_find(struct egress *egress, const struct address *to, const char *interface);

#endif
