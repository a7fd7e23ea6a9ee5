/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge.h"

#include "filters/dispersion.h"
#include "memory.h"
#include "samples.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool judge_decided(const struct estimate *estimate)
{
    return estimate->state == STATE_CONVERGED || estimate->state == STATE_SHAPED;
}

static void measure(struct sim_samples *samples)
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

static void judge_filter(const struct filter *filter, const struct sim_samples *samples,
                         unsigned window, struct verdict_on_run *result)
{
    void *state = open_filter(filter, window);
    bool was_decided = false;

    for (size_t i = 0; i < samples->count; i++) {
        struct sample sample = samples->item[i];
        bool decided;
        filter->push(state, &sample);
        filter->estimate(state, &result->estimate);
        decided = judge_decided(&result->estimate);
        result->undone += was_decided && !decided;
        if (decided && !result->decided_after)
            result->decided_after = (unsigned)i + 1;
        was_decided = decided;
    }
    free(state);
}

void judge_run(const struct sim_case *row, uint64_t seed,
               const struct filter *const *filters, unsigned count, unsigned window,
               struct verdict_on_run *results)
{
    struct sim_config config;
    struct sim_run run;
    struct sim_samples samples;

    sim_case_config(row, seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    measure(&samples);
    for (unsigned i = 0; i < count; i++) {
        results[i] = (struct verdict_on_run){.truth_bps = sim_case_truth_bps(&config),
                                             .trains = config.sender.trains};
        judge_filter(filters[i], &samples, window, &results[i]);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

/* --- Trace --- */

static const char *state_name(enum state state)
{
    static const char *const names[STATE_COUNT] = {
        "insufficient", "tentative", "converged", "shaped", "ambiguous", "sender_limited"};

    return names[state];
}

static const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICT_COUNT] = {
        "ok",      "compressed", "expanded", "partial",     "reordered", "sender_limited",
        "batched", "late",       "foreign_size"};

    return names[verdict];
}

static void print_hop(unsigned h, const struct sim_hop_config *hop,
                      const struct sim_path_config *path)
{
    printf("# hop %u: %" PRIu64 " bit/s, %" PRId64 " ns, load %.2f", h, hop->rate_bps,
           hop->propagation_ns, sim_path_load(path, h));
    if (hop->shaper == SIM_SHAPER_BUCKET)
        printf(", bucket %" PRIu64 " bit/s %u bytes", hop->shaper_rate_bps,
               hop->burst_bytes);
    if (hop->shaper == SIM_SHAPER_TICK)
        printf(", tick %" PRIu64 " bit/s %" PRId64 " ns", hop->shaper_rate_bps, hop->tick_ns);
    if (hop->change_rate_bps)
        printf(", %" PRIu64 " bit/s from %.3f s", hop->change_rate_bps,
               (double)hop->change_at_ns * 1e-9);
    putchar('\n');
}

static void print_config(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;
    const struct sim_receiver_config *receiver = &config->receiver;

    printf("# truth %.0f bit/s at the end\n", sim_case_truth_bps(config));
    printf("# sender: %" PRIu64 " bit/s, gap %" PRId64 " ns, delay %" PRId64
           " ns, departure %d\n",
           sender->rate_bps, sender->gap_ns, sender->delay_ns, (int)sender->departure);
    for (unsigned h = 0; h < config->path.hops; h++)
        print_hop(h, &config->path.hop[h], &config->path);
    printf("# receiver: granularity %" PRId64 " ns, noise %d of %" PRId64
           " ns, skew %.1f ppm, coalescing %d of %" PRId64 " ns\n",
           receiver->granularity_ns, (int)receiver->noise, receiver->noise_ns,
           receiver->skew_ppm, (int)receiver->coalescing, receiver->coalesce_ns);
    puts("# train sent received bytes departure_us span_us rate/truth wait_first_us"
         " wait_last_us verdict; then per filter: estimate/truth low high state verdict");
}

static void print_train(const struct sim_run *run, const struct sample *sample,
                        double truth_bps)
{
    const struct sim_departed *train = &run->trains[sample->train];
    const struct sim_probe *probes = run->probes + train->first;

    printf("%u %u %u %u %.3f %.3f %.4f %.3f %.3f %s", sample->train, sample->sent,
           sample->received, sample->packet_bytes,
           train->span_ns == SIM_UNKNOWN_NS ? -1 : (double)train->span_ns * 1e-3,
           (double)sample->span_ns * 1e-3, sample->rate_bps / truth_bps,
           (double)probes[0].wait_ps * 1e-6,
           (double)probes[train->length - 1].wait_ps * 1e-6, verdict_name(sample->verdict));
}

static void print_estimate(const struct filter *filter, void *state, struct sample sample,
                           double truth_bps)
{
    struct estimate estimate;

    filter->push(state, &sample);
    filter->estimate(state, &estimate);
    printf(" | %.4f %.4f %.4f %s %s", estimate.capacity_bps / truth_bps,
           estimate.low_bps / truth_bps, estimate.high_bps / truth_bps,
           state_name(estimate.state), verdict_name(sample.verdict));
}

void judge_trace(const struct sim_case *row, uint64_t seed,
                 const struct filter *const *filters, unsigned count, unsigned window)
{
    void **states = sim_allocate(count, sizeof(*states));
    struct sim_config config;
    struct sim_run run;
    struct sim_samples samples;

    sim_case_config(row, seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    measure(&samples);
    printf("# %s, seed %" PRIu64 "\n", row->name, seed);
    print_config(&config);
    for (unsigned f = 0; f < count; f++)
        states[f] = open_filter(filters[f], window);
    for (size_t i = 0; i < samples.count; i++) {
        print_train(&run, &samples.item[i], sim_case_truth_bps(&config));
        for (unsigned f = 0; f < count; f++)
            print_estimate(filters[f], states[f], samples.item[i],
                           sim_case_truth_bps(&config));
        putchar('\n');
    }
    for (unsigned f = 0; f < count; f++)
        free(states[f]);
    free(states);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}
