/* SPDX-License-Identifier: BSD-3-Clause */
/* With a key: each authentic probe is taken once and in time, nothing else ever, and
 * every refusal is counted by its reason. */
#include "common/auth.h"
#include "pprec/lib/guard.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SENT_NS FEED_EPOCH_NS
#define MAX_AGE_NS (300 * FEED_SECOND_NS)

enum { STREAM = 0x5eed, TAGGED = WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH };

static const struct auth_key key = {{1, 2, 3}};
static const struct auth_key other_key = {{1, 2, 4}};
static const struct pprec_endpoint here = {.address = {192, 0, 2, 9}, .port = 9000, .ip = 4};
static struct feed feed;

static struct pprec_config config_with(const uint8_t *bytes)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.key = bytes;
    config.streams_max = 4 * GUARD_STREAMS;
    return config;
}

static void guard_set_up(void)
{
    feed_start_with(&feed, config_with(key.bytes));
}

static void guard_tear_down(void)
{
    feed_end(&feed);
}

/* Pairs 500 ms apart of a sender whose clock is right. */
static struct wire_probe probe_of(uint32_t seq)
{
    return (struct wire_probe){
        .length_log2 = 1,
        .position = seq % 2,
        .flags = TAGGED,
        .stream = STREAM,
        .seq = seq,
        .train = seq / 2,
        .sent_ns = (uint64_t)(SENT_NS + seq / 2 * (int64_t)FEED_SPACING_NS),
        .departure_train = seq / 2 - 1,
        .departure_span_ns = 4000,
    };
}

static void tag_for(const struct pprec_endpoint *to, const struct auth_key *with, uint8_t *data,
                    uint16_t flags)
{
    struct auth_destination destination;

    auth_set_destination(&destination, to->ip, to->address, to->port);
    auth_tag(with, &destination, data, flags);
}

static size_t encode(const struct wire_probe *probe, const struct auth_key *with,
                     uint8_t data[WIRE_MOST_BYTES])
{
    size_t bytes = wire_encode(probe, data, WIRE_MOST_BYTES);

    if (probe->flags & WIRE_AUTH)
        tag_for(&here, with, data, probe->flags);
    return bytes;
}

static int push_data_to(const struct pprec_endpoint *destination, const uint8_t *data, size_t bytes,
                        int64_t ns)
{
    struct pprec_stamp received = {ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};

    return pprec_push_datagram(feed.pprec, &feed.pattern.source, destination, data, bytes, FEED_PAYLOAD_BYTES,
                               received);
}

static int push_data(const uint8_t *data, size_t bytes, int64_t ns)
{
    return push_data_to(&here, data, bytes, ns);
}

static int push_at(const struct wire_probe *probe, int64_t ns)
{
    uint8_t data[WIRE_MOST_BYTES];

    return push_data(data, encode(probe, &key, data), ns);
}

/* The second of a pair comes 800 us after the first. */
static int64_t arrival_ns(const struct wire_probe *probe)
{
    return (int64_t)probe->sent_ns + 1000000 + probe->position * (int64_t)FEED_GAP_NS;
}

static int guard_push(uint32_t seq)
{
    struct wire_probe probe = probe_of(seq);

    return push_at(&probe, arrival_ns(&probe));
}

static int push_from_elsewhere(uint32_t seq)
{
    int status;

    feed.pattern.source.port++;
    status = guard_push(seq);
    feed.pattern.source.port--;
    return status;
}

static void guard_assert_refused(enum pprec_reason reason, uint64_t count)
{
    for (unsigned i = 0; i <= PPREC_REASON_SOURCE; i++) /* the others are no guard's */
        ck_assert_msg(pprec_refused(feed.pprec, (enum pprec_reason)i) == (i == reason ? count : 0), "%s %llu",
                      pprec_reason_name((enum pprec_reason)i),
                      (unsigned long long)pprec_refused(feed.pprec, (enum pprec_reason)i));
}

/* --- The tag --- */

START_TEST(tagged_trains_are_measured)
{
    for (uint32_t seq = 0; seq < 8; seq++)
        ck_assert_int_eq(guard_push(seq), PPREC_OK);
    ck_assert_uint_eq(feed.trains, 3);
    feed_assert_train(&feed, 2, 2, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    guard_assert_refused(PPREC_REASONS, 0);
}
END_TEST

START_TEST(probes_without_a_tag_are_refused)
{
    struct wire_probe probe = probe_of(0);

    probe.flags = WIRE_TIME | WIRE_DEPARTURE;
    ck_assert_int_eq(push_at(&probe, SENT_NS), PPREC_EREFUSED);
    probe.flags = 0;
    ck_assert_int_eq(push_at(&probe, SENT_NS), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_UNTAGGED, 2);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 0);
}
END_TEST

