/* SPDX-License-Identifier: BSD-3-Clause */
/* What --live draws, for terminals of every size; and the line of progress. */
#include "pprec/cmd/bars.h"
#include "pprec/cmd/live.h"
#include "pprec/cmd/progress.h"
#include "tests/sim/free_cases.h"
#include "tests/unit/conclude.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct feed feed;
static struct tally tally;
static const struct format_run run = {.layer = "l2", .filter = "median", .timestamps = "kernel"};
static struct live live;
static struct frame frame;

/* A frame without what moves and colours: rows, and the columns of the widest. */
static char plain[FRAME_BYTES];
static unsigned rows, widest;

static bool is_final(char c)
{
    return c >= '@' && c <= '~';
}

/* A lead byte of UTF-8, or ASCII, begins a character. */
static void strip(const struct frame *from)
{
    unsigned column = 0;
    size_t bytes = 0;

    rows = 1;
    widest = 0;
    for (size_t i = 0; i < from->bytes; i++) {
        char c = from->text[i];

        if (c == '\033') {
            ck_assert_int_eq(from->text[++i], '[');
            while (!is_final(from->text[++i]))
                continue;
            continue;
        }
        plain[bytes++] = c;
        rows += c == '\n';
        column = c == '\r' || c == '\n' ? 0 : column + ((c & 0xc0) != 0x80);
        widest = column > widest ? column : widest;
    }
    plain[bytes] = '\0';
}

static bool shows(const char *text)
{
    return strstr(plain, text) != NULL;
}

/* --- Frames --- */

START_TEST(rows_are_cut_at_the_width)
{
    frame = (struct frame){.rows = 3, .columns = 10, .utf8 = true};
    frame_begin(&frame);
    frame_add(&frame, "0123456789");
    frame_glyph(&frame, "█", '#');
    frame_add(&frame, "x");
    frame_next(&frame);
    frame_add(&frame, "012345678");
    frame_glyph(&frame, "█", '#');
    frame_glyph(&frame, "█", '#');
    frame_next(&frame);
    frame_add(&frame, "below\033[2J");
    frame_next(&frame);
    frame_add(&frame, "too far");
    frame_next(&frame);
    frame_end(&frame);
    strip(&frame);
    ck_assert_str_eq(plain, "0123456789\r\n012345678█\r\nbelow?[2J");
}
END_TEST

/* A terminal that waits with the wrap would clear the last column. */
START_TEST(a_full_row_is_not_cleared)
{
    frame = (struct frame){.rows = 2, .columns = 4};
    frame_begin(&frame);
    frame_add(&frame, "full");
    frame_next(&frame);
    ck_assert(memmem(frame.text, frame.bytes, "\033[K", 3) == NULL);
    frame_add(&frame, "not");
    frame_next(&frame);
    ck_assert(memmem(frame.text, frame.bytes, "\033[K", 3) != NULL);
}
END_TEST

START_TEST(the_largest_frame_fits)
{
    frame =
        (struct frame){.rows = FRAME_ROWS_MAX, .columns = FRAME_COLUMNS_MAX, .utf8 = true, .coloured = true};
    frame_begin(&frame);
    for (unsigned row = 0; row < FRAME_ROWS_MAX + 10; row++) {
        for (unsigned i = 0; i < FRAME_COLUMNS_MAX; i++) {
            frame_style(&frame, i % 2 ? FRAME_GOOD : FRAME_BAD);
            frame_glyph(&frame, "█", '#');
        }
        frame_next(&frame);
    }
    frame_end(&frame);
    ck_assert_uint_le(frame.bytes, sizeof frame.text);
    ck_assert(memcmp(frame.text + frame.bytes - 3, "\033[H", 3) == 0);
}
END_TEST

/* --- Histograms --- */

