/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples.h"

#include "memory.h"

#include <stdlib.h>

static void samples_begin(struct sample *sample, const struct sim_run *run,
                          const struct pprec_arrival *arrival, struct sample_packet *packets)
{
    const struct sim_departed *departed = &run->trains[arrival->train];
    const struct sim_probe *first = &run->probes[departed->first];

    *sample = (struct sample){
        .time_ns = arrival->received.ns,
        .sent_ns = arrival->sent_ns,
        .departure_span_ns = SAMPLE_UNKNOWN_NS,
        .train = arrival->train,
        .sent = departed->length,
        .packet_bytes = first->bytes,
        .packets = packets,
    };
}

static void samples_add(struct sample *sample, struct sample_packet *packet,
                        const struct pprec_arrival *arrival, const struct pprec_arrival *previous,
                        uint32_t bytes)
{
    *packet = (struct sample_packet){
        .offset_ns = arrival->received.ns - sample->time_ns,
        .bytes = bytes,
        .position = arrival->position,
        .follows =
            previous && previous->train == arrival->train && previous->position + 1 == arrival->position,
    };
    sample->received++;
}

/* Whether others of its train came before it: what held it back may have held the next
 * one too, so nothing follows it. */
static bool overtaken(const struct sample *sample, const struct pprec_arrival *arrival)
{
    for (unsigned i = 0; i < sample->received; i++)
        if (sample->packets[i].position > arrival->position)
            return true;
    return false;
}

/* What this packet tells of the train before it. */
static void samples_tell_departure(struct sim_samples *samples, const struct pprec_arrival *arrival)
{
    if (arrival->departure_span_ns != PPREC_UNKNOWN_NS)
        samples->item[arrival->departure_train].departure_span_ns = arrival->departure_span_ns;
}

static size_t drop_empty(struct sample *item, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (item[i].received)
            item[kept++] = item[i];
    return kept;
}

void sim_samples_init(struct sim_samples *samples, const struct sim_run *run)
{
    bool *seen = sim_allocate(run->probe_count, sizeof(*seen));
    const struct pprec_arrival *previous = NULL; /* if it can be followed */

    samples->item = sim_allocate(run->train_count, sizeof(*samples->item));
    samples->packets = sim_allocate(run->probe_count, sizeof(*samples->packets));
    for (size_t i = 0; i < run->arrival_count; i++) {
        const struct pprec_arrival *arrival = &run->arrivals[i];
        struct sample *sample = &samples->item[arrival->train];
        struct sample_packet *packets = samples->packets + run->trains[arrival->train].first;
        size_t probe = run->stamped[i].probe;
        if (seen[probe]) {
            previous = NULL;
            continue;
        }
        seen[probe] = true;
        samples_tell_departure(samples, arrival);
        if (sample->received == 0)
            samples_begin(sample, run, arrival, packets);
        samples_add(sample, packets + sample->received, arrival, previous, run->probes[probe].bytes);
        previous = overtaken(sample, arrival) ? NULL : arrival;
    }
    samples->count = drop_empty(samples->item, run->train_count);
    free(seen);
}

void sim_sample_untime(struct sample *sample)
{
    sample->sent_ns = SAMPLE_UNKNOWN_NS;
    sample->departure_span_ns = SAMPLE_UNKNOWN_NS;
}

void sim_samples_fini(struct sim_samples *samples)
{
    free(samples->item);
    free(samples->packets);
    *samples = (struct sim_samples){0};
}
