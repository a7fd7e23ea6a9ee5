/* SPDX-License-Identifier: BSD-3-Clause */
/* Media that are asked for: Wi-Fi packet by packet, and grants on a cycle. */
#include "hop.h"
#include "hop_shapers.h"
#include "units.h"

/* --- Contention --- */

/* 802.11's OFDM PHY: DIFS of SIFS 16 us and two slots, slots of 9 us, 15 at most for a
 * first attempt, PLCP preamble and header. A frame has 18 bytes more than on Ethernet (MAC
 * 24, LLC and SNAP 8, FCS 4, less Ethernet's 18); symbols are not filled up. For 1500 bytes
 * that is 34 + 67.5 + 20 + 506 us at 24 Mbit/s, 19.12 Mbit/s; 34.64 at 54; and with an
 * acknowledgement of 28 us after a SIFS, 34.06 at 65. */
enum { SLOTS = 16, FRAME_MORE_BYTES = 18 };

#define US_PS (1000 * SIM_PS_PER_NS)
#define DIFS_PS (34 * US_PS)
#define SLOT_PS (9 * US_PS)
#define PREAMBLE_PS (20 * US_PS)

/* From the start of a frame to its first bit that layer 2 counts. */
static int64_t head_ps(const struct sim_hop_config *config)
{
    return PREAMBLE_PS + sim_transmit_ps(FRAME_MORE_BYTES, config->rate_bps);
}

/* The backoff follows a packet, whether the next one is there or not: one that finds it
 * over goes at once. */
int64_t sim_contention_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t start_ps = sim_later(now_ps, hop->turn_ps) + head_ps(config);
    int64_t backoff_ps = DIFS_PS + sim_rng_below(&hop->rng, SLOTS) * SLOT_PS;

    hop->turn_ps =
        start_ps + sim_transmit_ps(bytes, config->rate_bps) + config->ack_ns * SIM_PS_PER_NS + backoff_ps;
    return start_ps;
}

uint64_t sim_hop_contended_bps(const struct sim_hop_config *config, uint32_t bytes)
{
    int64_t mean_ps = head_ps(config) + sim_transmit_ps(bytes, config->rate_bps)
        + config->ack_ns * SIM_PS_PER_NS + DIFS_PS + (SLOTS - 1) * SLOT_PS / 2;

    return (uint64_t)(8.0 * bytes * (double)SIM_PS_PER_S / (double)mean_ps);
}

/* --- Grants --- */

/* A cycle's grant begins with the cycle and is sent at rate_bps, as much of it as is for
 * packets that are there; they are cut to fill it (GEM, ITU-T G.984.3; DOCSIS 3.1, 6.2.4;
 * RLC, 3GPP TS 36.322), and have arrived with their last byte. What a report asked for
 * serves the bytes that were reported, and no later ones. */
static uint64_t bytes_in(uint64_t rate_bps, const struct sim_hop *hop)
{
    return (uint64_t)((double)sim_varied_bps(hop, rate_bps, hop->cycle_ps) * (double)hop->config.tick_ns
                      / 8e9);
}

/* RLC hands packets on in order: a block that comes again and again keeps back what was in later ones (3GPP TS 36.321,
 * 5.4.2; 36.322, 5.1.3). A function of its time, as the rate is. */
#define BLOCKS_STREAM 0x10000000000ULL

static int64_t block_there_ps(const struct sim_hop *hop)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t step_ps = config->tick_ns * SIM_PS_PER_NS, there_ps = hop->cycle_ps + step_ps;
    struct sim_rng rng;

    if (config->again_share <= 0)
        return there_ps;
    sim_rng_init(&rng, hop->seed, BLOCKS_STREAM + (uint64_t)(hop->cycle_ps / step_ps));
    while (sim_rng_chance(&rng, config->again_share))
        there_ps += config->again_ns * SIM_PS_PER_NS;
    return there_ps;
}

/* On to the cycle in which a packet that comes now could be sent at the earliest. */
static void pass_cycles(struct sim_hop *hop, int64_t now_ps, int64_t next_ps)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t step_ps = config->tick_ns * SIM_PS_PER_NS;
    int64_t from_ps = config->blocks || next_ps == now_ps ? next_ps : next_ps - step_ps;
    uint64_t gone;

    if (hop->cycle_ps < from_ps) {
        hop->cycle_ps = from_ps;
        hop->cycle_bytes = 0;
    }
    if (hop->cycle_ps >= now_ps)
        return;
    gone = 1 + (uint64_t)((double)(now_ps - hop->cycle_ps) * (double)config->rate_bps / 8e12);
    if (hop->cycle_bytes < gone)
        hop->cycle_bytes = gone;
}

double sim_hop_expected_bytes(const struct sim_hop_config *config)
{
    return (double)config->assured_bps * (double)config->report_ns / 8e9;
}

static int64_t next_cycle_ps(const struct sim_hop_config *config, int64_t at_ps)
{
    return sim_next_step_ps(at_ps, config->tick_phase_ns * SIM_PS_PER_NS, config->tick_ns * SIM_PS_PER_NS);
}

/* When the grant comes that a report asked for a packet. Who expects assured bytes to carry some of what waits grants a byte
 * when as much as these carry until then has come behind it: all but the end of a train. */
static int64_t heard_at_ps(const struct sim_hop *hop, int64_t now_ps)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t asked_ps = config->expects ? hop->followed_ps : now_ps;

    if (asked_ps == INT64_MAX)
        return INT64_MAX;
    return next_cycle_ps(config, asked_ps) + config->report_ns * SIM_PS_PER_NS;
}

int64_t sim_grant_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes)
{
    const struct sim_hop_config *config = &hop->config;
    int64_t step_ps = config->tick_ns * SIM_PS_PER_NS;
    int64_t heard_ps = heard_at_ps(hop, now_ps), done_ps;

    pass_cycles(hop, now_ps, next_cycle_ps(config, now_ps));
    for (uint64_t left = bytes; left > 0;) {
        uint64_t room =
            bytes_in(hop->cycle_ps >= heard_ps ? config->shaper_rate_bps : config->assured_bps, hop);
        uint64_t free = room > hop->cycle_bytes ? room - hop->cycle_bytes : 0;
        uint64_t sent = left < free ? left : free;
        hop->cycle_bytes += sent;
        left -= sent;
        if (sent > 0)
            hop->block_ps = sim_later(hop->block_ps, block_there_ps(hop));
        if (left > 0) {
            hop->cycle_ps += step_ps;
            hop->cycle_bytes = 0;
        }
    }
    done_ps =
        config->blocks ? hop->block_ps : hop->cycle_ps + sim_transmit_ps(hop->cycle_bytes, config->rate_bps);
    return done_ps - sim_transmit_ps(bytes, config->rate_bps);
}
