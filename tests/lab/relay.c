/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user-space link between two interfaces, for what the kernel at hand cannot do exactly.
 * `relay --help` lists what it does; README.md beside this file says how well.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "relay_account.h"
#include "relay_load.h"
#include "relay_options.h"
#include "relay_path.h"
#include "relay_port.h"
#include "relay_report.h"
#include "relay_warm.h"

enum {
    NS_PER_S = 1000000000,
    SLEEP_MAX_NS = 2000000,
    WARM_FIRST_NS = 60000,
    WARM_LAST_NS = 20000,   /* a warming takes no longer */
    LONG_PAUSE_NS = 500000, /* the next frame, after that, is as cold as the first */
};

struct relay {
    struct relay_options options;
    struct port a, b;
    struct frame_pool pool;
    struct path path;
    struct report report;
    struct account account;
    struct load load;
    struct warmer warmer;
    int64_t last_due_ns, last_sent_ns;
    int64_t warmed_for_ns; /* the release that warmed counts for */
    int warmed;
};

static volatile sig_atomic_t stop;

static void relay_on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = relay_on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* The kernel's receive stamps are of this clock, so the deadlines are too. */
static int64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void send_or_count(struct relay *relay, const struct port *port, const uint8_t *data,
                          size_t data_bytes)
{
    if (port_send(port, data, data_bytes))
        relay->report.refused++;
}

static bool crosses_link(const struct relay *relay, enum frame_kind kind)
{
    return kind >= FRAME_UDP || (relay->options.everything && kind == FRAME_IP);
}

static void take_frame(struct relay *relay, const struct port_frame *in, enum frame_kind kind)
{
    struct frame *frame = frame_take(&relay->pool);
    if (!frame) {
        relay->report.dropped_pool++;
        return;
    }
    frame->bytes = in->bytes;
    frame->data_bytes = (uint32_t)in->data_bytes;
    frame->marked = kind == FRAME_MARKED;
    if (relay->options.path.fair_quantum_bytes)
        frame->flow = frame_flow(in->ethernet, in->bytes);
    memcpy(frame->data, in->data, in->data_bytes);
    if (frame->marked)
        account_arrival(&relay->account, in->bytes, in->arrival_ns);
    path_take(&relay->path, frame, in->arrival_ns);
}

/* One frame at a time: a burst that comes in must not hold up a release. */
static bool receive_from_a(struct relay *relay)
{
    struct port_frame in;
    if (!port_receive(&relay->a, &in))
        return false;
    enum frame_kind kind = frame_classify(in.ethernet, in.bytes, relay->options.port);
    if (crosses_link(relay, kind)) {
        take_frame(relay, &in, kind);
    } else {
        send_or_count(relay, &relay->b, in.data, in.data_bytes);
        relay->report.passed_ab++;
    }
    port_done(&relay->a);
    return true;
}

static bool receive_from_b(struct relay *relay)
{
    struct port_frame in;
    if (!port_receive(&relay->b, &in))
        return false;
    send_or_count(relay, &relay->a, in.data, in.data_bytes);
    relay->report.passed_ba++;
    port_done(&relay->b);
    return true;
}

static void note_timing(struct relay *relay, int64_t due_ns, int64_t start_ns, int64_t sent_ns)
{
    int64_t error_ns = (sent_ns - relay->last_sent_ns) - (due_ns - relay->last_due_ns);
    histogram_add(&relay->report.start, start_ns - due_ns);
    histogram_add(&relay->report.late, sent_ns - due_ns);
    if (relay->last_sent_ns)
        histogram_add(&relay->report.gap_error, error_ns < 0 ? -error_ns : error_ns);
    relay->last_due_ns = due_ns;
    relay->last_sent_ns = sent_ns;
}

static bool release_one(struct relay *relay)
{
    int64_t start_ns = clock_now_ns();
    struct frame *frame = path_release(&relay->path, start_ns);
    if (!frame)
        return false;
    if (port_send(&relay->b, frame->data, frame->data_bytes)) {
        relay->report.refused++;
    } else {
        note_timing(relay, frame->due_ns, start_ns, clock_now_ns());
        path_count_left(&relay->path, frame);
        load_left(&relay->load, link_bytes(&relay->path.link, frame->bytes), frame->marked, start_ns);
        if (frame->marked && !frame->copy)
            account_sent(&relay->account, frame->index, start_ns);
    }
    frame_give_back(&relay->pool, frame);
    return true;
}

/* How long to sleep. Frames at A must not wake us: that would cost the sender, in whose
 * context they come in, several microseconds in the middle of its train. So A is looked at
 * by the clock, often enough for the delay to hide it. */
static int64_t time_to_sleep_ns(const struct relay *relay, int64_t now_ns)
{
    int64_t sleep_ns = relay->options.path.delay_ns / 2;
    int64_t next_ns = path_next_ns(&relay->path);
    if (sleep_ns > SLEEP_MAX_NS)
        sleep_ns = SLEEP_MAX_NS;
    if (next_ns != INT64_MAX && next_ns - now_ns < sleep_ns)
        sleep_ns = next_ns - now_ns;
    return sleep_ns - relay->options.spin_ns;
}

