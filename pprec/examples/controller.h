/* SPDX-License-Identifier: BSD-3-Clause */
/* At what rate to send, after Google Congestion Control (draft-ietf-rmcat-gcc-02), with the
 * capacity as the cap and the queueing delay as the brake. Pure: no sockets, no clock.
 *
 *   0 < target <= CONTROLLER_SHARE * capacity     wherever a capacity is known
 *   target < what came                            after a brake
 *
 * What others send over the link is in no capacity: that shows in the queue alone. A frame that
 * leaves at once waits for its own packets, half of the time that it takes on the link, as its
 * median: so much is no queue of others'. */
#ifndef PPREC_EXAMPLES_CONTROLLER_H
#define PPREC_EXAMPLES_CONTROLLER_H

#include <pprec/pprec.h>
#include <stdint.h>

#define CONTROLLER_SHARE 0.95 /* of the capacity: what is queued must be able to run off */

/* The caller's memory; set up by controller_init(). Rates are of UDP payload, in bit/s. */
struct controller {
    double least_bps, most_bps;
    double target_bps;
    double braked_bps;  /* what came when it braked last; 0: not yet */
    int64_t braked_ns;  /* when that was */
    int64_t frame_ns;   /* from frame to frame */
    int64_t decided_ns; /* the last time */
};

void controller_init(struct controller *controller, double least_bps, double most_bps, int64_t frame_ns);

/* Some times a second, with what libpprec says to congestion (capacity of UDP payload: layer "udp")
 * and the rate that came since. Returns the target. */
double controller_decide(struct controller *controller, const struct pprec_congestion *congestion,
                         double received_bps);

#endif
