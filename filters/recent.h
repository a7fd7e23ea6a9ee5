/* SPDX-License-Identifier: BSD-3-Clause */
/* The window under the simple filters: the rates of the last trains, those that
 * the sender limited kept apart from those that measure the path. */
#ifndef FILTERS_RECENT_H
#define FILTERS_RECENT_H

#include "filters/estimate.h"
#include "filters/ranked.h"
#include "filters/sample.h"

#include <stddef.h>

/* At the start of its memory; the parts behind it are found by the functions. */
struct recent {
    unsigned room;
    unsigned count;
    unsigned oldest;
};

size_t recent_bytes(unsigned window);
void recent_init(void *state, unsigned window);

/* Takes the train's rate, if it has one that can be used. */
void recent_push(void *state, struct sample *sample);

/* As filter_table's grow. */
void recent_grow(void *to, const void *from);

/* The usable rates. */
const struct ranked *recent_usable(const void *state);

/* Answers where there is nothing to average: STATE_INSUFFICIENT with fewer than
 * least usable trains, STATE_SENDER_LIMITED with the median of what the sender
 * reached when most trains came as they left. False otherwise, and *estimate is
 * STATE_TENTATIVE without figures: rates alone cannot prove themselves. */
bool recent_settles(const void *state, unsigned least, struct estimate *estimate);

#endif
