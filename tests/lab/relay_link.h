/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exact link in virtual time: a finite drop-tail FIFO, optionally behind a token bucket,
 * optionally served at clock ticks. Pure arithmetic: no clock, no I/O.
 *
 * Departure = max(arrival, link free) + serialisation. Nanoseconds are whole; what a division
 * leaves over is carried to the next frame, so that rates are exact over any length.
 */
#ifndef RELAY_LINK_H
#define RELAY_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_config {
    uint64_t rate_bps;     /* 0: infinite */
    uint64_t burst_bytes;  /* 0: no token bucket; else its depth, filled at rate_bps */
    uint64_t peak_bps;     /* the link behind the bucket; 0: infinite */
    uint64_t queue_bytes;  /* 0: no limit; the frame in transmission counts */
    uint64_t queue_frames; /* the same in frames */
    int64_t tick_ns;       /* 0: leave at once; else only at multiples of this */
    int64_t overhead_bytes; /* added to each frame as captured */
};

/* A clock that advances by bits at a rate without losing the fraction. */
struct link_meter {
    uint64_t rate_bps;
    int64_t ns;
    uint64_t carry; /* of 1/rate_bps ns */
};

struct link_waiting {
    int64_t departure_ns;
    uint64_t bytes;
};

struct link {
    struct link_config config;
    struct link_meter serial; /* .ns: when the link is free */
    struct link_meter bucket; /* .ns: when the bucket is full again */
    int64_t bucket_depth_ns;
    struct link_waiting *waiting; /* ring of what has not left yet */
    size_t capacity, first, count;
    uint64_t waiting_bytes;
};

/* capacity: the most frames that can ever wait. 0, or -1 when out of memory. */
int link_init(struct link *link, const struct link_config *config, size_t capacity);
void link_fini(struct link *link);

/* Frames come in order of arrival_ns. False: the queue is full, the frame is dropped. */
bool link_enter(struct link *link, uint32_t frame_bytes, int64_t arrival_ns,
                int64_t *departure_ns);

#endif
