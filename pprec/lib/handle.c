/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

#include "common/stamp.h"
#include "pprec/lib/sized.h"


enum { STREAMS_DEFAULT = 1024, STREAMS_MOST = 1 << 20, KINDS_ALL = (1 << PPREC_KINDS) - 1 };

enum { MAX_AGE_DEFAULT_S = 300 }; /* as far as Kerberos lets clocks be apart (RFC 4120) */

/* Trains in flight are looked over this often, in the time of arrivals. */
#define TICK_NS (100 * STAMP_NS_PER_MS)

/* What was dropped here and is not missed within so many looks, 5 s, was no probe. */
enum { DROPPED_LOOKS = 50 };

/* Stamps and send times beyond +-2^62 ns (146 years from 1970) are nonsense, and
 * their differences would overflow. */
#define TIME_MOST_NS (INT64_C(1) << 62)

static const struct pprec_config defaults = {
    .layer = "l2",
    .filter = "adaptive",
    .window = FILTER_WINDOW_DEFAULT,
    .streams_max = STREAMS_DEFAULT,
    .max_age_s = MAX_AGE_DEFAULT_S,
};

void pprec_config_init_sized(struct pprec_config *config, size_t struct_bytes)
{
    sized_write(config, struct_bytes, &defaults, sizeof defaults);
}

static int refuse(struct pprec *pprec, const char *what, unsigned value, unsigned low,
                  unsigned high)
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
        return error_set(&pprec->error, "filter '%s': there is none of that name", filter);
    return 0;
}

static int configure(struct pprec *pprec, const struct pprec_config *config)
{
    struct stream_settings *settings = &pprec->settings;

    if (config->window < FILTER_WINDOW_MIN || config->window > FILTER_WINDOW_MAX)
        return refuse(pprec, "window", config->window, FILTER_WINDOW_MIN, FILTER_WINDOW_MAX);
    if (config->streams_max < 1 || config->streams_max > STREAMS_MOST)
        return refuse(pprec, "streams_max", config->streams_max, 1, STREAMS_MOST);
    if (name_layer_and_filter(pprec, config->layer, config->filter) < 0)
        return PPREC_EINVAL;
    if (config->expect > KINDS_ALL)
        return refuse(pprec, "expect", config->expect, 0, KINDS_ALL);
    if ((config->allocate == NULL) != (config->release == NULL)) {
        error_set(&pprec->error, "allocate and release: want both or neither");
        return PPREC_EINVAL;
    }
    settings->window = config->window;
    settings->train_length = config->train_length;
    settings->user = config->user;
    settings->on_train = config->on_train;
    settings->dropped_here = &pprec->dropped_unmissed;
    pprec->on_summary = config->on_summary;
    pprec->classic = config->classic != 0;
    pprec->expect = config->expect != 0 ? config->expect : KINDS_ALL;
    return check_train_length(pprec, config->train_length, config->classic);
}

/* Where memory is to come from cannot wait until the rest is checked. */
static struct memory memory_of(const struct pprec_config *config)
{
    if (config->allocate == NULL || config->release == NULL)
        return memory_of_libc;
    return (struct memory){config->allocate, config->release, config->user};
}

static int set_up(struct pprec *pprec, const struct pprec_config *config, bool readable)
{
    int status = readable ? configure(pprec, config) : PPREC_EINVAL;

    if (!readable)
        error_set(&pprec->error, "configuration not set up by pprec_config_init()");
    if (status == 0)
        status = guard_new(&pprec->guard, &pprec->settings.memory, config, &pprec->error);
    if (status < 0)
        return status;
    status = streams_init(&pprec->streams, &pprec->settings, config->streams_max);
    if (status < 0)
        error_set(&pprec->error, "no memory for %u streams", config->streams_max);
    return status;
}

int pprec_new(struct pprec **handle, const struct pprec_config *given)
{
    struct pprec_config config = defaults;
    bool readable = sized_read(&config, sizeof config, given) == 0;
    struct memory memory = memory_of(&config);
    struct pprec *pprec = memory_get(&memory, sizeof *pprec);

    *handle = pprec;
    if (pprec == NULL)
        return PPREC_ENOMEM;
    pprec->settings.memory = memory;
    return set_up(pprec, &config, readable);
}

