/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens to a frame between its arrival at A and its release at B, in virtual time:
 * loss, duplication and reordering before or after a policer and an exact link, then a delay,
 * then coalescing. The link's queue is its own FIFO, or one for each flow, served in turn. Pure: times come
 * in as arguments, and one seed gives one pattern.
 */
#ifndef RELAY_PATH_H
#define RELAY_PATH_H

#include "relay_fair.h"
#include "relay_frame.h"
#include "relay_link.h"
#include "relay_meter.h"

enum { PATH_HELD_MAX = 8, PATH_OVERTAKERS_MAX = 3 };

struct path_config {
    struct link_config link;
    uint64_t fair_quantum_bytes;       /* 0: a FIFO; else queues by frame->flow */
    uint64_t police_bps, police_bytes; /* what finds no tokens does not reach the link; 0: off */
    double loss, duplicate, reorder;   /* probabilities, of marked frames only */
    int64_t hold_ns;                   /* a reordered frame is kept back no longer */
    bool impair_after;                 /* impair what leaves the link, not what enters it */
    int64_t delay_ns;
    int64_t coalesce_ns; /* the first frame of a batch waits so long for company; 0: off */
    uint64_t seed;
};

/* received = forwarded + dropped_loss + dropped_policed + dropped_queue + what is still inside. */
struct path_counts {
    uint64_t received;  /* marked frames */
    uint64_t forwarded; /* of them, without copies */
    uint64_t dropped_loss;
    uint64_t dropped_policed;
    uint64_t dropped_queue;
    uint64_t duplicated;     /* copies that left */
    uint64_t dropped_copies; /* by policer or queue, or never made for want of room */
    uint64_t held;           /* meant to be overtaken */
    uint64_t reordered;      /* overtaken, RFC 4737: left after one that came later */
    uint64_t cross_received; /* frames on the link that are not marked */
    uint64_t cross_forwarded;
    uint64_t cross_policed;
    uint64_t cross_dropped; /* by the queue */
};

struct path_held {
    struct frame *frame;
    unsigned overtakers; /* still to come */
    int64_t deadline_ns;
};

struct path {
    struct path_config config;
    struct path_counts counts;
    struct frame_pool *pool;
    struct bucket policer;
    struct fair fair;
    int64_t fair_since_ns; /* when it last became non-empty */
    struct link link;
    uint64_t random;
    struct path_held held[PATH_HELD_MAX]; /* oldest first */
    size_t held_count;
    struct frame **queue; /* ring, in order of release */
    size_t capacity, first, count;
    int64_t batch_ns;      /* when the batch that is being collected leaves */
    int64_t last_ns;       /* the latest due time given */
    uint64_t highest_left; /* index + 1 of the newest marked frame that has left */
};

/* Frames belong to the path from path_take to path_release; 0, or -1 when out of memory. */
int path_init(struct path *path, const struct path_config *config, struct frame_pool *pool);
void path_fini(struct path *path);

/* frame->bytes, ->marked, ->flow and the data are set; frames come in order of arrival. */
void path_take(struct path *path, struct frame *frame, int64_t arrival_ns);

/* Lets held frames go whose time is over, and the link take what its queues have for it. To be
 * called when every earlier arrival is in. */
void path_advance(struct path *path, int64_t now_ns);

/* When a frame may next leave; when path_advance or path_release next has something to do, which
 * is no later. INT64_MAX: never. */
int64_t path_due_ns(const struct path *path);
int64_t path_next_ns(const struct path *path);

/* The next frame that is due, or NULL. The caller sends it, counts it as left, and gives it
 * back to the pool. */
struct frame *path_release(struct path *path, int64_t now_ns);
void path_count_left(struct path *path, const struct frame *frame);

/* Frames that are inside now. */
size_t path_inside(const struct path *path);

#endif
