/* SPDX-License-Identifier: BSD-3-Clause */
/* What the packets of a path meet, interval by interval. */
#include "path.h"

#include "common/stamp.h"
#include "pprec/lib/available.h"
#include "pprec/lib/stream_state.h"

#include <math.h>

/* Where the one stream whose departures were told has been silent for so long another takes over. */
#define CLOCK_SILENT_NS (10 * STAMP_NS_PER_S)

/* Estimates change all the time; a byte's time on the link is not changed for less. */
#define BYTE_CHANGE 0.05

/* --- Intervals --- */

static void open(struct path *path)
{
    struct paths *paths = path->paths;

    if (path->open || paths->on_congestion == NULL)
        return;
    path->open = true;
    path->begun_passed_ns = *paths->passed_ns;
    path->begun_ns = paths->now_ns;
    path->older = paths->newest;
    path->newer = NULL;
    *(paths->newest != NULL ? &paths->newest->newer : &paths->oldest) = path;
    paths->newest = path;
}

static void take_from_open(struct path *path)
{
    struct paths *paths = path->paths;

    *(path->older != NULL ? &path->older->newer : &paths->oldest) = path->newer;
    *(path->newer != NULL ? &path->newer->older : &paths->newest) = path->older;
    path->open = false;
}

static void congestion_end(struct path *path, int64_t length_ns)
{
    const struct paths *paths = path->paths;
    struct pprec_congestion congestion = {
        .time_ns = path->begun_ns + length_ns,
        .source = path->source,
        .destination = path->destination,
        .interval_ns = length_ns,
        .queueing_ns = PPREC_UNKNOWN_NS,
        .queueing_most_ns = PPREC_UNKNOWN_NS,
        .packets = path->packets,
        .lost = path->lost,
        .capacity = paths_capacity(path),
        .available = stream_available_lately(path->best),
    };

    take_from_open(path);
    path->packets = path->lost = 0;
    if (path->queueing != NULL && path->queueing->timed > 0) {
        struct queueing_figures figures = queueing_end(path->queueing, paths->interval_ns);

        congestion.queueing_ns = figures.median_ns;
        congestion.queueing_most_ns = figures.most_ns;
        congestion.trend = figures.trend;
        congestion.timed = figures.timed;
    }
    paths->on_congestion(paths->settings->user, &congestion);
}

void path_end_early(struct path *path)
{
    int64_t passed_ns = *path->paths->passed_ns - path->begun_passed_ns;

    congestion_end(path, passed_ns < path->paths->interval_ns ? passed_ns : path->paths->interval_ns);
}

void paths_end_due(struct paths *paths)
{
    while (paths->oldest != NULL && *paths->passed_ns - paths->oldest->begun_passed_ns >= paths->interval_ns)
        congestion_end(paths->oldest, paths->interval_ns);
    paths_forget_idle(paths);
}

void paths_end_all(struct paths *paths)
{
    while (paths->oldest != NULL)
        path_end_early(paths->oldest);
}

/* --- Packets --- */

static bool is_timed_by(const struct path *path, const struct pprec_arrival *arrival)
{
    return path->clock == arrival->received.clock && path->kind == arrival->kind
        && (arrival->kind == PPREC_KIND_RTP || path->stream == arrival->stream);
}

static int64_t congestion_departed_ns(const struct pprec_arrival *arrival)
{
    if (arrival->departed_ns != PPREC_UNKNOWN_NS)
        return arrival->departed_ns;
    return arrival->position == 0 ? arrival->sent_ns : PPREC_UNKNOWN_NS;
}

/* How long the narrow link takes for a byte, as well as it is known. What only bounds it from below
 * tells nothing: a packet's own bits are then part of its delay. */
