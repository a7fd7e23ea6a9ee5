/* SPDX-License-Identifier: BSD-3-Clause */
/* One case: a family of paths, and what is asked of an estimator there. */
#ifndef TESTS_SIM_CASE_H
#define TESTS_SIM_CASE_H

#include "rng.h"
#include "sim.h"

#include <stdbool.h>

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

#endif
