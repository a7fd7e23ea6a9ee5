/* SPDX-License-Identifier: BSD-3-Clause */
#include "flight.h"

#include <stdlib.h>

void flight_note(struct flight *flight, const struct departure *departure)
{
    uint32_t message = departure->number - flight->first_number;

    if (flight->uncertain || message >= flight->messages)
        return;
    flight->stamps += flight->stamp_ns[message] == 0;
    flight->stamp_ns[message] = departure->when.ns;
}

uint32_t flight_taken(const struct flight *flight)
{
    return flight->packets - flight->failed - flight->unsent;
}

bool flight_settled(const struct flight *flight)
{
    return flight->uncertain || flight->stamps == flight->messages;
}

static int flight_compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static void add_gap(const struct flight *flight, struct flight_spread *spread, size_t message)
{
    int64_t earlier_ns = flight->stamp_ns[message - 1], later_ns = flight->stamp_ns[message];
    int packets = flight->position[message] - flight->position[message - 1];

    if (earlier_ns != 0 && later_ns >= earlier_ns)
        spread->gap_ns[spread->gaps++] = (later_ns - earlier_ns) / packets;
}

static void measure_stamps(const struct flight *flight, struct flight_spread *spread)
{
    size_t last = flight->messages - 1;

    if (flight->uncertain || flight->messages < 2)
        return;
    for (size_t message = 1; message < flight->messages; message++)
        add_gap(flight, spread, message);
    if (spread->gaps > 0) {
        qsort(spread->gap_ns, spread->gaps, sizeof spread->gap_ns[0], flight_compare);
        spread->least_ns = spread->gap_ns[0];
        spread->median_ns = spread->gap_ns[spread->gaps / 2];
        spread->most_ns = spread->gap_ns[spread->gaps - 1];
    }
    spread->span_ns = flight->stamp_ns[last] - flight->stamp_ns[0];
    /* CLOCK_REALTIME may have been stepped back meanwhile. */
    spread->known = flight->stamp_ns[0] != 0 && flight->stamp_ns[last] != 0
        && flight->position[last] + 1U == flight->packets && spread->span_ns >= 0;
}

/* A receiver takes a train whose departure nobody told for one that left at once: a paced one
 * would look like a narrow link. */
void flight_measure(const struct flight *flight, struct flight_spread *spread)
{
    *spread = (struct flight_spread){.known = false};
    measure_stamps(flight, spread);
    if (spread->known || flight->sent_span_ns == 0)
        return;
    spread->known = true;
    spread->span_ns = flight->sent_span_ns;
}

uint32_t flight_wire_span(int64_t span_ns)
{
    return span_ns >= WIRE_SPAN_OVER ? WIRE_SPAN_OVER : (uint32_t)span_ns;
}
