/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exact link in virtual time: a finite drop-tail FIFO, optionally behind a token bucket,
 * served at clock ticks, contended for, or of a rate that varies. Pure arithmetic: no clock, no I/O.
 *
 * Departure = max(arrival, link free) + serialisation.
 *
 * Contention is that of 802.11 without aggregation: after each frame its sender draws 0 to
 * most_slots slots, and the next one begins DIFS and those slots after the end of the last, DIFS
 * after its own arrival at the earliest: on a medium that has been idle for long the draw has
 * run out. Then a preamble, then the bits.
 */
#ifndef RELAY_LINK_H
#define RELAY_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay_meter.h"

struct link_access {
    bool contended;
    uint32_t most_slots;
    int64_t difs_ns, slot_ns, preamble_ns;
};

struct link_config {
    uint64_t rate_bps;      /* 0: infinite */
    uint64_t burst_bytes;   /* 0: no token bucket; else its depth, filled at rate_bps */
    uint64_t peak_bps;      /* the link behind the bucket; 0: infinite */
    uint64_t queue_bytes;   /* 0: no limit; the frame in transmission counts */
    uint64_t queue_frames;  /* the same in frames */
    int64_t tick_ns;        /* 0: leave at once; else only at multiples of this */
    int64_t overhead_bytes; /* added to each frame as captured */
    struct link_access access;
    int64_t vary_ns;   /* 0: one rate; else it is drawn anew so often, its mean rate_bps */
    double vary_share; /* standard deviation over mean, at most 1/4 */
    uint64_t seed;     /* of both draws */
};

struct link_waiting {
    int64_t departure_ns;
    uint64_t bytes;
};

struct link {
    struct link_config config;
    struct meter serial; /* .ns: when the link is free */
    struct bucket bucket;
    struct link_waiting *waiting; /* ring of what has not left yet */
    size_t capacity, first, count;
    uint64_t waiting_bytes;
    uint64_t draws, rates; /* random streams: of slots, of rates */
    int64_t backoff_ns;    /* drawn after the last frame */
    int64_t origin_ns;     /* the first rate holds from here on */
    /* What contention and varying rates made of the link, for the account. */
    uint64_t served_frames, served_bytes;
    int64_t access_ns, serial_ns; /* spent before the bits, and with them */
};

/* capacity: the most frames that can ever wait. 0, or -1 when out of memory. */
int link_init(struct link *link, const struct link_config *config, size_t capacity);
void link_fini(struct link *link);

/* What a frame counts for. */
uint64_t link_bytes(const struct link *link, uint32_t frame_bytes);

/* Frames come in order of arrival_ns. False: the queue is full, the frame is dropped. */
bool link_enter(struct link *link, uint32_t frame_bytes, int64_t arrival_ns, int64_t *departure_ns);

/* The next frame, without a queue: for whoever keeps one of his own. Returns its departure. */
int64_t link_serve(struct link *link, uint64_t bytes, int64_t arrival_ns);

/* The mean rate of frames that follow one another (rate_bps, unless contended or varying), and
 * the mean time before their bits. */
uint64_t link_service_bps(const struct link *link);
int64_t link_access_ns(const struct link *link);

#endif
