/* SPDX-License-Identifier: BSD-3-Clause */
/* What passed once does not pass again after a restart, if what was remembered is restored. */
#include "common/auth.h"
#include "pprec/lib/guard.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <string.h>

enum { ROOM_BYTES = 150000, PACKETS = 1000 };

static const struct auth_key key = {{1, 2, 3}};
static const struct pprec_endpoint here = {.address = {192, 0, 2, 9}, .port = 9000, .ip = 4};
static struct feed feed;
static uint8_t room[ROOM_BYTES];
static size_t bytes;

static void replays_start(const uint8_t *with_key)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.key = with_key;
    config.streams_max = 2 * GUARD_STREAMS;
    feed_start_with(&feed, config);
}

static void replays_set_up(void)
{
    replays_start(key.bytes);
}

static void replays_tear_down(void)
{
    feed_end(&feed);
}

/* As after a restart. */
static void replays_restart(void)
{
    feed_end(&feed);
    replays_start(key.bytes);
}

static int replays_push(uint32_t stream, uint32_t seq)
{
    struct wire_probe probe = {
        .length_log2 = 1,
        .position = seq % 2,
        .flags = WIRE_TIME | WIRE_AUTH,
        .stream = stream,
        .seq = seq,
        .train = seq / 2,
        .sent_ns = (uint64_t)FEED_EPOCH_NS + seq / 2,
    };
    struct pprec_stamp received = {FEED_EPOCH_NS, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    uint8_t data[WIRE_MOST_BYTES];
    struct auth_destination to;
    size_t data_bytes = wire_encode(&probe, data, sizeof data);

    auth_set_destination(&to, 4, here.address, here.port);
    auth_tag(&key, &to, data, probe.flags);
    return pprec_push_datagram(feed.pprec, &feed.pattern.source, &here, data, data_bytes, FEED_PAYLOAD_BYTES,
                               received);
}

static void save(void)
{
    bytes = pprec_replays_save(feed.pprec, room, sizeof room);
    ck_assert_uint_le(bytes, sizeof room);
}

static void test_replays_restore(void)
{
    ck_assert_msg(pprec_replays_restore(feed.pprec, room, bytes) == PPREC_OK, "%s", pprec_error(feed.pprec));
}

START_TEST(what_passed_before_a_restart_does_not_pass_after_it)
{
    for (uint32_t seq = 0; seq < PACKETS; seq++)
        if (seq % 7 != 0)
            ck_assert_int_eq(replays_push(1, seq), PPREC_OK);
    save();
    replays_restart();
    test_replays_restore();
    for (uint32_t seq = 0; seq < PACKETS; seq++)
        if (seq % 7 != 0)
            ck_assert_int_eq(replays_push(1, seq), PPREC_EREFUSED);
    for (uint32_t seq = 0; seq <= PACKETS; seq++) /* they had not come yet */
        if (seq % 7 == 0 || seq == PACKETS)
            ck_assert_int_eq(replays_push(1, seq), PPREC_OK);
    ck_assert_int_eq(replays_push(2, 0), PPREC_OK);
}
END_TEST

/* So it is without it. */
START_TEST(else_old_packets_pass_once_more)
{
    ck_assert_int_eq(replays_push(1, 0), PPREC_OK);
    replays_restart();
    ck_assert_int_eq(replays_push(1, 0), PPREC_OK);
}
END_TEST

/* As many streams as are remembered, and what was told of those that went. */
START_TEST(all_streams_come_back)
{
    for (uint32_t stream = 0; stream < GUARD_STREAMS + 5; stream++)
        ck_assert_int_eq(replays_push(stream, 2 * stream), PPREC_OK);
    save();
    ck_assert_uint_eq(bytes, 24 + 144 * GUARD_STREAMS + 32);
    replays_restart();
    test_replays_restore();
    for (uint32_t stream = 0; stream < GUARD_STREAMS + 5; stream++)
        ck_assert_int_eq(replays_push(stream, 2 * stream), PPREC_EREFUSED);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_STALE), 5);
    ck_assert_uint_eq(pprec_refused(feed.pprec, PPREC_REASON_REPLAYED), GUARD_STREAMS);
    for (uint32_t stream = 5; stream < GUARD_STREAMS + 5; stream++)
        ck_assert_int_eq(replays_push(stream, 2 * stream + 1), PPREC_OK);
}
END_TEST

START_TEST(nothing_remembered_is_restored_too)
{
    save();
    ck_assert_uint_eq(bytes, 24 + 32);
    replays_restart();
    test_replays_restore();
    ck_assert_int_eq(replays_push(1, 0), PPREC_OK);
}
END_TEST

static void assert_damaged(size_t given_bytes)
{
    ck_assert_int_eq(pprec_replays_restore(feed.pprec, room, given_bytes), PPREC_EDAMAGED);
    ck_assert_str_eq(pprec_error(feed.pprec), "damaged, or of another key");
}

START_TEST(damage_is_seen_wherever_it_is)
{
    replays_push(1, 0);
    replays_push(2, 0);
    save();
    replays_restart();
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        room[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_damaged(bytes);
        room[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t cut = 0; cut < bytes; cut++)
        assert_damaged(cut);
    assert_damaged(bytes + 1);
    ck_assert_int_eq(replays_push(1, 0), PPREC_OK); /* nothing was taken in */
}
END_TEST

START_TEST(another_keys_is_damaged)
{
    replays_push(1, 0);
    save();
    feed_end(&feed);
    replays_start((const uint8_t[PPREC_KEY_BYTES]){4});
    assert_damaged(bytes);
}
END_TEST

START_TEST(not_without_a_key_nor_too_late)
{
    save();
    replays_push(1, 0);
    ck_assert_int_eq(pprec_replays_restore(feed.pprec, room, bytes), PPREC_EINVAL);
    feed_end(&feed);
    replays_start(NULL);
    ck_assert_uint_eq(pprec_replays_save(feed.pprec, room, sizeof room), 0);
    ck_assert_int_eq(pprec_replays_restore(feed.pprec, room, bytes), PPREC_EINVAL);
}
END_TEST

START_TEST(too_little_room_is_left_alone)
{
    replays_push(1, 0);
    memset(room, 0xee, sizeof room);
    bytes = pprec_replays_save(feed.pprec, room, 100);
    ck_assert_uint_eq(bytes, 24 + 144 + 32);
    ck_assert_uint_eq(room[0], 0xee);
    ck_assert_uint_eq(pprec_replays_save(feed.pprec, NULL, 0), bytes);
}
END_TEST

Suite *replays_suite(void)
{
    Suite *suite = suite_create("replays");
    TCase *tests = tcase_create("replays");

    suite_add_tcase(suite, tests);
    if (auth_init(NULL) != 0) {
        fputs("SKIPPED: replays: " AUTH_MISSING "\n", stderr);
        return suite;
    }
    tcase_add_checked_fixture(tests, replays_set_up, replays_tear_down);
    tcase_add_test(tests, what_passed_before_a_restart_does_not_pass_after_it);
    tcase_add_test(tests, else_old_packets_pass_once_more);
    tcase_add_test(tests, all_streams_come_back);
    tcase_add_test(tests, nothing_remembered_is_restored_too);
    tcase_add_test(tests, damage_is_seen_wherever_it_is);
    tcase_add_test(tests, another_keys_is_damaged);
    tcase_add_test(tests, not_without_a_key_nor_too_late);
    tcase_add_test(tests, too_little_room_is_left_alone);
    return suite;
}
