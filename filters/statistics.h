/* SPDX-License-Identifier: BSD-3-Clause */
/* What all trains together show, as numbers with their errors: what hypotheses are held
 * against (access.h). */
#ifndef FILTERS_STATISTICS_H
#define FILTERS_STATISTICS_H

#include "filters/comb.h"
#include "filters/held.h"
#include "filters/same.h"
#include "filters/seen.h"

#include <math.h>

/* Waits are spread evenly: Kolmogorov's distance times the root of n, 5 %. */
#define STATISTICS_UNIFORM 1.36

/* Surely not, where each estimate is one more test: 0.1 %. */
#define STATISTICS_SURELY_UNEVEN 1.95

/* Hardly a first packet waits for nothing: a larger share. */
#define STATISTICS_IDLE_MOST 0.2

/* Where gaps have nothing to do with each other the variance of their sum is that of one, their number of times: to within this factor. */
#define STATISTICS_INDEPENDENT 3

/* Fewer waits show no distribution and no drift, but how far they scatter. */
enum { STATISTICS_WAITS_LEAST = 20 };

/* Fewer long trains have no mean with an error. */
enum { STATISTICS_TRAINS_LEAST = 5 };

/* Of pairs: the first two packets of each train, of the commonest size. Gaps and waits in ns;
 * a wait is a first packet's delay over the least one, free of skew. */
struct statistics {
    uint32_t bytes;         /* of a packet */
    double noise_ns;        /* what two stamps make of a gap */
    double late_ns;         /* what a late first stamp takes from its train at the most */
    struct statistic pair;  /* first gaps: as many as waits, or, of less than ten, none */
    double least_ns;        /* a tenth of them are no longer ... */
    double middle_ns;       /* ... and half */
    double shortest_ns;     /* the shortest one ... */
    double gaps_range_ns;   /* ... how much longer they are, were they even, by three quarters of them ... */
    double gaps_uniform;    /* ... and how far from that they are, as waits below */
    struct statistic near;  /* gaps of pairs a few bytes smaller, scaled to the full size: the
                                   mean of those that agree with the middle one to a tenth */
    double as_near;         /* share of full-sized pairs that take no longer */
    unsigned smaller;       /* pairs of smaller sizes (READING_SMALLER) */
    bool in_proportion;     /* gaps have two levels, and of smaller pairs both in proportion: the link's
                                   own, as what comes in between takes no less where ours are smaller */
    bool levels_open;       /* too few smaller ones came to tell, and they do not deny it */
    double slope_ns;        /* of the clocks, ns/s ... */
    uint16_t segment;       /* ... in this segment of theirs */
    unsigned waits;         /* of first packets, however few */
    double scatter_ns;      /* three quarters are no further from the middle one, free of drift; of less
                                   than ten all; of too few for a distribution */
    double idle;            /* share of first packets that wait for nothing */
    double busy;            /* share of those that wait for more than stamps make of it ... */
    double beyond;          /* ... and for longer than a largest packet takes at the pairs' rate */
    bool as_idle;           /* their pairs have the usual gap of the others half as often as these, or more */
    double spread_ns;       /* of the gaps, standard deviation: what is far out left away, as below ... */
    double together;        /* ... correlation of the first packet's wait and the gap */
    double slope;           /* of the gap over the wait */
    double range_ns;        /* of the waits, were they even: by the shortest nine tenths, or three
                                   quarters wherever they lie. Where there are enough, and trains */
    double on_floor;        /* share of them that are nothing beside that range (2 % of it, stamps);
                                   a gap may be many times as long */
    double uniform;         /* how far their distribution is from an even one over that range
                                   (Kolmogorov's distance times the root of n) */
    double follow;          /* how far waits in a row are apart, over how far any two are: 1 where they have
                                   nothing to do with each other */
    double longest_wait_ns; /* of the busy ones, however few, were they even; of less than ten
                                   from nothing on ... */
    double waiting_uniform; /* ... and how far they are from that, as above; of none infinite */
    struct shaped shaped;   /* what trains begin with, and go on with, if at a lower rate */
    struct statistic train; /* mean gap of the longest trains */
    double least_train_ns, most_train_ns; /* of these */
    double varies;                        /* variance of their spans, over that of their gaps and number */
    double ratio;          /* the same of four gaps in a row (section 5 of README.md), of the middle train */
    struct statistic head; /* first quarter less the mean of the others, a gap */
    struct statistic tail; /* mean gap of the last three quarters ... */
    double middle_tail_ns; /* ... of the middle train ... */
    double regular;        /* share of gaps in trains that are alike, mean */
    double batch;          /* packets that come together, mean */
    double tail_packets;   /* in these quarters */
    double tail_spread;    /* ... its standard deviation from train to train, as a share */
    struct statistic longer;    /* last quarter less the second, a gap */
    struct statistic last;      /* last quarter, a gap */
    double last_varies;         /* variance of last quarters, over that of their gaps and number */
    struct statistic very_last; /* last gap */
    double least_last_ns;       /* a quarter of them are no longer */
    struct statistic end;       /* gap that they end with: of whole batches, where they are batched;
                                             else the commonest, n 0 where they do not agree on it */
    struct statistic
        burst; /* a packet of batches behind the first one, of trains of three and more of them ... */
    struct statistic pause; /* ... and by how much the second batch took longer, a packet */
    bool in_runs;           /* of most, gaps stand on two teeth, more than one after the other on either */
    bool told;              /* most of them tell how they left ... */
    bool at_once;           /* ... and they left so */
    bool sooner;            /* in half of the time that they arrived in, at most */
    bool batched;
    struct span span;
    struct comb comb;
    struct held held;
};

/* What a full frame, which others may have, takes where a packet of ours takes so long; and a fifth, as the longest
 * wait is known to that. */
static inline double statistics_frame_ns(const struct statistics *statistics, double packet_ns)
{
    return (1 + SAME_WAIT) * packet_ns * fmax(FRAME_MOST_BYTES / statistics->bytes, 1);
}

/* Hardly a first packet waits for nothing, be it for a moment or for long; on_floor is beside the range of waits. */
static inline bool statistics_hardly_idle(const struct statistics *statistics)
{
    return statistics->waits >= STATISTICS_WAITS_LEAST && statistics->idle <= STATISTICS_IDLE_MOST;
}

/* Trains vary as sums of independent gaps. */
static inline bool statistics_add_up(const struct statistics *statistics)
{
    return statistics->varies < STATISTICS_INDEPENDENT && statistics->varies > 1.0 / STATISTICS_INDEPENDENT;
}

/* First packets wait for a clock of the path: any part of one time, and hardly one for nothing. */
static inline bool statistics_wait_evenly(const struct statistics *statistics)
{
    return statistics->waits >= STATISTICS_WAITS_LEAST && statistics->on_floor <= STATISTICS_IDLE_MOST
        && statistics->uniform <= STATISTICS_UNIFORM;
}

/* pairs: from weigh_read_pairs(). Of fewer than ten pairs, or without delays, only trains count: n
 * of the rest is 0. */
struct statistics statistics_read(const struct seen *seen, const struct floors *pairs);

#endif
