/* SPDX-License-Identifier: BSD-3-Clause */
#include "sender.h"

#include "units.h"

#include <math.h>

/* Bytes of a frame that are not UDP payload (Ethernet and FCS, IPv4, UDP), and
 * payload that the header takes with TIME, and with DEPARTURE too. */
enum { FRAME_OVERHEAD_BYTES = 46, PAYLOAD_TIME_BYTES = 26, PAYLOAD_DEPARTURE_BYTES = 34 };

struct sending {
    const struct sim_sender_config *config;
    struct sim_rng rng;
    int64_t free_ps; /* the adapter has sent all it has */
    double slow;     /* the host, with this train: so many times */
    uint32_t seq;
};

/* What one train is, its rate told. */
struct outline {
    const struct sim_train_kind *kind;
    double pace_bps; /* of its first gap; 0: as close as it goes */
    uint8_t load_hops;
};

static unsigned sender_index_of(const struct sim_sender_config *config, unsigned train)
{
    unsigned start = config->start;

    return train < start ? train : start + (train - start) % (config->pattern_length - start);
}

/* Of the paced ones, those that are as far as all others, or those that take hops in turn. */
static unsigned paced_before(const struct sim_sender_config *config, unsigned from, unsigned end,
                             bool hops_in_turn)
{
    unsigned paced = 0;

    for (unsigned i = from; i < end; i++)
        paced += config->pattern[i].paced && (config->pattern[i].hops_in_turn > 0) == hops_in_turn;
    return paced;
}

static unsigned sender_common_divisor(unsigned a, unsigned b)
{
    return b == 0 ? a : sender_common_divisor(b, a % b);
}

/* Number of the train among the paced ones. */
static unsigned turn_of(const struct sim_sender_config *config, unsigned train, unsigned index)
{
    unsigned start = config->start, rounds;
    bool hops_in_turn = config->pattern[index].hops_in_turn > 0;

    if (train < start)
        return paced_before(config, 0, index, hops_in_turn);
    rounds = (train - start) / (config->pattern_length - start);
    return paced_before(config, 0, start, hops_in_turn)
        + rounds * paced_before(config, start, config->pattern_length, hops_in_turn)
        + paced_before(config, start, index, hops_in_turn);
}

/* The ladder's rates in turn, by steps that share no factor with their number and are nearest to
 * its golden section: neighbours in time are none in rate. */
static double rung_bps(const struct sim_sender_config *config, unsigned turn)
{
    const struct sim_ladder *ladder = &config->ladder;
    unsigned golden = (unsigned)lround(0.618 * ladder->rungs), off = 0;

    while (sender_common_divisor(golden + off, ladder->rungs) > 1
           && sender_common_divisor(golden - off, ladder->rungs) > 1)
        off++;
    if (sender_common_divisor(golden - off, ladder->rungs) == 1)
        golden -= off;
    else
        golden += off;
    return ladder->least_bps * pow(ladder->ratio, turn * golden % ladder->rungs);
}

double sim_chirp_bps(const struct sim_ladder *ladder, const struct sim_train_kind *kind, unsigned i)
{
    double low_bps = ladder->least_bps;
    double high_bps = low_bps * pow(ladder->ratio, ladder->rungs - 1);
    double middle_bps = (low_bps + high_bps) / 2;
    unsigned last = kind->length - 1U;

    if (!kind->reflected)
        return low_bps * pow(kind->chirp, i - 1);
    if (i <= last / 2)
        return middle_bps - (middle_bps - low_bps) * pow(kind->chirp, -(double)(i - 1));
    return middle_bps + (high_bps - middle_bps) * pow(kind->chirp, -(double)(last - i));
}

static struct outline outline_of(const struct sim_sender_config *config, unsigned train)
{
    unsigned index = sender_index_of(config, train);
    struct outline outline = {.kind = &config->pattern[index], .load_hops = config->pattern[index].load_hops};

    if (outline.kind->chirp > 0)
        outline.pace_bps = config->ladder.least_bps;
    else if (outline.kind->hops_in_turn > 0) {
        unsigned turn = turn_of(config, train, index);
        outline.load_hops = (uint8_t)(1 + turn % outline.kind->hops_in_turn);
        outline.pace_bps = rung_bps(config, turn / outline.kind->hops_in_turn);
    } else if (outline.kind->paced)
        outline.pace_bps = rung_bps(config, turn_of(config, train, index));
    return outline;
}

size_t sim_sender_packets(const struct sim_sender_config *config)
{
    size_t packets = 0;

    for (unsigned i = 0; i < config->trains; i++)
        packets += config->pattern[sender_index_of(config, i)].length;
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
    return (int64_t)(sending->slow * (double)gap_ps);
}

/* What its host takes longer for this train. */
static double draw_slow(struct sending *sending)
{
    double share = sending->config->slow_share;

    return share > 0 ? sim_rng_between(&sending->rng, 1 - share, 1 + share) : 1;
}

