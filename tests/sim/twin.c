/* SPDX-License-Identifier: BSD-3-Clause */
#include "twin.h"

#include "filters/sample.h"
#include "memory.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>

/* --- Two samples --- */

/* Both sorted; the greatest distance of their distributions. */
double twin_distance(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double most = 0;
    size_t i = 0, j = 0;

    while (i < a_count && j < b_count) {
        double at = fmin(a[i], b[j]);
        while (i < a_count && a[i] <= at)
            i++;
        while (j < b_count && b[j] <= at)
            j++;
        most = fmax(most, fabs((double)i / (double)a_count - (double)j / (double)b_count));
    }
    return most;
}

/* That chance alone sets them so far apart (Stephens 1970). */
double twin_chance(double distance, size_t a_count, size_t b_count)
{
    double n = sqrt((double)a_count * (double)b_count / (double)(a_count + b_count));
    double lambda = (n + 0.12 + 0.11 / n) * distance, sum = 0;

    if (lambda < 0.3)
        return 1;
    for (int k = 1; k <= 20; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2 * k * k * lambda * lambda);
    return fmin(fmax(sum, 0), 1);
}

/* --- What is compared --- */

enum twin_kind { TWIN_FIRST, TWIN_LAST, TWIN_HALF, TWIN_WHOLE, TWIN_DELAY };

struct twin_value {
    uint64_t key; /* kind, length, size */
    double ns;
};

struct twin_values {
    struct twin_value *item;
    size_t count;
};

enum { TWIN_RUNS = 2, TWIN_KINDS = 5, TWIN_LEAST = 8 };

static void twin_add(struct twin_values *values, enum twin_kind kind, const struct sample *sample, double ns)
{
    uint64_t length = kind == TWIN_FIRST || kind == TWIN_DELAY ? 0 : sample->sent;

    values->item[values->count++] =
        (struct twin_value){((uint64_t)kind << 48) + (length << 32) + sample->packet_bytes, ns};
}

static void add_gaps(struct twin_values *values, const struct sample *sample)
{
    const struct sample_packet *packets = sample->packets;
    unsigned last = sample->received - 1U;

    if (sample->received < sample->sent || last < 1)
        return;
    twin_add(values, TWIN_FIRST, sample, (double)packets[1].offset_ns);
    if (last < 2)
        return;
    twin_add(values, TWIN_LAST, sample, (double)(packets[last].offset_ns - packets[last - 1].offset_ns));
    twin_add(values, TWIN_HALF, sample, (double)packets[last / 2].offset_ns);
    twin_add(values, TWIN_WHOLE, sample, (double)packets[last].offset_ns);
}

/* From the one before that begins with a packet of the same size. */
static void add_delay(struct twin_values *values, const struct sample *sample, const struct sample *before)
{
    if (sample->sent_ns != SAMPLE_UNKNOWN_NS && before->packet_bytes == sample->packet_bytes)
        twin_add(values, TWIN_DELAY, sample,
                 (double)(sample->time_ns - sample->sent_ns - (before->time_ns - before->sent_ns)));
}