START_TEST(another_keys_tags_are_refused)
{
    struct wire_probe probe = probe_of(0);
    uint8_t data[WIRE_MOST_BYTES];
    size_t bytes = encode(&probe, &other_key, data);

    ck_assert_int_eq(push_data(data, bytes, SENT_NS), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_BAD_TAG, 1);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* Whatever is changed: no stream begins, and the datagram is counted once. */
START_TEST(no_changed_bit_passes)
{
    struct wire_probe probe = probe_of(1);
    uint8_t data[WIRE_MOST_BYTES];
    size_t bytes = encode(&probe, &key, data);
    uint64_t counted = 0;

    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert_int_lt(push_data(data, bytes, SENT_NS), 0);
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t cut = 0; cut < bytes; cut++)
        ck_assert_int_eq(push_data(data, cut, SENT_NS), PPREC_EFOREIGN);
    for (unsigned i = 0; i < PPREC_REASONS; i++)
        counted += pprec_refused(feed.pprec, (enum pprec_reason)i);
    ck_assert_uint_eq(counted + pprec_foreign(feed.pprec), 9 * bytes);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_int_eq(push_data(data, bytes, SENT_NS), PPREC_OK); /* as it was */
}
END_TEST

START_TEST(without_a_key_tags_are_not_looked_at)
{
    struct wire_probe probe = probe_of(0);
    uint8_t data[WIRE_MOST_BYTES];
    size_t bytes = encode(&probe, &other_key, data);

    guard_tear_down();
    feed_start(&feed);
    ck_assert_int_eq(push_data(data, bytes, SENT_NS), PPREC_OK);
    ck_assert_int_eq(push_data(data, bytes, SENT_NS), PPREC_OK);
    feed_assert_counts(&feed, (struct pprec_counts){.packets = 1, .duplicate = 1});
}
END_TEST

START_TEST(the_key_is_copied)
{
    struct auth_key mine = key;

    guard_tear_down();
    feed_start_with(&feed, config_with(mine.bytes));
    auth_forget_key(&mine);
    ck_assert_int_eq(guard_push(0), PPREC_OK);
}
END_TEST

/* --- The destination --- */

/* A packet of the sender to `here`, which comes to a receiver. */
static int push_to(uint32_t seq, const struct pprec_endpoint *came_to)
{
    struct wire_probe probe = probe_of(seq);
    uint8_t data[WIRE_MOST_BYTES];

    return push_data_to(came_to, data, encode(&probe, &key, data), arrival_ns(&probe));
}

static struct pprec_endpoint here_but(uint8_t last_byte, uint16_t port)
{
    struct pprec_endpoint endpoint = here;

    endpoint.address[3] = last_byte;
    endpoint.port = port;
    return endpoint;
}

/* Another host, another port of the same: its own receiver, if the sender is one. */
START_TEST(copies_that_are_sent_elsewhere_are_not_believed)
{
    struct pprec_endpoint places[] = {here_but(8, 9000), here_but(9, 9001), here};

    places[2].ip = 6;
    for (uint32_t seq = 0; seq < 8; seq++)
        for (unsigned i = 0; i < 3; i++)
            ck_assert_int_eq(push_to(seq, &places[i]), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_BAD_TAG, 24);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
    ck_assert_int_eq(push_to(0, &here), PPREC_OK);
}
END_TEST

START_TEST(a_destination_that_nobody_tells_is_an_error)
{
    struct pprec_endpoint portless = here_but(9, 0);

    ck_assert_int_eq(push_to(0, NULL), PPREC_EINVAL);
    ck_assert_int_eq(push_to(0, &portless), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "destination"));
    guard_tear_down();
    feed_start(&feed);
    ck_assert_int_eq(push_to(0, NULL), PPREC_OK); /* no key, no question */
}
END_TEST

static void start_behind(struct pprec_endpoint outside)
{
    struct pprec_config config = config_with(key.bytes);

    guard_tear_down();
    config.sent_to = outside;
    feed_start_with(&feed, config);
}

