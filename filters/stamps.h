/* SPDX-License-Identifier: BSD-3-Clause */
/* The resolution of stamps where it is no whole number of nanoseconds, or where they do not count from 0: a clock that
 * ticks 32768 times a second, or one that somebody shifted. Then differences are whole numbers of a tick, to what
 * rounding leaves (noise_divisor() has the others). */
#ifndef FILTERS_STAMPS_H
#define FILTERS_STAMPS_H

#include "filters/sample.h"

struct stamps {
    int64_t last_ns;
    double tick_ns; /* divides all differences so far; 0: none does */
    float error_ns; /* how well it is known */
    uint8_t gaps
        [2]
        [2]; /* first and last ones of trains, since it last got smaller: an even number of it, an odd one */
};

void stamps_init(struct stamps *stamps);

/* Takes the stamps around a train's first gap and its last. */
void stamps_note(struct stamps *stamps, const struct sample *sample);

/* 0: as good as exact, or too few to say. A path that nothing disturbs makes gaps of whole numbers of something as
 * well; but then the first ones of all trains are as many, or the last ones, where ticks make some one longer. */
double stamps_tick_ns(const struct stamps *stamps);

#endif
