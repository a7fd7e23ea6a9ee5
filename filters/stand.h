/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of what was decided. An estimate is made whenever an eighth of the trains is new, so what
 * agrees by chance has 20 to 40 tries before a window is full, and what is just proven is just not proven the
 * next time. So it is a sequential test (Wald 1945):
 *
 * - A rate is not sure before later trains bore it out: it was the estimate, sure or not, while they became
 *   half as many again; or it was sure three times in a row. After a change it is at once: that was a test.
 * - What was sure is so until as much spoke against it as for it. */
#ifndef FILTERS_STAND_H
#define FILTERS_STAND_H

#include "filters/estimate.h"

struct stand {
    float balance;        /* trains for what is told, less those against it; 0: nothing sure is */
    float guess_bps;      /* what each estimate said, sure or not, ... */
    uint32_t guess_since; /* ... since so many trains, ... */
    uint16_t guess_on;    /* ... of which it rested on so many then */
    uint8_t in_row;       /* times that it was sure, until now */
    bool changed;         /* and nothing was estimated since */
    uint32_t trains;      /* so far, at the newest estimate */
};

/* Trains agree on another rate: the path is no longer the same. */
void stand_forget(struct stand *stand);

/* Makes of what is decided what is told, after what was told before. window: trains that it rests on; trains:
 * so far. refuted: more than proof is missing. */
void stand_take(struct stand *stand, const struct estimate *before, struct estimate *estimate,
                unsigned window, unsigned trains, bool refuted);

#endif
