/* SPDX-License-Identifier: BSD-3-Clause */
/* What a filter concludes. */
#ifndef FILTERS_ESTIMATE_H
#define FILTERS_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

enum estimate_state {
    STATE_INSUFFICIENT,   /* too few usable trains */
    STATE_TENTATIVE,      /* a best guess, not to be shown as fact */
    STATE_CONVERGED,      /* low..high is a 95 % interval and holds */
    STATE_SHAPED,         /* a token bucket: capacity is the sustained rate */
    STATE_AMBIGUOUS,      /* several candidates the data cannot separate */
    STATE_SENDER_LIMITED, /* a lower bound: the sender was the narrowest */
    STATE_FAIR,           /* fair queueing: capacity is the link's, share what a train got */
    STATE_POLICED,        /* what a bucket does not hold is dropped; capacity is the link's */
    STATE_VARYING,        /* rates that each hold for a time: capacity is the newest */
    STATE_COUNT
};

/* What keeps an estimate from being sure, or most speaks for what it says. */
enum why {
    WHY_NONE,
    WHY_FEW_TRAINS,       /* too few of them are usable, or as long as the longest */
    WHY_PAIRS_ALONE,      /* a bucket of two packets cannot be told from a link */
    WHY_NO_SEND_TIMES,    /* how trains left is not known */
    WHY_TRAINS_SLOWER,    /* long trains are slower than pairs */
    WHY_BATCHES,          /* packets came in batches: their gaps are not the path's */
    WHY_TWO_RATES,        /* several rates, each with something for it */
    WHY_SENDER,           /* trains came as they left */
    WHY_OWN_LOAD,         /* the trains themselves load the link by over half */
    WHY_LATE_FIRST_STAMP, /* first packets are stamped late: pairs read too fast */
    WHY_TRAINS_FASTER,    /* long trains are faster than pairs */
    WHY_LAST_GAPS_LONGER, /* trains end slower than they begin */
    WHY_HEAD_PAUSE,       /* a pause near the head of each train, then one rate */
    WHY_NEVER_IDLE,       /* too few packets reached the least delay again */
    WHY_STAMPS_COARSE,    /* stamps are too coarse for these gaps */
    WHY_TICKS,            /* packets leave at the ticks of a clock */
    WHY_RATE_VARIES,      /* the rate changes from train to train */
    WHY_FAIR_QUEUE,       /* others take turns with ours, or first packets wait as if they did */
    WHY_CONTENTION,       /* each packet waits for the medium by itself */
    WHY_LOSSES,           /* too many packets are lost */
    WHY_SHORT_BURSTS,     /* of media: none was long enough to empty a bucket */
    WHY_COUNT
};

/* What to send otherwise, so that it becomes sure. */
enum advice {
    ADVICE_NONE,
    ADVICE_WAIT,     /* more of the same will do */
    ADVICE_SEND_MIX, /* pptrans's default pattern */
    ADVICE_SEND_LONGER_TRAINS,
    ADVICE_SEND_TIMES,  /* when trains left */
    ADVICE_SEND_LESS,   /* a greater delay from train to train, or shorter trains */
    ADVICE_SEND_LARGER, /* larger packets: their gaps are longer */
    ADVICE_SEND_BURSTS, /* media: large frames at once */
    ADVICE_COUNT
};

/* Rates in bit/s at the configured layer; what is unknown is 0. */
struct estimate {
    enum estimate_state state;
    double capacity_bps;
    double low_bps;
    double high_bps;
    double peak_bps;            /* shaped: the rate of the head of a train */
    double burst_bytes;         /* shaped: the bucket */
    double share_bps;           /* fair: what a long train got */
    double policed_bps;         /* policed: what lasts ... */
    double policed_burst_bytes; /* ... and the bucket */
    enum why why;
    enum advice advice;
    uint32_t seen_bytes; /* the most that came of one train */
    uint32_t trains;     /* that it rests on */
    int64_t newest_ns;   /* arrival of the newest of them, with any */
};

/* Whether it is an answer: no guess, and no bound of the sender's. */
static inline bool estimate_is_sure(const struct estimate *estimate)
{
    return estimate->state != STATE_INSUFFICIENT && estimate->state != STATE_TENTATIVE
        && estimate->state != STATE_AMBIGUOUS && estimate->state != STATE_SENDER_LIMITED;
}

/* Whether it says something that is meant to hold: an answer or a bound. */
static inline bool estimate_claims(const struct estimate *estimate)
{
    return estimate_is_sure(estimate) || estimate->state == STATE_SENDER_LIMITED;
}

/* A guess that nothing proves is shown no narrower, about each rate that it may be. */
#define ESTIMATE_GUESS 0.1

static inline void estimate_widen(struct estimate *estimate, double bps, double share)
{
    double low_bps = bps * (1 - share);
    double high_bps = bps * (1 + share);

    estimate->low_bps = estimate->low_bps < low_bps ? estimate->low_bps : low_bps;
    estimate->high_bps = estimate->high_bps > high_bps ? estimate->high_bps : high_bps;
}

/* Trains of the window until now, and when the newest arrived. */
static inline void estimate_rest_on(struct estimate *estimate, unsigned trains, int64_t newest_ns)
{
    estimate->trains = trains;
    estimate->newest_ns = newest_ns;
}

/* Leaves it as a guess. */
static inline void estimate_doubt(struct estimate *estimate)
{
    estimate->state = STATE_TENTATIVE;
    estimate_widen(estimate, estimate->capacity_bps, ESTIMATE_GUESS);
}

#endif
