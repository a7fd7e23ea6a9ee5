/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether trains show the rate that is told at all: it need not be that of most of them, but where nothing in them has
 * it, it is not the path's. */
#ifndef FILTERS_SHOWN_H
#define FILTERS_SHOWN_H

#include "filters/seen.h"
#include "filters/witness.h"

/* Shares of what has the rate, to 5 %; NAN: nothing is known, as without long trains. */
struct shown {
    double trains;  /* trains, along their envelopes */
    double faster;  /* those that are faster than that */
    double ends;    /* ends of the longest trains (curve.h) */
    double lasts;   /* last gaps of trains */
    double regular; /* gaps of the longest trains that are alike, whatever they are */
};

/* pairs: the size that they have. */
struct shown shown_read(const struct seen *seen, const struct floors *pairs, const struct candidate *told);

/* Trains have gaps that are alike, but hardly any of them, of their ends or their last gaps has the one told. */
bool shown_nowhere(const struct shown *shown);

/* The floors of delays are closer than the gap told, and whole trains come closer, too, though their ends do not
 * have it either: what is told was stretched, or is another link's. */
bool shown_closer(const struct shown *shown, const struct floors *pairs, const struct candidate *told);

#endif
