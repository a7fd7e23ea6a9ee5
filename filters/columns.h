/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside floor: the readings that are compared, as columns. */
#ifndef FILTERS_COLUMNS_H
#define FILTERS_COLUMNS_H

#include "filters/floor.h"

/* A floor has been reached when three readings stand on it. */
enum { FLOOR_LEAST = 3 };

/* Readings of the commonest size and one segment of the clocks. */
struct columns {
    unsigned count;
    double *at, *delay, *gap, *scratch;
    struct sort_key *sums; /* of the two delays, ascending */
    bool delays;
};

/* Loads the readings from that index on into scratch; sets what of floor they tell. */
void columns_load(struct columns *columns, const struct readings *readings, unsigned from,
                  const struct scratch *scratch, struct floor *floor);

/* Takes the skew out of the delays, sorts the sums and reads the floors. Times are
 * scratch then. */
void columns_deskew(struct columns *columns, struct floor *floor);

/* Mean of the gaps within reach of the middle and its interval, into floor; returns
 * how many they are. */
unsigned columns_average(const double *gaps, unsigned count, double middle, double reach,
                         struct floor *floor);

#endif
