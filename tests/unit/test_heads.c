/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the head of a stream's frames ends. */
#include "pprec/lib/heads.h"
#include "tests/unit/suites.h"

enum { PACKETS_MOST = 40, GAP_NS = 2000000, HEAD_GAP_NS = 200000, BYTES = 1250 };

static struct heads heads;
static unsigned frames;

static void heads_set_up(void)
{
    heads = (struct heads){0};
    frames = 0;
}

/* A frame behind a bucket that lets so many packets pass at once; later gaps are off, more and less by turns. */
static void push_frame(unsigned packets, unsigned at_once, int64_t off_ns)
{
    struct sample_packet of[PACKETS_MOST];
    struct sample sample = {.sent = (uint16_t)packets, .received = (uint16_t)packets, .packets = of};
    int64_t at_ns = 0;

    for (unsigned i = 0; i < packets; i++) {
        if (i > 0)
            at_ns += i < at_once ? HEAD_GAP_NS : GAP_NS + ((i + frames) % 2 ? off_ns : -off_ns);
        of[i] = (struct sample_packet){
            .offset_ns = at_ns, .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    }
    heads_push(&heads, &sample);
    frames++;
}

START_TEST(a_bucket_is_seen)
{
    for (unsigned i = 0; i < 8; i++)
        push_frame(8, 4, 0);
    ck_assert_uint_eq(heads.packets, 3);
    ck_assert(heads.bucket);
}
END_TEST

START_TEST(a_link_has_no_head)
{
    for (unsigned i = 0; i < 8; i++)
        push_frame(8, 1, 10000);
    ck_assert_uint_eq(heads.packets, 0);
}
END_TEST

/* Timers are off by 1 %, but in two frames that are much longer by a fifth of that. */
START_TEST(a_few_long_frames_move_no_head)
{
    for (unsigned i = 0; i < 64; i++)
        push_frame(12, 2, 20000);
    ck_assert_uint_eq(heads.packets, 1);
    push_frame(36, 2, 4000);
    push_frame(36, 2, 4000);
    ck_assert_uint_eq(heads.packets, 1);
}
END_TEST

Suite *heads_suite(void)
{
    Suite *suite = suite_create("heads");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, heads_set_up, NULL);
    tcase_add_test(all, a_bucket_is_seen);
    tcase_add_test(all, a_link_has_no_head);
    tcase_add_test(all, a_few_long_frames_move_no_head);
    suite_add_tcase(suite, all);
    return suite;
}