/* The address is translated, and the port where it says so. */
START_TEST(where_senders_send_to_can_be_stated)
{
    struct pprec_endpoint inside = here_but(77, 9000), other_port = here_but(77, 1234);

    start_behind(here_but(9, 0));
    ck_assert_int_eq(push_to(0, &inside), PPREC_OK);
    ck_assert_int_eq(push_to(1, &other_port), PPREC_EREFUSED);
    ck_assert_int_eq(push_to(2, NULL), PPREC_EINVAL);
    start_behind(here);
    ck_assert_int_eq(push_to(0, &inside), PPREC_OK);
    ck_assert_int_eq(push_to(1, &other_port), PPREC_OK);
    ck_assert_int_eq(push_to(2, NULL), PPREC_OK);
    guard_assert_refused(PPREC_REASONS, 0);
    start_behind(here_but(10, 9000));
    ck_assert_int_eq(push_to(0, &inside), PPREC_EREFUSED);
    ck_assert_int_eq(push_to(0, &here), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_BAD_TAG, 2);
}
END_TEST

START_TEST(a_group_is_its_own_destination)
{
    static const struct pprec_endpoint groups[] = {
        {.address = {239, 1, 2, 3}, .port = 9000, .ip = 4},
        {.address = {0xff, 0x3e, [15] = 1}, .port = 9000, .ip = 6},
    };

    start_behind(here);
    for (uint32_t i = 0; i < 2; i++) {
        struct wire_probe probe = probe_of(i);
        uint8_t data[WIRE_MOST_BYTES];
        size_t bytes = encode(&probe, &key, data);

        ck_assert_int_eq(push_data_to(&groups[i], data, bytes, arrival_ns(&probe)), PPREC_EREFUSED);
        tag_for(&groups[i], &key, data, probe.flags);
        ck_assert_int_eq(push_data_to(&groups[i], data, bytes, arrival_ns(&probe)), PPREC_OK);
    }
}
END_TEST

/* --- Copies --- */

/* As without a key; and what comes between the packets of a pair does not part them. */
START_TEST(a_copy_that_comes_the_same_way_is_a_duplicate)
{
    for (uint32_t seq = 0; seq < 8; seq++)
        for (int copies = 0; copies < 3; copies++)
            ck_assert_int_eq(guard_push(seq), PPREC_OK);
    ck_assert_uint_eq(feed_counts(&feed).duplicate, 16);
    ck_assert_uint_eq(feed_counts(&feed).packets, 8);
    feed_assert_train(&feed, 2, 2, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
    guard_assert_refused(PPREC_REASONS, 0);
}
END_TEST

START_TEST(a_copy_from_elsewhere_is_a_replay)
{
    for (uint32_t seq = 0; seq < 8; seq++) {
        ck_assert_int_eq(guard_push(seq), PPREC_OK);
        ck_assert_int_eq(push_from_elsewhere(seq), PPREC_EREFUSED);
    }
    guard_assert_refused(PPREC_REASON_REPLAYED, 8);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 1);
    feed_assert_train(&feed, 2, 2, PPREC_VERDICT_OK, 2, FEED_GAP_NS);
}
END_TEST

/* A NAT gave it another port: its packets are new ones. */
START_TEST(a_sender_may_move)
{
    ck_assert_int_eq(guard_push(0), PPREC_OK);
    ck_assert_int_eq(push_from_elsewhere(1), PPREC_OK);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 2);
}
END_TEST

/* --- The window of numbers --- */

START_TEST(late_packets_pass_once)
{
    ck_assert_int_eq(guard_push(GUARD_WINDOW), PPREC_OK);
    for (uint32_t seq = 1; seq < GUARD_WINDOW; seq += 2)
        ck_assert_int_eq(guard_push(seq), PPREC_OK);
    for (uint32_t seq = 1; seq < GUARD_WINDOW; seq += 2)
        ck_assert_int_eq(push_from_elsewhere(seq), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_REPLAYED, GUARD_WINDOW / 2);
}
END_TEST

START_TEST(what_is_behind_the_window_is_stale)
{
    ck_assert_int_eq(guard_push(GUARD_WINDOW), PPREC_OK);
    ck_assert_int_eq(guard_push(1), PPREC_OK);
    ck_assert_int_eq(guard_push(0), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_STALE, 1);
}
END_TEST

/* Whatever its train says: the window must let it pass. */
static void guard_push_number(uint32_t seq)
{
    struct wire_probe probe = probe_of(0);

    probe.seq = seq;
    ck_assert_int_ne(push_at(&probe, SENT_NS), PPREC_EREFUSED);
}

/* A place in the window is free again for each number that has not come: jumps shorter
 * than the window, as long, and longer. */
