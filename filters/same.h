/* SPDX-License-Identifier: BSD-3-Clause */
/* When two gaps are the same: the comparison, and the shares that several stages ask for, side by side. */
#ifndef FILTERS_SAME_H
#define FILTERS_SAME_H

#include <math.h>
#include <stdbool.h>

/* Within a share of the second one, and what noise makes of their difference. */
static inline bool same_gap(double a_ns, double b_ns, double share, double noise_ns)
{
    return fabs(a_ns - b_ns) <= share * b_ns + noise_ns;
}

/* Where gaps show the noise already, the greater of the two counts, not their sum. */
static inline double same_reach(double gap_ns, double share, double noise_ns)
{
    return fmax(share * gap_ns, noise_ns);
}

/* How much a number is above the nearest whole one, or below. */
static inline double same_off_whole(double value)
{
    return value - round(value);
}

/* Of one train. */
#define SAME_COMMON 0.01   /* as its commonest gap */
#define SAME_EVEN 0.02     /* as its mean, where nothing got in between ... */
#define SAME_EVEN_MOST 0.1 /* ... and stamps make no more of it: a small packet must show */
#define SAME_HALVES 0.25   /* of gaps that a train ends with, as those before */
#define SAME_LINE 0.04     /* slope at ticks, from end to end: no bucket within 5 % */

/* Of several trains. */
#define SAME_REGULAR 0.01  /* trains of even gaps: once in a while a host is late at an end */
#define SAME_QUARTERS 0.04 /* mean gaps of quarters: a quarter moves the whole by a hundredth */
#define SAME_ENDS 0.05     /* ends of short trains, or whole ones, and pairs */
#define SAME_WAYS 0.01     /* from end to end and along the envelope */

/* Of pairs. */
#define SAME_PAIRS 0.007     /* at the least ... */
#define SAME_PAIRS_MOST 0.03 /* ... half of what one 64-byte packet does to a gap of 1000 bytes */
#define SAME_AGREED 0.005    /* where nearly all agree; at the least ... */
#define SAME_AGREED_MOST 0.04
#define SAME_AGREED_TRAINS 0.01 /* ... and of whole trains: a late host spreads them that far */
#define SAME_NEAR 0.1           /* of a few bytes less */
#define SAME_SIZES 0.1          /* of other sizes, in proportion, to a layer's overhead */
#define SAME_PROPORTION 0.05    /* of smaller ones, in proportion, where size is all that counts */
#define SAME_WAIT 0.2           /* as the longest wait for one of the others' packets */

/* Of pairs and trains, or of two ways to the same rate. */
#define SAME_RIGHT 0.05 /* what is told is right to that, or wrong */
#define SAME_RATE 0.02
#define SAME_MEANS 0.03   /* of pairs and trains, beyond their errors */
#define SAME_FAR 0.04     /* further than any host's timers scatter */
#define SAME_FLOORS 0.05  /* distance of the delays' floors and a gap at ticks */
#define SAME_UNTURNED 0.1 /* means, where turns would spare pairs a packet; a late host, too */

#endif
