/* SPDX-License-Identifier: BSD-3-Clause */
#include "sender.h"

#include "units.h"

/* Bytes of a frame that are not UDP payload (Ethernet and FCS, IPv4, UDP), and
 * payload that the header takes with TIME, and with DEPARTURE too. */
enum { FRAME_OVERHEAD_BYTES = 46, PAYLOAD_TIME_BYTES = 26, PAYLOAD_DEPARTURE_BYTES = 34 };

struct sending {
    const struct sim_sender_config *config;
    struct sim_rng rng;
    int64_t free_ps; /* the adapter has sent all it has */
    uint32_t seq;
};

static const struct sim_train_kind *kind_of(const struct sim_sender_config *config,
                                            unsigned train)
{
    unsigned start = config->start;

    return &config->pattern[train < start ? train
                                          : start + (train - start) % (config->pattern_length - start)];
}

size_t sim_sender_packets(const struct sim_sender_config *config)
{
    size_t packets = 0;

    for (unsigned i = 0; i < config->trains; i++)
        packets += kind_of(config, i)->length;
    return packets;
}

static int64_t exponential_ps(struct sim_rng *rng, int64_t mean_ns)
{
    if (mean_ns == 0)
        return 0;
    return (int64_t)sim_rng_exponential(rng, (double)(mean_ns * SIM_PS_PER_NS));
}

/* From one packet's hand-over to the next one's. */
static int64_t software_gap_ps(struct sending *sending, unsigned position)
{
    const struct sim_sender_config *config = sending->config;
    bool tail = config->head && position >= config->head;
    int64_t gap_ps = (tail ? config->tail_gap_ns : config->gap_ns) * SIM_PS_PER_NS;

    gap_ps += exponential_ps(&sending->rng, config->gap_jitter_ns);
    if (sim_rng_chance(&sending->rng, config->deschedule))
        gap_ps += exponential_ps(&sending->rng, config->deschedule_ns);
    return gap_ps;
}

/* Before this train. */
static int64_t train_gap_ps(struct sending *sending, unsigned train)
{
    const struct sim_sender_config *config = sending->config;
    int64_t delay_ns = train < config->start ? config->start_delay_ns : config->delay_ns;
    double share;

    if (config->spacing == SIM_SPACING_POISSON)
        return exponential_ps(&sending->rng, delay_ns);
    share = sim_rng_between(&sending->rng, 1 - config->spacing_jitter,
                            1 + config->spacing_jitter);
    return (int64_t)((double)(delay_ns * SIM_PS_PER_NS) * share);
}

static void send_train(struct sending *sending, unsigned train, int64_t at_ps,
                       struct sim_probe *probes)
{
    const struct sim_train_kind *kind = kind_of(sending->config, train);
    int64_t took_ps = sim_transmit_ps(kind->bytes, sending->config->rate_bps);

    for (uint16_t i = 0; i < kind->length; i++) {
        if (i > 0)
            at_ps += software_gap_ps(sending, i);
        sending->free_ps = sim_later(sending->free_ps, at_ps) + took_ps;
        probes[i] = (struct sim_probe){.handed_ps = at_ps,
                                       .left_ps = sending->free_ps,
                                       .bytes = kind->bytes,
                                       .seq = sending->seq++,
                                       .train = train,
                                       .position = i,
                                       .length = kind->length,
                                       .arrived_ps = SIM_NEVER_PS};
    }
}

static int64_t told_span_ns(struct sending *sending, const struct sim_probe *probes)
{
    const struct sim_probe *last = &probes[probes->length - 1];
    double noise_ns = (double)sending->config->stamp_noise_ns;
    int64_t span_ps = sending->config->departure == SIM_DEPARTURE_WIRE
                          ? last->left_ps - probes->left_ps
                          : last->handed_ps - probes->handed_ps;
    int64_t error_ns = (int64_t)(sim_rng_normal(&sending->rng, noise_ns) -
                                 sim_rng_normal(&sending->rng, noise_ns));

    return sim_later(0, span_ps / SIM_PS_PER_NS + error_ns);
}

static void tell(struct sending *sending, const struct sim_probe *probes,
                 struct sim_departed *departed)
{
    const struct sim_sender_config *config = sending->config;
    uint32_t payload_bytes = probes->bytes - FRAME_OVERHEAD_BYTES;
    int64_t before_ps = exponential_ps(&sending->rng, config->handover_ns);
    int64_t span_ns = told_span_ns(sending, probes);

    *departed = (struct sim_departed){SIM_UNKNOWN_NS, SIM_UNKNOWN_NS, 0, probes->length};
    if (!config->classic && payload_bytes >= PAYLOAD_TIME_BYTES)
        departed->sent_ns = (probes->handed_ps - before_ps) / SIM_PS_PER_NS;
    if (!config->classic && payload_bytes >= PAYLOAD_DEPARTURE_BYTES &&
        config->departure != SIM_DEPARTURE_NONE)
        departed->span_ns = span_ns;
}

void sim_sender_run(const struct sim_sender_config *config, uint64_t seed,
                    struct sim_probe *probes, struct sim_departed *departed)
{
    struct sending sending = {.config = config};
    int64_t at_ps = 0;
    size_t next = 0;

    sim_rng_init(&sending.rng, seed, 1);
    for (unsigned train = 0; train < config->trains; train++) {
        at_ps += train_gap_ps(&sending, train);
        at_ps = sim_later(at_ps, sending.free_ps);
        send_train(&sending, train, at_ps, probes + next);
        tell(&sending, probes + next, &departed[train]);
        departed[train].first = next;
        next += departed[train].length;
    }
}