void pprec_free(struct pprec *pprec)
{
    struct memory memory;

    if (pprec == NULL)
        return;
    memory = pprec->settings.memory;
    if (pprec->source != NULL)
        pprec->source->ops->free(pprec->source, &memory);
    streams_fini(&pprec->streams);
    guard_free(pprec->guard, &memory);
    memory_put(&memory, pprec);
}

const char *pprec_error(const struct pprec *pprec)
{
    return pprec != NULL ? pprec->error.text : "no memory";
}

/* --- Streams --- */

static void complete_summary(const struct pprec *pprec, struct pprec_summary *summary)
{
    summary->foreign = pprec->foreign;
    summary->dropped_here = pprec_dropped_here(pprec);
}

static void end_stream(const struct pprec *pprec, struct stream *stream)
{
    struct pprec_summary summary;

    assembler_finish(&stream->assembler);
    stream_summary(stream, &summary);
    complete_summary(pprec, &summary);
    if (pprec->on_summary != NULL)
        pprec->on_summary(pprec->settings.user, &summary);
}

/* A stream that never gave a usable train goes without a word but is counted. */
static void push_out(struct pprec *pprec, struct stream *stream)
{
    if (stream->proven)
        end_stream(pprec, stream);
    streams_remove(&pprec->streams, stream);
    pprec->pushed_out++;
}

struct stream *handle_stream(struct pprec *pprec, const struct pprec_endpoint *source,
                             uint32_t id)
{
    struct stream *stream = streams_find(&pprec->streams, source, id);
    struct stream *surplus;

    if (stream != NULL)
        return stream;
    surplus = streams_surplus(&pprec->streams);
    if (surplus != NULL)
        push_out(pprec, surplus);
    stream = streams_add(&pprec->streams, source, id);
    if (stream != NULL)
        stream_mark(stream, pprec->foreign, pprec->dropped_marked);
    return stream;
}

static bool out_of_range(int64_t ns)
{
    return ns <= -TIME_MOST_NS || ns >= TIME_MOST_NS;
}

void handle_look_over(struct pprec *pprec, uint8_t clock, int64_t now_ns)
{
    for (size_t i = 0; i < pprec->streams.count; i++)
        assembler_tick(&pprec->streams.all[i]->assembler, clock, now_ns);
    pprec->clocks[clock].started = true;
    pprec->clocks[clock].looked_ns = now_ns;
    if (++pprec->looks_since_dropped > DROPPED_LOOKS)
        pprec->dropped_unmissed = 0;
}

void pprec_tick(struct pprec *pprec, int64_t now_ns)
{
    if (!out_of_range(now_ns))
        handle_look_over(pprec, pprec->clock, now_ns);
}

/* Time passes with arrivals, on each clock by itself; one that was set back
 * starts over. */
static void let_time_pass(struct pprec *pprec, const struct pprec_stamp *now)
{
    int64_t passed_ns = now->ns - pprec->clocks[now->clock].looked_ns;

    if (!pprec->clocks[now->clock].started || passed_ns >= TICK_NS || passed_ns < -TICK_NS)
        handle_look_over(pprec, now->clock, now->ns);
    pprec->clock = now->clock;
}

static bool sensible_times(const struct pprec_arrival *arrival)
{
    return arrival->received.clock <= PPREC_CLOCK_OTHER
        && arrival->received.source <= PPREC_TIMESTAMPS_USER && !out_of_range(arrival->received.ns)
        && (arrival->sent_ns == PPREC_UNKNOWN_NS || !out_of_range(arrival->sent_ns))
        && (arrival->departure_span_ns == PPREC_UNKNOWN_NS || arrival->departure_span_ns >= 0);
}

/* 0: known only at its end. */
static bool sensible_train(const struct pprec_arrival *arrival)
{
    unsigned length = arrival->train_length == 0 ? ASSEMBLER_TRAIN_MAX : arrival->train_length;

    return length >= 2 && length <= ASSEMBLER_TRAIN_MAX && arrival->position < length;
}

