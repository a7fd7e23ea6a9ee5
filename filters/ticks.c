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
enum { BATCHES_LEAST = 8 };

/* Where ticks are the shorter ones, gaps are k or k + 1 of them: to within so many, in the
 * square mean. From k = 7 on any gap is near some multiple. */
#define OFF_LATTICE 0.1
enum { MULTIPLE_MOST = 6 };

/* Without the first gap: a bucket, or a late stamp, may have made it. */
struct gaps {
    const double *at_ns, *gap_ns;
    unsigned count;
    double batch_ns; /* at least so much lies between batches */
    double least_ns, most_ns;
};

static void read_gaps(const double *at_ns, const double *gap_ns, unsigned count, struct gaps *gaps)
{
    double span_ns = at_ns[count - 1] - at_ns[0];

    *gaps = (struct gaps){at_ns, gap_ns, count, BATCH_GAP * span_ns / (count - 1), INFINITY, 0};
    for (unsigned i = 2; i < count; i++) {
        gaps->least_ns = gap_ns[i] < gaps->least_ns ? gap_ns[i] : gaps->least_ns;
        gaps->most_ns = gap_ns[i] > gaps->most_ns ? gap_ns[i] : gaps->most_ns;
    }
}

/* --- Multiples of a tick --- */

static bool on_lattice(const struct gaps *gaps)
{
    double middle_ns = (gaps->least_ns + gaps->most_ns) / 2, tick_ns, multiple, sum_ns = 0, far_ns = 0;
    double low_ns, high_ns, squares = 0; /* sums, of gaps below the middle and above; there are both */
    unsigned high = 0, low;

    for (unsigned i = 2; i < gaps->count; i++) {
        double off_ns = gaps->gap_ns[i] - middle_ns;

        high += off_ns > 0; /* no branch: of two levels none is foreseen */
        sum_ns += off_ns;
        far_ns += fabs(off_ns);
        squares += off_ns * off_ns;
    }
    low = gaps->count - 2 - high;
    high_ns = (far_ns + sum_ns) / 2;
    low_ns = (sum_ns - far_ns) / 2;
    squares -= low_ns * low_ns / low + high_ns * high_ns / high;
    tick_ns = high_ns / high - low_ns / low;
    multiple = (middle_ns + low_ns / low) / tick_ns;
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
    if (line.n < BATCHES_LEAST)
        return 0;
    slope = line_slope(&line);
    return lie_within(gaps, &ends, slope, BAND * fmin(tick_ns, slope)) ? slope : 0;
}

void ticks_read(const double *at_ns, const double *gap_ns, unsigned count, struct ticks *ticks)
{
    double slope = 0;
    struct gaps gaps;

    read_gaps(at_ns, gap_ns, count, &gaps);
    *ticks = (struct ticks){.tick_ns = gaps.most_ns - gaps.least_ns};
    if (count >= TICKS_LEAST_PACKETS && ticks->tick_ns > 0
        && (gaps.least_ns < gaps.batch_ns || on_lattice(&gaps)))
        slope = band_slope(&gaps, ticks->tick_ns);
    ticks->found = slope > 0;
    if (ticks->found)
        ticks->share = slope * BATCH_GAP / gaps.batch_ns;
}
