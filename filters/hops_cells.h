/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside hops: the least readings by hop and length of train, and what they say of each hop. */
#ifndef FILTERS_HOPS_CELLS_H
#define FILTERS_HOPS_CELLS_H

#include "filters/estimate.h"
#include "filters/hops_estimate.h"

#include <stdbool.h>

struct hops_reading {
    double value_ns;    /* from the least delay of a first marker to the last marker's */
    double gap_ns;      /* from its own */
    double departed_ns; /* from first to last at the sender; 0: not known */
    uint16_t inner;
    uint8_t hop; /* links that its load has crossed: the last of the path for all that came whole */
};

enum { HOPS_RANKS = 6 };

/* The least of n values, in order. */
struct hops_least {
    double ns[HOPS_RANKS];
    unsigned n;
};

/* By the length of load: the shorter, the longer. */
struct hops_pair {
    struct hops_least shorter, longer;
};

/* The time that a packet of load takes the narrowest link up to a hop, in ns. */
struct hops_link {
    unsigned n;             /* trains; 0: too few */
    double read_ns;         /* from floor to floor */
    double low_ns, high_ns; /* 75 %, where cross traffic hides either floor */
    double floor_ns; /* no less than this, with other traffic at all of the links; -INFINITY: not known */
    double slope_ns; /* no more than is read at any later hop */
    double least_ns, most_ns; /* 95 % interval of what trains show */
    double departed_ns;       /* the same at the sender; 0: not known */
    unsigned before;          /* the hop before this that is read; 0: there is none */
    double step_mid_ns;       /* by which gaps grow from there ... */
    double step_ns;           /* ... at the most; INFINITY: not known */
};

struct hops_cells {
    unsigned last;            /* the farthest hop that trains were sent to */
    unsigned shorter, longer; /* packets of load that are compared; 0: there are no two lengths */
    uint32_t load_bytes, marker_bytes;
    struct hops_pair at[HOPS_MAX + 1];   /* trains whose load died there */
    struct hops_pair from[HOPS_MAX + 1]; /* there or later */
    struct hops_link link[HOPS_MAX + 1]; /* [1..last] */
    struct hops_gaps {
        unsigned shorter, longer; /* how many, the one behind the other */
        double *sorted;
    } gaps[HOPS_MAX + 1];
    double gap_ns[HOPS_WINDOW];
};

void hops_cells_fill(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                     uint32_t load_bytes, uint32_t marker_bytes);

/* All but what belongs to the length of the path. */
void hops_cells_tell(const struct hops_cells *cells, const struct estimate *capacity,
                     struct hops_estimate *result);

/* Leaves all hops as guesses. */
void hops_cells_doubt(struct hops_estimate *result);

#endif
