/* SPDX-License-Identifier: BSD-3-Clause */
/* The readings of what is free, each with its error, and what they say together. */
#ifndef FILTERS_AVAILABLE_WEIGH_H
#define FILTERS_AVAILABLE_WEIGH_H

#include "filters/available_estimate.h"
#include "filters/available_idle.h"
#include "filters/available_strain.h"
#include "filters/estimate.h"

/* Bit/s; errors are one standard deviation. */
struct available_reading {
    bool known;
    double bps, error_bps;
};

struct available_readings {
    struct available_trains trains;
    struct idle idle;
    struct direct direct;
    struct link_rate link;
    struct available_reading by_idle, by_direct;
    double least_bps; /* by the idle share alone, chance apart */
    double capacity_bps, capacity_error_bps;
    double capacity_least_bps; /* for a bound: chance apart */
    double capacity_most_bps;  /* no more is free */
    double told_bps;           /* capacity as its own filter tells it */
    bool sure;                 /* capacity is known, or borne out by trains at many rates */
    bool random;               /* trains left by chance: first packets see the path as it is on average */
};

/* trains and idle are set; reads all else. capacity tells a rate. */
void available_read(struct available_readings *all, const struct estimate *capacity);

/* Sets state and rates of the result, which are those of AVAILABLE_UNKNOWN before. */
void available_weigh(const struct available_readings *all, const struct estimate *capacity,
                     struct available_estimate *result);

#endif