/* Twice in the last moments before a release that follows on a pause. */
static void warm_up(struct relay *relay, int64_t now_ns)
{
    int64_t next_ns = path_due_ns(&relay->path), left_ns = next_ns - now_ns;
    if (relay->warmed_for_ns != next_ns) {
        relay->warmed_for_ns = next_ns;
        relay->warmed = 0;
    }
    if (left_ns < WARM_FIRST_NS && left_ns > WARM_LAST_NS && relay->warmed < 2
        && relay->last_sent_ns < now_ns - WARM_FIRST_NS) {
        relay->warmed++;
        warmer_run(&relay->warmer, relay->last_sent_ns < now_ns - LONG_PAUSE_NS);
    }
}

/* False: an interface is gone. */
static bool wait_for_work(struct relay *relay)
{
    struct pollfd back = {relay->b.fd, POLLIN, 0};
    int64_t now_ns = clock_now_ns(), sleep_ns = time_to_sleep_ns(relay, now_ns);
    if (sleep_ns <= 0) {
        warm_up(relay, now_ns);
        return true;
    }
    struct timespec timeout = {sleep_ns / NS_PER_S, sleep_ns % NS_PER_S};
    if (ppoll(&back, 1, &timeout, NULL) < 0)
        return errno == EINTR;
    return !(back.revents & (POLLERR | POLLNVAL)) && !port_failed(&relay->a);
}

static int relay_run(struct relay *relay)
{
    while (!stop) {
        bool busy = receive_from_a(relay);
        if (!busy)
            path_advance(&relay->path, clock_now_ns());
        busy |= receive_from_b(relay);
        busy |= release_one(relay);
        if (!busy && !wait_for_work(relay)) {
            fprintf(stderr, "relay: an interface went down\n");
            return 1;
        }
    }
    return 0;
}

/* A link waits for nobody: it goes before whoever sends in real time (available.sh). */
enum { PRIORITY = 10 };

/* All of this only makes the timing better; without the rights for it, the report says so. */
static bool ask_for_punctuality(void)
{
    struct sched_param priority = {.sched_priority = PRIORITY};
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    mlockall(MCL_CURRENT);
    return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

static void relay_open_all(struct relay *relay)
{
    char error[128];
    if (port_open(&relay->a, relay->options.interface_a, error, sizeof error)
        || port_open(&relay->b, relay->options.interface_b, error, sizeof error)) {
        fprintf(stderr, "relay: %s\n", error);
        exit(2);
    }
    if (relay->a.mtu_bytes != relay->b.mtu_bytes) {
        fprintf(stderr, "relay: the two interfaces differ in MTU\n");
        exit(2);
    }
    if (frame_pool_init(&relay->pool, port_data_bytes(&relay->a))
        || path_init(&relay->path, &relay->options.path, &relay->pool)
        || (relay->options.account && account_init(&relay->account))
        || (relay->options.load && load_init(&relay->load))) {
        perror("relay: memory");
        exit(1);
    }
    if (warmer_init(&relay->warmer, relay->options.interface_b, relay->b.mtu_bytes))
        perror("relay: loopback (the first packets of trains will be late)");
}

static int write_account(const struct relay *relay)
{
    if (!relay->options.account)
        return 0;
    FILE *out = fopen(relay->options.account, "w");
    if (!out) {
        perror(relay->options.account);
        return 1;
    }
    account_write(&relay->account, out);
    return fclose(out) ? 1 : 0;
}

static int write_load(const struct relay *relay)
{
    if (!relay->options.load)
        return 0;
    FILE *out = fopen(relay->options.load, "w");
    if (!out) {
        perror(relay->options.load);
        return 1;
    }
    load_write(&relay->load, out);
    return fclose(out) ? 1 : 0;
}

static int relay_finish(struct relay *relay)
{
    struct report *report = &relay->report;
    FILE *out = relay->options.stats ? fopen(relay->options.stats, "w") : stdout;
    report->config = &relay->options.path;
    report->counts = &relay->path.counts;
    report->inside = path_inside(&relay->path);
    report->flows = relay->path.fair.flows_seen;
    report->service_bps = link_service_bps(&relay->path.link);
    report->access_ns = link_access_ns(&relay->path.link);
    report->dropped_ring = port_dropped(&relay->a) + port_dropped(&relay->b);
    report->oversize = relay->a.oversize + relay->b.oversize;
    if (!out) {
        perror(relay->options.stats);
        return 1;
    }
    int status = write_account(relay) | write_load(relay);
    report_write(report, out);
    return fflush(out) || status ? 1 : 0;
}

int main(int argc, char **argv)
{
    static struct relay relay;
    relay_options_parse(&relay.options, argc, argv);
    relay_open_all(&relay);
    catch_signals();
    relay.report.realtime = ask_for_punctuality();
    fprintf(stderr, "relay: ready %s -> %s, seed %llu\n", relay.options.interface_a,
            relay.options.interface_b, (unsigned long long)relay.options.path.seed);
    int status = relay_run(&relay) | relay_finish(&relay);
    warmer_fini(&relay.warmer);
    path_fini(&relay.path);
    frame_pool_fini(&relay.pool);
    account_fini(&relay.account);
    load_fini(&relay.load);
    port_close(&relay.a);
    port_close(&relay.b);
    return status;
}
