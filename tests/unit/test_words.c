/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an estimate is in doubt and what would help: the words, for programs and for people. And
 * which states are answers. */
#include "filters/estimate.h"
#include "pprec/pprec.h"
#include "tests/unit/suites.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of the filters' own numbers: the library's are the same. */
static const char *const whys[] = {
    [WHY_FEW_TRAINS] = "few_trains",
    [WHY_PAIRS_ALONE] = "pairs_alone",
    [WHY_NO_SEND_TIMES] = "no_send_times",
    [WHY_TRAINS_SLOWER] = "trains_slower",
    [WHY_BATCHES] = "batches",
    [WHY_TWO_RATES] = "two_rates",
    [WHY_SENDER] = "sender",
    [WHY_OWN_LOAD] = "own_load",
    [WHY_LATE_FIRST_STAMP] = "late_first_stamp",
    [WHY_TRAINS_FASTER] = "trains_faster",
    [WHY_LAST_GAPS_LONGER] = "last_gaps_longer",
    [WHY_HEAD_PAUSE] = "head_pause",
    [WHY_NEVER_IDLE] = "never_idle",
    [WHY_STAMPS_COARSE] = "stamps_coarse",
    [WHY_TICKS] = "ticks",
    [WHY_RATE_VARIES] = "rate_varies",
    [WHY_FAIR_QUEUE] = "fair_queue",
    [WHY_CONTENTION] = "contention",
    [WHY_LOSSES] = "losses",
    [WHY_SHORT_BURSTS] = "short_bursts",
};

static const char *const advices[] = {
    [ADVICE_WAIT] = "wait",
    [ADVICE_SEND_MIX] = "send_mix",
    [ADVICE_SEND_LONGER_TRAINS] = "send_longer_trains",
    [ADVICE_SEND_TIMES] = "send_times",
    [ADVICE_SEND_LESS] = "send_less",
    [ADVICE_SEND_LARGER] = "send_larger",
    [ADVICE_SEND_BURSTS] = "send_bursts",
};

_Static_assert(sizeof whys / sizeof whys[0] == WHY_COUNT, "every why");
_Static_assert(sizeof advices / sizeof advices[0] == ADVICE_COUNT, "every advice");

static const char *why_name(int i)
{
    return pprec_why_name((enum pprec_why)i);
}

static const char *why_text(int i)
{
    return pprec_why_text((enum pprec_why)i);
}

static const char *advice_name(int i)
{
    return pprec_advice_name((enum pprec_advice)i);
}

static const char *advice_text(int i)
{
    return pprec_advice_text((enum pprec_advice)i);
}

/* What stands in parentheses, behind others of its kind: no capital, no full stop. */
static void assert_clause(const char *text)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(islower((unsigned char)text[0]), "'%s' begins otherwise", text);
    ck_assert_msg(strpbrk(text, ".;\"\n") == NULL, "'%s' is no clause", text);
    ck_assert_msg(strlen(text) <= 60, "'%s' is long", text);
}

START_TEST(every_why_has_a_word_and_a_text)
{
    ck_assert_str_eq(why_name(_i), whys[_i]);
    assert_clause(why_text(_i));
    for (int other = 1; other < _i; other++)
        ck_assert_str_ne(why_text(other), why_text(_i));
}
END_TEST

START_TEST(every_advice_has_a_word_and_a_text)
{
    ck_assert_str_eq(advice_name(_i), advices[_i]);
    assert_clause(advice_text(_i));
    for (int other = 1; other < _i; other++)
        ck_assert_str_ne(advice_text(other), advice_text(_i));
}
END_TEST

START_TEST(nothing_to_tell_is_no_word)
{
    ck_assert_ptr_null(why_name(WHY_NONE));
    ck_assert_ptr_null(why_text(WHY_NONE));
    ck_assert_ptr_null(advice_name(ADVICE_NONE));
    ck_assert_ptr_null(advice_text(ADVICE_NONE));
}
END_TEST

START_TEST(numbers_that_mean_nothing)
{
    ck_assert_str_eq(why_name(WHY_COUNT), "unknown");
    ck_assert_str_eq(why_text(-1), "unknown");
    ck_assert_str_eq(advice_name(ADVICE_COUNT), "unknown");
    ck_assert_str_eq(advice_text(-1), "unknown");
}
END_TEST

/* --- States --- */

static const bool sure[STATE_COUNT] = {
    [STATE_CONVERGED] = true, [STATE_SHAPED] = true,  [STATE_FAIR] = true,
    [STATE_POLICED] = true,   [STATE_VARYING] = true,
};

START_TEST(some_states_are_answers)
{
    for (int i = -1; i <= STATE_COUNT; i++)
        ck_assert_int_eq(pprec_state_is_sure((enum pprec_state)i), i >= 0 && i < STATE_COUNT && sure[i]);
}
END_TEST

/* --- The manual --- */

static char manual[1 << 16];

static void read_manual(void)
{
    FILE *file = fopen("pprec/pprec.1", "r");

    ck_assert_ptr_nonnull(file);
    manual[fread(manual, 1, sizeof manual - 1, file)] = '\0';
    fclose(file);
}

/* An item of its own between one heading and the next. */
static void assert_item(const char *heading, const char *next, const char *word)
{
    const char *at = strstr(manual, heading), *end = strstr(at + 1, next);
    char item[64];

    snprintf(item, sizeof item, "\n.It Cm %s\n", word);
    at = strstr(at, item);
    ck_assert_msg(at != NULL && at < end, "%s tells nothing of %s", heading, word);
}

START_TEST(every_word_is_in_the_manual)
{
    read_manual();
    for (int i = 0; i < STATE_COUNT; i++)
        assert_item(".Ss States", ".Ss", pprec_state_name((enum pprec_state)i));
    for (int i = WHY_NONE + 1; i < WHY_COUNT; i++)
        assert_item(".Sh WHY AND ADVICE", "The advice is", why_name(i));
    for (int i = ADVICE_NONE + 1; i < ADVICE_COUNT; i++)
        assert_item("The advice is", ".Sh", advice_name(i));
}
END_TEST

Suite *words_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, every_why_has_a_word_and_a_text, WHY_NONE + 1, WHY_COUNT);
    tcase_add_loop_test(all, every_advice_has_a_word_and_a_text, ADVICE_NONE + 1, ADVICE_COUNT);
    tcase_add_test(all, nothing_to_tell_is_no_word);
    tcase_add_test(all, numbers_that_mean_nothing);
    tcase_add_test(all, some_states_are_answers);
    tcase_add_test(all, every_word_is_in_the_manual);
    suite_add_tcase(suite, all);
    return suite;
}