/* 30 rates of 10 Mbit/s and 15 of 20: two columns, one twice as high, the mark below. */
START_TEST(bars_are_as_high_as_rates_are_many)
{
    const struct pprec_capacity capacity = {
        .state = PPREC_STATE_CONVERGED, .capacity_bps = 1e7, .low_bps = 9.9e6, .high_bps = 10.1e6};
    double rates[45];
    unsigned mark, high = 0, low = 0;
    const char *row;

    for (int i = 0; i < 45; i++)
        rates[i] = i % 3 == 0 ? 2e7 : 1e7;
    frame = (struct frame){.rows = 6, .columns = 80};
    frame_begin(&frame);
    bars_draw(&frame, 6, rates, 45, &capacity);
    frame_end(&frame);
    strip(&frame);
    ck_assert_uint_eq(rows, 6);
    mark = (unsigned)strcspn(strstr(plain, "\n      -") + 1, "^");
    row = plain;
    for (int i = 0; i < 4; i++, row = strchr(row, '\n') + 1) {
        const char *first = strchr(row, '#');

        high += first != NULL && first < strchr(row, '\n') && (unsigned)(first - row) == mark;
        for (const char *c = row; *c != '\n'; c++)
            low += *c == '#' && (unsigned)(c - row) > mark + 4;
    }
    ck_assert_uint_eq(high, 4);
    ck_assert_uint_eq(low, 2);
    ck_assert(shows("   30"));
}
END_TEST

/* 38 rates within 2 % of 10 Mbit/s, one of 3 Gbit/s and one of 40 kbit/s, on 40 columns: those fill more than one column
 * still, and signs at the ends say that there are others. */
START_TEST(bars_bear_what_is_far_out)
{
    const struct pprec_capacity capacity = {
        .state = PPREC_STATE_CONVERGED, .capacity_bps = 1e7, .low_bps = 9.9e6, .high_bps = 10.1e6};
    double rates[40] = {3e9, 4e4};
    unsigned filled = 0;
    const char *axis;

    for (int i = 2; i < 40; i++)
        rates[i] = 1e7 * (0.98 + 0.001 * i);
    frame = (struct frame){.rows = 6, .columns = 40};
    frame_begin(&frame);
    bars_draw(&frame, 6, rates, 40, &capacity);
    frame_end(&frame);
    strip(&frame);
    axis = strstr(plain, "\n      <");
    ck_assert_ptr_nonnull(axis);
    ck_assert_ptr_nonnull(strstr(axis, "->"));
    for (const char *c = axis - 32; c < axis; c++)
        filled += *c == '.' || *c == ':' || *c == '#';
    ck_assert_uint_ge(filled, 7);
    ck_assert(shows("9.0"));
    ck_assert(!shows("Gbit/s"));
}
END_TEST

START_TEST(bars_take_any_rates)
{
    static const double cases[][3] = {{1e7, 1e7, 1e7}, {1, 1e12, 1e3}, {1e-3, 1e-3, 1e15}};
    static const unsigned sizes[] = {12, 13, 20, 80, FRAME_COLUMNS_MAX};

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            struct pprec_capacity capacity = {.capacity_bps = k % 2 ? cases[i][0] : 0};
            double rates[3];

            memcpy(rates, cases[i], sizeof rates);
            frame = (struct frame){.rows = 20, .columns = sizes[k], .utf8 = k % 2};
            frame_begin(&frame);
            bars_draw(&frame, 4 + (unsigned)k, rates, 3, &capacity);
            ck_assert_uint_eq(frame.row, 4 + k);
            strip(&frame);
            ck_assert_uint_le(widest, sizes[k]);
        }
    }
}
END_TEST

/* --- The view --- */

static void view_set_up(void)
{
    feed_start(&feed);
    tally = (struct tally){.count = 0};
    live = (struct live){.run = &run, .input = "UDP port 9000", .tally = &tally};
}

static void view_tear_down(void)
{
    feed_end(&feed);
}

static void view_feed_streams(uint32_t streams, uint32_t trains)
{
    for (uint32_t train = 0; train < trains; train++)
        for (uint32_t stream = 0; stream < streams; stream++) {
            feed.pattern.stream = 0xabc00 + stream;
            feed.length = 4;
            if (stream > 0 && train % 2 == 0)
                feed_part(&feed, train, 0, 3, train * FEED_SPACING_NS + stream * 5000000);
            else
                feed_train(&feed, train, train * FEED_SPACING_NS + stream * 5000000);
        }
    feed_tick(&feed, (trains + 10) * FEED_SPACING_NS);
    for (size_t i = 0; i < feed.trains && i < FEED_KEPT; i++) {
        live_train(&live, &feed.train[i]);
        tally_train(&tally, &feed.train[i], 0);
    }
}

