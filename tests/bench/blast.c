/* SPDX-License-Identifier: BSD-3-Clause */
/* A load for receivers: one stream of probes, version 1, paced on the clock. */
#include "common/stamp.h"
#include "common/transmit.h"
#include "pptrans/payloads.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Packets handed over in one call: as few as keep the calls this far apart, so
 * that a rate is smooth and yet one that sendmmsg reaches. */
#define CALL_SPACING_NS (20 * STAMP_NS_PER_US)
enum { CALL_PACKETS_MAX = 256, CALL_PACKETS_UNPACED = 64 };

/* A sender that was held up catches up by so much; the rest is not sent, and
 * the rate printed says so. */
#define CATCH_UP_NS STAMP_NS_PER_MS

/* What every train claims to have left with, a gap. Below what a path can do, so
 * that trains are not set aside as limited by the sender. */
enum { CLAIMED_GAP_NS = 100 };

enum { STREAM = 0x62656e63, SEND_BUFFER_BYTES = 4 << 20 };

struct blast_options {
    const char *host;
    uint32_t port;
    uint32_t rate_pps; /* 0: as fast as can be */
    double seconds;
    uint32_t packets; /* 0: until the time is up */
    uint32_t length_log2;
    uint32_t payload_bytes;
};

struct blast {
    int socket;
    struct address to;
    struct payloads payloads; /* of one call */
    struct mmsghdr messages[CALL_PACKETS_MAX];
    struct iovec vectors[CALL_PACKETS_MAX];
    uint32_t length; /* packets per train */
    uint32_t call_packets;
    uint32_t next_train;
    uint64_t sent;
    uint64_t refused;
};

#define AT(field) .offset = offsetof(struct blast_options, field)

static const struct option_row rows[] = {
    {.name = "host",
     .letter = 'h',
     .metavar = "ADDRESS",
     .kind = &option_text,
     AT(host),
     .help = "where to",
     .required = true},
    {.name = "port",
     .letter = 'p',
     .metavar = "PORT",
     .kind = &option_unsigned,
     AT(port),
     .min = 1,
     .max = 65535,
     .help = "UDP port",
     .required = true},
    {.name = "rate",
     .letter = 'r',
     .metavar = "PPS",
     .kind = &option_unsigned,
     AT(rate_pps),
     .min = 1,
     .max = 1e8,
     .help = "packets per second; without: as fast as can be"},
    {.name = "time",
     .letter = 't',
     .metavar = "SECONDS",
     .kind = &option_real,
     AT(seconds),
     .min = 0.001,
     .max = 86400,
     .help = "end after so long"},
    {.name = "packets",
     .letter = 'c',
     .metavar = "PACKETS",
     .kind = &option_unsigned,
     AT(packets),
     .min = 1,
     .max = UINT32_MAX,
     .help = "end after so many, about"},
    {.name = "length",
     .letter = 'n',
     .metavar = "LOG2",
     .kind = &option_unsigned,
     AT(length_log2),
     .min = WIRE_LOG2_MIN,
     .max = WIRE_LOG2_MAX,
     .help = "packets per train, as a power of two"},
    {.name = "size",
     .letter = 's',
     .metavar = "BYTES",
     .kind = &option_unsigned,
     AT(payload_bytes),
     .min = WIRE_HEADER_BYTES,
     .max = BENCH_PAYLOAD_MAX_BYTES,
     .help = "UDP payload"},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "bench blast",
    .version = "",
    .usage = "-h ADDRESS -p PORT [options]",
    .about = "Sends probes of one stream and prints how many really left, and how fast.\n",
    .rows = rows,
};

/* Whole trains, for as long as calls are to be apart. */
static uint32_t packets_a_call(const struct blast_options *options, uint32_t length)
{
    uint64_t packets = CALL_PACKETS_UNPACED;

    if (options->rate_pps != 0)
        packets = options->rate_pps * (uint64_t)CALL_SPACING_NS / STAMP_NS_PER_S;
    packets = packets < CALL_PACKETS_UNPACED ? packets : CALL_PACKETS_UNPACED;
    packets = packets / length * length;
    return packets > 0 ? (uint32_t)packets : length;
}

