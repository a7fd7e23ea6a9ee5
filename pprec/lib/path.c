/* SPDX-License-Identifier: BSD-3-Clause */
#include "path.h"

#include "common/stamp.h"
#include "filters/dispersion.h"
#include "pprec/lib/endpoint.h"
#include "pprec/lib/stream_state.h"
#include "pprec/lib/stream_told.h"

/* No train ends this much later than another that began after it, unless its clock was set. */
#define CLOCK_SET_NS (10 * STAMP_NS_PER_S)

/* A path without streams is kept for this long after its last packet. */
#define LONE_IDLE_NS (300 * STAMP_NS_PER_S)

struct paths paths_of(int64_t interval_ns, void (*on_congestion)(void *user, const struct pprec_congestion *))
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
    paths->lone_most = streams_max;
    paths->settings = settings;
    paths->hash = hash;
    paths->passed_ns = passed_ns;
    return 0;
}

/* --- The table --- */

static struct path **path_bucket_of(const struct paths *paths, const struct pprec_endpoint *source,
                                    const struct pprec_endpoint *destination)
{
    uint32_t words[2 * ENDPOINT_WORDS];

    endpoint_name(words, source);
    endpoint_name(words + ENDPOINT_WORDS, destination);
    return &paths->buckets[keyed_hash(paths->hash, words, 2 * ENDPOINT_WORDS) & paths->bucket_mask];
}

struct path *paths_find(const struct paths *paths, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination)
{
    struct path *path = *path_bucket_of(paths, source, destination);

    while (path != NULL
           && (!endpoint_same(&path->source, source) || !endpoint_same(&path->destination, destination)))
        path = path->next_in_bucket;
    return path;
}

static struct path *path_add(struct paths *paths, const struct pprec_endpoint *source,
                             const struct pprec_endpoint *destination)
{
    struct path **bucket = path_bucket_of(paths, source, destination);
    struct path *path = memory_get(&paths->settings->memory, sizeof *path);

    if (path == NULL)
        return NULL;
    *path = (struct path){
        .paths = paths, .source = *source, .destination = *destination, .next_in_bucket = *bucket};
    *bucket = path;
    return path;
}

static void path_take_out(struct path *path)
{
    struct path **link = path_bucket_of(path->paths, &path->source, &path->destination);

    while (*link != path)
        link = &(*link)->next_in_bucket;
    *link = path->next_in_bucket;
}

/* --- A filter of its own --- */

static const struct memory *path_memory_of(const struct path *path)
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
    memory_put(path_memory_of(path), state);
}

