/* SPDX-License-Identifier: BSD-3-Clause */
/* What its sender sends, as far as its trains tell: nobody is to be advised to send what he sends, or is about to. */
#ifndef FILTERS_SENT_H
#define FILTERS_SENT_H

#include "filters/estimate.h"
#include "filters/sample.h"

/* All 0 before the first train. */
struct sent {
    uint16_t longest;    /* packets */
    uint8_t long_trains; /* of more than half as many; neither this nor ... */
    uint8_t trains;      /* ... all of them are counted on where more say no more */
};

/* Any train of which something arrived, however much of it was lost. */
void sent_note(struct sent *sent, const struct sample *sample);

/* Leaves what is advised, or puts in its place what is true of such a sender. */
void sent_advise(const struct sent *sent, struct estimate *estimate);

#endif
