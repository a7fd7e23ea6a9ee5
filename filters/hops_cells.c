/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/hops_cells.h"

#include "filters/noise.h"
#include "filters/sort.h"

#include <math.h>

/* Trains of a length at a hop that say something together. */
enum { CELL_LEAST = 4 };

void hops_cells_fill(struct hops_cells *cells, const struct hops_reading *reading, unsigned count,
                     uint32_t load_bytes, uint32_t marker_bytes)
{
    cells->reading = reading;
    cells->count = count;
    cells->load_bytes = load_bytes;
    cells->marker_bytes = marker_bytes;
    cells->last = 0;
    for (unsigned i = 0; i < count; i++)
        if (reading[i].hop > cells->last)
            cells->last = reading[i].hop;
}

/* --- One cell --- */

/* Mean of the values from one rank to another. sigma is its standard error: of what moves the mean,
 * the values as far as these ranks (a trimmed mean: its winsorized variance). */
static struct statistic middle(double *values, unsigned count, unsigned from, unsigned end)
{
    struct moments mean = {0}, cut = {0};
    double share = (double)(end - from) / count;

    sort_numbers(values, count);
    for (unsigned i = 0; i < count; i++) {
        if (i >= from && i < end)
            moments_add(&mean, values[i]);
        moments_add(&cut, fmin(fmax(values[i], values[from]), values[end - 1]));
    }
    return (struct statistic){
        .value = mean.mean,
        .sigma = hypot(moments_error(&cut) / share, noise_prior().stamp_ns / sqrt(end - from)),
        .n = count,
    };
}

/* Delays are only ever greater than the least: of those the lower half. Gaps may be either. */
static struct statistic hops_cells_cell_of(struct hops_cells *cells, unsigned hop, unsigned inner,
                                           bool by_gaps)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cells->count; i++)
        if (cells->reading[i].hop == hop && cells->reading[i].inner == inner)
            cells->values[count++] = by_gaps ? cells->reading[i].gap_ns : cells->reading[i].value_ns;
    if (count < CELL_LEAST)
        return (struct statistic){.n = 0};
    return by_gaps ? middle(cells->values, count, count / 4, count - count / 4)
                   : middle(cells->values, count, 0, (count + 3) / 4);
}

/* The lengths with enough trains, as far apart as there are: 0 when there are no two. */
static void choose_lengths(const struct hops_cells *cells, unsigned hop, unsigned *least, unsigned *most)
{
    uint16_t of[257] = {0};

    for (unsigned i = 0; i < cells->count; i++)
        if (cells->reading[i].hop == hop && cells->reading[i].inner <= 256)
            of[cells->reading[i].inner]++;
    *least = *most = 0;
    for (unsigned inner = 1; inner <= 256; inner++) {
        if (of[inner] < CELL_LEAST)
            continue;
        *least = *least == 0 ? inner : *least;
        *most = inner;
    }
    if (*least == *most)
        *least = *most = 0;
}

static struct hops_slope slope_of(struct hops_cells *cells, unsigned hop, unsigned least, unsigned most,
                                  bool by_gaps)
{
    struct statistic shorter = hops_cells_cell_of(cells, hop, least, by_gaps);
    struct statistic longer = hops_cells_cell_of(cells, hop, most, by_gaps);
    double packets = (double)most - least;

    if (least == most || shorter.n == 0 || longer.n == 0)
        return (struct hops_slope){.n = 0};
    return (struct hops_slope){
        .value = (longer.value - shorter.value) / packets,
        .sigma = hypot(longer.sigma, shorter.sigma) / packets,
        .longest = longer,
        .least = least,
        .most = most,
        .n = shorter.n + longer.n,
    };
}

/* Per packet of load, as the longest trains left; the second marker is a part of one. */
static double departed_of(const struct hops_cells *cells, unsigned hop, unsigned inner)
{
    double packets = inner + (double)cells->marker_bytes / cells->load_bytes;
    struct moments departed = {0};

    for (unsigned i = 0; i < cells->count; i++)
        if (cells->reading[i].hop == hop && cells->reading[i].inner == inner
            && cells->reading[i].departed_ns > 0)
            moments_add(&departed, cells->reading[i].departed_ns / packets);
    return departed.mean;
}

struct hops_link hops_cells_link(struct hops_cells *cells, unsigned hop, const struct hops_slope *like)
{
    struct hops_link link = {.departed_ns = 0};
    unsigned least = like->least, most = like->most;

    if (like->n == 0)
        choose_lengths(cells, hop, &least, &most);
    link.slope = slope_of(cells, hop, least, most, false);
    link.gaps = slope_of(cells, hop, least, most, true);
    if (link.slope.n > 0)
        link.departed_ns = departed_of(cells, hop, most);
    return link;
}
