/* SPDX-License-Identifier: BSD-3-Clause */
#include "path.h"

#include "common/stamp.h"
#include "filters/dispersion.h"
#include "pprec/lib/stream.h"

#include <math.h>
#include <string.h>

/* Where the one stream whose departures were told has been silent for so long another takes over. */
#define CLOCK_SILENT_NS (10 * STAMP_NS_PER_S)

/* No train ends so much later than another that began after it, unless its clock was set. */
#define CLOCK_SET_NS (10 * STAMP_NS_PER_S)

/* Estimates change all the time; a byte's time on the link is not changed for less. */
#define BYTE_CHANGE 0.05

struct paths paths_of(int64_t interval_ns,
                      void (*on_congestion)(void *user, const struct pprec_congestion *))
{
    return (struct paths){.interval_ns = interval_ns, .on_congestion = on_congestion};
}

int paths_start(struct paths *paths, const struct stream_settings *settings, uint32_t streams_max,
                const struct keyed_hash *hash, const int64_t *passed_ns)
{
    size_t buckets = 1;

    while (buckets < 2 * (size_t)streams_max)
        buckets *= 2;
    paths->busy = true;
    paths->buckets = memory_get(&settings->memory, buckets * sizeof *paths->buckets);
    paths->busy = false;
    if (paths->buckets == NULL)
        return PPREC_ENOMEM;
    paths->bucket_mask = buckets - 1;
    paths->settings = settings;
    paths->hash = hash;
    paths->passed_ns = passed_ns;
    return 0;
}

/* --- The table --- */

static bool same_endpoint(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    size_t bytes = a->ip == 4 ? 4 : a->ip == 6 ? sizeof a->address : 0;

    return a->port == b->port && a->ip == b->ip && memcmp(a->address, b->address, bytes) == 0;
}

static void name(uint32_t *words, const struct pprec_endpoint *endpoint)
{
    words[0] = (uint32_t)endpoint->port << 8 | endpoint->ip;
    memcpy(words + 1, endpoint->address,
           endpoint->ip == 4 ? 4 : endpoint->ip == 6 ? sizeof endpoint->address : 0);
}

static struct path **bucket_of(const struct paths *paths, const struct pprec_endpoint *source,
                               const struct pprec_endpoint *destination)
{
    uint32_t words[10] = {0};

    name(words, source);
    name(words + 5, destination);
    return &paths->buckets[keyed_hash(paths->hash, words, 10) & paths->bucket_mask];
}

struct path *paths_find(const struct paths *paths, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination)
{
    struct path *path = *bucket_of(paths, source, destination);

    while (path != NULL && (!same_endpoint(&path->source, source)
                            || !same_endpoint(&path->destination, destination)))
        path = path->next_in_bucket;
    return path;
}

static struct path *add(struct paths *paths, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination)
{
    struct path **bucket = bucket_of(paths, source, destination);
    struct path *path = memory_get(&paths->settings->memory, sizeof *path);

    if (path == NULL)
        return NULL;
    *path = (struct path){.paths = paths, .source = *source, .destination = *destination,
                          .next_in_bucket = *bucket};
    *bucket = path;
    return path;
}

static void take_out(struct path *path)
{
    struct path **link = bucket_of(path->paths, &path->source, &path->destination);

    while (*link != path)
        link = &(*link)->next_in_bucket;
    *link = path->next_in_bucket;
}

/* --- A filter of its own --- */

static const struct memory *memory_of(const struct path *path)
{
    return &path->paths->settings->memory;
}

static void drop_filter(struct path *path)
{
    void *state = path->filter_state;

    if (state == NULL)
        return;
    path->filter_state = NULL;
    *(path->filter_newer != NULL ? &path->filter_newer->filter_older : &path->paths->filters) =
        path->filter_older;
    if (path->filter_older != NULL)
        path->filter_older->filter_newer = path->filter_newer;
    memory_put(memory_of(path), state);
}

static void get_filter(struct path *path, enum pprec_kind kind)
{
    const struct stream_settings *settings = path->paths->settings;
    size_t bytes = settings->filter->state_bytes(settings->window);

    void *state = memory_plenty(&settings->memory, bytes)
        ? memory_get(&settings->memory, bytes) : NULL;

    if (state == NULL)
        return;
    settings->filter->init(state, settings->window);
    path->filter_state = state;
    path->filter_kind = kind;
    path->filter_ns = INT64_MIN;
    path->estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    path->filter_newer = NULL;
    path->filter_older = path->paths->filters;
    if (path->filter_older != NULL)
        path->filter_older->filter_newer = path;
    path->paths->filters = path;
}

