/* SPDX-License-Identifier: BSD-3-Clause */
/* The captures of tests/vectors, read from the top of the tree (or PP_VECTORS). */
#include "pprec/lib/handle.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path_of(const char *name, char room[256])
{
    const char *at = getenv("PP_VECTORS");

    snprintf(room, 256, "%s/%s", at != NULL ? at : "tests/vectors", name);
    return room;
}

/* Opens the capture in a handle of the feed's. */
static int open_in(struct feed *feed, struct pprec_config config, const char *name, const char *filter)
{
    static char path[256];
    static const char *files[2];
    struct pprec_capture_options options;

    feed_start_with(feed, config);
    files[0] = path_of(name, path);
    pprec_capture_options_init(&options);
    options.files = files;
    options.filter = filter;
    return pprec_open_capture(feed->pprec, &options);
}

static int test_capture_read_all(struct feed *feed)
{
    int got;

    while ((got = pprec_dispatch(feed->pprec, 0)) > 0)
        ;
    pprec_finish(feed->pprec);
    return got;
}

static struct pprec_config plain(void)
{
    struct pprec_config config;

    pprec_config_init(&config);
    return config;
}

/* Five trains of four frames of 1000 bytes: 3 * 8000 bits in 2.4 ms. */
static void assert_five_trains(const struct feed *feed)
{
    ck_assert_uint_eq(feed->trains, 5);
    for (uint32_t i = 0; i < 5; i++) {
        feed_assert_train(feed, i, i, PPREC_VERDICT_OK, 4, 2400000);
        ck_assert_uint_eq(feed->train[i].size_bytes, 1000);
        ck_assert_double_eq(feed->train[i].rate_bps, 10e6);
        ck_assert_int_eq(feed->train[i].time_ns, FEED_EPOCH_NS + 5000000 + i * INT64_C(100000000));
    }
    ck_assert_uint_eq(feed->summaries, 1);
    ck_assert_uint_eq(feed->summary[0].counts.packets, 20);
    ck_assert_uint_eq(feed->summary[0].counts.lost, 0);
    ck_assert_double_eq(feed->summary[0].capacity.capacity_bps, 10e6);
    ck_assert_str_eq(pprec_timestamps_name(feed->summary[0].timestamps), "pcap");
    ck_assert_uint_eq(feed->summary[0].destination.port, 9000);
}

static const char *const same[] = {
    "same-ethernet.pcap",
    "same-micro.pcap",
    "same-big-endian.pcap",
    "same-big-endian-micro.pcap",
    "same.pcapng",
    "same-micro.pcapng",
    "same-big-endian.pcapng",
    "same-big-endian-micro.pcapng",
    "same-vlan.pcap",
    "same-qinq.pcap",
    "same-pppoe.pcap",
    "same-vlan-pppoe.pcap",
    "same-pppoe-ipv6.pcap",
    "same-mpls.pcap",
    "same-vlan-mpls.pcap",
    "same-mpls-ipv6.pcap",
    "session-and-label-among.pcap",
    "same-sll.pcap",
    "same-sll2.pcap",
    "same-raw.pcap",
    "same-null.pcap",
    "same-loop.pcap",
    "same-ppp.pcap",
    "same-ppp-bare.pcap",
    "same-ppp-compressed.pcap",
    "same-radiotap.pcap",
    "same-radiotap-padded.pcap",
    "same-ip-options.pcap",
    "same-ipv6.pcap",
    "same-ipv6-extensions.pcap",
    "same-snapped-to-headers.pcap",
    "fragments-among.pcap",
    "record-of-zero-bytes.pcap",
    "nanoseconds-past-a-second.pcap",
    "same-two-links.pcapng",
    "same-packed.pcap.gz",
    "same-packed.pcap.zst",
    "same-packed.pcap.xz",
    "same-packed.pcapng.gz",
    "same-in-two-members.pcap.gz",
    "same-in-two-members.pcap.zst",
    "same-in-two-members.pcap.xz",
};

