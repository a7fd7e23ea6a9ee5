/* SPDX-License-Identifier: BSD-3-Clause */
/* Which link is tight: what is free hop by hop. docs/locate.md explains it.
 *
 * A train is paced: m + 2 packets of one size, each as far from the one before it, at a rate R. All but the first
 * and the last, the markers, die after link j. Where R exceeds what one of the first j links has free, they queue
 * there, and the second marker comes later by that queue:
 *
 *     out - in = in (R - A) / C'          A, C': free of that link, and its capacity
 *
 * (A small marker would overtake what the last packet of load takes to be stored at each link: it is as large.)
 * Behind link j there are but two markers, too far apart to load anything: on average their gap stays. So the
 * rate from which on trains are held up, by the hop at which their load dies, is A_j, the least available
 * capacity of the first j links. It falls from hop to hop, and the tight link is where it falls last.
 *
 * Pure, as filters are: no I/O, no clock, no memory of its own. */
#ifndef FILTERS_TIGHT_H
#define FILTERS_TIGHT_H

#include "filters/available_estimate.h"
#include "filters/estimate.h"
#include "filters/sample.h"
#include "filters/tight_estimate.h"

#include <stdbool.h>
#include <stddef.h>

struct tight;

/* In memory of the caller's, aligned as malloc() does. */
size_t tight_bytes(void);
void tight_init(struct tight *tight);

/* Whether a train whose load_hops is not 0 is one of these: others have smaller markers. */
bool tight_takes(const struct sample *sample);

/* Takes one of them, with its span as hops_measure() sets it; constant work. */
void tight_push(struct tight *tight, const struct sample *sample);

/* capacity, available: of the whole path; hops: by trains that left back to back. For whoever asks, not for every
 * train: it tries TIGHT_LEVELS rates on each train of the window. */
void tight_estimate(struct tight *tight, const struct estimate *capacity,
                    const struct available_estimate *available, const struct hops_estimate *hops,
                    struct tight_estimate *result);

#endif
