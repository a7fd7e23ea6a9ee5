/* SPDX-License-Identifier: BSD-3-Clause */
/* Every figure of every filter is finite, whatever trains come: also such as no path makes. */
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS_MOST = 32, TRAINS = 150, ROUNDS = 12 };

static const unsigned windows[] = {1, 5, 64};

static void assert_finite(const char *filter, const struct estimate *estimate)
{
    const double figures[] = {
        estimate->capacity_bps, estimate->low_bps,   estimate->high_bps,    estimate->peak_bps,
        estimate->burst_bytes,  estimate->share_bps, estimate->policed_bps, estimate->policed_burst_bytes,
    };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        ck_assert_msg(isfinite(figures[i]) && figures[i] >= 0, "%s: figure %zu is %g", filter, i, figures[i]);
}

/* A filter at work. */
struct run {
    const struct filter *filter;
    void *state;
    struct estimate estimate;
};

static void open_run(struct run *run, const struct filter *filter, unsigned window)
{
    run->filter = filter;
    run->state = malloc(filter->state_bytes(window));
    ck_assert_ptr_nonnull(run->state);
    filter->init(run->state, window);
}

static void finite_push(struct run *run, struct sample sample)
{
    dispersion_measure(&sample);
    run->filter->push(run->state, &sample);
    run->filter->estimate(run->state, &run->estimate);
    assert_finite(run->filter->name, &run->estimate);
}

/* --- Gaps shorter than stamps can tell --- */

static void finite_push_pair(struct run *run, uint32_t number, int64_t gap_ns)
{
    struct sample_packet packets[] = {{0, 1518, 0, false}, {gap_ns, 1518, 1, true}};

    finite_push(run,
                (struct sample){
                    .time_ns = INT64_C(1700000000000000000) + number * INT64_C(100000000),
                    .sent_ns = INT64_C(1700000000000000000) + number * INT64_C(100000000) - 5000000,
                    .departure_span_ns = SAMPLE_UNKNOWN_NS,
                    .train = number,
                    .sent = 2,
                    .received = 2,
                    .packet_bytes = 1518,
                    .packets = packets,
                });
}

START_TEST(gaps_of_1_to_4_ns)
{
    for (size_t i = 0; filter_table[i] != NULL; i++) {
        struct run run;

        open_run(&run, filter_table[i], 64);
        for (uint32_t n = 0; n < TRAINS; n++)
            finite_push_pair(&run, n, 1 + n % 4);
        free(run.state);
    }
}
END_TEST

/* --- Anything --- */

/* Of all sizes alike: up to 2^most. */
static int64_t any_size(struct rng *rng, unsigned most)
{
    return (int64_t)(rng_next(rng) >> (64 - 1 - rng_below(rng, most)));
}

/* What the trains of a round have in common. */
struct round {
    unsigned gap_bits, byte_bits;
    bool same_size, told, absurd_times;
    int64_t now_ns;
};

static struct round any_round(struct rng *rng)
{
    return (struct round){
        .gap_bits = 1 + rng_below(rng, rng_percent(rng, 30) ? 3 : 40),
        .byte_bits = 1 + rng_below(rng, 31),
        .same_size = rng_percent(rng, 50),
        .told = rng_percent(rng, 50),
        .absurd_times = rng_percent(rng, 30),
        .now_ns = INT64_C(1700000000000000000),
    };
}

static void any_packets(struct rng *rng, const struct round *round, struct sample *sample,
                        struct sample_packet *packets)
{
    int64_t offset_ns = 0;

    for (uint16_t i = 0, position = 0; i < sample->received; i++, position++) {
        bool lost = sample->received < sample->sent && rng_percent(rng, 10);

        position = (uint16_t)(position + lost);
        packets[i] = (struct sample_packet){
            .offset_ns = offset_ns,
            .bytes =
                round->same_size ? sample->packet_bytes : (uint32_t)(1 + any_size(rng, round->byte_bits)),
            .position = position,
            .follows = i > 0 && !lost,
        };
        offset_ns += any_size(rng, round->gap_bits) - rng_percent(rng, 5) * 10;
    }
}

static int64_t any_time(struct rng *rng, const struct round *round)
{
    return round->absurd_times ? (int64_t)rng_next(rng) / 4 : round->now_ns;
}

static void finite_push_any(struct rng *rng, struct round *round, struct run *run, uint32_t number)
{
    struct sample_packet packets[PACKETS_MOST];
    struct sample sample = {
        .train = number,
        .sent = (uint16_t)(2U << rng_below(rng, 5)),
        .packet_bytes = 1 + (uint32_t)any_size(rng, round->byte_bits),
        .departure_span_ns = SAMPLE_UNKNOWN_NS,
        .sent_ns = SAMPLE_UNKNOWN_NS,
        .packets = packets,
    };

    round->now_ns += any_size(rng, 31);
    sample.time_ns = any_time(rng, round);
    if (round->told)
        sample.sent_ns = any_time(rng, round) - any_size(rng, 30);
    if (round->told && rng_percent(rng, 80))
        sample.departure_span_ns = any_size(rng, 34);
    sample.received = sample.sent;
    if (rng_percent(rng, 20))
        sample.received = (uint16_t)(sample.sent - rng_below(rng, sample.sent));
    any_packets(rng, round, &sample, packets);
    finite_push(run, sample);
}

static void run_rounds(struct rng *rng, const struct filter *filter, unsigned window)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct round round = any_round(rng);
        struct run run;

        open_run(&run, filter, window);
        for (uint32_t n = 0; n < TRAINS; n++)
            finite_push_any(rng, &round, &run, n);
        free(run.state);
    }
}

START_TEST(finite_whatever_comes)
{
    struct rng rng = rng_start("finite: whatever_comes");

    for (size_t i = 0; filter_table[i] != NULL; i++)
        for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++)
            run_rounds(&rng, filter_table[i], windows[w]);
}
END_TEST

Suite *finite_suite(void)
{
    Suite *suite = suite_create("finite");
    TCase *all = tcase_create("all");

    tcase_add_test(all, gaps_of_1_to_4_ns);
    tcase_add_test(all, finite_whatever_comes);
    tcase_set_timeout(all, 60);
    suite_add_tcase(suite, all);
    return suite;
}
