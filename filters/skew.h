/* SPDX-License-Identifier: BSD-3-Clause */
/* The line under all delays: how fast one clock runs away from the other. */
#ifndef FILTERS_SKEW_H
#define FILTERS_SKEW_H

#include <stdint.h>

/* Fewer first packets make no line. */
enum { SKEW_LEAST = 10 };

/* It hangs on so many of them: that these stand on it says nothing. */
enum { SKEW_HANGS = 2 };

/* Indices of the lower convex hull of count points, in order of time (equal
 * times allowed), into hull [count]; returns how many. */
unsigned skew_hull(const double *at, const double *delay, unsigned count, uint32_t *hull);

/* Slope, in units of delay over time, of the line that no point lies below and
 * whose summed distance from the points is least: the edge of the hull over the
 * mean of the times (Moon, Skelly and Towsley, INFOCOM 1999). Queues only add to
 * a delay, so this line is what is left of the clocks alone. 0 when all points
 * have one time. hull [count] is scratch. */
double skew_slope(const double *at, const double *delay, unsigned count, uint32_t *hull);

/* That line at the mean of the times. count > 0. */
double skew_floor(const double *at, const double *delay, unsigned count, uint32_t *hull);

/* Makes delays waits: over that line, where there are SKEW_LEAST of them and more, and over the least.
 * hull [count] is scratch. */
void skew_level(const double *at, double *delay, unsigned count, uint32_t *hull);

#endif
