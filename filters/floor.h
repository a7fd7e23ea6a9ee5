/* SPDX-License-Identifier: BSD-3-Clause */
/* The gap of a FIFO path from many readings of two packets.
 *
 * A reading's gap is the true one, plus what its second packet waited for cross
 * traffic, less what its first did. Both waits are told by the delays, as far as
 * the least delay of each is known: the readings of least delay sum waited least.
 */
#ifndef FILTERS_FLOOR_H
#define FILTERS_FLOOR_H

#include "filters/readings.h"
#include "filters/sort.h"

/* What readings of other sizes say of the rate: all but a few are far faster, as smaller
 * packets that find room in a bucket are; or most of them have another, where those of one
 * size agree. */
enum sizes { SIZES_AGREE, SIZES_SPARED, SIZES_DIFFER };

struct floor {
    unsigned count;    /* readings that were looked at */
    double gap_ns;     /* for `bytes`; 0: there is none */
    double error_ns;   /* half width of its 95 % interval */
    double below_ns;   /* that the interval reaches further down */
    uint32_t bytes;
    bool trains;       /* of whole trains, not of pairs */
    bool unanimous;    /* nearly all readings agree: there is nothing to filter */
    bool tight;        /* unanimous even within half a hundredth */
    bool reached;      /* the floors of the delays, often enough to trust them */
    double low, lowest; /* shares of first points less than one gap, and half a gap, above
                          their floor */
    bool grounded;     /* unanimous, and the delays' floors bear that out */
    bool alone;        /* the floors say it, and no pair does */
    bool proven;       /* the floor of the delays holds up the gap */
    bool doubtful;     /* the rest of the trains, or the delays, deny it */
    enum sizes sizes;
    bool contested;    /* trains that keep a clock say something else */
    bool delays;       /* send times were there */
    bool limited;      /* the gap is the sender's: it left with it */
    uint16_t segment;  /* of the readings */
    double support;    /* share of readings that agree with the gap */
    double sum_ns;     /* least delay sum, free of skew */
    double slope;      /* of the clocks, ns/s */
    double first_ns;   /* least delay of the first point ... */
    double first_deep_ns; /* ... and how far above it the third-least lies */
    double apart_ns;   /* from there to the least delay of the second point ... */
    double second_deep_ns; /* ... above which the third-least lies that far */
    double middle_ns;  /* median of all gaps, unfiltered */
    double mean_ns;    /* mean of all gaps ... */
    double mean_error_ns; /* ... and its standard error */
    double noise_ns;   /* how far gaps count as equal */
    double tick_ns;    /* of the stamps */
    double half_ns;    /* that the densest half of the gaps spans */
};

/* What is to be right within 5 % must have an interval that says so. */
#define FLOOR_ERROR_MOST 0.04

/* Hardly a packet waits: this share of the first ones for less than a gap. */
#define CALM 0.9

/* Memory that floor_read() needs while it works. */
enum { FLOOR_NUMBERS = 4 };

struct scratch {
    double *numbers;       /* [FLOOR_NUMBERS * room] */
    struct sort_key *keys; /* [room] */
    unsigned room;
};

/* Reads the newest `last` readings. */
void floor_read(const struct readings *readings, unsigned last, const struct noise *noise,
                const struct scratch *scratch, struct floor *floor);

/* For long trains that come in batches, whose gaps agree on what cross traffic makes
 * of all of them: the mean of those with the least delay sums. */
void floor_read_lowest(const struct readings *readings, const struct noise *noise,
                       const struct scratch *scratch,
                       struct floor *floor);

/* Whether the gap may be told as fact. */
bool floor_believed(const struct floor *floor);

#endif