bool paths_give_up(struct paths *paths)
{
    if (paths->filters == NULL)
        return false;
    drop_filter(paths->filters);
    return true;
}

/* Trains of streams whose frames are of another rate end later than younger ones of others: they
 * are told as of the time that they end at, with the delay that they had. By more the clock was
 * set back. */
static void feed_filter(struct path *path, struct sample sample)
{
    const struct filter *filter = path->paths->settings->filter;

    if (sample.time_ns < path->filter_ns && path->filter_ns - sample.time_ns < CLOCK_SET_NS) {
        if (sample.sent_ns != SAMPLE_UNKNOWN_NS)
            sample.sent_ns += path->filter_ns - sample.time_ns;
        sample.time_ns = path->filter_ns;
    }
    path->filter_ns = sample.time_ns;
    filter->push(path->filter_state, &sample);
    filter->estimate(path->filter_state, &path->estimate);
}

/* A filter tells sizes and lengths of trains apart, so streams may share one; but their clocks and
 * the way that they send differ from kind to kind. */
void paths_push(struct stream *stream, const struct sample *sample)
{
    struct path *path = stream->path;

    if (path == NULL)
        return;
    if (path->filter_state == NULL && path->measuring > 1 && dispersion_usable(sample))
        get_filter(path, stream->kind);
    if (path->filter_state != NULL && path->filter_kind == stream->kind)
        feed_filter(path, *sample);
}

/* --- Capacity --- */

static bool tells_more(const struct stream *a, const struct stream *b)
{
    struct pprec_capacity told_a = stream_capacity(a), told_b = stream_capacity(b);
    int sure_a = pprec_state_is_sure(told_a.state), sure_b = pprec_state_is_sure(told_b.state);

    return sure_a != sure_b ? sure_a > sure_b : a->counts.usable > b->counts.usable;
}

/* What a bucket lets pass at once it cuts off each train: the path's filter has whole ones. */
static bool cuts_heads(const struct stream *stream)
{
    return stream != NULL && stream->frames != NULL && stream->frames->heads.packets > 0;
}

struct pprec_capacity paths_capacity(const struct path *path)
{
    static const struct estimate none = {.state = STATE_INSUFFICIENT};
    struct pprec_capacity best = path->best != NULL ? stream_capacity(path->best)
                                                    : stream_told(NULL, &none), all;

    if (path->filter_state == NULL || path->measuring < 2)
        return best;
    all = stream_told(path->best, &path->estimate);
    if (pprec_state_is_sure(all.state)
        || (!pprec_state_is_sure(best.state) && !cuts_heads(path->best)
            && all.state != PPREC_STATE_INSUFFICIENT))
        return all;
    return best;
}

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

static void end(struct path *path, int64_t length_ns)
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

/* What ends early has lasted until now. */
static void end_early(struct path *path)
{
    int64_t passed_ns = *path->paths->passed_ns - path->begun_passed_ns;

    end(path, passed_ns < path->paths->interval_ns ? passed_ns : path->paths->interval_ns);
}

void paths_end_due(struct paths *paths)
{
    while (paths->oldest != NULL
           && *paths->passed_ns - paths->oldest->begun_passed_ns >= paths->interval_ns)
        end(paths->oldest, paths->interval_ns);
}

void paths_end_all(struct paths *paths)
{
    while (paths->oldest != NULL)
        end_early(paths->oldest);
}

/* --- Packets --- */

static bool is_timed_by(const struct path *path, const struct stream *stream,
                        const struct pprec_arrival *arrival)
{
    return path->clock == arrival->received.clock && path->kind == stream->kind
        && (stream->kind == PPREC_KIND_RTP || path->stream == stream->id);
}

static int64_t departed_ns(const struct pprec_arrival *arrival)
{
    if (arrival->departed_ns != PPREC_UNKNOWN_NS)
        return arrival->departed_ns;
    return arrival->position == 0 ? arrival->sent_ns : PPREC_UNKNOWN_NS;
}

/* How long the narrow link takes for a byte, as well as it is known. What only bounds it from below
 * tells nothing: a packet's own bits are then part of its delay. */
static void note_capacity(struct path *path)
{
    struct pprec_capacity capacity = paths_capacity(path);
    double bps = capacity.peak_bps > 0 ? capacity.peak_bps : capacity.capacity_bps;
    double byte_ns = bps > 0 ? 8e9 / bps : 0, known_ns = path->queueing->floor.byte_ns;

    if (bps > 0 && capacity.high_bps > 0 && capacity.state != PPREC_STATE_SENDER_LIMITED
        && fabs(byte_ns - known_ns) > BYTE_CHANGE * known_ns)
        queueing_set_byte(path->queueing, byte_ns);
}

