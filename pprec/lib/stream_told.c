/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream_told.h"

/* A sender of media does not choose its trains. What it can do is to send a frame at once. */
static void advise_media(enum pprec_kind kind, struct estimate *estimate)
{
    if (kind != PPREC_KIND_RTP && kind != PPREC_KIND_SRT)
        return;
    if (estimate->advice == ADVICE_SEND_MIX || estimate->advice == ADVICE_SEND_LONGER_TRAINS)
        estimate->advice = ADVICE_SEND_BURSTS;
}

/* Of frames that lose as many, what is left comes at the pace of the queue that dropped the rest. */
#define LOST_MOST 0.1

/* Frames that come at one pace look as if their sender had spaced them, where a link that they overload does. */
static void tell_lost_media(const struct stream *stream, struct estimate *estimate)
{
    double lost = (double)stream->counts.lost, sent = (double)stream->counts.packets + lost;

    if (estimate->state != STATE_SENDER_LIMITED || estimate->why != WHY_SENDER || lost <= LOST_MOST * sent)
        return;
    estimate->why = WHY_LOSSES;
    estimate->advice = ADVICE_SEND_LESS;
}

/* The estimate as it is told. How the packets of other flows left is not known, except for SRT's pairs, and
 * for RTP with send times. So rates that agree may come from a sender that paces. */
static struct estimate stream_as_told(const struct stream *stream, struct estimate estimate)
{
    if (stream->frames != NULL) {
        frames_tell(stream->frames, &estimate);
        tell_lost_media(stream, &estimate);
    }
    if (estimate_is_sure(&estimate) && stream->kind == PPREC_KIND_FLOW) {
        estimate_doubt(&estimate);
        estimate.why = WHY_NO_SEND_TIMES;
        estimate.advice = ADVICE_SEND_TIMES;
    }
    advise_media(stream->kind, &estimate);
    return estimate;
}

struct estimate stream_estimate(const struct stream *stream)
{
    return stream_as_told(stream, stream->estimate);
}

/* The number of flows that take turns with ours, rounded; 0: not known. */
static uint32_t stream_flows_of(const struct estimate *estimate)
{
    double turns = estimate->share_bps > 0 ? estimate->capacity_bps / estimate->share_bps : 0;

    return turns >= 1.5 && turns < UINT32_MAX ? (uint32_t)(turns - 0.5) : 0;
}

struct pprec_capacity stream_capacity_of(const struct estimate *estimate)
{
    return (struct pprec_capacity){
        .state = (enum pprec_state)estimate->state,
        .capacity_bps = estimate->capacity_bps,
        .low_bps = estimate->low_bps,
        .high_bps = estimate->high_bps,
        .peak_bps = estimate->peak_bps,
        .burst_bytes = estimate->burst_bytes,
        .share_bps = estimate->share_bps,
        .policed_bps = estimate->policed_bps,
        .policed_burst_bytes = estimate->policed_burst_bytes,
        .flows = stream_flows_of(estimate),
        .why = (enum pprec_why)estimate->why,
        .advice = (enum pprec_advice)estimate->advice,
        .seen_bytes = estimate->seen_bytes,
        .trains = estimate->trains,
        .newest_ns = estimate->trains > 0 ? estimate->newest_ns : PPREC_UNKNOWN_NS,
    };
}

struct pprec_capacity stream_told(const struct stream *stream, const struct estimate *estimate)
{
    struct estimate as_told = stream != NULL ? stream_as_told(stream, *estimate) : *estimate;

    return stream_capacity_of(&as_told);
}

struct pprec_capacity stream_capacity(const struct stream *stream)
{
    struct estimate estimate = stream_estimate(stream);

    return stream_capacity_of(&estimate);
}
