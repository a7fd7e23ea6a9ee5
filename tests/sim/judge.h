/* SPDX-License-Identifier: BSD-3-Clause */
/* One run before a set of filters, and what became of it. */
#ifndef TESTS_SIM_JUDGE_H
#define TESTS_SIM_JUDGE_H

#include "cases.h"
#include "filters/filter.h"

#include <stdbool.h>
#include <stdint.h>

/* Off by more than this share, and sure of it: the worst outcome. */
#define JUDGE_WRONG 0.05

/* A filter at the end of a run. */
struct verdict_on_run {
    struct estimate estimate;
    double truth_bps;
    bool policer;    /* it has one: sim_case_policed_bps() */
    bool stationary; /* the path is: sim_config_stationary() */
    bool twin;       /* it has one (twin.h), where the jury asks */
    unsigned trains;
    unsigned decided_after; /* trains until it first decided; 0: never */
    unsigned undone;        /* times that it decided and took it back */
    double first_bps;       /* what it first decided; 0: nothing yet */
    double decided_bps;     /* what it last decided; 0: nothing yet */
    unsigned resets;        /* times that it then decided on something else */
    bool ever_wrong;        /* it was sure and off by over JUDGE_WRONG, at some time */
    int64_t spent_ns;       /* processor time in the filter */
};

/* Converged or shaped: an answer that is meant to be used. */
bool judge_decided(const struct estimate *estimate);

/* Of the library, no rival. */
bool judge_ours(const struct filter *filter);

/* Takes the estimate after a train. */
void judge_note(struct verdict_on_run *result, const struct estimate *estimate);

/* Who is judged, and how. */
struct jury {
    const struct filter *const *filters;
    unsigned count;
    unsigned window;
    bool library; /* arrivals through pprec_push(), for the filters that it has;
                     else samples straight to the filter: the same, and faster */
    bool packets; /* trace them too */
    bool twins;   /* look for paths that look the same */
};

/* Runs seed of the case through all filters; results [jury->count]. */
void judge_run(const struct jury *jury, const struct sim_case *row, uint64_t seed,
               struct verdict_on_run *results);

/* Prints the run train by train, with what each filter made of it. */
void judge_trace(const struct jury *jury, const struct sim_case *row, uint64_t seed);

#endif
