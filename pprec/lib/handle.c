/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

#include "common/stamp.h"
#include "pprec/lib/admission.h"
#include "pprec/lib/arrival.h"
#include "pprec/lib/flows.h"
#include "pprec/lib/sized.h"

#include <float.h>

enum { STREAMS_DEFAULT = 1024, STREAMS_MOST = 1 << 20, KINDS_ALL = (1 << PPREC_KINDS) - 1 };

enum { MAX_AGE_DEFAULT_S = 300 }; /* as far as Kerberos lets clocks be apart (RFC 4120) */

/* Senders may be slow: pptrans sends one train per day if it is asked to. */
enum { IDLE_DEFAULT_S = 3600 };

enum { MEMORY_DEFAULT_BYTES = 64 << 20 };

enum { CONGESTION_DEFAULT_MS = 100, CONGESTION_MOST_MS = 3600000 };

/* Trains in flight are looked over this often, in the time of arrivals. */
#define TICK_NS (100 * STAMP_NS_PER_MS)

/* If a clock jumps by more, it was set, or nobody knows what went on meanwhile. So streams age by at most
 * that much at a time. */
#define STEP_MOST_NS (60 * STAMP_NS_PER_S)

/* If no stream misses a dropped packet within this many looks, 5 s, it was no probe. */
enum { DROPPED_LOOKS = 50 };

static const struct pprec_config defaults = {
    .layer = "l2",
    .filter = "adaptive",
    .window = FILTER_WINDOW_DEFAULT,
    .streams_max = STREAMS_DEFAULT,
    .max_age_s = MAX_AGE_DEFAULT_S,
    .memory_bytes = MEMORY_DEFAULT_BYTES,
    .idle_s = IDLE_DEFAULT_S,
    .congestion_interval_ms = CONGESTION_DEFAULT_MS,
};

void pprec_config_init_sized(struct pprec_config *config, size_t struct_bytes)
{
    sized_write(config, struct_bytes, &defaults, sizeof defaults);
}

static int handle_refuse(struct pprec *pprec, const char *what, unsigned value, unsigned low, unsigned high)
{
    error_set(&pprec->error, "%s %u: want %u to %u", what, value, low, high);
    return PPREC_EINVAL;
}

static int check_train_length(struct pprec *pprec, unsigned length, int classic)
{
    if (length == 0 && !classic)
        return 0;
    if (length >= 2 && length <= ASSEMBLER_TRAIN_MAX && (length & (length - 1)) == 0)
        return 0;
    if (length == 0)
        error_set(&pprec->error, "the classic format does not tell the train length: give it");
    else
        error_set(&pprec->error, "train length %u: want a power of two, 2 to 256", length);
    return PPREC_EINVAL;
}

static int name_layer_and_filter(struct pprec *pprec, const char *layer, const char *filter)
{
    if (layer == NULL || filter == NULL)
        return error_set(&pprec->error, "no name of a %s", layer == NULL ? "layer" : "filter");
    if (layer_parse(&pprec->settings.layer, layer, &pprec->error) < 0)
        return -1;
    pprec->settings.filter = filter_find(filter);
    if (pprec->settings.filter == NULL)
        return error_set(&pprec->error, "filter '%.80s': there is none of that name", filter);
    return 0;
}

