/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of which something is free: what is told of available bandwidth is judged on them. */
#ifndef TESTS_SIM_FREE_CASES_H
#define TESTS_SIM_FREE_CASES_H

#include "rng.h"
#include "sim.h"

#include <stdbool.h>

enum free_group {
    FREE_ONE,     /* one loaded link: goals are set, and it was tuned on */
    FREE_SEVERAL, /* several of them: likewise */
    FREE_NEW_ONE, /* the same two, drawn otherwise: only judged on */
    FREE_NEW_SEVERAL,
    FREE_LINKS, /* links that people have, and ends that mislead: only judged on */
    FREE_GROUPS
};

struct free_case {
    const char *name;
    const char *text;
    enum free_group group;
    void (*build)(const struct free_case *row, struct sim_rng *rng, struct sim_config *config);
    double rate_bps; /* of the narrow link, to a quarter */
    enum sim_source source;
    double most_load;
    const char *like; /* the path and ends of that one of cases.h, with our trains */
};

extern const struct free_case free_cases[];
extern const unsigned free_case_count;

enum { FREE_TRAINS = 480 };
#define FREE_LOAD 0.05 /* of our own trains, share of the narrow link */

void free_case_config(const struct free_case *row, uint64_t seed, struct sim_config *config);

/* What is free of the path from the first packet of one train to that of another: by the count of
 * each hop. Of a fair queue: the share. */
double free_truth_bps(const struct sim_config *config, const struct sim_run *run, uint32_t from, uint32_t to);

/* As pptrans --available LOW-HIGH sends, at this load on average. */
void free_send_available(struct sim_sender_config *sender, double low_bps, double high_bps, double load_bps);

/* Instead, as pptrans sends by itself: as many trains at the same load. */
void free_send_mix(struct sim_sender_config *sender);

/* Instead, chirps of as many packets over the same rates, at the same load; reflected: faster and
 * faster away from the middle of the rates, to either side of it. */
void free_send_chirps(struct sim_sender_config *sender, bool reflected);

#endif
