/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/ticks.h"

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
    const struct sample_packet *packets;
    unsigned count;
    double batch_ns; /* at least so much lies between batches */
    double least_ns, most_ns;
};

static double gap_after(const struct gaps *gaps, unsigned i)
{
    return (double)(gaps->packets[i + 1].offset_ns - gaps->packets[i].offset_ns);
}

static void read_gaps(const struct sample_packet *packets, unsigned count, struct gaps *gaps)
{
    double span_ns = (double)(packets[count - 1].offset_ns - packets[0].offset_ns);

    *gaps = (struct gaps){packets, count, BATCH_GAP * span_ns / (count - 1), INFINITY, 0};
    for (unsigned i = 1; i + 1 < count; i++) {
        double gap_ns = gap_after(gaps, i);

        gaps->least_ns = gap_ns < gaps->least_ns ? gap_ns : gaps->least_ns;
        gaps->most_ns = gap_ns > gaps->most_ns ? gap_ns : gaps->most_ns;
    }
}

/* --- Multiples of a tick --- */

static bool on_lattice(const struct gaps *gaps)
{
    double middle_ns = (gaps->least_ns + gaps->most_ns) / 2, tick_ns, multiple, squares = 0;
    double off_ns[2] = {0}; /* sums, of gaps below the middle and above; there are both */
    unsigned n[2] = {0};

    for (unsigned i = 1; i + 1 < gaps->count; i++) {
        double off = gap_after(gaps, i) - middle_ns;

        n[off > 0]++;
        off_ns[off > 0] += off;
        squares += off * off;
    }
    squares -= off_ns[0] * off_ns[0] / n[0] + off_ns[1] * off_ns[1] / n[1];
    tick_ns = off_ns[1] / n[1] - off_ns[0] / n[0];
    multiple = (middle_ns + off_ns[0] / n[0]) / tick_ns;
    return squares <= OFF_LATTICE * OFF_LATTICE * tick_ns * tick_ns * gaps->count
        && (multiple > MULTIPLE_MOST || fabs(multiple - round(multiple)) <= OFF_LATTICE);
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

/* The next packet that ends a batch, from i on, and when that batch began; false when there
 * is none. */
static bool next_batch(const struct gaps *gaps, unsigned *i, double *begun_ns)
{
    *begun_ns = (double)gaps->packets[*i].offset_ns;
    while (*i + 1 < gaps->count && gap_after(gaps, *i) < gaps->batch_ns)
        ++*i;
    return *i + 1 < gaps->count;
}

/* The first batch is left out: it may hold what a bucket let pass. */
static unsigned first_batch(const struct gaps *gaps)
{
    unsigned i = 0;
    double begun_ns;

    next_batch(gaps, &i, &begun_ns);
    return i + 1;
}

/* How wide the band is, and its slope; returns how many batches lie in it. */
static unsigned read_band(const struct gaps *gaps, double *wide_ns, double *slope)
{
    double low = INFINITY, high = -INFINITY, begun_ns;
    unsigned first = first_batch(gaps);
    struct line line = {0};

    for (unsigned i = first; i + 1 < gaps->count && next_batch(gaps, &i, &begun_ns); i++)
        ticks_line_add(&line, i, begun_ns);
    *slope = line_slope(&line);
    for (unsigned i = first; i + 1 < gaps->count && next_batch(gaps, &i, &begun_ns); i++) {
        double off_ns = begun_ns - *slope * i;

        low = off_ns < low ? off_ns : low;
        high = off_ns > high ? off_ns : high;
    }
    *wide_ns = high - low;
    return (unsigned)line.n;
}

void ticks_read(const struct sample_packet *packets, unsigned count, struct ticks *ticks)
{
    double wide_ns, slope;
    struct gaps gaps;

    read_gaps(packets, count, &gaps);
    *ticks = (struct ticks){.tick_ns = gaps.most_ns - gaps.least_ns};
    ticks->found = count >= TICKS_LEAST_PACKETS && ticks->tick_ns > 0
        && read_band(&gaps, &wide_ns, &slope) >= BATCHES_LEAST
        && wide_ns <= BAND * fmin(ticks->tick_ns, slope)
        && (gaps.least_ns < gaps.batch_ns || on_lattice(&gaps));
    if (ticks->found)
        ticks->share = slope * BATCH_GAP / gaps.batch_ns;
}
