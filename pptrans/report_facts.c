/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_facts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

uint64_t report_slow_trains(const struct report_totals *totals)
{
    uint64_t slow = 0;

    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        int64_t median_ns = gaps_median_ns(&totals->mean_gaps[kind]);

        if (median_ns > 0)
            slow += gaps_above(&totals->mean_gaps[kind], 2 * median_ns);
    }
    return slow;
}

double report_sent_bps(const struct report_totals *totals, enum report_kind kind, uint32_t size_bytes)
{
    int64_t median_ns = gaps_median_ns(&totals->mean_gaps[kind]);

    return median_ns > 0 ? size_bytes * 8 * 1e9 / (double)median_ns : 0;
}

double report_rung_bps(const struct report_rung *rung)
{
    return rung->ns > 0 ? rung->bits * 1e9 / rung->ns : 0;
}

static double gap_bits(const struct plan_shape *shape)
{
    return (plan_packets(shape) - 1) * (shape->size_bytes * 8.0);
}

double report_left_bps(const struct plan_shape *shape, int64_t span_ns)
{
    return span_ns > 0 ? gap_bits(shape) * 1e9 / (double)span_ns : 0;
}

static void add_rung(struct report_rung *rung, const struct plan_shape *shape, int64_t span_ns)
{
    double bps = report_left_bps(shape, span_ns);

    if (bps <= 0)
        return;
    rung->least_bps = rung->trains == 0 ? bps : fmin(rung->least_bps, bps);
    rung->most_bps = fmax(rung->most_bps, bps);
    rung->bits += gap_bits(shape);
    rung->ns += (double)span_ns;
    rung->trains++;
}

void report_departure(struct report_totals *totals, const struct plan_shape *shape,
                      const struct flight *flight, const struct flight_spread *spread)
{
    enum report_kind kind = flight->packets == 2 ? REPORT_PAIRS : REPORT_TRAINS;

    if (!flight->uncertain)
        totals->unstamped += flight->messages - flight->stamps;
    totals->known += spread->known;
    if (shape->gap_ns > 0) {
        if (spread->known)
            add_rung(&totals->rungs[shape->rung], shape, spread->span_ns);
        return;
    }
    for (size_t i = 0; i < spread->gaps; i++)
        gaps_add(&totals->gaps, spread->gap_ns[i]);
    if (spread->known)
        gaps_add(&totals->mean_gaps[kind], spread->span_ns / (flight->packets - 1));
}

double report_average_bps(const struct report_totals *totals)
{
    int64_t elapsed_ns = totals->last_ns - totals->first_ns;

    /* As many trains as intervals. */
    if (elapsed_ns <= 0)
        return 0;
    return (double)(totals->bytes - totals->last_bytes) * 8 * 1e9 / (double)elapsed_ns;
}

const char *report_reason(int number)
{
    return number == EAGAIN ? "the send buffer was full" : strerror(number);
}
