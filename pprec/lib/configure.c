/* SPDX-License-Identifier: BSD-3-Clause */
/* A handle is made as its configuration says, and freed. */
#include "common/stamp.h"
#include "pprec/lib/flows.h"
#include "pprec/lib/handle.h"
#include "pprec/lib/sized.h"

#include <float.h>
#include <stdio.h>

enum { STREAMS_DEFAULT = 1024, STREAMS_MOST = 1 << 20, KINDS_ALL = (1 << PPREC_KINDS) - 1 };

enum { MAX_AGE_DEFAULT_S = 300 }; /* as far as Kerberos lets clocks be apart (RFC 4120) */

/* Senders may be slow: pptrans sends one train per day if it is asked to. */
enum { IDLE_DEFAULT_S = 3600 };

enum { MEMORY_DEFAULT_BYTES = 64 << 20 };

enum { CONGESTION_DEFAULT_MS = 100, CONGESTION_MOST_MS = 3600000 };

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
    return handle_fail(pprec, PPREC_EINVAL, "%s %u: want %u to %u", what, value, low, high);
}

static int check_train_length(struct pprec *pprec, unsigned length, int classic)
{
    if (length == 0 && !classic)
        return 0;
    if (length >= 2 && length <= ASSEMBLER_TRAIN_MAX && (length & (length - 1)) == 0)
        return 0;
    if (length == 0)
        return handle_fail(pprec, PPREC_EINVAL, "the classic format does not tell the train length: give it");
    return handle_fail(pprec, PPREC_EINVAL, "train length %u: want a power of two, 2 to 256", length);
}

static int refuse_filter(struct error *error, const char *name)
{
    char names[128] = "";
    size_t used = 0;

    for (size_t i = 0; filter_table[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                                 filter_table[i]->name);
    return error_set(error, "filter '%.80s': want one of %s", name != NULL ? name : "NULL", names);
}

static int name_layer_and_filter(struct pprec *pprec, const char *layer, const char *filter)
{
    struct stream_settings *settings = &pprec->settings;

    if (layer_parse(&settings->layer, layer != NULL ? layer : "NULL", &pprec->intake.error) < 0)
        return -1;
    settings->filter = filter_find(filter != NULL ? filter : "NULL");
    return settings->filter != NULL ? 0 : refuse_filter(&pprec->intake.error, filter);
}

static int configure_check(struct pprec *pprec, const struct pprec_config *config)
{
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
    if ((config->allocate == NULL) != (config->release == NULL))
        return handle_fail(pprec, PPREC_EINVAL, "allocate and release: want both or neither");
    if (!(config->estimate_change >= 0 && config->estimate_change <= DBL_MAX))
        return handle_fail(pprec, PPREC_EINVAL, "estimate_change %g: want a share, 0 or more",
                           config->estimate_change);
    if (config->abs_send_time_id > UINT8_MAX)
        return handle_refuse(pprec, "abs_send_time_id", config->abs_send_time_id, 0, UINT8_MAX);
    return check_train_length(pprec, config->train_length, config->classic);
}

/* What streams have in common. */
static void configure_streams(struct pprec *pprec, const struct pprec_config *config)
{
    struct stream_settings *settings = &pprec->settings;

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
    settings->tight = pprec->tight;
    settings->captured = &pprec->intake.captured;
    if (!config->classic) /* whose numbers are completed from where the stream stands */
        settings->strangers = &pprec->intake.refused[PPREC_REASON_STRANGER];
}

static void configure_intake(struct intake *intake, const struct pprec_config *config)
{
    intake->classic_length = config->classic ? config->train_length : 0;
    intake->abs_send_time_id = (uint8_t)config->abs_send_time_id;
    intake->expect_asked = config->expect != 0;
    intake->expect = config->expect != 0 ? config->expect : KINDS_ALL;
}

static int configure(struct pprec *pprec, const struct pprec_config *config)
{
    int status = configure_check(pprec, config);

    if (status < 0)
        return status;
    configure_streams(pprec, config);
    configure_intake(&pprec->intake, config);
    pprec->on_summary = config->on_summary;
    pprec->paths = paths_of(config->congestion_interval_ms * STAMP_NS_PER_MS, config->on_congestion);
    return PPREC_OK;
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
        error_set(&pprec->intake.error, "configuration not set up by pprec_config_init()");
    if (status == 0)
        status = guard_new(&pprec->intake.guard, &pprec->settings.memory, config, &pprec->intake.error);
    if (status == 0 && keyed_hash_init(&pprec->hash, &pprec->intake.error) < 0)
        status = PPREC_EIO;
    if (status < 0)
        return status;
    status = get_memory(pprec, config);
    if (status < 0)
        error_set(&pprec->intake.error, "no memory for %u streams%s", config->streams_max,
                  memory_denied(&pprec->settings.memory) ? " within memory_bytes" : "");
    return status;
}

int pprec_new(struct pprec **handle, const struct pprec_config *given)
{
    struct pprec_config config = defaults;
    bool readable = given == NULL || sized_read(&config, sizeof config, given) == 0;
    struct memory memory = handle_memory_of(&config);
    struct pprec *pprec = handle != NULL ? memory_get(&memory, sizeof *pprec) : NULL;

    if (handle == NULL)
        return PPREC_EINVAL;
    *handle = pprec;
    if (pprec == NULL)
        return PPREC_ENOMEM;
    pprec->why = &pprec->intake.error;
    pprec->intake.entered = true; /* allocate is a callback, too */
    pprec->settings.memory = memory;
    pprec->intake.memory = &pprec->settings.memory;
    pprec->intake.hash = &pprec->hash;
    count_memory(pprec, config.memory_bytes);
    pprec->intake.time_ns = PPREC_UNKNOWN_NS;
    return handle_leave(pprec, handle_set_up(pprec, &config, readable));
}

/* A caller that asks for results inside release must not see what is gone. */
static void free_source_and_guard(struct pprec *pprec, const struct memory *memory)
{
    struct source *source = pprec->intake.source;
    struct guard *guard = pprec->intake.guard;

    pprec->intake.source = NULL;
    pprec->intake.guard = NULL;
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
    flows_free(pprec->intake.flows);
    streams_fini(&pprec->streams);
    memory_put(&memory, pprec->settings.scratch);
    memory.use = NULL;          /* it is part of what goes now */
    memory_put(&memory, pprec); /* which stays entered to its end */
    return PPREC_OK;
}

const char *pprec_error(const struct pprec *pprec)
{
    return pprec != NULL ? pprec->intake.error.text : "no memory";
}
