/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/ticks.h"

#include "filters/sample.h"
#include "filters/same.h"

#include <math.h>

/* At the first tick after k gaps packet k goes. So the last packet of each batch is late by
 * less than a gap, however long the tick; where that is the shorter one, every packet by
 * less than a tick. What cross traffic takes adds up along a train, and leaves that
 * band. A tenth is for the stamps and for the line's own error. */
#define BAND 1.1

/* Between two ticks' packets lies half a mean gap or more; within a batch less. */
#define BATCH_GAP 0.5
enum { TICKS_BATCHES = 8 };

/* Where ticks are the shorter ones, gaps are k or k + 1 of them: to within so many, in the
 * square mean. From k = 7 on any gap is near some multiple. */
#define OFF_LATTICE 0.1
enum { MULTIPLE_MOST = 6 };

/* Without the first gap: a bucket, or a late stamp, may have made it. */
struct gaps {
    const double *at_ns, *gap_ns;
    unsigned count;
    double batch_ns; /* at least so much lies between batches */
};

/* --- Multiples of a tick --- */

static bool on_lattice(const struct gaps *gaps, const struct extent *all)
{
    struct lower lower = moments_lower(gaps->gap_ns + 2, &all->of, (all->least + all->most) / 2);
    double low_ns = lower.off / lower.count,
           high_ns = -lower.off / (all->of.count - lower.count); /* off the mean */
    double tick_ns = high_ns - low_ns, squares = all->of.squares + lower.off * tick_ns;
    double multiple = (all->of.mean + low_ns) / tick_ns;

    return squares <= OFF_LATTICE * OFF_LATTICE * tick_ns * tick_ns * gaps->count
        && (multiple > MULTIPLE_MOST || fabs(same_off_whole(multiple)) <= OFF_LATTICE);
}

/* --- The band --- */

struct line {
    double n, x, y, xx, xy;
};

static void ticks_line_add(struct line *line, double x, double y)
{
    line->n++;
    line->x += x;
    line->y += y;
    line->xx += x * x;
    line->xy += x * y;
}

static double line_slope(const struct line *line)
{
    return (line->n * line->xy - line->x * line->y) / (line->n * line->xx - line->x * line->x);
}

/* Packets that end a batch, but for the last batch, which the train may have cut. The first one may hold what a
 * bucket let pass, so it only says where the next one begins. */
struct ends {
    unsigned count;
    uint8_t at[SAMPLE_PACKETS_MOST]; /* [count] */
};

static void find_ends(const struct gaps *gaps, struct ends *ends)
{
    ends->count = 0;
    for (unsigned i = 0; i + 1 < gaps->count; i++) {
        ends->at[ends->count] = (uint8_t)i;
        ends->count += gaps->gap_ns[i + 1] >= gaps->batch_ns; /* no branch: no gap is foreseen */
    }
}

/* When the batch began that ends there. */
static double begun_ns(const struct gaps *gaps, const struct ends *ends, unsigned end)
{
    return gaps->at_ns[ends->at[end - 1] + 1];
}

/* Whether all batches lie in a band no wider than that about a line, and gaps are its slope. */
static bool lie_within(const struct gaps *gaps, const struct ends *ends, double slope, double wide_ns)
{
    double low = INFINITY, high = -INFINITY;

    for (unsigned i = 1; i < ends->count; i++) {
        double off_ns = begun_ns(gaps, ends, i) - slope * ends->at[i];

        low = off_ns < low ? off_ns : low;
        high = off_ns > high ? off_ns : high;
        if (high - low > wide_ns)
            return false;
    }
    return true;
}

/* The line through them, if they are enough and lie in a band; 0: they do not. */
static double band_slope(const struct gaps *gaps, double tick_ns)
{
    struct line line = {0};
    struct ends ends;
    double slope;

    find_ends(gaps, &ends);
    for (unsigned i = 1; i < ends.count; i++)
        ticks_line_add(&line, ends.at[i], begun_ns(gaps, &ends, i));
    if (line.n < TICKS_BATCHES)
        return 0;
    slope = line_slope(&line);
    return lie_within(gaps, &ends, slope, BAND * fmin(tick_ns, slope)) ? slope : 0;
}

void ticks_read(const double *at_ns, const double *gap_ns, const struct extent *all, struct ticks *ticks)
{
    unsigned count = all->of.count + 2;
    double mean_ns = (at_ns[count - 1] - at_ns[0]) / (count - 1), slope = 0;
    struct gaps gaps = {at_ns, gap_ns, count, BATCH_GAP * mean_ns};

    *ticks = (struct ticks){.tick_ns = all->most - all->least};
    if (count >= TICKS_LEAST_PACKETS && ticks->tick_ns > 0
        && (all->least < gaps.batch_ns || on_lattice(&gaps, all)))
        slope = band_slope(&gaps, ticks->tick_ns);
    ticks->found = slope > 0;
    if (ticks->found)
        ticks->share = slope * BATCH_GAP / gaps.batch_ns;
}
