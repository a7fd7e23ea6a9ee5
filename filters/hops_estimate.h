/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of a path hop by hop. */
#ifndef FILTERS_HOPS_ESTIMATE_H
#define FILTERS_HOPS_ESTIMATE_H

#include <stdint.h>

enum {
    HOPS_MAX = 64,     /* links that are told */
    HOPS_WINDOW = 2048 /* trains that are looked back on */
};

enum hop_state {
    HOP_INSUFFICIENT, /* too few trains of two lengths */
    HOP_TENTATIVE,    /* a best guess: the interval is wide, or the path in doubt */
    HOP_AT_LEAST,     /* a lower bound: the sender, the markers or other traffic let no more be seen */
    HOP_CONVERGED,    /* low..high is a 95 % interval and holds */
    HOP_STATE_COUNT
};

/* What keeps the narrow link from being told, or most speaks against what is told. */
enum hops_why {
    HOPS_WHY_NONE,
    HOPS_WHY_FEW_TRAINS,  /* of some hop, of two lengths */
    HOPS_WHY_NO_CAPACITY, /* that of the path is not sure */
    HOPS_WHY_BUCKET,      /* trains pass in a bucket: the whole path reads faster than it is */
    HOPS_WHY_NEAR,        /* links too much alike, or trains too much disturbed, to tell them apart */
    HOPS_WHY_BEYOND,      /* it lies beyond the last hop that trains were sent to */
    HOPS_WHY_HOP_LIMITS,  /* they are changed on the way: what they say of the path's length is not so */
    HOPS_WHY_PATHS_VARY,  /* markers come over paths of several lengths */
    HOPS_WHY_ROOM,        /* the library's: there was none to keep trains */
    HOPS_WHY_COUNT
};

/* The least capacity of the first so many links; what is unknown is 0. */
struct hop {
    enum hop_state state;
    double capacity_bps, low_bps, high_bps; /* at least: high is 0 */
    uint32_t trains;
};

struct hops_estimate {
    unsigned count;       /* links of the path, the sender's own the first; 0: not known */
    unsigned told;        /* hops that follow: count, else the farthest that trains were sent to */
    unsigned narrow;      /* the narrow link is this one ... */
    unsigned narrow_last; /* ... or one up to here; both 0: not known */
    double narrow_bps;
    enum hops_why why;
    uint32_t trains;          /* that it rests on */
    int64_t newest_ns;        /* arrival of the newest of them, with any */
    struct hop hop[HOPS_MAX]; /* [told] */
};

#endif
