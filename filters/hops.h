/* SPDX-License-Identifier: BSD-3-Clause */
/* Which link is narrow: capacity hop by hop (Harfoush, Bestavros, Byers, Measuring Capacity Bandwidth
 * of Targeted Path Segments, IEEE/ACM ToN 17, 2009).
 *
 * A train of a marker, m packets of load, a marker. Markers are small and cross the whole path; the
 * load is large and dies after link j, whose router answers or not: nobody listens. Up to there the
 * load holds the markers apart, as long as the narrowest of the first j links needs for it:
 *
 *     gap = m L 8 / P_j + what is the same for any m        P_j = min(C_1 .. C_j)
 *
 * The same for any m: the head start of a small packet before large ones, link after link, what a
 * bucket lets pass at once, and the marker itself. So two values of m, and the difference of their
 * gaps.
 *
 * Cross traffic that gets in between makes gaps longer, never shorter, and a fast link that is busy
 * looks, on average, like a slow one that is idle. So no average is taken, but floors: of all
 * trains of one length the least delay of the last marker, over the least of the first ones. A floor
 * at one hop is no higher than at any behind it. What is read as fast is fast; what is read as slow
 * is slow only where the floor has been seen: several trains as close to it as chance lets them
 * be, and no higher than what all the trains that cross the whole path show, which are many more.
 *
 * Pure, as filters are: no I/O, no clock, no memory of its own. */
#ifndef FILTERS_HOPS_H
#define FILTERS_HOPS_H

#include "filters/estimate.h"
#include "filters/hops_estimate.h"
#include "filters/sample.h"

#include <stddef.h>
<<<<<<< HEAD
=======
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
>>>>>>> w-hops

struct hops;

/* In memory of the caller's, aligned as malloc() does. */
size_t hops_bytes(void);
void hops_init(struct hops *hops);

/* Sets the train's span, from marker to marker, where both have come; it has no rate. */
void hops_measure(struct sample *sample);

/* Takes a train whose load_hops is not 0 and that tells when it was sent; constant work. */
void hops_push(struct hops *hops, const struct sample *sample);

/* capacity: the path's, as its filter has it. A pass over the window for each hop, so for whoever asks,
 * not for every train. */
void hops_estimate(struct hops *hops, const struct estimate *capacity, struct hops_estimate *result);

#endif
