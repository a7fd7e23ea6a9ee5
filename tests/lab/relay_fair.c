/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_fair.h"

void fair_init(struct fair *fair, uint64_t quantum_bytes, uint64_t most_bytes, uint64_t most_frames)
{
    *fair = (struct fair){
        .quantum_bytes = (int64_t)quantum_bytes,
        .most_bytes = most_bytes,
        .most_frames = most_frames,
    };
}

static void list_append(struct fair_list *list, struct fair_flow *flow)
{
    flow->next = NULL;
    if (list->first)
        list->last->next = flow;
    else
        list->first = flow;
    list->last = flow;
}

static struct fair_flow *list_take(struct fair_list *list)
{
    struct fair_flow *flow = list->first;
    list->first = flow->next;
    return flow;
}

static void flow_append(struct fair_flow *flow, struct frame *frame)
{
    frame->next = NULL;
    if (flow->first)
        flow->last->next = frame;
    else
        flow->first = frame;
    flow->last = frame;
}

static struct frame *flow_take(struct fair *fair, struct fair_flow *flow)
{
    struct frame *frame = flow->first;
    flow->first = frame->next;
    fair->backlog_bytes[flow - fair->flows] -= frame->bytes;
    fair->bytes -= frame->bytes;
    fair->frames--;
    return frame;
}

void fair_enter(struct fair *fair, struct frame *frame)
{
    size_t number = frame->flow % FAIR_FLOWS;
    struct fair_flow *flow = &fair->flows[number];
    flow_append(flow, frame);
    fair->backlog_bytes[number] += frame->bytes;
    fair->bytes += frame->bytes;
    fair->frames++;
    if (!flow->seen)
        fair->flows_seen++;
    if (!flow->listed) {
        flow->deficit_bytes = fair->quantum_bytes;
        list_append(&fair->fresh, flow);
    }
    flow->seen = flow->listed = true;
}

/* A fresh flow that has run empty stands behind the old ones once: else it could come back
 * at once, as fresh, and starve them. */
static void relay_fair_leave(struct fair *fair, struct fair_list *list)
{
    struct fair_flow *flow = list_take(list);
    flow->listed = list == &fair->fresh && fair->old.first;
    if (flow->listed)
        list_append(&fair->old, flow);
}

struct frame *fair_next(struct fair *fair)
{
    for (;;) {
        struct fair_list *list = fair->fresh.first ? &fair->fresh : &fair->old;
        struct fair_flow *flow = list->first;
        if (!flow)
            return NULL;
        if (flow->deficit_bytes <= 0) {
            flow->deficit_bytes += fair->quantum_bytes;
            list_append(&fair->old, list_take(list));
        } else if (!flow->first) {
            relay_fair_leave(fair, list);
        } else {
            struct frame *frame = flow_take(fair, flow);
            flow->deficit_bytes -= frame->bytes;
            return frame;
        }
    }
}

struct frame *fair_excess(struct fair *fair)
{
    size_t longest = 0;
    if ((fair->most_bytes == 0 || fair->bytes <= fair->most_bytes)
        && (fair->most_frames == 0 || fair->frames <= fair->most_frames))
        return NULL;
    for (size_t i = 1; i < FAIR_FLOWS; i++) {
        if (fair->backlog_bytes[i] > fair->backlog_bytes[longest])
            longest = i;
    }
    return flow_take(fair, &fair->flows[longest]);
}