static int configure(struct pprec *pprec, const struct pprec_config *config)
{
    struct stream_settings *settings = &pprec->settings;

    if (config->window < FILTER_WINDOW_MIN || config->window > FILTER_WINDOW_MAX)
        return handle_refuse(pprec, "window", config->window, FILTER_WINDOW_MIN, FILTER_WINDOW_MAX);
    if (config->streams_max < 1 || config->streams_max > STREAMS_MOST)
        return handle_refuse(pprec, "streams_max", config->streams_max, 1, STREAMS_MOST);
    if (config->congestion_interval_ms < 1 || config->congestion_interval_ms > CONGESTION_MOST_MS)
        return handle_refuse(pprec, "congestion_interval_ms", config->congestion_interval_ms, 1,
                             CONGESTION_MOST_MS);
    if (name_layer_and_filter(pprec, config->layer, config->filter) < 0)
        return PPREC_EINVAL;
    if (config->expect > KINDS_ALL)
        return handle_refuse(pprec, "expect", config->expect, 0, KINDS_ALL);
    if ((config->allocate == NULL) != (config->release == NULL)) {
        error_set(&pprec->error, "allocate and release: want both or neither");
        return PPREC_EINVAL;
    }
    if (!(config->estimate_change >= 0 && config->estimate_change <= DBL_MAX)) {
        error_set(&pprec->error, "estimate_change %g: want a share, 0 or more", config->estimate_change);
        return PPREC_EINVAL;
    }
    settings->window = config->window;
    settings->whole_window = config->whole_window != 0;
    settings->keyed = config->key != NULL;
    settings->train_length = config->train_length;
    settings->user = config->user;
    settings->on_train = config->on_train;
    settings->on_estimate = config->on_estimate;
    settings->estimate_change = config->estimate_change;
    settings->estimate_interval_ns = config->estimate_interval_ms * STAMP_NS_PER_MS;
    settings->dropped_here = &pprec->dropped_unmissed;
    if (!config->classic) /* whose numbers are completed from where the stream stands */
        settings->strangers = &pprec->refused[PPREC_REASON_STRANGER];
    pprec->on_summary = config->on_summary;
    pprec->paths = paths_of(config->congestion_interval_ms * STAMP_NS_PER_MS, config->on_congestion);
    pprec->classic = config->classic != 0;
    if (config->abs_send_time_id > UINT8_MAX)
        return handle_refuse(pprec, "abs_send_time_id", config->abs_send_time_id, 0, UINT8_MAX);
    pprec->abs_send_time_id = (uint8_t)config->abs_send_time_id;
    pprec->expect_asked = config->expect != 0;
    pprec->expect = config->expect != 0 ? config->expect : KINDS_ALL;
    return check_train_length(pprec, config->train_length, config->classic);
}

/* The source of memory must be known before the rest is checked. */
static struct memory handle_memory_of(const struct pprec_config *config)
{
    if (config->allocate == NULL || config->release == NULL)
        return memory_of_libc;
    return (struct memory){config->allocate, config->release, config->user, NULL};
}

/* The handle's own memory counts, too, but only the handle can count, so it is added afterwards. */
static void count_memory(struct pprec *pprec, size_t most)
{
    pprec->memory = (struct memory_use){.bytes = memory_bytes(pprec), .most = most != 0 ? most : SIZE_MAX};
    pprec->settings.memory.use = &pprec->memory;
}

static struct streams_bounds bounds_of(const struct pprec_config *config)
{
    bool each = config->address_streams_max != 0 && config->address_streams_max < config->streams_max;

