/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of hops, its cross traffic, and the probes that go through it. */
#ifndef TESTS_SIM_PATH_H
#define TESTS_SIM_PATH_H

#include "probes.h"

#include <stddef.h>
#include <stdint.h>

/* Sends the probes, in order of left_ps, through the path; fills arrived_ps and
 * wait_ps. Each source of traffic draws from the seed and its index. */
void sim_path_run(const struct sim_path_config *path, uint64_t seed, struct sim_probe *probes, size_t count,
                  struct sim_background *background);

/* The truth to be found: the least sustained rate of its hops. */
uint64_t sim_path_capacity_bps(const struct sim_path_config *path, int64_t at_ns);

/* How long before its trains the path is run, to forget its start. */
int64_t sim_path_warmup_ps(const struct sim_path_config *path);

/* Load of a hop by cross traffic that is not TCP, share of its capacity. */
double sim_path_load(const struct sim_path_config *path, unsigned hop);

#endif
