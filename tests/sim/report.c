/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "score.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const struct verdict_on_run *accuracy_results(const struct report *report, unsigned row,
                                            unsigned filter)
{
    return report->results + (size_t)(row * report->filter_count + filter) * report->seeds;
}

static double percent(unsigned part, unsigned whole)
{
    return whole ? 100.0 * part / whole : 0;
}

static void print_error(double error)
{
    if (isnan(error))
        printf(" -");
    else
        printf(" %.2f", 100 * error);
}

static void print_goal(const struct sim_case *row)
{
    if (row->tolerance > 0)
        printf(" %g / %g |", 100 * row->tolerance, 100 * row->share);
    else
        printf(" - |");
}

void accuracy_matrix(const struct report *report)
{
    puts("90th percentile of the error / runs decided / runs wrong, in %:\n");
    printf("| case | trains | goal |");
    for (unsigned f = 0; f < report->filter_count; f++)
        printf(" %s |", report->filters[f]->name);
    printf("\n|---|---|---|");
    for (unsigned f = 0; f < report->filter_count; f++)
        printf("---|");
    for (unsigned row = 0; row < report->case_count; row++) {
        const struct sim_case *c = report->cases[row];
        printf("\n| %s | %u |", c->name, c->trains);
        print_goal(c);
        for (unsigned f = 0; f < report->filter_count; f++) {
            struct score score;
            score_runs(accuracy_results(report, row, f), report->seeds, &score);
            print_error(score.error_p90);
            printf(" / %.0f / %.1f%s |", percent(score.decided, score.runs),
                   percent(score.wrong, score.runs), score_passes(&score, c) ? "" : " x");
        }
    }
    puts("\n");
}

void accuracy_detail(const struct report *report)
{
    puts("Percentages; error: 90th percentile, of decided runs and of all; width: median of "
         "the interval's; after: median of the trains until decided; undone: decisions taken "
         "back, resets: decisions over 5 % from the one before, both in 10 000 trains.\n\n"
         "| case | filter | error | of all | decided | wrong | covered | width | after | "
         "undone | resets | |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned row = 0; row < report->case_count; row++)
        for (unsigned f = 0; f < report->filter_count; f++) {
            struct score score;
            score_runs(accuracy_results(report, row, f), report->seeds, &score);
            printf("| %s | %s |", report->cases[row]->name, report->filters[f]->name);
            print_error(score.error_p90);
            printf(" |");
            print_error(score.error_all_p90);
            printf(" | %.0f | %.1f | %.1f |", percent(score.decided, score.runs),
                   percent(score.wrong, score.runs), percent(score.covered, score.decided));
            print_error(score.width_p50);
            printf(" | %u | %.1f | %.2f | %s |\n", score.decided_after_p50,
                   1e4 * score.undone / (double)score.trains,
                   1e4 * score.resets / (double)score.trains,
                   score_passes(&score, report->cases[row]) ? "" : "x");
        }
    puts("");
}

struct total {
    unsigned goals, met, decided, wrong, covered;
};

static struct total total_of(const struct report *report, unsigned filter)
{
    struct total total = {0};

    for (unsigned row = 0; row < report->case_count; row++) {
        const struct sim_case *c = report->cases[row];
        struct score score;
        score_runs(accuracy_results(report, row, filter), report->seeds, &score);
        total.goals += c->tolerance > 0;
        total.met += c->tolerance > 0 && score_passes(&score, c);
        total.decided += score.decided;
        total.wrong += score.wrong;
        total.covered += score.covered;
    }
    return total;
}

static void print_total(const struct report *report, unsigned filter)
{
    struct total total = total_of(report, filter);

    printf("| %s | %u of %u | %u of %u | %u (%.2f %%) | %.1f %% |\n",
           report->filters[filter]->name, total.met, total.goals, total.decided,
           report->case_count * report->seeds, total.wrong, percent(total.wrong, total.decided),
           percent(total.covered, total.decided));
}

bool accuracy_gate(const struct report *report, unsigned misses)
{
    struct total total = total_of(report, 0);

    return total.goals - total.met <= misses && percent(total.wrong, total.decided) <= 0.5 &&
           percent(total.covered, total.decided) >= 93;
}

void accuracy_totals(const struct report *report)
{
    puts("| filter | goals met | decided runs | wrong, of decided | interval holds |\n"
         "|---|---|---|---|---|");
    for (unsigned f = 0; f < report->filter_count; f++)
        print_total(report, f);
}

void accuracy_wrongs(const struct report *report)
{
    for (unsigned row = 0; row < report->case_count; row++)
        for (unsigned f = 0; f < report->filter_count; f++)
            for (unsigned i = 0; i < report->seeds; i++) {
                const struct verdict_on_run *result = &accuracy_results(report, row, f)[i];
                double ratio = result->estimate.capacity_bps / result->truth_bps;
                if (judge_decided(&result->estimate) && fabs(ratio - 1) > SCORE_WRONG)
                    printf("wrong: --cases %s --first-seed %" PRIu64 " --filters %s: %.4f\n",
                           report->cases[row]->name, report->first_seed + i,
                           report->filters[f]->name, ratio);
            }
}
