/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/ask.h"
#include "tests/unit/feed.h"

#include <check.h>

static const struct pprec_arrival default_pattern = {
    .source = {.address = {192, 0, 2, 1}, .port = 5000, .ip = 4},
    .stream = 0x5eed,
    .payload_bytes = FEED_PAYLOAD_BYTES,
    .received = {0, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL},
    .sent_ns = PPREC_UNKNOWN_NS,
    .departure_span_ns = PPREC_UNKNOWN_NS,
    .departed_ns = PPREC_UNKNOWN_NS,
};

static void feed_on_train(void *user, const struct pprec_train *train)
{
    struct feed *feed = user;

    if (feed->trains < FEED_KEPT)
        feed->train[feed->trains] = *train;
    feed->trains++;
    for (uint32_t i = 0; i < FEED_PACKETS; i++)
        if (pprec_train_packet(train, i, &feed->packet[i]) < 0)
            break;
}

static void feed_on_summary(void *user, const struct pprec_summary *summary)
{
    struct feed *feed = user;

    if (feed->summaries < FEED_KEPT)
        feed->summary[feed->summaries] = *summary;
    feed->summaries++;
}

void feed_start_with(struct feed *feed, struct pprec_config config)
{
    int status;

    *feed = (struct feed){.length = 4, .pattern = default_pattern};
    config.user = feed;
    config.on_train = feed_on_train;
    config.on_summary = feed_on_summary;
    status = pprec_new(&feed->pprec, &config);
    ck_assert_msg(status == PPREC_OK, "pprec_new: %s", pprec_error(feed->pprec));
}

void feed_start(struct feed *feed)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.filter = "median"; /* can be worked out by hand, and refines no verdict */
    feed_start_with(feed, config);
}

void feed_end(struct feed *feed)
{
    pprec_free(feed->pprec);
    feed->pprec = NULL;
}

struct pprec_arrival feed_arrival(const struct feed *feed, uint32_t train, unsigned position, int64_t ns)
{
    struct pprec_arrival arrival = feed->pattern;

    arrival.train = train;
    arrival.seq = train * feed->length + position;
    arrival.position = (uint16_t)position;
    arrival.train_length = feed->length;
    arrival.received.ns = FEED_EPOCH_NS + ns;
    return arrival;
}

void feed_packet(struct feed *feed, uint32_t train, unsigned position, int64_t ns)
{
    struct pprec_arrival arrival = feed_arrival(feed, train, position, ns);
    int status = pprec_push(feed->pprec, &arrival);

    ck_assert_msg(status == PPREC_OK, "train %u, position %u: %d, %s", train, position, status,
                  pprec_error(feed->pprec));
}

void feed_part(struct feed *feed, uint32_t train, unsigned from, unsigned end, int64_t ns)
{
    for (unsigned position = from; position < end; position++)
        feed_packet(feed, train, position, ns + (int64_t)position * FEED_GAP_NS);
}

void feed_train(struct feed *feed, uint32_t train, int64_t ns)
{
    feed_part(feed, train, 0, feed->length, ns);
}

void feed_tick(struct feed *feed, int64_t ns)
{
    pprec_tick(feed->pprec, FEED_EPOCH_NS + ns);
}

struct pprec_counts feed_counts(const struct feed *feed)
{
    struct pprec_summary summary;

    ck_assert_uint_eq(pprec_streams(feed->pprec), 1);
    ck_assert_int_eq(ask_summary(feed->pprec, 0, &summary), PPREC_OK);
    return summary.counts;
}

void feed_assert_counts(const struct feed *feed, struct pprec_counts want)
{
    struct pprec_counts got = feed_counts(feed);

    ck_assert_uint_eq(got.trains, want.trains);
    ck_assert_uint_eq(got.usable, want.usable);
    ck_assert_uint_eq(got.packets, want.packets);
    ck_assert_uint_eq(got.lost, want.lost);
    ck_assert_uint_eq(got.duplicate, want.duplicate);
    ck_assert_uint_eq(got.reordered, want.reordered);
    ck_assert_uint_eq(got.late, want.late);
}

void feed_assert_train(const struct feed *feed, size_t i, uint32_t number, enum pprec_verdict verdict,
                       uint32_t received, int64_t dispersion_ns)
{
    const struct pprec_train *train = &feed->train[i];

    ck_assert_uint_gt(feed->trains, i);
    ck_assert_uint_eq(train->train, number);
    ck_assert_str_eq(pprec_verdict_name(train->verdict), pprec_verdict_name(verdict));
    ck_assert_uint_eq(train->received, received);
    ck_assert_int_eq(train->dispersion_ns, dispersion_ns);
}