static void get_filter(struct path *path, enum pprec_kind kind)
{
    const struct stream_settings *settings = path->paths->settings;
    size_t bytes = settings->filter->state_bytes(settings->window);

    void *state = memory_plenty(&settings->memory, bytes) ? memory_get(&settings->memory, bytes) : NULL;

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

/* If the frames of streams have different rates, a train may end later than a younger one of another stream.
 * It is told as of the time at which it ends, with the delay that it had. If it is late by more, the clock
 * was set back. */
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

/* A filter tells sizes and lengths of trains apart, so streams may share one. But clocks and the way of
 * sending differ from kind to kind. A kind that a key vouches for takes the filter over. */
void paths_push(struct stream *stream, const struct sample *sample)
{
    struct path *path = stream->path;

    if (path == NULL)
        return;
    if (stream_is_vouched(stream) && path->filter_kind != stream->kind)
        drop_filter(path);
    if (path->filter_state == NULL && path->measuring > 1 && dispersion_usable(sample))
        get_filter(path, stream->kind);
    if (path->filter_state != NULL && path->filter_kind == stream->kind)
        feed_filter(path, *sample);
}

/* --- Capacity --- */

/* What a key vouches for goes before what anybody may have made up. */
static bool tells_more(const struct stream *a, const struct stream *b)
{
    struct pprec_capacity told_a = stream_capacity(a), told_b = stream_capacity(b);
    int sure_a = pprec_state_is_sure(told_a.state), sure_b = pprec_state_is_sure(told_b.state);

    if (stream_is_vouched(a) != stream_is_vouched(b))
        return stream_is_vouched(a);
    return sure_a != sure_b ? sure_a > sure_b : a->counts.usable > b->counts.usable;
}

/* It cuts off each train what a bucket lets pass at once; the path's filter has whole trains. */
static bool cuts_heads(const struct stream *stream)
{
    return stream != NULL && stream->frames != NULL && stream->frames->heads.first.packets > 0;
}

struct pprec_capacity paths_capacity(const struct path *path)
{
    static const struct estimate none = {.state = STATE_INSUFFICIENT};
    struct pprec_capacity best = path->best != NULL ? stream_capacity(path->best) : stream_told(NULL, &none),
                          all;

    if (path->filter_state == NULL || path->measuring < 2
        || (path->best != NULL && stream_is_vouched(path->best) && path->filter_kind != path->best->kind))
        return best;
    all = stream_told(path->best, &path->estimate);
    if (pprec_state_is_sure(all.state)
        || (!pprec_state_is_sure(best.state) && !cuts_heads(path->best)
            && all.state != PPREC_STATE_INSUFFICIENT))
        return all;
    return best;
}

/* --- Without streams --- */

static void take_from_lone(struct path *path)
{
    struct paths *paths = path->paths;

    *(path->lone_older != NULL ? &path->lone_older->lone_newer : &paths->lone_oldest) = path->lone_newer;
    *(path->lone_newer != NULL ? &path->lone_newer->lone_older : &paths->lone_newest) = path->lone_older;
    paths->lone--;
}

static void add_to_lone(struct path *path)
{
    struct paths *paths = path->paths;

    path->heard_passed_ns = *paths->passed_ns;
    path->lone_older = paths->lone_newest;
    path->lone_newer = NULL;
    *(paths->lone_newest != NULL ? &paths->lone_newest->lone_newer : &paths->lone_oldest) = path;
    paths->lone_newest = path;
    paths->lone++;
}

static void lib_path_release(struct path *path)
{
    const struct memory *memory = path_memory_of(path);

    drop_filter(path);
    memory_put(memory, path->queueing);
    memory_put(memory, path);
}

static void path_forget(struct path *path)
{
    if (path->open)
        path_end_early(path);
    path_take_out(path);
    lib_path_release(path);
}

static void forget_lone(struct paths *paths)
{
    struct path *path = paths->lone_oldest;

    take_from_lone(path);
    path_forget(path);
}

void paths_forget_idle(struct paths *paths)
{
    while (paths->lone > 0 && *paths->passed_ns - paths->lone_oldest->heard_passed_ns >= LONE_IDLE_NS)
        forget_lone(paths);
}

struct path *paths_find_or_add(struct paths *paths, const struct pprec_arrival *arrival)
{
    struct path *path = paths_find(paths, &arrival->source, &arrival->destination);

    if (path == NULL) {
        if (paths->lone == paths->lone_most)
            forget_lone(paths);
        if (memory_plenty(&paths->settings->memory, sizeof *path))
            path = path_add(paths, &arrival->source, &arrival->destination);
    } else if (path->streams == 0) {
        take_from_lone(path);
    }
    if (path != NULL && path->streams == 0)
        add_to_lone(path);
    return path;
}

void paths_note(struct stream *stream)
{
    struct path *path = stream->path;

    if (path == NULL)
        return;
    path->measuring += stream->counts.usable > 0 && !stream->measures;
    stream->measures |= stream->counts.usable > 0;
    if (stream->measures && path->best != stream && (path->best == NULL || tells_more(stream, path->best)))
        path->best = stream;
    if (path->queueing != NULL)
        path_note_capacity(path);
}

/* --- Streams --- */

void paths_join(struct paths *paths, struct stream *stream, const struct pprec_endpoint *destination)
{
    struct path *path = paths_find(paths, &stream->source, destination);

    if (path == NULL)
        path = path_add(paths, &stream->source, destination);
    else if (path->streams == 0)
        take_from_lone(path);
    stream->path = path;
    if (path == NULL)
        return;
    path->streams++;
    stream->told_lost = (uint32_t)stream->counts.lost;
    paths_note(stream); /* of one that is older than its path */
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
    if (--path->streams == 0)
        path_forget(path);
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
            lib_path_release(path);
        }
    memory_put(&paths->settings->memory, paths->buckets);
}