void path_note_capacity(struct path *path)
{
    struct pprec_capacity capacity = paths_capacity(path);
    double bps = capacity.peak_bps > 0 ? capacity.peak_bps : capacity.capacity_bps;
    double byte_ns = bps > 0 ? 8e9 / bps : 0, known_ns = path->queueing->floor.byte_ns;

    if (bps > 0 && capacity.high_bps > 0 && capacity.state != PPREC_STATE_SENDER_LIMITED
        && fabs(byte_ns - known_ns) > BYTE_CHANGE * known_ns)
        queueing_set_byte(path->queueing, byte_ns);
}

/* False when there is no memory to spare. */
static bool congestion_get_queueing(struct path *path)
{
    const struct memory *memory = &path->paths->settings->memory;

    if (path->queueing == NULL && memory_plenty(memory, sizeof *path->queueing))
        path->queueing = memory_get(memory, sizeof *path->queueing);
    return path->queueing != NULL;
}

/* Whether departures of that kind and of another clock take over. */
static bool takes_over(const struct path *path, enum pprec_kind kind)
{
    return (path->kind != kind && stream_vouched_kind(path->paths->settings, kind))
        || *path->paths->passed_ns - path->timed_passed_ns >= CLOCK_SILENT_NS;
}

/* The RTP streams of one sender have one clock for their send times; for others nobody said so. */
static void note_delay(struct path *path, const struct pprec_arrival *arrival)
{
    int64_t departed = congestion_departed_ns(arrival);

    if (departed == PPREC_UNKNOWN_NS || arrival->received.clock == PPREC_CLOCK_NONE)
        return;
    if (path->queueing == NULL || !is_timed_by(path, arrival)) {
        if (path->queueing != NULL && !takes_over(path, arrival->kind))
            return;
        if (!congestion_get_queueing(path))
            return;
        queueing_begin_anew(path->queueing);
        path->clock = arrival->received.clock;
        path->kind = arrival->kind;
        path->stream = arrival->stream;
    }
    path->timed_passed_ns = *path->paths->passed_ns;
    queueing_push(path->queueing,
                  (struct delay){
                      .at_ns = arrival->received.ns,
                      .ns = arrival->received.ns - departed,
                      .bytes = layer_bytes(&path->paths->settings->layer, (enum layer_ip)arrival->source.ip,
                                           arrival->payload_bytes),
                  });
}

static void note_losses(struct path *path, uint32_t lost)
{
    if (lost == 0)
        return;
    open(path);
    path->lost += lost;
    if (path->queueing != NULL)
        floor_note_loss(&path->queueing->floor);
}

void paths_note_losses(struct stream *stream)
{
    struct path *path = stream->path;
    uint32_t lost = (uint32_t)stream->counts.lost - stream->told_lost;

    if (path == NULL || stream->counted)
        return;
    stream->told_lost += lost;
    note_losses(path, lost);
}

/* What this host dropped is not lost. */
static uint32_t less_dropped(struct paths *paths, uint32_t lost)
{
    uint64_t dropped = paths->dropped_unmissed < lost ? paths->dropped_unmissed : lost;

    paths->dropped_unmissed -= dropped;
    return lost - (uint32_t)dropped;
}

void paths_count(struct paths *paths, const struct pprec_arrival *arrival, struct missing_news news)
{
    struct path *path;

    if (!paths_wanted(paths) || paths->on_congestion == NULL)
        return;
    paths_end_due(paths);
    path = paths_find_or_add(paths, arrival);
    if (path == NULL)
        return;
    note_losses(path, less_dropped(paths, news.lost));
    if (!news.first)
        return;
    open(path);
    path->packets++;
    note_delay(path, arrival);
}

void paths_take(struct stream *stream, const struct pprec_arrival *arrival, int taken, uint64_t packets)
{
    struct path *path = stream->path;

    if (path == NULL || path->paths->on_congestion == NULL || stream->counted)
        return;
    paths_note_losses(stream);
    paths_end_due(path->paths);
    if (packets == 0)
        return;
    open(path);
    path->packets += packets;
    if (taken == 1)
        note_delay(path, arrival);
}
