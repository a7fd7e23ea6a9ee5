/* SPDX-License-Identifier: BSD-3-Clause */
/* bprobe's rule (Carter and Crovella, Performance Evaluation 27, 1996): each pair
 * is an interval of rates; where intervals of most sizes, and then most intervals,
 * overlap, there is the capacity. Cross traffic harms small and large packets
 * differently, so what is common to the sizes is the path's. */
#include "filters/dispersion.h"
#include "filters/noise.h"
#include "filters/pace.h"
#include "filters/rows.h"
#include "filters/sort.h"

#include <math.h>

/* Sizes told apart; more fall together with the last. bprobe sends ten phases;
 * a probing sender has two. */
enum { SIZES_MAX = 8, LEAST_TRAINS = 3 };

/* Half width of an interval: what stamps make of it, and a rate within 1 % is as good as exact. */
#define RATE_ERROR 0.01

/* Of a gap shorter than what stamps can tell no more is known than that the path is
 * fast: ten times down and up. */
#define HALF_MOST 2.3

struct interval {
    double low, high; /* natural logarithms of bit/s */
    uint32_t bytes;   /* of a packet */
};

/* Then intervals [room], by age, and ends [2 * room] for the sweep. */
struct union_state {
    struct pace pace;
    struct estimate estimate;
    unsigned room, count, next;
};

static struct interval *intervals(const void *state)
{
    return (struct interval *)((char *)state + sizeof(struct union_state));
}

static size_t union_state_bytes(unsigned window)
{
    return sizeof(struct union_state) + window * (sizeof(struct interval) + 2 * sizeof(struct sort_key));
}

static void union_init(void *state, unsigned window)
{
    *(struct union_state *)state =
        (struct union_state){.estimate = {.state = STATE_INSUFFICIENT}, .room = window};
}

static void union_take(struct union_state *state, const struct interval *interval)
{
    intervals(state)[state->next] = *interval;
    state->next = (state->next + 1) % state->room;
    state->count += state->count < state->room;
}

static void union_grow(void *to, const void *from)
{
    const struct union_state *old = from;
    struct union_state *state = to;
    unsigned oldest = old->count < old->room ? 0 : old->next;

    state->pace = old->pace;
    state->estimate = old->estimate;
    for (unsigned i = 0; i < old->count; i++)
        union_take(state, &intervals(old)[(oldest + i) % old->room]);
}

/* How many intervals of each size cover the point of the sweep. */
struct cover {
    uint32_t bytes[SIZES_MAX];
    unsigned count[SIZES_MAX];
    unsigned sizes;
};

static unsigned union_class_of(struct cover *cover, uint32_t bytes)
{
    unsigned i = 0;

    while (i < cover->sizes && cover->bytes[i] != bytes)
        i++;
    if (i == SIZES_MAX)
        return i - 1;
    if (i == cover->sizes)
        cover->bytes[cover->sizes++] = bytes;
    return i;
}

/* Sizes present count before numbers present: bprobe's intersection first. */
static uint64_t weight(const struct cover *cover)
{
    uint64_t sizes = 0, all = 0;

    for (unsigned i = 0; i < cover->sizes; i++) {
        sizes += cover->count[i] > 0;
        all += cover->count[i];
    }
    return sizes << 32 | all;
}

/* Over the ends in order: the stretch covered best. An end's index is twice its
 * interval's, plus one for an upper end. */
static void sweep(const struct interval *all, const struct sort_key *ends, unsigned count,
                  struct estimate *estimate)
{
    struct cover cover = {.sizes = 0};
    uint64_t best = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct interval *interval = &all[ends[i].index / 2];
        unsigned *covering = &cover.count[union_class_of(&cover, interval->bytes)];

        if (ends[i].index % 2) {
            --*covering;
            continue;
        }
        ++*covering;
        if (weight(&cover) > best && i + 1 < count) {
            best = weight(&cover);
            estimate->low_bps = exp(ends[i].value);
            estimate->high_bps = exp(ends[i + 1].value);
        }
    }
    estimate->capacity_bps = sqrt(estimate->low_bps * estimate->high_bps);
}

static void union_work_out(struct union_state *state, int64_t newest_ns)
{
    const struct interval *all = intervals(state);
    struct sort_key *ends = (struct sort_key *)(all + state->room);

    for (unsigned i = 0; i < state->count; i++) {
        ends[2 * i] = (struct sort_key){all[i].low, 2 * i};
        ends[2 * i + 1] = (struct sort_key){all[i].high, 2 * i + 1};
    }
    sort_keys(ends, 2 * state->count);
    state->estimate = (struct estimate){.state = STATE_TENTATIVE};
    estimate_rest_on(&state->estimate, state->count, newest_ns);
    sweep(all, ends, 2 * state->count, &state->estimate);
}

static void union_push(void *state, struct sample *sample)
{
    struct union_state *all = state;
    struct noise noise = noise_prior();
    double log_rate, half;

    if (!dispersion_usable(sample))
        return;
    log_rate = log(sample->rate_bps);
    half = fmin(RATE_ERROR + noise_near_ns(&noise) / (double)sample->span_ns, HALF_MOST);
    union_take(all, &(struct interval){log_rate - half, log_rate + half, sample->packet_bytes});
    if (pace_due(&all->pace, all->count, sample->time_ns) && all->count >= LEAST_TRAINS)
        union_work_out(all, sample->time_ns);
}

static void union_estimate(const void *state, struct estimate *estimate)
{
    *estimate = ((const struct union_state *)state)->estimate;
}

const struct filter filter_union = {
    .name = "union",
    .usage = "where the rate intervals of most sizes and most trains overlap (bprobe)",
    .state_bytes = union_state_bytes,
    .init = union_init,
    .push = union_push,
    .estimate = union_estimate,
    .grow = union_grow,
};
