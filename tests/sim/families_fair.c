/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs over a link that others share with us by fair queueing, packet by packet or in quanta. */
#include "families.h"

#include "parts.h"

#include <math.h>

#define MS 1000000LL

static void build_fair(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                       double rate_bps, uint32_t quantum_bytes)
{
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, rate_bps);

    sim_share_hop(row, rng, config, hop, 1U << sim_rng_below(rng, 3), quantum_bytes);
}

/* 1, 2 or 4 greedy flows beside; fq_codel's quantum is a frame. */
void sim_build_fair(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    build_fair(row, rng, config, sim_draw_hosts(row, rng, config, 1500), 1514);
}

/* A flow that was idle does not go first: packet by packet in turn, or whoever would be done first. */
void sim_build_fair_waits(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_fair(row, rng, config);
    if (sim_rng_chance(rng, 0.5))
        config->path.hop[0].shaper = SIM_SHAPER_TURNS;
    config->path.hop[0].quantum_bytes = 0;
}

/* That come and go: of each 20 ms to 2 s, drawn anew, they rest with a chance of 0.2 to 0.8. */
void sim_build_fair_resting(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_build_fair(row, rng, config);
    hop = &config->path.hop[0];
    hop->rest_ns = (int64_t)sim_rng_log_between(rng, 20e6, 2e9);
    hop->rest_share = sim_rng_between(rng, 0.2, 0.8);
}

/* A shaper with a queue for each flow behind one bucket (tbf or htb with fq_codel, as routers at home have it): one other or two that
 * rest now and then, so that the bucket is full at times. */
void sim_build_fair_bucket(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop;

    build_fair(row, rng, config, rate_bps, sim_rng_chance(rng, 0.5) ? 1514 : 300);
    hop = &config->path.hop[0];
    hop->shaper_rate_bps = hop->rate_bps;
    hop->rate_bps = (uint64_t)(rate_bps * sim_rng_log_between(rng, 2, 20));
    hop->burst_bytes = (uint32_t)sim_rng_log_between(rng, 1600, 60e3);
    hop->rivals = 1 + sim_rng_below(rng, 2);
    hop->pausing = hop->rivals;
    hop->pause_share = sim_rng_log_between(rng, 0.0005, 0.02);
    hop->pause_ns = (int64_t)sim_rng_log_between(rng, 5e6, 200e6);
}

/* Some of one to four others have no packet now and then: pauses of a tenth of a packet's time, or of twenty. In half of
 * the runs a flow that was idle waits in line. */
void sim_build_fair_sparse(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500), packet_ns;
    struct sim_hop_config *hop;

    build_fair(row, rng, config, rate_bps, sim_rng_chance(rng, 0.5) ? 1514 : 300);
    hop = &config->path.hop[0];
    hop->rivals = 1 + sim_rng_below(rng, 4);
    hop->pausing = 1 + sim_rng_below(rng, hop->rivals);
    packet_ns = hop->rival_bytes * 8e9 / (double)hop->rate_bps;
    hop->pause_share = sim_rng_log_between(rng, 0.05, 1);
    hop->pause_ns = (int64_t)(packet_ns * sim_rng_log_between(rng, 0.1, 20));
    hop->in_line = sim_rng_chance(rng, 0.5);
}

/* Who was idle waits in line, for up to four others; quanta of up to two frames. */
void sim_build_drr(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop;

    build_fair(row, rng, config, rate_bps, (uint32_t)sim_rng_log_between(rng, 300, 3036));
    hop = &config->path.hop[0];
    hop->rivals = 1 + sim_rng_below(rng, 4);
    hop->in_line = true;
}

/* Whose packets have any size; in half of the runs who was idle goes first. */
void sim_build_drr_others(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_build_drr(row, rng, config);
    hop = &config->path.hop[0];
    hop->rival_bytes = (uint32_t)sim_rng_log_between(rng, 100, 1518);
    hop->in_line = sim_rng_chance(rng, 0.5);
}

/* Our weight is half of the others', or twice as much, or in between; packet by packet, or in quanta. */
void sim_build_wfq_weights(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    struct sim_hop_config *hop;

    sim_build_drr(row, rng, config);
    hop = &config->path.hop[0];
    hop->weight = sim_rng_log_between(rng, 0.4, 2.5);
    if (sim_rng_chance(rng, 0.5))
        hop->quantum_bytes = 0;
}

/* Trains alone beside flows of short packets. */
void sim_build_fair_short(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop;

    build_fair(row, rng, config, rate_bps, sim_rng_chance(rng, 0.5) ? 1514 : 300);
    hop = &config->path.hop[0];
    hop->rivals = 1 + sim_rng_below(rng, 4);
    hop->rival_bytes = (uint32_t)sim_rng_log_between(rng, 100, 400);
}

