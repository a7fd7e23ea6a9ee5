/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair queueing as Linux's fq_codel schedules it (net/sched/sch_fq_codel.c; RFC 8290,
 * section 4.2): deficit round robin, in which a flow that had nothing to send comes first;
 * or in which it waits in line (sch_drr.c; Shreedhar and Varghese 1996).
 * All that crosses the hop is one flow of ours; the others always have a packet, but where they
 * rest or pause, and what CoDel does inside of a flow is left out.
 *
 * When a packet of ours goes is known when it comes: nobody's arrival before then matters. */
#include "hop.h"
#include "hop_shapers.h"
#include "units.h"

#include <string.h>

enum { OURS = 0, NOBODY = 1 + SIM_RIVALS_MAX };

/* Where others pause they are where chance has them after so many packets each. */
enum { SETTLED = 64 };

static void list_append(struct sim_list *list, unsigned flow)
{
    list->flow[list->count++] = flow;
}

static void list_remove(struct sim_list *list, unsigned at)
{
    list->count--;
    memmove(list->flow + at, list->flow + at + 1, (list->count - at) * sizeof(list->flow[0]));
}

static bool list_has(const struct sim_list *list, unsigned flow)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->flow[i] == flow)
            return true;
    return false;
}

static void list_drop(struct sim_list *list, unsigned flow)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->flow[i] == flow)
            list_remove(list, i);
}

static bool hop_fair_listed(const struct sim_fair *fair, unsigned flow)
{
    return list_has(&fair->fresh, flow) || list_has(&fair->old, flow);
}

static bool hop_fair_pauses(const struct sim_hop *hop)
{
    return hop->config.pausing > 0;
}

static uint32_t quantum_of(const struct sim_hop *hop, unsigned flow)
{
    uint32_t quantum_bytes = hop->config.quantum_bytes;

    return flow == OURS && hop->config.weight > 0 ? (uint32_t)(hop->config.weight * quantum_bytes)
                                                  : quantum_bytes;
}

/* A flow that had nothing: it goes first, or waits in line. */
static void hop_fair_join(struct sim_hop *hop, unsigned flow)
{
    hop->fair.deficit[flow] = quantum_of(hop, flow);
    list_append(hop->config.in_line ? &hop->fair.old : &hop->fair.fresh, flow);
}

/* What a flow sends next; 0: it has nothing. ours: of our packet that waits. */
static uint32_t head_bytes(const struct sim_hop *hop, unsigned flow, uint32_t ours)
{
    if (flow == OURS)
        return ours;
    return hop->fair.ready_ps[flow] <= hop->fair.clock_ps ? hop->config.rival_bytes : 0;
}

/* Who sends next: fq_codel_dequeue(), or drr_dequeue(). A flow without a deficit to use gets a quantum and
 * goes to the end of the old list; one without a packet goes there from the new list,
 * and off the old one. */
static unsigned hop_fair_choose(struct sim_hop *hop, uint32_t ours)
{
    struct sim_fair *fair = &hop->fair;

    while (fair->fresh.count + fair->old.count > 0) {
        struct sim_list *list = fair->fresh.count > 0 ? &fair->fresh : &fair->old;
        unsigned flow = list->flow[0];
        uint32_t bytes = head_bytes(hop, flow, ours);
        if (fair->deficit[flow] < (hop->config.in_line && bytes > 0 ? bytes : 1)) {
            fair->deficit[flow] += quantum_of(hop, flow);
            list_remove(list, 0);
            list_append(&fair->old, flow);
        } else if (bytes == 0) {
            list_remove(list, 0);
            if (list == &fair->fresh)
                list_append(&fair->old, flow);
        } else {
            return flow;
        }
    }
    return NOBODY;
}

/* In the long run, also where a bucket passes what it holds at the line's rate. */
static uint64_t sustained_bps(const struct sim_hop *hop)
{
    return hop->config.burst_bytes > 0 ? hop->config.shaper_rate_bps : hop->config.rate_bps;
}

