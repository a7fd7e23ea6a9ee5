/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

#include "pprec/lib/assembler.h"

#include <inttypes.h>

int handle_enter(struct pprec *pprec)
{
    if (pprec->intake.entered)
        return handle_fail(pprec, PPREC_ENESTED, "called inside a callback of this handle: nothing was done");
    pprec->intake.entered = true;
    return PPREC_OK;
}

uint64_t pprec_dropped_here(const struct pprec *pprec)
{
    return pprec->intake.source != NULL ? pprec->intake.source->ops->dropped(pprec->intake.source) : 0;
}

void handle_note_dropped(struct pprec *pprec)
{
    uint64_t dropped = pprec_dropped_here(pprec);

    if (dropped != pprec->dropped_seen)
        pprec->looks_since_dropped = 0;
    pprec->dropped_unmissed += dropped - pprec->dropped_seen;
    pprec->paths.dropped_unmissed += dropped - pprec->dropped_seen;
    pprec->dropped_seen = dropped;
}

struct stream *handle_find_stream(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = source != NULL ? streams_named(&pprec->streams, source, id) : NULL;

    if (stream == NULL)
        error_set(pprec->why, "there is no stream %08" PRIx32 " of that source", id);
    return stream;
}

void handle_begin_file(struct pprec *pprec, uint32_t file)
{
    pprec->settings.file = file;
}

void handle_complete_summary(const struct pprec *pprec, struct pprec_summary *summary)
{
    summary->foreign = pprec->intake.foreign;
    summary->dropped_here = pprec_dropped_here(pprec);
}

void handle_end_stream(const struct pprec *pprec, struct stream *stream)
{
    struct pprec_summary summary;

    assembler_finish(&stream->assembler);
    paths_note_losses(stream);
    stream_summary(stream, &summary);
    handle_complete_summary(pprec, &summary);
    if (pprec->on_summary != NULL)
        pprec->on_summary(pprec->settings.user, &summary);
}

void handle_number_stream(struct pprec *pprec, struct stream *stream, uint64_t dropped_here)
{
    stream->number = ++pprec->begun;
    stream->begun_foreign = pprec->intake.foreign;
    stream->begun_dropped = dropped_here;
}

int handle_want_paths(struct pprec *pprec)
{
    struct streams *streams = &pprec->streams;

    if (paths_wanted(&pprec->paths) && !pprec->paths.busy)
        return 0;
    if (pprec->paths.busy
        || paths_start(&pprec->paths, &pprec->settings, streams->bounds.streams, &pprec->hash,
                       &streams->now_ns)
            < 0)
        return PPREC_ENOMEM;
    for (uint32_t i = 0; i < streams->count; i++)
        paths_join(&pprec->paths, streams->all[i], &streams->all[i]->destination);
    return 0;
}
