/* SPDX-License-Identifier: BSD-3-Clause */
/* Every figure of every filter is finite, whatever trains come: also such as no path makes. Sums and
 * differences of times are for the sanitizer of undefined behaviour (make ubsan). */
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "pprec/core.h"
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
    if (!round->absurd_times)
        return round->now_ns;
    return rng_percent(rng, 5) ? INT64_MAX : (int64_t)rng_next(rng);
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
        sample.sent_ns = sample_difference_ns(any_time(rng, round), any_size(rng, 30));
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

/* --- Absurd times --- */

/* As far from 0 as a time may be that is taken at all. */
#define TIME_MOST_NS ((INT64_C(1) << 62) - 1)

enum {
    WORLD_ROUNDS = 8,
    WORLD_TRAINS = 300,
    WORLD_STREAMS = 2, /* of one path */
    LOAD_BYTES = 1000,
    MARKER_BYTES = 54,
    MARKER_HOPS = 64,
    LINKS = 6,
    BUCKET_LENGTH_LOG2 = 4
};

/* A handle, and the streams that come to it: on one clock, as of senders that have another. */
struct world {
    struct pprec *pprec;
    enum pprec_kind kind;
    bool located;
    uint16_t head; /* packets that a bucket lets pass at once; 0: there is none */
    int64_t received_ns, sent_ns;
    uint32_t train[WORLD_STREAMS], seq[WORLD_STREAMS];
};

/* Time passes, or is at an end of what there is, or anywhere. */
static int64_t absurd_time(struct rng *rng, int64_t now_ns)
{
    switch (rng_below(rng, 40)) {
    case 0: return TIME_MOST_NS;
    case 1: return -TIME_MOST_NS;
    case 2: return (int64_t)rng_next(rng) / 2;
    case 3: return INT64_C(1700000000000000000);
    default: return now_ns < TIME_MOST_NS - (INT64_C(1) << 40) ? now_ns + any_size(rng, 31) : now_ns;
    }
}

static int64_t absurd_span(struct rng *rng)
{
    if (rng_percent(rng, 5))
        return rng_percent(rng, 50) ? PPREC_UNKNOWN_NS : INT64_MAX;
    return any_size(rng, rng_percent(rng, 70) ? 20 : 63);
}

static int64_t absurd_gap(struct rng *rng, const struct world *world, uint16_t position)
{
    if (world->head == 0)
        return any_size(rng, rng_percent(rng, 95) ? 20 : 40);
    return (position < world->head ? 1000 : 30000) + rng_below(rng, 100);
}

static bool is_marker(const struct pprec_arrival *arrival)
{
    return arrival->position == 0 || arrival->position + 1 == arrival->train_length;
}

static void absurd_push_packet(struct rng *rng, struct world *world, struct pprec_arrival *arrival)
{
    bool dies = arrival->load_hops != 0 && arrival->load_hops < LINKS && !is_marker(arrival);

    if (arrival->position > 0)
        arrival->received.ns += absurd_gap(rng, world, arrival->position);
    arrival->payload_bytes = arrival->load_hops != 0 && is_marker(arrival) ? MARKER_BYTES : LOAD_BYTES;
    if (!dies)
        pprec_push(world->pprec, arrival);
    arrival->seq++;
}

