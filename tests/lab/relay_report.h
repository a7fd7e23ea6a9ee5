/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the relay knows for sure: its counters and its own timing error, as one line of JSON.
 */
#ifndef RELAY_REPORT_H
#define RELAY_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "relay_path.h"

/* Durations counted in buckets 1/32 wide, so that memory and work stay constant. */
enum { HISTOGRAM_BUCKETS = 60 * 32 };

struct histogram {
    uint64_t buckets[HISTOGRAM_BUCKETS];
    uint64_t count;
    int64_t max_ns;
};

void histogram_add(struct histogram *histogram, int64_t value_ns);

/* Upper edge of the bucket that holds this share (0..1) of the values; at most 3.2 % high. */
int64_t histogram_quantile_ns(const struct histogram *histogram, double share);

struct report {
    const struct path_config *config;
    const struct path_counts *counts;
    uint64_t inside;               /* frames that had not left at the end */
    uint64_t passed_ab, passed_ba; /* not subject to the link */
    uint64_t flows;                /* queues by flow that were used */
    uint64_t service_bps;          /* mean rate while the link had frames to serve */
    int64_t access_ns;             /* mean time that a frame contended before its bits */
    /* By ourselves, which spoils the truth: must be 0. */
    uint64_t dropped_ring; /* we were too slow to look */
    uint64_t dropped_pool; /* more inside than there is memory for */
    uint64_t refused;      /* by the kernel, when sent */
    uint64_t oversize;
    bool realtime;
    struct histogram start;     /* clock just before the send minus due time */
    struct histogram late;      /* clock just after the send minus due time */
    struct histogram gap_error; /* |gap between two sends minus gap between their due times| */
};

void report_write(const struct report *report, FILE *out);

#endif
