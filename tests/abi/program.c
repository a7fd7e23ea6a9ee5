/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of somebody else's, in C and C++ alike: pushes twenty pairs of 1000-byte
 * frames, 800 us apart, and prints the estimate. The structs it gives and takes lie
 * between words that nobody may touch. */
#include <pprec/pprec.h>

#include <stdio.h>

static int trains;

static void on_train(void *user, const struct pprec_train *train)
{
    trains += user == &trains && train->received == 2 && !pprec_state_is_sure(train->capacity.state);
}

static void push(struct pprec *pprec, uint32_t seq, int64_t ns)
{
    struct pprec_arrival arrival;

    pprec_arrival_init(&arrival);
    arrival.source.ip = 4;
    arrival.train = seq / 2;
    arrival.seq = seq;
    arrival.position = (uint16_t)(seq % 2);
    arrival.train_length = 2;
    arrival.payload_bytes = 1000 - 46;
    arrival.received.ns = ns;
    arrival.received.clock = PPREC_CLOCK_OTHER;
    arrival.received.source = PPREC_TIMESTAMPS_USER;
    if (pprec_push(pprec, &arrival) < 0)
        printf("%s\n", pprec_error(pprec));
}

#define GUARD UINT64_C(0x5a5a5a5a5a5a5a5a)

int main(void)
{
    struct pprec_config config;
    struct {
        uint64_t before;
        struct pprec_summary summary;
        uint64_t between;
        struct pprec_totals totals;
        uint64_t after;
    } told;
    struct pprec *pprec = NULL;
    struct pprec_endpoint source;
    uint32_t stream;

    pprec_config_init(&config);
    config.filter = "median";
    config.user = &trains;
    config.on_train = on_train;
    if (pprec_new(&pprec, &config) < 0)
        return 1;
    for (uint32_t seq = 0; seq < 40; seq++)
        push(pprec, seq, seq / 2 * INT64_C(500000000) + seq % 2 * 800000);
    told.before = told.between = told.after = GUARD;
    if (pprec_stream_at(pprec, 0, &source, &stream) < 0
        || pprec_get_summary(pprec, &source, stream, &told.summary) < 0)
        return 1;
    pprec_get_totals(pprec, &told.totals);
    if (told.before != GUARD || told.between != GUARD || told.after != GUARD || trains != 20
        || told.totals.counts.trains != 20)
        return 1;
    printf("%.1f Mbit/s %s\n", told.summary.capacity.capacity_bps / 1e6,
           pprec_state_name(told.summary.capacity.state));
    pprec_free(pprec);
    return 0;
}
