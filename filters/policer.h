/* SPDX-License-Identifier: BSD-3-Clause */
/* A policer drops what its bucket does not hold, and delays nothing: of a long train the head
 * passes whole, then so many packets as tokens come. */
#ifndef FILTERS_POLICER_H
#define FILTERS_POLICER_H

#include "filters/sample.h"

#include <stdbool.h>

/* The last so many long trains. */
enum { POLICER_ROOM = 8 };

/* Of one that lost packets, the head being what came before the first loss. */
struct cut {
    uint8_t head;      /* packets, of SAMPLE_PACKETS_MOST */
    uint8_t survivors; /* after the head ... */
    uint8_t passed;    /* ... and of these before the last row of them, if there are ... */
    bool holes;        /* ... in time where packets were lost */
    uint32_t bytes;    /* of a packet */
    float head_ns;     /* arrivals, first to last of the head ... */
    float between_ns;  /* ... and of the first of the survivors to the first of that row */
};

struct policer {
    unsigned count, next;
    struct cut ring[POLICER_ROOM];
    unsigned trains;      /* of the same time that lost nothing, fading */
    float unread;         /* share of the last long trains that lost too much to be read, fading ... */
    float lost;           /* ... and of their packets that were lost */
    double seen, due;     /* survivors without holes, and had a full queue dropped the rest; fading */
    double short_packets; /* of short trains, sent and lost, fading: random loss */
    double short_lost;
};

/* Takes every train. curved: enough of it came in one piece to be read as a long one. */
void policer_push(struct policer *policer, const struct sample *sample, bool curved);

struct policed {
    bool cut;           /* long trains are, at one place */
    double bps;         /* of what passes; 0: too few survive to tell */
    bool too_few;       /* survive for a full queue */
    double burst_bytes; /* the bucket */
};

struct policed policer_read(const struct policer *policer);

/* Whether most long trains lose too much to be read, whatever takes it. */
bool policer_hides(const struct policer *policer);

/* Whether long trains lose far more of their packets than short ones, whatever takes them. */
bool policer_loses(const struct policer *policer);

/* Whether the trains are cut by a bucket, and not by a full queue in front of that link. */
bool policed_holds(const struct policed *policed, double capacity_bps);

#endif
