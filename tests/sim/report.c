/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "score.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct verdict_on_run *accuracy_results(const struct report *report, unsigned row, unsigned filter)
{
    return report->results + (size_t)(row * report->filter_count + filter) * report->seeds;
}

static double report_percent(unsigned part, unsigned whole)
{
    return whole ? 100.0 * part / whole : 0;
}

/* --- Groups and families --- */

enum accuracy_group accuracy_group_of(const struct sim_case *row)
{
    if (strncmp(row->name, "random", strlen("random")) == 0)
        return ACCURACY_RANDOM;
    return row->family ? ACCURACY_BEYOND : ACCURACY_GOALS;
}

/* Of the table of goals, what shares the name's first word. */
static const char *family_of(const struct sim_case *row, int *length)
{
    *length = (int)(row->family ? strlen(row->family) : strcspn(row->name, "-"));
    return row->family ? row->family : row->name;
}

bool accuracy_akin(const struct sim_case *a, const struct sim_case *b)
{
    int length_a, length_b;
    const char *family_a = family_of(a, &length_a);
    const char *family_b = family_of(b, &length_b);

    return accuracy_group_of(a) == accuracy_group_of(b) && length_a == length_b
        && strncmp(family_a, family_b, (size_t)length_a) == 0;
}

bool accuracy_has(const struct report *report, enum accuracy_group group)
{
    for (unsigned row = 0; row < report->case_count; row++)
        if (accuracy_group_of(report->cases[row]) == group)
            return true;
    return false;
}

/* Cannot be known, and is in no sum. */
static const char *mark(const struct sim_case *c)
{
    return c->unknowable ? " (*)" : "";
}

void accuracy_print_family(const struct sim_case *row)
{
    int length;
    const char *family = family_of(row, &length);

    printf("| %.*s%s |", length, family, mark(row));
}

/* --- The table of goals --- */

static void print_error(double error)
{
    if (isnan(error))
        printf(" -");
    else
        printf(" %.2f", 100 * error);
}

/* Of decided runs; in brackets, of all, where none is. */
static void print_error_of(const struct score *score)
{
    if (score->decided > 0)
        print_error(score->error_p90);
    else
        printf(" (%.2f)", 100 * score->error_all_p90);
}

static void print_goal(const struct sim_case *row)
{
    if (row->tolerance > 0)
        printf(" %g / %g |", 100 * row->tolerance, 100 * row->share);
    else
        printf(" - |");
}

static void print_header(const struct report *report, const char *left, unsigned columns)
{
    printf("%s", left);
    for (unsigned f = 0; f < report->filter_count; f++)
        printf(" %s |", report->filters[f]->name);
    printf("\n|");
    for (unsigned i = 0; i < columns + report->filter_count; i++)
        printf("---|");
    putchar('\n');
}

static void report_print_row(const struct report *report, unsigned row)
{
    const struct sim_case *c = report->cases[row];

    printf("| %s%s | %u |", c->name, mark(c), c->trains);
    print_goal(c);
    for (unsigned f = 0; f < report->filter_count; f++) {
        struct score score;
        score_runs(accuracy_results(report, row, f), report->seeds, &score);
        print_error_of(&score);
        printf(" / %.0f / %.1f%s |", report_percent(score.decided, score.runs),
               report_percent(score.wrong, score.runs), score_passes(&score, c) ? "" : " x");
    }
    putchar('\n');
}

/* --- Sums --- */

static void report_add(struct accuracy_total *total, const struct report *report, unsigned row,
                       unsigned filter)
{
    const struct sim_case *c = report->cases[row];
    struct score score;

    score_runs(accuracy_results(report, row, filter), report->seeds, &score);
    total->goals += c->tolerance > 0;
    total->met += c->tolerance > 0 && score_passes(&score, c);
    total->runs += score.runs;
    total->decided += score.decided;
    total->wrong += score.wrong;
    total->covered += score.covered;
}

struct accuracy_total accuracy_total(const struct report *report, unsigned filter, enum accuracy_group group)
{
    struct accuracy_total total = {0};

    for (unsigned row = 0; row < report->case_count; row++)
        if (accuracy_group_of(report->cases[row]) == group && !report->cases[row]->unknowable)
            report_add(&total, report, row, filter);
    return total;
}

/* --- Beyond the table of goals --- */

/* One line: the cases of a family, from first up to before end. */
static void print_sum(const struct report *report, unsigned first, unsigned end)
{
    accuracy_print_family(report->cases[first]);
    for (unsigned f = 0; f < report->filter_count; f++) {
        struct accuracy_total total = {0};
        for (unsigned row = first; row < end; row++)
            report_add(&total, report, row, f);
        printf(" %.0f / %.1f |", report_percent(total.decided, total.runs),
               report_percent(total.wrong, total.runs));
    }
    putchar('\n');
}

/* A family stands together; a case of the table of goals stands alone. */
static unsigned end_of_family(const struct report *report, unsigned first)
{
    unsigned end = first + 1;

    while (end < report->case_count && accuracy_akin(report->cases[first], report->cases[end]))
        end++;
    return end;
}

static void print_families(const struct report *report)
{
    puts("Beyond the table of goals, what misleads: runs decided / runs wrong, in %; "
         "(*) cannot be known and is not summed up:\n");
    print_header(report, "| family |", 1);
    for (unsigned row = 0, end; row < report->case_count; row = end) {
        end = end_of_family(report, row);
        if (accuracy_group_of(report->cases[row]) != ACCURACY_GOALS)
            print_sum(report, row, end);
    }
    putchar('\n');
}