START_TEST(numbers_that_were_skipped_pass)
{
    static const uint32_t jumps[] = {
        1, 2, 31, 32, 33, 500, GUARD_WINDOW - 1, GUARD_WINDOW, GUARD_WINDOW + 1, 10 * GUARD_WINDOW};
    uint32_t newest = UINT32_MAX - 40000; /* and on past the wrap */

    guard_push_number(newest);
    for (size_t i = 0; i < 60; i++) {
        uint32_t jump = jumps[i % 10];
        uint32_t back = jump < GUARD_WINDOW ? jump : GUARD_WINDOW;

        guard_push_number(newest += jump);
        for (uint32_t seq = newest - back + 1; seq != newest; seq++)
            guard_push_number(seq);
    }
    ck_assert_uint_lt(newest, 100000);
    guard_assert_refused(PPREC_REASONS, 0);
    ck_assert_uint_eq(feed_counts(&feed).duplicate, 0);
}
END_TEST

/* Numbers come again after 2^32, and look ahead again after 2^31; TIME tells. */
START_TEST(numbers_that_wrapped_do_not_revive_old_packets)
{
    struct wire_probe now = probe_of(0);
    const int64_t later_ns = 9000 * FEED_SECOND_NS; /* at 240 000 packets/s */

    ck_assert_int_eq(push_at(&now, SENT_NS), PPREC_OK);
    now.sent_ns += (uint64_t)later_ns;
    now.seq += UINT32_C(0x7fffffff);
    push_at(&now, SENT_NS + later_ns);
    now.sent_ns += (uint64_t)later_ns;
    now.seq += UINT32_C(0x7ffffff0);
    push_at(&now, SENT_NS + 2 * later_ns);
    guard_assert_refused(PPREC_REASONS, 0);
    ck_assert_int_eq(guard_push(0), PPREC_EREFUSED); /* ahead of the newest again */
    ck_assert_int_eq(guard_push(1), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_STALE, 2);
}
END_TEST

/* --- The window of time --- */

static const struct {
    int64_t off_ns; /* TIME less the receiver's clock */
    int status;
} beginnings[] = {
    {0, PPREC_OK},
    {MAX_AGE_NS, PPREC_OK},
    {-MAX_AGE_NS, PPREC_OK},
    {MAX_AGE_NS + 1, PPREC_EREFUSED},
    {-MAX_AGE_NS - 1, PPREC_EREFUSED},
    {-SENT_NS, PPREC_EREFUSED},
    {INT64_MAX - SENT_NS, PPREC_EREFUSED},
};

START_TEST(a_stream_begins_near_our_clock)
{
    struct wire_probe probe = probe_of(0);

    probe.sent_ns = (uint64_t)(SENT_NS + beginnings[_i].off_ns);
    ck_assert_int_eq(push_at(&probe, SENT_NS), beginnings[_i].status);
    guard_assert_refused(PPREC_REASON_STALE, beginnings[_i].status == PPREC_OK ? 0 : 1);
}
END_TEST

/* The latest that a caller may tell. */
#define FAR_NS ((INT64_C(1) << 62) - 1)

START_TEST(times_and_clocks_of_nonsense)
{
    struct wire_probe probe = probe_of(0);

    probe.sent_ns = UINT64_MAX;
    ck_assert_int_eq(push_at(&probe, SENT_NS), PPREC_EREFUSED);
    ck_assert_int_eq(push_at(&probe, FAR_NS), PPREC_EREFUSED);
    ck_assert_int_eq(push_at(&probe, INT64_MAX), PPREC_EINVAL);
    probe.sent_ns = INT64_MAX;
    ck_assert_int_eq(push_at(&probe, -FAR_NS), PPREC_EREFUSED);
    probe.sent_ns = 0;
    ck_assert_int_eq(push_at(&probe, -FAR_NS), PPREC_EREFUSED);
    ck_assert_int_eq(push_at(&probe, INT64_MIN), PPREC_EINVAL);
    ck_assert_int_eq(guard_push(0), PPREC_OK);
    probe.seq = 1;
    probe.sent_ns = UINT64_C(1) << 63; /* of a stream that is known, too */
    ck_assert_int_eq(push_at(&probe, SENT_NS), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_STALE, 5);
}
END_TEST

