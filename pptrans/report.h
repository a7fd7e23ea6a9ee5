/* SPDX-License-Identifier: BSD-3-Clause */
/* What pptrans tells its user, as text or as JSON Lines. */
#ifndef PPTRANS_REPORT_H
#define PPTRANS_REPORT_H

#include "burst.h"
#include "flight.h"
#include "gaps.h"
#include "plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Pairs leave as fast as one packet can follow another, longer trains faster
 * or slower: kept apart. */
enum report_kind { REPORT_PAIRS, REPORT_TRAINS, REPORT_KINDS };

struct report {
    FILE *out;
    bool json, quiet, verbose;
};

struct report_start {
    const char *version;
    const char *to;
    const char *device;  /* "" when not known */
    const char *spacing; /* the option's word */
    bool segment, stamped;
    const char *reason;  /* for the way of sending */
    uint32_t stream;
};

struct report_totals {
    uint32_t stream;
    uint64_t trains;
    uint64_t packets;        /* that the kernel took */
    uint64_t refused;
    uint64_t bytes;          /* of those taken, at the layer */
    uint64_t last_bytes;     /* of the last train */
    int64_t first_ns, last_ns; /* first and last train, CLOCK_MONOTONIC */
    uint64_t known;          /* trains of known departure */
    uint64_t unstamped;      /* sends taken, but never seen to leave */
    bool refused_segments;   /* UDP GSO was begun with, and given up */
    struct gaps gaps;        /* between packets of a train */
    struct gaps mean_gaps[REPORT_KINDS]; /* one a train: span / (packets - 1) */
};

void report_start(const struct report *report, const struct plan *plan,
                  const struct report_start *start);
void report_train(const struct report *report, const struct flight *flight,
                  const struct flight_spread *spread);
void report_totals(const struct report *report, const struct plan *plan,
                   const struct report_totals *totals, const struct burst_failures *failures);

/* Why the kernel refused packets, in words. */
const char *report_reason(int number);

/* Trains that took over twice as long a packet as the median train. */
uint64_t report_slow_trains(const struct report_totals *totals);

/* The rate at which the median train of a kind left, with packets of size_bytes:
 * no faster path can be told. 0 when not known. */
double report_sent_bps(const struct report_totals *totals, enum report_kind kind,
                       uint32_t size_bytes);

/* Bits a second between the first and the last train; 0 when there is but one. */
double report_average_bps(const struct report_totals *totals);

#endif
