/* SPDX-License-Identifier: BSD-3-Clause */
/* A program outside of this project: the installed header and library are all it
 * has. Measures one pair of 1000 bytes, 800 us apart: 10 Mbit/s. */
#include <pprec/pprec.h>

#include <stdio.h>

static void client_on_train(void *user, const struct pprec_train *train)
{
    *(double *)user = train->rate_bps;
}

int main(void)
{
    const struct pprec_endpoint source = {{192, 0, 2, 1}, 5000, 4};
    struct pprec_arrival arrival;
    struct pprec_config config;
    struct pprec *pprec;
    double rate_bps = 0;

    pprec_arrival_init(&arrival);
    arrival.source = source;
    arrival.train_length = 2;
    arrival.payload_bytes = 954;
    arrival.received.clock = PPREC_CLOCK_REALTIME;
    arrival.received.source = PPREC_TIMESTAMPS_KERNEL;
    pprec_config_init(&config);
    config.user = &rate_bps;
    config.on_train = client_on_train;
    if (pprec_new(&pprec, &config) != PPREC_OK)
        return 1;
    pprec_push(pprec, &arrival);
    arrival.seq = arrival.position = 1;
    arrival.received.ns = 800000;
    pprec_push(pprec, &arrival);
    pprec_free(pprec);
    printf("%s %.0f\n", pprec_version(), rate_bps);
    return 0;
}