/* What cannot be a packet of any train must not found a stream either. */
static bool sensible(const struct pprec_arrival *arrival)
{
    return (arrival->source.ip == 4 || arrival->source.ip == 6)
        && arrival->kind < PPREC_KINDS && arrival->header_bytes <= UINT16_MAX
        && arrival->payload_bytes <= UINT16_MAX && sensible_train(arrival)
        && sensible_times(arrival);
}

int pprec_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    struct stream *stream;
    int status = PPREC_EFOREIGN;

    if (sensible(arrival)) {
        let_time_pass(pprec, &arrival->received);
        stream = handle_stream(pprec, &arrival->source, arrival->stream);
        status = stream == NULL ? PPREC_ENOMEM : stream_push(stream, arrival);
        if (stream != NULL)
            streams_touch(&pprec->streams, stream); /* it may have been proven just now */
    }
    if (status == PPREC_EFOREIGN) {
        pprec->foreign++;
        error_set(&pprec->error, "arrival %u of stream %08x fits no train", arrival->seq,
                  arrival->stream);
    }
    if (status == PPREC_ENOMEM) {
        pprec->foreign++; /* to be counted somewhere */
        error_set(&pprec->error, "no memory for stream %08x", arrival->stream);
    }
    return status < 0 ? status : PPREC_OK;
}

void handle_note_dropped(struct pprec *pprec)
{
    uint64_t dropped = pprec_dropped_here(pprec);

    if (dropped != pprec->dropped_seen)
        pprec->looks_since_dropped = 0;
    pprec->dropped_unmissed += dropped - pprec->dropped_seen;
    pprec->dropped_seen = dropped;
}

void pprec_finish(struct pprec *pprec)
{
    handle_note_dropped(pprec);
    for (size_t i = 0; i < pprec->streams.count; i++)
        end_stream(pprec, pprec->streams.all[i]);
}

/* --- Results --- */

size_t pprec_streams(const struct pprec *pprec)
{
    return pprec->streams.count;
}

int pprec_summary(const struct pprec *pprec, size_t index, struct pprec_summary *summary)
{
    if (index >= pprec->streams.count)
        return PPREC_EINVAL;
    stream_summary(pprec->streams.all[index], summary);
    complete_summary(pprec, summary);
    return PPREC_OK;
}

int pprec_interval(struct pprec *pprec, size_t index, struct pprec_summary *summary)
{
    if (index >= pprec->streams.count)
        return PPREC_EINVAL;
    stream_summary(pprec->streams.all[index], summary);
    complete_summary(pprec, summary);
    pprec->dropped_marked = summary->dropped_here;
    stream_interval(pprec->streams.all[index], summary);
    return PPREC_OK;
}

int pprec_estimate(const struct pprec *pprec, const struct pprec_endpoint *source,
                   uint32_t id, struct pprec_capacity *capacity)
{
    const struct stream *stream = streams_find(&pprec->streams, source, id);

    if (stream == NULL)
        return PPREC_EINVAL;
    *capacity = stream_capacity(stream);
    return PPREC_OK;
}

int pprec_reset(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = streams_find(&pprec->streams, source, id);

    if (stream == NULL) {
        error_set(&pprec->error, "there is no stream %08x of that source", id);
        return PPREC_EINVAL;
    }
    stream_reset(stream);
    stream_mark(stream, pprec->foreign, pprec_dropped_here(pprec));
    return PPREC_OK;
}

void pprec_capture_counts(const struct pprec *pprec, struct pprec_capture_counts *counts)
{
    *counts = pprec->captured;
    counts->flows_pushed += pprec->pushed_out;
}

uint64_t pprec_capture_bytes(const struct pprec *pprec)
{
    return pprec->captured_bytes;
}

uint64_t pprec_foreign(const struct pprec *pprec)
{
    return pprec->foreign;
}

uint64_t pprec_refused(const struct pprec *pprec, enum pprec_reason reason)
{
    return (unsigned)reason < PPREC_REASONS ? pprec->refused[reason] : 0;
}
