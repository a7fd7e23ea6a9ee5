/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-made trains into a filter. Packets have 1000 bytes: 800 us apart is 10 Mbit/s. */
#ifndef TESTS_UNIT_FILTER_FEED_H
#define TESTS_UNIT_FILTER_FEED_H

#include "filters/filter.h"

#include <check.h>

enum { WINDOW = 256, TRAIN_MOST = 256, BYTES = 1000 };
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define NEAR 1e-3 /* relative */

/* A stream of trains, 200 ms apart. */
struct feed {
    const struct filter *filter;
    void *state;
    struct estimate estimate;
    struct sample sample; /* the last one */
    struct sample_packet packets[TRAIN_MOST];
    uint32_t trains;
    uint32_t bytes;
    bool classic;         /* no send times */
    int64_t departure_ns; /* of a train; 0: not told */
    int64_t sooner_ns;    /* than 200 ms after the one before it */
    int64_t tick_ns;      /* that stamps are cut to */
};

void open_feed(struct feed *feed, const char *name);
void close_feed(struct feed *feed);

/* A train whose packets arrive at these offsets from its first, which itself is delayed
 * by so much more than the path's least. */
void give(struct feed *feed, const int64_t *offsets_ns, unsigned count, int64_t delay_ns);
void give_pair(struct feed *feed, int64_t gap_ns, int64_t delay_ns);
void give_pairs(struct feed *feed, unsigned count, int64_t gap_ns);

/* A train of equal gaps. */
void give_even(struct feed *feed, unsigned count, int64_t gap_ns, int64_t delay_ns);

/* Three long trains of small packets whose first one is lost: what pairs then say is not said
 * by pairs alone, and nothing else is said of it: no pair is faster than these. */
enum { WITNESS_PACKETS = 15 };
void give_witnesses(struct feed *feed);

void assert_capacity(const struct feed *feed, enum estimate_state state, double bps);

/* A guess, or a choice of several, but nothing that is told as fact. */
void assert_no_fact(const struct feed *feed);

/* The second part of filters_doubt_suite(). */
TCase *doubt_trains_tcase(void);

#endif
