/* SPDX-License-Identifier: BSD-3-Clause */
/* How well times are known. No other absolute time of the path or of its ends stands in filters/: whoever
 * needs one reads it from the value that it is given. (Those of senders are in pace.h, paced.h and
 * available.c, FORCED_S.) */
#ifndef FILTERS_NOISE_H
#define FILTERS_NOISE_H

#include <math.h>
#include <stdint.h>

struct noise {
    double tick_ns;     /* resolution of the stamps, as they show it: 0 is as good as exact */
    double perhaps_ns;  /* the same, or a full path's doing (stamps.h): a doubt */
    double stamp_ns;    /* standard deviation of one stamp */
    double first_ns;    /* by so much the first stamp of a train may be late: caches are cold */
    double timers_ns;   /* that half of the gaps span behind a shaper that wakes for each packet */
    double handover_ns; /* what kernels need to hand a packet over */
    double batch_ns;    /* an interrupt that is worth holding back waits that long */
    double step_ns;     /* a clock that is off by more is set at once, one off by less is slewed */
};

/* Until data say otherwise: kernel stamps of a quiet host, first ones as measured beside a capture,
 * timers as tbf's at 100 Mbit/s, where it was 13 us. Stamps make tiny gaps of small ones, but no
 * wait of batch_ns. ntpd slews up to 128 ms and steps beyond (RFC 5905, section 10). */
static inline struct noise noise_prior(void)
{
    return (struct noise){.stamp_ns = 2e3,
                          .first_ns = 6e3,
                          .timers_ns = 16e3,
                          .handover_ns = 20e3,
                          .batch_ns = 20e3,
                          .step_ns = 100e6};
}

static inline uint64_t noise_size(int64_t ns)
{
    return ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
}

/* The resolution of stamps is the greatest number that divides them all; none of them: 0. */
static inline int64_t noise_divisor(int64_t a, int64_t b)
{
    uint64_t divisor = noise_size(a), other = noise_size(b);

    while (other != 0 && divisor != 1) {
        uint64_t rest = divisor % other;

        divisor = other;
        other = rest;
    }
    return divisor < INT64_MAX ? (int64_t)divisor : INT64_MAX;
}

/* What two stamps make of a gap: one deviation of their difference, or near enough ... */
static inline double noise_near_ns(const struct noise *noise)
{
    return 1.5 * noise->stamp_ns;
}

/* ... and three of them. It is twice what half of the gaps then span, too. */
static inline double noise_gap_ns(const struct noise *noise)
{
    return 4 * noise->stamp_ns;
}

/* Longer waits show beside stamps. */
static inline double noise_wait_ns(const struct noise *noise)
{
    return 4 * noise_gap_ns(noise);
}

/* The first stamp of a train is late by up to this, or by half a gap. */
static inline double noise_late_ns(const struct noise *noise, double gap_ns)
{
    return fmin(noise->first_ns, 0.5 * gap_ns);
}

#endif
