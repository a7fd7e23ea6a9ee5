/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/filter_feed.h"

#include "filters/dispersion.h"

#include <stdlib.h>

void open_feed(struct feed *feed, const char *name)
{
    *feed = (struct feed){.filter = filter_find(name), .bytes = BYTES, .tick_ns = 1};
    ck_assert_ptr_nonnull(feed->filter);
    feed->state = malloc(feed->filter->state_bytes(WINDOW));
    ck_assert_ptr_nonnull(feed->state);
    feed->filter->init(feed->state, WINDOW);
}

void close_feed(struct feed *feed)
{
    free(feed->state);
}

void give(struct feed *feed, const int64_t *offsets_ns, unsigned count, int64_t delay_ns)
{
    int64_t sent_ns = INT64_C(1700000000000000000) + feed->trains * 200 * MS - feed->sooner_ns;
    int64_t first_ns = sent_ns + 5 * MS + delay_ns + feed->trains % 2; /* stamps of 1 ns */
    int64_t stamp_ns = first_ns - first_ns % feed->tick_ns;

    for (unsigned i = 0; i < count; i++) {
        int64_t at_ns = first_ns + offsets_ns[i];

        feed->packets[i] = (struct sample_packet){.offset_ns = at_ns - at_ns % feed->tick_ns - stamp_ns,
                                                  .bytes = feed->bytes,
                                                  .position = (uint16_t)i,
                                                  .follows = i > 0};
    }
    feed->sample = (struct sample){
        .time_ns = stamp_ns,
        .sent_ns = feed->classic ? SAMPLE_UNKNOWN_NS : sent_ns,
        .departure_span_ns = feed->departure_ns ? feed->departure_ns : SAMPLE_UNKNOWN_NS,
        .train = feed->trains++,
        .sent = (uint16_t)count,
        .received = (uint16_t)count,
        .packet_bytes = feed->bytes,
        .packets = feed->packets,
    };
    dispersion_measure(&feed->sample);
    feed->filter->push(feed->state, &feed->sample);
    feed->filter->estimate(feed->state, &feed->estimate);
}

void give_pair(struct feed *feed, int64_t gap_ns, int64_t delay_ns)
{
    give(feed, (int64_t[]){0, gap_ns}, 2, delay_ns);
}

void give_pairs(struct feed *feed, unsigned count, int64_t gap_ns)
{
    for (unsigned i = 0; i < count; i++)
        give_pair(feed, gap_ns, 0);
}

void give_even(struct feed *feed, unsigned count, int64_t gap_ns, int64_t delay_ns)
{
    int64_t offsets_ns[TRAIN_MOST];

    for (unsigned i = 0; i < count; i++)
        offsets_ns[i] = i * gap_ns;
    give(feed, offsets_ns, count, delay_ns);
}

void give_witnesses(struct feed *feed)
{
    struct feed was = *feed;
    struct sample_packet packets[WITNESS_PACKETS];

    for (uint16_t i = 0; i < WITNESS_PACKETS; i++)
        packets[i] = (struct sample_packet){
            .offset_ns = i * 100 * US, .bytes = BYTES / 2, .position = i + 1U, .follows = i > 0};
    for (int i = 0; i < 3; i++) {
        int64_t sent_ns = INT64_C(1700000000000000000) + feed->trains * 200 * MS;

        feed->sample = (struct sample){
            .time_ns = sent_ns + 6 * MS - (sent_ns + 6 * MS) % feed->tick_ns,
            .sent_ns = feed->classic ? SAMPLE_UNKNOWN_NS : sent_ns,
            .departure_span_ns = SAMPLE_UNKNOWN_NS,
            .train = feed->trains++,
            .sent = WITNESS_PACKETS + 1,
            .received = WITNESS_PACKETS,
            .packet_bytes = BYTES / 2,
            .packets = packets,
        };
        dispersion_measure(&feed->sample);
        feed->filter->push(feed->state, &feed->sample);
    }
    feed->sample = was.sample;
}

void assert_capacity(const struct feed *feed, enum estimate_state state, double bps)
{
    ck_assert_int_eq(feed->estimate.state, state);
    ck_assert_double_eq_tol(feed->estimate.capacity_bps, bps, NEAR * bps);
    ck_assert_double_le(feed->estimate.low_bps, feed->estimate.capacity_bps);
}

void assert_no_fact(const struct feed *feed)
{
    ck_assert_int_ne(feed->estimate.state, STATE_CONVERGED);
    ck_assert_int_ne(feed->estimate.state, STATE_INSUFFICIENT);
    ck_assert_int_ne(feed->estimate.state, STATE_SHAPED);
}
