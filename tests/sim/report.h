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
    bool by_case;                   /* no table of families: theirs are cases like others */
};

/* What is summed up by itself. */
enum accuracy_group { ACCURACY_GOALS, ACCURACY_BEYOND, ACCURACY_RANDOM, ACCURACY_GROUPS };

struct accuracy_total {
    unsigned goals, met, runs, decided, wrong, covered; /* as in struct score */
};

/* A case whose name begins with "random" is of the random prior. */
enum accuracy_group accuracy_group_of(const struct sim_case *row);

/* Of one group and of one family; in the table of goals that is what shares the name's first
 * word. */
bool accuracy_akin(const struct sim_case *a, const struct sim_case *b);

bool accuracy_has(const struct report *report, enum accuracy_group group);

/* Of all cases of the group that can be known. */
struct accuracy_total accuracy_total(const struct report *report, unsigned filter, enum accuracy_group group);

/* The first cell of a family's line. */
void accuracy_print_family(const struct sim_case *row);

/* Those of one case and filter, [report->seeds]. */
const struct verdict_on_run *accuracy_results(const struct report *report, unsigned row, unsigned filter);

/* Cases of the table by filters; then families by filters. */
void accuracy_matrix(const struct report *report);

/* The cases in which another filter does better than the first. */
void accuracy_beaten(const struct report *report);

/* A line for each case and filter, with all figures. */
void accuracy_detail(const struct report *report);

/* A line for each filter and group. */
void accuracy_totals(const struct report *report);

/* Of our filters, group by group and family by family: how far states and intervals hold, and
 * whether decisions last where the path does (reliability.h). */
void accuracy_reliability(const struct report *report);

/* The same for runs that have a twin (twin.h), and for those that have none. */
void accuracy_twins(const struct report *report);

/* Whether the first filter misses at most so many goals, and both in the table and beyond it
 * decides as often, is wrong as rarely, and holds the truth as often as gate.c says that it
 * does; prints each figure and its limit. */
bool accuracy_gate(const struct report *report, unsigned misses);

/* The runs that were confidently wrong, as options that run them again. */
void accuracy_wrongs(const struct report *report);

#endif
