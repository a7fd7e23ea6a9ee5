/* SPDX-License-Identifier: BSD-3-Clause */
/* Readings of one size as columns, and what these show: the floors of the delays, and how far gaps
 * agree. */
#ifndef FILTERS_COLUMNS_H
#define FILTERS_COLUMNS_H

#include "filters/moments.h"
#include "filters/readings.h"
#include "filters/sort.h"

/* A floor has been reached when three readings stand on it. */
enum { FLOOR_LEAST = 3 };

/* Memory that columns need while they are read. */
enum { FLOOR_NUMBERS = 4 };

struct scratch {
    double *numbers;       /* [FLOOR_NUMBERS * room] */
    struct sort_key *keys; /* [room] */
    unsigned room;
};

/* Readings of the commonest size and one segment of the clocks. */
struct columns {
    unsigned count;
    double *at, *delay, *gap, *scratch;
    struct sort_order sums; /* of the two delays, ascending as far as is asked for */
    double *sorted;         /* the gaps, ascending, in the place of times */
    uint32_t bytes;
    uint16_t segment;
    bool trains, delays;
};

struct floors {
    unsigned count; /* readings that were looked at */
    uint32_t bytes; /* of each */
    uint16_t segment;
    bool trains;           /* whole ones, not pairs */
    bool delays;           /* send times were there */
    double slope;          /* of the clocks, ns/s */
    double sum_ns;         /* least delay sum, free of skew */
    double first_ns;       /* least delay of the first point ... */
    double first_deep_ns;  /* ... and how far above it the third-least lies */
    double apart_ns;       /* from there to the least delay of the second point ... */
    double second_deep_ns; /* ... above which the third-least lies that far */
    double middle_ns;      /* median of all gaps, unfiltered */
    double mean_ns;        /* mean of all gaps ... */
    double mean_error_ns;  /* ... and its standard error */
    double same_ns;        /* how far gaps count as equal */
    double half_ns;        /* that the densest half of the gaps spans */
    struct mean agreed;    /* of the gaps about the middle ... */
    bool agree, close;     /* ... which nearly all have; even within half a hundredth */
    bool reached;          /* the floors of the delays, often enough to trust them */
    double low;            /* share of first points less than one gap above their floor */
};

/* Whether the first packet of a pair tells how long the path held it up: one that came right behind
 * another train waited for our own packets. */
static inline bool floors_first_counts(const struct floors *floors, const struct reading *reading)
{
    return floors->delays && reading_counts_wait(reading, floors->segment);
}

/* How long that was: over the least delay, free of skew. */
static inline double floors_first_wait_ns(const struct floors *floors, const struct reading *reading)
{
    return reading_delay_ns(reading, floors->slope) - floors->first_ns;
}

/* A delay that is no further above its floor reaches it. */
double floors_near_ns(const struct floors *floors, const struct noise *noise);

/* Loads the readings from that index on into scratch. */
void columns_load(struct columns *columns, const struct readings *readings, unsigned from,
                  const struct scratch *scratch);

/* What they are and, of so many readings and with send times, the floors, free of skew, and
 * sums. */
struct floors columns_floors(struct columns *columns, unsigned least);

/* Adds how far gaps agree; FLOOR_LEAST of them and more. */
void columns_compare(struct columns *columns, const struct noise *noise, struct floors *floors);

/* Of the gaps within reach of the middle. */
struct mean columns_average(const double *gaps, unsigned count, double middle, double reach,
                            const struct noise *noise);

/* Whether the floors are not that gap apart. */
bool floors_differ(const struct floors *floors, const struct noise *noise, double gap_ns);

#endif
