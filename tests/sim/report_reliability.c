/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of reliability.h, of our filters. */
#include "report.h"

#include "reliability.h"

#include <stdio.h>

static const char *const group_names[ACCURACY_GROUPS] = {"the table", "beyond it", "random prior"};

/* A figure of nothing is none. */
static void print_share(const char *before, unsigned part, unsigned whole)
{
    if (whole)
        printf("%s%.1f", before, 100.0 * part / whole);
    else
        printf("%s-", before);
}

static bool ours(const struct report *report, unsigned filter)
{
    return judge_ours(report->filters[filter]);
}

static bool ours_that_decides(const struct report *report, unsigned filter)
{
    for (unsigned row = 0; row < report->case_count && ours(report, filter); row++)
        for (unsigned i = 0; i < report->seeds; i++)
            if (accuracy_results(report, row, filter)[i].decided_after)
                return true;
    return false;
}

typedef bool choose(const struct report *report, unsigned filter);
typedef void print(const struct report *report, unsigned filter, enum accuracy_group group);

static bool any(const struct report *report, choose *chosen)
{
    for (unsigned f = 0; f < report->filter_count; f++)
        if (chosen(report, f))
            return true;
    return false;
}

/* A line for each filter chosen and each group that there is. */
static void print_lines(const struct report *report, choose *chosen, print *print_line)
{
    for (unsigned f = 0; f < report->filter_count; f++)
        for (enum accuracy_group group = 0; group < ACCURACY_GROUPS; group++)
            if (chosen(report, f) && accuracy_has(report, group))
                print_line(report, f, group);
}

/* --- Reliability --- */

static struct reliability reliability_of(const struct report *report, unsigned filter,
                                         enum accuracy_group group)
{
    struct reliability sum = {0};

    for (unsigned row = 0; row < report->case_count; row++)
        if (accuracy_group_of(report->cases[row]) == group && !report->cases[row]->unknowable)
            reliability_add(&sum, accuracy_results(report, row, filter), report->seeds);
    return sum;
}

static void print_reliability(const struct report *report, unsigned filter, enum accuracy_group group)
{
    struct reliability sum = reliability_of(report, filter, group);

    printf("| %s | %s |", report->filters[filter]->name, group_names[group]);
    for (unsigned i = 0; i < RELIABILITY_CLASSES; i++) {
        printf(" %u", sum.width[i].decided);
        print_share(" / ", sum.width[i].held, sum.width[i].decided);
        printf(" |");
    }
    printf(" %u", sum.tentative);
    print_share(" / ", sum.within_2, sum.tentative);
    print_share(" / ", sum.within_10, sum.tentative);
    print_share(" / ", sum.tentative_held, sum.tentative);
    printf(" | %u", sum.bounds);
    print_share(" / ", sum.bounds_off, sum.bounds);
    printf(" |\n");
}

static void print_reliability_table(const struct report *report)
{
    puts("\nDecided runs by half the width of their interval, in % of the estimate: how many / "
         "the interval holds, in %. Tentative runs: how many / within 2 % / within 10 % / the "
         "interval holds. sender_limited: how many / the bound is over 1 % above the truth:\n\n"
         "| filter | paths | to .03 | .03 to .3 | .3 to 1 | over 1 | tentative | sender_limited |\n"
         "|---|---|---|---|---|---|---|---|");
    print_lines(report, ours, print_reliability);
}

/* --- Stability --- */

static struct stability stability_of(const struct report *report, unsigned filter, enum accuracy_group group)
{
    struct stability sum = {0};

    for (unsigned row = 0; row < report->case_count; row++)
        if (accuracy_group_of(report->cases[row]) == group && !report->cases[row]->unknowable)
            stability_add(&sum, accuracy_results(report, row, filter), report->seeds);
    return sum;
}

static void print_stability(const struct report *report, unsigned filter, enum accuracy_group group)
{
    struct stability sum = stability_of(report, filter, group);

    printf("| %s | %s | %u of %u |", report->filters[filter]->name, group_names[group], sum.decided,
           sum.runs);
    print_share(" ", sum.lost, sum.decided);
    print_share(" | ", sum.jumped, sum.decided);
    print_share(" | ", sum.first_wrong, sum.decided);
    printf(" |\n");
}

static void print_stability_table(const struct report *report)
{
    puts("\nRuns on paths that stay as they are, links and load: how many decide at some time; of "
         "these, in %, how many lose the decision at least once, go from one decision to another "
         "over 5 % away, and are over 5 % off in the first:\n\n"
         "| filter | paths | decide | lose it | jump | first wrong |\n"
         "|---|---|---|---|---|---|");
    print_lines(report, ours_that_decides, print_stability);
}

