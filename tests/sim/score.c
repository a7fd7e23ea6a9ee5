/* SPDX-License-Identifier: BSD-3-Clause */
#include "score.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

static int score_by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The least value that at least this share of them do not exceed. */
static double score_quantile(double *values, unsigned count, double share)
{
    unsigned rank;

    if (count == 0)
        return NAN;
    qsort(values, count, sizeof(*values), score_by_value);
    rank = (unsigned)ceil(share * count);
    return values[rank ? rank - 1 : 0];
}

double score_error(const struct verdict_on_run *result)
{
    return fabs(result->estimate.capacity_bps / result->truth_bps - 1);
}

bool score_wrong(const struct verdict_on_run *result)
{
    return score_error(result) > JUDGE_WRONG || (result->estimate.state == STATE_POLICED && !result->policer);
}

bool score_holds(const struct verdict_on_run *result)
{
    const struct estimate *estimate = &result->estimate;

    return estimate->low_bps <= result->truth_bps && result->truth_bps <= estimate->high_bps;
}

static void score_add(struct score *score, const struct verdict_on_run *result)
{
    score->runs++;
    score->trains += result->trains;
    score->undone += result->undone;
    score->resets += result->resets;
    score->spent_ns += (double)result->spent_ns;
    if (!judge_decided(&result->estimate))
        return;
    score->decided++;
    score->wrong += score_wrong(result);
    score->covered += score_holds(result);
}

static unsigned median_decided_after(const struct verdict_on_run *results, unsigned runs)
{
    double *trains = sim_allocate(runs, sizeof(*trains));
    unsigned count = 0;
    double median;

    for (unsigned i = 0; i < runs; i++)
        if (results[i].decided_after)
            trains[count++] = results[i].decided_after;
    median = score_quantile(trains, count, 0.5);
    free(trains);
    return count ? (unsigned)median : 0;
}

void score_runs(const struct verdict_on_run *results, unsigned runs, struct score *score)
{
    double *all = sim_allocate(runs, sizeof(*all));
    double *errors = sim_allocate(runs, sizeof(*errors));
    double *widths = sim_allocate(runs, sizeof(*widths));
    unsigned decided = 0;

    *score = (struct score){0};
    for (unsigned i = 0; i < runs; i++) {
        const struct estimate *estimate = &results[i].estimate;
        score_add(score, &results[i]);
        all[i] = score_error(&results[i]);
        if (!judge_decided(estimate))
            continue;
        errors[decided] = all[i];
        widths[decided++] = (estimate->high_bps - estimate->low_bps) / results[i].truth_bps;
    }
    score->spent_ns /= (double)(score->trains ? score->trains : 1);
    score->error_all_p90 = score_quantile(all, runs, 0.9);
    score->error_p90 = score_quantile(errors, decided, 0.9);
    score->width_p50 = score_quantile(widths, decided, 0.5);
    score->decided_after_p50 = median_decided_after(results, runs);
    free(all);
    free(errors);
    free(widths);
}

bool score_passes(const struct score *score, const struct sim_case *row)
{
    if (row->tolerance <= 0)
        return true;
    return score->decided >= row->share * score->runs && score->decided > 0
        && score->error_p90 <= row->tolerance;
}
