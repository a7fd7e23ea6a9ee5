/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/available.h"

#include "filters/available.h"
#include "pprec/lib/stream_state.h"
#include "pprec/lib/stream_told.h"

#include <stddef.h>

#define LATELY_NS STAMP_NS_PER_S

_Static_assert(PPREC_AVAILABLE_UNKNOWN == (int)AVAILABLE_UNKNOWN, "states");
_Static_assert(PPREC_AVAILABLE_TENTATIVE == (int)AVAILABLE_TENTATIVE, "states");
_Static_assert(PPREC_AVAILABLE_AT_LEAST == (int)AVAILABLE_AT_LEAST, "states");
_Static_assert(PPREC_AVAILABLE_CONVERGED == (int)AVAILABLE_CONVERGED, "states");

/* A block of its own: most streams never have one. */
struct stream_free {
    bool asked; /* since the last train: the answer stands */
    bool answered;
    struct available_estimate answer;
    int64_t answered_ns; /* as of the train that came then, ... */
    int64_t newest_ns;   /* ... and of the last one */
    _Alignas(max_align_t) char state[];
};

/* Its window is one of time: that of the filter, which users set for capacity, may be far too short. */
static unsigned available_window_of(const struct stream *stream)
{
    unsigned window = stream->settings->window;

    return window > FILTER_WINDOW_DEFAULT ? window : FILTER_WINDOW_DEFAULT;
}

static bool tells_departures(const struct pprec_arrival *arrival)
{
    return arrival->sent_ns != PPREC_UNKNOWN_NS;
}

/* Ten thousand streams that come and go are not to cost what as many that stay do. */
static bool has_come_to_stay(const struct stream *stream)
{
    return stream->settings->whole_window
        || (stream->window == stream->settings->window
            && stream->counts.trains + ASSEMBLER_SLOTS >= STREAM_WINDOW_FIRST);
}

void stream_available_prepare(struct stream *stream, const struct pprec_arrival *arrival)
{
    const struct memory *memory = &stream->settings->memory;
    size_t bytes;

    if (stream->available != NULL || !tells_departures(arrival) || !has_come_to_stay(stream))
        return;
    bytes = sizeof *stream->available + available_bytes(available_window_of(stream));
    if (memory_plenty(memory, bytes))
        stream->available = memory_get(memory, bytes);
    if (stream->available != NULL)
        stream_available_reset(stream);
}

void stream_available_push(struct stream *stream, const struct sample *sample)
{
    if (stream->available == NULL)
        return;
    available_push(stream->available->state, sample);
    stream->available->newest_ns = sample->time_ns;
    stream->available->asked = false;
}

void stream_available_reset(struct stream *stream)
{
    if (stream->available == NULL)
        return;
    available_init(stream->available->state, available_window_of(stream));
    stream->available->asked = stream->available->answered = false;
}

void stream_available_fini(struct stream *stream)
{
    memory_put(&stream->settings->memory, stream->available);
}

static const struct available_estimate *available_ask(const struct stream *stream)
{
    struct stream_free *available = stream->available;
    struct estimate capacity;

    if (!available->asked) {
        capacity = stream_estimate(stream);
        available_estimate(available->state, &capacity, &available->answer);
        available->asked = available->answered = true;
        available->answered_ns = available->newest_ns;
    }
    return &available->answer;
}

static struct pprec_available available_told(const struct available_estimate *answer)
{
    return (struct pprec_available){
        .state = (enum pprec_available_state)answer->state,
        .available_bps = answer->available_bps,
        .low_bps = answer->low_bps,
        .high_bps = answer->high_bps,
        .queue_ns = answer->queue_ns,
        .queue_p95_ns = answer->queue_p95_ns,
        .buffer_bytes = answer->buffer_bytes,
        .buffer_full = answer->buffer_full,
        .lossless_train = answer->lossless_train,
        .trains = answer->trains,
        .newest_ns = answer->trains > 0 ? answer->newest_ns : PPREC_UNKNOWN_NS,
    };
}

static const struct pprec_available nothing = {
    .queue_ns = PPREC_UNKNOWN_NS, .queue_p95_ns = PPREC_UNKNOWN_NS, .newest_ns = PPREC_UNKNOWN_NS};

struct pprec_available stream_available(const struct stream *stream)
{
    return stream != NULL && stream->available != NULL ? available_told(available_ask(stream)) : nothing;
}

void stream_available_read(const struct stream *stream, struct available_estimate *result)
{
    *result = (struct available_estimate){.queue_ns = SAMPLE_UNKNOWN_NS, .queue_p95_ns = SAMPLE_UNKNOWN_NS};
    if (stream->available != NULL)
        *result = *available_ask(stream);
}

static bool is_recent(const struct stream_free *available)
{
    return available->answered && available->newest_ns >= available->answered_ns
        && available->newest_ns - available->answered_ns < LATELY_NS;
}

struct pprec_available stream_available_lately(const struct stream *stream)
{
    if (stream != NULL && stream->available != NULL && is_recent(stream->available))
        return available_told(&stream->available->answer);
    return stream_available(stream);
}
