/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge.h"

#include "common/stamp.h"
#include "filters/dispersion.h"
#include "memory.h"
#include "samples.h"
#include "twin.h"
#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool judge_decided(const struct estimate *estimate)
{
    return pprec_state_is_sure((enum pprec_state)estimate->state);
}

bool judge_ours(const struct filter *filter)
{
    return filter_find(filter->name) == filter;
}

static void judge_measure(struct sim_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        dispersion_measure(&samples->item[i]);
}

static void *open_filter(const struct filter *filter, unsigned window)
{
    void *state = sim_allocate(1, filter->state_bytes(window));

    filter->init(state, window);
    return state;
}

/* Counts the decisions that contradict the one before, however long ago that was: a better look at the same path moves
 * it by less than makes an estimate wrong. */
static void note_decision(struct verdict_on_run *result, double bps)
{
    if (!result->decided_after) {
        result->decided_after = result->trains;
        result->first_bps = bps;
    }
    result->resets += result->decided_bps > 0 && fabs(bps / result->decided_bps - 1) > JUDGE_WRONG;
    result->decided_bps = bps;
    result->ever_wrong |= fabs(bps / result->truth_bps - 1) > JUDGE_WRONG;
}

void judge_note(struct verdict_on_run *result, const struct estimate *estimate)
{
    bool was_decided = judge_decided(&result->estimate);
    bool decided = judge_decided(estimate);

    result->trains++;
    result->undone += was_decided && !decided;
    if (decided)
        note_decision(result, estimate->capacity_bps);
    result->estimate = *estimate;
}

/* A filter of the library is asked after every train, as the library does; a
 * rival at the end, since some of them take long to answer. */
static void judge_samples(const struct filter *filter, bool ours, const struct sim_samples *samples,
                          unsigned window, struct verdict_on_run *result)
{
    void *state = open_filter(filter, window);
    struct estimate estimate;
    int64_t start_ns = stamp_now_ns(CLOCK_THREAD_CPUTIME_ID);

    for (size_t i = 0; i < samples->count; i++) {
        struct sample sample = samples->item[i];
        filter->push(state, &sample);
        if (!ours && i + 1 < samples->count)
            continue;
        filter->estimate(state, &estimate);
        judge_note(result, &estimate);
    }
    result->spent_ns = stamp_now_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
    free(state);
}

static void judge_on_train(void *user, const struct pprec_train *train)
{
    const struct pprec_capacity *capacity = &train->capacity;

    judge_note(user,
               &(struct estimate){.state = (enum estimate_state)capacity->state,
                                  .capacity_bps = capacity->capacity_bps,
                                  .low_bps = capacity->low_bps,
                                  .high_bps = capacity->high_bps,
                                  .peak_bps = capacity->peak_bps,
                                  .burst_bytes = capacity->burst_bytes,
                                  .share_bps = capacity->share_bps,
                                  .policed_bps = capacity->policed_bps,
                                  .policed_burst_bytes = capacity->policed_burst_bytes,
                                  .why = (enum why)train->capacity.why,
                                  .advice = (enum advice)train->capacity.advice,
                                  .seen_bytes = train->capacity.seen_bytes});
}

static void judge_arrivals(const struct filter *filter, const struct sim_run *run, unsigned window,
                           struct verdict_on_run *result)
{
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.filter = filter->name;
    config.window = window;
    config.user = result;
    config.on_train = judge_on_train;
    if (pprec_new(&pprec, &config) < 0) {
        fprintf(stderr, "judge: %s\n", pprec ? pprec_error(pprec) : "no library");
        abort();
    }
    for (size_t i = 0; i < run->arrival_count; i++)
        pprec_push(pprec, &run->arrivals[i]);
    pprec_finish(pprec);
    pprec_free(pprec);
}

void judge_run(const struct jury *jury, const struct sim_case *row, uint64_t seed,
               struct verdict_on_run *results)
{
    struct sim_config config;
    struct sim_run run;
    struct sim_samples samples;
    bool twin;

