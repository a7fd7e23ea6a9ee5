/* SPDX-License-Identifier: BSD-3-Clause */
/* Which link is narrow: capacity hop by hop (Harfoush, Bestavros, Byers, Measuring Capacity Bandwidth
 * of Targeted Path Segments, IEEE/ACM ToN 17, 2009).
 *
 * A train of a marker, m packets of load, a marker. Markers are small and cross the whole path; the
 * load is large and dies after link j, whose router answers or not: nobody listens. Up to there the
 * load holds the markers apart, as long as the narrowest of the first j links needs for it:
 *
 *     gap = m L 8 / P_j + what is the same for any m        P_j = min(C_1 .. C_j)
 *
 * The same for any m: the head start of a small packet before large ones, link after link, what a
 * bucket lets pass at once, and the marker itself. So two values of m, and the difference of their
 * gaps. One packet and six: what other traffic may get in between is least, and the difference large.
 *
 * Cross traffic that gets in between makes gaps longer, never shorter, and a fast link that is busy
 * looks, on average, like a slow one that is idle. So no average is taken, but floors: of all
 * trains of one length the least delay of the last marker, over the least of the first ones. A floor
 * at one hop is no higher than at any behind it. What is read as fast is fast; what is read as slow
 * is slow only where the floor has been seen: several trains as close to it as chance lets them
 * be, and no higher than what all the trains that cross the whole path show, which are many more. And a
 * link stores a packet before it sends it on: one behind which gaps are not that much longer is faster.
 *
 * Pure, as filters are: no I/O, no clock, no memory of its own. */
#ifndef FILTERS_HOPS_H
#define FILTERS_HOPS_H

#include "filters/estimate.h"
#include "filters/hops_estimate.h"
#include "filters/sample.h"

#include <stddef.h>

struct hops;

/* In memory of the caller's, aligned as malloc() does. */
size_t hops_bytes(void);
void hops_init(struct hops *hops);

/* Sets the train's span, from marker to marker, where both have come; it has no rate. */
void hops_measure(struct sample *sample);

/* Takes a train whose load_hops is not 0 and that tells when it was sent; constant work. */
void hops_push(struct hops *hops, const struct sample *sample);

/* capacity: the path's, as its filter has it. A pass over the window for each hop, so for whoever asks,
 * not for every train. */
void hops_estimate(struct hops *hops, const struct estimate *capacity, struct hops_estimate *result);

#endif
