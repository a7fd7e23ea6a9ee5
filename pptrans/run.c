/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "common/notify.h"
#include "common/transmit.h"
#include "method.h"

#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* How long the last train's stamps may take. */
#define LAST_STAMPS_NS (20 * STAMP_NS_PER_MS)

/* How often the service manager hears of it. */
#define STATUS_NS (10 * STAMP_NS_PER_S)

/* --- opening ------------------------------------------------------------ */

/* What a packet that waits in this host is charged to the socket: data rounded
 * up to a power of two, and the kernel's own structures. */
static size_t buffer_bytes(const struct plan *plan)
{
    return (size_t)plan_longest(plan) * (2 * (size_t)plan->train.payload_bytes + 1280);
}

static struct transmit_config transmit_config(const struct sender_options *options, size_t bytes)
{
    return (struct transmit_config){.interface = options->interface,
                                    .ttl = (int)options->ttl,
                                    .no_loop = options->loop == SENDER_LOOP_OFF,
                                    .dscp = options->dscp,
                                    .buffer_bytes = bytes};
}

/* What to send through the path as the kernel knows it now. */
static int make_plan(struct run *run, struct plan *plan, struct error *error)
{
    const struct sender_options *options = run->options;
    struct plan_wish wish = {.layer = options->layer, .size_bytes = options->size_bytes,
                             .length = options->length, .delay_ms = options->delay_ms,
                             .load_most_bps = options->load_most_bps,
                             .mix = options->mix, .classic = options->classic,
                             .tagged = options->key_file != NULL};
    struct transmit_config config = transmit_config(options, 0);
    int mtu_bytes = transmit_path_mtu(&run->to, &config, error);

    if (mtu_bytes < 0)
        return -1;
    return plan_make(plan, &wish, address_ip(&run->to), (uint32_t)mtu_bytes, error);
}

/* Where to, and what: address, plan, device, way of sending. */
static int decide(struct run *run, bool *segment, struct error *error)
{
    const struct sender_options *options = run->options;
    int family = options->ipv4 ? AF_INET : options->ipv6 ? AF_INET6 : AF_UNSPEC;

    if (address_resolve(&run->to, options->host, (uint16_t)options->port, family, error) != 0 ||
        make_plan(run, &run->plan, error) != 0)
        return -1;
    egress_find(&run->egress, &run->to, options->interface);
    if (plan_check_rate(&run->plan, run->egress.speed_bps, error) != 0)
        return -1;
    return method_choose((enum method_wish)options->send, &run->egress,
                         plan_longest(&run->plan), segment, &run->reason, error);
}

static unsigned interface_index(const struct run *run)
{
    return run->options->interface != NULL ? if_nametoindex(run->options->interface) : 0;
}

static int open_socket(struct run *run, bool segment, struct error *error)
{
    size_t wanted_bytes = buffer_bytes(&run->plan), got_bytes;
    struct transmit_config config = transmit_config(run->options, wanted_bytes);
    int fd = transmit_open(&run->to, &config, &got_bytes, error);

    if (fd < 0)
        return -1;
    if (got_bytes < wanted_bytes)
        error_set(&run->warning, "the send buffer holds %zu of the %zu bytes that a whole train "
                                 "may need: a slow device may cut trains (CAP_NET_ADMIN or "
                                 "net.core.wmem_max would help)", got_bytes, wanted_bytes);
    burst_init(&run->burst, fd, &run->to, segment, transmit_stamps(fd));
    run->interface_index = interface_index(run);
    return 0;
}

/* An interface that was removed and comes back under its name is another one to
 * the kernel, and the socket is bound to the old one for good: a new socket binds
 * without privileges. */
static void follow_interface(struct run *run)
{
    unsigned index = interface_index(run);
    struct transmit_config config = transmit_config(run->options, buffer_bytes(&run->plan));
    int fd;

    if (index == 0 || index == run->interface_index)
        return;
    fd = transmit_open(&run->to, &config, NULL, NULL);
    if (fd < 0)
        return; /* until the next train */
    close(run->burst.socket);
    run->burst.socket = fd;
    run->interface_index = index;
    burst_renumber(&run->burst);
}

/* A smaller MTU on the way tells itself by packets that come to nothing, and then by the
 * kernel's refusals. A size that was asked for stays. */
static void follow_mtu(struct run *run)
{
    struct plan plan;
    struct payloads payloads;

    if (run->options->size_bytes != 0 || make_plan(run, &plan, NULL) != 0 ||
        plan.train.payload_bytes == run->plan.train.payload_bytes ||
        payloads_init(&payloads, plan_longest(&plan), plan.train.payload_bytes, NULL) != 0)
        return;
    payloads_fini(&run->payloads);
    run->payloads = payloads;
    run->plan = plan;
    fprintf(stderr, "pptrans: the path's MTU is %u: packets of %u bytes from now on\n",
            plan.mtu_bytes, plan.train.size_bytes);
}

