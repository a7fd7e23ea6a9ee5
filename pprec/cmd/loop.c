/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include "common/stamp.h"
#include "pprec/adapters/libevent.h"
#include "pprec/cmd/server.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TIMERS_AND_SIGNALS_MAX = 9 };

struct loop {
    struct event_base *base;
    struct pprec *pprec;
    struct report *report;
    double interval_s;
    struct pprec_libevent adapter;
    struct event *others[TIMERS_AND_SIGNALS_MAX];
    unsigned others_count;
    struct metrics metrics;
    struct server *server; /* NULL: none */
    struct error *error;
    bool failed;
};

static struct timeval timeval_of(int64_t ns)
{
    return (struct timeval){ns / STAMP_NS_PER_S, ns % STAMP_NS_PER_S / STAMP_NS_PER_US};
}

static void stop_if_done(struct loop *loop)
{
    if (report_full(loop->report) || report_useless(loop->report))
        event_base_loopbreak(loop->base);
}

static void after_reading(void *user, int got)
{
    struct loop *loop = user;

    if (got < 0) {
        error_set(loop->error, "%s", pprec_error(loop->pprec));
        loop->failed = true;
        event_base_loopbreak(loop->base);
    }
    report_say_refused(loop->report);
    report_flush(loop->report);
    stop_if_done(loop);
}

/* --- Timers and signals --- */

static void on_interval(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;
    struct pprec_summary summary;

    (void)fd;
    (void)what;
    for (size_t i = 0; pprec_interval(loop->pprec, i, &summary) == PPREC_OK; i++)
        report_put_interval(loop->report, &summary, loop->interval_s,
                            stamp_now_ns(CLOCK_REALTIME));
    report_flush(loop->report);
}

static void on_view(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    if (loop->report->live != NULL) /* its terminal may be gone */
        live_show(loop->report->live, loop->pprec, -1, stamp_now_ns(CLOCK_MONOTONIC));
}

static void on_end(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    event_base_loopbreak(loop->base);
}

static void on_hangup(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    report_reopen(loop->report);
}

/* A timer or signal that lives as long as the loop. */
static bool add(struct loop *loop, evutil_socket_t fd, short what, event_callback_fn call,
                int64_t ns)
{
    struct event *event = event_new(loop->base, fd, what, call, loop);
    struct timeval wait = timeval_of(ns);

    if (event == NULL)
        return false;
    loop->others[loop->others_count++] = event;
    return event_add(event, ns > 0 ? &wait : NULL) == 0;
}

static bool add_all(struct loop *loop, const struct options *options)
{
    bool good;

    good = pprec_libevent_attach(&loop->adapter, loop->base, loop->pprec, after_reading, loop) == 0
        && add(loop, SIGINT, EV_SIGNAL, on_end, 0)
        && add(loop, SIGTERM, EV_SIGNAL, on_end, 0)
        && add(loop, SIGHUP, EV_SIGNAL | EV_PERSIST, on_hangup, 0);
    if (good && options->interval_s > 0)
        good = add(loop, -1, EV_PERSIST, on_interval, (int64_t)(options->interval_s * 1e9));
    if (good && loop->report->live != NULL)
        good = add(loop, -1, EV_PERSIST, on_view, LIVE_PERIOD_NS);
    if (good && options->duration_s > 0)
        good = add(loop, -1, 0, on_end, (int64_t)(options->duration_s * 1e9));
    return good;
}

static bool serve(struct loop *loop, int metrics_socket)
{
    if (metrics_socket < 0)
        return true;
    loop->metrics = (struct metrics){
        .pprec = loop->pprec,
        .tally = loop->report->tally,
        .run = &loop->report->run,
        .log = loop->report->logging ? &loop->report->log : NULL,
        .started_s = (double)(stamp_now_ns(CLOCK_REALTIME) / STAMP_NS_PER_MS) / 1e3,
    };
    loop->server = server_start(loop->base, metrics_socket, &loop->metrics);
    return loop->server != NULL;
}

static void free_all(struct loop *loop)
{
    server_stop(loop->server);
    for (unsigned i = 0; i < loop->others_count; i++)
        event_free(loop->others[i]);
    pprec_libevent_detach(&loop->adapter);
    event_base_free(loop->base);
}

/* Timers finer than epoll's millisecond. */
static struct event_base *new_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base;

    if (config == NULL)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

int loop_run(struct pprec *pprec, struct report *report, const struct options *options,
             int metrics_socket, struct error *error)
{
    struct loop loop = {
        .base = new_base(),
        .pprec = pprec,
        .report = report,
        .interval_s = options->interval_s,
        .error = error,
    };

    if (loop.base == NULL)
        return error_set(error, "no event loop");
    if (!serve(&loop, metrics_socket) || !add_all(&loop, options)
        || event_base_dispatch(loop.base) < 0)
        loop.failed = error_set(error, "the event loop cannot be set up");
    if (!loop.failed && !report_full(report))
        pprec_libevent_read(&loop.adapter); /* what came while we were patient */
    free_all(&loop);
    return loop.failed ? -1 : 0;
}
