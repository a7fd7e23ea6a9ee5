/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of somebody else's, in C and C++ alike: pushes twenty pairs of 1000-byte
 * frames, 800 us apart, and prints the estimate. */
#include <pprec/pprec.h>

#include <stdio.h>
#include <string.h>

static void push(struct pprec *pprec, uint32_t seq, int64_t ns)
{
    struct pprec_arrival arrival;

    memset(&arrival, 0, sizeof arrival);
    arrival.source.ip = 4;
    arrival.train = seq / 2;
    arrival.seq = seq;
    arrival.position = (uint16_t)(seq % 2);
    arrival.train_length = 2;
    arrival.payload_bytes = 1000 - 46;
    arrival.received.ns = ns;
    arrival.received.clock = PPREC_CLOCK_OTHER;
    arrival.received.source = PPREC_TIMESTAMPS_USER;
    arrival.sent_ns = PPREC_UNKNOWN_NS;
    arrival.departure_span_ns = PPREC_UNKNOWN_NS;
    if (pprec_push(pprec, &arrival) < 0)
        printf("%s\n", pprec_error(pprec));
}

int main(void)
{
    struct pprec_config config;
    struct pprec_summary summary;
    struct pprec *pprec = NULL;

    pprec_config_init(&config);
    config.filter = "median";
    if (pprec_new(&pprec, &config) < 0)
        return 1;
    for (uint32_t seq = 0; seq < 40; seq++)
        push(pprec, seq, seq / 2 * INT64_C(500000000) + seq % 2 * 800000);
    if (pprec_summary(pprec, 0, &summary) < 0)
        return 1;
    printf("%.1f Mbit/s %s\n", summary.capacity.capacity_bps / 1e6,
           pprec_state_name(summary.capacity.state));
    pprec_free(pprec);
    return 0;
}
