/* SPDX-License-Identifier: BSD-3-Clause */
/* What summaries do not tell of a stream's trains: how many had which verdict, and
 * how often each rate was seen. For a bounded number of streams, because whoever
 * sends to an open port can make up new ones. */
#ifndef PPREC_CMD_TALLY_H
#define PPREC_CMD_TALLY_H

#include "pprec/cmd/ration.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TALLY_VERDICTS = PPREC_VERDICT_REACH + 1,
    TALLY_BOUNDS = 22,
    /* A page of so many streams is half a megabyte, and takes 2 ms to write. */
    TALLY_PLACES = 128
};

/* Upper ends of the classes of rates: 1, 2 and 5 a decade, from 10 kbit/s to 100
 * Gbit/s. They are the same for all, or histograms of several hosts could not be
 * added up. */
extern const double tally_bounds_bps[TALLY_BOUNDS];

struct tally_place {
    struct pprec_endpoint source;
    uint32_t stream;
    bool proven;         /* a train of it had a rate */
    int64_t measured_ns; /* for how long trains have come since, of a pause 10 s at most */
    int64_t heard_ns;    /* of its last train */
    struct room rows;    /* of its share of the log */
    uint64_t verdicts[TALLY_VERDICTS];
    uint64_t rates[TALLY_BOUNDS + 1]; /* by class, the last is for what is above all */
    double rates_sum_bps;
};

struct tally {
    struct tally_place places[TALLY_PLACES];
    size_t count;
    size_t last;        /* of the last train */
    size_t of_address;  /* places that one may have; 0: all */
    uint64_t displaced; /* streams that lost their place though they were not gone */
};

/* Counts a train, at now_ns on a clock that never goes back. A new stream takes a free
 * place, or that of one that is gone; else that of a stream of which no train had a
 * rate, or that was silent for a minute, the longest silent first. What has measured
 * keeps its place for half as long as it did. Streams of one address (of IPv6, one /64)
 * have of_address places at most, and past that take their own. If none gives way it is
 * not counted: a flood of made-up streams must not push out a measurement, nor a database
 * fill with their names. */
void tally_train(struct tally *tally, const struct pprec_train *train, int64_t now_ns);

/* The stream is no more. */
void tally_end(struct tally *tally, const struct pprec_endpoint *source, uint32_t stream);

/* NULL when it has no place. */
const struct tally_place *tally_find(const struct tally *tally, const struct pprec_endpoint *source,
                                     uint32_t stream);

/* How long the stream has been measured, of the longest that any has: 1 for that one, 0 for
 * strangers, which have no place, or are in their first ten seconds. */
double tally_standing(const struct tally *tally, const struct pprec_endpoint *source, uint32_t stream,
                      int64_t now_ns);

/* Whether so many bytes are within the stream's share of a log of rate_bytes per second, which
 * is half of it by the number of streams that have lasted; then they are taken. */
bool tally_affords(struct tally *tally, const struct pprec_endpoint *source, uint32_t stream, size_t bytes,
                   double rate_bytes, int64_t now_ns);

/* Heard of within five minutes: after as long Prometheus itself forgets a series. */
bool tally_present(const struct tally_place *place, int64_t now_ns);

bool tally_same_source(const struct pprec_endpoint *a, const struct pprec_endpoint *b);

#endif
