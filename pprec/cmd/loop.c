/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include "common/stamp.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The kernel has stamped the packets, so nothing is gained by waking for each:
 * wait a little, then drain. At most so long, */
#define PATIENCE_NS (4 * STAMP_NS_PER_MS)
/* or until so many packets wait: seven batches, and within the buffer that is
 * asked for, */
#define PACKETS_A_WAKE 448
/* or an eighth of the buffer is full, counting a full-size packet as the kernel
 * does, with its overhead. */
#define BUFFER_SHARE 8
#define PACKET_TRUESIZE_BYTES 2304

/* One turn of the loop reads at most so many, so that signals and timers are
 * heard under any load. */
enum { PACKETS_A_TURN = 8192 };

/* Trains that wait for their end are looked over so often. */
#define TICK_NS (100 * STAMP_NS_PER_MS)

enum { TIMERS_AND_SIGNALS_MAX = 8 };

struct loop {
    struct event_base *base;
    struct pprec *pprec;
    struct report *report;
    double interval_s;
    struct event *readable;
    struct event *drain;
    struct event *others[TIMERS_AND_SIGNALS_MAX];
    unsigned others_count;
    int64_t drained_ns; /* when the socket was last drained, CLOCK_MONOTONIC */
    unsigned packets_a_wake;
    struct error *error;
    bool failed;
};

static struct timeval timeval_of(int64_t ns)
{
    return (struct timeval){ns / STAMP_NS_PER_S, ns % STAMP_NS_PER_S / STAMP_NS_PER_US};
}

static void stop_if_done(struct loop *loop)
{
    if (report_full(loop->report))
        event_base_loopbreak(loop->base);
}

/* --- Receiving --- */

/* How long packets may pile up, judged by how fast they came until now. */
static int64_t patience_ns(const struct loop *loop, int got, int64_t since_ns)
{
    int64_t wait_ns = since_ns / got * loop->packets_a_wake;

    return wait_ns < PATIENCE_NS ? wait_ns : PATIENCE_NS;
}

/* The time of reading stamps the packet: no lazy reading then. */
static bool eager(const struct loop *loop)
{
    return pprec_source_timestamps(loop->pprec) == PPREC_TIMESTAMPS_USER;
}

static int receive(struct loop *loop)
{
    int got = pprec_dispatch(loop->pprec, PACKETS_A_TURN);

    if (got < 0) {
        error_set(loop->error, "%s", pprec_error(loop->pprec));
        loop->failed = true;
        event_base_loopbreak(loop->base);
    }
    report_flush();
    stop_if_done(loop);
    return got;
}

/* While packets keep coming the timer alone drives; otherwise the socket is
 * watched again. */
static void on_drain(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;
    int got = receive(loop);
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);
    struct timeval wait;

    (void)fd;
    (void)what;
    if (got > 0) {
        wait = timeval_of(patience_ns(loop, got, now_ns - loop->drained_ns));
        event_add(loop->drain, &wait);
    } else {
        event_add(loop->readable, NULL);
    }
    loop->drained_ns = now_ns;
}

static void on_readable(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;
    int64_t wait_ns = STAMP_NS_PER_MS;
    struct timeval wait;

    (void)fd;
    (void)what;
    if (eager(loop)) {
        receive(loop);
        event_add(loop->readable, NULL);
        return;
    }
    /* a small buffer may not hold a fast train for long */
    if (loop->packets_a_wake >= PACKETS_A_WAKE)
        wait_ns = PATIENCE_NS;
    wait = timeval_of(wait_ns);
    loop->drained_ns = stamp_now_ns(CLOCK_MONOTONIC);
    event_add(loop->drain, &wait);
}

/* --- Timers and signals --- */

static void on_tick(evutil_socket_t fd, short what, void *data)
{
    (void)fd;
    (void)what;
    receive(data);
}

static void on_interval(evutil_socket_t fd, short what, void *data)
{
    struct loop *loop = data;
    struct pprec_summary summary;

    (void)fd;
    (void)what;
    for (size_t i = 0; pprec_interval(loop->pprec, i, &summary) == PPREC_OK; i++)
        report_put_interval(loop->report, &summary, loop->interval_s);
    report_flush();
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

    loop->readable = event_new(loop->base, pprec_fd(loop->pprec), EV_READ, on_readable, loop);
    loop->drain = event_new(loop->base, -1, 0, on_drain, loop);
    good = loop->readable != NULL && loop->drain != NULL
        && event_add(loop->readable, NULL) == 0
        && add(loop, -1, EV_PERSIST, on_tick, TICK_NS)
        && add(loop, SIGINT, EV_SIGNAL, on_end, 0)
        && add(loop, SIGTERM, EV_SIGNAL, on_end, 0)
        && add(loop, SIGHUP, EV_SIGNAL | EV_PERSIST, on_hangup, 0);
    if (good && options->interval_s > 0)
        good = add(loop, -1, EV_PERSIST, on_interval, (int64_t)(options->interval_s * 1e9));
    if (good && options->duration_s > 0)
        good = add(loop, -1, 0, on_end, (int64_t)(options->duration_s * 1e9));
    return good;
}

static void free_all(struct loop *loop)
{
    for (unsigned i = 0; i < loop->others_count; i++)
        event_free(loop->others[i]);
    if (loop->drain != NULL)
        event_free(loop->drain);
    if (loop->readable != NULL)
        event_free(loop->readable);
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

static unsigned packets_a_wake(const struct pprec *pprec)
{
    unsigned room = (unsigned)pprec_buffer_bytes(pprec) / PACKET_TRUESIZE_BYTES / BUFFER_SHARE;

    return room < 1 ? 1 : room < PACKETS_A_WAKE ? room : PACKETS_A_WAKE;
}

int loop_run(struct pprec *pprec, struct report *report, const struct options *options,
             struct error *error)
{
    struct loop loop = {
        .base = new_base(),
        .pprec = pprec,
        .report = report,
        .interval_s = options->interval_s,
        .packets_a_wake = packets_a_wake(pprec),
        .error = error,
    };

    if (loop.base == NULL)
        return error_set(error, "no event loop");
    if (!add_all(&loop, options) || event_base_dispatch(loop.base) < 0)
        loop.failed = error_set(error, "the event loop cannot be set up");
    if (!loop.failed && !report_full(report))
        receive(&loop); /* what came while we were patient */
    free_all(&loop);
    return loop.failed ? -1 : 0;
}