/* In a build without the library that would unpack it, that is what is said. */
static bool not_in_this_build(struct feed *feed)
{
    if (strstr(pprec_error(feed->pprec), "which this build does not read") == NULL)
        return false;
    feed_end(feed);
    return true;
}

START_TEST(the_same_arrivals_in_any_form)
{
    struct feed feed;

    int status = open_in(&feed, plain(), same[_i], NULL);

    if (not_in_this_build(&feed))
        return;
    ck_assert_int_eq(status, PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    assert_five_trains(&feed);
    feed_end(&feed);
}
END_TEST

START_TEST(classic_in_a_capture)
{
    struct pprec_config config = plain();
    struct feed feed;

    config.classic = 1;
    config.train_length = 4;
    ck_assert_int_eq(open_in(&feed, config, "classic.pcap", NULL), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    assert_five_trains(&feed);
    feed_end(&feed);
}
END_TEST

/* Real programs over a relay of 10 Mbit/s; Ethernet header and IP are counted, as
 * the relay does. */
static const struct {
    const char *name;
    enum pprec_kind kind;
    size_t usable_least;
} of_others[] = {
    {"lab-srt-3-over-10.pcap", PPREC_KIND_SRT, 20},
    {"lab-rtp-over-10.pcap", PPREC_KIND_RTP, 10},
    {"lab-tcp-over-10.pcap", PPREC_KIND_FLOW, 5},
    {"lab-iperf3-over-10.pcap", PPREC_KIND_IPERF, 20},
    {"lab-iperf3-64bit-over-10.pcap", PPREC_KIND_IPERF, 20},
    {"lab-iperf2-over-10.pcap", PPREC_KIND_IPERF, 10},
};

START_TEST(traffic_of_others)
{
    struct pprec_config config = plain();
    struct feed feed;

    config.layer = "42";
    config.expect = 1U << of_others[_i].kind;
    ck_assert_int_eq(open_in(&feed, config, of_others[_i].name, NULL), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    ck_assert_uint_eq(feed.summaries, 1);
    ck_assert_int_eq(feed.summary[0].kind, of_others[_i].kind);
    ck_assert_uint_ge(feed.summary[0].counts.usable, of_others[_i].usable_least);
    ck_assert_uint_eq(feed.summary[0].counts.lost, 0);
    ck_assert_double_eq_tol(feed.summary[0].rate_p50_bps, 10e6, 0.5e6);
    feed_end(&feed);
}
END_TEST

START_TEST(what_is_a_capture)
{
    char path[256];

    ck_assert_int_eq(pprec_is_capture(path_of("same.pcapng", path)), 1);
    ck_assert_int_eq(pprec_is_capture(path_of("same-big-endian-micro.pcap", path)), 1);
    ck_assert_int_ne(pprec_is_capture(path_of("same-packed.pcap.xz", path)), 0);
    ck_assert_int_eq(pprec_is_capture(path_of("cut-in-file-header.pcap", path)), 1);
    ck_assert_int_eq(pprec_is_capture(path_of("README.md", path)), 0);
    ck_assert_int_eq(pprec_is_capture(path_of("empty.pcap", path)), 0);
    ck_assert_int_eq(pprec_is_capture(path_of("absent", path)), PPREC_EIO);
    ck_assert_int_eq(pprec_is_capture(NULL), PPREC_EINVAL);
}
END_TEST

/* A train is of the file that its first packet is in, a stream of all that it was in. */
START_TEST(trains_know_their_file)
{
    const char *files[4] = {NULL};
    char paths[3][256];
    struct pprec_capture_options options;
    struct feed feed;

    feed_start(&feed);
    pprec_capture_options_init(&options);
    files[0] = path_of("no-packets.pcap", paths[0]);
    files[1] = path_of("cut-in-record.pcap", paths[1]);
    files[2] = path_of("lab-srt-3-over-10.pcap", paths[2]);
    options.files = files;
    ck_assert_int_eq(pprec_open_capture(feed.pprec, &options), PPREC_OK);
    ck_assert_ptr_null(pprec_capture_name(feed.pprec, 1));
    ck_assert_int_eq(test_capture_read_all(&feed), PPREC_EDAMAGED);
    while (pprec_dispatch(feed.pprec, 0) > 0)
        ;
    pprec_finish(feed.pprec);
    ck_assert_uint_gt(feed.trains, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(feed.train[i].file, 1);
    ck_assert_uint_eq(feed.train[feed.trains - 1].file, 2);
    ck_assert_str_eq(pprec_capture_name(feed.pprec, 1), files[1]);
    ck_assert_ptr_null(pprec_capture_name(feed.pprec, 3));
    feed_end(&feed);
}
END_TEST

/* Of the only stream, trains from to end - 1 as file number file has them; sent so long after its first trains. */
static void push_file(struct feed *feed, uint32_t file, uint32_t from, uint32_t end, int64_t later_ns)
{
    handle_begin_file(feed->pprec, file);
    for (uint32_t train = from; train < end; train++) {
        feed->pattern.sent_ns = FEED_EPOCH_NS + later_ns + train * FEED_SPACING_NS;
        feed_train(feed, train, later_ns + train * FEED_SPACING_NS);
    }
}

static void assert_files(struct feed *feed, uint64_t packets, uint64_t repeated)
{
    struct pprec_capture_counts counts;

    pprec_get_capture_counts(feed->pprec, &counts);
    ck_assert_uint_eq(counts.repeated, repeated);
    pprec_finish(feed->pprec);
    ck_assert_uint_eq(feed->summary[0].counts.packets, packets);
    ck_assert_uint_eq(feed->summary[0].counts.duplicate, 0);
    feed_end(feed);
}

/* What goes on beyond the copy is taken. */
START_TEST(files_that_repeat_others_are_left_out)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    feed_start(&feed);
    push_file(&feed, 0, 0, 20, 0);
    push_file(&feed, 1, 20, 40, 0);
    push_file(&feed, 2, 1, 20, 0);
    push_file(&feed, 3, 20, 50, 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.repeated_stream, feed.pattern.stream);
    ck_assert_uint_eq(counts.repeated_file, 3);
    ck_assert_uint_eq(counts.repeated_before, 1);
    assert_files(&feed, 4 * 50, 4 * 39);
}
END_TEST

START_TEST(rotated_files_in_any_order_repeat_nothing)
{
    struct feed feed;

    feed_start(&feed);
    push_file(&feed, 0, 0, 20, 0);
    push_file(&feed, 1, 180, 200, 0);
    push_file(&feed, 2, 20, 40, 0);
    push_file(&feed, 3, 40, 60, 0);
    assert_files(&feed, 4 * 80, 0);
}
END_TEST

/* Whose, and where. */
START_TEST(files_in_another_order_are_named)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    feed_start(&feed);
    push_file(&feed, 0, 0, 20, 0);
    push_file(&feed, 1, 40, 60, 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.backwards, 0);
    push_file(&feed, 2, 20, 40, 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.backwards, 1);
    ck_assert_uint_eq(counts.backwards_stream, feed.pattern.stream);
    ck_assert_uint_eq(counts.backwards_file, 2);
    ck_assert_uint_eq(counts.backwards_after, 1);
    push_file(&feed, 3, 60, 80, 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.backwards, 1);
    pprec_finish(feed.pprec);
    feed_end(&feed);
}
END_TEST

/* What the next file begins with may have come before the last of this one. */
START_TEST(swapped_ends_of_files_are_in_order)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    feed_start(&feed);
    push_file(&feed, 0, 0, 19, 0);
    push_file(&feed, 0, 20, 21, 0);
    push_file(&feed, 1, 19, 20, 0);
    push_file(&feed, 1, 21, 40, 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.backwards, 0);
    feed_end(&feed);
}
END_TEST

START_TEST(senders_that_begin_anew_repeat_nothing)
{
    struct feed feed;

    feed_start(&feed);
    push_file(&feed, 0, 0, 40, 0);
    push_file(&feed, 1, 0, 40, 60 * FEED_SECOND_NS);
    assert_files(&feed, 4 * 80, 0);
}
END_TEST

START_TEST(numbers_that_wrap_repeat_nothing)
{
    struct feed feed;

    feed_start(&feed);
    handle_begin_file(feed.pprec, 0);
    for (uint32_t i = 0; i < 40; i++) {
        if (i == 20)
            handle_begin_file(feed.pprec, 1);
        feed.pattern.sent_ns = FEED_EPOCH_NS + i * FEED_SPACING_NS;
        feed_train(&feed, i - 20, i * FEED_SPACING_NS);
    }
    assert_files(&feed, 4 * 40, 0);
}
END_TEST

START_TEST(several_files_in_turn)
{
    const char *files[3] = {NULL};
    char paths[2][256];
    struct pprec_capture_options options;
    struct pprec_config config = plain();
    struct feed feed;

    config.expect = 1U << PPREC_KIND_PROBE;
    feed_start_with(&feed, config);
    pprec_capture_options_init(&options);
    files[0] = path_of("fragments-among.pcap", paths[0]);
    files[1] = path_of("classic.pcap", paths[1]); /* no probes: foreign */
    options.files = files;
    ck_assert_int_eq(pprec_open_capture(feed.pprec, &options), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    assert_five_trains(&feed);
    ck_assert_uint_eq(pprec_foreign(feed.pprec), 20);
    feed_end(&feed);
}
END_TEST

/* Clocks that were set back end no train before its time. */
START_TEST(time_going_backwards)
{
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), "time-backwards.pcap", NULL), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    ck_assert_uint_eq(feed.trains, 5);
    for (uint32_t i = 0; i < 5; i++)
        feed_assert_train(&feed, i, i, PPREC_VERDICT_OK, 4, 2400000);
    feed_end(&feed);
}
END_TEST

