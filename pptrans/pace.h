/* SPDX-License-Identifier: BSD-3-Clause */
/* When the packets of a paced train leave. Pure: time comes in as an argument. */
#ifndef PPTRANS_PACE_H
#define PPTRANS_PACE_H

#include <stdint.h>

/* The kernel wakes a sleeper up to so much late: the rest is waited for by looking at the clock.
 * Measured on a virtual machine with a timer slack of 1 ns: docs/patterns.md. */
#define PACE_SPIN_NS INT64_C(80000)

struct pace {
    int64_t start_ns; /* of the first packet */
    double gap_ns;    /* from packet to packet */
};

/* Due times are counted from the first packet's, not from the one before: what is late makes
 * nothing after it late. */
int64_t pace_due_ns(const struct pace *pace, uint32_t position);

/* Until when to sleep before a packet that is due then; 0: it is too near for that. */
int64_t pace_wake_ns(int64_t due_ns, int64_t now_ns);

#endif
