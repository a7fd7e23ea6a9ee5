/* SPDX-License-Identifier: BSD-3-Clause */
/* The last stretch: what damages packets besides queues, the receiving adapter,
 * and the clock that stamps. */
#ifndef TESTS_SIM_RECEIVER_H
#define TESTS_SIM_RECEIVER_H

#include "path.h"

#include <stddef.h>
#include <stdint.h>

enum sim_coalescing {
    SIM_COALESCE_NONE,
    SIM_COALESCE_DELAY,   /* the interrupt comes so long after the first packet
                             (ethtool's rx-usecs) */
    SIM_COALESCE_THROTTLE /* at once, but that long after the one before at the
                             earliest (interrupt throttle rate) */
};

enum sim_noise { SIM_NOISE_NORMAL, SIM_NOISE_EXPONENTIAL };

struct sim_receiver_config {
    double loss;      /* chances of each packet of ours: */
    double duplicate; /* a copy comes up to that much later */
    int64_t duplicate_delay_ns;
    double reorder; /* it comes up to that much later itself */
    int64_t reorder_delay_ns;
    enum sim_coalescing coalescing;
    int64_t coalesce_ns;
    int64_t packet_cost_ns;   /* the driver's work on each packet of a batch */
    int64_t late_first_ns;    /* what comes after a pause is seen late by half to one and a
                                  half times that: a processor wakes up */
    int64_t granularity_ns;   /* of the clock, 1 or more; 0 counts as 1 */
    int64_t shift_ns;         /* added to what the clock shows, as by a program later */
    enum sim_noise noise;     /* always late: the exponential; else around 0 */
    int64_t noise_ns;         /* deviation, or mean of the exponential */
    double skew_ppm;          /* the receiver's clock runs fast by that */
    double wander_ppm;        /* on top, a sine of the rate, that high, ... */
    int64_t wander_period_ns; /* ... and that long; 0: none */
    double slew_ppm;          /* on top, between these two true times */
    int64_t slew_from_ns;
    int64_t slew_until_ns;
    int64_t step_at_ns; /* true time at which its clock jumps */
    int64_t step_ns;    /* that far; 0: never */
    int64_t epoch_ns;   /* what it shows at the start of the run */
};

/* A packet as the receiver sees it. */
struct sim_stamped {
    size_t probe;     /* index */
    int64_t true_ps;  /* at the adapter */
    int64_t stamp_ns; /* the receiver's clock, in order of stamping */
};

/* Fills stamped [room for 2 * count], in the order in which the packets reach
 * the program; returns how many. background may be NULL. */
size_t sim_receiver_run(const struct sim_receiver_config *config, uint64_t seed,
                        const struct sim_probe *probes, size_t count, const struct sim_background *background,
                        struct sim_stamped *stamped);

#endif