START_TEST(max_age_is_what_was_asked_for)
{
    struct pprec_config config = config_with(key.bytes);
    struct wire_probe probe = probe_of(0);

    guard_tear_down();
    config.max_age_s = 2;
    feed_start_with(&feed, config);
    ck_assert_int_eq(push_at(&probe, SENT_NS + 2 * FEED_SECOND_NS + 1), PPREC_EREFUSED);
    ck_assert_int_eq(push_at(&probe, SENT_NS + 2 * FEED_SECOND_NS), PPREC_OK);
}
END_TEST

/* An hour forward, then two back. */
START_TEST(a_stream_outlives_steps_of_our_clock)
{
    static const int64_t steps_ns[] = {0, 3600 * FEED_SECOND_NS, -3600 * FEED_SECOND_NS};

    for (uint32_t seq = 0; seq < 12; seq++) {
        struct wire_probe probe = probe_of(seq);

        ck_assert_int_eq(push_at(&probe, arrival_ns(&probe) + steps_ns[seq / 4]), PPREC_OK);
    }
    ck_assert_uint_eq(feed_counts(&feed).packets, 12);
}
END_TEST

START_TEST(a_stream_outlives_steps_of_its_own_clock)
{
    struct wire_probe probe = probe_of(100);
    int64_t sent_ns = (int64_t)probe.sent_ns;

    ck_assert_int_eq(push_at(&probe, sent_ns), PPREC_OK);
    probe = probe_of(101);
    probe.sent_ns = (uint64_t)(sent_ns - MAX_AGE_NS);
    ck_assert_int_eq(push_at(&probe, sent_ns), PPREC_OK);
    probe = probe_of(102);
    probe.sent_ns = (uint64_t)(sent_ns - MAX_AGE_NS - 1);
    ck_assert_int_eq(push_at(&probe, sent_ns), PPREC_EREFUSED);
    probe.sent_ns = (uint64_t)(sent_ns + 3600 * FEED_SECOND_NS);
    ck_assert_int_eq(push_at(&probe, sent_ns), PPREC_OK);
    guard_assert_refused(PPREC_REASON_STALE, 1);
}
END_TEST

/* A receiver that was started anew knows nothing of the stream. */
START_TEST(a_recorded_stream_does_not_come_back)
{
    for (uint32_t seq = 0; seq < 100; seq++) {
        struct wire_probe probe = probe_of(seq);

        ck_assert_int_eq(push_at(&probe, arrival_ns(&probe) + 3600 * FEED_SECOND_NS), PPREC_EREFUSED);
    }
    guard_assert_refused(PPREC_REASON_STALE, 100);
    ck_assert_uint_eq(pprec_streams(feed.pprec), 0);
}
END_TEST

/* An adapter's clock may have begun at 0: then the host's tells. */
START_TEST(stamps_of_an_adapter_tell_no_age)
{
    struct pprec_stamp received = {5, PPREC_CLOCK_ADAPTER, PPREC_TIMESTAMPS_HARDWARE};
    struct wire_probe probe = probe_of(0);
    uint8_t data[WIRE_MOST_BYTES];
    size_t bytes;

    ck_assert_int_eq(pprec_push_datagram(feed.pprec, &feed.pattern.source, &here, data,
                                         encode(&probe, &key, data), 1000, received),
                     PPREC_EREFUSED);
    probe.sent_ns = (uint64_t)time(NULL) * FEED_SECOND_NS;
    bytes = encode(&probe, &key, data);
    ck_assert_int_eq(
        pprec_push_datagram(feed.pprec, &feed.pattern.source, &here, data, bytes, 1000, received), PPREC_OK);
}
END_TEST

/* --- More streams than are remembered --- */

static int push_stream(uint32_t id, int64_t off_ns)
{
    struct wire_probe probe = probe_of(0);

    probe.stream = id;
    probe.sent_ns = (uint64_t)(SENT_NS + off_ns);
    return push_at(&probe, SENT_NS);
}

/* The first go; none of their packets passes again, nor any other of their time. */
START_TEST(streams_that_were_forgotten_do_not_come_back)
{
    for (uint32_t id = 0; id < GUARD_STREAMS + 10; id++)
        ck_assert_int_eq(push_stream(id * 7919, id), PPREC_OK);
    for (uint32_t id = 0; id < GUARD_STREAMS + 10; id++) /* the last are known still */
        push_stream(id * 7919, id);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_STALE), 10);
    ck_assert_int_eq(push_stream(1, 9), PPREC_EREFUSED);
    ck_assert_int_eq(push_stream(1, 10), PPREC_OK);
}
END_TEST

