/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/media.h"

#include "tests/sim/memory.h"
#include "tests/sim/path.h"
#include "tests/sim/receiver.h"
#include "tests/sim/rng.h"
#include "tests/sim/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 600, FRAMES_A_SECOND = 30, LARGE_EVERY = 60, LARGE_TIMES = 4, PAYLOAD_BYTES = 1200 };
enum { L2_BYTES = 46, LAST_LEAST_BYTES = 100, EXTENSION_ID = 3, PAYLOAD_TYPE = 96 };

/* A media sender's own time from packet to packet, and a bucket's link. */
#define SOFTWARE_GAP_NS 5000
#define SOFTWARE_JITTER_NS 2000
#define ADAPTER_BPS UINT64_C(1000000000)
#define LOAD_MOST 0.7
#define TICK_NS INT64_C(5000000)
#define BEFORE_BYTES 2000
#define PROPAGATION_NS 10000000
#define EPOCH_NS INT64_C(1700000000000000000)
#define NS_PER_S INT64_C(1000000000)

/* What the sender knows of its packets beyond what the path does. */
struct sent {
    struct sim_probe *probes;
    uint32_t *frames; /* of each */
    bool *last;
    size_t count;
    double media_bps;
};

static double mean_packets(const struct media_config *config)
{
    return (config->packets_least + config->packets_most) / 2.0 * (1 + (LARGE_TIMES - 1.0) / LARGE_EVERY);
}

/* So that the media leaves some of the rate. */
static uint32_t payload_of(const struct media_config *config)
{
    double most =
        LOAD_MOST * (double)config->rate_bps / 8 / FRAMES_A_SECOND / mean_packets(config) - L2_BYTES;

    return most < PAYLOAD_BYTES ? (uint32_t)most : PAYLOAD_BYTES;
}

static unsigned packets_of(const struct media_config *config, unsigned frame, struct sim_rng *rng)
{
    unsigned packets =
        config->packets_least + sim_rng_below(rng, config->packets_most - config->packets_least + 1);

    return frame % LARGE_EVERY == LARGE_EVERY - 1 ? LARGE_TIMES * packets : packets;
}

/* --- When packets leave --- */

static int64_t paced_gap_ps(const struct media_config *config, const struct sent *sent,
                            const struct sim_probe *before, uint32_t full_bytes)
{
    double bps = config->pace * sent->media_bps;
    uint32_t bytes = config->pacing == MEDIA_BY_CLOCK ? full_bytes : before->bytes;

    return (int64_t)(bytes * 8e12 / bps);
}

/* The pacer takes packets in turn, frames that came too soon behind one another. */
static void hand_over(const struct media_config *config, struct sent *sent, int64_t *free_ps,
                      int64_t *adapter_ps, uint32_t full_bytes, struct sim_rng *rng, size_t i)
{
    struct sim_probe *probe = &sent->probes[i];
    int64_t soonest_ps = probe->handed_ps;

    if (config->pacing != MEDIA_AT_ONCE) {
        soonest_ps = sim_later(soonest_ps, *free_ps);
        *free_ps = soonest_ps + paced_gap_ps(config, sent, probe, full_bytes);
        if (config->pacing == MEDIA_BY_TICK)
            soonest_ps = sim_next_step_ps(soonest_ps, 0, TICK_NS * SIM_PS_PER_NS);
    }
    if (i > 0) {
        double own_ns = SOFTWARE_GAP_NS + sim_rng_exponential(rng, SOFTWARE_JITTER_NS);

        soonest_ps = sim_later(soonest_ps, probe[-1].handed_ps + (int64_t)(own_ns * 1e3));
    }
    probe->handed_ps = soonest_ps;
    *adapter_ps = sim_later(*adapter_ps, soonest_ps) + sim_transmit_ps(probe->bytes, ADAPTER_BPS);
    probe->left_ps = *adapter_ps;
}

static void make_frames(const struct media_config *config, struct sent *sent, struct sim_rng *rng)
{
    uint32_t payload = payload_of(config);
    size_t bytes = 0;

    for (unsigned frame = 0; frame < FRAMES; frame++) {
        unsigned packets = packets_of(config, frame, rng);
        double at_s = (double)frame / FRAMES_A_SECOND + sim_rng_between(rng, 0, 1e-3);

        uint32_t rest = LAST_LEAST_BYTES + sim_rng_below(rng, payload - LAST_LEAST_BYTES);
        uint32_t even = ((packets - 1) * payload + rest) / packets;

        for (unsigned i = 0; i < packets; i++) {
            uint32_t full = config->split ? even + (i < packets / 2) : payload;
            uint32_t size = i + 1 < packets || config->split ? full : rest;

            sent->frames[sent->count] = frame;
            sent->last[sent->count] = i + 1 == packets;
            sent->probes[sent->count] = (struct sim_probe){.handed_ps = (int64_t)(at_s * 1e12),
                                                           .bytes = size + L2_BYTES,
                                                           .seq = (uint32_t)sent->count,
                                                           .train = frame,
                                                           .position = (uint16_t)i,
                                                           .length = (uint16_t)packets};
            bytes += sent->probes[sent->count++].bytes;
        }
    }
    sent->media_bps = (double)bytes * 8 * FRAMES_A_SECOND / FRAMES;
}

static struct sent media_run_send_all(const struct media_config *config, struct sim_rng *rng)
{
    size_t most = FRAMES * LARGE_TIMES * config->packets_most;
    struct sent sent = {
        .probes = sim_allocate(most, sizeof *sent.probes),
        .frames = sim_allocate(most, sizeof *sent.frames),
        .last = sim_allocate(most, sizeof *sent.last),
    };
    int64_t free_ps = 0, adapter_ps = 0;