/* Of the streams by turns; one is a little behind the other. */
static void absurd_push_train(struct rng *rng, struct world *world)
{
    struct pprec_arrival arrival;
    uint32_t stream = rng_below(rng, WORLD_STREAMS);

    world->received_ns = absurd_time(rng, world->received_ns);
    world->sent_ns = absurd_time(rng, world->sent_ns);
    pprec_arrival_init(&arrival);
    arrival.source = (struct pprec_endpoint){.address = {192, 0, 2, 1}, .port = 9000, .ip = 4};
    arrival.kind = world->kind;
    arrival.stream = 1 + stream;
    arrival.train = world->train[stream]++;
    arrival.train_length = (uint16_t)(2U << (world->head > 0 ? BUCKET_LENGTH_LOG2 - 1 : rng_below(rng, 4)));
    arrival.seq = world->seq[stream];
    arrival.received = (struct pprec_stamp){world->received_ns - (stream > 0 ? any_size(rng, 33) : 0),
                                            PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    arrival.sent_ns = world->sent_ns;
    arrival.departure_train = arrival.train - 1;
    arrival.departure_span_ns = absurd_span(rng);
    if (world->located && arrival.train_length > 2) {
        arrival.load_hops = (uint8_t)(1 + rng_below(rng, LINKS));
        arrival.marker_hops = MARKER_HOPS;
        arrival.hops_left = MARKER_HOPS - LINKS + 1;
        arrival.load_payload_bytes = LOAD_BYTES;
    }
    for (arrival.position = 0; arrival.position < arrival.train_length; arrival.position++)
        absurd_push_packet(rng, world, &arrival);
    world->seq[stream] = arrival.seq;
}

static void assert_told(const struct pprec_capacity *told)
{
    ck_assert(isfinite(told->capacity_bps) && isfinite(told->low_bps) && isfinite(told->high_bps));
}

static void finite_on_train(void *user, const struct pprec_train *train)
{
    (void)user;
    ck_assert(isfinite(train->rate_bps) && train->rate_bps >= 0);
    assert_told(&train->capacity);
}

static void finite_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    (void)user;
    ck_assert(isfinite(congestion->trend));
    assert_told(&congestion->capacity);
}

/* A queue is told whole. */
static unsigned finite_ask(const struct world *world)
{
    struct pprec_available available;
    struct pprec_hops_summary hops;
    struct pprec_endpoint source;
    unsigned told = 0;
    uint32_t stream;

    for (size_t i = 0; pprec_stream_at(world->pprec, i, &source, &stream) == PPREC_OK; i++) {
        ck_assert_int_eq(pprec_get_available(world->pprec, &source, stream, &available), PPREC_OK);
        ck_assert(isfinite(available.available_bps) && isfinite(available.buffer_bytes));
        ck_assert(available.queue_ns == PPREC_UNKNOWN_NS || available.queue_ns >= 0);
        ck_assert((available.queue_ns == PPREC_UNKNOWN_NS) == (available.queue_p95_ns == PPREC_UNKNOWN_NS));
        ck_assert_int_ge(available.queue_p95_ns, available.queue_ns);
        ck_assert_int_eq(pprec_get_hops(world->pprec, &source, stream, NULL, 0, &hops), PPREC_OK);
        ck_assert(isfinite(hops.narrow_link_bps));
        told += available.queue_ns != PPREC_UNKNOWN_NS;
    }
    return told;
}

/* How many queues were told: something came of what was pushed. */
static unsigned absurd_round(struct rng *rng, const char *filter)
{
    struct world world = {
        .kind = rng_percent(rng, 50) ? PPREC_KIND_RTP : PPREC_KIND_PROBE,
        .located = rng_percent(rng, 30),
        .head = (uint16_t)(rng_percent(rng, 30) ? 1 + rng_below(rng, (1 << BUCKET_LENGTH_LOG2) - 2) : 0),
    };
    struct pprec_config config;
    unsigned told = 0;

    pprec_config_init(&config);
    config.filter = filter;
    config.whole_window = 1;
    config.on_train = finite_on_train;
    config.on_congestion = finite_on_congestion;
    ck_assert_int_eq(pprec_new(&world.pprec, &config), PPREC_OK);
    for (unsigned i = 0; i < WORLD_TRAINS; i++) {
        absurd_push_train(rng, &world);
        if (i % 16 == 0)
            told += finite_ask(&world);
    }
    told += finite_ask(&world);
    pprec_finish(world.pprec);
    pprec_free(world.pprec);
    return told;
}

START_TEST(finite_at_absurd_times)
{
    struct rng rng = rng_start("finite: at_absurd_times");
    unsigned told = 0;

    for (size_t i = 0; filter_table[i] != NULL; i++)
        for (unsigned round = 0; round < WORLD_ROUNDS; round++)
            told += absurd_round(&rng, filter_table[i]->name);
    ck_assert_uint_gt(told, 0);
}
END_TEST

Suite *finite_suite(void)
{
    Suite *suite = suite_create("finite");
    TCase *all = tcase_create("all");

    tcase_add_test(all, gaps_of_1_to_4_ns);
    tcase_add_test(all, finite_whatever_comes);
    tcase_add_test(all, finite_at_absurd_times);
    suite_add_tcase(suite, all);
    return suite;
}
