/* SPDX-License-Identifier: BSD-3-Clause */
#include "burst.h"

#include "common/stamp.h"
#include "pprec/lib/handle.h"

/* A burst that takes more of the time until the next one than this looks paced.
 * It may be the path that is nearly full, too: then "at least" is still true. */
#define PACED_SHARE 0.6

/* A packet later than this, or before the last one, shows a clock that was set. */
#define GAP_MOST_NS (2 * STAMP_NS_PER_S)

void burst_begin(struct burst *burst, const struct pprec_arrival *arrival)
{
    burst->first = *arrival;
    burst->last_ns = arrival->received.ns;
    burst->position = 0;
    burst->open = true;
}

/* A flow that was forgotten and came back goes on where its stream stands. */
static void start(struct burst *burst, const struct pprec *pprec)
{
    const struct stream *stream = streams_find(&pprec->streams, &burst->first.source,
                                               burst->first.stream);

    burst->started = true;
    if (stream == NULL)
        return;
    burst->train = stream->assembler.newest + 1;
    burst->number = stream->assembler.next_seq;
}

static void push(struct burst *burst, struct pprec *pprec, struct pprec_arrival *arrival)
{
    arrival->kind = burst->first.kind;
    arrival->stream = burst->first.stream;
    arrival->train = burst->train;
    arrival->seq = burst->number++;
    arrival->position = burst->position;
    arrival->train_length = 0;
    if (burst->told) {
        arrival->departure_train = burst->told_train;
        arrival->departure_span_ns = burst->told_span_ns;
    }
    handle_push(pprec, arrival);
}

void burst_join(struct burst *burst, struct pprec *pprec, const struct pprec_arrival *arrival)
{
    struct pprec_arrival copy = *arrival;

    if (burst->position == 0) {
        if (!burst->started)
            start(burst, pprec);
        burst->train++;
        push(burst, pprec, &burst->first);
    }
    burst->position++;
    burst->last_ns = arrival->received.ns;
    push(burst, pprec, &copy);
}

bool burst_fits(const struct burst *burst, const struct pprec_arrival *arrival)
{
    int64_t gap_ns = arrival->received.ns - burst->last_ns;

    return burst->open && gap_ns >= 0 && gap_ns <= GAP_MOST_NS
        && arrival->payload_bytes == burst->first.payload_bytes
        && arrival->header_bytes == burst->first.header_bytes
        && burst->position + 1 < ASSEMBLER_TRAIN_MAX;
}

void burst_end(struct burst *burst)
{
    burst->open = false;
}

void burst_lose(struct burst *burst, uint32_t packets)
{
    burst->number += packets;
}

void burst_tell_departure(struct burst *burst, int64_t span_ns)
{
    if (burst->position == 0)
        return; /* it was no train */
    burst->told = true;
    burst->told_train = burst->train;
    burst->told_span_ns = span_ns < 0 ? 0 : span_ns;
}

bool burst_looks_paced(const struct burst *burst, int64_t next_ns)
{
    return burst->position > 0
        && (double)burst_span_ns(burst)
            > PACED_SHARE * (double)(next_ns - burst->first.received.ns);
}

int64_t burst_span_ns(const struct burst *burst)
{
    return burst->last_ns - burst->first.received.ns;
}
