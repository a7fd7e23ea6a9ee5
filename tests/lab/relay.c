/*
 * A user-space link between two interfaces, for what the kernel at hand cannot do exactly.
 * `relay --help` lists what it does; README.md beside this file says how well.
 */
#define _GNU_SOURCE
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

#include "relay_options.h"
#include "relay_path.h"
#include "relay_port.h"
#include "relay_report.h"

enum { NS_PER_S = 1000000000 };

struct relay {
    struct relay_options options;
    struct port a, b;
    struct frame_pool pool;
    struct path path;
    struct report report;
    int64_t last_due_ns, last_sent_ns;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

/* Signals stay blocked but in ppoll, so none can slip in between a look at `stop` and the
 * sleep; while spinning, sigpending would cost a system call, so each sleep lets them in. */
static sigset_t block_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigset_t blocked, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    return before;
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
        relay->report.dropped_here++;
}

static bool crosses_link(const struct relay *relay, enum frame_kind kind)
{
    return kind >= FRAME_UDP || (relay->options.everything && kind == FRAME_IP);
}

static void take_frame(struct relay *relay, const struct port_frame *in, enum frame_kind kind)
{
    struct frame *frame = frame_take(&relay->pool);
    if (!frame) {
        relay->report.dropped_here++;
        return;
    }
    frame->bytes = in->bytes;
    frame->marked = kind == FRAME_MARKED;
    memcpy(frame->data, in->data, in->data_bytes);
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

static void note_timing(struct relay *relay, int64_t due_ns, int64_t sent_ns)
{
    int64_t error_ns = (sent_ns - relay->last_sent_ns) - (due_ns - relay->last_due_ns);
    histogram_add(&relay->report.late, sent_ns - due_ns);
    if (relay->last_sent_ns)
        histogram_add(&relay->report.gap_error, error_ns < 0 ? -error_ns : error_ns);
    relay->last_due_ns = due_ns;
    relay->last_sent_ns = sent_ns;
}

static bool release_one(struct relay *relay)
{
    struct frame *frame = path_release(&relay->path, clock_now_ns());
    if (!frame)
        return false;
    size_t offload_bytes = port_data_bytes(&relay->b) - relay->b.mtu_bytes - 14;
    if (port_send(&relay->b, frame->data, offload_bytes + frame->bytes)) {
        relay->report.dropped_here++;
    } else {
        note_timing(relay, frame->due_ns, clock_now_ns());
        path_count_left(&relay->path, frame);
    }
    frame_give_back(&relay->pool, frame);
    return true;
}

/* Sleeps until shortly before the next deadline or until a frame comes; false: an interface
 * is gone. */
static bool wait_for_work(struct relay *relay, const sigset_t *signals)
{
    struct pollfd ports[] = { { relay->a.fd, POLLIN, 0 }, { relay->b.fd, POLLIN, 0 } };
    struct timespec timeout, *limit = NULL;
    int64_t next_ns = path_next_ns(&relay->path);
    if (next_ns != INT64_MAX) {
        int64_t sleep_ns = next_ns - clock_now_ns() - relay->options.spin_ns;
        if (sleep_ns <= 0)
            return true;
        timeout = (struct timespec){ sleep_ns / NS_PER_S, sleep_ns % NS_PER_S };
        limit = &timeout;
    }
    if (ppoll(ports, 2, limit, signals) < 0)
        return errno == EINTR;
    return !((ports[0].revents | ports[1].revents) & (POLLERR | POLLNVAL));
}

static int run(struct relay *relay, const sigset_t *signals)
{
    while (!stop) {
        bool busy = receive_from_a(relay);
        if (!busy)
            path_advance(&relay->path, clock_now_ns());
        busy |= receive_from_b(relay);
        busy |= release_one(relay);
        if (!busy && !wait_for_work(relay, signals)) {
            fprintf(stderr, "relay: an interface went down\n");
            return 1;
        }
    }
    return 0;
}

/* All of this only makes the timing better; without the rights for it, the report says so. */
static bool ask_for_punctuality(void)
{
    struct sched_param priority = { .sched_priority = 1 };
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    mlockall(MCL_CURRENT);
    return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

static void open_all(struct relay *relay)
{
    char error[128];
    size_t data_bytes;
    if (port_open(&relay->a, relay->options.interface_a, error, sizeof error) ||
        port_open(&relay->b, relay->options.interface_b, error, sizeof error)) {
        fprintf(stderr, "relay: %s\n", error);
        exit(2);
    }
    data_bytes = port_data_bytes(&relay->a);
    if (relay->a.mtu_bytes != relay->b.mtu_bytes) {
        fprintf(stderr, "relay: the two interfaces differ in MTU\n");
        exit(2);
    }
    if (frame_pool_init(&relay->pool, data_bytes) ||
        path_init(&relay->path, &relay->options.path, &relay->pool)) {
        perror("relay: memory");
        exit(1);
    }
}

static int finish(struct relay *relay)
{
    struct report *report = &relay->report;
    FILE *out = relay->options.stats ? fopen(relay->options.stats, "w") : stdout;
    report->config = &relay->options.path;
    report->counts = &relay->path.counts;
    report->inside = path_inside(&relay->path);
    report->dropped_here += port_dropped(&relay->a) + port_dropped(&relay->b);
    report->oversize = relay->a.oversize + relay->b.oversize;
    if (!out) {
        perror(relay->options.stats);
        return 1;
    }
    report_write(report, out);
    return fflush(out) ? 1 : 0;
}

int main(int argc, char **argv)
{
    static struct relay relay;
    relay_options_parse(&relay.options, argc, argv);
    open_all(&relay);
    sigset_t signals = block_signals();
    relay.report.realtime = ask_for_punctuality();
    fprintf(stderr, "relay: ready %s -> %s, seed %llu\n", relay.options.interface_a,
            relay.options.interface_b, (unsigned long long)relay.options.path.seed);
    int status = run(&relay, &signals) | finish(&relay);
    path_fini(&relay.path);
    frame_pool_fini(&relay.pool);
    port_close(&relay.a);
    port_close(&relay.b);
    return status;
}
