/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains sent by one sendto() a packet, and when the kernel let them go: what
 * pptrans would do without its ways of sending. */
#include "common/departure.h"
#include "common/transmit.h"
#include "pptrans/gaps.h"
#include "pptrans/payloads.h"
#include "tests/bench/bench.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Between trains, and until a stamp is given up. */
#define PAUSE_NS (2 * STAMP_NS_PER_MS)
enum { STAMP_WAIT_MS = 20 };

struct depart_options {
    const char *host;
    uint32_t port;
    uint32_t trains;
    uint32_t length_log2;
    uint32_t payload_bytes;
};

struct depart {
    int socket;
    struct address to;
    struct payloads payloads;
    uint32_t length;
    uint32_t next_number; /* of the next packet's stamp */
    int64_t stamp_ns[WIRE_TRAIN_MAX];
    struct gaps gaps;
};

#define AT(field) .offset = offsetof(struct depart_options, field)

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
    {.name = "trains",
     .letter = 'c',
     .metavar = "TRAINS",
     .kind = &option_unsigned,
     AT(trains),
     .min = 1,
     .max = UINT32_MAX,
     .help = "how many"},
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
    .name = "bench depart",
    .version = "",
    .usage = "-h ADDRESS -p PORT [options]",
    .about = "Sends trains by sendto() and prints the gaps of their transmit timestamps.\n",
    .rows = rows,
};

static int open_depart(struct depart *depart, const struct depart_options *options, struct error *error)
{
    struct transmit_config config = {.dscp = -1, .buffer_bytes = 1 << 20};

    *depart = (struct depart){.length = 1U << options->length_log2};
    if (address_resolve(&depart->to, options->host, (uint16_t)options->port, AF_UNSPEC, error) < 0
        || payloads_init(&depart->payloads, depart->length, options->payload_bytes, error) < 0)
        return -1;
    depart->socket = transmit_open(&depart->to, &config, NULL, error);
    if (depart->socket < 0)
        return -1;
    return transmit_stamps(depart->socket) ? 0 : error_set(error, "the kernel gives no transmit timestamps");
}

static void depart_send_train(struct depart *depart, uint32_t number, uint32_t length_log2)
{
    struct wire_probe first = {
        .length_log2 = (uint8_t)length_log2, .train = number, .seq = number * depart->length};

    payloads_write(&depart->payloads, &first);
    for (uint32_t i = 0; i < depart->length; i++)
        sendto(depart->socket, payloads_at(&depart->payloads, i), depart->payloads.stride_bytes, 0,
               &depart->to.any, depart->to.bytes);
}

/* True when all of the train's stamps have come. */
static bool depart_collect(struct depart *depart)
{
    struct pollfd watched = {.fd = depart->socket};
    struct departure departures[DEPARTURE_BATCH];
    uint32_t stamps = 0;
    size_t count;

    while (stamps < depart->length && poll(&watched, 1, STAMP_WAIT_MS) > 0
           && departure_read(depart->socket, departures, &count) > 0)
        for (size_t i = 0; i < count; i++) {
            uint32_t position = departures[i].number - depart->next_number;

            if (position < depart->length)
                depart->stamp_ns[position] = departures[i].when.ns;
            stamps += position < depart->length;
        }
    depart->next_number += depart->length;
    return stamps == depart->length;
}

static void depart_run(struct depart *depart, const struct depart_options *options)
{
    struct timespec pause = {0, PAUSE_NS};

    for (uint32_t i = 0; i < options->trains; i++) {
        depart_send_train(depart, i, options->length_log2);
        if (depart_collect(depart))
            for (uint32_t p = 1; p < depart->length; p++)
                gaps_add(&depart->gaps, depart->stamp_ns[p] - depart->stamp_ns[p - 1]);
        nanosleep(&pause, NULL);
    }
}

int bench_depart(int argc, char **argv)
{
    struct depart_options options = {.trains = 500, .length_log2 = 4, .payload_bytes = 1400};
    static struct depart depart; /* too large for some stacks */
    struct error error = {""};
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    if (open_depart(&depart, &options, &error) < 0)
        return bench_refuse(error.text);
    depart_run(&depart, &options);
    printf("{\"gaps\":%llu,\"gap_least_ns\":%lld,\"gap_median_ns\":%lld}\n",
           (unsigned long long)depart.gaps.count, (long long)depart.gaps.least_ns,
           (long long)gaps_median_ns(&depart.gaps));
    close(depart.socket);
    payloads_fini(&depart.payloads);
    return EXIT_SUCCESS;
}