/* Once one that pauses has sent it does, or has another packet. Returns when the packet starts. */
static int64_t hop_fair_give(struct sim_hop *hop, unsigned flow, uint32_t bytes)
{
    struct sim_fair *fair = &hop->fair;
    int64_t start_ps;

    if (hop->config.burst_bytes > 0) /* for all flows together */
        fair->clock_ps = sim_bucket_start_ps(hop, fair->clock_ps, bytes);
    start_ps = fair->clock_ps;
    fair->deficit[flow] -= bytes;
    fair->clock_ps += sim_transmit_ps(bytes, hop->config.rate_bps);
    if (flow != OURS && flow <= hop->config.pausing && sim_rng_chance(&fair->rng, hop->config.pause_share))
        fair->ready_ps[flow] = fair->clock_ps
            + (int64_t)sim_rng_exponential(&fair->rng, (double)hop->config.pause_ns * SIM_PS_PER_NS);
    return start_ps;
}

/* Others whose pause is over by then. */
static void hop_fair_admit(struct sim_hop *hop, int64_t until_ps)
{
    for (unsigned flow = 1; flow <= hop->fair.rivals; flow++)
        if (hop->fair.ready_ps[flow] <= until_ps && !hop_fair_listed(&hop->fair, flow))
            hop_fair_join(hop, flow);
}

static uint32_t hop_fair_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Among themselves the others are where they were when each has sent a common multiple of
 * its packets and quanta. */
static int64_t period_ps(const struct sim_hop *hop)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t packets = hop_fair_pauses(hop)
        ? SETTLED
        : config->quantum_bytes / hop_fair_common_divisor(config->quantum_bytes, config->rival_bytes);

    return hop->fair.rivals * packets * sim_transmit_ps(config->rival_bytes, sustained_bps(hop));
}

/* Whether they rest is a function of the time: nothing to remember, nothing to forget. */
static unsigned hop_fair_going(const struct sim_hop *hop, int64_t now_ps)
{
    struct sim_rng rng;

    if (hop->config.rest_share <= 0)
        return hop->config.rivals;
    sim_rng_init(&rng, hop->seed, (uint64_t)(now_ps / (hop->config.rest_ns * SIM_PS_PER_NS)));
    return sim_rng_chance(&rng, hop->config.rest_share) ? 0 : hop->config.rivals;
}

/* Those that are at it have sent since always: in step at time 0. Of ours nothing waits. */
static void hop_fair_begin(struct sim_hop *hop, int64_t now_ps)
{
    int64_t step_ps;

    hop->fair = (struct sim_fair){.rivals = hop_fair_going(hop, now_ps)};
    sim_rng_init(&hop->fair.rng, hop->seed, (uint64_t)now_ps);
    step_ps = period_ps(hop);
    hop->fair.clock_ps = step_ps ? sim_next_step_ps(now_ps, 0, step_ps) - step_ps : now_ps;
    hop->full_ps = INT64_MIN;
    if (hop->fair.rivals > 0) /* they have left no tokens */
        hop->full_ps = hop->fair.clock_ps + sim_transmit_ps(hop->config.burst_bytes, sustained_bps(hop));
    for (unsigned flow = 1; flow <= hop->fair.rivals; flow++) {
        hop->fair.ready_ps[flow] = INT64_MIN;
        list_append(&hop->fair.old, flow);
    }
}

/* The next of them has a packet, or we have. */
static int64_t next_ready_ps(const struct sim_fair *fair, int64_t now_ps)
{
    int64_t next_ps = now_ps;

    for (unsigned flow = 1; flow <= fair->rivals; flow++)
        if (fair->ready_ps[flow] < next_ps)
            next_ps = fair->ready_ps[flow];
    return next_ps;
}

/* The others send until now_ps: we have nothing. Without others the link rests. */
static void pass_time(struct sim_hop *hop, int64_t now_ps)
{
    struct sim_fair *fair = &hop->fair;
    int64_t step_ps = period_ps(hop);
    unsigned flow;

    if (hop->fair.rivals == 0)
        fair->clock_ps = sim_later(fair->clock_ps, now_ps);
    while (fair->clock_ps < now_ps) {
        if (!hop_fair_listed(fair, OURS) && now_ps - fair->clock_ps > step_ps && !hop_fair_pauses(hop))
            fair->clock_ps = sim_next_step_ps(now_ps, fair->clock_ps, step_ps) - step_ps;
        hop_fair_admit(hop, fair->clock_ps);
        flow = hop_fair_choose(hop, 0);
        if (flow == NOBODY)
            fair->clock_ps = next_ready_ps(fair, now_ps);
        else
            hop_fair_give(hop, flow, hop->config.rival_bytes);
    }
}

