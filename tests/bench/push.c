/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library costs a datagram, without a socket. */
#include "common/stamp.h"
#include "pprec/pprec.h"
#include "pptrans/payloads.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Encoded anew, unmeasured, for every round: few enough to stay in the cache, as
 * a batch just received would. */
enum { ROUND_PACKETS = 1024, STREAM = 0x62656e63 };

/* Gaps of packets, uniform in between: every train has a rate of its own. */
enum { GAP_LEAST_NS = 1000, GAP_RANGE_SHIFT = 22 }; /* 32 bits less that: 1024 ns */

struct push_options {
    uint32_t packets;
    uint32_t length_log2;
    uint32_t streams;
    uint32_t delay_ms;
    const char *filter;
};

struct push {
    struct pprec *pprec;
    struct payloads payloads;
    uint32_t length;
    uint32_t length_log2;
    uint32_t streams;     /* each has every so-manyth train */
    uint32_t next_train;  /* of all streams */
    uint32_t round_train; /* the first of this round */
    uint32_t random;
    int64_t now_ns;   /* on the receiver's clock */
    int64_t delay_ns; /* from the end of a train to the next */
    int64_t spent_ns;
    uint64_t trains;
};

#define AT(field) .offset = offsetof(struct push_options, field)

static const struct option_row rows[] = {
    {.name = "packets",
     .letter = 'c',
     .metavar = "PACKETS",
     .kind = &option_unsigned,
     AT(packets),
     .min = 1,
     .max = UINT32_MAX,
     .help = "how many, about"},
    {.name = "length",
     .letter = 'n',
     .metavar = "LOG2",
     .kind = &option_unsigned,
     AT(length_log2),
     .min = WIRE_LOG2_MIN,
     .max = WIRE_LOG2_MAX,
     .help = "packets per train, as a power of two"},
    {.name = "streams",
     .letter = 's',
     .metavar = "STREAMS",
     .kind = &option_unsigned,
     AT(streams),
     .min = 1,
     .max = 1 << 20,
     .help = "senders that take turns, a train each"},
    {.name = "delay",
     .letter = 'd',
     .metavar = "MS",
     .kind = &option_unsigned,
     AT(delay_ms),
     .max = 100000,
     .help = "from train to train; estimates are rarer where trains come faster than each some ms"},
    {.name = "filter",
     .metavar = "NAME",
     .kind = &option_text,
     AT(filter),
     .help = "the library's; what it costs is the difference from `last`"},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "bench push",
    .version = "",
    .usage = "[options]",
    .about = "Pushes datagrams from memory into libpprec and prints the time of one.\n",
    .rows = rows,
};

static void push_on_train(void *user, const struct pprec_train *train)
{
    struct push *push = user;

    push->trains += train->received == push->length;
}

static void write_round(struct push *push)
{
    struct wire_probe first = {
        .length_log2 = (uint8_t)push->length_log2,
        .flags = WIRE_TIME | WIRE_DEPARTURE,
        .stream = STREAM,
        .sent_ns = (uint64_t)push->now_ns,
        .departure_span_ns = (push->length - 1) * (GAP_LEAST_NS / 10),
    };

    push->round_train = push->next_train;
    for (uint32_t i = 0; i < ROUND_PACKETS; i += push->length) {
        struct payloads train = push->payloads;

        train.bytes += i * train.stride_bytes;
        first.train = push->next_train++ / push->streams;
        first.seq = first.train * push->length;
        first.departure_train = first.train - 1;
        payloads_write(&train, &first);
        first.sent_ns += (uint64_t)push->delay_ns;
    }
}

static void push_push_round(struct push *push)
{
    struct pprec_endpoint source = {.port = 9000, .ip = 4};
    int64_t start_ns = stamp_now_ns(CLOCK_THREAD_CPUTIME_ID);

    for (uint32_t i = 0; i < ROUND_PACKETS; i++) {
        struct pprec_stamp stamp = {push->now_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
        uint32_t sender = (push->round_train + (i >> push->length_log2)) % push->streams;

        memcpy(source.address, &sender, sizeof sender);
        pprec_push_datagram(push->pprec, &source, NULL, payloads_at(&push->payloads, i), BENCH_PAYLOAD_BYTES,
                            BENCH_PAYLOAD_BYTES, stamp);
        /* Numerical Recipes' quick generator; its low bits repeat too soon */
        push->random = push->random * 1664525 + 1013904223;
        push->now_ns += GAP_LEAST_NS + (push->random >> GAP_RANGE_SHIFT);
        push->now_ns += (i + 1) % push->length == 0 ? push->delay_ns : 0;
    }
    push->spent_ns += stamp_now_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

static int push_run(struct push *push, const struct push_options *options)
{
    struct pprec_config config;
    uint64_t packets = 0;

    pprec_config_init(&config);
    config.on_train = push_on_train;
    config.user = push;
    config.streams_max = push->streams;
    config.memory_bytes = 0;
    config.filter = options->filter;
    if (pprec_new(&push->pprec, &config) < 0)
        return bench_refuse(pprec_error(push->pprec));
    for (; packets < options->packets; packets += ROUND_PACKETS) {
        write_round(push);
        push_push_round(push);
    }
    pprec_finish(push->pprec);
    printf("{\"packets\":%llu,\"trains\":%llu,\"ns\":%.1f}\n", (unsigned long long)packets,
           (unsigned long long)push->trains, (double)push->spent_ns / (double)packets);
    return EXIT_SUCCESS;
}

int bench_push(int argc, char **argv)
{
    struct push_options options = {.packets = 2000000, .length_log2 = 1, .streams = 1, .filter = "adaptive"};
    struct push push = {.now_ns = STAMP_NS_PER_S};
    struct error error = {""};
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    push.length_log2 = options.length_log2;
    push.length = 1U << options.length_log2;
    push.streams = options.streams;
    push.delay_ns = options.delay_ms * INT64_C(1000000);
    if (payloads_init(&push.payloads, ROUND_PACKETS, BENCH_PAYLOAD_BYTES, &error) < 0)
        return bench_refuse(error.text);
    status = push_run(&push, &options);
    pprec_free(push.pprec);
    payloads_fini(&push.payloads);
    return status;
}
