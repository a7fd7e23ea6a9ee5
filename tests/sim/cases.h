/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases that the estimators are judged on: each a family of paths, from
 * which every seed draws one. */
#ifndef TESTS_SIM_CASES_H
#define TESTS_SIM_CASES_H

#include "rng.h"
#include "sim.h"

#include <stdbool.h>

/* Seeds to tune on, and seeds to judge by: never look at the latter's runs one
 * by one. */
enum { SIM_SEEDS_TUNING = 1, SIM_SEEDS_HELD_BACK = 1000000 };

struct sim_case {
    const char *name;
    const char *text;   /* for --help */
    const char *family; /* NULL: of the table of goals; else reported with its kind */
    bool unknowable;    /* by anybody, from such trains: shown, but not summed up */
    void (*build)(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config);
    unsigned trains;
    double tolerance; /* that the 90th percentile of the error must keep; 0: none set */
    double share;     /* of runs that must be decided */
    /* What build() needs, as far as it needs it. */
    double load;
    double narrow_bps;
    double sender_bps;
    unsigned hops;
    unsigned train_length; /* 0: drawn */
    enum sim_mix mix;
    int64_t coalesce_ns;
    double factor;  /* of a rate change; of the rate from hop to hop */
    unsigned flows; /* of TCP */
    int64_t propagation_ns;
    double deschedule;
    /* Of the families beyond the table: ranges to draw from. */
    double most_bps;   /* of the narrow link, from narrow_bps */
    unsigned shortest; /* trains, powers of two; 0: the mix */
    unsigned longest;
};

extern const struct sim_case sim_cases[];
extern const unsigned sim_case_count;

/* NULL when there is none of that name. */
const struct sim_case *sim_case_find(const char *name);

/* The run that seed draws from the case. */
void sim_case_config(const struct sim_case *row, uint64_t seed, struct sim_config *config);

/* The capacity to be found at the end of the run. An adapter narrower than the path
 * is the narrow link, unless departures show it: then the path is what is asked for,
 * and only `sender_limited` an honest answer. */
double sim_case_truth_bps(const struct sim_config *config);

/* What a long train gets of a fair queue among flows that never pause; infinite: there
 * is none. */
double sim_case_share_bps(const struct sim_config *config);

/* What a policer lets pass; infinite: there is none. */
double sim_case_policed_bps(const struct sim_config *config);

#endif
