/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside hops: readings by hop and length of train, and what they say of each hop. */
#ifndef FILTERS_HOPS_CELLS_H
#define FILTERS_HOPS_CELLS_H

#include "filters/estimate.h"
#include "filters/hops_estimate.h"
#include "filters/moments.h"

#include <stdbool.h>

struct hops_reading {
    double value_ns;    /* from the least delay of a first marker to the last marker's */
    double gap_ns;      /* from marker to marker */
    double departed_ns; /* from first to last at the sender; 0: not known */
    uint16_t inner;
    uint8_t hop; /* links that its load has crossed: the last of the path for all that came whole */
};

/* How the gap grows with each packet of load, in ns. */
struct hops_slope {
    double value, sigma;
    struct statistic longest; /* of the longer trains */
    unsigned least, most;     /* lengths that it is read from; 0: there is none */
    unsigned n;               /* trains */
};

struct hops_cells {
    const struct hops_reading *reading;
    unsigned count;
    unsigned last; /* the farthest hop that trains were sent to */
    uint32_t load_bytes, marker_bytes;
    double values[HOPS_WINDOW]; /* scratch */
};

/* What is read at one hop: the time that a packet of load takes the narrowest link up to there. */
struct hops_link {
    struct hops_slope slope; /* by delays; n 0: too few trains */
    struct hops_slope gaps;  /* by the markers alone: what both of them wait for is not in it */
    double departed_ns;      /* the same at the sender; 0: not known */
};

void hops_cells_fill(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                     uint32_t load_bytes, uint32_t marker_bytes);

/* Of all trains that crossed the hop's link and died after it, or of all that came whole. With
 * like.n the same two lengths as like is read from, else the two that are farthest apart. */
struct hops_link hops_cells_link(struct hops_cells *cells, unsigned hop, const struct hops_slope *like);

/* All but what belongs to the length of the path. */
void hops_cells_tell(struct hops_cells *cells, const struct estimate *capacity, struct hops_estimate *result);

/* Leaves it as a guess. */
void hops_cells_doubt(struct hops_estimate *result);

#endif