static const struct {
    const char *name;
    const char *filter;
    size_t trains;
    uint64_t packets;
} filters[] = {
    {"same-ethernet.pcap", "udp port 9000", 5, 20},
    {"same-ethernet.pcap", "udp port 9001", 0, 0},
    {"same-vlan.pcap", "vlan and udp port 9000", 5, 20},
    {"same-pppoe.pcap", "pppoes and udp port 9000", 5, 20},
    {"same-pppoe.pcap", "udp port 9000", 0, 0},
    {"same-mpls.pcap", "mpls and udp port 9000", 5, 20},
    {"same-raw.pcap", "src host 192.0.2.1", 5, 20},
    {"same-two-links.pcapng", "udp port 9000", 5, 20},
    {"same-two-links.pcapng", "udp port 9001", 0, 0},
};

START_TEST(filters_of_captures)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), filters[_i].name, filters[_i].filter), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    ck_assert_uint_eq(feed.trains, filters[_i].trains);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.packets, filters[_i].packets);
    feed_end(&feed);
}
END_TEST

static const struct {
    const char *name;
    const char *where; /* of the damage */
    size_t trains;
} damaged[] = {
    /* 24 bytes of file header, 12 whole records of 16 + 96 bytes: three trains */
    {"cut-in-record-header.pcap", "damaged at byte 1368,", 3},
    {"cut-in-record.pcap", "damaged at byte 1368,", 3},
    {"caplen-absurd.pcap", "damaged at byte 1368,", 3},
    {"caplen-absurd-in-first.pcap", "damaged at byte 24,", 0},
    /* section 28, interface 32, 19 packets of 32 + 96: the last train lacks one */
    {"cut-in-block.pcapng", "damaged at byte 2492,", 5},
    {"block-length-absurd.pcapng", "damaged at byte 2492,", 5},
    {"cut.pcap.gz", "damaged at byte 1368 of what was in gzip, used up to there: the data of gzip", 3},
    {"cut.pcap.zst", "damaged at byte 1368 of what was in zstd, ", 3},
    {"cut.pcap.xz", "damaged at byte 1368 of what was in xz, ", 3},
    {"checksum-wrong.pcap.gz", "damaged at byte 2264 of what was in gzip", 5},
};

