/* SPDX-License-Identifier: BSD-3-Clause */
/* What a handle tells when it is asked. */
#include "pprec/lib/available.h"
#include "pprec/lib/endpoint.h"
#include "pprec/lib/handle.h"
#include "pprec/lib/reach.h"
#include "pprec/lib/sized.h"

size_t pprec_streams(const struct pprec *pprec)
{
    return pprec->streams.named_count;
}

int pprec_stream_at(const struct pprec *pprec, size_t index, struct pprec_endpoint *source, uint32_t *id)
{
    if (index >= pprec->streams.named_count) /* no failure: a walk over all ends so */
        return PPREC_EINVAL;
    *source = pprec->streams.named[index]->source;
    *id = pprec->streams.named[index]->id;
    return PPREC_OK;
}

/* NULL when there is none. */
static const struct stream *results_summary_of(const struct pprec *pprec, const struct pprec_endpoint *source,
                                               uint32_t id, struct pprec_summary *summary)
{
    const struct stream *stream = handle_find_stream(pprec, source, id);

    if (stream == NULL)
        return NULL;
    stream_summary(stream, summary);
    handle_complete_summary(pprec, summary);
    return stream;
}

int pprec_get_summary_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                            struct pprec_summary *given, size_t given_bytes)
{
    struct pprec_summary summary;

    if (results_summary_of(pprec, source, id, &summary) == NULL)
        return PPREC_EINVAL;
    sized_give(given, given_bytes, &summary, sizeof summary);
    return PPREC_OK;
}

int pprec_get_interval_sized(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                             struct pprec_cursor *cursor, struct pprec_summary *given, size_t given_bytes)
{
    struct pprec_summary summary;
    const struct stream *stream = results_summary_of(pprec, source, id, &summary);

    if (stream == NULL)
        return PPREC_EINVAL;
    pprec->dropped_marked = summary.dropped_here;
    stream_interval(stream, cursor, &summary);
    sized_give(given, given_bytes, &summary, sizeof summary);
    return PPREC_OK;
}

void pprec_get_totals_sized(const struct pprec *pprec, struct pprec_totals *given, size_t given_bytes)
{
    struct pprec_totals totals = {
        .counts = pprec->gone,
        .streams = pprec->streams.count,
        .streams_gone = pprec->pushed_out,
        .foreign = pprec->intake.foreign,
        .dropped_here = pprec_dropped_here(pprec),
        .streams_idle = pprec->idled,
    };

    for (uint32_t i = 0; i < pprec->streams.count; i++)
        stream_add_counts(pprec->streams.all[i], &totals.counts);
    sized_give(given, given_bytes, &totals, sizeof totals);
}

static struct pprec_hop hop_of(const struct hop *hop, const struct tight_hop *available)
{
    return (struct pprec_hop){
        .state = (enum pprec_hop_state)hop->state,
        .trains = hop->trains,
        .capacity_bps = hop->capacity_bps,
        .low_bps = hop->low_bps,
        .high_bps = hop->high_bps,
        .available_bps = available->available_bps,
        .available_low_bps = available->low_bps,
    };
}

int pprec_get_hops_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                         struct pprec_hop *hops, size_t room, struct pprec_hops_summary *given,
                         size_t given_bytes)
{
    const struct stream *stream = handle_find_stream(pprec, source, id);
    struct hops_estimate estimate;
    struct tight_estimate tight;
    struct pprec_hops_summary summary;

    if (stream == NULL)
        return PPREC_EINVAL;
    stream_reach_tell(stream, &estimate, &tight);
    for (unsigned i = 0; i < estimate.told && i < room; i++)
        hops[i] = hop_of(&estimate.hop[i], &tight.hop[i]);
    summary = (struct pprec_hops_summary){
        .hops_count = estimate.count,
        .hops_told = estimate.told,
        .narrow_hop = estimate.narrow,
        .narrow_hop_last = estimate.narrow_last,
        .narrow_link_bps = estimate.narrow_bps,
        .why = (enum pprec_hops_why)estimate.why,
        .trains = estimate.trains,
        .newest_ns = estimate.trains > 0 ? estimate.newest_ns : PPREC_UNKNOWN_NS,
        .tight_hop = tight.tight,
        .tight_hop_last = tight.tight_last,
        .tight_link_bps = tight.tight_bps,
        .tight_why = (enum pprec_tight_why)tight.why,
        .tight_trains = tight.trains,
    };
    sized_give(given, given_bytes, &summary, sizeof summary);
    return PPREC_OK;
}

int pprec_estimate(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                   struct pprec_capacity *capacity)
{
    const struct stream *stream = handle_find_stream(pprec, source, id);

    if (stream == NULL)
        return PPREC_EINVAL;
    *capacity = stream_capacity(stream);
    return PPREC_OK;
}

int pprec_get_available(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                        struct pprec_available *available)
{
    const struct stream *stream = handle_find_stream(pprec, source, id);

    if (stream == NULL)
        return PPREC_EINVAL;
    *available = stream_available(stream);
    return PPREC_OK;
}

/* Of any: the path of the stream that told last. */
static const struct path *path_from(const struct pprec *pprec, const struct pprec_endpoint *source)
{
    const struct stream *newest = NULL;

    for (uint32_t i = 0; i < pprec->streams.count; i++) {
        const struct stream *stream = pprec->streams.all[i];

        if (stream->path != NULL && endpoint_same(&stream->source, source)
            && (newest == NULL || stream->usable_ns > newest->usable_ns))
            newest = stream;
    }
    return newest != NULL ? newest->path : NULL;
}

int pprec_path_estimate(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, struct pprec_capacity *capacity)
{
    const struct path *path;

    if (source == NULL)
        return handle_fail(pprec, PPREC_EINVAL, "NULL: want where the path comes from");
    if (handle_want_paths(pprec) < 0)
        return handle_fail(pprec, PPREC_ENOMEM, "no memory for paths");
    path = destination != NULL ? paths_find(&pprec->paths, source, destination) : path_from(pprec, source);
    if (path == NULL || path->streams == 0)
        return handle_fail(pprec, PPREC_EINVAL, "no stream comes from there to there");
    *capacity = paths_capacity(path);
    return PPREC_OK;
}

int64_t pprec_time(const struct pprec *pprec)
{
    return pprec->intake.time_ns;
}

uint64_t pprec_foreign(const struct pprec *pprec)
{
    return pprec->intake.foreign;
}

uint64_t pprec_refused(const struct pprec *pprec, enum pprec_reason reason)
{
    return (unsigned)reason < PPREC_REASONS ? pprec->intake.refused[reason] : 0;
}

size_t pprec_memory_bytes(const struct pprec *pprec)
{
    return pprec->memory.bytes;
}
