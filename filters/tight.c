/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/tight.h"

#include "filters/noise.h"
#include "filters/sort.h"
#include "filters/tight_chain.h"

#include <math.h>

/* Of Gaussian values, over the median of what they are off. */
#define DEVIATION 1.4826

struct tight_seen {
    int64_t time_ns;
    float in_ns;   /* from marker to marker, as they left */
    float held_ns; /* by so much longer it was when they came */
    float bits;    /* that left behind the first marker */
    uint8_t load_hops;
};

struct tight {
    uint32_t count, next;
    int64_t divisor_ns; /* of all stamps */
    struct tight_seen ring[TIGHT_WINDOW];
    /* While an estimate is made. */
    struct tight_train train[TIGHT_WINDOW];
    double differences[TIGHT_WINDOW];
    struct tight_chain chain;
};

size_t tight_bytes(void)
{
    return sizeof(struct tight);
}

void tight_init(struct tight *tight)
{
    tight->count = tight->next = 0;
    tight->divisor_ns = 0;
}

bool tight_takes(const struct sample *sample)
{
    return sample->packet_bytes >= sample->load_bytes;
}

void tight_push(struct tight *tight, const struct sample *sample)
{
    if (sample->verdict == VERDICT_LATE || sample->gaps == 0 || !sample_departure_known(sample)
        || sample->departure_span_ns <= 0)
        return;
    tight->ring[tight->next] = (struct tight_seen){
        .time_ns = sample->time_ns,
        .in_ns = (float)sample->departure_span_ns,
        .held_ns = (float)(sample->span_ns - sample->departure_span_ns),
        .bits = (float)((sample->sent - 1.0) * 8 * sample->load_bytes),
        .load_hops = sample->load_hops,
    };
    tight->divisor_ns = noise_divisor(tight->divisor_ns, sample->time_ns);
    tight->divisor_ns = noise_divisor(tight->divisor_ns, sample->span_ns);
    tight->next = (tight->next + 1) % TIGHT_WINDOW;
    tight->count += tight->count < TIGHT_WINDOW;
}

/* Trains of about one rate come in a row, to one hop after the other: most of two neighbours differ by
 * chance alone (Rice 1984, of differences). */
#define ONE_RATE 1.2

static double bps_of(const struct tight_seen *seen)
{
    return (double)seen->bits * 1e9 / (double)seen->in_ns;
}

static bool have_one_rate(const struct tight_seen *a, const struct tight_seen *b)
{
    return bps_of(a) < ONE_RATE * bps_of(b) && bps_of(b) < ONE_RATE * bps_of(a);
}

/* The oldest is 0. */
static const struct tight_seen *tight_train_at(const struct tight *tight, uint32_t i)
{
    uint32_t oldest = tight->count < TIGHT_WINDOW ? 0 : tight->next;

    return &tight->ring[(oldest + i) % TIGHT_WINDOW];
}

/* What two stamps make of a gap, and two ticks: of a tick squared a sixth. */
static double stamps_ns(const struct tight *tight)
{
    double tick_ns = (double)tight->divisor_ns;

    return hypot(noise_prior().stamp_ns * sqrt(2), tick_ns / sqrt(6));
}

static double find_scatter_ns(struct tight *tight, uint32_t from)
{
    double least_ns = stamps_ns(tight);
    unsigned pairs = 0;

    for (uint32_t i = from + 1; i < tight->count; i++) {
        const struct tight_seen *a = tight_train_at(tight, i - 1), *b = tight_train_at(tight, i);

        if (have_one_rate(a, b))
            tight->differences[pairs++] = fabs((double)a->held_ns - (double)b->held_ns);
    }
    if (pairs == 0)
        return least_ns;
    return fmax(DEVIATION / sqrt(2) * sort_nth(tight->differences, pairs, pairs / 2), least_ns);
}

/* The first that counts. */
static uint32_t find_recent(const struct tight *tight)
{
    int64_t newest_ns = tight_train_at(tight, tight->count - 1)->time_ns;
    uint32_t from = 0;

    while (fabs((double)sample_difference_ns(newest_ns, tight_train_at(tight, from)->time_ns))
           > SAMPLE_HORIZON_S * 1e9)
        from++;
    return from;
}

static unsigned hop_of(const struct tight_seen *seen, unsigned links)
{
    return seen->load_hops < links ? seen->load_hops : links;
}

/* Those that left no faster, in the order of their hops; returns how many. */
static unsigned group(struct tight *tight, uint32_t from, unsigned links, double most_bps)
{
    unsigned count = 0;

    for (unsigned hop = 1; hop <= links; hop++)
        for (uint32_t i = from; i < tight->count; i++) {
            const struct tight_seen *seen = tight_train_at(tight, i);

            if (hop_of(seen, links) == hop && bps_of(seen) <= most_bps)
                tight->train[count++] = (struct tight_train){
                    .in_ns = (double)seen->in_ns,
                    .held_ns = (double)seen->held_ns,
                    .bits = (double)seen->bits,
                    .bps = bps_of(seen),
                    .hop = hop,
                };
        }
    return count;
}

/* Which link is tight, all trains say. Those that are faster than this also fill links that have more free, and seem to
 * be held up by one that has more free and less capacity: of what is free, slower ones say more. */
#define FAST 2.5

static void fill_and_tell(struct tight *tight, double scatter_ns, const struct estimate *capacity,
                          const struct available_estimate *available, const struct hops_estimate *hops,
                          struct tight_estimate *result)
{
    tight_chain_fill(&tight->chain, tight->train, result->trains, scatter_ns, hops, capacity);
    tight_chain_whole(&tight->chain, available);
    tight_chain_tell(&tight->chain, result);
}

void tight_estimate(struct tight *tight, const struct estimate *capacity,
                    const struct available_estimate *available, const struct hops_estimate *hops,
                    struct tight_estimate *result)
{
    struct tight_estimate near = {.why = TIGHT_WHY_NONE};
    double scatter_ns;
    uint32_t from;

    *result = (struct tight_estimate){.why = TIGHT_WHY_LENGTH};
    if (tight->count == 0 || hops->count == 0 || hops->why == HOPS_WHY_PATHS_VARY)
        return;
    from = find_recent(tight);
    scatter_ns = find_scatter_ns(tight, from);
    result->told = hops->count;
    result->trains = group(tight, from, hops->count, INFINITY);
    fill_and_tell(tight, scatter_ns, capacity, available, hops, result);
    if (result->why == TIGHT_WHY_SLOW && capacity->burst_bytes > 0)
        result->why = TIGHT_WHY_BUCKET;
    near.trains = group(tight, from, hops->count, FAST * result->tight_bps);
    if (!(result->tight_bps > 0) || near.trains == 0)
        return;
    fill_and_tell(tight, scatter_ns, capacity, available, hops, &near);
    for (unsigned hop = 0; hop < result->told; hop++)
        result->hop[hop] = near.hop[hop];
    result->tight_bps = near.tight_bps;
}
