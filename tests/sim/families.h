/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs: each function draws one, within what its case says. The
 * number of trains is set before. */
#ifndef TESTS_SIM_FAMILIES_H
#define TESTS_SIM_FAMILIES_H

#include "cases.h"

#define MBPS 1e6
#define GBPS 1e9

void sim_build_idle(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_loaded(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_config *config);
void sim_build_twice(const struct sim_case *row, struct sim_rng *rng,
                     struct sim_config *config);
void sim_build_after(const struct sim_case *row, struct sim_rng *rng,
                     struct sim_config *config);
void sim_build_hops(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_pareto(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_config *config);
void sim_build_sizes(const struct sim_case *row, struct sim_rng *rng,
                     struct sim_config *config);
void sim_build_bucket(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_config *config);
void sim_build_tick(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_coalescing(const struct sim_case *row, struct sim_rng *rng,
                          struct sim_config *config);
void sim_build_loss(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_disorder(const struct sim_case *row, struct sim_rng *rng,
                        struct sim_config *config);
void sim_build_skew(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_step(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_change(const struct sim_case *row, struct sim_rng *rng,
                      struct sim_config *config);
void sim_build_reroute(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config);
void sim_build_through(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config);
void sim_build_slow_sender(const struct sim_case *row, struct sim_rng *rng,
                           struct sim_config *config);
void sim_build_busy_sender(const struct sim_case *row, struct sim_rng *rng,
                           struct sim_config *config);
void sim_build_tiny(const struct sim_case *row, struct sim_rng *rng,
                    struct sim_config *config);
void sim_build_classic(const struct sim_case *row, struct sim_rng *rng,
                       struct sim_config *config);
void sim_build_tcp(const struct sim_case *row, struct sim_rng *rng,
                   struct sim_config *config);
void sim_build_paper(const struct sim_case *row, struct sim_rng *rng,
                     struct sim_config *config);
void sim_build_any(const struct sim_case *row, struct sim_rng *rng,
                   struct sim_config *config);

#endif
