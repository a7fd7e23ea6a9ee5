/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of filters, and the one interface to all of them.
 *
 *   const struct filter *filter = filter_find("median");
 *   void *state = malloc(filter->state_bytes(window));
 *   filter->init(state, window);
 *   filter->push(state, &sample);       for each train
 *   filter->estimate(state, &estimate); at any time
 *
 * A filter allocates nothing, keeps no global state and reads no clock: the
 * memory is its caller's, of fixed size, freed without ceremony. */
#ifndef FILTERS_FILTER_H
#define FILTERS_FILTER_H

#include "filters/estimate.h"
#include "filters/sample.h"

#include <stddef.h>

enum { FILTER_WINDOW_MIN = 1, FILTER_WINDOW_MAX = 65536, FILTER_WINDOW_DEFAULT = 256 };

struct filter {
    const char *name;
    const char *usage; /* one line for --help */
    /* Size of the state for a window of that many samples. */
    size_t (*state_bytes)(unsigned window);
    /* Makes state (aligned as malloc does) ready; also resets it. */
    void (*init)(void *state, unsigned window);
    /* Takes every train, usable or not; may set a finer verdict. */
    void (*push)(void *state, struct sample *sample);
    void (*estimate)(const void *state, struct estimate *estimate);
    /* Carries all that from holds over into to, just made ready for a larger window.
     * NULL: states of this filter have their full size from the start. */
    void (*grow)(void *to, const void *from);
};

/* NULL-terminated, in the order of --help. */
extern const struct filter *const filter_table[];

/* NULL when there is none of that name. */
const struct filter *filter_find(const char *name);

#endif