    return (struct streams_bounds){
        .streams = config->streams_max,
        .of_address = each ? config->address_streams_max : config->streams_max,
        .idle_ns = config->idle_s * STAMP_NS_PER_S,
    };
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

static int get_memory(struct pprec *pprec, const struct pprec_config *config)
{
    struct stream_settings *settings = &pprec->settings;
    int status;

    settings->scratch = memory_get(&settings->memory, settings->window * sizeof(double));
    if (settings->scratch == NULL)
        return PPREC_ENOMEM;
    status = streams_init(&pprec->streams, settings, bounds_of(config), &pprec->hash);
    if (status == 0 && config->on_congestion != NULL)
        status = handle_want_paths(pprec);
    return status;
}

static int handle_set_up(struct pprec *pprec, const struct pprec_config *config, bool readable)
{
    int status = readable ? configure(pprec, config) : PPREC_EINVAL;

    if (!readable)
        error_set(&pprec->error, "configuration not set up by pprec_config_init()");
    if (status == 0)
        status = guard_new(&pprec->guard, &pprec->settings.memory, config, &pprec->error);
    if (status == 0 && keyed_hash_init(&pprec->hash, &pprec->error) < 0)
        status = PPREC_EIO;
    if (status < 0)
        return status;
    status = get_memory(pprec, config);
    if (status < 0)
        error_set(&pprec->error, "no memory for %u streams%s", config->streams_max,
                  memory_denied(&pprec->settings.memory) ? " within memory_bytes" : "");
    return status;
}

int pprec_new(struct pprec **handle, const struct pprec_config *given)
{
    struct pprec_config config = defaults;
    bool readable = given == NULL || sized_read(&config, sizeof config, given) == 0;
    struct memory memory = handle_memory_of(&config);
    struct pprec *pprec = memory_get(&memory, sizeof *pprec);

    *handle = pprec;
    if (pprec == NULL)
        return PPREC_ENOMEM;
    pprec->why = &pprec->error;
    pprec->entered = true; /* allocate is a callback, too */
    pprec->settings.memory = memory;
    count_memory(pprec, config.memory_bytes);
    pprec->time_ns = PPREC_UNKNOWN_NS;
    return handle_leave(pprec, handle_set_up(pprec, &config, readable));
}

/* A caller that asks for results inside release must not see what is gone. */
static void free_source_and_guard(struct pprec *pprec, const struct memory *memory)
{
    struct source *source = pprec->source;
    struct guard *guard = pprec->guard;

    pprec->source = NULL;
    pprec->guard = NULL;
    if (source != NULL)
        source->ops->free(source, memory);
    guard_free(guard, memory);
}

int pprec_free(struct pprec *pprec)
{
    struct memory memory;
    int status = pprec != NULL ? handle_enter(pprec) : PPREC_OK;

    if (pprec == NULL || status < 0)
        return status;
    memory = pprec->settings.memory;
    free_source_and_guard(pprec, &memory);
    paths_fini(&pprec->paths);
    flows_free(pprec->flows);
    streams_fini(&pprec->streams);
    memory_put(&memory, pprec->settings.scratch);
    memory.use = NULL;          /* it is part of what goes now */
    memory_put(&memory, pprec); /* which stays entered to its end */
    return PPREC_OK;
}

int handle_enter(struct pprec *pprec)
{
    if (pprec->entered) {
        error_set(&pprec->error, "called inside a callback of this handle: nothing was done");
        return PPREC_ENESTED;
    }
    pprec->entered = true;
    return PPREC_OK;
}

const char *pprec_error(const struct pprec *pprec)
{
    return pprec != NULL ? pprec->error.text : "no memory";
}

/* --- Streams --- */

void handle_complete_summary(const struct pprec *pprec, struct pprec_summary *summary)
{
    summary->foreign = pprec->foreign;
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
    stream->begun_foreign = pprec->foreign;
    stream->begun_dropped = dropped_here;
}

/* Time passes for streams as on the clock on which most of it has. */
static void handle_age(struct pprec *pprec, uint8_t clock, int64_t now_ns)
{
    int64_t step_ns = now_ns - pprec->clocks[clock].newest_ns;

    if (!pprec->clocks[clock].started) {
        pprec->clocks[clock].passed_ns = pprec->streams.now_ns;
        pprec->clocks[clock].newest_ns = now_ns;
        return;
    }
    if (step_ns > 0)
        pprec->clocks[clock].passed_ns += step_ns < STEP_MOST_NS ? step_ns : STEP_MOST_NS;
    if (step_ns > 0 || step_ns < -TICK_NS) /* else a stamp that overtook another */
        pprec->clocks[clock].newest_ns = now_ns;
    if (pprec->clocks[clock].passed_ns > pprec->streams.now_ns)
        pprec->streams.now_ns = pprec->clocks[clock].passed_ns;
}

void handle_look_over(struct pprec *pprec, uint8_t clock, int64_t now_ns)
{
    handle_age(pprec, clock, now_ns);
    pprec->paths.now_ns = pprec->clocks[clock].newest_ns;
    streams_tick(&pprec->streams, clock, now_ns);
    pprec->clocks[clock].started = true;
    pprec->clocks[clock].looked_ns = now_ns;
    if (++pprec->looks_since_dropped > DROPPED_LOOKS)
        pprec->dropped_unmissed = pprec->paths.dropped_unmissed = 0;
    paths_end_due(&pprec->paths);
    admission_end_idle(pprec);
}

static int tick(struct pprec *pprec, int64_t now_ns)
{
    if (arrival_out_of_range(now_ns)) {
        error_set(&pprec->error, "tick: now_ns %lld: want less than 2^62 ns to either side of 0",
                  (long long)now_ns);
        return PPREC_EINVAL;
    }
    handle_look_over(pprec, pprec->clock, now_ns);
    return PPREC_OK;
}

int pprec_tick(struct pprec *pprec, int64_t now_ns)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, tick(pprec, now_ns));
}

/* Time passes with arrivals, on each clock by itself; one that was set back
 * starts over. */