START_TEST(used_up_to_the_damage)
{
    struct feed feed;

    int status = open_in(&feed, plain(), damaged[_i].name, NULL);

    if (not_in_this_build(&feed))
        return;
    ck_assert_int_eq(status, PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), PPREC_EDAMAGED);
    ck_assert_int_eq(pprec_dispatch(feed.pprec, 0), 0); /* there is no next file */
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), damaged[_i].where));
    ck_assert_uint_eq(feed.trains, damaged[_i].trains);
    ck_assert_int_eq(pprec_dispatch(feed.pprec, 0), 0); /* there is no next file */
    feed_end(&feed);
}
END_TEST

static const char *const unusable[] = {"empty.pcap", "cut-in-file-header.pcap", "link-type-unknown.pcap",
                                       "make_captures.py", "absent"};

START_TEST(unusable_input)
{
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), unusable[_i], NULL), PPREC_EIO);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), unusable[_i]));
    feed_end(&feed);
}
END_TEST

START_TEST(a_filter_that_is_none)
{
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), "same-ethernet.pcap", "udp prt 9"), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(feed.pprec), "udp prt 9"));
    feed_end(&feed);
}
END_TEST

/* Of none of the 20 packets all headers were kept. */
static const char *const cut[] = {"snapped-in-udp.pcap", "snapped-in-session.pcap", "snapped-in-labels.pcap"};

