/* SPDX-License-Identifier: BSD-3-Clause */
/* A video sender, a path, and a receiver that pushes what it gets. */
#ifndef TESTS_SIM_MEDIA_H
#define TESTS_SIM_MEDIA_H

#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum media_pacing {
    MEDIA_AT_ONCE,  /* a frame leaves as fast as its sender can */
    MEDIA_BY_SIZE,  /* each packet in the time that its bytes take at the pacer's rate */
    MEDIA_BY_CLOCK, /* packets at equal intervals */
    MEDIA_BY_TICK   /* each 5 ms what the rate allows */
};

struct media_config {
    uint64_t rate_bps;      /* of the link, or of a bucket ... */
    uint64_t peak_bps;      /* ... on such a link; 0: 1 Gbit/s */
    uint32_t bucket_bytes;  /* 0: a link */
    uint64_t before_bps;    /* of another bucket before it, of a frame; 0: there is none */
    unsigned packets_least; /* of a frame; one in 60 has four times as many */
    unsigned packets_most;
    enum media_pacing pacing;
    double pace; /* the pacer's rate over the media's */
    double load; /* of a link by other traffic */
    int64_t
        late_ns; /* mean of what stamps are late by; 0: 500. What comes after a pause is later by as much */
    bool send_times; /* packets carry abs-send-time, ... */
    bool one_time;   /* ... all of a frame the first one's: they are paced after that */
    bool split;      /* a frame is split evenly, to a byte, as WebRTC does */
};

struct media_result {
    struct pprec_capacity capacity;
};

/* An RTP packet as it arrives. */
struct media_packet {
    uint8_t header[20];
    size_t header_bytes;
    size_t payload_bytes;
    int64_t received_ns;
};

/* Twenty seconds at 30 frames/s: *packets, to be freed, and how many. */
size_t media_send(const struct media_config *config, uint64_t seed, struct media_packet **packets);

/* The same, pushed: what was told last. */
struct media_result media_run(const struct media_config *config, uint64_t seed);

#endif
