/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of several links, of which one has the least free, and paced trains whose load dies on the way. */
#ifndef TESTS_SIM_TIGHT_H
#define TESTS_SIM_TIGHT_H

#include "locate.h"
#include "sim.h"

#include <stdbool.h>
#include <stdint.h>

struct tight_case {
    const char *name;
    const char *text;
    void (*build)(const struct tight_case *row, struct sim_rng *rng, struct sim_config *config);
    double load;
    double right; /* share of runs that name the tight link, and no other: reached ... */
    double wrong; /* ... and that name others, of paths that mislead */
};

struct tight_result {
    enum locate_verdict verdict;
    unsigned tight;               /* in truth */
    double free_bps[64];          /* of each link, in truth */
    unsigned near, guesses;       /* guesses of single hops within a quarter of the truth */
    unsigned bounds_held, bounds; /* lower bounds that are */
    struct pprec_hops_summary summary;
    struct pprec_available available;
    struct pprec_capacity capacity;
    struct pprec_hop hop[64];
};

extern const struct tight_case tight_cases[];
extern const unsigned tight_case_count;

void tight_config(const struct tight_case *row, uint64_t seed, struct sim_config *config);

/* Through the library, from first arrival to last. */
void tight_run(const struct sim_config *config, uint64_t seed, struct tight_result *result);

#endif
