/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrival curve of one long train: what position against time shows beyond
 * its two ends. */
#ifndef FILTERS_CURVE_H
#define FILTERS_CURVE_H

#include "filters/noise.h"
#include "filters/sample.h"
#include "filters/teeth.h"
#include "filters/ticks.h"

#include <stdbool.h>

enum { CURVE_QUARTERS = 4, CURVE_BLOCK = 4 };

/* A level that shifts does so by a tenth at least. */
#define CURVE_SHIFT 1.1

/* So much of the mean gap is a short one. */
#define CURVE_SHORT 0.9

/* Half way, by factors, from the quarter that late stamps alone make of the ratio to the 1 of
 * what adds up at random. Of that, one train in ten has as little. */
#define CURVE_MADE_UP 0.5

/* Whole batches are counted so far. */
enum { CURVE_BATCHES_MOST = 127 };

/* Gaps are per packet of the train, ns. */
struct curve {
    unsigned packets; /* in the run of the train that was read */
    double gap_ns;    /* slope of the lower envelope: batches do not bend it */
    double lift_ns;   /* of the envelope at position 0, over the first arrival */
    double baseline;  /* packets that the envelope was read over */
    double
        tiny; /* share of gaps in the second half below a fifth of its mean, or of all gaps' where it is one batch */
    unsigned batches;                  /* that begin in the second half, if it comes in batches */
    unsigned held;                     /* packets in its last whole batches, as far back as they are alike */
    unsigned held_batches;             /* how many these are */
    double held_ns;                    /* from the start of the first to that of the one behind them */
    double quarter_ns[CURVE_QUARTERS]; /* what each quarter of the run took */
    double later_ns;                   /* where its gaps lie closest, but for the first and the last */
    double end_ns; /* gap that it ends with: of whole batches, where it comes in these, a quarter of it
                         at least (0: there are none); else the commonest of its second half */
    double
        burst_ns; /* a packet of the batches behind the first one took so long, from the end of that on ... */
    double
        pause_ns; /* ... and one of the second batch so much longer than those behind; 0: there are fewer than three */
    double last_ns;           /* the last gap */
    double longest_ns;        /* the longest */
    double row_ns;            /* the longest gap that eight and more in a row have, 0: none has; ... */
    bool row_soon;            /* ... and begins with the first gaps, as where turns are waited for */
    double last_variance_ns2; /* of the gaps of its last quarter */
    double variance_ns2;      /* of its gaps */
    double ratio;             /* variance of the means of four gaps, times four, over that of gaps; NAN:
                             there are too few */
    double short_share;       /* of gaps below CURVE_SHORT of their mean */
    double regular;           /* share of its gaps that are alike, as far as stamps can tell */
    struct ticks ticks;
    struct teeth teeth;
    unsigned knee;       /* gaps before the level shifts; 0: it does not */
    double head_gap_ns;  /* before it */
    double tail_gap_ns;  /* after it */
    double rest_gap_ns;  /* of the tail without its first gap, which may not be a whole one */
    double bucket_bytes; /* that passed before the tokens ran out */
};

/* False when no run of the train is long enough. */
bool curve_read(const struct sample *sample, const struct noise *noise, struct curve *curve);

#endif