START_TEST(a_stream_that_goes_on_stays)
{
    for (uint32_t id = 1; id < 3 * GUARD_STREAMS; id++) {
        struct wire_probe probe = probe_of(id);

        probe.sent_ns = (uint64_t)(SENT_NS + id);
        ck_assert_int_eq(push_at(&probe, SENT_NS), PPREC_OK);
        ck_assert_int_eq(push_stream(id << 16 | 1, id), PPREC_OK);
    }
    ck_assert_int_eq(push_from_elsewhere(3 * GUARD_STREAMS - 1), PPREC_EREFUSED);
    guard_assert_refused(PPREC_REASON_REPLAYED, 1);
}
END_TEST

/* --- Configurations --- */

static const char *const faults[] = {"max_age_s 0",        "max_age_s 3601",   "classic",
                                     "key: all its bytes", "sent_to: want ip", "a group is its own"};

START_TEST(what_cannot_be_is_refused)
{
    static const struct auth_key zeros;
    struct pprec_config config = config_with(key.bytes);
    struct pprec *pprec;

    if (_i < 2)
        config.max_age_s = _i == 0 ? 0 : 3601;
    if (_i == 2) {
        config.classic = 1;
        config.train_length = 2;
    }
    if (_i == 3)
        config.key = zeros.bytes;
    if (_i == 4)
        config.sent_to.ip = 5;
    if (_i == 5)
        config.sent_to = (struct pprec_endpoint){.address = {224}, .ip = 4};
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), faults[_i]));
    pprec_free(pprec);
}
END_TEST

START_TEST(a_build_without_libsodium_says_so)
{
    struct pprec_config config = config_with(key.bytes);
    struct pprec *pprec;

    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
    ck_assert_str_eq(pprec_error(pprec), AUTH_MISSING);
    pprec_free(pprec);
}
END_TEST

static void guard_add_tests(TCase *tests)
{
    tcase_add_test(tests, tagged_trains_are_measured);
    tcase_add_test(tests, probes_without_a_tag_are_refused);
    tcase_add_test(tests, another_keys_tags_are_refused);
    tcase_add_test(tests, no_changed_bit_passes);
    tcase_add_test(tests, without_a_key_tags_are_not_looked_at);
    tcase_add_test(tests, the_key_is_copied);
    tcase_add_test(tests, copies_that_are_sent_elsewhere_are_not_believed);
    tcase_add_test(tests, a_destination_that_nobody_tells_is_an_error);
    tcase_add_test(tests, where_senders_send_to_can_be_stated);
    tcase_add_test(tests, a_group_is_its_own_destination);
    tcase_add_test(tests, a_copy_that_comes_the_same_way_is_a_duplicate);
    tcase_add_test(tests, a_copy_from_elsewhere_is_a_replay);
    tcase_add_test(tests, a_sender_may_move);
    tcase_add_test(tests, late_packets_pass_once);
    tcase_add_test(tests, what_is_behind_the_window_is_stale);
    tcase_add_test(tests, numbers_that_were_skipped_pass);
    tcase_add_test(tests, numbers_that_wrapped_do_not_revive_old_packets);
    tcase_add_loop_test(tests, a_stream_begins_near_our_clock, 0, sizeof beginnings / sizeof beginnings[0]);
    tcase_add_test(tests, times_and_clocks_of_nonsense);
    tcase_add_test(tests, max_age_is_what_was_asked_for);
    tcase_add_test(tests, a_stream_outlives_steps_of_our_clock);
    tcase_add_test(tests, a_stream_outlives_steps_of_its_own_clock);
    tcase_add_test(tests, a_recorded_stream_does_not_come_back);
    tcase_add_test(tests, stamps_of_an_adapter_tell_no_age);
    tcase_add_test(tests, streams_that_were_forgotten_do_not_come_back);
    tcase_add_test(tests, a_stream_that_goes_on_stays);
}

Suite *guard_suite(void)
{
    Suite *suite = suite_create("guard");
    TCase *tests = tcase_create("key");
    TCase *configurations = tcase_create("configurations");

    if (auth_init(NULL) == 0) {
        tcase_add_checked_fixture(tests, guard_set_up, guard_tear_down);
        guard_add_tests(tests);
        suite_add_tcase(suite, tests);
        tcase_add_loop_test(configurations, what_cannot_be_is_refused, 0, 6);
    } else {
        fputs("SKIPPED: guard: " AUTH_MISSING "\n", stderr);
        tcase_add_test(configurations, a_build_without_libsodium_says_so);
    }
    suite_add_tcase(suite, configurations);
    return suite;
}
