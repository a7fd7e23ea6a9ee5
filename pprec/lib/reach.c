/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/reach.h"

#include "filters/available.h"
#include "filters/hops.h"
#include "filters/tight.h"
#include "pprec/lib/available.h"
#include "pprec/lib/stream_state.h"
#include "pprec/lib/stream_told.h"

#include <stddef.h>

/* Made-up streams must not get that memory each. */
enum { TRAINS_BEFORE_HOPS = 8 };

/* A stream that is silent for as long keeps its answer, but not its trains, when another has some. */
#define SILENT_NS (10 * STAMP_NS_PER_S)

/* What is narrow is told by trains that left back to back, what is tight by those that were paced. */
struct stream_reach {
    struct tight *tight;      /* once a train was paced, and there was room; else NULL */
    bool paced;               /* there was such a train */
    bool answered;            /* there is an answer, which stands until a train comes */
    uint64_t answered_trains; /* of the stream, when it was made */
    struct hops_estimate hops_answer;
    struct tight_estimate tight_answer;
    _Alignas(max_align_t) char hops[];
};

static struct hops *hops_of(const struct stream_reach *reach)
{
    return (struct hops *)(void *)(uintptr_t)reach->hops;
}

static void prepare(struct stream *stream)
{
    const struct memory *memory = &stream->settings->memory;
    size_t bytes = sizeof *stream->reach + hops_bytes();

    if (stream->reach != NULL || stream->counts.trains < TRAINS_BEFORE_HOPS || !memory_plenty(memory, bytes))
        return;
    stream->reach = memory_get(memory, bytes);
    if (stream->reach != NULL)
        hops_init(hops_of(stream->reach));
}

static void answer_tight(const struct stream *stream, const struct estimate *capacity)
{
    struct stream_reach *reach = stream->reach;
    struct available_estimate available;

    reach->tight_answer = (struct tight_estimate){.why = reach->paced ? TIGHT_WHY_ROOM : TIGHT_WHY_NONE};
    if (reach->tight == NULL)
        return;
    stream_available_read(stream, &available);
    tight_estimate(reach->tight, capacity, &available, &reach->hops_answer, &reach->tight_answer);
}

/* It is much work, and a page of metrics asks for each of its families. */
static void answer_once(const struct stream *stream)
{
    struct stream_reach *reach = stream->reach;
    struct estimate capacity;

    if (reach->answered && reach->answered_trains == stream->counts.trains)
        return;
    capacity = stream_estimate(stream);
    hops_estimate(hops_of(reach), &capacity, &reach->hops_answer);
    answer_tight(stream, &capacity);
    reach->answered_trains = stream->counts.trains;
    reach->answered = true;
}

/* Times may be anything. */
static bool is_silent(const struct stream *stream, int64_t now_ns)
{
    return stream->last_ns < now_ns && (uint64_t)now_ns - (uint64_t)stream->last_ns > SILENT_NS;
}

/* A free one, or that of the stream that has been silent for the longest time; NULL if none has for long. */
static struct stream **find_place(const struct stream *stream)
{
    struct stream **places = stream->settings->tight, **silent = places;

    for (unsigned i = 0; i < STREAM_TIGHT_MOST; i++) {
        if (places[i] == NULL)
            return &places[i];
        if (places[i]->last_ns < (*silent)->last_ns)
            silent = &places[i];
    }
    return is_silent(*silent, stream->last_ns) ? silent : NULL;
}

static void leave_place(struct stream **place)
{
    struct stream *stream = *place;

    *place = NULL;
    if (stream == NULL)
        return;
    answer_once(stream);
    memory_put(&stream->settings->memory, stream->reach->tight);
    stream->reach->tight = NULL;
}

static void prepare_tight(struct stream *stream)
{
    const struct memory *memory = &stream->settings->memory;
    struct stream **place;

    if (stream->reach->tight != NULL || (place = find_place(stream)) == NULL)
        return;
    leave_place(place);
    if (memory_plenty(memory, tight_bytes()))
        stream->reach->tight = memory_get(memory, tight_bytes());
    if (stream->reach->tight == NULL)
        return;
    tight_init(stream->reach->tight);
    *place = stream;
}

static void push_paced(struct stream *stream, const struct sample *sample)
{
    stream->reach->paced = true;
    prepare_tight(stream);
    if (stream->reach->tight != NULL)
        tight_push(stream->reach->tight, sample);
}

void stream_reach_push(struct stream *stream, struct sample *sample)
{
    stream->located = true;
    if (sample->verdict == VERDICT_OK)
        sample->verdict = VERDICT_REACH;
    if (sample->verdict == VERDICT_REACH)
        hops_measure(sample);
    prepare(stream);
    if (stream->reach == NULL)
        return;
    if (tight_takes(sample))
        push_paced(stream, sample);
    else
        hops_push(hops_of(stream->reach), sample);
}

void stream_reach_reset(struct stream *stream)
{
    stream->located = false;
    if (stream->reach == NULL)
        return;
    hops_init(hops_of(stream->reach));
    stream->reach->paced = stream->reach->answered = false;
    if (stream->reach->tight != NULL)
        tight_init(stream->reach->tight);
}

void stream_reach_fini(struct stream *stream)
{
    if (stream->reach == NULL)
        return;
    for (unsigned i = 0; i < STREAM_TIGHT_MOST; i++)
        if (stream->settings->tight[i] == stream)
            stream->settings->tight[i] = NULL;
    memory_put(&stream->settings->memory, stream->reach->tight);
    memory_put(&stream->settings->memory, stream->reach);
}

static enum hops_why why_nothing(const struct stream *stream)
{
    if (!stream->located)
        return HOPS_WHY_NONE;
    return stream->counts.trains < TRAINS_BEFORE_HOPS ? HOPS_WHY_FEW_TRAINS : HOPS_WHY_ROOM;
}

void stream_reach_tell(const struct stream *stream, struct hops_estimate *hops, struct tight_estimate *tight)
{
    *hops = (struct hops_estimate){.why = why_nothing(stream)};
    *tight = (struct tight_estimate){.why = TIGHT_WHY_NONE};
    if (stream->reach == NULL)
        return;
    answer_once(stream);
    *hops = stream->reach->hops_answer;
    *tight = stream->reach->tight_answer;
}
