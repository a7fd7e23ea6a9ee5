/* SPDX-License-Identifier: BSD-3-Clause */
/* What the path adds to trains, by the rate at which they came: cross traffic, counted. */
#ifndef FILTERS_AVAILABLE_STRAIN_H
#define FILTERS_AVAILABLE_STRAIN_H

#include "filters/available_train.h"
#include "filters/moments.h"

/* Bit/s. Errors are one standard deviation, by the scatter from train to train: within a train
 * packets share one burst. */
struct direct {
    unsigned n;           /* trains that came at C to 2 or 3 C, and a little less; 0: none did */
    double available_bps; /* C less what crossed while they did */
    double error_bps;
    double lost_bps; /* and what the loss of packets leaves open */
    double lever;    /* an error of C counts that many times, the other way */
    double slope;    /* of what is read, over the train's rate: 0 behind one loaded link */
    double slope_error;
};

/* Behind a bucket of burst_bytes that fills at rate_bps: what is free of that, at the least. What
 * crossed can have used all that a full bucket held, too. */
struct direct shaped_read(const struct available_trains *trains, double rate_bps, double burst_bytes);

struct direct direct_read(const struct available_trains *trains, double capacity_bps);

/* The rate of the link that serves such trains, by all that came at least_bps and faster, but not
 * at most_bps: time that they took = bits / C + time in which they came * load. */
struct link_rate {
    unsigned n; /* 0: not known */
    double bps, error_bps;
};

struct link_rate link_rate_read(const struct available_trains *trains, double least_bps, double most_bps);

#endif