static enum schedule_spacing spacing(const struct run *run)
{
    if (run->options->spacing >= 0)
        return (enum schedule_spacing)run->options->spacing;
    return run->plan.paper ? SCHEDULE_UNIFORM : SCHEDULE_POISSON;
}

/* The clock, where something keeps the kernel's own from us. */
static uint64_t any_number(void)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = (uint64_t)stamp_now_ns(CLOCK_REALTIME);
    return number;
}

static void start_schedule(struct run *run)
{
    run->stream = (uint32_t)any_number();
    run->totals.stream = run->stream;
    schedule_init(&run->schedule, spacing(run), stamp_now_ns(CLOCK_MONOTONIC), any_number());
}

int run_open(struct run *run, const struct sender_options *options, struct error *error)
{
    bool segment;

    *run = (struct run){.options = options,
                        .report = {.out = stdout, .json = options->json,
                                   .quiet = options->quiet, .verbose = options->verbose}};
    if (options->key_file != NULL && tagger_open(&run->tagger, options->key_file, error) != 0)
        return -1;
    if (decide(run, &segment, error) != 0 || open_socket(run, segment, error) != 0)
        return -1;
    if (payloads_init(&run->payloads, plan_longest(&run->plan), run->plan.train.payload_bytes,
                   error) != 0) {
        close(run->burst.socket);
        return -1;
    }
    tagger_aim(&run->tagger, &run->to);
    if (run->plan.tagged)
        tagger_calibrate(&run->tagger, &run->payloads, &run->plan.train);
    start_schedule(run);
    return 0;
}

void run_close(struct run *run)
{
    tagger_close(&run->tagger);
    payloads_fini(&run->payloads);
    close(run->burst.socket);
}

/* --- departures --------------------------------------------------------- */

/* The train's stamps are in, or as many as will be: account for them. */
static void settle(struct run *run)
{
    struct flight *flight = &run->flight;
    struct flight_spread spread;

    if (!run->in_flight)
        return;
    run->in_flight = false;
    flight_measure(flight, &spread);
    for (size_t i = 0; i < spread.gaps; i++)
        gaps_add(&run->totals.gaps, spread.gap_ns[i]);
    if (!flight->uncertain)
        run->totals.unstamped += flight->messages - flight->stamps;
    if (spread.known) {
        gaps_add(&run->totals.mean_gaps[flight->packets == 2 ? REPORT_PAIRS : REPORT_TRAINS],
                 spread.span_ns / (flight->packets - 1));
        run->totals.known++;
        run->have_departure = true;
        run->departure_train = flight->train;
        run->departure_span_ns = spread.span_ns;
    }
    report_train(&run->report, flight, &spread);
}

static void collect(struct run *run)
{
    struct departure departures[DEPARTURE_BATCH];
    size_t count;

    while (departure_read(run->burst.socket, departures, &count) > 0)
        for (size_t i = 0; i < count; i++)
            flight_note(&run->flight, &departures[i]);
    if (run->in_flight && flight_settled(&run->flight))
        settle(run);
}

/* After a refusal, once everything has left: the order of the three matters. */
static void renumber(struct run *run)
{
    if (!run->burst.uncertain || !run->burst.stamped || burst_pending(&run->burst))
        return;
    collect(run);
    burst_renumber(&run->burst);
}

/* --- trains ------------------------------------------------------------- */

static void account(struct run *run)
{
    struct report_totals *totals = &run->totals;
    const struct plan_shape *shape = plan_shape(&run->plan, run->flight.train);
    uint32_t taken = run->flight.packets - run->flight.failed;

    totals->last_ns = stamp_now_ns(CLOCK_MONOTONIC);
    if (totals->trains++ == 0)
        totals->first_ns = totals->last_ns;
    totals->refused_segments = run->burst.refused_segments;
    totals->packets += taken;
    totals->refused += run->flight.failed;
    totals->last_bytes = (uint64_t)taken * shape->size_bytes;
    totals->bytes += totals->last_bytes;
}

/* Sequence numbers that the train has used up. What was not sent uses none: so the receiver
 * does not miss it. In the classic format a number says where in its train a packet is. */
static uint32_t numbers_used(const struct run *run)
{
    uint32_t taken = run->flight.packets - run->flight.failed;

    return run->plan.classic && taken > 0 ? run->flight.packets : taken;
}

static void tell_status(struct run *run)
{
    const struct report_totals *totals = &run->totals;

    if (totals->last_ns - run->status_ns < STATUS_NS)
        return;
    run->status_ns = totals->last_ns;
    notify_send("STATUS=%llu trains, %llu packets sent, %llu refused",
                (unsigned long long)totals->trains, (unsigned long long)totals->packets,
                (unsigned long long)totals->refused);
}

