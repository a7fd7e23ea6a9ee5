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

#include "filters/estimate.h"
#include "filters/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum available_state {
    AVAILABLE_UNKNOWN,   /* nothing can be said: no figure */
    AVAILABLE_TENTATIVE, /* a best guess, not to be shown as fact */
    AVAILABLE_AT_LEAST,  /* so much is free, perhaps more */
    AVAILABLE_CONVERGED  /* low..high is a 95 % interval and holds */
};

/* Rates in bit/s at the layer of the samples. */
struct available_estimate {
    enum available_state state;
    double available_bps;    /* mean over the window of time; 0: unknown */
    double low_bps;          /* at_least: the same as available_bps */
    double high_bps;         /* at_least: 0, none is known */
    int64_t queue_ns;        /* one-way delay of first packets over its floor: median ... */
    int64_t queue_p95_ns;    /* ... and 95th percentile; or SAMPLE_UNKNOWN_NS */
    double buffer_bytes;     /* the greatest queue seen; 0: not known */
    bool buffer_full;        /* packets were lost at it: it holds no more */
    uint32_t lossless_train; /* packets of the longest train that lost none */
    uint32_t trains;         /* of the window of time */
    int64_t newest_ns;       /* arrival of the newest of them */
};

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
