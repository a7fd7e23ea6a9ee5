/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic at a constant rate: as many of its packets, or a few more, in every gap of ours. It stretches trains
 * as evenly as a clock, so their mean is no link's; only where their gaps stand tells it from one. */
#ifndef FILTERS_COMB_H
#define FILTERS_COMB_H

#include "filters/readings.h"
#include "filters/shape.h"

/* What the longest trains show of it. */
struct comb {
    double apart_ns; /* of the teeth, mean; 0: there are none, or their means scatter as at random */
    double tooth_ns; /* the lowest one, mean */
    double mean_ns;  /* of all gaps of a train, but for one train */
    double ticks;    /* a shaper's ticks are so many times as likely */
    uint32_t bytes;  /* of a packet */
};

struct comb comb_read(const struct shapes *shapes, const struct readings *pairs);

/* Whether it shows on a lower tooth than the gap of so many bytes. If any was spared, those on the lowest were. */
bool comb_denies(const struct comb *comb, double gap_ns, uint32_t bytes);

/* Whether such traffic has no packet in gaps on the lowest tooth: else it would fill so much of the link that more of so many
 * first packets waited than that share. */
bool comb_spares(const struct comb *comb, double busy, unsigned waits);

/* What a bucket has if the others' packets spare the gaps on the lowest tooth, and at most: if each of these has as
 * many of them, none longer than a frame, as it would carry without ours. bit/s; 0: no more than is told. */
struct spared {
    double least_bps, most_bps;
};

/* Trains begin at the rate head_bps, and go on at told_bps. */
struct spared comb_spared(const struct comb *comb, double told_bps, double head_bps);

/* A link on which packets of others, some of one length, lie between those of trains. It has the rate of the lowest tooth at least; and
 * what is left of that without others' packets, if these are about as long as ours. bit/s; 0: nothing says so. */
struct between {
    double least_bps, guess_bps;
};

/* Where teeth are no ticks. Not asked of batches. */
struct between comb_between(const struct shapes *shapes, const struct readings *pairs);

/* How many packets come for each gap on the upper tooth, on average: as many as a batch, or a turn, has if
 * they come at the rate of the link, a gap of so many bytes apart. 1 where they do not. */
double comb_packets(const struct comb *comb, double gap_ns, uint32_t bytes);

#endif
