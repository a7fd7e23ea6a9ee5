/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of several links, of which one is narrow, and trains whose inner packets die on the way. */
#ifndef TESTS_SIM_LOCATE_H
#define TESTS_SIM_LOCATE_H

#include "sim.h"

#include <stdbool.h>
#include <stdint.h>

struct locate_case {
    const char *name;
    const char *text;
    void (*build)(const struct locate_case *row, struct sim_rng *rng, struct sim_config *config);
    double load;  /* of every link but the sender's own */
    double right; /* share of runs that name the narrow link, and no other: reached ... */
    double wrong; /* ... and that name others, of paths that mislead */
    unsigned trains_a_hop;
};

enum locate_verdict {
    LOCATE_RIGHT,  /* the narrow link, by itself */
    LOCATE_RANGE,  /* a range, and it is in it */
    LOCATE_SILENT, /* nothing is told */
    LOCATE_WRONG,  /* told without it */
    LOCATE_VERDICTS
};

struct locate_result {
    enum locate_verdict verdict;
    unsigned narrow; /* in truth */
    unsigned known;  /* for one who knows its rate, and that other links are much faster */
    double truth_bps;
    unsigned hops_held, hops_told; /* intervals with the truth in them, of those that are converged */
    unsigned bounds_held, bounds;  /* lower bounds that are */
    struct pprec_hops_summary summary;
    struct pprec_hop hop[64];
};

extern const struct locate_case locate_cases[];
extern const unsigned locate_case_count;

void locate_config(const struct locate_case *row, uint64_t seed, struct sim_config *config);

/* first to last: the links that are told, first 0: none; holds: one of them is right. */
enum locate_verdict locate_verdict_on(unsigned first, unsigned last, bool holds);

/* What is reached, and what chance adds to it; what is right in all runs stays so. */
bool locate_passes(double right, double wrong, unsigned seeds, const unsigned of[LOCATE_VERDICTS]);

/* A handle that has had the whole run, and time enough behind it; the caller's to free. */
struct pprec *locate_push(const struct sim_run *run);

/* Through the library, from first arrival to last. */
void locate_run(const struct sim_config *config, uint64_t seed, struct locate_result *result);

#endif
