/* SPDX-License-Identifier: BSD-3-Clause */
/* What is free of the narrow link, from the same trains. docs/available.md explains it.
 *
 *   void *state = malloc(available_bytes(window));
 *   available_init(state, window);
 *   available_push(state, &sample);                      for each train, once measured
 *   available_estimate(state, &capacity, &available);    whenever somebody asks
 *
 * It allocates nothing, keeps no global state and reads no clock: the memory is its caller's, of
 * fixed size, freed without ceremony. A push is constant work; an estimate O(window log window). */
#ifndef FILTERS_AVAILABLE_H
#define FILTERS_AVAILABLE_H

#include "filters/available_estimate.h"
#include "filters/estimate.h"
#include "filters/sample.h"

#include <stddef.h>

/* Size of the state for a window of that many trains. */
size_t available_bytes(unsigned window);

/* Makes state (aligned as malloc does) ready; also resets it. */
void available_init(void *state, unsigned window);

/* Takes every train, usable or not, in the order of their numbers; sample as
 * dispersion_measure() leaves it. */
void available_push(void *state, const struct sample *sample);

/* capacity: of the same stream, as its filter tells it. Uses scratch memory inside the state,
 * which stays what it says. */
void available_estimate(const void *state, const struct estimate *capacity,
                        struct available_estimate *result);

#endif