    make_frames(config, &sent, rng);
    for (size_t i = 0; i < sent.count; i++)
        hand_over(config, &sent, &free_ps, &adapter_ps, payload_of(config) + L2_BYTES, rng, i);
    return sent;
}

/* --- As RTP --- */

static void media_run_put(uint8_t *at, uint32_t value, unsigned bytes)
{
    while (bytes-- > 0) {
        at[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

static size_t first_of_frame(const struct sent *sent, size_t i)
{
    while (i > 0 && sent->frames[i - 1] == sent->frames[i])
        i--;
    return i;
}

static void media_run_write_header(const struct media_config *config, const struct sent *sent, size_t i,
                                   int64_t offset_ns, struct media_packet *packet)
{
    size_t told = config->one_time ? first_of_frame(sent, i) : i;
    int64_t departed_ns = sent->probes[told].handed_ps / SIM_PS_PER_NS + offset_ns;

    packet->header[0] = config->send_times ? 0x90 : 0x80;
    packet->header[1] = (uint8_t)(sent->last[i] << 7 | PAYLOAD_TYPE);
    media_run_put(packet->header + 2, (uint32_t)i, 2);
    media_run_put(packet->header + 4, sent->frames[i] * (90000 / FRAMES_A_SECOND), 4);
    media_run_put(packet->header + 8, 0xfeedbeef, 4);
    packet->header_bytes = 12;
    if (!config->send_times)
        return;
    media_run_put(packet->header + 12, 0xbede0001, 4);
    packet->header[16] = EXTENSION_ID << 4 | 2;
    media_run_put(packet->header + 17, (uint32_t)(((departed_ns % (64 * NS_PER_S)) << 18) / NS_PER_S), 3);
    packet->header_bytes = 20;
}

static struct sim_hop_config bucket_of(uint64_t link_bps, uint64_t rate_bps, uint32_t bytes)
{
    return (struct sim_hop_config){.rate_bps = link_bps,
                                   .propagation_ns = PROPAGATION_NS,
                                   .shaper = SIM_SHAPER_BUCKET,
                                   .shaper_rate_bps = rate_bps,
                                   .burst_bytes = bytes};
}

/* A link, or up to two buckets. */
static void lay_path(const struct media_config *config, struct sim_path_config *path)
{
    uint64_t link_bps = config->peak_bps > 0 ? config->peak_bps : ADAPTER_BPS;

    if (config->before_bps > 0)
        path->hop[path->hops++] = bucket_of(ADAPTER_BPS, config->before_bps, BEFORE_BYTES);
    path->hop[path->hops++] = config->bucket_bytes > 0
        ? bucket_of(link_bps, config->rate_bps, config->bucket_bytes)
        : (struct sim_hop_config){.rate_bps = config->rate_bps, .propagation_ns = PROPAGATION_NS};
    if (config->load > 0)
        path->traffic[path->traffics++] =
            (struct sim_traffic_config){.source = SIM_POISSON,
                                        .mix = SIM_MIX_IMIX,
                                        .rate_bps = config->load * (double)config->rate_bps,
                                        .leave = path->hops};
}

size_t media_send(const struct media_config *config, uint64_t seed, struct media_packet **packets)
{
    struct sim_receiver_config receiver = {.epoch_ns = EPOCH_NS,
                                           .noise = SIM_NOISE_EXPONENTIAL,
                                           .noise_ns = config->late_ns > 0 ? config->late_ns : 500,
                                           .late_first_ns = config->late_ns};
    struct sim_path_config path = {.lasting = true};
    struct sim_stamped *stamped;
    struct sim_rng rng;
    struct sent sent;
    size_t count;
    int64_t offset_ns;

    sim_rng_init(&rng, seed, 77);
    sent = media_run_send_all(config, &rng);
    offset_ns = (int64_t)sim_rng_between(&rng, 0, 64e9);
    lay_path(config, &path);
    sim_path_run(&path, seed, sent.probes, sent.count, NULL);
    stamped = sim_allocate(2 * sent.count, sizeof *stamped);
    count = sim_receiver_run(&receiver, seed, sent.probes, sent.count, NULL, stamped);
    *packets = sim_allocate(count, sizeof **packets);
    for (size_t i = 0; i < count; i++) {
        media_run_write_header(config, &sent, stamped[i].probe, offset_ns, &(*packets)[i]);
        (*packets)[i].payload_bytes = sent.probes[stamped[i].probe].bytes - L2_BYTES;
        (*packets)[i].received_ns = stamped[i].stamp_ns;
    }
    free(sent.probes);
    free(sent.frames);
    free(sent.last);
    free(stamped);
    return count;
}

static void media_run_on_train(void *user, const struct pprec_train *train)
{
    struct media_result *result = user;

    *result = (struct media_result){train->capacity};
}

struct media_result media_run(const struct media_config *config, uint64_t seed)
{
    const struct pprec_endpoint source = {.address = {192, 0, 2, 1}, .port = 5004, .ip = 4};
    struct media_result result = {0};
    struct media_packet *packets;
    struct pprec_config ours;
    struct pprec *pprec;
    size_t count = media_send(config, seed, &packets);

    pprec_config_init(&ours);
    ours.user = &result;
    ours.on_train = media_run_on_train;
    if (pprec_new(&pprec, &ours) < 0)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct pprec_stamp stamp = {packets[i].received_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};

        pprec_push_rtp(pprec, &source, packets[i].header, packets[i].header_bytes, packets[i].payload_bytes,
                       stamp);
    }
    pprec_finish(pprec);
    pprec_free(pprec);
    free(packets);
    return result;
}
