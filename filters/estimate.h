/* SPDX-License-Identifier: BSD-3-Clause */
/* What a filter concludes. */
#ifndef FILTERS_ESTIMATE_H
#define FILTERS_ESTIMATE_H

enum state {
    STATE_INSUFFICIENT,   /* too few usable trains */
    STATE_TENTATIVE,      /* a best guess, not to be shown as fact */
    STATE_CONVERGED,      /* low..high is a 95 % interval and holds */
    STATE_SHAPED,         /* a token bucket: capacity is the sustained rate */
    STATE_AMBIGUOUS,      /* several candidates the data cannot separate */
    STATE_SENDER_LIMITED, /* a lower bound: the sender was the narrowest */
    STATE_COUNT
};

/* Rates in bit/s at the configured layer; what is unknown is 0. */
struct estimate {
    enum state state;
    double capacity_bps;
    double low_bps;
    double high_bps;
    double peak_bps;    /* shaped: the rate of the head of a train */
    double burst_bytes; /* shaped: the bucket */
};

/* A guess that nothing proves is shown no narrower. */
#define ESTIMATE_GUESS 0.1

static inline void estimate_widen(struct estimate *estimate)
{
    double low_bps = estimate->capacity_bps * (1 - ESTIMATE_GUESS);
    double high_bps = estimate->capacity_bps * (1 + ESTIMATE_GUESS);

    estimate->low_bps = estimate->low_bps < low_bps ? estimate->low_bps : low_bps;
    estimate->high_bps = estimate->high_bps > high_bps ? estimate->high_bps : high_bps;
}

#endif
