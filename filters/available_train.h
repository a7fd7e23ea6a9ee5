/* SPDX-License-Identifier: BSD-3-Clause */
/* One train, as what is free is read from it: what stays of it in the window. */
#ifndef FILTERS_AVAILABLE_TRAIN_H
#define FILTERS_AVAILABLE_TRAIN_H

#include "filters/readings.h"
#include "filters/sample.h"

#include <stdbool.h>
#include <stdint.h>

struct available_train {
    double at_s;          /* when it was handed over (or, if that is unknown, arrived) */
    double delay_ns;      /* of its first packet, both clocks in it; NAN: unknown */
    float span_ns;        /* first to last departure; NAN: unknown */
    float in_ns, out_ns;  /* from one packet of its first quarter to one near its end: departures,
                             arrivals; in_ns 0: nothing can be read from that */
    float greatest_ns;    /* gap there */
    float after_ns;       /* the least one after that; infinite: there is none */
    float top_ns;         /* the greatest delay of its packets, over that of the first; 0: nobody
                             tells how it left */
    float shed_ns;        /* the least delay, over that of the first, beside which packets were lost;
                             infinite: none were; NAN: nobody tells */
    uint32_t bytes;       /* that arrived in out_ns */
    uint32_t lost_bytes;  /* that left in in_ns besides */
    uint32_t sent_bytes;  /* all of it */
    uint32_t first_bytes; /* its first packet: larger ones take longer by themselves */
    uint16_t sent, received;
    uint16_t segment; /* of the clocks */
    bool first_lost;
    uint8_t head; /* packets before the first that was lost; of a whole train 0: it has all of them */
};

/* So many packets one after the other lost none. */
static inline unsigned available_train_lossless(const struct available_train *train)
{
    return train->received == train->sent ? train->sent : train->head;
}

/* The sample is measured and has packets; epoch: of the stream, it takes the train's times. */
struct available_train available_train_read(struct epoch *epoch, const struct sample *sample);

/* Bit/s between the two packets: as it left; what left only then counts. */
static inline double available_train_in_bps(const struct available_train *train)
{
    return ((double)train->bytes + train->lost_bytes) * 8e9 / (double)train->in_ns;
}

/* Trains in order of time, in a ring. */
struct available_trains {
    struct available_train *ring;
    unsigned room, oldest, count;
};

static inline struct available_train *available_train_at(const struct available_trains *trains, unsigned i)
{
    unsigned slot = trains->oldest + i;

    return &trains->ring[slot < trains->room ? slot : slot - trains->room];
}

#endif
