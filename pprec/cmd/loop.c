/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include "common/notify.h"
#include "common/stamp.h"
#include "pprec/adapters/libevent.h"
#include "pprec/cmd/intervals.h"
#include "pprec/cmd/server.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMERS_AND_SIGNALS_MAX = 10 };

/* How often the service manager is told, unless its watchdog wants more. */
#define STATUS_NS (10 * STAMP_NS_PER_S)

struct loop {
    struct event_base *base;
    struct pprec *pprec;
    struct report *report;
    double interval_s;
    struct intervals intervals;
    struct pprec_libevent adapter;
    struct event *others[TIMERS_AND_SIGNALS_MAX];
    unsigned others_count;
    struct metrics metrics;
    struct server *server; /* NULL: none */
    struct state *state;   /* NULL: none */
    struct error *error;
    bool failed;
    struct event *writable; /* standard output, while something waits for its reader */
};

static struct timeval timeval_of(int64_t ns)
{
    return (struct timeval){(time_t)(ns / STAMP_NS_PER_S),
                            (suseconds_t)(ns % STAMP_NS_PER_S / STAMP_NS_PER_US)};
}

static void stop_if_done(struct loop *loop)
{
    if (report_full(loop->report) || report_useless(loop->report))
        event_base_loopbreak(loop->base);
}

/* Whoever does not read standard output is asked again when he does. */
static void loop_flush(struct loop *loop)
{
    report_flush(loop->report);
    if (report_waits(loop->report))
        event_add(loop->writable, NULL);
    stop_if_done(loop);
}

static void on_writable(evutil_socket_t fd, short what, void *data)
{
    (void)fd;
    (void)what;
    loop_flush(data);
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
    loop_flush(loop);
}

/* --- Timers and signals --- */

static void on_interval(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    intervals_report(&loop->intervals, loop->pprec, loop->report, loop->interval_s,
                     stamp_now_ns(CLOCK_REALTIME));
    loop_flush(loop);
}

/* To the service manager: that we live, and how it stands. */
static void on_status(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;
    struct line line = {0};

    (void)fd;
    (void)what;
    report_status(loop->report, &line);
    notify_send("WATCHDOG=1\nSTATUS=%zu streams, %.*s", pprec_streams(loop->pprec), (int)line.bytes,
                line.text);
}

static int64_t status_period_ns(void)
{
    int64_t watchdog_ns = notify_watchdog_ns();

    return watchdog_ns > 0 && watchdog_ns < STATUS_NS ? watchdog_ns : STATUS_NS;
}

static void on_state(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    state_keep(loop->state);
}

static void on_view(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    if (loop->report->live != NULL) /* its terminal may be gone */
        live_show(loop->report->live, loop->pprec, -1, stamp_now_ns(CLOCK_MONOTONIC));
}

static void loop_on_end(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    event_base_loopbreak(loop->base);
}

/* Whoever wants us to end does not want us to wait. */
static void loop_on_signal(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    loop->report->hurried = true;
    loop_on_end(fd, what, data);
}

static void on_hangup(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;

    (void)fd;
    (void)what;
    report_reopen(loop->report);
}

/* A timer or signal that lives as long as the loop. */
static bool loop_add(struct loop *loop, evutil_socket_t fd, short what, event_callback_fn call, int64_t ns)
{
    struct event *event = event_new(loop->base, fd, what, call, loop);
    struct timeval wait = timeval_of(ns);

    if (event == NULL)
        return false;
    loop->others[loop->others_count++] = event;
    return event_add(event, ns > 0 ? &wait : NULL) == 0;
}

static bool loop_add_all(struct loop *loop, const struct options *options)
{
    bool good;

    loop->writable = event_new(loop->base, loop->report->output.fd, EV_WRITE, on_writable, loop);
    good = loop->writable != NULL
        && pprec_libevent_attach(&loop->adapter, loop->base, loop->pprec, after_reading, loop) == 0
        && loop_add(loop, SIGINT, EV_SIGNAL, loop_on_signal, 0)
        && loop_add(loop, SIGTERM, EV_SIGNAL, loop_on_signal, 0)
        && loop_add(loop, SIGHUP, EV_SIGNAL | EV_PERSIST, on_hangup, 0);
    if (good && options->interval_s > 0)
        good = loop_add(loop, -1, EV_PERSIST, on_interval, (int64_t)(options->interval_s * 1e9));
    if (good && notify_wanted())
        good = loop_add(loop, -1, EV_PERSIST, on_status, status_period_ns());
    if (good && loop->state != NULL)
        good = loop_add(loop, -1, EV_PERSIST, on_state, STATE_PERIOD_NS);
    if (good && loop->report->live != NULL)
        good = loop_add(loop, -1, EV_PERSIST, on_view, LIVE_PERIOD_NS);
    if (good && options->duration_s > 0)
        good = loop_add(loop, -1, 0, loop_on_end, (int64_t)(options->duration_s * 1e9));
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
        .ledger = loop->report->logging ? &loop->report->ledger : NULL,
        .output = &loop->report->output,
        .started_s = (double)(stamp_now_ns(CLOCK_REALTIME) / STAMP_NS_PER_MS) / 1e3,
    };
    loop->server = server_start(loop->base, metrics_socket, &loop->metrics);
    return loop->server != NULL;
}

static void free_all(struct loop *loop)
{
    server_stop(loop->server);
    if (loop->writable != NULL)
        event_free(loop->writable);
    for (unsigned i = 0; i < loop->others_count; i++)
        event_free(loop->others[i]);
    pprec_libevent_detach(&loop->adapter);
    event_base_free(loop->base);
    intervals_fini(&loop->intervals);
}

/* libevent ends the program when it finds no descriptor for its signals. */
static void on_fatal(int number)
{
    (void)number;
    fprintf(stderr, "pprec: the event loop cannot be set up: %s\n", strerror(errno));
    exit(2); /* unusable input */
}

/* What it would say by itself. */
static void be_quiet(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

/* Timers finer than epoll's millisecond. */
static struct event_base *new_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base;

    event_set_log_callback(be_quiet);
    event_set_fatal_callback(on_fatal);

    if (config == NULL)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

/* Signals are obeyed from here on. */
static int cmd_loop_run(struct loop *loop)
{
    notify_send("READY=1");
    return event_base_dispatch(loop->base);
}

int loop_run(struct pprec *pprec, struct report *report, const struct options *options, int metrics_socket,
             struct state *state, struct error *error)
{
    struct loop loop = {
        .base = new_base(),
        .pprec = pprec,
        .report = report,
        .interval_s = options->interval_s,
        .state = state,
        .error = error,
    };

    if (loop.base == NULL)
        return error_set(error, "no event loop");
    if (!serve(&loop, metrics_socket) || !loop_add_all(&loop, options) || cmd_loop_run(&loop) < 0)
        loop.failed = error_set(error, "the event loop cannot be set up");
    if (!loop.failed && !report_full(report))
        pprec_libevent_read(&loop.adapter); /* what came while we were patient */
    free_all(&loop);
    return loop.failed ? -1 : 0;
}
