/* SPDX-License-Identifier: BSD-3-Clause */
#include "burst.h"

#include "common/stamp.h"
#include "filters/dispersion.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/push.h"

/* A burst that takes more of the time until the next one than this looks paced.
 * It may be the path that is nearly full, too: then "at least" is still true. */
#define PACED_SHARE 0.6

/* A packet later than this, or before the last one, shows a clock that was set. */
#define GAP_MOST_NS (2 * STAMP_NS_PER_S)

/* Packets leave together where the pauses between them are alike to this; what is shorter than a
 * host's own hold-ups is no pause. */
#define PAUSE_TIMES 4
#define PAUSE_LEAST_NS STAMP_NS_PER_MS

/* A quarter of the pauses, lately, were none. */
enum { CLOSE_COUNTS = 3, CLOSE_OFTEN = 9, CLOSE_MOST = 24 };

/* What came alone was no train. */
static struct burst_past last_train(const struct burst *burst)
{
    if (burst->position == 0)
        return burst->past;
    return (struct burst_past){true, burst->train, burst->first.received.ns,
                               burst->last_ns - burst->first.received.ns};
}

static void count_alone(struct burst *burst, struct pprec *pprec)
{
    if (burst->started && handle_count_alone(pprec, &burst->first, burst->alone))
        burst->alone = 0;
}

void burst_begin(struct burst *burst, struct pprec *pprec, const struct pprec_arrival *arrival)
{
    burst->past = last_train(burst);
    burst->first = *arrival;
    burst->last_ns = arrival->received.ns;
    burst->departed_ns = arrival->departed_ns;
    burst->pause_ns = PPREC_UNKNOWN_NS;
    burst->position = 0;
    burst->open = true;
    burst->alone += burst->alone < INT32_MAX;
    count_alone(burst, pprec);
}

/* A flow that was forgotten and came back goes on where its stream stands. */
static void burst_start(struct burst *burst, const struct pprec *pprec)
{
    const struct pprec_arrival *first = &burst->first;
    struct streams_numbers numbers;

    burst->started = true;
    if (!handle_tell_numbers(pprec, &first->source, first->stream, first->kind, &numbers))
        return;
    burst->train = numbers.train + 1;
    burst->number = numbers.next_seq;
}

static int burst_push(struct burst *burst, struct pprec *pprec, struct pprec_arrival *arrival)
{
    arrival->kind = burst->first.kind;
    arrival->stream = burst->first.stream;
    arrival->train = burst->train;
    arrival->seq = burst->number++;
    arrival->position = burst->position;
    arrival->train_length = 0;
    arrival->sent_ns = burst->first.departed_ns; /* when it began to leave */
    if (burst->told) {
        arrival->departure_train = burst->told_train;
        arrival->departure_span_ns = burst->told_span_ns;
    }
    return handle_push(pprec, arrival);
}

static int64_t pause_before(const struct burst *burst, const struct pprec_arrival *arrival)
{
    if (burst->departed_ns == PPREC_UNKNOWN_NS || arrival->departed_ns == PPREC_UNKNOWN_NS)
        return PPREC_UNKNOWN_NS;
    return arrival->departed_ns - burst->departed_ns;
}

static void note_pause(struct burst *burst, const struct pprec_arrival *arrival)
{
    int64_t pause_ns = pause_before(burst, arrival);

    if (pause_ns > burst->pause_ns)
        burst->pause_ns = pause_ns;
    burst->departed_ns = arrival->departed_ns;
}

static void note_close(struct burst *burst, bool close)
{
    if (close)
        burst->close = (uint8_t)(burst->close < CLOSE_MOST ? burst->close + CLOSE_COUNTS : burst->close);
    else
        burst->close = (uint8_t)(burst->close - (burst->close > 0));
}

/* A sender that paces evenly leaves no packets together; one that paces by a tick does. */
bool burst_left_with(struct burst *burst, const struct pprec_arrival *arrival)
{
    int64_t pause_ns = pause_before(burst, arrival);

    if (pause_ns == PPREC_UNKNOWN_NS)
        return true;
    note_close(burst, pause_ns < PAUSE_LEAST_NS);
    if (burst->close >= CLOSE_OFTEN && pause_ns >= PAUSE_LEAST_NS)
        return false;
    return burst->pause_ns == PPREC_UNKNOWN_NS
        || (pause_ns <= PAUSE_TIMES * burst->pause_ns + PAUSE_LEAST_NS
            && burst->pause_ns <= PAUSE_TIMES * pause_ns + PAUSE_LEAST_NS);
}

/* Time has passed with it already, as it came. */
static int push_first(struct burst *burst, struct pprec *pprec)
{
    bool late = intake_of(pprec)->late;
    int status;

    intake_of(pprec)->late = true;
    status = burst_push(burst, pprec, &burst->first);
    intake_of(pprec)->late = late;
    return status;
}

int burst_join(struct burst *burst, struct pprec *pprec, struct pprec_arrival *arrival)
{
    int status = PPREC_OK;

    if (burst->position == 0) {
        if (!burst->started)
            burst_start(burst, pprec);
        burst->train++;
        status = push_first(burst, pprec);
        burst->alone--;
        count_alone(burst, pprec);
    }
    burst->position++;
    burst->gap_before_ns = burst->position > 1 ? burst->gap_ns : 0;
    burst->gap_ns = arrival->received.ns - burst->last_ns;
    burst->last_ns = arrival->received.ns;
    note_pause(burst, arrival);
    return status < 0 ? status : burst_push(burst, pprec, arrival);
}

/* Encoders split a frame into packets that differ by a few bytes, and headers have extensions now
 * and then. */
static bool same_size(uint32_t a, uint32_t b)
{
    return (a > b ? a - b : b - a) <= b / DISPERSION_SIZES;
}

bool burst_fits(const struct burst *burst, const struct pprec_arrival *arrival)
{
    int64_t gap_ns = arrival->received.ns - burst->last_ns;

    return burst->open && gap_ns >= 0 && gap_ns <= GAP_MOST_NS
        && same_size(arrival->payload_bytes, burst->first.payload_bytes)
        && arrival->header_bytes == burst->first.header_bytes && burst->position + 1 < ASSEMBLER_TRAIN_MAX;
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
    struct burst_past last = last_train(burst);

    if (!last.known)
        return;
    burst->told = true;
    burst->told_train = last.train;
    burst->told_span_ns = span_ns < 0 ? 0 : span_ns;
}

bool burst_looks_paced(const struct burst *burst, int64_t next_ns)
{
    struct burst_past last = last_train(burst);

    return last.known && (double)last.span_ns > PACED_SHARE * (double)(next_ns - last.first_ns);
}

bool burst_left_as_one(const struct burst *burst)
{
    return burst->position > 1 && burst->pause_ns == 0;
}

int64_t burst_span_ns(const struct burst *burst)
{
    return last_train(burst).span_ns;
}
