/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe header against bytes written by hand. */
#include "common/wire.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <stdbool.h>
#include <string.h>

/* Bytes 0 to 15 are the same in all vectors but the extreme ones:
 *   50 50        "PP"
 *   14           version 1, log2 of 16 packets
 *   05           position
 *   de ad be ef  stream
 *   01 02 03 04  sequence number
 *   00 00 01 02  train 258 */
#define HEAD 0x50, 0x50, 0x14, 0x05, 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 0, 0, 1, 2

/* 1700000000123456789 ns: 1.7e18 is 0x17979cfe362a0000, 123456789 is 0x75bcd15 */
#define TIME 0x17, 0x97, 0x9c, 0xfe, 0x3d, 0x85, 0xcd, 0x15

/* train 257, 800 us: 800000 is 0xc3500 */
#define DEPARTURE 0, 0, 1, 1, 0x00, 0x0c, 0x35, 0x00

/* the load dies at hop 3, markers may cross 64, 1458 is 0x05b2 */
#define REACH 3, 64, 0x05, 0xb2

/* not written by wire_encode(): the buffer's own */
#define TAG 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee

#define COMMON .length_log2 = 4, .position = 5, .stream = 0xdeadbeef, .seq = 0x01020304, .train = 258
#define SENT .sent_ns = UINT64_C(1700000000123456789)
#define DEPARTED .departure_train = 257, .departure_span_ns = 800000
#define REACHED .reach_load_hops = 3, .reach_marker_hops = 64, .reach_load_bytes = 1458

