/* SPDX-License-Identifier: BSD-3-Clause */
/* The window under the simple filters: the rates of the last trains, those that
 * the sender limited kept apart from those that measure the path. */
#ifndef FILTERS_RECENT_H
#define FILTERS_RECENT_H

#include "filters/estimate.h"
#include "filters/ranked.h"
#include "filters/sample.h"

#include <stdbool.h>
#include <stddef.h>

/* At the start of its memory. */
struct recent {
    struct estimate estimate; /* the filter's, worked out when recent_push() says so */
    int64_t newest_ns;        /* arrival of the last train that was taken */
};

size_t recent_bytes(unsigned window);
void recent_init(void *state, unsigned window);

/* Takes the train's rate, if it has one that can be used. True when the estimate is to
 * be worked out anew: at every train while there are few, then when a sixteenth of the
 * window is new, which moves no quantile far. */
bool recent_push(void *state, const struct sample *sample);

/* Puts in order what came since recent_push() was true. */
void recent_sort(void *state);

/* As filter_table's grow, and its estimate. */
void recent_grow(void *to, const void *from);
void recent_estimate(const void *state, struct estimate *estimate);

/* The usable rates. */
struct sorted recent_usable(const void *state);

/* Answers where there is nothing to average: STATE_INSUFFICIENT with fewer than
 * least usable trains, STATE_SENDER_LIMITED with the median of what the sender
 * reached when most trains came as they left. False otherwise, and the estimate is
 * STATE_TENTATIVE without figures: rates alone cannot prove themselves. */
bool recent_settles(struct recent *recent, unsigned least);

#endif
