/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair queueing as Linux's fq_codel schedules it (net/sched/sch_fq_codel.c; RFC 8290,
 * section 4.2): deficit round robin, in which a flow that had nothing to send comes first.
 * All that crosses the hop is one flow of ours; the others always have a packet, but where they
 * rest, and what CoDel does inside of a flow is left out.
 *
 * When a packet of ours goes is known when it comes: nobody's arrival before then matters. */
#include "hop.h"
#include "hop_shapers.h"
#include "units.h"

#include <string.h>

enum { OURS = 0 };

static bool hop_fair_listed(const struct sim_hop *hop)
{
    return hop->fair.fresh || hop->fair.olds > hop->fair.rivals;
}

static void hop_fair_append(struct sim_fair *fair, unsigned flow)
{
    fair->old[fair->olds++] = flow;
}

/* Takes the flow whose turn it is off its list. */
static void unlist(struct sim_fair *fair)
{
    if (fair->fresh) {
        fair->fresh = false;
        return;
    }
    fair->olds--;
    memmove(fair->old, fair->old + 1, fair->olds * sizeof(fair->old[0]));
}

/* Who sends next: fq_codel_dequeue(). A flow without a deficit to use gets a quantum and
 * goes to the end of the old list; ours, without a packet, goes there from the new list,
 * and off the old one. */
static unsigned hop_fair_choose(struct sim_hop *hop, bool waiting)
{
    struct sim_fair *fair = &hop->fair;

    for (;;) {
        bool fresh = fair->fresh;
        unsigned flow = fresh ? OURS : fair->old[0];
        if (fair->deficit[flow] <= 0) {
            fair->deficit[flow] += hop->config.quantum_bytes;
            unlist(fair);
            hop_fair_append(fair, flow);
        } else if (flow == OURS && !waiting) {
            unlist(fair);
            if (fresh)
                hop_fair_append(fair, OURS);
        } else {
            return flow;
        }
    }
}

static void hop_fair_give(struct sim_hop *hop, unsigned flow, uint32_t bytes)
{
    hop->fair.deficit[flow] -= bytes;
    hop->fair.clock_ps += sim_transmit_ps(bytes, hop->config.rate_bps);
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
    int64_t packets =
        config->quantum_bytes / hop_fair_common_divisor(config->quantum_bytes, config->rival_bytes);

    return hop->fair.rivals * packets * sim_transmit_ps(config->rival_bytes, config->rate_bps);
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
    step_ps = period_ps(hop);
    hop->fair.clock_ps = step_ps ? sim_next_step_ps(now_ps, 0, step_ps) - step_ps : now_ps;
    for (unsigned flow = 1; flow <= hop->fair.rivals; flow++)
        hop_fair_append(&hop->fair, flow);
}

/* The others send until now_ps: we have nothing. Without others the link rests. */
static void pass_time(struct sim_hop *hop, int64_t now_ps)
{
    struct sim_fair *fair = &hop->fair;
    int64_t step_ps = period_ps(hop);

    if (hop->fair.rivals == 0)
        fair->clock_ps = sim_later(fair->clock_ps, now_ps);
    while (fair->clock_ps < now_ps) {
        if (!hop_fair_listed(hop) && now_ps - fair->clock_ps > step_ps)
            fair->clock_ps = sim_next_step_ps(now_ps, fair->clock_ps, step_ps) - step_ps;
        hop_fair_give(hop, hop_fair_choose(hop, false), hop->config.rival_bytes);
    }
}

/* --- Weighted fair queueing, all weights alike --- */

/* By tags, as SCFQ (Golestani, INFOCOM 1994): a packet's is the last one of its flow, or that of the packet sent last if
 * that is more, and its bytes. The least goes first, so a flow that was idle waits; two short packets go together. A
 * deficit is the tag of the flow's next packet here, of ours the last one. The others are in step: whoever begins has the tag
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
    fair->deficit[OURS] =
        (fair->deficit[OURS] > fair->sent_tag ? fair->deficit[OURS] : fair->sent_tag) + bytes;
    while (fair->deficit[hop_fair_least(hop)] < fair->deficit[OURS])
        send_least(hop);
    start_ps = fair->clock_ps;
    fair->sent_tag = fair->deficit[OURS];
    fair->clock_ps += sim_transmit_ps(bytes, hop->config.rate_bps);
    return start_ps;
}

int64_t sim_fair_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    struct sim_fair *fair = &hop->fair;
    int64_t start_ps;
    unsigned flow;

    if (hop->config.quantum_bytes == 0)
        return start_by_tags_ps(hop, now_ps, bytes);
    if (fair->clock_ps == INT64_MIN
        || (fair->clock_ps < now_ps && fair->rivals != hop_fair_going(hop, now_ps)))
        hop_fair_begin(hop, now_ps);
    pass_time(hop, now_ps);
    if (!hop_fair_listed(hop)) {
        fair->fresh = true;
        fair->deficit[OURS] = hop->config.quantum_bytes;
    }
    while ((flow = hop_fair_choose(hop, true)) != OURS)
        hop_fair_give(hop, flow, hop->config.rival_bytes);
    start_ps = fair->clock_ps;
    hop_fair_give(hop, OURS, bytes);
    return start_ps;
}
