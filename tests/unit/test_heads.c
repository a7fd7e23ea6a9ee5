/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the head of a stream's frames ends. */
#include "pprec/lib/heads.h"
#include "tests/sim/rng.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

enum { PACKETS_MOST = 40, GAP_NS = 2000000, HEAD_GAP_NS = 200000, BYTES = 1250 };

static struct heads heads;
static unsigned frames;

static void heads_set_up(void)
{
    heads = (struct heads){0};
    frames = 0;
}

static void push_stamped(const int64_t *at_ns, unsigned packets)
{
    struct sample_packet of[PACKETS_MOST];
    struct sample sample = {.sent = (uint16_t)packets, .received = (uint16_t)packets, .packets = of};

    for (unsigned i = 0; i < packets; i++)
        of[i] = (struct sample_packet){
            .offset_ns = at_ns[i] - at_ns[0], .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    heads_push(&heads, &sample);
    frames++;
}

/* A frame behind a bucket that lets four packets pass at once, then at a rate that another one lets so many pass at. */
static void push_nested(unsigned packets, unsigned held)
{
    int64_t at_ns[PACKETS_MOST] = {0};

    for (unsigned i = 1; i < packets; i++)
        at_ns[i] = at_ns[i - 1] + (i < 4 ? HEAD_GAP_NS : i < held ? GAP_NS / 2 : GAP_NS);
    push_stamped(at_ns, packets);
}

/* A frame behind a bucket that lets so many packets pass at once; later gaps are off, more and less by turns. */
static void push_frame(unsigned packets, unsigned at_once, int64_t off_ns)
{
    int64_t at_ns[PACKETS_MOST] = {0};

    for (unsigned i = 1; i < packets; i++)
        at_ns[i] =
            at_ns[i - 1] + (i < at_once ? HEAD_GAP_NS : GAP_NS + ((i + frames) % 2 ? off_ns : -off_ns));
    push_stamped(at_ns, packets);
}

static struct sim_rng stamps_start(const char *test)
{
    struct rng start = rng_start(test);
    struct sim_rng rng;

    sim_rng_init(&rng, rng_next(&start), 0);
    return rng;
}

/* A video of so many frames, one in 60 much longer, whose stamps are late by late_ns in the mean, the first one of
 * a frame by twice that: the most packets that were ever held to pass at once. */
static unsigned push_late(struct sim_rng *rng, unsigned count, unsigned at_once, double late_ns)
{
    unsigned most = 0;

    for (unsigned frame = 0; frame < count; frame++) {
        unsigned packets = frame % 60 == 0 ? PACKETS_MOST : 7 + sim_rng_below(rng, 5);
        int64_t at_ns[PACKETS_MOST], left_ns = 0;

        for (unsigned i = 0; i < packets; i++) {
            if (i > 0)
                left_ns += i < at_once ? HEAD_GAP_NS : GAP_NS;
            at_ns[i] = left_ns + (int64_t)sim_rng_exponential(rng, i > 0 ? late_ns : 2 * late_ns);
            if (i > 0 && at_ns[i] < at_ns[i - 1])
                at_ns[i] = at_ns[i - 1];
        }
        push_stamped(at_ns, packets);
        most = heads.first.packets > most ? heads.first.packets : most;
    }
    return most;
}

START_TEST(a_bucket_is_seen)
{
    for (unsigned i = 0; i < 8; i++)
        push_frame(8, 4, 0);
    ck_assert_uint_eq(heads.first.packets, 3);
    ck_assert(heads.bucket);
}
END_TEST

/* Of whether frames pass as a whole, the last one says it; where they begin to wait, the first. */
START_TEST(a_larger_bucket_is_seen_behind_one)
{
    struct sample_packet packets[PACKETS_MOST], room[PACKETS_MOST];
    struct sample whole = {.sent = 16, .received = 16, .packets = packets}, tail;

    for (unsigned i = 0; i < PACKETS_MOST; i++)
        packets[i] =
            (struct sample_packet){.offset_ns = i * GAP_NS, .position = (uint16_t)i, .follows = i > 0};
    for (unsigned i = 0; i < 60; i++)
        push_nested(i % 30 == 29 ? PACKETS_MOST : 16, 24);
    ck_assert_uint_eq(heads.first.packets, 3);
    ck_assert_uint_ge(heads.last.packets, 20);
    ck_assert_uint_le(heads.last.packets, 24);
    ck_assert(!heads_cut(&heads, &whole, &tail, room));
    whole.sent = whole.received = PACKETS_MOST;
    ck_assert(heads_cut(&heads, &whole, &tail, room));
    ck_assert_uint_eq(tail.sent, PACKETS_MOST - 3);
    for (unsigned i = 0; i < 64; i++) /* the larger one is gone */
        push_nested(16, 4);
    for (unsigned i = 0; i < 3; i++)
        push_nested(PACKETS_MOST, 4);
    for (unsigned i = 0; i < 72; i++)
        push_nested(16, 4);
    ck_assert_uint_eq(heads.last.packets, 3);
}
END_TEST

/* A frame of which packets have another flow's between them, from the fourth on and until so many of ours are left. */
static void push_beside(unsigned packets, unsigned left)
{
    int64_t at_ns[PACKETS_MOST] = {0};

    for (unsigned i = 1; i < packets; i++)
        at_ns[i] = at_ns[i - 1] + (i < 4 || i >= packets - left ? GAP_NS / 2 : GAP_NS);
    push_stamped(at_ns, packets);
}

/* Where the other one always is over later than ours it looks like a bucket. One train in four that goes on alone is too many. */
START_TEST(another_flow_is_no_bucket)
{
    for (unsigned i = 0; i < 16; i++)
        push_beside(16, 0);
    ck_assert_uint_eq(heads.first.packets, 3);
    for (unsigned i = 0; i < 32; i++)
        push_beside(16, i % 4 == 0 ? 2 : 0); /* a packet or two may be late */
    ck_assert_uint_eq(heads.first.packets, 3);
    for (unsigned i = 0; i < 64; i++)
        push_beside(16, i % 5 == 0 ? 4 : 0);
    ck_assert_uint_eq(heads.first.packets, 3);
    for (unsigned i = 0; i < 64; i++)
        push_beside(16, i % 3 == 0 ? 4 : 0);
    ck_assert_uint_eq(heads.first.packets, 0);
    ck_assert(!heads.bucket);
}
END_TEST

START_TEST(a_link_has_no_head)
{
    for (unsigned i = 0; i < 8; i++)
        push_frame(8, 1, 10000);
    ck_assert_uint_eq(heads.first.packets, 0);
}
END_TEST

/* Timers are off by 1 %, but in two frames that are much longer by a fifth of that. */
START_TEST(a_few_long_frames_move_no_head)
{
    for (unsigned i = 0; i < 64; i++)
        push_frame(12, 2, 20000);
    ck_assert_uint_eq(heads.first.packets, 1);
    push_frame(36, 2, 4000);
    push_frame(36, 2, 4000);
    ck_assert_uint_eq(heads.first.packets, 1);
}
END_TEST

/* By up to a fifth of the time that a packet takes. Where first stamps are late one gap is short, by chance a few;
 * a whole frame never passed at once. */
START_TEST(late_stamps_make_no_head)
{
    struct sim_rng rng = stamps_start("late_stamps_make_no_head");

    for (double late_ns = GAP_NS / 100.0; late_ns < GAP_NS / 5.0; late_ns *= 2) {
        heads_set_up();
        ck_assert_uint_le(push_late(&rng, 600, 1, late_ns), 4);
    }
}
END_TEST

START_TEST(a_bucket_is_seen_by_late_stamps)
{
    struct sim_rng rng = stamps_start("a_bucket_is_seen_by_late_stamps");

    for (double late_ns = GAP_NS / 100.0; late_ns < GAP_NS / 5.0; late_ns *= 2) {
        heads_set_up();
        push_late(&rng, 600, 6, late_ns);
        ck_assert_uint_ge(heads.first.packets, 5);
        ck_assert_uint_le(heads.first.packets, 9);
        ck_assert(heads.bucket);
    }
}
END_TEST

Suite *heads_suite(void)
{
    Suite *suite = suite_create("heads");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, heads_set_up, NULL);
    tcase_add_test(all, a_bucket_is_seen);
    tcase_add_test(all, a_larger_bucket_is_seen_behind_one);
    tcase_add_test(all, another_flow_is_no_bucket);
    tcase_add_test(all, a_link_has_no_head);
    tcase_add_test(all, a_few_long_frames_move_no_head);
    tcase_add_test(all, late_stamps_make_no_head);
    tcase_add_test(all, a_bucket_is_seen_by_late_stamps);
    suite_add_tcase(suite, all);
    return suite;
}
