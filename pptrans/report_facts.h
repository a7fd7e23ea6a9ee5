/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told, in whatever format: how sending began, and what came of it. */
#ifndef PPTRANS_REPORT_FACTS_H
#define PPTRANS_REPORT_FACTS_H

#include "flight.h"
#include "gaps.h"
#include "plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Pairs leave as fast as one packet can follow another, longer trains faster
 * or slower: kept apart. */
enum report_kind { REPORT_PAIRS, REPORT_TRAINS, REPORT_KINDS };

struct report_start {
    const char *version;
    const char *to;
    const char *device;  /* "" when not known */
    const char *spacing; /* the option's word */
    bool segment, stamped;
    const char *reason; /* for the way of sending */
    uint32_t stream;
};

/* Trains that were paced at a rung, left whole, and are known to have: the rates that they left at. */
struct report_rung {
    uint64_t trains;
    double bits, ns; /* in the gaps of all of them */
    double least_bps, most_bps;
};

struct report_totals {
    uint32_t stream;
    uint64_t trains;
    uint64_t packets; /* that the kernel took */
    uint64_t refused;
    uint64_t unsent;           /* of a train in which the order to stop came */
    uint64_t bytes;            /* of those taken, at the layer */
    uint64_t last_bytes;       /* of the last train */
    int64_t first_ns, last_ns; /* first and last train, CLOCK_MONOTONIC */
    uint64_t known;            /* trains of known departure */
    uint64_t unstamped;        /* sends taken, but never seen to leave */
    bool refused_segments;     /* UDP GSO was begun with, and given up */
    struct report_rung rungs[LADDER_MOST];
    struct gaps gaps;                    /* between packets of a train that left at once */
    struct gaps mean_gaps[REPORT_KINDS]; /* one for each train: span / (packets - 1) */
};

/* Adds what is known of when a train left. */
void report_departure(struct report_totals *totals, const struct plan_shape *shape,
                      const struct flight *flight, const struct flight_spread *spread);

/* Why the kernel refused packets, in words. */
const char *report_reason(int number);

/* Trains that took over twice as long a packet as the median train. */
uint64_t report_slow_trains(const struct report_totals *totals);

/* The rate at which the median train of a kind left, with packets of size_bytes:
 * a path must be slower to be told. 0 when not known. */
double report_sent_bps(const struct report_totals *totals, enum report_kind kind, uint32_t size_bytes);

/* The rate at which a rung's trains left, over all of them; 0 when there was none. */
double report_rung_bps(const struct report_rung *rung);

/* The rate at which a train of packets of one size left; 0 when it left at once. */
double report_left_bps(const struct plan_shape *shape, int64_t span_ns);

/* Bits per second between the first and the last train; 0 when there is but one. */
double report_average_bps(const struct report_totals *totals);

#endif
