/* SPDX-License-Identifier: BSD-3-Clause */
/* What the families of runs are put together from. */
#ifndef TESTS_SIM_PARTS_H
#define TESTS_SIM_PARTS_H

#include "case.h"

/* Within a quarter of rate_bps. */
uint64_t sim_draw_rate(struct sim_rng *rng, double rate_bps);

int64_t sim_draw_propagation_ns(struct sim_rng *rng);

/* A usual size of large packets, at layer 2. */
uint32_t sim_draw_size(struct sim_rng *rng);

/* The next hop of the path, of some length. */
struct sim_hop_config *sim_add_hop(struct sim_path_config *path, struct sim_rng *rng, double rate_bps);

/* Poisson traffic across one hop only; load: a share of its capacity. */
struct sim_traffic_config *sim_load_hop(struct sim_path_config *path, unsigned hop, double load,
                                        enum sim_mix mix);

void sim_send_trains(struct sim_sender_config *sender, unsigned length, uint32_t bytes);

/* A long train and seven pairs, one of them a little smaller and one of half the size: pairs
 * find the capacity, the train shows shapers and batching. */
void sim_send_mix(struct sim_sender_config *sender, uint32_t bytes);

/* Ends on hosts that others keep busy: packets leave 10 to 80 us apart, and what comes after a pause is seen later by
 * as much, half more or less; 2 us of noise on each stamp. */
void sim_busy_ends(struct sim_rng *rng, struct sim_config *config);

/* All that pptrans sends without options, from its first train, at its own pace. */
void sim_send_default(struct sim_sender_config *sender);

/* A sender and a receiver as they come; the mix, or trains of the case's length. */
void sim_draw_ends(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config);

/* The same for a path whose rate is drawn from the case's range, which is returned: a
 * sender of 2, 10 or 100 times that, trains of the case's lengths. */
double sim_draw_ends_to(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config);

/* From a host on Ethernet: the row's trains, of so many bytes (0: as drawn), or all that pptrans sends without
 * options. */
double sim_draw_hosts(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                      uint32_t bytes);

/* Interrupts are held back, in either way, for between so long and so long. */
void sim_hold_interrupts(struct sim_rng *rng, struct sim_receiver_config *receiver, double least_ns,
                         double most_ns);

/* The same, with work on each packet, and on some first stamps that are late by 1 to 60 us. */
void sim_hold_back(struct sim_rng *rng, struct sim_receiver_config *receiver, double least_ns,
                   double most_ns);

/* The link by fair queueing with so many greedy flows; trains of one length leave them time. */
void sim_share_hop(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config,
                   struct sim_hop_config *hop, unsigned rivals, uint32_t quantum_bytes);

/* Besides the ends, the path: one hop, in half of the runs loaded up to the case's load. */
double sim_draw_link(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config);

/* Of the pattern. */
unsigned sim_longest_train(const struct sim_sender_config *sender);

/* Slow paths need pauses in which a train can pass. */
void sim_space_trains(struct sim_config *config);

#endif