/* --- Weighted fair queueing --- */

/* By tags, as SCFQ (Golestani, INFOCOM 1994): a packet's is the last one of its flow, or that of the packet sent last if
 * that is more, and its bytes. The least goes first, so a flow that was idle waits; two short packets go together. A
 * deficit is the tag of the flow's next packet here, of ours the last one; ours grow by less where we have more weight. The others are in step: whoever begins has the tag
 * of the next packet of the flow that is sending. */
static unsigned hop_fair_least(const struct sim_hop *hop)
{
    unsigned least = 1;

    for (unsigned flow = 2; flow <= hop->config.rivals; flow++)
        if (hop->fair.deficit[flow] < hop->fair.deficit[least])
            least = flow;
    return least;
}

static void send_least(struct sim_hop *hop)
{
    unsigned flow = hop_fair_least(hop);

    hop->fair.sent_tag = hop->fair.deficit[flow];
    hop->fair.deficit[flow] += hop->config.rival_bytes;
    hop->fair.clock_ps += sim_transmit_ps(hop->config.rival_bytes, hop->config.rate_bps);
}

static int64_t start_by_tags_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    struct sim_fair *fair = &hop->fair;
    int64_t round_ps = hop->config.rivals * sim_transmit_ps(hop->config.rival_bytes, hop->config.rate_bps);
    int64_t start_ps;

    if (fair->clock_ps == INT64_MIN)
        hop->fair = (struct sim_fair){0};
    if (now_ps - fair->clock_ps > 2 * round_ps) /* each sends one a round: nothing else changes */
        fair->clock_ps = sim_next_step_ps(now_ps, fair->clock_ps, round_ps) - 2 * round_ps;
    while (fair->clock_ps < now_ps)
        send_least(hop);
    fair->deficit[OURS] = (fair->deficit[OURS] > fair->sent_tag ? fair->deficit[OURS] : fair->sent_tag)
        + (hop->config.weight > 0 ? (int64_t)(bytes / hop->config.weight) : bytes);
    while (fair->deficit[hop_fair_least(hop)] < fair->deficit[OURS])
        send_least(hop);
    start_ps = fair->clock_ps;
    fair->sent_tag = fair->deficit[OURS];
    fair->clock_ps += sim_transmit_ps(bytes, hop->config.rate_bps);
    return start_ps;
}

/* Others send since long, and nobody knows any more where they were. */
static bool hop_fair_is_old(const struct sim_hop *hop, int64_t now_ps)
{
    return hop->fair.clock_ps == INT64_MIN
        || (hop->fair.clock_ps < now_ps && hop->fair.rivals != hop_fair_going(hop, now_ps))
        || (hop_fair_pauses(hop) && now_ps - hop->fair.clock_ps > 2 * period_ps(hop));
}

int64_t sim_fair_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    struct sim_fair *fair = &hop->fair;
    int64_t start_ps;
    unsigned flow;

    if (hop->config.quantum_bytes == 0)
        return start_by_tags_ps(hop, now_ps, bytes);
    if (hop_fair_is_old(hop, now_ps))
        hop_fair_begin(hop, now_ps);
    pass_time(hop, now_ps);
    hop_fair_admit(hop, now_ps);
    if (hop->config.in_line && fair->left_ps < now_ps) /* nothing of ours waited behind the last one */
        list_drop(&fair->old, OURS);
    if (!hop_fair_listed(fair, OURS))
        hop_fair_join(hop, OURS);
    while ((flow = hop_fair_choose(hop, bytes)) != OURS) {
        hop_fair_give(hop, flow, hop->config.rival_bytes);
        hop_fair_admit(hop, fair->clock_ps);
    }
    start_ps = hop_fair_give(hop, OURS, bytes);
    fair->left_ps = start_ps;
    return start_ps;
}
