/* SPDX-License-Identifier: BSD-3-Clause */
#include "controller.h"

/* draft-ietf-rmcat-gcc-02: section 5.4 beta, section 5.5 decreases by half the loss above a tenth */
#define BRAKE 0.85
#define LOSS_BORNE 0.1

/* A queue that the path's own unevenness does not make: the draft's threshold begins there. */
#define QUEUE_NS INT64_C(12500000)
/* After a brake the queue must run off before it tells anything. */
#define SETTLE_NS INT64_C(300000000)

/* A second's growth far from where it braked last, and near that. */
#define GROW_FAR 1.0
#define GROW_NEAR 0.03
#define NEAR_BELOW 0.85
#define NEAR_ABOVE 1.1

void controller_init(struct controller *controller, double least_bps, double most_bps, int64_t frame_ns)
{
    *controller = (struct controller){.least_bps = least_bps,
                                      .most_bps = most_bps,
                                      .target_bps = least_bps,
                                      .frame_ns = frame_ns,
                                      .braked_ns = PPREC_UNKNOWN_NS,
                                      .decided_ns = PPREC_UNKNOWN_NS};
}

/* Of a queue that is fair we get a share, and a policer drops what is above its rate. Bounds and
 * candidates that nobody can tell apart are no caps. */
static double controller_usable_bps(const struct pprec_capacity *capacity)
{
    if (capacity->state == PPREC_STATE_INSUFFICIENT || capacity->state == PPREC_STATE_AMBIGUOUS
        || capacity->state == PPREC_STATE_SENDER_LIMITED)
        return 0;
    if (capacity->share_bps > 0)
        return capacity->share_bps;
    return capacity->policed_bps > 0 ? capacity->policed_bps : capacity->capacity_bps;
}

static double cap_of(const struct controller *controller, const struct pprec_capacity *capacity)
{
    double usable = CONTROLLER_SHARE * controller_usable_bps(capacity);

    return usable > 0 && usable < controller->most_bps ? usable : controller->most_bps;
}

/* The median packet of a frame waits for half of it. */
static double own_queue_ns(const struct controller *controller, double capacity_bps)
{
    double filled = capacity_bps > 0 ? controller->target_bps / capacity_bps : 1;

    return (filled < 1 ? filled : 1) * (double)controller->frame_ns / 2;
}

static int overused(const struct controller *controller, const struct pprec_congestion *congestion)
{
    double own_ns = own_queue_ns(controller, controller_usable_bps(&congestion->capacity));

    return congestion->queueing_ns != PPREC_UNKNOWN_NS && (double)congestion->queueing_ns > own_ns + QUEUE_NS;
}

static void brake(struct controller *controller, int64_t now_ns, double to_bps)
{
    /* at the least there is nothing left to be careful of */
    controller->braked_bps = controller->target_bps > controller->least_bps ? controller->target_bps : 0;
    controller->braked_ns = now_ns;
    if (to_bps < controller->target_bps)
        controller->target_bps = to_bps;
}

/* Carefully about where it braked; beyond that, whatever took the room then has gone. */
static void controller_grow(struct controller *controller, double seconds)
{
    int near = controller->target_bps > NEAR_BELOW * controller->braked_bps
        && controller->target_bps < NEAR_ABOVE * controller->braked_bps;

    controller->target_bps *= 1 + seconds * (near ? GROW_NEAR : GROW_FAR);
}

double controller_decide(struct controller *controller, const struct pprec_congestion *congestion,
                         double received_bps)
{
    double cap_bps = cap_of(controller, &congestion->capacity);
    uint64_t sent = congestion->packets + congestion->lost;
    double lost = sent > 0 ? (double)congestion->lost / (double)sent : 0;
    int64_t now_ns = congestion->time_ns;
    int settled = controller->braked_ns == PPREC_UNKNOWN_NS || now_ns - controller->braked_ns >= SETTLE_NS;

    if (settled && overused(controller, congestion))
        brake(controller, now_ns, BRAKE * received_bps);
    else if (settled && lost > LOSS_BORNE)
        brake(controller, now_ns, controller->target_bps * (1 - lost / 2));
    else if (settled && controller->decided_ns != PPREC_UNKNOWN_NS)
        controller_grow(controller, (double)(now_ns - controller->decided_ns) / 1e9);
    if (controller->target_bps > cap_bps)
        controller->target_bps = cap_bps;
    if (controller->target_bps < controller->least_bps)
        controller->target_bps = controller->least_bps;
    controller->decided_ns = now_ns;
    return controller->target_bps;
}
