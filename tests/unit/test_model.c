/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembler against a slow and obvious model: random sequences of trains are
 * damaged, and what was lost, doubled and reordered, and which gaps are intact,
 * is told from the list of arrivals as a whole.
 *
 * Damage is such that everything still comes in time: a packet is overtaken by
 * part of the next train at most, so that no count depends on when the assembler
 * gives up; and no packet is more than eight trains ahead, as one that comes
 * from further away is a stranger until another goes on from it. All packets of
 * a train that meet are STEP_NS apart: every intact gap is just that, and every
 * rate is the same, or a gap was counted that is none. */
#include "tests/unit/feed.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdbool.h>
#include <string.h>

enum {
    RUNS = 4000,
    TRAINS_MAX = 40,
    LENGTH_MAX = 32,
    PACKETS_MAX = TRAINS_MAX * LENGTH_MAX,
    EVENTS_MAX = 2 * PACKETS_MAX,
    AHEAD_MOST = 8, /* trains */
    COPY_REACH = 3, /* trains that a copy may lie behind: they are remembered */
    STEP_NS = 10000,
    PAUSE_NS = 1000000
};

#define STEP_RATE_BPS (1000 * 8e9 / STEP_NS)

/* A run: packets are numbered from 0; arrivals are a list of these numbers. */
struct run {
    unsigned length;
    unsigned trains;
    uint32_t first_train;
    uint32_t first_seq;
    unsigned count;
    unsigned packet[EVENTS_MAX];
    bool copy[EVENTS_MAX];
};

static unsigned model_train_of(const struct run *run, unsigned i)
{
    return run->packet[i] / run->length;
}

/* --- Damage --- */

static void model_lose(struct run *run, struct rng *rng)
{
    uint32_t packets_percent = rng_below(rng, 40);
    uint32_t trains_percent = rng_below(rng, 20);

    run->count = 0;
    for (unsigned train = 0; train < run->trains; train++) {
        if (rng_percent(rng, trains_percent))
            continue;
        for (unsigned i = 0; i < run->length; i++)
            if (!rng_percent(rng, packets_percent))
                run->packet[run->count++] = train * run->length + i;
    }
}

/* Whether packet i, put behind packet j, comes before the rest of the next train. */
static bool in_time(const struct run *run, unsigned i, unsigned j)
{
    unsigned mine = model_train_of(run, i);
    bool met_next = false, next_goes_on = false;

    for (unsigned k = i + 1; k <= j; k++) {
        if (model_train_of(run, k) > mine + 1)
            return false;
        met_next |= model_train_of(run, k) == mine + 1;
    }
    for (unsigned k = j + 1; k < run->count; k++)
        next_goes_on |= model_train_of(run, k) == mine + 1;
    return !met_next || next_goes_on;
}

static void reorder(struct run *run, struct rng *rng)
{
    uint32_t moves = rng_below(rng, run->count / 4 + 1);

    while (moves-- > 0) {
        unsigned i = rng_below(rng, run->count);
        unsigned j = i + 1 + rng_below(rng, run->length);
        unsigned packet = run->packet[i];

        if (j >= run->count || !in_time(run, i, j))
            continue;
        memmove(run->packet + i, run->packet + i + 1, (j - i) * sizeof run->packet[0]);
        run->packet[j] = packet;
    }
}

static void insert_copy(struct run *run, unsigned at, unsigned packet)
{
    memmove(run->packet + at + 1, run->packet + at, (run->count - at) * sizeof run->packet[0]);
    memmove(run->copy + at + 1, run->copy + at, (run->count - at) * sizeof run->copy[0]);
    run->packet[at] = packet;
    run->copy[at] = true;
    run->count++;
}

static void model_duplicate(struct run *run, struct rng *rng)
{
    uint32_t copies = rng_below(rng, run->count / 3 + 1);

    memset(run->copy, 0, sizeof run->copy);
    while (copies-- > 0) {
        unsigned i = rng_below(rng, run->count);
        unsigned most = 1 + rng_below(rng, 2 * run->length);
        unsigned at = i + 1;

        while (at < run->count && at - i < most
               && model_train_of(run, at) <= model_train_of(run, i) + COPY_REACH)
            at++;
        insert_copy(run, at, run->packet[i]);
    }
}

/* Of the newest train so far. */
static bool goes_far(const struct run *run)
{
    unsigned newest = model_train_of(run, 0);

    for (unsigned i = 1; i < run->count; i++) {
        if (model_train_of(run, i) > newest + AHEAD_MOST)
            return true;
        if (model_train_of(run, i) > newest)
            newest = model_train_of(run, i);
    }
    return false;
}

