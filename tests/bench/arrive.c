/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps between packets of a train as they come in. Over a veth without a limit this
 * is when they left: the receiving side stamps a packet while it is sent. */
#include "common/receive.h"
#include "common/wire.h"
#include "pptrans/gaps.h"
#include "tests/bench/bench.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LAZY_NS (4 * STAMP_NS_PER_MS)
enum { LOOK_MS = 100, BUFFER_BYTES = 4 << 20 };

struct arrive_options {
    uint32_t port;
};

struct arrive {
    struct receive_socket socket;
    struct receive *receive;
    struct wire_probe last; /* probe before, and its stamp */
    struct stamp last_stamp;
    uint64_t packets;
    struct gaps gaps;
};

static const struct option_row rows[] = {
    {.name = "port",
     .letter = 'p',
     .metavar = "PORT",
     .kind = &option_unsigned,
     .offset = offsetof(struct arrive_options, port),
     .min = 1,
     .max = 65535,
     .help = "UDP port",
     .required = true},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "bench arrive",
    .version = "",
    .usage = "-p PORT",
    .about = "Receives probes until SIGTERM and prints the gaps within their trains.\n",
    .rows = rows,
};

static volatile sig_atomic_t stopped;

static void arrive_stop(int number)
{
    (void)number;
    stopped = 1;
}

static void arrive_note(struct arrive *arrive, const struct receive_datagram *datagram)
{
    struct wire_probe probe;
    int64_t gap_ns;

    if (wire_decode(&probe, datagram->data, datagram->data_bytes) != WIRE_OK)
        return;
    if (arrive->packets++ > 0 && probe.stream == arrive->last.stream && probe.train == arrive->last.train
        && probe.seq == arrive->last.seq + 1 && stamp_elapsed(arrive->last_stamp, datagram->stamp, &gap_ns))
        gaps_add(&arrive->gaps, gap_ns);
    arrive->last = probe;
    arrive->last_stamp = datagram->stamp;
}

static void arrive_run(struct arrive *arrive)
{
    struct pollfd watched = {.fd = arrive->socket.fd, .events = POLLIN};
    struct timespec wait = {0, LAZY_NS};
    struct receive_datagram datagram;
    int got;

    while (!stopped) {
        if (poll(&watched, 1, LOOK_MS) <= 0)
            continue;
        nanosleep(&wait, NULL); /* no wake-up within a train */
        while ((got = receive_batch(arrive->receive, &arrive->socket, RECEIVE_BATCH)) > 0)
            for (int i = 0; i < got; i++)
                if (receive_get(arrive->receive, (unsigned)i, &datagram))
                    arrive_note(arrive, &datagram);
    }
}

int bench_arrive(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = arrive_stop};
    struct arrive_options options = {0};
    struct receive_options wanted = {.timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = BUFFER_BYTES};
    static struct arrive arrive; /* too large for some stacks */
    struct error error = {""};
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    wanted.port = (uint16_t)options.port;
    if (receive_open(&arrive.socket, &wanted, &error) < 0)
        return bench_refuse(error.text);
    arrive.receive = receive_new();
    if (arrive.receive == NULL)
        return bench_refuse("no memory");
    arrive_run(&arrive);
    printf("{\"packets\":%llu,\"gaps\":%llu,\"gap_least_ns\":%lld,\"gap_median_ns\":%lld}\n",
           (unsigned long long)arrive.packets, (unsigned long long)arrive.gaps.count,
           (long long)arrive.gaps.least_ns, (long long)gaps_median_ns(&arrive.gaps));
    receive_free(arrive.receive);
    close(arrive.socket.fd);
    return EXIT_SUCCESS;
}
