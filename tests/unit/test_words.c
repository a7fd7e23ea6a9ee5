/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an estimate is in doubt and what would help: the words, for programs and for people. */
#include "filters/estimate.h"
#include "pprec/pprec.h"
#include "tests/unit/suites.h"

#include <ctype.h>
#include <string.h>

/* Of the filters' own numbers: the library's are the same. */
static const char *const whys[] = {
    [WHY_FEW_TRAINS] = "few_trains",       [WHY_PAIRS_ALONE] = "pairs_alone",
    [WHY_NO_SEND_TIMES] = "no_send_times", [WHY_TRAINS_SLOWER] = "trains_slower",
    [WHY_BATCHES] = "batches",             [WHY_TWO_RATES] = "two_rates",
    [WHY_SENDER] = "sender",               [WHY_OWN_LOAD] = "own_load",
};

static const char *const advices[] = {
    [ADVICE_WAIT] = "wait",
    [ADVICE_SEND_MIX] = "send_mix",
    [ADVICE_SEND_LONGER_TRAINS] = "send_longer_trains",
    [ADVICE_SEND_TIMES] = "send_times",
    [ADVICE_SEND_LESS] = "send_less",
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

Suite *words_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, every_why_has_a_word_and_a_text, WHY_NONE + 1, WHY_COUNT);
    tcase_add_loop_test(all, every_advice_has_a_word_and_a_text, ADVICE_NONE + 1, ADVICE_COUNT);
    tcase_add_test(all, nothing_to_tell_is_no_word);
    tcase_add_test(all, numbers_that_mean_nothing);
    suite_add_tcase(suite, all);
    return suite;
}
