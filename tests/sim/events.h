/* SPDX-License-Identifier: BSD-3-Clause */
/* The path with an event queue: for TCP, whose packets depend on what became of
 * the packets before. Slower than path.c, and the same otherwise. */
#ifndef TESTS_SIM_EVENTS_H
#define TESTS_SIM_EVENTS_H

#include "probes.h"

/* As sim_path_run(). */
void sim_events_run(const struct sim_path_config *path, uint64_t seed, struct sim_probe *probes, size_t count,
                    struct sim_background *background);

#endif