static void blast_prepare(struct blast *blast, uint32_t payload_bytes)
{
    for (uint32_t i = 0; i < blast->call_packets; i++) {
        blast->vectors[i] = (struct iovec){
            .iov_base = blast->payloads.bytes + (size_t)i * payload_bytes,
            .iov_len = payload_bytes,
        };
        blast->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &blast->to.storage,
            .msg_namelen = blast->to.bytes,
            .msg_iov = &blast->vectors[i],
            .msg_iovlen = 1,
        };
    }
}

static int open_blast(struct blast *blast, const struct blast_options *options, struct error *error)
{
    struct transmit_config config = {.dscp = -1, .buffer_bytes = SEND_BUFFER_BYTES};

    *blast = (struct blast){.length = 1U << options->length_log2};
    blast->call_packets = packets_a_call(options, blast->length);
    if (address_resolve(&blast->to, options->host, (uint16_t)options->port, AF_UNSPEC, error) < 0
        || payloads_init(&blast->payloads, blast->call_packets, options->payload_bytes, error) < 0)
        return -1;
    blast->socket = transmit_open(&blast->to, &config, NULL, error);
    if (blast->socket < 0) {
        payloads_fini(&blast->payloads);
        return -1;
    }
    blast_prepare(blast, options->payload_bytes);
    return 0;
}

/* The trains of one call, as pptrans would write them. */
static void write_trains(struct blast *blast, const struct blast_options *options)
{
    struct wire_probe first = {
        .length_log2 = (uint8_t)options->length_log2,
        .flags = payloads_flags(options->payload_bytes, blast->next_train > 0, false),
        .stream = STREAM,
        .sent_ns = (uint64_t)stamp_now_ns(CLOCK_REALTIME),
        .departure_span_ns = (blast->length - 1) * CLAIMED_GAP_NS,
    };

    for (uint32_t i = 0; i < blast->call_packets; i += blast->length) {
        struct payloads train = blast->payloads;

        train.bytes += i * train.stride_bytes;
        first.train = blast->next_train++;
        first.seq = first.train * blast->length;
        first.departure_train = first.train - 1;
        payloads_write(&train, &first);
    }
}

static void send_trains(struct blast *blast)
{
    uint32_t next = 0;

    while (next < blast->call_packets) {
        int sent = sendmmsg(blast->socket, &blast->messages[next], blast->call_packets - next, 0);

        if (sent > 0) {
            blast->sent += (unsigned)sent;
            next += (uint32_t)sent;
        } else if (errno != EINTR) { /* that packet is left out */
            blast->refused++;
            next++;
        }
    }
}

static int64_t blast_wait_until(int64_t due_ns)
{
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);

    while (now_ns < due_ns) /* a sleep would be late by more than the spacing */
        now_ns = stamp_now_ns(CLOCK_MONOTONIC);
    return now_ns;
}

/* Returns how long it took. */
static int64_t blast_run(struct blast *blast, const struct blast_options *options)
{
    int64_t start_ns = stamp_now_ns(CLOCK_MONOTONIC);
    int64_t end_ns = start_ns + (int64_t)(options->seconds * 1e9);
    int64_t spacing_ns =
        options->rate_pps == 0 ? 0 : blast->call_packets * STAMP_NS_PER_S / options->rate_pps;
    int64_t due_ns = start_ns;
    int64_t now_ns = start_ns;

    while (now_ns < end_ns && (options->packets == 0 || blast->sent + blast->refused < options->packets)) {
        write_trains(blast, options);
        send_trains(blast);
        due_ns += spacing_ns;
        now_ns = blast_wait_until(due_ns);
        if (now_ns - due_ns > CATCH_UP_NS)
            due_ns = now_ns - CATCH_UP_NS;
    }
    return now_ns - start_ns;
}

int bench_blast(int argc, char **argv)
{
    struct blast_options options = {.seconds = 1, .length_log2 = 1, .payload_bytes = BENCH_PAYLOAD_BYTES};
    static struct blast blast; /* too large for some stacks */
    struct error error = {""};
    double seconds;
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    if (open_blast(&blast, &options, &error) < 0)
        return bench_refuse(error.text);
    seconds = (double)blast_run(&blast, &options) / 1e9;
    printf("{\"sent\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"seconds\":%.6f,\"pps\":%.0f}\n", blast.sent,
           blast.refused, seconds, (double)blast.sent / seconds);
    close(blast.socket);
    payloads_fini(&blast.payloads);
    return EXIT_SUCCESS;
}
