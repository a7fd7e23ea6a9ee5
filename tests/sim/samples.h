/* SPDX-License-Identifier: BSD-3-Clause */
/* The short way to a filter: a run as samples, as the library's train assembler
 * makes them, without the library. */
#ifndef TESTS_SIM_SAMPLES_H
#define TESTS_SIM_SAMPLES_H

#include "filters/sample.h"
#include "sim.h"

struct sim_samples {
    struct sample *item; /* in order of their numbers; not measured yet */
    size_t count;
    struct sample_packet *packets;
};

/* All is copied: the run may go. */
void sim_samples_init(struct sim_samples *samples, const struct sim_run *run);
void sim_samples_fini(struct sim_samples *samples);

/* As a sender leaves it that tells no times. */
void sim_sample_untime(struct sample *sample);

#endif
