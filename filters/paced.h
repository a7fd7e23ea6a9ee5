/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains that their sender spread out on purpose, to see what is free (available.h): they left far
 * slower than its others do. Of capacity they say nothing that those do not say better. */
#ifndef FILTERS_PACED_H
#define FILTERS_PACED_H

#include "filters/sample.h"

#include <stdbool.h>

struct paced {
    float least_ns;       /* the shortest gap of late at which trains of large packets left */
    uint32_t large_bytes; /* the largest so far */
};

/* Every other train may leave slower by this factor, and by so much: the first packets of each
 * find caches cold. Pairs are not spread, and how they left is nothing to go by: where all long
 * trains left slower than they, it is the sender that can do no better. */
#define PACED_FACTOR 2
#define PACED_LONG_NS 2e3
#define PACED_SHORT_NS 20e3
enum { PACED_LEAST = 4 };

/* pptrans spreads none that is longer (docs/patterns.md). Where longer ones leave slower than all others a bucket in
 * front of the adapter holds these, and the sender can do no better. */
enum { PACED_MOST = 16 };

/* What left that much faster than the path is, measures the path all the same. */
#define PACED_ENOUGH 4

/* A sender that has become slower is one after some hundred trains. */
#define PACED_FORGETS 1.01f

/* Takes every train in turn. capacity_bps: as far as it is known, or 0: then nothing is known to be fast
 * enough. */
static inline bool paced_push(struct paced *paced, const struct sample *sample, double capacity_bps)
{
    double gap_ns, fast_ns, slack_ns = sample->sent < SAMPLE_LONG ? PACED_SHORT_NS : PACED_LONG_NS;

    if (sample->sent < PACED_LEAST || sample->sent > PACED_MOST || !sample_departure_known(sample))
        return false;
    gap_ns = (double)sample->departure_span_ns / (sample->sent - 1);
    fast_ns = PACED_FACTOR * (double)paced->least_ns * PACED_FORGETS; /* 0: of the first nobody knows */
    if (paced->large_bytes == 0 || sample->packet_bytes > paced->large_bytes + paced->large_bytes / 8)
        *paced = (struct paced){(float)gap_ns, sample->packet_bytes};
    paced->least_ns *= PACED_FORGETS;
    if (gap_ns < (double)paced->least_ns
        && sample->packet_bytes + paced->large_bytes / 8 >= paced->large_bytes)
        paced->least_ns = (float)gap_ns;
    return gap_ns > fast_ns + slack_ns
        && !(capacity_bps > 0 && sample->packet_bytes * 8e9 >= PACED_ENOUGH * capacity_bps * gap_ns);
}

#endif