    sim_case_config(row, seed, &config);
    twin = jury->twins && twin_exists(&config, seed);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    judge_measure(&samples);
    for (unsigned i = 0; i < jury->count; i++) {
        const struct filter *filter = jury->filters[i];
        results[i] = (struct verdict_on_run){.truth_bps = sim_case_truth_bps(&config),
                                             .policer = isfinite(sim_case_policed_bps(&config)),
                                             .stationary = sim_config_stationary(&config),
                                             .twin = twin};
        if (jury->library && judge_ours(filter))
            judge_arrivals(filter, &run, jury->window, &results[i]);
        else
            judge_samples(filter, judge_ours(filter), &samples, jury->window, &results[i]);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

/* --- Trace --- */

static void print_shaper(const struct sim_hop_config *hop)
{
    switch (hop->shaper) {
    case SIM_SHAPER_NONE: break;
    case SIM_SHAPER_BUCKET:
        printf(", bucket %" PRIu64 " bit/s %u bytes", hop->shaper_rate_bps, hop->burst_bytes);
        break;
    case SIM_SHAPER_TICK:
        printf(", tick %" PRIu64 " bit/s %" PRId64 " ns", hop->shaper_rate_bps, hop->tick_ns);
        break;
    case SIM_SHAPER_TURNS:
        printf(", in turn with %u flows of %u bytes", hop->rivals, hop->rival_bytes);
        break;
    case SIM_SHAPER_BATCH:
        printf(", batches of %u after %" PRId64 " to %" PRId64 " ns", hop->batch_packets,
               hop->access_least_ns, hop->access_most_ns);
        break;
    case SIM_SHAPER_POLICER:
        printf(", policer %" PRIu64 " bit/s %u bytes", hop->shaper_rate_bps, hop->burst_bytes);
        break;
    case SIM_SHAPER_FAIR:
        printf(", fair with %u flows of %u bytes, quantum %u", hop->rivals, hop->rival_bytes,
               hop->quantum_bytes);
        break;
    case SIM_SHAPER_CONTENTION: printf(", contention, ack %" PRId64 " ns", hop->ack_ns); break;
    case SIM_SHAPER_GRANTS:
        printf(", grants of %" PRIu64 " bit/s, %" PRIu64 " assured, each %" PRId64 " ns, heard after %" PRId64
               " ns%s",
               hop->shaper_rate_bps, hop->assured_bps, hop->tick_ns, hop->report_ns,
               hop->blocks ? ", in blocks" : "");
        break;
    }
}

static void print_hop(unsigned h, const struct sim_hop_config *hop, const struct sim_path_config *path)
{
    printf("# hop %u: %" PRIu64 " bit/s, %" PRId64 " ns, load %.2f", h, hop->rate_bps, hop->propagation_ns,
           sim_path_load(path, h));
    print_shaper(hop);
    if (hop->again_share > 0)
        printf(", blocks again with chance %.2f after %" PRId64 " ns", hop->again_share, hop->again_ns);
    if (hop->vary_ns)
        printf(", varies by %.3f each %" PRId64 " ns", hop->vary_share, hop->vary_ns);
    if (hop->links > 1)
        printf(", %u links, the last longer by %" PRId64 " ns", hop->links, hop->last_longer_ns);
    if (hop->change_propagation_ns)
        printf(", %" PRId64 " ns from %.3f s", hop->change_propagation_ns, (double)hop->change_at_ns * 1e-9);
    if (hop->change_rate_bps)
        printf(", %" PRIu64 " bit/s from %.3f s", hop->change_rate_bps, (double)hop->change_at_ns * 1e-9);
    putchar('\n');
}

static void print_traffic(const struct sim_traffic_config *traffic)
{
    static const char *const sources[] = {
        [SIM_POISSON] = "Poisson", [SIM_PARETO] = "Pareto", [SIM_CONSTANT] = "constant",
        [SIM_TCP] = "TCP",         [SIM_FRAMES] = "frames",
    };

    printf("# traffic from hop %u to before %u: %s, %.0f bit/s of packets of %.0f bytes, %u flows",
           traffic->enter, traffic->leave, sources[traffic->source], traffic->rate_bps,
           sim_mix_mean_bytes(traffic->mix), traffic->flows ? traffic->flows : 1);
    if (traffic->access_bps)
        printf(", bursts of %.1f packets at %" PRIu64 " bit/s", traffic->burst_packets, traffic->access_bps);
    putchar('\n');
}

static void print_config(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;
    const struct sim_receiver_config *receiver = &config->receiver;

    printf("# truth %.0f bit/s at the end\n", sim_case_truth_bps(config));
    printf("# sender: %" PRIu64 " bit/s, gap %" PRId64 " ns, delay %" PRId64 " ns, departure %d\n",
           sender->rate_bps, sender->gap_ns, sender->delay_ns, (int)sender->departure);
    for (unsigned h = 0; h < config->path.hops; h++)
        print_hop(h, &config->path.hop[h], &config->path);
    for (unsigned i = 0; i < config->path.traffics; i++)
        print_traffic(&config->path.traffic[i]);
    printf("# receiver: granularity %" PRId64 " ns, noise %d of %" PRId64
           " ns, skew %.1f ppm, coalescing %d of %" PRId64 " ns, first late by %" PRId64 " ns\n",
           receiver->granularity_ns, (int)receiver->noise, receiver->noise_ns, receiver->skew_ppm,
           (int)receiver->coalescing, receiver->coalesce_ns, receiver->late_first_ns);
    puts("# train time_s sent received bytes delay_us departure_us gaps span_us rate/truth"
         " wait_first_us wait_last_us verdict; per filter: estimate/truth low high state"
         " verdict");
    puts("# delay: first packet's, clocks not synchronised; wait: true time in queues; -1:"
         " unknown");
}

static double us_or_unknown(int64_t ns)
{
    return ns == SAMPLE_UNKNOWN_NS ? -1 : (double)ns * 1e-3;
}

static void print_train(const struct sim_run *run, const struct sample *sample, double truth_bps)
{
    const struct sim_departed *train = &run->trains[sample->train];
    const struct sim_probe *probes = run->probes + train->first;
    int64_t delay_ns =
        sample->sent_ns == SAMPLE_UNKNOWN_NS ? SAMPLE_UNKNOWN_NS : sample->time_ns - sample->sent_ns;

    printf("%u %.6f %u %u %u %.3f %.3f %u %.3f %.4f %.3f %.3f %s", sample->train,
           (double)probes[0].left_ps * 1e-12, sample->sent, sample->received, sample->packet_bytes,
           us_or_unknown(delay_ns), us_or_unknown(sample->departure_span_ns), sample->gaps,
           (double)sample->span_ns * 1e-3, sample->rate_bps / truth_bps, (double)probes[0].wait_ps * 1e-6,
           (double)probes[train->length - 1].wait_ps * 1e-6,
           pprec_verdict_name((enum pprec_verdict)sample->verdict));
}

static void print_packets(const struct sim_run *run, const struct sample *sample)
{
    const struct sim_probe *probes = run->probes + run->trains[sample->train].first;

    for (unsigned i = 0; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];
        printf("  packet %u offset_us %.3f follows %d left_us %.3f wait_us %.3f\n", packet->position,
               (double)packet->offset_ns * 1e-3, packet->follows,
               (double)(probes[packet->position].left_ps - probes[0].left_ps) * 1e-6,
               (double)probes[packet->position].wait_ps * 1e-6);
    }
}

static void print_estimate(const struct filter *filter, void *state, struct sample sample, double truth_bps)
{
    struct estimate estimate;

    filter->push(state, &sample);
    filter->estimate(state, &estimate);
    printf(" | %.4f %.4f %.4f %s %s", estimate.capacity_bps / truth_bps, estimate.low_bps / truth_bps,
           estimate.high_bps / truth_bps, pprec_state_name((enum pprec_state)estimate.state),
           pprec_verdict_name((enum pprec_verdict)sample.verdict));
}

void judge_trace(const struct jury *jury, const struct sim_case *row, uint64_t seed)
{
    void **states = sim_allocate(jury->count, sizeof(*states));
    struct sim_config config;
    struct sim_run run;
    struct sim_samples samples;

    sim_case_config(row, seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    judge_measure(&samples);
    printf("# %s, seed %" PRIu64 "\n", row->name, seed);
    print_config(&config);
    for (unsigned f = 0; f < jury->count; f++)
        states[f] = open_filter(jury->filters[f], jury->window);
    for (size_t i = 0; i < samples.count; i++) {
        print_train(&run, &samples.item[i], sim_case_truth_bps(&config));
        for (unsigned f = 0; f < jury->count; f++)
            print_estimate(jury->filters[f], states[f], samples.item[i], sim_case_truth_bps(&config));
        putchar('\n');
        if (jury->packets)
            print_packets(&run, &samples.item[i]);
    }
    for (unsigned f = 0; f < jury->count; f++)
        free(states[f]);
    free(states);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}
