/* SPDX-License-Identifier: BSD-3-Clause */
/* A handle of libpprec in an event loop of libevent, in one header:
 *
 *   struct pprec_libevent adapter;
 *
 *   pprec_listen(pprec, &options);                     a socket, or a live capture
 *   pprec_libevent_attach(&adapter, base, pprec, NULL, NULL);
 *   event_base_dispatch(base);                         callbacks of the handle are called
 *   pprec_libevent_detach(&adapter);                   before pprec_free()
 *
 * It reads lazily: the kernel has stamped the packets, so nothing is gained by waking
 * for each of them, and a wake-up in the middle of a train disturbs what is measured. */
#ifndef PPREC_ADAPTERS_LIBEVENT_H
#define PPREC_ADAPTERS_LIBEVENT_H

#include <event2/event.h>
#include <pprec/pprec.h>

#include <string.h>
#include <time.h>

/* After the first packet wait a little, then drain: at most so long, */
#define PPREC_LIBEVENT_PATIENCE_NS INT64_C(4000000)
/* or until so many packets wait: seven batches, and within an eighth of 8 MiB, */
#define PPREC_LIBEVENT_PACKETS 448
/* or an eighth of the buffer is full, counting a full-size packet as the kernel
 * does, with its overhead. */
#define PPREC_LIBEVENT_BUFFER_SHARE 8
#define PPREC_LIBEVENT_TRUESIZE_BYTES 2304

/* One turn of the loop reads at most so many, so that signals and timers are
 * heard under any load. */
#define PPREC_LIBEVENT_TURN 8192

/* Trains that wait for their end, and groups, are looked after so often. */
#define PPREC_LIBEVENT_TICK_NS INT64_C(100000000)

/* The caller's memory; its fields are the adapter's. */
struct pprec_libevent {
    struct pprec *pprec;
    void (*after)(void *user, int got);
    void *user;
    struct event *readable;
    struct event *drain;
    struct event *tick;
    int64_t drained_ns; /* CLOCK_MONOTONIC */
    unsigned packets_a_wake;
};

static inline int64_t pprec_libevent_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int pprec_libevent_wait(struct event *event, int64_t ns)
{
    struct timeval wait;

    wait.tv_sec = (time_t)(ns / 1000000000);
    wait.tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
    return event_add(event, &wait);
}

/* Reads what is there. For the end of a program: what came while the loop was
 * patient. Returns as pprec_dispatch(). */
static inline int pprec_libevent_read(struct pprec_libevent *adapter)
{
    int got = pprec_dispatch(adapter->pprec, PPREC_LIBEVENT_TURN);

    if (adapter->after != NULL)
        adapter->after(adapter->user, got);
    return got;
}

/* How long packets may pile up, judged by how fast they came until now. */
static inline int64_t pprec_libevent_patience_ns(const struct pprec_libevent *adapter, int got,
                                                 int64_t since_ns)
{
    int64_t wait_ns = since_ns / got * adapter->packets_a_wake;

    return wait_ns < PPREC_LIBEVENT_PATIENCE_NS ? wait_ns : PPREC_LIBEVENT_PATIENCE_NS;
}

/* While packets keep coming the timer alone drives; otherwise the socket is
 * watched again. */
static inline void pprec_libevent_on_drain(evutil_socket_t fd, short what, void *data)
{
    struct pprec_libevent *adapter = (struct pprec_libevent *)data;
    int got = pprec_libevent_read(adapter);
    int64_t now_ns = pprec_libevent_now_ns();

    (void)fd;
    (void)what;
    if (got > 0)
        pprec_libevent_wait(adapter->drain,
                            pprec_libevent_patience_ns(adapter, got, now_ns - adapter->drained_ns));
    else
        event_add(adapter->readable, NULL);
    adapter->drained_ns = now_ns;
}

static inline void pprec_libevent_on_readable(evutil_socket_t fd, short what, void *data)
{
    struct pprec_libevent *adapter = (struct pprec_libevent *)data;

    (void)fd;
    (void)what;
    /* where the time of reading stamps the packet there is no lazy reading */
    if (pprec_source_timestamps(adapter->pprec) == PPREC_TIMESTAMPS_USER) {
        pprec_libevent_read(adapter);
        event_add(adapter->readable, NULL);
        return;
    }
    adapter->drained_ns = pprec_libevent_now_ns();
    /* a small buffer may not hold a fast train for long */
    pprec_libevent_wait(adapter->drain,
                        adapter->packets_a_wake >= PPREC_LIBEVENT_PACKETS ? PPREC_LIBEVENT_PATIENCE_NS
                                                                          : PPREC_LIBEVENT_PATIENCE_NS / 4);
}

static inline void pprec_libevent_on_tick(evutil_socket_t fd, short what, void *data)
{
    (void)fd;
    (void)what;
    pprec_libevent_read((struct pprec_libevent *)data);
}

static inline void pprec_libevent_free_event(struct event *event)
{
    if (event != NULL)
        event_free(event);
}

/* Takes the handle out of the loop. */
static inline void pprec_libevent_detach(struct pprec_libevent *adapter)
{
    pprec_libevent_free_event(adapter->readable);
    pprec_libevent_free_event(adapter->drain);
    pprec_libevent_free_event(adapter->tick);
    adapter->readable = adapter->drain = adapter->tick = NULL;
}

static inline unsigned pprec_libevent_packets_a_wake(const struct pprec *pprec)
{
    unsigned room =
        (unsigned)pprec_buffer_bytes(pprec) / PPREC_LIBEVENT_TRUESIZE_BYTES / PPREC_LIBEVENT_BUFFER_SHARE;

    return room < 1 ? 1 : room < PPREC_LIBEVENT_PACKETS ? room : PPREC_LIBEVENT_PACKETS;
}

/* The handle must have a descriptor. after, if not NULL, is called after each
 * reading with what pprec_dispatch() returned. A base with
 * EVENT_BASE_FLAG_PRECISE_TIMER keeps the waits shorter. Returns 0, or -1 with
 * nothing attached. */
static inline int pprec_libevent_attach(struct pprec_libevent *adapter, struct event_base *base,
                                        struct pprec *pprec, void (*after)(void *user, int got), void *user)
{
    memset(adapter, 0, sizeof *adapter);
    adapter->pprec = pprec;
    adapter->after = after;
    adapter->user = user;
    adapter->packets_a_wake = pprec_libevent_packets_a_wake(pprec);
    adapter->readable = event_new(base, pprec_fd(pprec), EV_READ, pprec_libevent_on_readable, adapter);
    adapter->drain = event_new(base, -1, 0, pprec_libevent_on_drain, adapter);
    adapter->tick = event_new(base, -1, EV_PERSIST, pprec_libevent_on_tick, adapter);
    if (pprec_fd(pprec) >= 0 && adapter->readable != NULL && adapter->drain != NULL && adapter->tick != NULL
        && event_add(adapter->readable, NULL) == 0
        && pprec_libevent_wait(adapter->tick, PPREC_LIBEVENT_TICK_NS) == 0)
        return 0;
    pprec_libevent_detach(adapter);
    return -1;
}

#endif
