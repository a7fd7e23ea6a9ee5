/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapers of hop.c that stand in files of their own. Each is told of a packet that
 * arrives, in order of time, and says when its first bit leaves: so that bytes at
 * rate_bps later its last bit does. */
#ifndef TESTS_SIM_HOP_SHAPERS_H
#define TESTS_SIM_HOP_SHAPERS_H

#include <stdint.h>

struct sim_hop;

int64_t sim_bucket_start_ps(struct sim_hop *hop, int64_t ready_ps, uint32_t bytes);
int64_t sim_fair_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes);
int64_t sim_contention_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes);
int64_t sim_grant_start_ps(struct sim_hop *hop, int64_t now_ps, uint32_t bytes);

/* What a rate that varies is at that time. */
uint64_t sim_varied_bps(const struct sim_hop *hop, uint64_t rate_bps, int64_t at_ps);

#endif
