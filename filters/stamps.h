/* SPDX-License-Identifier: BSD-3-Clause */
/* The resolution of stamps, as they show it. All are whole numbers of a tick of whole nanoseconds; of another one, as of
 * a clock that ticks 32768 times a second, or where somebody shifted them, all differences are, to what rounding
 * leaves. */
#ifndef FILTERS_STAMPS_H
#define FILTERS_STAMPS_H

#include "filters/sample.h"

#include <stdbool.h>
#include <stdint.h>

struct stamps {
    int64_t divisor_ns; /* divides the last one of each train so far */
    int64_t last_ns;
    double tick_ns; /* divides their differences; 0: none does */
    float error_ns; /* how well it is known */
    /* Gaps since the tick last got smaller, the first and the last of trains: an even number of it, an odd one. */
    struct stamps_gaps {
        uint8_t even : 4, odd : 4;
    } gaps[2];
    int8_t within; /* trains whose first stamp is their last, too, less others: of late */
};

void stamps_init(struct stamps *stamps);

/* Takes the stamps around a train's first gap and its last. */
void stamps_note(struct stamps *stamps, const struct sample *sample);

/* 1 and less are as good as exact. A path that nothing disturbs makes gaps of whole numbers of something as well; but
 * then the first ones of all trains are as many, or the last ones, where ticks make some one longer. One that is full
 * of packets of one size, in a simulator, looks like ticks. */
double stamps_tick_ns(const struct stamps *stamps);

/* Whether most trains came within one tick: they tell nothing. */
bool stamps_hide(const struct stamps *stamps);

#endif