static void view_draw(unsigned terminal_rows, unsigned columns)
{
    live.frame.rows = terminal_rows;
    live.frame.columns = columns;
    live_draw(&live, feed.pprec, -1, INT64_C(3723) * FEED_SECOND_NS);
    strip(&live.frame);
    ck_assert_msg(rows <= terminal_rows && widest <= columns, "%ux%u: %u rows, %u columns", columns,
                  terminal_rows, rows, widest);
}

START_TEST(the_view_tells_what_matters)
{
    view_feed_streams(1, 40);
    view_draw(24, 80);
    ck_assert(shows("UDP port 9000"));
    ck_assert(shows("01:02:03"));
    ck_assert(shows("10.00 Mbit/s  tentative"));
    ck_assert(shows("192.0.2.1:5000  probe 000abc00"));
    ck_assert(shows("40 trains  40 ok"));
    ck_assert(shows("160 packets  0 lost"));
    ck_assert(shows("^"));
    ck_assert(shows("#39"));
    ck_assert(!shows("1 of"));
}
END_TEST

/* Of a stream that tells when it sends; what does not fit beside it is left out whole. */
START_TEST(the_view_tells_what_is_free)
{
    struct pprec_config pprec_config;
    struct sim_config config;
    struct sim_run path;

    view_feed_streams(1, 40);
    view_draw(24, 80);
    ck_assert(!shows("available"));
    feed_end(&feed);
    pprec_config_init(&pprec_config);
    feed_start_with(&feed, pprec_config);
    free_case_config(&free_cases[0], 1, &config);
    sim_run_init(&path, &config, 1);
    for (size_t i = 0; i < path.arrival_count; i++)
        ck_assert_int_eq(pprec_push(feed.pprec, &path.arrivals[i]), PPREC_OK);
    sim_run_fini(&path);
    view_draw(24, 120);
    ck_assert(shows("available "));
    view_draw(11, 80);
    ck_assert(!shows("available"));
    view_draw(24, 30);
    ck_assert(shows("available "));
    ck_assert(!shows("queue"));
}
END_TEST

START_TEST(the_stream_with_most_to_go_by_is_shown)
{
    view_feed_streams(3, 30);
    view_draw(40, 120);
    ck_assert(shows("000abc00  1 of 3 streams"));
    ck_assert(shows("000abc01  10.00 Mbit/s"));
    ck_assert(shows("3/4"));
}
END_TEST

START_TEST(every_size_is_kept_to)
{
    static const struct {
        unsigned rows, columns;
    } sizes[] = {{24, 80}, {40, 120}, {10, 40}, {1, 1},   {2, 5},   {5, 11},   {6, 12},
                 {9, 13},  {19, 75},  {20, 76}, {3, 400}, {200, 3}, {200, 400}};

    view_feed_streams(12, 40);
    live_say(&live, "log 'x': no space left on a device with a name that is longer than the terminal");
    for (int utf8 = 0; utf8 < 2; utf8++) {
        live.frame.utf8 = live.frame.coloured = utf8;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            view_draw(sizes[i].rows, sizes[i].columns);
    }
}
END_TEST

START_TEST(ascii_and_no_colours_if_so_wanted)
{
    view_feed_streams(2, 40);
    view_draw(24, 80);
    for (size_t i = 0; i < live.frame.bytes; i++)
        ck_assert_int_eq(live.frame.text[i] & 0x80, 0);
    ck_assert(memmem(live.frame.text, live.frame.bytes, "\033[0;3", 5) == NULL);
    live.frame.utf8 = live.frame.coloured = true;
    view_draw(24, 80);
    ck_assert(shows("▲"));
    ck_assert(memmem(live.frame.text, live.frame.bytes, "\033[0;3", 5) != NULL);
}
END_TEST

