/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of many runs as Markdown, on standard output. */
#ifndef TESTS_SIM_REPORT_H
#define TESTS_SIM_REPORT_H

#include "cases.h"
#include "judge.h"

#include <stdbool.h>

struct report {
    const struct sim_case *const *cases;
    unsigned case_count;
    const struct filter *const *filters;
    unsigned filter_count;
    uint64_t first_seed;
    unsigned seeds;
    struct verdict_on_run *results; /* by case, then filter, then seed */
    bool by_case; /* no table of families: theirs are cases like others */
};

/* Those of one case and filter, [report->seeds]. */
const struct verdict_on_run *accuracy_results(const struct report *report, unsigned row,
                                            unsigned filter);

/* Cases by filters; then families by filters. */
void accuracy_matrix(const struct report *report);

/* The cases in which another filter does better than the first. */
void accuracy_beaten(const struct report *report);

/* A line for each case and filter, with all figures. */
void accuracy_detail(const struct report *report);

/* A line for each filter: the table of goals, and the families beyond it. */
void accuracy_totals(const struct report *report);

/* Whether the first filter misses at most so many goals, is confidently wrong in at most
 * 0.5 % of its decisions, and holds the truth in its interval in at least 93 % of them; the
 * families do not count. */
bool accuracy_gate(const struct report *report, unsigned misses);

/* The runs that were confidently wrong, as options that run them again. */
void accuracy_wrongs(const struct report *report);

#endif