/* False when there is no memory to spare. */
static bool get_queueing(struct path *path)
{
    const struct memory *memory = memory_of(path);

    if (path->queueing == NULL && memory_plenty(memory, sizeof *path->queueing))
        path->queueing = memory_get(memory, sizeof *path->queueing);
    return path->queueing != NULL;
}

/* The RTP streams of one sender have one clock for their send times; for others nobody said so. */
static void note_delay(struct path *path, const struct stream *stream,
                       const struct pprec_arrival *arrival)
{
    int64_t departed = departed_ns(arrival), passed_ns = *path->paths->passed_ns;

    if (departed == PPREC_UNKNOWN_NS || arrival->received.clock == PPREC_CLOCK_NONE)
        return;
    if (path->queueing == NULL || !is_timed_by(path, stream, arrival)) {
        if (path->queueing != NULL && passed_ns - path->timed_passed_ns < CLOCK_SILENT_NS)
            return;
        if (!get_queueing(path))
            return;
        queueing_begin_anew(path->queueing);
        path->clock = arrival->received.clock;
        path->kind = stream->kind;
        path->stream = stream->id;
    }
    path->timed_passed_ns = passed_ns;
    queueing_push(path->queueing, (struct delay){
        .at_ns = arrival->received.ns,
        .ns = arrival->received.ns - departed,
        .bytes = layer_bytes(&stream->settings->layer, (enum layer_ip)arrival->source.ip,
                             arrival->payload_bytes),
    });
}

void paths_note_losses(struct stream *stream)
{
    struct path *path = stream->path;
    uint32_t lost = (uint32_t)stream->counts.lost - stream->told_lost;

    if (path == NULL || lost == 0)
        return;
    stream->told_lost += lost;
    open(path);
    path->lost += lost;
    if (path->queueing != NULL)
        floor_note_loss(&path->queueing->floor);
}

void paths_take(struct stream *stream, const struct pprec_arrival *arrival, int taken,
                uint64_t packets)
{
    struct path *path = stream->path;

    if (path == NULL || path->paths->on_congestion == NULL)
        return;
    paths_note_losses(stream);
    paths_end_due(path->paths);
    if (packets == 0)
        return;
    open(path);
    path->packets += packets;
    if (taken == 1)
        note_delay(path, stream, arrival);
}

void paths_note(struct stream *stream)
{
    struct path *path = stream->path;

    if (path == NULL)
        return;
    path->measuring += stream->counts.usable > 0 && !stream->measures;
    stream->measures |= stream->counts.usable > 0;
    if (stream->measures && path->best != stream
        && (path->best == NULL || tells_more(stream, path->best)))
        path->best = stream;
    if (path->queueing != NULL)
        note_capacity(path);
}

/* --- Streams --- */

void paths_join(struct paths *paths, struct stream *stream,
               const struct pprec_endpoint *destination)
{
    struct path *path = paths_find(paths, &stream->source, destination);

    if (path == NULL)
        path = add(paths, &stream->source, destination);
    stream->path = path;
    if (path == NULL)
        return;
    path->streams++;
    stream->told_lost = (uint32_t)stream->counts.lost;
    paths_note(stream); /* of one that is older than its path */
}

static void release(struct path *path)
{
    const struct memory *memory = memory_of(path);

    drop_filter(path);
    memory_put(memory, path->queueing);
    memory_put(memory, path);
}

static void end_measuring(struct path *path, struct stream *stream)
{
    path->measuring -= stream->measures;
    stream->measures = false;
    if (path->best == stream)
        path->best = NULL;
    if (path->measuring < 2)
        drop_filter(path);
}

void paths_leave(struct stream *stream)
{
    struct path *path = stream->path;

    if (path == NULL)
        return;
    stream->path = NULL;
    end_measuring(path, stream);
    if (--path->streams > 0)
        return;
    if (path->open)
        end_early(path);
    take_out(path);
    release(path);
}

void paths_reset(struct stream *stream)
{
    struct path *path = stream->path;

    stream->told_lost = 0;
    if (path == NULL)
        return;
    end_measuring(path, stream);
    drop_filter(path);
    if (path->queueing != NULL)
        queueing_begin_anew(path->queueing);
}

void paths_fini(struct paths *paths)
{
    paths->busy = true;
    if (!paths_wanted(paths))
        return;
    for (size_t i = 0; i <= paths->bucket_mask; i++)
        while (paths->buckets[i] != NULL) {
            struct path *path = paths->buckets[i];

            paths->buckets[i] = path->next_in_bucket;
            release(path);
        }
    memory_put(&paths->settings->memory, paths->buckets);
}