void accuracy_matrix(const struct report *report)
{
    if (accuracy_has(report, ACCURACY_GOALS) || report->by_case) {
        puts("90th percentile of the error (in brackets: of runs of which none is decided) / runs "
             "decided / runs wrong, in %; x: the goal is missed:\n");
        print_header(report, "| case | trains | goal |", 3);
        for (unsigned row = 0; row < report->case_count; row++)
            if (accuracy_group_of(report->cases[row]) == ACCURACY_GOALS || report->by_case)
                report_print_row(report, row);
        putchar('\n');
    }
    if (!report->by_case && (accuracy_has(report, ACCURACY_BEYOND) || accuracy_has(report, ACCURACY_RANDOM)))
        print_families(report);
}

/* Clocks alone run that far apart: less is no difference. */
#define NO_DIFFERENCE 1e-4

/* As many runs decided, no more of them wrong, and a smaller error. */
static bool does_better(const struct score *rival, const struct score *first)
{
    return rival->decided >= first->decided && rival->wrong <= first->wrong
        && rival->error_p90 < first->error_p90 - NO_DIFFERENCE;
}

static void print_better(const struct report *report, unsigned row)
{
    struct score first, rival;

    score_runs(accuracy_results(report, row, 0), report->seeds, &first);
    for (unsigned f = 1; f < report->filter_count; f++) {
        score_runs(accuracy_results(report, row, f), report->seeds, &rival);
        if (first.decided > 0 && does_better(&rival, &first))
            printf("- %s: %s, %.2f %% (%s: %.2f %%)\n", report->cases[row]->name, report->filters[f]->name,
                   100 * rival.error_p90, report->filters[0]->name, 100 * first.error_p90);
    }
}

void accuracy_beaten(const struct report *report)
{
    if (report->filter_count < 2)
        return;
    printf("Where another does better than %s, by the 90th percentile of the error (as many "
           "runs decided, no more of them wrong):\n\n",
           report->filters[0]->name);
    for (unsigned row = 0; row < report->case_count; row++)
        if (!report->cases[row]->unknowable)
            print_better(report, row);
    putchar('\n');
}

void accuracy_detail(const struct report *report)
{
    puts("Percentages; error: 90th percentile, of decided runs and of all; width: median of "
         "the interval's; after: median of the trains until decided; undone: decisions taken "
         "back, resets: decisions over 5 % from the one before, both in 10 000 trains; ns: of "
         "processor a train.\n\n"
         "| case | filter | error | of all | decided | wrong | covered | width | after | "
         "undone | resets | ns | |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned row = 0; row < report->case_count; row++)
        for (unsigned f = 0; f < report->filter_count; f++) {
            struct score score;
            score_runs(accuracy_results(report, row, f), report->seeds, &score);
            printf("| %s | %s |", report->cases[row]->name, report->filters[f]->name);
            print_error(score.error_p90);
            printf(" |");
            print_error(score.error_all_p90);
            printf(" | %.0f | %.1f | %.1f |", report_percent(score.decided, score.runs),
                   report_percent(score.wrong, score.runs), report_percent(score.covered, score.decided));
            print_error(score.width_p50);
            printf(" | %u | %.1f | %.2f | %.0f | %s |\n", score.decided_after_p50,
                   1e4 * score.undone / (double)score.trains, 1e4 * score.resets / (double)score.trains,
                   score.spent_ns, score_passes(&score, report->cases[row]) ? "" : "x");
        }
    puts("");
}

static void print_total(const struct report *report, unsigned filter, enum accuracy_group group)
{
    struct accuracy_total total = accuracy_total(report, filter, group);

    printf("| %s | %u of %u |", report->filters[filter]->name, total.met, total.goals);
    printf(" %u of %u | %u (%.2f %%) | %.1f %% |\n", total.decided, total.runs, total.wrong,
           report_percent(total.wrong, total.decided), report_percent(total.covered, total.decided));
}

void accuracy_totals(const struct report *report)
{
    static const char *const titles[ACCURACY_GROUPS] = {"filter", "beyond the table", "random prior"};

    for (enum accuracy_group group = 0; group < ACCURACY_GROUPS; group++) {
        if (!accuracy_has(report, group))
            continue;
        printf("%s| %s | goals met | decided runs | wrong, of decided | interval holds |\n"
               "|---|---|---|---|---|\n",
               group > 0 ? "\n" : "", titles[group]);
        for (unsigned f = 0; f < report->filter_count; f++)
            print_total(report, f, group);
    }
}

void accuracy_wrongs(const struct report *report)
{
    for (unsigned row = 0; row < report->case_count; row++)
        for (unsigned f = 0; f < report->filter_count; f++)
            for (unsigned i = 0; i < report->seeds; i++) {
                const struct verdict_on_run *result = &accuracy_results(report, row, f)[i];
                double ratio = result->estimate.capacity_bps / result->truth_bps;
                if (judge_decided(&result->estimate) && score_wrong(result))
                    printf("wrong: --cases %s --first-seed %" PRIu64 " --filters %s: %.4f\n",
                           report->cases[row]->name, report->first_seed + i, report->filters[f]->name, ratio);
            }
}