/* --- By family --- */

static struct reliability reliability_of_family(const struct report *report, unsigned first, unsigned filter)
{
    struct reliability sum = {0};

    for (unsigned row = first; row < report->case_count; row++)
        if (accuracy_akin(report->cases[first], report->cases[row]))
            reliability_add(&sum, accuracy_results(report, row, filter), report->seeds);
    return sum;
}

static void print_family(const struct report *report, unsigned first)
{
    accuracy_print_family(report->cases[first]);
    for (unsigned f = 0; f < report->filter_count; f++) {
        struct reliability sum = reliability_of_family(report, first, f);
        if (!ours_that_decides(report, f))
            continue;
        printf(" %u of %u / %u", sum.decided, sum.runs, sum.wrong);
        print_share(" / ", sum.held, sum.decided);
        print_share(" / ", sum.tentative_held, sum.tentative);
        printf(" |");
    }
    putchar('\n');
}

/* A case of the table may stand apart from others of its first word. */
static bool is_first_of_family(const struct report *report, unsigned row)
{
    for (unsigned before = 0; before < row; before++)
        if (accuracy_akin(report->cases[before], report->cases[row]))
            return false;
    return true;
}

static void print_family_header(const struct report *report, const char *title)
{
    unsigned columns = 1;

    printf("\n| %s |", title);
    for (unsigned f = 0; f < report->filter_count; f++)
        if (ours_that_decides(report, f)) {
            printf(" %s |", report->filters[f]->name);
            columns++;
        }
    printf("\n|");
    while (columns--)
        printf("---|");
    putchar('\n');
}

static void print_family_tables(const struct report *report)
{
    puts("\nBy family (of the table: cases of one first word; (*) cannot be known): runs decided / "
         "wrong of them / in % of them, the interval holds / in % of tentative ones, it holds:");
    for (enum accuracy_group group = 0; group < ACCURACY_GROUPS; group++) {
        if (!accuracy_has(report, group))
            continue;
        print_family_header(report, group_names[group]);
        for (unsigned row = 0; row < report->case_count; row++)
            if (accuracy_group_of(report->cases[row]) == group && is_first_of_family(report, row))
                print_family(report, row);
    }
}

void accuracy_reliability(const struct report *report)
{
    if (any(report, ours))
        print_reliability_table(report);
    if (!any(report, ours_that_decides))
        return;
    print_stability_table(report);
    print_family_tables(report);
}

/* --- What can be known --- */

static void print_twins(const struct report *report, unsigned filter, bool twin)
{
    struct reliability sum = {0};
    struct stability stability = {0};

    for (unsigned row = 0; row < report->case_count; row++)
        for (unsigned i = 0; i < report->seeds; i++) {
            const struct verdict_on_run *result = &accuracy_results(report, row, filter)[i];
            if (result->twin != twin)
                continue;
            reliability_add(&sum, result, 1);
            stability_add(&stability, result, 1);
        }
    printf("| %s | %s | %u | %u", report->filters[filter]->name, twin ? "unknowable" : "can be known",
           sum.runs, sum.decided);
    print_share(" / ", sum.decided, sum.runs - sum.pairs_alone);
    print_share(" / ", sum.wrong, sum.decided);
    print_share(" / ", sum.held, sum.decided);
    for (unsigned i = 0; i < RELIABILITY_CLASSES; i++)
        print_share(i ? " / " : " | ", sum.width[i].held, sum.width[i].decided);
    print_share(" | ", sum.tentative_held, sum.tentative);
    print_share(" | ", stability.lost, stability.decided);
    print_share(" / ", stability.first_wrong, stability.decided);
    printf(" |\n");
}

void accuracy_twins(const struct report *report)
{
    puts("\nRuns whose path has a twin, which nobody can tell from it, and the others: how many; decided / "
         "share of those that are not pairs_alone, in % / wrong of the decided, in % / the interval holds, "
         "in %; the last by half its width, to .03, .3, 1 %, more; tentative ones hold; of runs that decide, "
         "in "
         "%, how many lose it / are over 5 % off at first:\n\n"
         "| filter | paths | runs | decided | by width | tentative | lose it / first wrong |\n"
         "|---|---|---|---|---|---|---|");
    for (unsigned f = 0; f < report->filter_count; f++)
        for (unsigned twin = 0; ours(report, f) && twin < 2; twin++)
            print_twins(report, f, twin);
}
