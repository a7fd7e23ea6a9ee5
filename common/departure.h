/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel transmit stamps, read back from a sending socket's error queue. */
#ifndef COMMON_DEPARTURE_H
#define COMMON_DEPARTURE_H

#include "stamp.h"

#include <stddef.h>
#include <stdint.h>

enum { DEPARTURE_BATCH = 64 };

struct departure {
    /* Packets count from 0 since transmit_stamps(). A packet that the kernel
     * refused may or may not have taken a number (Linux 6.18: a datagram over
     * the MTU does not, a segmented one does), and one that was dropped in a
     * local queue has taken one without ever being stamped. */
    uint32_t number;
    struct stamp when; /* CLOCK_REALTIME, at the driver's door */
};

/* Reads what is there, at most DEPARTURE_BATCH, without waiting; control
 * messages that are cut or not understood are passed over. Returns how many it
 * took off the queue and stores the number of stamps among them in *count:
 * call again until it returns 0. */
size_t departure_read(int socket, struct departure departures[DEPARTURE_BATCH], size_t *count);

#endif