static void add_run(struct twin_values *values, const struct sim_config *config, uint64_t seed)
{
    struct sim_run run;
    struct sim_samples samples;

    sim_run_init(&run, config, seed);
    sim_samples_init(&samples, &run);
    for (size_t i = 0; i < samples.count; i++) {
        add_gaps(values, &samples.item[i]);
        if (i > 0)
            add_delay(values, &samples.item[i], &samples.item[i - 1]);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

static int twin_by_key(const void *left, const void *right)
{
    const struct twin_value *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static struct twin_values twin_values_of(const struct sim_config *config, uint64_t seed)
{
    struct twin_values values = {0};

    values.item = sim_allocate((size_t)TWIN_RUNS * TWIN_KINDS * config->sender.trains, sizeof(*values.item));
    for (unsigned i = 0; i < TWIN_RUNS; i++)
        add_run(&values, config, seed + ((uint64_t)i << 32));
    qsort(values.item, values.count, sizeof(*values.item), twin_by_key);
    return values;
}

/* --- Whether they can be told apart --- */

#define TWIN_LEVEL 0.01

/* Copies those of the key, in order; returns how many. */
static size_t twin_take(const struct twin_values *values, uint64_t key, double *ns)
{
    size_t count = 0;

    for (size_t i = 0; i < values->count; i++)
        if (values->item[i].key == key)
            ns[count++] = values->item[i].ns;
    return count;
}

static bool begins_key(const struct twin_values *values, size_t i)
{
    return i == 0 || values->item[i].key != values->item[i - 1].key;
}

static double twin_chance_of(const struct twin_values *a, const struct twin_values *b, uint64_t key)
{
    double *a_ns = sim_allocate(a->count, sizeof(*a_ns)), *b_ns = sim_allocate(b->count + 1, sizeof(*b_ns));
    size_t a_count = twin_take(a, key, a_ns), b_count = twin_take(b, key, b_ns);
    double chance = 1;

    if (a_count >= TWIN_LEAST && b_count >= TWIN_LEAST)
        chance = twin_chance(twin_distance(a_ns, a_count, b_ns, b_count), a_count, b_count);
    free(a_ns);
    free(b_ns);
    return chance;
}

static bool told_apart(const struct twin_values *a, const struct twin_values *b)
{
    unsigned keys = 0;
    double least = 1;

    for (size_t i = 0; i < a->count; i++) {
        if (!begins_key(a, i))
            continue;
        keys++;
        least = fmin(least, twin_chance_of(a, b, a->item[i].key));
    }
    return least * keys < TWIN_LEVEL;
}

/* --- Twins --- */

#define TWIN_APART 0.05
enum { TWIN_STEPS = 6 };

static double twin_capacity_bps(const struct sim_config *config)
{
    return (double)sim_path_capacity_bps(&config->path, 0);
}

static double twin_hop_bps(const struct sim_path_config *path, unsigned hop)
{
    return (double)sim_hop_capacity_bps(&path->hop[hop], 0);
}

static bool crosses(const struct sim_traffic_config *traffic, unsigned hop)
{
    return traffic->enter <= hop && hop < traffic->leave;
}

static void slow_hop(struct sim_hop_config *hop, double share)
{
    uint64_t *rate_bps = hop->shaper == SIM_SHAPER_NONE ? &hop->rate_bps : &hop->shaper_rate_bps;

    *rate_bps = (uint64_t)((double)*rate_bps * share);
    hop->assured_bps = (uint64_t)((double)hop->assured_bps * share);
}

static double departing_bps(const struct sim_sender_config *sender)
{
    double bits = 8.0 * sender->pattern[0].bytes;

    return fmin((double)sender->rate_bps, bits * 1e9 / (double)(sender->gap_ns + sender->gap_jitter_ns));
}

/* The rate of trains before the hop, on average: each link before it may have stretched them. */
static double entering_bps(const struct sim_config *config, unsigned hop)
{
    double trains_bps = departing_bps(&config->sender);

    for (unsigned h = 0; h < hop; h++) {
        double hop_bps = twin_hop_bps(&config->path, h);
        trains_bps *= fmin(hop_bps / (trains_bps + sim_path_load(&config->path, h) * hop_bps), 1);
    }
    return trains_bps;
}

/* A share of one source; trains leave each link as they did, on average. */
static void take_away(const struct sim_config *config, unsigned source, double share, struct sim_config *twin)
{
    const struct sim_path_config *path = &config->path;
    double taken_bps = share * path->traffic[source].rate_bps;

    *twin = *config;
    twin->path.traffic[source].rate_bps -= taken_bps;
    for (unsigned h = 0; h < path->hops; h++) {
        double hop_bps = twin_hop_bps(path, h);
        double all_bps = entering_bps(config, h) + sim_path_load(path, h) * hop_bps;
        if (crosses(&path->traffic[source], h) && all_bps > hop_bps)
            slow_hop(&twin->path.hop[h], 1 - taken_bps / all_bps);
    }
}

static void take_buckets(const struct sim_config *config, struct sim_config *twin)
{
    *twin = *config;
    for (unsigned h = 0; h < config->path.hops; h++)
        if (config->path.hop[h].shaper == SIM_SHAPER_BUCKET)
            twin->path.hop[h].shaper = SIM_SHAPER_NONE;
}

static bool differs(const struct sim_config *config, const struct sim_config *twin)
{
    return fabs(twin_capacity_bps(twin) / twin_capacity_bps(config) - 1) > TWIN_APART;
}

static bool is_twin(const struct twin_values *own, uint64_t seed, const struct sim_config *other)
{
    struct twin_values values = twin_values_of(other, seed);
    bool same = !told_apart(own, &values);

    free(values.item);
    return same;
}

/* How many of its packets come between two of ours. */
static double between(const struct sim_config *config, const struct sim_traffic_config *traffic)
{
    double ours = config->sender.pattern[0].bytes / entering_bps(config, traffic->enter);

    return ours * traffic->rate_bps / sim_mix_mean_bytes(traffic->mix);
}

/* One, two, ... of these fewer, and all of them: then gaps, which hold whole packets, stay where
 * they were. */
static bool less_is_twin(const struct sim_config *config, const struct twin_values *own, uint64_t seed,
                         unsigned source)
{
    double all = between(config, &config->path.traffic[source]);
    unsigned steps = 0;
    struct sim_config twin;

    for (double fewer = 1; fewer < all && steps < TWIN_STEPS; fewer++) {
        take_away(config, source, fewer / all, &twin);
        if (!differs(config, &twin))
            continue;
        if (is_twin(own, seed, &twin))
            return true;
        steps++;
    }
    take_away(config, source, 1, &twin);
    return differs(config, &twin) && is_twin(own, seed, &twin);
}

bool twin_exists(const struct sim_config *config, uint64_t seed)
{
    struct twin_values own = twin_values_of(config, seed);
    struct sim_config twin;
    bool found;

    take_buckets(config, &twin);
    found = differs(config, &twin) && is_twin(&own, seed, &twin);
    for (unsigned i = 0; i < config->path.traffics && !found; i++)
        if (config->path.traffic[i].source != SIM_TCP)
            found = less_is_twin(config, &own, seed, i);
    free(own.item);
    return found;
}
