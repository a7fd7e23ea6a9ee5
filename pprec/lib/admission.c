/* SPDX-License-Identifier: BSD-3-Clause */
#include "admission.h"

#include "pprec/lib/handle.h"

/* A stream that never gave a usable train goes without a word but is counted. */
static void admission_let_go(struct pprec *pprec, struct stream *stream)
{
    if (stream->rank > 0)
        handle_end_stream(pprec, stream);
    paths_leave(stream); /* who is told may ask for totals */
    stream_add_counts(stream, &pprec->gone);
    streams_remove(&pprec->streams, stream);
}

/* False when nobody gives way. */
static bool push_out(struct pprec *pprec, struct stream *surplus)
{
    if (surplus == NULL)
        return false;
    admission_let_go(pprec, surplus);
    pprec->pushed_out++;
    return true;
}

static int refuse_for(struct pprec *pprec, const struct pprec_arrival *arrival, enum pprec_reason reason)
{
    pprec->intake.refused[reason]++;
    return handle_fail(pprec, PPREC_EREFUSED, "stream %08x: refused for want of room (%s)", arrival->stream,
                       pprec_reason_name(reason));
}

/* Makes memory, where it is the handle's bound that is short of it; not of keep. What paths know
 * beyond their streams goes first. */
static bool make_memory(struct pprec *pprec, const struct stream *keep)
{
    return memory_denied(&pprec->settings.memory)
        && (paths_give_up(&pprec->paths) || push_out(pprec, streams_surplus(&pprec->streams, keep)));
}

/* PPREC_ENOMEM, or why there is none for this arrival. */
static int admission_no_memory(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    return memory_denied(&pprec->settings.memory) ? refuse_for(pprec, arrival, PPREC_REASON_MEMORY)
                                                  : PPREC_ENOMEM;
}

static int add_stream(struct pprec *pprec, const struct pprec_arrival *arrival, struct stream **added)
{
    struct streams *streams = &pprec->streams;

    if (streams_crowded(streams, &arrival->source)
        && !push_out(pprec, streams_surplus_of(streams, &arrival->source)))
        return refuse_for(pprec, arrival, PPREC_REASON_CROWD);
    if (streams_full(streams) && !push_out(pprec, streams_surplus(streams, NULL)))
        return refuse_for(pprec, arrival, PPREC_REASON_ROOM);
    do
        *added = streams_add(streams, arrival);
    while (*added == NULL && make_memory(pprec, NULL));
    if (*added == NULL)
        return admission_no_memory(pprec, arrival);
    handle_number_stream(pprec, *added, pprec->dropped_marked);
    if (paths_wanted(&pprec->paths))
        paths_join(&pprec->paths, *added, &arrival->destination);
    return PPREC_OK;
}

int admission_take(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    struct stream *stream = streams_find(&pprec->streams, &arrival->source, arrival->stream, arrival->kind);
    int status = stream != NULL ? PPREC_OK : add_stream(pprec, arrival, &stream);
    uint64_t packets;

    if (status < 0)
        return status;
    stream->counted = pprec->intake.counted;
    packets = stream->counts.packets;
    do
        status = stream_push(stream, arrival);
    while (status == PPREC_ENOMEM && make_memory(pprec, stream));
    streams_touch(&pprec->streams, stream); /* it may have risen just now */
    if (stream->path != NULL)
        paths_take(stream, arrival, status, stream->counts.packets - packets);
    return status == PPREC_ENOMEM ? admission_no_memory(pprec, arrival) : status;
}

void admission_end_idle(struct pprec *pprec)
{
    struct stream *idle;

    while ((idle = streams_idle(&pprec->streams)) != NULL) {
        admission_let_go(pprec, idle);
        pprec->idled++;
    }
}
