/* SPDX-License-Identifier: BSD-3-Clause */
/* What people are told of an estimate in doubt, and when: on the screen, in the log, on
 * standard error. */
#include "pprec/cmd/report.h"
#include "tests/unit/conclude.h"
#include "tests/unit/feed.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SENDER "(trains arrived as they left: the path may be faster)"
#define PAIRS "(no long trains: a bucket may hide the link; send the default pattern)"
#define FEW "(too few usable trains yet, or too few as long as the longest; wait for more trains)"
#define FEW_ENDED                                                                                            \
    "(too few usable trains yet, or too few as long as the longest; measure for longer, or send more "       \
    "trains)"

/* --- The sentence --- */

static struct line line;

static const char *doubt_of(enum pprec_state state, enum pprec_why why, enum pprec_advice advice)
{
    line.bytes = 0;
    line.text[0] = '\0';
    format_doubt(&line, &(struct pprec_capacity){.state = state, .why = why, .advice = advice}, false);
    ck_assert_uint_eq(line.bytes, strlen(line.text));
    return line.text;
}

START_TEST(a_sentence_has_one_half_or_two)
{
    ck_assert_str_eq(doubt_of(PPREC_STATE_TENTATIVE, PPREC_WHY_PAIRS_ALONE, PPREC_ADVICE_SEND_MIX),
                     " " PAIRS);
    ck_assert_str_eq(doubt_of(PPREC_STATE_AMBIGUOUS, PPREC_WHY_TWO_RATES, PPREC_ADVICE_NONE),
                     " (several rates, each with something for it)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_TENTATIVE, PPREC_WHY_FAIR_QUEUE, PPREC_ADVICE_NONE),
                     " (others take turns with ours, or it looks like that)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_TENTATIVE, PPREC_WHY_RATE_VARIES, PPREC_ADVICE_NONE),
                     " (the rate changes from train to train)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_INSUFFICIENT, PPREC_WHY_NONE, PPREC_ADVICE_WAIT),
                     " (wait for more trains)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_TENTATIVE, PPREC_WHY_NONE, PPREC_ADVICE_NONE), "");
}
END_TEST

START_TEST(a_sure_estimate_has_one_too)
{
    ck_assert_str_eq(doubt_of(PPREC_STATE_CONVERGED, PPREC_WHY_NONE, PPREC_ADVICE_NONE), "");
    ck_assert_str_eq(doubt_of(PPREC_STATE_CONVERGED, PPREC_WHY_CONTENTION, PPREC_ADVICE_NONE),
                     " (each packet waits for the medium by itself)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_CONVERGED, PPREC_WHY_HEAD_PAUSE, PPREC_ADVICE_NONE),
                     " (trains pause at their head, and go on at one rate)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_SHAPED, PPREC_WHY_TRAINS_SLOWER, PPREC_ADVICE_NONE),
                     " (long trains are slower than pairs)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_FAIR, PPREC_WHY_FAIR_QUEUE, PPREC_ADVICE_NONE),
                     " (others take turns with ours)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_VARYING, PPREC_WHY_RATE_VARIES, PPREC_ADVICE_NONE),
                     " (each of several rates held for a time)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_POLICED, PPREC_WHY_LOSSES, PPREC_ADVICE_NONE),
                     " (long trains lose what a bucket or a full queue does not hold)");
    ck_assert_str_eq(doubt_of(PPREC_STATE_CONVERGED, PPREC_WHY_OWN_LOAD, PPREC_ADVICE_SEND_LESS),
                     " (the trains themselves load the link by over half; send less often (pptrans -d) or "
                     "shorter trains (--mix -n 16))");
    ck_assert_str_eq(doubt_of(PPREC_STATE_CONVERGED, PPREC_WHY_LOSSES, PPREC_ADVICE_SEND_LONGER_TRAINS),
                     " (long trains lose what a bucket or a full queue does not hold; "
                     "send longer trains (pptrans --mix -n 256))");
}
END_TEST

/* --- Lines --- */

static const struct format_run run = {.layer = "l2", .filter = "adaptive", .timestamps = "kernel"};

static struct pprec_summary summary;

static void make_summary(void)
{
    summary = (struct pprec_summary){
        .source = {.address = {192, 0, 2, 1}, .port = 9000, .ip = 4},
        .stream = 0xbeef,
        .counts = {.trains = 61, .usable = 61, .packets = 122},
        .capacity = {.state = PPREC_STATE_TENTATIVE,
                     .capacity_bps = 10e6,
                     .low_bps = 9e6,
                     .high_bps = 11e6,
                     .why = PPREC_WHY_PAIRS_ALONE,
                     .advice = PPREC_ADVICE_SEND_MIX},
    };
}

static const char *doubt_written(enum record_kind kind)
{
    struct record record = {.kind = kind, .run = &run, .summary = &summary, .interval_s = 5};

    line.bytes = 0;
    format_human.record(&line, &record);
    return line.text;
}

static bool doubt_begins(const char *text, const char *want)
{
    return strncmp(text, want, strlen(want)) == 0;
}

START_TEST(the_first_line_of_a_summary)
{
    ck_assert(doubt_begins(doubt_written(RECORD_SUMMARY),
                           "192.0.2.1:9000 stream 0000beef: capacity 10.00 Mbit/s (9.000 Mbit/s to "
                           "11.00 Mbit/s) tentative " PAIRS "\n"));
    summary.capacity.state = PPREC_STATE_SENDER_LIMITED;
    summary.capacity.high_bps = 0;
    summary.capacity.why = PPREC_WHY_SENDER;
    summary.capacity.advice = PPREC_ADVICE_NONE;
    ck_assert(doubt_begins(doubt_written(RECORD_SUMMARY),
                           "192.0.2.1:9000 stream 0000beef: capacity at least 10.00 Mbit/s "
                           "sender_limited (trains arrived as they left: the path may be faster)\n"));
}
END_TEST

/* What nobody emptied may hide a link below the bound. What pptrans sends at most leaves nothing further to try, and
 * advice says already what to do. */
START_TEST(a_bound_says_what_may_hide_below_it)
{
    struct pprec_capacity bound = {.state = PPREC_STATE_SENDER_LIMITED,
                                   .capacity_bps = 2.6e9,
                                   .why = PPREC_WHY_SENDER,
                                   .seen_bytes = 97152};

    line.bytes = 0;
    format_doubt(&line, &bound, false);
    ck_assert_str_eq(
        line.text,
        " (trains arrived as they left: the path may be faster, or a bucket that 97 kB do not empty hides a "
        "slower link; pptrans --mix -n 256 looks further)");
    line.bytes = 0;
    bound.seen_bytes = 256 * 1518;
    format_doubt(&line, &bound, false);
    ck_assert_str_eq(
        line.text,
        " (trains arrived as they left: the path may be faster, or a bucket that 389 kB do not empty hides a "
        "slower link)");
    line.bytes = 0;
    bound.advice = PPREC_ADVICE_SEND_TIMES;
    format_doubt(&line, &bound, false);
    ck_assert_ptr_null(strstr(line.text, "bucket"));
    line.bytes = 0;
    bound.advice = PPREC_ADVICE_NONE;
    bound.why = PPREC_WHY_LOSSES;
    format_doubt(&line, &bound, false);
    ck_assert_ptr_null(strstr(line.text, "over"));
}
END_TEST

START_TEST(a_summary_without_an_estimate_counts)
{
    summary.capacity = (struct pprec_capacity){
        .state = PPREC_STATE_INSUFFICIENT, .why = PPREC_WHY_PAIRS_ALONE, .advice = PPREC_ADVICE_SEND_MIX};
    summary.counts.usable = 1;
    ck_assert(doubt_begins(doubt_written(RECORD_SUMMARY),
                           "192.0.2.1:9000 stream 0000beef: capacity - "
                           "insufficient: 1 usable train of 61 " PAIRS "\n"));
    summary.counts.usable = 2;
    summary.capacity.why = PPREC_WHY_FEW_TRAINS;
    summary.capacity.advice = PPREC_ADVICE_WAIT;
    ck_assert_ptr_nonnull(strstr(doubt_written(RECORD_SUMMARY), ": 2 usable trains of 61 " FEW_ENDED "\n"));
    summary.capacity.why = PPREC_WHY_NONE;
    summary.capacity.advice = PPREC_ADVICE_NONE;
    ck_assert_ptr_nonnull(strstr(doubt_written(RECORD_SUMMARY), ": 2 usable trains of 61\n"));
}
END_TEST

/* The counts of an interval are not those that the estimate rests on. */
START_TEST(the_line_of_an_interval)
{
    const char *end = doubt_written(RECORD_INTERVAL);

    ck_assert_str_eq(strstr(end, " | "), " | 10.00 Mbit/s (9.000 Mbit/s to 11.00 Mbit/s) tentative " PAIRS);
    summary.capacity = (struct pprec_capacity){
        .state = PPREC_STATE_INSUFFICIENT, .why = PPREC_WHY_PAIRS_ALONE, .advice = PPREC_ADVICE_SEND_MIX};
    end = doubt_written(RECORD_INTERVAL);
    ck_assert_str_eq(strstr(end, " | "), " | - insufficient " PAIRS);
    summary.capacity = (struct pprec_capacity){.state = PPREC_STATE_FAIR,
                                               .capacity_bps = 10e6,
                                               .why = PPREC_WHY_FAIR_QUEUE,
                                               .share_bps = 2.5e6,
                                               .flows = 3};
    end = doubt_written(RECORD_INTERVAL);
    ck_assert_str_eq(strstr(end, " | "),
                     " | 10.00 Mbit/s fair (others take turns with ours)"
                     " | share 2.500 Mbit/s beside 3 flows");
}
END_TEST

/* --- While it runs --- */

static struct feed feed; /* for its arrivals alone */
static struct pprec *pprec;
static struct report report;
static struct options options;
static char path[96];
static FILE *shown;
static int kept[3];

static void doubt_on_train(void *user, const struct pprec_train *train)
{
    report_put_train(user, train);
}

static void doubt_on_estimate(void *user, const struct pprec_change *change)
{
    report_put_change(user, change);
}

static void doubt_on_summary(void *user, const struct pprec_summary *told)
{
    report_put_summary(user, told);
}

static void redirect(int fd)
{
    kept[fd] = dup(fd);
    ck_assert(kept[fd] >= 0 && dup2(fileno(shown), fd) >= 0);
}

static void doubt_restore(int fd)
{
    dup2(kept[fd], fd);
    close(kept[fd]);
}

static void doubt_set_up(void)
{
    const char *base = getenv("TMPDIR");
    struct pprec_config config;

    feed_start(&feed);
    feed.length = 2;
    pprec_config_init(&config);
    config.user = &report;
    config.on_train = doubt_on_train;
    config.on_estimate = doubt_on_estimate;
    config.on_summary = doubt_on_summary;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    conclude_in(pprec);
    conclude_next =
        (struct estimate){.state = STATE_INSUFFICIENT, .why = WHY_FEW_TRAINS, .advice = ADVICE_WAIT};
    snprintf(path, sizeof path, "%.60s/pprec-doubt-XXXXXX", base != NULL ? base : "/tmp");
    close(mkstemp(path));
    options = (struct options){.layer = "l2", .log = path};
    shown = tmpfile();
    ck_assert_ptr_nonnull(shown);
}

static void doubt_tear_down(void)
{
    unlink(path);
    fclose(shown);
    pprec_free(pprec);
    feed_end(&feed);
}

static void doubt_begin(void)
{
    struct error error;

    fflush(stdout);
    redirect(STDOUT_FILENO);
    ck_assert_int_eq(report_open(&report, &options, "here", "kernel", &error), 0);
    report.run.pprec = pprec;
}

static void doubt_end(void)
{
    report_flush(&report);
    doubt_restore(STDOUT_FILENO);
    report_close(&report);
}

static void doubt_push_pair(uint32_t train)
{
    struct pprec_arrival arrival;

    for (unsigned position = 0; position < 2; position++) {
        arrival =
            feed_arrival(&feed, train, position, (int64_t)train * FEED_SPACING_NS + position * FEED_GAP_NS);
        ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    }
}

static void doubt_conclude(enum estimate_state state, enum why why, enum advice advice)
{
    conclude_next = (struct estimate){.state = state, .capacity_bps = 10e6, .why = why, .advice = advice};
}

/* Few, few, pairs alone, pairs alone, sure, pairs alone again, in another state. */
static void push_seven(void)
{
    doubt_push_pair(0);
    doubt_push_pair(1);
    doubt_conclude(STATE_TENTATIVE, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    doubt_push_pair(2);
    doubt_push_pair(3);
    doubt_conclude(STATE_CONVERGED, WHY_NONE, ADVICE_NONE);
    doubt_push_pair(4);
    doubt_conclude(STATE_TENTATIVE, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    doubt_push_pair(5);
    doubt_conclude(STATE_AMBIGUOUS, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    doubt_push_pair(6);
}

/* Lines of a file: those of trains, which begin with a digit, as their number. */
static void assert_lines(FILE *file, const char *const *want)
{
    char got[8192], number[16];
    unsigned trains = 0;

    rewind(file);
    for (size_t i = 0; want[i] != NULL; i++) {
        ck_assert_msg(fgets(got, sizeof got, file) != NULL, "no more lines, want %s", want[i]);
        got[strcspn(got, "\n")] = '\0';
        snprintf(number, sizeof number, "train %u", trains);
        trains += got[0] >= '0' && got[0] <= '9';
        ck_assert_str_eq(got[0] >= '0' && got[0] <= '9' ? number : got, want[i]);
    }
    ck_assert_msg(fgets(got, sizeof got, file) == NULL, "more lines: %s", got);
}

START_TEST(the_screen_tells_a_doubt_when_it_changes)
{
    static const char *const want[] = {"train 0", "  " FEW,  "train 1",  "train 2", "  " PAIRS, "train 3",
                                       "train 4", "train 5", "  " PAIRS, "train 6", "  " PAIRS, NULL};

    doubt_begin();
    push_seven();
    doubt_end();
    assert_lines(shown, want);
}
END_TEST

START_TEST(the_log_tells_a_doubt_when_it_changes)
{
#define AT(time) "# 170000000" time " 192.0.2.1:5000 00005eed "
    static const char *const want[] = {
        AT("0.000000000") "insufficient " FEW, AT("1.000000000") "tentative " PAIRS,
        AT("2.000000000") "converged",         AT("2.500000000") "tentative " PAIRS,
        AT("3.000000000") "ambiguous " PAIRS,  NULL};
    char got[8192];
    size_t told = 0, trains = 0;
    FILE *log;

    options.quiet = true;
    doubt_begin();
    push_seven();
    doubt_end();
    log = fopen(path, "r");
    ck_assert_ptr_nonnull(log);
    for (int head = 0; head < 2; head++)
        ck_assert_ptr_nonnull(fgets(got, sizeof got, log));
    while (fgets(got, sizeof got, log) != NULL) {
        size_t columns = 1;

        got[strcspn(got, "\n")] = '\0';
        if (got[0] == '#') {
            ck_assert_ptr_nonnull(want[told]);
            ck_assert_str_eq(got, want[told++]);
            continue;
        }
        for (const char *c = got; *c != '\0'; c++)
            columns += *c == ' ';
        ck_assert_uint_eq(columns, 15);
        trains++;
    }
    fclose(log);
    ck_assert_ptr_null(want[told]);
    ck_assert_uint_eq(trains, 7);
    ck_assert_int_eq(fseek(shown, 0, SEEK_END), 0);
    ck_assert_int_eq(ftell(shown), 0); /* quiet */
}
END_TEST

/* The lines of the log behind its head. */
static void assert_log(const char *const *want)
{
    char got[8192];
    FILE *log = fopen(path, "r"), *rest = tmpfile();

    ck_assert(log != NULL && rest != NULL);
    for (int head = 0; head < 2; head++)
        ck_assert_ptr_nonnull(fgets(got, sizeof got, log));
    while (fgets(got, sizeof got, log) != NULL)
        fputs(got, rest);
    fclose(log);
    assert_lines(rest, want);
    fclose(rest);
}

START_TEST(a_log_begun_anew_tells_a_doubt_at_its_start)
{
    static const char *const rotated[] = {AT("1.000800000") "tentative " PAIRS, "train 0", NULL};
    static const char *const removed[] = {"train 0", AT("2.000800000") "tentative " PAIRS, "train 1", NULL};
    static const char *const sure[] = {"train 0", NULL};

    options.quiet = true;
    doubt_begin();
    doubt_conclude(STATE_TENTATIVE, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    for (uint32_t train = 0; train < 3; train++)
        doubt_push_pair(train);
    report_flush(&report);
    unlink(path);
    report_reopen(&report);
    doubt_push_pair(3);
    report_flush(&report);
    assert_log(rotated);
    unlink(path);
    doubt_push_pair(4);
    report_flush(&report);
    doubt_push_pair(5);
    report_flush(&report);
    assert_log(removed);
    doubt_conclude(STATE_CONVERGED, WHY_NONE, ADVICE_NONE);
    doubt_push_pair(6);
    report_flush(&report);
    unlink(path);
    report_reopen(&report);
    doubt_push_pair(7);
    doubt_end();
    assert_log(sure);
}
END_TEST

START_TEST(json_has_no_lines_of_doubt)
{
    char got[8192];
    int records = 0;

    options.json = true;
    doubt_begin();
    push_seven();
    doubt_end();
    for (rewind(shown); fgets(got, sizeof got, shown) != NULL; records++)
        ck_assert_int_eq(got[0], '{');
    ck_assert_int_eq(records, 7);
}
END_TEST

/* The third train comes, but only two were asked for. */
START_TEST(after_the_last_train_nothing_is_told)
{
    static const char *const want[] = {"train 0", "  " FEW, "train 1", NULL};

    options.trains = 2;
    doubt_begin();
    push_seven();
    doubt_end();
    assert_lines(shown, want);
}
END_TEST

START_TEST(the_status_has_the_doubt)
{
    options.quiet = true;
    doubt_begin();
    doubt_push_pair(0);
    line.bytes = 0;
    report_status(&report, &line);
    ck_assert_str_eq(line.text, "1 train " FEW);
    doubt_conclude(STATE_TENTATIVE, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    doubt_push_pair(1);
    line.bytes = 0;
    report_status(&report, &line);
    ck_assert_str_eq(line.text, "2 trains, 10.00 Mbit/s tentative " PAIRS);
    doubt_conclude(STATE_POLICED, WHY_SENDER, ADVICE_NONE);
    doubt_push_pair(2);
    line.bytes = 0;
    report_status(&report, &line);
    ck_assert_str_eq(line.text, "3 trains, at least 10.00 Mbit/s policed " SENDER);
    conclude_next.high_bps = 11e6;
    doubt_push_pair(3);
    line.bytes = 0;
    report_status(&report, &line);
    ck_assert_str_eq(line.text, "4 trains, 10.00 Mbit/s policed " SENDER);
    doubt_end();
}
END_TEST

static void say_no_estimate(struct report *of)
{
    struct pprec_totals totals;

    pprec_get_totals(pprec, &totals);
    report_say_no_estimate(of, totals.counts.packets);
}

static void assert_said_by(void (*say)(struct report *), const char *want)
{
    char got[8192] = "";

    ck_assert_int_eq(ftruncate(fileno(shown), 0), 0);
    rewind(shown);
    redirect(STDERR_FILENO);
    say(&report);
    doubt_restore(STDERR_FILENO);
    rewind(shown);
    ck_assert_uint_lt(fread(got, 1, sizeof got - 1, shown), sizeof got - 1);
    ck_assert_str_eq(got, want);
}

static void assert_said(const char *want)
{
    assert_said_by(say_no_estimate, want);
}

/* The second time the first stream has another summary. */
START_TEST(without_an_estimate_it_says_why)
{
    options.quiet = true;
    doubt_begin();
    assert_said("");
    doubt_push_pair(0);
    pprec_finish(pprec);
    assert_said("pprec: no estimate: 1 usable train of 1 " FEW_ENDED "\n");
    feed.pattern.stream++;
    doubt_push_pair(1);
    doubt_push_pair(2);
    pprec_finish(pprec);
    assert_said("pprec: no estimate: of 3 streams the best has 2 usable trains of 2 " FEW_ENDED "\n");
    report.estimated = true;
    assert_said("");
    doubt_end();
}
END_TEST

static void put_length(uint16_t sent, enum pprec_verdict verdict)
{
    const struct pprec_train train = {.sent = sent, .received = sent, .verdict = verdict};

    report_put_train(&report, &train);
}

START_TEST(what_a_length_leaves_out_is_said)
{
    options.quiet = true;
    options.train_length = 16;
    doubt_begin();
    put_length(16, PPREC_VERDICT_OK);
    put_length(16, PPREC_VERDICT_FOREIGN_SIZE); /* of mixed sizes */
    assert_said_by(report_say_others, "");
    put_length(4, PPREC_VERDICT_FOREIGN_SIZE);
    assert_said_by(report_say_others,
                   "pprec: -n 16 left out 1 of 3 trains, of 4 packets: without -n all are used\n");
    put_length(64, PPREC_VERDICT_FOREIGN_SIZE);
    put_length(2, PPREC_VERDICT_FOREIGN_SIZE);
    assert_said_by(report_say_others,
                   "pprec: -n 16 left out 3 of 5 trains, of 2 to 64 packets: without -n all are used\n");
    doubt_end();
}
END_TEST

static void add_running(Suite *suite)
{
    TCase *running = tcase_create("running");

    tcase_add_checked_fixture(running, doubt_set_up, doubt_tear_down);
    tcase_add_test(running, the_screen_tells_a_doubt_when_it_changes);
    tcase_add_test(running, the_log_tells_a_doubt_when_it_changes);
    tcase_add_test(running, a_log_begun_anew_tells_a_doubt_at_its_start);
    tcase_add_test(running, json_has_no_lines_of_doubt);
    tcase_add_test(running, after_the_last_train_nothing_is_told);
    tcase_add_test(running, the_status_has_the_doubt);
    tcase_add_test(running, without_an_estimate_it_says_why);
    tcase_add_test(running, what_a_length_leaves_out_is_said);
    suite_add_tcase(suite, running);
}

Suite *doubt_suite(void)
{
    Suite *suite = suite_create("doubt");
    TCase *lines = tcase_create("lines");

    tcase_add_checked_fixture(lines, make_summary, NULL);
    tcase_add_test(lines, a_sentence_has_one_half_or_two);
    tcase_add_test(lines, a_sure_estimate_has_one_too);
    tcase_add_test(lines, the_first_line_of_a_summary);
    tcase_add_test(lines, a_bound_says_what_may_hide_below_it);
    tcase_add_test(lines, a_summary_without_an_estimate_counts);
    tcase_add_test(lines, the_line_of_an_interval);
    suite_add_tcase(suite, lines);
    add_running(suite);
    return suite;
}