static struct wire_probe first_probe(const struct run *run, const struct plan_shape *shape)
{
    return (struct wire_probe){
        .length_log2 = shape->length_log2,
        .flags = payloads_flags(shape->payload_bytes, run->have_departure, run->plan.tagged),
        .stream = run->stream,
        .seq = run->next_seq,
        .train = run->next_train,
        .departure_train = run->departure_train,
        .departure_span_ns = flight_wire_span(run->departure_span_ns),
    };
}

static void send_train(struct run *run)
{
    struct flight *flight = &run->flight;
    const struct plan_shape *shape;
    struct wire_probe first;

    if (flight->failed > 0) {
        follow_interface(run);
        follow_mtu(run);
    }
    renumber(run);
    shape = plan_shape(&run->plan, run->next_train);
    first = first_probe(run, shape);
    flight->train = run->next_train++;
    flight->packets = 1U << shape->length_log2;
    flight->payload_bytes = shape->payload_bytes;
    if (run->plan.classic)
        payloads_write_classic(&run->payloads, flight->packets, first.seq);
    else
        payloads_write(&run->payloads, &first);
    burst_prepare(&run->burst, &run->payloads, flight);
    if (run->plan.tagged)
        flight->handed_ns = tagger_tag(&run->tagger, &run->payloads, &first);
    else
        flight->handed_ns = stamp_now_ns(CLOCK_REALTIME);
    if (!run->plan.classic && !run->plan.tagged)
        payloads_set_time(&run->payloads, &first, (uint64_t)flight->handed_ns);
    burst_send(&run->burst, &run->payloads, flight);
    run->next_seq += numbers_used(run);
    run->in_flight = true;
    account(run);
}

/* --- the loop ----------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* Signals come through only while ppoll waits: none is missed, and none
 * interrupts a train. Returns the mask to wait with. */
static sigset_t catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop};
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigdelset(&before, SIGINT);
    sigdelset(&before, SIGTERM);
    return before;
}

/* Waits for stamps or a signal, until end_ns on the monotonic clock at most. */
static void wait_once(struct run *run, int64_t end_ns, const sigset_t *mask)
{
    struct pollfd poll = {.fd = run->burst.socket}; /* POLLERR: stamps */
    int64_t left_ns = end_ns - stamp_now_ns(CLOCK_MONOTONIC);
    struct timespec timeout = stamp_to_timespec(left_ns > 0 ? left_ns : 0);
    int pending;
    socklen_t pending_bytes = sizeof pending;

    if (ppoll(&poll, 1, &timeout, mask) <= 0)
        return;
    collect(run);
    /* Were there an error of another kind, POLLERR would stay. */
    getsockopt(poll.fd, SOL_SOCKET, SO_ERROR, &pending, &pending_bytes);
}

/* Until the next train is due, or until stopped. Looks at least once: signals
 * come through even when every train is late. */
static void wait_until(struct run *run, int64_t due_ns, const sigset_t *mask)
{
    collect(run);
    do
        wait_once(run, due_ns, mask);
    while (!stopped && stamp_now_ns(CLOCK_MONOTONIC) < due_ns);
}

/* Waits for the last stamps, but not long. */
static void finish(struct run *run)
{
    int64_t end_ns = stamp_now_ns(CLOCK_MONOTONIC) + LAST_STAMPS_NS;

    collect(run);
    while (run->in_flight && stamp_now_ns(CLOCK_MONOTONIC) < end_ns)
        wait_once(run, end_ns, NULL);
    settle(run);
}

/* When the next train is due; INT64_MAX: there is none. */
static int64_t next_due_ns(const struct run *run, int64_t end_ns)
{
    int64_t due_ns = schedule_due_ns(&run->schedule);

    if (run->options->trains != 0 && run->totals.trains >= run->options->trains)
        return INT64_MAX;
    return due_ns < end_ns ? due_ns : INT64_MAX;
}

void run_trains(struct run *run)
{
    sigset_t mask = catch_signals();
    double seconds = run->options->seconds;
    int64_t start_ns = schedule_due_ns(&run->schedule);
    int64_t end_ns = seconds > 0 ? start_ns + (int64_t)(seconds * 1e9) : INT64_MAX;
    int64_t due_ns;

    while (!stopped && (due_ns = next_due_ns(run, end_ns)) != INT64_MAX) {
        wait_until(run, due_ns, &mask);
        settle(run);
        if (stopped)
            break;
        send_train(run);
        tell_status(run);
        schedule_advance(&run->schedule, plan_delay_ms(&run->plan, run->flight.train),
                         stamp_now_ns(CLOCK_MONOTONIC));
    }
    notify_send("STOPPING=1");
    finish(run);
    report_totals(&run->report, &run->plan, &run->totals, &run->burst.failures);
}