void handle_let_time_pass(struct pprec *pprec, const struct pprec_stamp *now)
{
    int64_t passed_ns = now->ns - pprec->clocks[now->clock].looked_ns;

    if (pprec->late)
        return;
    if (!pprec->clocks[now->clock].started || passed_ns >= TICK_NS || passed_ns < -TICK_NS)
        handle_look_over(pprec, now->clock, now->ns);
    else
        handle_age(pprec, now->clock, now->ns);
    pprec->paths.now_ns = pprec->clocks[now->clock].newest_ns;
    pprec->clock = now->clock;
    pprec->time_ns = now->ns;
}

/* What cannot be a packet of any train must not found a stream either. */
static int lib_handle_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    int status = arrival_check(arrival, &pprec->error);

    if (status < 0) {
        pprec->foreign++;
        return status;
    }
    handle_let_time_pass(pprec, &arrival->received);
    status = admission_take(pprec, arrival);
    if (status == PPREC_EFOREIGN) {
        pprec->foreign++;
        error_set(&pprec->error,
                  "arrival %u of stream %08x: length or numbers are not "
                  "those of its train %u",
                  arrival->seq, arrival->stream, arrival->train);
    }
    if (status == PPREC_ENOMEM) {
        pprec->foreign++; /* to be counted somewhere */
        error_set(&pprec->error, "no memory for stream %08x", arrival->stream);
    }
    return status < 0 ? status : PPREC_OK;
}

int handle_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    int status = lib_handle_push(pprec, arrival);

    return status == PPREC_EINVAL ? PPREC_EFOREIGN : status;
}

static int handle_push_any(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes)
{
    struct pprec_arrival ours;

    if (arrival_bytes == sizeof ours)
        return lib_handle_push(pprec, arrival);
    ours = arrival_of_other(arrival, arrival_bytes);
    return lib_handle_push(pprec, &ours);
}

int pprec_push_sized(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, handle_push_any(pprec, arrival, arrival_bytes));
}

/* A stream is looked up, fetched, and followed up this many packets before its turn. */
enum { AHEAD = 8, AHEAD_FETCH = 4, AHEAD_FOLLOW = 2 };

static int handle_push_all(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t count)
{
    struct stream *const *places[AHEAD];
    int failed = PPREC_OK;

    for (size_t i = 0; i < count + AHEAD; i++) {
        size_t turn = i - AHEAD, fetch = turn + AHEAD_FETCH, follow = turn + AHEAD_FOLLOW;
        int status = i >= AHEAD ? lib_handle_push(pprec, &arrivals[turn]) : PPREC_OK;

        if (status < 0)
            failed = status;
        if (fetch < count && *places[fetch % AHEAD] != NULL)
            stream_fetch(*places[fetch % AHEAD]);
        if (follow < count && *places[follow % AHEAD] != NULL)
            stream_fetch_rest(*places[follow % AHEAD]);
        if (i < count)
            places[i % AHEAD] = streams_place(&pprec->streams, &arrivals[i].source, arrivals[i].stream);
    }
    return failed;
}

/* Of a program that knows fewer fields, or more. */
static int push_all_other(struct pprec *pprec, const char *at, size_t arrival_bytes, size_t count)
{
    int failed = PPREC_OK;

    for (size_t i = 0; i < count; i++, at += arrival_bytes) {
        struct pprec_arrival ours = arrival_of_other(at, arrival_bytes);
        int status = lib_handle_push(pprec, &ours);

        if (status < 0)
            failed = status;
    }
    return failed;
}

int pprec_push_all_sized(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t arrival_bytes,
                         size_t count)
{
    int status = handle_enter(pprec);

    if (status < 0)
        return status;
    status = arrival_bytes == sizeof *arrivals
        ? handle_push_all(pprec, arrivals, count)
        : push_all_other(pprec, (const char *)arrivals, arrival_bytes, count);
    return handle_leave(pprec, status);
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

int pprec_finish(struct pprec *pprec)
{
    int status = handle_enter(pprec);

    if (status < 0)
        return status;
    handle_note_dropped(pprec);
    for (size_t i = 0; i < pprec->streams.count; i++)
        handle_end_stream(pprec, pprec->streams.all[i]);
    paths_end_all(&pprec->paths);
    return handle_leave(pprec, PPREC_OK);
}