static void make_run(struct run *run, struct rng *rng)
{
    static const uint32_t starts[] = {0, 0x7ffffff0, 0x80000000, 0xfffffff8, UINT32_MAX};

    do {
        run->length = 2U << rng_below(rng, 5);
        run->trains = 1 + rng_below(rng, TRAINS_MAX);
        run->first_train = starts[rng_below(rng, 5)];
        run->first_seq = starts[rng_below(rng, 5)] + rng_below(rng, 100);
        model_lose(run, rng);
        reorder(run, rng);
    } while (run->count == 0 || goes_far(run));
    model_duplicate(run, rng);
}

/* --- The model --- */

struct model {
    struct pprec_counts counts;
    unsigned received[TRAINS_MAX];
    unsigned end[TRAINS_MAX]; /* one past the last that came */
    unsigned gaps[TRAINS_MAX];
};

static uint64_t model_count_reordered(const struct run *run)
{
    uint64_t reordered = 0;

    for (unsigned i = 0; i < run->count; i++) {
        bool later_came = false;

        for (unsigned k = 0; k < i; k++)
            later_came |= run->packet[k] > run->packet[i];
        reordered += later_came && !run->copy[i];
    }
    return reordered;
}

/* By a later packet of its own train. */
static bool was_overtaken(const struct run *run, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (run->packet[k] > run->packet[i] && model_train_of(run, k) == model_train_of(run, i))
            return true;
    return false;
}

static bool gap_before(const struct run *run, unsigned i)
{
    return i > 0 && !was_overtaken(run, i - 1) && !run->copy[i] && !run->copy[i - 1]
        && run->packet[i] == run->packet[i - 1] + 1 && model_train_of(run, i) == model_train_of(run, i - 1);
}

static struct model modelled(const struct run *run)
{
    struct model model = {.counts = {.reordered = model_count_reordered(run)}};
    unsigned first = TRAINS_MAX, last = 0;

    for (unsigned i = 0; i < run->count; i++) {
        unsigned train = model_train_of(run, i);

        model.counts.packets += !run->copy[i];
        model.counts.duplicate += run->copy[i];
        model.received[train] += !run->copy[i];
        model.gaps[train] += gap_before(run, i);
        if (run->packet[i] % run->length >= model.end[train])
            model.end[train] = run->packet[i] % run->length + 1;
        first = train < first ? train : first;
        last = train > last ? train : last;
    }
    for (unsigned train = first; train <= last; train++) {
        model.counts.trains += model.received[train] > 0;
        model.counts.usable += model.gaps[train] > 0;
        model.counts.lost += (train < last ? run->length : model.end[last]) - model.received[train];
    }
    return model;
}

/* --- The comparison --- */

static struct feed feed;

static void play(const struct run *run)
{
    int64_t ns = 0;

    feed.length = (uint16_t)run->length;
    for (unsigned i = 0; i < run->count; i++) {
        unsigned position = run->packet[i] % run->length;
        struct pprec_arrival arrival;

        ns += i > 0 && model_train_of(run, i) != model_train_of(run, i - 1) ? PAUSE_NS : STEP_NS;
        arrival = feed_arrival(&feed, run->first_train + model_train_of(run, i), position, ns);
        arrival.seq = run->first_seq + run->packet[i];
        ck_assert_int_eq(pprec_push(feed.pprec, &arrival), PPREC_OK);
    }
    pprec_finish(feed.pprec);
}

/* Trains are told once each, in order, and hold what the model found. */
static void assert_trains(const struct run *run, const struct model *model)
{
    size_t at = 0;

    for (unsigned train = 0; train < run->trains; train++) {
        const struct pprec_train *told = &feed.train[at];
        int64_t spread_ns = (int64_t)model->gaps[train] * STEP_NS;

        if (model->received[train] == 0)
            continue;
        ck_assert_uint_eq(told->train, run->first_train + train);
        ck_assert_uint_eq(told->received, model->received[train]);
        ck_assert_int_eq(told->dispersion_ns, spread_ns > 0 ? spread_ns : PPREC_UNKNOWN_NS);
        ck_assert_double_eq_tol(told->rate_bps, spread_ns > 0 ? STEP_RATE_BPS : 0, 1e-3);
        at++;
    }
    ck_assert_uint_eq(feed.trains, at);
}

START_TEST(counts_are_those_of_the_model)
{
    struct rng rng = rng_start("counts_are_those_of_the_model");
    static struct run run;

    for (int i = 0; i < RUNS; i++) {
        struct model model;

        make_run(&run, &rng);
        model = modelled(&run);
        feed_start(&feed);
        play(&run);
        feed_assert_counts(&feed, model.counts);
        assert_trains(&run, &model);
        feed_end(&feed);
    }
}
END_TEST

Suite *model_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *property = tcase_create("property");

    tcase_add_test(property, counts_are_those_of_the_model);
    tcase_set_timeout(property, 120);
    suite_add_tcase(suite, property);
    return suite;
}
