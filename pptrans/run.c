/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "common/notify.h"
#include "stop.h"
#include "unreachable.h"

#include <poll.h>
#include <unistd.h>

/* How long the last train's stamps may take. */
#define LAST_STAMPS_NS (20 * STAMP_NS_PER_MS)

void run_wait(struct run *run, int64_t end_ns, const sigset_t *mask)
{
    struct pollfd poll = {.fd = run->burst.socket}; /* POLLERR: stamps */
    int64_t left_ns = end_ns - stamp_now_ns(CLOCK_MONOTONIC);
    struct timespec timeout = stamp_to_timespec(left_ns > 0 ? left_ns : 0);
    int pending;
    socklen_t pending_bytes = sizeof pending;

    if (ppoll(&poll, 1, &timeout, mask) <= 0)
        return;
    run_collect(run);
    /* Were there an error of another kind, POLLERR would stay. */
    getsockopt(poll.fd, SOL_SOCKET, SO_ERROR, &pending, &pending_bytes);
}

/* Until the next train is due, or until stopped. Looks at least once: signals
 * come through even when every train is late. */
static void run_wait_until(struct run *run, int64_t due_ns)
{
    run_collect(run);
    do
        run_wait(run, due_ns, &run->mask);
    while (!stop_asked() && stamp_now_ns(CLOCK_MONOTONIC) < due_ns);
}

/* Waits for the last stamps, but not long. */
static void run_finish(struct run *run)
{
    int64_t end_ns = stamp_now_ns(CLOCK_MONOTONIC) + LAST_STAMPS_NS;

    run_collect(run);
    while (run->in_flight && stamp_now_ns(CLOCK_MONOTONIC) < end_ns)
        run_wait(run, end_ns, NULL);
    run_settle(run);
}

/* Once a run: whoever starts the receiver later need not hear it for each train. */
static void tell_unreachable(struct run *run)
{
    struct unreachable unreachable;
    char to[ADDRESS_TEXT_BYTES], from[ADDRESS_TEXT_BYTES];

    if (run->listener < 0 || !unreachable_read(run->listener, &unreachable))
        return;
    close(run->listener);
    run->listener = -1;
    address_text(&unreachable.from, from);
    *strrchr(from, ':') = '\0'; /* ICMP has no ports */
    fprintf(stderr, "pptrans: %s: %s (ICMP from %s)%s\n", address_text(&run->to, to), unreachable.what, from,
            unreachable.port ? ": does pprec receive there?" : "");
}

/* When the next train is due; INT64_MAX: there is none. */
static int64_t next_due_ns(const struct run *run, int64_t end_ns)
{
    int64_t due_ns = schedule_due_ns(&run->schedule);

    if (run->options->trains != 0 && run->totals.trains >= run->options->trains)
        return INT64_MAX;
    return due_ns < end_ns ? due_ns : INT64_MAX;
}

/* The next one is appointed. After a paced train time counts from when its last packet left: what
 * would have been due meanwhile is left out and not put off, as first packets that follow on a
 * train of ours would find its queue and not the path's. The times of those that are sent stay
 * exponential, for these have no memory, and stand for all the time in which no paced train leaves. */
static void appoint(struct run *run)
{
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);

    if (run->flight.paced)
        schedule_restart(&run->schedule, now_ns);
    schedule_advance(&run->schedule, plan_pause_ms(&run->plan, run->flight.train), now_ns);
}

/* Of a train that was cut short the next one tells: else its end would pass for lost. */
static void tell_cut(struct run *run)
{
    if (run->flight.unsent == 0)
        return;
    run_collect(run);
    run_settle(run);
    run_send(run, &run->plan.pair);
}

void run_trains(struct run *run)
{
    double seconds = run->options->seconds;
    int64_t start_ns = schedule_due_ns(&run->schedule);
    int64_t end_ns = seconds > 0 ? start_ns + (int64_t)(seconds * 1e9) : INT64_MAX;
    int64_t due_ns;

    stop_catch(&run->mask);
    while (!stop_asked() && (due_ns = next_due_ns(run, end_ns)) != INT64_MAX) {
        run_wait_until(run, due_ns);
        run_settle(run);
        tell_unreachable(run);
        if (stop_asked())
            break;
        run_send_next(run);
        appoint(run);
    }
    notify_send("STOPPING=1");
    tell_cut(run);
    run_finish(run);
    tell_unreachable(run);
    report_totals(&run->report, &run->plan, &run->totals, &run->burst.failures);
}
