/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams [COUNT]: feeds so many datagrams of junk (10 million) to the
 * library, half of them beside a measurement that must not move, the others with
 * absurd times. datagrams FILE...: inputs that libFuzzer found, again. */
#include "tests/fuzz/exact.h"
#include "tests/fuzz/figures.h"
#include "tests/fuzz/junk.h"
#include "tests/fuzz/measurement.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { JUNK_A_PACKET = 500, FILE_BYTES_MAX = 1 << 20 };

#define COUNT_DEFAULT 10000000

static void beside_a_measurement(struct rng *rng, uint64_t count)
{
    struct measurement measurement;
    uint8_t data[JUNK_BYTES_MAX];

    measurement_start(&measurement, NULL);
    for (uint64_t i = 0; i < count; i++) {
        size_t bytes = junk_datagram(rng, data);

        if (rng_below(rng, JUNK_A_PACKET) == 0 || i % JUNK_A_PACKET == 0)
            measurement_send(&measurement);
        measurement_junk(&measurement, rng_below(rng, MEASUREMENT_SOURCES), data, bytes,
                         junk_payload_bytes(rng, bytes));
    }
    printf("fuzz: %" PRIu32 " packets measured, %" PRIu64 " datagrams foreign\n", measurement.sent,
           pprec_foreign(measurement.pprec));
    measurement_end(&measurement);
}

static struct pprec *datagrams_handle(unsigned classic_length, unsigned filter)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.streams_max = 40;
    config.classic = classic_length != 0;
    config.train_length = classic_length;
    return figures_handle(config, filter);
}

/* By turns a datagram and an arrival of another transport; now and then a tick. */
static void at_absurd_times(struct rng *rng, uint64_t count, unsigned classic_length, unsigned filter)
{
    struct pprec *pprec = datagrams_handle(classic_length, filter);
    int64_t now_ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct pprec_arrival arrival = junk_arrival(rng, &now_ns);
        uint8_t data[JUNK_BYTES_MAX];
        size_t bytes = junk_datagram(rng, data);

        if (i % 2 == 0)
            pprec_push(pprec, &arrival);
        else
            exact_push(pprec, &arrival.source, data, bytes, junk_payload_bytes(rng, bytes), arrival.received);
        if (i % 1000 == 0)
            pprec_tick(pprec, (int64_t)rng_next(rng));
    }
    printf("fuzz: %s: %zu streams, %" PRIu64 " arrivals foreign%s\n", pprec_filter_name(filter),
           pprec_streams(pprec), pprec_foreign(pprec), classic_length != 0 ? " (classic)" : "");
    pprec_finish(pprec);
    pprec_free(pprec);
}

static int replay(const char *path)
{
    static uint8_t data[FILE_BYTES_MAX];
    FILE *in = fopen(path, "rb");
    size_t bytes;

    if (in == NULL) {
        perror(path);
        return EXIT_FAILURE;
    }
    bytes = fread(data, 1, sizeof data, in);
    fclose(in);
    return LLVMFuzzerTestOneInput(data, bytes);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    uint64_t count = argc > 1 ? strtoull(argv[1], &end, 10) : COUNT_DEFAULT;
    unsigned filters = figures_filters();
    struct rng rng;

    if (argc > 1 && *end != '\0') {
        for (int i = 1; i < argc; i++)
            if (replay(argv[i]) != EXIT_SUCCESS)
                return EXIT_FAILURE;
        return EXIT_SUCCESS;
    }
    rng = rng_start("fuzz_datagram");
    beside_a_measurement(&rng, count / 2);
    for (unsigned i = 0; i < filters; i++) {
        at_absurd_times(&rng, count / 4 / filters, 0, i);
        at_absurd_times(&rng, count / 4 / filters, 4, i);
    }
    return EXIT_SUCCESS;
}