START_TEST(messages_and_shares_are_shown)
{
    view_draw(24, 80);
    ck_assert(shows("nothing has come yet"));
    view_feed_streams(1, 10);
    live_say(&live, "log 'x': full");
    live.frame.rows = 10;
    live_draw(&live, feed.pprec, 0.426, 0);
    strip(&live.frame);
    ck_assert(shows("43 %  00:00:00"));
    ck_assert(shows("log 'x': full"));
    for (unsigned columns = 40; columns < 100; columns++) { /* the share gives way to nothing */
        live.frame.columns = columns;
        live_draw(&live, feed.pprec, 0.426, 0);
        strip(&live.frame);
        ck_assert(shows(" 43 %  00:00:00"));
    }
}
END_TEST

#define WHY "(no long trains: a bucket may hide the link;"

START_TEST(the_view_tells_why)
{
    conclude_in(feed.pprec);
    conclude_next = (struct estimate){.state = STATE_TENTATIVE,
                                      .capacity_bps = 10e6,
                                      .low_bps = 9e6,
                                      .high_bps = 11e6,
                                      .why = WHY_PAIRS_ALONE,
                                      .advice = ADVICE_SEND_MIX,
                                      .seen_bytes = 3036};
    view_feed_streams(1, 40);
    view_draw(24, 80);
    ck_assert(shows("a best guess, not to be shown as fact\r\n" WHY " send the default pattern)\r\n"));
    view_draw(12, 80);
    ck_assert(shows("tentative  9.000 Mbit/s to 11.00 Mbit/s\r\n" WHY " send"));
    view_draw(24, 50);
    ck_assert(shows(WHY "\r\n send the default pattern)\r\n"));
    view_draw(9, 80);
    ck_assert(!shows(WHY));
    conclude_next.state = STATE_CONVERGED;
    conclude_next.advice = ADVICE_NONE;
    feed_train(&feed, 40, 100 * FEED_SECOND_NS);
    view_draw(24, 80);
    ck_assert(shows("converged"));
    ck_assert(!shows(WHY));
}
END_TEST

static void conclude_between(struct estimate estimate, int64_t at_s)
{
    conclude_next = estimate;
    conclude_next.capacity_bps = 10e6;
    conclude_next.low_bps = 9e6;
    feed_train(&feed, (uint32_t)at_s, at_s * FEED_SECOND_NS);
}

/* In the row of the estimate, or where that is too narrow in the next, or not at all. */
START_TEST(the_view_tells_what_is_between)
{
    conclude_in(feed.pprec);
    view_feed_streams(1, 40);
    conclude_between((struct estimate){.state = STATE_FAIR, .high_bps = 11e6, .share_bps = 2.5e6}, 100);
    view_draw(24, 120);
    ck_assert(shows("10.00 Mbit/s  fair  9.000 Mbit/s to 11.00 Mbit/s  share 2.500 Mbit/s beside 3 flows\r\n"
                    "other flows take turns with ours: the capacity of the link\r\n"));
    view_draw(12, 60);
    ck_assert(shows("to 11.00 Mbit/s\r\n  share 2.500 Mbit/s beside 3 flows\r\n"));
    view_draw(11, 60);
    ck_assert(!shows("share"));
    view_draw(24, 40); /* numbers are whole, or not there */
    ck_assert(shows("10.00 Mbit/s  fair\r\n  9.000 Mbit/s to 11.00 Mbit/s\r\n"));
    ck_assert(shows("164 packets  240 lost (59 %)\r\n"));
    ck_assert(!shows("jit"));
    conclude_between(
        (struct estimate){.state = STATE_POLICED, .policed_bps = 4e6, .policed_burst_bytes = 30000}, 101);
    view_draw(24, 80);
    ck_assert(shows("at least 10.00 Mbit/s  policed  policed to 4.000 Mbit/s, bucket 30000 bytes\r\n"
                    "a policer drops what its bucket does not hold\r\n"));
    conclude_between((struct estimate){.state = STATE_VARYING, .high_bps = 11e6}, 102);
    view_draw(24, 80);
    ck_assert(shows("10.00 Mbit/s  varying  9.000 Mbit/s to 11.00 Mbit/s\r\n"
                    "rates that each hold for a time: this is the newest\r\n"));
}
END_TEST

