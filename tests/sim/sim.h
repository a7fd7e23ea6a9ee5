/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole run: sender, path, receiver. In: a configuration and a seed. Out: the
 * arrivals as the library takes them, and the truth beside them. */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include "path.h"
#include "pprec/pprec.h"
#include "receiver.h"
#include "sender.h"

#include <stdbool.h>

struct sim_config {
    struct sim_sender_config sender;
    struct sim_path_config path;
    struct sim_receiver_config receiver;
};

struct sim_run {
    struct sim_probe *probes; /* as sent */
    size_t probe_count;
    struct sim_departed *trains;
    unsigned train_count;
    struct pprec_arrival *arrivals; /* as received, with copies and out of order */
    struct sim_stamped *stamped;    /* [arrival_count]: which probe, and when in truth */
    size_t arrival_count;
    struct sim_crossed (*crossed)[SIM_HOPS_MAX]; /* [train_count]; on a path that lasts */
};

/* The first train leaves at about delay_ns of true time; sender and receiver
 * clocks both show receiver.epoch_ns at time 0. */
void sim_run_init(struct sim_run *run, const struct sim_config *config, uint64_t seed);
void sim_run_fini(struct sim_run *run);

/* Whether links and load are of one kind from first to last. (The receiver's clock is not
 * the path's.) */
bool sim_config_stationary(const struct sim_config *config);

#endif
