/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-made arrivals into a handle of libpprec, and all that came out of it.
 *
 * Frames of 1000 bytes (954 of payload) on 10 Mbit/s follow each other in
 * 1000 * 8 / 10e6 s = 800 us. Times are given since FEED_EPOCH_NS. */
#ifndef TESTS_UNIT_FEED_H
#define TESTS_UNIT_FEED_H

#include "pprec/pprec.h"

#include <stddef.h>
#include <stdint.h>

#define FEED_EPOCH_NS INT64_C(1700000000000000000)
#define FEED_SECOND_NS INT64_C(1000000000)

enum {
    FEED_GAP_NS = 800000,
    FEED_SPACING_NS = 500000000, /* between trains */
    FEED_PAYLOAD_BYTES = 954,
    FEED_KEPT = 600,
    FEED_PACKETS = 8
};

struct feed {
    struct pprec *pprec;
    uint16_t length;              /* of the trains to come */
    struct pprec_arrival pattern; /* for what the calls below do not say */

    size_t trains;
    struct pprec_train train[FEED_KEPT];      /* the first of them */
    struct pprec_packet packet[FEED_PACKETS]; /* the first of the newest train */
    size_t summaries;
    struct pprec_summary summary[FEED_KEPT];
};

/* A handle with the default configuration, or with config, whose callbacks are
 * replaced. The pattern is an IPv4 sender of kernel stamps and no send times;
 * trains of 4. */
void feed_start(struct feed *feed);
void feed_start_with(struct feed *feed, struct pprec_config config);
void feed_end(struct feed *feed);

/* Packet position of the train. Its sequence number is train * length + position. */
struct pprec_arrival feed_arrival(const struct feed *feed, uint32_t train, unsigned position, int64_t ns);

/* Pushes it; it must be taken. */
void feed_packet(struct feed *feed, uint32_t train, unsigned position, int64_t ns);

/* Pushes packets from to end - 1, FEED_GAP_NS apart, the train's first at ns. */
void feed_part(struct feed *feed, uint32_t train, unsigned from, unsigned end, int64_t ns);

/* Pushes all packets. */
void feed_train(struct feed *feed, uint32_t train, int64_t ns);

/* Time up to ns without arrivals. */
void feed_tick(struct feed *feed, int64_t ns);

/* The counts of the only stream. */
struct pprec_counts feed_counts(const struct feed *feed);
void feed_assert_counts(const struct feed *feed, struct pprec_counts want);

/* Train i in the order of reporting. */
void feed_assert_train(const struct feed *feed, size_t i, uint32_t number, enum pprec_verdict verdict,
                       uint32_t received, int64_t dispersion_ns);

#endif
