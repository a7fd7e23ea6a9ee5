/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of what is free hop by hop, and of the tight link. */
#ifndef FILTERS_TIGHT_ESTIMATE_H
#define FILTERS_TIGHT_ESTIMATE_H

#include "filters/hops_estimate.h"

enum { TIGHT_WINDOW = 1024 /* trains that are looked back on */ };

/* What keeps the tight link from being told. */
enum tight_why {
    TIGHT_WHY_NONE,
    TIGHT_WHY_FEW_TRAINS, /* of some hop */
    TIGHT_WHY_LENGTH,     /* how many links there are is not known, or paths vary */
    TIGHT_WHY_BUCKET,     /* trains pass in what a bucket has saved */
    TIGHT_WHY_SLOW,       /* no train was fast enough to fill any link */
    TIGHT_WHY_NEAR,       /* links with as much free, or trains too much disturbed, to tell them apart */
    TIGHT_WHY_FAST,       /* the slowest trains may have been held up: less may be free further on */
    TIGHT_WHY_ROOM,       /* the library's: there was none to keep trains */
    TIGHT_WHY_COUNT
};

/* What the first so many links have free at the least of them; what is unknown is 0. */
struct tight_hop {
    double available_bps; /* a guess; 0: more than trains could show */
    double low_bps;       /* so much, or more */
    uint32_t trains;
};

struct tight_estimate {
    unsigned told;       /* hops that follow */
    unsigned tight;      /* the tight link is this one ... */
    unsigned tight_last; /* ... or one up to here; both 0: not known */
    double tight_bps;    /* what is free of it */
    enum tight_why why;
    uint32_t trains;                /* that it rests on */
    struct tight_hop hop[HOPS_MAX]; /* [told] */
};

#endif
