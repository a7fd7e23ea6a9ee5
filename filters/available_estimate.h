/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of what is free. */
#ifndef FILTERS_AVAILABLE_ESTIMATE_H
#define FILTERS_AVAILABLE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

enum available_state {
    AVAILABLE_UNKNOWN,   /* nothing can be said: no figure */
    AVAILABLE_TENTATIVE, /* a best guess, not to be shown as fact */
    AVAILABLE_AT_LEAST,  /* so much is free, perhaps more */
    AVAILABLE_CONVERGED  /* low..high is a 95 % interval and holds */
};

/* Rates in bit/s at the layer of the samples. */
struct available_estimate {
    enum available_state state;
    double available_bps;    /* mean over the window of time; 0: unknown */
    double low_bps;          /* at_least: the same as available_bps */
    double high_bps;         /* at_least: 0, none is known */
    int64_t queue_ns;        /* one-way delay of first packets over its floor: median ... */
    int64_t queue_p95_ns;    /* ... and 95th percentile; or SAMPLE_UNKNOWN_NS */
    double buffer_bytes;     /* the greatest queue seen; 0: not known */
    bool buffer_full;        /* packets were lost for want of more room */
    uint32_t lossless_train; /* packets of the longest train, or head of one, that lost none */
    uint32_t trains;         /* of the window of time */
    int64_t newest_ns;       /* arrival of the newest of them */
};

#endif
