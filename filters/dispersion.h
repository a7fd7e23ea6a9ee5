/* SPDX-License-Identifier: BSD-3-Clause */
/* From the arrivals of a train to its rate. */
#ifndef FILTERS_DISPERSION_H
#define FILTERS_DISPERSION_H

#include "filters/sample.h"

/* What arrives within 10 % of how it left was not spread by the path: its rate is the sender's. */
#define LIMITED_RATIO 1.1

/* Packets of one train differ by so small a share of the first, 1.6 %, at most. */
enum { DISPERSION_SIZES = 64 };

/* Sets gaps, span_bytes, span_ns and rate_bps from the sample's packets, and
 * the verdict from what can be told of one train alone. A verdict other than
 * VERDICT_OK that is already set stays.
 *
 * A whole train reads as in the paper, section 5: the bytes of all packets but
 * the first over the time from first to last. Otherwise the same is summed over
 * its runs of packets that arrived one directly after the other, so that a lost,
 * doubled or overtaken packet takes away the gaps it touches and no more. */
void dispersion_measure(struct sample *sample);

/* Whether the rate may be used for capacity. */
bool dispersion_usable(const struct sample *sample);

#endif
