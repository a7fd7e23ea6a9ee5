/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of the field, to be measured beside ours: test code, each rule as its
 * source describes it, on the same samples. None has a state "tentative": each
 * says converged as soon as it has an answer. Their low and high are the answer
 * itself: none gives an interval. */
#ifndef TESTS_SIM_RIVALS_H
#define TESTS_SIM_RIVALS_H

#include "filters/filter.h"

/* NULL-terminated. */
extern const struct filter *const rival_table[];

extern const struct filter rival_pair_median;
extern const struct filter rival_kernel;
extern const struct filter rival_capprobe;
extern const struct filter rival_plm;
extern const struct filter rival_srt;
extern const struct filter rival_pbprobe;
extern const struct filter rival_pathrate;
extern const struct filter rival_webrtc;

/* --- For the rules themselves --- */

/* The last so many numbers, from the oldest at next % size on. */
struct rival_window {
    unsigned size;
    size_t pushed;
    double value[];
};

size_t rival_window_bytes(unsigned window);
void rival_window_init(void *state, unsigned window);
void rival_window_push(struct rival_window *window, double value);
size_t rival_window_count(const struct rival_window *window);

/* The numbers in rising order, to be freed. */
double *rival_window_sorted(const struct rival_window *window);

/* The gap between the first two packets of the train: bytes and time of the
 * pair. False when it is not whole or took no time. */
bool rival_pair(const struct sample *sample, double *bytes, double *gap_ns);

/* An answer, or none when rate_bps is not a positive number. */
void rival_answer(struct estimate *estimate, double rate_bps);

#endif
