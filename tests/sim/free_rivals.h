/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of the field for available bandwidth, to be measured beside ours: each as its source
 * describes it, on the same arrivals, or on its own trains over the same path at the same load. All
 * are told the true capacity; none gives an interval or a state. */
#ifndef TESTS_SIM_FREE_RIVALS_H
#define TESTS_SIM_FREE_RIVALS_H

#include "samples.h"
#include "sim.h"

enum free_trains { FREE_OURS, FREE_MIX, FREE_CHIRPS, FREE_REFLECTED };

/* What a rule has to go by. */
struct free_evidence {
    const struct sim_config *config;
    const struct sim_run *run;
    const struct sim_samples *samples; /* measured */
    double capacity_bps;
};

struct free_rival {
    const char *name;
    const char *text;
    enum free_trains trains;
    double (*rule)(const struct free_evidence *evidence); /* bit/s; NAN: no answer */
};

extern const struct free_rival free_rivals[];
extern const unsigned free_rival_count;

#endif