/* Behind a cell whose other stations send aggregates: first packets wait for these, and not for turns alone. */
void sim_build_fair_behind(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double cell_bps = rate_bps * sim_rng_log_between(rng, 2.5, 15);
    struct sim_traffic_config *traffic;

    sim_add_hop(&config->path, rng, cell_bps);
    traffic = sim_load_hop(&config->path, 0, sim_rng_between(rng, 0.1, 0.5), SIM_MIX_1500);
    traffic->source = SIM_PARETO;
    traffic->flows = 1 + sim_rng_below(rng, 4);
    traffic->access_bps = (uint64_t)(100 * cell_bps);
    traffic->burst_packets = fmax(2, cell_bps * sim_rng_log_between(rng, 0.3e-3, 2e-3) / (8 * 1518));
    build_fair(row, rng, config, rate_bps, sim_rng_chance(rng, 0.5) ? 1514 : 300);
}

/* Behind a slower link, as who uploads meets at a home that downloads: packets come further apart than it sends them. */
void sim_build_fair_after(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);

    sim_add_hop(&config->path, rng, rate_bps);
    build_fair(row, rng, config, rate_bps * sim_rng_between(rng, 1.1, 3),
               sim_rng_chance(rng, 0.5) ? 1514 : 300);
}

/* Before slots that hold hardly more than the queue lets pass. */
void sim_build_fair_slots(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    static const int64_t SLOTS_NS[] = {MS, 2 * MS, 5 * MS / 2, 5 * MS};
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    struct sim_hop_config *hop = sim_add_hop(&config->path, rng, rate_bps);

    sim_share_hop(row, rng, config, hop, 1 + sim_rng_below(rng, 3), sim_rng_chance(rng, 0.5) ? 1514 : 300);
    hop->rival_bytes = 1518;
    hop = sim_add_hop(&config->path, rng, 1 * GBPS);
    hop->shaper = SIM_SHAPER_TICK;
    hop->shaper_rate_bps = (uint64_t)(row->factor * rate_bps);
    hop->tick_ns = SLOTS_NS[sim_rng_below(rng, 4)];
    hop->tick_phase_ns = (int64_t)(sim_rng_uniform(rng) * (double)hop->tick_ns);
}

/* A sender hardly faster than that, which tells how its trains left, or does not. */
void sim_build_fair_slow(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_fair(row, rng, config);
    config->sender.rate_bps =
        (uint64_t)((double)config->path.hop[0].rate_bps * sim_rng_log_between(rng, 1.1, 10));
    if (sim_rng_chance(rng, 0.5))
        config->sender.departure = SIM_DEPARTURE_NONE;
}

/* Stamps of up to a quarter of a full packet's time. */
void sim_build_fair_coarse(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double packet_ns;

    sim_build_fair(row, rng, config);
    packet_ns = 1518 * 8e9 / (double)config->path.hop[0].rate_bps;
    config->receiver.granularity_ns = (int64_t)(packet_ns * sim_rng_log_between(rng, 0.01, 0.25));
}

/* Packets of ours shorter than half of the others': a turn lets several of them pass. */
void sim_build_fair_small(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double share = sim_rng_log_between(rng, 0.13, 0.47);

    for (unsigned i = 0; i < config->sender.pattern_length; i++)
        config->sender.pattern[i].bytes = (uint32_t)(share * config->sender.pattern[i].bytes);
    build_fair(row, rng, config, rate_bps, sim_rng_chance(rng, 0.5) ? 1514 : 300 + sim_rng_below(rng, 1215));
}

/* Ends on busy hosts. */
void sim_build_fair_busy(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_fair(row, rng, config);
    sim_busy_ends(rng, config);
}

/* Seen through held interrupts. */
void sim_build_fair_held(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_fair(row, rng, config);
    sim_hold_back(rng, &config->receiver, 8e3, 400e3);
}

/* And nobody beside. */
void sim_build_fair_idle(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    sim_build_fair(row, rng, config);
    config->path.hop[0].rivals = 0;
}

/* CAKE's is of 1/4096 s (net/sched/sch_cake.c, cake_set_rate()). */
void sim_build_cake(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config)
{
    double rate_bps = sim_draw_hosts(row, rng, config, 1500);
    double quantum_bytes = floor(rate_bps / 8 / 4096);

    build_fair(row, rng, config, rate_bps, (uint32_t)fmax(fmin(quantum_bytes, 1514), 300));
}