/* --- Progress --- */

/* What progress prints at now_s of a file of which a quarter is read. */
static const char *printed(struct progress *progress, double now_s)
{
    static char text[512];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    ssize_t bytes;

    ck_assert(file != NULL && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    progress_show(progress, feed.pprec, (int64_t)(now_s * 1e9));
    dup2(kept, STDERR_FILENO);
    close(kept);
    bytes = pread(fileno(file), text, sizeof text - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
    fclose(file);
    return text;
}

START_TEST(progress_comes_late_and_seldom)
{
    struct progress progress = {.wanted = true, .all_bytes = 1000, .next_ns = FEED_SECOND_NS};

    view_feed_streams(1, 10);
    ck_assert_str_eq(printed(&progress, 0.9), "");
    ck_assert_str_eq(printed(&progress, 1.1), "\r0 % read, 0 packets, 10.00 Mbit/s tentative\033[K");
    ck_assert_str_eq(printed(&progress, 1.2), "");
    ck_assert_str_ne(printed(&progress, 1.4), "");
    progress.wanted = false;
    ck_assert_str_eq(printed(&progress, 9), "");
}
END_TEST

START_TEST(progress_knows_how_much_there_is)
{
    const char *const captures[] = {"tests/vectors/same.pcapng", "tests/vectors/same-raw.pcap", NULL};
    const char *const endless[] = {"tests/vectors/same-raw.pcap", "-", NULL};
    struct pprec_capture_options options;
    struct progress progress;

    pprec_capture_options_init(&options);
    options.files = captures;
    ck_assert_int_eq(pprec_open_capture(feed.pprec, &options), PPREC_OK);
    progress_begin(&progress, captures, true, 0);
    ck_assert_double_eq(progress_share(&progress, feed.pprec), 0);
    ck_assert_int_gt(pprec_dispatch(feed.pprec, 1), 0);
    ck_assert_double_gt(progress_share(&progress, feed.pprec), 0);
    ck_assert_double_lt(progress_share(&progress, feed.pprec), 1);
    while (pprec_dispatch(feed.pprec, 0) > 0)
        continue;
    ck_assert_double_eq(progress_share(&progress, feed.pprec), 1);
    progress_begin(&progress, endless, true, 0);
    ck_assert_double_eq(progress_share(&progress, feed.pprec), -1);
}
END_TEST

static TCase *with_feed(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, view_set_up, view_tear_down);
    return tcase;
}

Suite *view_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *frames = tcase_create("frames");
    TCase *views = with_feed("views");
    TCase *progress = with_feed("progress");

    tcase_add_test(frames, rows_are_cut_at_the_width);
    tcase_add_test(frames, a_full_row_is_not_cleared);
    tcase_add_test(frames, the_largest_frame_fits);
    tcase_add_test(frames, bars_are_as_high_as_rates_are_many);
    tcase_add_test(frames, bars_bear_what_is_far_out);
    tcase_add_test(frames, bars_take_any_rates);
    suite_add_tcase(suite, frames);
    tcase_add_test(views, the_view_tells_what_matters);
    tcase_add_test(views, the_view_tells_what_is_free);
    tcase_add_test(views, the_stream_with_most_to_go_by_is_shown);
    tcase_add_test(views, every_size_is_kept_to);
    tcase_add_test(views, ascii_and_no_colours_if_so_wanted);
    tcase_add_test(views, messages_and_shares_are_shown);
    tcase_add_test(views, the_view_tells_why);
    tcase_add_test(views, the_view_tells_what_is_between);
    suite_add_tcase(suite, views);
    tcase_add_test(progress, progress_comes_late_and_seldom);
    tcase_add_test(progress, progress_knows_how_much_there_is);
    suite_add_tcase(suite, progress);
    return suite;
}
