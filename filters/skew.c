/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/skew.h"

#include <math.h>
#include <stdbool.h>

/* Whether b lies on or above the line from a to c. */
static bool idle_corner(const double *at, const double *delay, uint32_t a, uint32_t b, uint32_t c)
{
    return (delay[b] - delay[a]) * (at[c] - at[a]) >= (delay[c] - delay[a]) * (at[b] - at[a]);
}

/* Andrew's monotone chain: every point is put on once and taken off once. */
unsigned skew_hull(const double *at, const double *delay, unsigned count, uint32_t *hull)
{
    unsigned corners = 0;

    for (uint32_t i = 0; i < count; i++) {
        while (corners > 1 && idle_corner(at, delay, hull[corners - 2], hull[corners - 1], i))
            corners--;
        hull[corners++] = i;
    }
    return corners;
}

double skew_slope(const double *at, const double *delay, unsigned count, uint32_t *hull)
{
    unsigned corners = skew_hull(at, delay, count, hull);
    double mean = 0;
    unsigned edge = 1;
    double width;

    for (unsigned i = 0; i < count; i++)
        mean += at[i];
    mean /= count > 0 ? count : 1;
    while (edge + 1 < corners && at[hull[edge]] < mean)
        edge++;
    if (corners < 2)
        return 0;
    width = at[hull[edge]] - at[hull[edge - 1]];
    return width > 0 ? (delay[hull[edge]] - delay[hull[edge - 1]]) / width : 0;
}

double skew_floor(const double *at, const double *delay, unsigned count, uint32_t *hull)
{
    double slope = skew_slope(at, delay, count, hull), floor = INFINITY, mean = 0;

    for (unsigned i = 0; i < count; i++) {
        floor = fmin(floor, delay[i] - slope * at[i]);
        mean += at[i] / count;
    }
    return floor + slope * mean;
}

void skew_level(const double *at, double *delay, unsigned count, uint32_t *hull)
{
    double slope = count >= SKEW_LEAST ? skew_slope(at, delay, count, hull) : 0, floor = 0;

    for (unsigned i = 0; i < count; i++) {
        delay[i] -= slope * at[i];
        floor = i == 0 ? delay[i] : fmin(floor, delay[i]);
    }
    for (unsigned i = 0; i < count; i++)
        delay[i] -= floor;
}
