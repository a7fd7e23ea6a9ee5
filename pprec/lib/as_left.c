/* SPDX-License-Identifier: BSD-3-Clause */
#include "as_left.h"

#include "filters/dispersion.h"

#include <stdbool.h>

/* The kernel stamps a departure for the sender and for a capture at two places, and interrupts come between: on veth
 * at 0.1 to 2 Gbit/s the two spans differed by 0.2 to 9.6 us, whatever the length of the train (249 trains). Of a span
 * of ten times as much this is no more than what is called as it left. */
enum { STAMPED_NS = 10000, SPAN_LEAST_NS = 10 * STAMPED_NS };

/* From handing a train over to its first packet's stamp; two clocks that nobody set alike differ by more. */
enum { NEAR_NS = 1000000 };

static bool tells(const struct sample *sample)
{
    return sample->received == sample->sent && sample->gaps > 0 && sample->packets[0].position == 0
        && sample->sent_ns != SAMPLE_UNKNOWN_NS && sample_departure_known(sample)
        && sample->departure_span_ns >= SPAN_LEAST_NS;
}

static bool came_as_left(const struct sample *sample)
{
    double left_ns = (double)sample->departure_span_ns, more_ns = (double)sample->span_ns - left_ns;
    double most_ns = left_ns * (LIMITED_RATIO - 1) + STAMPED_NS;

    return more_ns <= most_ns && more_ns >= -most_ns;
}

void as_left_note(struct pprec_capture_counts *counts, const struct sample *sample)
{
    int64_t delay_ns = sample_difference_ns(sample->time_ns, sample->sent_ns);

    if (!tells(sample))
        return;
    counts->departed++;
    counts->as_left += came_as_left(sample);
    counts->at_once += delay_ns >= 0 && delay_ns < NEAR_NS;
}
