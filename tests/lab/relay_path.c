/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_path.h"

#include <stdlib.h>
#include <string.h>

#include "relay_random.h"

/* An arrival may show up so much later than its stamp says; what queues by flow decide is not
 * decided before. */
enum { SETTLE_NS = 20000 };

int path_init(struct path *path, const struct path_config *config, struct frame_pool *pool)
{
    *path = (struct path){.config = *config, .pool = pool, .random = config->seed};
    path->capacity = pool->slots;
    path->queue = calloc(path->capacity, sizeof(struct frame *));
    if (!path->queue)
        return -1;
    bucket_init(&path->policer, config->police_bps, config->police_bytes);
    fair_init(&path->fair, config->fair_quantum_bytes, config->link.queue_bytes, config->link.queue_frames);
    struct link_config link = config->link;
    link.seed = config->seed;
    if (link_init(&path->link, &link, path->capacity)) {
        free(path->queue);
        return -1;
    }
    return 0;
}

void path_fini(struct path *path)
{
    link_fini(&path->link);
    free(path->queue);
    *path = (struct path){0};
}

static bool random_chance(struct path *path, double probability)
{
    return (double)(random_u64(&path->random) >> 11) * 0x1p-53 < probability;
}

/* The last steps: delay and coalescing keep the order, so the queue is a FIFO. */
static void relay_path_schedule(struct path *path, struct frame *frame, int64_t left_link_ns)
{
    int64_t due_ns = left_link_ns + path->config.delay_ns;
    if (path->config.coalesce_ns) {
        if (due_ns > path->batch_ns)
            path->batch_ns = due_ns + path->config.coalesce_ns;
        due_ns = path->batch_ns;
    }
    if (due_ns < path->last_ns)
        due_ns = path->last_ns;
    frame->due_ns = path->last_ns = due_ns;
    path->queue[(path->first + path->count++) % path->capacity] = frame;
}

/* Counts it as marked or as cross traffic, and copies for themselves. */
static void drop(struct path *path, struct frame *frame, uint64_t *marked, uint64_t *cross)
{
    if (frame->copy)
        path->counts.dropped_copies++;
    else
        ++*(frame->marked ? marked : cross);
    frame_give_back(path->pool, frame);
}

static void drop_at_queue(struct path *path, struct frame *frame)
{
    drop(path, frame, &path->counts.dropped_queue, &path->counts.cross_dropped);
}

static void wait_for_turn(struct path *path, struct frame *frame, int64_t time_ns)
{
    if (path->fair.frames == 0)
        path->fair_since_ns = time_ns;
    fair_enter(&path->fair, frame);
    while ((frame = fair_excess(&path->fair)))
        drop_at_queue(path, frame);
}

/* True: it has left the link at *time_ns. False: it was dropped, or waits in its flow's queue. */
static bool cross_link(struct path *path, struct frame *frame, int64_t *time_ns)
{
    if (path->config.police_bps
        && !bucket_try(&path->policer, link_bytes(&path->link, frame->bytes), *time_ns)) {
        drop(path, frame, &path->counts.dropped_policed, &path->counts.cross_policed);
        return false;
    }
    if (path->config.fair_quantum_bytes) {
        wait_for_turn(path, frame, *time_ns);
        return false;
    }
    if (link_enter(&path->link, frame->bytes, *time_ns, time_ns))
        return true;
    drop_at_queue(path, frame);
    return false;
}

static void leave_impairments(struct path *path, struct frame *frame, int64_t time_ns)
{
    if (path->config.impair_after || cross_link(path, frame, &time_ns))
        relay_path_schedule(path, frame, time_ns);
}

static struct frame *copy_of(struct path *path, const struct frame *frame)
{
    struct frame *copy = frame_take(path->pool);
    if (!copy) {
        path->counts.dropped_copies++;
        return NULL;
    }
    memcpy(copy, frame, path->pool->slot_bytes);
    copy->copy = true;
    return copy;
}

static void pass_on(struct path *path, struct frame *frame, int64_t time_ns)
{
    struct frame *copy = frame->twice ? copy_of(path, frame) : NULL;
    leave_impairments(path, frame, time_ns);
    if (copy)
        leave_impairments(path, copy, time_ns);
}

static void relay_path_let_go(struct path *path, size_t place, int64_t time_ns)
{
    struct frame *frame = path->held[place].frame;
    path->held_count--;
    memmove(&path->held[place], &path->held[place + 1], (path->held_count - place) * sizeof path->held[0]);
    pass_on(path, frame, time_ns);
}

static void let_held_go(struct path *path, int64_t now_ns)
{
    /* All are held equally long: the oldest one ends first. What nothing overtook in time
     * leaves as if it had not been held, as far as --delay is at least --hold. */
    while (path->held_count && path->held[0].deadline_ns <= now_ns)
        relay_path_let_go(path, 0, path->held[0].deadline_ns - path->config.hold_ns);
}