START_TEST(what_is_cut_is_counted)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), cut[_i], NULL), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.packets, 20);
    ck_assert_uint_eq(counts.cut, 20);
    feed_end(&feed);
}
END_TEST

START_TEST(fragments_are_counted)
{
    struct pprec_capture_counts counts;
    struct feed feed;

    ck_assert_int_eq(open_in(&feed, plain(), "fragments-among.pcap", NULL), PPREC_OK);
    ck_assert_int_eq(test_capture_read_all(&feed), 0);
    pprec_get_capture_counts(feed.pprec, &counts);
    ck_assert_uint_eq(counts.packets, 22);
    ck_assert_uint_eq(counts.fragments, 2);
    feed_end(&feed);
}
END_TEST

#define COUNT(table) (int)(sizeof table / sizeof table[0])

Suite *capture_suite(void)
{
    Suite *suite = suite_create("capture");
    TCase *files = tcase_create("files");
    TCase *damage = tcase_create("damage");

    tcase_add_loop_test(files, the_same_arrivals_in_any_form, 0, COUNT(same));
    tcase_add_test(files, classic_in_a_capture);
    tcase_add_loop_test(files, traffic_of_others, 0, COUNT(of_others));
    tcase_add_test(files, several_files_in_turn);
    tcase_add_test(files, what_is_a_capture);
    tcase_add_test(files, trains_know_their_file);
    tcase_add_test(files, files_that_repeat_others_are_left_out);
    tcase_add_test(files, rotated_files_in_any_order_repeat_nothing);
    tcase_add_test(files, files_in_another_order_are_named);
    tcase_add_test(files, swapped_ends_of_files_are_in_order);
    tcase_add_test(files, senders_that_begin_anew_repeat_nothing);
    tcase_add_test(files, numbers_that_wrap_repeat_nothing);
    tcase_add_test(files, time_going_backwards);
    tcase_add_loop_test(files, filters_of_captures, 0, COUNT(filters));
    tcase_add_loop_test(damage, used_up_to_the_damage, 0, COUNT(damaged));
    tcase_add_loop_test(damage, unusable_input, 0, COUNT(unusable));
    tcase_add_test(damage, a_filter_that_is_none);
    tcase_add_loop_test(damage, what_is_cut_is_counted, 0, COUNT(cut));
    tcase_add_test(damage, fragments_are_counted);
    suite_add_tcase(suite, files);
    suite_add_tcase(suite, damage);
    return suite;
}
