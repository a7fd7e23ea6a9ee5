/* SPDX-License-Identifier: BSD-3-Clause */
#include "receiver.h"

#include "memory.h"
#include "units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct receiving {
    const struct sim_receiver_config *config;
    struct sim_rng rng;
    int64_t free_ps;      /* the driver is done with the batch before */
    int64_t interrupt_ps; /* the last one */
    int64_t seen_ps;      /* the last packet came, of ours or not */
    int64_t stamp_ns;     /* the last one: a clock read in sequence never goes back */
};

/* --- Loss, duplication, delay --- */

static int64_t up_to_ps(struct sim_rng *rng, int64_t most_ns)
{
    return (int64_t)(sim_rng_uniform(rng) * (double)(most_ns * SIM_PS_PER_NS));
}

static size_t receiver_damage(struct receiving *receiving, const struct sim_probe *probes, size_t count,
                              struct sim_stamped *out)
{
    const struct sim_receiver_config *config = receiving->config;
    struct sim_rng *rng = &receiving->rng;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t at_ps = probes[i].arrived_ps;
        if (at_ps == SIM_NEVER_PS || sim_rng_chance(rng, config->loss))
            continue;
        if (sim_rng_chance(rng, config->reorder))
            at_ps += up_to_ps(rng, config->reorder_delay_ns);
        out[n++] = (struct sim_stamped){.probe = i, .true_ps = at_ps};
        if (sim_rng_chance(rng, config->duplicate)) {
            at_ps += up_to_ps(rng, config->duplicate_delay_ns);
            out[n++] = (struct sim_stamped){.probe = i, .true_ps = at_ps};
        }
    }
    return n;
}

static int by_time(const void *left, const void *right)
{
    const struct sim_stamped *a = left, *b = right;

    if (a->true_ps != b->true_ps)
        return a->true_ps < b->true_ps ? -1 : 1;
    return a->probe < b->probe ? -1 : a->probe > b->probe;
}

/* --- The clock --- */

/* How far its clock is ahead: the integral of how much too fast it has run. */
static double ahead_ps(const struct sim_receiver_config *config, int64_t true_ps)
{
    double period_ps = (double)(config->wander_period_ns * SIM_PS_PER_NS);
    int64_t from_ps = config->slew_from_ns * SIM_PS_PER_NS;
    int64_t until_ps = config->slew_until_ns * SIM_PS_PER_NS;
    double ps = (double)true_ps * config->skew_ppm;

    if (period_ps > 0)
        ps += config->wander_ppm * period_ps / (2 * M_PI) * (1 - cos(2 * M_PI * (double)true_ps / period_ps));
    if (true_ps > from_ps)
        ps += (double)((true_ps < until_ps ? true_ps : until_ps) - from_ps) * config->slew_ppm;
    return ps * 1e-6;
}

static int64_t read_clock(struct receiving *receiving, int64_t true_ps)
{
    const struct sim_receiver_config *config = receiving->config;
    int64_t granularity_ns = config->granularity_ns ? config->granularity_ns : 1;
    double late_ns = config->noise == SIM_NOISE_NORMAL
        ? sim_rng_normal(&receiving->rng, (double)config->noise_ns)
        : sim_rng_exponential(&receiving->rng, (double)config->noise_ns);
    int64_t ps = true_ps + (int64_t)ahead_ps(config, true_ps) + (int64_t)(late_ns * (double)SIM_PS_PER_NS);
    int64_t ns = ps / SIM_PS_PER_NS - (ps % SIM_PS_PER_NS < 0);

    ns = sim_later(ns, receiving->stamp_ns);
    receiving->stamp_ns = ns;
    if (config->step_ns && true_ps >= config->step_at_ns * SIM_PS_PER_NS)
        ns += config->step_ns;
    ns += config->epoch_ns;
    return ns - ns % granularity_ns + config->shift_ns;
}

/* --- The adapter --- */

/* When the driver begins with a packet that finds it idle. */
static int64_t interrupt_for(struct receiving *receiving, int64_t at_ps)
{
    int64_t wait_ps = receiving->config->coalesce_ns * SIM_PS_PER_NS;

    if (receiving->config->coalescing == SIM_COALESCE_DELAY)
        at_ps += wait_ps;
    else if (receiving->interrupt_ps != INT64_MIN)
        at_ps = sim_later(at_ps, receiving->interrupt_ps + wait_ps);
    receiving->interrupt_ps = at_ps;
    return at_ps;
}

/* A processor that nothing came for falls asleep. */
#define AWAKE_PS (SIM_PS_PER_S / 1000)

/* When it is awake for a packet. */
static int64_t awake_at(struct receiving *receiving, int64_t at_ps)
{
    bool asleep = receiving->seen_ps == INT64_MIN || at_ps - receiving->seen_ps > AWAKE_PS;
    double late_ps = (double)(receiving->config->late_first_ns * SIM_PS_PER_NS);

    receiving->seen_ps = at_ps;
    if (late_ps > 0 && asleep)
        at_ps += (int64_t)(late_ps * sim_rng_between(&receiving->rng, 0.5, 1.5));
    return at_ps;
}

/* One packet, of ours or not, through the adapter: when the driver stamps it. It
 * polls until nothing is left (NAPI); what comes after that waits for an
 * interrupt of its own. */
static int64_t stamped_at(struct receiving *receiving, int64_t at_ps)
{
    at_ps = awake_at(receiving, at_ps);
    if (receiving->config->coalescing == SIM_COALESCE_NONE)
        return at_ps;
    if (at_ps > receiving->free_ps)
        receiving->free_ps = interrupt_for(receiving, at_ps);
    receiving->free_ps += receiving->config->packet_cost_ns * SIM_PS_PER_NS;
    return receiving->free_ps;
}

size_t sim_receiver_run(const struct sim_receiver_config *config, uint64_t seed,
                        const struct sim_probe *probes, size_t count, const struct sim_background *background,
                        struct sim_stamped *stamped)
{
    struct receiving receiving = {
        .config = config,
        .free_ps = INT64_MIN,
        .interrupt_ps = INT64_MIN,
        .seen_ps = INT64_MIN,
        .stamp_ns = INT64_MIN,
    };
    size_t other = 0, others = background ? background->count : 0;
    size_t n;

    sim_rng_init(&receiving.rng, seed, 2);
    n = receiver_damage(&receiving, probes, count, stamped);
    qsort(stamped, n, sizeof(*stamped), by_time);
    for (size_t i = 0; i < n; i++) {
        for (; other < others && background->at_ps[other] < stamped[i].true_ps; other++)
            stamped_at(&receiving, background->at_ps[other]);
        stamped[i].stamp_ns = read_clock(&receiving, stamped_at(&receiving, stamped[i].true_ps));
    }
    return n;
}
