/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of somebody else's that pushes, and wants libpprec-core alone: plain C, for any system.
 * Pairs and trains of 1000-byte frames over a link of 10 Mbit/s whose stamps are late by up to
 * 20 us; core.py is the same in Python. Prints the estimate; with an argument, what the library
 * says to a key. */
#include HEADER

#include <stdio.h>

enum { TRAINS = 120, LONG_EVERY = 4, LONG = 16, FRAME_NS = 800000, LATE_NS = 20000 };

static uint32_t chance = 1;

static int64_t late_ns(void)
{
    chance = chance * 1664525 + 1013904223; /* Numerical Recipes */
    return (chance >> 8) % LATE_NS;
}

/* 0, or less where it was refused. */
static int push_train(struct pprec *pprec, uint32_t train, uint32_t *seq)
{
    uint16_t length = train % LONG_EVERY == LONG_EVERY - 1 ? LONG : 2;
    int64_t begins_ns = train * INT64_C(100000000);
    int status = 0;

    for (uint16_t i = 0; i < length && status >= 0; i++) {
        struct pprec_arrival arrival;

        pprec_arrival_init(&arrival);
        arrival.source.ip = 4;
        arrival.stream = 7;
        arrival.train = train;
        arrival.seq = (*seq)++;
        arrival.position = i;
        arrival.train_length = length;
        arrival.payload_bytes = 1000 - 46;
        arrival.received.ns = begins_ns + i * (int64_t)FRAME_NS + late_ns();
        arrival.received.clock = PPREC_CLOCK_OTHER;
        arrival.received.source = PPREC_TIMESTAMPS_USER;
        arrival.sent_ns = begins_ns;
        arrival.departure_train = train - 1;
        arrival.departure_span_ns = train > 0 ? 20000 : PPREC_UNKNOWN_NS;
        status = pprec_push(pprec, &arrival);
    }
    return status;
}

static int refuses_key(struct pprec_config *config)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {1};
    struct pprec *pprec = NULL;
    int status;

    config->key = key;
    status = pprec_new(&pprec, config);
    printf("%d %s\n", status, pprec_error(pprec));
    pprec_free(pprec);
    return status;
}

int main(int count, char **arguments)
{
    struct pprec_endpoint source = {{0}, 0, 4};
    struct pprec_capacity capacity;
    struct pprec_config config;
    struct pprec *pprec = NULL;
    uint32_t seq = 0;

    (void)arguments;
    pprec_config_init(&config);
    if (count > 1)
        return refuses_key(&config) == 0;
    if (pprec_new(&pprec, &config) < 0)
        return 1;
    for (uint32_t train = 0; train < TRAINS; train++)
        if (push_train(pprec, train, &seq) < 0)
            return 1;
    if (pprec_estimate(pprec, &source, 7, &capacity) < 0)
        return 1;
    printf("%s %.6g %.6g %.6g\n", pprec_state_name(capacity.state), capacity.capacity_bps, capacity.low_bps,
           capacity.high_bps);
    pprec_free(pprec);
    return 0;
}
