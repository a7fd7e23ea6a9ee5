/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic.h"

#include "units.h"

#include <math.h>

/* Shares add up to 12. 40 bytes of IP are padded to the least frame. */
static const struct {
    uint32_t bytes;
    unsigned twelfths;
} mixes[SIM_MIX_COUNT][3] = {
    [SIM_MIX_IMIX] = {{64, 7}, {594, 4}, {1518, 1}},
    [SIM_MIX_64] = {{64, 12}},
    [SIM_MIX_1000] = {{1000, 12}},
    [SIM_MIX_1500] = {{1500, 12}},
    [SIM_MIX_128] = {{128, 12}},
    [SIM_MIX_256] = {{256, 12}},
    [SIM_MIX_512] = {{512, 12}},
};

double sim_mix_mean_bytes(enum sim_mix mix)
{
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += (double)mixes[mix][i].bytes * mixes[mix][i].twelfths;
    return sum / 12;
}

double sim_mix_spread(enum sim_mix mix)
{
    double mean = sim_mix_mean_bytes(mix);
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += pow(mixes[mix][i].bytes, 2) * mixes[mix][i].twelfths;
    return sum / 12 / (mean * mean);
}

uint32_t sim_mix_draw(enum sim_mix mix, struct sim_rng *rng)
{
    unsigned draw, i = 0;

    if (mixes[mix][0].twelfths == 12)
        return mixes[mix][0].bytes;
    draw = sim_rng_below(rng, 12);
    while (draw >= mixes[mix][i].twelfths)
        draw -= mixes[mix][i++].twelfths;
    return mixes[mix][i].bytes;
}

bool sim_traffic_forgets(const struct sim_traffic_config *config)
{
    return config->source == SIM_POISSON || config->source == SIM_CONSTANT;
}

static double flow_rate_bps(const struct sim_traffic_config *config)
{
    return config->rate_bps / (config->flows ? config->flows : 1);
}

/* Mean time from packet to packet, had they no bursts. */
static double spacing_ps(const struct sim_traffic_config *config)
{
    return sim_mix_mean_bytes(config->mix) * 8 * (double)SIM_PS_PER_S / flow_rate_bps(config);
}

static double pareto_shape(const struct sim_traffic_config *config)
{
    return config->shape > 1 ? config->shape : 1.5;
}

/* The pause that brings a flow that sends bursts at its access rate down to its
 * mean rate. */
static double pause_ps(struct sim_flow *flow)
{
    const struct sim_traffic_config *config = flow->config;
    double on_ps = config->burst_packets * sim_mix_mean_bytes(config->mix) * 8 * (double)SIM_PS_PER_S
        / (double)config->access_bps;
    double duty = flow_rate_bps(config) / (double)config->access_bps;

    return sim_rng_pareto(&flow->rng, on_ps * (1 / duty - 1), pareto_shape(config));
}

static void advance_pareto(struct sim_flow *flow)
{
    const struct sim_traffic_config *config = flow->config;

    flow->next_ps += sim_transmit_ps(flow->next_bytes, config->access_bps);
    flow->burst_left -= 1;
    if (flow->burst_left >= 1)
        return;
    flow->next_ps += (int64_t)pause_ps(flow);
    /* The fraction of a packet left over is kept: the mean holds. */
    flow->burst_left += sim_rng_pareto(&flow->rng, config->burst_packets, pareto_shape(config));
}

static double frame_period_ps(const struct sim_traffic_config *config)
{
    return config->burst_packets * spacing_ps(config);
}

static void advance_frames(struct sim_flow *flow)
{
    const struct sim_traffic_config *config = flow->config;

    flow->next_ps += sim_transmit_ps(flow->next_bytes, config->access_bps);
    flow->burst_left -= 1;
    if (flow->burst_left >= 1)
        return;
    flow->frame_ps += (int64_t)frame_period_ps(config);
    flow->next_ps = sim_later(flow->next_ps, flow->frame_ps);
    flow->burst_left += config->burst_packets * sim_rng_between(&flow->rng, 0.5, 1.5);
}

void sim_flow_init(struct sim_flow *flow, const struct sim_traffic_config *config, uint64_t seed,
                   uint64_t stream)
{
    *flow = (struct sim_flow){.config = config};
    sim_rng_init(&flow->rng, seed, stream);
    if (config->source == SIM_CONSTANT)
        flow->phase = sim_rng_uniform(&flow->rng);
}

/* In step with itself, whatever was left out before from_ps. */
static int64_t next_of_constant_ps(const struct sim_flow *flow, int64_t from_ps)
{
    int64_t step_ps = (int64_t)spacing_ps(flow->config);
    int64_t past_ps = (from_ps - (int64_t)(flow->phase * (double)step_ps)) % step_ps;

    if (past_ps < 0)
        past_ps += step_ps;
    return past_ps ? from_ps + step_ps - past_ps : from_ps;
}

static void stop_in_time(struct sim_flow *flow)
{
    int64_t until_ps = flow->config->until_ns * SIM_PS_PER_NS;

    if (until_ps && flow->next_ps >= until_ps)
        flow->next_ps = SIM_NEVER_PS;
}

void sim_flow_start(struct sim_flow *flow, int64_t from_ps)
{
    double phase = sim_rng_uniform(&flow->rng);

    if (flow->config->from_ns)
        from_ps = sim_later(from_ps, flow->config->from_ns * SIM_PS_PER_NS);
    flow->next_bytes = sim_mix_draw(flow->config->mix, &flow->rng);
    flow->next_ps = from_ps;
    flow->burst_left = 1;
    if (flow->config->rate_bps <= 0)
        flow->next_ps = SIM_NEVER_PS;
    else if (flow->config->source == SIM_POISSON)
        sim_flow_advance(flow);
    else if (flow->config->source == SIM_CONSTANT)
        flow->next_ps = next_of_constant_ps(flow, from_ps);
    else if (flow->config->source == SIM_FRAMES)
        flow->next_ps += (int64_t)(phase * frame_period_ps(flow->config));
    else
        flow->next_ps += (int64_t)(phase * pause_ps(flow));
    flow->frame_ps = flow->next_ps;
    stop_in_time(flow);
}

void sim_flow_advance(struct sim_flow *flow)
{
    const struct sim_traffic_config *config = flow->config;

    if (config->source == SIM_POISSON)
        flow->next_ps += (int64_t)sim_rng_exponential(&flow->rng, spacing_ps(config));
    else if (config->source == SIM_CONSTANT)
        flow->next_ps += (int64_t)spacing_ps(config);
    else if (config->source == SIM_FRAMES)
        advance_frames(flow);
    else
        advance_pareto(flow);
    flow->next_bytes = sim_mix_draw(config->mix, &flow->rng);
    stop_in_time(flow);
}