static void overtake_held(struct path *path, int64_t time_ns)
{
    for (size_t i = 0; i < path->held_count;) {
        if (--path->held[i].overtakers == 0)
            relay_path_let_go(path, i, time_ns);
        else
            i++;
    }
}

static void hold(struct path *path, struct frame *frame, unsigned overtakers, int64_t time_ns)
{
    path->counts.held++;
    path->held[path->held_count++] = (struct path_held){
        .frame = frame,
        .overtakers = overtakers,
        .deadline_ns = time_ns + path->config.hold_ns,
    };
}

/* Every marked frame draws four numbers whatever becomes of it: with one seed the fate of
 * frame n does not depend on the timing of those before it. */
static void impair(struct path *path, struct frame *frame, int64_t time_ns)
{
    const struct path_config *config = &path->config;
    bool lost = random_chance(path, config->loss);
    frame->twice = random_chance(path, config->duplicate);
    bool late = random_chance(path, config->reorder);
    unsigned overtakers = 1 + (unsigned)(random_u64(&path->random) % PATH_OVERTAKERS_MAX);

    if (lost) {
        path->counts.dropped_loss++;
        frame_give_back(path->pool, frame);
    } else if (late && path->held_count < PATH_HELD_MAX) {
        hold(path, frame, overtakers, time_ns);
    } else {
        pass_on(path, frame, time_ns);
        overtake_held(path, time_ns);
    }
}

static void pass_impairments(struct path *path, struct frame *frame, int64_t time_ns)
{
    let_held_go(path, time_ns);
    if (frame->marked)
        impair(path, frame, time_ns);
    else
        leave_impairments(path, frame, time_ns);
}

/* When the link is free for the next frame that waits in its flow's queue. */
static int64_t next_turn_ns(const struct path *path)
{
    int64_t free_ns = path->link.serial.ns;
    return free_ns > path->fair_since_ns ? free_ns : path->fair_since_ns;
}

/* Until the link is busy beyond now_ns or nothing waits; a link that finds nothing when it becomes
 * free makes all flows idle, so it asks even then. */
static void take_turns(struct path *path, int64_t now_ns)
{
    int64_t turn_ns;
    struct frame *frame;
    while ((turn_ns = next_turn_ns(path)) <= now_ns && (frame = fair_next(&path->fair))) {
        uint64_t bytes = link_bytes(&path->link, frame->bytes);
        int64_t left_ns = link_serve(&path->link, bytes, turn_ns);
        if (path->config.impair_after)
            pass_impairments(path, frame, left_ns);
        else
            relay_path_schedule(path, frame, left_ns);
    }
}

static int64_t settle_ns(const struct path *path)
{
    int64_t delay_ns = path->config.delay_ns;
    return delay_ns / 2 < SETTLE_NS ? delay_ns / 2 : SETTLE_NS;
}

void path_advance(struct path *path, int64_t now_ns)
{
    if (path->config.fair_quantum_bytes)
        take_turns(path, now_ns - settle_ns(path));
    let_held_go(path, now_ns);
}

void path_take(struct path *path, struct frame *frame, int64_t arrival_ns)
{
    if (path->config.fair_quantum_bytes)
        take_turns(path, arrival_ns);
    frame->twice = frame->copy = false;
    if (frame->marked)
        frame->index = path->counts.received++;
    else
        path->counts.cross_received++;
    if (!path->config.impair_after || cross_link(path, frame, &arrival_ns))
        pass_impairments(path, frame, arrival_ns);
}

int64_t path_due_ns(const struct path *path)
{
    int64_t due_ns = path->held_count ? path->held[0].deadline_ns : INT64_MAX;
    if (path->count && path->queue[path->first]->due_ns < due_ns)
        due_ns = path->queue[path->first]->due_ns;
    return due_ns;
}

int64_t path_next_ns(const struct path *path)
{
    int64_t due_ns = path_due_ns(path);
    if (path->fair.frames == 0)
        return due_ns;
    int64_t turn_ns = next_turn_ns(path) + settle_ns(path);
    return turn_ns < due_ns ? turn_ns : due_ns;
}

struct frame *path_release(struct path *path, int64_t now_ns)
{
    if (path->count == 0 || path->queue[path->first]->due_ns > now_ns)
        return NULL;
    struct frame *frame = path->queue[path->first];
    path->first = (path->first + 1) % path->capacity;
    path->count--;
    return frame;
}

void path_count_left(struct path *path, const struct frame *frame)
{
    if (frame->copy) {
        path->counts.duplicated++;
    } else if (!frame->marked) {
        path->counts.cross_forwarded++;
    } else {
        path->counts.forwarded++;
        if (frame->index < path->highest_left)
            path->counts.reordered++;
        else
            path->highest_left = frame->index + 1;
    }
}

size_t path_inside(const struct path *path)
{
    return path->count + path->held_count + path->fair.frames;
}
