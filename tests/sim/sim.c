/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim.h"

#include "memory.h"

#include <stdlib.h>

/* Ethernet and FCS 18, IPv4 20, UDP 8. */
enum { FRAME_OVERHEAD_BYTES = 46, HOP_LIMIT = 64 };

static const struct pprec_endpoint source = {{192, 0, 2, 1}, 9000, 4};

/* The span of a train is told in the train after it. */
static void sim_tell_departure(const struct sim_run *run, uint32_t train, struct pprec_arrival *arrival)
{
    arrival->departure_span_ns = PPREC_UNKNOWN_NS;
    if (train == 0 || run->trains[train].span_ns == SIM_UNKNOWN_NS)
        return;
    arrival->departure_train = train - 1;
    arrival->departure_span_ns = run->trains[train - 1].span_ns;
}

/* Every link but the sender's own begins at a router. */
static void tell_reach(const struct sim_run *run, const struct sim_config *config,
                       const struct sim_probe *probe, struct pprec_arrival *arrival)
{
    const struct sim_departed *train = &run->trains[probe->train];
    unsigned sent = probe->hops != 0 ? probe->hops : HOP_LIMIT;

    arrival->hops_left = (uint8_t)(sent - config->path.hops);
    if (train->load_hops == 0)
        return;
    arrival->load_hops = train->load_hops;
    arrival->marker_hops = HOP_LIMIT;
    arrival->load_payload_bytes = (uint16_t)(train->load_bytes - FRAME_OVERHEAD_BYTES);
}

/* Lengths are told as 2^n; a train with a load may end before (common/wire.h). */
static uint16_t told_length(const struct sim_run *run, const struct sim_probe *probe)
{
    uint16_t length = 2;

    if (run->trains[probe->train].load_hops == 0)
        return probe->length;
    while (length < probe->length)
        length = (uint16_t)(2 * length);
    return length;
}

static void describe(const struct sim_run *run, const struct sim_config *config,
                     const struct sim_stamped *stamped, struct pprec_arrival *arrival)
{
    const struct sim_probe *probe = &run->probes[stamped->probe];
    int64_t sent_ns = run->trains[probe->train].sent_ns;

    *arrival = (struct pprec_arrival){
        .source = source,
        .stream = 1,
        .train = probe->train,
        .seq = probe->seq,
        .position = probe->position,
        .train_length = told_length(run, probe),
        .payload_bytes = probe->bytes - FRAME_OVERHEAD_BYTES,
        .received = {stamped->stamp_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL},
        .sent_ns = PPREC_UNKNOWN_NS,
        .departed_ns = PPREC_UNKNOWN_NS,
    };
    if (sent_ns != SIM_UNKNOWN_NS)
        arrival->sent_ns = config->receiver.epoch_ns + sent_ns;
    sim_tell_departure(run, probe->train, arrival);
    tell_reach(run, config, probe, arrival);
}

void sim_run_init(struct sim_run *run, const struct sim_config *config, uint64_t seed)
{
    struct sim_background background = {0};

    run->probe_count = sim_sender_packets(&config->sender);
    run->probes = sim_allocate(run->probe_count, sizeof(*run->probes));
    run->train_count = config->sender.trains;
    run->trains = sim_allocate(run->train_count, sizeof(*run->trains));
    run->stamped = sim_allocate(2 * run->probe_count, sizeof(*run->stamped));
    run->crossed = sim_allocate(run->train_count, sizeof(*run->crossed));
    background.crossed = run->crossed;
    sim_sender_run(&config->sender, seed, run->probes, run->trains);
    sim_path_run(&config->path, seed, run->probes, run->probe_count, &background);
    run->arrival_count =
        sim_receiver_run(&config->receiver, seed, run->probes, run->probe_count, &background, run->stamped);
    run->arrivals = sim_allocate(run->arrival_count, sizeof(*run->arrivals));
    for (size_t i = 0; i < run->arrival_count; i++)
        describe(run, config, &run->stamped[i], &run->arrivals[i]);
    sim_background_fini(&background);
}

void sim_run_fini(struct sim_run *run)
{
    free(run->probes);
    free(run->trains);
    free(run->arrivals);
    free(run->stamped);
    free(run->crossed);
    *run = (struct sim_run){0};
}

bool sim_config_stationary(const struct sim_config *config)
{
    const struct sim_path_config *path = &config->path;

    for (unsigned h = 0; h < path->hops; h++)
        if (path->hop[h].change_at_ns)
            return false;
    for (unsigned i = 0; i < path->traffics; i++)
        if (path->traffic[i].from_ns || path->traffic[i].until_ns)
            return false;
    return true;
}