static int64_t handover_ps(struct sending *sending)
{
    int64_t mean_ns = sending->config->handover_ns;

    if (sending->config->slow_share > 0)
        return (int64_t)(sending->slow * (double)(mean_ns * SIM_PS_PER_NS));
    return exponential_ps(&sending->rng, mean_ns);
}

/* Before this train. */
static int64_t train_gap_ps(struct sending *sending, unsigned train)
{
    const struct sim_sender_config *config = sending->config;
    int64_t delay_ns = train < config->start ? config->start_delay_ns : config->delay_ns;
    double share;

    if (config->spacing == SIM_SPACING_POISSON)
        return exponential_ps(&sending->rng, delay_ns);
    share = sim_rng_between(&sending->rng, 1 - config->spacing_jitter, 1 + config->spacing_jitter);
    return (int64_t)((double)(delay_ns * SIM_PS_PER_NS) * share);
}

/* A paced train keeps to deadlines, late by what the software makes of it: the time of the
 * packet that is due after that of at_ps. */
static int64_t paced_at_ps(struct sending *sending, const struct outline *outline, unsigned i,
                           int64_t *due_ps, int64_t at_ps)
{
    double rate_bps = outline->pace_bps;

    if (outline->kind->chirp > 0)
        rate_bps = sim_chirp_bps(&sending->config->ladder, outline->kind, i);
    *due_ps += (int64_t)(outline->kind->bytes * 8 * (double)SIM_PS_PER_S / rate_bps);
    return sim_later(at_ps + software_gap_ps(sending, i),
                     *due_ps + exponential_ps(&sending->rng, sending->config->gap_jitter_ns));
}

static void sender_send_train(struct sending *sending, unsigned train, int64_t at_ps,
                              struct sim_probe *probes)
{
    struct outline outline = outline_of(sending->config, train);
    const struct sim_train_kind *kind = outline.kind;
    int64_t due_ps = at_ps;

    sending->slow = draw_slow(sending);
    for (uint16_t i = 0; i < kind->length; i++) {
        bool marker = kind->load_hops != 0 && (i == 0 || i + 1 == kind->length);
        uint32_t bytes = marker ? kind->marker_bytes : kind->bytes;
        int64_t took_ps = sim_transmit_ps(bytes, sending->config->rate_bps);

        if (i > 0 && outline.pace_bps > 0)
            at_ps = paced_at_ps(sending, &outline, i, &due_ps, at_ps);
        else if (i > 0)
            at_ps += software_gap_ps(sending, i);
        sending->free_ps = sim_later(sending->free_ps, at_ps) + took_ps;
        probes[i] = (struct sim_probe){.handed_ps = at_ps,
                                       .left_ps = sending->free_ps,
                                       .bytes = bytes,
                                       .hops = marker ? 0 : outline.load_hops,
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
    int64_t span_ps = sending->config->departure == SIM_DEPARTURE_WIRE ? last->left_ps - probes->left_ps
                                                                       : last->handed_ps - probes->handed_ps;
    int64_t error_ns =
        (int64_t)(sim_rng_normal(&sending->rng, noise_ns) - sim_rng_normal(&sending->rng, noise_ns));

    return sim_later(0, span_ps / SIM_PS_PER_NS + error_ns);
}

static void sender_tell(struct sending *sending, const struct sim_probe *probes,
                        struct sim_departed *departed)
{
    const struct sim_sender_config *config = sending->config;
    uint32_t payload_bytes = probes->bytes - FRAME_OVERHEAD_BYTES;
    int64_t before_ps = handover_ps(sending);
    int64_t span_ns = told_span_ns(sending, probes);

    *departed = (struct sim_departed){
        SIM_UNKNOWN_NS, SIM_UNKNOWN_NS, 0, probes->length, outline_of(config, probes->train).pace_bps,
        probes[1].hops, probes[1].bytes};
    if (!config->classic && payload_bytes >= PAYLOAD_TIME_BYTES)
        departed->sent_ns = (probes->handed_ps - before_ps) / SIM_PS_PER_NS;
    if (!config->classic && payload_bytes >= PAYLOAD_DEPARTURE_BYTES
        && config->departure != SIM_DEPARTURE_NONE)
        departed->span_ns = span_ns;
}

void sim_sender_run(const struct sim_sender_config *config, uint64_t seed, struct sim_probe *probes,
                    struct sim_departed *departed)
{
    struct sending sending = {.config = config};
    int64_t at_ps = 0;
    size_t next = 0;

    sim_rng_init(&sending.rng, seed, 1);
    for (unsigned train = 0; train < config->trains; train++) {
        at_ps += train_gap_ps(&sending, train);
        at_ps = sim_later(at_ps, sending.free_ps);
        sender_send_train(&sending, train, at_ps, probes + next);
        sender_tell(&sending, probes + next, &departed[train]);
        if (departed[train].pace_bps > 0)
            at_ps = sending.free_ps;
        departed[train].first = next;
        next += departed[train].length;
    }
}