static const struct {
    struct wire_probe probe;
    size_t bytes;
    uint8_t data[WIRE_MOST_BYTES];
} vectors[] = {
    {{COMMON}, 18, {HEAD, 0, 0}},
    {{COMMON, .flags = 1, SENT}, 26, {HEAD, 0, 1, TIME}},
    {{COMMON, .flags = 2, DEPARTED}, 26, {HEAD, 0, 2, DEPARTURE}},
    {{COMMON, .flags = 3, SENT, DEPARTED}, 34, {HEAD, 0, 3, TIME, DEPARTURE}},
    {{COMMON, .flags = 5, SENT}, 42, {HEAD, 0, 5, TIME, TAG}},
    {{COMMON, .flags = 7, SENT, DEPARTED}, 50, {HEAD, 0, 7, TIME, DEPARTURE, TAG}},
    {{COMMON, .flags = 8, REACHED}, 22, {HEAD, 0, 8, REACH}},
    {{COMMON, .flags = 9, SENT, REACHED}, 30, {HEAD, 0, 9, TIME, REACH}},
    {{COMMON, .flags = 13, SENT, REACHED}, 46, {HEAD, 0, 13, TIME, REACH, TAG}},
    {{COMMON, .flags = 15, SENT, DEPARTED, REACHED}, 54, {HEAD, 0, 15, TIME, DEPARTURE, REACH, TAG}},
    /* a pair's first packet, all numbers 0 */
    {{.length_log2 = 1}, 18, {0x50, 0x50, 0x11}},
    /* the last of 256, all numbers at their largest; the span is "over 4.29 s" */
    {{8, 255, 11, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX, WIRE_SPAN_OVER, UINT8_MAX,
      UINT8_MAX, UINT16_MAX},
     38,
     {0x50, 0x50, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0x00, 0x0b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0], ALL_EXTENSIONS = 9, ONLY_REACH = 6 };

static void wire_assert_same(const struct wire_probe *a, const struct wire_probe *b)
{
    ck_assert_uint_eq(a->length_log2, b->length_log2);
    ck_assert_uint_eq(a->position, b->position);
    ck_assert_uint_eq(a->flags, b->flags);
    ck_assert_uint_eq(a->stream, b->stream);
    ck_assert_uint_eq(a->seq, b->seq);
    ck_assert_uint_eq(a->train, b->train);
    ck_assert_uint_eq(a->sent_ns, b->sent_ns);
    ck_assert_uint_eq(a->departure_train, b->departure_train);
    ck_assert_uint_eq(a->departure_span_ns, b->departure_span_ns);
    ck_assert_uint_eq(a->reach_load_hops, b->reach_load_hops);
    ck_assert_uint_eq(a->reach_marker_hops, b->reach_marker_hops);
    ck_assert_uint_eq(a->reach_load_bytes, b->reach_load_bytes);
}

START_TEST(encodes_as_written_by_hand)
{
    uint8_t room[WIRE_MOST_BYTES];

    memset(room, 0xee, sizeof room);
    ck_assert_uint_eq(wire_header_bytes(vectors[_i].probe.flags), vectors[_i].bytes);
    ck_assert_uint_eq(wire_encode(&vectors[_i].probe, room, vectors[_i].bytes), vectors[_i].bytes);
    ck_assert_mem_eq(room, vectors[_i].data, vectors[_i].bytes);
    for (size_t i = vectors[_i].bytes; i < sizeof room; i++)
        ck_assert_uint_eq(room[i], 0xee);
}
END_TEST

START_TEST(decodes_as_written_by_hand)
{
    struct wire_probe probe;

    memset(&probe, 0xee, sizeof probe); /* absent fields must become 0 */
    ck_assert_int_eq(wire_decode(&probe, vectors[_i].data, vectors[_i].bytes), WIRE_OK);
    wire_assert_same(&probe, &vectors[_i].probe);
}
END_TEST

START_TEST(padding_is_not_looked_at)
{
    uint8_t data[WIRE_MOST_BYTES + 1];
    struct wire_probe probe;

    memset(data, 0xee, sizeof data);
    memcpy(data, vectors[_i].data, vectors[_i].bytes);
    ck_assert_int_eq(wire_decode(&probe, data, sizeof data), WIRE_OK);
    wire_assert_same(&probe, &vectors[_i].probe);
}
END_TEST

/* For the vector with every extension: 0 to 53 bytes. */
START_TEST(every_truncation_is_short)
{
    uint8_t room[WIRE_MOST_BYTES];
    struct wire_probe probe;

    for (size_t bytes = 0; bytes < vectors[_i].bytes; bytes++) {
        ck_assert_int_eq(wire_decode(&probe, vectors[_i].data, bytes), WIRE_ESHORT);
        ck_assert_uint_eq(wire_encode(&vectors[_i].probe, room, bytes), 0);
    }
}
END_TEST

/* The whole vector with one byte changed. */
static enum wire_error decode_with(size_t at, unsigned value)
{
    uint8_t data[WIRE_MOST_BYTES];
    struct wire_probe probe;

    memcpy(data, vectors[ALL_EXTENSIONS].data, sizeof data);
    data[at] = (uint8_t)value;
    return wire_decode(&probe, data, sizeof data);
}

START_TEST(wrong_magic)
{
    ck_assert_int_eq(decode_with(0, 0x51), WIRE_EMAGIC);
    ck_assert_int_eq(decode_with(1, 0x70), WIRE_EMAGIC);
    ck_assert_int_eq(decode_with(1, 0x50), WIRE_OK);
}
END_TEST

START_TEST(other_versions)
{
    for (unsigned version = 0; version < 16; version++)
        ck_assert_int_eq(decode_with(2, version << 4 | 4), version == 1 ? WIRE_OK : WIRE_EVERSION);
}
END_TEST

START_TEST(train_lengths)
{
    for (unsigned log2 = 0; log2 < 16; log2++) {
        bool good = log2 >= 3 && log2 <= 8; /* 1 and 2: position 5 is outside */

        if (log2 == 1 || log2 == 2)
            continue;
        ck_assert_int_eq(decode_with(2, 0x10 | log2), good ? WIRE_OK : WIRE_ELENGTH);
    }
}
END_TEST

/* 0 to 2^n - 1, for each n. */
START_TEST(positions)
{
    for (unsigned log2 = 1; log2 <= 8; log2++) {
        for (unsigned position = 0; position < 256; position++) {
            uint8_t data[WIRE_HEADER_BYTES] = {0x50, 0x50, (uint8_t)(0x10 | log2), (uint8_t)position};
            enum wire_error want = position < 1U << log2 ? WIRE_OK : WIRE_EPOSITION;
            struct wire_probe probe;

            ck_assert_int_eq(wire_decode(&probe, data, sizeof data), want);
        }
    }
}
END_TEST

START_TEST(unknown_flags)
{
    for (unsigned bit = 0; bit < 8; bit++)
        ck_assert_int_eq(decode_with(16, 1U << bit), WIRE_EFLAGS);
    for (unsigned bit = 4; bit < 8; bit++)
        ck_assert_int_eq(decode_with(17, 15 | 1U << bit), WIRE_EFLAGS);
}
END_TEST

START_TEST(auth_requires_time)
{
    ck_assert_int_eq(decode_with(17, WIRE_AUTH), WIRE_EFLAGS);
    ck_assert_int_eq(decode_with(17, WIRE_AUTH | WIRE_DEPARTURE), WIRE_EFLAGS);
    ck_assert_int_eq(decode_with(17, WIRE_AUTH | WIRE_REACH), WIRE_EFLAGS);
    ck_assert_int_eq(decode_with(17, WIRE_AUTH | WIRE_TIME), WIRE_OK);
}
END_TEST

static enum wire_error decode_reach(uint8_t log2, uint8_t load, uint8_t markers, uint8_t bytes)
{
    uint8_t data[] = {0x50, 0x50,    (uint8_t)(0x10 | log2),
                      0,    0,       0,
                      0,    0,       0,
                      0,    0,       0,
                      0,    0,       0,
                      0,    0,       WIRE_REACH,
                      load, markers, 0,
                      bytes};
    struct wire_probe probe;

    return wire_decode(&probe, data, sizeof data);
}

/* A pair has no inner packets; their 22 bytes of header are the least. */
START_TEST(reach_without_sense)
{
    ck_assert_int_eq(decode_reach(2, 1, 1, 22), WIRE_OK);
    ck_assert_int_eq(decode_reach(2, 255, 255, 255), WIRE_OK);
    ck_assert_int_eq(decode_reach(2, 0, 64, 22), WIRE_EREACH);
    ck_assert_int_eq(decode_reach(2, 1, 0, 22), WIRE_EREACH);
    ck_assert_int_eq(decode_reach(2, 1, 64, 21), WIRE_EREACH);
    ck_assert_int_eq(decode_reach(2, 1, 64, 0), WIRE_EREACH);
    ck_assert_int_eq(decode_reach(1, 1, 64, 22), WIRE_EREACH);
}
END_TEST

/* One of before REACH masks nothing out: it takes 0x0008 for a flag that it does not know, as
 * this one takes 0x0010. */
START_TEST(next_flag_is_foreign)
{
    uint8_t data[WIRE_MOST_BYTES];
    struct wire_probe probe;

    memcpy(data, vectors[ONLY_REACH].data, sizeof data);
    data[17] = 0x10;
    ck_assert_int_eq(wire_decode(&probe, data, sizeof data), WIRE_EFLAGS);
}
END_TEST

static struct wire_probe random_probe(struct rng *rng)
{
    static const uint16_t flags[] = {0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 13, 15};
    struct wire_probe probe = {
        .length_log2 = (uint8_t)(2 + rng_below(rng, 7)),
        .flags = flags[rng_below(rng, sizeof flags / sizeof flags[0])],
        .stream = (uint32_t)rng_next(rng),
        .seq = (uint32_t)rng_next(rng),
        .train = (uint32_t)rng_next(rng),
    };

    probe.position = (uint8_t)rng_below(rng, 1U << probe.length_log2);
    if (probe.flags & WIRE_TIME)
        probe.sent_ns = rng_next(rng);
    if (probe.flags & WIRE_DEPARTURE) {
        probe.departure_train = (uint32_t)rng_next(rng);
        probe.departure_span_ns = (uint32_t)rng_next(rng);
    }
    if (probe.flags & WIRE_REACH) {
        probe.reach_load_hops = (uint8_t)(1 + rng_below(rng, 255));
        probe.reach_marker_hops = (uint8_t)(1 + rng_below(rng, 255));
        probe.reach_load_bytes = (uint16_t)(WIRE_MOST_BYTES + rng_below(rng, 1500));
    }
    return probe;
}

START_TEST(what_was_encoded_is_decoded)
{
    struct rng rng = rng_start("what_was_encoded_is_decoded");

    for (int i = 0; i < 20000; i++) {
        struct wire_probe probe = random_probe(&rng);
        uint8_t room[WIRE_MOST_BYTES] = {0};
        struct wire_probe back;

        ck_assert_uint_gt(wire_encode(&probe, room, sizeof room), 0);
        ck_assert_int_eq(wire_decode(&back, room, sizeof room), WIRE_OK);
        wire_assert_same(&back, &probe);
    }
}
END_TEST

Suite *wire_suite(void)
{
    Suite *suite = suite_create("wire");
    TCase *golden = tcase_create("golden");
    TCase *errors = tcase_create("errors");
    TCase *property = tcase_create("property");

    tcase_add_loop_test(golden, encodes_as_written_by_hand, 0, VECTORS);
    tcase_add_loop_test(golden, decodes_as_written_by_hand, 0, VECTORS);
    tcase_add_loop_test(golden, padding_is_not_looked_at, 0, VECTORS);
    tcase_add_loop_test(errors, every_truncation_is_short, 0, VECTORS);
    tcase_add_test(errors, wrong_magic);
    tcase_add_test(errors, other_versions);
    tcase_add_test(errors, train_lengths);
    tcase_add_test(errors, positions);
    tcase_add_test(errors, unknown_flags);
    tcase_add_test(errors, auth_requires_time);
    tcase_add_test(errors, reach_without_sense);
    tcase_add_test(errors, next_flag_is_foreign);
    tcase_add_test(property, what_was_encoded_is_decoded);
    suite_add_tcase(suite, golden);
    suite_add_tcase(suite, errors);
    suite_add_tcase(suite, property);
    return suite;
}
